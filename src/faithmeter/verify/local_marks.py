"""Which words of an unsupported claim `local` marks, by how likely the model calls each of them unsupported."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Gaps = tuple[tuple[int, int], ...]


class Token(NamedTuple):
    """A token of a claim, and how likely it is unsupported."""

    start: int
    end: int
    likely: float


class MarkRule(NamedTuple):
    """When words are marked; fitted by `training.fit_marks` on held-out training answers and made records."""

    marks: float = 0.5
    """A word is called unsupported when that is this likely."""
    grow: float = 1.0
    """Next to such a word, others are that come this near to `marks`."""
    faint: float = 0.6
    """If no word is, the likeliest is, with those next to it that come this near to it."""
    least: float = 0.1
    """How likely unsupported the likeliest word must be for any to be marked."""
    even: float = 0.95
    """How evenly the words of a claim are unsupported, as a share of the highest entropy, if none stands out."""
    all_support: float = 0.35
    all_contradiction: float = 0.2
    """Below these such a claim is marked as a whole, as people do: the contexts do not speak of what it says."""


def mark(tokens: Sequence[Token], rule: MarkRule, *, support: float, contradiction: float) -> Gaps:
    """The parts of an unsupported claim that are marked."""
    top = max(tokens, key=lambda token: token.likely, default=None)
    if top is None or top.likely < min(rule.least, rule.marks):
        return ()
    nothing_said = support < rule.all_support and contradiction <= rule.all_contradiction
    if nothing_said and evenness([token.likely for token in tokens]) >= rule.even:
        return ((tokens[0].start, tokens[-1].end),)
    faint = top.likely < rule.marks
    low = top.likely * rule.faint if faint else rule.marks * rule.grow
    seeds = [top] if faint else [token for token in tokens if token.likely >= rule.marks]
    runs = _runs([(token.start, token.end) for token in tokens if token.likely >= low])
    return tuple(run for run in runs if any(run[0] <= seed.start and seed.end <= run[1] for seed in seeds))


def evenness(likely: Sequence[float]) -> float:
    """The entropy of the words' chances to be unsupported, as a share of the highest: 1 if all have the same."""
    total = math.fsum(likely)
    if len(likely) < 2 or total <= 0:
        return 1.0
    shares = [value / total for value in likely if value > 0]
    return -math.fsum(share * math.log(share) for share in shares) / math.log(len(likely))


def _runs(spans: Sequence[tuple[int, int]]) -> Gaps:
    """Join marked tokens that touch or stand one character apart."""
    runs: list[tuple[int, int]] = []
    for start, end in spans:
        if runs and start - runs[-1][1] <= 1:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return tuple(runs)
