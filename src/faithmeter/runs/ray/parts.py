"""Cuts a data set into parts that are read, judged and written on their own, anywhere and any number of times.

A part is a stretch of rows of one file. Its results have a name that is made from what goes into them, the rows
and the signature: where the name exists, the part is done; it appears by renaming, so it is whole.
"""

from __future__ import annotations

import heapq
import json
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import numpy as np

from faithmeter.data.conversations import is_conversation, turns
from faithmeter.data.datasets import Sampler, file_records, is_derived
from faithmeter.data.files import replacing
from faithmeter.data.hash_table import fingerprint
from faithmeter.data.jsonl import bounded
from faithmeter.data.selection import Selection, rank
from faithmeter.data.sources import Extent, Source, find, opened
from faithmeter.data.text_formats import Record, parse_pieces
from faithmeter.datamodels import Sample
from faithmeter.errors import MissingExtra, RowError
from faithmeter.results import Result, Tally
from faithmeter.runs.worker import KEEP

Format = Literal["jsonl", "parquet"]


class ReadOptions(NamedTuple):
    """How files are read."""

    columns: Mapping[str, str]
    separator: str | None
    part_size: int


class Start(NamedTuple):
    """Where a part begins in its file."""

    row: int
    """Rows before it."""
    line: int
    """Lines before it, in a file that can be entered there."""
    offset: int | None
    """Bytes before it; None: the file has to be read from its beginning."""


@dataclass
class Survey:
    """What is in a file, as far as cutting it needs: some 20 bytes a row."""

    name: str
    keys: array[int] = field(default_factory=lambda: array("Q"))
    """The fingerprint of each row's id; of a bad row, 0."""
    numbers: array[int] = field(default_factory=lambda: array("Q"))
    """Its line."""
    derived: array[int] = field(default_factory=lambda: array("Q"))
    """The id as a number, and one, where it was made from the content; else 0."""
    starts: list[Start] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    """Of each part's rows."""
    bad: dict[int, RowError] = field(default_factory=dict)
    line_prefix: str = ""
    """What comes before a line number in a message."""


@dataclass(frozen=True)
class Part:
    """A stretch of rows, and what to do with them."""

    number: int
    name: str
    """The file."""
    start: Start
    rows: int
    skipped: frozenset[int]
    """Rows that are not judged, counted from the part's first."""
    suffixes: Mapping[int, int]
    """Rows whose content occurred before: the number that distinguishes them."""
    digest: str
    """Of the rows, the choice among them, and the signature."""

    def file_name(self, kind: Format) -> str:
        """Where its results go."""
        return f"part-{self.number:06}-{self.digest}.{kind}"

    @property
    def count(self) -> int:
        """How many results it has."""
        return self.rows - len(self.skipped)


def survey_file(name: str, reading: ReadOptions) -> Survey:
    """Read a file through, once."""
    survey = Survey(name)
    sampler = Sampler(reading.columns)
    hasher = blake2b(digest_size=16)
    for row, (record, offset) in enumerate(_records(name, reading, None)):
        if row % reading.part_size == 0:
            if row:
                survey.digests.append(hasher.hexdigest())
                hasher = blake2b(digest_size=16)
            survey.starts.append(Start(row, record.number - 1, offset))
        sample = _several_turns(record) or sampler.sample(record)
        survey.line_prefix = record.source
        survey.numbers.append(record.number)
        if isinstance(sample, RowError):
            survey.bad[row] = sample
            survey.keys.append(0)
            survey.derived.append(0)
            hasher.update(b"-\n")
        else:
            survey.keys.append(fingerprint(sample.id))
            survey.derived.append(int(sample.id, 16) + 1 if is_derived(sample) else 0)
            hasher.update(sample.model_dump_json().encode() + b"\n")
    if survey.starts:
        survey.digests.append(hasher.hexdigest())
    return survey


def _several_turns(record: Record) -> RowError | None:
    """What is wrong with a chat log: it would be several samples, and a part counts its rows."""
    log = record.value
    if not isinstance(log, Mapping) or not is_conversation(log) or len(list(turns(log))) < 2:
        return None
    return RowError(record.where, "a conversation of several turns", "on Ray, give a row for each turn")


def _records(name: str, reading: ReadOptions, start: Start | None) -> Iterator[tuple[Record, int | None]]:
    """The rows from a start, with the offset of each in a file that can be entered anywhere: plain JSON Lines."""
    (source,) = find(name)
    if source.system is None and source.suffixes in ((".jsonl", ""), (".ndjson", "")) and not source.is_folder:
        yield from _entered(source, start)
        return
    records = file_records(source, separator=reading.separator, extent=Extent())
    for record in islice(records, start.row if start else 0, None):
        yield record, None


def _entered(source: Source, start: Start | None) -> Iterator[tuple[Record, int | None]]:
    line, offset = (start.line, start.offset or 0) if start else (0, 0)
    position = offset

    with opened(source, Extent()) as file:
        file.seek(offset)

        def lines() -> Iterator[bytes]:
            nonlocal position
            for text in bounded(file, source.name):
                yield text
                position += len(text)

        for record in parse_pieces(lines(), source.name, ".jsonl"):
            yield record._replace(number=record.number + line), position


def plan(surveys: Sequence[Survey], *, reading: ReadOptions, selection: Selection, signature: str) -> list[Part]:
    """The parts of all files; duplicate ids become bad rows of their surveys, or suffixes, as in a local run."""
    suffixes = _told_apart(surveys, reading)
    chosen = _chosen(surveys, selection)
    parts: list[Part] = []
    for file, survey in enumerate(surveys):
        for start, digest in zip(survey.starts, survey.digests, strict=True):
            rows = range(start.row, min(start.row + reading.part_size, len(survey.keys)))
            skipped = frozenset(row - start.row for row in rows if not chosen[file][row])
            own = {row - start.row: suffixes[file, row] for row in rows if (file, row) in suffixes}
            if len(skipped) == len(rows):
                continue
            text = json.dumps([digest, signature, sorted(skipped), sorted(own.items())])
            whole = blake2b(text.encode(), digest_size=8).hexdigest()
            parts.append(Part(len(parts), survey.name, start, len(rows), skipped, own, whole))
    return parts


def _told_apart(surveys: Sequence[Survey], reading: ReadOptions) -> dict[tuple[int, int], int]:
    """(file, row) → the number of a repeated content; a repeated id that was given is a bad row."""
    repeated = _repeated(surveys)
    met: dict[int, tuple[int, int]] = {}
    suffixes: dict[tuple[int, int], int] = {}
    repeats: Counter[int] = Counter()
    for file, survey in enumerate(surveys if repeated else ()):
        for row, key in enumerate(survey.keys):
            if key not in repeated:
                continue
            first = met.setdefault(key, (file, row))
            if first == (file, row):
                continue
            if survey.derived[row]:
                repeats[key] += 1
                suffixes[file, row] = repeats[key] + 1
                survey.keys[row] = fingerprint(f"{survey.derived[row] - 1:012x}-{repeats[key] + 1}")
            else:
                survey.bad[row] = _taken(survey, row, surveys[first[0]], first[1], reading)
    return suffixes


def _taken(survey: Survey, row: int, other: Survey, first: int, reading: ReadOptions) -> RowError:
    """Says which two rows have the same id; the row is read again, since a survey has no names."""
    record, _ = next(islice(_records(survey.name, reading, None), row, None))
    sample = Sampler(reading.columns).sample(record)
    name = sample.id if isinstance(sample, Sample) else "?"
    taken = f"the id {name!r} is taken by {other.line_prefix}{other.numbers[first]}"
    return RowError(f"{survey.line_prefix}{survey.numbers[row]}", taken, "ids must be unique")


def _repeated(surveys: Sequence[Survey]) -> set[int]:
    """The fingerprints that occur more than once; 0 means a bad row."""
    keys = np.concatenate([np.array([], np.uint64), *(np.array(survey.keys, np.uint64) for survey in surveys)])
    values, counts = np.unique(keys, return_counts=True)
    return {int(key) for key in values[counts > 1]} - {0}


def _chosen(surveys: Sequence[Survey], selection: Selection) -> list[bytearray]:
    """For each file, a byte a row: whether it is judged."""
    good = ((file, row) for file, survey in enumerate(surveys) for row in range(len(survey.keys))
            if row not in survey.bad)  # fmt: skip
    if selection.shard:
        good = islice(good, selection.shard[0] - 1, None, selection.shard[1])  # type: ignore[assignment]
    if selection.sample is not None:
        drawn = heapq.nsmallest(
            selection.sample, good, key=lambda at: (rank(surveys[at[0]].keys[at[1]], selection.seed), at)
        )
        good = iter(sorted(drawn))  # type: ignore[assignment]
    flags = [bytearray(len(survey.keys)) for survey in surveys]
    for file, row in islice(good, selection.limit):
        flags[file][row] = 1
    return flags


def read_part(part: Part, reading: ReadOptions) -> Iterator[Sample]:
    """The samples of a part that are to be judged."""
    sampler = Sampler(reading.columns)
    records = _records(part.name, reading, part.start)
    for row, (record, _) in enumerate(islice(records, part.rows)):
        sample = sampler.sample(record) if row not in part.skipped else None
        if isinstance(sample, RowError):
            raise sample
        if sample:
            suffix = part.suffixes.get(row)
            yield sample.model_copy(update={"id": f"{sample.id}-{suffix}"}) if suffix else sample


def write_part(folder: Path, part: Part, lines: Sequence[bytes], kind: Format) -> None:
    """Write a part's results, so that the file exists only if all of them are in it."""
    with replacing(folder / part.file_name(kind), "wb") as file:
        if kind == "jsonl":
            file.writelines(line + b"\n" for line in lines)
        else:
            _write_parquet(file, lines)


def _write_parquet(file: IO[bytes], lines: Sequence[bytes]) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("writing Parquet parts", "parquet") from None
    results = [json.loads(line) for line in lines]
    columns: dict[str, list[Any]] = {"id": [result["sample"]["id"] for result in results]}
    for name in ("score", "status", "coverage", "signature"):
        columns[name] = [result[name] for result in results]
    columns["result"] = [line.decode() for line in lines]
    parquet.write_table(pyarrow.table(columns), file)


def read_results(path: Path) -> Iterator[Result]:
    """The results of a part."""
    if path.suffix == ".parquet":
        from pyarrow import parquet

        for batch in parquet.ParquetFile(path).iter_batches(batch_size=256, columns=["result"]):
            yield from map(Result.model_validate_json, batch.column(0).to_pylist())
        return
    with path.open("rb") as file:
        yield from map(Result.model_validate_json, file)


def count_part(path: Path, min_score: float | None) -> Tally:
    """The numbers of a part's results."""
    tally = Tally(min_score=min_score, keep=KEEP)
    for result in read_results(path):
        tally.add(result)
    return tally
