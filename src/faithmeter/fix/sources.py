"""What the contexts name, once for all that is exchanged in an answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from faithmeter.datamodels import Context
from faithmeter.evidence.passages import Index, Passage
from faithmeter.fix.names import PART, PLACES, is_short_for_known, short_forms, stands_in, without_accents
from faithmeter.text.english.mentions import Mention, mentions
from faithmeter.text.english.word_tables import WEEKDAYS

RATING = re.compile(r"\b(?:rat(?:ed|ings?)|stars?)\b", re.IGNORECASE)
_DATES = ("year", "month", "weekday")


@dataclass(frozen=True)
class Sources:
    """What the contexts name."""

    index: Index
    small: frozenset[str]
    """Words that they write with small letters."""
    counts: Counter[tuple[str, str]]
    """How often they name each thing, by kind and value."""
    quantities: frozenset[tuple[str, str]]
    """Numbers with their units."""
    names: frozenset[str]
    plain: frozenset[str]
    """Their names without accents."""
    short: frozenset[str]
    """Short forms of their names."""
    only: frozenset[str]
    """Of years, months and days of the week, the kinds of which they name one: nothing else can be meant."""
    listed_days: frozenset[str]
    """Days of the week that a record has fields for, as for its opening hours."""
    rated: bool
    """Whether a record has a field for a rating."""
    placed: frozenset[str]
    """Names that stand behind "in" or "at" somewhere."""
    addresses: Mapping[str, str]
    """Places that a record names in a field of their own, each with the field."""

    def has(self, mention: Mention) -> bool:
        """Whether they name a thing, in its short or its long form."""
        if mention.kind in ("unit", "currency"):
            return (mention.beside, mention.value) in self.quantities
        if (mention.kind, mention.value) in self.counts:
            return True
        if mention.kind == "decade":
            return any(("year", f"{mention.value[:3]}{digit}") in self.counts for digit in range(10))
        if mention.kind != "name":
            return False
        return without_accents(mention.value) in self.plain or is_short_for_known(mention, self.short, self.names)


@lru_cache(maxsize=64)
def _sources(texts: tuple[str, ...]) -> Sources:
    small = frozenset(re.findall(r"(?<![\w'’-])[^\W\d_A-Z][^\W\d_A-Z]+", " ".join(texts)))
    index = Index(texts)
    placed_in = [(mention, passage.text) for passage in index.passages for mention in named_in(passage, small)]
    named = [mention for mention, _ in placed_in]
    quantities = frozenset((item.beside, item.value) for item in named if item.kind in ("unit", "currency"))
    counts: Counter[tuple[str, str]] = Counter((mention.kind, mention.value) for mention in named)
    names = frozenset(value for kind, value in counts if kind == "name")
    kinds = Counter(kind for kind, _ in counts)
    only = frozenset(kind for kind in _DATES if kinds[kind] == 1)
    fields = [(key.lower().rpartition(", ")[2], value) for passage in index.passages for key, value in passage.fields]
    keys = {key for key, _ in fields}
    days, rated = frozenset(WEEKDAYS).intersection(keys), any(RATING.search(key) for key in keys)
    placed = frozenset(item.value for item, text in placed_in if item.kind == "name" and stands_in(text, item))
    addresses = {value.lower(): key for key, value in fields if key in PLACES}
    plain, short = frozenset(map(without_accents, names)), short_forms(texts)
    return Sources(index, small, counts, quantities, names, plain, short, only, days, rated, placed, addresses)


def of_contexts(contexts: Sequence[Context]) -> Sources:
    """What some contexts name."""
    return _sources(tuple(context.text for context in contexts))


def named_in(passage: Passage, small: frozenset[str]) -> tuple[Mention, ...]:
    """What a passage names; the value of a field begins no sentence, so that all its capitals tell names, and a number
    in its name ("review 2") counts nothing."""
    named = _named(passage.text, frozenset() if passage.fields else small)
    if not passage.fields:
        return named
    value = passage.text.find(":")
    return tuple(mention for mention in named if mention.kind != "number" or mention.start > value)


@lru_cache(maxsize=4096)
def _named(text: str, small: frozenset[str]) -> tuple[Mention, ...]:
    return tuple(part for mention in mentions(text, known=small) for part in _apart(mention))


def _apart(mention: Mention) -> Iterator[Mention]:
    """A name; where a word of it comes again, a title runs into the sentence: "Ada Lovelace Ada King was"."""
    words = [*PART.finditer(mention.text)] if mention.kind == "name" else []
    first = next((match.start() for n, match in enumerate(words) if n and match[0] == words[0][0]), None)
    if first is None:
        yield mention
        return
    for start, end in ((0, first), (first, len(mention.text))):
        text = mention.text[start:end].rstrip()
        begin = mention.start + start
        yield mention._replace(start=begin, end=begin + len(text), text=text, value=text.lower().replace(".", ""))
