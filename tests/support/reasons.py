"""A verdict that was explained."""

from __future__ import annotations

from collections.abc import Sequence

from faithmeter import Claim, Evidence, Label, Origin, Sample, Verdict
from faithmeter.why import explained


def why(
    claim: str, *contexts: str, label: str = "contradicted", reason: str | None = None, gaps: Sequence[str] = ()
) -> Verdict:
    """What is said of a claim that is not supported by its contexts, the first of which is its evidence."""
    sample = Sample(answer=claim, contexts=contexts)
    verdict = Verdict(
        claim=Claim(text=claim, start=0, end=len(claim)),
        label=Label(label),
        evidence=(Evidence.of(sample.contexts, 0, 0, len(contexts[0])),) if contexts else (),
        gaps=tuple((claim.index(gap), claim.index(gap) + len(gap)) for gap in gaps),
        reason=reason,
        origin=Origin(verifier="mine"),
    )
    (found,) = explained([verdict], sample)
    assert isinstance(found, Verdict)
    return found
