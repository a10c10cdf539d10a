"""Reads samples from files, standard input and Python data; what is wrong with a row is a value, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from faithmeter.data import foreign
from faithmeter.data.citation_objects import as_text
from faithmeter.data.conversations import OWN, EvidenceOfTurns, is_conversation, turns, with_history
from faithmeter.data.files import STDIN
from faithmeter.data.foreign import ALIASES, problem_of
from faithmeter.data.hash_table import Table, fingerprint
from faithmeter.data.jsonl import shown
from faithmeter.data.sources import Extent, Source, find, opened
from faithmeter.data.table_formats import Unreadable, frame_rows, parquet_rows, saved_rows
from faithmeter.data.text_formats import Cells, Record, parse
from faithmeter.data.traces.gather import gathered
from faithmeter.datamodels import Sample
from faithmeter.errors import DataError, RowError, UsageError

__all__ = ["ALIASES", "REQUIRED", "Extent", "Record", "Row", "Sampler", "only_samples", "read_data", "read_samples",
           "to_samples"]  # fmt: skip

REQUIRED = ("answer", "contexts")
_METADATA = "metadata."  # and a name of the user's: a column that can be grouped and filtered by
SHOWN_COLUMNS = 20  # in a message
_ROW_BITS = 40  # of an entry in the table of ids: 10**12 lines a file, 16 million files

Row = Sample | RowError


def read_samples(
    source: str | Path | Sequence[str | Path],
    *,
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    extent: Extent | None = None,
    evidence: EvidenceOfTurns = OWN,
) -> Iterator[Row]:
    """The samples of a file (`-`: standard input), a glob, a folder of Hugging Face's, or several of them.

    A bad row comes as a RowError. `columns` maps a field (`answer`, `contexts`, `question`, `id`, `metadata`)
    to its column's name; `separator` divides the contexts in a CSV cell; `extent` is told how far the reading is;
    `evidence` says what else the turns of a conversation may rest on.
    """
    named = source if isinstance(source, str | Path) else ", ".join(map(str, source))
    records = read_records(source, separator=separator, extent=extent or Extent())
    return to_samples(records, columns=columns, nothing=f"{named} has no rows", evidence=evidence)


def read_data(data: Any, *, columns: Mapping[str, str] | None = None) -> Iterator[Row] | AsyncIterator[Row]:
    """The samples of whatever `evaluate` takes: paths, frames, iterables and async iterables of samples or rows."""
    if isinstance(data, str | Path) or _are_paths(data):
        return read_samples(data, columns=columns)
    rows = frame_rows(data)
    if rows is None and isinstance(data, AsyncIterable):
        return _async_samples(data, Sampler(columns))
    if rows is None and (isinstance(data, Mapping) or not isinstance(data, Iterable)):
        raise UsageError(f"cannot read samples from {shown(data)}; give a path, a frame or an iterable of rows")
    return to_samples(_numbered(rows or data, "row "), columns=columns)


def to_samples(
    records: Iterable[Record],
    *,
    columns: Mapping[str, str] | None = None,
    nothing: str = "there are no rows",
    evidence: EvidenceOfTurns = OWN,
) -> Iterator[Row]:
    """Samples from rows, each with an id of its own."""
    sampler = Sampler(columns)
    empty = True
    for record in gathered(records):
        empty = False
        for part in _parts(record, earlier=evidence.earlier_contexts):
            row = sampler.row(part)
            yield with_history(row) if evidence.history and isinstance(row, Sample) else row
    if empty:
        raise DataError(f"{nothing}; expected rows with 'answer' and 'contexts'")


def _parts(record: Record, *, earlier: bool = False) -> Iterator[Record]:
    """A row, or of a chat log a row for each turn of the assistant."""
    has_turns = False
    if isinstance(record.value, Mapping) and is_conversation(record.value):
        for part in turns(record.value, earlier=earlier):
            has_turns = True
            yield record._replace(value=part)
    if not has_turns:  # also a chat log whose contexts are marked in its prompts, or that has no answer
        yield record


def only_samples(rows: Iterable[Row]) -> Iterator[Sample]:
    """The samples; the first bad row is raised."""
    for row in rows:
        if isinstance(row, RowError):
            raise row
        yield row


async def _async_samples(data: AsyncIterable[Any], sampler: Sampler) -> AsyncIterator[Row]:
    number = 0
    async for row in data:
        number += 1
        for part in _parts(Record("row ", number, row)):
            yield sampler.row(part)
    if not number:
        raise DataError("there are no rows; expected rows with 'answer' and 'contexts'")


def read_records(
    source: str | Path | Sequence[str | Path], *, separator: str | None, extent: Extent
) -> Iterator[Record]:
    """The rows of files as they are read, and where each is from."""
    sources = find(source)
    try:
        sizes = [item.size for item in sources]
        extent.total = sum(sizes) if all(sizes) else 0
    except OSError:
        pass  # the file itself will say what is wrong
    for item in sources:
        yield from file_records(item, separator=separator, extent=extent)


def file_records(source: Source, *, separator: str | None, extent: Extent) -> Iterator[Record]:
    """The rows of one file."""
    name = "standard input" if source.name == STDIN else source.name
    if source.is_folder:
        yield from _numbered(saved_rows(source, extent), f"{name}: row ")
        return
    suffix = "" if source.name == STDIN else source.suffixes[0]
    with opened(source, extent) as file:
        if suffix in (".parquet", ".pq"):
            yield from _numbered(parquet_rows(file, source, extent), f"{name}: row ")
        else:
            yield from parse(file, name, suffix, separator=separator)


def _numbered(rows: Iterable[Any], source: str) -> Iterator[Record]:
    return (Record(source, number, row) for number, row in enumerate(rows, start=1))


class Sampler:
    """Makes samples of rows, and sees to it that no two have the same id."""

    def __init__(self, columns: Mapping[str, str] | None = None) -> None:
        columns = dict(columns or {})
        self._metadata = {field.removeprefix(_METADATA): columns.pop(field)
                          for field in list(columns) if field.startswith(_METADATA)}  # fmt: skip
        for field in columns:
            if field not in ALIASES:
                known = ", ".join([*ALIASES, f"{_METADATA}NAME"])
                raise UsageError(f"unknown field {field!r} in the column map; fields: {known}")
        self._named = columns
        self._wanted = {field: (columns[field],) if field in columns else names
                        for field, names in ALIASES.items()}  # fmt: skip
        self._first_seen = Table()
        self._sources: list[str] = []
        self._repeats: Counter[str] = Counter()

    def row(self, record: Record) -> Row:
        """The sample, or what is wrong with the row."""
        value = self.sample(record)
        return self._unique(value, record) if isinstance(value, Sample) else value

    def _unique(self, sample: Sample, record: Record) -> Row:
        """Two rows may not share an id the user gave; equal rows without ids are told apart by a number."""
        name, key = sample.id, fingerprint(sample.id)
        taken = self._first_seen.get(key)
        while taken is not None:
            if not is_derived(sample):
                first = f"{self._sources[taken >> _ROW_BITS]}{taken & ((1 << _ROW_BITS) - 1)}"
                return RowError(record.where, f"the id {name!r} is taken by {first}", "ids must be unique")
            self._repeats[name] += 1
            key = fingerprint(f"{name}-{self._repeats[name] + 1}")
            taken = self._first_seen.get(key)
        if self._repeats.get(name):
            sample = sample.model_copy(update={"id": f"{name}-{self._repeats[name] + 1}"})
        if not self._sources or self._sources[-1] != record.source:
            self._sources.append(record.source)
        self._first_seen.put(key, (len(self._sources) - 1) << _ROW_BITS | record.number)
        return sample

    def sample(self, record: Record) -> Row:
        """The sample, whatever its id, or what is wrong with the row."""
        if isinstance(record.value, Sample | RowError):
            return record.value
        try:
            row = foreign.fields(record.value)
        except ValueError as error:
            return RowError(record.where, str(error))
        fields: dict[str, Any] = {}
        for field, names in self._wanted.items():
            column = next((name for name in names if row.get(name) is not None), None)
            if column is not None:
                try:
                    fields[field] = row.typed(field, row[column]) if isinstance(row, Cells) else row[column]
                except ValueError as error:
                    return RowError(record.where, str(error))
                if isinstance(fields[field], Unreadable):
                    return RowError(record.where, f"column {column!r}: {fields[field].reason}", "save it as text")
            elif field in REQUIRED or (field in self._named and isinstance(row, Cells) and names[0] not in row):
                return self._missing(record, row, field)
        for name, column in self._metadata.items():
            if isinstance(row, Cells) and column not in row:
                return RowError(record.where, f"no column {column!r} (found {_names(row)})")
            if row.get(column) is not None and isinstance(metadata := fields.get("metadata") or {}, dict):
                fields["metadata"] = {**metadata, name: row[column]}
        if isinstance(fields.get("answer"), list | dict):
            fields["answer"] = as_text(fields["answer"], _ids(fields.get("contexts")))
        if isinstance(fields.get("id"), int):
            fields["id"] = str(fields["id"])
        fields = {field: value for field, value in fields.items() if value is not None}
        try:
            sample = Sample.model_validate(fields)
            if _may_be_unwritable(sample):
                sample.model_dump_json()
        except ValidationError as error:
            return RowError(record.where, problem_of(error))
        except ValueError as error:
            return RowError(record.where, f"cannot be written as JSON: {error}")
        return sample

    def _missing(self, record: Record, row: Mapping[str, Any], field: str) -> RowError:
        """What the row lacks; the remedy names every field that is to be mapped, so that one more try does."""
        names = self._wanted[field]
        null = next((name for name in names if name in row), None)
        if null:
            return RowError(record.where, f"{null!r} is null", f"name the column with --map {field}=COLUMN")
        needed = [other for other in ALIASES if other in (*REQUIRED, field)]
        lacking = [other for other in needed if not any(name in row for name in self._wanted[other])]
        problem = f"no column {' or '.join(map(repr, names))} (found {_names(row)})"
        maps = " ".join(f"--map {other}=COLUMN" for other in lacking)
        return RowError(record.where, problem, f"name the column{'s' * (len(lacking) > 1)} with {maps}")


def _ids(contexts: Any) -> list[str | None]:
    """The contexts' ids, where they have any."""
    items = contexts if isinstance(contexts, list) else []
    return [str(item["id"]) if isinstance(item, dict) and item.get("id") is not None else None for item in items]


def _may_be_unwritable(sample: Sample) -> bool:
    """Whether a lone surrogate, which no file can hold, may be in a name or in metadata; texts have been repaired."""
    names = [sample.id, *[context.id for context in sample.contexts if context.id]]
    return bool(sample.metadata) or not "".join(names).isascii()


def is_derived(sample: Sample) -> bool:
    """Whether the id was made from the content."""
    return sample.id == sample.content_hash[:12]


def _names(row: Mapping[str, Any]) -> str:
    """The columns there are, or how they begin."""
    first = ", ".join(_shown_name(name) for name in islice(row, SHOWN_COLUMNS))
    more = f" and {len(row) - SHOWN_COLUMNS:,} more" if len(row) > SHOWN_COLUMNS else ""
    return first + more or "nothing"


def _shown_name(name: object) -> str:
    """A column's name in a message."""
    text = repr(name)
    return text if len(text) <= 60 else text[:57] + "…"


def _are_paths(data: Any) -> bool:
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(item, str | Path) for item in data)
