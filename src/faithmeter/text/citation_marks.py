"""Finds the citation marks of an answer and the passages that they name.

Known: `[1]`, `[1, 3]`, `[2-4]`, `[^2]`, `(Doc 2)`, `[Source 1]`, `【1†source】`, `【4:0†source】`, superscripts, and
footnotes: `[^1]: name` below the answer says which passage a mark is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Mark(NamedTuple):
    """A mark in an answer, and the names in it."""

    start: int
    end: int
    names: tuple[str, ...]


_NOUN = r"(?:docs?|documents?|sources?|passages?|contexts?|refs?|references?|citations?|chunks?|results?)\.?"
_LIST = r"\d{1,3}(?:\s?[,;&]\s?\d{1,3}|\s?(?:and)\s\d{1,3}|\s?[-–]\s?\d{1,3})*"
_SQUARE = re.compile(rf"\[(?P<list>{_LIST})\](?!\(|:)")
_FOOTNOTE = re.compile(r"\[\^(?P<name>[\w.-]{1,40})\](?!:)")
_NAMED = re.compile(
    rf"[(\[](?:see |from |cf\. )?{_NOUN}:?\s*#?(?P<list>(?>{_LIST}(?:\s?[,;]\s?(?:{_NOUN}\s*)?\d{{1,3}})*))[)\]]",
    re.IGNORECASE,
)
_LENTICULAR = re.compile(r"【(?:(?P<message>\d{1,4}):)?(?P<number>\d{1,4})(?:†[^【】]{0,200})?】")
_SUPERSCRIPT = re.compile(r"(?<=[.,;!?)”\"'])[¹²³⁰⁴-⁹]{1,2}(?![⁰¹²³⁴-⁹])")
_IDENTIFIER = re.compile(r"\[(?P<name>[A-Za-z][\w.-]{0,60})\](?!\(|:)")
_DEFINITION = re.compile(
    r"^[ \t]*\[\^?(?P<name>[\w.-]{1,40})\]:?[ \t]+(?P<said>\S(?:.*[^ \t\n])?)[ \t]*$", re.MULTILINE
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RANGE = re.compile(r"(\d{1,3})\s?[-–]\s?(\d{1,3})")
_LONGEST_RANGE = 20
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


def marks(answer: str, ids: Iterable[str] = ()) -> list[Mark]:
    """The marks of an answer, in order; `ids` are names of passages, which may stand in brackets by themselves."""
    closed, taken = bytearray(len(answer)), bytearray(len(answer))
    for start, end in (match.span() for pattern in (_CODE, _DEFINITION) for match in pattern.finditer(answer)):
        closed[start:end] = b"\1" * (end - start)
    known = set(ids)
    kept: list[Mark] = []
    for pattern in (_SQUARE, _FOOTNOTE, _NAMED, _LENTICULAR, _SUPERSCRIPT, _IDENTIFIER):
        for match in pattern.finditer(answer):
            start, end = match.span()
            if closed[start]:
                continue
            names = _names(match)
            if pattern is _IDENTIFIER and names[0] not in known:
                continue
            if not any(taken[start:end]):
                taken[start:end] = b"\1" * (end - start)
                kept.append(Mark(start, end, names))
    return sorted(kept)


def unmarked(text: str) -> str:
    """A sentence without its marks."""
    pieces, at = [], 0
    for mark in marks(text):
        pieces.append(text[at : mark.start].rstrip())
        at = mark.end
    return "".join([*pieces, text[at:]])


def _names(match: re.Match[str]) -> tuple[str, ...]:
    groups = match.groupdict()
    if groups.get("list"):
        numbers: list[str] = []
        for part in re.split(r"[,;&]|\band\b", groups["list"]):
            if spread := _RANGE.search(part):
                first, last = int(spread[1]), int(spread[2])
                if first <= last <= first + _LONGEST_RANGE:
                    numbers += [str(number) for number in range(first, last + 1)]
            elif digits := re.search(r"\d+", part):
                numbers.append(digits[0])
        return tuple(dict.fromkeys(numbers))
    if groups.get("message") is not None:  # message:index, from 0
        return (str(int(groups["number"]) + 1),)
    return (groups.get("name") or groups.get("number") or match[0].translate(_SUPERSCRIPTS),)


def definitions(answer: str) -> dict[str, str]:
    """What footnotes and lists of sources below an answer say of each name."""
    return {match["name"]: match["said"] for match in _DEFINITION.finditer(answer)}


def resolve(name: str, ids: Sequence[str | None], said: Mapping[str, str], *, from_zero: bool = False) -> int | None:
    """The passage that a name means: its id, what a footnote says of it, or its number; None if there is none."""
    known = {id_.casefold(): index for index, id_ in enumerate(ids) if id_}
    for text in (name, said.get(name, "")):
        if text and text.casefold() in known:
            return known[text.casefold()]
    if name in said:
        inside = [index for id_, index in known.items() if id_ in said[name].casefold()]
        if len(inside) == 1:
            return inside[0]
    digits = re.fullmatch(r"(?:doc|source|passage|ref|fn|note)?[-_ ]?(\d{1,4})", name, re.IGNORECASE)
    if digits is None:
        return None
    index = int(digits[1]) - (not from_zero)
    return index if 0 <= index < len(ids) else None
