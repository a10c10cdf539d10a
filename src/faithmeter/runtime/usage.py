"""Counts what a sample costs, wherever in the call tree it is spent.

The evaluator opens a meter around each sample; whoever talks to an endpoint adds to the current
meter. A context variable carries it, so that wrappers (a cache, a cascade) need not pass it on:
asyncio tasks inherit the variable, and all of a sample's tasks share one meter.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from faithmeter.datamodels import Usage

_NOTHING = Usage()


class Meter:
    """A running sum of usage; `usage` is the sum so far, with the time since the meter was opened."""

    def __init__(self) -> None:
        self._sum = _NOTHING
        self._opened = time.perf_counter()

    def add(self, usage: Usage) -> None:
        """Count what was just spent."""
        self._sum = self._sum + usage

    @property
    def usage(self) -> Usage:
        return self._sum.model_copy(update={"seconds": time.perf_counter() - self._opened})


_current: ContextVar[Meter | None] = ContextVar("faithmeter_meter", default=None)


@contextmanager
def metered() -> Iterator[Meter]:
    """Open a meter for what is spent inside."""
    meter = Meter()
    token = _current.set(meter)
    try:
        yield meter
    finally:
        _current.reset(token)


def spend(usage: Usage) -> None:
    """Add to the current meter, if there is one."""
    meter = _current.get()
    if meter is not None:
        meter.add(usage)
