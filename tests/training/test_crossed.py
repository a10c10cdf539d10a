"""Rows cut and joined out of others: whole, unlabelled, and made of their own row's words."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("torch")

from faithmeter.verify.local import WEIGHTS
from training.crossed import (
    Material,
    both,
    cross,
    cut,
    denied,
    joined,
    neighbours,
    other_number,
    other_word,
    parts_of,
    shortened,
    with_other_evidence,
    words_of,
)
from training.fit import UNLABELLED
from training.rows import CROSSED, Row
from training.tokens import encode_rows, load_tokenizer

TOKENIZER = WEIGHTS / "tokenizer.json"
EVIDENCE = (
    "Maria Ito was arrested in Porto on Monday. Joe Weir was born in Leeds and lives in York with his 3 sons. "
    "The harbour of Port Ellis was built in 1871 by a firm that no longer exists."
)
ROWS = [
    Row("Ito was held in Porto, where she was born in 1960.", "Who is she?", EVIDENCE, 1, [(23, 48)], "answered", 5),
    Row("Joe Weir has 3 sons who live in York.", "", EVIDENCE, 2, None, "answered", 5),
]


def test_crossed_rows_have_the_layout_of_others_and_no_label() -> None:
    tokenizer = load_tokenizer(TOKENIZER)
    data, added = encode_rows(ROWS, tokenizer), words_of(tokenizer)[-2:]
    made = cross(data, [40, 40], TOKENIZER, seed=7)
    again = cross(data, [40, 40], TOKENIZER, seed=7)
    np.testing.assert_array_equal(made.ids, again.ids)
    assert 30 < len(made) <= 80
    assert set(made.labels.tolist()) == {UNLABELLED}
    assert set(made.sources) == {CROSSED}
    assert set(made.groups.tolist()) == {-1}
    known = {*data.ids.tolist(), *added}
    claims = set()
    for row in range(len(made)):
        parts = parts_of(made, row)
        assert {*parts.claim, *parts.hint, *parts.evidence} <= known
        claims.add(tuple(parts.claim))
    assert len(claims) > 20
    assert len({tuple(parts_of(made, row).evidence) for row in range(len(made))}) > 2  # some lack sentences


def test_a_row_that_is_not_asked_for_gives_none() -> None:
    data = encode_rows(ROWS, load_tokenizer(TOKENIZER))
    hints = {tuple(parts_of(cross(data, [0, 30], TOKENIZER, seed=1), row).hint) for row in range(5)}
    assert hints == {()}


def test_sentences_are_joined_at_a_word_they_share() -> None:
    tokenizer = load_tokenizer(TOKENIZER)
    words = words_of(tokenizer)
    ids = tokenizer.encode(EVIDENCE, add_special_tokens=False).ids
    first, second, third = cut(ids, words)
    rng = random.Random(3)
    found = {tokenizer.decode(claim) for _ in range(40) if (claim := joined(rng, [first, third], words))}
    assert "maria ito was arrested in 1871 by a firm that no longer exists." in found
    assert joined(rng, [first[:3], second], words) is None


@pytest.mark.parametrize(
    ("make", "some"),
    [
        (other_number, {"ito was held in porto, where she was born in 1871."}),
        (other_word, {"ito was held in ellis, where she was born in 1960."}),
        (denied, {"ito was not held in porto, where she was born in 1960."}),
        (denied, {"maria ito was not arrested in porto on monday."}),
        (shortened, {"ito was held in 1960.", "ito was held in porto, where she was born"}),
        (both, {"ito was held in porto, where she was born in 1960 and joe weir has 3 sons who live in york"}),
        (neighbours, {"joe weir has 3 sons who live in york."}),
    ],
)
def test_claims_are_made_anew(make: Callable[[random.Random, Material], list[int] | None], some: set[str]) -> None:
    tokenizer = load_tokenizer(TOKENIZER)
    words, (row, near) = words_of(tokenizer), (parts_of(encode_rows(ROWS, tokenizer), number) for number in (0, 1))
    rng, given = random.Random(5), Material(row, near, cut(row.evidence, words), words)
    made = {tokenizer.decode(claim) for _ in range(300) if (claim := make(rng, given))}
    assert some <= made
    assert len(made) < 80


def test_evidence_is_shortened_shuffled_or_a_neighbours() -> None:
    tokenizer = load_tokenizer(TOKENIZER)
    words, data = words_of(tokenizer), encode_rows([ROWS[0], ROWS[1]._replace(evidence="York is old.")], tokenizer)
    row, near = parts_of(data, 0), parts_of(data, 1)
    rng, given = random.Random(5), Material(row, near, cut(row.evidence, words), words)
    made = {tuple(other.evidence) for _ in range(100) if (other := with_other_evidence(rng, given))}
    assert tuple(near.evidence) in made
    assert any(sorted(one) == sorted(row.evidence) for one in made)
    assert any(len(one) < len(row.evidence) and one != tuple(near.evidence) for one in made)
    assert tuple(row.evidence) not in made


def test_a_decimal_point_ends_no_sentence() -> None:
    tokenizer = load_tokenizer(TOKENIZER)
    ids = tokenizer.encode("Sales rose by 3.5 million in May. Costs fell.", add_special_tokens=False).ids
    assert next(tokenizer.decode(one) for one in cut(ids, words_of(tokenizer))).endswith("may.")
