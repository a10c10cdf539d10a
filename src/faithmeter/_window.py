"""The window of one context that overlaps most with a claim: the good form of word overlap."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq

from faithmeter.text import Span, words

Metric = Literal["rouge", "tokens", "bleu"]

_CANDIDATES = 4  # windows a context that are scored exactly, of those that hold most of the claim's words


class Window(NamedTuple):
    """A part of a context, how much of the claim it bears out, and the parts of the claim it does not."""

    context: int
    start: int
    end: int
    score: float
    gaps: tuple[tuple[int, int], ...]


class ContextIndex:
    """A context's words, folded for comparison, with their places; made once for all claims."""

    def __init__(self, text: str) -> None:
        self.spans = words(text)
        self.tokens = _folded(text, self.spans)
        self.vocabulary = frozenset(self.tokens)


def _folded(text: str, spans: Sequence[Span]) -> list[str]:
    if text.isascii():
        return [text[start:end].lower() for start, end in spans]
    return [unicodedata.normalize("NFKC", text[start:end]).casefold() for start, end in spans]


def best_window(claim: str, contexts: Sequence[ContextIndex], *, metric: Metric = "rouge") -> Window | None:
    """The window with the highest score over all contexts, the first of equals; None if no word is shared."""
    spans = words(claim)
    tokens = _folded(claim, spans)
    wanted = Counter(tokens)
    best: tuple[float, int, int, int] | None = None
    for number, context in enumerate(contexts):
        if wanted.keys().isdisjoint(context.vocabulary):
            continue
        for start, end in _candidates(wanted, context.tokens, 2 * len(tokens) + 4):
            score = _score(tokens, context.tokens[start:end], metric)
            if best is None or score > best[0]:
                best = (score, number, start, end)
    if best is None:
        return None
    score, number, start, end = best
    window = contexts[number]
    start, end = _tightened(tokens, window.tokens, (start, end), metric)
    held = frozenset(window.tokens[start:end])
    gaps = tuple((span.start, span.end) for span, token in zip(spans, tokens, strict=True) if token not in held)
    return Window(number, window.spans[start].start, window.spans[end - 1].end, score, gaps)


def _candidates(wanted: Counter[str], tokens: Sequence[str], width: int) -> list[tuple[int, int]]:
    """Windows that begin and end with a word of the claim, those with most of its words first."""
    places = [place for place, token in enumerate(tokens) if token in wanted]
    held: Counter[str] = Counter()
    shared, first = 0, 0
    found: list[tuple[int, int, int]] = []
    for last, place in enumerate(places):
        token = tokens[place]
        held[token] += 1
        shared += held[token] <= wanted[token]
        while place - places[first] >= width:
            gone = tokens[places[first]]
            shared -= held[gone] <= wanted[gone]
            held[gone] -= 1
            first += 1
        found.append((-shared, places[first], places[last] + 1))
    found.sort()
    return [(start, end) for _, start, end in found[:_CANDIDATES]]


def _tightened(claim: Sequence[str], tokens: Sequence[str], window: tuple[int, int], metric: Metric) -> tuple[int, int]:
    """Leave out words at either end as long as the score stays."""
    start, end = window
    score = _score(claim, tokens[start:end], metric)
    while end - start > 1 and _score(claim, tokens[start + 1 : end], metric) >= score:
        start += 1
    while end - start > 1 and _score(claim, tokens[start : end - 1], metric) >= score:
        end -= 1
    return start, end


def _score(claim: Sequence[str], window: Sequence[str], metric: Metric) -> float:
    if metric == "rouge":
        return float(LCSseq.similarity(claim, window)) / len(claim)
    if metric == "tokens":
        return (Counter(claim) & Counter(window)).total() / len(claim)
    return _bleu(claim, window)


def _bleu(claim: Sequence[str], window: Sequence[str]) -> float:
    """The geometric mean of the shares of the claim's 1- to 4-grams in the window; add-one beyond single words."""
    logs = []
    for order in range(1, min(4, len(claim)) + 1):
        grams = [Counter(zip(*(side[n:] for n in range(order)), strict=False)) for side in (claim, window)]
        shared, total = (grams[0] & grams[1]).total(), grams[0].total()
        smooth = order > 1
        if shared + smooth == 0:
            return 0.0
        logs.append(math.log((shared + smooth) / (total + smooth)))
    return math.exp(math.fsum(logs) / len(logs))
