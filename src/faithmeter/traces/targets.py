"""Sends scores to Phoenix, Langfuse, MLflow, LangSmith or a collector; sent twice, they are there once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from faithmeter.errors import DataError, OutputError
from faithmeter.traces import otlp
from faithmeter.traces.http import Connection
from faithmeter.traces.scores import Score, TraceRef

BATCH = 100  # answers in a request, where a server takes many

Uses = Sequence[str]


class Judged(NamedTuple):
    """The scores of one answer, and what its contexts were good for."""

    scores: list[Score]
    uses: Uses = ()

    @property
    def trace_ref(self) -> TraceRef:
        """The trace and span."""
        return self.scores[0].trace_ref


def connect(target: str, url: str) -> Connection:
    """A connection with the keys that the vendor's own tools read from the environment."""
    env = os.environ.get
    headers: dict[str, str] = {}
    auth: tuple[str, str] | None = None
    if target == "phoenix" and (key := env("PHOENIX_API_KEY")):
        headers["authorization"] = f"Bearer {key}"
    elif target == "langfuse":
        auth = (env("LANGFUSE_PUBLIC_KEY") or "", env("LANGFUSE_SECRET_KEY") or "")
    elif target == "langsmith" and (key := env("LANGSMITH_API_KEY") or env("LANGCHAIN_API_KEY")):
        headers["x-api-key"] = key
    elif target == "mlflow" and (key := env("MLFLOW_TRACKING_TOKEN")):
        headers["authorization"] = f"Bearer {key}"
    elif target == "mlflow" and (user := env("MLFLOW_TRACKING_USERNAME")):
        auth = (user, env("MLFLOW_TRACKING_PASSWORD") or "")
    elif target == "otel":
        for part in filter(None, (env("OTEL_EXPORTER_OTLP_HEADERS") or "").split(",")):
            name, _, value = part.partition("=")
            headers[name.strip()] = unquote(value.strip())
    return Connection(url, headers=headers, auth=auth if auth and any(auth) else None)


# --- Phoenix --------------------------------------------------------------------------------------------


def phoenix(server: Connection, judged: Sequence[Judged]) -> None:
    """Annotations of the span, one for the answer and one for each claim; of its documents, what they were good for."""
    bodies = [_annotation(score) for each in judged for score in each.scores]
    server.ask("POST", "/v1/span_annotations?sync=true", json={"data": bodies})
    documents = [
        {"name": "context_use", "annotator_kind": "CODE", "span_id": document[0], "document_position": document[1],
         "result": {"label": use}}
        for each in judged
        for document, use in zip(each.trace_ref.documents, each.uses, strict=False) if document
    ]  # fmt: skip
    if documents:
        server.ask("POST", "/v1/document_annotations?sync=true", json={"data": documents})


def _annotation(score: Score) -> dict[str, Any]:
    return {
        "name": score.name,
        "span_id": _span_id(score),
        "annotator_kind": score.kind,
        "identifier": score.identifier,
        "result": {"label": score.label, "score": score.value, "explanation": score.explanation},
        "metadata": _with_error(score),
    }


# --- Langfuse -------------------------------------------------------------------------------------------


def langfuse(server: Connection, judged: Sequence[Judged]) -> None:
    """A number and a label for the answer, a label for each claim: a failure has a label only."""
    for score in (score for each in judged for score in each.scores):
        if score.value is not None and "claim" not in score.metadata:
            server.ask("POST", "/api/public/scores", json=_langfuse_score(score, score.value))
        server.ask("POST", "/api/public/scores", json=_langfuse_score(score, score.label))


def _langfuse_score(score: Score, value: float | str) -> dict[str, Any]:
    numeric = isinstance(value, float)
    label = "claim" not in score.metadata and not numeric
    body = {
        "id": f"{score.id}-label" if label else score.id,
        "traceId": score.trace_ref.trace,
        "observationId": score.trace_ref.span,
        "name": f"{score.name}_label" if label else score.name,
        "value": value,
        "dataType": "NUMERIC" if numeric else "CATEGORICAL",
        "comment": score.explanation,
        "metadata": _with_error(score),
        # A score is updated if its id and its time are those of an earlier one.
        "timestamp": _iso(score.trace_ref.end),
    }
    return {name: item for name, item in body.items() if item is not None}


# --- LangSmith ------------------------------------------------------------------------------------------


def langsmith(server: Connection, judged: Sequence[Judged]) -> None:
    """Feedback on the run, one for the answer and one for each claim."""
    for score in (score for each in judged for score in each.scores):
        body = _feedback(score)
        if server.ask("POST", "/feedback", json=body, accept=(409,)).status_code == 409:  # it is there
            changes = {name: body.get(name) for name in ("score", "value", "comment")}
            server.ask("PATCH", f"/feedback/{score.id}", json=changes)


def _feedback(score: Score) -> dict[str, Any]:
    body = {
        "id": score.id,
        "run_id": _span_id(score),
        "trace_id": score.trace_ref.trace,
        "session_id": score.trace_ref.session,
        "start_time": score.trace_ref.start,
        "key": score.name,
        "score": score.value,
        "value": score.label,
        "comment": score.explanation,
        "error": True if score.error else None,
        "extra": _with_error(score),
        "feedback_source": {
            "type": "model" if score.kind == "LLM" else "api",
            "metadata": {"faithmeter": score.identifier},
        },
    }
    return {name: item for name, item in body.items() if item is not None}


# --- MLflow ---------------------------------------------------------------------------------------------


def mlflow(server: Connection, judged: Sequence[Judged]) -> None:
    """Assessments of the trace: MLflow gives them ids of its own, so those that are there are looked up first."""
    for each in judged:
        path = f"/api/3.0/mlflow/traces/{quote(each.trace_ref.trace, safe='')}"
        reply = server.json("GET", path)
        info = (reply.get("trace") or {}).get("trace_info") or {}
        there = {
            assessment["metadata"]["faithmeter.id"]: assessment
            for assessment in info.get("assessments") or ()
            if (assessment.get("metadata") or {}).get("faithmeter.id")
        }
        for score in each.scores:
            body = _assessment(score)
            earlier = there.get(score.id)
            if earlier is None:
                server.ask("POST", f"{path}/assessments", json={"assessment": body})
            elif any(_plain(earlier.get(name)) != _plain(body[name]) for name in ("feedback", "rationale", "metadata")):
                change = {"assessment": body, "update_mask": "feedback,rationale,metadata"}
                server.ask("PATCH", f"{path}/assessments/{quote(earlier['assessment_id'], safe='')}", json=change)


def _assessment(score: Score) -> dict[str, Any]:
    feedback: dict[str, Any] = {"value": score.value if score.value is not None else score.label}
    if score.error:
        feedback = {"error": {"error_code": score.error, "error_message": score.explanation}}
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    body: dict[str, Any] = {
        "assessment_name": score.name,
        "trace_id": score.trace_ref.trace,
        "source": {"source_type": "LLM_JUDGE" if score.kind == "LLM" else "CODE", "source_id": score.identifier},
        "create_time": now,
        "last_update_time": now,
        "feedback": feedback,
        "rationale": score.explanation,
        "metadata": {name: str(value) for name, value in (score.metadata | {"label": score.label}).items()},
        "valid": True,
    }
    return body | ({"span_id": score.trace_ref.span} if score.trace_ref.span else {})


def _plain(value: Any) -> Any:
    """A part of an assessment without what the server adds."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items() if item is not None}
    return value


# --- OpenTelemetry --------------------------------------------------------------------------------------


def collector(form: otlp.Form) -> Callable[[Connection, Sequence[Judged]], None]:
    """Sends to a collector, over HTTP, in protobuf's form."""

    def send(server: Connection, judged: Sequence[Judged]) -> None:
        data = otlp.encoded(form, (otlp.request(form, each.scores) for each in judged))
        path = "" if server.url.endswith(otlp.PATHS[form]) else otlp.PATHS[form]
        server.ask("POST", path, content=data, headers={"content-type": "application/x-protobuf"})

    return send


TARGETS: Mapping[str, Callable[[Connection, Sequence[Judged]], None]] = {
    "phoenix": phoenix,
    "langfuse": langfuse,
    "mlflow": mlflow,
    "langsmith": langsmith,
    "otel": collector("otel"),
}


def push(
    server: Connection, send: Callable[[Connection, Sequence[Judged]], None], judged: Iterable[Judged]
) -> tuple[int, int]:
    """Send the scores of many answers; how many answers, and how many scores. Sent again, they change nothing."""
    answers = count = 0
    waiting: list[Judged] = []

    def flush() -> None:
        nonlocal answers, count
        if waiting:
            try:
                send(server, waiting)
            except OutputError as error:
                done = f"; {answers} answers were sent before, and sending all again changes nothing" if answers else ""
                raise OutputError(f"{error}{done}") from None
            answers += len(waiting)
            count += sum(len(each.scores) for each in waiting)
            waiting.clear()

    for each in judged:
        waiting.append(each)
        if len(waiting) == BATCH:
            flush()
    flush()
    return answers, count


def _span_id(score: Score) -> str:
    ref = score.trace_ref
    if not ref.span:
        raise DataError(f"trace {ref.trace}: no span id; put it into the sample's metadata as trace.span_id")
    return ref.span


def _with_error(score: Score) -> dict[str, Any]:
    return score.metadata | {"signature": score.signature} | ({"error": score.error} if score.error else {})


def _iso(nanoseconds: int) -> str | None:
    if not nanoseconds:
        return None
    return datetime.fromtimestamp(nanoseconds // 1_000_000 / 1000, UTC).isoformat(timespec="milliseconds")
