"""Real stores for the cache's tests: a SQLite file, and a redis-server of the tests' own."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from faithmeter.cache.redis import RedisStore
from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.cache.store import Store


class RedisServer:
    """A redis-server on a free loopback port, which can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("redis-server")
        if program is None:
            pytest.skip("no redis-server: apt-get install redis-server")
        self._program = program
        self._folder = folder
        # Bound and never listening, it keeps the port for the server, which may be away for a while.
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind(("127.0.0.1", 0))
        self.port = self._held.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        settings = f"--port {self.port} --bind 127.0.0.1 --dir {self._folder} --save 900 1 --appendonly no"
        with (self._folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen([self._program, *settings.split()], stdout=log, stderr=log)
        for _ in range(6000):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise AssertionError((self._folder / "redis.log").read_text())

    def stop(self) -> None:
        if self._process:
            self._process.terminate()  # as an operator would: the data is saved first
            self._process.wait(timeout=120)
            self._process = None

    def close(self) -> None:
        self.stop()
        self._held.close()


@pytest.fixture(autouse=True)
def _patient_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine's server is slow, and not away."""
    monkeypatch.setattr("faithmeter.cache.redis.TIMEOUT", 120.0)


@pytest.fixture(scope="session")
def redis_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.close()


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A server that a test may stop."""
    server = RedisServer(tmp_path)
    server.start()
    yield server
    server.close()


@pytest.fixture(params=["sqlite", "memory", "redis"])
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens the same empty store again and again; a store in memory is opened once."""
    opened: list[Store] = []
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_session")
        first = RedisStore(server.url)
        first._redis.flushdb()

        def make() -> Store:
            return RedisStore(server.url)
    elif request.param == "sqlite":

        def make() -> Store:
            return SQLiteStore(tmp_path / "cache.sqlite")
    else:
        only = SQLiteStore(":memory:")

        def make() -> Store:
            return only

    def tracked() -> Store:
        opened.append(make())
        return opened[-1]

    yield tracked
    for store in opened:
        store.close()


@pytest.fixture
def store(new_store: Callable[[], Store]) -> Store:
    return new_store()
