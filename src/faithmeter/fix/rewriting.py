"""Sentences that an LLM rewrites: who writes them, and what code asks of them before the verifier is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from faithmeter.datamodels import Sample, Verdict
from faithmeter.evidence.passages import content_words
from faithmeter.text import sentences
from faithmeter.text.citation_marks import marks, unmarked
from faithmeter.text.english.clauses import clauses
from faithmeter.verify import Verifier

MORE_WORDS = 3
"""By how many content words a rewrite may be longer than the sentence was: a name for "it", a hedge."""
KEPT = 1 / 2
"""Of a rewrite's content words, at least this share stood in the sentence: else it speaks of something else."""
_MARKUP = re.compile(r"[<>\[\]{}|`\\§]|://|\bwww\.|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


class Rewriter(Protocol):
    """Rewrites failing sentences from what the contexts say: an LLM."""

    async def rewrite(self, text: str, verdicts: Sequence[Verdict], sample: Sample) -> str | None:
        """The sentence in words that its evidence supports; None if it cannot be saved."""
        ...


def load_rewriter(given: str | Rewriter | None, verifier: Verifier) -> Rewriter | None:
    """Who rewrites: the LLM that is named; if none is, the one that judges, where an LLM does; "none" is nobody."""
    if given == "none":
        return None
    if isinstance(given, str):
        from faithmeter.judge.rewrite import LLMRewriter  # needs what only the LLM extra brings

        return LLMRewriter(given)
    if given is not None:
        return given
    while tiers := getattr(verifier, "tiers", None):  # of a cascade, the last word
        verifier = tiers[-1].verifier
    own = getattr(verifier, "rewriter", None)
    rewriter: Rewriter | None = own() if own else None
    return rewriter


def as_rewritten(text: str, new: str, sample: Sample) -> str | None:
    """The rewrite as it goes into the answer, with the sentence's citation marks; None if it might claim something new.

    It must be one sentence, with no more clauses than before and hardly longer, of words that stand in the sentence or
    in a context, a good part of them in the sentence, and without markup that was not there. That a context says it is
    for the verifier to judge; that it is nothing new, whoever told the model to add it, is judged here.
    """
    plain, new = unmarked(text), unmarked(new).strip()
    ours, theirs = content_words(plain), content_words(new)
    known = ours.union(*(content_words(context.text) for context in sample.contexts))
    if not theirs or theirs - known or len(theirs & ours) < KEPT * len(theirs) or len(theirs) > len(ours) + MORE_WORDS:
        return None
    if len(sentences(new)) != 1 or len(clauses(new)) > len(clauses(plain)):
        return None
    if set(_MARKUP.findall(new)) - set(_MARKUP.findall(plain)):
        return None
    citations = "".join(text[mark.start : mark.end] for mark in marks(text))
    body = _unstopped(new)
    close = new[len(body) :]
    if close == "." and _unstopped(plain) == plain:
        close = ""  # an item of a list that had no full stop gets none
    return f"{body} {citations}{close}" if citations else f"{body}{close}"


def _unstopped(text: str) -> str:
    """A sentence without its full stop, and without the quotation marks and brackets behind that."""
    return text.rstrip().rstrip("\"'”’)*_").rstrip(".!?…")
