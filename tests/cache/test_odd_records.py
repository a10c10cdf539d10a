"""Records of valid JSON and wrong shape, caches that can only be read, and Redis values of somebody else."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from faithmeter.cache import open_store
from faithmeter.cache.maintenance import misshapen
from faithmeter.cache.redis import RedisStore
from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.cache.store import Entry, Store
from faithmeter.cache.wrapper import Cached, CachedExtractor
from faithmeter.cli import main
from faithmeter.datamodels import Claim, Pair, Sample, Verdict
from faithmeter.errors import UsageError
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.verify import load_verifier

SAMPLE = Sample(answer="The tower is in Paris.", contexts=["The tower is in Paris."])
PAIR = Pair(Claim(text="The tower is in Paris.", start=0, end=22), SAMPLE)
GOOD: dict[str, Any] = {"claim": PAIR.claim.text, "by": "x", "verdict": {"label": "supported", "verifier": "v"}}


def with_(**changes: Any) -> dict[str, Any]:
    return {**GOOD, "verdict": {**GOOD["verdict"], **changes}}


SHAPES = [
    None, 7, "text", [], {}, [GOOD], {**GOOD, "claim": 3}, {**GOOD, "claim": None}, {**GOOD, "by": {}},
    {**GOOD, "verdict": "supported"}, {**GOOD, "verdict": []}, {**GOOD, "verdict": {}}, {**GOOD, "cost": "much"},
    {**GOOD, "cost": [1, 2, 3, 4, 5]}, {**GOOD, "cost": [{}]}, {**GOOD, "cost": 5}, with_(label="maybe"),
    with_(label=["supported"]), with_(support="high"), with_(support=7), with_(verifier=None), with_(verifier={}),
    with_(evidence="quote"), with_(evidence=[1]), with_(evidence=[[0, 0, 5]]), with_(evidence=[["a", "b", "c", "d"]]),
    with_(gaps=5), with_(gaps=[["a", "b"]]), with_(gaps=[[1]]), with_(reason=["x"]),
    with_(tier="first"), with_(tier=[1]),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: json.dumps(shape)[:60])
async def test_a_record_of_a_wrong_shape_is_a_miss_and_is_found(store: Store, shape: Any) -> None:
    cached = Cached(load_verifier("lexical"), store)
    (key,), _ = cached._keys([PAIR])
    store.put([Entry(key, json.dumps(shape).encode(), "verdict", b"group")])
    assert [line.partition(":")[0] for line in misshapen(store)] == [key.hex()]
    (outcome,) = await cached.verify([PAIR])
    assert isinstance(outcome, Verdict)
    assert outcome.origin.cache is None, "judged, and not from the cache"
    assert misshapen(store) == [], "the right record has taken its place"
    (outcome,) = await cached.verify([PAIR])
    assert outcome.origin.cache == "exact"


@pytest.mark.parametrize("shape", [None, [], {}, {"extraction": 5, "cost": [0]}, {"extraction": {}, "cost": None}])
async def test_an_extraction_of_a_wrong_shape_is_a_miss_and_is_found(store: Store, shape: Any) -> None:
    cached = CachedExtractor(SentenceExtractor(), store)
    await cached.extract(SAMPLE)
    ((key, right),) = [(kept.entry.key, kept.entry.value) for kept in store.scan()]
    store.put([Entry(key, json.dumps(shape).encode(), "extraction")])
    assert len(misshapen(store)) == 1
    await CachedExtractor(SentenceExtractor(), store).extract(SAMPLE)
    assert [kept.entry.value for kept in store.scan()] == [right]


def test_verify_names_what_is_wrong(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "cache.sqlite")
    store.put([Entry(b"k" * 16, b'{"claim": 1}', "verdict", b"g")])
    store.close()
    done = CliRunner().invoke(main, ["cache", "verify", "--cache", str(tmp_path / "cache.sqlite")])
    assert done.exit_code == 1
    assert f"{(b'k' * 16).hex()}: no verdict can be read from it" in done.output


def test_a_cache_that_cannot_be_opened_is_not_shown_as_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    for care in ("stats", "verify", "export"):
        done = CliRunner().invoke(main, ["cache", care, "--cache", str(tmp_path / "file" / "cache.sqlite")])
        assert (done.exit_code, "no cache can be opened there" in done.stderr) == (2, True)


@pytest.fixture
def locked_folder() -> Iterator[Path]:
    """A folder for a cache that nobody can write, not even root."""
    folder = Path(tempfile.mkdtemp(prefix="faithmeter-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
@pytest.mark.parametrize("folder_too", [True, False])
def test_a_cache_that_can_only_be_read_is_read(locked_folder: Path, folder_too: bool) -> None:
    place = locked_folder / "cache.sqlite"
    store = SQLiteStore(place)
    asyncio.run(Cached(load_verifier("lexical"), store).verify([PAIR]))
    store.close()
    place.chmod(0o444)
    if folder_too:
        locked_folder.chmod(0o555)
    before = place.read_bytes()
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)  # permissions mean nothing to root
    try:
        store = SQLiteStore(place)
        cached = Cached(load_verifier("lexical"), store)
        (outcome,) = asyncio.run(cached.verify([PAIR]))
        other = Pair(Claim(text="The tower is tall.", start=0, end=18), SAMPLE)
        (first,), (again,) = [asyncio.run(cached.verify([other])) for _ in range(2)]
        notes = list(store.notes)
        store.close()
    finally:
        if root:
            os.seteuid(0)
        locked_folder.chmod(0o755)
    assert outcome.origin.cache == "exact"
    assert (first.origin.cache, again.origin.cache) == (None, "exact"), "what is new is kept for the run"
    assert notes == [f"{place}: can only be read; what is judged now is kept in memory for this run only"]
    assert place.read_bytes() == before


ABANDONED = """
import os, signal, sys
from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.cache.store import Entry
SQLiteStore(sys.argv[1]).put([Entry(b"n" * 16, b"new", "verdict", b"g")])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and signals")
@pytest.mark.parametrize("left", ["-wal and -shm", "-wal", "-wal that cannot be read"])
@pytest.mark.parametrize("folder_too", [True, False])
def test_what_a_killed_writer_left_of_a_cache_that_can_only_be_read(
    locked_folder: Path, left: str, folder_too: bool
) -> None:
    place = locked_folder / "cache.sqlite"
    store = SQLiteStore(place)
    store.put([Entry(b"o" * 16, b"old", "verdict", b"g")])
    store.close()
    done = subprocess.run([sys.executable, "-c", ABANDONED, str(place)])
    assert done.returncode == -9
    wal, shm = (place.with_name(place.name + ending) for ending in ("-wal", "-shm"))
    assert wal.stat().st_size
    if left == "-wal":
        shm.unlink()
    for path in locked_folder.iterdir():
        path.chmod(0o444)
    if left == "-wal that cannot be read":
        wal.chmod(0)
    if folder_too:
        locked_folder.chmod(0o555)
    before = place.read_bytes(), wal.stat().st_size
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        store = SQLiteStore(place)
        found = store.get([b"o" * 16, b"n" * 16])
        store.put([Entry(b"p" * 16, b"now", "verdict", b"g")])
        (kept,) = store.get([b"p" * 16])
        notes = list(store.notes)
        store.close()
    finally:
        if root:
            os.seteuid(0)
        locked_folder.chmod(0o755)
    assert kept == b"now", "for the run"
    if left == "-wal that cannot be read":  # without it the file may be half of an old and half of a new one
        assert found == [None, None]
        assert notes == [f"{place}: cannot be written, nor read as it is; entries are kept in memory for this run only"]
    else:
        assert found == [b"old", b"new"]
        assert notes == [f"{place}: can only be read; what is judged now is kept in memory for this run only"]
    assert (place.read_bytes(), wal.stat().st_size) == before


def test_eval_shows_what_is_wrong_with_the_cache(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps({"answer": SAMPLE.answer, "contexts": ["The tower is in Paris."]}))
    store = SQLiteStore(tmp_path / "cache.sqlite")
    store.put([Entry(b"k" * 16, b"{}", "verdict", b"g")])
    store.close()
    content = bytearray((tmp_path / "cache.sqlite").read_bytes())
    content[100:3000] = b"\x55" * 2900
    (tmp_path / "cache.sqlite").write_bytes(bytes(content))
    command = [sys.executable, "-m", "faithmeter", "eval", "in.jsonl", "-v", "lexical", "--cache", "cache.sqlite"]
    for more in ([], ["--json"]):
        (tmp_path / "cache.sqlite").write_bytes(bytes(content))
        done = subprocess.run([*command, *more], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "faithmeter: cache " in done.stderr
        assert "set aside as" in done.stderr


@pytest.mark.parametrize(
    "address",
    ["redis://[::1", "redis://localhost:port", "redis://localhost:99999999", "redis://localhost/0?nonsense=1",
     "redis://localhost/0?socket_timeout=soon", "redis://localhost/0?ttl=never", "redis://u:secret@local host:x/0"],
)  # fmt: skip
def test_a_bad_redis_address_is_one_line(address: str) -> None:
    with pytest.raises(UsageError) as raised:
        open_store(address)
    assert "\n" not in str(raised.value)
    assert "redis://" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_values_of_somebody_else_in_redis_are_named_and_left_alone(own_redis: Any) -> None:
    store = RedisStore(own_redis.url)
    store.put([Entry(b"ours" * 4, json.dumps(GOOD).encode(), "verdict", b"g")])
    client = store._redis
    for name, value in {
        b"a": b"text",
        b"b": b"",
        b"c": b"q 1 zz {}",
        b"d": b"v x 00 {}",
        b"e": b"\xff\xfe \x00",
    }.items():
        client.set(b"faithmeter:1:k:" + name * 16, value)
    client.hset(b"faithmeter:1:counters", b"exact", b"many")
    assert [kept.entry.key for kept in store.scan()] == [b"ours" * 4]
    assert store.size().entries == {"verdict": 1}
    assert store.get([b"a" * 16, b"ours" * 4])[1] == json.dumps(GOOD).encode()
    assert store.counters() == {}
    (line,) = store.check()
    assert "5 values that faithmeter did not write" in line
    done = CliRunner().invoke(main, ["cache", "verify", "--cache", own_redis.url])
    assert done.exit_code == 1
    assert "Traceback" not in done.output
    assert client.get(b"faithmeter:1:k:" + b"a" * 16) == b"text"
    store.close()
