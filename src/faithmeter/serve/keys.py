"""API keys: several, read again when their file changes, compared in constant time; and how often each may call."""

from __future__ import annotations

import hashlib
import hmac
import logging
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from faithmeter.errors import UsageError
from faithmeter.serve.settings import Settings

log = logging.getLogger("faithmeter.serve")

SHORTEST = 16
LOOK_AGAIN = 1.0  # seconds between looks at the file
_HASHED = "sha256:"


class Key(NamedTuple):
    """A caller's key, of which only the hash is kept."""

    name: str
    digest: bytes
    rate: float | None = None
    """Requests a second; None: the server's."""


class KeyRing:
    """The keys that open the server. A line of the file is `NAME KEY [RATE]`; KEY may be `sha256:HEX`."""

    def __init__(self, settings: Settings) -> None:
        fixed = [secret.get_secret_value() for secret in settings.keys]
        self._fixed = [
            _key(f"key-{index + 1}", value, where=f"FAITHMETER_API_KEYS, key {index + 1}")
            for index, value in enumerate(fixed)
        ]
        self._path = settings.keys_file
        self._seen: tuple[int, int, int] | None = None
        self._looked = -math.inf
        self._keys: list[Key] = []
        if self._path is not None:
            self._seen, self._keys = _stamp(self._path), _read(self._path)
            if not self._keys and not self._fixed:
                raise UsageError(f"{self._path}: holds no key; write one a line: NAME KEY")

    @property
    def is_open(self) -> bool:
        """Whether no key is wanted."""
        return self._path is None and not self._fixed

    def find(self, given: str) -> Key | None:
        """The key that was given; every key is compared in full, so that the time says nothing."""
        self._look_again()
        digest = hashlib.sha256(given.encode("utf-8", "replace")).digest()
        matching: Key | None = None
        for key in (*self._fixed, *self._keys):
            if hmac.compare_digest(key.digest, digest):
                matching = key
        return matching

    def _look_again(self) -> None:
        if self._path is None or time.monotonic() - self._looked < LOOK_AGAIN:
            return
        self._looked = time.monotonic()
        try:
            stamp = _stamp(self._path)
            if stamp != self._seen:
                self._keys = _read(self._path)
                self._seen = stamp
                log.info("keys read again", extra={"keys": len(self._keys)})
        except UsageError as error:  # half written, or gone for a moment: the keys known so far stay good
            log.warning("keys file not read again", extra={"problem": str(error)})


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        stat = path.stat()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _read(path: Path) -> list[Key]:
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8 text") from None
    keys: dict[str, Key] = {}
    for number, line in enumerate(text.splitlines(), 1):
        parts = line.split()
        if not parts or parts[0].startswith("#"):
            continue
        where = f"{path}:{number}"
        if len(parts) not in (2, 3):
            raise UsageError(f"{where}: a line is NAME KEY [RATE], found {len(parts)} words")
        key = _key(parts[0], parts[1], where=where, rate=_rate(parts[2], where) if len(parts) == 3 else None)
        if key.name in keys and keys[key.name].rate != key.rate:
            raise UsageError(f"{where}: {key.name} has two rates")
        keys[f"{key.name}/{number}"] = key  # a name may have two keys while one replaces the other
    return list(keys.values())


def _key(name: str, value: str, *, where: str, rate: float | None = None) -> Key:
    if value.startswith(_HASHED):
        try:
            digest = bytes.fromhex(value.removeprefix(_HASHED))
        except ValueError:
            digest = b""
        if len(digest) != 32:
            raise UsageError(f"{where}: sha256: wants 64 hexadecimal digits")
        return Key(name, digest, rate)
    if len(value) < SHORTEST:
        raise UsageError(f"{where}: the key of {name} has {len(value)} characters; at least {SHORTEST}, please")
    return Key(name, hashlib.sha256(value.encode()).digest(), rate)


def _rate(text: str, where: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if not 0 < rate < math.inf:
        raise UsageError(f"{where}: the rate is requests a second, above 0; found {text!r}")
    return rate


class RateLimits:
    """A bucket for each caller: as many requests as `rate` a second, and two seconds' worth at once."""

    BURST = 2.0

    def __init__(self, rate: float | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait(self, name: str, rate: float | None = None) -> float:
        """Take one request from a caller's bucket: 0, or the seconds until there is one."""
        rate = rate or self._rate
        if rate is None:
            return 0.0
        most = max(1.0, rate * self.BURST)
        now = self._clock()
        left, then = self._buckets.get(name, (most, now))
        left = min(most, left + (now - then) * rate)
        if left < 1:
            self._buckets[name] = (left, now)
            return (1 - left) / rate
        self._buckets[name] = (left - 1, now)
        return 0.0
