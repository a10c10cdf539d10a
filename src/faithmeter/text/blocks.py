"""Finds the blocks of a text: paragraphs, list items, headings, table rows, code.

A block's span leaves out what only marks it: the bullet or number, the `#` of a heading, the fences of code,
the outer pipes of a table row. Blank lines, rules and empty markers yield no block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple


class Block(NamedTuple):
    """A block of a text; `head` is the span of the header row that names the cells of a table row."""

    start: int
    end: int
    kind: str
    head: tuple[int, int] | None = None


class _Line(NamedTuple):
    """A line that is not blank, without its markers and the white space around it."""

    start: int
    end: int
    kind: str  # "", "item", "letter" (an item if it stands in a run), "heading", "fence", "rule"
    value: int  # the number of a numbered item, or _WRAPPED
    bare: int  # where the line starts when its markers count
    indent: int = 0
    gap: bool = False  # whether a blank line, or the start of the text, stands before it


_FENCE = re.compile(r"(?:`{3,}|~{3,})[^`]*\Z|\$\$\Z|\\\[\Z")
_RULE = re.compile(r"(?:(?:-[ \t]*+){3,}|(?:\*[ \t]*+){3,}|(?:_[ \t]*+){3,}|[=~]{3,})\Z")
_QUOTE = re.compile(r"(?:>[ \t]?)+[ \t]*+")
_HEADING = re.compile(r"#{1,6}(?:[ \t]++|\Z)")
_BULLET = re.compile(r"[-*+•‣⁃◦▪▫■□●○·∙➢➤►–—](?:[ \t]++(?:\[[ xX]\](?:[ \t]++|\Z))?|\Z)|[•‣◦▪●➢➤►][ \t]*+")
_NUMBER = re.compile(
    r"(?P<bold>\*\*|__)?(?:\(?(?P<value>\d{1,3})(?:\.(?!\d)|\))|\[(?P<reference>\d{1,3})\]:?)(?(bold)(?P=bold)?)"
    r"(?:[ \t]++|\Z)"
)
_LETTER = re.compile(r"\(?(?P<value>[A-Za-z]|[ivx]{2,5}|[IVX]{2,5})[.)][ \t]++(?=\S)")
_DELIMITER = re.compile(r"\|?[ \t]*+:?-{2,}:?[ \t]*+(?:\|[ \t]*+:?-+:?[ \t]*+)*\|?\Z")
_BOLD = re.compile(r"(?:\*\*|__)[^*_\n]{1,100}(?<![.!?])(?:\*\*|__)[ \t]*:?\Z")
_LABEL = re.compile(r"[\w*#][^\s:]*(?:[ \t]+[^\s:]+){0,2}:\**\Z")
_FIELD = re.compile(r"[\"'*_]{0,8}\w[\w /().&'*-]{0,40}+[\"'*_]{0,8}:(?:\s|\Z)")
_CLAUSE_END = re.compile(r"[.!?。！？։؟۔।॥။።…:;,][\"'”’»)\]*_]*\Z")
_NUMBERED = re.compile(r"(?<!\S)(?P<open>\(?)(?P<value>\d{1,2})(?P<close>[.)])\s+(?=\S)")
_LETTERED = re.compile(r"(?<!\S)(?P<open>\(?)(?P<value>[A-Za-z])(?P<close>[.)])\s+(?=\S)")
_INLINE_BULLET = re.compile(r"(?<!\S)[•‣▪●]\s++(?=\S)")
_NAMED = re.compile(r"\b(?:step|part|chapter|section|no\.|figure|table|rule|phase|day|type)\s+\Z", re.IGNORECASE)
_FIRST_WORD = re.compile(r"\S{1,20}")
# Scripts that put no space between words: a line may end anywhere.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]")
_HAS_DIGIT = re.compile(r"\d")
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")
_WRAPPED = -1  # a number that ends the sentence of the line before it
_NESTED = 4  # markers taken off one line: "> - 1. "
_RUN_GAP = 12  # lines that may stand between two lettered items


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a text in order; they do not overlap and none is blank."""
    lines = _lines(text)
    if len(lines) == 1 and lines[0].value > 0 and lines[0].start == lines[0].end:
        yield Block(lines[0].bare, lines[0].end, "prose")  # all that the text says is "1."
        return
    at = 0
    while at < len(lines):
        if lines[at].kind == "fence":
            at, block = _code(text, lines, at)
            if block:
                yield block
        elif rows := _table(text, lines, at):
            yield from _rows(text, lines[at : at + rows])
            at += rows
        else:
            stop = at + 1
            while stop < len(lines) and not _starts_block(text, lines, stop):
                stop += 1
            yield from _paragraph(text, lines[at:stop], is_last=stop == len(lines))
            at = stop


def _starts_block(text: str, lines: list[_Line], at: int) -> bool:
    return lines[at].gap or lines[at].kind == "fence" or _table(text, lines, at) > 0


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    offset, gap = 0, True
    for raw in text.splitlines(keepends=True):
        content = raw.strip()
        if content:
            indent = len(raw) - len(raw.lstrip())
            bare = offset + indent
            lines.append(_line(text, bare, bare + len(content))._replace(indent=indent, gap=gap))
        gap = not content
        offset += len(raw)
    return _settle_letters(text, _settle_numbers(text, lines))


def _line(text: str, bare: int, end: int) -> _Line:
    """Take the markers off a line and say what they make of it."""
    start, kind, value = bare, "", 0
    first = text[bare]
    if first in "`~$\\" and _FENCE.match(text, bare, end):
        return _Line(bare, end, "fence", 0, bare)
    if first in "-*_=~" and _RULE.match(text, bare, end):
        return _Line(end, end, "rule", 0, bare)
    for _ in range(0 if first.isalpha() else _NESTED):
        if marker := _QUOTE.match(text, start, end):
            pass
        elif marker := _HEADING.match(text, start, end):
            kind = "heading"
        elif marker := _BULLET.match(text, start, end):
            kind = "item"
        elif marker := _NUMBER.match(text, start, end):
            kind, value = "item", int(marker["value"] or marker["reference"])
        if marker is None or kind == "heading":
            break
        start = marker.end()
    if kind == "heading" and marker:
        start = marker.end()
        title = text[start:end].rstrip("#")
        if not title or title[-1] in " \t":
            end = start + len(title.rstrip())
    elif not kind and start == bare and (marker := _LETTER.match(text, start, end)):
        kind, start = "letter", marker.end()
    if start == end and not kind:  # an empty line of a block quote
        kind = "rule"
    return _Line(start, end, kind, value, bare)


def _settle_numbers(text: str, lines: list[_Line]) -> list[_Line]:
    """Make plain lines of those whose number belongs to the text: "3. Oktober 1990", "42.", the end of a sentence.

    A number with a stop numbers an item when it is 1 or follows or precedes another of its list; "3)" always does.
    """
    numbered = [at for at, line in enumerate(lines) if line.value > 0]
    in_run: set[int] = set()
    for order, step in ((numbered, 1), (numbered[::-1], -1)):
        last: dict[int, int] = {}  # the last number at each indent
        for at in order:
            line = lines[at]
            if last.get(line.indent) in (line.value, line.value - step):
                in_run.add(at)
            last[line.indent] = line.value
    for at in numbered:
        line = lines[at]
        if at in in_run or not text[line.bare].isdigit() or "." not in text[line.bare : line.bare + 4]:
            continue
        wrapped = at > 0 and not line.gap and lines[at - 1].kind == "" and not _ends_clause(text, lines[at - 1])
        if wrapped or line.value > 1:
            lines[at] = line._replace(start=line.bare, kind="", value=_WRAPPED if wrapped else 0)
    return lines


def _ends_clause(text: str, line: _Line) -> bool:
    return _CLAUSE_END.search(text, max(line.start, line.end - 8), line.end) is not None


def _settle_letters(text: str, lines: list[_Line]) -> list[_Line]:
    """Make items of the lines lettered in a run ("a." then "b."), and plain lines of the rest ("J. Smith")."""
    lettered = [at for at, line in enumerate(lines) if line.kind == "letter"]
    if not lettered:
        return lines
    ranks = {at: _ranks(text[lines[at].bare : lines[at].start]) for at in lettered}
    runs = set()
    for at, after in pairwise(lettered):
        if after - at <= _RUN_GAP and {(style, rank + 1) for style, rank in ranks[at]} & ranks[after]:
            runs |= {at, after}
    for at in lettered:
        line = lines[at]
        lines[at] = line._replace(kind="item") if at in runs else line._replace(kind="", start=line.bare)
    return lines


def _ranks(marker: str) -> set[tuple[str, int]]:
    """Return what a marker may count as: "i." is the ninth letter and the first Roman number."""
    name = marker.strip(" \t().")
    style = marker.strip().replace(name, "a" if name.islower() else "A")
    name = name.lower()
    ranks = set()
    if len(name) == 1:
        ranks.add((style, ord(name) - ord("a") + 1))
    if name in _ROMAN:
        ranks.add(("roman " + style, _ROMAN.index(name) + 1))
    return ranks


def _code(text: str, lines: list[_Line], at: int) -> tuple[int, Block | None]:
    """Return the line behind a fenced block, and what stands in it; an open fence runs to the end of the text."""
    fence = text[lines[at].start : lines[at].end]
    run = len(fence) - len(fence.lstrip(fence[0]))
    close = {"$": "$$", "\\": "\\]"}.get(fence[0], fence[0] * run)
    stop = at + 1
    while stop < len(lines):
        start, end = lines[stop].bare, lines[stop].end
        if text.startswith(close, start) and not text[start:end].strip(close):
            break
        stop += 1
    inner = lines[at + 1 : stop]
    block = Block(inner[0].bare, inner[-1].end, "code") if inner else None
    return stop + 1, block


def _table(text: str, lines: list[_Line], at: int) -> int:
    """Return how many lines from `at` on are rows of one table: 0 when no table starts there."""
    line = lines[at]
    pipes = text.count("|", line.bare, line.end)
    if pipes:
        if _is_ruled(text, lines, at):
            return _count_rows(lines, at, lambda row: text.find("|", row.bare, row.end) >= 0)
        if text[line.bare] == "|" and (pipes > 1 or text.find("=", line.bare, line.end) > 0):
            return _count_rows(lines, at, lambda row: text[row.bare] == "|")
        if text.count(" | ", line.bare, line.end) > 1:
            return _count_same(text, lines, at, " | ")
    return _count_same(text, lines, at, "\t") if text.find("\t", line.bare, line.end) >= 0 else 0


def _is_ruled(text: str, lines: list[_Line], at: int) -> bool:
    """Say whether the line after `at` is the rule under a table's header."""
    if at + 1 == len(lines) or lines[at + 1].gap:
        return False
    start, end = lines[at + 1].bare, lines[at + 1].end
    return text.find("|", start, end) >= 0 and _DELIMITER.match(text, start, end) is not None


def _count_rows(lines: list[_Line], at: int, belongs: Callable[[_Line], bool]) -> int:
    stop = at + 1
    while stop < len(lines) and not lines[stop].gap and belongs(lines[stop]):
        stop += 1
    return stop - at


def _count_same(text: str, lines: list[_Line], at: int, separator: str) -> int:
    """Count the lines with as many separators as the first; one line alone is no table."""
    count = text.count(separator, lines[at].bare, lines[at].end)
    rows = _count_rows(lines, at, lambda row: text.count(separator, row.bare, row.end) == count)
    return rows if rows > 1 else 0


def _rows(text: str, lines: list[_Line]) -> Iterator[Block]:
    """Yield the rows of a table; a header names the cells of the rows below it."""
    head: tuple[int, int] | None = None
    rows = [(line.bare, line.end) for line in lines]
    ruled = len(rows) > 1 and _DELIMITER.match(text, *rows[1]) is not None
    named = ruled or (text[rows[0][0]] != "|" and len(rows) > 2 and not _HAS_DIGIT.search(text, *rows[0]))
    for index, (start, end) in enumerate(rows):
        row = text[start:end]
        if _DELIMITER.match(row):
            continue
        start += len(row) - len(row.lstrip("| \t"))
        end = start + len(row.strip("| \t"))
        if start < end:
            if named and index == 0:
                head = (start, end)
                yield Block(start, end, "header")
            else:
                yield Block(start, end, "row", head)


def _paragraph(text: str, lines: list[_Line], *, is_last: bool) -> Iterator[Block]:
    """Yield the blocks of lines between which no blank line stands."""
    wrapped = _is_wrapped(text, lines)
    at = 0
    while at < len(lines):
        line = lines[at]
        stop = at + 1
        if line.kind == "rule" or line.start == line.end:
            at = stop
            continue
        after = lines[stop] if stop < len(lines) else None
        underlined = line.kind == "" and after and after.kind == "rule" and text[after.bare] in "=-"
        if line.kind == "heading" or underlined or _is_title(text, line, is_last and after is None):
            yield Block(line.start, line.end, "heading")
        else:
            while stop < len(lines) and lines[stop].kind == "" and _goes_on(text, lines[stop], wrapped):
                stop += 1
            in_item = line.kind == "item" or (at > 0 and line.indent > 1 and lines[at - 1].kind == "item")
            block = Block(line.start, lines[stop - 1].end, "item" if in_item else "prose")
            yield from _enumerated(text, block, max(line.value, 0))
        at = stop


def _is_title(text: str, line: _Line, is_last: bool) -> bool:
    """Say whether a line without `#` is a heading: all bold, or a short label with a colon, before other text."""
    if is_last:
        return False
    if text[line.start] in "*_" and _BOLD.match(text, line.start, line.end):
        return True
    if text[line.end - 1] not in ":*" or line.end - line.start > 60:
        return False
    return _LABEL.match(text, line.start, line.end) is not None


def _is_wrapped(text: str, lines: list[_Line]) -> bool:
    """Say whether the lines were broken at a margin: no first word of a line would have fitted on the line before."""
    if len(lines) < 2:
        return False
    widths = [line.indent + line.end - line.bare for line in lines]
    width = max(widths)
    low, high = (60, 90) if len(lines) == 2 else (40, 200)
    if _UNSPACED.match(text, lines[0].start):
        low //= 2
    if not low <= width <= high:
        return False
    return all(
        line.kind != "" or before + 1 + _first_word(text, line) > width
        for before, line in zip(widths, lines[1:], strict=False)
    )


def _first_word(text: str, line: _Line) -> int:
    if _UNSPACED.match(text, line.start):
        return 2
    word = _FIRST_WORD.match(text, line.start, line.end)
    return word.end() - word.start() if word else 0


def _goes_on(text: str, line: _Line, wrapped: bool) -> bool:
    """Say whether a line goes on with what the line before it began."""
    if _FIELD.match(text, line.start, line.end):
        return False
    return wrapped or line.value == _WRAPPED or text[line.start].islower()


def _enumerated(text: str, block: Block, number: int) -> Iterator[Block]:
    """Cut a block at an enumeration inside it: "1. … 2. …"."""
    markers: list[re.Match[str]] = []
    first = f"{number + 1}" if number < 99 else "1"
    if _mentions(text, block, first):
        markers = _inline_run(text, block, _NUMBERED, number)
    if not markers and text.find("•", block.start, block.end) >= 0:
        markers = _inline_bullets(text, block)
    if not markers and not number and (_mentions(text, block, "a") or _mentions(text, block, "A")):
        markers = _inline_run(text, block, _LETTERED, 0)
    starts = [block.start, *(marker.end() for marker in markers)]
    ends = [*(marker.start() for marker in markers), block.end]
    for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
        end = start + len(text[start:end].rstrip())
        if start < end:
            yield block if not markers else Block(start, end, "item" if at else block.kind)


def _inline_bullets(text: str, block: Block) -> list[re.Match[str]]:
    """Return the bullets inside a line; a single one between words may be a separator."""
    bullets = list(_INLINE_BULLET.finditer(text, block.start, block.end))
    return bullets if block.kind == "item" or len(bullets) > 1 else []


def _mentions(text: str, block: Block, marker: str) -> bool:
    """Say whether a marker may stand in a block: a quick look before the search."""
    if all(text.find(marker + stop, block.start, block.end) < 0 for stop in (". ", ") ")):
        return False
    return _apart(marker).search(text, block.start, block.end) is not None


@lru_cache(maxsize=256)
def _apart(marker: str) -> re.Pattern[str]:
    """A marker that is not the end of a word; it comes first, as that is quick to look for."""
    return re.compile(rf"{marker}[.)](?<!\w{'.' * len(marker)}.)")


def _inline_run(text: str, block: Block, pattern: re.Pattern[str], number: int) -> list[re.Match[str]]:
    """Return the markers of a run 1, 2, … (or the next ones after `number`) or a, b, …; none when there is no run."""
    run: list[re.Match[str]] = []
    clean = True
    wanted = number + 1
    for marker in pattern.finditer(text, block.start, block.end):
        value = marker["value"]
        rank = int(value) if value.isdigit() else ord(value.lower()) - ord("a") + 1
        if rank != wanted or (run and marker["open"] + marker["close"] != run[0]["open"] + run[0]["close"]):
            continue
        if run and marker.start() - run[-1].end() < 2:
            return []
        if _NAMED.search(text, max(block.start, marker.start() - 12), marker.start()):
            continue
        before = text[max(block.start, marker.start() - 8) : marker.start()].rstrip()[-1:]
        clean = clean and (before == "" or before in (".!?:" if marker["open"] else ".!?:;"))
        run.append(marker)
        wanted += 1
    length = len(run) + (number > 0)
    loose = 3 if run and not run[0]["open"] and run[0]["close"] == "." else 99
    return run if length >= (2 if clean else loose) and run else []
