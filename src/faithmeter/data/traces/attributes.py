"""The values of spans: attributes flat, nested or in OTLP's form as one tree; ids and times as one kind each."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

_HEX = re.compile(r"[0-9a-f]+")
_WORD = re.compile(r"\d+")
ITSELF = ""  # the name under which a branch keeps a value of its own: `a` beside `a.b`


def tree(attributes: Any) -> dict[str, Any]:
    """Attributes as nested dicts, whichever way they were given: `{"a.b": 1}`, `{"a": {"b": 1}}` or OTLP's list."""
    if isinstance(attributes, str):
        attributes = decoded(attributes)
    if isinstance(attributes, list | tuple):  # OTLP as JSON
        attributes = {item["key"]: otlp_value(item.get("value")) for item in attributes if isinstance(item, Mapping)}
    if not isinstance(attributes, Mapping):
        return {}
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        _put(root, str(name).split("."), value)
    return root


def _put(branch: dict[str, Any], path: list[str], value: Any) -> None:
    for name in path[:-1]:
        below = branch.get(name)
        if isinstance(below, list):
            below = {str(index): item for index, item in enumerate(below)}
        elif not isinstance(below, dict):
            below = {} if below is None else {ITSELF: below}
        branch[name] = below
        branch = below
    name, value = path[-1], _nested(value)
    there = branch.get(name)
    if isinstance(there, dict) and isinstance(value, dict):
        for key, item in value.items():
            _put(there, [key], item)
    elif isinstance(there, dict):
        there[ITSELF] = value
    else:
        branch[name] = value


def _nested(value: Any) -> Any:
    if hasattr(value, "tolist"):  # a frame's array
        value = value.tolist()
    if isinstance(value, Mapping):
        return tree({name: item for name, item in value.items() if item is not None})
    if isinstance(value, list | tuple):
        return [_nested(item) for item in value]
    return value


def at(branch: Any, *path: str) -> Any:
    """What stands in a tree under these names; None if nothing does."""
    for name in path:
        if not isinstance(branch, Mapping):
            return None
        branch = branch.get(name)
    if isinstance(branch, Mapping) and set(branch) == {ITSELF}:
        return branch[ITSELF]
    return branch


def items(value: Any) -> list[Any] | None:
    """The elements of a list: as one, as JSON, or as a branch `{"0": …, "1": …}`; None where there is no list."""
    if isinstance(value, str):
        value = decoded(value)
        value = _nested(value) if isinstance(value, list) else value
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping) and (numbers := [name for name in value if _WORD.fullmatch(name)]):
        return [value[name] for name in sorted(numbers, key=int)]
    return None


def decoded(value: Any) -> Any:
    """What a text says as JSON; the text itself if it is none."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def otlp_value(value: Any) -> Any:
    """A value of OTLP's JSON: `{"stringValue": …}` and the like."""
    if not isinstance(value, Mapping):
        return value
    for name, item in value.items():
        match name:
            case "arrayValue" | "array_value":
                return [otlp_value(each) for each in (item or {}).get("values", ())]
            case "kvlistValue" | "kvlist_value":
                return {each["key"]: otlp_value(each.get("value")) for each in (item or {}).get("values", ())}
            case "intValue" | "int_value":
                return int(item)
            case _:
                return item
    return None


def identifier(value: Any, size: int | None = None) -> str | None:
    """An id as text: hexadecimal where it was OTLP's, of `size` bytes; base64 is how protobuf writes those."""
    if value is None or value == "" or value != value:
        return None
    text = str(value).removeprefix("0x")
    if size and not (len(text) == 2 * size and _HEX.fullmatch(text.lower())):
        try:
            raw = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return text
        return raw.hex() if len(raw) == size else text
    return text.lower() if size else text


def nanoseconds(value: Any) -> int:
    """A time since 1970: given in nanoseconds, as ISO text, or as a datetime; 0 if it is not known."""
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return 0
    if isinstance(value, datetime):
        moment: datetime = value if value.tzinfo else value.replace(tzinfo=UTC)
        return int(moment.replace(microsecond=0).timestamp()) * 1_000_000_000 + moment.microsecond * 1000
    return max(0, int(value)) if isinstance(value, int) else 0
