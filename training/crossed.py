"""Rows that only the teacher labels, cut and joined out of others at the level of tokens.

What summarisers do wrong is to hang the end of one sentence on the start of another; what retrieval does wrong is to
leave a sentence out. Such rows cost nothing to make, and nobody but the teacher need say what holds in them. There can
be so many of them that a student sees each but once or twice, and has nothing to learn by heart.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tokenizers import Tokenizer

from training.fit import UNLABELLED
from training.rows import CROSSED
from training.tokens import UNKNOWN_MARK, Encoded, Parts, in_processes, lay_out, load_tokenizer

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
"""Words with ids from here on are rare: the vocabulary is in order of frequency."""
ENDS = {".", "!", "?", ";"}
SHORTEST, LONGEST = 5, 60
"""Tokens of a claim that is put together."""


class Words(NamedTuple):
    """What the ids of a tokenizer mean, as far as cutting needs it."""

    joints: frozenset[int]
    ends: frozenset[int]
    stop: int
    inner: frozenset[int]
    """Ids that go on a word."""
    digits: frozenset[int]
    verbs: frozenset[int]
    no: int
    too: int


def words_of(tokenizer: Tokenizer) -> Words:
    """Look the words up."""
    vocab = tokenizer.get_vocab()
    return Words(
        frozenset(vocab[word] for word in JOINTS & vocab.keys()), frozenset(vocab[end] for end in ENDS & vocab.keys()),
        vocab["."],
        frozenset(number for piece, number in vocab.items() if piece.startswith("##")),
        frozenset(number for piece, number in vocab.items() if piece.isdecimal()),
        frozenset(vocab[verb] for verb in VERBS & vocab.keys()), vocab["not"], vocab["and"],
    )  # fmt: skip


def cross(data: Encoded, copies: Sequence[int], tokenizer: Path, *, seed: int, part: int = 5_000) -> Encoded:
    """So many new rows of each row, in as many processes as there are cores."""
    wanted = np.flatnonzero(np.asarray(copies))
    cuts = [wanted[begin : begin + part] for begin in range(0, len(wanted), part)]
    some = [[(parts_of(data, row), parts_of(data, _near(data, row)), copies[row]) for row in cut] for cut in cuts]
    return in_processes(_cross_part, [(one, seed + number) for number, one in enumerate(some)], tokenizer)


def _near(data: Encoded, row: int) -> int:
    """A row near this one, of the same source: often, of the same context."""
    for other in (row + 1 + row % 3, row - 1 - row % 3):
        if 0 <= other < len(data) and data.sources[other] == data.sources[row]:
            return other
    return row


def parts_of(data: Encoded, row: int) -> Parts:
    """A row's ids, cut apart again."""
    ids = data.ids[data.starts[row] : data.starts[row + 1]].tolist()
    claim, hint = data.claim_ends[row], data.hint_ends[row]
    return Parts(ids[1 : claim - 1], ids[claim : hint - 1], ids[hint:-1])


def _cross_part(part: tuple[list[tuple[Parts, Parts, int]], int], tokenizer: Path) -> Encoded:
    """The new rows of some rows, without a label."""
    rows, seed = part
    loaded, rng = load_tokenizer(tokenizer), random.Random(seed)
    words = words_of(loaded)
    found = [crossed(rng, row, near, words) for row, near, count in rows for _ in range(count)]
    layout = lay_out([one for one in found if one is not None], loaded)
    count = len(layout.claim_ends)
    return Encoded(
        layout.ids, np.full(len(layout.ids), UNKNOWN_MARK, np.int8), layout.starts, layout.claim_ends,
        layout.hint_ends, np.full(count, UNLABELLED), np.ones(count, np.float32), np.full(count, -1),
        [CROSSED] * count,
    )  # fmt: skip


class Material(NamedTuple):
    """What a new claim is made of."""

    row: Parts
    near: Parts
    sentences: list[list[int]]
    words: Words


def crossed(rng: random.Random, row: Parts, near: Parts, words: Words) -> Parts | None:
    """One new row of a row, with another claim or other evidence; None if it can't be cut."""
    given = Material(row, near, cut(row.evidence, words), words)
    if rng.random() < OTHER_EVIDENCE:
        return with_other_evidence(rng, given)
    (make,) = rng.choices(list(CLAIMS), list(CLAIMS.values()))
    claim = make(rng, given)
    if claim is None or claim == row.claim or not SHORTEST <= len(claim) <= LONGEST:
        return None
    return row._replace(claim=claim if claim[-1] in words.ends else [*claim, words.stop])


def with_other_evidence(rng: random.Random, given: Material) -> Parts | None:
    """The row with some sentences of its evidence left out, with all in another order, or with its neighbour's."""
    sentences, kind = given.sentences, rng.random()
    if kind < 0.6:
        left = set(rng.sample(range(len(sentences)), rng.randint(1, max(1, len(sentences) // 2))))
        sentences = [one for number, one in enumerate(sentences) if number not in left]
    elif kind < 0.8:
        sentences = rng.sample(sentences, len(sentences))
    else:
        sentences = [given.near.evidence]
    evidence = [token for one in sentences for token in one]
    return given.row._replace(evidence=evidence) if evidence and evidence != given.row.evidence else None


def own_joined(rng: random.Random, given: Material) -> list[int] | None:
    """The claim and a sentence, one's start and the other's end."""
    return joined(rng, rng.sample([given.row.claim, rng.choice(given.sentences)], 2), given.words)


def two_joined(rng: random.Random, given: Material) -> list[int] | None:
    """Two sentences, one's start and the other's end."""
    return joined(rng, rng.sample(given.sentences, 2), given.words) if len(given.sentences) > 1 else None


def one_sentence(rng: random.Random, given: Material) -> list[int] | None:
    """A sentence of the evidence as it is."""
    return list(rng.choice(given.sentences))


def neighbours(rng: random.Random, given: Material) -> list[int] | None:
    """The claim of a row near by."""
    return given.near.claim


def other_number(rng: random.Random, given: Material) -> list[int] | None:
    """The claim with another number of the evidence for one of its own."""
    return _swapped(rng, given, lambda text, place: text[place] in given.words.digits)


def other_word(rng: random.Random, given: Material) -> list[int] | None:
    """The claim with another rare word of the evidence for one of its own."""
    inner, digits = given.words.inner, given.words.digits

    def is_rare(text: list[int], place: int) -> bool:
        whole = text[place] not in inner and not inner & {*text[place + 1 : place + 2]}
        return whole and text[place] >= RARE_FROM and text[place] not in digits

    return _swapped(rng, given, is_rare)


def _swapped(rng: random.Random, given: Material, wanted: Callable[[list[int], int], bool]) -> list[int] | None:
    claim, evidence = list(given.row.claim), given.row.evidence
    places = [place for place in range(len(claim)) if wanted(claim, place)]
    others = [evidence[place] for place in range(len(evidence)) if wanted(evidence, place)]
    if not places or not others:
        return None
    claim[rng.choice(places)] = rng.choice(others)
    return claim


def denied(rng: random.Random, given: Material) -> list[int] | None:
    """A claim or a sentence with a "not" more, or less."""
    claim, words = list(rng.choice([given.row.claim, rng.choice(given.sentences)])), given.words
    if words.no in claim:
        claim.remove(words.no)
        return claim
    verbs = [place for place, token in enumerate(claim) if token in words.verbs]
    if not verbs:
        return None
    place = rng.choice(verbs) + 1
    return [*claim[:place], words.no, *claim[place:]]


def shortened(rng: random.Random, given: Material) -> list[int] | None:
    """A claim or a sentence without what stands between two joints, or after one."""
    claim = rng.choice([given.row.claim, rng.choice(given.sentences)])
    places = sorted(place for one in _joints(claim, given.words).values() for place in one)
    if not places:
        return None
    begin = rng.choice(places)
    end = rng.choice([place for place in places if place > begin] or [len(claim)])
    return claim[:begin] + claim[end:]


def both(rng: random.Random, given: Material) -> list[int] | None:
    """The claim and a neighbour's in one sentence."""
    ends = given.words.ends
    first, second = (
        one[:-1] if one and one[-1] in ends else one for one in rng.sample([given.row.claim, given.near.claim], 2)
    )
    return [*first, given.words.too, *second]


OTHER_EVIDENCE = 0.18
CLAIMS = {
    own_joined: 27, two_joined: 25, one_sentence: 6, neighbours: 5, other_number: 8, other_word: 12, denied: 6,
    shortened: 6, both: 5,
}  # fmt: skip
"""How a new claim is made, and how often."""


def cut(text: list[int], words: Words) -> list[list[int]]:
    """The sentences of a text, roughly."""
    found: list[list[int]] = [[]]
    for place, token in enumerate(text):
        found[-1].append(token)
        after = text[place + 1] if place + 1 < len(text) else None
        if token in words.ends and after not in words.digits and len(found[-1]) > 3:
            found.append([])
    return [one for one in found if one] or [[]]


def joined(rng: random.Random, two: list[list[int]], words: Words) -> list[int] | None:
    """The start of one sentence and the end of another that share a word where they can be joined."""
    one, other = two
    here = _joints(one, words)
    there = _joints(other, words)
    shared = [token for token in here if token in there]
    if not shared:
        return None
    token = rng.choice(shared)
    return one[: rng.choice(here[token])] + other[rng.choice(there[token]) :]


def _joints(text: list[int], words: Words) -> dict[int, list[int]]:
    """Where each joint stands; not at the ends."""
    found: dict[int, list[int]] = {}
    for place in range(2, len(text) - 2):
        if text[place] in words.joints and text[place + 1] not in words.inner:
            found.setdefault(text[place], []).append(place)
    return found
