"""continuous-eval's call: `DeterministicFaithfulness().calculate(answer=, retrieved_contexts=)`, with its numbers.

They are its numbers to the digit, for people who move over. For judging, `check(..., verifier="lexical")` compares
with the best window of one context instead, which a long context neither saturates nor crushes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypedDict, get_args

from faithmeter.compat.continuous_eval.nltk_tokens import punkt_sentences
from faithmeter.compat.continuous_eval.overlap import Reference, Tokens
from faithmeter.errors import UsageError


class Scores(TypedDict):
    """What `calculate` returns: three scores of the answer, and what they were made from."""

    rouge_faithfulness: float
    token_overlap_faithfulness: float
    bleu_faithfulness: float
    rouge_p_by_sentence: list[float]
    token_overlap_p_by_sentence: list[float]
    bleu_score_by_sentence: list[float]


class DeterministicFaithfulnessConfig(NamedTuple):
    """What a sentence must reach to count as supported."""

    rouge_precision_threshold: float = 0.5
    token_overlap_precision_threshold: float = 0.5


class DeterministicFaithfulness:
    """Scores an answer by the words and characters that its sentences share with the joined contexts.

    `splitter` cuts a text into sentences. The built-in one comes close to NLTK's Punkt model, which continuous-eval
    uses; if you have Punkt's data, pass `nltk.sent_tokenize` and nothing is left to differ. `tokens` are those of
    its tags v0.2.0 to v0.2.4, which its documentation shows, or of v0.2.5 and later ("0.3").
    """

    def __init__(
        self,
        thresholds: Any = None,
        *,
        splitter: Callable[[str], Sequence[str]] | None = None,
        tokens: Tokens = "0.2",
        rouge_precision_threshold: float = 0.5,
        token_overlap_precision_threshold: float = 0.5,
        empty: float = 1.0,
    ) -> None:
        if tokens not in get_args(Tokens):
            raise UsageError(f"tokens must be one of {', '.join(get_args(Tokens))}, found {tokens!r}")
        if thresholds is not None:  # a config object, ours or continuous-eval's
            rouge_precision_threshold = thresholds.rouge_precision_threshold
            token_overlap_precision_threshold = thresholds.token_overlap_precision_threshold
        self.splitter = splitter
        self.tokens: Tokens = tokens
        self.rouge_precision_threshold = rouge_precision_threshold
        self.token_overlap_precision_threshold = token_overlap_precision_threshold
        self.empty = empty
        """What an answer without sentences scores; continuous-eval divides by zero."""

    def calculate(self, answer: str, retrieved_contexts: Sequence[str] | str, **datum: object) -> Scores:
        """Score one answer; other columns of a row may be passed along and are not looked at."""
        contexts = [retrieved_contexts] if isinstance(retrieved_contexts, str) else retrieved_contexts
        reference = Reference(contexts, splitter=self.splitter)
        sentences = (self.splitter or punkt_sentences)(answer)
        rouge = reference.rouge_l(sentences)
        overlap = reference.token_overlap(sentences, tokens=self.tokens)
        bleu = reference.bleu(sentences)
        return {
            "rouge_faithfulness": self._share(rouge, self.rouge_precision_threshold),
            "token_overlap_faithfulness": self._share(overlap, self.token_overlap_precision_threshold),
            "bleu_faithfulness": sum(bleu) / len(bleu) if bleu else self.empty,
            "rouge_p_by_sentence": rouge,
            "token_overlap_p_by_sentence": overlap,
            "bleu_score_by_sentence": bleu,
        }

    def __call__(self, answer: str, **datum: Any) -> Scores:
        """Score a row, under the column names of either line of releases."""
        contexts = datum.pop("retrieved_contexts", None)
        contexts = datum.pop("retrieved_context", None) if contexts is None else contexts
        if contexts is None:
            raise UsageError("no retrieved_context in the row: pass metric(answer=…, retrieved_context=[…])")
        return self.calculate(answer, contexts, **datum)

    @property
    def name(self) -> str:
        """As continuous-eval calls it."""
        return type(self).__name__

    @property
    def schema(self) -> dict[str, type]:
        """What a score holds, and its types."""
        lists = ("rouge_p_by_sentence", "token_overlap_p_by_sentence", "bleu_score_by_sentence")
        return {name: list if name in lists else float for name in Scores.__annotations__}

    def compute(self, answer: str, retrieved_context: Sequence[str] | str, **datum: object) -> Scores:
        """Score one answer under the names of the 0.3 releases."""
        return self.calculate(answer, retrieved_context, **datum)

    def _share(self, scores: Sequence[float], threshold: float) -> float:
        return sum(score >= threshold for score in scores) / len(scores) if scores else self.empty
