"""What of a claim stands in its evidence, letter by letter: what a small model may overlook."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from itertools import islice
from typing import NamedTuple

from faithmeter.evidence.passages import NUMBERS, terms
from faithmeter.text.english.mentions import plain_number
from faithmeter.text.english.name_forms import stands_in
from faithmeter.verify.bound_numbers import misbound, overdue
from faithmeter.verify.owners import misowned

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?", re.ASCII)
# Some texts come in pieces: "3, 500" and "98. 7".
_SPACED = re.compile(r"\d(?:\d{0,2}(?: ?, ?\d{3})+(?!\d)|(?<!\d\d)\d*+ ?\. ?\d+)", re.ASCII)
# A lone digit may well be a citation, or the count of a list.
_MEANT_NUMBER = re.compile(r"(?<![\w.,])(?:\d{2,}(?:,\d{3})*(?:\.\d+)?|\d(?:,\d{3})+|\d\.\d+)", re.ASCII)
_DECADE = re.compile(r"\bCOVID-19\b|\b(1[5-9]\d|20\d)0s\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<![\d,.])\d++(?:\.\d++)?(?=[kK]\b)", re.ASCII)
_COUNT = rf"\d+(?:,\d{{3}})*(?:\.\d+)?|\b(?:{'|'.join(NUMBERS)})\b"
_MEASURE = re.compile(rf"([$€£]?)({_COUNT})(?:[\s-]?(%|[^\W\d_]+)|\s?°\s?([CF])\b)?", re.ASCII | re.IGNORECASE)
_NUMBER_WORDS = {word: re.compile(rf"(?<![a-z]){word}(?![a-z])") for word in NUMBERS}
_UNITS = {
    word: names.split()[0]
    for names in (
        "km kilometre kilometres kilometer kilometers", "mile miles mi", "metre metres meter meters", "foot feet ft",
        "inch inches", "cm centimetre centimetres centimeter centimeters", "mm millimetre millimetres millimeters",
        "kg kilogram kilograms kilo kilos", "pound pounds lb lbs", "gram grams g", "mg milligram milligrams",
        "ton tons tonne tonnes", "ounce ounces oz", "litre litres liter liters", "gallon gallons", "cup cups",
        "tablespoon tablespoons", "teaspoon teaspoons", "hectare hectares", "acre acres", "hundred hundreds",
        "thousand thousands", "million millions", "billion billions", "trillion trillions", "percent %",
        "second seconds", "minute minutes min mins", "hour hours hr hrs", "day days", "week weeks", "month months",
        "year years", "decade decades", "century centuries", "dollar dollars $", "euro euros €", "cent cents",
        "watt watts", "kilowatt kilowatts", "mph", "knot knots",
    )
    for word in names.split()
}  # fmt: skip
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}\b", re.ASCII | re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b{_MONTH} (\d{{1,2}})(?!\d)", re.ASCII | re.IGNORECASE)
_OPEN_DATE = re.compile(
    r"\b(?:before|after|by|since|until|till|between|from|to|through|than|around|about)\s+(?:the\s+)?\w+\s+\w+",
    re.IGNORECASE,
)
AMOUNTS = {
    word: kind
    for kind, words in {
        "all": "all every always entirely both",
        "many": "many most several numerous often usually frequently generally typically commonly majority thousands "
                "hundreds millions",
        "some": "some sometimes occasionally",
        "few": "few rarely seldom hardly barely minority handful",
        "none": "no none never neither",
        "high": "largest biggest highest oldest longest first greatest tallest best",
        "low": "smallest lowest newest shortest last youngest worst",
    }.items()
    for word in words.split()
}  # fmt: skip
OPPOSITES = {
    "all": {"some", "few", "none"}, "many": {"few", "none"}, "some": {"none"}, "few": {"many", "all"},
    "none": {"some", "many", "all"}, "high": {"low"}, "low": {"high"},
}  # fmt: skip
"""What an amount cannot be said for, when the evidence says the other of the same thing."""
_BOUND = re.compile(
    r"\b(?:(more than|over|at least|no (?:less|fewer) than|upwards of|above|a minimum of|exceed(?:s|ed|ing)?)"
    r"|(?:less|fewer) than|under|at most|up to|as many as|no more than|below|a maximum of|almost|nearly)"
    rf"\s+[$€£]?\s?({_COUNT}|half\b)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:\b(?:not|never|cannot)|n['’]t)(?: [^\W\d_]+){0,3} $", re.IGNORECASE)
"""What turns the bound after it round: "won't get fewer than 25"."""
_CLOCK = re.compile(r"(\d(?<!\w\d)\d?)(?::\d\d|(?= ?[ap]\.?m))", re.ASCII | re.IGNORECASE)
_NAME = re.compile(r"(?<![.!?:]\s)(?<![\"“(])(?<!^)\b[A-Z][\w'’-]+")
_HEADING = re.compile(r"\W*+\w[\w’'-]*+(?: (?:[A-Z][\w’'-]*+|of|and|the|for|in|to|or|a)){0,7}+[*_]*+:(?=[\s*])[\s*_]*+")
"""What stands before what a line says: "Safety Features: …"."""


class Mismatches(NamedTuple):
    """How much of a claim stands in its evidence."""

    share: float
    """Share of the claim's words that the evidence holds."""
    numbers: int
    """Numbers of the claim that it does not hold; three stands for more."""
    names: int
    """Names of the claim that neither it nor the hint holds; three stands for more."""
    dates: int
    """Days of a month in the claim where the evidence has only other days of that month."""
    units: int
    """Numbers of the claim that the evidence has only with another unit."""
    amounts: int
    """Things that the claim says many, all or "more than" of, and the evidence few, none or "less than"; and a time
    after which it allows what the evidence allows within a shorter one."""
    subjects: int
    """1 if the evidence says a number of the claim of something else, and another of what the claim says it of."""
    owners: int
    """1 if a thing that the claim says is someone's is someone else's in the evidence."""


class Setting(NamedTuple):
    """What kind of case a claim is: support means another thing for each."""

    records: float
    """1 where the evidence is mostly fields of records or rows of tables."""
    question: float
    """1 where a question or an antecedent goes with the claim."""
    length: float
    """Doublings of the claim's words, from sixteen on."""


_FIELDS = re.compile(r"(?:^|; |… )[^\W\d_][\w ,'-]{0,60}: \S")
_MANY_FIELDS = 4


def setting_of(claim: str, evidence: str, *, hint: str = "") -> Setting:
    """Say what can be seen of a case before it is judged."""
    records = len(list(islice(_FIELDS.finditer(evidence), _MANY_FIELDS))) == _MANY_FIELDS
    return Setting(float(records), float(bool(hint)), math.log2(max(1, len(claim.split())) / 16))


def mismatches(claim: str, evidence: str, *, hint: str = "") -> Mismatches:
    """Count the words, numbers and names of a claim that its evidence holds."""
    wanted, held = terms(claim), set(terms(evidence))
    numbers = numbers_in(evidence) | numbers_in(hint)
    known = f"{evidence} {hint}"
    lower = known.lower()
    return Mismatches(
        sum(term in held for term in wanted) / max(1, len(wanted)),
        min(
            3,
            len({plain_number(number) for number in _MEANT_NUMBER.findall(_without_decades(claim, numbers))} - numbers),
        ),
        min(3, sum(not stands_in(name, known, lower) for name in _names(claim))),
        _misdated(claim, evidence),
        _mismeasured(claim, evidence),
        _overturned(claim, evidence),
        int(misbound(claim, evidence) is not None),
        int(misowned(claim, evidence) is not None),
    )


def _names(claim: str) -> list[str]:
    heading = _HEADING.match(claim)
    return [match[0] for match in _NAME.finditer(claim) if not heading or match.start() > heading.end()]


def _without_decades(claim: str, numbers: set[str]) -> str:
    """A claim without the decades that the evidence has a year of, and without the number of COVID-19."""
    years = {number[:3] for number in numbers if len(number) == 4}
    return _DECADE.sub(lambda match: " " if match[1] is None or match[1] in years else match[0], claim)


def _misdated(claim: str, evidence: str) -> int:
    held = _days(evidence)
    months = {month for _, month in held}
    # "Before 20 March" or "until 20 March" may well hold of an event on 14 March.
    return sum(month in months for _, month in _days(_OPEN_DATE.sub(" ", claim)) - held)


def _mismeasured(claim: str, evidence: str) -> int:
    held = measures(evidence)
    return sum(number in held and units.isdisjoint(held[number]) for number, units in measures(claim).items())


def _overturned(claim: str, evidence: str) -> int:
    said, held = _amounts(claim), _amounts(evidence)
    opposed = sum(
        thing in held and all(held[thing] <= OPPOSITES[kind] for kind in kinds) for thing, kinds in said.items()
    )
    bounds, known = _bounds(claim), _bounds(evidence)
    turned = sum(number in known and sides.isdisjoint(known[number]) for number, sides in bounds.items())
    return opposed + turned + overdue(claim, evidence)


def _amounts(text: str) -> dict[str, set[str]]:
    """The words of a text that follow an amount ("most of the boats"), cut to their stems, each with its amounts."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    amounts: dict[str, set[str]] = defaultdict(set)
    for index, word in enumerate(words):
        kind = AMOUNTS.get(word)
        if kind is None:
            continue
        if word == "few" and index and words[index - 1] in ("a", "past", "last", "next", "the"):
            kind = "some"
        following = [other for other in words[index + 1 : index + 4] if other not in ("any", "ever")]
        thing = next((term for other in following for term in terms(other)), None)
        if thing and thing not in AMOUNTS:
            amounts[thing].add(kind)
    return amounts


def _bounds(text: str) -> dict[str, set[bool]]:
    """The numbers of a text that are bounds, each with whether it is a lower one."""
    bounds: dict[str, set[bool]] = defaultdict(set)
    for match in _BOUND.finditer(text):
        denied = _DENIED.search(text, max(0, match.start() - 30), match.start()) is not None
        bounds[NUMBERS.get(match[2].lower()) or plain_number(match[2])].add(bool(match[1]) is not denied)
    return bounds


def measures(text: str) -> dict[str, set[str]]:
    """The numbers of a text that have a unit, each with its units in short."""
    units: dict[str, set[str]] = defaultdict(set)
    for sign, number, unit, degrees in _MEASURE.findall(text):
        short = degrees.upper() or _UNITS.get(unit.lower()) or _UNITS.get(sign)
        if short:
            units[NUMBERS.get(number.lower()) or plain_number(number)].add(short)
    return units


def _days(text: str) -> set[tuple[int, str]]:
    """The days of months in a text, however written: 14 March, March 14th, the 14th of Mar."""
    days = {(int(day), month.lower()) for day, month in _DAY_MONTH.findall(text)}
    return days | {(int(day), month.lower()) for month, day in _MONTH_DAY.findall(text)}


def numbers_in(text: str) -> set[str]:
    """The numbers of a text in plain digits; 21:00 is also 9, and 9 pm also 21, as prose and records differ."""
    numbers = {plain_number(number) for number in _NUMBER.findall(text)}
    numbers |= {plain_number(number.replace(" ", "")) for number in _SPACED.findall(text)}
    numbers |= {str((int(hour) + 12) % 24) for hour in _CLOCK.findall(text) if int(hour) < 24}
    numbers |= {f"{float(number) * 1000:.0f}" for number in _THOUSANDS.findall(text)}
    lower = text.lower()
    return numbers | {NUMBERS[word] for word in NUMBERS if word in lower and _NUMBER_WORDS[word].search(lower)}
