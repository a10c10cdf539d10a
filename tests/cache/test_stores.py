"""What every store promises: SQLite, SQLite in memory and Redis run the same tests."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from faithmeter.cache.store import Entry, Store


def entry(number: int, value: bytes = b"{}", group: bytes = b"") -> Entry:
    return Entry(number.to_bytes(16, "big"), value, "verdict", group)


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def test_gets_what_was_put_in_the_order_asked(store: Store) -> None:
    store.put([entry(1, b"one"), entry(2, b"two")])
    assert store.get([key(2), key(3), key(1), key(2)]) == [b"two", None, b"one", b"two"]


def test_an_empty_question_has_an_empty_answer(store: Store) -> None:
    assert store.get([]) == []
    store.put([])
    assert store.members(b"nobody") == []
    assert store.size().entries == {}
    assert not store.notes


def test_the_last_value_of_a_key_holds(store: Store) -> None:
    store.put([entry(1, b"old")])
    store.put([entry(1, b"new")])
    assert store.get([key(1)]) == [b"new"]
    assert store.size().entries == {"verdict": 1}


def test_big_batches(store: Store) -> None:
    store.put([entry(number, b"%d" % number) for number in range(3000)])
    assert store.get([key(number) for number in range(3001)]) == [*(b"%d" % n for n in range(3000)), None]


def test_members_are_those_of_the_group_only(store: Store) -> None:
    store.put([entry(1, b"a", b"group"), entry(2, b"b", b"other"), entry(3, b"c", b"group"), entry(4, b"d")])
    assert sorted(store.members(b"group")) == [b"a", b"c"]
    assert store.members(b"") == []


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.binary(max_size=3000), group=st.binary(min_size=1, max_size=16))
def test_any_bytes_come_back_as_they_were(store: Store, value: bytes, group: bytes) -> None:
    store.put([Entry(key(9), value, "vector"), Entry(group, value, "verdict", group)])
    assert store.get([key(9), group]) == [value, value]
    assert value in store.members(group)


def test_counters_add_up_over_all_who_count(new_store: Callable[[], Store]) -> None:
    first, second = new_store(), new_store()
    first.count({"exact": 2, "saved_cost": 0.25})
    second.count({"exact": 3})
    first.close()
    second.close()
    assert new_store().counters() == {"exact": 5.0, "saved_cost": 0.25}


def test_remembers_the_latest_thousand_semantic_hits(store: Store) -> None:
    store.log([b"%d" % number for number in range(1200)])
    logged = store.logged()
    assert len(logged) == 1000
    assert logged[0] == b"1199"


def test_entries_outlive_the_one_who_wrote_them(new_store: Callable[[], Store]) -> None:
    first = new_store()
    first.put([entry(1, b"kept")])
    first.close()
    assert new_store().get([key(1)]) == [b"kept"]
    assert first.get([key(1)]) == [b"kept"]  # a closed store opens again when it is needed


def test_scan_gives_every_entry_once(store: Store) -> None:
    store.put([entry(number, b"%d" % number, b"g") for number in range(2500)])
    found = {kept.entry.key: kept for kept in store.scan()}
    assert len(found) == 2500
    assert found[key(7)].entry == entry(7, b"7", b"g")
    assert found[key(7)].created <= found[key(7)].used + 1


def test_prune_empties_or_keeps_the_young(store: Store) -> None:
    store.put([entry(number, b"x" * 100) for number in range(10)])
    assert store.prune(unused_for=3600) == 0
    assert store.prune() == 10
    assert store.get([key(1)]) == [None]


def test_check_finds_nothing_wrong(store: Store) -> None:
    store.put([entry(1)])
    assert store.check() == []


def test_a_pickled_store_is_the_same_store(new_store: Callable[[], Store], request: pytest.FixtureRequest) -> None:
    store = new_store()
    store.put([entry(1, b"here")])
    again: Store = pickle.loads(pickle.dumps(store))
    expected = None if "memory" in request.node.name else b"here"
    assert again.get([key(1)]) == [expected]
    again.close()


def test_many_threads_at_once(store: Store) -> None:
    wrong: list[object] = []

    def work(thread: int) -> None:
        try:
            for turn in range(30):
                number = thread * 1000 + turn
                store.put([entry(number, b"%d" % number)])
                if store.get([key(number)]) != [b"%d" % number]:
                    wrong.append(number)
        except Exception as error:  # an exception in a thread would be lost
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert store.size().entries == {"verdict": 240}
    assert not store.notes
