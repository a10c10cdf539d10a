"""Compound sentences cut into clauses that stand alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithmeter.text.english.clause_removal import without
from faithmeter.text.english.clauses import clauses

CASES = {
    "The tower opened in 1889, and it attracts seven million visitors a year.": [
        "The tower opened in 1889.",
        "It attracts seven million visitors a year.",
    ],
    "The company was founded in 1990 and acquired by Google in 2005.": [
        "The company was founded in 1990.",
        "The company was acquired by Google in 2005.",
    ],
    "Marie Curie, a Polish physicist, won two Nobel Prizes and died in 1934.": [
        "Marie Curie won two Nobel Prizes.",
        "Marie Curie was a Polish physicist.",
        "Marie Curie died in 1934.",
    ],
    "The bridge, which opened in 1937, spans the Golden Gate.": [
        "The bridge spans the Golden Gate.",
        "The bridge opened in 1937.",
    ],
    "He visited the museum, which was built in 1990.": ["He visited the museum.", "The museum was built in 1990."],
    "The restaurant offers pizza, fresh pasta, and salads.": [
        "The restaurant offers pizza.",
        "The restaurant offers fresh pasta.",
        "The restaurant offers salads.",
    ],
    "He can read French and write German.": ["He can read French.", "He can write German."],
    "The firm makes cars; it also sells trucks.": ["The firm makes cars.", "It also sells trucks."],
}
WHOLE = (
    "She said that he left and the team won.",
    "If it rains, the match is cancelled and fans get refunds.",
    "The dog and the cat sleep.",
    "The place has a friendly, cozy, and modern atmosphere.",
    "He did not eat and drink.",
    "They plan to teach again and lift the ban.",
    "Old Town Tavern is a dive bar in Goleta, CA, known for its karaoke nights and lively atmosphere.",
    "The pilot reported banging from the hold, which turned out to be the agent.",
    "You may pay by card or leave cash.",
)


@pytest.mark.parametrize("sentence", CASES)
def test_each_clause_stands_alone_and_has_its_place(sentence: str) -> None:
    found = clauses(sentence)
    assert [clause.text for clause in found] == CASES[sentence]
    for clause in found:
        words = sentence[clause.start : clause.end].split()
        assert words[-1].strip(",.") in clause.text


@pytest.mark.parametrize("sentence", WHOLE)
def test_what_is_not_surely_two_assertions_stays_one(sentence: str) -> None:
    (clause,) = clauses(sentence)
    assert (clause.text, clause.start, clause.end) == (sentence, 0, len(sentence))


@pytest.mark.parametrize(
    ("sentence", "gone", "rest"),
    [
        ("The tower is tall, and it is pink.", 1, "The tower is tall."),
        ("The firm was founded in 1990 and acquired by Google in 2005.", 0, "The firm was acquired by Google in 2005."),
        ("The bridge, which opened in 1937, spans the Golden Gate.", 1, "The bridge spans the Golden Gate."),
        ("The restaurant offers pizza, fresh pasta, and salads.", 1, "The restaurant offers pizza and salads."),
        ("The restaurant offers pizza, fresh pasta, and salads.", 2, "The restaurant offers pizza and fresh pasta."),
        ("The shop sells nails, rope, paint, and boots.", 0, "The shop sells rope, paint, and boots."),
    ],
)  # fmt: skip
def test_the_rest_stays_a_sentence(sentence: str, gone: int, rest: str) -> None:
    for start, end, new in reversed(without(sentence, clauses(sentence), {gone})):
        sentence = sentence[:start] + new + sentence[end:]
    assert sentence == rest


PIECES = ("The", "tower", "is", "tall", ",", "and", "it", "opened", "in", "1889", "who", "which", "but", ";", "was",
          "sold", "(", ")", ".", "pizza")  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_no_word_of_content_is_lost_and_no_place_is_outside(words: list[str]) -> None:
    sentence = " ".join(words)
    found = clauses(sentence)
    said = " ".join(clause.text for clause in found).lower()
    for word in ("tower", "tall", "opened", "1889", "sold", "pizza"):
        assert word in said or word not in words
    assert all(0 <= clause.start <= clause.end <= len(sentence) for clause in found)
