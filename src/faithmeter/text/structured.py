"""Turns what is not prose in a context into readable units: JSON, `key: value` lines, table rows.

A sentence splitter finds no evidence in a record. Here every field is one unit with its keys made readable
("Business Parking, garage: no"), and its span is the field as it stands in the source. The scanner is tolerant:
contexts are cut by chunkers, so a record may lack its head or its tail, and Python's own notation is common.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from faithmeter.text.blocks import Block, blocks
from faithmeter.text.escapes import unescape
from faithmeter.text.sentences import spans, split


class Unit(NamedTuple):
    """A piece of a context: where it stands in the source, and its readable form."""

    start: int
    end: int
    text: str
    fields: tuple[tuple[str, str], ...] = ()
    """What it holds, by name: the cells of a table row, a field of a record, the entries of a list."""
    record: tuple[int, int] | None = None
    """Where the table or list begins, and in it the row or object that these fields are of."""


_KEY = r"""(?:"[^"\n]{1,100}"|'[^'\n]{1,100}')\s*+:"""
_START = re.compile(
    rf"""\{{\s*+{_KEY}|^[^\S\n]*+\[\s*+(?=\{{\s*+{_KEY}|"[^"\n]*+"\s*+[,\]])""",
    re.MULTILINE,
)
_VALUE = r"""(?=["'\d\[{-]|true|false|null|True|False|None|NaN)"""
_PAIR = re.compile(rf"{_KEY}\s*+{_VALUE}")
_TOKEN = re.compile(
    r"""\s*+(?:
        "(?P<double>[^"\\]*+(?:\\.[^"\\]*+)*)(?:"|\\?\Z)
      | '(?P<single>[^'\\]*+(?:\\.[^'\\]*+)*)(?:'|\\?\Z)
      | (?P<mark>[{}\[\],:])
      | (?P<bare>[^\s{}\[\],:"']++)
    )""",
    re.VERBOSE | re.DOTALL,
)
_NONSPACE = re.compile(r"\S")
_COLON = re.compile(r"\s*+:")
_BARE = re.compile(r"[^,}\]\n]*+")
# What a record may start with when its head was cut off: the rest of a key, of a string, of another value.
_CUT_KEY = re.compile(rf"""\A\s*+\w*+["']\s*+:\s*+{_VALUE}""")
_CUT_STRING = re.compile(r"""(?P<text>(?:[^"\\]|\\.)*)"[\s,}\]]*+\Z""", re.DOTALL)
_CUT_VALUE = re.compile(r"[\w.-]*+[\s,}\]]*+\Z")
_ESCAPED_TEXT = re.compile(r'\\n\\n|\\"')
_CASES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HOURS = re.compile(r"(\d{1,2}):(\d{1,2})\s*-\s*(\d{1,2}):(\d{1,2})\Z")
_FIELD = re.compile(
    r"(?P<key>[\"'*_]{0,8}\w[\w /().&'*-]{0,40}+[\"'*_]{0,8}):(?:[ \t]+(?P<value>\S.*)|[ \t]*\Z)", re.DOTALL
)
_ASSIGNED = re.compile(r"(?P<key>\w[\w ]{0,40}+)=[ \t]*(?P<value>.*)", re.DOTALL)
_PARAGRAPH = re.compile(r"\S[^\n]*+(?:\n[^\S\n]*+\S[^\n]*+)*")
_CELL = re.compile(r"(?<!\\)\|")

_VALUES = {"true": "yes", "false": "no", "null": "not given", "none": "not given", "nan": "not given", "": "not given"}
# Keys that only wrap what they hold and tell a reader nothing.
_WRAPPERS = frozenset(["attributes", "properties", "data", "fields", "details", "metadata", "results", "items"])
_INDENT = 400  # what stands further to the right is not nested more deeply
_PATH = 4  # keys shown before the last one: enough to read, and deep nesting does not make units long
_LIST = 40  # scalars of a list in one unit
_KEY_LENGTH = 80
_LONGEST = 1200  # characters of a unit of prose: text without stops is cut at a space
_PROSE = 12  # words from which on a value of several sentences is prose


def units(text: str, *, language: str) -> Iterator[Unit]:
    """Yield the units of a context in order."""
    at = 0
    starts = _Starts(text)
    while (record := _next_record(text, at, starts)) is not None:
        start, headless = record
        yield from _before(text, at, start, language, headless=headless)
        scanner = _Scanner(text, start, language, headless=headless)
        yield from scanner.run()
        at = max(scanner.at, start + 1)
    yield from _plain(text, at, len(text), language)


class _Starts:
    """Where whole records start; a search that went far ahead, or found nothing up to the end, is not repeated."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = -1

    def after(self, at: int) -> int:
        """The first start at or behind `at`, or the length of the text."""
        if self._next < at:
            match = _START.search(self._text, at)
            self._next = match.start() if match else len(self._text)
        return self._next


def _next_record(text: str, at: int, starts: _Starts) -> tuple[int, bool] | None:
    """Return where the next record starts, and whether its opening brace was cut off."""
    if at == 0 and (key := _CUT_KEY.match(text)):
        return key.end(), True
    stop = starts.after(at)
    pair = _PAIR.search(text, at, stop + 1)
    if pair:
        before = text[max(at, pair.start() - 80) : pair.start()].rstrip()[-1:]
        if before in ("", ",", "{") or _PAIR.search(text, pair.end(), stop + 1):
            return pair.start(), True
    return (stop, False) if stop < len(text) else None


def _before(text: str, start: int, end: int, language: str, *, headless: bool) -> Iterator[Unit]:
    """Yield what stands before a record: prose, or what was left of a string when the record lost its head."""
    if start == 0 and _CUT_KEY.match(text):
        return
    if rest := _CUT_STRING.match(text, start, end):
        yield from _string(*unescape(rest["text"]), start, language)
    elif not (headless and _CUT_VALUE.match(text, start, end)):
        yield from _plain(text, start, end, language)


class _Frame:
    """An object or list that is open: what it is called, and the scalars of a list not yet given out."""

    __slots__ = ("count", "is_list", "label", "name", "record", "scalars", "start")

    def __init__(self, start: int, name: str, label: str, is_list: bool, parent: _Frame | None = None) -> None:
        self.start = start
        self.name = name
        self.label = label
        self.is_list: bool = is_list
        self.record: tuple[int, int] = parent.record if parent else (-1, start)
        """The innermost object that stands in a list, with that list, or else the outermost."""
        if parent and parent.is_list and not is_list:
            self.record = (parent.start, start)
        self.count = 0
        self.scalars: list[tuple[int, int, str]] = []


class _Scanner:
    """Reads one record, in one pass and without recursion."""

    def __init__(self, text: str, at: int, language: str, *, headless: bool) -> None:
        self.text = text
        self.at = at
        self.language = language
        self.headless = headless
        self.key: tuple[int, str] | None = None
        self.frames: list[_Frame] = []
        if headless:
            self.frames.append(_Frame(at, "", "", False))

    def run(self) -> Iterator[Unit]:
        """Yield the units of the record; afterwards `at` stands behind it."""
        while token := _TOKEN.match(self.text, self.at):
            kind = token.lastgroup or ""
            start = token.start(kind) - (kind in ("double", "single"))
            char = self.text[start]
            if kind == "bare" and self._is_prose(token):
                break
            self.at = token.end()
            if kind != "mark":
                yield from self._scalar(kind, start, token)
            elif char in "{[":
                yield from self._open(start, char == "[")
            elif char in "}]":
                yield from self._close(self.at)
                if not self.frames:
                    break
            elif char == ",":
                self.key = None
        while self.frames:
            yield from self._flush(self.frames.pop())

    def _is_prose(self, token: re.Match[str]) -> bool:
        """Say whether the record broke off here and other text follows."""
        in_object = bool(self.frames) and not self.frames[-1].is_list
        return in_object and self.key is None and not _COLON.match(self.text, token.end())

    def _open(self, start: int, is_list: bool) -> Iterator[Unit]:
        parent = self.frames[-1] if self.frames else None
        if parent and parent.is_list:
            yield from self._flush(parent)
            parent.count += 1
            name = f"{parent.name} {parent.count}" if parent.name else ""
        else:
            if parent:
                parent.count += 1
            name = self.key[1] if self.key else ""
            if name.lower() in _WRAPPERS:
                name = ""
        begin = self.key[0] if self.key else start
        self.frames.append(_Frame(begin, name, "" if is_list else name, is_list, parent))
        self.key = None

    def _close(self, end: int) -> Iterator[Unit]:
        frame = self.frames.pop()
        if frame.count == 0 and not frame.scalars and frame.name:
            yield Unit(frame.start, end, f"{self._path(frame.name)}: not given")
        yield from self._flush(frame, end)
        self.key = None
        if not self.frames and self.headless:
            self.frames.append(_Frame(end, "", "", False))

    def _scalar(self, kind: str, start: int, token: re.Match[str]) -> Iterator[Unit]:
        """Take a string or a bare word: a key, a value of the open object, or an entry of the open list."""
        frame = self.frames[-1]
        if not frame.is_list and self.key is None and _COLON.match(self.text, self.at):
            key, _ = unescape(token[kind])
            self.key = (start, readable_key(key))
            return
        sentences: list[Unit] = []
        if kind == "bare":
            rest = _BARE.match(self.text, self.at)  # a bare value may be several words
            self.at += len(rest[0].rstrip()) if rest else 0
            value = _value(self.text[start : self.at])
        else:
            decoded, source = unescape(token[kind])
            sentences = list(_string(decoded, source, token.start(kind), self.language))
            value = _value(decoded)
        end = start + len(self.text[start : self.at].rstrip())  # a string that was cut off may end in a blank
        frame.count += 1
        if len(sentences) > 1 and value.count(" ") >= _PROSE - 1:
            yield from self._flush(frame)
            yield from sentences
        elif frame.is_list:
            frame.scalars.append((start, end, value))
            if len(frame.scalars) == _LIST:
                yield from self._flush(frame)
        elif self.key:
            path = self._path(self.key[1])
            yield Unit(self.key[0], end, f"{path}: {value}", ((path, value),), frame.record)
        else:
            yield Unit(start, end, value)
        if not frame.is_list:
            self.key = None

    def _flush(self, frame: _Frame, closed: int = 0) -> Iterator[Unit]:
        """Give out the scalars that a list has gathered, as one unit: with key and brackets when they are all."""
        if not frame.scalars:
            return
        whole = len(frame.scalars) == frame.count
        start = frame.start if whole else frame.scalars[0][0]
        end = closed if whole and closed else frame.scalars[-1][1]
        values = ", ".join(value for _, _, value in frame.scalars)
        path = self._path(frame.name)
        fields = tuple((path, value) for _, _, value in frame.scalars)
        record = self.frames[-1].record if self.frames else (-1, -1)
        yield Unit(start, end, f"{path}: {values}" if path else values, fields, record)
        frame.scalars = []

    def _path(self, name: str) -> str:
        labels = [frame.label for frame in self.frames[-_PATH:] if frame.label and frame.label != name]
        return ", ".join([*labels, name] if name else labels)


def _string(decoded: str, source: Callable[[int], int], start: int, language: str) -> Iterator[Unit]:
    """Yield the sentences in a string that stands at `start` of the source."""
    for first, last, _ in spans(decoded, language=language):
        yield Unit(start + source(first), start + source(last), _folded(decoded[first:last]))


def readable_key(key: str) -> str:
    """Split snake_case and camelCase into words."""
    spaced = _CASES.sub(" ", key[:_KEY_LENGTH].replace("_", " "))
    return _folded(spaced).replace("Wi Fi", "Wi-Fi")


def _value(raw: str) -> str:
    value = _folded(raw)
    if hours := _HOURS.match(value):
        opens, past, closes, late = hours.groups()
        return f"{opens}:{past:0>2}-{closes}:{late:0>2}"
    return _VALUES.get(value.lower(), value)


def _folded(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str, start: int, end: int, language: str) -> Iterator[Unit]:
    """Yield the units of a stretch of text that holds no JSON."""
    part = text[start:end]
    if _ESCAPED_TEXT.search(part) and "\n" not in part.strip():  # from the middle of a string
        yield from _string(*unescape(part), start, language)
        return
    labels: list[tuple[int, str]] = []  # the open keys of an indented record
    head: tuple[int, int] | None = None
    names: list[str] = []
    for block in blocks(part):
        if block.kind == "row":
            if block.head != head:
                head, names = block.head, _cells(part, *block.head) if block.head else []
            record = (start + block.head[0], start + block.start) if block.head else None
            block_units: Iterable[Unit] = [Unit(block.start, block.end, *_row(part, block, names), record)]
        elif block.kind == "code":
            paragraphs = _PARAGRAPH.finditer(part, block.start, block.end)
            block_units = (unit for match in paragraphs for unit in _pieces(part, *match.span()))
        elif block.kind == "header":
            continue
        else:
            block_units = _field(part, block, labels, language)
        if start == 0:
            yield from block_units
            continue
        for unit in block_units:
            yield Unit(start + unit.start, start + unit.end, *unit[2:])


def _pieces(text: str, start: int, end: int) -> Iterator[Unit]:
    """Yield a stretch of text as one unit, or as several where it is too long to be shown to a verifier."""
    while end - start > _LONGEST:
        space = text.rfind(" ", start + _LONGEST // 2, start + _LONGEST)
        cut = space if space > 0 else start + _LONGEST
        piece = text[start:cut].rstrip()
        if piece:
            yield Unit(start, start + len(piece), _folded(piece))
        after = _NONSPACE.search(text, cut, end)
        start = after.start() if after else end
    if start < end:
        yield Unit(start, start + len(text[start:end].rstrip()), _folded(text[start:end]))


def _field(text: str, block: Block, labels: list[tuple[int, str]], language: str) -> Iterator[Unit]:
    """Yield a `key: value` line as one unit, and anything else by its sentences."""
    content = text[block.start : block.end]
    field = _FIELD.match(content)
    line = max(0, block.start - _INDENT)
    indent = block.start - max(text.rfind("\n", line, block.start), line - 1) - 1
    while labels and (indent <= labels[-1][0] or not field):
        labels.pop()
    pieces = [(0, len(content))] if block.kind == "heading" else split(content, language=language)
    if field is None or (len(pieces) > 1 and content.count(" ") >= _PROSE * 2):
        for first, last in pieces:
            start, piece = block.start + first, content[first:last]
            if len(piece) > _LONGEST:
                yield from _pieces(text, start, block.start + last)
            elif piece:
                yield Unit(start, start + len(piece.rstrip()), _folded(piece))
        return
    key = field["key"].strip("\"'")
    path = [label for _, label in labels[-_PATH:]]
    if field["value"] is None:
        labels.append((indent, readable_key(key)))
    value = (field["value"] or "").strip().strip("\"'")
    if path or _is_identifier(key) or value.lower() in _VALUES:
        readable = _value(value) if field["value"] else ""
        yield Unit(block.start, block.end, f"{', '.join([*path, readable_key(key)])}: {readable}".rstrip())
    else:
        yield Unit(block.start, block.end, _folded(content))


def _is_identifier(key: str) -> bool:
    return key.isidentifier() and readable_key(key) != key


def _row(text: str, block: Block, names: list[str]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Pair the cells of a table row with the names in its header: as text, and as they are."""
    cells = _cells(text, block.start, block.end)
    if len(cells) == 1 and (assigned := _ASSIGNED.match(cells[0])):
        field = (readable_key(assigned["key"].strip()), _value(assigned["value"]))
        return ": ".join(field), (field,)
    fields = tuple((name, cell) for name, cell in zip_longest(names[: len(cells)], cells, fillvalue="") if cell)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in fields), fields


def _cells(text: str, start: int, end: int) -> list[str]:
    """Return the cells of a row, with the empty ones that its span leaves out at either end."""
    while start > 0 and text[start - 1] in "| \t":
        start -= 1
    while end < len(text) and text[end] in "| \t":
        end += 1
    row = text[start:end].strip(" ")
    if "|" not in row:
        return [_folded(cell) for cell in row.split("\t")]
    row = row.strip()
    return [_folded(cell) for cell in _CELL.split(row.removeprefix("|").removesuffix("|"))]
