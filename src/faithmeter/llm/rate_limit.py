"""How many requests go out at once, and how fast."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_SLOWER = 0.7  # the share of the concurrency that is kept after a 429
_CALM = 1.0  # seconds in which further 429s count as the same one: they were under way already


class Pace:
    """So many units a minute, a second's worth of them at once (the generic cell rate algorithm)."""

    def __init__(self, per_minute: float | None) -> None:
        self._interval = 60 / per_minute if per_minute else 0.0
        self._due = 0.0

    def delay(self, units: float, now: float) -> float:
        """Take the units, and say how long to wait before using them."""
        self._due = max(self._due, now) + units * self._interval
        return max(0.0, self._due - now - max(1.0, self._interval)) if self._interval else 0.0

    def give_back(self, units: float) -> None:
        """Correct an estimate; negative units are taken on top."""
        self._due -= units * self._interval


class Gate:
    """Lets a limited number of requests through; fewer after a 429, and again more as answers come in."""

    def __init__(
        self,
        concurrency: int,
        *,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
    ) -> None:
        self._most = concurrency
        self._limit = float(concurrency)
        self._active = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._closed_until = 0.0
        self._slowed_at = 0.0
        self._requests = Pace(requests_per_minute)
        self._tokens = Pace(tokens_per_minute)

    @property
    def limit(self) -> int:
        """How many requests may be under way now."""
        return max(1, int(self._limit))

    @asynccontextmanager
    async def slot(self, tokens: float) -> AsyncIterator[None]:
        """Wait for a free slot, and for the pace."""
        await self._enter()
        try:
            now = time.monotonic()
            wait = max(self._requests.delay(1, now), self._tokens.delay(tokens, now), self._closed_until - now)
            while wait > 0:
                await asyncio.sleep(wait)
                wait = self._closed_until - time.monotonic()  # another request may have got a 429 meanwhile
            yield
        finally:
            self._active -= 1
            self._wake()

    def succeeded(self, estimated: float, used: float) -> None:
        """A request was answered: go a little faster, up to the limit that was set."""
        self._limit = min(float(self._most), self._limit + 1 / self._limit)
        self._tokens.give_back(estimated - used)
        self._wake()

    def throttled(self, seconds: float) -> None:
        """The endpoint asks for a slower pace: nobody goes for so long, and then fewer at once."""
        now = time.monotonic()
        self._closed_until = max(self._closed_until, now + seconds)
        if now - self._slowed_at > _CALM:
            self._slowed_at = now
            self._limit = max(1.0, self._limit * _SLOWER)

    async def _enter(self) -> None:
        if self._active < self.limit and not self._waiting:
            self._active += 1
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            await waiter  # whoever wakes us has counted us in
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self._active -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        while self._waiting and self._active < self.limit:
            waiter = self._waiting.popleft()
            if not waiter.done():
                self._active += 1
                waiter.set_result(None)
