"""Proposes, for a claim that says nearly what a passage says, the few words that the passage has in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from faithmeter.fix.proposal import Proposal

SAME_ENOUGH = 0.6  # of a claim's words that a passage must have in the same order for other words to be exchanged
IN_ITS_PLACE = 3.0  # how well words fit that stand between the same words
WORD = re.compile(r"[^\W_]+(?:[.,'’][^\W_]+)*|[%$€£]")


def alignments(text: str, passage: str, overlap: float) -> Iterator[Proposal]:
    """A few words of a claim for those that stand in their place in a passage that is else the same."""
    if overlap < SAME_ENOUGH:
        return
    ours, theirs = list(WORD.finditer(text)), list(WORD.finditer(passage))
    if len(theirs) > 120:
        return
    matcher = SequenceMatcher(
        None, [match[0].lower() for match in ours], [match[0].lower() for match in theirs], autojunk=False
    )
    blocks = matcher.get_opcodes()
    same = sum(end - start for kind, start, end, _, _ in blocks if kind == "equal")
    if same < SAME_ENOUGH * len(ours):
        return
    for index, (kind, start, end, first, last) in enumerate(blocks):
        inner = 0 < index < len(blocks) - 1  # words that the claim leaves out at its ends are no mistake
        if kind == "equal" or end - start > 4 or last - first > 4 or not inner:
            continue
        begin, stop, new = _replaced(text, ours, passage, theirs, (start, end, first, last))
        old = text[begin:stop].strip()
        reason = f"the context has {new.strip()!r}" + (f", not {old!r}" if old else " here")
        if kind == "delete":
            reason = f"the context says the same without {old!r}"
        # Before words are left out, what the context has in their place is tried.
        score = 2.0 + 2 * overlap + same / max(1, len(ours)) - 1.5 * (kind == "delete")
        yield Proposal(begin, stop, new, "swap", reason, None, score, fit=IN_ITS_PLACE)


def _replaced(
    text: str, ours: list[re.Match[str]], passage: str, theirs: list[re.Match[str]], block: tuple[int, int, int, int]
) -> tuple[int, int, str]:
    """The stretch of a claim that a block of words takes up, with a space where words come or go, and its new words."""
    start, end, first, last = block
    new = passage[theirs[first].start() : theirs[last - 1].end()] if last > first else ""
    if end > start:
        begin, stop = ours[start].start(), ours[end - 1].end()
        if not new and begin and text[begin - 1] == " ":
            begin -= 1
        if begin == 0 or (text[begin].isupper() and start == 0):
            new = new[:1].upper() + new[1:]
        return begin, stop, new
    begin = ours[start].start()
    return begin, begin, f"{new} "
