"""How stable a judge is: the same answers judged again and again, and what changes from time to time."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import Any, NamedTuple

from faithmeter.datamodels import Label, Verdict
from faithmeter.intervals import t_quantile
from faithmeter.results import Result


class FlippingClaim(NamedTuple):
    """A claim that the judge labels differently from run to run."""

    sample: str
    claim: str
    labels: dict[Label, int]
    """How often each label was given."""
    supports: tuple[float, ...]

    @property
    def disagreement(self) -> float:
        """The chance that two runs differ on whether it is supported."""
        passed, total = self.labels.get(Label.SUPPORTED, 0), sum(self.labels.values())
        return 2 * passed * (total - passed) / (total * (total - 1))


@dataclass(frozen=True)
class Stability:
    """What repeated runs say about the judge."""

    repeats: int
    samples: int
    claims: int
    """Different claims, over all runs."""
    flips: float
    """The chance that two runs differ on whether a claim is supported, over the claims judged twice or more."""
    flaky: tuple[FlippingClaim, ...]
    """The claims that flipped, the most evenly split first."""
    not_always_found: int
    """Claims that some runs have and others do not: the extractor varies."""
    not_always_judged: int
    """Claims that could not be judged in some runs."""
    cached: int
    """Verdicts that came from a cache, and so cannot flip."""
    means: tuple[float, ...]
    """The mean score of each run."""
    sampling: float
    """Standard error of one run's mean from the choice of samples."""
    noise: float
    """Standard error of one run's mean from the judge's variation."""
    interval: tuple[float, float] | None
    """The 95 % interval of one run's mean, from both; None with fewer than two samples."""

    @property
    def mean(self) -> float | None:
        """The mean score over all runs."""
        return fmean(self.means) if self.means else None

    def as_dict(self, *, shown: int) -> dict[str, Any]:
        """The numbers, ready for JSON."""
        return {
            "repeats": self.repeats,
            "samples": self.samples,
            "claims": self.claims,
            "flips": self.flips,
            "flaky_claims": len(self.flaky),
            "not_always_found": self.not_always_found,
            "not_always_judged": self.not_always_judged,
            "cached": self.cached,
            "mean": self.mean,
            "means": self.means,
            "sampling_error": self.sampling,
            "judge_error": self.noise,
            "interval": self.interval,
            "flaky": [item._asdict() for item in self.flaky[:shown]],
        }


def measure_stability(runs: Sequence[Iterable[Result]]) -> Stability:
    """Compare runs of the same judge over the same samples."""
    verdicts: dict[_Key, list[Verdict]] = defaultdict(list)
    met: Counter[_Key] = Counter()
    scores: dict[str, list[float]] = defaultdict(list)
    means: list[float] = []
    for run in runs:
        of_run: list[float] = []
        for result in run:
            if result.score is not None:
                scores[result.sample.id].append(result.score)
                of_run.append(result.score)
            said: Counter[str] = Counter()
            for outcome in result.outcomes:
                if outcome.claim is not None:
                    text = outcome.claim.text
                    key = result.sample.id, text, said[text]  # an answer may say a thing twice
                    said[text] += 1
                    met[key] += 1
                    if isinstance(outcome, Verdict):
                        verdicts[key].append(outcome)
        means += [fmean(of_run)] if of_run else []
    wavering = [_wavering(key, of_claim) for key, of_claim in verdicts.items() if len(of_claim) > 1]
    sampling, noise, interval = _errors(list(scores.values()))
    flaky = sorted((item for item in wavering if item.disagreement), key=lambda item: (-item.disagreement, item[:2]))
    return Stability(
        repeats=len(runs),
        samples=len(scores),
        claims=len(met),
        flips=fmean(item.disagreement for item in wavering) if wavering else 0.0,
        flaky=tuple(flaky),
        not_always_found=sum(count < len(runs) for count in met.values()),
        not_always_judged=sum(len(verdicts[key]) < count for key, count in met.items()),
        cached=sum(verdict.origin.cache is not None for of_claim in verdicts.values() for verdict in of_claim),
        means=tuple(means),
        sampling=sampling,
        noise=noise,
        interval=interval,
    )


_Key = tuple[str, str, int]
"""A sample's id, a claim, and which time the answer makes it."""


def _wavering(key: _Key, verdicts: Sequence[Verdict]) -> FlippingClaim:
    supports = tuple(verdict.support for verdict in verdicts if verdict.support is not None)
    return FlippingClaim(*key[:2], dict(Counter(verdict.label for verdict in verdicts)), supports)


def _errors(scores: Sequence[Sequence[float]]) -> tuple[float, float, tuple[float, float] | None]:
    """Standard errors of one run's mean, from the samples and from the judge, and the interval of both.

    One-way analysis of variance: what scores of one sample differ by is the judge's, what the samples' means differ
    by beyond that is theirs.
    """
    n = len(scores)
    within = fmean([variance(values) if len(values) > 1 else 0.0 for values in scores]) if scores else 0.0
    noise = math.sqrt(within / n) if n else 0.0
    if n < 2:
        return 0.0, noise, None
    means = [fmean(values) for values in scores]
    repeats = fmean(map(len, scores))
    between = max(0.0, variance(means) - within / repeats)
    half = t_quantile(0.975, n - 1) * math.sqrt((between + within) / n)
    low, high = fmean(means) - half, fmean(means) + half
    if min(means) >= 0 and max(means) <= 1:  # raw weighted scores may lie outside
        low, high = max(0.0, low), min(1.0, high)
    return math.sqrt(between / n), noise, (low, high)
