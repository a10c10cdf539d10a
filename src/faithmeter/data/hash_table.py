"""A table of 64-bit numbers by 64-bit hash that takes some 30 bytes an entry: a run's memory stays small."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import blake2b

_FREE = 2**64 - 1  # marks a free slot among the values: no line number or file offset gets that far


def fingerprint(text: str) -> int:
    """64 bits of a text: among ten million texts, the chance that any two share theirs is 1 in 370,000."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


class Table:
    """Hash → number, in two flat arrays with open addressing; a dict of ints takes four times as much."""

    def __init__(self) -> None:
        self._count = 0
        self._resize(1024)

    def __len__(self) -> int:
        return self._count

    def get(self, key: int) -> int | None:
        """The number stored for a hash."""
        value = self._values[self._slot(key)]
        return None if value == _FREE else value

    def put(self, key: int, value: int) -> None:
        """Store a number for a hash, in place of the one before."""
        slot = self._slot(key)
        if self._values[slot] == _FREE:
            self._count += 1
        self._keys[slot], self._values[slot] = key, value
        if self._count * 3 > len(self._keys) * 2:
            self._resize(len(self._keys) * 2)

    def items(self) -> Iterator[tuple[int, int]]:
        """All entries, in no order."""
        return ((key, value) for key, value in zip(self._keys, self._values, strict=True) if value != _FREE)

    def _slot(self, key: int) -> int:
        """Where the key is, or would be."""
        mask = len(self._keys) - 1
        slot = key & mask
        while self._values[slot] != _FREE and self._keys[slot] != key:
            slot = (slot + 1) & mask
        return slot

    def _resize(self, size: int) -> None:
        entries = list(self.items()) if self._count else []
        self._keys = array("Q", bytes(8 * size))
        self._values = array("Q", b"\xff" * (8 * size))
        for key, value in entries:
            slot = self._slot(key)
            self._keys[slot], self._values[slot] = key, value
