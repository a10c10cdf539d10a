"""Rows cut and joined out of others: whole, unlabelled, and made of their own row's words."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

pytest.importorskip("torch")

from training.crossed import (
    Material,
    Words,
    both,
    cross,
    cut,
    denied,
    joined,
    material,
    neighbours,
    other_evidence,
    other_number,
    other_word,
    shortened,
    words_of,
)
from training.rows import CROSSED, LABELS, Row

EVIDENCE = (
    "Maria Ito was arrested in Porto on Monday. Joe Weir was born in Leeds and lives in York with his 3 sons. "
    "The harbour of Port Ellis was built in 1,871 days by a firm that no longer exists."
)
ROWS = [
    Row("Ito was held in Porto, where she was born in 1960.", "Who is she?", EVIDENCE, 1, [(23, 48)], "answered", 5),
    Row("Joe Weir has 3 sons who live in York.", "", EVIDENCE, 2, None, "answered", 5),
]


def test_crossed_rows_have_no_label_and_no_words_of_their_own() -> None:
    made = list(cross(ROWS, [40, 40], seed=7))
    assert made == list(cross(ROWS, [40, 40], seed=7))
    assert 30 < len(made) <= 82
    assert {(row.label, row.source, row.group, row.marks) for row in made} == {
        (LABELS.index("unlabelled"), CROSSED, -1, None)
    }
    known = {word.strip().lower() for row in ROWS for text in (row.claim, row.evidence) for word in words_of(text)}
    for row in made:
        assert {word.strip().lower() for word in words_of(row.claim)} <= {*known, "not", "and"}
        assert row.claim[0] == row.claim[0].upper()
    assert len({row.claim for row in made}) > 20
    assert {row.hint for row in made} == {"Who is she?", ""}


def test_the_claims_of_a_row_share_at_most_two_texts() -> None:
    texts = [{row.evidence for row in cross(ROWS, [0, 30], seed=seed)} for seed in range(12)]
    assert {len(one) for one in texts} == {1, 2}
    assert all(EVIDENCE in one for one in texts)


def test_a_row_that_is_not_asked_for_gives_none() -> None:
    assert {row.hint for row in cross(ROWS, [0, 30], seed=1)} == {""}


def test_words_come_together_again_as_they_were() -> None:
    text = "He paid $1,099.50 (not 3:42 p.m.'s fee), didn't he? Well-known."
    assert "".join(words_of(text)) == text


def test_sentences_are_joined_at_a_word_they_share() -> None:
    first, second, third = cut(words_of(EVIDENCE))
    rng = random.Random(3)
    found = {"".join(claim) for _ in range(40) if (claim := joined(rng, [first, third]))}
    assert "Maria Ito was arrested in 1,871 days by a firm that no longer exists." in found
    assert joined(rng, [first[:3], second]) is None


@pytest.mark.parametrize(
    ("make", "some"),
    [
        (other_number, {"Ito was held in Porto, where she was born in 1,871."}),
        (other_word, {"Ito was held in Ellis, where she was born in 1960."}),
        (denied, {"Ito was not held in Porto, where she was born in 1960."}),
        (denied, {"Maria Ito was not arrested in Porto on Monday."}),
        (shortened, {"Ito was held in 1960.", "Ito was held in Porto, where she was born"}),
        (both, {"Ito was held in Porto, where she was born in 1960 and Joe Weir has 3 sons who live in York"}),
        (neighbours, {"Joe Weir has 3 sons who live in York."}),
    ],
)
def test_claims_are_made_anew(make: Callable[[random.Random, Material], Words | None], some: set[str]) -> None:
    rng, given = random.Random(5), material(*ROWS)
    made = {"".join(claim).strip() for _ in range(300) if (claim := make(rng, given))}
    assert some <= made
    assert len(made) < 80


def test_evidence_is_shortened_shuffled_or_a_neighbours() -> None:
    near = ROWS[1]._replace(evidence="York is old.")
    rng, given = random.Random(5), material(ROWS[0], near)
    made = {other for _ in range(100) if (other := other_evidence(rng, given, near))}
    assert near.evidence in made
    assert any(sorted(words_of(one)) != sorted(words_of(EVIDENCE)) and one != near.evidence for one in made)
    assert any(len(one) == len(EVIDENCE) for one in made)
    assert EVIDENCE not in made


def test_a_decimal_point_ends_no_sentence() -> None:
    first, second = cut(words_of("Sales rose by 3.5 million in May. Costs fell fast."))
    assert "".join(first) == "Sales rose by 3.5 million in May."
    assert "".join(second) == " Costs fell fast."
