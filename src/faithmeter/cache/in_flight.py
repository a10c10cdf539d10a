"""Work under way: whoever asks for the same thing at the same time waits for the one who asked first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

K = TypeVar("K")
W = TypeVar("W")
R = TypeVar("R")


class InFlight(Generic[K, W, R]):
    """Shares results of work that is under way in one event loop; work that breaks is redone by those who waited."""

    def __init__(self) -> None:
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[K, asyncio.Future[R | None]]]
        self._loops = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type[InFlight[K, W, R]], tuple[()]]:
        return type(self), ()  # what is under way stays in its process

    async def share(
        self, wanted: Mapping[K, W], work: Callable[[Mapping[K, W]], Awaitable[Mapping[K, R]]]
    ) -> tuple[dict[K, R], set[K]]:
        """The result for each key, and the keys whose work was done here rather than waited for."""
        flights = self._loops.setdefault(asyncio.get_running_loop(), {})
        results: dict[K, R] = {}
        done_here: set[K] = set()
        while missing := {key: item for key, item in wanted.items() if key not in results}:
            waiting = {key: flights[key] for key in missing if key in flights}
            mine = {key: item for key, item in missing.items() if key not in waiting}
            if mine:
                results.update(await _fly(flights, mine, work))
                done_here.update(mine)
            if waiting:
                await asyncio.wait(waiting.values())
                finished = {key: future.result() for key, future in waiting.items()}
                results.update({key: result for key, result in finished.items() if result is not None})
        return results, done_here


async def _fly(
    flights: dict[K, asyncio.Future[R | None]],
    mine: Mapping[K, W],
    work: Callable[[Mapping[K, W]], Awaitable[Mapping[K, R]]],
) -> Mapping[K, R]:
    loop = asyncio.get_running_loop()
    flights.update((key, loop.create_future()) for key in mine)
    results: Mapping[K, R] = {}
    try:
        results = await work(mine)
        return results
    finally:
        for key in mine:  # None, when the work broke or was cancelled, sends those who wait to do it themselves
            flights.pop(key).set_result(results.get(key))
