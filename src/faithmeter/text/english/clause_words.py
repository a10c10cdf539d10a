"""The words of a sentence, and which of them can be the verb of a clause."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from faithmeter.text.english import verbs
from faithmeter.text.english.word_tables import words

Role = Literal["main", "clause", "verb", "relative", "apposition", "item"]


class Clause(NamedTuple):
    """A part of a sentence that asserts something by itself."""

    start: int
    """Where its words begin in the sentence."""
    end: int
    """Where they end, without the stop."""
    text: str
    """What it says, standing alone."""
    cut: tuple[int, int]
    """The stretch that belongs to it and to nothing else, with the words and marks that join it."""
    role: Role
    given: str = ""
    """The subject, and auxiliary, that it takes from another clause."""


class Word(NamedTuple):
    """A word or a mark of a sentence."""

    start: int
    end: int
    text: str
    lower: str


_TOKEN = re.compile(r"[^\W_][\w]*(?:[-'’./&][\w]+)*(?:%|(?<=\b[A-Z])\.)?|\d[\d.,]*\d|[^\w\s]")
DETERMINERS = words(
    "the a an his her its their our your my this that these those some many most several few all each every no "
    "another both other such two three four five six seven eight nine ten one more"
)
SUBJECTS = words("he she it they we i you this that these those there")
PREPOSITIONS = words(
    "of in on at by to from with for as into onto over under between among through during against about near "
    "without within after before since until including like per than via towards toward across around behind "
    "beyond despite"
)
ADVERBS = words(
    "also then later now still often usually even always never eventually finally subsequently soon thus both now "
    "currently already once originally again instead"
)
REPORTS = words(
    "said says say claimed believes believe believed think thinks thought argued argues suggests "
    "suggested reported stated according told tells explained explains noted "
    "warned warns announced announces indicates indicated shows showed found reveals revealed mentions mentioned "
    "denied denies alleged alleges if unless because whether that when where while until since so although though "
    "rather instead"
)
"""What puts the rest of a sentence under a condition or into another's mouth."""
NEGATION = words("not never no nor without cannot can't don't doesn't didn't isn't aren't wasn't weren't won't hasn't")


def tokens(text: str) -> list[Word]:
    """The words and marks of a sentence."""
    return [Word(*match.span(), match[0], match[0].lower().replace("’", "'")) for match in _TOKEN.finditer(text)]


def finite(words: list[Word], at: int) -> bool:
    """Whether the word at an index can be the finite verb of a clause."""
    word, before = words[at].lower, words[at - 1].lower if at else ""
    if word in verbs.AUXILIARIES:
        return before != "to"
    if word in verbs.SHORTENED:
        return True
    if before in DETERMINERS or before in PREPOSITIONS or before.endswith("'s") or before in ("and", "very", "more"):
        return before in SUBJECTS and (word in verbs.THIRD or verbs.is_past(word) or word in verbs.BASES)
    if not words[at].text[0].islower():
        return False
    if before in verbs.AUXILIARIES or before in NEGATION:
        return False
    if at and not _noun_like(words[at - 1]):
        return False
    if before in ("they", "we", "you", "i") or _is_plural(words, at - 1):
        return word in verbs.BASES or verbs.is_past(word)
    return word in verbs.THIRD or verbs.is_past(word)


def _noun_like(word: Word) -> bool:
    adverb = word.lower in ADVERBS or word.lower.endswith("ly")
    return word.text[0].isalnum() or word.text in (",", ")", "”") or adverb


def _is_plural(words: list[Word], at: int) -> bool:
    word = words[at].lower if at >= 0 else ""
    many = word.endswith("s") and not word.endswith(("ss", "us", "is", "'s"))
    return many and (at == 0 or words[at].text[0].islower())


def first_finite(words: list[Word], first: int, last: int) -> int | None:
    """The index of the verb of the clause that begins at `first`; words in brackets are skipped."""
    depth = 0
    for at in range(first, last):
        depth += (words[at].text in "([") - (words[at].text in ")]")
        if depth == 0 and (at > first or words[at].lower in verbs.SHORTENED) and finite(words, at):
            reduced = verbs.is_past(words[at].lower) and words[at].lower not in verbs.AUXILIARIES
            following = words[at + 1].lower if at + 1 < last else ""
            if reduced and following in ("by", "in", "on", "at", "as", "for", "to", "from"):
                later = _later_auxiliary(words, at + 1, last)
                if later is not None:
                    return later  # "the tower built in 1889 is …"
            return at
    return None


def _later_auxiliary(words: list[Word], first: int, last: int) -> int | None:
    """An auxiliary further on, before any mark or word that joins."""
    for at in range(first, last):
        if words[at].lower in verbs.AUXILIARIES:
            return at
        if words[at].lower in ("and", "but", "who", "which", "that") or words[at].text in ",;":
            return None
    return None
