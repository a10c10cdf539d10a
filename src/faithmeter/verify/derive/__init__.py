"""Proof by code: a number that follows from the contexts is supported, with its formula and inputs; see `derive`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from faithmeter.datamodels import Context, Evidence
from faithmeter.evidence.passages import Index
from faithmeter.evidence.passages import terms as stems
from faithmeter.verify.derive.claims import read_claim, worth
from faithmeter.verify.derive.counts import counted
from faithmeter.verify.derive.restate import restated
from faithmeter.verify.derive.rules import aggregate, changed, compared, multiple, portion
from faithmeter.verify.derive.sources import facts
from faithmeter.verify.derive.times import age, clock_after, lasted, weekday

__all__ = ["VERSION", "Derivation", "derive"]

VERSION = 1
"""Raised when the rules change: part of the signature of the verifiers that use them."""
RULES = (weekday, age, lasted, clock_after, multiple, changed, portion, compared, aggregate, restated)
"""Asked in turn; the first that finds something settles the claim."""
_LONGEST = 400


class Derivation(NamedTuple):
    """What follows from the contexts about a claim's number."""

    holds: bool
    """Whether the claim says it."""
    formula: str
    """How it follows: `4,200 + 3,100 = 7,300`."""
    inputs: tuple[Evidence, ...]
    """The sentences, rows and fields that the formula's numbers stand in."""
    reason: str
    """The formula in a sentence."""
    gaps: tuple[tuple[int, int], ...] = ()
    """Where the wrong number stands in the claim, as (start, end)."""


def derive(claim: str, index: Index, contexts: Sequence[Context]) -> Derivation | None:
    """Prove or refute a claim by arithmetic; None where its words do not name operation and inputs beyond doubt."""
    if len(claim) > _LONGEST or not worth(claim):
        return None
    said = read_claim(claim)
    if not said.about:
        return None
    known = facts(index, said.about | set(stems(claim)))
    answers = (rule(said, known) for rule in RULES)
    finding = next((answer for answer in answers if answer is not None), None) or counted(said, index)
    if finding is None:
        return None
    spans = dict.fromkeys((p.context, p.start, p.end) for fact in finding.facts for p in fact.passages)
    inputs = tuple(Evidence.of(contexts, *span) for span in spans)
    lead = "It follows from the contexts:" if finding.holds else "The contexts give"
    wrong = said.quantities if not finding.holds and len(said.quantities) == 1 else ()
    gaps = tuple((q.start, q.end) for q in wrong)
    return Derivation(finding.holds, finding.formula, inputs, f"{lead} {finding.formula}.", gaps)
