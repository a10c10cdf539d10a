"""The exceptions, as a tree.

    FaithmeterError
      UsageError            the call is wrong: an unknown verifier, a bad option
        MissingExtra        an optional package is not installed; says the exact pip command
      DataError             the input is wrong: names the file, line, value and remedy
        RowError            one row is wrong; the others may be fine
      OutputError           a result could not be written
      StopRun               nothing more can be judged; what is done is kept, and the run can be resumed
        EndpointDown        the endpoint does not answer, or refuses the key, the model or the account
        BudgetReached       the next request might cost more than the limit leaves

What cannot be *judged* is not an exception but a `Failure` in the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:  # the words may raise these
    from pydantic import ValidationError

    from faithmeter.datamodels import Outcome


class FaithmeterError(Exception):
    """The base of everything faithmeter raises on purpose; its message is fit to show to a user."""


class UsageError(FaithmeterError):
    """The call is wrong."""


class MissingExtra(UsageError):
    """An optional package is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional package: pip install 'faithmeter[{extra}]'")


class DataError(FaithmeterError):
    """The input is wrong."""


class RowError(DataError):
    """One row of the input is wrong."""

    def __init__(self, where: str, problem: str, remedy: str = "") -> None:
        super().__init__(f"{where}: {problem}" + (f"; {remedy}" if remedy else ""))
        self.where = where
        self.problem = problem
        self.remedy = remedy

    def __reduce__(self) -> tuple[type[RowError], tuple[str, str, str]]:
        return type(self), (self.where, self.problem, self.remedy)  # so that it can come from another process


def first_problem(error: ValidationError, *, whole: str = "row") -> str:
    """What pydantic found wrong first: where, and what; `whole` names the value as a whole."""
    problem = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, problem['loc'])) or whole}: {plain(problem['msg']).lower()}"


def plain(message: str) -> str:
    """A message of pydantic's without the name that it gives to our own errors."""
    return message.removeprefix("Value error, ")


class OutputError(FaithmeterError):
    """A result could not be written."""


class StopRun(FaithmeterError):
    """Nothing more can be judged: a run should stop here, keep what it has, and be resumed later."""

    kind: ClassVar[Literal["endpoint", "budget"]] = "endpoint"
    """The `Failure.kind` of what could not be judged."""

    def __init__(self, message: str, *, outcomes: Sequence[Outcome] = ()) -> None:
        super().__init__(message)
        self.outcomes: tuple[Outcome, ...] = tuple(outcomes)
        """From a verifier: what it had found so far, one outcome a pair, with Failures for the rest."""


class EndpointDown(StopRun):
    """The endpoint does not answer, or refuses the key, the model or the account."""


class BudgetReached(StopRun):
    """The next request might cost more than the limit leaves."""

    kind = "budget"
