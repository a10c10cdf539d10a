"""Our metric inside MLflow."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from support.peer_samples import GOOD, HALF, QUESTION, TOWER, Broken


def case_mlflow_scorer() -> str:
    """MLflow (mlflow): `mlflow.genai.evaluate(data, scorers=[Faithfulness()])`; contexts in outputs or spans"""
    import mlflow
    from mlflow.entities import Document, SpanType

    from faithmeter.integrations.mlflow import Faithfulness

    mlflow.set_tracking_uri(f"sqlite:///{Path.cwd()}/mlflow.db")
    os.environ["MLFLOW_GENAI_EVAL_ENABLE_SCORER_TRACING"] = "false"

    def values(scorer: Any, data: list[dict[str, Any]], application: Any = None) -> list[Any]:
        found = mlflow.genai.evaluate(data=data, scorers=[scorer], predict_fn=application)
        traces = [mlflow.get_trace(name) for name in found.result_df["trace_id"]]
        told = [assessment for trace in traces for assessment in trace.info.assessments]
        assert [assessment.name for assessment in told] == ["faithfulness"] * len(data), told
        return told

    rows = [
        {"inputs": {"question": QUESTION}, "outputs": {"answer": text, "contexts": [TOWER]}} for text in (GOOD, HALF)
    ]
    found = sorted(values(Faithfulness(verifier="lexical"), rows), key=lambda said: -said.value)
    assert [said.value for said in found] == [1.0, 0.5]
    assert "Quokkas" in found[1].rationale
    assert "lexical" in found[0].source.source_id
    for failed in values(Faithfulness(verifier=Broken()), rows):
        assert failed.value is None
        assert "out of order" in failed.error.error_message

    @mlflow.trace(span_type=SpanType.RETRIEVER)
    def retrieve(question: str) -> list[Document]:
        return [Document(page_content=TOWER)]

    @mlflow.trace
    def application(question: str) -> str:
        retrieve(question)
        return HALF

    (traced,) = values(Faithfulness(verifier="lexical"), [{"inputs": {"question": QUESTION}}], application)
    assert traced.value == 0.5, traced
    return "1.0 and 0.5 with rationales on the traces; not judged: an error, no value"
