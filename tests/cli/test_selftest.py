"""`faithmeter selftest` and `stability`, run for real."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from support.opinions import answers

Cli = Callable[..., CompletedProcess[str]]

ROOT = Path(__file__).parents[2]
EXAMPLES = str(ROOT / "examples" / "answers.jsonl")


def test_lexical_catches_what_word_overlap_can_catch(cli: Cli) -> None:
    done = cli("selftest", EXAMPLES, "-v", "lexical", "--json", "--show", "50")
    assert done.returncode == 0, done.stderr
    kinds = {kind["kind"]: kind for kind in json.loads(done.stdout)["kinds"]}
    assert kinds["other sample"]["share"] == 1.0
    assert kinds["number"]["judged"] >= 3
    assert kinds["number"]["share"] < 1.0  # a changed number hardly changes the overlap
    assert len(kinds["number"]["examples"]) == kinds["number"]["judged"] - kinds["number"]["flagged"]
    low, high = kinds["number"]["interval"]
    assert low <= kinds["number"]["share"] <= high


def test_the_table_and_the_mistakes(cli: Cli) -> None:
    done = cli("selftest", EXAMPLES, "-v", "lexical", "--kind", "number", "--kind", "synonyms")
    assert "caught" in done.stdout
    assert "flagged" in done.stdout
    assert "missed (number" in done.stdout
    assert "offers none" in done.stdout


def test_a_seed_repeats_itself_and_another_does_not(cli: Cli) -> None:
    runs = [cli("selftest", EXAMPLES, "-v", "lexical", "--json", "--seed", seed).stdout for seed in ("1", "1", "2")]
    assert runs[0] == runs[1] != runs[2]


def test_the_gate(cli: Cli) -> None:
    numbers = ("selftest", EXAMPLES, "-v", "lexical", "--kind", "number", "--kind", "other sample")
    below = cli(*numbers, "--min-caught", "0.99")
    assert below.returncode == 1
    assert "of number corruptions were caught, below 99%" in below.stderr
    assert cli(*numbers, "--min-caught", "number=0", "--min-caught", "other sample=0.9").returncode == 0
    wrong = cli(*numbers, "--min-caught", "colour=0.9")
    assert wrong.returncode == 2
    assert "kinds: number, date" in wrong.stderr


def test_nothing_to_test_is_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text('{"answer": "Cats fly north in May.", "contexts": ["Dogs bark."]}\n')
    done = cli("selftest", "d.jsonl", "-v", "lexical")
    assert done.returncode == 2
    assert "no claim supported" in done.stderr


def test_stability_of_a_judge_that_wavers(cli: Cli, tmp_path: Path) -> None:
    rows = (json.dumps({"id": s.id, "answer": s.answer, "contexts": ["Facts."]}) for s in answers(10))
    (tmp_path / "d.jsonl").write_text("\n".join(rows))
    judge = ("stability", "d.jsonl", "-v", "python:support.opinions:wavering")
    path = {"PYTHONPATH": str(ROOT / "tests")}
    done = cli(*judge, "--repeat", "4", "--json", **path)
    numbers = json.loads(done.stdout)
    assert numbers["repeats"] == len(numbers["means"]) == 4
    assert 0 < numbers["flips"] < 1
    assert numbers["flaky_claims"] == len(numbers["flaky"]) or len(numbers["flaky"]) == 10
    shown = cli(*judge, "--max-flips", "0.001", **path)
    assert shown.returncode == 1
    assert "standard error" in shown.stdout


def test_eval_can_repeat_itself(cli: Cli, tmp_path: Path) -> None:
    done = cli("eval", EXAMPLES, "-v", "lexical", "--repeat", "2", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["repeats"] == 2
    refused = cli("eval", EXAMPLES, "-v", "lexical", "--repeat", "2", "-o", "r.jsonl")
    assert refused.returncode == 2
    assert not (tmp_path / "r.jsonl").exists()


def test_stability_of_runs_made_before(cli: Cli, tmp_path: Path) -> None:
    for name, verifier in (("a", "lexical"), ("b", "lexical"), ("c", "lexical:tokens=0.9")):
        cli("eval", EXAMPLES, "-v", verifier, "-o", f"{name}.jsonl", "--quiet")
    same = cli("stability", "--runs", "a.jsonl", "--runs", "b.jsonl")
    assert "two runs differ on 0.0% of the claims" in same.stdout
    other = cli("stability", "--runs", "a.jsonl", "--runs", "c.jsonl", "--json")
    assert json.loads(other.stdout)["flips"] > 0
    assert cli("stability", "--runs", "a.jsonl").returncode == 2
