"""An evaluator for LangChain's evaluation interface: `Faithfulness().evaluate_strings(prediction=…, reference=…)`."""

from __future__ import annotations

from typing import Any

from langchain_classic.evaluation import StringEvaluator

from faithmeter.integrations.metric import Metric, Scored, sample_of


class Faithfulness(StringEvaluator):
    """`score`, `value` (Y or N, by `threshold`) and `reasoning`; what could not be judged raises `Unjudged`.

    The contexts are `contexts=`, or the reference, as with LangChain's `context_qa`.
    """

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

    @property
    def evaluation_name(self) -> str:
        """What scores are filed under."""
        return "faithfulness"

    def _evaluate_strings(self, *, prediction: Any, **given: Any) -> dict[str, Any]:
        return self._said(self._metric.score(self._sample(prediction, given)))

    async def _aevaluate_strings(self, *, prediction: Any, **given: Any) -> dict[str, Any]:
        return self._said(await self._metric.ascore(self._sample(prediction, given)))

    def _sample(self, prediction: Any, given: dict[str, Any]) -> Any:
        return sample_of(prediction, given, {"contexts": given.get("reference")})

    def _said(self, scored: Scored) -> dict[str, Any]:
        value = "Y" if scored.score >= self.threshold else "N"
        return {"score": scored.score, "value": value, "reasoning": scored.reason}
