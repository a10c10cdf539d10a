"""Reads ahead on a thread, a bounded number of rows: a slow or blocking source never holds up what is in flight."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")

AHEAD = 256  # rows; enough to keep every core busy while the loop does something else


class ReadAhead(Generic[T]):
    """The same rows, read on a thread; an async iterator reads itself."""

    def __init__(self, rows: Iterator[T] | AsyncIterator[T]) -> None:
        self._rows = rows
        self._reader: _Reader[T] | None = None
        self._stopped = False

    async def __aiter__(self) -> AsyncIterator[T]:
        if isinstance(self._rows, AsyncIterator):
            async for row in self._rows:
                if self._stopped:
                    break
                yield row
            return
        self._reader = reader = _Reader(self._rows, asyncio.get_running_loop())
        try:
            while not self._stopped and (batch := await reader.take()):
                for row in batch:
                    if self._stopped:
                        break
                    yield row
            if reader.error and not self._stopped:
                raise reader.error
        finally:
            reader.stop()

    def stop(self) -> None:
        """Give no more rows, not even one that is being waited for."""
        self._stopped = True
        if self._reader:
            self._reader.stop()


class _Reader(Generic[T]):
    """The thread, and what it has read."""

    def __init__(self, rows: Iterator[T], loop: asyncio.AbstractEventLoop) -> None:
        self.error: BaseException | None = None
        self._rows = rows
        self._loop = loop
        self._read: deque[T] = deque()
        self._room = threading.Semaphore(AHEAD)
        self._news = asyncio.Event()
        self._waiting = False
        self._ended = False
        self._stopped = False
        threading.Thread(target=self._run, name="faithmeter-reader", daemon=True).start()

    async def take(self) -> list[T]:
        """What has been read since, waiting for at least one row; empty at the end."""
        while not (self._read or self._ended or self._stopped):
            self._news.clear()
            self._waiting = True
            if not (self._read or self._ended):  # neither came before the flag was up
                await self._news.wait()
        batch = [self._read.popleft() for _ in range(len(self._read))]
        self._room.release(max(1, len(batch)))
        return batch

    def stop(self) -> None:
        """Ask the thread to end after the row it is reading, and wake up whoever waits for it."""
        self._stopped = True
        self._room.release()
        self._news.set()

    def _run(self) -> None:
        try:
            for row in self._rows:
                self._room.acquire()
                if self._stopped:
                    break
                self._read.append(row)
                self._tell()
        except BaseException as error:  # raised where the rows are awaited
            self.error = error
        finally:
            if hasattr(self._rows, "close"):
                self._rows.close()  # its open files
            self._ended = True
            self._tell()

    def _tell(self) -> None:
        if self._waiting:
            self._waiting = False
            with suppress(RuntimeError):  # the loop has gone
                self._loop.call_soon_threadsafe(self._news.set)
