"""A promise with a number: it holds, it refuses, it notices other answers."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithmeter import Claim, DataError, Label, Origin, Result, Sample, Verdict
from faithmeter.intervals import binomial_cdf, same_distribution, upper_bound
from faithmeter.trust.promise import GRID, Promise, fewest, find_promise, find_threshold, read_promise


def result(support: float, *, words: int = 10, signature: str = "extract:a|verify:b|score:plain") -> Result:
    claim = Claim(text="It is so.", start=0, end=9)
    label = Label.SUPPORTED if support >= 0.5 else Label.NOT_ENOUGH_INFO
    verdict = Verdict(claim=claim, label=label, support=support, origin=Origin(verifier="b"))
    sample = Sample(answer="It is so." + " so" * words, contexts=("It is so.",))
    return Result(sample=sample, outcomes=(verdict,), signature=signature)


def drawn(n: int, rng: random.Random) -> list[tuple[float, bool]]:
    """Answers whose support is the chance that they are faithful."""
    supports = [rng.random() ** 0.3 for _ in range(n)]
    return [(support, rng.random() < support) for support in supports]


def true_risk(threshold: float, population: Sequence[tuple[float, bool]]) -> float:
    passed = [good for support, good in population if support >= threshold]
    return passed.count(False) / len(passed)


@pytest.mark.parametrize(
    ("count", "n", "share", "expected"),
    [(0, 10, 0.1, 0.34867844), (2, 10, 0.5, 0.0546875), (5, 5, 0.9, 1.0), (59, 100, 0.5, 0.97155602)],
)
def test_the_binomial_distribution(count: int, n: int, share: float, expected: float) -> None:
    assert binomial_cdf(count, n, share) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(
    ("count", "n", "expected"), [(0, 59, 0.0495), (0, 100, 0.0295), (5, 100, 0.1023), (10, 10, 1.0), (1, 20, 0.2161)]
)
def test_clopper_and_pearsons_bound(count: int, n: int, expected: float) -> None:
    assert upper_bound(count, n) == pytest.approx(expected, abs=2e-4)


def test_the_promise_holds_in_nearly_all_draws() -> None:
    rng = random.Random(1)
    population = drawn(200_000, rng)
    broken = made = 0
    for _ in range(200):
        try:
            threshold = find_threshold(rng.sample(population, 300), at_most=0.1)
        except DataError:
            continue
        made += 1
        broken += true_risk(threshold, population) > 0.1
    assert made > 100
    assert broken / 200 <= 0.05


def test_most_answers_pass_where_the_labels_allow_it() -> None:
    found = find_promise([(result(0.9 if good else 0.2), good) for good in [True] * 300 + [False] * 100], at_most=0.05)
    assert (found.passed, found.unfaithful, found.labels) == (300, 0, 400)
    assert found.threshold <= 0.9
    assert found.passes(result(0.95))
    assert not found.passes(result(0.1))
    assert found.bound < 0.05


def test_too_few_labels_allow_nothing() -> None:
    with pytest.raises(DataError, match=r"30 labelled answers are too few .* it takes 59 that pass"):
        find_promise([(result(0.9), True)] * 30, at_most=0.05)


def test_labels_that_the_verifier_cannot_tell_apart_allow_nothing() -> None:
    with pytest.raises(DataError, match="the labels do not allow"):
        find_promise([(result(0.9), good) for good in [True, False] * 200], at_most=0.05)


def test_other_verifiers_and_other_files_are_refused(tmp_path: pytest.TempPathFactory) -> None:
    found = find_promise([(result(0.9), True)] * 100, at_most=0.05)
    found.must_fit("extract:a|verify:b|fix:1|score:strict")
    with pytest.raises(DataError, match="the promise is for answers judged by"):
        found.must_fit("extract:a|verify:c|score:plain")
    path = tmp_path / "x.json"  # type: ignore[operator]
    path.write_text('{"threshold": 2}', "utf-8")
    with pytest.raises(DataError, match="is no promise"):
        read_promise(path)
    path.write_text(found.model_dump_json(), "utf-8")
    assert read_promise(path) == found


def test_drift_is_seen_and_only_where_it_is() -> None:
    rng = random.Random(0)
    usual = [result(rng.random(), words=rng.randint(5, 40)) for _ in range(300)]
    seen = tuple((item.verdicts[0].support or 0, len(item.sample.answer.split()), 3) for item in usual)
    facts = {"at_most": 0.1, "threshold": 0.5, "labels": 300, "passed": 1, "unfaithful": 0, "bound": 0.1}
    promise = Promise.model_validate({**facts, "signature": "x", "seen": seen})
    again = [result(rng.random(), words=rng.randint(5, 40)) for _ in range(300)]
    assert promise.drift(again) == []
    longer = [result(rng.random(), words=rng.randint(30, 90)) for _ in range(300)]
    (said,) = promise.drift(longer)
    assert said.startswith("length of answers: median")


def test_equal_samples_are_not_told_apart_and_other_ones_are() -> None:
    assert same_distribution([1, 2, 3], [1, 2, 3]) == 1.0
    assert same_distribution(range(100), range(100, 200)) < 1e-6
    assert same_distribution([], [1]) == 1.0


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=300), st.floats(0.02, 0.5))
def test_what_is_promised_is_tested(judged: list[tuple[float, bool]], at_most: float) -> None:
    try:
        threshold = find_threshold(judged, at_most=at_most)
    except DataError:
        return
    passed = [good for support, good in judged if support >= threshold]
    assert threshold in GRID
    assert len(passed) >= fewest(at_most)
    assert upper_bound(passed.count(False), len(passed)) <= at_most + 1e-9
