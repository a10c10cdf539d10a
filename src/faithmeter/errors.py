"""The exceptions, as a tree.

    FaithmeterError
      UsageError            the call is wrong: an unknown verifier, a bad option
        MissingExtra        an optional package is not installed; says the exact pip command
      DataError             the input is wrong: names the file, line, value and remedy
        RowError            one row is wrong; the others may be fine
      OutputError           a result could not be written

What cannot be *judged* is not an exception but a `Failure` in the result.
"""

from __future__ import annotations


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


class OutputError(FaithmeterError):
    """A result could not be written."""
