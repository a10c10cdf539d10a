"""`faithmeter promise` and `eval --promise`, as a person types them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Cli = Callable[..., "CompletedProcess[str]"]
CONTEXT = "The Eiffel Tower is 330 metres tall. It opened in 1889."


def rows(folder: Path, good: int, bad: int) -> None:
    lines = []
    for number in range(good + bad):
        answer = "The Eiffel Tower is 330 metres tall." if number < good else "Bananas grow on trees in warm countries."
        label = "faithful" if number < good else "unfaithful"
        lines.append(json.dumps({"id": str(number), "answer": answer, "contexts": [CONTEXT], "label": label}))
    (folder / "labels.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def test_a_promise_is_found_kept_and_applied(cli: Cli, tmp_path: Path) -> None:
    rows(tmp_path, 70, 30)
    done = cli("promise", "labels.jsonl", "--at-most", "5%", "-v", "lexical", "-o", "promise.json")
    assert done.returncode == 0, done.stderr
    assert "at most 0.05 of the answers that pass are unfaithful, with 95% confidence" in done.stdout
    assert "70 of 100 labelled answers pass (70%), 0 of them unfaithful" in done.stdout
    done = cli("eval", "labels.jsonl", "-v", "lexical", "--promise", "promise.json")
    assert done.returncode == 0, done.stderr
    assert "promise: 70 of 100 answers pass" in done.stdout
    assert "may not hold" not in done.stdout
    long = {"id": "x", "answer": "The Eiffel Tower is 330 metres tall. " * 9, "contexts": [CONTEXT * 20]}
    data = "".join(json.dumps(long | {"id": str(number)}) + "\n" for number in range(60))
    (tmp_path / "other.jsonl").write_text(data, "utf-8")
    done = cli("eval", "other.jsonl", "-v", "lexical", "--promise", "promise.json", "--json")
    assert len(json.loads(done.stdout)["promise"]["drift"]) >= 2
    done = cli("eval", "labels.jsonl", "-v", "lexical:tokens", "--promise", "promise.json")
    assert done.returncode == 2
    assert "the promise is for answers judged by" in done.stderr


def test_labels_that_allow_nothing_are_refused_in_one_line(cli: Cli, tmp_path: Path) -> None:
    rows(tmp_path, 20, 5)
    done = cli("promise", "labels.jsonl", "--at-most", "5%", "-v", "lexical")
    assert done.returncode == 2
    assert "25 labelled answers are too few" in done.stderr
    assert done.stderr.count("\n") == 1
    assert cli("promise", "labels.jsonl", "--at-most", "500%", "-v", "lexical").returncode == 2
