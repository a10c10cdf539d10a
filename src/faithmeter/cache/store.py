"""What a cache keeps its entries in: `Store` says what SQLite and Redis both do."""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeVar
from weakref import WeakSet

A = TypeVar("A")
R = TypeVar("R")

Kind = Literal["verdict", "extraction", "vector", "signature"]


class Entry(NamedTuple):
    """A value under its key."""

    key: bytes
    value: bytes
    kind: Kind
    group: bytes = b""
    """Verdicts of the same verifier on the same contexts share a group: where semantic hits are looked for."""


class Kept(NamedTuple):
    """An entry as it is in the store."""

    entry: Entry
    created: float
    """When it was written, in seconds since 1970."""
    used: float
    """When it was last needed, to the hour; the same as `created` where the store does not say."""


class Size(NamedTuple):
    """How much a store holds."""

    entries: dict[str, int]
    """How many entries of each kind."""
    bytes: int
    """What they take, on disk or in memory."""


class Store(Protocol):
    """A key-value store that never makes a run fail: what goes wrong is in `notes`, and counts as a miss."""

    quick: bool
    """Whether reads take microseconds, and so may be made on the event loop."""
    location: str
    """Where it is, fit to show: no passwords."""

    @property
    def notes(self) -> Sequence[str]:
        """What went wrong, one line each."""
        ...

    def get(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """The values, in order; None where there is none."""
        ...

    def put(self, entries: Sequence[Entry]) -> None:
        """Write all entries, replacing those of the same key; they are safe when this returns."""
        ...

    def members(self, group: bytes) -> list[bytes]:
        """The values of a group's verdicts, oldest first."""
        ...

    def count(self, tally: Mapping[str, float]) -> None:
        """Add to the running counters; written with the next `put`, or soon."""
        ...

    def counters(self) -> dict[str, float]:
        """The running counters."""
        ...

    def log(self, hits: Sequence[bytes]) -> None:
        """Remember semantic hits, so that a sample of them can be judged again; the latest are kept."""
        ...

    def logged(self) -> list[bytes]:
        """The semantic hits that are remembered, latest first."""
        ...

    def size(self) -> Size:
        """How much there is; takes as long as counting does."""
        ...

    def scan(self) -> Iterator[Kept]:
        """Every entry, in no particular order."""
        ...

    def prune(self, *, unused_for: float | None = None, max_bytes: int | None = None) -> int:
        """Delete entries unused for so many seconds, then the least recently used above a size; all if neither."""
        ...

    def check(self) -> list[str]:
        """What is wrong with the stored data; empty if nothing is."""
        ...

    def close(self) -> None:
        """Write what is pending and close the files or connections."""
        ...


_open: WeakSet[Store] = WeakSet()


def close_at_exit(store: Store) -> None:
    """Have a store that nobody closes write what is pending when the process ends."""
    _open.add(store)


@atexit.register
def _close_all() -> None:
    for store in list(_open):
        store.close()


async def reading(store: Store, read: Callable[[A], R], argument: A) -> R:
    """Read from a store without holding up the event loop."""
    # A quick read is over before a thread would have begun: 20 to 50 against about 100 microseconds.
    return read(argument) if store.quick else await asyncio.to_thread(read, argument)
