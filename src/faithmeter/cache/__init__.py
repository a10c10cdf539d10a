"""The verdict cache: each judgement is paid for once. `wrap` puts it around a verifier.

    wrap(verifier)                                        # exact hits, in the user's cache folder
    wrap(verifier, cache="redis://cache.example/0")       # shared by a team
    wrap(verifier, semantic=0.9)                          # also claims that say the same in other words

Environment: `FAITHMETER_CACHE` (a path, a URL, `on` or `off`), `FAITHMETER_SEMANTIC_CACHE` (`on` or `off`),
`FAITHMETER_SEMANTIC_CACHE_THRESHOLD` (0 to 1), `FAITHMETER_SEMANTIC_CACHE_EMBEDDER` (a spec). Arguments
of a call and options of the command line take precedence.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from faithmeter.errors import UsageError

if TYPE_CHECKING:
    from faithmeter.cache.semantic import Semantic
    from faithmeter.cache.store import Store
    from faithmeter.extract import Extractor
    from faithmeter.verify import Verifier

_SQLITE = b"SQLite format 3\0"
_ON = frozenset({"1", "on", "true", "yes"})
_OFF = frozenset({"", "0", "off", "false", "no", "none"})


def wrap(
    verifier: Verifier,
    *,
    cache: str | Path | Store | bool | None = None,
    semantic: bool | float | Semantic | None = None,
    refresh: bool = False,
) -> Verifier:
    """Put the cache around a verifier, or leave it as it is.

    `cache`: a path, a URL or a store; True or "on", the user's cache folder; False or "none", none; None, what the
    environment says, else the user's cache folder for verifiers that cost something. `semantic`: True, or a threshold,
    adds semantic hits; None, what the environment says. `refresh`: judge all again, and keep that.
    """
    from faithmeter.cache.wrapper import Cached

    if cache is None and not semantic and getattr(verifier, "cheap", False):
        return verifier  # as quick to judge as to look up
    store = _store(cache)
    if store is None:
        return verifier
    near = _semantic(semantic)

    def wrapped(inner: Verifier) -> Verifier:
        if around := getattr(inner, "around", None):  # made of others, such as a cascade
            layered: Verifier = around(wrapped)
            return layered
        if getattr(inner, "cheap", False) and inner is not verifier:
            return inner
        return Cached(inner, store, semantic=near, refresh=refresh)

    return wrapped(verifier)


def wrap_extractor(
    extractor: Extractor, *, cache: str | Path | Store | bool | None = None, refresh: bool = False
) -> Extractor:
    """Put the cache around an extractor that costs something; `cache` as for `wrap`."""
    from faithmeter.cache.wrapper import CachedExtractor

    store = None if getattr(extractor, "cheap", False) else _store(cache)
    return extractor if store is None else CachedExtractor(extractor, store, refresh=refresh)


def notes(*parts: object) -> list[str]:
    """What went wrong with the stores of some verifiers and extractors, one line each: for the end of a run."""
    lines: dict[str, None] = {}
    for part in parts:
        store = getattr(part, "store", None)
        lines.update(dict.fromkeys(getattr(store, "notes", ())))
        lines.update(dict.fromkeys(notes(*(tier.verifier for tier in getattr(part, "tiers", ())))))
    return list(lines)


def open_store(location: str | Path) -> Store:
    """The store at a path or a `redis://` URL; the same one for the same location."""
    name = str(location)
    return _opened(name if "://" in name or name == ":memory:" else os.path.abspath(os.path.expanduser(name)))


def default_path() -> Path:
    """The cache file in the user's cache folder."""
    from platformdirs import user_cache_path

    return user_cache_path("faithmeter", appauthor=False, opinion=False) / "verdicts.sqlite"


def default_location() -> str | None:
    """Where the environment puts the cache: a path or URL; None if it says off."""
    said = location_or_switch(os.environ.get("FAITHMETER_CACHE", "on"))
    return said if isinstance(said, str) else str(default_path()) if said else None


def location_or_switch(said: str) -> str | bool:
    """A path or URL; or True for `on` and its like, False for `off`, `none` and theirs. A file can be `./none`."""
    word = said.lower()
    return True if word in _ON else False if word in _OFF else said


@lru_cache(maxsize=32)
def _opened(location: str) -> Store:
    if location.startswith(("redis://", "rediss://", "unix://")):
        from faithmeter.cache.redis import RedisStore

        return RedisStore(location)
    if "://" in location:
        raise UsageError(f"cache {location!r}: expected a path or a redis:// URL")
    from faithmeter.cache.sqlite import SQLiteStore

    path = location if location == ":memory:" else str(cache_file(location))
    return SQLiteStore(path)


def cache_file(location: str | Path) -> Path:
    """The file of a cache on disk; a usage error if what is there was never one: it may be any file of the user's."""
    path = Path(location) / "verdicts.sqlite" if os.path.isdir(location) else Path(location)
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE))
    except OSError:
        return path  # not there yet, or not to be read: the store says so
    if start and start != _SQLITE:
        raise UsageError(f"{path}: is no verdict cache; name another file for the cache")
    return path


def _store(cache: str | Path | Store | bool | None) -> Store | None:
    if isinstance(cache, str):
        cache = location_or_switch(cache)
    if cache is False:
        return None
    if cache is None or cache is True:
        location = default_location() if cache is None else (default_location() or str(default_path()))
        return None if location is None else open_store(location)
    return open_store(cache) if isinstance(cache, str | Path) else cache


def _semantic(said: bool | float | Semantic | None) -> Semantic | None:
    from faithmeter.cache.semantic import DEFAULT_THRESHOLD, Semantic

    if isinstance(said, Semantic):
        return said
    if said is None:
        word = os.environ.get("FAITHMETER_SEMANTIC_CACHE", "").lower()
        if word not in _ON | _OFF:
            raise UsageError(f"FAITHMETER_SEMANTIC_CACHE={word}: expected on or off")
        said = word in _ON
    if said is False:
        return None
    embedder = os.environ.get("FAITHMETER_SEMANTIC_CACHE_EMBEDDER", "static")
    return Semantic(threshold=_threshold(DEFAULT_THRESHOLD) if said is True else float(said), embedder=embedder)


def _threshold(default: float) -> float:
    said = os.environ.get("FAITHMETER_SEMANTIC_CACHE_THRESHOLD")
    if said is None:
        return default
    try:
        return float(said)
    except ValueError:
        raise UsageError(f"FAITHMETER_SEMANTIC_CACHE_THRESHOLD={said}: expected a number, e.g. 0.85") from None
