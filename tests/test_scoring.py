"""The policies, as tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithmeter import Aside, Claim, Failure, Label, Origin, Report, Result, Sample, Scoring, UsageError, Verdict
from faithmeter.scoring import load_scoring

S, P, C, N = Label.SUPPORTED, Label.PARTIALLY_SUPPORTED, Label.CONTRADICTED, Label.NOT_ENOUGH_INFO
CLAIM = Claim(text="c", start=0, end=1)


def result(*labels: Label | None, scoring: Scoring | None = None, asides: tuple[str, ...] = ()) -> Result:
    """A result with these labels; None stands for a failure."""
    return Result(
        sample=Sample(answer="c", contexts=["c"]),
        outcomes=tuple(
            Failure(claim=CLAIM, kind="missing", message="left out")
            if label is None
            else Verdict(claim=CLAIM, label=label, origin=Origin(verifier="t"))
            for label in labels
        ),
        asides=tuple(Aside(text="?", start=0, end=1, kind=kind) for kind in asides),
        scoring=scoring or Scoring(),
        signature="t",
    )


@pytest.mark.parametrize(
    ("spec", "labels", "score"),
    [
        ("plain", [S, S], 1.0),
        ("plain", [S, N], 0.5),
        ("plain", [C, N], 0.0),
        ("plain", [S, P], 0.5),
        ("strict", [S, S], 1.0),
        ("strict", [S, S, P], 0.0),
        ("weighted", [S, P, N, C], 0.125),
        ("weighted", [C, C], 0.0),
        ("weighted:raw", [C, C], -1.0),
        ("weighted:raw", [S, C, C], -1 / 3),
    ],
)
def test_scores(spec: str, labels: list[Label], score: float) -> None:
    assert result(*labels, scoring=load_scoring(spec)).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("labels", "status", "score", "coverage", "bounds"),
    [
        ([S, N], "ok", 0.5, 1.0, (0.5, 0.5)),
        ([S, None], "partial", 1.0, 0.5, (0.5, 1.0)),
        ([None, None], "failed", None, 0.0, (0.0, 1.0)),
        ([], "no_claims", 1.0, 1.0, (1.0, 1.0)),
    ],
)
def test_status_coverage_and_bounds(
    labels: list[Label | None], status: str, score: float | None, coverage: float, bounds: tuple[float, float]
) -> None:
    found = result(*labels)
    assert (found.status, found.score, found.coverage, found.bounds) == (status, score, coverage, bounds)


def test_bounds_under_weights_use_the_worst_and_best_weight() -> None:
    assert result(S, None, scoring=load_scoring("weighted:raw")).bounds == (0.0, 1.0)
    assert result(S, None, scoring=load_scoring("weighted")).bounds == (0.0, 1.0)
    assert result(S, None, scoring=load_scoring("strict")).bounds == (0.0, 1.0)
    assert result(N, None, scoring=load_scoring("strict")).bounds == (0.0, 0.0)


@pytest.mark.parametrize("value", [1.0, 0.0, None])
def test_no_claims_and_refusals_score_what_the_user_says(value: float | None) -> None:
    assert result(scoring=Scoring(no_claims=value)).score == value
    assert result(scoring=Scoring(no_claims=value), asides=("greeting",)).score == value
    refusal = result(scoring=Scoring(refusal=value, no_claims=0.25), asides=("greeting", "refusal"))
    assert (refusal.score, refusal.status, refusal.refused) == (value, "no_claims", True)


def test_weights_can_be_given_in_part() -> None:
    scoring = Scoring(kind="weighted").revised(weights={"contradicted": "-3", "supported": 2})
    assert scoring.weights == {S: 2.0, P: 0.5, N: 0.0, C: -3.0}
    assert scoring.signature == "weighted,supported=2,contradicted=-3"
    with pytest.raises(UsageError, match="scoring: weights"):
        scoring.revised(weights={"wrong": 1})
    with pytest.raises(UsageError, match="unknown scoring 'fair'; known: plain"):
        load_scoring("fair")


def test_signatures_tell_policies_apart() -> None:
    policies = [load_scoring(spec) for spec in ("plain", "strict", "weighted", "weighted:raw")]
    policies += [Scoring(no_claims=None), Scoring(no_claims=0.0), Scoring(refusal=None)]
    assert len({policy.signature for policy in policies}) == len(policies)


@given(
    st.lists(st.sampled_from(list(Label)), min_size=1),
    st.integers(0, 5),
    st.sampled_from(["plain", "strict", "weighted"]),
)
def test_bounds_hold_whatever_the_missing_verdicts_are(labels: list[Label], unknown: int, spec: str) -> None:
    scoring = load_scoring(spec)
    low, high = scoring.bounds(labels, unknown)
    for label in Label:
        assert low <= scoring.score([*labels, *[label] * unknown]) <= high + 1e-12


def test_a_report_counts_failures_and_never_averages_them() -> None:
    report = Report(results=(result(S), result(S, N), result(None)), min_score=0.6)
    assert report.mean == pytest.approx(0.75)
    assert report.statuses == {"ok": 2, "failed": 1}
    assert report.pass_rate == pytest.approx(1 / 3)
    assert report.coverage == pytest.approx(2 / 3)
    assert [found.score for found in report.worst(2)] == [None, 0.5]
    assert Report.model_validate_json(report.model_dump_json()) == report
    assert "mean score 0.75" in repr(report)
    assert len(report) == len(list(report)) == 3


def test_an_empty_report_has_no_mean() -> None:
    report = Report(results=())
    assert (report.mean, report.interval, report.pass_rate) == (None, None, None)
    assert "mean score –" in repr(report)


def test_a_result_that_is_scored_anew_says_so_in_its_signature() -> None:
    before = result(S, N).model_copy(update={"signature": "extract:s|verify:v|score:plain"})
    after = before.rescored(load_scoring("strict"))
    assert (after.score, after.signature) == (0.0, "extract:s|verify:v|score:strict")


def test_the_numbers_of_a_copied_report_follow_from_its_fields() -> None:
    report = Report(results=(result(S), result(N)))
    assert (report.mean, report.pass_rate) == (0.5, None)
    copy = report.model_copy(update={"results": (result(S),), "min_score": 0.8})
    assert (copy.mean, copy.pass_rate, len(copy)) == (1.0, 1.0, 1)
    assert report.mean == 0.5
