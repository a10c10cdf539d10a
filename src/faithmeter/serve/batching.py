"""Judges claims of many requests together: dynamic batching for verifiers that keep a core busy.

While the lanes are busy, the claims of all requests queue up; a lane that becomes free takes the next few, streamed
sentences first. Nothing waits for a batch to fill.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from faithmeter.datamodels import Failure, Outcome, Pair
from faithmeter.errors import FaithmeterError, StopRun
from faithmeter.runtime.boundary import checked, verified
from faithmeter.runtime.delegating import Delegating
from faithmeter.verify import Verifier

CLAIMS_A_BATCH = 8
"""Claims that a lane takes at a time: about 50 ms of the embedded model."""
SMALL = 10_000
"""Characters of claims and contexts that a verifier as quick as a look-up may read without leaving the event loop."""
urgent: ContextVar[bool] = ContextVar("faithmeter_urgent", default=False)
"""Whether a reader is waiting for this very sentence."""


@dataclass(eq=False)
class _Chunk:
    pairs: Sequence[Pair]
    future: asyncio.Future[list[Outcome]]


class Batched(Delegating[Verifier]):
    """A verifier whose claims are judged in lanes that all requests share; `seconds` after being asked it gives up."""

    def __init__(self, verifier: Verifier, *, seconds: float, observe: Callable[[int], None] | None = None) -> None:
        super().__init__(verifier)
        self._seconds = seconds
        self._observe = observe
        self._count: int = getattr(verifier, "threads", 1)
        if hasattr(verifier, "threads"):
            verifier.threads = 1  # a lane is a thread
        self._waiting: deque[_Chunk] = deque()
        self._urgent: deque[_Chunk] = deque()
        self._asked = asyncio.Event()
        self._idle = 0
        self._lanes: list[asyncio.Task[None]] = []

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """Wait for the lanes; what they have not judged in time is a Failure."""
        if getattr(self.inner, "cheap", False) and _is_small(pairs):
            return await contained(self.inner.verify, pairs)  # quicker than going to a thread and back
        if not self._lanes:
            self._lanes = [asyncio.create_task(self._lane()) for _ in range(self._count)]
        idle = self._idle if not self._waiting else 1
        size = min(CLAIMS_A_BATCH, math.ceil(len(pairs) / max(1, idle)))  # several lanes for a request if free
        loop = asyncio.get_running_loop()
        chunks = [_Chunk(pairs[at : at + size], loop.create_future()) for at in range(0, len(pairs), size)]
        (self._urgent if urgent.get() else self._waiting).extend(chunks)
        self._asked.set()
        try:
            await asyncio.wait([chunk.future for chunk in chunks], timeout=self._seconds)
            return [outcome for chunk in chunks for outcome in self._outcomes(chunk)]
        finally:
            for chunk in chunks:
                chunk.future.cancel()  # a lane skips it

    def _outcomes(self, chunk: _Chunk) -> list[Outcome]:
        if chunk.future.done() and not chunk.future.cancelled():
            return chunk.future.result()
        return _timeouts(chunk.pairs, self._seconds)

    async def _lane(self) -> None:
        """Take and judge, in a thread with an event loop of its own: some verifiers never let go of theirs."""
        loop = asyncio.get_running_loop()
        runner = asyncio.Runner()
        thread = ThreadPoolExecutor(1, thread_name_prefix="faithmeter-lane")
        try:
            while True:
                batch = await self._take()
                pairs = [pair for chunk in batch for pair in chunk.pairs]
                if self._observe:
                    self._observe(len(pairs))
                judging = contained(self.inner.verify, pairs)
                outcomes = await loop.run_in_executor(thread, runner.run, judging)
                at = 0
                for chunk in batch:
                    if not chunk.future.done():
                        chunk.future.set_result(outcomes[at : at + len(chunk.pairs)])
                    at += len(chunk.pairs)
        finally:
            thread.submit(runner.close)
            thread.shutdown(wait=False)

    async def _take(self) -> list[_Chunk]:
        """The next chunks: at least one, and no more claims than a lane takes at a time."""
        while True:
            batch: list[_Chunk] = []
            count = 0
            for queue in (self._urgent, self._waiting):
                while queue and (not batch or count + len(queue[0].pairs) <= CLAIMS_A_BATCH):
                    chunk = queue.popleft()
                    if not chunk.future.done():
                        batch.append(chunk)
                        count += len(chunk.pairs)
            if batch:
                return batch
            self._asked.clear()
            self._idle += 1
            try:
                await self._asked.wait()
            finally:
                self._idle -= 1

    async def aclose(self) -> None:
        """Stop the lanes."""
        for lane in self._lanes:
            lane.cancel()
        await asyncio.gather(*self._lanes, return_exceptions=True)
        if closing := getattr(self.inner, "aclose", None):
            await closing()


class Contained(Delegating[Verifier]):
    """A verifier that never raises and never takes too long: whatever goes wrong is a Failure of its claims."""

    def __init__(self, verifier: Verifier, *, seconds: float) -> None:
        super().__init__(verifier)
        self._seconds = seconds

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """The verifier's outcomes, or Failures that say what went wrong."""
        try:
            async with asyncio.timeout(self._seconds + 1):  # a batched verifier keeps what it has, a little earlier
                return await contained(self.inner.verify, pairs)
        except TimeoutError:
            return _timeouts(pairs, self._seconds)


def _timeouts(pairs: Sequence[Pair], seconds: float) -> list[Outcome]:
    return [Failure(claim=pair.claim, kind="timeout", message=f"not judged within {seconds:g} s") for pair in pairs]


async def contained(verify: Callable[[Sequence[Pair]], Any], pairs: Sequence[Pair]) -> list[Outcome]:
    """One outcome for each pair: a dead endpoint and a spent budget are Failures here, as there is no run to stop."""
    try:
        return await verified(verify, pairs)
    except StopRun as stop:
        known = checked(stop.outcomes, [pair.claim for pair in pairs]) if stop.outcomes else []
        return known or [Failure(claim=pair.claim, kind=stop.kind, message=str(stop)) for pair in pairs]
    except FaithmeterError as error:
        return [Failure(claim=pair.claim, kind="error", message=str(error)) for pair in pairs]


def _is_small(pairs: Sequence[Pair]) -> bool:
    samples = {id(pair.sample): pair.sample for pair in pairs}.values()
    texts = sum(len(context.text) for sample in samples for context in sample.contexts)
    return texts + sum(len(pair.claim.text) for pair in pairs) < SMALL


def batched(verifier: Verifier, wrap: Callable[[Verifier], Verifier]) -> Verifier:
    """The verifier with each inner one that keeps a core busy wrapped; one that waits for others stays as it is."""
    if around := getattr(verifier, "around", None):
        layered: Verifier = around(lambda inner: batched(inner, wrap))
        return layered
    return wrap(verifier) if getattr(verifier, "cpu_bound", False) else verifier
