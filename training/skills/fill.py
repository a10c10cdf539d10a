"""Fills the slots of a wording: each slot once a text, each name for one thing only."""

from __future__ import annotations

import copy
import operator
import random
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from training.skills import names
from training.skills.scenario import SLOT
from training.words import DAYS, MONTHS

_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")
_ARTICLE = re.compile(r"\b([Aa]) (?=(?!uni|eu|one\b|once|use|uti|US\b|UK\b)[aeiouAEIO])")
_SMALL = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


class Person:
    """Someone with a name and pronouns, as the wordings ask for them: {p1}, {p1.s}, {p1.he}."""

    def __init__(self, first: str, last: str, *, woman: bool) -> None:
        self.f, self.s, self.full = first, last, f"{first} {last}"
        self.he, self.him, self.his = ("she", "her", "her") if woman else ("he", "him", "his")
        self.man = "woman" if woman else "man"
        self.mr = f"{'Ms' if woman else 'Mr'} {last}"
        self.son = "daughter" if woman else "son"
        self.brother = "sister" if woman else "brother"
        self.father = "mother" if woman else "father"
        self.called = self.full

    def short(self, rng: random.Random) -> Person:
        """The same, called by half the name."""
        made = copy.copy(self)
        made.called = rng.choice((self.s, self.s, self.mr, self.f))
        return made

    def __str__(self) -> str:
        return self.called


class Number(int):
    """A number that is written with commas, or as a word: {n1.w}."""

    def __str__(self) -> str:
        return f"{int(self):,}"

    @property
    def w(self) -> str:
        return _SMALL[self] if self < len(_SMALL) else str(self)

    @property
    def raw(self) -> str:
        return str(int(self))


class Forms(str):
    """Words from a stock; `sold/sell/selling` gives its forms as {act1.a}, {act1.b}, {act1.c}."""

    def __getattr__(self, name: str) -> str:
        return self.split("/")["abcdef".index(name)]


class Day(str):
    """A date, and its parts: {d1.m} the month, {d1.y} the year, {d1.us} in American order, {d1.iso}."""

    m: str
    y: str
    us: str
    iso: str

    @classmethod
    def of(cls, day: date) -> Day:
        month = MONTHS[day.month - 1]
        made = cls(f"{day.day} {month} {day.year}")
        made.m, made.y, made.iso = month, str(day.year), day.isoformat()
        made.us = f"{month} {day.day}, {day.year}"
        return made


def render(text: str, slots: Mapping[str, object], rng: random.Random) -> str:
    """Choose among the parts of a wording, put the slots in, and mend the first letters and the articles."""
    while match := _CHOICE.search(text):
        text = text[: match.start()] + rng.choice(match[1].split("|")) + text[match.end() :]
    text = SLOT.sub(lambda match: _value(slots, match), text)
    text = re.sub(r"\s+([.,;])", r"\1", " ".join(text.split()))
    text = _ARTICLE.sub(r"\1n ", text)
    text = text.replace(" ¶ ", "\n").replace("¶", "\n")
    return re.sub(r"(^|[.!?] )([a-z])", lambda match: match[1] + match[2].upper(), text)


def _value(slots: Mapping[str, object], match: re.Match[str]) -> str:
    value = slots[f"{match[1]}{match[2]}{match[3] or ''}"]
    return str(getattr(value, match[4][1:])) if match[4] else str(value)


_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv,
}  # fmt: skip


def worked_out(terms: Sequence[str], slots: Mapping[str, object]) -> int:
    """Work out a sum such as `n1 + n2 * 2`, from left to right."""
    values = [int(term) if term.isdigit() else int(str(slots[term]).replace(",", "")) for term in terms[::2]]
    result = values[0]
    for sign, value in zip(terms[1::2], values[1:], strict=True):
        result = _OPERATORS[sign](result, value)
    return result


class Filler:
    """Draws what fills the slots of one text; nothing is drawn twice."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.used: set[str] = set()

    def slots(
        self, wordings: Sequence[str], stocks: Mapping[str, tuple[str, ...]], sums: Sequence[str] = ()
    ) -> dict[str, object]:
        """Fill all slots that the wordings name; `sums` are worked out from the others."""
        wanted: dict[str, set[str]] = {}
        for wording in wordings:
            for match in SLOT.finditer(wording):
                if match[3]:  # it is worked out
                    continue
                wanted.setdefault(match[1], set()).add(match[2])
        found: dict[str, object] = {}
        for kind in sorted(wanted):
            numbers = sorted(wanted[kind])
            for number, value in zip(numbers, self.draw(kind, len(numbers), stocks.get(kind)), strict=True):
                found[f"{kind}{number}"] = value
        for line in sums:
            name, _, terms = line.partition(" = ")
            found[name] = Number(worked_out(terms.split(), found))
        return found

    def draw(self, kind: str, count: int, stock: tuple[str, ...] | None = None) -> list[object]:
        """Draw different things of a kind, from a scenario's own stock or from the common ones."""
        if stock and (match := re.fullmatch(r"(\d+)-(\d+)", stock[0])):
            low, high = int(match[1]), int(match[2])
            numbers = sorted(self.rng.sample(range(low, high + 1), count))
            return [str(n) if kind == "y" else Number(n) for n in numbers]
        if stock:
            return [Forms(words) for words in self.rng.sample(stock, count)]
        rising: dict[str, Callable[[int], list[object]]] = {
            "n": self._numbers, "y": self._years, "c": self._amounts, "q": self._percents, "d": self._days,
        }  # fmt: skip
        if kind in rising:
            return rising[kind](count)
        return [self._fresh(_DRAW[kind]) for _ in range(count)]

    def _fresh(self, draw: Callable[[random.Random], object]) -> object:
        for _ in range(50):
            value = draw(self.rng)
            parts = {value.f, value.s} if isinstance(value, Person) else {str(value)}
            if not parts & self.used:
                break
        self.used |= parts
        return value

    def _numbers(self, count: int) -> list[object]:
        top = self.rng.choice((12, 40, 99, 400, 999, 9999, 90_000))
        return [Number(n) for n in sorted(self.rng.sample(range(2, max(top, count + 2)), count))]

    def _years(self, count: int) -> list[object]:
        low = self.rng.choice((1890, 1950, 1980, 2000, 2010))
        return [str(y) for y in sorted(self.rng.sample(range(low, 2025), count))]

    def _percents(self, count: int) -> list[object]:
        sign = self.rng.choice(("%", "%", " percent", " per cent"))
        if self.rng.random() < 0.3:
            return [f"{n / 10:.1f}{sign}" for n in sorted(self.rng.sample(range(11, 979), count))]
        return [f"{n}{sign}" for n in sorted(self.rng.sample(range(2, 97), count))]

    def _amounts(self, count: int) -> list[object]:
        sign = self.rng.choice("$$$€€£")
        form = self.rng.randrange(4)
        numbers = sorted(self.rng.sample(range(12, 980), count))
        if form == 0:
            return [f"{sign}{n / 10:.1f} million" for n in numbers]
        if form == 1:
            return [f"{sign}{n * 50:,}" for n in numbers]
        cents = self.rng.choice((".00", ".50", ".99", ".95")) if form == 2 else ""
        return [f"{sign}{n}{cents}" for n in numbers]

    def _days(self, count: int) -> list[object]:
        begin = date(self.rng.randint(1995, 2024), 1, 1)
        reach = self.rng.choice((330, 330, 1500))
        return [Day.of(begin + timedelta(days=n)) for n in sorted(self.rng.sample(range(reach), count))]


def person(rng: random.Random) -> Person:
    """Someone."""
    woman = rng.random() < 0.5
    return Person(rng.choice(names.WOMEN if woman else names.MEN), rng.choice(names.SURNAMES), woman=woman)


def firm(rng: random.Random) -> str:
    """A firm."""
    name = rng.choice(names.FIRM_HEADS) + rng.choice(names.FIRM_TAILS)
    return f"{name} {rng.choice(names.FIRM_KINDS)}" if rng.random() < 0.8 else name


def town(rng: random.Random) -> str:
    """A town, real or made."""
    if rng.random() < 0.6:
        return rng.choice(names.TOWNS)
    return rng.choice(names.TOWN_HEADS) + rng.choice(names.TOWN_TAILS)


def product(rng: random.Random) -> str:
    """A product by its name."""
    letters = f" {rng.choice('XSVZ')}{rng.randint(1, 90)}"
    number = rng.choice(("", "", f" {rng.randint(2, 9)}", f" {rng.randint(1, 9)}00", letters, " Pro", " Mini", " Plus"))
    noun = f" {rng.choice(names.PRODUCT_NOUNS)}" if rng.random() < 0.5 else ""
    return f"{rng.choice(names.BRANDS)}{number}{noun}"


_DRAW: dict[str, Callable[[random.Random], object]] = {
    "p": person, "o": firm, "t": town, "g": product,
    "k": lambda rng: rng.choice(names.COUNTRIES),
    "r": lambda rng: rng.choice(names.DRUG_HEADS) + rng.choice(names.DRUG_TAILS),
    "j": lambda rng: rng.choice(names.JOBS),
    "w": lambda rng: rng.choice(DAYS),
    "m": lambda rng: rng.choice(MONTHS),
    "s": lambda rng: rng.choice(names.PROGRAMS),
    "b": lambda rng: f"{town(rng)} {rng.choice(names.TEAMS)}",
    "dept": lambda rng: rng.choice(names.DEPARTMENTS),
}  # fmt: skip
"""What fills the slots that a scenario has no stock for."""
