"""Finds what a text names exactly, and where: numbers, dates, units, currencies, names.

Unlike `claim_facts`, which normalises a claim, each mention keeps its offsets, so that it can be exchanged for another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from faithmeter.text.english import verbs
from faithmeter.text.english import word_tables as lexicon

Kind = Literal["number", "ordinal", "clock", "year", "decade", "month", "weekday", "day", "unit", "currency", "name"]


class Mention(NamedTuple):
    """A stretch of a text that names one thing of one kind."""

    start: int
    end: int
    kind: Kind
    text: str
    """As it is written."""
    value: str
    """Written in one way: digits for number words, one name for a unit, small letters for names."""
    beside: str = ""
    """Of a unit or a currency: the value of its number; of a number, the value of its unit; of a time of the day, "day"
    where it is known which half of the day is meant."""


_MONTHS = {name.capitalize(): value for name, value in lexicon.MONTHS.items()}
_MONTH_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WEEKDAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_WORDS = {**lexicon.SMALL, **lexicon.TENS}
_WORDS = {word: value for word, value in _WORDS.items() if word not in ("zero", "one")}
_WORDS |= {
    f"{ten}-{one}": tens + ones
    for ten, tens in lexicon.TENS.items() for one, ones in lexicon.SMALL.items() if 0 < ones < 10
}  # fmt: skip
_ORDINALS = {word: value for word, value in lexicon.ORDINALS.items() if word != "second"}
_MORE_UNITS = {
    name: names.split()[0]
    for names in (
        "cup cups", "tablespoon tablespoons tbsp", "teaspoon teaspoons tsp", "gallon gallons", "ton tons",
        "thousand thousands", "million millions", "billion billions", "trillion trillions", "second", "kilo kilos",
        "milligram milligrams", "millilitre millilitres milliliter milliliters", "m", "knot knots", "km/h", "°c", "°f",
        "kilowatts", "square miles", "square kilometres",
    )
    for name in ([names] if names.startswith("square") else names.split())
}  # fmt: skip
_UNITS = {**{name.lower(): unit for name, unit in lexicon.UNITS.items()}, **_MORE_UNITS}
_UNITS = {name: unit for name, unit in _UNITS.items() if name not in ("'", '"')}

_DIMENSIONS = {
    unit: names.split()[0]
    for names in (
        "time seconds second minute hour day week month year decade century",
        "length millimetre centimetre metre m kilometre mile foot inch yard",
        "weight milligram mg g gram kilogram kilo pound lb ounce ton tonne µg μg mcg ng",
        "volume cup tablespoon teaspoon gallon litre millilitre ml cl dl l",
        "money dollar usd euro yen yuan rupee cent sterling",
        "scale thousand million billion trillion",
        "heat celsius fahrenheit degree °c °f",
        "part % ‰",
    )
    for unit in names.split()[1:]
}  # fmt: skip

_SHORT_UNITS = {
    short: name
    for name, shorts in {
        "minute": "min mins", "hour": "hr hrs", "second": "sec secs", "tablespoon": "tbsp", "teaspoon": "tsp",
        "pound": "lb lbs", "ounce": "oz", "year": "yr yrs", "mile": "mi", "kilogram": "kg", "kilometre": "km",
        "centimetre": "cm", "millimetre": "mm",
    }.items()
    for short in shorts.split()
}  # fmt: skip

# "800, 000" is a number of a text that was taken apart at its commas: no other is written 000.
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:, ?\d{3}){0,3}, ?000(?!\d)|\d+(?:\.\d+)?"
_CLOCK = re.compile(
    r"(?<![\w:.,/])(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d)(?![\d:]))?(?P<half>\s?[ap]\.?m\b)?(?![:/]\d)", re.IGNORECASE
)
_CLOCK_RANGE = re.compile(r"\d:\d\d ?[-–] ?\d{1,2}:\d\d(?! ?[ap]\.?m)", re.IGNORECASE)
_ISO_DATE = re.compile(r"(?<![\w.-])(?P<year>[12]\d{3})-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-3]\d)(?![\w-])")
_NUMBER = re.compile(rf"(?<![\w.,:/#])(?:{_DIGITS})(?!\d|[:/.,]\d|(?:st|nd|rd|th)\b)")
_ORDINAL = re.compile(rf"\b(?:\d+(?:st|nd|rd|th)|{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_NUMBER_WORD = re.compile(
    rf"(?<![\w-])(?:(?:{'|'.join(lexicon.TENS)})[ -](?:{'|'.join(list(lexicon.SMALL)[1:10])})"
    rf"|{'|'.join(word for word in _WORDS if '-' not in word)})\b(?!-(?!year|month|week|day|hour|minute|mile)\w)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:1\d{3}|20\d\d|21\d\d)\Z")
_COUNTS = re.compile(
    r"\b(?:nearly|almost|(?:more|fewer|less) than|at(?: least)?|up to|approximately|address:) \Z", re.IGNORECASE
)
_BEFORE_CHRIST = re.compile(r" ?(?:BCE?|B\.C\.)(?!\w)", re.IGNORECASE)
_DECADE = re.compile(r"(?:1\d|20)\d0(?=['’]?s\b)")
_MONTH = re.compile(rf"\b(?:{_MONTH_NAMES})\b\.?(?=\s|[,.;)]|\Z)")
_WEEKDAY = re.compile(rf"\b(?:{_WEEKDAYS})(?=s?\b)")
_DAY = re.compile(
    rf"(?<![\d,.])(?P<one>\d{{1,2}}(?:st|nd|rd|th)?)(?=,? +(?:of +)?(?:{_MONTH_NAMES})\b)"
    rf"|(?:\b(?:{_MONTH_NAMES})\.? +)(?P<two>\d{{1,2}}(?:st|nd|rd|th)?)(?!\d|,\d{{3}})"
)
_UNIT_AFTER = re.compile(
    rf"[ -]?(?P<unit>%|‰|°[CF]|{'|'.join(re.escape(name) for name in sorted(_UNITS, key=len, reverse=True))})(?![\w/])",
    re.IGNORECASE,
)
_CURRENCY = re.compile(r"[$€£¥₹](?=\s?\d)")
_NAME_WORD = (
    r"(?:Gov|Sen|Rep|Gen|Lt|Col|Prof|Dr|Mr|Mrs|Ms|St)\.(?=\s[A-Z])|"
    r"[^\W\d_a-zà-öø-ÿ][\w&’'-]*[\w]|[A-Z](?:\.[A-Z])+\.?|[A-Z]\.(?=\s[A-Z])"
)
_NAME = re.compile(rf"(?<![\w-])(?:{_NAME_WORD})(?: (?:(?:of|de|la|van|von|del|al|bin) (?:the )?)?(?:{_NAME_WORD}))*")
DATE_KINDS: tuple[Kind, ...] = ("year", "month", "day")
# Words that open a sentence with a capital and are no part of a name.
OPENERS = (
    lexicon.STOP_WORDS | lexicon.FUNCTION | lexicon.QUANTIFIERS | lexicon.COMPARATIVES | lexicon.MODALS
    | lexicon.words(
        "according additionally also although among based despite during finally first firstly furthermore given "
        "however moreover meanwhile next overall please since therefore thus today within yes one two three four "
        "five six seven eight nine ten another here there customers people unlike like instead passage document "
        "source context others yet ultimately amid besides true false"
    )
)  # fmt: skip


def dimension(unit: str) -> str:
    """What a unit measures; "" where that is not known, or may be one of two."""
    return _DIMENSIONS.get(unit, "")


def mentions(text: str, *, known: frozenset[str] = frozenset()) -> list[Mention]:
    """Everything that a text names exactly, in order.

    `known` are words that the sources write with small letters: at the start of a sentence they are no names.
    """
    candidates = [*_dates(text), *_numbers(text), *_names(text, known)]
    taken: list[Mention] = []
    covered = bytearray(len(text))
    for mention in candidates:  # the earlier kinds win
        if not any(covered[mention.start : mention.end]):
            covered[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            taken.append(mention)
    return sorted(taken)


def _dates(text: str) -> Iterator[Mention]:
    for match in _ISO_DATE.finditer(text):
        for kind in DATE_KINDS:
            yield Mention(*match.span(kind), kind, match[kind], match[kind].lstrip("0"))
    for match in _DAY.finditer(text):
        group = "one" if match["one"] else "two"
        yield Mention(*match.span(group), "day", match[group], match[group].rstrip("stndrh").lstrip("0"))
    for match in _MONTH.finditer(text):
        name = match[0].rstrip(".")
        end = match.start() + len(name)
        if name in ("May", "March", "August", "Mar", "Sep", "Dec", "Jan") and not _dated(text, match.start(), end):
            continue
        yield Mention(match.start(), end, "month", name, str(_MONTHS[name]))
    for match in _WEEKDAY.finditer(text):
        yield Mention(*match.span(), "weekday", match[0], match[0].lower())
    yield from _clocks(text)


def _clocks(text: str) -> Iterator[Mention]:
    """Times of the day, as on a clock of 24 hours where it is known which half of the day is meant."""
    clocks = [match for match in _CLOCK.finditer(text) if match["minute"] or match["half"]]
    long = any(int(match["hour"]) > 12 or int(match["hour"]) == 0 for match in clocks) or _CLOCK_RANGE.search(text)
    for match in clocks:
        hour = int(match["hour"])
        if match["half"] and hour <= 12:
            hour = hour % 12 + 12 * ("p" in match["half"].lower())
        known = "day" if match["half"] or long else ""
        yield Mention(*match.span(), "clock", match[0], f"{hour % 24}:{match['minute'] or '00'}", known)


def _dated(text: str, start: int, end: int) -> bool:
    """Whether a month that may be another word stands by a number, or after a word that comes before dates."""
    before = re.search(r"(?:\d(?:st|nd|rd|th)?,? (?:of )?|\b(?:in|by|since|until|of|early|late|last|next|mid) )\Z",
                       text[max(0, start - 12) : start], re.IGNORECASE)  # fmt: skip
    return bool(before or re.match(r"\.?,? \d", text[end : end + 5]))


def _numbers(text: str) -> Iterator[Mention]:
    for match in _CURRENCY.finditer(text):
        amount = _NUMBER.search(text, match.end(), match.end() + 30)
        value = plain_number(amount[0].replace(" ", "")) if amount else ""
        yield Mention(*match.span(), "currency", match[0], match[0], value)
    for match in _NUMBER.finditer(text):
        unit, named = _unit_after(text, match.end())
        kind: Kind = (
            "decade" if _DECADE.match(text, match.start()) else "year" if _is_year(text, match, named) else "number"
        )
        value = plain_number(match[0].replace(" ", ""))
        yield Mention(*match.span(), kind, match[0], value, named)
        if unit:
            yield Mention(*unit.span("unit"), "unit", unit["unit"], named, value)
    for match in _ORDINAL.finditer(text):
        digits = re.match(r"\d+", match[0])
        value = digits[0] if digits else str(_ORDINALS[match[0].lower()])
        yield Mention(*match.span(), "ordinal", match[0], value)
    for match in _NUMBER_WORD.finditer(text):
        unit, named = _unit_after(text, match.end())
        value = str(_WORDS[match[0].lower().replace(" ", "-")])
        yield Mention(*match.span(), "number", match[0], value, named)
        if unit:
            yield Mention(*unit.span("unit"), "unit", unit["unit"], named, value)


def _is_year(text: str, number: re.Match[str], unit: str) -> bool:
    """Whether a number is a year: 1000 is one, but not in "nearly 1000 warheads"."""
    if _BEFORE_CHRIST.match(text, number.end()):
        return True
    start = number.start()
    if not _YEAR.match(number[0]) or unit or _COUNTS.search(text, max(0, start - 16), start):
        return False
    return start == 0 or text[start - 1] not in "$€£¥₹"


def _unit_after(text: str, end: int) -> tuple[re.Match[str] | None, str]:
    """The unit behind a number, and its one name."""
    unit = _UNIT_AFTER.match(text, end)
    return unit, _UNITS.get(unit["unit"].lower(), unit["unit"].lower()) if unit else ""


def _names(text: str, known: frozenset[str]) -> Iterator[Mention]:
    for match in _NAME.finditer(text):
        start = match.start()
        words = match[0].split(" ")
        first = 0
        while first < len(words) and _opens(text, start, words[first], known):
            start += len(words[first]) + 1
            first += 1
        while first < len(words) and words[first] in ("of", "the", "de", "la", "al"):
            start += len(words[first]) + 1
            first += 1
        name = re.sub(r"['’]s?\Z", "", " ".join(words[first:]))
        head = re.split(r"['’]", name.lower(), maxsplit=1)[0]  # of "You’ll" and "I'm"
        if len(name) > 1 and head not in OPENERS and name.lower() not in _UNITS:
            yield Mention(start, start + len(name), "name", name, name.lower().replace(".", ""))


def _opens(text: str, start: int, word: str, known: frozenset[str]) -> bool:
    """Whether a word has its capital from where it stands rather than from what it names."""
    if word.lower() in OPENERS and not (word.isupper() and len(word) > 1):
        return True
    before = text[max(0, start - 100) : start].rstrip("\"'“‘(*_[ \n\t")
    first = not before or before[-1] in ".!?:•-–;"
    return first and (word.lower() in known or _is_gerund(word.lower()))


def _is_gerund(word: str) -> bool:
    """Whether a word is a verb with -ing: "Praising Koechlin, he said"."""
    stem = word.removesuffix("ing")
    return stem != word and not verbs.BASES.isdisjoint((stem, f"{stem}e", stem[:-1]))


def plain_number(number: str) -> str:
    """Write a number without separators, leading zeros and empty decimals."""
    whole, dot, decimals = number.replace(",", "").partition(".")
    decimals = decimals.rstrip("0")
    return (whole.lstrip("0") or "0") + (dot + decimals if decimals else "")


def written_like(model: Mention, mention: Mention) -> str:
    """What `mention` names, in the form in which `model` is written: digits or words, capital or small."""
    match mention.kind:
        case "number":
            text = _number_like(model.text, mention)
        case "clock":
            text = _clock_like(model.text, mention)
        case "day":
            text = mention.value + _ordinal_ending(int(mention.value)) * model.text[-1:].isalpha()
        case "ordinal" if model.text[:1].isdigit():
            text = mention.value + _ordinal_ending(int(mention.value))
        case "ordinal":
            text = next((word for word, value in _ORDINALS.items() if str(value) == mention.value), mention.text)
        case "month" if model.text.isdigit():
            text = mention.value.zfill(len(model.text))
        case "month" if mention.text.isdigit() or (
            len(mention.text) <= 4 and (len(model.text) > 3 or model.text == "May")
        ):
            text = next(name for name, value in _MONTHS.items() if str(value) == mention.value and len(name) >= 3)
        case "unit" if _is_written_out(model.text):
            text = _unit_like(model.text, mention.text)
        case _:
            text = mention.text
    if mention.kind in ("number", "ordinal") and model.text[:1].isupper():
        text = text[:1].upper() + text[1:]
    return text


def _number_like(model: str, mention: Mention) -> str:
    text = mention.text.replace(", ", ",")
    if model[:1].isdigit() and not text[:1].isdigit():
        text = mention.value
    elif model.replace("-", "").replace(" ", "").isalpha() and mention.value.isdigit() and len(mention.value) <= 2:
        text = next((word for word, value in _WORDS.items() if str(value) == mention.value), text)
    if "." in text and "." not in model and mention.value.isdigit():
        text = text.partition(".")[0]  # 4.0 where the model has 3
    if model.isdigit() and len(model) > 3:
        text = text.replace(",", "")
    elif "," in model and text.isdigit() and len(text) > 3:
        text = f"{int(text):,}"
    return text


def _is_written_out(unit: str) -> bool:
    return unit.isalpha() and unit.lower() not in _SHORT_UNITS and (len(unit) > 3 or unit.lower() == "cup")


def _unit_like(model: str, text: str) -> str:
    """A unit as a word, one or several as the model says: "7-month" of "seven months"."""
    short = text.lower() in _SHORT_UNITS
    if not short and not _is_written_out(text):
        return text
    one = _SHORT_UNITS[text.lower()] if short else text.removesuffix("s")
    if one.lower() in ("inche", "feet", "foot", "centurie", "century") or one.lower() not in _UNITS:
        return text
    return one + "s" * model.endswith(("s", "feet"))


def _clock_like(model: str, mention: Mention) -> str:
    hour, _, minute = mention.value.partition(":")
    half = re.search(r"\s?[ap]\.?m\Z", model, re.IGNORECASE)
    if half is None:
        short = re.search(r"[ap]\.?m\Z", mention.text, re.IGNORECASE)
        return f"{int(hour) % 12 or 12}:{minute}" if short else mention.text
    ending = half[0]
    if mention.beside:
        letter = "p" if int(hour) >= 12 else "a"
        offset = len(ending) - len(ending.lstrip())
        ending = ending[:offset] + (letter.upper() if ending[offset].isupper() else letter) + ending[offset + 1 :]
    return f"{int(hour) % 12 or 12}{f':{minute}' if minute != '00' or ':' in model else ''}{ending}"


def _ordinal_ending(number: int) -> str:
    return "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
