"""One thing for each event loop, closed with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Makes a thing on first use in a loop, gives the same one after that, and closes it when the loop ends.

    Connections belong to the loop that opened them. Closing rides on an asynchronous generator that is never
    finished: `asyncio.run` finishes those before it closes its loop, and so does the interpreter when nobody
    holds the generator any more.
    """

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[None]]) -> None:
        self._make = make
        self._close = close
        self._kept: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[AsyncGenerator[T, None], T]] = (
            WeakKeyDictionary()
        )

    async def get(self) -> T:
        """The running loop's own."""
        loop = asyncio.get_running_loop()
        kept = self._kept.get(loop)
        if kept is None:
            keeper = _keeper(self._make, self._close)
            kept = self._kept[loop] = (keeper, await anext(keeper))
        return kept[1]

    async def aclose(self) -> None:
        """Close the running loop's own, if there is one; the next `get` makes another."""
        kept = self._kept.pop(asyncio.get_running_loop(), None)
        if kept is not None:
            await kept[0].aclose()


async def _keeper(make: Callable[[], T], close: Callable[[T], Awaitable[None]]) -> AsyncGenerator[T, None]:
    thing = make()
    try:
        yield thing
    finally:
        await close(thing)
