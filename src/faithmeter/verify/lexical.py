"""Judges by word overlap with the best window of one context: no model, microseconds, verbatim evidence.

It sees words, not meaning: it cannot tell a contradiction, and a paraphrase may fall through. Good for answers that
should quote, as a first tier, and as the floor that any other verifier must beat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from faithmeter.datamodels import Evidence, Label, Origin, Outcome, Pair, Verdict
from faithmeter.errors import UsageError
from faithmeter.evidence.passages import content_words
from faithmeter.runtime.specs import finite
from faithmeter.verify.window import ContextIndex, Metric, best_window

DEFAULT_THRESHOLD = 0.5  # continuous-eval's
_ORIGIN = Origin(verifier="lexical")


class LexicalVerifier:
    """Supports a claim whose overlap with some window of a context reaches the threshold."""

    cpu_bound = True
    cheap = True

    def __init__(self, *, metric: Metric = "rouge", threshold: float = DEFAULT_THRESHOLD) -> None:
        if not 0 <= threshold <= 1:
            raise UsageError(f"the threshold of lexical:{metric} must be between 0 and 1, found {threshold:g}")
        self.metric = metric
        self.threshold = threshold

    @property
    def signature(self) -> str:
        return f"lexical.1,{self.metric}={self.threshold:g}"

    def reads(self, pair: Pair) -> Sequence[str]:
        """Nothing but the claim and the contexts."""
        return ()

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """Each sample's contexts are tokenised once for all of its claims."""
        indexes: dict[int, list[ContextIndex]] = {}
        outcomes: list[Outcome] = []
        for pair in pairs:
            key = id(pair.sample)
            if key not in indexes:
                indexes[key] = [ContextIndex(context.text) for context in pair.sample.contexts]
            outcomes.append(self._judge(pair, indexes[key]))
        return outcomes

    def _judge(self, pair: Pair, contexts: Sequence[ContextIndex]) -> Verdict:
        window = best_window(pair.claim.text, contexts, metric=self.metric)
        evidence: tuple[Evidence, ...] = ()
        if window is not None:
            candidate = Evidence.of(pair.sample.contexts, window.context, window.start, window.end)
            evidence = (candidate,) if content_words(candidate.quote) else ()  # a lone "the" shows nothing
        score = window.score if window else 0.0
        return Verdict(
            claim=pair.claim,
            label=Label.SUPPORTED if score >= self.threshold else Label.NOT_ENOUGH_INFO,
            support=score,
            evidence=evidence,
            gaps=window.gaps if window else ((0, len(pair.claim.text)),),
            origin=_ORIGIN,
        )


def load(name: str, argument: str) -> LexicalVerifier:
    """`lexical`, `lexical:METRIC` or `lexical:METRIC=THRESHOLD`; metrics: rouge, tokens, bleu."""
    wanted, equals, threshold_text = argument.partition("=")
    metric = next((known for known in get_args(Metric) if known == (wanted or "rouge")), None)
    if metric is None:
        raise UsageError(f"unknown metric {wanted!r} in 'lexical:{argument}'; known: {', '.join(get_args(Metric))}")
    try:
        threshold = finite(threshold_text) if equals else DEFAULT_THRESHOLD
    except ValueError:
        raise UsageError(f"the threshold in 'lexical:{argument}' is not a number: {threshold_text!r}") from None
    return LexicalVerifier(metric=metric, threshold=threshold)
