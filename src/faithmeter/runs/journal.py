"""Keeps results on disk while a run goes on, so that nothing finished is lost and the next run goes on from there.

    results.jsonl          the results in the input's order; appears, or is replaced, when a run has ended
    results.jsonl.journal  the results in the order they were finished; gone when a run has ended

Both are JSON Lines of results. Results are written by one append, so that whatever kills the run leaves whole lines
and at most one torn one at the end, which the next run cuts off. A journal that ends up in the input's order, as one
process leaves it, becomes the results by renaming. Results whose rows a run does not meet (because of
`--limit`, or because the data changed) stay in the journal: they may have cost money.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, Self

from pydantic import ValidationError

from faithmeter.data import jsonl
from faithmeter.data.files import append, cannot_write, drop_drafts, final_place, rename, replacing
from faithmeter.data.hash_table import Table, fingerprint
from faithmeter.datamodels import Sample
from faithmeter.errors import OutputError, RowError
from faithmeter.results import Result

if sys.platform != "win32":
    import fcntl

SYNC_SECONDS = 2.0  # what a power cut may cost; a killed process loses nothing, the kernel has the lines

# Why a row is judged although there is a result for its id.
Again = Literal["content", "signature", "failed", "unreadable"]

# A pointer to a result: the offset, one bit for the file, one for "this run has read the row".
_JOURNAL, _MET = 2, 1
_BEGINNING = b'{"sample":'  # of every result


class Journal:
    """The results of a run on disk; a context manager, since it holds a lock on the output."""

    def __init__(self, output: Path, *, fresh: bool = False, retry_failed: bool = False) -> None:
        self.output = final_place(output)  # a link stays, and what it points to is written
        self.path = self.output.with_name(self.output.name + ".journal")
        self.fresh = fresh
        self.retry_failed = retry_failed
        self.results_at_start = 0
        """How many results there were when the run began."""
        self.signatures: Counter[str] = Counter()
        """How many of those were made in which way."""
        self.spent = 0.0
        """Dollars that the results in the journal cost: the earlier part of this run."""
        self.reused = 0
        """How many rows needed no judging."""
        self.again: Counter[Again] = Counter()
        """How many rows had a result that does not count, and why."""
        self._pointers = Table()
        self._order = array("Q")
        self._readers: dict[int, BinaryIO] = {}
        self._read_to: dict[int, int] = {}
        self._fd = -1
        self._end = 0
        self._lines = 0
        """How many are in the journal, superseded ones too."""
        self._synced = time.monotonic()

    def __enter__(self) -> Self:
        try:
            self._check_output()
            self._check_journal()
            self._fd = _locked(self.path)
            try:
                drop_drafts(self.output)
                drop_drafts(self.path)
                self._load()
            except BaseException:
                self.close()
                raise
        except OSError as error:
            raise cannot_write(self.output, error) from None
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files; an empty journal is deleted."""
        for reader in self._readers.values():
            reader.close()
        self._readers.clear()
        if self._fd >= 0:
            if self._end == 0:
                with suppress(OSError):
                    self.path.unlink(missing_ok=True)
            with suppress(OSError):
                os.fsync(self._fd)
            os.close(self._fd)
            self._fd = -1

    # --- what is there already ---

    def _check_output(self) -> None:
        """What is at the output's path must be results: data is not overwritten by mistake."""
        if self.output.is_dir():
            raise OutputError(f"{self.output}: is a folder")
        if self.output.exists() and not self.output.is_file():
            raise OutputError(
                f"{self.output}: is a device or a pipe; results are written to a file that can be read again"
            )
        if self.output.exists():
            with self.output.open("rb") as file:
                first = next((line for line in file if line.strip()), None)
            if first is not None and _head(first) is None:
                raise OutputError(f"{self.output}: is there already and holds no results; give another name")

    def _check_journal(self) -> None:
        """So must what is at the journal's path: the name that we choose may be that of a user's file."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            first = next((line for line in file if line.strip()), b"")
        begun = not first.endswith(b"\n") and _BEGINNING.startswith(first[: len(_BEGINNING)])
        if not begun and _head(first) is None:
            raise OutputError(f"{self.path}: is there already and is no journal; move it, or give -o another name")

    def _load(self) -> None:
        if self.fresh:
            self.output.unlink(missing_ok=True)
            os.ftruncate(self._fd, 0)
        if self.output.exists():
            self._readers[0] = self.output.open("rb")
            self._index(0)
        self._readers[_JOURNAL] = self.path.open("rb")
        self._end = self._index(_JOURNAL)
        os.ftruncate(self._fd, self._end)  # cut off a torn line

    def _index(self, which: int) -> int:
        """Note where each result is; the last of an id counts. Returns where the last whole line ends."""
        offset = 0
        for line in self._readers[which]:
            if not line.endswith(b"\n") and which == _JOURNAL:
                break
            self._lines += which == _JOURNAL
            head = _head(line)
            if head is None:
                self.again["unreadable"] += bool(line.strip())
            else:
                key = fingerprint(head.id)
                if self._pointers.get(key) is None:
                    self.results_at_start += 1
                self.signatures[head.signature] += 1
                self.spent += head.cost if which == _JOURNAL else 0.0
                self._pointers.put(key, offset << 2 | which)
            offset += len(line)
        return offset

    # --- during the run ---

    def meet(self, sample: Sample, signature: str) -> Result | None:
        """Note the next row of the input; its result, if there is one that is still valid."""
        key = fingerprint(sample.id)
        self._order.append(key)
        pointer = self._pointers.get(key)
        if pointer is None:
            return None
        self._pointers.put(key, pointer | _MET)
        result = self._read(pointer)
        if result is None or result.sample.id != sample.id:
            self.again["unreadable"] += 1
        elif result.sample.content_hash != sample.content_hash:
            self.again["content"] += 1
        elif result.signature != signature:
            self.again["signature"] += 1
        elif self.retry_failed and result.failures:
            self.again["failed"] += 1
        else:
            self.reused += 1
            if result.sample != sample:  # other metadata: the judgement holds, the row is written again
                result = result.model_copy(update={"sample": sample})
                self.append([(sample.id, jsonl.encode(result))])
            return result
        return None

    def append(self, results: Iterable[tuple[str, bytes]]) -> None:
        """Write results, each with its sample's id; a line is whole on disk, or not there at all."""
        results = list(results)
        offset = self._end
        self._lines += len(results)
        self._write(b"".join(line + b"\n" for _, line in results))
        for sample_id, line in results:
            self._pointers.put(fingerprint(sample_id), offset << 2 | _JOURNAL | _MET)
            offset += len(line) + 1
        if time.monotonic() - self._synced > SYNC_SECONDS:
            self._sync()

    def _write(self, data: bytes) -> None:
        try:
            append(self._fd, data, self._end)
        except OSError as error:
            raise cannot_write(self.path, error) from None
        self._end += len(data)

    def _sync(self) -> None:
        try:
            os.fsync(self._fd)
        except OSError as error:
            raise cannot_write(self.path, error) from None
        self._synced = time.monotonic()

    # --- the end ---

    def finish(self) -> int:
        """Put the results in the input's order at the output's path; returns how many others stay in the journal.

        Killed at any moment, it leaves every result in one of the two files.
        """
        left = [pointer for _, pointer in self._pointers.items() if not pointer & _MET]
        for pointer in sorted(pointer for pointer in left if not pointer & _JOURNAL):
            self._write(self._line(pointer))  # from the old output, which is about to be replaced
        self._sync()
        try:
            if self._is_in_order(left):
                rename(self.path, self.output)
                return 0
            _replace(self.output, (self._line(self._pointer(key)) for key in self._order))
            if left:
                kept = sorted(left, key=lambda pointer: (pointer & _JOURNAL, pointer))
                _replace(self.path, (self._line(pointer) for pointer in kept))
            else:
                self.path.unlink()
        except OSError as error:
            raise OutputError(f"{cannot_write(self.output, error)}; all is in {self.path}") from None
        except OutputError as error:
            raise OutputError(f"{error}; all is in {self.path}") from None
        return len(left)

    def _is_in_order(self, left: Sequence[int]) -> bool:
        """Whether the journal has the results of this run and no others, in the input's order."""
        if left or self._lines != len(self._order) or sys.platform == "win32":  # where open files cannot be renamed
            return False
        last = -1
        for pointer in map(self._pointer, self._order):
            if not pointer & _JOURNAL or pointer < last:
                return False
            last = pointer
        return True

    def _pointer(self, key: int) -> int:
        pointer = self._pointers.get(key)
        assert pointer is not None, "the run has ended with a row that is neither judged nor reused"
        return pointer

    def _line(self, pointer: int) -> bytes:
        which, offset = pointer & _JOURNAL, pointer >> 2
        reader = self._readers[which]
        if self._read_to.get(which) != offset:  # most lines follow each other
            reader.seek(offset)
        line = reader.readline()
        self._read_to[which] = offset + len(line)
        return line if line.endswith(b"\n") else line + b"\n"

    def _read(self, pointer: int) -> Result | None:
        try:
            return Result.model_validate_json(self._line(pointer))
        except ValidationError:
            return None


class _Head(NamedTuple):
    id: str
    signature: str
    cost: float


def _head(line: bytes) -> _Head | None:
    """What a result is about; None if the line holds no result."""
    try:
        data = jsonl.decode(line, "")
        return _Head(str(data["sample"]["id"]), str(data["signature"]), float(data["usage"]["cost"] or 0))
    except (RowError, ValueError, KeyError, TypeError):
        return None


def _locked(path: Path) -> int:
    """Open the journal for appending, for this process alone."""
    while True:
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        if sys.platform == "win32":
            return fd
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(fd).st_ino == os.stat(path).st_ino:
                return fd
        except FileNotFoundError:
            pass  # the run that held it has just ended and deleted it: make a new one
        except OSError as error:
            os.close(fd)
            if error.errno in (errno.EACCES, errno.EAGAIN):
                raise OutputError(
                    f"{path.with_name(path.name.removesuffix('.journal'))}: another run is writing it"
                ) from None
            raise
        os.close(fd)


def _replace(path: Path, lines: Iterable[bytes]) -> None:
    with replacing(path, "wb") as file:
        file.writelines(lines)
