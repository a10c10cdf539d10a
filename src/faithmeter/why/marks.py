"""The words that are wrong, as people mark them: whole words and phrases, and those that code can name exactly."""

from __future__ import annotations

import re
from collections.abc import Sequence

from faithmeter.datamodels import Kind, Label, Verdict
from faithmeter.text import Span
from faithmeter.why.compare import Comparison, Finding, read, whole

EXACT: frozenset[Kind] = frozenset({"number", "date", "unit", "name", "negation", "quantity"})
"""Kinds whose words code finds letter by letter."""
_CERTAIN = 0.8
"""Weight of a finding that needs no second opinion."""
_LIKELY = 0.7
"""Weight that is enough where the passage says otherwise."""
_SAME_THING = 0.6
"""Share of a claim's words that the passage has, if it says the same thing but for the finding."""
_JOINED = 4
"""Light words between two marks that make them one phrase."""
_EDGES = ' \t\n,;:.!?"“”()[]'
_NUMBER = re.compile(r"^\s*[-\d.,]+\s?-?")


def marked(
    verdict: Verdict, best: Finding | None, seen: Comparison
) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """The words of a claim that are not supported, and those of them that the contexts say otherwise."""
    text = verdict.claim.text
    gaps = tidy(text, verdict.gaps)
    exact = _exact(best, seen) if best and best.kind in EXACT else None
    stated = bool(best and best.theirs) and seen.coverage >= _SAME_THING
    if best and exact:
        # Where the verifier marks something, code only says which of those words it is.
        agreed = not gaps or any(gap.start < exact.end and exact.start < gap.end for gap in gaps)
        if agreed and ((stated and best.weight >= _LIKELY) or (not gaps and best.weight >= _CERTAIN)):
            gaps = [exact]
        elif agreed and best.weight >= _CERTAIN:
            gaps = tidy(text, [*gaps, exact])
    elif best and not gaps and (best.wrong or best.kind == "addition"):
        gaps = [best.wrong or best.ours]
    against = [best.wrong or best.ours] if best and best.theirs else []
    if not against and verdict.label is Label.CONTRADICTED and (best is None or best.kind != "addition"):
        against = gaps
    conflicts = [gap for gap in gaps if any(gap.start < a.end and a.start < gap.end for a in against)]
    return tuple((gap.start, gap.end) for gap in gaps), tuple((gap.start, gap.end) for gap in conflicts)


def _exact(best: Finding, seen: Comparison) -> Span:
    """The words that were exchanged: those that the other side does not have, as the unit of "5 miles"."""
    start, end = best.ours
    known = {word.stem for word in read(best.theirs)} if best.kind not in ("negation", "quantity") else set()
    new = [word for word in read(best.ours.of(seen.claim)) if known and word.stem not in known and word.heavy]
    if new:
        return whole(seen.claim, Span(start + new[0].start, start + new[-1].end))
    if best.kind == "unit":
        match = _NUMBER.match(best.ours.of(seen.claim))
        if match and start + match.end() < end:
            return Span(start + match.end(), end)
        if seen.claim[start] in "$€£¥":
            return Span(start, start + 1)
    return Span(start, end)


def tidy(text: str, gaps: Sequence[Sequence[int]]) -> list[Span]:
    """Whole words, phrases joined over the light words between them, without the marks at their ends."""
    words = read(text)
    spans: list[Span] = []
    for low, high in sorted((max(0, gap[0]), min(len(text), gap[1])) for gap in gaps):
        touched = [word for word in words if word.start < high and low < word.end]
        low = min([low, *(word.start for word in touched)])
        high = max([high, *(word.end for word in touched)])
        if spans and (low <= spans[-1].end or _is_bridge(text, spans[-1].end, low)):
            spans[-1] = Span(spans[-1].start, max(spans[-1].end, high))
        elif low < high:
            spans.append(Span(low, high))
    trimmed = [_trimmed(text, span) for span in spans]
    heavy = [span for span in trimmed if any(w.heavy for w in words if span.start <= w.start < span.end)]
    return [span for span in (heavy or trimmed) if span.start < span.end]


def _is_bridge(text: str, start: int, end: int) -> bool:
    between = read(text[start:end])
    return len(between) <= _JOINED and not any(word.heavy for word in between) and "." not in text[start:end]


def _trimmed(text: str, span: Span) -> Span:
    start, end = span
    while start < end and text[start] in _EDGES:
        start += 1
    while start < end and text[end - 1] in _EDGES:
        end -= 1
    return Span(start, end)
