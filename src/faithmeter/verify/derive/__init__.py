"""Proof by code: what follows from the contexts is supported, with its formula and its inputs; see `derive`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from faithmeter.datamodels import Context, Evidence
from faithmeter.evidence.passages import Index
from faithmeter.evidence.passages import terms as stems
from faithmeter.text.english.clauses import clauses
from faithmeter.verify.derive.changes import changed, once
from faithmeter.verify.derive.claims import countable, read_claim, with_subject, worth
from faithmeter.verify.derive.counts import counted
from faithmeter.verify.derive.opening_hours import opening_hours
from faithmeter.verify.derive.restate import restated
from faithmeter.verify.derive.rules import aggregate, compared, multiple, portion
from faithmeter.verify.derive.sources import facts
from faithmeter.verify.derive.superlatives import foremost
from faithmeter.verify.derive.times import age, clock_after, lasted, weekday

__all__ = ["VERSION", "Derivation", "derive"]

VERSION = 4
"""Raised when the rules change: part of the signature of the verifiers that use them."""
RULES = (weekday, age, lasted, clock_after, multiple, changed, once, portion, foremost, compared, aggregate, restated)
"""Asked in turn; the first that finds something settles the claim."""
_LONGEST = 400
_WHO = re.compile(
    r"(?P<what>(?P<name>[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){1,3}) (?:is|was) an? [^,.;:]{3,60}?) who (?P<rest>.+)"
)
_FOLLOWS = "It follows from the contexts:"


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
    rest: tuple[str, ...] = ()
    """Clauses of the claim that are still to be judged."""


def derive(claim: str, index: Index, contexts: Sequence[Context], *, hint: str = "") -> Derivation | None:
    """Prove or refute a claim by arithmetic; None where its words do not name operation and inputs beyond doubt.

    `hint` says what its pronouns refer to. A claim of several clauses is refuted by one, and proven by all; where only
    some are proven, the others are the derivation's `rest`.
    """
    if len(claim) > _LONGEST:
        return None
    if timed := opening_hours(claim, index, contexts):
        lead = _FOLLOWS if timed.holds else "The contexts give"
        return Derivation(*timed[:3], f"{lead} {timed.formula}.", *timed[3:])
    if not countable(claim):
        return None
    whole = _derive(claim, index, contexts, hint=hint)
    return whole or _derive_clauses(claim, index, contexts, hint=hint)


def _derive_clauses(claim: str, index: Index, contexts: Sequence[Context], *, hint: str) -> Derivation | None:
    parts = _parts(claim)
    if len(parts) < 2:
        return None
    found = [_derive(part, index, contexts, hint=hint) for part in parts]
    for part, proof in zip(parts, found, strict=True):
        if proof and not proof.holds:
            gaps = [(claim.find(part[start:end]), end - start) for start, end in proof.gaps]
            return proof._replace(gaps=tuple((start, start + length) for start, length in gaps if start >= 0))
    proven = [proof for proof in found if proof]
    if not proven:
        return None
    formula = "; ".join(proof.formula for proof in proven)
    inputs = tuple(dict.fromkeys(item for proof in proven for item in proof.inputs))
    rest = tuple(part for part, proof in zip(parts, found, strict=True) if not proof)
    return Derivation(True, formula, inputs, f"{_FOLLOWS} {formula}.", rest=rest)


def _parts(claim: str) -> list[str]:
    """The clauses of a claim; "X was a painter who …" says two things of X."""
    parts = [part.text for part in clauses(claim)]
    if len(parts) == 1 and (told := _WHO.fullmatch(claim)):
        parts = [told["what"] + ".", *(part.text for part in clauses(f"{told['name']} {told['rest']}"))]
    return parts


def _derive(claim: str, index: Index, contexts: Sequence[Context], *, hint: str) -> Derivation | None:
    named = with_subject(claim, hint)
    if not worth(named):
        return None
    said = read_claim(named)
    if not said.about:
        return None
    known = facts(index, said.about | set(stems(named)))
    answers = (rule(said, known) for rule in RULES)
    finding = next((answer for answer in answers if answer is not None), None) or counted(said, index)
    if finding is None:
        return None
    spans = dict.fromkeys((p.context, p.start, p.end) for fact in finding.facts for p in fact.passages)
    inputs = tuple(Evidence.of(contexts, *span) for span in spans)
    lead = _FOLLOWS if finding.holds else "The contexts give"
    wrong = said.quantities if not finding.holds and len(said.quantities) == 1 else ()
    shift = len(named) - len(claim)
    gaps = tuple((q.start - shift, q.end - shift) for q in wrong)
    return Derivation(finding.holds, finding.formula, inputs, f"{lead} {finding.formula}.", gaps)
