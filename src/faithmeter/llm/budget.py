"""A limit on what a run may cost, in force for everything that is asked inside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from faithmeter.errors import BudgetReached


class Budget:
    """A limit on what a run may cost: what is spent, and what requests under way may still cost."""

    def __init__(self, max_cost: float, *, spent: float = 0.0) -> None:
        self.max_cost = max_cost
        self.spent = spent
        self._reserved = 0.0

    @contextmanager
    def reserve(self, cost: float) -> Iterator[None]:
        """Set aside what a request may cost, or raise `BudgetReached` if that much is not left."""
        if self.spent + self._reserved + cost > self.max_cost:
            raise BudgetReached(
                f"the next request may cost ${cost:.4f}, and of the limit of ${self.max_cost:.2f} "
                f"${self.spent:.4f} is spent: stopped; raise the limit to go on from here"
            )
        self._reserved += cost
        try:
            yield
        finally:
            self._reserved -= cost

    def charge(self, cost: float) -> None:
        """Count what was spent."""
        self.spent += cost


_in_force: ContextVar[Budget | None] = ContextVar("faithmeter_budget", default=None)


@contextmanager
def limited(max_cost: float | None, *, spent: float = 0.0) -> Iterator[Budget | None]:
    """Keep whatever is asked inside within a cost; tasks started inside share the limit. None: no limit.

    `spent` is what an earlier part of the same run has cost already.
    """
    if max_cost is None:
        yield None
        return
    budget = Budget(max_cost, spent=spent)
    token = _in_force.set(budget)
    try:
        yield budget
    finally:
        _in_force.reset(token)


def budget_in_force() -> Budget | None:
    """The limit around the caller, if there is one."""
    return _in_force.get()
