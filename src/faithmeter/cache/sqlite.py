"""The embedded store: one SQLite file, shared by any number of threads and processes."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeVar

from faithmeter.cache.sqlite_schema import (
    NewerVersion,
    connect,
    evict,
    live_bytes,
    opened_read_only,
    prepared,
    transaction,
)
from faithmeter.cache.store import Entry, Kept, Kind, Size, close_at_exit

T = TypeVar("T")
Role = Literal["read", "write"]

DEFAULT_MAX_BYTES = 2 * 2**30
TOUCH_SECONDS = 3600.0  # how stale "last used" may be: a warm run then writes nothing at all
FLUSH_SECONDS = 5.0
LOGGED_HITS = 1000
# Look-ups are padded to one of these sizes, so that SQLite prepares few statements, and keeps them.
_BATCHES = (*range(1, 17), 32, 64, 128, 512)
_AS_WE_ARE = {"effective_ids": True} if os.access in os.supports_effective_ids else {}


class SQLiteStore:
    """Entries in a SQLite file in WAL mode: readers never wait, writers wait for each other.

    A corrupt file, or one of a newer faithmeter, is renamed and a fresh one begun; where no file can be
    written, entries are kept in memory, and a file that can only be read is read. All of it is said in `notes`.
    """

    quick = True

    def __init__(self, path: str | Path, *, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        # Absolute, for the file is opened again after a fork, a pickling or a close, wherever the process is then.
        self._path = ":memory:" if str(path) == ":memory:" else os.path.abspath(path)
        self._max_bytes = max_bytes
        self.location = self._path
        self.notes: list[str] = []
        self._pending = _Pending()
        self._pid = 0
        self._inode = 0
        self._read_only = False
        self._locks = _new_locks()
        self._connections: dict[Role, sqlite3.Connection] = {}
        self._open()
        close_at_exit(self)

    def __reduce__(self) -> tuple[Callable[[str, int], SQLiteStore], tuple[str, int]]:
        return _reopen, (self._path, self._max_bytes)

    # -- entries

    def get(self, keys: Sequence[bytes]) -> list[bytes | None]:
        values: dict[bytes, bytes] = {}
        stale = time.time() - TOUCH_SECONDS

        def read(connection: sqlite3.Connection) -> None:
            start = 0
            while start < len(keys):
                size = next((size for size in _BATCHES if size >= len(keys) - start), _BATCHES[-1])
                batch = list(keys[start : start + size])
                batch += [b""] * (size - len(batch))
                for key, value, used in connection.execute(_SELECTS[size], batch):
                    values[key] = value
                    if used < stale:
                        self._pending.touched.add(key)
                start += size

        self._do("read", read, default=None)
        if self._read_only:  # what is new is in memory
            self._do("write", read, default=None)
        return [values.get(key) for key in keys]

    def put(self, entries: Sequence[Entry]) -> None:
        now = time.time()
        rows = [(entry.key, entry.group, entry.kind, entry.value, now, now) for entry in entries]

        def write(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.executemany(_UPSERT, rows)
                self._pending.write(connection)
            if live_bytes(connection) > self._max_bytes:
                evict(connection, int(self._max_bytes * 0.9))

        self._do("write", write, default=None)

    def members(self, group: bytes) -> list[bytes]:
        query = "SELECT value FROM entries WHERE grp = ? AND grp <> x'' ORDER BY id"
        return self._do("read", lambda c: [value for (value,) in c.execute(query, [group])], default=[])

    def scan(self) -> Iterator[Kept]:
        last = 0
        while rows := self._page(last):
            for _, key, group, kind, value, created, used in rows:
                yield Kept(Entry(key, value, kind, group), created, used)
            last = rows[-1][0]

    def _page(self, after: int) -> list[tuple[int, bytes, bytes, Kind, bytes, float, float]]:
        query = "SELECT id, key, grp, kind, value, created, used FROM entries WHERE id > ? ORDER BY id LIMIT 1000"
        return self._do("read", lambda connection: connection.execute(query, [after]).fetchall(), default=[])

    # -- counters and hits

    def count(self, tally: Mapping[str, float]) -> None:
        self._pending.add(tally)
        if time.monotonic() - self._pending.since > FLUSH_SECONDS:
            self.flush()

    def counters(self) -> dict[str, float]:
        self.flush()
        return self._do("read", lambda c: dict(c.execute("SELECT name, value FROM counters")), default={})

    def log(self, hits: Sequence[bytes]) -> None:
        self._pending.hits.extend(hits)

    def logged(self) -> list[bytes]:
        self.flush()
        query = "SELECT value FROM hits ORDER BY id DESC"
        return self._do("read", lambda c: [value for (value,) in c.execute(query)], default=[])

    def flush(self) -> None:
        """Write the pending counters, hits and last uses."""
        self._pending.since = time.monotonic()
        if not self._pending:
            return

        def write(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                self._pending.write(connection)

        self._do("write", write, default=None)

    # -- care

    def size(self) -> Size:
        def read(connection: sqlite3.Connection) -> Size:
            kinds = dict(connection.execute("SELECT kind, count(*) FROM entries GROUP BY kind"))
            return Size(kinds, live_bytes(connection))

        return self._do("read", read, default=Size({}, 0))

    def prune(self, *, unused_for: float | None = None, max_bytes: int | None = None) -> int:
        self.flush()

        def write(connection: sqlite3.Connection) -> int:
            before = connection.total_changes
            if unused_for is None and max_bytes is None:
                connection.execute("DELETE FROM entries WHERE 1")
            if unused_for is not None:
                connection.execute("DELETE FROM entries WHERE used < ?", [time.time() - unused_for])
            if max_bytes is not None:
                evict(connection, max_bytes)
            gone = connection.total_changes - before
            connection.execute("VACUUM")
            return gone

        return self._do("write", write, default=0)

    def check(self) -> list[str]:
        def read(connection: sqlite3.Connection) -> list[str]:
            lines = [str(line) for (line,) in connection.execute("PRAGMA integrity_check(20)")]
            return [] if lines == ["ok"] else lines

        notes = len(self.notes)
        return self._do("read", read, default=[]) or self.notes[notes:]

    def close(self) -> None:
        if self._pid == os.getpid():
            self.flush()
            if self._path != ":memory:":
                with self._locks["write"], self._locks["read"]:
                    self._release()

    # -- the file

    def _do(self, role: Role, work: Callable[[sqlite3.Connection], T], *, default: T) -> T:
        """Work on a connection; what goes wrong is noted, a corrupt file set aside and the work done on a fresh one."""
        for _ in range(3):
            if self._pid != os.getpid():
                self._open()
            try:
                with self._locks[role]:
                    if self._pid:  # else closed by another thread just now
                        return work(self._connections[role])
            except sqlite3.OperationalError as error:  # locked for too long, disk full, folder gone
                self._note(f"{self.location}: {error}; what this store holds or should hold counts as missing")
                return default
            except sqlite3.DatabaseError as error:
                self._set_aside("corrupt", str(error))
        return default

    def _open(self) -> None:
        if self._pid not in (0, os.getpid()):  # a forked child: neither locks nor connections may cross
            self._locks, self._connections, self._pid = _new_locks(), {}, 0
        with self._locks["write"], self._locks["read"]:
            if self._pid:
                return  # opened by another thread just now
            self._pid = os.getpid()
            for _ in range(3):
                try:
                    reader, writer = self._connect()
                except NewerVersion as error:
                    self._set_aside("newer", str(error), reopen=False)
                except sqlite3.OperationalError as error:
                    why = "is locked by another process" if "locked" in str(error) else "can only be read"
                    if self._connect_read_only(why):
                        return
                    self._note(f"{self._path}: {error}; entries are kept in memory for this run only")
                    break
                except sqlite3.DatabaseError as error:
                    self._set_aside("corrupt", str(error), reopen=False)
                else:
                    self._connections, self._pid = {"read": reader, "write": writer}, os.getpid()
                    return
            self._in_memory()

    def _connect(self) -> tuple[sqlite3.Connection, sqlite3.Connection]:
        if self._path == ":memory:":
            return self._in_memory()
        with suppress(OSError):  # if it fails, so does connecting, and that is noted
            Path(self._path).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.path.exists(self._path) and not os.access(self._path, os.W_OK, **_AS_WE_ARE):
            raise sqlite3.OperationalError("cannot be written, nor read as it is")  # SQLite says so at a write only
        writer = prepared(self._path)
        self._inode = os.stat(self._path).st_ino
        return connect(self._path), writer

    def _connect_read_only(self, why: str) -> bool:
        """Read a file that cannot be written; what is new is kept in memory."""
        reader = opened_read_only(self._path)
        if reader is None:
            return False
        self._read_only = True
        self._connections = {"read": reader, "write": prepared(":memory:")}
        self._note(f"{self._path}: {why}; what is judged now is kept in memory for this run only")
        return True

    def _in_memory(self) -> tuple[sqlite3.Connection, sqlite3.Connection]:
        self._path = self.location = ":memory:"
        connection = prepared(":memory:")
        self._connections, self._pid = {"read": connection, "write": connection}, os.getpid()
        self._locks["write"] = self._locks["read"]  # one connection, one user at a time
        return connection, connection

    def _set_aside(self, why: str, error: str, *, reopen: bool = True) -> None:
        """Rename the file, with its log, and begin a fresh one, unless another process has just done so."""
        with self._locks["write"], self._locks["read"]:
            self._release()
            try:
                if self._inode in (0, os.stat(self._path).st_ino):
                    target = f"{self._path}.{why}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
                    for suffix in ("", "-wal", "-shm"):
                        with suppress(FileNotFoundError):
                            os.rename(self._path + suffix, target + suffix)
                    self._note(f"{self._path}: {error}; set aside as {target}, and a fresh cache begun")
            except OSError:
                self._note(f"{self._path}: {error}; it cannot be set aside")
        self._inode = 0
        if reopen:
            self._open()

    def _release(self) -> None:
        for connection in {id(c): c for c in self._connections.values()}.values():
            with suppress(sqlite3.Error):
                connection.close()
        self._pid = 0

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


class _Pending:
    """What is written with the next `put`, or within seconds: nobody's verdict depends on it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.tally: dict[str, float] = {}
        self.touched: set[bytes] = set()
        self.hits: list[bytes] = []
        self.since = time.monotonic()

    def __bool__(self) -> bool:
        return bool(self.tally or self.touched or self.hits)

    def add(self, tally: Mapping[str, float]) -> None:
        with self._lock:
            for name, value in tally.items():
                self.tally[name] = self.tally.get(name, 0) + value

    def write(self, connection: sqlite3.Connection) -> None:
        """Write all within the open transaction, and forget it."""
        with self._lock:
            tally, touched, hits = self.tally, self.touched, self.hits
            self.tally, self.touched, self.hits = {}, set(), []
        connection.executemany(
            "INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            list(tally.items()),
        )
        now = time.time()
        connection.executemany("UPDATE entries SET used = ? WHERE key = ?", [(now, key) for key in touched])
        if hits:
            connection.executemany("INSERT INTO hits (value) VALUES (?)", [(hit,) for hit in hits])
            connection.execute("DELETE FROM hits WHERE id <= (SELECT max(id) FROM hits) - ?", [LOGGED_HITS])


_SELECTS = {size: f"SELECT key, value, used FROM entries WHERE key IN ({','.join('?' * size)})" for size in _BATCHES}
_UPSERT = (
    "INSERT INTO entries (key, grp, kind, value, created, used) VALUES (?,?,?,?,?,?) ON CONFLICT (key)"
    " DO UPDATE SET value = excluded.value, created = excluded.created, used = excluded.used"
)


def _new_locks() -> dict[Role, threading.RLock]:
    return {"read": threading.RLock(), "write": threading.RLock()}


def _reopen(path: str, max_bytes: int) -> SQLiteStore:
    return SQLiteStore(path, max_bytes=max_bytes)
