"""Sentences, words and readable units of a text, each with exact character offsets."""

from __future__ import annotations

import re
from typing import NamedTuple

from faithmeter._blocks import blocks
from faithmeter._prose import split
from faithmeter.records import Unit
from faithmeter.records import units as read_units

__all__ = ["Sentence", "Span", "Unit", "sentences", "units", "words"]


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


_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\W_]+")


def sentences(text: str, *, language: str = "en") -> list[Sentence]:
    """Split a text into its sentences, in order."""
    found = []
    for block in blocks(text):
        if block.kind in ("prose", "item"):
            offset = block.start
            for start, end in split(text[offset : block.end], language=language):
                found.append(Sentence(offset + start, offset + end, block.kind))
        else:
            kind = "heading" if block.kind == "header" else block.kind
            found.append(Sentence(block.start, block.end, kind))
    return found


def words(text: str) -> list[Span]:
    """Find the words of a text."""
    return [Span(*match.span()) for match in _WORD.finditer(text)]


def units(text: str, *, language: str = "en") -> list[Unit]:
    """Cut a context into readable pieces: sentences of prose, fields of records, rows of tables."""

    def spans(part: str) -> list[tuple[int, int]]:
        return [(sentence.start, sentence.end) for sentence in sentences(part, language=language)]

    return list(read_units(text, split=spans))
