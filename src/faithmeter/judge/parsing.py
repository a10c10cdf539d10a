"""Reads a model's reply: one JSON object, whatever wraps it, and nothing that merely looks like one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Any

_THOUGHTS = re.compile(r"\A(?:\s*<(think|thinking|reasoning)>.*?</\1>)+", re.DOTALL | re.IGNORECASE)
_AFTER_THOUGHTS = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(?P<inside>.*)```", re.DOTALL)
_REFUSAL = re.compile(
    r"\W*(?:i['’]?m (?:really |very )?sorry|sorry|i (?:can['’]?t|cannot|can not|am unable to|won['’]?t|will not)|"
    r"(?:unfortunately|apologies)\W+i (?:can['’]?t|cannot|am unable to))\b",
    re.IGNORECASE,
)


_KEY = re.compile(r'(?<!\\)"(claim|text|reason|label|passages|quote)"\s*:\s*')
_FREE_TEXT = ("text", "reason", "quote")
_AFTER_TEXT = frozenset({",", "},{", "}]", "}]}", "}]```", "}]}```"})  # without white space


class Unreadable(ValueError):
    """The reply is not the JSON that was asked for."""


def read_object(text: str, *, key: str) -> list[Any]:
    """The list under a key of the one JSON object in a reply; a bare list is taken for it.

    Verdicts are also read where a text in them holds quotation marks that were not escaped.
    """
    problem: Unreadable | None = None
    bodies = list(_unwrapped(text))
    mended = map(_escaped, bodies) if key == "verdicts" else ()
    for body in chain(bodies, filter(None, mended)):  # mended only if no body can be read as it is
        try:
            return _list(body, key)
        except Unreadable as error:
            problem = problem or error
    raise problem or Unreadable("no JSON in the reply")


def declines(text: str) -> bool:
    """Whether a reply without JSON says that the model won't answer."""
    body = _THOUGHTS.sub("", text)
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


def folded(text: str) -> str:
    """A form in which claims that differ only in case, spacing or the full stop are the same."""
    return " ".join(text.casefold().split()).rstrip(".")


def _unwrapped(text: str) -> Iterator[str]:
    """The reply without what may wrap the JSON, the likeliest reading first."""
    text = _THOUGHTS.sub("", text)
    yield text
    if fence := _FENCE.search(text):
        yield fence["inside"]
    if opening := _AFTER_THOUGHTS.match(text):  # a chat template may have opened the block itself
        yield text[opening.end() :]


def _escaped(body: str) -> str | None:
    """The reply with the bare quotation marks inside its free texts escaped; None where it is not plain which they are.

    A free text ends at the last quotation mark before the next key, and nothing but the marks of the form may stand
    between the two. The names of keys inside a text make it end too early or a key come twice: both stay unreadable.
    """
    keys = list(_KEY.finditer(body))
    parts, done = [], 0
    for key, after in zip_longest(keys, keys[1:]):
        if key[1] not in _FREE_TEXT:
            continue
        value = body[key.end() : after.start() if after else len(body)]
        last = value.rfind('"')
        if last < 1 or value[0] != '"' or "".join(value[last + 1 :].split()) not in _AFTER_TEXT:
            return None
        parts += [body[done : key.end() + 1], re.sub(r'(?<!\\)"', r'\\"', value[1:last])]
        done = key.end() + last
    return "".join([*parts, body[done:]]) if parts else None


def _list(body: str, key: str) -> list[Any]:
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
    rows = value.get(key) if isinstance(value, dict) else value
    if not isinstance(rows, list):
        raise Unreadable(f"no list {key!r} in the reply")
    return rows


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; one that names a key twice says two things, and neither counts."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a key is given twice")
    return fields
