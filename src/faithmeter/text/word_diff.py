"""The words in which two texts differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

MOST_PAIRS = 250_000  # of pieces that are compared: 500 and 500, which is an answer of 250 words
_PIECE = re.compile(r"\d+(?:[.,:]\d+)+|\w+|\s+|[^\w\s]")  # 3.5 is one word


def differences(old: str, new: str) -> list[tuple[int, int, str]]:
    """The stretches of one text that another has otherwise, as (start, end, its words), in order."""
    ours, theirs = list(_PIECE.finditer(old)), list(_PIECE.finditer(new))
    changes: list[tuple[int, int, str]] = []
    for kind, start, end, first, last in _opcodes([item[0] for item in ours], [item[0] for item in theirs]):
        if kind == "equal":
            continue
        begin = ours[start].start() if start < len(ours) else len(old)
        stop = ours[end - 1].end() if end > start else begin
        words = new[theirs[first].start() : theirs[last - 1].end()] if last > first else ""
        if changes and not old[changes[-1][1] : begin].strip():  # a lone space between two changes is no island
            before = changes[-1]
            changes[-1] = (before[0], stop, before[2] + old[before[1] : begin] + words)
        else:
            changes.append((begin, stop, words))
    return changes


def _opcodes(old: list[str], new: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """What to do to make one list the other. Of long ones, all between the ends that they share is one change."""
    if len(old) * len(new) <= MOST_PAIRS:
        return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    end = next((at for at in range(shorter - start) if old[-1 - at] != new[-1 - at]), shorter - start)
    if start == len(old) == len(new):
        return []
    return [("replace", start, len(old) - end, start, len(new) - end)]
