"""What a report says about a run as a whole, added up in one pass."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from faithmeter.datamodels import Failure, Outcome, Verdict
from faithmeter.results import Result, Tally
from faithmeter.runtime.specs import is_llm

BINS = 11  # ten of 0.1 each, and one for the answers that are faithful throughout
MANY_CLAIMS = 12  # answers with more claims than this share the last column of the plot
OWN_LIMIT = "faithmeter_min_score"  # in the metadata of a sample that a test checked: its limit …
OWN_PLACE = "faithmeter_test"  # … and where the test is, as `file:line`
JUDGED_BY_DEFAULT = 1.0  # forms that must say passed or failed, where no --min-score was given: every claim counts


class Summary(Tally):
    """A tally that also knows how scores are spread, who judged, and which claims to look at first."""

    def __init__(self, *, min_score: float | None = None, keep: int = 50) -> None:
        super().__init__(min_score=min_score, keep=keep)
        self.histogram = [0] * BINS
        self.grid: Counter[tuple[int, int]] = Counter()
        """Samples by (claims, at most MANY_CLAIMS + 1; bin of the score)."""
        self.signatures: Counter[str] = Counter()
        self.origins: Counter[str] = Counter()
        self.cached = 0
        """Verdicts that came from a cache."""
        self.tiers: Counter[tuple[int, str]] = Counter()
        """Verdicts of a cascade, by the tier that settled the claim: its index and its name."""
        self.verdicts = 0
        self.failures: Counter[str] = Counter()
        """Claims that could not be judged, by kind."""

    def add(self, result: Result) -> None:
        """Count one more result."""
        super().add(result)
        self.signatures[result.signature] += 1
        for outcome in result.outcomes:
            if isinstance(outcome, Failure):
                self.failures[outcome.kind] += 1
            else:
                self._add_verdict(outcome)
        if result.score is not None:
            column = bin_of(result.score)
            self.histogram[column] += 1
            if result.outcomes:
                self.grid[min(len(result.outcomes), MANY_CLAIMS + 1), column] += 1

    def _add_verdict(self, verdict: Verdict) -> None:
        self.verdicts += 1
        self.cached += verdict.origin.cache is not None
        self.origins[verdict.origin.verifier] += 1
        if verdict.origin.tier is not None:
            self.tiers[verdict.origin.tier, verdict.origin.verifier] += 1

    @property
    def settled_early(self) -> str | None:
        """How many claims of a cascade the LLM was spared, and who settled them; None if there was no cascade."""
        if not self.tiers:
            return None
        early = {name: n for (_, name), n in sorted(self.tiers.items()) if not is_llm(name)}
        by = ", ".join(f"{name} {n:,}" for name, n in early.items()) or "none"
        return f"{sum(early.values()):,} of {self.tiers.total():,} claims settled without the LLM ({by})"

    @property
    def saved(self) -> float | None:
        """About what the cache saved in dollars: its verdicts at the mean price of the others; None if unpriced."""
        bought = self.verdicts - self.cached
        if not self.cached or not bought or self.usage.cost is None:
            return None
        return self.cached * self.usage.cost / bought

    @property
    def passed(self) -> bool | None:
        """Whether the mean reaches `min_score`; None without one."""
        if self.min_score is None:
            return None
        return self.mean is not None and self.mean >= self.min_score


def bin_of(score: float) -> int:
    """The histogram's bin: [0, 0.1), …, [0.9, 1), and 1 itself; raw scores out of range go to the ends."""
    return min(BINS - 1, max(0, math.floor(score * 10 + 1e-9)))


def summarise(results: Iterable[Result], *, min_score: float | None = None, keep: int = 50) -> Summary:
    """Add up a run."""
    summary = Summary(min_score=min_score, keep=keep)
    for result in results:
        summary.add(result)
    return summary


def limit_of(result: Result, min_score: float | None) -> float:
    """What an answer must reach: its own limit, where a test gave it one, then the run's, then 1."""
    own = result.sample.metadata.get(OWN_LIMIT)
    if isinstance(own, int | float):
        return own
    return JUDGED_BY_DEFAULT if min_score is None else min_score


def passes(result: Result, min_score: float | None) -> bool:
    """Whether an answer passes; without a limit, only one whose score is 1 does."""
    return result.score is not None and result.score >= limit_of(result, min_score)


def to_look_at(result: Result) -> tuple[Outcome, ...]:
    """What was not judged, then contradictions, then the other claims that are not supported."""
    return (*result.failures, *result.unsupported)
