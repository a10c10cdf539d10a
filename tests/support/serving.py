"""A real server in a thread, and verifiers that wait or are broken on purpose."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn

from faithmeter.datamodels import Label, Origin, Outcome, Pair, Verdict
from faithmeter.errors import EndpointDown
from faithmeter.serve.app import create_app
from faithmeter.serve.run import PatientProtocol
from faithmeter.serve.settings import Limits, Settings

SEINE = {"answer": "Paris lies on the Seine.", "contexts": ["Paris lies on the Seine, in the north of France."]}


class Served:
    """A server that is running: its address, and a client for it."""

    def __init__(self, port: int, app: Any) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.port = port
        self.app = app
        self.http = httpx.Client(base_url=self.url, timeout=120, trust_env=False)

    def post(self, path: str, body: Any, **options: Any) -> httpx.Response:
        return self.http.post(path, json=body, **options)


@contextmanager
def serving(**settings: Any) -> Iterator[Served]:
    """Serve in a thread, on a port of its own."""
    limits = settings.pop("limits", Limits())
    given = limits.model_dump(include=limits.model_fields_set)  # else nothing ends because the machine is busy
    settings["limits"] = Limits(**{"seconds": 600, "body_seconds": 600, **given})
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
        until(lambda: server.started or not thread.is_alive())
        assert thread.is_alive(), "the server did not start"
        try:
            yield served
        finally:
            served.http.close()
            server.should_exit = True
            thread.join(120)
            assert not thread.is_alive()


HELD = {"answer": "Paris is held.", "contexts": ["Paris lies on the Seine, in the north of France."]}


class Gate:
    """A door that tests open: claims with the word "held" wait at it, in threads or, if asked of an endpoint, waiting.

    A file in the environment's FAITHMETER_TEST_GATE opens it from another process.
    """

    signature = "gate.1"
    opened = threading.Event()

    def __init__(self, *, cpu_bound: bool) -> None:
        self.cpu_bound = cpu_bound

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        if any("held" in pair.claim.text for pair in pairs):
            while not self._is_open():
                if self.cpu_bound:
                    self.opened.wait(0.01)
                else:
                    await asyncio.sleep(0.01)
        origin = Origin(verifier="gate")
        return [Verdict(claim=pair.claim, label=Label.SUPPORTED, support=1.0, origin=origin) for pair in pairs]

    def _is_open(self) -> bool:
        return self.opened.is_set() or os.path.exists(os.environ.get("FAITHMETER_TEST_GATE", ""))


@contextmanager
def closed_gate() -> Iterator[threading.Event]:
    """The door closed; set the event to open it. It is opened afterwards, so that no thread waits for ever."""
    Gate.opened.clear()
    try:
        yield Gate.opened
    finally:
        Gate.opened.set()


def until(holds: Callable[[], object], *, seconds: float = 120.0) -> None:
    """Wait until something holds, for as long as a busy machine may take."""
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.01)


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


def gate() -> Gate:
    return Gate(cpu_bound=True)


def far_gate() -> Gate:
    return Gate(cpu_bound=False)


def dead() -> Dead:
    return Dead()


def broken() -> Broken:
    return Broken()
