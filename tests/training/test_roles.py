"""Rows on who did what to whom."""

from __future__ import annotations

import random

import numpy as np
import pytest

from training import steps
from training.deeds import BODIES, MIXED, PEOPLE, make_deeds
from training.roles import acts, by_pronoun, exchanged, kind_of, pieces, readings
from training.rows import Row
from training.tokens import encode_rows, load_tokenizer
from training.voice import parse

TEXT = "Ann Lee hired Tom Ray in 2010. Lee praised Ray."


@pytest.mark.parametrize(
    ("said", "other", "swapped"),
    [
        ("Ann Lee has hired Tom Ray.", "Tom Ray has been hired by Ann Lee.", "Tom Ray has hired Ann Lee."),
        ("He was later hired by Norvane.", "Norvane later hired him.", "Norvane was later hired by him."),
        ("Mike asks Ann to buy milk.", "Ann is asked by Mike to buy milk.", "Ann asks Mike to buy milk."),
        ("They had beaten Spain.", "Spain had been beaten by them.", "Spain had beaten them."),
    ],
)
def test_a_clause_is_turned_and_swapped(said: str, other: str, swapped: str) -> None:
    clause = parse(said)
    assert clause is not None
    assert clause.said(passive=clause.passive) == said
    assert clause.said(passive=not clause.passive) == other
    assert clause.said(passive=clause.passive, swapped=True) == swapped


def test_who_can_act() -> None:
    assert [acts(phrase) for phrase in ("she", "Tom Ray", "the teacher", "a dog", "the book", "the water")] == [
        True, True, True, True, False, False,
    ]  # fmt: skip


def test_two_are_exchanged_wherever_they_stand_and_by_half_their_names() -> None:
    assert exchanged(TEXT, "Ann Lee", "Tom Ray") == "Tom Ray hired Ann Lee in 2010. Ray praised Lee."
    assert exchanged(TEXT, "Ann Lee", "Bob Orr") is None
    assert exchanged(TEXT, "he", "Tom Ray") is None


def test_a_claim_is_read_against_what_was_written_and_against_its_reverse() -> None:
    found = list(readings("Ann Lee hired Tom Ray.", TEXT, random.Random(3)))
    reverse = exchanged(TEXT, "Ann Lee", "Tom Ray")
    assert [(read.claim, read.context == reverse, read.label) for read in found[:4]] == [
        ("Ann Lee hired Tom Ray.", False, "supported"),
        ("Tom Ray hired Ann Lee.", False, "contradicted"),
        ("Ann Lee hired Tom Ray.", True, "contradicted"),
        ("Tom Ray hired Ann Lee.", True, "supported"),
    ]


def test_what_is_going_on_and_names_are_swapped_too() -> None:
    dog = "A dog is chasing a cat."
    assert [read.claim for read in readings(dog, dog, random.Random(0))][:2] == [dog, "A cat is chasing a dog."]
    paris = "As far as Merkel knew there were no plans of Paris."
    assert [read.claim for read in readings(paris, f"So it was. {paris}", random.Random(0))][1] == (
        "As far as Paris knew there were no plans of Merkel."
    )
    assert list(readings("It rains.", "It rains.", random.Random(0))) == []
    assert [kind_of(text, text) for text in (dog, paris, "Ann wrote the book.")] == ["two_sided", "names", "odd"]


def test_the_clauses_of_a_long_sentence() -> None:
    text = "The trial began on Monday, and Zimmer shot Martin twice after Anna Bell, who hired Tom Ray, left."
    assert "Zimmer shot Martin twice." in list(pieces(text))
    assert "Anna Bell hired Tom Ray." in list(pieces(text))


def test_the_one_whom_a_text_is_about_becomes_a_pronoun() -> None:
    context = "Ann Lee is a chemist. She was born in Reno. Her firm grew, and she hired Tom Ray. She likes her work."
    (good, name), (bad, _) = by_pronoun("Ann Lee hired Tom Ray.", context, random.Random(1))
    assert name == "Ann Lee"
    assert {good.claim, bad.claim} in (
        {"She hired Tom Ray.", "Tom Ray hired her."},
        {"Tom Ray was hired by her.", "She was hired by Tom Ray."},
    )
    assert (good.label, bad.label) == ("supported", "contradicted")


def test_deeds_are_told_and_reversed() -> None:
    assert all(len(set(forms)) == len(forms) > 1 for table in (PEOPLE, BODIES, MIXED) for forms in table)
    for seed in range(200):
        made = list(
            make_deeds(random.Random(seed), names=["Barack Obama", "Silvia Romano"], around="It rained. It froze.")
        )
        assert [claim.label for claim in made[:2]] == ["supported", "contradicted"]
        for claim in made:
            assert claim.claim.endswith(".")
            assert not {" A ", " B "} & {claim.claim, claim.context}
        assert made[0].claim != made[1].claim


def test_rows_are_joined_and_answers_mixed() -> None:
    from faithmeter.verify.local import WEIGHTS

    tokenizer = load_tokenizer(WEIGHTS / "tokenizer.json")
    rows = [Row("a claim", "", "some evidence", 0, None, "one"), Row("b", "who", "more of it", 1, [(0, 1)], "two")]
    apart = steps.Encoded.join([encode_rows(rows[:1], tokenizer), encode_rows(rows[1:], tokenizer)])
    for name, value in vars(encode_rows(rows, tokenizer)).items():
        assert np.array_equal(value, getattr(apart, name)), name
    mean = steps._between(np.array([[0.0, 0, -20]]), np.array([[-20.0, 0, 0]]), np.array([0.5], np.float32))
    assert np.allclose(np.exp(mean.astype(float)), [[0.25, 0.5, 0.25]], atol=1e-3)
