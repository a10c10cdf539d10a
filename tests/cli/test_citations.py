"""`--citations` and `--min-citation-precision`, as a person types them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Cli = Callable[..., "CompletedProcess[str]"]
ANSWER = "The Eiffel Tower is 330 metres tall [2]. The bridge opened in 1937 [2]."
CONTEXTS = ("The Eiffel Tower is 330 metres tall.", "The bridge opened in 1937.")


def test_check_shows_and_gates(cli: Cli) -> None:
    contexts = [word for context in CONTEXTS for word in ("-c", context)]
    done = cli("check", ANSWER, *contexts, "--citations")
    assert done.returncode == 0, done.stderr
    assert "citations: precision 0.50, recall 0.50" in done.stdout
    assert "[2]: 2 names the wrong passage; passage 1 supports it" in done.stdout
    assert cli("check", ANSWER, *contexts, "--min-citation-precision", "0.9").returncode == 1
    done = cli("fix", ANSWER, *contexts, "--citations", "--answer-only")
    assert done.stdout.strip() == ANSWER.replace("tall [2]", "tall [1]")


def test_eval_gates_and_every_report_says_it(cli: Cli, tmp_path: Path) -> None:
    row = {"id": "a", "answer": ANSWER, "contexts": CONTEXTS}
    (tmp_path / "data.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    done = cli("eval", "data.jsonl", "--min-citation-precision", "0.6", "-o", "results.jsonl", "--json")
    assert done.returncode == 1
    assert "citation precision 0.50 is below 0.6" in done.stderr
    assert json.loads(done.stdout)["citations"]["precision"] == 0.5
    for name, words in {"r.md": "citations: precision 0.50", "r.html": "0.50 / 0.50", "r.csv": "citation_precision",
                        "r.xml": "<testsuite"}.items():  # fmt: skip
        assert cli("report", "results.jsonl", "-o", name).returncode == 0
        assert words in (tmp_path / name).read_text("utf-8"), name
