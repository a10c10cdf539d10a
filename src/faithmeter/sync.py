"""Sync faces of async functions, one line each, that also work inside a running event loop (notebooks)."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_pid = 0


def _background_loop() -> asyncio.AbstractEventLoop:
    """The one loop, on a daemon thread, that all sync calls of this process share.

    One loop rather than one per call: a client's open connections belong to a loop, and are reused with it.
    """
    global _loop, _pid
    with _lock:
        if _loop is None or _pid != os.getpid():  # a forked child inherits the loop but not its thread
            _loop, _pid = asyncio.new_event_loop(), os.getpid()
            threading.Thread(target=_loop.run_forever, name="faithmeter", daemon=True).start()
        return _loop


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Wait for a coroutine from sync code; Ctrl-C cancels it."""
    future = asyncio.run_coroutine_threadsafe(_contained(coroutine), _background_loop())
    try:
        outcome = future.result()
    except BaseException:
        future.cancel()
        raise
    if isinstance(outcome, _Exit):
        raise outcome.error
    return outcome


class _Exit(NamedTuple):
    error: BaseException


async def _contained(coroutine: Coroutine[Any, Any, T]) -> T | _Exit:
    """A SystemExit inside the loop's thread would end the loop, and whoever waits would wait for ever."""
    try:
        return await coroutine
    except (SystemExit, KeyboardInterrupt) as error:
        return _Exit(error)
