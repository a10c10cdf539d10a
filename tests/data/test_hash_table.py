from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from faithmeter.data.hash_table import Table, fingerprint

keys = st.integers(0, 2**64 - 1) | st.integers(0, 40)


@given(st.lists(st.tuples(keys, st.integers(0, 2**64 - 2)), max_size=3000), keys)
def test_a_table_is_a_dict(entries: list[tuple[int, int]], other: int) -> None:
    table, plain = Table(), dict(entries)
    for key, value in entries:
        table.put(key, value)
    assert dict(table.items()) == plain
    assert len(table) == len(plain)
    assert table.get(other) == plain.get(other)


def test_an_entry_takes_few_bytes() -> None:
    table = Table()
    for number in range(100_000):
        table.put(fingerprint(str(number)), number)
    assert len(table) == 100_000
    assert sys.getsizeof(table._keys) + sys.getsizeof(table._values) < 48 * len(table)
    assert all(table.get(fingerprint(str(number))) == number for number in range(0, 100_000, 997))
