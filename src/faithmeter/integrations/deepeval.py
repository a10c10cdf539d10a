"""A metric for DeepEval: `assert_test(case, [Faithfulness()])`, `evaluate(cases, [Faithfulness()])`.

`faithmeter.compat.deepeval` counts as DeepEval does, where what the contexts do not mention is faithful. Here every
claim must be supported.
"""

from __future__ import annotations

from typing import Any

from deepeval.metrics import BaseMetric

from faithmeter.compat.deepeval import FaithfulnessMetric
from faithmeter.scoring import Scoring


class Faithfulness(FaithfulnessMetric):
    """Supported / judged claims; what could not be judged is an error of the metric, and no score."""

    def __init__(
        self,
        threshold: float = 1.0,
        model: Any = None,
        include_reason: bool = True,
        *,
        scoring: str | Scoring = "plain",
        **others: Any,
    ) -> None:
        super().__init__(threshold, model, include_reason, scoring=scoring, **others)


assert issubclass(Faithfulness, BaseMetric)  # DeepEval's runners take no other
