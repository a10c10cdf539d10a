"""A finding in words, both sides quoted. What does not stand there letter by letter is never quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from faithmeter.datamodels import Label
from faithmeter.text.english.word_tables import DISCOURSE
from faithmeter.why.compare import Comparison, Finding, read

LONGEST_QUOTE = 80
_REST = 3
"""Words that a phrase goes on for at most, after what is new in it."""
_LIKE = 0.25
"""Share of a claim's words that a passage has if one of its names may be meant."""
OPEN, CLOSE = "“", "”"


def reason(finding: Finding | None, seen: Comparison, label: Label, pieces: Sequence[str]) -> str:
    """Why a claim is not supported, in one sentence."""
    ours = _quoted(_finished(finding, seen), [seen.claim]) if finding else ""
    theirs = _quoted(finding.theirs, seen.sources.texts) if finding else ""
    unsaid = label is Label.NOT_ENOUGH_INFO and finding is not None and finding.kind == "negation"
    made = _said(finding, ours, theirs, seen) if finding and not unsaid else ""
    return made or _plain(label, pieces)


_PLACED = re.compile(r"\b(?:in|at|near)(?: the)? $", re.IGNORECASE)


def _may_be_meant(finding: Finding, seen: Comparison) -> bool:
    """Whether one name may stand for another: places for places, in a passage that speaks of the same thing."""
    at = seen.passage.find(finding.theirs)
    both = ((seen.claim, finding.ours.start), (seen.passage, max(0, at)))
    places = [bool(_PLACED.search(text, max(0, start - 10), start)) for text, start in both]
    return places[0] == places[1] and seen.coverage >= _LIKE


def _finished(finding: Finding, seen: Comparison) -> str:
    """The words of the claim; of something added, to the end of its phrase: "deletes the failed revision's logs"."""
    start, end = finding.ours
    if finding.kind != "addition":
        return finding.ours.of(seen.claim)
    inside = [word for word in seen.ours if start <= word.start and word.end <= end]
    start = next((word.start for word in inside if word.text.lower() not in DISCOURSE), start)
    for word in [word for word in seen.ours if word.start >= end][:_REST]:
        heavy = word.heavy or word.text == "s"
        if not heavy or seen.claim[end : word.start] not in (" ", "-", "'", "’"):
            break
        end = word.end
    return seen.claim[start:end]


def _said(finding: Finding, ours: str, theirs: str, seen: Comparison) -> str:
    kind = finding.kind
    unknown = bool(ours) and not seen.sources.has(ours[1:-1])
    if kind == "certainty" and theirs:
        return f"the contexts say {theirs}, not that it is so"
    if kind == "role" and theirs:
        return f"the contexts have it in other roles: {theirs}"
    if kind == "negation":
        return f"the contexts say the opposite: {theirs}" if theirs else ""
    if kind == "cause" and ours:
        return f"the contexts do not give this cause: {ours}"
    if kind == "attribution" and ours:
        return f"said of {theirs}, not of {ours}" if theirs else f"the contexts do not say who said so: {ours}"
    if theirs and ours and theirs.lower() != ours.lower() and (kind != "name" or _may_be_meant(finding, seen)):
        return f"the contexts say {theirs}, the claim {ours}"
    if kind in ("quantity", "time") and ours:
        return f"the contexts do not say {ours}"
    if unknown:
        return f"no passage {_verb(ours[1:-1], seen)} {ours}"
    return f"the contexts do not say this of {ours}" if ours and kind in ("number", "date", "name") else ""


def _verb(words: str, seen: Comparison) -> str:
    """Mentions, of what is nowhere; says, of what is made of words that stand there."""
    known = len(read(words)) - len(seen.sources.lacking(read(words), words))
    light = sum(not word.heavy for word in read(words))
    return "says" if known > light and len(read(words)) > 3 else "mentions"


def _plain(label: Label, pieces: Sequence[str]) -> str:
    """What can be said without a finding."""
    nearest = _quoted(pieces[0], pieces) if pieces else ""
    if label is Label.CONTRADICTED:
        return f"the contexts say otherwise: {nearest}" if nearest else "the contexts say otherwise"
    if label is Label.PARTIALLY_SUPPORTED:
        return f"the contexts say only a part of this: {nearest}" if nearest else "the contexts say only a part of this"
    return f"no passage says this; the nearest is {nearest}" if nearest else "no passage says this"


def _quoted(words: str, texts: Sequence[str]) -> str:
    """The words in quotation marks, cut between words where they are many; "" if they stand in none of the texts."""
    words = words.strip().split("\n")[0].strip(" ,;:")
    if len(words) > LONGEST_QUOTE:
        words = (
            words[: words.rfind(" ", 20, LONGEST_QUOTE)] if " " in words[20:LONGEST_QUOTE] else words[:LONGEST_QUOTE]
        )
    words = words.rstrip(" ,;:")
    words = next((_with_code(words, text) for text in texts if words in text), "") if words else ""
    return f"{OPEN}{words}{CLOSE}" if words else ""


def _with_code(words: str, text: str) -> str:
    """The words with the rest of the code or of the title in quotation marks that they cut, if that is not long."""
    start = text.index(words)
    end = start + len(words)
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = last if last >= 0 else len(text)
    for mark in ("`", '"'):
        if text.count(mark, first, last) % 2 or (mark == '"' and not words.count(mark) % 2):
            continue
        if text.count(mark, first, start) % 2:
            start = text.rindex(mark, first, start)
        if text.count(mark, first, end) % 2:
            end = text.index(mark, end, last) + 1
    return text[start:end] if end - start <= LONGEST_QUOTE else words
