"""Why a claim is not supported: the words, the kind, the reason and the blame, made by code after the verdict.

One place for every verifier, so that verdicts from a cache and from an LLM have them too. What a verifier says itself
is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from faithmeter.datamodels import Blame, Failure, Kind, Label, Outcome, Sample, Verdict
from faithmeter.text import Span, sentences
from faithmeter.verify.local_features import numbers_in
from faithmeter.why.compare import Comparison, Finding, Sources, names, nearest, read, whole
from faithmeter.why.findings import find
from faithmeter.why.marks import EXACT, marked
from faithmeter.why.numbered import counted
from faithmeter.why.reasons import reason

__all__ = ["explained"]

_LONGEST_PASSAGE = 700
"""Characters of evidence that are looked at as a whole; of a longer piece, the nearest sentence is."""
_MARKED = 0.6
"""What it adds to a finding that the verifier marks the very same words."""
_SHORT, _NEARLY = 25, 0.85
"""Characters of a mark that is as good as the finding inside it, and how good that is."""
_UNLIKELY = 0.45
"""What it takes from an addition that the verifier calls the claim contradicted."""
_NEAR = 0.45
"""Share of a claim's words that a passage has if it speaks of the same thing."""
_BARELY = 0.34
"""The same for a contradiction, where the verifier has seen the likeness."""

_FIELD = 12
"""Words of a passage that may be a field of a record."""
_PLAIN = 0.6
"""Weight of a finding that shows a misreading even where something else is the first thing to say."""


class Why(NamedTuple):
    """What code can tell about a claim that is not supported."""

    kind: Kind
    reason: str
    blame: Blame
    gaps: tuple[tuple[int, int], ...]
    conflicts: tuple[tuple[int, int], ...]


def explained(outcomes: Sequence[Outcome], sample: Sample) -> list[Outcome]:
    """The outcomes of a sample, those that are not supported with the kind, the reason and the blame."""
    sources = Sources(sample)
    return [
        outcome if isinstance(outcome, Failure) or outcome.label is Label.SUPPORTED else _with_why(outcome, sources)
        for outcome in outcomes
    ]


def _with_why(verdict: Verdict, sources: Sources) -> Verdict:
    why = explain(verdict, sources)
    return verdict.model_copy(
        update={
            "kind": verdict.kind or why.kind,
            "reason": verdict.reason or why.reason,
            "blame": verdict.blame or why.blame,
            "gaps": why.gaps,
            "conflicts": why.conflicts,
        }
    )


def explain(verdict: Verdict, sources: Sources) -> Why:
    """Hold the claim against its evidence, and say what is wrong."""
    claim = verdict.claim.text
    pieces = _pieces(verdict, sources)
    seen = Comparison(claim, "\n".join(pieces), sources)
    unweighed = find(seen) if pieces else []
    findings = [
        _weighed(finding._replace(ours=whole(claim, finding.ours)), verdict)
        for finding in [*unweighed, *_marked_additions(unweighed, seen, verdict)]
    ]
    best = max(findings, key=lambda finding: finding.weight, default=None)
    best = best if best and best.weight > 0 else None
    kind: Kind = best.kind if best else "addition" if _is_foreign(seen, verdict) else "other"
    gaps, conflicts = marked(verdict, best, seen)
    return Why(
        kind,
        reason(best, seen, verdict.label, pieces),
        _blame(best, findings, seen, verdict, pieces),
        gaps,
        conflicts,
    )


def _pieces(verdict: Verdict, sources: Sources) -> list[str]:
    """What the claim is held against: its evidence, or what comes nearest to it."""
    quotes = [sources.sentence(item.context, item.start, item.end) for item in verdict.evidence]
    if not quotes:
        quotes = sources.near(verdict.claim.text)
    return [
        quote
        if len(quote) <= _LONGEST_PASSAGE
        else nearest(verdict.claim.text, [s.of(quote) for s in sentences(quote)] or [quote])
        for quote in quotes
    ]


def _weighed(finding: Finding, verdict: Verdict) -> Finding:
    """With what the verifier's marks add: the share of what either marks that both mark."""
    start, end = finding.ours
    common = sum(max(0, min(end, high) - max(start, low)) for low, high in verdict.gaps)
    either = end - start + sum(high - low for low, high in verdict.gaps) - common
    alike = common / max(1, either)
    if any(low <= start and end <= high and high - low <= _SHORT for low, high in verdict.gaps):
        alike = max(alike, _NEARLY)
    if finding.kind == "addition" and verdict.label is Label.CONTRADICTED:
        return finding._replace(weight=finding.weight + _MARKED / 2 * alike - _UNLIKELY)
    return finding._replace(weight=finding.weight + _MARKED * alike)


def _marked_additions(findings: Sequence[Finding], seen: Comparison, verdict: Verdict) -> Iterator[Finding]:
    """A phrase that the verifier marks as a whole, and that holds a name or a number of which no context speaks."""
    new = [item for item in findings if item.kind in ("name", "number", "date") and item.weight >= 0.8]
    for start, end in verdict.gaps if verdict.label is not Label.CONTRADICTED else ():
        inside = [item for item in new if start <= item.ours.start and item.ours.end <= end]
        others = [word for word in seen.ours if start <= word.start and word.end <= end and word.heavy
                  and not any(item.ours.start <= word.start < item.ours.end for item in inside)]  # fmt: skip
        if inside and not any(item.theirs for item in inside) and len(others) >= 2:
            yield Finding("addition", 0.7, Span(start, end))


def _is_foreign(seen: Comparison, verdict: Verdict) -> bool:
    return verdict.label is not Label.CONTRADICTED and bool(seen.absent)


def _blame(
    best: Finding | None, findings: Sequence[Finding], seen: Comparison, verdict: Verdict, pieces: Sequence[str]
) -> Blame:
    """Missing, misread or mixed."""
    item = best is not None and best.kind in ("number", "date", "name", "unit")
    if best and item and not _stands_in(best.ours.of(seen.claim), seen.sources):
        # A number that no context has, beside nothing that it could be taken for: nobody misread that.
        enough = _BARELY if verdict.label is Label.CONTRADICTED else _NEAR
        near = bool(best.theirs) and (seen.coverage >= enough or _is_field(best, seen))
        return "misread" if near else "missing"
    if best and item and best.theirs:
        return "mixed"
    if (best is None or item or best.kind in ("role", "attribution", "other")) and _is_borrowed(seen, pieces):
        return "mixed"
    if best and best.kind == "addition":
        return "misread" if seen.coverage >= _NEAR and any(_says_otherwise(one) for one in findings) else "missing"
    if verdict.label is Label.CONTRADICTED:
        return "misread"
    return "misread" if best is not None and best.theirs and seen.coverage >= _NEAR else "missing"


def _is_field(best: Finding, seen: Comparison) -> bool:
    """Whether all of a short passage, as the field of a record, stands in the claim but for what is wrong."""
    wrong = {word.stem for word in read(best.theirs)}
    rest = [word for word in seen.theirs if word.heavy and word.stem not in wrong - seen.said]
    return len(seen.theirs) <= _FIELD and sum(word.stem in seen.said for word in rest) * 2 > len(rest)


def _says_otherwise(finding: Finding) -> bool:
    return bool(finding.theirs) and finding.weight >= _PLAIN and finding.kind in EXACT


def _is_borrowed(seen: Comparison, pieces: Sequence[str]) -> bool:
    """Whether a name or number of the claim stands elsewhere, where a passage has another in its place."""
    spans = [*names(seen.ours, seen.claim), *(Span(q.start, q.end) for q in counted(seen.claim, seen.sources.lower))]
    for piece in pieces:
        beside = Comparison(seen.claim, piece, seen.sources)
        for span in spans:
            words = [word for word in read(span.of(seen.claim)) if word.heavy]
            across = beside.opposite(span)
            if not words or not across or all(word.stem in beside.held for word in words):
                continue
            exchanged = re.search(r"[A-Z0-9]", across.of(beside.passage))
            if exchanged and _stands_in(span.of(seen.claim), seen.sources):
                return True
    return False


def _stands_in(words: str, sources: Sources) -> bool:
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+", words):  # in some texts "1, 600"
        return numbers_in(words) <= sources.numbers
    level = " ".join(words.lower().split())
    return bool(re.search(rf"(?<![\w.,]){re.escape(level)}(?!\w|[.,]\d)", sources.lower))
