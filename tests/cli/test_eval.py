"""`faithmeter eval`: the files and columns it knows, what it shows, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from faithmeter import Result

Cli = Callable[..., "CompletedProcess[str]"]
TOWER = "The Eiffel Tower is 330 metres tall. It opened in 1889."
GOOD, BAD = "It opened in 1889.", "Bananas are yellow fruit."

COLUMNS = {
    "faithmeter": {"question": "q", "answer": GOOD, "contexts": [TOWER]},
    "ragas": {"user_input": "q", "response": GOOD, "retrieved_contexts": [TOWER], "reference": "r"},
    "continuous-eval": {"question": "q", "answer": GOOD, "retrieved_contexts": [TOWER], "ground_truths": ["g"]},
    "rag_evals": {"question": "q", "answer": GOOD, "context": [TOWER]},
    "RagaliQ": {"query": "q", "response": GOOD, "context": [TOWER]},
    "DeepEval": {"input": "q", "actual_output": GOOD, "retrieval_context": [TOWER], "context": ["the ideal"]},
}


def rows(path: Path, *data: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in data), "utf-8")
    return path.name


def results(path: Path) -> list[Result]:
    return [Result.model_validate_json(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("system", COLUMNS)
def test_the_columns_of_other_systems_are_known(cli: Cli, tmp_path: Path, system: str) -> None:
    done = cli("eval", rows(tmp_path / "in.jsonl", COLUMNS[system]), "-v", "lexical", "-o", "out.jsonl")
    assert done.returncode == 0, done.stderr
    [result] = results(tmp_path / "out.jsonl")
    assert (result.score, result.sample.question) == (1.0, "q")
    assert [context.text for context in result.sample.contexts] == [TOWER]


def test_other_columns_are_named_with_map(cli: Cli, tmp_path: Path) -> None:
    name = rows(tmp_path / "in.jsonl", {"reply": GOOD, "chunks": [TOWER], "answer": "not this one."})
    done = cli("eval", name, "--map", "answer=reply", "--map", "contexts=chunks", "-v", "lexical", "-o", "out.jsonl")
    assert results(tmp_path / "out.jsonl")[0].sample.answer == GOOD, done.stderr


FORMATS = {
    "in.jsonl": json.dumps({"id": 7, "answer": GOOD, "contexts": [TOWER, "b"]}) + "\n\n",
    "in.ndjson": "\ufeff" + json.dumps({"id": 7, "answer": GOOD, "contexts": [TOWER, "b"]}),
    "in.json": json.dumps([{"id": 7, "answer": GOOD, "contexts": [TOWER, "b"]}], indent=2),
    "object.json": json.dumps({"samples": [{"id": 7, "answer": GOOD, "contexts": [TOWER, "b"]}]}),
    "single.json": json.dumps({"id": 7, "answer": GOOD, "contexts": [TOWER, {"text": "b", "id": "x"}]}),
    "in.csv": f'id,answer,contexts\r\n7,{GOOD},"[""{TOWER}"", ""b""]"\r\n',
    "in.tsv": f'id\tanswer\tcontexts\n7\t{GOOD}\t"[""{TOWER}"", ""b""]"\n',
}


@pytest.mark.parametrize("name", FORMATS)
def test_files_are_read_by_their_ending(cli: Cli, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FORMATS[name].encode("utf-8"))
    done = cli("eval", name, "-v", "lexical", "-o", "out.jsonl")
    assert done.returncode == 0, done.stderr
    [result] = results(tmp_path / "out.jsonl")
    assert (result.sample.id, result.score, len(result.sample.contexts)) == ("7", 1.0, 2)


@pytest.mark.parametrize("name", ["in.jsonl", "in.json", "in.csv"])
def test_standard_input_is_read_by_its_look(cli: Cli, name: str) -> None:
    done = cli(
        "eval", "-", "-v", "lexical", "--json", stdin="\n" + FORMATS[name] if name != "in.csv" else FORMATS[name]
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["mean"] == 1.0


def test_a_separator_may_be_a_line_break_as_it_is_typed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(f'answer,contexts\n{GOOD},"{TOWER}\n\nIt is tall."\n', "utf-8")
    done = cli("eval", "in.csv", "-v", "lexical", "-o", "out.jsonl", "--context-separator", "\\n\\n")
    (result,) = results(tmp_path / "out.jsonl")
    assert [context.text for context in result.sample.contexts] == [TOWER, "It is tall."], done.stderr


def test_a_csv_cell_may_hold_one_context_or_none(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(f"answer,contexts,question\n{GOOD},[1] {TOWER},\n{GOOD},,why?\n", "utf-8")
    done = cli("eval", "in.csv", "-v", "lexical", "-o", "out.jsonl")
    first, second = results(tmp_path / "out.jsonl")
    assert (first.sample.contexts[0].text, first.sample.question) == (f"[1] {TOWER}", None), done.stderr
    assert (second.sample.contexts, second.verdicts[0].label) == ((), "not_enough_info")


@pytest.mark.parametrize(
    ("answers", "options", "code"),
    [
        ([GOOD, BAD], [], 0),
        ([GOOD, BAD], ["--min-score", "0.5"], 0),
        ([GOOD, BAD], ["--min-score", "0.6"], 1),
        ([""], ["--min-score", "1"], 0),
        ([""], ["--min-score", "1", "--no-claims", "0"], 1),
    ],
)
def test_the_exit_code_is_a_gate(cli: Cli, tmp_path: Path, answers: list[str], options: list[str], code: int) -> None:
    name = rows(tmp_path / "in.jsonl", *({"answer": answer, "contexts": [TOWER]} for answer in answers))
    done = cli("eval", name, "-v", "lexical", *options)
    assert done.returncode == code, done.stderr
    assert ("is below" in done.stderr) == (code == 1)


BROKEN = """
class Broken:
    signature = "broken"
    async def verify(self, pairs):
        raise RuntimeError("no memory")
"""


def test_too_much_that_could_not_be_judged_is_its_own_exit_code(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BROKEN, "utf-8")
    name = rows(tmp_path / "in.jsonl", {"answer": GOOD, "contexts": [TOWER]})
    done = cli("eval", name, "-v", "python:mine:Broken", "-o", "out.jsonl", PYTHONPATH=str(tmp_path))
    assert done.returncode == 3, done.stderr
    assert "only 0.0% of the claims could be judged" in done.stderr
    assert "! not judged" in done.stdout
    assert results(tmp_path / "out.jsonl")[0].failures[0].message == "RuntimeError: no memory"
    assert (
        cli("eval", name, "-v", "python:mine:Broken", "--min-coverage", "0", PYTHONPATH=str(tmp_path)).returncode == 0
    )


def test_the_table_shows_the_worst_answers_first(cli: Cli, tmp_path: Path) -> None:
    answers = {"fine": GOOD, "half": f"{GOOD} {BAD}", "wrong": BAD}
    name = rows(tmp_path / "in.jsonl", *({"id": i, "answer": a, "contexts": [TOWER]} for i, a in answers.items()))
    shown = cli("eval", name, "-v", "lexical").stdout
    assert "mean score 0.50" in shown
    assert shown.index("wrong") < shown.index("half")
    assert "fine" not in shown
    assert BAD in shown


def test_equal_rows_without_ids_are_told_apart(cli: Cli, tmp_path: Path) -> None:
    name = rows(tmp_path / "in.jsonl", *[{"answer": GOOD, "contexts": [TOWER]}] * 3)
    cli("eval", name, "-v", "lexical", "-o", "out.jsonl")
    ids = [result.sample.id for result in results(tmp_path / "out.jsonl")]
    assert ids == [ids[0], f"{ids[0]}-2", f"{ids[0]}-3"]


def test_a_dry_run_estimates_and_asks_nothing(cli: Cli, tmp_path: Path) -> None:
    name = rows(tmp_path / "in.jsonl", *[{"answer": f"{GOOD} {BAD}", "contexts": [TOWER]}] * 3)
    judge = "openai:gpt-4o-mini@http://127.0.0.1:9/v1"  # nobody listens there
    done = cli("eval", name, "-v", judge, "-x", judge, "--dry-run", "--json", OPENAI_API_KEY="sk-none")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["answers"], found["calls"]) == (3, 6)
    assert found["prompt_tokens"] > 1000
    shown = cli("eval", name, "-v", "lexical", "--dry-run").stdout
    assert shown == "3 answers: no LLM is asked, so there is nothing to pay\n"
    assert cli("eval", name, "--dry-run").stdout == shown


@pytest.mark.parametrize("verifier", ["cascade:{}", "cascade:0.01,0.72:{}", "{}"])
def test_judge_options_reach_the_llm_of_a_cascade(cli: Cli, tmp_path: Path, verifier: str) -> None:
    name = rows(tmp_path / "in.jsonl", {"answer": f"{GOOD} {BAD}", "contexts": [TOWER]})
    spec = verifier.format("openai:gpt-4o-mini@http://127.0.0.1:9/v1")  # nobody listens there
    calls = []
    for options in ([], ["--judge-option", "votes=3"]):
        done = cli("eval", name, "-v", spec, *options, "--dry-run", "--json", OPENAI_API_KEY="sk-none")
        assert done.returncode == 0, done.stderr
        calls.append(json.loads(done.stdout)["calls"])
    assert calls == [1, 2]


def test_an_option_without_a_value_is_a_usage_error(cli: Cli, tmp_path: Path) -> None:
    name = rows(tmp_path / "in.jsonl", {"answer": GOOD, "contexts": [TOWER]})
    done = cli("eval", name, "-v", "openai:gpt-5?votes", "--dry-run", OPENAI_API_KEY="sk-none")
    assert done.returncode == 2
    assert "cannot read the options 'votes' of 'openai:gpt-5?votes': write NAME=VALUE" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_fail_fast_says_what_stopped_it_and_nothing_that_is_not_so(cli: Cli, tmp_path: Path) -> None:
    good = [{"answer": GOOD, "contexts": [TOWER]}] * 9
    name = rows(tmp_path / "in.jsonl", *good, {"answer": "Bananas sing.", "contexts": [TOWER]})
    done = cli("eval", name, "-v", "lexical", "--fail-fast", "--min-score", "0.5", "--workers", "1")
    assert done.returncode == 1
    assert "stopped: an answer scored 0.00, below 0.5" in done.stderr
    assert "is below" not in done.stderr, "the mean of all is not"
