"""The rules of the calendar and the clock: how long, how old, until when, on which weekday."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from fractions import Fraction

from faithmeter.text.english.word_tables import WEEKDAYS
from faithmeter.verify.derive.claims import Said
from faithmeter.verify.derive.quantities import Quantity, in_unit
from faithmeter.verify.derive.rules import Finding, like, lookup
from faithmeter.verify.derive.sources import Fact, terms

_WEEKDAY = re.compile(rf"\b(?:on|was|is)\s+(?:a\s+)?({'|'.join(WEEKDAYS)})\b(?!s)", re.IGNORECASE)
_ANY_WEEKDAY = re.compile("|".join(WEEKDAYS), re.IGNORECASE)
# The day on which something was told is not the day on which it happened.
_TOLD = re.compile(r"\b(?:said|says|told|announced|stated|reported|confirmed)\b[^,;]{0,40}$", re.IGNORECASE)
_AGE = re.compile(
    r"\b(?:aged|at (?:the )?age(?: of)?)\s+(?=\w)|\b(?:was|were|is)\s+(?=[\w-]+ years? old\b)", re.IGNORECASE
)
_AGE_WORDS = terms("age aged old")
_LIVED = re.compile(r"\(\s*$")
_DIED = terms("died")
_LASTING = re.compile(
    r"\b(?:last(?:s|ed)?|takes?|took|durations?|long|r[au]ns?|went on|goes on|continued|spans?|spanned|open for)\b",
    re.IGNORECASE,
)
_LASTING_WORDS = terms("last lasts lasted take takes took duration long length run runs ran went goes continued span "
                       "spans spanned open time go going place")  # fmt: skip
_FROM_TO = re.compile(r"\s*(?:to|until|till|through|-|–|—|and)\s*", re.IGNORECASE)
_BEGIN = re.compile(r"\b(?:began|begins?|started?|starts?|opens?|opened|launched)\b", re.IGNORECASE)
_FINISH = re.compile(r"\b(?:ended|ends?|finished|finishes|completed|closed|closes?|concluded)\b", re.IGNORECASE)
_ARRIVES = re.compile(r"\b(?:arriv\w+|reach\w*|lands?|ends?|finish\w*|is over|gets? (?:to|in))\b", re.IGNORECASE)
_ARRIVE_WORDS = terms("arrive arrives arrival arriving reach reaches land lands end ends finish finishes over gets "
                      "time next morning")  # fmt: skip
_DEPARTS = re.compile(r"\b(?:depart\w*|leav\w+|starts?|begins?|takes? off|sets? off)\b", re.IGNORECASE)
_TAKES = re.compile(r"\b(?:takes?|lasts?|running time|duration|long|journey|runs?|flight time)\b", re.IGNORECASE)
_ZONES = re.compile(r"\b(?:time zone|local time|GMT|UTC|[CEPM][SD]?T|BST|hours? (?:ahead|behind))\b")


def weekday(said: Said, facts: Sequence[Fact]) -> Finding | None:
    """The day of the week that a date falls on."""
    match = _WEEKDAY.search(said.text)
    if not match or len(_ANY_WEEKDAY.findall(said.text)) != 1 or len(said.quantities) > 1:
        return None
    stated = next((q for q in said.quantities if q.dimension == "date"), None)
    if said.quantities and stated is None:
        return None
    about = said.about - terms(match[1]) - (terms(stated.written) if stated else frozenset())
    fact = lookup(said._replace(about=about), [f for f in facts if f.quantity.dimension == "date"])
    if fact is None or fact.quantity.calendar is None or _ANY_WEEKDAY.search(fact.passages[0].text):
        return None
    if _TOLD.search(fact.passages[0].text[: fact.quantity.start]):
        return None
    if stated and any(a and a != b for a, b in zip(stated.day, fact.quantity.day, strict=True)):
        return None
    name = WEEKDAYS[fact.quantity.calendar.weekday()]
    return Finding(name == match[1].lower(), f"{fact.quantity.written} is a {name.capitalize()}", (fact,))


def age(said: Said, facts: Sequence[Fact]) -> Finding | None:
    """How old someone was when something happened."""
    match = _AGE.search(said.text)
    if not match or len(said.quantities) != 1 or said.quantities[0].bound not in ("", "about"):
        return None
    target = said.quantities[0]
    years = target.value / 12 if target.dimension == "months" else target.value
    if target.start != match.end() or target.dimension not in ("count", "months") or years.denominator != 1:
        return None
    days = [fact for fact in facts if fact.quantity.dimension in ("date", "year") and not fact.structured]
    about = said.about - _AGE_WORDS
    who = about & said.names | frozenset(list(terms(said.text.split()[0])))
    births = [fact for fact in days if _is_birth(fact) and who & fact.cover == who]
    if not who or not births or len({fact.quantity.day for fact in births}) != 1:
        return None
    born = births[0]
    event = _event(about, who, born, days)
    if event is None:
        return None
    low, high = _years_between(born.quantity, event.quantity)
    if low < 0 or (low != high and low <= years <= high):
        return None
    if target.bound == "about" and low != years:
        return None
    if low != years and not (all(born.quantity.day) and all(event.quantity.day)) and about - who != _DIED:
        return None
    span = str(low) if low == high else f"{low} or {high}"
    return Finding(low == years, f"{born.quantity.written} to {event.quantity.written} = {span} years", (born, event))


def _is_birth(fact: Fact) -> bool:
    text = fact.passages[0].text
    before = text[: fact.quantity.start]
    after = text[fact.quantity.end :].lstrip()
    lived = _LIVED.search(before) and after[:1] in "-–—"
    return bool(lived or re.search(r"\bborn(?:\s+(?!and\b)[^\s.;,()]+){0,6}\s*$", before, re.IGNORECASE))


def _event(about: frozenset[str], who: frozenset[str], born: Fact, days: Sequence[Fact]) -> Fact | None:
    """The one date of what the claim says happened at that age."""
    what = about - who
    if not what:
        return None
    events = []
    for fact in days:
        text = fact.passages[0].text
        before = rf"\(\s*{re.escape(born.quantity.written)}\s*[-–—]\s*$"
        death = what == _DIED and fact.passages == born.passages and re.search(before, text[: fact.quantity.start])
        told = what <= fact.own and who <= fact.cover and not _is_birth(fact)
        if death or told:
            events.append(fact)
    if not events or len({fact.quantity.day for fact in events}) != 1 or events[0].quantity.day == born.quantity.day:
        return None
    return events[0]


def _years_between(a: Quantity, b: Quantity) -> tuple[int, int]:
    """The full years between two days: the least and the most, where a day is not fully known."""
    years = b.day[0] - a.day[0]
    if not a.day[0] or not b.day[0]:
        return -1, -1
    if a.day[1] and b.day[1] and a.day[1] != b.day[1]:
        years -= a.day[1] > b.day[1]
        return years, years
    if all(a.day) and all(b.day):
        years -= a.day[1:] > b.day[1:]
        return years, years
    return years - 1, years


def lasted(said: Said, facts: Sequence[Fact]) -> Finding | None:
    """How long something lasted, from when it began and ended."""
    if not _LASTING.search(said.text) or len(said.quantities) != 1:
        return None
    target = said.quantities[0]
    if target.dimension not in ("duration", "months") or target.high is not None or target.bound not in ("", "about"):
        return None
    about = said.about - _LASTING_WORDS
    pairs = [pair for pair in _spans(facts) if about and about <= terms(pair[0].passages[0].text) | pair[0].cover]
    if not pairs or len({tuple((*f.quantity.day, f.quantity.value) for f in pair) for pair in pairs}) != 1:
        return None
    first, last = pairs[0]
    if any(not name.isdecimal() and name not in said.about | said.names for name in first.names | last.names):
        return None
    value, slack = _length(first.quantity, last.quantity, target)
    if value is None:
        return None
    apart = abs(value - target.value)
    if target.bound == "about":
        slack = max(slack, value / 10)
    holds = apart == 0 or (target.dimension == "months" and all(first.quantity.day) and apart <= target.step / 2)
    if not holds and apart <= slack:
        return None
    formula = f"{first.quantity.written} to {last.quantity.written} = {like(target, value)}"
    return Finding(holds, formula, pairs[0])


def _spans(facts: Sequence[Fact]) -> list[tuple[Fact, Fact]]:
    """Two points in time that a sentence gives as beginning and end, where it gives no third."""
    inside: dict[tuple[object, ...], list[Fact]] = {}
    for fact in facts:
        if fact.quantity.dimension in ("date", "year", "clock") and not fact.structured and not fact.quantity.bound:
            inside.setdefault((fact.passages, fact.group), []).append(fact)
    spans = []
    for points in inside.values():
        if len(points) != 2:
            continue
        first, last = points
        text = first.passages[0].text
        link, before = text[first.quantity.end : last.quantity.start], text[: first.quantity.start]
        stated = re.search(r"\b(?:from|between)\s+$", before, re.IGNORECASE) and _FROM_TO.fullmatch(link)
        dashed = re.fullmatch(r"\s*[-–—]\s*", link) and not before.rstrip().endswith("(")
        told = _BEGIN.search(before) and _FINISH.search(link) and not _FINISH.search(before)
        if stated or dashed or told:
            spans.append((first, last))
    return spans


def _length(first: Quantity, last: Quantity, target: Quantity) -> tuple[Fraction | None, Fraction]:
    """The time between two points in the target's dimension, and how far off is no error yet."""
    if first.dimension == "clock":
        minutes = (last.value - first.value) % 1440
        return (minutes * 60 if minutes and target.dimension == "duration" else None), Fraction(0)
    if target.dimension == "months":
        if first.dimension == last.dimension == "year":
            return (last.value - first.value) * 12, Fraction(12)
        months = (last.day[0] - first.day[0]) * 12 + last.day[1] - first.day[1]
        return (Fraction(months) if all(first.day[:2]) and all(last.day[:2]) else None), Fraction(12)
    day = _calendars(first, last)
    if day is None or target.step < 86400:
        return None, Fraction(0)
    # Whether the first day counts is a matter of taste.
    return Fraction((day[1] - day[0]).days * 86400), max(Fraction(86400), target.step * Fraction(6, 7))


def _calendars(first: Quantity, last: Quantity) -> tuple[date, date] | None:
    a, b = first.calendar, last.calendar
    if a is None and b is not None and all(first.day[1:]):  # "from 5 May to 9 May 2024"
        a = first._replace(day=(last.day[0], *first.day[1:])).calendar
    return (a, b) if a and b and a < b else None


def clock_after(said: Said, facts: Sequence[Fact]) -> Finding | None:
    """When something ends that begins at a time and takes a while."""
    if not _ARRIVES.search(said.text) or len(said.quantities) != 1 or said.quantities[0].dimension != "clock":
        return None
    target = said.quantities[0]
    about = said.about - _ARRIVE_WORDS
    key = about & said.names or about
    starts = [
        f for f in facts if f.quantity.dimension == "clock" and _DEPARTS.search(f.passages[0].text[: f.quantity.start])
    ]
    lengths = [f for f in facts if f.quantity.dimension == "duration" and _TAKES.search(f.passages[0].text)]
    starts = [fact for fact in starts if key and key <= terms(fact.passages[0].text)]
    lengths = [fact for fact in lengths if key <= terms(fact.passages[0].text)]
    if len({f.quantity.value for f in starts}) != 1 or len({f.quantity.value for f in lengths}) != 1:
        return None
    start, length = starts[0], lengths[0]
    text = start.passages[0].text + " " + length.passages[0].text
    exact = not (start.quantity.bound or length.quantity.bound or length.quantity.high or target.bound)
    clocks = [f for f in facts if f.quantity.dimension == "clock" and f.passages in (start.passages, length.passages)]
    if not exact or not about <= terms(text) or _ZONES.search(text) or len({f.quantity.value for f in clocks}) != 1:
        return None
    value = (start.quantity.value + length.quantity.value / 60) % 1440
    formula = f"{start.quantity.written} + {length.quantity.written} = {in_unit(value, 'clock')}"
    return Finding(value == target.value, formula, (start, length))
