"""Tells whose span, or whole trace, a row is: by its shape, with nothing imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from faithmeter.data.foreign import any_of

System = Literal["otel", "langfuse", "langsmith", "mlflow"]
LANGFUSE_TYPES = {
    "SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EMBEDDING", "EVALUATOR", "GUARDRAIL",
}  # fmt: skip


def system_of(row: Any) -> System | None:
    """The system whose form a row has; None for a row that is a sample, or something else.

    `otel` stands for every form of OpenTelemetry's: OTLP as JSON, a span of its SDK, spans and frames of Phoenix.
    """
    if not isinstance(row, Mapping) or (any_of(row, "answer") and any_of(row, "contexts")):
        return None
    if any(name in row for name in ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans")):
        return "otel"
    if "run_type" in row and "id" in row and ("trace_id" in row or "inputs" in row or "outputs" in row):
        return "langsmith"
    data = row.get("data")
    if isinstance(row.get("info"), Mapping) and isinstance(data, Mapping) and "spans" in data:
        return "mlflow"
    if "trace_id" in row and "spans" in row and "trace" in row:  # a row of mlflow.search_traces()
        return "mlflow"
    if isinstance(row.get("observations"), list) and "id" in row:
        return "langfuse"
    kind, traced = row.get("type"), "traceId" in row or "trace_id" in row
    if traced and isinstance(kind, str) and kind in LANGFUSE_TYPES and "id" in row:
        return "langfuse"
    if "context.trace_id" in row and ("context.span_id" in row or "span_kind" in row):  # a frame of Phoenix
        return "otel"
    context = row.get("context")
    if isinstance(context, Mapping) and "trace_id" in context and "span_id" in context:
        return "otel"
    if ("traceId" in row and "spanId" in row) or ("trace_id" in row and "span_id" in row and "attributes" in row):
        attributes = row.get("attributes")
        return "mlflow" if isinstance(attributes, Mapping) and "mlflow.spanType" in attributes else "otel"
    return None
