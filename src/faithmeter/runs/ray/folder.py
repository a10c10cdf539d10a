"""The folder with a Ray run's results: its lock, its parts, old and new, and its manifest."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faithmeter.data.files import DRAFT, replacing
from faithmeter.data.jsonl import encode
from faithmeter.errors import OutputError
from faithmeter.runs.ray.parts import Format, Part, read_results

MANIFEST = "manifest.json"
UNUSED = "unused"
TRY, AGAIN = ".try-", ".again-"


@dataclass(frozen=True)
class Folder:
    """Where parts are, and in which form."""

    path: Path
    kind: Format

    def file(self, part: Part) -> Path:
        """A part's results: where this exists, the part is done."""
        return self.path / part.file_name(self.kind)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """The folder, for this run alone."""
        try:
            if self.path.exists() and not self.path.is_dir():
                raise OutputError(f"{self.path}: on Ray the output is a folder, and this is a file")
            self.path.mkdir(parents=True, exist_ok=True)
            fd = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}") from None
        try:
            if sys.platform != "win32":
                import fcntl

                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError:
            raise OutputError(f"{self.path}: another run is writing it") from None
        finally:
            os.close(fd)

    def forget(self) -> None:
        """Drop all results that are there."""
        (self.path / MANIFEST).unlink(missing_ok=True)
        for folder in (self.path, self.path / UNUSED):
            for pattern in ("part-*", f"{AGAIN}*", f"{TRY}*"):
                for path in folder.glob(pattern):
                    path.unlink(missing_ok=True)

    def take_back(self, parts: Sequence[Part]) -> None:
        """Use what is there, also results of an earlier choice of rows, and those of a part that has moved."""
        there = {
            path.stem.rpartition("-")[2]: path
            for folder in (self.path / UNUSED, self.path)
            for path in folder.glob(f"part-*.{self.kind}")
        }
        for part in parts:
            path = there.get(part.digest)
            if path and path != self.file(part):
                path.rename(self.file(part))

    def reopen(self, part: Part) -> None:
        """Have a part done again, all but the answers that were judged in full."""
        self.file(part).replace(self._reopened(part))

    def kept(self, part: Part) -> dict[str, bytes]:
        """Of a part that was reopened, the results that stay, by the samples' ids."""
        path = self._reopened(part)
        if not path.exists():
            return {}
        results = (result for result in read_results(path) if not result.failures)
        return {result.sample.id: encode(result) for result in results}

    def _reopened(self, part: Part) -> Path:
        return self.path / f"{AGAIN}{part.digest}.{self.kind}"

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Say what is in the folder."""
        with replacing(self.path / MANIFEST) as file:
            file.write(json.dumps(manifest, indent=1) + "\n")

    def clear_up(self, parts: Sequence[Part]) -> None:
        """Drop drafts of workers that died; put results that this run has no use for aside: they may have cost money.

        What was reopened, and is not among these parts, waits for a run that has it.
        """
        named = {self.file(part).name for part in parts}
        over = {self._reopened(part).name for part in parts}
        for path in self.path.iterdir():
            if path.name.startswith(TRY) or path.name.endswith(DRAFT) or path.name in over:
                path.unlink(missing_ok=True)
            elif path.name.startswith("part-") and path.name not in named:
                (self.path / UNUSED).mkdir(exist_ok=True)
                path.rename(self.path / UNUSED / path.name)
