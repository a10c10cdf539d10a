"""Statistics as pure functions over numbers."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from statistics import NormalDist, fmean, variance


def mean_interval(values: Sequence[float], *, confidence: float = 0.95) -> tuple[float, float] | None:
    """The confidence interval of a mean of scores in 0 to 1 by Student's t; None for no values.

    Equal values (every answer 1.0) have no spread to go by, and one value even less: there it is
    Wilson's interval for a share, which stays honest about how few they are.
    """
    if not values:
        return None
    mean, n = fmean(values), len(values)
    spread = variance(values) if n > 1 else 0.0
    if spread == 0.0:
        return wilson_interval(mean, n, confidence=confidence) if 0 <= mean <= 1 else (mean, mean)
    half = t_quantile(0.5 + confidence / 2, n - 1) * math.sqrt(spread / n)
    low, high = mean - half, mean + half
    return (max(0.0, low), min(1.0, high)) if min(values) >= 0 and max(values) <= 1 else (low, high)


def wilson_interval(share: float, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a share of n."""
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def t_quantile(p: float, df: int) -> float:
    """Student's t quantile: exact for 1 and 2 degrees of freedom, else within 0.3 % (Cornish-Fisher)."""
    if df == 1:
        return math.tan(math.pi * (p - 0.5))
    if df == 2:
        return (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))
    z = NormalDist().inv_cdf(p)
    # Abramowitz & Stegun 26.7.5
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / df**power for power, term in enumerate(terms, start=1))


# --- paired comparison ------------------------------------------------------------------------------


def bootstrap_interval(
    values: Sequence[float], *, confidence: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> tuple[float, float] | None:
    """The percentile bootstrap interval of a mean; None for no values. The seed makes it repeatable."""
    if not values:
        return None
    import numpy as np

    # Differences of scores are ratios of small numbers: few distinct values, however many samples. How often
    # each is drawn in a resample is one multinomial draw, the same as drawing the samples one by one.
    distinct, counts = np.unique(np.asarray(values, dtype=float).round(12), return_counts=True)
    draws = np.random.default_rng(seed).multinomial(len(values), counts / len(values), size=resamples)
    means = draws @ distinct / len(values)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


EXACT_FLIPS = 14  # up to 2**14 ways to flip the signs are counted; beyond that, they are drawn


def paired_p_value(differences: Sequence[float], *, resamples: int = 20_000, seed: int = 0) -> float:
    """The two-sided p-value of a paired permutation test: how often signs at random give a mean as far from 0.

    Exact for up to 14 differences that are not 0; 1 when there are none.
    """
    import numpy as np

    sizes = np.abs(np.asarray([value for value in differences if value], dtype=float)).round(12)
    observed = abs(math.fsum(differences)) - 1e-9  # as far within the error of the sums
    if not len(sizes):
        return 1.0
    if len(sizes) <= EXACT_FLIPS:
        signs = 2 * ((np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes))) & 1) - 1
        return float((np.abs(signs @ sizes) >= observed).mean())
    distinct, counts = np.unique(sizes, return_counts=True)
    positive = np.random.default_rng(seed).binomial(counts, 0.5, size=(resamples, len(counts)))
    sums = (2 * positive - counts) @ distinct
    return float((1 + (np.abs(sums) >= observed).sum()) / (1 + resamples))


# --- exact bounds and drift -------------------------------------------------------------------------


def binomial_cdf(count: int, n: int, share: float) -> float:
    """The chance of at most `count` of n, when each comes with this share."""
    if count >= n or share <= 0:
        return 1.0
    if share >= 1:
        return 0.0
    log, other = math.log(share), math.log1p(-share)
    whole = math.lgamma(n + 1)
    terms = (
        math.exp(whole - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * log + (n - k) * other)
        for k in range(count + 1)
    )
    return min(1.0, math.fsum(terms))


def upper_bound(count: int, n: int, *, confidence: float = 0.95) -> float:
    """Clopper and Pearson's one-sided upper bound of a share of which `count` of n were seen: exact for any n."""
    if count >= n:
        return 1.0
    low, high = count / n, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if binomial_cdf(count, n, middle) > 1 - confidence else (low, middle)
    return high


def same_distribution(first: Sequence[float], second: Sequence[float]) -> float:
    """The p-value of the two-sample test of Kolmogorov and Smirnov: how likely so large a gap is by chance."""
    if not first or not second:
        return 1.0
    ours, theirs = sorted(first), sorted(second)
    gap = max(abs(_below(ours, value) - _below(theirs, value)) for value in {*ours, *theirs})
    n = math.sqrt(len(ours) * len(theirs) / (len(ours) + len(theirs)))
    scaled = (n + 0.12 + 0.11 / n) * gap  # Stephens (1970), good from a few values on
    if scaled < 0.2:
        return 1.0
    terms = (2 * (-1) ** (k - 1) * math.exp(-2 * (k * scaled) ** 2) for k in range(1, 101))
    return min(1.0, max(0.0, math.fsum(terms)))


def _below(values: Sequence[float], value: float) -> float:
    """The share of sorted values up to one."""
    return bisect_right(values, value) / len(values)
