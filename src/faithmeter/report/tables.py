"""The report as a table, a row for each sample or for each claim: CSV for spreadsheets, Parquet for programs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import islice
from typing import IO, Any

from faithmeter.data.jsonl import encode
from faithmeter.datamodels import Failure, Label, Outcome
from faithmeter.errors import MissingExtra, UsageError
from faithmeter.report.escaping import spreadsheet
from faithmeter.report.html.payload import counts
from faithmeter.report.summary import Summary
from faithmeter.results import Result

Row = dict[str, Any]

# column -> its type in Parquet
SAMPLE_COLUMNS = {
    "id": "string", "question": "string", "answer": "string", "status": "string", "score": "float64",
    "low": "float64", "high": "float64", "coverage": "float64", "claims": "int64",
    "utilisation": "float64", "noise": "float64",
    "citation_precision": "float64", "citation_recall": "float64", "fixed_answer": "string",
    **{label.value: "int64" for label in Label}, "not_judged": "int64",
    "calls": "int64", "prompt_tokens": "int64", "completion_tokens": "int64", "cost": "float64",
    "cache_hits": "int64", "seconds": "float64", "signature": "string", "metadata": "string",
}  # fmt: skip
CLAIM_COLUMNS = {
    "id": "string", "claim": "int64", "text": "string", "start": "int64", "end": "int64", "label": "string",
    "support": "float64", "evidence": "string", "context": "int64", "reason": "string", "kind": "string",
    "blame": "string", "in_corpus": "string", "gaps": "string",
    "verifier": "string", "tier": "int64", "cache": "string", "failure": "string", "message": "string",
}  # fmt: skip
GROUP = 1000  # rows of a Parquet row group, and as many in memory


def sample_rows(result: Result) -> Iterator[Row]:
    """A sample as one row."""
    sample, usage = result.sample, result.usage
    low, high = result.bounds or (None, None)
    names = [*(label.value for label in Label), "not_judged"]
    yield {
        "id": sample.id, "question": sample.question, "answer": sample.answer, "status": result.status,
        "score": result.score, "low": low, "high": high, "coverage": result.coverage,
        "citation_precision": result.citations.precision if result.citations else None,
        "citation_recall": result.citations.recall if result.citations else None,
        "fixed_answer": result.revision.answer if result.revision else None,
        "claims": len(result.outcomes), "utilisation": result.utilisation, "noise": result.noise,
        **dict(zip(names, counts(result), strict=True)),
        **usage.model_dump(include={"calls", "prompt_tokens", "completion_tokens", "cost", "cache_hits", "seconds"}),
        "signature": result.signature, "metadata": json.dumps(sample.metadata, ensure_ascii=False),
    }  # fmt: skip


def claim_rows(result: Result) -> Iterator[Row]:
    """A row for each claim of a sample; `evidence` is the first quote, from `context` (1 is the first)."""
    for claim_number, outcome in enumerate(result.outcomes, start=1):
        yield {"id": result.sample.id, "claim": claim_number, **_claim(outcome)}


def _claim(outcome: Outcome) -> Row:
    claim = outcome.claim
    row: Row = {"label": "not_judged", "text": claim.text, "start": claim.start, "end": claim.end} if claim else {}
    if isinstance(outcome, Failure):
        return row | {"label": "not_judged", "failure": outcome.kind, "message": outcome.message}
    first = outcome.evidence[0] if outcome.evidence else None
    return row | {
        "label": outcome.label.value,
        "support": outcome.support,
        "evidence": first.quote if first else None,
        "context": first.context + 1 if first else None,
        "reason": outcome.reason,
        "kind": outcome.kind,
        "blame": outcome.blame,
        "in_corpus": f"{passage.document}: {passage.quote}" if (passage := outcome.in_corpus) else None,
        "gaps": json.dumps([outcome.claim.text[start:end] for start, end in outcome.gaps], ensure_ascii=False),
        "verifier": outcome.origin.verifier,
        "tier": outcome.origin.tier,
        "cache": outcome.origin.cache,
    }


def write_jsonl(file: IO[bytes], summary: Summary, results: Iterable[Result], *, title: str | None = None) -> None:
    """Write the results as `eval -o` does."""
    file.writelines(encode(result) + b"\n" for result in results)


def to_frame(results: Iterable[Result], kind: str, library: str) -> Any:
    """A frame of pandas or polars, with a row for each sample or for each claim."""
    if kind not in ("samples", "claims"):
        raise UsageError(f"a row for each of what? 'samples' or 'claims', found {kind!r}")
    columns, rows = (SAMPLE_COLUMNS, sample_rows) if kind == "samples" else (CLAIM_COLUMNS, claim_rows)
    try:
        frames = import_module(library)
    except ImportError:
        raise UsageError(f"to_{library}() needs {library}: pip install {library}") from None
    every = [row for result in results for row in rows(result)]
    cells = {name: [row.get(name) for row in every] for name in columns}
    if library == "polars":
        types = {"string": frames.String, "float64": frames.Float64, "int64": frames.Int64}
        return frames.DataFrame(cells, schema={name: types[kind] for name, kind in columns.items()})
    types = {"string": "object", "float64": "float64", "int64": "Int64"}
    return frames.DataFrame({name: frames.Series(cells[name], dtype=types[kind]) for name, kind in columns.items()})


def _csv(
    file: IO[str], results: Iterable[Result], columns: dict[str, str], rows: Callable[[Result], Iterator[Row]]
) -> None:
    # Text is always quoted: a bare \r ends a row for many readers, and the writer quotes only what would end its own.
    writer = csv.DictWriter(file, list(columns), lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writeheader()
    for result in results:
        for row in rows(result):
            writer.writerow({key: spreadsheet(cell) if isinstance(cell, str) else cell for key, cell in row.items()})


def _parquet(
    file: IO[bytes], results: Iterable[Result], columns: dict[str, str], rows: Callable[[Result], Iterator[Row]]
) -> None:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtra("writing Parquet", "parquet") from None
    schema = arrow.schema([(name, getattr(arrow, kind)()) for name, kind in columns.items()])
    every = (row for result in results for row in rows(result))
    with parquet.ParquetWriter(file, schema) as writer:
        while group := list(islice(every, GROUP)):
            full = [{name: row.get(name) for name in columns} for row in group]
            writer.write_table(arrow.Table.from_pylist(full, schema=schema))


def _writer(write: Callable[..., None], columns: dict[str, str], rows: Callable[[Result], Iterator[Row]]) -> Any:
    """A writer as `FORMATS` calls it."""
    return lambda file, summary, results, *, title=None: write(file, results, columns, rows)


write_csv = _writer(_csv, SAMPLE_COLUMNS, sample_rows)
write_claims_csv = _writer(_csv, CLAIM_COLUMNS, claim_rows)
write_parquet = _writer(_parquet, SAMPLE_COLUMNS, sample_rows)
write_claims_parquet = _writer(_parquet, CLAIM_COLUMNS, claim_rows)
