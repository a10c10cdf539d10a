"""Steps as Langfuse, LangSmith and MLflow export them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from faithmeter.data.chat import is_conversation
from faithmeter.data.foreign import first_of, without_none
from faithmeter.data.traces.attributes import decoded, identifier, nanoseconds, tree
from faithmeter.data.traces.otel import spans as otel_spans
from faithmeter.data.traces.span import Span, documents_in, kind_of, unwrapped


def langfuse(row: Mapping[str, Any]) -> Iterator[Span]:
    """An observation; or a trace with its observations, whose own input and output are those of the root."""
    if not isinstance(row.get("observations"), list):
        yield _observation(row)
        return
    trace = str(row["id"])
    children = [_observation({**item, "traceId": trace}) for item in row["observations"] if isinstance(item, Mapping)]
    if len(children) < len(row["observations"]):
        raise ValueError("observations: only their ids; export them with the trace, or export observations")
    own = f"trace {trace}"
    top = Span("langfuse", trace, own, None, str(row.get("name") or "trace"), "chain")
    top.input, top.output = unwrapped(decoded(row.get("input"))), unwrapped(decoded(row.get("output")))
    top.start = nanoseconds(row.get("timestamp"))
    top.end = max([top.start, *(child.end for child in children)])
    top.extra["whole"] = True
    roots = [child for child in children if child.parent is None]
    if top.output is None and len(roots) == 1:
        yield from children  # what the trace says is what its root says
        return
    for child in children:
        child.parent = child.parent or own
        yield child
    yield top


def _observation(row: Mapping[str, Any]) -> Span:
    trace = first_of(row, "traceId", "trace_id")
    own = row.get("id")
    if not trace or not own:
        raise ValueError("an observation without an id or a trace id")
    name = str(row.get("name") or "")
    parent = first_of(row, "parentObservationId", "parent_observation_id")
    span = Span("langfuse", str(trace), str(own), str(parent) if parent else None, name, kind_of(row.get("type"), name))
    span.start = nanoseconds(first_of(row, "startTime", "start_time"))
    span.end = nanoseconds(first_of(row, "endTime", "end_time")) or span.start
    return _filled(span, unwrapped(decoded(row.get("input"))), unwrapped(decoded(row.get("output"))))


def langsmith(row: Mapping[str, Any]) -> Iterator[Span]:
    """A run, and the runs below it where it holds them."""
    trace = row.get("trace_id") or row["id"]
    name = str(row.get("name") or "")
    parent = row.get("parent_run_id")
    kind = kind_of(row.get("run_type"), name)
    span = Span("langsmith", str(trace), str(row["id"]), str(parent) if parent else None, name, kind)
    span.start, span.end = nanoseconds(row.get("start_time")), nanoseconds(row.get("end_time"))
    if row.get("session_id"):
        span.extra["session_id"] = str(row["session_id"])
    if row.get("start_time"):
        span.extra["start_time"] = str(row["start_time"])
    yield _filled(span, unwrapped(decoded(row.get("inputs"))), unwrapped(decoded(row.get("outputs"))))
    for child in row.get("child_runs") or ():
        below = child if isinstance(child, Mapping) else dict(child)
        yield from langsmith({"trace_id": trace, "parent_run_id": row["id"], **without_none(below)})


def mlflow(row: Mapping[str, Any]) -> Iterator[Span]:
    """A trace: `{info, data: {spans}}`, a row of `search_traces`; or one span of it."""
    row = _decoded_trace(row)
    info, data = row.get("info"), row.get("data")
    if not isinstance(data, Mapping):
        yield _mlflow_span(row, str(row.get("trace_id") or ""))
        return
    info = info if isinstance(info, Mapping) else {}
    trace = first_of(info, "trace_id", "request_id")
    if not trace:
        raise ValueError("info: a trace without a trace_id")
    for item in data["spans"] or ():
        if not isinstance(item, Mapping):
            raise ValueError(f"data.spans: expected objects, found {type(item).__name__}")
        yield _mlflow_span(item, str(trace))


def _decoded_trace(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The trace in a row of `search_traces`, where it is JSON in a column beside others."""
    if "trace" not in row or "info" in row:
        return row
    inside = decoded(row["trace"])
    inside = inside.to_dict() if callable(getattr(inside, "to_dict", None)) else inside
    if not isinstance(inside, Mapping):
        raise ValueError("trace: cannot be read as JSON")
    return inside


def _mlflow_span(row: Mapping[str, Any], trace: str) -> Span:
    raw = row.get("attributes")
    attributes = {name: decoded(value) for name, value in raw.items()} if isinstance(raw, Mapping) else {}
    inside = row.get("context")
    context = inside if isinstance(inside, Mapping) else row  # MLflow 2 had a context
    own = identifier(first_of(context, "span_id", "spanId"), 8)
    if not own:
        raise ValueError("a span without a span id")
    parent = identifier(first_of(row, "parent_span_id", "parent_id"), 8)
    name = str(row.get("name") or "")
    span = Span("mlflow", trace, own, parent, name, kind_of(attributes.get("mlflow.spanType"), name))
    span.start = nanoseconds(first_of(row, "start_time_unix_nano", "start_time"))
    span.end = nanoseconds(first_of(row, "end_time_unix_nano", "end_time"))
    recorded = attributes.get("mlflow.spanInputs"), attributes.get("mlflow.spanOutputs")
    if recorded == (None, None) and raw:  # sent to MLflow by OpenTelemetry
        sent = next(otel_spans({**row, "traceId": "0" * 32, "spanId": own, "attributes": tree(raw)}))
        span.kind, span.documents, span.messages = sent.kind, sent.documents, sent.messages
        span.input, span.output, span.reranked = sent.input, sent.output, sent.reranked
        return span
    return _filled(span, *map(unwrapped, recorded))


def _filled(span: Span, given: Any, gave: Any) -> Span:
    """What went in and came out, and what that means for a step of this kind."""
    span.input, span.output = given, gave
    if span.kind in ("retriever", "reranker"):
        span.documents = documents_in(gave)
    if span.kind == "reranker":
        span.reranked = documents_in(given)
    if span.kind == "llm":
        messages = given.get("messages", given.get("prompt")) if isinstance(given, Mapping) else given
        if isinstance(messages, list) and len(messages) == 1 and isinstance(messages[0], list):
            messages = messages[0]  # LangChain: a batch of one
        if isinstance(messages, str) and messages.strip():
            messages = [{"role": "user", "content": messages}]
        span.messages = list(messages) if is_conversation(messages) else []
    return span
