"""A real server in a thread, and verifiers that are slow or broken on purpose."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn

from faithmeter.datamodels import Label, Origin, Outcome, Pair, Verdict
from faithmeter.errors import EndpointDown
from faithmeter.serve.app import create_app
from faithmeter.serve.run import PatientProtocol
from faithmeter.serve.settings import Settings

SEINE = {"answer": "Paris lies on the Seine.", "contexts": ["Paris lies on the Seine, in the north of France."]}


class Served:
    """A server that is running: its address, and a client for it."""

    def __init__(self, port: int, app: Any) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.port = port
        self.app = app
        self.http = httpx.Client(base_url=self.url, timeout=30, trust_env=False)

    def post(self, path: str, body: Any, **options: Any) -> httpx.Response:
        return self.http.post(path, json=body, **options)


@contextmanager
def serving(**settings: Any) -> Iterator[Served]:
    """Serve in a thread, on a port of its own."""
    chosen = Settings(**{"verifiers": ("lexical",), **settings})
    protocol = type("Protocol", (PatientProtocol,), {"head_seconds": chosen.limits.body_seconds})
    with running(create_app(chosen), http=protocol) as served:
        yield served


@contextmanager
def running(app: Any, **options: Any) -> Iterator[Served]:
    """Any app, in a thread, on a port of its own."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, ws="none", log_config=None, access_log=False, **{"http": "h11", **options})
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
        thread.start()
        served = Served(sock.getsockname()[1], app)
        deadline = time.monotonic() + 60
        while not server.started:
            assert thread.is_alive()
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.01)
        try:
            yield served
        finally:
            served.http.close()
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive()


class Slow:
    """Takes its time for each claim, in threads or, if it is an endpoint's, waiting."""

    def __init__(self, seconds: float, *, cpu_bound: bool) -> None:
        self.seconds = seconds
        self.cpu_bound = cpu_bound

    signature = "slow.1"

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        if self.cpu_bound:
            time.sleep(self.seconds * len(pairs))  # noqa: ASYNC251  # what it is for
        else:
            await asyncio.sleep(self.seconds)
        origin = Origin(verifier="slow")
        return [Verdict(claim=pair.claim, label=Label.SUPPORTED, support=1.0, origin=origin) for pair in pairs]


class Dead:
    """An endpoint that is down."""

    signature = "dead.1"

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        raise EndpointDown("the endpoint does not answer")


class Broken:
    """A verifier with a bug, whose message holds what should not be shown."""

    signature = "broken.1"
    cpu_bound = True

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        raise RuntimeError("broken on purpose")


def slow() -> Slow:
    return Slow(0.3, cpu_bound=True)


def waits() -> Slow:
    return Slow(5, cpu_bound=False)


def dead() -> Dead:
    return Dead()


def broken() -> Broken:
    return Broken()
