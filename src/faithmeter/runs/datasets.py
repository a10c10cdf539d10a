"""Reads samples from files, standard input and Python data; what is wrong with a row is a value, too."""

from __future__ import annotations

import csv
import io
import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from faithmeter.datamodels import Sample
from faithmeter.errors import DataError, RowError, UsageError

# What the fields are called by faithmeter, ragas, continuous-eval, rag_evals, RagaliQ and DeepEval. The first
# name that a row has counts: DeepEval's rows have `context` (the ideal) beside `retrieval_context` (what was
# retrieved), so the exact names come before the vague ones.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "answer": ("answer", "response", "actual_output"),
    "contexts": ("contexts", "retrieved_contexts", "retrieval_context", "context"),
    "question": ("question", "user_input", "query", "input"),
    "id": ("id", "sample_id"),
    "metadata": ("metadata",),
}
REQUIRED = ("answer", "contexts")

Row = Sample | RowError


class Record(NamedTuple):
    """A row as it was read, and where."""

    where: str
    value: Any


class Cells(dict[str, Any]):
    """A row of a CSV file, where everything is text: lists and objects are JSON in their cells."""

    def typed(self, field: str, cell: str) -> Any:
        if field == "answer":
            return cell
        if cell.lstrip().startswith(("[", "{")):
            try:
                return json.loads(cell)
            except json.JSONDecodeError:
                return cell  # a context may well begin with a bracket
        return cell or ([] if field == "contexts" else None)


def read_samples(source: str | Path, *, columns: Mapping[str, str] | None = None) -> Iterator[Row]:
    """The samples of a file (`-`: standard input), as they are read; a bad row comes as a RowError.

    `columns` maps a field (`answer`, `contexts`, `question`, `id`, `metadata`) to its column's name.
    """
    return to_samples(_records(source), columns=columns, nothing=f"{source} has no rows")


def to_samples(
    records: Iterable[Record], *, columns: Mapping[str, str] | None = None, nothing: str = "there are no rows"
) -> Iterator[Row]:
    """Samples from rows, each with an id of its own."""
    wanted = _checked(columns or {})
    seen: dict[str, str] = {}
    empty = True
    for record in records:
        empty = False
        row = record.value if isinstance(record.value, Sample | RowError) else _sample(record, wanted)
        yield _unique(row, record.where, seen) if isinstance(row, Sample) else row
    if empty:
        raise DataError(f"{nothing}; expected rows with 'answer' and 'contexts'")


def _unique(sample: Sample, where: str, seen: dict[str, str]) -> Row:
    """Two rows may not share an id the user gave; equal rows without ids are told apart by a number."""
    name, derived = sample.id, sample.id == sample.content_hash[: len(sample.id)]
    count = 2
    while sample.id in seen:
        if not derived:
            return RowError(where, f"the id {name!r} is taken by {seen[name]}", "ids must be unique")
        sample = sample.model_copy(update={"id": f"{name}-{count}"})
        count += 1
    seen[sample.id] = where
    return sample


def _checked(columns: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    for field in columns:
        if field not in ALIASES:
            raise UsageError(f"unknown field {field!r} in the column map; fields: {', '.join(ALIASES)}")
    return {field: (columns[field],) if field in columns else names for field, names in ALIASES.items()}


def _sample(record: Record, wanted: Mapping[str, tuple[str, ...]]) -> Row:
    if not isinstance(record.value, dict):
        return RowError(record.where, f"expected an object, found {_shown(record.value)}")
    row: dict[str, Any] = record.value
    fields: dict[str, Any] = {}
    for field, names in wanted.items():
        column = next((name for name in names if row.get(name) is not None), None)
        if column is not None:
            fields[field] = row.typed(field, row[column]) if isinstance(row, Cells) else row[column]
        elif field in REQUIRED:
            found = ", ".join(map(repr, row)) or "nothing"
            expected = " or ".join(map(repr, names))
            null = next((name for name in names if name in row), None)
            problem = f"{null!r} is null" if null else f"no column {expected} (found {found})"
            return RowError(record.where, problem, f"name the column with --map {field}=COLUMN")
    if isinstance(fields.get("id"), int):
        fields["id"] = str(fields["id"])
    fields = {field: value for field, value in fields.items() if value is not None}
    try:
        return Sample.model_validate(fields)
    except ValidationError as error:
        return RowError(record.where, _first_problem(error))


def _first_problem(error: ValidationError) -> str:
    detail = error.errors()[0]
    path = ".".join(str(part) for part in detail["loc"]) or "row"
    return f"{path}: {detail['msg'].lower()}, found {_shown(detail['input'])}"


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '…'}"


# --- files ------------------------------------------------------------------------------------------


def _records(source: str | Path) -> Iterator[Record]:
    name = str(source)
    if name == "-":
        yield from _parse(io.TextIOWrapper(sys.stdin.buffer, "utf-8-sig"), "standard input", "")
        return
    path = Path(name)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _parse(file, name, path.suffix.lower())
    except FileNotFoundError:
        raise DataError(f"{name}: no such file") from None
    except IsADirectoryError:
        raise DataError(f"{name}: is a folder; name a file in it") from None
    except OSError as error:
        raise DataError(f"{name}: cannot be read: {error.strerror}") from None


def _parse(lines: Iterable[str], name: str, suffix: str) -> Iterator[Record]:
    if suffix not in _READERS:
        known = ", ".join(filter(None, _READERS))
        raise DataError(f"{name}: unknown kind of file {suffix!r}; expected one of {known}")
    try:
        yield from _READERS[suffix](_text(lines, name), name)
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: not UTF-8 text (byte 0x{error.object[error.start]:02x}); save it as UTF-8") from None


def _text(lines: Iterable[str], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            raise DataError(f"{name}:{number}: a binary file, not text")
        yield line


def _jsonl(lines: Iterable[str], name: str) -> Iterator[Record]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _json_line(line, f"{name}:{number}")


def _json_line(line: str, where: str) -> Record:
    try:
        return Record(where, json.loads(line))
    except (json.JSONDecodeError, RecursionError) as error:
        problem = f"not JSON ({error}): {_shown(line.strip())}"
        return Record(where, RowError(where, problem, "each line must be one object"))


def _json(lines: Iterable[str], name: str) -> Iterator[Record]:
    text = "".join(lines)
    if not text.strip():
        return
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        hint = "; if each line is an object, name the file .jsonl" if error.msg == "Extra data" else ""
        raise DataError(f"{name}:{error.lineno}: not JSON ({error.msg}){hint}") from None
    except RecursionError:
        raise DataError(f"{name}: nested too deeply") from None
    if isinstance(data, dict):  # one sample, or a list of them under some name
        lists = [value for value in data.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
        data = lists[0] if len(lists) == 1 and not set(data) & set(ALIASES["answer"]) else [data]
    if not isinstance(data, list):
        raise DataError(f"{name}: expected a list of objects, found {_shown(data)}")
    yield from (Record(f"{name}: row {number}", value) for number, value in enumerate(data, start=1))


def _csv(lines: Iterable[str], name: str, *, separator: str = ",") -> Iterator[Record]:
    csv.field_size_limit(2**31 - 1)  # the default of 128 KB is less than a row of contexts
    reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        header = [cell.strip() for cell in next(reader, [])]
        for cells in reader:
            where = f"{name}:{reader.line_num}"
            if cells and len(cells) != len(header):
                problem = f"{len(cells)} cells, but the header has {len(header)}"
                yield Record(where, RowError(where, problem, "quote cells that contain the separator"))
            elif cells:
                yield Record(where, Cells(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise DataError(f"{name}:{reader.line_num}: not CSV ({error})") from None


def _sniffed(lines: Iterable[str], name: str) -> Iterator[Record]:
    """A file without a known ending, or standard input: JSON Lines, JSON or CSV, by its first line."""
    lines = iter(lines)
    blank: list[str] = []
    first = ""
    for first in lines:
        if first.strip():
            break
        blank.append(first)
    read = _READERS[".csv"]
    if first.lstrip().startswith(("{", "[")):
        whole_row = first.lstrip().startswith("{") and not isinstance(_json_line(first, name).value, RowError)
        read = _jsonl if whole_row else _json
    yield from read(itertools.chain(blank, [first] if first.strip() else [], lines), name)


_READERS: Mapping[str, Callable[[Iterable[str], str], Iterator[Record]]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
    ".csv": _csv,
    ".tsv": partial(_csv, separator="\t"),
    "": _sniffed,
}
