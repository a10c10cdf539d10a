"""The one reader and writer of JSON lines: what it writes it can read, and so can others.

A line ends with `\\n` and with nothing else. U+2028, U+2029 and U+0085, at which many readers (Python's own
`splitlines` among them) break a line, are written as escapes. What JSON cannot carry (NaN, half of a surrogate pair)
or our reader cannot take back (200 levels, 4,300 digits) is refused by `problem_in`, before it is written.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import IO, Any

from pydantic import BaseModel
from pydantic_core import from_json

from faithmeter.errors import DataError, RowError

LONGEST_LINE = 64 * 2**20  # bytes; a small compressed file may unpack to one line of gigabytes
DEEPEST = 100  # levels of metadata; a reader takes 200, and a result or a recording adds its own
MOST_DIGITS = 4300  # of an integer: what Python and pydantic read

_BREAKS = {b"\xe2\x80\xa8": b"\\u2028", b"\xe2\x80\xa9": b"\\u2029", b"\xc2\x85": b"\\u0085"}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def encode(value: BaseModel | Mapping[str, Any]) -> bytes:
    """A value as one line, without its end."""
    if isinstance(value, BaseModel):
        line = value.model_dump_json().encode()
    else:
        line = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    for character, escape in _BREAKS.items():
        if character in line:  # only ever inside a string: elsewhere JSON has ASCII alone
            line = line.replace(character, escape)
    return line


def decode(line: bytes, where: str) -> Any:
    """The value of a line; a RowError that says what is wrong with it."""
    try:
        return from_json(line)
    except ValueError:
        pass
    try:  # slower, and it takes what the other does not: half of a surrogate pair, deep nesting
        return json.loads(line.decode())
    except RecursionError:
        problem = "nested too deeply"
    except UnicodeDecodeError:
        problem = "not UTF-8 text"
    except json.JSONDecodeError as error:
        problem = f"not JSON ({error})"
    except ValueError:
        problem = f"an integer of more than {MOST_DIGITS:,} digits"
    raise RowError(
        where, f"{problem}: {shown(line[:200].strip().decode('utf-8', 'replace'))}", "each line must be one object"
    )


def lines(file: IO[bytes], name: str) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, each with its number; a last one that is cut off comes as it is."""
    for number, line in enumerate(bounded(file, name), start=1):
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if line.strip():
            yield number, line


def bounded(file: IO[bytes], name: str) -> Iterator[bytes]:
    """The lines of a file, none of them longer than can be meant."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise DataError(
                f"{name}:{number}: a line of more than {LONGEST_LINE // 2**20} MiB; each line must be one row"
            )
        yield line


def is_torn(line: bytes) -> bool:
    """Whether a last line was cut off: by a kill in the middle of a write, or because the writer goes on."""
    if line.endswith(b"\n"):
        return False
    try:
        decode(line, "")
    except RowError:
        return line.lstrip().startswith(b"{")
    return False


def problem_in(value: Any) -> str | None:
    """Why a value cannot be written as JSON and read again: where in it, and what to do; None if it can."""
    waiting: list[tuple[str, Any, int]] = [("", value, 0)]
    while waiting:
        path, item, depth = waiting.pop()
        at = f"at {path}: " if path else ""
        if depth > DEEPEST:
            return f"more than {DEEPEST} levels deep; flatten it, or give it as text"
        if isinstance(item, float) and not math.isfinite(item):
            return f"{at}{item} is not a finite number; give null or text"
        if isinstance(item, int) and item.bit_length() > 3 * MOST_DIGITS:  # a digit has 3.3 bits
            return f"{at}an integer of thousands of digits; give it as text"
        if isinstance(item, str) and not item.isascii() and not _is_writable(item):
            return f"{at}half of a surrogate pair in {item[:40]!a}, which no file can hold; take it out"
        if isinstance(item, Mapping):
            waiting += [(f"{path}.{key}".lstrip("."), child, depth + 1) for key, child in item.items()]
            waiting += [(f"the name {key!a}", key, depth) for key in item if not str(key).isascii()]
        elif isinstance(item, list | tuple):
            waiting += [(f"{path}[{index}]", child, depth + 1) for index, child in enumerate(item)]
    return None


def _is_writable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(value: Any) -> str:
    """A value in a message: its type and how it begins."""
    try:
        text = repr(value)
    except Exception:  # thousands of digits or levels, or an object whose repr breaks
        text = "too long to be shown"
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '…'}"
