"""Reads rows from text files, one at a time: JSON Lines, JSON, CSV and TSV."""

from __future__ import annotations

import ast
import codecs
import csv
import io
import itertools
import json
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import IO, Any, NamedTuple

from faithmeter.data import jsonl
from faithmeter.data.foreign import ALIASES, MESSAGES
from faithmeter.data.jsonl import shown
from faithmeter.data.traces.shapes import system_of
from faithmeter.errors import DataError, RowError

_CHUNK = 1 << 18  # of a JSON array; twice as much while an element is longer
_BLANK = " \t\r\n"
_LIST = re.compile(r"""\s*\[\s*(?:['"\[{]|[rbuRBU]['"]|\])""")  # a list of texts; `[1] The tower …` is a context
_TOO_LONG = f"an integer of more than {jsonl.MOST_DIGITS:,} digits"


class Record(NamedTuple):
    """A row as it was read, and where."""

    source: str
    """What comes before the number in a message, e.g. `answers.jsonl:`."""
    number: int
    """The line or row, from 1."""
    value: Any
    """The row: an object, or the RowError that says why it is none."""

    @property
    def where(self) -> str:
        """The file and line or row, as messages name it."""
        return f"{self.source}{self.number}"


class Cells(dict[str, Any]):
    """A row of a CSV file, where everything is text: lists and objects are JSON in their cells."""

    separator: str | None = None
    """What divides the contexts of a cell that is not JSON; None: it is one context."""

    def typed(self, field: str, cell: Any) -> Any:
        """A cell as the field wants it; what a conversation in another cell gave has its type already."""
        if field == "answer" or not isinstance(cell, str):
            return cell
        if cell.lstrip().startswith(("[", "{")):
            try:
                return json.loads(cell)
            except (ValueError, RecursionError):
                pass  # a context may well begin with a bracket
            if field == "contexts" and _LIST.match(cell):
                try:
                    return _python_list(cell.strip())
                except ValueError:
                    if not self.separator:
                        raise
        if field == "contexts" and self.separator:
            return [part.strip() for part in cell.split(self.separator) if part.strip()]
        return cell or ([] if field == "contexts" else None)


def _python_list(cell: str) -> list[Any]:
    """A list as Python writes it, which is what pandas and ragas leave in a CSV file; a ValueError if it is none."""
    try:
        tree = ast.parse(cell, mode="eval")
        texts = sum(isinstance(node, ast.Constant) and isinstance(node.value, str) for node in ast.walk(tree))
        tokens = tokenize.generate_tokens(io.StringIO(cell).readline)
        if sum(token.type == tokenize.STRING for token in tokens) != texts:
            raise ValueError("texts side by side")  # numpy writes no commas, and Python would join the two
        value = ast.literal_eval(tree)
    except (ValueError, SyntaxError, tokenize.TokenError, MemoryError, RecursionError):
        raise ValueError(
            f"contexts: looks like a list and cannot be read, found {shown(cell)}; write a JSON list, "
            'e.g. ["first", "second"], or divide the contexts with --context-separator'
        ) from None
    if not isinstance(value, list):
        raise ValueError(f"contexts: expected a list, found {shown(value)}")
    return value


def parse(file: IO[bytes], name: str, suffix: str, *, separator: str | None = None) -> Iterator[Record]:
    """The rows of an open text file; `separator` divides contexts in a CSV cell."""
    pieces = iter(partial(file.read, _CHUNK), b"") if suffix == ".json" else jsonl.bounded(file, name)
    return parse_pieces(pieces, name, suffix, separator=separator)


def parse_pieces(pieces: Iterable[bytes], name: str, suffix: str, *, separator: str | None = None) -> Iterator[Record]:
    """The rows of a text that comes in lines, or in pieces of a .json file."""
    try:
        if suffix in _READERS:
            for record in _READERS[suffix](_checked(pieces, name), name):
                if separator and isinstance(record.value, Cells):
                    record.value.separator = separator
                yield record
            return
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: not UTF-8 text (byte 0x{error.object[error.start]:02x}); save it as UTF-8") from None
    raise DataError(f"{name}: unknown kind of file {suffix!r}; expected one of {', '.join(filter(None, _READERS))}")


def _checked(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    """The same pieces without a byte-order mark; no text has a NUL in it."""
    line = 1
    for index, piece in enumerate(pieces):
        if index == 0 and _is_utf16(piece):
            raise DataError(f"{name}: UTF-16 text; save it as UTF-8: iconv -f UTF-16 -t UTF-8 {name} > utf8-{name}")
        if b"\0" in piece:
            raise DataError(f"{name}:{line + piece[: piece.index(0)].count(10)}: a binary file, not text")
        yield piece if index else piece.removeprefix(b"\xef\xbb\xbf")
        line += piece.count(b"\n")


def _is_utf16(start: bytes) -> bool:
    """Whether text begins as Windows programs save it: with a byte-order mark, or ASCII in every other byte."""
    return start.startswith((b"\xff\xfe", b"\xfe\xff")) or (
        len(start) >= 4
        and (start[0] == start[2] == 0 != start[1] * start[3] or start[1] == start[3] == 0 != start[0] * start[2])
    )


def _jsonl(lines: Iterable[bytes], name: str) -> Iterator[Record]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _json_line(line, f"{name}:", number)


def _json_line(line: bytes, source: str, number: int) -> Record:
    try:
        return Record(source, number, jsonl.decode(line, f"{source}{number}"))
    except RowError as error:
        return Record(source, number, error)


# --- JSON -------------------------------------------------------------------------------------------


def _json(pieces: Iterable[bytes], name: str) -> Iterator[Record]:
    """The elements of a list, each as it is read; or the rows of a lone object, which is read whole."""
    text = codecs.iterdecode(pieces, "utf-8")
    head = ""
    for piece in text:
        head += piece
        if piece.strip():
            break
    if head.lstrip().startswith("["):
        yield from _elements(itertools.chain([head], text), name)
    elif head.strip():
        yield from _object_rows(head + "".join(text), name)


def _object_rows(text: str, name: str) -> Iterator[Record]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        hint = "; if each line is an object, name the file .jsonl" if error.msg == "Extra data" else ""
        raise DataError(f"{name}:{error.lineno}: not JSON ({error.msg}){hint}") from None
    except RecursionError:
        raise DataError(f"{name}: nested too deeply") from None
    except ValueError:
        raise DataError(f"{name}: not JSON ({_TOO_LONG}); give it as text") from None
    if not isinstance(data, dict):
        raise DataError(f"{name}: expected a list of objects, found {shown(data)}")
    lists = [value for value in data.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
    is_row = set(data) & {*ALIASES["answer"], MESSAGES} or (system_of(data) and "resourceSpans" not in data)
    rows = lists[0] if len(lists) == 1 and not is_row else [data]
    yield from (Record(f"{name}: row ", number, value) for number, value in enumerate(rows, start=1))


class _Buffer:
    """Text that comes in pieces, of which the front has been used up."""

    def __init__(self, pieces: Iterator[str], name: str) -> None:
        self._pieces = pieces
        self._name = name
        self._lines = 1  # up to where `text` begins
        self.text = ""
        self.at = 0

    def more(self, size: int) -> bool:
        """Drop what is used and take in `size` characters or so; False if there are none."""
        self._lines += self.text.count("\n", 0, self.at)
        parts = [self.text[self.at :]]
        self.at = 0
        taken = 0
        for piece in self._pieces:
            parts.append(piece)
            taken += len(piece)
            if taken >= size:
                break
        self.text = "".join(parts)
        return taken > 0

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in _BLANK:
                self.at += 1
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more(_CHUNK):
                return ""

    def expect(self, characters: str) -> str:
        """Take one of these characters."""
        character = self.peek()
        if not character or character not in characters:
            raise self.error(f"expected {' or '.join(map(repr, characters))}, found {character!r}", self.at)
        self.at += 1
        return character

    def error(self, problem: str, at: int) -> DataError:
        """A complaint that names the line."""
        return DataError(f"{self._name}:{self._lines + self.text.count(chr(10), 0, at)}: not JSON ({problem})")


def _elements(pieces: Iterator[str], name: str) -> Iterator[Record]:
    buffer = _Buffer(pieces, name)
    buffer.expect("[")
    if buffer.peek() == "]":
        return
    decoder = json.JSONDecoder()
    for number in itertools.count(1):
        yield Record(f"{name}: row ", number, _element(buffer, decoder))
        if buffer.expect(",]") == "]":
            break
    if buffer.peek():
        raise buffer.error("extra data after the list", buffer.at)


def _element(buffer: _Buffer, decoder: json.JSONDecoder) -> Any:
    """Decode the next element, taking in more text for as long as it seems unfinished."""
    buffer.peek()
    size = _CHUNK
    while True:
        try:
            value, end = decoder.raw_decode(buffer.text, buffer.at)
        except json.JSONDecodeError as error:
            complaint = buffer.error(error.msg, error.pos)
            # Only at the end can more text help; elsewhere a long file would be read whole to find that out.
            # A string or literal that is cut off is reported where it begins, so that counts as the end, too.
            unfinished = error.pos >= len(buffer.text) - 10 or error.msg.startswith("Unterminated")
            if unfinished and len(buffer.text) - buffer.at > jsonl.LONGEST_LINE:
                raise buffer.error(f"a row of more than {jsonl.LONGEST_LINE // 2**20} MiB", buffer.at) from None
            if not unfinished or not buffer.more(size):
                raise complaint from None
            size *= 2
        except RecursionError:
            raise buffer.error("nested too deeply", buffer.at) from None
        except ValueError:
            raise buffer.error(_TOO_LONG, buffer.at) from None
        else:
            if end < len(buffer.text):
                buffer.at = end
                return value
            if not buffer.more(size):  # a number may go on in the next piece
                buffer.at = len(buffer.text)
                return value


# --- CSV --------------------------------------------------------------------------------------------


def _csv(lines: Iterable[bytes], name: str, *, delimiter: str = ",") -> Iterator[Record]:
    csv.field_size_limit(jsonl.LONGEST_LINE)  # the default of 128 KB is less than a row of contexts
    lines = iter(lines)
    first = next(lines, b"")
    if b"\t" in first and b"," not in first:  # tabs, whatever the file is called
        delimiter = "\t"
    text = (line.decode() for line in itertools.chain([first], lines))
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    source = f"{name}:"
    try:
        header = [cell.strip() for cell in next(reader, [])]
        twice = [column for column, times in Counter(header).items() if column and times > 1]
        if twice:
            raise DataError(f"{name}:1: the column {twice[0]!r} is there twice; rename one")
        after = reader.line_num
        for cells in reader:
            line, after = after + 1, reader.line_num  # where the row begins: its cells may hold line breaks
            if cells and len(cells) != len(header):
                problem = f"{len(cells)} cells, but the header has {len(header)}"
                error = RowError(f"{source}{line}", problem, "quote cells that contain the separator")
                yield Record(source, line, error)
            elif cells:
                yield Record(source, line, Cells(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise DataError(f"{name}:{reader.line_num}: not CSV ({error})") from None


def _sniffed(lines: Iterable[bytes], name: str) -> Iterator[Record]:
    """A file without an ending, or standard input: JSON Lines, JSON or CSV, by its first line."""
    lines = iter(lines)
    blank: list[bytes] = []
    first = b""
    for first in lines:
        if first.strip():
            break
        blank.append(first)
    read: Callable[[Iterable[bytes], str], Iterator[Record]] = _csv
    if first.lstrip().startswith((b"{", b"[")):
        whole_row = first.lstrip().startswith(b"{") and not isinstance(_json_line(first, name, 1).value, RowError)
        read = _jsonl if whole_row else _json
    yield from read(itertools.chain(blank, [first] if first.strip() else [], lines), name)


_READERS: Mapping[str, Callable[[Iterable[bytes], str], Iterator[Record]]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
    ".csv": _csv,
    ".tsv": partial(_csv, delimiter="\t"),
    "": _sniffed,
}
