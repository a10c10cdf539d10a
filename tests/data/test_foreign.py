"""What other tools hand over, by its shape; the real packages are in tests/peers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from faithmeter import Context, DataError, Sample, UsageError, check, evaluate
from faithmeter.cli import main

TOWER = "The Eiffel Tower is 330 metres tall."
ASKED = {"role": "user", "content": "How tall?"}
SAID = {"role": "assistant", "content": "It is 330 metres tall."}


@pytest.mark.parametrize(
    ("document", "text", "name"),
    [
        (TOWER, TOWER, None),
        ({"text": TOWER, "id": "a"}, TOWER, "a"),
        ({"page_content": TOWER, "metadata": {"source": "t.txt"}, "type": "Document"}, TOWER, "t.txt"),
        ({"content": TOWER, "meta": {"url": "http://t"}, "score": 0.5, "id": 7}, TOWER, "7"),
        ({"node": {"text": TOWER, "id_": "n"}, "score": 0.1}, TOWER, "n"),
        ({"document": {"content": TOWER}, "score": 0.1}, TOWER, None),
        ({"content": [{"type": "text", "text": TOWER}]}, TOWER, None),
        ({"text": TOWER, "content": TOWER}, TOWER, None),
        (Context(text=TOWER, id="c"), TOWER, "c"),
    ],
)
def test_documents(document: Any, text: str, name: str | None) -> None:
    sample = Sample.of({"answer": "a", "contexts": [document]})
    assert sample.contexts == (Context(text=text, id=name),)
    assert Sample.of({"answer": "a", "contexts": document}).contexts == sample.contexts


@pytest.mark.parametrize(
    ("contexts", "problem"),
    [
        ([{"metadata": {}}], "contexts.0: a document without text"),
        ([TOWER, {"page_content": ""}], "contexts.1: a document without text"),
        ([{"text": "a", "content": "b"}], "contexts.0: which is the text, 'text' or 'content'?"),
        ([{"text": "a", "score": 1, "content": 3}], "contexts.0: expected text, found int 3"),
        ([7], "contexts.0: expected a text or a document, found int 7"),
        ([[TOWER]], "contexts.0: expected a text or a document, found list"),
        (7, "contexts: expected a list of texts or documents, found int 7"),
        ({"a": 1}, "contexts: expected a list of texts or documents, found dict"),
        ([{"text": 5, "id": None}], "contexts.0.text: input should be a valid string, found int 5"),
    ],
)
def test_what_is_no_document_is_one_line(contexts: Any, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        check("It is tall.", contexts)
    assert str(caught.value).startswith(f"no sample: {problem}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        {"role": "assistant", "content": "Yes."},
        {"content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}], "role": "assistant"},
        {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]},
        ["Yes."],
        [{"type": "output_text", "text": "Ye"}, {"type": "output_text", "text": "s."}],
    ],
)
def test_answers(answer: Any) -> None:
    assert Sample.of({"output": answer, "documents": [TOWER]}).answer == "Yes."


@pytest.mark.parametrize("answer", [7, [], {"a": 1}, ["Yes.", "No."], object()])
def test_no_answer_is_one_line(answer: Any) -> None:
    with pytest.raises(DataError, match=r"^no sample: "):
        check(answer, [TOWER])


def test_check_takes_samples_and_says_what_is_missing() -> None:
    sample = Sample(answer=TOWER, contexts=(TOWER,), id="mine")
    assert check(sample, verifier="lexical").sample is sample
    assert check(sample, question="How tall?", verifier="lexical").sample.question == "How tall?"
    with pytest.raises(UsageError, match="an answer needs its contexts"):
        check(TOWER)
    assert check(TOWER, (text for text in [TOWER]), verifier="lexical").score == 1.0


@pytest.mark.parametrize(
    ("messages", "contexts", "question"),
    [
        ([ASKED, {"role": "tool", "content": TOWER, "tool_call_id": "1"}, SAID], [TOWER], "How tall?"),
        ([{"role": "system", "content": f"Use this. <context>{TOWER}</context>"}, ASKED, SAID], [TOWER], "How tall?"),
        (
            [{"role": "user", "content": f"<documents><document index='1'><source>t</source><document_content>{TOWER}"
              "</document_content></document><document>Two.</document></documents>\nHow tall?"}, SAID],
            [TOWER, "Two."], "How tall?",
        ),
        (
            [{"role": "user", "content": f"Context information is below.\n---------------------\n{TOWER}\n"
              "---------------------\nGiven the context information, answer.\nQuery: How tall?\nAnswer: "}, SAID],
            [TOWER], "How tall?",
        ),
        ([{"role": "user", "content": f"Question: How tall?\nContext: {TOWER}\nAnswer:"}, SAID], [TOWER], "How tall?"),
        (
            [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": [
                {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": TOWER}]}
            ]}, {"type": "text", "text": "How tall?"}]}, SAID],
            [TOWER], "How tall?",
        ),
        (
            [{"role": "user", "content": [
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": TOWER}},
                {"type": "text", "text": "How tall?"}]}, SAID],
            [TOWER], "How tall?",
        ),
        ([ASKED, SAID], [], "How tall?"),
    ],
)  # fmt: skip
def test_conversations(messages: Any, contexts: list[str], question: str) -> None:
    for given in (messages, {"messages": messages}):
        sample = Sample.of(given)
        assert [context.text for context in sample.contexts] == contexts
        assert (sample.question, sample.answer) == (question, SAID["content"])
    assert evaluate([messages], verifier="lexical").results[0].sample.question == question


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([ASKED], "messages: no answer: the last message is from the user"),
        ([ASKED, SAID, ASKED], "messages: no answer: the last message is from the user"),
        ([ASKED, {"role": "assistant", "content": None, "tool_calls": [{}]}], "the last message is without text"),
        ([{"role": "system", "content": "Hi."}], "there is no message of the assistant"),
        ([ASKED, {"role": "wizard", "content": "Hm."}], "messages.1: unknown role 'wizard'"),
    ],
)
def test_a_conversation_without_an_answer(messages: Any, problem: str) -> None:
    with pytest.raises(DataError, match=problem.replace(".", r"\.")):
        Sample.of(messages)
    with pytest.raises(DataError, match=problem.replace(".", r"\.")):
        evaluate([{"messages": messages}])


def test_what_an_answer_marks_itself_is_no_context() -> None:
    said = {"role": "assistant", "content": f"<context>{TOWER}</context> It is tall."}
    assert Sample.of([ASKED, said]).contexts == ()


def test_eval_reads_chat_logs_and_counts_what_it_left_out(tmp_path: Path) -> None:
    rows = [
        {"messages": [ASKED, {"role": "tool", "content": TOWER}, SAID]},
        {"messages": [ASKED]},
        {"query": "?", "result": TOWER, "source_documents": [{"page_content": TOWER, "metadata": {}}]},
        {"result": TOWER, "source_documents": [{"metadata": {}}]},
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = CliRunner().invoke(main, ["eval", str(path), "-v", "lexical"])
    assert (run.exit_code, run.stderr.count("\n")) == (2, 1)
    assert f"{path}:2: messages: no answer: the last message is from the user" in run.stderr
    run = CliRunner().invoke(main, ["eval", str(path), "-v", "lexical", "--bad-rows", "skip", "--json"])
    assert (run.exit_code, json.loads(run.stdout)["samples"], json.loads(run.stdout)["skipped_rows"]) == (0, 2, 2)
    one = tmp_path / "one.json"
    one.write_text(json.dumps(rows[0]))
    assert evaluate(one, verifier="lexical").results[0].sample.question == "How tall?"


def test_messages_in_a_csv_cell(tmp_path: Path) -> None:
    import csv

    path = tmp_path / "log.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "messages"])
        writer.writerow(["a", json.dumps([ASKED, {"role": "tool", "content": TOWER}, SAID])])
    assert evaluate(path, verifier="lexical").results[0].sample.contexts[0].text == TOWER


def test_several_replies_in_one_row_are_refused() -> None:
    with pytest.raises(DataError, match="2 replies in one row; give each a row of its own"):
        Sample.of({"llm": {"replies": ["a", "b"]}, "retriever": {"documents": [{"content": TOWER}]}})
    sample = Sample.of({"llm": {"replies": ["a"]}, "retriever": {"documents": [{"content": TOWER}]}})
    assert (sample.answer, sample.contexts[0].text) == ("a", TOWER)
