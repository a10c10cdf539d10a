"""The cases of the benchmarks are what they say: paired, balanced, verbatim, and the same for the same seed."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from benchmarks import decisive, reasoning_cases
from benchmarks.reasoning_cases import Case
from faithmeter import text
from faithmeter.data.datasets import read_samples
from faithmeter.datamodels import Context, Evidence, Label, Sample
from faithmeter.extract.sentences import SentenceExtractor

ROOT = Path(__file__).parents[1]
CASES = [*reasoning_cases.hand(), *reasoning_cases.made()]


def test_there_are_enough_cases_of_every_kind() -> None:
    by_origin = {origin: Counter(c.kind for c in CASES if c.origin == origin) for origin in ("hand", "template")}
    assert by_origin["hand"].total() >= 250
    assert by_origin["template"].total() >= 400
    assert len(by_origin["hand"]) >= 26
    assert by_origin["hand"].keys() == by_origin["template"].keys()
    for kind, written in by_origin["hand"].items():
        assert written >= 8, kind
        assert written + by_origin["template"][kind] >= 20, kind


def test_every_case_has_a_near_miss_that_shares_its_claim_or_its_contexts() -> None:
    pairs: dict[str, list[Case]] = defaultdict(list)
    for case in CASES:
        pairs[case.pair].append(case)
    for pair, (first, second) in pairs.items():
        assert (first.label is Label.SUPPORTED) != (second.label is Label.SUPPORTED), pair
        assert (first.claim == second.claim) != (first.contexts == second.contexts), pair
        assert first.question == second.question, pair
    assert {case.label for case in CASES} == {Label.SUPPORTED, Label.CONTRADICTED, Label.NOT_ENOUGH_INFO}


def test_no_case_stands_there_twice() -> None:
    counted = Counter((case.contexts, case.claim) for case in CASES)
    assert [case for case, count in counted.items() if count > 1] == []


def test_templates_are_filled_and_a_seed_gives_the_same_cases() -> None:
    made = reasoning_cases.made(seed=7)
    assert made == reasoning_cases.made(seed=7)
    assert made != reasoning_cases.made(seed=8)
    assert not [case for case in made if "<" in case.claim + "".join(case.contexts) + (case.question or "")]


def test_contexts_are_of_one_to_some_twenty_sentences() -> None:
    sizes = [sum(len(text.sentences(context)) for context in case.contexts) for case in CASES]
    assert min(sizes) == 1
    assert max(sizes) >= 20
    assert max(sizes) <= 25


def test_a_passage_is_marked_for_a_hundred_claims_of_every_label() -> None:
    marked = decisive.hand()  # which refuses a passage that does not stand in the contexts exactly once
    assert len(marked) == 100
    labels = Counter(item.label for item in marked)
    assert min(labels.values()) >= 15
    assert len(labels) == 3


CONTEXTS = (Context(text="0123456789"), Context(text="0123456789"))


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([], decisive.Shown(first=False, at_all=False, needless=0)),
        ([(0, 2, 6)], decisive.Shown(first=True, at_all=True, needless=0)),
        ([(0, 4, 10)], decisive.Shown(first=True, at_all=True, needless=0)),  # half of it
        ([(0, 5, 10)], decisive.Shown(first=False, at_all=False, needless=1)),  # less than half
        ([(1, 2, 6), (0, 0, 10)], decisive.Shown(first=False, at_all=True, needless=1)),  # the other context
    ],
)
def test_a_passage_is_shown_if_half_of_it_is(pieces: list[tuple[int, int, int]], expected: decisive.Shown) -> None:
    evidence = [Evidence.of(CONTEXTS, *piece) for piece in pieces]
    assert decisive.shown(Evidence.of(CONTEXTS, 0, 2, 6), evidence) == expected


def test_the_examples_say_what_to_expect_of_every_sentence() -> None:
    samples = [row for row in read_samples(ROOT / "examples" / "reasoning.jsonl") if isinstance(row, Sample)]
    assert len(samples) == 10
    for sample in samples:
        expected = sample.metadata["expected"]
        assert isinstance(expected, dict)
        claims = asyncio.run(SentenceExtractor().extract(sample)).claims
        assert [claim.text for claim in claims] == list(expected), sample.id
        assert {Label(str(label)) for label in expected.values()} > {Label.SUPPORTED}, sample.id
