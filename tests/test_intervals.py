"""Golden tables for the intervals and the paired test, and what must hold whatever the numbers."""

from __future__ import annotations

import math
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithmeter.intervals import bootstrap_interval, mean_interval, paired_p_value, t_quantile, wilson_interval

# R: t.test(x)$conf.int and, for equal values, binom::binom.wilson
INTERVALS = [
    ([0.5, 1.0], (0.0, 1.0)),
    ([0.2, 0.4, 0.6, 0.8], (0.0891, 0.9109)),
    ([1.0] * 10, (0.7225, 1.0)),
    ([1.0], (0.2065, 1.0)),
    ([0.0] * 4, (0.0, 0.4899)),
]


@pytest.mark.parametrize(("values", "expected"), INTERVALS)
def test_mean_interval(values: list[float], expected: tuple[float, float]) -> None:
    assert mean_interval(values) == pytest.approx(expected, abs=2e-3)


def test_no_values_have_no_interval() -> None:
    assert mean_interval([]) is None
    assert bootstrap_interval([]) is None


# R: qt(0.975, df)
@pytest.mark.parametrize(
    ("df", "expected"), [(1, 12.706), (2, 4.3027), (3, 3.1824), (5, 2.5706), (30, 2.0423), (1000, 1.9623)]
)
def test_t_quantile(df: int, expected: float) -> None:
    assert t_quantile(0.975, df) == pytest.approx(expected, rel=3e-3)


def test_wilson_is_the_published_example() -> None:
    # Newcombe 1998, table I: 81 of 263
    assert wilson_interval(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)


# by hand: of the 2^n ways to sign the differences, those with a sum as far from 0
EXACT = [
    ([], 1.0),
    ([0.0, 0.0], 1.0),
    ([1.0], 1.0),
    ([1.0, 1.0], 0.5),
    ([1.0, 1.0, 1.0], 0.25),
    ([1.0, -1.0], 1.0),
    ([3.0, 1.0, 1.0], 0.25),
    ([3.0, 1.0, -1.0], 0.75),
    ([0.5] * 6, 2 / 64),
    ([0.5] * 5 + [-0.5], 14 / 64),
]


@pytest.mark.parametrize(("differences", "expected"), EXACT)
def test_paired_p_value_exactly(differences: list[float], expected: float) -> None:
    assert paired_p_value(differences) == pytest.approx(expected)
    assert paired_p_value([*differences, 0.0, 0.0]) == pytest.approx(expected), "ties say nothing"


def test_drawn_signs_agree_with_counted_ones() -> None:
    differences = [0.5] * 12 + [-0.5] * 6  # 18: drawn; the sign test gives the exact value
    exact = 2 * sum(math.comb(18, k) for k in range(12, 19)) / 2**18
    assert paired_p_value(differences) == pytest.approx(exact, abs=0.01)


def test_bootstrap_agrees_with_theory() -> None:
    values = list(np.random.default_rng(7).normal(0.1, 1, 400))
    spread = np.std(values, ddof=1) / math.sqrt(400)
    low, high = bootstrap_interval(values) or (0, 0)
    assert low == pytest.approx(fmean(values) - 1.96 * spread, abs=0.15 * spread)
    assert high == pytest.approx(fmean(values) + 1.96 * spread, abs=0.15 * spread)


@given(st.lists(st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.25, 1 / 3, 1.0]), min_size=1, max_size=60))
def test_the_paired_numbers_hang_together(differences: list[float]) -> None:
    low, high = bootstrap_interval(differences, resamples=500) or (0, 0)
    assert min(differences) - 1e-9 <= low <= high <= max(differences) + 1e-9
    flipped = [-value for value in differences]
    assert paired_p_value(flipped, resamples=500) == paired_p_value(differences, resamples=500)
    assert 0 < paired_p_value(differences, resamples=500) <= 1
    assert bootstrap_interval(differences, resamples=500) == (low, high), "the seed makes it repeatable"


@pytest.mark.parametrize("size", [12, 60])
def test_noise_is_rarely_taken_for_a_difference(size: int) -> None:
    """Two runs of equal quality: p < 0.05 in about one of twenty comparisons, not more."""
    random = np.random.default_rng(3)
    alarms = 0
    for _ in range(400):
        before, after = random.integers(0, 5, (2, size)) / 4
        alarms += paired_p_value(list(after - before), resamples=2000) < 0.05
    assert alarms / 400 < 0.085  # 0.05 and three standard errors
