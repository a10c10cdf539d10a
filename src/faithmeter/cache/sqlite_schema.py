"""The SQLite file of the embedded store: its schema, its migrations, and its transactions."""

from __future__ import annotations

import math
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from faithmeter.errors import UsageError

APPLICATION_ID = 0x66_61_69_74  # "fait": tells our files from other programs' databases
BUSY_SECONDS = 30.0


def _create(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE entries (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, grp BLOB NOT NULL, kind TEXT NOT NULL,"
        " value BLOB NOT NULL, created REAL NOT NULL, used REAL NOT NULL)"
    )
    connection.execute("CREATE INDEX entries_grp ON entries (grp) WHERE grp <> x''")
    connection.execute("CREATE TABLE counters (name TEXT PRIMARY KEY, value REAL NOT NULL)")


def _log_semantic_hits(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE hits (id INTEGER PRIMARY KEY, value BLOB NOT NULL)")


# Append only: a file's version is how many of these it has seen.
MIGRATIONS: list[Callable[[sqlite3.Connection], None]] = [_create, _log_semantic_hits]


class NewerVersion(Exception):
    """The file was written by a newer faithmeter."""


def connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    # Safe against kill -9 at any time, and against power loss except for the last moments.
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def prepared(path: str) -> sqlite3.Connection:
    """A connection to a file that is ours and of our version, made so if it is new or older."""
    connection = connect(path)
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if application != APPLICATION_ID and tables:
            raise UsageError(f"{path} is a database of another program; name another file for the cache")
        _wal(connection)
        with transaction(connection):
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version > len(MIGRATIONS):
                raise NewerVersion(f"written by a newer faithmeter (version {version}, known: {len(MIGRATIONS)})")
            for migrate in MIGRATIONS[version:]:
                migrate(connection)
            if version < len(MIGRATIONS):
                connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except BaseException:
        connection.close()
        raise
    return connection


def opened_read_only(path: str) -> sqlite3.Connection | None:
    """A connection that can only read, to a file of ours and of our version; None if there is none."""
    # In a folder that cannot be written either, SQLite has no place for its lock; nobody else writes there then. What
    # the last writer left in its log is then read from a copy: without it the file may be half of an old and a new one.
    log = Path(f"{path}-wal")
    ways = (_in_place("mode=ro"), _copied if log.exists() and log.stat().st_size else _in_place("mode=ro&immutable=1"))
    for way in ways:
        connection = None
        try:
            connection = way(path)
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if (application, version) == (APPLICATION_ID, len(MIGRATIONS)):
                return connection
        except (sqlite3.Error, OSError):
            pass
        if connection is not None:
            connection.close()
    return None


def _in_place(options: str) -> Callable[[str], sqlite3.Connection]:
    def opened(path: str) -> sqlite3.Connection:
        address = f"{Path(path).as_uri()}?{options}"
        return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)

    return opened


def _copied(path: str) -> sqlite3.Connection:
    """What a file and its log hold, in a database without a name, which is gone when it is closed."""
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("", "-wal"):
            shutil.copyfile(path + ending, f"{folder}/copy{ending}")
        with closing(sqlite3.connect(f"{folder}/copy")) as copy:
            held = sqlite3.connect("", isolation_level=None, check_same_thread=False)
            copy.backup(held)
    return held


def _wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite does not wait for others here, so we do."""
    for wait in (0.01, 0.05, 0.1, 0.3, 1.0, 3.0):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            time.sleep(wait)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def live_bytes(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def evict(connection: sqlite3.Connection, target: int) -> None:
    """Delete the least recently used entries until the rest fits; signatures, a few bytes in all, stay."""
    for _ in range(10):
        live = live_bytes(connection)
        (total,) = connection.execute("SELECT count(*) FROM entries WHERE kind <> 'signature'").fetchone()
        if live <= target or not total:
            return
        surplus = math.ceil(total * (1 - target / live))
        connection.execute(
            "DELETE FROM entries WHERE id IN"
            " (SELECT id FROM entries WHERE kind <> 'signature' ORDER BY used, id LIMIT ?)",
            [surplus],
        )
