"""The SQLite file: migrations, damage, eviction, many processes, and kill -9."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from faithmeter.cache import sqlite, sqlite_schema
from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.cache.store import Entry
from faithmeter.errors import UsageError

WRITER = """
import sys
from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.cache.store import Entry
store, first, last = SQLiteStore(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
for number in range(first, last, 3):
    batch = range(number, min(number + 3, last))
    store.put([Entry(n.to_bytes(16, "big"), b"value %d" % n * 20, "verdict", b"g") for n in batch])
    print(batch[-1], flush=True)
if store.notes:
    sys.exit("; ".join(store.notes))
"""


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def entries(numbers: range, value: bytes = b"x") -> list[Entry]:
    return [Entry(key(number), value, "verdict", b"g") for number in numbers]


def writer(path: Path, first: int, last: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(first), str(last)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_kill_9_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    chance = random.Random(5)
    path = tmp_path / "cache.sqlite"
    committed: set[int] = set()
    for turn in range(20):
        first = turn * 100_000
        process = writer(path, first, first + 100_000)
        assert process.stdout
        for _ in range(chance.randrange(1, 60)):  # so many commits, and the kill somewhere in the next
            last = int(process.stdout.readline())
        os.kill(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
        last = int(said.split()[-1]) if said.endswith("\n") else last
        committed.update(range(first, last + 1))
    store = SQLiteStore(path)
    assert store.check() == []
    keys = [key(number) for number in sorted(committed)]
    assert len(keys) > 200
    assert None not in store.get(keys)
    assert not store.notes
    assert not list(tmp_path.glob("*corrupt*"))


def test_processes_writing_at_once_lose_no_row(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    processes = [writer(path, first, first + 300) for first in (0, 1000, 2000)]
    for process in processes:
        _, trouble = process.communicate(timeout=600)
        assert process.returncode == 0, trouble
    assert SQLiteStore(path).size().entries == {"verdict": 900}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_its_own_connection(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "cache.sqlite")
    store.put(entries(range(3)))
    child = os.fork()
    if child == 0:
        try:
            fine = store.get([key(1)]) == [b"x"]
            store.put(entries(range(10, 13)))
            os._exit(0 if fine else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    store.put(entries(range(20, 23)))
    assert store.size().entries == {"verdict": 9}
    assert store.check() == []


@pytest.mark.parametrize("damage", ["garbage", "cut short", "overwritten inside"])
def test_a_corrupt_file_is_set_aside_and_reported(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "cache.sqlite"
    store = SQLiteStore(path)
    store.put(entries(range(2000), b"value" * 50))
    store.close()
    whole = path.read_bytes()
    if damage == "garbage":
        path.write_bytes(b"this was never a database, but somebody wrote it here\n" * 100)
    elif damage == "cut short":
        path.write_bytes(whole[: len(whole) // 3])
    else:
        path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 4096) + whole[-3996:])
    again = SQLiteStore(path)
    again.get([key(number) for number in range(2000)])
    again.put(entries(range(5)))
    assert again.get([key(1)]) == [b"x"]
    assert again.check() == []
    (aside,) = [found for found in tmp_path.glob("cache.sqlite.corrupt-*") if not found.name.endswith(("-wal", "-shm"))]
    assert len(again.notes) == 1
    assert str(aside) in again.notes[0]


def test_damage_while_the_store_is_open_is_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    store = SQLiteStore(path)
    store.put(entries(range(5000), b"value" * 50))
    store.flush()
    store._connections["write"].execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    other = SQLiteStore(path)  # reads from the disk what the first may still have in memory
    other.get([key(number) for number in range(5000)])
    other.put(entries(range(3)))
    assert other.get([key(2)]) == [b"x"]
    assert "set aside" in other.notes[0]
    store.get([key(2)])
    store.put(entries(range(3)))
    assert SQLiteStore(path).check() == []


def test_a_file_of_a_newer_version_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    SQLiteStore(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    store = SQLiteStore(path)
    store.put(entries(range(1)))
    assert store.get([key(0)]) == [b"x"]
    assert "newer faithmeter (version 99" in store.notes[0]
    assert list(tmp_path.glob("cache.sqlite.newer-*"))


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mine.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE precious (x)")
    connection.close()
    with pytest.raises(UsageError, match="another program"):
        SQLiteStore(path)
    assert sqlite3.connect(path).execute("SELECT name FROM sqlite_schema").fetchall() == [("precious",)]


def test_an_older_file_is_migrated_with_its_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cache.sqlite"
    monkeypatch.setattr(sqlite_schema, "MIGRATIONS", sqlite_schema.MIGRATIONS[:1])
    old = SQLiteStore(path)
    old.put(entries(range(4)))
    old.close()
    monkeypatch.undo()
    store = SQLiteStore(path)
    assert store.get([key(3)]) == [b"x"]
    store.log([b"hit"])
    assert store.logged() == [b"hit"]
    assert not store.notes


def test_where_nothing_can_be_written_memory_serves(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    store = SQLiteStore(blocked / "cache.sqlite")
    store.put(entries(range(2)))
    assert store.get([key(1)]) == [b"x"]
    assert "in memory" in store.notes[0]


def test_eviction_takes_the_least_recently_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "TOUCH_SECONDS", -1)  # every use is written down
    store = SQLiteStore(tmp_path / "cache.sqlite", max_bytes=400_000)
    for start in range(0, 400, 50):
        store.put(entries(range(start, start + 50), b"v" * 1000))
        store.get([key(number) for number in range(20)])  # these are needed again and again
        store.flush()
    assert None not in store.get([key(number) for number in range(20)])
    assert None in store.get([key(number) for number in range(20, 60)])
    assert store.get([key(399)]) != [None]
    assert store.size().bytes <= 400_000


def test_prune_to_a_size_shrinks_the_file(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    store = SQLiteStore(path)
    store.put(entries(range(1000), b"v" * 1000))
    assert store.prune(max_bytes=300_000) > 600
    store.close()
    assert path.stat().st_size < 400_000


def test_a_file_is_private(tmp_path: Path) -> None:
    SQLiteStore(tmp_path / "deep" / "er" / "cache.sqlite")
    assert (tmp_path / "deep" / "er").stat().st_mode & 0o077 == 0


def test_a_warm_look_up_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    store = SQLiteStore(path)
    store.put(entries(range(10)))
    changes = store._connections["write"].total_changes
    store.get([key(1)])
    store.flush()
    assert store._connections["write"].total_changes == changes
