"""Runs an evaluator over a data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from faithmeter import sync
from faithmeter.datamodels import Sample
from faithmeter.errors import RowError
from faithmeter.evaluator import Evaluator
from faithmeter.extract import Extractor
from faithmeter.results import Report
from faithmeter.runs.datasets import Record, Row, read_samples, to_samples
from faithmeter.scoring import Scoring
from faithmeter.verify import DEFAULT_VERIFIER, Verifier

Data = str | Path | Iterable[Sample | Mapping[str, Any]]


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
    results = [result async for result in evaluator.stream(_good(read(data, columns=columns)))]
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


def read(data: Data, *, columns: Mapping[str, str] | None = None) -> Iterator[Row]:
    """The samples of a file or an iterable, and what is wrong with the rows that are none."""
    if isinstance(data, str | Path):
        return read_samples(data, columns=columns)
    records = (
        Record(f"row {number}", row if isinstance(row, Sample) else dict(row))
        for number, row in enumerate(data, start=1)
    )
    return to_samples(records, columns=columns)


def _good(rows: Iterable[Row]) -> Iterator[Sample]:
    for row in rows:
        if isinstance(row, RowError):
            raise row
        yield row
