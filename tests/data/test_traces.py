"""Traces as samples, by the shape of their spans; the real exporters are in tests/peers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from faithmeter import RowError, Sample, evaluate
from faithmeter.cli import main
from faithmeter.data.datasets import read_samples

TOWER = "The Eiffel Tower is 330 metres tall."
BRIDGE = "The Golden Gate Bridge opened in 1937."
ASKED = "How tall is the Eiffel Tower?"
TRACE = "a" * 32
ROOT, STEP, MODEL = "0000000000000001", "0000000000000002", "0000000000000003"


def span(
    kind: str, own: str = ROOT, parent: str | None = None, *, trace: str = TRACE, **attributes: Any
) -> dict[str, Any]:
    """As OpenTelemetry's SDK writes it; `input__value` stands for `input.value`."""
    named = {name.replace("__", "."): value for name, value in attributes.items()}
    return {
        "name": kind.lower(),
        "context": {"trace_id": f"0x{trace}", "span_id": f"0x{own}"},
        "parent_id": f"0x{parent}" if parent else None,
        "start_time": f"2025-06-01T00:00:0{own[-1]}.000000Z",
        "end_time": "2025-06-01T00:00:09.500000Z",
        "attributes": {"openinference.span.kind": kind, **named},
    }


def chain(**more: Any) -> dict[str, Any]:
    return span("CHAIN", **{"input__value": ASKED, "output__value": TOWER, **more})


def retriever(*texts: str | None, own: str = STEP, trace: str = TRACE) -> dict[str, Any]:
    found = {f"retrieval.documents.{number}.document.content": text for number, text in enumerate(texts) if text}
    found |= {f"retrieval.documents.{number}.document.id": f"d{number}" for number in range(len(texts))}
    return span("RETRIEVER", own, ROOT, trace=trace, **found)


def samples(folder: Path, *rows: Any, name: str = "traces.jsonl") -> list[Sample | RowError]:
    path = folder / name
    text = json.dumps(rows[0]) if name.endswith(".json") else "\n".join(map(json.dumps, rows))
    path.write_text(text, "utf-8")
    return list(read_samples(path))


def only(folder: Path, *rows: Any, name: str = "traces.jsonl") -> Sample:
    (sample,) = samples(folder, *rows, name=name)
    assert isinstance(sample, Sample), sample
    return sample


def problem(folder: Path, *rows: Any) -> str:
    (error,) = samples(folder, *rows)
    assert isinstance(error, RowError), error
    return str(error)


# --- OpenInference ----------------------------------------------------------------------------------------


def test_spans_are_grouped_by_trace_in_whatever_order_they_come(tmp_path: Path) -> None:
    other = "b" * 32
    rows = [
        retriever(BRIDGE, trace=other), retriever(TOWER, BRIDGE), chain(),
        span("CHAIN", trace=other, input__value="When?", output__value=BRIDGE), chain(),
    ]  # fmt: skip
    second, first = samples(tmp_path, *rows)
    assert isinstance(first, Sample)
    assert isinstance(second, Sample)
    assert (first.id, first.question, first.answer) == (TRACE, ASKED, TOWER)
    assert [(context.id, context.text) for context in first.contexts] == [("d0", TOWER), ("d1", BRIDGE)]
    assert first.metadata["trace"] == {
        "system": "phoenix", "trace_id": TRACE, "span_id": ROOT, "end_time": 1748736009500000000,
        "documents": [[STEP, 0], [STEP, 1]],
    }  # fmt: skip
    assert (second.id, second.answer, len(second.contexts)) == (other, BRIDGE, 1)


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    return {
        "openinference": {"span": {"kind": flat["openinference.span.kind"]}},
        "retrieval": {"documents": [{"document": {"content": TOWER, "id": "d0", "metadata": {"source": "x"}}}]},
    }


def otlp(row: dict[str, Any]) -> dict[str, Any]:
    attributes = [{"key": name, "value": {"stringValue": value}} for name, value in row["attributes"].items()]
    parent = (row["parent_id"] or "").removeprefix("0x")
    trace, own = (row["context"][name].removeprefix("0x") for name in ("trace_id", "span_id"))
    return {
        "traceId": trace, "spanId": own,
        "parentSpanId": parent, "name": row["name"], "startTimeUnixNano": "1748736001000000000",
        "endTimeUnixNano": "1748736009500000000", "attributes": attributes,
    }  # fmt: skip


def frame_row(row: dict[str, Any]) -> dict[str, Any]:
    named = {f"attributes.{name}": value for name, value in row["attributes"].items() if "documents" not in name}
    if row["attributes"]["openinference.span.kind"] == "RETRIEVER":
        named["attributes.retrieval.documents"] = [{"document.content": TOWER, "document.id": "d0"}]
    ids = {"context.trace_id": TRACE, "context.span_id": row["context"]["span_id"].removeprefix("0x")}
    return {**ids, "name": row["name"], "parent_id": row["parent_id"], "span_kind": "UNKNOWN", **named}


@pytest.mark.parametrize("form", ["flat", "nested", "otlp", "otlp.json", "frame", "list"])
def test_every_form_of_a_span_gives_the_same_sample(tmp_path: Path, form: str) -> None:
    rows: list[Any] = [chain(), retriever(TOWER)]
    name = "traces.jsonl"
    if form == "nested":
        rows[1]["attributes"] = nested(rows[1]["attributes"])
    elif form.startswith("otlp"):
        rows = [{"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": list(map(otlp, rows))}]}]}]
        name = "traces.json" if form.endswith("json") else name
    elif form == "frame":
        rows = list(map(frame_row, rows))
    elif form == "list":
        rows, name = [{"data": rows, "next_cursor": None}], "traces.json"
    sample = only(tmp_path, *rows, name=name)
    assert (sample.id, sample.question, sample.answer) == (TRACE, ASKED, TOWER)
    assert [(context.id, context.text) for context in sample.contexts] == [("d0", TOWER)]
    assert sample.metadata["trace"]["span_id"] == ROOT  # type: ignore[index,call-overload]


def test_what_a_reranker_took_out_is_no_context(tmp_path: Path) -> None:
    reranked = {
        f"reranker.input_documents.{number}.document.content": text for number, text in enumerate((BRIDGE, TOWER))
    }
    reranked["reranker.output_documents.0.document.content"] = TOWER
    sample = only(tmp_path, chain(), retriever(BRIDGE, TOWER), span("RERANKER", MODEL, ROOT, **reranked))
    assert {context.text for context in sample.contexts} == {TOWER}


def test_what_a_tool_gives_is_a_context_unless_a_model_wrote_it(tmp_path: Path) -> None:
    tool = span("TOOL", STEP, ROOT, output__value=TOWER)
    assert [context.text for context in only(tmp_path, chain(), tool).contexts] == [TOWER]
    writer = span("LLM", MODEL, STEP, output__value=TOWER)
    assert "no retrieval" in problem(tmp_path, chain(), tool, writer)


def test_json_around_an_answer_is_opened(tmp_path: Path) -> None:
    output = json.dumps({"answer": TOWER, "context": [{"page_content": BRIDGE}]})
    root = chain(output__value=output, output__mime_type="application/json", input__value=json.dumps({"input": ASKED}),
                 input__mime_type="application/json")  # fmt: skip
    sample = only(tmp_path, root)
    assert (sample.question, sample.answer, sample.contexts[0].text) == (ASKED, TOWER, BRIDGE)


def test_nothing_retrieved_is_a_sample_without_contexts(tmp_path: Path) -> None:
    empty = span("RETRIEVER", STEP, ROOT)
    empty["attributes"]["retrieval.documents"] = []
    assert only(tmp_path, chain(), empty).contexts == ()


def test_two_answers_in_a_trace_are_two_samples(tmp_path: Path) -> None:
    again = span("CHAIN", "0000000000000005", input__value="When?", output__value=BRIDGE)
    found = retriever(BRIDGE, own="0000000000000006")
    found["parent_id"] = "0x0000000000000005"
    first, second = samples(tmp_path, chain(), retriever(TOWER), again, found)
    assert isinstance(first, Sample)
    assert isinstance(second, Sample)
    assert [sample.contexts[0].text for sample in (first, second)] == [TOWER, BRIDGE]
    assert first.id == f"{TRACE}:{ROOT}"


def test_scores_that_were_pushed_are_no_answers(tmp_path: Path) -> None:
    evaluator = span("EVALUATOR", trace="c" * 32, output__value="1 of 1 claims supported.")
    assert only(tmp_path, chain(), retriever(TOWER), evaluator).id == TRACE


# --- the others -------------------------------------------------------------------------------------------


def test_genai_spans(tmp_path: Path) -> None:
    def genai(own: str, parent: str | None, operation: str, **attributes: Any) -> dict[str, Any]:
        row = span("x", own, parent)
        row["attributes"] = {"gen_ai.operation.name": operation} | {
            name.replace("__", "."): value if isinstance(value, str) else json.dumps(value)
            for name, value in attributes.items()
        }
        return row

    asked = {"role": "user", "parts": [{"type": "text", "content": ASKED}]}
    given = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": BRIDGE}]}
    said = {"role": "assistant", "parts": [{"type": "text", "content": TOWER}], "finish_reason": "stop"}
    model = genai(MODEL, ROOT, "chat", gen_ai__input__messages=[asked, given], gen_ai__output__messages=[said],
                  gen_ai__response__id="resp-1")  # fmt: skip
    agent = genai(ROOT, None, "invoke_agent")
    sample = only(tmp_path, agent, model)
    assert (sample.question, sample.answer, sample.contexts[0].text) == (ASKED, TOWER, BRIDGE)
    assert sample.metadata["trace"]["response_id"] == "resp-1"  # type: ignore[index,call-overload]
    tool = genai(STEP, ROOT, "execute_tool", gen_ai__tool__call__result=TOWER)
    assert [context.text for context in only(tmp_path, agent, tool, model).contexts] == [TOWER]
    documents = genai(STEP, ROOT, "retrieval", gen_ai__retrieval__documents=[{"id": "d", "content": TOWER}])
    assert only(tmp_path, agent, documents, model).contexts[0].id == "d"
    named_only = genai(STEP, ROOT, "retrieval", gen_ai__retrieval__documents=[{"id": "d", "score": 0.5}])
    assert "a document without text" in problem(tmp_path, agent, named_only, model)


@pytest.mark.parametrize("whole", [True, False])
def test_langfuse(tmp_path: Path, whole: bool) -> None:
    shared = {"traceId": "t1", "startTime": "2025-06-01T00:00:01.000Z", "endTime": "2025-06-01T00:00:02.000Z"}
    root = {"id": "o1", "type": "CHAIN", "name": "rag", "parentObservationId": None, "input": {"question": ASKED},
            "output": TOWER, **shared}  # fmt: skip
    found = {"id": "o2", "type": "RETRIEVER", "name": "search", "parentObservationId": "o1", "input": ASKED,
             "output": [{"page_content": TOWER, "metadata": {"source": "t.txt"}}], **shared}  # fmt: skip
    trace = {"id": "t1", "name": "rag", "input": ASKED, "output": TOWER, "observations": [root, found], "scores": []}
    sample = only(tmp_path, *([trace] if whole else [root, found]))
    assert (sample.id, sample.question, sample.answer) == ("t1", ASKED, TOWER)
    assert (sample.contexts[0].id, sample.contexts[0].text) == ("t.txt", TOWER)
    assert sample.metadata["trace"].get("span_id") == (None if whole else "o1")  # type: ignore[union-attr]


@pytest.mark.parametrize("whole", [True, False])
def test_langsmith(tmp_path: Path, whole: bool) -> None:
    message = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "AIMessage"], "kwargs": {"content": TOWER}}
    root = {"id": "r1", "trace_id": "r1", "run_type": "chain", "name": "chain", "inputs": {"input": ASKED},
            "outputs": {"output": message}, "session_id": "s", "start_time": "2025-06-01T00:00:01"}  # fmt: skip
    found = {"id": "r2", "trace_id": "r1", "parent_run_id": "r1", "run_type": "retriever", "name": "search",
             "inputs": {"query": ASKED}, "outputs": {"documents": [{"page_content": TOWER}]}}  # fmt: skip
    rows = [{**root, "child_runs": [found]}] if whole else [root, found]
    sample = only(tmp_path, *rows, name="runs.json" if whole else "runs.jsonl")
    assert (sample.id, sample.question, sample.answer, sample.contexts[0].text) == ("r1", ASKED, TOWER, TOWER)
    assert sample.metadata["trace"]["session_id"] == "s"  # type: ignore[index,call-overload]


def test_mlflow(tmp_path: Path) -> None:
    def step(own: str, parent: str | None, kind: str, given: Any, gave: Any) -> dict[str, Any]:
        written = {"mlflow.spanType": kind, "mlflow.spanInputs": given, "mlflow.spanOutputs": gave}
        return {"trace_id": "q83vEjRWeJCrze8SNFZ4kA==", "span_id": own, "parent_span_id": parent, "name": kind,
                "start_time_unix_nano": 1748736001000000000, "end_time_unix_nano": 1748736002000000000,
                "attributes": {name: json.dumps(value) for name, value in written.items()}}  # fmt: skip

    steps = [
        step("AAAAAAAAAAE=", None, "CHAIN", {"question": ASKED}, TOWER),
        step("AAAAAAAAAAI=", "AAAAAAAAAAE=", "RETRIEVER", {"query": ASKED}, [{"page_content": TOWER, "id": "d"}]),
    ]
    trace = {"info": {"trace_id": "tr-1"}, "data": {"spans": steps}}
    sample = only(tmp_path, trace, name="trace.json")
    assert (sample.id, sample.question, sample.answer, sample.contexts[0].id) == ("tr-1", ASKED, TOWER, "d")
    assert sample.metadata["trace"]["span_id"] == ROOT  # type: ignore[index,call-overload]
    frame = {"trace_id": "tr-1", "trace": json.dumps(trace), "spans": steps, "request": ASKED, "response": TOWER}
    assert only(tmp_path, frame) == sample


# --- what cannot be used ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([chain()], "no retrieval in trace aaaa"),
        ([chain(), retriever(TOWER, None)], "retriever 'retriever': documents.1: a document without text"),
        ([chain(), span("RETRIEVER", STEP, ROOT)], "no documents in trace aaaa"),
        ([chain(output__value=None), retriever(TOWER)], "no answer in trace aaaa"),
        ([chain(output__value=" "), retriever(TOWER)], "is empty"),
        ([chain(output__value='{"a": 1, "b": 2}', output__mime_type="application/json"), retriever("x")], "is no text"),
        ([retriever(TOWER)], "there are only steps of other kinds (retriever)"),
        ([{"traceId": "", "spanId": "x", "attributes": []}], "a span without a trace id"),
        ([{"id": "t", "observations": ["o1"]}], "only their ids"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_one_line(tmp_path: Path, rows: list[Any], words: str) -> None:
    said = problem(tmp_path, *rows)
    assert words in said
    assert said.startswith(f"{tmp_path}/traces.jsonl:1: ")
    assert len(said.splitlines()) == 1


def test_the_command_stops_or_leaves_out_and_counts_as_asked(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    rows = [chain(), retriever(TOWER), span("CHAIN", trace="b" * 32, input__value="Why?", output__value="Because.")]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    stopped = CliRunner().invoke(main, ["eval", str(path), "-v", "lexical"])
    assert stopped.exit_code == 2
    assert f"traces.jsonl:3: no retrieval in trace {'b' * 32}" in stopped.stderr
    skipped = CliRunner().invoke(main, ["eval", str(path), "-v", "lexical", "--bad-rows", "skip"])
    assert skipped.exit_code == 0, skipped.output
    assert "1 bad row left out (traces: 1 no retrieval)" in skipped.stdout
    assert "over 1 of 1 samples" in skipped.stdout


def test_rows_with_ids_of_traces_are_rows(tmp_path: Path) -> None:
    row = {"trace_id": "t", "span_id": "s", "attributes": {}, "answer": TOWER, "contexts": [TOWER]}
    assert only(tmp_path, row).answer == TOWER
    assert evaluate([chain(), retriever(TOWER)], verifier="lexical").mean == 1.0
