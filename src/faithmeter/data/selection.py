"""Chooses which samples of a data set a run takes."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from faithmeter.data.hash_table import fingerprint
from faithmeter.datamodels import Sample


class Selection(NamedTuple):
    """A shard, of that a random sample, of that the first few."""

    shard: tuple[int, int] | None = None
    """(i, n): every n-th sample, from the i-th, counted from 1."""
    sample: int | None = None
    """How many to draw."""
    seed: int = 0
    limit: int | None = None

    @property
    def most(self) -> int | None:
        """The largest number of samples that can come out."""
        counts = [count for count in (self.sample, self.limit) if count is not None]
        return min(counts) if counts else None

    def of(self, samples: Iterator[Sample]) -> Iterator[Sample]:
        """The chosen samples, in order."""
        if self.shard:
            samples = islice(samples, self.shard[0] - 1, None, self.shard[1])
        if self.sample is not None:
            samples = _drawn(samples, self.sample, self.seed)
        return islice(samples, self.limit)


def _drawn(samples: Iterator[Sample], size: int, seed: int) -> Iterator[Sample]:
    """Those of the lowest rank: a larger draw contains a smaller one, whatever the order."""
    ranked = ((rank(fingerprint(sample.id), seed), position, sample) for position, sample in enumerate(samples))
    drawn = heapq.nsmallest(size, ranked, key=lambda item: item[:2])
    return (sample for _, _, sample in sorted(drawn, key=lambda item: item[1]))


def rank(key: int, seed: int) -> int:
    """Where a sample comes in a draw, from the fingerprint of its id."""
    return fingerprint(f"{seed}:{key:x}")
