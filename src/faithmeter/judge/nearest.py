"""What a small model is shown of long contexts, and the evidence of its verdicts: both found by the claims' words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property

from faithmeter.datamodels import Claim, Evidence, Sample
from faithmeter.evidence.passages import (
    Index,
    Passage,
    as_text,
    best_evidence,
    content_words,
    refers,
    select,
)
from faithmeter.text.language import other_language, unknown_language

SHARE = 1.4
"""Of the room that a claim's evidence has elsewhere (`evidence.passages.room`): about 250 words a claim."""


class Nearest:
    """What of a sample's contexts is near its claims; they are read once, and only if a claim needs it."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample

    def shown(self, claims: Sequence[Claim]) -> dict[int, str]:
        """The contexts by their index, cut to what is near the claims where they have more than there is room for."""
        contexts, index = self._sample.contexts, self._index
        chosen: dict[int, Passage] = {}
        for claim in claims:
            near = select(claim.text, index, hint=refers(claim, self._sample), share=SHARE)
            chosen |= {passage.number: passage for passage in near}
        if not chosen or len(chosen) == len(index.passages):
            return {n: context.text for n, context in enumerate(contexts) if context.text.strip()}
        by_context: dict[int, list[Passage]] = defaultdict(list)
        for number in sorted(chosen):
            by_context[chosen[number].context].append(chosen[number])
        sizes = Counter(passage.context for passage in index.passages)
        return {
            n: contexts[n].text if len(some) == sizes[n] else as_text(some) for n, some in sorted(by_context.items())
        }

    def mostly_unsaid(self, claim: Claim) -> bool:
        """Whether more than half of the claim's words are in none of the contexts, whatever their endings.

        Never in another language than English: its inflections are not known, and claim and contexts may be in two.
        """
        asked = content_words(claim.text)
        missing = sum(word.isascii() for word in asked - self._held)  # too few of another script tell no language
        return 2 * missing > len(asked) and self._is_english and not other_language(claim.text)

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

    @cached_property
    def _held(self) -> frozenset[str]:
        return frozenset[str]().union(*(content_words(context.text) for context in self._sample.contexts))

    @cached_property
    def _is_english(self) -> bool:
        return not unknown_language((context.text for context in self._sample.contexts), known=())
