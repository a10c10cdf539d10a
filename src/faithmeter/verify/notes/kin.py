"""How people of the evidence are related, written into the text that the network reads.

A small network cannot put links together: that Inka, Milo's daughter, is the granddaughter of Milo's father. Code
composes what the evidence says in closed forms, and writes what follows, "(so Inka is Silvan's granddaughter)", or "(so
Inka is no niece of Silvan)" where the claim has another word for it. What a claim makes of it stays the network's to
judge, and where anything about someone is unclear, nothing is written of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from faithmeter.text.english import word_tables as lexicon
from faithmeter.text.english.clause_words import Word, tokens
from faithmeter.text.english.kinship import INVERSE, KIN, ONE, called
from faithmeter.text.english.mentions import OPENERS
from faithmeter.verify.bound_numbers import LONGEST_CLAIM, LONGEST_EVIDENCE
from faithmeter.verify.notes.families import Family, Kinship, read_family

_AT_MOST = 3
"""Notes for a claim."""
_KIN_WORD = re.compile(rf"\b(?:{'|'.join(sorted(KIN, key=len, reverse=True))})\b", re.IGNORECASE)
_WEDDING = re.compile(r"\bmarr(?:y|ied|ies)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:he|she|his|her|him)\b", re.IGNORECASE)
_GLUE = lexicon.words(
    "is was are were a an the of to and also has had called named , . younger elder older not once really actually "
    "full own late became becomes both ' 's"
)
"""What a claim has besides two people and a word for a relative, if it says no more than how they are related."""
_NEAR = 5
"""Words between someone and what relative they are."""
_LOOSE = {"half-sibling": "sibling", "sibling": "half-sibling"}
"""What one may be called though one is the other."""
_NO_OTHER = ("mother", "father")
"""Relatives that someone has one of: without a name, they still are nobody else."""
_STOP = re.compile(r"[.;!?](?=\s|$)|\n|$")


class _Named(NamedTuple):
    """Where a claim names someone: from one word up to another."""

    person: str
    start: int
    end: int


class _Said(NamedTuple):
    """What a claim says two people are to each other."""

    person: str
    other: str
    word: str
    has: bool
    """Whether it says that there is such a relative, of whom another may have the name."""


def with_kin(evidence: str, claim: str, hint: str = "") -> str:
    """The evidence, with what follows from its family links in brackets behind the sentences that complete them."""
    if len(claim) > LONGEST_CLAIM or len(evidence) > LONGEST_EVIDENCE or not _KIN_WORD.search(claim):
        return evidence
    if not (_KIN_WORD.search(evidence) or _WEDDING.search(evidence)):
        return evidence
    notes: dict[int, dict[str, None]] = defaultdict(dict)
    for end, note in _notes(read_family(evidence), claim, hint):
        stop = _STOP.search(evidence, end)
        notes[stop.start() if stop else len(evidence)][note] = None
    parts, last = [], 0
    for at, some in sorted(notes.items()):
        parts += [evidence[last:at], f" (so {', '.join(some)})"]
        last = at
    return "".join((*parts, evidence[last:]))


def _notes(family: Family, claim: str, hint: str) -> Iterator[tuple[int, str]]:
    """What two are to each other of whom the claim says no more than that; else what is of the kind it speaks of."""
    words = tokens(claim)
    named = _people(family, words)
    if said := _said(words, named):
        for kinship in (*family.derived, *family.said):
            if (kinship.person, kinship.other) == (said.person, said.other):
                note = _answer(family, kinship, said, claim)
                if note:
                    yield kinship.end, note
        return
    some = {one.person for one in named}
    if len(some) < 2 and _PRONOUN.search(claim):
        some |= {one.person for one in _people(family, tokens(hint))}
    asked = {KIN[word.lower].relation for word in words if word.lower in KIN}
    asked |= {INVERSE.get(relation, relation) for relation in asked}
    for kinship in _asked(family, some, asked, claim):
        yield kinship.end, _written(family, kinship, called(kinship.relation, family.genders.get(kinship.other)), claim)


def _asked(family: Family, some: set[str], asked: set[str], claim: str) -> list[Kinship]:
    """Of two people or more that are named, what they are to each other, of one what others are to them."""
    best: dict[frozenset[str], Kinship] = {}
    for kinship in sorted(family.derived, key=lambda kinship: _unlike(family, kinship, claim)):
        both = frozenset((kinship.person, kinship.other))
        clear = all(one in family.names or family.unnamed.get(one, ("", ""))[1] in _NO_OTHER for one in both)
        if kinship.relation in asked and clear and (both <= some if len(some) > 1 else both & some):
            best.setdefault(both, kinship)
    return sorted(best.values(), key=lambda kinship: kinship.end)[:_AT_MOST]


def _unlike(family: Family, kinship: Kinship, claim: str) -> tuple[bool, bool]:
    """Sorts first how a claim puts it."""
    gender = family.genders.get(kinship.other)
    return called(kinship.relation, gender) not in claim, not gender


def _people(family: Family, words: Sequence[Word]) -> list[_Named]:
    """Where a text names people of the evidence."""
    found = []
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and words[end].text[0].isupper() and words[end].lower not in OPENERS:
            end += 1
            if words[end - 1].lower.endswith("'s"):
                break
        run = frozenset(re.sub("['’]s$", "", word.text) for word in words[at:end])
        if run and (person := _called_so(family, run)):
            found.append(_Named(person, at, end))
        at = max(end, at + 1)
    return found


def _called_so(family: Family, run: frozenset[str]) -> str:
    """Who has a name with all these words, or one of some of them, if that is one person."""
    whole, part = (
        [person for person, names in family.names.items() if any(fits(frozenset(name.split())) for name in names)]
        for fits in (run.issubset, run.issuperset)
    )
    fit = whole or part
    return fit[0] if len(fit) == 1 else ""


def _said(words: Sequence[Word], named: Sequence[_Named]) -> _Said | None:
    """The claim as "X is Y's uncle", in whatever order, if two people stand in it like that."""
    for one, other in pairwise(named):
        near = range(max(0, one.start - _NEAR), min(len(words), other.end + _NEAR))
        kin = [at for at in near if words[at].lower in KIN]
        if len(kin) != 1 or one.person == other.person:
            continue
        taken = {*kin, *range(one.start, one.end), *range(other.start, other.end)}
        rest = [words[at].lower for at in range(min(taken), max(taken) + 1) if at not in taken]
        if not _GLUE.issuperset(rest):
            continue
        word, has = words[kin[0]].lower, not {"has", "had"}.isdisjoint(rest)
        for owner, relative in ((one, other), (other, one)):
            possessed = words[owner.end - 1].lower.endswith("'s") and kin[0] >= owner.end
            of = kin[0] < owner.start and words[owner.start - 1].lower in ("of", "to")
            if possessed or of or (owner is one and has and one.end <= kin[0] < other.start):
                return _Said(owner.person, relative.person, word, has)
        if word in ONE and KIN[word].relation not in INVERSE and "and" in rest and kin[0] >= other.end:
            return _Said(one.person, other.person, word, has=False)
    return None


def _answer(family: Family, kinship: Kinship, said: _Said, claim: str) -> str:
    """What is so of two people of whom the claim says something."""
    term, gender = KIN[said.word], family.genders.get(kinship.other)
    same_gender = term.plural or not gender or not term.gender or gender == term.gender
    if ONE.get(said.word, said.word) in ("widow", "widower", "twin"):
        return ""
    if term.relation == kinship.relation and same_gender:
        return _written(family, kinship, called(kinship.relation, gender or term.gender), claim)
    if said.has or _LOOSE.get(term.relation) == kinship.relation:
        return ""
    word, person = ONE.get(said.word, said.word), _shown(family, kinship.person, claim)
    return f"{_shown(family, kinship.other, claim)} is no {word} of {person}"


def _written(family: Family, kinship: Kinship, word: str, claim: str) -> str:
    return f"{_shown(family, kinship.other, claim)} is {_shown(family, kinship.person, claim)}'s {word}"


def _shown(family: Family, person: str, claim: str) -> str:
    """Someone's name, as the claim has it if it does."""
    if names := family.names.get(person):
        return max(names, key=lambda name: (name in claim, len(name)))
    owner, word = family.unnamed.get(person, ("", ""))
    return f"{_shown(family, owner, claim)}'s {word}" if owner else person
