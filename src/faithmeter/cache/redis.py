"""The store for a team: one Redis server, read in pipelines, not needed while it is down."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from faithmeter.cache.store import Entry, Kept, Kind, Size, close_at_exit
from faithmeter.errors import MissingExtra, UsageError

try:
    import redis
    from redis.backoff import NoBackoff
    from redis.exceptions import ConnectionError as RedisConnectionError
    from redis.exceptions import RedisError
    from redis.retry import Retry
except ImportError as error:
    raise MissingExtra("a Redis cache", "redis") from error

T = TypeVar("T")

DEFAULT_TTL = 30 * 24 * 3600
TIMEOUT = 2.0
REST_SECONDS = 5.0  # how long to leave a server alone that did not answer: no run waits on a dead one
BACKLOG = 100_000  # entries kept for a server that is down
LOGGED_HITS = 1000
FLUSH_SECONDS = 5.0
_CHUNK = 500
# The version is part of every key, so a newer faithmeter's entries never meet an older one's.
_PREFIX = b"faithmeter:1:"
_KINDS: dict[bytes, Kind] = {b"v": "verdict", b"x": "extraction", b"e": "vector", b"s": "signature"}
_CODES = {kind: code for code, kind in _KINDS.items()}


class RedisStore:
    """Entries on a Redis server, each with a time to live: `redis://[:PASSWORD@]HOST[:PORT][/DB][?ttl=SECONDS]`.

    While the server is down, look-ups miss and new entries wait in memory, to be written when it is back;
    how much was missed is in `notes` and `lost`.
    """

    quick = False

    def __init__(self, url: str) -> None:
        self._url = url
        try:
            address, self._ttl = _split(url)
            self.location = _without_password(address)
            # One retry, at once: a connection that idled too long is dropped by the server, and that is no problem.
            self._redis: Any = redis.Redis.from_url(
                address, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT, retry=Retry(NoBackoff(), 1)
            )
            self._redis.connection_pool.make_connection()  # connects to nobody, but sees options that do not exist
        except (ValueError, TypeError, AttributeError) as error:
            raise UsageError(f"the cache's address is no Redis URL: {error}; write redis://HOST:PORT/DB") from None
        self._foreign: set[bytes] = set()
        self.lost = 0
        """Look-ups that could not be made."""
        self._away_until = 0.0
        self._problems: dict[str, int] = {}
        self._lock = threading.Lock()
        self._backlog: dict[bytes, Entry] = {}
        self._tally: dict[str, float] = {}
        self._hits: list[bytes] = []
        self._dropped = 0
        self._flushed = time.monotonic()
        close_at_exit(self)

    def __reduce__(self) -> tuple[type[RedisStore], tuple[str]]:
        return RedisStore, (self._url,)

    @property
    def notes(self) -> list[str]:
        """What went wrong: each kind of problem once, how often, and what it cost."""
        lines = [f"{self.location}: {problem} ({times} times)" for problem, times in self._problems.items()]
        if self._foreign:
            example = min(self._foreign).hex()
            lines.append(f"{self.location}: {len(self._foreign)} values that faithmeter did not write, e.g. {example}")
        if self.lost:
            lines.append(f"{self.location}: {self.lost} look-ups were not made while Redis was away")
        if self._backlog or self._dropped:
            waiting = len(self._backlog)
            lines.append(f"{self.location}: {waiting + self._dropped} entries could not be written ({waiting} wait)")
        return lines

    # -- entries

    def get(self, keys: Sequence[bytes]) -> list[bytes | None]:
        def read(client: Any) -> list[bytes | None]:
            pipe = client.pipeline(transaction=False)
            for start in range(0, len(keys), _CHUNK):
                pipe.mget([_name(key) for key in keys[start : start + _CHUNK]])
            return [_value(stored) for chunk in pipe.execute() for stored in chunk]

        values = self._do(read, default=None)
        if values is None:
            self.lost += len(keys)
            values = [None] * len(keys)
        if time.monotonic() - self._flushed > FLUSH_SECONDS:
            self._flush()
        with self._lock:
            waiting = self._backlog
            return [waiting[key].value if key in waiting else value for key, value in zip(keys, values, strict=True)]

    def put(self, entries: Sequence[Entry]) -> None:
        with self._lock:
            room = BACKLOG - len(self._backlog)
            self._dropped += max(0, len(entries) - room)
            self._backlog.update((entry.key, entry) for entry in entries[:room])
        self._flush()

    def members(self, group: bytes) -> list[bytes]:
        def read(client: Any) -> list[bytes]:
            names = client.zrange(_PREFIX + b"g:" + group, 0, -1)
            values = client.mget(names) if names else []
            return [value for stored in values if (value := _value(stored)) is not None]

        return self._do(read, default=[])

    def scan(self) -> Iterator[Kept]:
        try:
            batch: list[bytes] = []
            for name in self._redis.scan_iter(match=_PREFIX + b"k:*", count=1000):
                batch.append(name)
                if len(batch) == _CHUNK:
                    yield from self._kept(batch)
                    batch = []
            yield from self._kept(batch)
        except RedisError as error:
            self._problem(error)

    def _kept(self, names: Sequence[bytes]) -> Iterator[Kept]:
        for name, stored in zip(names, self._redis.mget(names) if names else [], strict=True):
            if stored is not None:
                key = name[len(_PREFIX) + 2 :]
                try:
                    code, created, group, value = _unpack(stored)
                    kept = Kept(Entry(key, value, _KINDS[code], group), created, created)
                except (ValueError, KeyError):
                    self._foreign.add(key)
                    continue
                yield kept

    # -- counters and hits

    def count(self, tally: Mapping[str, float]) -> None:
        with self._lock:
            for name, value in tally.items():
                self._tally[name] = self._tally.get(name, 0) + value

    def counters(self) -> dict[str, float]:
        self._flush()
        counts: dict[bytes, bytes] = self._do(lambda client: client.hgetall(_PREFIX + b"counters"), default={})
        known = ((name.decode("utf-8", "replace"), _number(value)) for name, value in counts.items())
        return {name: value for name, value in known if value is not None}

    def log(self, hits: Sequence[bytes]) -> None:
        with self._lock:
            self._hits += hits

    def logged(self) -> list[bytes]:
        self._flush()
        return self._do(lambda client: client.lrange(_PREFIX + b"hits", 0, -1), default=[])

    def _flush(self) -> None:
        """Write what waits; what cannot be written waits on."""
        self._flushed = time.monotonic()
        with self._lock:
            entries, tally, hits = dict(self._backlog), self._tally, self._hits
            self._tally, self._hits = {}, []
        if not (entries or tally or hits):
            return
        if self._do(lambda client: self._write(client, entries, tally, hits), default=False):
            with self._lock:
                for key, entry in entries.items():
                    if self._backlog.get(key) is entry:
                        del self._backlog[key]
        else:
            self.count(tally)
            with self._lock:
                self._hits = (hits + self._hits)[-LOGGED_HITS:]

    def _write(
        self, client: Any, entries: Mapping[bytes, Entry], tally: Mapping[str, float], hits: Sequence[bytes]
    ) -> bool:
        now = time.time()
        pipe = client.pipeline(transaction=True)
        for key, entry in entries.items():
            pipe.set(_name(key), _pack(entry, now), ex=self._ttl)
            if entry.group:
                group = _PREFIX + b"g:" + entry.group
                pipe.zadd(group, {_name(key): now}, nx=True)
                pipe.expire(group, self._ttl)
        for name, value in tally.items():
            pipe.hincrbyfloat(_PREFIX + b"counters", name, value)
        if hits:
            pipe.lpush(_PREFIX + b"hits", *hits)
            pipe.ltrim(_PREFIX + b"hits", 0, LOGGED_HITS - 1)
        pipe.execute()
        return True

    # -- care

    def size(self) -> Size:
        kinds: dict[str, int] = {}
        total = 0
        for kept in self.scan():
            kinds[kept.entry.kind] = kinds.get(kept.entry.kind, 0) + 1
            total += len(kept.entry.value) + len(kept.entry.key)
        return Size(kinds, total)

    def prune(self, *, unused_for: float | None = None, max_bytes: int | None = None) -> int:
        kept = sorted(self.scan(), key=lambda item: item.created)
        oldest = time.time() - unused_for if unused_for is not None else None
        surplus = sum(len(item.entry.value) for item in kept) - max_bytes if max_bytes is not None else 0
        gone: list[bytes] = []
        for item in kept:
            if (oldest is None and max_bytes is None) or (oldest is not None and item.created < oldest) or surplus > 0:
                gone.append(_name(item.entry.key))
                surplus -= len(item.entry.value)
        for start in range(0, len(gone), _CHUNK):
            self._do(lambda client, batch=gone[start : start + _CHUNK]: client.unlink(*batch), default=0)  # type: ignore[misc]
        return len(gone)

    def check(self) -> list[str]:
        deque(self.scan(), maxlen=0)  # finds values that are not ours
        return self.notes

    def close(self) -> None:
        self._flush()
        self._redis.close()

    # -- within

    def _do(self, work: Callable[[Any], T], *, default: T) -> T:
        """Work with the server, unless it was down just now; what goes wrong is noted and counted."""
        if time.monotonic() < self._away_until:
            return default
        try:
            return work(self._redis)
        except (RedisError, OSError) as error:
            self._problem(error)
            return default

    def _problem(self, error: Exception) -> None:
        self._away_until = time.monotonic() + REST_SECONDS
        words = "Redis did not answer" if isinstance(error, RedisConnectionError | OSError) else str(error)
        self._problems[words] = self._problems.get(words, 0) + 1


def _name(key: bytes) -> bytes:
    return _PREFIX + b"k:" + key


def _pack(entry: Entry, created: float) -> bytes:
    """Kind, time and group before the value, so that export and pruning need no second look-up."""
    return b"%s %d %s %s" % (_CODES[entry.kind], created, entry.group.hex().encode(), entry.value)


def _unpack(stored: bytes) -> tuple[bytes, float, bytes, bytes]:
    code, created, group, value = stored.split(b" ", 3)
    return code, float(created), bytes.fromhex(group.decode()), value


def _number(value: bytes) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _value(stored: bytes | None) -> bytes | None:
    return None if stored is None else stored.split(b" ", 3)[-1]


def _split(url: str) -> tuple[str, int]:
    """Take our `ttl` out of a URL."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    ttl = query.pop("ttl", str(DEFAULT_TTL))
    if not ttl.isdecimal() or int(ttl) == 0:
        raise UsageError(f"ttl={ttl}: write seconds, e.g. redis://localhost/0?ttl=86400")
    return urlunsplit(parts._replace(query=urlencode(query))), int(ttl)


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=host, query=""))
