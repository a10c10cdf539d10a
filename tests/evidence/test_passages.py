"""Evidence: what is picked for a claim, and where a quote stands."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithmeter.evidence.passages import Index, antecedent, as_text, best_evidence, room, select, size
from faithmeter.evidence.quotes import locate

EINSTEIN = "Albert Einstein (born 14 March 1879) was a German-born theoretical physicist."
FILLER = " ".join(f"The weather in town number {n} was mild and nobody there noticed anything." for n in range(200))

texts = st.text(alphabet=st.sampled_from("abc de. ,\n'\"12é…-—“”K"), max_size=400)


def test_a_short_context_is_taken_whole() -> None:
    index = Index([EINSTEIN, "He played the violin."])
    assert [passage.text for passage in select("Einstein was born in 1879.", index)] == [
        EINSTEIN,
        "He played the violin.",
    ]


def test_the_bearing_sentence_is_found_in_a_long_context() -> None:
    index = Index([FILLER, f"{FILLER} {EINSTEIN} {FILLER}"])
    chosen = select("Einstein was born on 14 March 1879.", index)
    assert EINSTEIN in [passage.text for passage in chosen]
    assert sum(size(passage.text) for passage in chosen) <= room("Einstein was born on 14 March 1879.")
    assert chosen == sorted(chosen)


def test_each_part_of_a_claim_gets_its_passage() -> None:
    facts = ["The bridge opened in 1932.", "It was painted green by Anders Holm.", "A toll of two pounds is charged."]
    index = Index([f"{FILLER} {fact} {FILLER}" for fact in facts])
    claim = "The bridge, opened in 1932 and painted by Anders Holm, charges a toll of two pounds."
    chosen = [passage.text for passage in select(claim, index)]
    assert set(facts) <= set(chosen)


def test_record_fields_are_found_by_what_prose_calls_them() -> None:
    record = {"name": "Casa Blue", "hours": {"Monday": "11:0-21:0"}, "attributes": {"WiFi": "free", "x": FILLER}}
    index = Index([json.dumps(record)])
    chosen = as_text(select("It is open until 9 pm and has free WiFi.", index))
    assert "Monday: 11:00-21:00" in chosen
    assert "Wi-Fi: free" in chosen


def test_a_second_round_gives_other_passages_and_ends() -> None:
    index = Index([f"{FILLER} {EINSTEIN}"])
    used = select("Einstein was mild in town 7.", index)
    second = select("Einstein was mild in town 7.", index, used=used)
    assert second
    assert not set(used) & set(second)
    assert select("Zebra quux.", index, used=used) == []


def test_bearing_passages_are_few_and_among_those_judged() -> None:
    index = Index([f"{FILLER} {EINSTEIN}"])
    claim = "Einstein was a German-born physicist."
    among = select(claim, index)
    assert [passage.text for passage in best_evidence(claim, index, among=among)] == [EINSTEIN]


@given(st.lists(texts, max_size=4), texts)
def test_passages_are_verbatim_and_within_room(contexts: list[str], claim: str) -> None:
    index = Index(contexts)
    chosen = select(claim, index, hint="abc")
    assert chosen == sorted(set(chosen))
    assert all(0 <= p.start < p.end <= len(contexts[p.context]) for p in chosen)
    assert sum(size(p.text) for p in chosen) <= max(room(claim), index.total if index.total <= room(claim) else 0)
    assert set(best_evidence(claim, index, among=chosen)) <= set(chosen)
    if index.passages:
        assert chosen


@given(st.text(alphabet="ab cd", min_size=1, max_size=30).filter(str.strip), st.integers(1, 60))
def test_text_without_sentences_is_cut_and_none_of_it_lost(piece: str, times: int) -> None:
    text = piece * times
    index = Index([text])
    kept = "".join("".join(p.text for p in index.passages).split())
    assert kept == "".join(text.split())


def test_selection_time_grows_linearly() -> None:
    def seconds(copies: int) -> float:
        index = Index([FILLER] * copies)
        best = float("inf")
        for _ in range(3):
            begun = time.process_time()
            select("The weather in town number 17 was mild.", index)
            best = min(best, time.process_time() - begun)
        return best

    assert seconds(40) < 30 * max(seconds(4), 0.001)


@pytest.mark.parametrize(
    ("claim", "question", "before", "expected"),
    [
        ("Paris is big.", None, "France has cities.", ""),
        ("It is big.", None, "France has cities. Paris is one.", "Paris is one."),
        ("It is big.", "How big is Paris?", "", "How big is Paris?"),
        ("Three years.", "How long?", "Unused sentence.", "How long?"),
    ],
)
def test_hint(claim: str, question: str | None, before: str, expected: str) -> None:
    assert antecedent(claim, question=question, before=before) == expected


@pytest.mark.parametrize(
    ("quote", "text", "expected"),
    [
        ("born in Ulm", "He was born in Ulm.", "born in Ulm"),
        ("BORN  in\nulm", "He was born in Ulm.", "born in Ulm"),
        ("“the “great” war”", 'It was "the "great" war" then.', 'the "great" war'),
        ("the 1914–1918 war", "It was the 1914-1918 war.", "the 1914-1918 war"),
        ("He was born … in 1879", "He was born in Ulm, Baden, in 1879.", "He was born in Ulm, Baden, in 1879"),
        ("He was born [...] in 1879", "He was born in Ulm, in 1879.", "He was born in Ulm, in 1879"),
        ("the ﬁrst oﬃce of the company", "It is the first office of the company.", "the first office of the company"),
        ("a theoretical phisicist of it", "He was a theoretical physicist of it.", "a theoretical physicist of it"),
        ("born on 20 March 1879 in Ulm", "He was born on 14 March 1879 in Ulm.", None),
        ("the plant was not shut down in May", "Yes, the plant was shut down in May.", None),
        ("nothing like it is in the text", "He was born in Ulm.", None),
        ("", "He was born in Ulm.", None),
        ("  ", "He was born in Ulm.", None),
        ("in 1879 … He was born", "He was born in 1879.", None),
    ],
)  # fmt: skip
def test_locate(quote: str, text: str, expected: str | None) -> None:
    span = locate(quote, text)
    assert (span.of(text) if span else None) == expected


@given(st.text(max_size=200), st.data())
def test_a_verbatim_part_is_always_located(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote = text[start:end]
    span = locate(quote, text)
    assert span is None if not quote.strip() else span is not None and span.of(text) == quote


@given(texts, texts)
def test_a_located_span_is_never_empty_or_outside(quote: str, text: str) -> None:
    span = locate(quote, text)
    assert span is None or 0 <= span.start < span.end <= len(text)
