"""A scorer for MLflow: `mlflow.genai.evaluate(data=…, scorers=[Faithfulness()])`.

The contexts are with the outputs, in the inputs, or what the trace's retrievers gave.
"""

from __future__ import annotations

from typing import Any

from mlflow.entities import AssessmentSource, Feedback, SpanType
from mlflow.genai.scorers import Scorer

from faithmeter.errors import FaithmeterError
from faithmeter.integrations.metric import Metric, sample_of


class Faithfulness(Scorer):
    """Supported / judged claims, with the reason; what could not be judged is a feedback with an error, no value."""

    name: str = "faithfulness"
    verifier: Any = "local"
    extractor: Any = "sentences"
    scoring: Any = "plain"

    def __call__(self, *, inputs: Any = None, outputs: Any = None, trace: Any = None) -> Feedback:
        """Judge one output."""
        metric = Metric(self.verifier, self.extractor, self.scoring)
        source = AssessmentSource(source_type="CODE", source_id=f"faithmeter {metric.evaluator.signature}")
        try:
            scored = metric.score(sample_of(outputs, inputs, _retrieved(trace)))
        except FaithmeterError as error:
            return Feedback(name=self.name, error=error, source=source)
        return Feedback(name=self.name, value=scored.score, rationale=scored.reason, source=source)


def _retrieved(trace: Any) -> dict[str, Any]:
    """The documents that the retrievers of a trace gave."""
    spans = trace.search_spans(span_type=SpanType.RETRIEVER) if trace is not None else []
    documents = [document for span in spans for document in span.outputs or ()]
    return {"contexts": documents} if documents else {}
