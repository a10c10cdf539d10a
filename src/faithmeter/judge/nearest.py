"""Evidence for a verdict whose model is not asked to quote: the passages that say most of the claim, by its words."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from faithmeter.datamodels import Claim, Evidence, Sample
from faithmeter.evidence.passages import Index, Passage, antecedent, best_evidence, content_words


def refers(claim: Claim, sample: Sample) -> str:
    """What a claim's pronouns stand for."""
    return antecedent(claim.text, question=sample.asked, before=sample.answer[: claim.start])


class Nearest:
    """Finds the evidence of a sample's claims; its contexts are read once, and only if a claim needs it."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample

    def evidence(self, claim: Claim) -> tuple[Evidence, ...]:
        """At most two parts of the contexts, word for word; none where nothing has a word of the claim."""
        best = self._by_words(claim) or self._by_single_words(claim)
        contexts = self._sample.contexts
        return tuple(dict.fromkeys(Evidence.of(contexts, item.context, item.start, item.end) for item in best))

    def _by_words(self, claim: Claim) -> list[Passage]:
        """The passages with most of the claim's words; of those with the same words, the one its pronouns point to."""
        index = self._index
        said: dict[int, set[str]] = defaultdict(set)
        for term in index.weights(claim.text, ""):
            lone = len(term) == 1 and term.isascii() and term.isalpha()  # the "s" of "tower's" says nothing
            for position in () if lone else index.holders(term):
                said[position].add(term)
        if not said:
            return []
        best = best_evidence(claim.text, index, among=[index.passages[n] for n in sorted(said)])
        same = [index.passages[n] for n in sorted(said) if said[n] == said[best[0].number]]
        hint = refers(claim, self._sample)
        return [*best_evidence(claim.text, index, hint=hint, among=same, at_most=1), *best[1:]]

    def _by_single_words(self, claim: Claim) -> list[Passage]:
        """The passage with most words of the claim, in scripts where the index takes a whole clause for a word."""
        about = {word for word in content_words(claim.text) if not word.isascii()}
        shared = [len(words & about) for words in self._words]
        most = max(shared, default=0)
        return [self._index.passages[shared.index(most)]] if most else []

    @cached_property
    def _index(self) -> Index:
        return Index([context.text for context in self._sample.contexts])

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        return [content_words(passage.text) for passage in self._index.passages]
