"""Reads the quantities of a text: value, dimension, bounds and place. What is not understood is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from faithmeter.text.english import word_tables as lexicon
from faithmeter.text.english.claim_facts import QUOTES, TOKEN
from faithmeter.text.english.numbers_dates import Token, date_at, number_at, year_of

# Dimension, and how many of its base unit make one; names are those of `lexicon.UNITS`, then what it lacks.
_FACTORS: dict[str, tuple[str, Fraction]] = {
    name: (dimension, Fraction(factor))
    for dimension, names in {
        "length": "millimetre 1/1000|centimetre 1/100|metre 1|kilometre 1000|inch 0.0254|foot 0.3048|yard 0.9144|"
                  "mile 1609.344",
        "mass": "milligram 1/1000|gram 1|kilogram 1000|tonne 1000000|ounce 28.349523125|lb 453.59237",
        "volume": "millilitre 1/1000|centilitre 1/100|litre 1|hectolitre 100",
        "duration": "seconds 1|minute 60|hour 3600|day 86400|week 604800",
        "months": "month 1|year 12|decade 120|century 1200",
        "area": "square_centimetre 1/10000|square_metre 1|hectare 10000|acre 4046.8564224|square_kilometre 1000000|"
                "square_mile 2589988.110336|square_foot 0.09290304",
        "speed": "kmh 1|mph 1.609344",
        "power": "watt 1|kilowatt 1000|megawatt 1000000|gigawatt 1000000000",
        "data": "kilobyte 1|megabyte 1000|gigabyte 1000000|terabyte 1000000000",
        "celsius": "celsius 1", "fahrenheit": "fahrenheit 1", "percent": "% 1",
        "money: dollar": "dollar 1", "money: euro": "euro 1", "money: sterling": "sterling 1", "money: yen": "yen 1",
        "money: rupee": "rupee 1",
    }.items()
    for name, factor in (entry.split() for entry in names.split("|"))
}  # fmt: skip
_ALIASES = {
    "m": "metre", "g": "gram", "mg": "milligram", "milligrams": "milligram", "l": "litre", "ml": "millilitre",
    "millilitres": "millilitre", "milliliter": "millilitre", "milliliters": "millilitre", "cl": "centilitre",
    "centilitres": "centilitre", "h": "hour", "s": "seconds", "second": "seconds", "t": "tonne", "kilo": "kilogram",
    "kilos": "kilogram", "m²": "square_metre", "km²": "square_kilometre", "cm²": "square_centimetre",
    "sqm": "square_metre",
    "gw": "gigawatt", "gigawatts": "gigawatt", "gigawatt": "gigawatt", "w": "watt", "fahrenheit": "fahrenheit",
}  # fmt: skip
_TOKEN = re.compile(rf"\d+\.\d+(?=[^\W\d_])|{TOKEN.pattern}", re.IGNORECASE)
"""`facts.TOKEN`, which cuts "1.5m" after the 1."""
_NOT = r"|n't(?!\w)|[^\W\d_]+?(?=n't(?!\w))"
_TOKEN_WITHOUT_NOT = re.compile("".join(_TOKEN.pattern.split(_NOT)), re.IGNORECASE)
"""The same where no "n't" is: looking for one takes half of the time."""
_NUMBER_WORDS = frozenset({*lexicon.ORDINALS, *lexicon.SMALL, *lexicon.TENS, *lexicon.SCALES})
_CODES = {"usd": "dollar", "eur": "euro", "gbp": "sterling", "jpy": "yen", "inr": "rupee"}
_BASE = {"length": "m", "mass": "g", "volume": "l", "area": "m²", "speed": "km/h", "power": "W", "data": "KB"}
_CLOCK = re.compile(
    r"\b(?P<hour>[01]?\d|2[0-4])[:.](?P<minute>[0-5]\d)(?::[0-5]\d)?(?!\d)(?:\s?(?P<half>[ap])\.?m\b\.?)?"
    r"|\b(?P<hour2>1[0-2]|[1-9])\s?(?P<half2>[ap])\.?m\b\.?|\b(?P<word>noon|midnight)\b",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"(?P<above>more than|over|above|exceed(?:s|ed|ing)?|upwards of|greater than|higher than|longer than)"
    r"|(?P<least>at least|no (?:less|fewer) than|not less than|a minimum of|minimum of)"
    r"|(?P<below>less than|fewer than|under|below|lower than|shorter than)"
    r"|(?P<most>at most|up to|no more than|not more than|a maximum of|maximum of|as (?:many|much) as)"
    r"|(?P<about>about|around|approximately|approx\.|roughly|nearly|almost|circa|some|close to|~)",
    re.IGNORECASE,
)
_BOUND_BEFORE = re.compile(
    rf"(?:{_BOUND.pattern})\s*+(?:the\s++|an?\s+(?:total|average)\s+of\s++)?[$€£¥₹]?\s*+$", re.IGNORECASE
)
_SIGNS = tuple("$€£¥₹")
_BOUND_ENDS = (
    "than", "over", "above", "exceed", "exceeds", "exceeded", "exceeding", "of", "least", "under", "below", "most",
    "to", "as", "about", "around", "approximately", "approx.", "roughly", "nearly", "almost", "circa", "some", "~",
    "the",
)  # fmt: skip
"""How what `_BOUND_BEFORE` finds may end, without the sign of a currency."""
_REACH = 40
"""Characters before and after a quantity that are looked at."""
_ABOUT_AFTER = re.compile(r"\s*(?:or so|or more)\b", re.IGNORECASE)
_YEAR_BEFORE = lexicon.words("in since from to until till between and by during of year through before after around")
_NOT_NAMES = lexicon.words(
    "in on at by for from to of the a an with about around over under only some all between and or than total "
    "since until after before during nearly almost roughly exactly it they he she this these those there its"
)


class Quantity(NamedTuple):
    """A quantity as it stands in a text, in the base unit of its dimension."""

    value: Fraction
    dimension: str
    """`count`, `percent`, `length`, `money: dollar`, `clock` (minutes), `date`, `year`, `score` (3-1), ..."""
    start: int
    end: int
    written: str
    step: Fraction = Fraction(1)
    """What one in the last digit shown stands for."""
    bound: str = ""
    """`above`, `least`, `below`, `most`, `about`, or none."""
    high: Fraction | None = None
    """The upper end of a range."""
    day: tuple[int, int, int] = (0, 0, 0)
    """Of a date: year, month and day, 0 where not said."""

    def equals(self, other: Quantity) -> bool:
        """Whether both are as much of the same."""
        return self.value == other.value and self.dimension == other.dimension

    @property
    def calendar(self) -> date | None:
        """The day, if it is fully known."""
        try:
            return date(*self.day)
        except ValueError:
            return None


@lru_cache(maxsize=8192)
def read(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, in order."""
    text = text.translate(QUOTES)
    quantities: list[Quantity] = list(_clocks(text))
    taken = {offset for quantity in quantities for offset in range(quantity.start, quantity.end)}
    tokens, spans = _tokens(text)
    index = 0
    while index < len(tokens):
        start, form = spans[index][0], tokens[index].form
        if start in taken or not (form[0] == "#" or form[0].isdigit() or form in lexicon.MONTHS):
            index += 1  # no number, day or month
            continue
        end, quantity = _dated(tokens, spans, index)
        if quantity is None:
            end, quantity = _counted(text, tokens, spans, index)
        if quantity is not None:
            quantities.append(quantity._replace(written=text[quantity.start : quantity.end]))
        index = max(end, index + 1)
    quantities.sort(key=lambda quantity: quantity.start)
    return tuple(_ranges(text, _joined(text, [_bounded(text, quantity) for quantity in quantities])))


def _tokens(text: str) -> tuple[list[Token], list[tuple[int, int]]]:
    """The words, with numbers written as `#VALUE` once their words are put together."""
    pattern = _TOKEN if "n't" in text.lower() else _TOKEN_WITHOUT_NOT
    words = [(match[0], match.span()) for match in pattern.finditer(text)]
    raw = [Token(word.lower(), word, first=index == 0) for index, (word, _) in enumerate(words)]
    tokens, spans = [], []
    index = 0
    while index < len(raw):
        if not (raw[index].form[0].isdigit() or raw[index].form in _NUMBER_WORDS):
            tokens.append(raw[index])
            spans.append(words[index][1])
            index += 1
            continue
        before, after = raw[index - 1].form if index else "", raw[index + 1].form if index + 1 < len(raw) else ""
        signed = before in lexicon.CURRENCIES or before in _CODES
        if after in lexicon.SUFFIXES and after != "bn" and not signed:
            number, end = number_at(raw[index : index + 1], 0)[1], index + 1  # "330 m" is a length
        else:
            end, number = number_at(raw, index, money=signed or after == "bn")
        if raw[index].form in ("second", "one", "seconds") or raw[index].form in lexicon.SCALES:
            number = ""
        if number:
            tokens.append(Token(number, raw[index].raw, raw[index].first))
            spans.append((words[index][1][0], words[end - 1][1][1]))
            index = end
        else:
            tokens.append(raw[index])
            spans.append(words[index][1])
            index += 1
    return tokens, spans


def _clocks(text: str) -> Iterator[Quantity]:
    for match in _CLOCK.finditer(text):
        dotted = "." in match[0] and ":" not in match[0]
        if match["word"]:
            minutes = 720 if match["word"].lower() == "noon" else 0
        else:
            hour, half = int(match["hour"] or match["hour2"]), (match["half"] or match["half2"] or "").lower()
            if match["minute"] and dotted and not half:
                continue  # 3.42 is a number
            if half and not 1 <= hour <= 12:
                continue
            minutes = ((hour % 12 + 12 * (half == "p")) if half else hour % 24) * 60 + int(match["minute"] or 0)
        yield Quantity(Fraction(minutes), "clock", match.start(), match.end(), match[0])


def _dated(tokens: list[Token], spans: list[tuple[int, int]], index: int) -> tuple[int, Quantity | None]:
    """A date, or a year that stands where years stand."""
    end, form = date_at(tokens, index)
    if form:
        parts = [int(part or 0) for part in form[1:].split("-")]
        year, month, day = [*parts, 0, 0][:3]
        value = Fraction(year * 10000 + month * 100 + day)
        return end, Quantity(value, "date", spans[index][0], spans[end - 1][1], "", day=(year, month, day))
    year_form = year_of(tokens[index].form)
    if not year_form or tokens[index].raw != year_form:
        return index, None
    before = tokens[index - 1].form if index else ""
    following = tokens[index + 1] if index + 1 < len(tokens) else Token("", "")
    if before in lexicon.CURRENCIES or before in _CODES or _unit(tokens, index + 1)[1]:
        return index, None
    noun = following.raw[:1].islower() and following.form not in _NOT_NAMES and following.form not in lexicon.FUNCTION
    if before in _YEAR_BEFORE or (index and not noun):
        return index + 1, Quantity(Fraction(year_form), "year", *spans[index], "", day=(int(year_form), 0, 0))
    return index, None


def _unit(tokens: list[Token], index: int) -> tuple[int, str]:
    """The unit at an index, and where it ends."""
    forms = [token.form for token in tokens[index : index + 3]] + ["", "", ""]
    if forms[0] == "-":
        index, forms = index + 1, [*forms[1:], ""]
    if forms[0] in ("°", "degrees", "degree") and forms[1] in ("c", "f", "celsius", "fahrenheit"):
        return index + 2, "celsius" if forms[1][0] == "c" else "fahrenheit"
    if forms[:2] == ["per", "cent"]:
        return index + 2, "%"
    if forms[0] in ("square", "sq"):
        inner = _ALIASES.get(forms[1]) or lexicon.UNITS.get(forms[1])
        return (index + 2, f"square_{inner}") if f"square_{inner}" in _FACTORS else (index, "")
    if forms[:3] in (["km", "/", "h"], ["kilometres", "per", "hour"], ["kilometers", "per", "hour"]):
        return index + 3, "kmh"
    if forms[:3] == ["miles", "per", "hour"]:
        return index + 3, "mph"
    if forms[1] == "/" or (forms[1] == "per" and forms[0] in _ALIASES):
        return index, ""
    cased = tokens[index].raw if index < len(tokens) else ""  # MW is no mW
    name = _ALIASES.get(forms[0]) or lexicon.UNITS.get(forms[0]) or lexicon.UNITS.get(cased) or ""
    name = _CODES.get(forms[0], name)
    return (index + 1, name) if name in _FACTORS else (index, "")


def _counted(text: str, tokens: list[Token], spans: list[tuple[int, int]], index: int) -> tuple[int, Quantity | None]:
    """A number, with its unit or currency."""
    form = tokens[index].form
    if not form.startswith("#") or form.endswith("th"):
        return index, None
    start, end = spans[index]
    before = tokens[index - 1] if index else Token("", "")
    currency = lexicon.CURRENCIES.get(before.form) or _CODES.get(before.form)
    after, unit = _unit(tokens, index + 1)
    value = Fraction(int(form[1:]) if form[1:].isdecimal() else form[1:])
    digits = re.match(r"[\d,]*\.?(\d*)", tokens[index].raw)
    step = Fraction(1, 10 ** len(digits[1] if digits else ""))
    shown = text[start:end]
    if value and not any(character.isdecimal() for character in shown):
        step = Fraction(1)
    elif plain := re.match(r"[\d,.]+", shown):
        number = Fraction(plain[0].replace(",", "").rstrip(".") or "1")
        step = step * value / number if number and number != value else step
    if currency:
        return index + 1, Quantity(value, f"money: {currency}", spans[index - 1][0], end, "", step=step)
    minus = before.form == "-" and spans[index - 1][1] == start and not text[max(0, start - 2) : start - 1].isalnum()
    if minus:
        value, start = -value, spans[index - 1][0]
    if unit:
        dimension, factor = _FACTORS[unit]
        return after, Quantity(value * factor, dimension, start, spans[after - 1][1], "", step=step * factor)
    named = before.raw[:1].isupper() and not before.first and before.form not in _NOT_NAMES
    if named and text[spans[index - 1][1] : start] == " " and value < 1000 and form not in lexicon.MONTHS:
        return index, None  # "Aero 5", "Plant 2"
    if start and (text[start - 1] in "#/_" or text[start - 1].isalpha()):
        return index, None
    return index + 1, Quantity(value, "count", start, end, "", step=step)


def _bounded(text: str, quantity: Quantity) -> Quantity:
    """With what is said right before it: more than, at least, about."""
    before = max(0, quantity.start - _REACH)
    tail = text[before : quantity.start].rstrip()
    tail = tail[:-1].rstrip() if tail.endswith(_SIGNS) else tail
    match = None
    if not tail.isascii() or tail.lower().endswith(_BOUND_ENDS):
        match = _BOUND_BEFORE.search(text, before, quantity.start)
    bound = match.lastgroup or "" if match else ""
    if not bound and (after := _ABOUT_AFTER.match(text, quantity.end)):
        bound = "least" if "more" in after[0] else "about"
    return quantity._replace(bound=bound)


def _joined(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Put "7 hours 30 minutes", "7 h 30" and "5 feet 7 inches" together."""
    out: list[Quantity] = []
    for quantity in quantities:
        last = out[-1] if out else None
        link = text[last.end : quantity.start] if last else ""
        if last and link in (" ", " and ", "", ", ") and last.dimension in ("duration", "months", "length"):
            finer = quantity.dimension == last.dimension and last.step > quantity.step and link != ", "
            minutes = last.dimension == "duration" and last.step == 3600 and quantity.dimension == "count"
            if finer and quantity.value < last.step:
                out[-1] = last._replace(value=last.value + quantity.value, end=quantity.end, step=quantity.step,
                                        written=text[last.start : quantity.end])  # fmt: skip
                continue
            if (
                minutes
                and link in (" ", "")
                and quantity.value < 60
                and not text[quantity.end : quantity.end + _REACH].lstrip()[:1].isalpha()
            ):
                out[-1] = last._replace(value=last.value + quantity.value * 60, end=quantity.end, step=Fraction(60),
                                        written=text[last.start : quantity.end])  # fmt: skip
                continue
        out.append(quantity)
    return out


def _ranges(text: str, quantities: list[Quantity]) -> Iterator[Quantity]:
    """Put "between 5 and 10 days" and "5-10 days" together; "from 5 to 10" and "by 5 to 10" may tell of changes."""
    index = 0
    while index < len(quantities):
        low = quantities[index]
        high = quantities[index + 1] if index + 1 < len(quantities) else None
        if high and low.dimension in ("count", high.dimension) and high.dimension not in ("clock", "date", "year"):
            link = text[low.end : high.start].lower()
            before = text[max(0, low.start - _REACH) : low.start].rstrip(" $€£¥₹").lower()
            between = before.endswith("between") and link.strip(" $€£¥₹") in ("and", "-")
            dashed = link.strip(" $€£¥₹") in ("-", "to") and not before.endswith(("from", " by"))
            factor = high.step / low.step if low.dimension != high.dimension and low.step else Fraction(1)
            if dashed and link.strip() == "-" and high.dimension == "count":
                yield high._replace(dimension="score", start=low.start, bound="", written=text[low.start : high.end])
                index += 2
                continue
            if (between or dashed) and low.value * factor < high.value:
                yield high._replace(value=low.value * factor, high=high.value, start=low.start, bound="",
                                    written=text[low.start : high.end])  # fmt: skip
                index += 2
                continue
        yield low
        index += 1


def unit_of(header: str) -> tuple[str, Fraction]:
    """The dimension and factor that a column's name or a field's key gives its numbers."""
    tokens = [Token(match[0].lower(), match[0]) for match in _TOKEN.finditer(header.translate(QUOTES))]
    dimension, factor = "", Fraction(1)
    for index, token in enumerate(tokens):
        unit = lexicon.CURRENCIES.get(token.form) or _unit(tokens, index)[1]
        if index and tokens[index - 1].form in ("per", "/", "a", "each"):
            continue  # "trains per hour" are counted in trains
        if token.form in ("m", "mn", "bn", "k", "b") and dimension.startswith("money"):
            factor *= lexicon.SUFFIXES[token.form]
        elif token.form.removesuffix("s") in lexicon.SCALES:
            factor *= lexicon.SCALES[token.form.removesuffix("s")]
        elif unit and (index or token.form in lexicon.CURRENCIES or token.form in _CODES or unit == "%"):
            dimension, given = _FACTORS[unit]
            factor *= given
    return dimension, factor


def in_unit(value: Fraction, dimension: str) -> str:
    """A value as it is shown in a formula."""
    if dimension == "clock":
        return f"{int(value) // 60 % 24:02d}:{int(value) % 60:02d}"
    if dimension == "duration":
        for name, seconds in (("day", 86400), ("hour", 3600), ("minute", 60)):
            if value % seconds == 0 and value:
                return f"{_number(value / seconds)} {name}{'s' * (value != seconds)}"
        hours, rest = divmod(int(value), 3600)
        return f"{hours} h {rest // 60} min" if hours else f"{_number(value / 60)} minutes"
    if dimension == "months":
        return f"{_number(value / 12)} years" if value % 12 == 0 else f"{_number(value)} months"
    sign = {"money: dollar": "$", "money: euro": "€", "money: sterling": "£", "money: yen": "¥"}.get(dimension, "")
    tail = {"percent": " %", "celsius": " °C", "fahrenheit": " °F"}.get(dimension, "")
    unit = _BASE.get(dimension, "")
    return f"{sign}{_number(value)}{tail}{' ' + unit if unit else ''}"


def _number(value: Fraction) -> str:
    if value.denominator == 1:
        return f"{value.numerator:,}"
    text = f"{float(value):,.2f}"
    return text.rstrip("0").rstrip(".")
