"""Redis: a server that goes away and comes back, time to live, and no password in sight."""

from __future__ import annotations

import pytest

from faithmeter.cache import redis as module
from faithmeter.cache.redis import RedisStore
from faithmeter.cache.store import Entry
from faithmeter.errors import UsageError

from .conftest import RedisServer


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def entries(numbers: range) -> list[Entry]:
    return [Entry(key(number), b"%d" % number, "verdict", b"g") for number in numbers]


def test_goes_on_while_redis_is_away_and_loses_nothing(own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REST_SECONDS", 0.0)
    store = RedisStore(own_redis.url)
    store.put(entries(range(5)))
    own_redis.stop()
    assert store.get([key(1), key(2)]) == [None, None]
    store.put(entries(range(5, 8)))
    store.count({"exact": 2})
    assert store.get([key(6)]) == [b"6"]  # waits in memory
    assert store.lost == 3
    assert any("did not answer" in note for note in store.notes)
    assert any("3 entries could not be written (3 wait)" in note for note in store.notes)
    own_redis.start()
    assert store.get([key(1)]) == [b"1"]
    store.put(entries(range(8, 9)))
    assert not any("could not be written" in note for note in store.notes)
    other = RedisStore(own_redis.url)
    assert other.get([key(number) for number in range(9)]) == [b"%d" % number for number in range(9)]
    assert other.counters() == {"exact": 2.0}
    other.close()
    store.close()


def test_a_dead_server_is_left_alone_for_a_while(own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REST_SECONDS", 3600.0)
    store = RedisStore(own_redis.url)
    own_redis.stop()
    for _ in range(50):
        store.get([key(1)])
    assert sum(store._problems.values()) == 1
    assert store.lost == 50


def test_entries_expire(redis_session: RedisServer) -> None:
    store = RedisStore(redis_session.url + "?ttl=7777")
    store.put([Entry(b"short lived", b"{}", "verdict", b"grp")])
    assert 7000 <= store._redis.ttl(module._name(b"short lived")) <= 7777
    assert 7000 <= store._redis.ttl(b"faithmeter:1:g:grp") <= 7777
    store.close()


def test_a_password_is_never_shown(own_redis: RedisServer) -> None:
    store = RedisStore(f"redis://user:secret@127.0.0.1:{own_redis.port}/0")
    store.get([key(1)])  # the server knows no such user: refused
    assert store.notes
    assert "secret" not in store.location + " ".join(store.notes)


@pytest.mark.parametrize("ttl", ["0", "soon", "-5"])
def test_a_bad_time_to_live_is_refused(ttl: str) -> None:
    with pytest.raises(UsageError, match="ttl="):
        RedisStore(f"redis://localhost/0?ttl={ttl}")
