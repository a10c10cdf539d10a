"""The statistics of agreement, against scikit-learn and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from sklearn import metrics
from sklearn.calibration import calibration_curve

from faithmeter.intervals import wilson_interval
from faithmeter.trust import metrics as agreement


def drawn(seed: int, n: int = 200) -> tuple[agreement.Bools, agreement.Array, agreement.Array]:
    rng = np.random.default_rng(seed)
    good = rng.random(n) < 0.6
    support = np.clip(np.round(rng.normal(0.4 + 0.25 * good, 0.25), 2), 0, 1)  # rounded: with ties
    return good, support, rng.integers(1, 5, n).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_figures_equal_scikit_learns(seed: int) -> None:
    good, support, weights = drawn(seed)
    passed = support >= 0.5
    theirs = {
        "balanced_accuracy": metrics.balanced_accuracy_score(good, passed, sample_weight=weights),
        "f1_unfaithful": metrics.f1_score(~good, ~passed, sample_weight=weights),
        "precision": metrics.precision_score(~good, ~passed, sample_weight=weights),
        "recall": metrics.recall_score(~good, ~passed, sample_weight=weights),
        "specificity": metrics.recall_score(good, passed, sample_weight=weights),
        "kappa": metrics.cohen_kappa_score(good, passed, sample_weight=weights),
    }
    ours = {name: float(getattr(agreement, name)(good, passed, weights)) for name in theirs}
    assert ours == pytest.approx(theirs, abs=1e-12)
    assert agreement.auroc(good, support, weights) == pytest.approx(
        metrics.roc_auc_score(good, support, sample_weight=weights), abs=1e-12
    )
    assert agreement.brier(good, support, weights) == pytest.approx(
        metrics.brier_score_loss(good, support, sample_weight=weights), abs=1e-12
    )


def test_kappa_of_four_labels_equals_scikit_learns() -> None:
    rng = np.random.default_rng(1)
    names = np.array(["supported", "partially_supported", "contradicted", "not_enough_info"])
    first = names[rng.integers(0, 4, 300)]
    second = np.where(rng.random(300) < 0.6, first, names[rng.integers(0, 4, 300)])
    ours = agreement.kappa(first, second, np.ones(300))
    assert ours == pytest.approx(metrics.cohen_kappa_score(first, second), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_roc_curve_passes_through_scikit_learns_points(seed: int) -> None:
    good, support, weights = drawn(seed)
    rate, caught, _ = metrics.roc_curve(~good, -support, sample_weight=weights, drop_intermediate=False)
    assert np.array(agreement.roc(good, support, weights)) == pytest.approx(np.c_[rate, caught], abs=1e-12)
    assert np.trapezoid(caught, rate) == pytest.approx(float(agreement.auroc(good, support, weights)))


@pytest.mark.parametrize("seed", range(3))
def test_the_reliability_curve_equals_scikit_learns(seed: int) -> None:
    good, support, _ = drawn(seed)
    support = np.clip(support + 0.005, 0, 1)  # on an edge, theirs closes bins on the right and ours on the left
    share, mean = calibration_curve(good, support, n_bins=10)
    curve = agreement.reliability(good, support, np.ones(len(good)))
    assert [step.good for step in curve] == pytest.approx(list(share))
    assert [step.support for step in curve] == pytest.approx(list(mean))
    gap = sum(step.size * abs(step.good - step.support) for step in curve) / len(good)
    assert float(agreement.calibration_error(good, support, np.ones(len(good)))) == pytest.approx(gap)


def test_the_bootstrap_agrees_with_scipys() -> None:
    good, support, _ = drawn(7, n=150)
    passed = support >= 0.5
    ones = np.ones(150)
    ours = agreement.bootstrap(
        lambda w: agreement.balanced_accuracy(good, passed, w), weights=ones, units=range(150), draws=4000
    )
    theirs = scipy_stats.bootstrap(
        (good, passed),
        lambda g, p: metrics.balanced_accuracy_score(g, p),
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=4000,
        rng=np.random.default_rng(0),
    ).confidence_interval
    assert ours.low == pytest.approx(theirs.low, abs=0.01)
    assert ours.high == pytest.approx(theirs.high, abs=0.01)


def test_claims_of_one_answer_are_drawn_together() -> None:
    """Ten copies of each claim say no more than one: drawn one by one, the interval would be far too narrow."""
    good, support, _ = drawn(3, n=60)
    passed = support >= 0.5

    def width(copies: int) -> float:
        g, p = np.repeat(good, copies), np.repeat(passed, copies)
        found = agreement.bootstrap(
            lambda w: agreement.balanced_accuracy(g, p, w),
            weights=np.ones(len(g)),
            units=[*np.repeat(np.arange(60), copies)],
        )
        assert found.low is not None
        assert found.high is not None
        return found.high - found.low

    assert width(10) == pytest.approx(width(1))


def test_a_draw_at_a_time_gives_what_all_at_once_give() -> None:
    good, support, _ = drawn(5)
    weights = np.random.default_rng(0).integers(0, 4, (50, len(good))).astype(float)
    for figure in (agreement.auroc, agreement.calibration_error, agreement.brier):
        assert figure(good, support, weights) == pytest.approx([float(figure(good, support, w)) for w in weights])
    for figure in (agreement.kappa, agreement.f1_unfaithful, agreement.balanced_accuracy):
        at_once = figure(good, support >= 0.5, weights)
        assert at_once == pytest.approx([float(figure(good, support >= 0.5, w)) for w in weights])


@pytest.mark.parametrize("aim", ["balanced", "f1"])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_threshold_beats_every_other(seed: int, aim: agreement.Aim) -> None:
    good, support, weights = drawn(seed, n=80)
    figure = agreement.balanced_accuracy if aim == "balanced" else agreement.f1_unfaithful
    cut = agreement.best_threshold(good, support, weights, aim=aim)
    found = float(figure(good, support >= cut, weights))
    others = [float(figure(good, support >= other, weights)) for other in np.linspace(0, 1, 1001)]
    assert found == pytest.approx(max(other for other in others if not np.isnan(other)))


def test_one_class_only_defines_no_auroc() -> None:
    ones = np.ones(4)
    good = np.ones(4, bool)
    assert np.isnan(agreement.auroc(good, ones / 2, ones))
    found = agreement.bootstrap(lambda w: agreement.auroc(good, ones / 2, w), weights=ones, units=range(4))
    assert found == agreement.Estimate(None)
    assert str(found) == "–"


def test_span_overlap_counts_characters() -> None:
    counts = agreement.span_overlap([([(0, 10)], [(5, 12)]), ([], [(0, 3)]), ([(2, 4), (3, 6)], [])])
    assert counts.tolist() == [[5, 2, 5], [0, 3, 0], [0, 0, 4]]
    assert float(agreement.span_f1(counts, np.ones(3))) == pytest.approx(2 * 5 / (2 * 5 + 5 + 9))


@given(st.integers(0, 200), st.integers(1, 200))
def test_wilsons_interval_equals_scipys(hits: int, n: int) -> None:
    hits = min(hits, n)
    theirs = scipy_stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert wilson_interval(hits / n, n) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1), st.integers(1, 3)), min_size=1, max_size=40))
def test_figures_stay_in_range(rows: list[tuple[bool, float, int]]) -> None:
    good = np.array([row[0] for row in rows])
    support = np.array([row[1] for row in rows])
    weights = np.array([float(row[2]) for row in rows])
    passed = support >= agreement.best_threshold(good, support, weights)
    values = [
        *(f(good, passed, weights) for f in (agreement.f1_unfaithful, agreement.balanced_accuracy)),
        *(f(good, support, weights) for f in (agreement.auroc, agreement.calibration_error, agreement.brier)),
    ]
    assert all(np.isnan(value) or -1e-12 <= value <= 1 + 1e-12 for value in values)
