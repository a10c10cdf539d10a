"""The same quantity said in another way: another unit or format, a bound, or its row and column of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence

import faithmeter.verify.derive.claims as claims
from faithmeter.verify.derive.claims import Said
from faithmeter.verify.derive.quantities import Quantity
from faithmeter.verify.derive.rules import Finding, fits, like, lookup, shown
from faithmeter.verify.derive.sources import Fact, terms

_MET = re.compile(
    r"\b(?:was|were|is|are|been|be) (?:\w+ly )?(?:reached|met|exceeded|hit|missed|surpassed|broken|beaten"
    r"|spent|paid|used)\b",
    re.IGNORECASE,
)
"""What a claim says of a figure that is none of its own: "the reserve of 300 was met"."""


def restated(said: Said, facts: Sequence[Fact]) -> Finding | None:
    """The same quantity in another unit or format, in its row and column, or within the bounds that a claim gives."""
    if len(said.quantities) != 1 or claims.change(said.text) or claims.factor(said.text):
        return None
    target = said.quantities[0]
    rules = (claims.SUM.search, claims.WHOLE.search, claims.DIFFERENCE.search, claims.comparison, _MET.search)
    if any(rule(said.text) for rule in rules):
        return None
    alike = [_in_dimension(fact, target.dimension) for fact in facts]
    if target.dimension == "date":
        said = said._replace(about=said.about - terms(target.written))
    best = lookup(said, [fact for fact in alike if fact is not None])
    if best is None:
        return None
    quantity = best.quantity
    if target.dimension == "date":
        return _dated(said, target, best)
    if quantity.bound or quantity.high is not None:
        return _within(target, best)
    plain = target.high is None and target.bound in ("", "about")
    holds = fits(target, quantity.value)
    if not plain and not best.structured:  # the other figures of the sentence must not say otherwise
        beside = [f for f in alike if f and f.passages == best.passages and f.quantity.dimension == target.dimension]
        if any(fits(target, fact.quantity.value) is not holds for fact in beside) or not _plainly_said(said, best, 1):
            return None
        if not holds and len(beside) > 1:
            return None  # they may add up
    if holds is None or (not best.structured and plain and _written_alike(target, quantity)):
        return None
    if not holds and plain and not best.structured and not _plainly_said(said, best):
        return None
    sign = "=" if plain else {"above": ">", "least": "≥", "below": "<", "most": "≤"}.get(target.bound, "in")
    right = like(target, quantity.value) if plain else target.written
    left = shown(best)
    if not plain and not holds:
        sign = {">": "≤", "≥": "<", "<": "≥", "≤": ">"}.get(sign, "not in")
    return Finding(holds, f"{left} {sign} {right}", (best,))


def _dated(said: Said, target: Quantity, fact: Fact) -> Finding | None:
    """A day that is written in another way: 5 May 2024 and 2024-05-05."""
    known = [(a, b) for a, b in zip(target.day, fact.quantity.day, strict=True) if a and b]
    holds = all(a == b for a, b in known) and all(b for a, b in zip(target.day, fact.quantity.day, strict=True) if a)
    if len(known) < 2 or (not holds and all(a == b for a, b in known)) or target.bound:
        return None
    if not fact.structured and (_written_alike(target, fact.quantity) or (not holds and not _plainly_said(said, fact))):
        return None
    return Finding(holds, f"{fact.quantity.written} {'=' if holds else '≠'} {target.written}", (fact,))


def _within(target: Quantity, fact: Fact) -> Finding | None:
    """A bound in the claim against a range or a bound in the context."""
    quantity = fact.quantity
    if target.high is not None or quantity.high is None or quantity.dimension != target.dimension:
        return None  # "more than 6" implies "more than 3" for a logician; readers say that it is wrong
    if (target.bound, target.value) not in (("most", quantity.high), ("least", quantity.value)):
        return None
    words = "up to" if target.bound == "most" else "at least"
    return Finding(True, f"{quantity.written}: {words} {target.written}", (fact,))


def _plainly_said(said: Said, fact: Fact, most: int = 2) -> bool:
    """Whether a sentence says what the claim says of its quantity, and hardly more: another value contradicts it."""
    more = fact.own - said.about - terms(fact.quantity.written)
    return said.about <= fact.own and len(more) <= most


def _written_alike(a: Quantity, b: Quantity) -> bool:
    """Whether two quantities are written the same way, so that nothing is derived."""
    letters = (re.sub(r"[\W\d_]+", "", quantity.written.lower()) for quantity in (a, b))
    return a.dimension == "count" or next(letters) == next(letters)


def _in_dimension(fact: Fact, dimension: str) -> Fact | None:
    quantity = fact.quantity
    if quantity.dimension == dimension:
        return fact
    if (quantity.dimension, dimension) == ("celsius", "fahrenheit"):
        return fact._replace(quantity=quantity._replace(value=quantity.value * 9 / 5 + 32, dimension=dimension))
    if (quantity.dimension, dimension) == ("fahrenheit", "celsius"):
        return fact._replace(quantity=quantity._replace(value=(quantity.value - 32) * 5 / 9, dimension=dimension))
    return None
