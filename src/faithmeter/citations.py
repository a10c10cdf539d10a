"""What was found about an answer's citations: each mark, and the claims that have none."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from pydantic import Field

from faithmeter.datamodels import Model, Text


class Citation(Model):
    """One mark, for one passage that it names, behind one claim."""

    start: int = Field(ge=0)
    """Where the mark begins in the answer."""
    end: int = Field(ge=0)
    """Where it ends."""
    mark: Text
    """The mark as it is written, e.g. `[1, 3]`."""
    name: Text
    """What of it names the passage, e.g. `3`."""
    context: int | None = None
    """The context it names, from 0; None: there is none of that name."""
    found: Literal["right", "wrong_passage", "unsupported", "unknown"]
    """right: the passage supports the claim, alone or with the others that are cited. wrong_passage: another passage
    does. unsupported: no passage does. unknown: the mark names no passage."""
    better: int | None = None
    """The context that supports the claim instead."""


class Citations(Model):
    """An answer's citations, checked."""

    marks: tuple[Citation, ...] = ()
    """One for each passage that each mark names, in order."""
    claims: int = 0
    """Claims that need a mark: all that were judged."""
    cited: int = 0
    """Those of them whose cited passages, taken together, support them."""
    uncited: tuple[tuple[int, int], ...] = ()
    """Where claims without a mark are."""

    @property
    def right(self) -> int:
        """Marks that are right."""
        return sum(mark.found == "right" for mark in self.marks)

    @property
    def precision(self) -> float | None:
        """Right marks / marks; None without marks."""
        return self.right / len(self.marks) if self.marks else None

    @property
    def recall(self) -> float | None:
        """Claims that their cited passages support / claims; None without claims."""
        return self.cited / self.claims if self.claims else None


class CitationCounts(Counter[str]):
    """Marks by what was found about them; under "claims" and "cited", claims that need one, and those cited rightly."""

    def add(self, citations: Citations | None) -> None:
        """Count one more answer's."""
        if citations:
            self.update(mark.found for mark in citations.marks)
            self.update({"claims": citations.claims, "cited": citations.cited})

    @property
    def precision(self) -> float | None:
        """Right marks / marks, over all answers; None without any."""
        marks = sum(count for word, count in self.items() if word not in ("claims", "cited"))
        return self["right"] / marks if marks else None

    @property
    def recall(self) -> float | None:
        """Claims that their cited passages support / claims, over all answers; None where none was looked at."""
        return self["cited"] / self["claims"] if self["claims"] else None

    def as_dict(self) -> dict[str, Any]:
        """The numbers, ready for JSON."""
        return {"precision": self.precision, "recall": self.recall, **self}
