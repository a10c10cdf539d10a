"""Runs an evaluator over a data set."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from faithmeter import sync
from faithmeter.datamodels import Sample
from faithmeter.errors import RowError
from faithmeter.evaluator import Evaluator
from faithmeter.extract import Extractor
from faithmeter.results import Report
from faithmeter.runs.datasets import Row, read_data
from faithmeter.scoring import Scoring
from faithmeter.verify import DEFAULT_VERIFIER, Verifier

Data = Any


async def aevaluate(
    data: Data,
    *,
    verifier: str | Verifier = DEFAULT_VERIFIER,
    extractor: str | Extractor = "sentences",
    scoring: str | Scoring = "plain",
    columns: Mapping[str, str] | None = None,
    min_score: float | None = None,
) -> Report:
    """Check every sample of a file, or of an iterable of samples or rows; a bad row is an error."""
    evaluator = Evaluator(verifier=verifier, extractor=extractor, scoring=scoring)
    results = [result async for result in evaluator.stream(_good(read_data(data, columns=columns)))]
    return Report(results=tuple(results), min_score=min_score)


def evaluate(
    data: Data,
    *,
    verifier: str | Verifier = DEFAULT_VERIFIER,
    extractor: str | Extractor = "sentences",
    scoring: str | Scoring = "plain",
    columns: Mapping[str, str] | None = None,
    min_score: float | None = None,
) -> Report:
    """Check every sample of a file, or of an iterable of samples or rows; a bad row is an error."""
    return sync.run(
        aevaluate(data, verifier=verifier, extractor=extractor, scoring=scoring, columns=columns, min_score=min_score)
    )


async def _good(rows: Iterator[Row] | AsyncIterator[Row]) -> AsyncIterator[Sample]:
    async for row in _aiter(rows):
        if isinstance(row, RowError):
            raise row
        yield row


async def _aiter(rows: Iterator[Row] | AsyncIterator[Row]) -> AsyncIterator[Row]:
    if isinstance(rows, AsyncIterator):
        async for row in rows:
            yield row
    else:
        for row in rows:
            yield row
