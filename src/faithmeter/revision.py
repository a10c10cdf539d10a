"""What a fix changed in an answer: edits with exact offsets, and the answer that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, Self

from pydantic import Field, model_validator

from faithmeter.datamodels import Evidence, Model, Text

EditKind = Literal["swap", "hedge", "cut", "rewrite", "mark", "tidy"]
FixStatus = Literal["faithful", "fixed", "doubtful", "refused", "unjudged"]
Piece = tuple[Literal["kept", "cut", "added"], str]


class Edit(Model):
    """One change: `answer[start:end]` was `old` and becomes `new`."""

    start: int = Field(ge=0)
    """Where the change begins in the answer as it was."""
    end: int = Field(ge=0)
    """Where it ends there."""
    old: Text
    """The words that go."""
    new: Text = ""
    """The words that take their place; none for a cut."""
    kind: EditKind
    """swap: a number, date, unit, name or other words for the quoted ones; hedge: "plans to" and the like put back;
    cut: a clause, sentence or list item goes; rewrite: an LLM's words; mark: a citation; tidy: what a cut leaves
    behind, such as the numbers of a list."""
    reason: Text = ""
    """Why, in a few words."""
    evidence: tuple[Evidence, ...] = ()
    """What the new words rest on, or what spoke against the old ones."""


class Revision(Model):
    """An answer as it was fixed."""

    answer: Text
    """The answer after all edits, or the refusal text where nothing remained."""
    edits: tuple[Edit, ...] = ()
    """The changes, in the order of the answer; they do not overlap."""
    status: FixStatus
    """faithful: nothing to fix. fixed: every claim that remains is supported. doubtful: claims that are neither
    supported nor clearly unsupported were left as they are. refused: nothing remained. unjudged: the answer could not
    be judged in full and is as it was."""
    score: float | None = None
    """The score of the fixed answer, checked again."""

    @model_validator(mode="after")
    def _edits_are_in_order(self) -> Self:
        for before, after in zip(self.edits, self.edits[1:], strict=False):
            if after.start < before.end:
                raise ValueError(f"edits overlap: {before!r}, {after!r}")
        return self

    def pieces(self, before: str) -> list[Piece]:
        """The difference from the answer as it was, as a reader sees it."""
        if self.status == "refused":
            return [("cut", before), ("added", self.answer)]
        return list(pieces(before, self.edits))


def pieces(answer: str, edits: Sequence[Edit]) -> Iterator[Piece]:
    """Cut an answer where it was edited: what was kept, what went, what came."""
    offset = 0
    for edit in edits:
        if edit.start > offset:
            yield "kept", answer[offset : edit.start]
        if edit.old:
            yield "cut", edit.old
        if edit.new:
            yield "added", edit.new
        offset = edit.end
    if offset < len(answer):
        yield "kept", answer[offset:]


def applied(answer: str, edits: Sequence[Edit]) -> str:
    """The answer after some edits, which must be in order and not overlap."""
    return "".join(text for change, text in pieces(answer, edits) if change != "cut")
