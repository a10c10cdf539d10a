"""Reads a model's reply: one JSON object, whatever wraps it, and nothing that merely looks like one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import zip_longest
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
_LIST_KEY = re.compile(r'(?<!\\)"verdicts"\s*:')
_FREE_TEXT = ("text", "reason", "quote")
_MARKS = "{}[],` \t\r\n"
_BEFORE_ROWS = re.compile(r"\A[{\[]*\{")
_BETWEEN_ROWS = re.compile(r"\A[}\]]+,?[{\[]*\{")
_AFTER_ROWS = re.compile(r"\A[}\]]+(?:```)?")


class Unreadable(ValueError):
    """The reply is not the JSON that was asked for."""


def read_object(text: str, *, key: str) -> list[Any]:
    """The list under a key of the one JSON object in a reply; a bare list is taken for it.

    Verdicts are also read where their brackets do not match or a text in them holds bare quotation marks.
    """
    problem: Unreadable | None = None
    bodies = list(_unwrapped(text))
    for body in bodies:
        try:
            return _list(body, key)
        except Unreadable as error:
            problem = problem or error
    for body in bodies if key == "verdicts" else ():
        if rows := _rows(body):
            return rows
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


def _rows(body: str) -> list[dict[str, Any]] | None:
    """The verdicts of a reply that is no sound JSON, by the keys of its rows; None where it is not plain what they say.

    A row goes from one claim's number to the next. Only brackets and commas may stand between two rows, whichever they
    are, and only a comma between two fields. The name of a key inside a text makes it end too early or a key come
    twice: both stay unreadable.
    """
    body = _LIST_KEY.sub("", body)
    keys = list(_KEY.finditer(body))
    start = re.search(r"[{\[]", body)
    if not keys or start is None or not _BEFORE_ROWS.fullmatch(_compact(body[start.start() : keys[0].start()])):
        return None
    rows: list[dict[str, Any]] = []
    for key, after in zip_longest(keys, keys[1:]):
        name, value = key[1], body[key.end() : after.start() if after else len(body)]
        if name == "claim":
            rows.append({})
        if not rows or name in rows[-1]:
            return None
        ends = after is None or after[1] == "claim"
        content, rest = _content(name, value)
        if not _ends_field(rest, row=ends, reply=after is None):
            if name != "quote" or not ends:
                return None
            content, rest = '""', value[len(value.rstrip(_MARKS)) :]  # part of a record, say: as if it had no quote
            if not _ends_field(rest, row=True, reply=after is None):
                return None
        try:
            rows[-1][name] = json.loads(content, strict=False)
        except (ValueError, RecursionError):
            return None
    return rows if all("label" in row for row in rows) else None


def _content(name: str, value: str) -> tuple[str, str]:
    """A field's value as JSON, and what follows it; a text goes to its last quotation mark, others are escaped."""
    if name not in _FREE_TEXT:
        end = len(value.rstrip(_MARKS.replace("]", "") if name == "passages" else _MARKS))
        return value[:end], value[end:]
    last = value.rfind('"')
    if last < 1 or value[0] != '"':
        return "", value
    inside = re.sub(r'(?<!\\)"', r'\\"', value[1:last])
    return f'"{inside}"', value[last + 1 :]


def _ends_field(rest: str, *, row: bool, reply: bool) -> bool:
    """Whether what follows a field's value ends it, or with it a row or the reply."""
    marks = _compact(rest)
    if not row:
        return marks == ","
    return "}" in marks and (_AFTER_ROWS if reply else _BETWEEN_ROWS).fullmatch(marks) is not None


def _compact(text: str) -> str:
    return "".join(text.split())


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
