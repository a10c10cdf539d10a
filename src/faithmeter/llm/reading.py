"""Reads a model's reply: one JSON object, whatever wraps it, and nothing that merely looks like one."""

from __future__ import annotations

import json
import re
from typing import Any

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_UNOPENED_THOUGHTS = re.compile(r"\A.*?</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(?P<inside>.*?)\n?[ \t]*```", re.DOTALL)
_REFUSAL = re.compile(
    r"\W*(?:i['’]?m (?:really |very )?sorry|sorry|i (?:can['’]?t|cannot|can not|am unable to|won['’]?t|will not)|"
    r"(?:unfortunately|apologies)\W+i (?:can['’]?t|cannot|am unable to))\b",
    re.IGNORECASE,
)


class Unreadable(ValueError):
    """The reply is not the JSON that was asked for."""


def read_object(text: str, *, key: str) -> list[Any]:
    """The list under a key of the one JSON object in a reply; a bare list is taken for it."""
    body = _unwrapped(text)
    start = re.search(r"[{\[]", body)
    if start is None:
        raise Unreadable("no JSON in the reply")
    decoder = json.JSONDecoder(object_pairs_hook=_no_repeats, strict=False)
    try:
        value, end = decoder.raw_decode(body, start.start())
    except RecursionError:
        raise Unreadable("JSON nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"broken JSON: {error}") from None
    if re.search(r"[{}\[\]]", body[end:]):
        raise Unreadable("more than one JSON value in the reply")
    found = value.get(key) if isinstance(value, dict) else value
    if not isinstance(found, list):
        raise Unreadable(f"no list {key!r} in the reply")
    return found


def declines(text: str) -> bool:
    """Whether a reply without JSON says that the model won't answer."""
    body = _unwrapped(text)
    return "{" not in body and _REFUSAL.match(body) is not None


def as_number(value: object) -> int | None:
    """A whole number, also one written as a string; anything else is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"\s*#?\d{1,9}\s*", value):
        return int(value.strip().lstrip("#"))
    return None


def as_text(value: object) -> str:
    """A string as it is; anything else is empty."""
    return value.strip() if isinstance(value, str) else ""


def _unwrapped(text: str) -> str:
    """Without thinking blocks, and without a Markdown fence around the JSON."""
    text = _THOUGHTS.sub("", text)
    # A template may have opened the block itself; JSON strings may hold the tag, so only ahead of any JSON.
    unopened = _UNOPENED_THOUGHTS.match(text)
    if unopened and not text.lstrip().startswith(("{", "[")):
        text = text[unopened.end() :]
    fences = [match["inside"] for match in _FENCE.finditer(text)]
    if len(fences) == 1 and not text.lstrip().startswith(("{", "[")):
        return fences[0].strip()
    return text.strip()


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; one that names a key twice says two things, and neither counts."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found
