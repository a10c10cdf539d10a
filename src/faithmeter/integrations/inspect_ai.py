"""A scorer for Inspect: `Task(dataset, solver=…, scorer=faithfulness())`.

The contexts are in the sample's metadata (`contexts`, …), or else what tools gave the model.
"""

from __future__ import annotations

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from faithmeter.errors import FaithmeterError
from faithmeter.integrations.metric import Metric, sample_of


@scorer(metrics=[mean(), stderr()])
def faithfulness(verifier: str = "local", extractor: str = "sentences", scoring: str = "plain") -> Scorer:
    """Supported / judged claims; what could not be judged is unscored, and left out of Inspect's metrics."""
    metric = Metric(verifier, extractor, scoring)

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        try:
            sample = sample_of(answer, state.metadata, state.messages, question=state.input_text)
            scored = await metric.ascore(sample)
        except FaithmeterError as error:
            return Score.unscored(reason="scoring_failed", answer=answer, explanation=str(error))
        claims = [{"claim": verdict.claim.text, "label": verdict.label.value} for verdict in scored.result.verdicts]
        metadata = {"claims": claims, "signature": scored.result.signature}
        return Score(value=scored.score, answer=answer, explanation=scored.reason, metadata=metadata)

    return score
