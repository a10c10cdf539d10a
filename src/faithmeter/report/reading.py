"""Reads results again: a file of them as often as needed, one line in memory at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from faithmeter.errors import DataError
from faithmeter.results import Result


class ResultsFile:
    """A results file; each pass over it reads it from the start, a line at a time."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.torn = False
        """Whether the last pass found the last line cut off, as a run leaves it that was killed or goes on."""

    def __iter__(self) -> Iterator[Result]:
        for _, line, where in self.lines():
            if (result := self.parse(line, where)) is not None:
                yield result

    def lines(self) -> Iterator[tuple[int, bytes, str]]:
        """The lines that are not blank: the byte where each begins, the line, and its place for messages."""
        self.torn = False
        try:
            with self.path.open("rb") as file:
                start = 0
                for number, line in enumerate(file, start=1):
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
            problem = error.errors(include_url=False)[0]
            place = ".".join(map(str, problem["loc"])) or "line"
            message = f"{where}: no result: {place}: {problem['msg'].lower()}"
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
            with path.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(result.model_dump_json() + "\n" for result in results)
            yield ResultsFile(path)
