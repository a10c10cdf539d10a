"""Finds a quote in the context that it is quoted from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz import fuzz

from faithmeter.text import Span

_FUZZY_AT_LEAST = 90.0
_FUZZY_FROM = 16
"""Shorter quotes must be found without a fuzzy search: in a few letters one difference is too much."""
_FUZZY_TO = 2_000
"""Longer quotes must be, too: the time of a fuzzy search grows with the quote's length times the text's."""
_GAP_AT_MOST = 600
_ELLIPSIS = re.compile(r"(?:\[\s*+)?(?:\.\s?\.\s?\.+|…)(?:\s*+\])?")
_FOLD = {"‘": "'", "’": "'", "‚": "'", "“": "'", "”": "'", "„": "'", "«": "'", "»": "'", "`": "'", '"': "'",
         "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "­": ""}  # fmt: skip
_NEGATIONS = frozenset(["not", "no", "never", "none", "nor", "without", "cannot", "n't"])


def locate(quote: str, text: str) -> Span | None:
    """Find where a text says what is quoted from it, or None if it does not.

    Exactly; else regardless of case, white space and the shape of quotes and dashes; else in parts
    joined by an ellipsis; else with a few letters wrong, but never with another number or negation.
    """
    if not quote.strip():
        return None
    at = text.find(quote)
    if at >= 0:
        return Span(at, at + len(quote))
    folded, offsets = _folded(text)
    return _locate_folded(quote, folded, offsets)


def whole_words(text: str, span: Span) -> str:
    """A stretch of a text with the words it cuts: an "e" that was found in "tower" quotes "tower"."""
    start, end = _to_words(text, span.start, span.end)
    return text[start:end]


def _locate_folded(quote: str, folded: str, offsets: list[int]) -> Span | None:
    wanted = _folded(quote)[0].strip().strip("\"'").strip()
    if not wanted:
        return None
    at = folded.find(wanted)
    if at >= 0:
        return _source_span(at, at + len(wanted), offsets)
    parts = [part for part in _ELLIPSIS.split(quote) if part.strip()]
    if len(parts) > 1:
        return _joined(parts, folded, offsets)
    if not _FUZZY_FROM <= len(wanted) <= _FUZZY_TO or len(wanted) > len(folded) * 1.2:
        return None
    best = fuzz.partial_ratio_alignment(wanted, folded, score_cutoff=_FUZZY_AT_LEAST)
    if best is None or best.dest_end <= best.dest_start:
        return None
    start, end = _to_words(folded, best.dest_start, best.dest_end)
    if _facts(wanted) != _facts(folded[start:end]):
        return None
    return _source_span(start, end, offsets)


def _joined(parts: Sequence[str], folded: str, offsets: list[int]) -> Span | None:
    """Find the parts of a quote one after the other, not too far apart."""
    first = end = None
    for part in parts:
        wanted = _folded(part)[0].strip().strip("\"'").strip()
        at = folded.find(wanted, end or 0)
        if not wanted or at < 0 or (end is not None and at - end > _GAP_AT_MOST):
            return None
        first = at if first is None else first
        end = at + len(wanted)
    return None if first is None or end is None else _source_span(first, end, offsets)


def _folded(text: str) -> tuple[str, list[int]]:
    """Fold case, white space, quotes and dashes; also give each folded character's offset in the text."""
    out: list[str] = []
    offsets: list[int] = []
    for offset, char in enumerate(text):
        plain = _FOLD.get(char)
        if plain is None:
            plain = char if char.isascii() else unicodedata.normalize("NFKC", char)
            plain = "".join(_FOLD.get(c, c) for c in plain).casefold()
        for c in plain:
            c = " " if c.isspace() else c
            if c != " " or (out and out[-1] != " "):
                out.append(c)
                offsets.append(offset)
    return "".join(out), offsets


def _source_span(start: int, end: int, offsets: list[int]) -> Span:
    return Span(offsets[start], offsets[end - 1] + 1)


def _to_words(folded: str, start: int, end: int) -> tuple[int, int]:
    """Widen a stretch to whole words, then trim the white space around it."""
    while start > 0 and folded[start - 1].isalnum() and folded[start].isalnum():
        start -= 1
    while end < len(folded) and folded[end - 1].isalnum() and folded[end].isalnum():
        end += 1
    while start < end - 1 and folded[start] == " ":
        start += 1
    while end > start + 1 and folded[end - 1] == " ":
        end -= 1
    return start, end


def _facts(folded: str) -> tuple[list[str], int]:
    """What a fuzzy match must not change: the numbers, and how often something is denied."""
    words = re.findall(r"\d+(?:[.,]\d+)*|n't|[a-z]+", folded)
    return [word for word in words if word[0].isdigit()], sum(word in _NEGATIONS for word in words)
