"""Finds and opens what a run reads: paths, globs, folders, compressed and remote files, standard input."""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast

from faithmeter.data.files import STDIN
from faithmeter.errors import DataError, MissingExtra, UsageError

_REMOTE = re.compile(r"^[a-z][a-z0-9+.-]+://", re.IGNORECASE)


class Source(NamedTuple):
    """One file (or one data set saved in a folder) to read."""

    name: str
    """As the user knows it: shown in messages."""
    system: Any = None
    """The fsspec file system it is on; None: this machine's own."""

    @property
    def suffixes(self) -> tuple[str, str]:
        """The ending that tells the format, and the one that tells the compression, e.g. `.jsonl`, `.gz`."""
        path = PurePosixPath(self.name.lower())
        if path.suffix in _COMPRESSED:
            return PurePosixPath(path.stem).suffix, path.suffix
        return path.suffix, ""

    @property
    def is_folder(self) -> bool:
        return self.system is None and self.name != STDIN and Path(self.name).is_dir()

    @property
    def size(self) -> int:
        """Bytes; 0 if unknown."""
        if self.system is not None or self.name == STDIN:
            return 0
        files = Path(self.name).rglob("*") if self.is_folder else [Path(self.name)]
        return sum(file.stat().st_size for file in files if file.is_file())


class Extent:
    """How much of the input has been read, for a progress bar."""

    def __init__(self) -> None:
        self.total = 0
        self._before = 0
        self._current: Callable[[], float] = lambda: 0.0

    @property
    def fraction(self) -> float | None:
        """0 to 1; None if the total is unknown."""
        return min(1.0, (self._before + self._current()) / self.total) if self.total else None

    @contextmanager
    def reading(self, size: int, position: Callable[[], float]) -> Iterator[None]:
        """While a file of `size` bytes is read; `position` says how far."""
        self._current = position
        try:
            yield
        finally:
            self._current = lambda: 0.0
            self._before += size


def find(source: str | Path | Sequence[str | Path]) -> list[Source]:
    """The files that a path, a glob or several of them name, each glob's in alphabetical order."""
    if not isinstance(source, str | Path):
        return [file for item in source for file in find(item)]
    name = str(source)
    if _REMOTE.match(name):
        return _find_remote(name)
    try:
        is_one = name == STDIN or Path(name).exists() or os.path.lexists(name)  # a link to nowhere is found, too
    except (OSError, ValueError) as error:  # a name that is too long, or has a NUL in it
        raise DataError(f"{_short(name)}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if is_one:
        return [Source(name)]
    names = sorted(glob.glob(name, recursive=True)) if glob.has_magic(name) else []
    if not names:
        raise DataError(f"{name}: no such file")
    return [Source(path) for path in names]


def _short(name: str) -> str:
    return name if len(name) <= 80 else name[:79] + "…"


def _find_remote(name: str) -> list[Source]:
    scheme = name.partition("://")[0]
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtra(f"reading {scheme}:// paths", "remote") from None
    try:
        system, path = url_to_fs(name)
        paths = sorted(system.glob(path)) if glob.has_magic(path) else [path]
    except (ImportError, ValueError) as error:  # fsspec says which plug-in to install, or that there is none
        raise UsageError(f"{name}: {error}") from None
    except Exception as error:  # plug-ins raise what they like: no credentials, no such bucket
        raise DataError(f"{name}: cannot be read: {error}") from None
    if not paths:
        raise DataError(f"{name}: no such file")
    return [Source(f"{scheme}://{file_path.removeprefix(f'{scheme}://')}", system) for file_path in paths]


@contextmanager
def opened(source: Source, extent: Extent) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed; whatever goes wrong while it is read is one clear line."""
    try:
        with _raw(source) as raw:
            position = cast(io.BufferedReader, raw).raw.tell if source.size else lambda: 0.0
            decompressed = _COMPRESSED.get(source.suffixes[1], nullcontext)
            with extent.reading(source.size, position), decompressed(raw) as file:
                yield file
    except FileNotFoundError:
        raise DataError(f"{source.name}: no such file") from None
    except Exception as error:
        if not _is_damage(error):
            raise
        raise DataError(f"{source.name}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


@contextmanager
def _raw(source: Source) -> Iterator[IO[bytes]]:
    if source.name == STDIN:
        if sys.stdin is None or sys.stdin.closed:
            raise DataError("standard input: is closed; pipe the data in, or name a file instead of -")
        try:
            descriptor = os.dup(sys.stdin.fileno())
        except OSError:  # not a real stream
            yield sys.stdin.buffer
            return
        # Not sys.stdin's own buffer: after Ctrl-C a thread may still wait in it, and Python aborts as it closes it.
        with open(descriptor, "rb") as file:
            yield file
    elif source.system is None:
        with Path(source.name).open("rb") as file:
            yield file
    else:
        with source.system.open(source.name, "rb") as file:
            yield file


def _zstd(raw: IO[bytes]) -> Any:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra("reading .zst files", "zstd") from None
    return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True))


def _is_damage(error: Exception) -> bool:
    """Whether it is the file's fault; zstandard may not be there to name its exception."""
    return isinstance(error, OSError | EOFError | lzma.LZMAError | zlib.error) or type(error).__name__ == "ZstdError"


_COMPRESSED: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw),
    ".xz": lzma.LZMAFile,
    ".bz2": bz2.BZ2File,
    ".zst": _zstd,
}
