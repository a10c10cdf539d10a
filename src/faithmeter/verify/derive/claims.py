"""What a claim says with numbers: its quantities, the operation that its words name, and what it is about."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from faithmeter.text.english import word_tables as lexicon
from faithmeter.verify.derive.quantities import Quantity, read
from faithmeter.verify.derive.sources import names, terms

# Words that say nothing about which number is meant.
_GLUE = lexicon.words(
    "raised received collected generated brought "
    "number numbers amount amounts figure figures value values total totals totalled totaled totalling "
    "totaling sum average averages averaged mean overall altogether together combined combine jointly both "
    "each all every across among report reported reports record recorded records reach reached reaches stand "
    "stands stood come comes came listed lists list shown shows show given table according context "
    "respectively approximately roughly about around nearly almost exactly more less fewer than greater "
    "compare compared difference between one ones that those same per cent percent percentage also only just "
    "plus over under least most up many much times twice half double third quarter fifth tenth thirds quarters "
    "see saw seen amounted equal equals equalled available period during year years was were there respective "
    "on have has had taken take whole entire ranges range above below exceed exceeds shorter larger smaller "
    "bigger higher lower exceeded while versus day date exact gap contains contain includes include count "
    "working"
)
UP = "rose|risen|rise|rises|grew|grown|grow|increase|increased|increases"
UP += "|climbed|gained|gain|up|expanded|improved|jumped|higher"
DOWN = "fell|fallen|fall|falls|decline|declined|decrease|decreased|decreases"
DOWN += "|dropped|drop|drops|shrank|reduced|reduction|down|lost|sank|cut|lowered"
_GLUE |= frozenset(f"{UP}|{DOWN}".split("|"))
_CHANGE = re.compile(rf"\b(?:(?P<up>{UP})(?! to\b)|(?P<down>{DOWN}))\b", re.IGNORECASE)
MORE = (
    "more higher larger greater bigger taller longer older heavier faster wider deeper expensive pricier warmer hotter"
)
LESS = "less fewer lower smaller shorter younger lighter slower cheaper narrower cooler colder"
SUPERLATIVES = {
    word: (sign, dimensions)
    for words, sign, dimensions in (
        ("highest largest biggest greatest most", 1, ""),
        ("lowest smallest fewest least", -1, ""),
        ("longest", 1, "length duration months"),
        ("shortest", -1, "length duration months"),
        ("tallest", 1, "length"),
        ("heaviest", 1, "mass"),
        ("lightest", -1, "mass"),
        ("fastest", 1, "speed"),
        ("slowest", -1, "speed"),
        ("cheapest", -1, "money"),
        ("dearest", 1, "money"),
    )
    for word in words.split()
}
"""Which end of a column a word names, and in which dimensions; where none is given, in any."""
_THAN = re.compile(
    rf"\b(?:(?P<more>{MORE.replace(' ', '|')})|(?P<less>{LESS.replace(' ', '|')}))\b(?P<middle>[^.;]*?)\bthan\b",
    re.IGNORECASE,
)
_FACTOR_WORDS = {"twice": Fraction(2), "double": Fraction(2), "triple": Fraction(3), "half": Fraction(1, 2)}
_TIMES = re.compile(
    r"\b(?:(?P<word>twice|double|triple|half)|(?<![\w.])(?P<number>[\w.]++) times)\s+(?:as\s+\w+|the\b)", re.IGNORECASE
)
_MULTIPLIED = re.compile(
    r"\b(?:(?P<two>doubled)|(?P<three>tripled|trebled)|(?P<four>quadrupled)|(?P<half>halved))\b", re.IGNORECASE
)
_MULTIPLIED_BY = {"two": Fraction(2), "three": Fraction(3), "four": Fraction(4), "half": Fraction(1, 2)}
_SHARE = re.compile(
    r"\b(?:(?P<half>half)|(?P<count>an?|one|two|three|four)[\s-](?P<part>third|quarter|fifth|tenth|sixth|eighth)s?)\s+of\b",
    re.IGNORECASE,
)  # fmt: skip
_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
SUM = re.compile(r"\b(?:total(?:s|l?ed|l?ing)?|in all|altogether|together|combined|sum)\b", re.IGNORECASE)
AVERAGE = re.compile(r"\b(?:averag(?:e|es|ed|ing)|mean)\b", re.IGNORECASE)
DIFFERENCE = re.compile(r"\b(?:difference|gap)\b", re.IGNORECASE)
WHOLE = re.compile(r"\b(?:total(?:led|ed|s)?|in all|altogether|overall|all|across|average|mean|sum)\b", re.IGNORECASE)
# A claim that says this is not one to be settled by arithmetic alone.
_UNSURE = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|if|unless|would|could|might|may(?! \d)|should|must|only|"
    r"expect\w*|plan(?:s|ned)?|forecast\w*|target\w*|estimate[ds]?|because|due to|except|"
    r"excluding|despite|although)\b|n't\b|n’t\b"
)  # fmt: skip
# Who is meant is not for arithmetic to find out.
_WHO = re.compile(
    r"\W*(?:(?:he|she|it|they|we|i|you|his|her|their|its|this|these|those|that)\b|someone|somebody|a man|a woman)",
    re.IGNORECASE,
)
_PERSON = re.compile(r"(?:He|She) ")
_SUBJECT = re.compile(
    r"(?:^|(?<=[.!?] )|\b[Ww]ho (?:is|was) )((?:[A-Z][\w’'-]{1,30} ){1,4}[A-Z][\w-]{1,30})"
    r"(?=\?| (?:is|was|had|has)\b|,| \()"
)
_WORTH = re.compile(
    rf"\d|%|[$€£]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|"
    rf"sixty|seventy|eighty|ninety|hundred|thousand|half|third|quarter|noon|midnight|twice|doubled|tripled|trebled|"
    rf"quadrupled|halved|than|monday|tuesday|wednesday|thursday|friday|saturday|sunday|{'|'.join(SUPERLATIVES)}|"
    rf"{MORE.replace(' ', '|')})s?\b",
    re.IGNORECASE,
)  # fmt: skip


class Said(NamedTuple):
    """A claim, read."""

    text: str
    quantities: tuple[Quantity, ...]
    """Its quantities but for years, which tell facts apart."""
    about: frozenset[str]
    """What the quantity belongs to: the claim's terms without what only says how it is counted."""
    names: frozenset[str]


def with_subject(claim: str, hint: str) -> str:
    """A claim about "she" or "he" with the name in its place, if what stands before is about one person alone."""
    if not (pronoun := _PERSON.match(claim)):
        return claim
    named = {match[1] for match in _SUBJECT.finditer(hint)}
    return f"{named.pop()} {claim[pronoun.end() :]}" if len(named) == 1 else claim


def countable(claim: str) -> bool:
    """Whether a claim holds a quantity or a comparison."""
    return bool(_WORTH.search(claim))


def worth(claim: str) -> bool:
    """Whether a claim holds a quantity or a comparison, and nothing that arithmetic cannot settle."""
    return countable(claim) and not _UNSURE.search(claim) and not _WHO.match(claim)


def read_claim(claim: str) -> Said:
    """Read a claim."""
    quantities = tuple(quantity for quantity in read(claim) if quantity.dimension != "year")
    return Said(claim, quantities, about(claim), names(claim))


def about(text: str) -> frozenset[str]:
    """The terms of a text that tell which number is meant."""
    return terms(text, without=_GLUE)


def change(text: str) -> int:
    """1 if a claim says that something rose, -1 if it fell, 0 if neither or both."""
    directions = {match.lastgroup for match in _CHANGE.finditer(text)}
    return 0 if len(directions) != 1 else 1 if "up" in directions else -1


def tells_of_change(text: str) -> bool:
    """Whether a claim says that something rose or fell, or both."""
    return _CHANGE.search(text) is not None


class Comparison(NamedTuple):
    """A claim's "more than": the parts it sets against each other."""

    sign: int
    left: frozenset[str]
    right: frozenset[str]
    start: int


def comparison(text: str) -> Comparison | None:
    """What is more than what, if a claim says so once; "more than 500" is a bound, and none."""
    matches = list(_THAN.finditer(text))
    if len(matches) != 1 or any(matches[0].start() <= quantity.start - 10 and quantity.bound in ("above", "below")
                                and matches[0].start() > quantity.start - 16 for quantity in read(text)):  # fmt: skip
        return None
    match = matches[0]
    return Comparison(
        1 if match["more"] else -1, about(text[: match.start()]), about(text[match.end() :]), match.start()
    )


def factor(text: str) -> tuple[Fraction, re.Match[str]] | None:
    """The factor that a claim sets between two things: twice as many, half as much, three times the."""
    match = _TIMES.search(text)
    if not match:
        return None
    if match["word"]:
        return _FACTOR_WORDS[match["word"].lower()], match
    word = match["number"].lower()
    if word in _NUMBERS:
        return Fraction(_NUMBERS[word]), match
    try:
        return Fraction(word), match
    except ValueError:
        return None


def multiplied(text: str) -> Fraction | None:
    """The factor by which a claim says that something changed: doubled, halved."""
    match = _MULTIPLIED.search(text)
    return match and _MULTIPLIED_BY[str(match.lastgroup)]


def share(text: str) -> Fraction | None:
    """The fraction of a whole that a claim names: half of, two thirds of."""
    match = _SHARE.search(text)
    if not match:
        return None
    if match["half"]:
        return Fraction(1, 2)
    return Fraction(_NUMBERS[match["count"].lower()], _PARTS[match["part"].lower()])
