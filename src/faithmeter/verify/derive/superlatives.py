"""The largest or smallest of a column: "the lightest of the three", "the longest battery life"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from faithmeter.text.english import word_tables as lexicon
from faithmeter.verify.derive.claims import SUPERLATIVES, Said
from faithmeter.verify.derive.rules import Finding, grouped, one, shown
from faithmeter.verify.derive.sources import Fact, notions, terms

_SUPERLATIVE = re.compile(
    rf"(?<![-–])\b(?:(?P<which>most|least) expensive|(?P<word>{'|'.join(SUPERLATIVES)}))\b", re.IGNORECASE
)
_OTHERWISE = re.compile(
    r"\b(?:second|third|fourth|fifth|\d+(?:nd|rd|th)|one of|among|at (?:most|least)|than|tied|joint\w*|equal\w*|next"
    r"|other|after|before|except)\b",
    re.IGNORECASE,
)
"""What says another thing than who is first of all."""
_GLUE = lexicon.words(
    "two three four five six seven eight nine ten model models product products option options item items plan plans "
    "one ones these those listed table list shown compared all also has have is are with offers comes life size number"
)


def foremost(said: Said, facts: Sequence[Fact]) -> Finding | None:
    """Whether the row that a claim names has the largest or the smallest value of a column of a table."""
    matches = list(_SUPERLATIVE.finditer(said.text))
    if len(matches) != 1 or _OTHERWISE.search(said.text):
        return None
    if which := matches[0]["which"]:
        sign, dimensions = 1 if which.lower() == "most" else -1, "money"
    else:
        sign, dimensions = SUPERLATIVES[matches[0]["word"].lower()]
    without = {term for word in matches[0][0].lower().split() for term in notions(word)}
    about = terms(said.text, without=_GLUE) - without | frozenset(re.findall(r"\d+", said.text))
    columns = [group for group in grouped(facts) if len(group) > 1 and all(fact.structured for fact in group)]
    return one([finding for column in columns for finding in _first(column, columns, about, sign, dimensions)])


def _first(
    column: Sequence[Fact], columns: Sequence[Sequence[Fact]], about: frozenset[str], sign: int, dimensions: str
) -> Iterator[Finding]:
    """What a column says, if it is the one that is meant and one of its rows is named by all other words."""
    head = frozenset.intersection(*(fact.own - fact.row for fact in column))
    if {_base(fact) for fact in column} - set(dimensions.split() or [_base(column[0])]):
        return
    alike = [other for other in columns if _base(other[0]) in dimensions.split()]
    named = bool(head) and head <= about
    mine = [fact for fact in column if fact.row and fact.row <= about]
    shared = frozenset.intersection(*(fact.cover for fact in column))  # the header of the names, and the caption
    if not (named or alike == [column]) or len(mine) != 1 or about - mine[0].row - head - shared:
        return
    if len({fact.row for fact in column}) < len(column):
        return
    rival = max((fact for fact in column if fact is not mine[0]), key=lambda fact: fact.quantity.value * sign)
    apart = mine[0].quantity.value - rival.quantity.value
    if apart:
        formula = f"{shown(mine[0])} {'>' if apart > 0 else '<'} {shown(rival)}"
        yield Finding(apart * sign > 0, formula, (mine[0], rival))


def _base(fact: Fact) -> str:
    return fact.quantity.dimension.split(":")[0]
