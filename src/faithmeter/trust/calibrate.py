"""Fits a profile from people's labels: a threshold, and what share of a given support they found supported."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from faithmeter.datamodels import Label
from faithmeter.errors import DataError
from faithmeter.results import Result
from faithmeter.trust import metrics as stats
from faithmeter.trust.agreement import Agreement, LabelledUnit
from faithmeter.trust.metrics import Aim, Array, Bools, Estimate
from faithmeter.verify.calibrated import Curve, Kind, Profile, log_odds

KINDS: tuple[Kind, ...] = ("logistic", "isotonic")

FOLDS = 5
FEWEST = 20  # labels, and of each kind a quarter of it: below, a fit says more about chance than about the verifier


def unfaithful_rate(agreement: Agreement, results: Iterable[Result]) -> tuple[int, Estimate]:
    """How many claims (or answers) the results hold, and the share of them that is really unfaithful.

    From the verifier's own decisions, not a profile's: those were fitted to the labels and would look too good.
    """
    flagged: list[bool] = []
    units: list[str] = []
    for result in results:
        if (other := _verifier_of(result.signature)) != (own := _verifier_of(agreement.signature)):
            raise DataError(f"sample {result.sample.id!r} was judged by {other!r}, and the labels are about {own!r}")
        bad = [verdict.label is not Label.SUPPORTED for verdict in result.verdicts]
        bad = [any(bad)] if agreement.level == "answer" else bad
        flagged += bad
        units += [result.sample.id] * len(bad)
    if not flagged:
        return 0, Estimate(None)
    return len(flagged), true_rate(
        agreement.good,
        agreement.passed,
        agreement.weights,
        units=[unit.sample for unit in agreement.units],
        flagged=np.array(flagged),
        flagged_units=units,
    )


def fit_profile(agreement: Agreement, *, aim: Aim = "balanced") -> Profile:
    """Fit a threshold and the better of two curves, and measure both by cross-validation over answers."""
    units = agreement.units
    verifier = _verifier_of(agreement.signature)
    if "+profile:" in verifier:
        raise DataError(f"{agreement.name}: was made with a profile; calibrate from results without one")
    bad = int((~agreement.good).sum())
    if len(units) < FEWEST or min(bad, len(units) - bad) < FEWEST // 4:
        few = f"{len(units)} labels, {bad} of them unfaithful"
        raise DataError(
            f"{agreement.name}: {few}, are too few to calibrate; label at least {FEWEST}, {FEWEST // 4} of either kind"
        )
    base: dict[str, Any] = {"verifier": verifier, "level": agreement.level, "labels": len(units), "aim": aim}
    if any(unit.support is None for unit in units):
        shares = {label: _share([unit for unit in units if unit.judge == label]) for label in Label}
        known = {label: share for label, share in shares.items() if share is not None}
        return Profile(**base, shares=known)
    support = np.array([unit.support for unit in units], float)
    good, weights, groups = agreement.good, agreement.weights, [unit.sample for unit in units]
    tried = {kind: out_of_fold(good, support, weights, units=groups, aim=aim, kind=kind) for kind in KINDS}
    kind = min(tried, key=lambda name: float(stats.brier(good, tried[name][1], weights)))
    passed, probability = tried[kind]
    measured = {
        "before": _figures(good, agreement.passed, support, weights, groups),
        "after": _figures(good, passed, probability, weights, groups),
    }
    return Profile(
        **base,
        threshold=round(stats.best_threshold(good, support, weights, aim=aim), 6),
        # the worst claim's support tells the answers apart, but is no claim's probability
        curve=fit_curve(good, support, weights, kind=kind) if agreement.level == "claim" else None,
        measured=measured,
    )


def _verifier_of(signature: str) -> str:
    """The verifier's part of a result's signature."""
    match = re.fullmatch(r"extract:.*?\|verify:(.*)\|score:.*", signature, re.DOTALL)
    return re.sub(r"(?:\|(?:fix|citations):[^|]*)+\Z", "", match[1]) if match else signature


def _share(units: Sequence[LabelledUnit]) -> float | None:
    """The share really supported, one of each kind added, for few units say little."""
    total = sum(unit.weight for unit in units)
    good = sum(unit.weight for unit in units if unit.good)
    return round((good + 1) / (total + 2), 4) if units else None


def _figures(
    good: Bools, passed: Bools, support: Array, weights: Array, units: Sequence[Hashable]
) -> dict[str, dict[str, float | None]]:
    figures = {
        "balanced_accuracy": partial(stats.balanced_accuracy, good, passed),
        "f1_unfaithful": partial(stats.f1_unfaithful, good, passed),
        "auroc": partial(stats.auroc, good, support),
        "calibration_error": partial(stats.calibration_error, good, support),
        "brier": partial(stats.brier, good, support),
    }
    return {name: stats.bootstrap(figure, weights=weights, units=units)._asdict() for name, figure in figures.items()}


def fit_curve(good: Bools, support: Array, weights: Array, *, kind: Kind) -> Curve:
    """Fit a monotone curve of one kind."""
    return _fit_logistic(good, support, weights) if kind == "logistic" else _fit_isotonic(good, support, weights)


def isotonic(support: Array, good: Bools, weights: Array) -> tuple[Array, Array, Array]:
    """Pool adjacent violators: the blocks' mean support, share of good and weight, both rising."""
    order = np.argsort(support, kind="stable")
    blocks: list[tuple[float, float, float]] = []  # sums of support, of good, of weight
    values, starts = np.unique(support[order], return_index=True)
    sums = [np.add.reduceat((part * weights)[order], starts) for part in (good.astype(float), np.ones(len(good)))]
    for value, hits, weight in zip(values, *sums, strict=True):
        block = (value * weight, hits, weight)
        while blocks and blocks[-1][1] / blocks[-1][2] >= block[1] / block[2]:
            before = blocks.pop()
            block = (before[0] + block[0], before[1] + block[1], before[2] + block[2])
        blocks.append(block)
    x, y, size = np.array(blocks).T
    return x / size, y / size, size


def out_of_fold(
    good: Bools, support: Array, weights: Array, *, units: Sequence[Hashable], aim: Aim, kind: Kind
) -> tuple[Bools, Array]:
    """(passed, probability) of each unit by a fit that has not seen its answer."""
    names = sorted(set(units), key=str)
    np.random.default_rng(0).shuffle(names)
    fold_of = {name: index % FOLDS for index, name in enumerate(names)}
    fold = np.array([fold_of[unit] for unit in units])
    passed, probability = np.zeros(len(good), bool), np.zeros(len(good))
    for held_out in range(min(FOLDS, len(names))):
        seen, held = fold != held_out, fold == held_out
        threshold = stats.best_threshold(good[seen], support[seen], weights[seen], aim=aim)
        passed[held] = support[held] >= threshold
        probability[held] = fit_curve(good[seen], support[seen], weights[seen], kind=kind)(support[held])
    return passed, probability


def rogan_gladen(apparent: Array, sensitivity: Array, specificity: Array) -> Array:
    """The true rate behind an apparent one, given how often the judge is right about either kind.

    Rogan and Gladen, American Journal of Epidemiology 107 (1978). NaN where the judge is no better than chance.
    """
    gain = sensitivity + specificity - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(gain > 0, np.clip((apparent + specificity - 1) / gain, 0, 1), np.nan)


def true_rate(
    good: Bools,
    passed: Bools,
    weights: Array,
    *,
    units: Sequence[Hashable],
    flagged: Bools,
    flagged_units: Sequence[Hashable],
) -> Estimate:
    """The share of unlabelled units that is really unfaithful, with an interval from both samples.

    `good` and `passed` are people's and the judge's words on the labelled units; `flagged` is what the judge flags
    among the unlabelled.
    """
    ones = np.ones(len(flagged))
    share = stats.statistic_draws(
        lambda w: (w @ flagged) / w.sum(-1), weights=ones, units=flagged_units, seed=1
    )  # drawn apart from the labelled ones, on another seed
    caught, cleared = (
        stats.statistic_draws(lambda w, f=figure: f(good, passed, w), weights=weights, units=units)  # type: ignore[misc]
        for figure in (stats.recall, stats.specificity)
    )
    value = float(
        rogan_gladen(flagged.mean(), stats.recall(good, passed, weights), stats.specificity(good, passed, weights))
    )
    if np.isnan(value):
        return Estimate(None)
    draws = rogan_gladen(share, caught, cleared)
    draws = draws[~np.isnan(draws)]
    low, high = np.quantile(draws, [0.025, 0.975])
    return Estimate(value, float(low), float(high))


def _fit_logistic(good: Bools, support: Array, weights: Array) -> Curve:
    """Platt's scaling of the log-odds, with his smoothed targets, by Newton's method; a falling slope becomes flat."""
    hits = float(weights @ good)
    misses = float(weights.sum() - hits)
    target = np.where(good, (hits + 1) / (hits + 2), 1 / (misses + 2))
    x = log_odds(support)
    slope, shift = 1.0, 0.0
    for _ in range(100):
        p = 1 / (1 + np.exp(-(slope * x + shift)))
        residual, curvature = weights * (target - p), weights * p * (1 - p)
        gradient = np.array([residual @ x - 1e-6 * slope, residual.sum()])
        hessian = np.array([[curvature @ x**2 + 1e-6, curvature @ x], [curvature @ x, curvature.sum() + 1e-9]])
        step = np.clip(np.linalg.solve(hessian, gradient), -2, 2)
        slope, shift = slope + step[0], shift + step[1]
        if np.abs(step).max() < 1e-10:
            break
    if slope < 0:
        share = (hits + 1) / (hits + misses + 2)
        return Curve(kind="logistic", slope=0.0, shift=float(np.log(share / (1 - share))))
    return Curve(kind="logistic", slope=round(float(slope), 6), shift=round(float(shift), 6))


def _fit_isotonic(good: Bools, support: Array, weights: Array) -> Curve:
    x, y, size = isotonic(support, good, weights)
    # a block of three claims that all hold does not make the fourth certain: one of each is added to every block
    smooth = np.maximum.accumulate((y * size + 1) / (size + 2))
    return Curve(
        kind="isotonic", knots=tuple((round(float(a), 6), round(float(b), 6)) for a, b in zip(x, smooth, strict=True))
    )
