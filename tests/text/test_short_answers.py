"""Short answers to yes-or-no questions, as statements."""

from __future__ import annotations

import pytest

from faithmeter.text.english.short_answers import as_statement


@pytest.mark.parametrize(
    ("claim", "question", "statement"),
    [
        ("Yes, you can return it.", "Can I return a laptop after five weeks?",
         "You can return a laptop after five weeks."),
        ("Yes.", "Can I get my money back?", "You can get your money back."),
        ("Yes, it is.", "Is the museum open on Mondays?", "The museum is open on Mondays."),
        ("yes, they are allowed", "Are dogs allowed in the park?", "Dogs are allowed in the park."),
        ("Yes, it will refund them.", "Will the store refund shipping costs?", "The store will refund shipping costs."),
        ("Yes, it does.", "Does the hotel have a pool?", "The hotel does have a pool."),
        ("Yes, he was.", "Was Paul Kruger born in 1825?", "Paul Kruger was born in 1825."),
        ("Yes, there is one.", "I like water. Is there a pool?", "There is a pool."),
        ("Yes, we do.", "Do you ship to Malta?", "We do ship to Malta."),
        ("Yes, I can.", "Can you help me?", "I can help you."),
        ("No, it isn't.", "Is the museum open?", "The museum is not open."),
        ("No, you can’t.", "Can I pay by card?", "You cannot pay by card."),
        ("No.", "Has Calder bought Norwind?", "Calder has not bought Norwind."),
    ],
)  # fmt: skip
def test_a_short_answer_states_what_is_asked(claim: str, question: str, statement: str) -> None:
    assert as_statement(claim, question) == statement


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        # It says more, or something else.
        ("Yes, within 60 days.", "Can I return it?"),
        ("Yes, you can return it for free.", "Can I return it?"),
        ("Yes, you must return it.", "Can I return it?"),
        ("Yes, most are.", "Are dogs allowed?"),
        ("No, it is closed.", "Is the museum open?"),
        ("Yes, it is not.", "Is it open?"),
        ("No, it is.", "Is it open?"),
        ("Yes, the museum is open.", "Is the museum open?"),  # stands alone
        ("You can return it.", "Can I return it?"),
        # It is no such question, or it cannot be read.
        ("Yes.", "What is it?"),
        ("Yes.", "Is it red or blue?"),
        ("Yes, you can.", "Can you swim?"),
        ("Yes.", "Is it"),
        ("Yes.", ""),
        ("Yes.", None),
        ("", "Is it red?"),
        ("Yes. " * 100, "Is it red?"),
    ],
)
def test_what_says_more_stays_as_it_is(claim: str, question: str | None) -> None:
    assert as_statement(claim, question) is None
