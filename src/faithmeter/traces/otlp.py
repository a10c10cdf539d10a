"""Scores in OpenTelemetry's form, OTLP as JSON: events of its GenAI conventions, or OpenInference's EVALUATOR spans."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from faithmeter._version import __version__
from faithmeter.errors import MissingExtra
from faithmeter.traces.scores import Score

Form = Literal["otel", "openinference"]
PATHS: Mapping[Form, str] = {"otel": "/v1/logs", "openinference": "/v1/traces"}
_HEX = re.compile(r"[0-9a-f]+")
_SCOPE = {"name": "faithmeter", "version": __version__}
_RESOURCE = {"attributes": [{"key": "service.name", "value": {"stringValue": "faithmeter"}}]}
_INFO = 9  # severity numbers of the log data model
_ERROR = 17
_IDS = {"traceId": 16, "spanId": 8}


def request(form: Form, scores: Sequence[Score]) -> dict[str, Any]:
    """What is exported for the scores of one answer: the first is that of the whole."""
    if form == "otel":
        records = {"scope": _SCOPE, "logRecords": [_event(each) for each in scores]}
        return {"resourceLogs": [{"resource": _RESOURCE, "scopeLogs": [records]}]}
    spans = {"scope": _SCOPE, "spans": [_evaluator(scores)]}
    return {"resourceSpans": [{"resource": _RESOURCE, "scopeSpans": [spans]}]}


def _event(score: Score) -> dict[str, Any]:
    """`gen_ai.evaluation.result`, on the span that was judged."""
    attributes = {
        "gen_ai.evaluation.name": score.name,
        "gen_ai.evaluation.score.value": score.value,
        "gen_ai.evaluation.score.label": None if score.error else score.label,
        "gen_ai.evaluation.explanation": score.explanation,
        "gen_ai.response.id": score.trace_ref.response,
        "error.type": score.error,
        "faithmeter.signature": score.signature,
        **{f"faithmeter.{name.removeprefix('faithmeter.')}": value for name, value in score.metadata.items()},
    }
    time = str(score.trace_ref.end)
    return {
        "timeUnixNano": time,
        "observedTimeUnixNano": time,
        "severityNumber": _ERROR if score.error else _INFO,
        "eventName": "gen_ai.evaluation.result",
        "attributes": _attributes(attributes),
        **_link(score),
    }


def _evaluator(scores: Sequence[Score]) -> dict[str, Any]:
    """One span of its own trace, linked to the span that was judged; the same ids each time."""
    first = scores[0]
    digest = hashlib.sha256(first.id.encode()).hexdigest()
    attributes: dict[str, Any] = {"openinference.span.kind": "EVALUATOR", "input.value": first.trace_ref.trace}
    attributes["output.value"] = first.explanation
    for index, score in enumerate(scores):
        fields = {
            "name": score.name,
            "score": score.value,
            "label": score.label,
            "explanation": score.explanation,
            "annotator_kind": score.kind,
            "identifier": score.identifier,
            "metadata": json.dumps(score.metadata | ({"error": score.error} if score.error else {})),
        }
        attributes |= {f"evaluations.{index}.evaluation.{name}": value for name, value in fields.items()}
    status = {"code": 2, "message": first.explanation} if first.error else {"code": 1}
    link = _link(first)
    return {
        "traceId": digest[:32],
        "spanId": digest[32:48],
        "name": first.name,
        "kind": 1,
        "startTimeUnixNano": str(first.trace_ref.end),
        "endTimeUnixNano": str(first.trace_ref.end),
        "attributes": _attributes(attributes),
        "links": [link] if len(link) == 2 else [],
        "status": status,
    }


def _link(score: Score) -> dict[str, str]:
    """The ids of the span that was judged, if they are OpenTelemetry's; MLflow's and LangSmith's are converted."""
    trace = score.trace_ref.trace.removeprefix("tr-").replace("-", "").lower()
    span = (score.trace_ref.span or "").lower()
    ids = {}
    if len(trace) == 32 and _HEX.fullmatch(trace):
        ids["traceId"] = trace
        if len(span) == 16 and _HEX.fullmatch(span):
            ids["spanId"] = span
    return ids


def _attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in values.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}


def encoded(form: Form, requests: Iterable[Mapping[str, Any]]) -> bytes:
    """Requests as one of protobuf's, which every collector takes."""
    try:
        from google.protobuf.json_format import ParseDict
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    except ImportError:
        raise MissingExtra("sending to a collector", "traces") from None
    kind: Any = ExportLogsServiceRequest if form == "otel" else ExportTraceServiceRequest
    message = kind()
    for each in requests:
        message.MergeFrom(ParseDict(_base64_ids(each), kind()))  # parsing into the message itself would empty it first
    data: bytes = message.SerializeToString()
    return data


def _base64_ids(value: Any) -> Any:
    """Protobuf's own JSON has bytes in base64, where OTLP's has ids in hexadecimal digits."""
    if isinstance(value, Mapping):
        return {
            name: base64.b64encode(bytes.fromhex(item)).decode() if name in _IDS else _base64_ids(item)
            for name, item in value.items()
        }
    return [_base64_ids(item) for item in value] if isinstance(value, list) else value
