"""Other words for a stretch of a claim, before the verifier has judged them."""

from __future__ import annotations

import re
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

    def of(self, text: str) -> str:
        """The claim as it would be."""
        spans = [(self.start, self.end)]
        if self.everywhere:
            old = re.escape(text[self.start : self.end])
            spans = [match.span() for match in re.finditer(rf"(?<!\w){old}(?!\w)", text)]
        for start, end in reversed(spans):
            text = put(text, start, end, self.new)
        return text
