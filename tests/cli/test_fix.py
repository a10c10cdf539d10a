"""`faithmeter fix` and `eval --fix`, as a person types them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from faithmeter import Fixed, Result

Cli = Callable[..., "CompletedProcess[str]"]
TOWER = "The Eiffel Tower is 330 metres tall. It opened in 1889."


def test_a_fix_is_shown_as_a_word_diff(cli: Cli) -> None:
    done = cli("fix", "The Eiffel Tower is 350 metres tall.", "-c", TOWER)
    assert done.returncode == 0, done.stderr
    assert "The Eiffel Tower is [-350-]{+330+} metres tall." in done.stdout
    assert "fixed: every claim that remains is supported (1 edit, score 1.00)" in done.stdout


def test_the_answer_alone_or_all_as_json(cli: Cli) -> None:
    done = cli("fix", "The Eiffel Tower is 350 metres tall.", "-c", TOWER, "--answer-only")
    assert done.stdout == "The Eiffel Tower is 330 metres tall.\n"
    done = cli("fix", "Bananas are cheap in Norway.", "-c", TOWER, "--strict", "--refusal-text", "No idea.", "--json")
    found = Fixed.model_validate_json(done.stdout)
    assert (done.returncode, found.status, found.answer) == (0, "refused", "No idea.")


@pytest.mark.parametrize("command", ["check", "fix"])
@pytest.mark.parametrize(
    ("answer", "context", "says"),
    [
        ("nofile.txt", TOWER, "nofile.txt: to read a file, write @nofile.txt (there is no such file)"),
        ("It opened in 1889.", "page.md", "page.md: to read a file, write @page.md"),
        ("", TOWER, "the answer is empty"),
        (" \n", TOWER, "the answer is empty"),
    ],
)
def test_a_bare_file_name_or_nothing_is_no_answer(
    cli: Cli, tmp_path: Path, command: str, answer: str, context: str, says: str
) -> None:
    (tmp_path / "page.md").write_text(TOWER, "utf-8")
    done = cli(command, answer, "-c", context)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert says in done.stderr
    assert cli(command, "-", "-c", TOWER, stdin="notes.txt").returncode in (0, 1)  # these very words can be given


def test_eval_writes_both_answers(cli: Cli, tmp_path: Path) -> None:
    rows = [
        {"id": "a", "answer": "The Eiffel Tower is 350 metres tall.", "contexts": [TOWER]},
        {"id": "b", "answer": "It opened in 1889.", "contexts": [TOWER]},
    ]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done = cli("eval", "data.jsonl", "-o", "results.jsonl", "--fix", "fixed.jsonl", "--report", "report.html")
    assert done.returncode == 0, done.stderr
    assert "fixes: 1 fixed, 1 faithful" in done.stdout
    results = [
        Result.model_validate_json(line) for line in (tmp_path / "results.jsonl").read_text("utf-8").splitlines()
    ]
    assert [result.revision.status for result in results if result.revision] == ["fixed", "faithful"]
    assert results[0].sample.answer == rows[0]["answer"]
    written = [json.loads(line) for line in (tmp_path / "fixed.jsonl").read_text("utf-8").splitlines()]
    assert [row["answer"] for row in written] == ["The Eiffel Tower is 330 metres tall.", "It opened in 1889."]
    assert written[0]["metadata"]["fix"]["answer_before"] == rows[0]["answer"]
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "330" in page
    assert '"revision":' in page
    again = cli("eval", "fixed.jsonl")
    assert "mean score 1.00" in again.stdout


def test_fixed_rows_cannot_replace_the_data(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text('{"answer": "a", "contexts": ["b"]}\n', "utf-8")
    done = cli("eval", "data.jsonl", "--fix", "data.jsonl")
    assert done.returncode == 2
    assert "--fix" in done.stderr
