"""Reads results again: a file of them as often as needed, one line in memory at a time."""

from __future__ import annotations

import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from faithmeter.data.files import STDIN
from faithmeter.data.jsonl import bounded, encode
from faithmeter.errors import DataError, first_problem
from faithmeter.results import Result


class ResultsFile:
    """A results file; each pass over it reads it from the start, a line at a time."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._kept: Path | None = None
        self.torn = False
        """Whether the last pass found the last line cut off, as a run leaves it that was killed or goes on."""

    @property
    def is_pipe(self) -> bool:
        """Whether it can be read only once: standard input (`-`), a pipe, a device."""
        return str(self.path) == STDIN or (self.path.exists() and not self.path.is_file())

    def open(self) -> IO[bytes]:
        """The file from its start; what comes from a pipe is kept in a temporary file, to be read again."""
        if self._kept is None and self.is_pipe:
            if self.path.is_dir():
                raise IsADirectoryError(None, "is a folder; name a results file in it")
            if str(self.path) == STDIN and sys.stdin is None:
                raise OSError(None, "is closed")
            handle, name = tempfile.mkstemp(prefix="faithmeter-")
            self._kept = Path(name)
            weakref.finalize(self, self._kept.unlink, missing_ok=True)
            source = self.path.open("rb") if str(self.path) != STDIN else nullcontext(sys.stdin.buffer)
            with open(handle, "wb") as kept, source as pipe:
                shutil.copyfileobj(pipe, kept)
        return (self._kept or self.path).open("rb")

    def __iter__(self) -> Iterator[Result]:
        for _, line, where in self.lines():
            if (result := self.parse(line, where)) is not None:
                yield result

    def lines(self) -> Iterator[tuple[int, bytes, str]]:
        """The lines that are not blank: the byte where each begins, the line, and where it is, for messages."""
        self.torn = False
        try:
            with self.open() as file:
                start = 0
                for number, line in enumerate(bounded(file, str(self.path)), start=1):
                    if line.strip():
                        yield start, line, f"{self.path}:{number}"
                    start += len(line)
        except OSError as error:
            raise DataError(f"{self.path}: cannot be read: {error.strerror}") from None

    def parse(self, line: bytes, where: str) -> Result | None:
        """A line's result; None for a last line that is cut off, which is noted in `torn`."""
        try:
            return Result.model_validate_json(line)
        except ValidationError as error:
            if not line.endswith(b"\n"):
                self.torn = True
                return None
            message = f"{where}: no result: {first_problem(error, whole='line')}"
            raise DataError(f"{message}; expected a file that `faithmeter eval -o` wrote") from None


def read_results(path: str | Path) -> Iterator[Result]:
    """The results of a file that `eval -o` wrote, as they are read."""
    return iter(ResultsFile(path))


@contextmanager
def repeatable(results: str | Path | Iterable[Result]) -> Iterator[Iterable[Result]]:
    """What can be gone over more than once: results that only come once are put in a temporary file."""
    if isinstance(results, str | Path):
        yield ResultsFile(results)
    elif not isinstance(results, Iterator):
        yield results
    else:
        with tempfile.TemporaryDirectory(prefix="faithmeter-") as folder:
            path = Path(folder) / "results.jsonl"
            with path.open("wb") as file:
                file.writelines(encode(result) + b"\n" for result in results)
            yield ResultsFile(path)
