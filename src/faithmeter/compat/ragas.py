"""ragas's calls: `Faithfulness(llm=…).single_turn_ascore(sample)`, its HHEM variant and its sentence cache."""

from __future__ import annotations

import os
from typing import Any

from pydantic import BaseModel, ConfigDict

from faithmeter.cache import wrap
from faithmeter.cache.semantic import Semantic
from faithmeter.compat.clients import evaluator, judged
from faithmeter.datamodels import Sample
from faithmeter.evaluator import Evaluator
from faithmeter.results import Result
from faithmeter.runtime import sync
from faithmeter.scoring import PROFILES
from faithmeter.verify import load_verifier


class SingleTurnSample(BaseModel):
    """One question, its answer and what was retrieved; other fields of ragas's are kept and not used."""

    model_config = ConfigDict(extra="allow")

    user_input: str | None = None
    """What was asked."""
    response: str
    """The answer."""
    retrieved_contexts: list[str]
    """The retrieved passages."""


class SentenceEvaluatorSemanticCache:
    """Reuses the verdict of a statement that says the same of the very same contexts.

    Unlike ragas's, a hit must also pass a guard: numbers, dates, names, negation and the like must agree.
    `embedding_model` is a callable, the name of a sentence-transformers model, or None for the embedded table.
    """

    def __init__(self, embedding_model: Any = None, similarity_threshold: float = 0.85) -> None:
        self.semantic = Semantic(threshold=similarity_threshold, embedder=embedding_model or "static")


class Faithfulness:
    """Two steps: the LLM breaks the answer into statements, then judges each."""

    name = "faithfulness"

    def __init__(self, llm: Any = None, *, sentence_cache: SentenceEvaluatorSemanticCache | None = None) -> None:
        self.llm = llm
        self.sentence_cache = sentence_cache

    async def single_turn_ascore(self, sample: SingleTurnSample | dict[str, Any]) -> float:
        """The score; NaN where nothing is claimed, as ragas has it."""
        score = (await self.result(sample)).score
        return float("nan") if score is None else score

    def single_turn_score(self, sample: SingleTurnSample | dict[str, Any]) -> float:
        """The score, for sync code."""
        return sync.run(self.single_turn_ascore(sample))

    async def result(self, sample: SingleTurnSample | dict[str, Any]) -> Result:
        """All that is behind the score: statements, verdicts, evidence, reasons."""
        given = sample if isinstance(sample, SingleTurnSample) else SingleTurnSample.model_validate(sample)
        fields = {"question": given.user_input, "answer": given.response, "contexts": given.retrieved_contexts}
        return await judged(self._pipeline(), Sample.model_validate(fields))

    def _pipeline(self) -> Evaluator:
        plain = evaluator("local" if self.llm is None else self.llm, scoring=PROFILES["ragas"])
        if self.sentence_cache:
            verifier = wrap(plain.verifier, cache=":memory:", semantic=self.sentence_cache.semantic)
        elif "FAITHMETER_SEMANTIC_CACHE" in os.environ:  # the global one
            verifier = wrap(plain.verifier, cache=True)
        else:
            return plain
        return Evaluator(verifier=verifier, extractor=plain.extractor, scoring=plain.scoring)


class FaithfulnesswithHHEM(Faithfulness):
    """The second step by Vectara's HHEM; the first by the LLM if one is given, else by sentences."""

    name = "faithfulness_with_hhem"

    def __init__(self, llm: Any = None, *, device: str = "cpu", batch_size: int = 10, model: str = "") -> None:
        super().__init__(llm)
        self._hhem = f"hhem:{model}?device={device}&batch_size={batch_size}"

    def _pipeline(self) -> Evaluator:
        extractor = "sentences" if self.llm is None else evaluator(self.llm).extractor
        return Evaluator(verifier=load_verifier(self._hhem), extractor=extractor, scoring=PROFILES["ragas"])
