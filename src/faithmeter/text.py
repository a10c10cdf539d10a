"""Sentences, words and readable units of a text, each with exact character offsets."""

from __future__ import annotations

import re
from typing import NamedTuple

from sentencex import segment


class Span(NamedTuple):
    """A stretch of a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the stretch of `text` that the span marks."""
        return text[self.start : self.end]


class Sentence(NamedTuple):
    """A sentence of a text: where it lies, and what kind of block it stands in."""

    start: int
    end: int
    kind: str

    def of(self, text: str) -> str:
        """Return the sentence as it stands in `text`."""
        return text[self.start : self.end]


class Unit(NamedTuple):
    """A piece of a context: its place in the source, and its readable form."""

    start: int
    end: int
    text: str


_MARKER = re.compile(r"[ \t]*(?:(?P<item>[-*+•]|\d{1,3}[.)])|(?P<heading>#{1,6}))[ \t]+")
_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\W_]+")


def sentences(text: str, *, language: str = "en") -> list[Sentence]:
    """Split a text into its sentences, in order."""
    found = []
    offset = 0
    for line in text.splitlines(keepends=True):
        marker = _MARKER.match(line)
        at = offset + (marker.end() if marker else 0)
        kind = (marker.lastgroup if marker else None) or "prose"
        safe = line[at - offset :].encode("utf-8", "replace").decode()
        for piece in segment(language, safe):
            start = at + len(piece) - len(piece.lstrip())
            end = at + len(piece.rstrip())
            if start < end:
                found.append(Sentence(start, end, kind))
            at += len(piece)
        offset += len(line)
    return found


def words(text: str) -> list[Span]:
    """Find the words of a text."""
    return [Span(*match.span()) for match in _WORD.finditer(text)]


def units(text: str, *, language: str = "en") -> list[Unit]:
    """Cut a context into readable pieces."""
    return [Unit(s.start, s.end, " ".join(s.of(text).split())) for s in sentences(text, language=language)]
