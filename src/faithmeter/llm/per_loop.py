"""One thing for each event loop, closed with it."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, Generic, NamedTuple, TypeVar
from weakref import WeakKeyDictionary, WeakSet, finalize

T = TypeVar("T")


class _Kept(NamedTuple, Generic[T]):
    thing: T
    keeper: AsyncGenerator[T, None]
    held: finalize[..., PerLoop[T]]


class PerLoop(Generic[T]):
    """Makes a thing on first use in a loop, gives the same one after that, and closes it when the loop ends.

    Connections belong to the loop that opened them. Closing rides on an asynchronous generator that is never
    finished: `asyncio.run` finishes those before it closes its loop. A loop that never ends, such as that of
    a daemon thread, is seen to when the interpreter exits.

    Whoever drops this without closing it leaves the generator to its loop, which closes it. The generator is held from
    outside until then: in a cycle the garbage collector would finalize what it holds, open as it is. So neither
    `make` nor `close` may lead back to this, or to who holds it.
    """

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[None]]) -> None:
        self._make = make
        self._close = close
        self._kept: WeakKeyDictionary[asyncio.AbstractEventLoop, _Kept[T]] = WeakKeyDictionary()
        self._pid = os.getpid()

    async def get(self) -> T:
        """The running loop's own."""
        loop = asyncio.get_running_loop()
        kept = self._kept.get(loop)
        if kept is None:
            _close_at_exit(self)
            for ended in [other for other in self._kept if other.is_closed()]:
                self._kept.pop(ended).held.detach()
            keeper = _keeper(self._make, self._close)
            kept = self._kept[loop] = _Kept(await anext(keeper), keeper, finalize(self, _let_go, keeper))
            kept.held.atexit = False
        return kept.thing

    async def aclose(self) -> None:
        """Close the running loop's own, if there is one; the next `get` makes another."""
        kept = self._kept.pop(asyncio.get_running_loop(), None)
        if kept is not None:
            kept.held.detach()
            await kept.keeper.aclose()

    def close_elsewhere(self) -> None:
        """Close what belongs to loops that still run, in other threads of this process."""
        if self._pid != os.getpid():  # a forked child has the loops, but not the threads that run them
            return
        for loop in list(self._kept):
            if loop.is_running():
                with contextlib.suppress(Exception):  # the interpreter exits: there is nobody left to tell
                    asyncio.run_coroutine_threadsafe(self.aclose(), loop).result(2)


async def _keeper(make: Callable[[], T], close: Callable[[T], Awaitable[None]]) -> AsyncGenerator[T, None]:
    thing = make()
    try:
        yield thing
    finally:
        await close(thing)


def _let_go(keeper: AsyncGenerator[Any, None]) -> None:
    """Nothing: with the last reference gone, asyncio has the keeper's loop close it, from whatever thread."""


_all: WeakSet[PerLoop[Any]] = WeakSet()


def _close_at_exit(one: PerLoop[Any]) -> None:
    if not _all:
        atexit.unregister(_close_all)
        atexit.register(_close_all)
    _all.add(one)


def _close_all() -> None:
    for one in list(_all):
        one.close_elsewhere()
