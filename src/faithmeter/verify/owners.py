"""Things that a claim says are someone's, and the evidence someone else's.

"The emperor's residence", of "built as the residence of Tokugawa Ieyasu, the first shogun". Nothing is said where the
claim's owner stands anywhere in the evidence, or where the thing has several owners there, or that of a pronoun.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import JaroWinkler

from faithmeter.evidence.passages import stem, terms
from faithmeter.text import Span, sentences
from faithmeter.text.english import verbs
from faithmeter.text.english import word_tables as lexicon
from faithmeter.text.english.clause_words import PREPOSITIONS, Word, tokens
from faithmeter.verify.bound_numbers import LONGEST_CLAIM, LONGEST_EVIDENCE

_OFFICES = (
    ("emperor empress tsar czar", "king queen", "prince princess duke duchess earl baron", "shogun", "sultan", "pope",
     "bishop archbishop", "abbot", "president", "chancellor", "premier minister", "governor", "mayor", "sheriff"),
    ("landlord lessor", "tenant lessee"), ("buyer purchaser customer", "seller vendor supplier"),
    ("employer", "employee worker"), ("lender", "borrower"), ("insurer", "insured policyholder"), ("guest", "host"),
    ("teacher", "pupil student", "principal headmaster"), ("doctor physician surgeon", "nurse", "patient"),
    ("plaintiff claimant", "defendant accused", "prosecutor", "judge"), ("author writer", "publisher"),
)  # fmt: skip
"""What people are, where the others of a line are someone else; those in one string may be the same."""
_ROLES = {
    role: (line, group.split())
    for line, groups in enumerate(_OFFICES)
    for group in groups
    for role in group.split()
}  # fmt: skip
_ALIASES = lexicon.words(
    "uk britain british england english us usa america american states europe european eu netherlands holland dutch "
    "africa african asia asian antarctica earth world soviet russia russian china chinese france french wales welsh "
    "ireland irish denmark danish mr mrs ms dr sir lord lady god"
)
"""Names that have another name, hold many places or need one more name to tell who is meant."""
_NO_THINGS = lexicon.words(
    "number part parts kind use lack most some all one each many rest lot type sort amount level series group couple "
    "pair half side middle majority case time year years week month form name names example result piece range list "
    "version percent average total because instead none several both area areas city town village state county "
    "province country republic kingdom island municipality district region"
)
_SHORT = 2
"""Words of a name that such a word is not merely a part of, as of Bank of America."""
_NO_OWNERS = frozenset(lexicon.MONTHS) | lexicon.words(
    "monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow series everything nothing"
)
_ALIKE = 0.8
"""Two names with this Jaro-Winkler likeness may be one, spelt in two ways."""
_KIN = 3
"""Letters that names of one kin begin with: Japan, Japanese."""
_LEAST_SHARED = 2
"""Terms of the claim besides the thing that the sentence with the other owner must have."""
_PRONOUNS = lexicon.words("his her its their our my your whose")
_OTHERWISE = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|unlike|than|rather|instead|except|false|denied|denies)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_APPOSED = re.compile(r",\s(?:the|an?)((?:\s[\w-]{1,30}){1,4})")


class Misowned(NamedTuple):
    """A thing that the evidence says is another's."""

    owner: Span
    """Whose the claim says it is."""
    of: str
    """Whose it is in the evidence."""
    named: bool
    """Whether the claim names the owner, rather than saying what they are."""


class _Owned(NamedTuple):
    thing: str
    """The term of what is owned."""
    owner: Span
    about: frozenset[str]
    """The terms of the owner."""
    role: str
    """What the owner is, or ""."""
    name: str
    """The owner's name, or ""."""


class _Sentence(NamedTuple):
    text: str
    terms: frozenset[str]
    owned: tuple[_Owned, ...]
    of_pronouns: frozenset[str]
    """The terms after "his" and the like: whose they are is not known."""


def misowned(claim: str, evidence: str) -> Misowned | None:
    """The first thing of a claim that the evidence says is another's."""
    claim, evidence = claim[:LONGEST_CLAIM], evidence[:LONGEST_EVIDENCE]
    ours = [] if _OTHERWISE.search(claim) else list(_owned(claim))
    if not ours:
        return None
    held, said = frozenset(terms(evidence)), frozenset(terms(claim))
    for owned in ours:
        if owned.thing in held and owned.about and not _stands_in(owned, held):
            of = _other_owner(owned, said, _read(evidence))
            if of:
                return Misowned(owned.owner, of, bool(owned.name))
    return None


def _stands_in(owned: _Owned, held: frozenset[str]) -> bool:
    """Whether the owner, or one that may be called the same, stands in the evidence."""
    same = _ROLES[owned.role][1] if owned.role else []
    if not held.isdisjoint(owned.about | {stem(role) for role in same}):
        return True
    return bool(owned.name) and any(_kin(term, other) for term in owned.about for other in held)


def _kin(one: str, other: str) -> bool:
    return one[:_KIN] == other[:_KIN] or JaroWinkler.similarity(one, other) >= _ALIKE


def _other_owner(ours: _Owned, said: frozenset[str], read: Sequence[_Sentence]) -> str:
    """Whose the thing is in the evidence, if it is one other's there."""
    if any(ours.thing in sentence.of_pronouns for sentence in read):
        return ""
    others = [(sentence, theirs) for sentence in read for theirs in sentence.owned if theirs.thing == ours.thing]
    if len({theirs.about for _, theirs in others}) != 1:
        return ""
    near = [pair for pair in others if len((pair[0].terms & said) - {ours.thing}) >= _LEAST_SHARED]
    return next((theirs.owner.of(sentence.text) for sentence, theirs in near if _differ(ours, theirs)), "")


def _differ(ours: _Owned, theirs: _Owned) -> bool:
    """Whether two owners cannot be the same: two names, or two roles that exclude each other."""
    if ours.name and theirs.name:
        short = ours.name.isupper() or theirs.name.isupper()  # UN, of the United Nations
        return not (short and ours.name[0] == theirs.name[0])
    if not ours.role or not theirs.role or ours.name:
        return False
    (line, group), (other_line, other_group) = _ROLES[ours.role], _ROLES[theirs.role]
    return line == other_line and group != other_group


@lru_cache(maxsize=64)
def _read(evidence: str) -> tuple[_Sentence, ...]:
    read = []
    for span in sentences(evidence):
        text = span.of(evidence)
        words = tokens(text)
        after = (words[n + 1 : n + 4] for n, word in enumerate(words) if word.lower in _PRONOUNS)
        loose = frozenset(term for some in after for word in some for term in terms(word.text))
        read.append(_Sentence(text, frozenset(terms(text)), tuple(_owned(text)), loose))
    return tuple(read)


def _owned(text: str) -> Iterator[_Owned]:
    """What is whose: "X's Y" and "the Y of X", where X is a name or a role."""
    if "'s" not in text and "’s" not in text and " of " not in text:
        return
    words = tokens(text)
    for n, word in enumerate(words):
        thing, owner = "", []
        if word.lower.endswith("'s"):
            thing, owner = _thing(words[n + 1 : n + 5]), _owner_before(words[max(0, n - 4) : n + 1])
            if n == 0:
                owner = []  # "Today's": in capitals as any first word
        elif word.lower == "of" and n and words[n - 1].text.islower() and words[n - 1].text.isalpha():
            thing, owner = words[n - 1].lower, _owner_after(words[n + 1 : n + 10])
        if len(thing) > 3 and owner and thing not in _NO_THINGS:
            owned = _made(text, thing, owner)
            if owned:
                yield owned


def _made(text: str, thing: str, owner: Sequence[Word]) -> _Owned | None:
    genitive = owner[-1].lower.endswith("'s")
    span = Span(owner[0].start, owner[-1].end - 2 * genitive)
    written = [word.lower.removesuffix("'s") for word in owner if word.lower != "the"]
    role = written[-1] if written and written[-1] in _ROLES else ""
    name = ""
    if not role and owner[-1].text[:1].isupper():
        name = span.of(text).removeprefix("the ").removeprefix("The ")
        role = _apposed(text, span, written)
    bad = len(written) <= _SHORT and any(word in _ALIASES or word in _NO_OWNERS for word in written)
    head = terms(thing)
    if bad or not head or not (name or role):
        return None
    return _Owned(head[0], span, frozenset(terms(span.of(text))), role, name)


def _apposed(text: str, span: Span, written: Sequence[str]) -> str:
    """What someone named is, by what follows or leads the name: "Ieyasu, the first shogun", "Mayor Lee"."""
    match = _APPOSED.match(text, span.end)
    following = match[1].lower().split() if match else []
    return next((word for word in (*following, *written) if word in _ROLES), "")


def _thing(words: Sequence[Word]) -> str:
    """The last noun of what follows an owner: residence, of "main residence was built"."""
    thing = ""
    for word in words:
        if _ends(word) or (thing and _is_verb(word)):
            break
        thing = word.lower if word.text.islower() else ""
    return thing


def _owner_before(words: Sequence[Word]) -> list[Word]:
    """The name that the last word ends, or "the" and the role."""
    named = words[-1].text[:1].isupper()
    for n in range(len(words) - 2, -1, -1):
        if words[n].lower == "the":
            return list(words[n:])
        if named and not (words[n].text[:1].isupper() and words[n].text[0].isalpha() and not _ends(words[n])):
            return list(words[n + 1 :])
        if not named and _ends(words[n]):
            return []
    return list(words) if named else []


def _owner_after(words: Sequence[Word]) -> list[Word]:
    """The name or the role that words begin with, if it is not that of an owner in turn, or of a noun that follows."""
    first = 1 if words and words[0].lower == "the" else 0
    end = first
    while end < len(words) and words[end].text[:1].isupper():
        end += 1
        if end + 1 < len(words) and words[end].lower == "of" and words[end + 1].text[:1].isupper():
            end += 1  # Bank of America
    if end == first:
        role = next((n for n, word in enumerate(words[:5]) if word.lower in _ROLES), None)
        end = role + 1 if first and role and not any(map(_ends, words[1:role])) else first
    following = words[end] if end < len(words) else None
    if end == first or words[end - 1].lower.endswith("'s"):
        return []
    if following and (following.text in "'’:-/(" or not (_ends(following) or _is_verb(following))):
        return []
    if following and following.lower == "of":
        return []
    return list(words[:end])


def _ends(word: Word) -> bool:
    """Whether a word cannot stand within the name of something."""
    return word.lower in PREPOSITIONS or word.lower in lexicon.STOP_WORDS or not word.text[0].isalpha()


def _is_verb(word: Word) -> bool:
    return verbs.is_past(word.lower) or word.lower in verbs.THIRD or word.lower in verbs.AUXILIARIES
