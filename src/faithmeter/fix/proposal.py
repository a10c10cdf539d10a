"""Other words for a stretch of a claim, before the verifier has judged them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from faithmeter.datamodels import Evidence
from faithmeter.revision import EditKind
from faithmeter.text.english.articles import put


class Proposal(NamedTuple):
    """Other words for a stretch of a claim."""

    start: int
    end: int
    new: str
    kind: EditKind
    reason: str
    evidence: Evidence | None
    score: float
    """How well what goes in fits the place; for the order only."""
    everywhere: bool = False
    """Whether every mention of the old words is exchanged, as is right for a name."""
    unknown: bool = False
    """Whether what goes out stands in no context: a second opinion, beside the verifier's, that it is wrong."""
    fit: float = 0.0
    """How alike the words are around what goes out and around what goes in."""

    alone: bool = False
    """Whether a context has the name that goes in by itself or in the same place, not only within a longer one."""

    def of(self, text: str) -> str:
        """The claim as it would be."""
        spans = [(self.start, self.end)]
        if self.everywhere:
            old = re.escape(text[self.start : self.end])
            spans = [match.span() for match in re.finditer(rf"(?<!\w){old}(?!\w)", text)]
        for start, end in reversed(spans):
            text = put(text, start, end, self.new)
        return text


def together(text: str, proposals: Sequence[Proposal]) -> str:
    """A claim with several stretches exchanged that lie apart; one that another has moved is left as it is."""
    old = text
    for item in sorted(proposals, key=lambda item: -item.start):
        if text[item.start : item.end] == old[item.start : item.end]:
            text = item.of(text)
    return text
