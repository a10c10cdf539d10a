"""Which of two things has more, or which of several has most, written into the text that the network reads.

A small network cannot compare: "the Vega costs 340 euros, the Altair 410" says as much to it for "the Vega is cheaper"
as for "the Vega is dearer". Code compares, and writes "(so the Vega is cheaper than the Altair)" behind the second
amount; what that means for the claim stays the network's to judge. Only the text that it reads is changed, and only
where both amounts clearly are of the same kind and each of its own thing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from faithmeter.evidence.passages import stem, terms
from faithmeter.text.english import verbs
from faithmeter.text.english import word_tables as lexicon
from faithmeter.text.english.clause_words import PREPOSITIONS
from faithmeter.verify.bound_numbers import LONGEST_CLAIM, LONGEST_EVIDENCE
from faithmeter.verify.notes.order_amounts import Amount, Mention, Things, amounts, ranks, record_amounts
from faithmeter.verify.notes.order_claims import (
    COMPARES,
    GENERIC,
    NO_NOUN,
    OF_TWO,
    STOP,
    WORD,
    Asked,
    compared_in,
    last_part,
    leading_noun,
    nouns_of,
)
from faithmeter.verify.notes.order_words import BEGUN, NOUNS_OF_SCALES, Degree

_SET = re.compile(r"\b(?:of|among|all) (?:the |these |all )?(two|three|four|five|six|seven|eight)\b", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:and|but|yet|while|although|though|so|because)\b|;", re.IGNORECASE)
_CONFLICTS = {
    scale: lexicon.words(words)
    for scale, words in {
        "height": "height tall high", "altitude": "height tall high elevation altitude", "length": "length long",
        "depth": "depth deep", "width": "width wide broad across", "thickness": "thick thickness",
    }.items()
}  # fmt: skip
_MOST_NOTES = 3
_BEGUN = frozenset(terms(BEGUN))
_MONTHS = frozenset(stem(month) for month in lexicon.MONTHS)
_PREPOSITION = re.compile(rf"\b(?:{'|'.join(sorted(PREPOSITIONS))})\s(?:the\s|an?\s)?$", re.IGNORECASE)
_VERBS = ("cost", "weigh", "take", "took")
_LASTS = re.compile(r"\b(?:last(?:s|ed)?|takes?|took|wait(?:s|ed)?|seasons?|serv\w+|reign\w*|ran|runs|years?|times?)\b")


class _Case(NamedTuple):
    """What a claim compares, and what there is to tell it by."""

    asked: Asked
    claim: str
    things: Things
    found: Sequence[Amount]
    topic: frozenset[str]
    """What the claim says besides."""


class _Note(NamedTuple):
    end: int
    text: str


def with_orders(evidence: str, claim: str) -> str:
    """The evidence, with how the things that a claim compares stand to one another in brackets behind it."""
    if len(claim) > LONGEST_CLAIM or len(evidence) > LONGEST_EVIDENCE:
        return evidence
    asked = list(islice(compared_in(claim), _MOST_NOTES))
    if not asked:
        return evidence
    nouns = {noun for one in asked if one.right for noun in nouns_of(claim, one)}
    things = Things(claim, evidence, sorted(nouns))
    found = [*amounts(evidence, things, claim), *record_amounts(evidence, things), *ranks(evidence, things)]
    if not found:
        return evidence
    notes: dict[str, _Note] = {}
    for one in asked:
        case = _Case(one, claim, things, found, _topic(claim, one, things))
        if note := (_of_pair if one.right else _of_all)(case):
            notes.setdefault(note.text, note)
    if _JOINED.search(claim) and len(notes) < 2:
        return evidence  # a note on a part of what is said would speak for all of it
    parts, last = [], 0
    for note in sorted(list(notes.values())[:_MOST_NOTES]):
        end = note.end + (evidence[note.end : note.end + 1] == ")")
        parts += [evidence[last:end], f" ({note.text})"]
        last = end
    return "".join((*parts, evidence[last:]))


def _of_pair(case: _Case) -> _Note | None:
    """How two things compare that both are named, each with one amount: in the claim's word, of whichever it holds."""
    sides = _sides(case)
    if sides is None or sides[0].key == sides[1].key:
        return None
    pairs = [
        (degree, *pair) for degree in _scales(case.asked) if (pair := _pair(case, degree, sides[0].key, sides[1].key))
    ]
    if len({(mine.end, theirs.end) for _, mine, theirs in pairs}) != 1:
        return None
    degree, mine, theirs = pairs[0]
    apart = (mine.value - theirs.value) * _way(degree, mine.kind) * _sign(degree, case.asked)
    if not apart:
        return None
    one, other = (_shown(case.claim, side) for side in (sides if apart > 0 else sides[::-1]))
    return _Note(max(mine.end, theirs.end), f"so {_compared(one, other, degree, case.asked, mine.kind)}")


def _compared(one: str, other: str, degree: Degree | None, asked: Asked, kind: str) -> str:
    """What a note says of two things."""
    if degree is None:
        has = "have" if one[:1].islower() and one.endswith("s") else "has"
        return f"{one} {has} {asked.written} than {other}"
    word = degree.words[1]
    if asked.written.startswith(_VERBS):
        return f"{one} {asked.written} than {other}"
    if asked.noun:
        return f"{one} has the {word} {asked.noun}, not {other}"
    if kind.startswith("field ") and degree.words[0] in GENERIC and kind[6:] not in verbs.THIRD:
        return f"{one}'s {kind[6:]} is {word} than {other}'s"
    if degree.scale.name == "rank":
        return f"{one} {word} {other}"
    return f"{one} {'came' if degree.scale.name == 'time' else 'is'} {word} than {other}"


def _sign(degree: Degree | None, asked: Asked) -> int:
    return degree.sign if degree else -1 if asked.written.startswith(("few", "less")) else 1


def _of_all(case: _Case) -> _Note | None:
    """Which of all things that have such an amount has the most, if a claim names one of them."""
    for degree in _scales(case.asked):
        for kind in dict.fromkeys(amount.kind for amount in case.found):
            some = _of_each(case, degree, kind)
            owners = {amount.owner for amount in some}
            named = [mention for mention in case.things.claimed if mention.key in owners]
            if len({mention.key for mention in named}) != 1:
                continue
            sign = _way(degree, kind) * _sign(degree, case.asked)
            best = max(some, key=lambda amount: amount.value * sign)
            if [amount.value for amount in some].count(best.value) > 1:
                continue
            mine = _shown(case.claim, named[0])
            who = mine if best.owner == named[0].key else f"{best.shown or best.owner}, not {mine},"
            most = _is_most(degree, case.asked, of_two=len(owners) == 2)
            return _Note(max(amount.end for amount in some), f"so {who} {most}")
    return None


def _of_each(case: _Case, degree: Degree | None, kind: str) -> list[Amount]:
    """The amounts of a kind, if each thing has one of them, and as many things as the claim says."""
    size = _SET.search(case.claim) or OF_TWO.search(case.claim)
    count = 0 if not size else lexicon.SMALL[size[1].lower()] if size.lastindex else 2
    if not _fits(degree, kind, case):
        return []
    some = [amount for amount in case.found if amount.kind == kind and _is_of_scale(degree, amount)]
    owners = {amount.owner for amount in some}
    if "?" in owners or len(owners) < len({(amount.owner, amount.value) for amount in some}):
        return []
    if len(owners) < (2 if count == 2 else 3) or (count and count != len(owners)):
        return []
    return some if some and _is_asked(case, degree, some) else []


def _is_most(degree: Degree | None, asked: Asked, *, of_two: bool) -> str:
    if asked.written.startswith(_VERBS):
        return asked.written
    if asked.noun:
        return f"has the {asked.written} {asked.noun}"
    if degree and degree.scale.name == "time":
        return "came last" if degree.sign > 0 else "came first"
    return f"has the {asked.written}" if degree is None else f"is the {degree.words[1 if of_two else 2]}"


def _scales(asked: Asked) -> Sequence[Degree | None]:
    return asked.degrees or (None,)


def _way(degree: Degree | None, kind: str) -> int:
    if degree is None or kind.startswith("field "):
        return 1
    return degree.scale.dimensions.get(kind.partition(":")[0], 0)


def _fits(degree: Degree | None, kind: str, case: _Case) -> bool:
    """Whether amounts of a kind tell of a scale."""
    asked, claim = case.asked, case.claim
    if degree is None:
        return kind == f"count {asked.counted}" or (kind.startswith("field ") and asked.counted in terms(kind))
    if kind.startswith("field "):
        key = set(kind.split()[1:])
        if asked.noun:
            return set(asked.noun.split()) <= key
        if frozenset(terms(kind[6:])) <= frozenset(terms(claim)):
            return True
        return bool(key & degree.scale.nouns) and degree.scale.name not in ("speed", "age", "time")
    if degree.scale.name == "length" and (kind == "length") == bool(_LASTS.search(claim)):
        return False
    return _way(degree, kind) != 0


def _is_of_scale(degree: Degree | None, amount: Amount) -> bool:
    """Whether an amount is said with no word of another scale of its dimension."""
    if degree is None or degree.scale.name not in _CONFLICTS or amount.kind.startswith("field "):
        return True
    own = _CONFLICTS[degree.scale.name]
    return amount.words.isdisjoint(stem(word) for words in _CONFLICTS.values() for word in words - own)


def _topic(claim: str, asked: Asked, things: Things) -> frozenset[str]:
    """What a claim says besides the things and how they compare."""
    rest = list(claim)
    for mention in things.claimed:
        rest[mention.start : mention.end] = " " * (mention.end - mention.start)
    plain = _SET.sub(" ", COMPARES.sub(" ", "".join(rest)))
    nouns = set()
    if asked.right and not any(mention.end <= asked.right for mention in things.claimed):
        nouns |= {stem(word) for word in leading_noun(last_part(claim[: asked.start])).split()}
    if asked.right and not any(mention.start >= asked.right for mention in things.claimed):
        nouns |= {stem(word) for word in leading_noun(claim[asked.right :]).split()}
    return (
        frozenset(
            stem(word.lower())
            for word in WORD.findall(plain)
            if word.lower() not in NO_NOUN | NOUNS_OF_SCALES and len(word) > 2 and not word.endswith("ly")
        )
        - nouns
    )


def _said(topic: frozenset[str], words: frozenset[str]) -> bool:
    """Whether each word of a topic is among some, in any of its forms."""
    return {word[:4] for word in topic} <= {word[:4] for word in words}


def _sides(case: _Case) -> tuple[Mention, Mention] | None:
    """The thing before what compares, and the one after it."""
    asked, claim, things = case.asked, case.claim, case.things
    stop = STOP.search(claim, asked.right)
    end = stop.start() if stop else len(claim)
    begin = claim.rfind("; ", 0, asked.start) + 1
    before = [mention for mention in things.claimed if begin <= mention.start and mention.end <= asked.right]
    left = _subject(before, claim)
    right = [mention for mention in things.claimed if asked.right <= mention.start < end]
    if not before:
        left = _noun_at(claim, asked.start - len(last_part(claim[: asked.start])), asked.start)
    right = right or _noun_at(claim, asked.right, end)
    return (left[0], right[0]) if left and right else None


def _noun_at(claim: str, start: int, end: int) -> list[Mention]:
    noun = leading_noun(claim[start:end].lstrip(", "))
    at = claim.lower().find(noun, start) if noun else -1
    return [Mention(at, at + len(noun), noun)] if at >= 0 else []


def _subject(some: Sequence[Mention], claim: str) -> list[Mention]:
    """The first of some things that no preposition stands before, or the only one."""
    bare = [one for one in some if not _PREPOSITION.search(claim, 0, one.start)]
    return bare[:1] or (list(some) if len(some) == 1 else [])


def _pair(case: _Case, degree: Degree | None, one: str, other: str) -> tuple[Amount, Amount] | None:
    """The amounts of two things that tell how they compare, if there is one of each."""
    pairs = []
    for kind in {amount.kind for amount in case.found}:
        if not _fits(degree, kind, case):
            continue
        mine, theirs = (
            [a for a in case.found if a.owner == key and a.kind == kind and _is_of_scale(degree, a)]
            for key in (one, other)
        )
        if len({a.value for a in mine}) == 1 and len({a.value for a in theirs}) == 1:
            pairs.append((mine[0], theirs[0]))
        elif mine and theirs:
            return None
    return pairs[0] if len(pairs) == 1 and _is_asked(case, degree, pairs[0]) else None


def _is_asked(case: _Case, degree: Degree | None, some: Sequence[Amount]) -> bool:
    """Whether amounts are of what a claim is about, and dates each of the same event."""
    said = frozenset[str]().union(*(amount.words for amount in some))
    dated = degree is not None and some[0].kind in ("date", "year", "clock")
    return _said(case.topic, said) and not (dated and not all(_is_of_event(case, degree, amount) for amount in some))


def _is_of_event(case: _Case, degree: Degree | None, amount: Amount) -> bool:
    """Whether a date is said with what a claim tells of, or with nothing else: "Paris in 1970"."""
    rest = {word for word in amount.words - set(terms(amount.owner)) if not word[0].isdigit()} - _MONTHS
    if not rest:
        return True
    if not case.topic and degree is not None and degree.scale.name == "age":
        return not rest.isdisjoint(_BEGUN)
    return _said(case.topic, amount.words)


def _shown(claim: str, mention: Mention) -> str:
    """A thing as a claim names it, with its article."""
    text = re.sub(r"['’]s?$", "", claim[mention.start : mention.end])
    article = re.search(r"\b(the|our) $", claim[: mention.start], re.IGNORECASE)
    if mention.key in text and mention.start == (article.start() if article else 0):
        text = text.lower()
    return f"{article[1].lower()} {text}" if article else text
