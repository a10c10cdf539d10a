"""Spans of OpenTelemetry: with the attributes of OpenInference (Phoenix), of its GenAI conventions, or OpenLLMetry."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from faithmeter.data.foreign import first_of
from faithmeter.data.traces.attributes import at, decoded, identifier, items, nanoseconds, tree
from faithmeter.data.traces.span import Kind, Span, documents_in, kind_of, unwrapped

_JSON = "application/json"


def spans(row: Mapping[str, Any]) -> Iterator[Span]:
    """The spans of a row: one, or all of an OTLP request."""
    for name in ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "spans"):
        if isinstance(row.get(name), list):
            for item in row[name]:
                if not isinstance(item, Mapping):
                    raise ValueError(f"{name}: expected an object, found {type(item).__name__}")
                yield from spans(item)
            return
    is_span = any(name in row for name in ("traceId", "trace_id", "context", "context.trace_id"))
    if not is_span and ("scope" in row or "resource" in row):
        return  # a scope without spans
    yield _span(row)


def _span(row: Mapping[str, Any]) -> Span:
    row = _frame_row(row) if "context.trace_id" in row else row
    context = inside if isinstance(inside := row.get("context"), Mapping) else row
    trace = identifier(first_of(context, "trace_id", "traceId"), 16)
    own = identifier(first_of(context, "span_id", "spanId"), 8)
    if not trace or not own:
        raise ValueError("a span without a trace id or a span id")
    attributes = tree(row.get("attributes"))
    _add_events(attributes, row.get("events"))
    name = str(row.get("name") or "")
    span = Span(
        "phoenix" if "span_kind" in row or at(attributes, "openinference") else "otel",
        trace,
        own,
        identifier(first_of(row, "parent_id", "parentSpanId", "parent_span_id", "parentId"), 8),
        name,
        _kind(row, attributes, name),
        start=nanoseconds(first_of(row, "start_time", "startTimeUnixNano", "start_time_unix_nano", "startTime")),
        end=nanoseconds(first_of(row, "end_time", "endTimeUnixNano", "end_time_unix_nano", "endTime")),
    )
    _openinference(span, attributes)
    _genai(span, attributes)
    if isinstance(response := at(attributes, "gen_ai", "response", "id"), str):
        span.extra["response_id"] = response
    if span.kind == "retriever" and span.documents is None:
        span.documents = documents_in(span.output)
    return span


def _kind(row: Mapping[str, Any], attributes: dict[str, Any], name: str) -> Kind:
    said = (
        at(attributes, "openinference", "span", "kind")
        or row.get("span_kind")
        or at(attributes, "gen_ai", "operation", "name")
        or at(attributes, "traceloop", "span", "kind")
        or at(attributes, "langfuse", "observation", "type")
    )
    if said is None and at(attributes, "db", "vector"):
        said = "retriever"
    return kind_of(said, name)


# --- OpenInference --------------------------------------------------------------------------------------


def _openinference(span: Span, attributes: dict[str, Any]) -> None:
    span.input, span.output = _value(attributes, "input"), _value(attributes, "output")
    span.messages = [_message(item) for item in items(at(attributes, "llm", "input_messages")) or ()]
    span.reply = [_message(item) for item in items(at(attributes, "llm", "output_messages")) or ()]
    retrieved = items(at(attributes, "retrieval", "documents"))
    if retrieved is not None:
        span.documents = [_document(item) for item in retrieved]
        span.extra["numbered"] = True
    elif at(attributes, "retrieval", "documents") is not None:
        raise ValueError(f"{span.kind} {span.name!r}: retrieval.documents: expected a list of documents")
    if span.kind == "reranker":
        span.documents = [_document(item) for item in items(at(attributes, "reranker", "output_documents")) or ()]
        span.reranked = [_document(item) for item in items(at(attributes, "reranker", "input_documents")) or ()]


def _value(attributes: dict[str, Any], side: str) -> Any:
    value = at(attributes, side, "value")
    is_json = at(attributes, side, "mime_type") == _JSON
    return unwrapped(decoded(value) if is_json else value)


def _document(item: Any) -> Any:
    """`document.content`, `document.id`, `document.metadata`."""
    inner = at(item, "document") or item
    if not isinstance(inner, Mapping):
        return inner
    metadata = decoded(inner.get("metadata"))
    return {
        "content": at(inner, "content"),
        "id": inner.get("id"),
        "metadata": metadata if isinstance(metadata, Mapping) else {},
    }


def _message(item: Any) -> dict[str, Any]:
    inner = at(item, "message") or item
    parts = [at(part, "message_content") or part for part in items(at(inner, "contents")) or ()]
    content = at(inner, "content")
    return {"role": at(inner, "role") or "user", "content": content if content is not None else parts or ""}


# --- GenAI, and OpenLLMetry -------------------------------------------------------------------------------


def _genai(span: Span, attributes: dict[str, Any]) -> None:
    genai = at(attributes, "gen_ai")
    if isinstance(genai, Mapping):
        span.messages = span.messages or _system(genai) + _messages(at(genai, "input", "messages"))
        span.messages = span.messages or _messages(at(genai, "prompt"))
        span.reply = span.reply or _messages(at(genai, "output", "messages"), "assistant")
        span.reply = span.reply or _messages(at(genai, "completion"), "assistant")
        if span.kind == "tool" and span.output is None:
            span.output = decoded(at(genai, "tool", "call", "result"))
        if span.documents is None and (documents := items(at(genai, "retrieval", "documents"))) is not None:
            span.documents = [_document(item) for item in documents]
        if span.input is None:
            span.input = at(genai, "retrieval", "query", "text")
    for prefix in (("traceloop", "entity"), ("langfuse", "observation")):  # as their SDKs send them
        if span.input is None:
            span.input = unwrapped(decoded(at(attributes, *prefix, "input")))
        if span.output is None:
            span.output = unwrapped(decoded(at(attributes, *prefix, "output")))
    if span.kind in ("llm", "agent", "chain"):
        span.input = span.messages or None if span.input is None else span.input
        span.output = span.reply or None if span.output is None else span.output


def _system(genai: Mapping[str, Any]) -> list[Any]:
    parts = items(at(genai, "system_instructions"))
    return [_genai_message({"role": "system", "parts": parts}, "system")] if parts else []


def _messages(value: Any, role: str = "user") -> list[Any]:
    return [_genai_message(item, role) for item in items(value) or () if isinstance(item, Mapping)]


def _genai_message(item: Mapping[str, Any], role: str) -> dict[str, Any]:
    """`{role, parts: [{type: "text", content}, {type: "tool_call_response", response}]}` as chat logs have it."""
    parts = items(item.get("parts"))
    if parts is None:
        return {"role": item.get("role") or role, "content": item.get("content")}
    content: list[Any] = []
    for part in parts:
        kind = at(part, "type")
        if kind == "tool_call_response":
            response = at(part, "response") if at(part, "response") is not None else at(part, "result")
            content.append({"type": "tool_result", "content": _as_text(response)})
        elif kind in (None, "text"):
            content.append({"type": "text", "text": at(part, "content") or at(part, "text") or ""})
    return {"role": item.get("role") or role, "content": content}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _add_events(attributes: dict[str, Any], events: Any) -> None:
    """Messages that instrumentation recorded as an event of the span rather than in its attributes."""
    for event in events if isinstance(events, list) else ():
        inside = tree(event.get("attributes")) if isinstance(event, Mapping) else {}
        genai = at(inside, "gen_ai")
        if isinstance(genai, Mapping) and ("input" in genai or "output" in genai):
            own = attributes.setdefault("gen_ai", {})
            for name in ("input", "output", "system_instructions"):
                if name in genai and isinstance(own, dict):
                    own.setdefault(name, genai[name])


def _frame_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of Phoenix's frames: every name in one, e.g. `attributes.input.value`."""
    attributes = {
        name.removeprefix("attributes."): value
        for name, value in row.items()
        if name.startswith("attributes.") and value is not None and not (isinstance(value, float) and value != value)
    }
    context = {name: row.get(f"context.{name}") for name in ("trace_id", "span_id")}
    plain = {name: value for name, value in row.items() if "." not in name}
    return {**plain, "context": context, "attributes": attributes}
