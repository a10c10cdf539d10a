"""Writes files whole or not at all, and never over what the user has.

A file is written under another name in the same folder and renamed when it is complete and on disk: a full disk, a
kill or a power cut leaves the old file, or none. A link stays a link: what it points to is written. Devices and pipes
cannot be replaced, and are written as they are.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from faithmeter.data import jsonl
from faithmeter.errors import OutputError, UsageError

if sys.platform != "win32":
    import fcntl

STDIN = "-"
DRAFT = ".faithmeter-draft"


@contextmanager
def replacing(path: str | Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A file to write; it takes its place when the block ends, and leaves no trace if that fails."""
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n", "errors": "replace"}
    try:
        direct = _written_as_it_is(path)
        if direct is not None:
            with os.fdopen(direct, mode, **text) as file:
                yield file
            return
        target = final_place(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = draft_of(target)
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), mode, **text) as file:
                with suppress(FileNotFoundError):  # it keeps the permissions of the file that it replaces
                    os.chmod(draft, stat.S_IMODE(os.stat(target).st_mode))
                yield file
                file.flush()
                os.fsync(file.fileno())
            rename(draft, target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from None


def cannot_write(path: str | Path, error: OSError) -> OutputError:
    """The message for a file that cannot be written."""
    return OutputError(f"{path}: cannot be written: {error.strerror or error}")


def final_place(path: str | Path) -> Path:
    """Where a file is written: the path itself, or what it points to if it is a link."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)


def draft_of(target: Path) -> Path:
    """An unused name in the target's folder, not too long where the target's is not."""
    return target.with_name(f".{_key(target)}-{secrets.token_hex(4)}{DRAFT}")


def drop_drafts(target: Path) -> None:
    """Delete what a killed process left; for the one process that may write the target."""
    for draft in target.parent.glob(f".{_key(target)}-*{DRAFT}"):
        with suppress(OSError):
            draft.unlink()


def _key(target: Path) -> str:
    return hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]


def rename(old: Path, new: Path) -> None:
    """Give a file another name, also after a power cut."""
    old.replace(new)
    if sys.platform != "win32":  # where a folder cannot be opened
        folder = os.open(new.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _written_as_it_is(path: str | Path) -> int | None:
    """A descriptor for a device, a pipe, or the file that standard output goes to; None for a file to be replaced."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(None, "is a folder")
    for standard in (1, 2):
        with suppress(OSError):
            if os.path.samestat(there, os.fstat(standard)):
                sys.stdout.flush()
                return os.dup(standard)
    return None if stat.S_ISREG(there.st_mode) else os.open(path, os.O_WRONLY)


# --- adding to a file -------------------------------------------------------------------------------


def append_line(path: str | Path, line: bytes, *, sync: bool = True) -> None:
    """Add a line to a file of JSON lines, for several processes at once: whole on disk, or not there at all.

    `sync`: also after a power cut, which takes its milliseconds.
    What a kill has left of an earlier line is cut off; a last line that only lacks its end is given one.
    """
    try:
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            if sys.platform != "win32":
                fcntl.flock(fd, fcntl.LOCK_EX)
            with os.fdopen(os.dup(fd), "rb") as file:
                last = last_line(file)
            size = os.fstat(fd).st_size
            torn = jsonl.is_torn(last)
            if torn:
                size -= len(last)
                os.ftruncate(fd, size)
            unended = bool(last) and not torn and not last.endswith(b"\n")
            append(fd, (b"\n" if unended else b"") + line + b"\n", size)
            if sync:
                os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise cannot_write(path, error) from None


def append(fd: int, data: bytes, end: int) -> None:
    """Write all of the data at the file's end, or nothing: what a full disk took of it is cut off again."""
    try:
        written = os.write(fd, data)
        while written < len(data):  # a nearly full disk takes a part
            written += os.write(fd, data[written:])
    except OSError:
        with suppress(OSError):
            os.ftruncate(fd, end)
        raise


def last_line(file: IO[bytes], step: int = 1 << 16) -> bytes:
    """The last line of a file, with its end if it has one."""
    size = file.seek(0, os.SEEK_END)
    start, tail = size, b""
    while start and b"\n" not in tail[:-1]:
        start = max(0, start - step)
        file.seek(start)
        tail = file.read(size - start)
        step *= 2
    return tail[tail.rfind(b"\n", 0, -1) + 1 :]


# --- what must not be written -----------------------------------------------------------------------


def keep_apart(outputs: Mapping[str, str | Path | None], inputs: Iterable[str | Path]) -> None:
    """Refuse to write over what is read, or two things to the same file; `outputs` by option, None if not asked for."""
    asked = [(option, path) for option, path in outputs.items() if path is not None]
    inputs = list(inputs)
    for index, (option, path) in enumerate(asked):
        for source in inputs:
            if _is_same_file(path, source):
                raise UsageError(f"{option} {path}: is what is read ({source}); give the output another name")
        for other, other_path in asked[:index]:
            if _is_same_file(path, other_path) and not _is_special(path):
                raise UsageError(f"{option} {path}: is also what {other} writes; give one of them another name")


def _is_same_file(path: str | Path, other: str | Path) -> bool:
    if _is_special(path):
        return False
    try:
        there = os.stat(path)
        if other == STDIN:
            return stat.S_ISREG(there.st_mode) and os.path.samestat(there, os.fstat(0))
        if os.path.isdir(other):  # a data set in a folder: none of its files
            return Path(os.path.realpath(other)) in Path(os.path.realpath(path)).parents
        return os.path.samestat(there, os.stat(other))
    except OSError:  # one of them is not there yet
        return os.path.realpath(path) == os.path.realpath(other) and str(other) != STDIN


def _is_special(path: str | Path) -> bool:
    """Whether it is a device or a pipe, which may be written by many."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
