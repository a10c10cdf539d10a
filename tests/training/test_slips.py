"""Slips in written claims, and the same claims said otherwise."""

from __future__ import annotations

import random

import pytest

from training.builder import Builder
from training.rows import Row
from training.slips import amount, other_voice, same_amount, sayings, slips, turned_roles

CLAIM = "In May, Maria Ito painted more than 14 boats in 8 hours."


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Maria Ito painted the boats.", "The boats were painted by Maria Ito."),
        ("The boats were painted by Maria Ito.", "Maria Ito painted the boats."),
        ("In 1871, the city built a harbour for the fishers.",
         "In 1871, a harbour was built by the city for the fishers."),
        ("The firm sells boats.", "Boats are sold by the firm."),
        ("She was hired by Tom Quinn.", "Tom Quinn hired her."),
        ("Tom Quinn hired her, and she left.", None),
        ("Maria Ito married Tom Quinn.", None),
        ("The boats sank in 1871.", None),
        ("She lives there.", None),
    ],
)  # fmt: skip
def test_a_simple_sentence_is_said_in_the_other_voice(said: str, expected: str | None) -> None:
    assert other_voice(said) == expected


def test_swapped_roles_are_said_in_both_voices() -> None:
    made = {slip.text for seed in range(20) if (slip := turned_roles("Ito beat Quinn.", "", random.Random(seed)))}
    assert made == {"Quinn beat Ito.", "Ito was beaten by Quinn."}
    swapped = turned_roles("He led Australia to victory, and left.", "", random.Random(0))
    assert swapped is not None
    assert swapped.text == "Australia led him to victory, and left."


def test_an_amount_is_turned_round_where_it_is_one() -> None:
    rng = random.Random(1)
    turned = amount("Most boats are blue.", "", rng)
    assert turned is not None
    assert turned.text != "Most boats are blue."
    assert turned.text[slice(*turned.marks[0])] + " boats are blue." == turned.text
    assert amount("It is the most popular boat.", "", rng) is not None
    assert amount("He talked about a boat over dinner.", "", rng) is None
    none = amount("Blue boats are popular.", "", rng)
    assert none is not None
    assert none.text.endswith("blue boats are popular.")


def test_the_same_amount_in_other_words() -> None:
    assert same_amount("More than 14 boats sank.", random.Random(0)) == "Over 14 boats sank."
    assert same_amount("He talked about boats.", random.Random(0)) is None


def test_slips_are_wrong_and_sayings_are_not() -> None:
    made = [slip for seed in range(30) for slip in slips(CLAIM, CLAIM, random.Random(seed), strangers=["Tom Quinn"])]
    assert len({slip.text for slip in made}) > 10
    assert all(slip.text != CLAIM and slip.label != "supported" for slip in made)
    said = [text for seed in range(30) for text in sayings(CLAIM, random.Random(seed))]
    assert all("Ito" in text for text in said)


def test_what_a_claim_rests_on_is_taken_away() -> None:
    rest = "The harbour is old. The piers are long. The boats are blue. The sea is calm."
    (row,) = Builder(1).bereft([("Maria Ito sold the harbour.", f"{rest} Maria Ito sold it in May.", "")])
    assert isinstance(row, Row)
    assert "Ito" not in row.evidence
    assert "calm" in row.evidence
