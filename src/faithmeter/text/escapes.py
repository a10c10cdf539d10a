"""Undoes the escapes of JSON and Python strings, and remembers where each character stood."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

_ESCAPE = re.compile(
    r"\\(?:u(?P<pair>[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<code>[0-9a-fA-F]{4})|x(?P<byte>[0-9a-fA-F]{2})|(?P<char>.)|\Z)",
    re.DOTALL,
)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " ", "\n": ""}


def unescape(raw: str) -> tuple[str, Callable[[int], int]]:
    """Undo the escapes of a string; the second result maps its offsets to those of the raw string."""
    if "\\" not in raw:
        return raw, lambda offset: offset
    parts: list[str] = []
    decoded, sources = [0], [0]
    length = last = 0
    for escape in _ESCAPE.finditer(raw):
        char = _unescaped(escape)
        parts += (raw[last : escape.start()], char)
        length += escape.start() - last + len(char)
        last = escape.end()
        decoded.append(length)
        sources.append(last)
    parts.append(raw[last:])

    def source(at: int) -> int:
        anchor = bisect_right(decoded, at) - 1
        return sources[anchor] + at - decoded[anchor]

    return "".join(parts), source


def _unescaped(escape: re.Match[str]) -> str:
    if pair := escape["pair"]:
        return bytes.fromhex(pair.replace("\\u", "")).decode("utf-16-be")
    if code := escape["code"] or escape["byte"]:
        char = chr(int(code, 16))
        return "\ufffd" if "\ud800" <= char <= "\udfff" else char
    char = escape["char"] or ""
    return _ESCAPED.get(char, char)
