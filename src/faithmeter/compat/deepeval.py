"""DeepEval's metric: `FaithfulnessMetric(threshold=, model=, include_reason=)`, for `measure` and `assert_test`.

Where DeepEval is installed, the metric is one of its own (`assert_test` asks for that); else it stands alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from faithmeter.compat.clients import Unjudged, evaluator, judged
from faithmeter.datamodels import Label, Sample
from faithmeter.results import Result
from faithmeter.runtime import sync
from faithmeter.scoring import Scoring, load_scoring

if TYPE_CHECKING:
    BaseMetric: Any = object
else:
    try:
        from deepeval.metrics import BaseMetric
    except ImportError:
        BaseMetric = object


class FaithfulnessMetric(BaseMetric):  # type: ignore[misc]
    """Scores a test case; `scoring` counts as DeepEval does (what is not mentioned is faithful) unless told otherwise.

    `model` is a spec such as `openai:MODEL`, one of our verifiers or an SDK's client; None: the embedded verifier.
    """

    score: float | None
    reason: str | None
    success: bool | None
    error: str | None
    evaluation_cost: float | None
    score_breakdown: Any
    verbose_logs: Any

    def __init__(
        self,
        threshold: float = 0.5,
        model: Any = None,
        include_reason: bool = True,
        *,
        strict_mode: bool = False,
        async_mode: bool = True,
        verbose_mode: bool = False,
        scoring: str | Scoring = "deepeval",
        **others: Any,
    ) -> None:
        # DeepEval copies a metric by its parameters' names: each is kept as it came.
        self.model, self.scoring = model, scoring
        self.threshold = 1.0 if strict_mode else threshold
        self.strict_mode, self.include_reason = strict_mode, include_reason
        self.async_mode, self.verbose_mode = async_mode, verbose_mode
        self._pipeline = evaluator("local" if model is None else model, scoring=load_scoring(scoring))
        self.evaluation_model = self._pipeline.verifier.signature
        self.result: Result | None = None
        self.score = self.reason = self.success = self.error = None
        self.evaluation_cost = self.score_breakdown = self.verbose_logs = None

    def measure(self, test_case: Any, *args: Any, **options: Any) -> float:
        """The score of a test case, which is kept in `score`, `reason` and `success`, too."""
        return sync.run(self.a_measure(test_case))

    async def a_measure(self, test_case: Any, *args: Any, **options: Any) -> float:
        """The score, for async code."""
        self.score = self.reason = self.success = self.error = None
        try:
            self.result = await judged(self._pipeline, Sample.of(test_case))
        except Unjudged as error:
            self.error = str(error)
            raise
        score = 1.0 if self.result.score is None else self.result.score
        self.score = float(score == 1.0) if self.strict_mode else score
        self.success = self.score >= self.threshold
        self.evaluation_cost = self.result.usage.cost
        self.reason = self._reason(self.result) if self.include_reason else None
        return self.score

    def is_successful(self) -> bool:
        """Whether the last test case reached the threshold."""
        return self.error is None and bool(self.success)

    def _reason(self, result: Result) -> str:
        wrong = [verdict for verdict in result.verdicts if verdict.label is not Label.SUPPORTED]
        said = "; ".join(f"{verdict.word}: {verdict.claim.text}" for verdict in wrong)
        return said or f"all {len(result.verdicts)} claims are supported by the retrieval context"

    @property
    def __name__(self) -> str:
        return "Faithfulness"
