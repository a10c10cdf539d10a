"""The default extractor: what is a claim, what is not, and that nothing is lost between."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithmeter.datamodels import Sample
from faithmeter.errors import UsageError
from faithmeter.extract import load_extractor
from faithmeter.extract.sentences import SentenceExtractor

ASIDES = [
    ("greeting", "Hello!"),
    ("greeting", "Sure!"),
    ("greeting", "Great question!"),
    ("greeting", "I'd be happy to help you with that."),
    ("greeting", "I hope this helps!"),
    ("greeting", "Let me know if you have any other questions."),
    ("greeting", "Thank you for your question!"),
    ("question", "Would you like to know more?"),
    ("question", "您还想知道什么？"),
    ("question", "هل تريد المزيد؟"),
    ("refusal", "I don't know."),
    ("refusal", "I don't know from the given context."),
    ("refusal", "I’m sorry, but I cannot answer this question."),
    ("refusal", "I'm sorry, but the provided context does not contain information about his birthplace."),
    ("refusal", "Unfortunately, the documents do not mention a price."),
    ("refusal", "Based on the provided passages, I am unable to determine the year."),
    ("refusal", "Unable to answer based on given passages."),
    ("refusal", "There is no information about this in the context."),
    ("refusal", "It is not possible to determine the date from the text."),
    ("refusal", "No relevant information was found."),
    ("lead_in", "Here is a summary of the article:"),
    ("lead_in", "Based on the provided passages, the steps are:"),
    ("heading", "## Early life"),
]

CLAIMS = [
    "I don't know from the context, but Paris is the capital of Italy.",
    "The document does not mention the price; the tower is 330 m tall.",
    "Einstein did not know about the vote.",
    "There is no cure for the common cold.",
    "The information desk does open on Sundays.",
    "Thank you notes were sent to 400 guests in 1912.",
    "Sure Start opened in 1998.",
    "The source of the Nile lies in Burundi.",
    "Here the river meets the sea.",
    "Welcome to the Jungle was released in 1987.",
    "No information was given to the police about the second car, so they arrested the wrong man.",
    "We have 12 branches.",
    "Based on the context, the tower is 330 m tall.",
    "Is it raining, she asked.",
]


@pytest.mark.parametrize(("kind", "text"), ASIDES)
async def test_what_claims_nothing_is_marked(kind: str, text: str) -> None:
    extraction = await SentenceExtractor().extract(Sample(answer=text, contexts=()))
    assert [aside.kind for aside in extraction.asides] == [kind]
    assert not extraction.claims


@pytest.mark.parametrize("text", CLAIMS)
async def test_what_asserts_something_is_a_claim(text: str) -> None:
    extraction = await SentenceExtractor().extract(Sample(answer=text, contexts=()))
    assert [claim.text for claim in extraction.claims] == [text]
    assert not extraction.asides


async def test_a_mixed_answer() -> None:
    answer = "Sure! The Eiffel Tower is 330 m tall. It opened in 1889 [1].\n\n- It has three levels.\n\nAnything else?"
    extraction = await SentenceExtractor().extract(Sample(answer=answer, contexts=()))
    assert [claim.text for claim in extraction.claims] == [
        "The Eiffel Tower is 330 m tall.",
        "It opened in 1889 [1].",
        "It has three levels.",
    ]
    assert [aside.kind for aside in extraction.asides] == ["greeting", "question"]


@given(st.text())
async def test_every_claim_and_aside_is_a_verbatim_part_of_the_answer(text: str) -> None:
    sample = Sample(answer=text, contexts=())
    extraction = await SentenceExtractor().extract(sample)
    for part in (*extraction.claims, *extraction.asides):
        assert part.text == sample.answer[part.start : part.end] != ""


def test_a_language_is_checked() -> None:
    assert load_extractor("sentences:de").signature == "sentences.1,de"
    with pytest.raises(UsageError, match="unknown language 'Klingon'"):
        load_extractor("sentences:Klingon")
    with pytest.raises(UsageError, match="unknown extractor 'words'"):
        load_extractor("words")
