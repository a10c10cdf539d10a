"""How well a judge agrees with people, and how far its probabilities can be trusted: arithmetic only.

Throughout, `good` says what people found (True: supported), `passed` what the judge found, `support` the judge's
probability, and `weights` how much each unit counts. Weights may have leading axes: a row for each bootstrap draw
gives a figure for each draw in one go. A figure that the data do not define (one class only) is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Statistic = Callable[[Array], Array]
Aim = Literal["balanced", "f1"]

DRAWS = 2000
CELLS = 4_000_000  # draws times units held at once: 32 MB


class Estimate(NamedTuple):
    """A figure and its interval; None where the data do not define it."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        return f"{self.value:.3f}" + (f" ({self.low:.3f} to {self.high:.3f})" if self.low is not None else "")


class Bin(NamedTuple):
    """One step of a reliability curve: claims of about the same support, and how many were really supported."""

    low: float
    high: float
    size: int
    support: float
    """The mean of what the judge said."""
    good: float
    """The share that people found supported."""


def recall(good: Bools, passed: Bools, weights: Array) -> Array:
    """The share of what is unfaithful that the judge caught."""
    return _ratio(weights @ (~good & ~passed), weights @ ~good)


def precision(good: Bools, passed: Bools, weights: Array) -> Array:
    """The share of what the judge flagged that is unfaithful."""
    return _ratio(weights @ (~good & ~passed), weights @ ~passed)


def specificity(good: Bools, passed: Bools, weights: Array) -> Array:
    """The share of what is faithful that the judge let pass."""
    return _ratio(weights @ (good & passed), weights @ good)


def balanced_accuracy(good: Bools, passed: Bools, weights: Array) -> Array:
    """The mean of the shares found right among the faithful and among the unfaithful."""
    return (recall(good, passed, weights) + specificity(good, passed, weights)) / 2


def f1_unfaithful(good: Bools, passed: Bools, weights: Array) -> Array:
    """The harmonic mean of precision and recall of "unfaithful"."""
    caught = weights @ (~good & ~passed)
    return _ratio(2 * caught, 2 * caught + weights @ (good != passed))


def auroc(good: Bools, support: Array, weights: Array) -> Array:
    """The chance that something faithful has more support than something unfaithful; a tie counts half."""
    order = np.argsort(support, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(support[order]) != 0])
    drawn = weights[..., order]
    up = np.add.reduceat(drawn * good[order], starts, axis=-1)
    down = np.add.reduceat(drawn * ~good[order], starts, axis=-1)
    below = np.cumsum(down, axis=-1) - down / 2
    return _ratio((up * below).sum(-1), up.sum(-1) * down.sum(-1))


def kappa(first: NDArray[Any], second: NDArray[Any], weights: Array) -> Array:
    """Cohen's kappa of two lists of labels: agreement beyond what chance would give."""
    names = np.union1d(first, second)
    one, two = first[:, None] == names, second[:, None] == names
    total = weights.sum(-1)
    same = _ratio(weights @ (first == second), total)
    chance = _ratio(((weights @ one) * (weights @ two)).sum(-1), total**2)
    return _ratio(same - chance, 1 - chance)


def brier(good: Bools, support: Array, weights: Array) -> Array:
    """The mean squared error of the probabilities."""
    return _ratio(weights @ (support - good) ** 2, weights.sum(-1))


def calibration_error(good: Bools, support: Array, weights: Array, *, bins: int = 10) -> Array:
    """The expected calibration error: how far support and share of supported lie apart, over bins of equal width."""
    member = _bin(support, bins)[:, None] == np.arange(bins)
    apart = np.abs(weights @ (member * support[:, None]) - weights @ (member * good[:, None]))
    return _ratio(apart.sum(-1), weights.sum(-1))


def reliability(good: Bools, support: Array, weights: Array, *, bins: int = 10) -> list[Bin]:
    """The reliability curve, without its empty bins."""
    bin_of = _bin(support, bins)
    curve = []
    for index in range(bins):
        here = bin_of == index
        if weight := float(weights[here].sum()):
            means = [float((weights[here] * values[here]).sum()) / weight for values in (support, good)]
            curve.append(Bin(index / bins, (index + 1) / bins, int(here.sum()), *means))
    return curve


def roc(good: Bools, support: Array, weights: Array) -> list[tuple[float, float]]:
    """The curve of (false alarm rate, share caught) over all thresholds on support."""
    order = np.argsort(support, kind="stable")
    last = np.flatnonzero(np.r_[np.diff(support[order]) != 0, True])
    bad, fine = (np.cumsum((weights * side)[order])[last] for side in (~good, good))
    if not bad[-1] or not fine[-1]:
        return []
    return [(0.0, 0.0), *zip((fine / fine[-1]).tolist(), (bad / bad[-1]).tolist(), strict=True)]


def span_overlap(pairs: Iterable[tuple[Iterable[tuple[int, int]], Iterable[tuple[int, int]]]]) -> Array:
    """Characters per answer as (both, judge's only, people's only), from (people's spans, judge's spans)."""
    rows = []
    for people, judge in pairs:
        by_people, by_judge = _merged(people), _merged(judge)
        both = _length(by_people) + _length(by_judge) - _length(_merged([*by_people, *by_judge]))
        rows.append((both, _length(by_judge) - both, _length(by_people) - both))
    return np.array(rows, float).reshape(-1, 3)


def span_f1(counts: Array, weights: Array) -> Array:
    """F1 over the characters of all answers, from what `span_overlap` gives."""
    both, extra, missed = np.moveaxis(weights @ counts, -1, 0)
    return _ratio(2 * both, 2 * both + extra + missed)


def bootstrap(
    statistic: Statistic, *, weights: Array, units: Sequence[Hashable], draws: int = DRAWS, seed: int = 0
) -> Estimate:
    """A figure with its 95 % percentile interval, drawing whole units with replacement.

    `units` says which rows belong together: the claims of one answer depend on each other, so drawing them one by
    one would give intervals that are too narrow. The same units and seed give the same draws, so that two judges of
    the same claims are compared on the same draws.
    """
    value = float(statistic(weights))
    if np.isnan(value):
        return Estimate(None)
    values = statistic_draws(statistic, weights=weights, units=units, draws=draws, seed=seed)
    values = values[~np.isnan(values)]
    if len(set(units)) < 2 or not len(values):
        return Estimate(value)
    low, high = np.quantile(values, [0.025, 0.975])
    return Estimate(value, float(low), float(high))


def statistic_draws(
    statistic: Statistic, *, weights: Array, units: Sequence[Hashable], draws: int = DRAWS, seed: int = 0
) -> Array:
    """A figure for each bootstrap draw."""
    numbers: dict[Hashable, int] = {}
    member = np.array([numbers.setdefault(unit, len(numbers)) for unit in units], int)
    rng = np.random.default_rng(seed)
    count = len(numbers)
    step = max(1, CELLS // max(1, len(member)))
    values = []
    for begin in range(0, draws, step):
        drawn = rng.multinomial(count, np.full(count, 1 / count), size=min(step, draws - begin))
        values.append(np.atleast_1d(statistic(drawn[:, member] * weights)))
    return np.concatenate(values)


def best_threshold(good: Bools, support: Array, weights: Array, *, aim: Aim = "balanced") -> float:
    """The threshold on support with the best balanced accuracy, or the best F1 of unfaithful.

    It lies half way between two supports that occur, so that rounding does not matter; of equally good ones the
    middle one is taken, which is the least fitted to chance.
    """
    order = np.argsort(support, kind="stable")
    values, starts = np.unique(support[order], return_index=True)
    below = [np.r_[0.0, np.cumsum((weights * side)[order])] for side in (~good, good)]
    caught, lost = (totals[np.r_[starts, len(order)]] for totals in below)
    bad, fine = caught[-1], lost[-1]
    if aim == "balanced":
        scores = _ratio(caught, bad) + _ratio(fine - lost, fine)
    else:
        scores = _ratio(2 * caught, caught + lost + bad)
    if np.isnan(scores).all():
        return 0.5
    cuts = np.r_[values[0] / 2, (values[1:] + values[:-1]) / 2, (values[-1] + 1) / 2]
    best = np.flatnonzero(scores >= np.nanmax(scores) - 1e-12)
    return float(cuts[best[len(best) // 2]])


def _ratio(top: Any, bottom: Any) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(bottom) != 0, np.divide(top, bottom), np.nan)


def _bin(support: Array, bins: int) -> NDArray[np.int64]:
    return np.minimum((support * bins).astype(np.int64), bins - 1)


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, with those that overlap as one: a span may be as long as somebody cares to write."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _length(spans: list[tuple[int, int]]) -> int:
    return sum(end - start for start, end in spans)
