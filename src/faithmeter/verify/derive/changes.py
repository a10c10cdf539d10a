"""Rules about what rose or fell: by how much, by how many per cent, from what."""

from __future__ import annotations

import re
from collections.abc import Sequence

import faithmeter.verify.derive.claims as claims
from faithmeter.verify.derive.claims import Said
from faithmeter.verify.derive.quantities import Quantity
from faithmeter.verify.derive.rules import (
    APPROXIMATE,
    ROUGHLY,
    Finding,
    finding_of,
    grouped,
    named,
    one,
    shown,
    unstated,
)
from faithmeter.verify.derive.sources import Fact, terms

_FACTORS = {"double", "triple", "treble", "quadru", "halved"}
_BY = re.compile(r"\b(?:by|of|an?)\s+(?:\w+\s+)?$")
_BY_AFTER = re.compile(r"\s+(?:increase|decrease|rise|drop|fall|growth|decline|reduction)")
# When another value was true: "compared with 381 a year earlier".
_THEN = re.compile(
    r"[^.;,]{0,30}?\b(?:(?:a|one) (?:year|month|week|quarter|decade) (?:earlier|ago|before)|previously|earlier|before"
    r"|(?:the |in the )?(?:same (?:period|quarter|month) (?:of )?)?(?:last|previous|prior|preceding)"
    r" (?:year|month|quarter|season|week|period)|the (?:year|month|quarter|season|week) before|in (?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_ONCE = re.compile(r"\b(?:before|previously|formerly|prior to)\b", re.IGNORECASE)
_ONCE_WORDS = terms("before previously formerly prior change reduction increase decrease cut rise fall drop level")


def changed(said: Said, facts: Sequence[Fact]) -> Finding | None:
    """Rose by so much, fell by so many per cent, doubled: between two years, or in one sentence."""
    factor, way = claims.multiplied(said.text), claims.change(said.text)
    if (not way) == (factor is None) or claims.comparison(said.text):
        return None
    target = None if factor else _by_how_much(said)
    if (factor is None) == (target is None) or (factor and said.quantities):
        return None
    findings = []
    for group in grouped(facts):
        pair = _ends(said, group, said.about - _FACTORS)
        if pair is None:
            continue
        before, after = (fact.quantity.value for fact in pair)
        if not before or pair[0].quantity.dimension != pair[1].quantity.dimension:
            continue
        if target is None:
            assert factor is not None
            ratio, limit = after / before, factor / 200 if not ROUGHLY.search(said.text) else APPROXIMATE * factor
            if abs(ratio - factor) <= limit or abs(ratio - factor) > factor / 10:
                formula = f"{shown(pair[1])} / {shown(pair[0])} = {float(ratio):.3g}"
                findings.append(Finding(abs(ratio - factor) <= limit, formula, pair))
            continue
        percent = target.dimension == "percent"
        if (pair[0].quantity.dimension == "percent") if percent else target.dimension != pair[0].quantity.dimension:
            continue
        if any(q is not target and not any(q.equals(fact.quantity) for fact in pair) for q in said.quantities):
            continue
        value = (after - before) * way / (before / 100 if percent else 1)
        ends = f"{shown(pair[1])} - {shown(pair[0])}" if way > 0 else f"{shown(pair[0])} - {shown(pair[1])}"
        if finding := finding_of(target, value, f"({ends}) / {shown(pair[0])}" if percent else ends, pair):
            findings.append(finding)
    return unstated(said, one(findings), facts, claimed=(target,) if target else ())


def _by_how_much(said: Said) -> Quantity | None:
    """The quantity that a claim says something changed by."""
    by = [
        quantity
        for quantity in said.quantities
        if _BY.search(said.text[: quantity.start]) or _BY_AFTER.match(said.text, quantity.end)
    ]
    return by[0] if len(by) == 1 else None


def _ends(said: Said, group: Sequence[Fact], about: frozenset[str]) -> tuple[Fact, Fact] | None:
    """The earlier and the later of two facts that a claim on a change is about."""
    years = sorted(term for term in about if term.isdecimal())
    if len(years) == 2:
        items = named(said, group, about)
        if not items or len(items) != 2:
            return None
        in_order = [[fact for fact in items if year in fact.own] for year in years]
        return (in_order[0][0], in_order[1][0]) if all(len(of_year) == 1 for of_year in in_order) else None
    if years:
        return None
    inside = _in_one_sentence(group, about)
    pair = inside and (_by_role(inside, "from", "to") or _compared(inside))
    if not pair or any(_called(fact) - about - said.names for fact in pair):
        return None
    return pair


def _in_one_sentence(group: Sequence[Fact], about: frozenset[str]) -> list[Fact]:
    """The facts that a claim is about, if one sentence has them all."""
    fitting = [fact for fact in group if not fact.structured and about <= fact.cover and about & fact.cover]
    with_role = {fact.passages for fact in fitting if fact.role}
    return [fact for fact in fitting if fact.passages in with_role] if len(with_role) == 1 else []


def _called(fact: Fact) -> frozenset[str]:
    """The names of a fact, without years."""
    return frozenset(name for name in fact.names if not name.isdecimal())


def _by_role(facts: Sequence[Fact], *roles: str) -> tuple[Fact, Fact] | None:
    """The two facts with these roles, in this order, if no others are left but the size of the change."""
    found = [[fact for fact in facts if fact.role == role] for role in roles]
    rest = [fact for fact in facts if fact.role not in (*roles, "by")]
    if rest or any(len(facts) != 1 for facts in found):
        return None
    return found[0][0], found[1][0]


def _compared(facts: Sequence[Fact]) -> tuple[Fact, Fact] | None:
    """What was and what is: "stood at 412, compared with 381 a year earlier", "rose to 412 (2023: 381)"."""
    others = [fact for fact in facts if fact.role != "by"]
    if len(others) != 2 or others[1].role not in ("than", "year") or others[0].role not in ("", "to"):
        return None
    now, then = others
    text = then.passages[0].text
    return (then, now) if then.role == "year" or _THEN.match(text, then.quantity.end) else None


def once(said: Said, facts: Sequence[Fact]) -> Finding | None:
    """What something was before it rose or fell by so much to so much."""
    way, count = claims.change(said.text), len(said.quantities)
    if not (count == 1 and _ONCE.search(said.text)) and not (count == 2 and way):
        return None
    findings = []
    for group in grouped(facts):
        about = said.about - _ONCE_WORDS
        pair = about and _by_role(_in_one_sentence(group, about), "by", "to")
        if not pair or any(_called(fact) - about - said.names for fact in pair):
            continue
        by, to = pair
        told = claims.change(to.passages[0].text)
        target = said.quantities[0]
        if not told or by.quantity.dimension != to.quantity.dimension or target.dimension != to.quantity.dimension:
            continue
        if count == 2 and (way != told or not said.quantities[1].equals(to.quantity)):
            continue
        sign = "-" if told > 0 else "+"
        before = to.quantity.value - told * by.quantity.value
        if finding := finding_of(target, before, f"{shown(to)} {sign} {shown(by)}", pair):
            findings.append(finding)
    return unstated(said, one(findings), facts, claimed=said.quantities[:1])
