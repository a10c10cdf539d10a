"""Traces in and scores out, with real exporters, servers and types: Phoenix, MLflow, OpenTelemetry, and the rest."""

from __future__ import annotations

import atexit
import contextlib
import datetime
import functools
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from faithmeter import Claim, Failure, Result, Sample, check, evaluate

TOWER = "The Eiffel Tower is 330 metres tall."
BRIDGE = "The Golden Gate Bridge opened in 1937."
ASKED = "How tall is the Eiffel Tower?"
ANSWER = f"{TOWER} It was built in 1700."
FOLDER = Path(tempfile.mkdtemp(prefix="faithmeter-peers-"))
START = 600  # seconds that a server may take on a busy machine
# Ends a server when this process closes the pipe, or is killed itself.
WATCH = """
import os, signal, subprocess, sys, threading
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True)
threading.Thread(target=lambda: os._exit(server.wait()), daemon=True).start()
sys.stdin.read()
os.killpg(server.pid, signal.SIGKILL)
"""
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def _faithmeter(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "faithmeter", *arguments], capture_output=True, text=True, cwd=FOLDER)


def _did(*arguments: str) -> str:
    done = _faithmeter(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _judged(name: str, *spans: Any) -> Path:
    """Spans written to a file and evaluated by the command."""
    path = FOLDER / f"{name}.jsonl"
    path.write_text("".join(f"{json.dumps(span, default=str)}\n" for span in spans), "utf-8")
    results = FOLDER / f"{name}-results.jsonl"
    _did("eval", str(path), "-v", "lexical", "-o", str(results), "--fresh", "--quiet")
    return results


def _one(results: Path) -> Result:
    (line,) = results.read_text("utf-8").splitlines()
    return Result.model_validate_json(line)


def _read(result: Result) -> None:
    """Question, answer and contexts are those of the traced program."""
    sample = result.sample
    assert (sample.question, sample.answer) == (ASKED, ANSWER), sample
    assert [context.text for context in sample.contexts] == [TOWER, BRIDGE], sample
    assert result.score == 0.5


def _failed(result: Result) -> Path:
    """The same answer, where the judge did not reply."""
    claim = Claim(text=TOWER, start=0, end=len(TOWER))
    failure = Failure(claim=claim, kind="timeout", message="no reply in 60 s")
    changed = result.model_copy(update={"outcomes": (failure,), "signature": "a judge that is down"})
    path = FOLDER / f"failed-{uuid.uuid4().hex}.jsonl"
    path.write_text(changed.model_dump_json() + "\n", "utf-8")
    return path


def _port() -> int:
    for port in random.sample(range(20_000, 32_000), 1000):  # those above may be given to anybody in the meantime
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no free port")


def _server(name: str, command: list[str], health: str, **environment: str) -> None:
    """Start a server for the time of this process, and wait until it answers."""
    log = (FOLDER / f"{name}.log").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-c", WATCH, *command],
        env={**os.environ, **environment},
        cwd=FOLDER,
        stdin=subprocess.PIPE,
        stdout=log,
        stderr=log,
    )

    def stop() -> None:
        assert process.stdin
        process.stdin.close()
        process.wait(START)

    atexit.register(stop)
    until = time.monotonic() + START
    while process.poll() is None and time.monotonic() < until:
        try:
            urllib.request.urlopen(health, timeout=60).close()
            return
        except OSError:
            time.sleep(0.2)
    raise AssertionError((FOLDER / f"{name}.log").read_text("utf-8", "replace")[-2000:])


@contextmanager
def _listening(reply: bytes = b"{}") -> Iterator[tuple[str, list[tuple[str, str, bytes]]]]:
    """A loopback server that keeps what it is sent."""
    kept: list[tuple[str, str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            kept.append((self.path, self.headers["content-type"], body))
            self.send_response(200)
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", kept
    finally:
        server.shutdown()
        server.server_close()


def _traced(*processors: Any, project: str = "app", without_retrieval: bool = False) -> Any:
    """A RAG program, traced with OpenTelemetry's SDK and OpenInference's names."""
    from openinference.semconv.trace import DocumentAttributes, OpenInferenceSpanKindValues, SpanAttributes
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    provider = TracerProvider(resource=Resource({"openinference.project.name": project}))
    for processor in processors:
        provider.add_span_processor(processor)
    tracer, kind = provider.get_tracer("app"), SpanAttributes.OPENINFERENCE_SPAN_KIND
    with tracer.start_as_current_span("rag") as root:
        root.set_attributes({kind: OpenInferenceSpanKindValues.CHAIN.value, SpanAttributes.INPUT_VALUE: ASKED})
        if not without_retrieval:
            with tracer.start_as_current_span("search") as step:
                step.set_attribute(kind, OpenInferenceSpanKindValues.RETRIEVER.value)
                for number, text in enumerate((TOWER, BRIDGE)):
                    place = f"{SpanAttributes.RETRIEVAL_DOCUMENTS}.{number}"
                    step.set_attribute(f"{place}.{DocumentAttributes.DOCUMENT_CONTENT}", text)
                    step.set_attribute(f"{place}.{DocumentAttributes.DOCUMENT_ID}", f"d{number}")
        root.set_attribute(SpanAttributes.OUTPUT_VALUE, ANSWER)
    provider.force_flush()
    return provider


@functools.cache
def _spans() -> tuple[Any, ...]:
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    _traced(SimpleSpanProcessor(exporter))
    return exporter.get_finished_spans()


# --- OpenTelemetry and OpenInference ----------------------------------------------------------------------


def case_opentelemetry_sdk_in() -> str:
    """OpenTelemetry (opentelemetry-sdk): spans of the SDK with OpenInference's attributes, as objects and as JSON"""
    report = evaluate(list(_spans()), verifier="lexical")
    _read(report.results[0])
    result = _one(_judged("sdk", *(json.loads(span.to_json()) for span in _spans())))
    _read(result)
    assert result.sample.metadata == report.results[0].sample.metadata
    return f"score {result.score} from either"


def case_otlp_in() -> str:
    """OTLP (opentelemetry-proto): the request of an exporter, as protobuf's JSON and as OTLP's"""
    from google.protobuf.json_format import MessageToDict
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    request = MessageToDict(encode_spans(_spans()))
    _read(_one(_judged("otlp", request)))

    def hexadecimal(value: Any) -> Any:
        import base64

        if isinstance(value, dict):
            ids = ("traceId", "spanId", "parentSpanId")
            return {k: base64.b64decode(v).hex() if k in ids else hexadecimal(v) for k, v in value.items()}
        return [hexadecimal(item) for item in value] if isinstance(value, list) else value

    result = _one(_judged("otlp-hex", hexadecimal(request)))
    _read(result)
    return f"score {result.score}, the same from both"


def case_genai_in() -> str:
    """OpenTelemetry GenAI (opentelemetry-semantic-conventions): an agent's spans: `chat`, `execute_tool`, messages"""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as genai

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("agent")
    asked = {"role": "user", "parts": [{"type": "text", "content": ASKED}]}
    said = {"role": "assistant", "parts": [{"type": "text", "content": ANSWER}], "finish_reason": "stop"}
    with tracer.start_as_current_span("invoke_agent", attributes={genai.GEN_AI_OPERATION_NAME: "invoke_agent"}):
        for text in (TOWER, BRIDGE):
            with tracer.start_as_current_span("execute_tool search") as step:
                step.set_attribute(genai.GEN_AI_OPERATION_NAME, "execute_tool")
                step.set_attribute(genai.GEN_AI_TOOL_CALL_RESULT, text)
        with tracer.start_as_current_span("chat model") as step:
            step.set_attribute(genai.GEN_AI_OPERATION_NAME, "chat")
            step.set_attribute(genai.GEN_AI_INPUT_MESSAGES, json.dumps([asked]))
            step.set_attribute(genai.GEN_AI_OUTPUT_MESSAGES, json.dumps([said]))
            step.set_attribute(genai.GEN_AI_RESPONSE_ID, "resp-1")
    result = _one(_judged("genai", *(json.loads(span.to_json()) for span in exporter.get_finished_spans())))
    _read(result)
    assert result.sample.metadata["trace"]["response_id"] == "resp-1"
    return f"score {result.score}, `gen_ai.response.id` kept"


def case_collector_out() -> str:
    """OpenTelemetry (opentelemetry-proto): `traces push --to otel`, read by a collector with the real protobuf"""
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as genai

    results = _judged("out", *(json.loads(span.to_json()) for span in _spans()))
    about = _one(results).sample.metadata["trace"]
    with _listening(b"") as (url, kept):
        for _ in range(2):
            _did("traces", "push", str(results), "--to", "otel", url)
        _did("traces", "push", str(_failed(_one(results))), "--to", "otel", url)
        _did("traces", "push", str(results), "--to", "otel", url, "--as", "openinference")
    assert [(path, kind) for path, kind, _ in kept] == [
        *[("/v1/logs", "application/x-protobuf")] * 3, ("/v1/traces", "application/x-protobuf"),
    ]  # fmt: skip
    assert kept[0] == kept[1]
    logs = ExportLogsServiceRequest.FromString(kept[0][2]).resource_logs[0].scope_logs[0].log_records
    assert {log.event_name for log in logs} == {"gen_ai.evaluation.result"}
    assert {(log.trace_id.hex(), log.span_id.hex()) for log in logs} == {(about["trace_id"], about["span_id"])}
    said = {item.key: item.value for item in logs[0].attributes}
    assert said[genai.GEN_AI_EVALUATION_NAME].string_value == "faithfulness"
    assert said[genai.GEN_AI_EVALUATION_SCORE_VALUE].double_value == 0.5
    assert said[genai.GEN_AI_EVALUATION_SCORE_LABEL].string_value == "unfaithful"
    assert said[genai.GEN_AI_EVALUATION_EXPLANATION].string_value.startswith("1 of 2 claims")
    failed = ExportLogsServiceRequest.FromString(kept[2][2]).resource_logs[0].scope_logs[0].log_records[0]
    words = {item.key: item.value for item in failed.attributes}
    assert words["error.type"].string_value == "timeout"
    assert genai.GEN_AI_EVALUATION_SCORE_VALUE not in words
    (span,) = ExportTraceServiceRequest.FromString(kept[3][2]).resource_spans[0].scope_spans[0].spans
    (link,) = span.links
    assert (link.trace_id.hex(), link.span_id.hex()) == (about["trace_id"], about["span_id"])
    return f"{len(logs)} `gen_ai.evaluation.result` events; an EVALUATOR span with one link; a failure as `error.type`"


# --- Phoenix ----------------------------------------------------------------------------------------------


@functools.cache
def _phoenix() -> str:
    port = _port()
    url = f"http://127.0.0.1:{port}"
    ports = {"PHOENIX_PORT": str(port), "PHOENIX_GRPC_PORT": str(_port()), "PHOENIX_HOST": "127.0.0.1"}
    command = [sys.executable, "-m", "phoenix.server.main", "serve"]
    _server("phoenix", command, f"{url}/healthz", PHOENIX_WORKING_DIR=str(FOLDER), **ports)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    _traced(SimpleSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces", timeout=START)))
    _traced(SimpleSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces", timeout=START)), project="mixed")
    _traced(
        SimpleSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces", timeout=START)),
        project="mixed",
        without_retrieval=True,
    )
    for project, count in (("app", 2), ("mixed", 3)):
        _there(lambda project=project: _phoenix_spans(url, project), count)
    return url


def _phoenix_spans(url: str, project: str) -> list[Any]:
    from phoenix.client import Client

    try:
        return list(Client(base_url=url).spans.get_spans(project_identifier=project, timeout=START))
    except Exception:  # the project comes with its first span
        return []


def _there(read: Any, count: int) -> None:
    """Wait until a server, which takes spans in and writes them later, has them."""
    until = time.monotonic() + START
    while len(read()) < count:
        assert time.monotonic() < until, "the spans did not arrive"
        time.sleep(0.1)


def case_phoenix_in() -> str:
    """Phoenix (arize-phoenix): a project's spans from a running server: the client's list, and its frame"""
    from phoenix.client import Client

    spans = _phoenix_spans(_phoenix(), "app")
    result = _one(_judged("phoenix", *spans))
    _read(result)
    frame = (
        Client(base_url=_phoenix())
        .spans.get_spans_dataframe(project_identifier="app", timeout=START)
        .reset_index(drop=True)
    )
    framed = evaluate(frame, verifier="lexical").results[0]
    _read(framed)
    assert framed.sample.metadata["trace"]["span_id"] == result.sample.metadata["trace"]["span_id"]
    return f"score {result.score} from either"


def case_phoenix_out() -> str:
    """Phoenix (arize-phoenix): `faithmeter traces score URL --project app`, twice, and a failure"""
    from phoenix.client import Client

    url = _phoenix()
    client = Client(base_url=url)
    results = FOLDER / "scored.jsonl"
    said = _did("traces", "score", url, "--project", "app", "-v", "lexical", "-o", str(results))
    assert said == f"mean score 0.50; 3 scores of 1 answers sent to {url}\n"
    span = _one(results).sample.metadata["trace"]["span_id"]

    def annotations() -> dict[tuple[str, str], dict[str, Any]]:
        found = client.spans.get_span_annotations(span_ids=[span], project_identifier="app", timeout=START)
        return {(item["name"], item["identifier"]): dict(item) for item in found}

    first = annotations()
    assert len(first) == 3
    whole = first["faithfulness", _one(results).signature]
    assert (whole["result"]["score"], whole["result"]["label"]) == (0.5, "unfaithful")
    assert whole["annotator_kind"] == "CODE"
    _did("traces", "push", str(results), "--to", "phoenix", url)
    again = annotations()
    assert {key: (item["id"], item["result"]) for key, item in again.items()} == {
        key: (item["id"], item["result"]) for key, item in first.items()
    }
    _did("traces", "push", str(_failed(_one(results))), "--to", "phoenix", url)
    failed = annotations()["faithfulness", "a judge that is down"]
    assert (failed["result"].get("score"), failed["result"]["label"]) == (None, "error")
    return "3 annotations on the root span, 2 of its documents; the second time the same; a failure without a number"


def case_phoenix_bad_input() -> str:
    """Phoenix (arize-phoenix): a project with a trace without retrieval"""
    url = _phoenix()
    stopped = _faithmeter("traces", "score", url, "--project", "mixed", "-v", "lexical")
    assert stopped.returncode == 2
    assert len(stopped.stderr.splitlines()) == 1
    assert "no retrieval in trace" in stopped.stderr
    skipped = _faithmeter("traces", "score", url, "--project", "mixed", "-v", "lexical", "--bad-rows", "skip")
    assert skipped.returncode == 0, skipped.stderr
    assert skipped.stderr == "faithmeter: 1 traces left out: 1 no retrieval\n"
    gone = _faithmeter("traces", "score", url, "--project", "no-such", "-v", "lexical")
    assert gone.returncode == 2
    assert len(gone.stderr.splitlines()) == 1
    return "exit 2 and one line; with `--bad-rows skip` left out and counted"


def case_phoenix_evaluator_span() -> str:
    """Phoenix (arize-phoenix): `traces push --to otel URL --as openinference`, kept as an EVALUATOR span"""
    url = _phoenix()
    results = _judged("linked", *_phoenix_spans(url, "app"))
    for _ in range(2):
        _did("traces", "push", str(results), "--to", "otel", url, "--as", "openinference")
    _there(lambda: _phoenix_spans(url, "default"), 1)
    (span,) = _phoenix_spans(url, "default")
    assert span["span_kind"] == "EVALUATOR"
    assert span["attributes"]["evaluations.0.evaluation.score"] == 0.5
    return "one EVALUATOR span, also when sent twice"


# --- MLflow -----------------------------------------------------------------------------------------------


@functools.cache
def _mlflow() -> str:
    port = _port()
    url = f"http://127.0.0.1:{port}"
    store = [
        "--backend-store-uri",
        f"sqlite:///{FOLDER}/mlflow.db",
        "--default-artifact-root",
        str(FOLDER / "artifacts"),
    ]
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), *store]
    _server("mlflow", [*command, "--workers", "1"], f"{url}/health", MLFLOW_SERVER_ENABLE_JOB_EXECUTION="false")
    import mlflow

    mlflow.set_tracking_uri(url)
    return url


def case_mlflow_in_and_out() -> str:
    """MLflow (mlflow): a trace from a running server; `traces push --to mlflow`, twice, and a failure"""
    url = _mlflow()
    import mlflow
    from mlflow.entities import Document, SpanType

    @mlflow.trace(span_type=SpanType.RETRIEVER)
    def search(query: str) -> list[Document]:
        return [Document(page_content=TOWER, id="d0"), Document(page_content=BRIDGE, metadata={"doc_uri": "b"})]

    @mlflow.trace(span_type=SpanType.CHAIN)
    def rag(question: str) -> str:
        search(question)
        return ANSWER

    rag(ASKED)
    mlflow.flush_trace_async_logging()
    name = mlflow.get_last_active_trace_id()
    until = time.monotonic() + START
    while (trace := mlflow.get_trace(name)) is None or len(trace.data.spans) < 2:
        assert time.monotonic() < until
        time.sleep(0.1)
    _read(evaluate([trace], verifier="lexical").results[0])
    results = _judged("mlflow", json.loads(trace.to_json()))
    result = _one(results)
    _read(result)
    assert result.sample.id == name
    _did("traces", "push", str(results), "--to", "mlflow", url)
    first = mlflow.get_trace(name).info.assessments
    _did("traces", "push", str(results), "--to", "mlflow", url)
    again = mlflow.get_trace(name).info.assessments
    assert [each.to_dictionary() for each in again] == [each.to_dictionary() for each in first]
    (whole,) = (each for each in first if each.name == "faithfulness")
    assert (whole.value, whole.source.source_type, whole.source.source_id) == (0.5, "CODE", result.signature)
    assert whole.span_id == result.sample.metadata["trace"]["span_id"]
    assert len(first) == 3
    _did("traces", "push", str(_failed(result)), "--to", "mlflow", url)
    failed = [each for each in mlflow.get_trace(name).info.assessments if each.error]
    assert {(each.value, each.error.error_code) for each in failed} == {(None, "timeout")}
    return "score 0.5; 3 assessments, the second time untouched; a failure as `AssessmentError`"


# --- Langfuse and LangSmith: their types; there is no server of theirs to install --------------------------------


def case_langfuse_in_and_out() -> str:
    """Langfuse (langfuse): spans of its SDK, observations of its API's type; scores read by its `CreateScoreRequest`"""
    from langfuse import Langfuse
    from langfuse.api import ObservationV2
    from langfuse.api.core.pydantic_utilities import parse_obj_as
    from langfuse.api.scores.types.create_score_request import CreateScoreRequest
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    client = Langfuse(public_key="pk", secret_key="sk", base_url="http://127.0.0.1:9", tracer_provider=provider)
    with client.start_as_current_observation(name="rag", as_type="chain", input={"question": ASKED}) as root:
        with client.start_as_current_observation(name="search", as_type="retriever", input=ASKED) as step:
            step.update(output=[{"page_content": TOWER}, {"page_content": BRIDGE}])
        root.update(output=ANSWER)
    _read(_one(_judged("langfuse-sdk", *(json.loads(span.to_json()) for span in exporter.get_finished_spans()))))

    now = datetime.datetime(2025, 6, 1, tzinfo=datetime.UTC)

    def observation(own: str, kind: str, parent: str | None, **io: Any) -> dict[str, Any]:
        made = ObservationV2(id=own, trace_id="t1", type=kind, parent_observation_id=parent, name=kind.lower(),
                             start_time=now, end_time=now, project_id="p", **io)  # fmt: skip
        written: dict[str, Any] = json.loads(made.json())
        return written

    rows = [
        observation("o1", "CHAIN", None, input=json.dumps({"question": ASKED}), output=ANSWER),
        observation("o2", "RETRIEVER", "o1", output=json.dumps([{"page_content": TOWER}, {"page_content": BRIDGE}])),
    ]
    results = _judged("langfuse", *rows)
    _read(_one(results))
    with _listening() as (url, kept):
        for _ in range(2):
            _did("traces", "push", str(results), "--to", "langfuse", url)
        _did("traces", "push", str(_failed(_one(results))), "--to", "langfuse", url)
    sent = [parse_obj_as(CreateScoreRequest, json.loads(body)) for _, _, body in kept]
    assert sent[:4] == sent[4:8]
    assert {(score.trace_id, score.observation_id) for score in sent} == {("t1", "o1")}
    assert (sent[0].name, sent[0].value, sent[0].data_type) == ("faithfulness", 0.5, "NUMERIC")
    assert {score.value for score in sent[8:]} == {"error"}
    assert not any((score.model_extra or {}) for score in sent)
    return "score 0.5; a number and three labels with the same ids and time when sent twice; a failure as a label"


def case_langsmith_in_and_out() -> str:
    """LangSmith (langsmith): runs as the SDK's `Run` objects and as JSON; feedback read by its `FeedbackCreate`"""
    from langsmith.schemas import FeedbackCreate, Run

    now = datetime.datetime(2025, 6, 1, tzinfo=datetime.UTC)
    first, second = uuid.uuid4(), uuid.uuid4()
    shared = {"trace_id": first, "start_time": now, "end_time": now, "session_id": uuid.uuid4()}
    found = {"documents": [{"page_content": TOWER, "metadata": {}}, {"page_content": BRIDGE, "metadata": {}}]}
    runs = [
        Run(id=first, name="rag", run_type="chain", inputs={"input": ASKED}, outputs={"output": ANSWER}, **shared),
        Run(id=second, name="search", run_type="retriever", parent_run_id=first, inputs={"query": ASKED}, outputs=found,
            **shared),
    ]  # fmt: skip
    _read(evaluate(runs, verifier="lexical").results[0])
    results = _judged("langsmith", *(json.loads(run.json()) for run in runs))
    _read(_one(results))
    with _listening() as (url, kept):
        for _ in range(2):
            _did("traces", "push", str(results), "--to", "langsmith", url)
        _did("traces", "push", str(_failed(_one(results))), "--to", "langsmith", url)
    sent = [FeedbackCreate.model_validate(json.loads(body)) for _, _, body in kept]
    assert sent[:3] == sent[3:6]
    assert {(each.run_id, each.trace_id, each.session_id) for each in sent} == {(first, first, shared["session_id"])}
    assert (sent[0].key, sent[0].score, sent[0].value) == ("faithfulness", 0.5, "unfaithful")
    assert {(each.score, each.value, each.error) for each in sent[6:]} == {(None, "error", True)}
    return "score 0.5; three feedbacks with the same ids when sent twice; a failure with `error` and no score"


def case_a_row_of_ones_own_with_a_trace() -> None:
    sample = Sample(answer=TOWER, contexts=(TOWER,), metadata={"trace_id": "0" * 32, "span_id": "1" * 16})
    path = FOLDER / "own.jsonl"
    result = check(sample, verifier="lexical")
    path.write_text(result.model_dump_json() + "\n", "utf-8")
    assert "2 scores of 1 answers" in _did(
        "traces", "push", str(path), "--as", "otel", "-o", str(FOLDER / "own-out.jsonl")
    )
