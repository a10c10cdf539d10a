"""Rows that only the teacher labels, cut and joined out of others' words.

What summarisers do wrong is to hang the end of one sentence on the start of another; what retrieval does wrong is to
leave a sentence out. Such rows cost nothing to make, and nobody but the teacher need say what holds in them. There can
be so many of them that a student sees each but once or twice, and has nothing to learn by heart. The rows made of one
row share its evidence, or one other, so that a teacher which reads a text once for all claims has little to read.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from training.rows import CROSSED, LABELS, Row
from training.tokens import load_tokenizer

JOINTS = {
    "in", "on", "at", "by", "for", "with", "from", "to", "of", "and", "or", "but", "that", "who", "which", "whose",
    "where", "when", "while", "after", "before", "until", "since", "because", "although", "during", "under", "over",
    "into", "than", "as", "was", "were", "is", "are", "has", "have", "had", "will", "would", "can", "may", "said",
    "says", "about", "between", ",",
}  # fmt: skip
"""Words where one sentence can go on as another."""
VERBS = {"is", "was", "are", "were", "has", "have", "had", "can", "could", "may", "will", "would", "should", "must"}
"""Words that a "not" can follow."""
RARE_FROM = 2600
"""Words with ids from here on are rare: the tokenizer's vocabulary is in order of frequency."""
ENDS = {".", "!", "?", ";"}
SHORTEST, LONGEST = 4, 55
"""Words of a claim that is put together."""
OTHER_EVIDENCE, OF_IT = 0.5, 0.4
"""How often a row has other evidence too, and how many of its claims are about that."""
_WORD = re.compile(r"\s?\w+(?:[-.,:/'’]\w+)*|\s?[^\w\s]")
Words = list[str]
"""The words of a text in their order, each with the space before it."""


def words_of(text: str) -> Words:
    """Cut a text into words and marks."""
    return _WORD.findall(text)


def bare(word: str) -> str:
    """A word as it is looked up."""
    return word.strip().lower()


@lru_cache(maxsize=1)
def frequent() -> frozenset[str]:
    """The words that are not rare."""
    from faithmeter.verify.local import WEIGHTS

    vocab = load_tokenizer(WEIGHTS / "tokenizer.json").get_vocab()
    return frozenset(word for word, number in vocab.items() if number < RARE_FROM)


def cross(rows: Sequence[Row], copies: Sequence[int], *, seed: int) -> Iterator[Row]:
    """So many new rows of each row, without a label."""
    rng = random.Random(seed)
    for number, count in enumerate(copies):
        if count:
            yield from crossed(rng, rows[number], _near(rows, number), count)


def _near(rows: Sequence[Row], number: int) -> Row:
    """A row near this one, of the same source: often, of the same context."""
    for other in (number + 1 + number % 3, number - 1 - number % 3):
        if 0 <= other < len(rows) and rows[other].source == rows[number].source:
            return rows[other]
    return rows[number]


class Material(NamedTuple):
    """What a new claim is made of."""

    claim: Words
    near: Words
    """The claim of a row near by."""
    evidence: Words
    sentences: list[Words]


def material(row: Row, near: Row) -> Material:
    """The words of a row and of one near by."""
    evidence = words_of(row.evidence)
    return Material(words_of(row.claim), words_of(near.claim), evidence, cut(evidence))


def crossed(rng: random.Random, row: Row, near: Row, count: int) -> Iterator[Row]:
    """New rows of a row, with another claim or other evidence; fewer where it can't be cut."""
    given, done = material(row, near), {row.claim}
    other = other_evidence(rng, given, near) if rng.random() < OTHER_EVIDENCE else None
    plain = Row("", row.hint, row.evidence, LABELS.index("unlabelled"), None, CROSSED)
    if other:
        yield plain._replace(claim=row.claim, evidence=other)
    for _ in range(count):
        (make,) = rng.choices(list(CLAIMS), list(CLAIMS.values()))
        claim = make(rng, given)
        if claim is None or not SHORTEST <= len(claim) <= LONGEST:
            continue
        text = "".join(claim if bare(claim[-1]) in ENDS else [*claim, "."]).strip()
        text = text[0].upper() + text[1:]
        if text not in done:
            done.add(text)
            yield plain._replace(claim=text, evidence=other if other and rng.random() < OF_IT else row.evidence)


def other_evidence(rng: random.Random, given: Material, near: Row) -> str | None:
    """The evidence with some sentences left out or with all in another order, or the neighbour's."""
    sentences, kind = given.sentences, rng.random()
    if kind < 0.65:
        left = set(rng.sample(range(len(sentences)), rng.randint(1, max(1, len(sentences) // 2))))
        sentences = [one for number, one in enumerate(sentences) if number not in left]
    elif kind < 0.85:
        sentences = rng.sample(sentences, len(sentences))
        if sentences == given.sentences:
            return None
    else:
        return near.evidence
    return " ".join("".join(one).strip() for one in sentences) or None


def own_joined(rng: random.Random, given: Material) -> Words | None:
    """The claim and a sentence, one's start and the other's end."""
    return joined(rng, rng.sample([given.claim, rng.choice(given.sentences)], 2))


def two_joined(rng: random.Random, given: Material) -> Words | None:
    """Two sentences, one's start and the other's end."""
    return joined(rng, rng.sample(given.sentences, 2)) if len(given.sentences) > 1 else None


def one_sentence(rng: random.Random, given: Material) -> Words | None:
    """A sentence of the evidence as it is."""
    return list(rng.choice(given.sentences))


def neighbours(rng: random.Random, given: Material) -> Words | None:
    """The claim of a row near by."""
    return given.near


def other_number(rng: random.Random, given: Material) -> Words | None:
    """The claim with another number of the evidence for one of its own."""
    return _swapped(rng, given, lambda word: word[0].isdecimal())


def other_word(rng: random.Random, given: Material) -> Words | None:
    """The claim with another rare word of the evidence for one of its own."""
    return _swapped(rng, given, lambda word: word[0].isalpha() and word not in frequent())


def _swapped(rng: random.Random, given: Material, wanted: Callable[[str], bool]) -> Words | None:
    claim = list(given.claim)
    places = [place for place, word in enumerate(claim) if wanted(bare(word))]
    others = [word for word in given.evidence if wanted(bare(word))]
    if not places or not others:
        return None
    place = rng.choice(places)
    claim[place] = claim[place][: -len(claim[place].lstrip())] + rng.choice(others).strip()
    return claim


def denied(rng: random.Random, given: Material) -> Words | None:
    """A claim or a sentence with a "not" more, or less."""
    claim = list(rng.choice([given.claim, rng.choice(given.sentences)]))
    if " not" in claim:
        claim.remove(" not")
        return claim
    verbs = [place for place, word in enumerate(claim) if bare(word) in VERBS]
    if not verbs:
        return None
    place = rng.choice(verbs) + 1
    return [*claim[:place], " not", *claim[place:]]


def shortened(rng: random.Random, given: Material) -> Words | None:
    """A claim or a sentence without what stands between two joints, or after one."""
    claim = rng.choice([given.claim, rng.choice(given.sentences)])
    places = sorted(place for one in _joints(claim).values() for place in one)
    if not places:
        return None
    begin = rng.choice(places)
    end = rng.choice([place for place in places if place > begin] or [len(claim)])
    return claim[:begin] + claim[end:]


def both(rng: random.Random, given: Material) -> Words | None:
    """The claim and a neighbour's in one sentence."""
    first, second = (
        one[:-1] if one and bare(one[-1]) in ENDS else one for one in rng.sample([given.claim, given.near], 2)
    )
    return [*first, " and", f" {second[0].strip()}", *second[1:]] if second else None


CLAIMS = {
    own_joined: 27, two_joined: 22, one_sentence: 7, neighbours: 6, other_number: 8, other_word: 13, denied: 7,
    shortened: 8, both: 5,
}  # fmt: skip
"""How a new claim is made, and how often."""


def cut(text: Words) -> list[Words]:
    """The sentences of a text, roughly."""
    found: list[Words] = [[]]
    for word in text:
        found[-1].append(word)
        if bare(word) in ENDS and len(found[-1]) > 3:
            found.append([])
    return [one for one in found if one] or [[]]


def joined(rng: random.Random, two: list[Words]) -> Words | None:
    """The start of one sentence and the end of another that share a word where they can be joined."""
    one, other = two
    here, there = _joints(one), _joints(other)
    shared = [word for word in here if word in there]
    if not shared:
        return None
    word = rng.choice(shared)
    return one[: rng.choice(here[word])] + other[rng.choice(there[word]) :]


def _joints(text: Words) -> dict[str, list[int]]:
    """Where each joint stands; not at the ends."""
    found: dict[str, list[int]] = {}
    for place in range(2, len(text) - 2):
        if (word := bare(text[place])) in JOINTS:
            found.setdefault(word, []).append(place)
    return found
