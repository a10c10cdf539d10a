"""A metric for ragas: `evaluate(dataset, metrics=[Faithfulness()])`, `await Faithfulness().ascore(response=…, …)`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ragas.metrics.base import MetricType, SingleTurnMetric
from ragas.metrics.result import MetricResult

from faithmeter.datamodels import Sample
from faithmeter.integrations.metric import Metric
from faithmeter.runtime import sync


@dataclass
class Faithfulness(SingleTurnMetric):
    """Supported / judged claims. What could not be judged raises; ragas's `evaluate` makes that its NaN."""

    name: str = "faithfulness"
    _required_columns: dict[Any, set[str]] = field(
        default_factory=lambda: {MetricType.SINGLE_TURN: {"user_input:optional", "response", "retrieved_contexts"}}
    )
    verifier: Any = "local"
    extractor: Any = "sentences"
    scoring: Any = "plain"

    def init(self, run_config: Any) -> None:
        """Nothing to prepare: there is no LLM of ragas's."""

    async def _single_turn_ascore(self, sample: Any, callbacks: Any) -> float:
        return (await self._metric.ascore(Sample.of(sample))).score

    async def ascore(self, **row: Any) -> MetricResult:
        """The call of ragas's newer metrics: `value`, and `reason` with the claims to look at."""
        scored = await self._metric.ascore(Sample.of(row))
        return MetricResult(value=scored.score, reason=scored.reason)

    def score(self, **row: Any) -> MetricResult:
        """The same, for sync code."""
        return sync.run(self.ascore(**row))

    @cached_property
    def _metric(self) -> Metric:
        return Metric(self.verifier, self.extractor, self.scoring)
