"""Scores onto traces: what is sent, read by a server here; the vendors' own are in tests/peers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner
from click.testing import Result as Done
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from faithmeter import Claim, Failure, Result, Sample, check
from faithmeter.cli import main
from faithmeter.data.jsonl import encode
from faithmeter.traces.scores import scores, trace_ref_of

TOWER = "The Eiffel Tower is 330 metres tall."
TRACE, SPAN = "a" * 32, "b" * 16
ABOUT = {"system": "phoenix", "trace_id": TRACE, "span_id": SPAN, "end_time": 1748736009500000000, "response_id": "r1",
         "documents": [["c" * 16, 0]]}  # fmt: skip


def judged(answer: str = f"{TOWER} It was built in 1700.") -> Result:
    sample = Sample(id=TRACE, answer=answer, contexts=(TOWER,), metadata={"trace": ABOUT})  # type: ignore[arg-type]
    return check(answer, [TOWER], verifier="lexical").model_copy(update={"sample": sample})


def failed() -> Result:
    claim = Claim(text=TOWER, start=0, end=len(TOWER))
    failure = Failure(claim=claim, kind="timeout", message="no reply in 60 s")
    return judged(TOWER).model_copy(update={"outcomes": (failure,)})


class Server:
    """Keeps what it is sent; `replies` by method and path."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.replies: dict[tuple[str, str], tuple[int, Any]] = {}
        keeper = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                is_json = self.headers.get("content-type") == "application/json"
                keeper.requests.append((self.command, self.path, json.loads(body) if is_json else body))
                keeper.headers.append({name.lower(): value for name, value in self.headers.items()})
                status, reply = keeper.replies.get((self.command, self.path), (200, {}))
                data = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = _answer

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()


def push(folder: Path, *results: Result, options: list[str], env: dict[str, str] | None = None) -> Done:
    path = folder / "results.jsonl"
    path.write_bytes(b"".join(encode(result) + b"\n" for result in results))
    return CliRunner().invoke(main, ["traces", "push", str(path), *options], env=env)


def test_a_score_a_label_and_an_explanation_for_the_answer_and_each_claim() -> None:
    result = judged()
    trace_ref = trace_ref_of(result)
    assert trace_ref
    whole, first, second = scores(result, trace_ref)
    assert (whole.name, whole.value, whole.label) == ("faithfulness", 0.5, "unfaithful")
    assert whole.explanation.startswith("1 of 2 claims supported. “It was built in 1700.” is not enough info.")
    assert whole.identifier == whole.signature == result.signature
    assert (first.name, first.value, first.label) == ("faithfulness_claim", 1.0, "supported")
    assert (second.value, second.label, second.metadata["claim"]) == (0.0, "not_enough_info", "It was built in 1700.")
    assert len({score.id for score in (whole, first, second)}) == 3
    assert list(scores(result, trace_ref)) == [whole, first, second]
    assert [score.name for score in scores(result, trace_ref, name="f", claims=False)] == ["f"]


def test_a_failure_is_an_error_and_no_number() -> None:
    result = failed()
    trace_ref = trace_ref_of(result)
    assert trace_ref
    assert [(score.value, score.label, score.error) for score in scores(result, trace_ref)] == [
        (None, "error", "timeout")
    ] * 2
    partly = judged(TOWER)
    partly = partly.model_copy(update={"outcomes": (*partly.outcomes, *result.outcomes)})
    whole, _, unjudged = scores(partly, trace_ref)
    assert (whole.label, whole.error, unjudged.value) == ("partly judged", None, None)
    nothing = judged("Hello!")
    (lone,) = scores(nothing, trace_ref)
    assert (lone.label, lone.error) == ("no claims", None)


def test_the_trace_is_named_by_the_metadata_or_the_id() -> None:
    result = judged()

    def of(**fields: Any) -> Any:
        return trace_ref_of(result.model_copy(update={"sample": result.sample.model_copy(update=fields)}))

    assert of().span == SPAN
    assert of(metadata={"trace_id": "t", "span_id": "s"})[:2] == ("t", "s")
    assert of(metadata={}).trace == TRACE
    assert of(metadata={}, id="row-7") is None


def test_phoenix(server: Server, tmp_path: Path) -> None:
    done = push(tmp_path, judged(), failed(), options=["--to", "phoenix", server.url], env={"PHOENIX_API_KEY": "k"})
    assert done.exit_code == 0, done.output
    assert done.stdout == f"5 scores of 2 answers sent to {server.url}\n"
    assert [path for _, path, _ in server.requests] == [
        "/v1/span_annotations?sync=true", "/v1/document_annotations?sync=true",
    ]  # fmt: skip
    sent = server.requests[0][2]["data"]
    assert sent[0]["result"]["score"] == 0.5
    assert sent[3]["result"]["score"] is None
    assert sent[3]["result"]["label"] == "error"
    assert sent[3]["metadata"]["error"] == "timeout"
    assert server.requests[1][2]["data"][0]["result"] == {"label": "used"}
    assert server.headers[0]["authorization"] == "Bearer k"


def test_langfuse_gets_a_failure_as_a_label_only(server: Server, tmp_path: Path) -> None:
    env = {"LANGFUSE_PUBLIC_KEY": "p", "LANGFUSE_SECRET_KEY": "s"}
    done = push(tmp_path, judged(), failed(), options=["--to", "langfuse", server.url], env=env)
    assert done.exit_code == 0, done.output
    sent = [body for _, _, body in server.requests]
    assert [(body["name"], body["value"], body["dataType"]) for body in sent] == [
        ("faithfulness", 0.5, "NUMERIC"), ("faithfulness_label", "unfaithful", "CATEGORICAL"),
        ("faithfulness_claim", "supported", "CATEGORICAL"), ("faithfulness_claim", "not_enough_info", "CATEGORICAL"),
        ("faithfulness_label", "error", "CATEGORICAL"), ("faithfulness_claim", "error", "CATEGORICAL"),
    ]  # fmt: skip
    assert sent[0]["timestamp"] == "2025-06-01T00:00:09.500+00:00"
    assert server.headers[0]["authorization"].startswith("Basic ")
    first = list(server.requests)
    server.requests.clear()
    push(tmp_path, judged(), failed(), options=["--to", "langfuse", server.url], env=env)
    assert server.requests == first


def test_langsmith_updates_what_is_there(server: Server, tmp_path: Path) -> None:
    server.replies["POST", "/feedback"] = (409, {"detail": "there"})
    done = push(tmp_path, judged(), options=["--to", "langsmith", server.url])
    assert done.exit_code == 0, done.output
    made, changed = server.requests[:2]
    assert (changed[0], changed[1]) == ("PATCH", f"/feedback/{made[2]['id']}")
    assert changed[2] == {"score": 0.5, "value": "unfaithful", "comment": made[2]["comment"]}


def test_mlflow_makes_changes_or_leaves_as_it_is(server: Server, tmp_path: Path) -> None:
    path = f"/api/3.0/mlflow/traces/{TRACE}"
    server.replies["GET", path] = (200, {"trace": {"trace_info": {"trace_id": TRACE}}})
    assert push(tmp_path, failed(), options=["--to", "mlflow", server.url]).exit_code == 0
    made = [body["assessment"] for method, _, body in server.requests if method == "POST"]
    assert [body["feedback"] for body in made] == [
        {"error": {"error_code": "timeout", "error_message": body["rationale"]}} for body in made
    ]
    there = [body | {"assessment_id": f"a-{number}"} for number, body in enumerate(made)]
    server.replies["GET", path] = (200, {"trace": {"trace_info": {"assessments": there}}})
    server.requests.clear()
    assert push(tmp_path, failed(), options=["--to", "mlflow", server.url]).exit_code == 0
    assert [method for method, _, _ in server.requests] == ["GET"]
    there[0]["rationale"] = "old"
    server.requests.clear()
    assert push(tmp_path, failed(), options=["--to", "mlflow", server.url]).exit_code == 0
    assert [(method, path.rpartition("/")[2]) for method, path, _ in server.requests[1:]] == [("PATCH", "a-0")]


def test_otel_events_over_the_wire_and_in_a_file(server: Server, tmp_path: Path) -> None:
    done = push(tmp_path, judged(), failed(), options=["--to", "otel", server.url],
                env={"OTEL_EXPORTER_OTLP_HEADERS": "x-team=a%20b"})  # fmt: skip
    assert done.exit_code == 0, done.output
    method, path, body = server.requests[0]
    assert (method, path, server.headers[0]["x-team"]) == ("POST", "/v1/logs", "a b")
    records = [
        record
        for resource in ExportLogsServiceRequest.FromString(body).resource_logs
        for scope in resource.scope_logs
        for record in scope.log_records
    ]
    assert {record.event_name for record in records} == {"gen_ai.evaluation.result"}
    assert {(record.trace_id.hex(), record.span_id.hex()) for record in records} == {(TRACE, SPAN)}
    found = [{item.key: item.value for item in record.attributes} for record in records]
    assert found[0]["gen_ai.evaluation.name"].string_value == "faithfulness"
    assert found[0]["gen_ai.evaluation.score.value"].double_value == 0.5
    assert found[0]["gen_ai.evaluation.score.label"].string_value == "unfaithful"
    assert found[0]["gen_ai.response.id"].string_value == "r1"
    assert found[0]["gen_ai.evaluation.explanation"].string_value
    assert "gen_ai.evaluation.score.value" not in found[3]
    assert found[3]["error.type"].string_value == "timeout"
    assert push(tmp_path, judged(), options=["--as", "otel", "-o", str(tmp_path / "e.jsonl")]).exit_code == 0
    (line,) = (tmp_path / "e.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]["traceId"] == TRACE


def test_openinference_is_one_linked_evaluator_span_an_answer(server: Server, tmp_path: Path) -> None:
    options = ["--to", "otel", f"{server.url}/v1/traces", "--as", "openinference"]
    assert push(tmp_path, judged(), options=options).exit_code == 0
    _, path, body = server.requests[0]
    assert path == "/v1/traces"
    (span,) = ExportTraceServiceRequest.FromString(body).resource_spans[0].scope_spans[0].spans
    assert [(link.trace_id.hex(), link.span_id.hex()) for link in span.links] == [(TRACE, SPAN)]
    assert span.trace_id.hex() != TRACE
    found = {item.key: item.value for item in span.attributes}
    assert found["openinference.span.kind"].string_value == "EVALUATOR"
    assert found["evaluations.0.evaluation.score"].double_value == 0.5
    assert found["evaluations.2.evaluation.label"].string_value == "not_enough_info"
    parts = {name.rpartition(".")[2] for name in found if name.startswith("evaluations.1.")}
    assert parts == {"name", "score", "label", "explanation", "annotator_kind", "identifier", "metadata"}
    push(tmp_path, judged(), options=options)
    assert server.requests[1][2] == body


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "give --to SYSTEM URL"),
        (["--as", "otel"], "give --to SYSTEM URL"),
        (["--to", "phoenix", "localhost:6006"], "expected an address such as http://HOST:PORT"),
        (["--to", "phoenix", "http://127.0.0.1:9", "--as", "otel"], "--as goes with"),
        (["--to", "nowhere", "http://127.0.0.1:9"], "nowhere"),
    ],
)
def test_wrong_calls_are_one_line(tmp_path: Path, options: list[str], words: str) -> None:
    done = push(tmp_path, judged(), options=options)
    assert done.exit_code == 2
    assert words in done.stderr


def test_answers_without_a_trace_stop_it_or_are_left_out_and_counted(server: Server, tmp_path: Path) -> None:
    untraced = check(TOWER, [TOWER], verifier="lexical")
    done = push(tmp_path, judged(), untraced, options=["--to", "phoenix", server.url])
    assert done.exit_code == 2
    assert "1 of its answers name no trace" in done.stderr
    assert not server.requests
    done = push(tmp_path, judged(), untraced, options=["--to", "phoenix", server.url, "--bad-rows", "skip"])
    assert done.exit_code == 0
    assert "1 answers that name no trace left out" in done.stderr


def test_what_a_server_refuses_is_one_line_without_the_key(server: Server, tmp_path: Path) -> None:
    server.replies["POST", "/v1/span_annotations?sync=true"] = (404, {"detail": "Spans with IDs x do not exist."})
    done = push(tmp_path, judged(), options=["--to", "phoenix", server.url], env={"PHOENIX_API_KEY": "secret-key"})
    assert done.exit_code == 2
    assert "refused with 404" in done.stderr
    assert "do not exist" in done.stderr
    assert "secret-key" not in done.output
    assert len(done.stderr.splitlines()) == 1
    there = server.url.replace("http://", "http://me:hidden@")
    for target in (there, there.replace("http", "ftp")):
        done = push(tmp_path, judged(), options=["--to", "phoenix", target])
        assert done.exit_code == 2
        assert "hidden" not in done.output


def phoenix_span(kind: str, own: str, parent: str | None, **attributes: str) -> dict[str, Any]:
    named = {name.replace("__", "."): value for name, value in attributes.items()}
    return {"id": own, "name": kind, "context": {"trace_id": TRACE, "span_id": own}, "span_kind": kind,
            "parent_id": parent, "start_time": "2025-06-01T00:00:00Z", "end_time": "2025-06-01T00:00:01Z",
            "attributes": named}  # fmt: skip


def test_a_project_is_pulled_page_by_page_scored_and_sent_back(server: Server, tmp_path: Path) -> None:
    root = phoenix_span("CHAIN", SPAN, None, input__value="How tall?", output__value=TOWER)
    found = phoenix_span("RETRIEVER", "c" * 16, SPAN, retrieval__documents__0__document__content=TOWER)
    path = "/v1/projects/my%20app/spans?limit=1000"
    server.replies["GET", path] = (200, {"data": [root], "next_cursor": "n/2"})
    server.replies["GET", f"{path}&cursor=n%2F2"] = (200, {"data": [found], "next_cursor": None})
    spans = tmp_path / "spans.jsonl"
    done = CliRunner().invoke(main, ["traces", "pull", server.url, "--project", "my app", "-o", str(spans)])
    assert done.exit_code == 0, done.output
    assert [json.loads(line)["id"] for line in spans.read_text("utf-8").splitlines()] == [SPAN, "c" * 16]
    options = ["traces", "score", server.url, "--project", "my app", "-v", "lexical", "--whole"]
    done = CliRunner().invoke(main, options)
    assert (done.exit_code, done.stdout) == (0, f"mean score 1.00; 1 scores of 1 answers sent to {server.url}\n")
    (sent,) = server.requests[-2][2]["data"]
    assert (sent["span_id"], sent["result"]["score"], sent["result"]["label"]) == (SPAN, 1.0, "faithful")
    server.replies["GET", path] = (200, {"data": [root], "next_cursor": None})
    server.requests.clear()
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"faithmeter: span 1: no retrieval in trace {TRACE}")
    assert [method for method, _, _ in server.requests] == ["GET"]
    done = CliRunner().invoke(main, [*options, "--bad-rows", "skip"])
    assert "1 traces left out: 1 no retrieval" in done.stderr


def test_what_is_no_phoenix_is_one_line(server: Server, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["traces", "pull", server.url, "-o", str(tmp_path / "spans.jsonl")])
    assert done.exit_code == 2
    assert done.stderr == f"faithmeter: {server.url}: the reply has no spans; is this a Phoenix server?\n"
    assert not (tmp_path / "spans.jsonl").exists()
