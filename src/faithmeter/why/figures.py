"""Numbers, units and dates of a claim that the contexts do not have, or have otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from faithmeter.text import Span
from faithmeter.text.english.word_tables import ORDINALS
from faithmeter.verify.derive.quantities import Quantity
from faithmeter.verify.derive.quantities import read as quantities
from faithmeter.verify.local_features import numbers_in
from faithmeter.why.compare import Comparison, Finding
from faithmeter.why.numbered import counted

DATES = ("date", "year")
_WEEKDAY = re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b")
_MONTH = re.compile(r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b")
CALENDAR = re.compile(rf"{_WEEKDAY.pattern}|{_MONTH.pattern}")
_YEAR = re.compile(r"(?<![\w.,$€£-])(?:1[0-9]|20)\d\d(?=s?\b)")
_DECADE = re.compile(r"\b(?:1[0-9]|20)\d0s\b")
_ORDINAL = re.compile(rf"\b(?:{'|'.join(word for word in ORDINALS if word != 'second')}|\d+(?:st|nd|rd|th))\b", re.I)
_DAY = re.compile(
    r"\b(?:on|by|until|till|since|from|before|after|through|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?) the "
    r"(?P<day>(?:[12]\d|3[01]|[1-9])(?:st|nd|rd|th))(?=\s*(?:[.,;:!?)]|\Z|(?:at|in|and|to|until|of)\b))"
)
_CITED = re.compile(
    r"\b(?:passages?|contexts?|documents?|sources?|page|step|figure|table|section) (?:\d+,? (?:and )?)*$|\[[\d, ]*$",
    re.IGNORECASE,
)
_SCALE = re.compile(r"(hundred|thousand|million|billion|trillion)\b", re.IGNORECASE)


def amounts_of(seen: Comparison) -> Iterator[Finding]:
    """Numbers that the contexts do not have, or have of something else."""
    theirs = counted(seen.passage, seen.claim.lower())
    for quantity in counted(seen.claim, seen.sources.lower):
        span = Span(quantity.start, quantity.end)
        decade = seen.claim.startswith("s", span.end) and _DECADE.match(seen.claim, span.start)
        if decade or quantity.dimension in DATES or _CITED.search(seen.claim, max(0, span.start - 60), span.start):
            continue
        if any(same(quantity, other) for other in theirs):
            continue
        digits = numbers_in(quantity.written)
        known = bool(digits) and digits <= seen.sources.numbers
        other = (_other_unit(quantity, theirs) or _in_other_unit(seen, quantity)) if known else ""
        if other:
            yield Finding("unit", 0.95, span, other)
        else:
            yield Finding("number", 0.4 if known else 0.9, span, _rival(seen, quantity, theirs))
    days = [match.span("day") for match in _DAY.finditer(seen.claim)]
    for match in _ORDINAL.finditer(seen.claim):
        dated = match.span() in days or any(q.start <= match.start() < q.end for q in quantities(seen.claim))
        if not dated and not seen.sources.has(match[0]):
            other = next((m[0] for m in _ORDINAL.finditer(seen.passage) if m[0].lower() not in seen.claim.lower()), "")
            yield Finding("number", 0.8, Span(*match.span()), other)


def same(ours: Quantity, theirs: Quantity) -> bool:
    return ours.dimension == theirs.dimension and theirs.value <= ours.value <= (theirs.high or theirs.value)


def _in_other_unit(seen: Comparison, ours: Quantity) -> str:
    """The same digits with another unit, sign or scale, if no context has them as the claim does."""
    other_unit = ""
    for window in seen.sources.around(_number(ours.written)):
        theirs = quantities(window)
        if any(same(ours, other) for other in theirs):
            return ""
        other_unit = other_unit or _other_unit(ours, theirs)
    return other_unit


def _other_unit(ours: Quantity, theirs: Iterable[Quantity]) -> str:
    digits = numbers_in(ours.written)
    for other in theirs:
        if digits and numbers_in(other.written) == digits:
            measured = "count" not in (ours.dimension, other.dimension)
            if measured or _scaled(ours, other):
                return other.written
    return ""


def _scaled(ours: Quantity, theirs: Quantity) -> bool:
    scales = [_SCALE.search(quantity.written) for quantity in (ours, theirs)]
    return len({match[1].lower() if match else "" for match in scales}) > 1


def _number(written: str) -> str:
    """The number of a quantity as it is written, without its unit."""
    match = re.search(r"\d[\d,.]*", written)
    return match[0].rstrip(".,") if match else re.split(r"[ -]", written)[0]


def _rival(seen: Comparison, ours: Quantity, theirs: Iterable[Quantity]) -> str:
    """The quantity of the passage that stands in this one's place, or the only one of its kind that the claim lacks."""
    said = [(q.dimension, q.value) for q in quantities(seen.claim)]
    free = [q for q in theirs if q.dimension == ours.dimension and (q.dimension, q.value) not in said]
    across = seen.opposite((ours.start, ours.end))
    if across:
        for quantity in free:
            if quantity.start < across.end and across.start < quantity.end:
                return quantity.written
    return free[0].written if len(free) == 1 else ""


def dates(seen: Comparison) -> Iterator[Finding]:
    """Days, months and years that the contexts do not have."""
    theirs = [q for q in quantities(seen.passage) if q.dimension in DATES]
    read_as = [q for q in quantities(seen.claim) if q.dimension in DATES]
    for quantity in read_as:
        if any(_may_agree(quantity.day, other.day) for other in theirs):
            continue
        year, month, day = quantity.day
        parts = [str(part) for part in (year, day) if part]
        known = all(part in seen.sources.numbers for part in parts)
        if month and known:
            name = _MONTH.search(quantity.written)
            known = name is None or seen.sources.has(name[0])
        rival = _dated_rival(seen, quantity, theirs, read_as)
        yield Finding("date", 0.4 if known else 0.92, Span(quantity.start, quantity.end), rival)
    yield from _days(seen, theirs, read_as)
    for pattern in (_WEEKDAY, _DECADE, _MONTH, _YEAR):
        for match in pattern.finditer(seen.claim):
            if any(q.start <= match.start() < q.end for q in read_as) or seen.sources.has(match[0]):
                continue
            if pattern is _MONTH and match[0] in ("May", "March") and match.start() == 0:
                continue
            if pattern is _WEEKDAY and seen.sources.has(match[0].removesuffix("s")):
                continue
            if pattern is _YEAR and any(q.start <= match.start() < q.end for q in quantities(seen.claim)):
                continue  # a number of things, which is none of the contexts' either
            other = next((m[0] for m in pattern.finditer(seen.passage) if m[0] not in seen.claim), "")
            yield Finding("date", 0.9, Span(*match.span()), other)


def _days(seen: Comparison, theirs: Sequence[Quantity], read_as: Sequence[Quantity]) -> Iterator[Finding]:
    """Days without their month: "on the 20th"."""
    for match in _DAY.finditer(seen.claim):
        span, day = Span(*match.span("day")), int(match["day"][:-2])
        if any(q.start <= span.start < q.end for q in read_as) or seen.sources.has(match["day"]):
            continue
        if any(q.day[2] == day for q in theirs):
            continue
        rivals = [q.written for q in theirs if q.day[2]] or [m["day"] for m in _DAY.finditer(seen.passage)]
        yield Finding("date", 0.4 if str(day) in seen.sources.numbers else 0.9, span,
                      rivals[0] if len(rivals) == 1 else "")  # fmt: skip


def _may_agree(ours: tuple[int, int, int], theirs: tuple[int, int, int]) -> bool:
    shared = [(a, b) for a, b in zip(ours, theirs, strict=True) if a and b]
    lacking = any(a and not b for a, b in zip(ours, theirs, strict=True))
    return bool(shared) and all(a == b for a, b in shared) and not lacking


def _dated_rival(seen: Comparison, ours: Quantity, theirs: Iterable[Quantity], said: Iterable[Quantity]) -> str:
    free = [q for q in theirs if all(q.day != other.day for other in said)]
    like = [q for q in free if sum(a == b != 0 for a, b in zip(q.day, ours.day, strict=True))]
    across = seen.opposite((ours.start, ours.end))
    there = [q for q in free if across and q.start < across.end and across.start < q.end]
    return next((some[0].written for some in (like, there, free) if len(some) == 1), "")
