"""An evaluator for LlamaIndex: `Faithfulness().evaluate_response(query=…, response=engine.query(…))`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from llama_index.core.prompts.mixin import PromptDictType

from faithmeter.datamodels import Sample
from faithmeter.errors import FaithmeterError
from faithmeter.integrations.metric import Metric


class Faithfulness(BaseEvaluator):
    """Supported / judged claims, passing from `threshold`; what could not be judged is an invalid result, no score."""

    def __init__(
        self,
        threshold: float = 1.0,
        *,
        verifier: Any = "local",
        extractor: Any = "sentences",
        scoring: Any = "plain",
    ) -> None:
        self.threshold = threshold
        self._metric = Metric(verifier, extractor, scoring)

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **others: Any,
    ) -> EvaluationResult:
        """Judge a response against its contexts."""
        asked: dict[str, Any] = {"query": query, "response": response, "contexts": contexts}
        try:
            row = {"question": query, "answer": response, "contexts": contexts}
            scored = await self._metric.ascore(Sample.of(row))
        except FaithmeterError as error:
            return EvaluationResult(**asked, invalid_result=True, invalid_reason=str(error))
        return EvaluationResult(
            **asked, score=scored.score, passing=scored.score >= self.threshold, feedback=scored.reason
        )

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        """There are none of LlamaIndex's."""
