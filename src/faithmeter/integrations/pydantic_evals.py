"""An evaluator for pydantic-evals: `Dataset(cases=…, evaluators=[Faithfulness()])`.

The task gives the answer with its contexts (a dict, a chain's output, a response); or the answer alone, and the
contexts are in the case's inputs or metadata.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext

from faithmeter.integrations.metric import Metric, sample_of


@dataclass
class Faithfulness(Evaluator[Any, Any, Any]):
    """The score `faithfulness`, with a `threshold` also the assertion `faithful`; failures are evaluator failures."""

    verifier: Any = "local"
    extractor: Any = "sentences"
    scoring: Any = "plain"
    threshold: float | None = None

    async def evaluate(self, ctx: EvaluatorContext[Any, Any, Any]) -> dict[str, EvaluationReason]:
        """Judge a case's output."""
        asked = ctx.inputs if isinstance(ctx.inputs, str) else None
        scored = await self._metric.ascore(sample_of(ctx.output, ctx.inputs, ctx.metadata, question=asked))
        said = {"faithfulness": EvaluationReason(scored.score, scored.reason)}
        if self.threshold is not None:
            said["faithful"] = EvaluationReason(scored.score >= self.threshold, scored.reason)
        return said

    def get_evaluator_version(self) -> str:
        """How scores are made, so that those of another verifier can be distinguished."""
        return self._metric.evaluator.signature

    @cached_property
    def _metric(self) -> Metric:
        return Metric(self.verifier, self.extractor, self.scoring)
