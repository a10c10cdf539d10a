"""The default extractor: what is a claim, what is not, and that nothing is lost between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faithmeter.datamodels import Sample
from faithmeter.errors import UsageError
from faithmeter.evaluator import Evaluator
from faithmeter.extract import load_extractor
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.text.citation_marks import unmarked

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
    ("source", "Source: https://www.example.org/report.pdf"),
    ("thinking", "<think>The first passage says 1990. Or 1991?</think>"),
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
        "It opened in 1889.",  # a mark of a source is no part of what is claimed
        "It has three levels.",
    ]
    assert [aside.kind for aside in extraction.asides] == ["greeting", "question"]


@given(st.text())
@example(")¹")
async def test_every_claim_and_aside_is_a_verbatim_part_of_the_answer(text: str) -> None:
    sample = Sample(answer=text, contexts=())
    extraction = await SentenceExtractor().extract(sample)
    for aside in extraction.asides:
        assert aside.text == sample.answer[aside.start : aside.end] != ""
    for claim in extraction.claims:  # verbatim but for its citation marks
        verbatim = sample.answer[claim.start : claim.end]
        assert claim.text == (unmarked(verbatim) or verbatim) != ""


GOLDEN: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "golden_asides.jsonl").read_text("utf-8").splitlines()
]


def golden(expect: str) -> list[Sample]:
    """Answers of the golden table; round 1 was written before the extractor was, rounds 2 and 3 as attacks on it."""
    rows = [row for row in GOLDEN if row["expect"] == expect]
    assert min(sum(row["round"] == number for row in rows) for number in (1, 2, 3)) >= 110
    return [Sample(answer=row["answer"], question=row.get("question"), contexts=["Bees make honey."]) for row in rows]


async def test_no_adversarial_answer_goes_unjudged() -> None:
    evaluator = Evaluator(verifier="lexical")
    results = [await evaluator.check(sample) for sample in golden("claim")]
    assert len(results) >= 220
    assert not [result.sample.answer for result in results if result.status != "ok" or result.score == 1.0]


async def test_at_most_one_true_aside_in_twenty_is_judged() -> None:
    samples = golden("aside")
    judged = [sample.answer for sample in samples if (await SentenceExtractor().extract(sample)).claims]
    assert len(samples) >= 220
    assert len(judged) <= 0.05 * len(samples), judged


JOINTS = [
    ", and {}",
    " because {}",
    " since {}",
    ", which means {}",
    ": {}",
    ", {}",
    " {}",
    " when {}",
    " that {}",
    " ({})",
]


@pytest.mark.parametrize("joint", JOINTS)
async def test_an_aside_that_goes_on_is_a_claim(joint: str) -> None:
    unjudged = []
    for sample in golden("aside"):
        formula = sample.answer.rstrip("!.?:, 😊👋")
        if "\n" in formula or formula.endswith(("<", ">")):
            continue
        longer = formula + joint.format("Einstein was born in France") + sample.answer[len(formula) :]
        if not (await SentenceExtractor().extract(Sample(answer=longer, question=sample.question, contexts=()))).claims:
            unjudged.append(longer)
    assert not unjudged


@pytest.mark.parametrize(
    ("heading", "is_aside"),
    [
        ("## Early life", True),
        ("### 1. Key features", True),
        ("**Side effects of ibuprofen**", True),
        ("**Pros:**", True),
        ("Elements:", True),
        ("## Common causes and symptoms", True),
        ("## Aspirin kills", False),
        ("## Food causes symptoms", False),
        ("## People need food", False),
        ("**Vaccines cause autism**", False),
        ("## Why Rome fell", False),
        ("## Yes", False),
        ("## Legal", False),
        ("## Paris", False),
        ("## 42", False),
        ("**The refund window is 90 days**", False),
    ],
)
async def test_a_heading_only_names_what_stands_below(heading: str, is_aside: bool) -> None:
    extractor = SentenceExtractor()
    extraction = await extractor.extract(Sample(answer=f"{heading}\n\nThe tower is tall.", contexts=()))
    assert [aside.kind for aside in extraction.asides] == ["heading"] * is_aside
    assert len(extraction.claims) == 2 - is_aside
    alone = await extractor.extract(Sample(answer=f"{heading}\n\nI hope this helps!", contexts=()))
    assert len(alone.claims) == 1 or heading.endswith((":", ":**"))


async def test_a_heading_of_the_users_words_that_may_be_a_sentence_is_judged() -> None:
    sample = Sample(question="Why aspirin kills", answer="## Aspirin kills\n\nIt is a drug.", contexts=())
    assert [claim.text for claim in (await SentenceExtractor().extract(sample)).claims] == [
        "Aspirin kills",
        "It is a drug.",
    ]


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("Which is cheaper, Basic or Pro?", "## Basic"),
        ("Which is cheaper, Basic or Pro?", "**Basic:**"),
        ("Which option is right, A or B?", "**Option B**"),
        ("Which step deletes the data?", "### Step 3"),
    ],
)
async def test_a_heading_that_may_be_the_answer_is_judged(question: str, heading: str) -> None:
    answer = f"{heading}\n\nThe text names it."
    asked = await SentenceExtractor().extract(Sample(question=question, answer=answer, contexts=()))
    assert len(asked.claims) == 2
    other = await SentenceExtractor().extract(Sample(question="How does it work?", answer=answer, contexts=()))
    assert len(other.claims) == 1


@pytest.mark.parametrize(
    "answer",
    [
        "Sources:\n" + "https://a," * 2_000 + " of the year",
        "Sources: " + "a.md/" * 2_000 + " of the year",
        "```sql\nSELECT " + "a" * 2_000 + " @ b\n```",
        "```\n" + "a" * 60_000 + "\n```",
        "```\na" + " " * 20_000 + "(\n```",
    ],
    ids=["addresses", "files", "sql", "word", "field"],
)
async def test_a_long_line_is_read_once(answer: str) -> None:
    """A pattern that can read a line in many ways does not end on these."""
    assert (await SentenceExtractor().extract(Sample(answer=answer, contexts=()))).claims


async def test_fenced_prose_that_begins_like_sql_is_judged() -> None:
    answer = "Rome is old.\n```\nSET the dose to 500 mg\nSELECT name FROM users WHERE age > 5;\n```"
    extraction = await SentenceExtractor().extract(Sample(answer=answer, contexts=()))
    assert [claim.text for claim in extraction.claims] == ["Rome is old.", "SET the dose to 500 mg"]


async def test_the_tags_around_an_answer_are_no_claims() -> None:
    answer = "<answer>\nRome is old.\n</answer>"
    extraction = await SentenceExtractor().extract(Sample(answer=answer, contexts=()))
    assert [claim.text for claim in extraction.claims] == ["Rome is old."]


async def test_fenced_code_is_set_aside_and_fenced_prose_is_judged() -> None:
    code = "```python\nimport os\n# The limit is 5 GB per day\nprint(os.sep)\n```"
    extraction = await SentenceExtractor().extract(Sample(answer=f"Rome is old.\n{code}", contexts=()))
    assert [claim.text for claim in extraction.claims] == ["Rome is old.", "# The limit is 5 GB per day"]
    assert [(aside.kind, aside.text) for aside in extraction.asides] == [
        ("code", "import os"),
        ("code", "print(os.sep)"),
    ]


async def test_code_alone_is_the_answer() -> None:
    extraction = await SentenceExtractor().extract(Sample(answer="```\nlimit_gb = 5\n```", contexts=()))
    assert [claim.text for claim in extraction.claims] == ["limit_gb = 5"]


async def test_sources_are_set_aside_only_as_bare_names_under_their_label() -> None:
    answer = "Rome is old.\n\nSources:\n- https://example.org/a\n- guide.pdf, page 3\n- Rome is in Spain (guide.pdf)"
    extraction = await SentenceExtractor().extract(Sample(answer=answer, contexts=()))
    assert [claim.text for claim in extraction.claims] == ["Rome is old.", "Rome is in Spain (guide.pdf)"]
    assert [aside.kind for aside in extraction.asides] == ["source", "source", "source"]
    bare = await SentenceExtractor().extract(Sample(answer="https://example.org/a", contexts=()))
    assert len(bare.claims) == 1


async def test_thinking_before_the_answer_is_no_part_of_it() -> None:
    answer = "<think>Is Rome old? Yes.</think>\nRome is old."
    extraction = await SentenceExtractor().extract(Sample(answer=answer, contexts=()))
    assert [claim.text for claim in extraction.claims] == ["Rome is old."]
    assert [aside.kind for aside in extraction.asides] == ["thinking"]


@pytest.mark.parametrize(
    ("question", "answer", "is_aside"),
    [
        (None, "Absolutely!", True),
        ("Can you summarise the text?", "Absolutely!", True),
        ("Can you tell me who founded Rome?", "Absolutely!", True),
        ("Can you drink bleach?", "Absolutely!", False),
        ("Does it contain nuts?", "Unfortunately.", False),
        ("Is bleach safe to drink?", "Absolutely!", False),
        ("How is clove tea made?", "The passages do not mention how clove tea is made.", True),
        (None, "The passages do not mention how clove tea is made.", False),
        ("Who founded Rome?", "Who founded Rome?", True),
        ("Einstein was born in France.", "Einstein was born in France.", False),
        ("Einstein was born in France, right?", "Einstein was born in France, right?", False),
        ("How do vaccines work?", "Here is how vaccines work:", True),
        ("Do vaccines cause autism?", "Here is how vaccines cause autism:", False),
    ],
)
async def test_what_the_user_said_is_no_claim_of_the_answer(question: str | None, answer: str, is_aside: bool) -> None:
    extraction = await SentenceExtractor().extract(Sample(question=question, answer=answer, contexts=()))
    assert (len(extraction.asides), len(extraction.claims)) == ((1, 0) if is_aside else (0, 1))


def test_a_language_is_checked() -> None:
    assert load_extractor("sentences:de").signature == "sentences.5,de"
    with pytest.raises(UsageError, match="unknown language 'Klingon'"):
        load_extractor("sentences:Klingon")
    with pytest.raises(UsageError, match="unknown extractor 'words'"):
        load_extractor("words")
