"""Sync versions of async functions, one line each, that also work inside a running event loop (notebooks)."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loops: list[asyncio.AbstractEventLoop] = []
_pid = 0
_depth: ContextVar[int] = ContextVar("faithmeter_sync_depth", default=0)
"""How many sync calls the running code is inside of: `check()` in a verifier of a `check()` has 1."""


def _background_loop(depth: int) -> asyncio.AbstractEventLoop:
    """The loop, on a daemon thread, that all sync calls of this process at this depth share.

    One loop rather than one per call: a client's open connections belong to a loop, and are reused with it. A loop
    for each depth, since a sync call inside a verifier keeps the loop that runs the verifier waiting.
    """
    global _pid
    with _lock:
        if _pid != os.getpid():  # a forked child inherits the loops but not their threads
            _loops.clear()
            _pid = os.getpid()
        while len(_loops) <= depth:
            _loops.append(asyncio.new_event_loop())
            threading.Thread(target=_loops[-1].run_forever, name="faithmeter", daemon=True).start()
        return _loops[depth]


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Wait for a coroutine from sync code; Ctrl-C cancels it."""
    depth = _depth.get()
    future = asyncio.run_coroutine_threadsafe(_contained(coroutine, depth + 1), _background_loop(depth))
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


async def _contained(coroutine: Coroutine[Any, Any, T], depth: int) -> T | _Exit:
    """A SystemExit inside the loop's thread would end the loop, and whoever waits would wait forever."""
    _depth.set(depth)
    try:
        return await coroutine
    except (SystemExit, KeyboardInterrupt) as error:
        return _Exit(error)
