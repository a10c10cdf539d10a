"""An evaluator for LangSmith: `client.evaluate(app, data=…, evaluators=[faithfulness()])`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from faithmeter.integrations.metric import Metric, sample_of


def faithfulness(
    *, verifier: Any = "local", extractor: Any = "sentences", scoring: Any = "plain", key: str = "faithfulness"
) -> Callable[..., dict[str, Any]]:
    """Judges what an application gave: `{answer, contexts}` under any name that `eval` knows, or a chain's output.

    Where the output has no contexts, those of the example's inputs count. What could not be judged raises, which
    LangSmith records as the evaluator's error.
    """
    metric = Metric(verifier, extractor, scoring)

    def evaluate(inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
        scored = metric.score(sample_of(outputs, inputs))
        return {"key": key, "score": scored.score, "comment": scored.reason}

    return evaluate
