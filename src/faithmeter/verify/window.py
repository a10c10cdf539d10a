"""The window of one context that overlaps most with a claim: the good form of word overlap.

Case, the form of characters and punctuation do not count, and an English function word counts a quarter of any other
word: on 15 training sets (500 claims of each) that separates the supported claims better than equal weights do, mean
AUROC .683 against .667 for rouge and .698 against .683 for tokens. A half gave less, an eighth the same within .001.
"""

from __future__ import annotations

import heapq
import math
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq

from faithmeter.text import Span, words
from faithmeter.text.english.word_tables import STOP_WORDS

Metric = Literal["rouge", "tokens", "bleu"]
# A claim and a window are strings to a score: one character for each distinct word of the claim, `_OTHER` for the rest.
_Score = Callable[[str], float]
_OTHER = "\0"

_CANDIDATES = 8  # windows that are scored exactly, of those that hold most of the claim's words
_LIGHT, _FULL = 1, 4  # integers, so that a claim found word for word scores exactly 1
_LIGHT_WORDS = (STOP_WORDS | {"'s", "’s"}) - {"no", "nor", "not"}  # a negation is no light matter


class Window(NamedTuple):
    """A part of a context, how much of the claim it supports, and the parts of the claim it does not."""

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
        self.places: dict[str, list[int]] = defaultdict(list)
        for index, token in enumerate(self.tokens):
            self.places[token].append(index)


def _folded(text: str, spans: Sequence[Span]) -> list[str]:
    if text.isascii():
        lower = text.lower()
        return [lower[start:end] for start, end in spans]
    return [unicodedata.normalize("NFKC", text[start:end]).casefold() for start, end in spans]


def best_window(claim: str, contexts: Sequence[ContextIndex], *, metric: Metric = "rouge") -> Window | None:
    """Return the window with the highest score over all contexts, or None if no word is shared.

    The score is the share of the claim that the window holds: as a common subsequence (`rouge`), as words in any
    order (`tokens`), or as runs of one to four words (`bleu`). A window has at most about twice the claim's words.
    """
    spans = words(claim)
    tokens = _folded(claim, spans)
    codes = {token: chr(code_point) for code_point, token in enumerate(dict.fromkeys(tokens), 1)}
    weights = {code: _LIGHT if token in _LIGHT_WORDS else _FULL for token, code in codes.items()}
    coded_claim = "".join(codes[token] for token in tokens)
    score = _SCORES[metric](coded_claim, weights)
    total = sum(weights[code] for code in coded_claim)
    light = sum(weights[code] == _LIGHT for code in coded_claim)

    best: tuple[float, int, int, str] | None = None
    for held, shortness, earliness, start in heapq.nlargest(_CANDIDATES, _candidates(tokens, contexts)):
        if best and (best[0] == 1 or (metric != "bleu" and (_FULL * held + light) / total <= best[0])):
            break  # the rest could be better only by full words just outside the stretch
        stretch = contexts[-earliness].tokens[start : start - shortness]
        coded = "".join([codes.get(token, _OTHER) for token in stretch])
        value = score(coded)
        if best is None or value > best[0]:
            best = (value, -earliness, start, coded)
    if best is None:
        return None
    value, context_index, start, coded = best
    context = contexts[context_index]
    first, last = (start + offset for offset in _tightened(coded, score))
    present = frozenset(context.tokens[first : last + 1])
    gaps = tuple((span.start, span.end) for span, token in zip(spans, tokens, strict=True) if token not in present)
    return Window(context_index, context.spans[first].start, context.spans[last].end, value, gaps)


def _candidates(tokens: Sequence[str], contexts: Sequence[ContextIndex]) -> Iterable[tuple[int, int, int, int]]:
    """Yield the windows around the claim's full words, or around any of its words where no full one is found.

    Each is a tuple that compares as greater the better it looks: full words held, less words, less contexts before it;
    then where it starts.
    """
    full = [index for index, token in enumerate(tokens) if token not in _LIGHT_WORDS]
    anchors = Counter(tokens[index] for index in full)
    before, after = (full[0], len(tokens) - 1 - full[-1]) if full else (0, 0)
    if not any(token in context.places for context in contexts for token in anchors):
        anchors, before, after = Counter(tokens), 0, 0
    width = 2 * len(tokens) + 4
    for context_index, context in enumerate(contexts):
        for held, start, end in _stretches(anchors, context, width):
            # take in the light words that the claim opens or closes with
            start, end = max(0, start - before), min(len(context.tokens), end + after)
            yield held, start - end, -context_index, start


def _stretches(anchors: Counter[str], context: ContextIndex, width: int) -> Iterable[tuple[int, int, int]]:
    """Yield each stretch of at most `width` words that no longer one contains, and how many anchors it holds."""
    positions = sorted(position for token in anchors for position in context.places.get(token, ()))
    held = dict.fromkeys(anchors, 0)
    count = first = 0
    for last, position in enumerate(positions):
        if position - positions[first] >= width:
            yield count, positions[first], positions[last - 1] + 1
        while position - positions[first] >= width:
            gone = context.tokens[positions[first]]
            count -= held[gone] <= anchors[gone]
            held[gone] -= 1
            first += 1
        token = context.tokens[position]
        held[token] += 1
        count += held[token] <= anchors[token]
    if positions:
        yield count, positions[first], positions[-1] + 1


def _tightened(window: str, score: _Score) -> tuple[int, int]:
    """Return the first and last word needed for the score, which never grows as a window shrinks."""
    value = score(window)
    first = bisect_left(range(1, len(window)), True, key=lambda start: score(window[start:]) < value)
    window = window[first:]
    length = 1 + bisect_left(range(1, len(window)), True, key=lambda end: score(window[:end]) >= value)
    return first, first + length - 1


def _rouge(claim: str, weights: dict[str, int]) -> _Score:
    """Score by the longest common subsequence; a word is repeated as often as it weighs, so one call does it."""
    repeated = {code: code * weight for code, weight in weights.items()} | {_OTHER: ""}
    whole = "".join(repeated[code] for code in claim)

    def score(window: str) -> float:
        return LCSseq.similarity(whole, "".join([repeated[code] for code in window])) / len(whole)

    return score


def _tokens(claim: str, weights: dict[str, int]) -> _Score:
    """Score by the words in any order, each as often as the window has it."""
    wanted = Counter(claim)
    total = sum(weights[code] for code in claim)

    def score(window: str) -> float:
        return sum(weights[code] * min(count, window.count(code)) for code, count in wanted.items()) / total

    return score


def _bleu(claim: str, weights: dict[str, int]) -> _Score:
    """Score by the geometric mean of the shares of 1- to 4-grams, one added to each count beyond single words.

    All words weigh the same. There is no brevity penalty: a window is longer than what it supports by design.
    """
    orders = range(1, min(4, len(claim)) + 1)
    wanted = [Counter(claim[at : at + order] for at in range(len(claim) + 1 - order)) for order in orders]

    def score(window: str) -> float:
        logs = []
        for order, grams in zip(orders, wanted, strict=True):
            present = [(gram, count) for gram, count in grams.items() if gram in window]
            shared = sum(1 if count == 1 else min(count, _occurrences(gram, window)) for gram, count in present)
            if not shared and order == 1:
                return 0.0
            smooth = order > 1
            logs.append(math.log((shared + smooth) / (grams.total() + smooth)))
        return math.exp(math.fsum(logs) / len(logs))

    return score


def _occurrences(gram: str, window: str) -> int:
    """Count also those that overlap, which `str.count` does not."""
    return sum(window.startswith(gram, at) for at in range(len(window)))


_SCORES: dict[Metric, Callable[[str, dict[str, int]], _Score]] = {"rouge": _rouge, "tokens": _tokens, "bleu": _bleu}
