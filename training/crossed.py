"""Rows that only the teacher labels, cut and joined out of others at the level of tokens.

What summarisers do wrong is to hang the end of one sentence on the start of another; what retrieval does wrong is to
leave a sentence out. Such rows cost nothing to make, and nobody but the teacher need say what holds in them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
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


def words_of(tokenizer: Tokenizer) -> Words:
    """Look the words up."""
    vocab = tokenizer.get_vocab()
    return Words(
        frozenset(vocab[word] for word in JOINTS & vocab.keys()), frozenset(vocab[end] for end in ENDS & vocab.keys()),
        vocab["."],
        frozenset(number for piece, number in vocab.items() if piece.startswith("##")),
        frozenset(number for piece, number in vocab.items() if piece.isdecimal()),
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


def crossed(rng: random.Random, row: Parts, near: Parts, words: Words) -> Parts | None:
    """One new row of a row; None if it can't be cut."""
    sentences = cut(row.evidence, words)
    kind = rng.random()
    if kind < 0.3:
        claim = joined(rng, rng.sample([row.claim, rng.choice(sentences)], 2), words)
    elif kind < 0.6 and len(sentences) > 1:
        claim = joined(rng, rng.sample(sentences, 2), words)
    elif kind < 0.68:
        claim = list(rng.choice(sentences))
    elif kind < 0.78:
        claim = other_number(rng, row, words)
    elif kind < 0.85:
        claim = near.claim
    else:
        left = rng.sample(range(len(sentences)), rng.randint(1, max(1, len(sentences) // 2)))
        evidence = [token for number, one in enumerate(sentences) if number not in left for token in one]
        return row._replace(evidence=evidence) if evidence else None
    if claim is None or claim == row.claim or not SHORTEST <= len(claim) <= LONGEST:
        return None
    if claim[-1] not in words.ends:
        claim = [*claim, words.stop]
    return row._replace(claim=claim)


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


def other_number(rng: random.Random, row: Parts, words: Words) -> list[int] | None:
    """The claim with another number of the evidence for one of its own."""
    mine = [place for place, token in enumerate(row.claim) if token in words.digits]
    others = [token for token in row.evidence if token in words.digits]
    if not mine or not others:
        return None
    claim = list(row.claim)
    claim[rng.choice(mine)] = rng.choice(others)
    return claim
