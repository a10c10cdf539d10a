"""Takes samples in from files: leaves bad rows out as told, chooses, counts, and guesses how many are to come."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from faithmeter.data import jsonl
from faithmeter.data.conversations import OWN, EvidenceOfTurns
from faithmeter.data.datasets import Row, read_samples
from faithmeter.data.files import STDIN, append_line, cannot_write
from faithmeter.data.selection import Selection
from faithmeter.data.sources import Extent, find
from faithmeter.data.traces.gather import reason
from faithmeter.datamodels import Sample
from faithmeter.errors import OutputError, RowError

BadRows = Literal["error", "skip", "report"]


@dataclass(kw_only=True)
class Intake:
    """The samples of some files, to be iterated once; the counts grow as it is."""

    data: Sequence[str]
    columns: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None
    evidence: EvidenceOfTurns = OWN
    """What else the turns of conversations may rest on."""
    selection: Selection = field(default_factory=Selection)
    bad_rows: BadRows = "error"
    """error: stop at the first. skip: leave them out. report: leave them out and write them to `side_file`."""
    side_file: Path | None = None
    tell: Callable[[RowError], None] = lambda error: None
    """Called with each row that is left out."""
    extent: Extent = field(default_factory=Extent)
    bad: int = 0
    """How many rows were left out."""
    unusable: Counter[str] = field(default_factory=Counter)
    """Of these, the traces: how many lack an answer, retrieval, …"""
    read: int = 0
    """How many samples were given."""

    @property
    def total(self) -> int | None:
        """About how many samples there are in all."""
        fraction = self.extent.fraction
        guess = round(self.read / fraction) if fraction and self.read else None
        counts = [count for count in (self.selection.most, guess) if count is not None]
        return min(counts) if counts else None

    @property
    def is_local(self) -> bool:
        """Whether all data is in files of this machine: no pipes, nothing remote."""
        sources = find(list(self.data))
        return all(source.system is None and source.name != STDIN and Path(source.name).is_file() for source in sources)

    async def __aiter__(self) -> AsyncIterator[Sample]:
        for sample in self:
            yield sample

    def __iter__(self) -> Iterator[Sample]:
        rows = read_samples(
            self.data, columns=self.columns, separator=self.separator, extent=self.extent, evidence=self.evidence
        )
        if self.side_file:
            _begin(self.side_file)
        for sample in self.selection.of(self._good(rows)):
            self.read += 1
            yield sample

    def _good(self, rows: Iterator[Row]) -> Iterator[Sample]:
        for row in rows:
            if isinstance(row, Sample):
                yield row
                continue
            if self.bad_rows == "error":
                raise row
            self.bad += 1
            if lacking := reason(row):
                self.unusable[lacking] += 1
            self.tell(row)
            if self.bad_rows == "report" and self.side_file:
                append_line(self.side_file, described(row), sync=False)


def _begin(side_file: Path) -> None:
    """Delete the list of an earlier run; a file of the user's that has its name stays."""
    try:
        with side_file.open("rb") as file:
            ours = all(_is_described(line) for _, line in jsonl.lines(file, str(side_file)))
        if not ours:
            raise OutputError(
                f"{side_file}: exists already and is not a list of bad rows; move it, or give -o another name"
            )
        side_file.unlink()
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_write(side_file, error) from None


def _is_described(line: bytes) -> bool:
    try:
        return set(jsonl.decode(line, "")) == {"file", "line", "reason"}
    except (RowError, TypeError):
        return jsonl.is_torn(line)


def described(row: RowError) -> bytes:
    """`answers.jsonl:12`, `answers.json: row 12`: the file, the line or row, and the reason, as JSON."""
    name, _, line = row.where.replace(": row ", ":").rpartition(":")
    reason = str(row).removeprefix(f"{row.where}: ")
    return jsonl.encode({"file": _writable(name), "line": int(line), "reason": _writable(reason)})


def _writable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
