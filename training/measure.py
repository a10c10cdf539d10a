"""Figures: AUROC, balanced accuracy, F1, calibration error, from supports and labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def auroc(scores: Sequence[float] | Floats, good: Sequence[bool] | np.ndarray) -> float:
    """The chance that a good one scores above a bad one; ties count half."""
    values, truth = np.asarray(scores, float), np.asarray(good, bool)
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    positives, negatives = int(truth.sum()), int((~truth).sum())
    if not positives or not negatives:
        return float("nan")
    return float((ranks[truth].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def f1_of_bad(scores: Floats, good: np.ndarray, threshold: float) -> float:
    """F1 of calling "bad" what scores below a threshold."""
    flagged = scores < threshold
    hits = int((flagged & ~good).sum())
    return 2 * hits / max(1, int(flagged.sum()) + int((~good).sum()))


def balanced_accuracy(scores: Floats, good: np.ndarray, threshold: float) -> float:
    """Mean of the share of good ones kept and the share of bad ones flagged."""
    flagged = scores < threshold
    return float(((~flagged)[good].mean() + flagged[~good].mean()) / 2)


def calibration_error(support: Floats, good: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error over equal-width bins."""
    which = np.minimum((support * bins).astype(int), bins - 1)
    gaps = [abs(support[which == b].mean() - good[which == b].mean()) * (which == b).mean()
            for b in range(bins) if (which == b).any()]  # fmt: skip
    return float(sum(gaps))


def worst_by_group(support: Floats, groups: np.ndarray) -> tuple[np.ndarray, Floats]:
    """Each answer's lowest support."""
    names, inverse = np.unique(groups, return_inverse=True)
    worst = np.ones(len(names))
    np.minimum.at(worst, inverse, support)
    return names, worst
