"""Listens: uvicorn with a time limit on a request's head, JSON logs, and an end that finishes what is under way."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import signal
import socket
import sys
import time
from traceback import walk_tb
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from faithmeter.errors import UsageError
from faithmeter.serve.app import create_app
from faithmeter.serve.settings import Settings

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_PLAIN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "color_message", "taskName"}


class PatientProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, but a head that does not come in time ends the connection.

    h11 rather than httptools: it bounds the head's size, too.
    """

    head_seconds = 15.0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._head_timer is None:  # the next request on this connection has begun
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self.head_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self._head_timer = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.write(_TOO_SLOW)
            self.transport.close()


class DrainingServer(uvicorn.Server):
    """Says that it is draining before it stops; then it ends as any program does, not by the signal."""

    def __init__(self, config: uvicorn.Config, app: Any) -> None:
        super().__init__(config)
        self._app_state = app.state

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._app_state.service.draining = True
        self.force_exit = self.should_exit and sig == signal.SIGINT  # Ctrl-C twice: now
        self.should_exit = True


class JsonLines(logging.Formatter):
    """One JSON object a line; texts of users are never part of it unless asked for."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        said |= {key: value for key, value in record.__dict__.items() if key not in _PLAIN}
        if record.exc_info and record.exc_info[2] is not None:
            said["at"] = _where(record.exc_info)
        return json.dumps(said, ensure_ascii=False, default=str)


def _where(info: Any) -> str:
    """Where an error was raised: the last lines of the trace, without any values."""
    frames = [f"{frame.f_code.co_name}:{line}" for frame, line in walk_tb(info[2])]
    return f"{info[0].__name__} in {' > '.join(frames[-4:])}"


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name, level in (("faithmeter", logging.INFO), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False


def _bound(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    sock = socket.socket(family)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((settings.host.strip("[]"), settings.port))
    except OSError as error:
        sock.close()
        raise UsageError(f"cannot listen on {settings.host}:{settings.port}: {error.strerror}") from None
    return sock


def _collect_less_garbage() -> None:
    """Leave modules and schemas out of the search for garbage, and search less often: a third of a ms a request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def serve(settings: Settings, *, started: Any = None) -> None:
    """Serve until SIGTERM or Ctrl-C; what is under way by then is finished."""
    app = create_app(settings)
    _log_to_stderr()
    protocol = type("Protocol", (PatientProtocol,), {"head_seconds": settings.limits.body_seconds})
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=settings.connections,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=max(1, int(settings.drain_seconds)),
        backlog=2048,
    )
    sock = _bound(settings)
    server = DrainingServer(config, app)
    _collect_less_garbage()
    if started:
        started(sock.getsockname())
    server.run(sockets=[sock])
