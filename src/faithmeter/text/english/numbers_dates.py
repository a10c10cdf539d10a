"""Numbers and dates in a sequence of words, written in one way: `#1500000`, `#21th`, `@1879-03-14`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from faithmeter.text.english import word_tables as lexicon


class Token(NamedTuple):
    """A word that is not yet a fact."""

    form: str
    """The word, normalised so far."""
    raw: str
    """The word as it was written."""
    first: bool = False
    """Whether it begins the text, and so may be written with a capital without being a name."""
    determined: int = 0
    """3 right after a determiner or number, 2 or 1 a word or two further on, else 0."""


_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)$")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?$")
_ORDINAL_SUFFIXES = frozenset({"st", "nd", "rd", "th"})


def with_numbers(tokens: list[Token]) -> list[Token]:
    """Write numbers as `#VALUE`, ordinals as `#VALUEth`, and a currency sign as the unit after its number."""
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.form in lexicon.CURRENCIES:
            end, number = number_at(tokens, index + 1, money=True)
            if number:
                out += [Token(number, token.raw), Token(lexicon.CURRENCIES[token.form], token.raw)]
                index = end
                continue
        end, number = number_at(tokens, index)
        if number:
            out.append(Token(number, token.raw, token.first))
            index = end
        else:
            out.append(token)
            index += 1
    return out


def number_at(tokens: Sequence[Token], index: int, *, money: bool = False) -> tuple[int, str]:
    """The number that begins at an index, and where it ends; "" if none does."""
    form = tokens[index].form if index < len(tokens) else ""
    if _NUMBER.match(form):
        value = Decimal(form.replace(",", ""))
        index += 1
        following = tokens[index].form if index < len(tokens) else ""
        if following in _ORDINAL_SUFFIXES:
            return index + 1, f"#{value}th"
        suffix = following.lower()
        if suffix in lexicon.SUFFIXES and "." not in tokens[index].raw and (money or _is_money(tokens, index + 1)):
            return index + 1, _plain(value * lexicon.SUFFIXES[suffix])
        while index < len(tokens) and tokens[index].form in lexicon.SCALES:
            value *= lexicon.SCALES[tokens[index].form]
            index += 1
        return index, _plain(value)
    if form in lexicon.ORDINALS:
        return index + 1, f"#{lexicon.ORDINALS[form]}th"
    if form in lexicon.SMALL or form in lexicon.TENS or form in lexicon.SCALES:
        return _spelt_out(tokens, index)
    return index, ""


def _is_money(tokens: Sequence[Token], index: int) -> bool:
    form = tokens[index].form.lower() if index < len(tokens) else ""
    return lexicon.UNITS.get(form, form) in lexicon.MONEY


def _spelt_out(tokens: Sequence[Token], index: int) -> tuple[int, str]:
    """Read "two hundred and five thousand", or "twenty first", from an index on."""
    total = current = 0
    start = index
    while index < len(tokens):
        form = tokens[index].form
        following = tokens[index + 1].form if index + 1 < len(tokens) else ""
        if form in lexicon.SMALL and (current % 100 == 0 or (current % 10 == 0 and lexicon.SMALL[form] < 10)):
            if index > start and current == total == 0:
                break  # "zero five" is two numbers
            current += lexicon.SMALL[form]
        elif form in lexicon.TENS and current % 100 == 0:
            current += lexicon.TENS[form]
        elif form in lexicon.ORDINALS and current % 100 >= 20 and current % 10 == 0 and lexicon.ORDINALS[form] < 10:
            return index + 1, f"#{total + current + lexicon.ORDINALS[form]}th"
        elif form == "hundred" and current < 100:
            current = max(1, current) * 100
        elif form in lexicon.SCALES and form != "hundred":
            total += max(1, current) * lexicon.SCALES[form]
            current = 0
        elif not (
            form == "and"
            and current
            and current % 100 == 0
            and (following in lexicon.SMALL or following in lexicon.TENS)
        ):
            break
        index += 1
    return index, _plain(Decimal(total + current))


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return "#" + (text.rstrip("0").rstrip(".") if "." in text else text)


def with_dates(tokens: list[Token]) -> list[Token]:
    """Write dates as `@YYYY-MM-DD` with what is known, without the preposition before them."""
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        end, date = date_at(tokens, index)
        token = tokens[index]
        if not date and year_of(token.form) and not _counts(tokens, index):
            end, date = index + 1, token.form
        if date:
            while out and out[-1].form in ("on", "in", "the", "year"):
                out.pop()
            out.append(Token(date, token.raw, token.first))
            index = end
        else:
            out.append(token)
            index += 1
    return out


def _counts(tokens: Sequence[Token], index: int) -> bool:
    """Whether a number that may be a year is one of things: "in 2000 shops"."""
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    word = following is not None and following.raw[:1].isalpha() and following.raw[:1].islower()
    return word and following is not None and following.form not in lexicon.FUNCTION


def date_at(tokens: Sequence[Token], index: int) -> tuple[int, str]:
    """The date that begins at an index, and where it ends; "" if none does."""

    def form(ahead: int) -> str:
        return tokens[index + ahead].form if index + ahead < len(tokens) else ""

    if iso := _ISO.match(form(0)):
        return index + 1, "@" + "-".join(iso.groups())
    if _day(form(0)):
        ahead = 2 if form(1) == "of" else 1
        if form(ahead) in lexicon.MONTHS:
            return _with_year(tokens, index + ahead + 1, lexicon.MONTHS[form(ahead)], _day(form(0)))
    month = lexicon.MONTHS.get(form(0))
    if not month:
        return index, ""
    if _day(form(1)):
        return _with_year(tokens, index + 2, month, _day(form(1)))
    end, date = _with_year(tokens, index + 1, month, "")
    # "may" and "march" alone are months only when written as names
    alone = end == index + 1 and form(0) in ("may", "march", "mar", "jan", "sep", "dec", "august")
    if alone and (tokens[index].first or not tokens[index].raw[0].isupper()):
        return index, ""
    return end, date


def _with_year(tokens: Sequence[Token], index: int, month: int, day: str) -> tuple[int, str]:
    """Finish a date: a year may follow, after "of" or a comma."""
    ahead = index + 1 if index < len(tokens) and tokens[index].form in ("of", ",") else index
    year = year_of(tokens[ahead].form) if ahead < len(tokens) else ""
    end = ahead + 1 if year else index
    return end, f"@{year}-{month:02d}" + (f"-{day}" if day else "")


def _day(form: str) -> str:
    digits = form[1:].removesuffix("th") if form.startswith("#") else ""
    return digits.zfill(2) if digits.isdecimal() and 1 <= int(digits) <= 31 else ""


def year_of(form: str) -> str:
    digits = form[1:] if form.startswith("#") else ""
    return digits if len(digits) == 4 and digits.isdecimal() and 1000 <= int(digits) <= 2199 else ""
