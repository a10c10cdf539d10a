"""`faithmeter agree`, run for real."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from support.opinions import Erring, answers, judged, labelled, write_labels, write_results

Cli = Callable[..., CompletedProcess[str]]


def prepared(folder: Path) -> None:
    samples = answers(30)
    results = judged(samples)
    write_results(folder / "one.jsonl", results)
    write_results(folder / "two.jsonl", judged(samples, Erring(spread=0.05)))
    write_labels(folder / "labels.jsonl", labelled(results))


def test_figures_confusion_and_disagreements_are_shown(cli: Cli, tmp_path: Path) -> None:
    prepared(tmp_path)
    done = cli("agree", "one.jsonl", "--labels", "labels.jsonl", "--worst", "2")
    assert done.returncode == 0, done.stderr
    for words in ("balanced accuracy", "F1 of unfaithful", "AUROC", "Cohen's kappa", "calibration error", "labelled"):
        assert words in done.stdout
    assert "people in rows, judge in columns" in done.stdout
    assert done.stdout.count("\npeople: ") == 2


def test_judges_side_by_side_as_json(cli: Cli, tmp_path: Path) -> None:
    prepared(tmp_path)
    done = cli("agree", "one.jsonl", "two.jsonl", "--labels", "labels.jsonl", "--json", "--worst", "3")
    numbers = json.loads(done.stdout)
    assert [judge["name"] for judge in numbers["judges"]] == ["one", "two"]
    for judge in numbers["judges"]:
        figure = judge["balanced_accuracy"]
        assert figure["low"] <= figure["value"] <= figure["high"]
        assert judge["units"] == 120
        assert sum(sum(row.values()) for row in judge["confusion"].values()) == 120
    assert len(numbers["judges"][0]["disagreements"]) == 3
    shown = cli("agree", "one.jsonl", "two.jsonl", "--labels", "labels.jsonl", "--worst", "0")
    assert "two − one: balanced accuracy" in shown.stdout


def test_the_gate(cli: Cli, tmp_path: Path) -> None:
    prepared(tmp_path)
    assert cli("agree", "one.jsonl", "--labels", "labels.jsonl", "--min-accuracy", "0.5").returncode == 0
    below = cli("agree", "one.jsonl", "--labels", "labels.jsonl", "--min-accuracy", "0.999")
    assert below.returncode == 1
    assert "is below 0.999" in below.stderr


def test_two_people_and_kappa(cli: Cli, tmp_path: Path) -> None:
    prepared(tmp_path)
    write_labels(tmp_path / "ben.jsonl", labelled(judged(answers(30)), by="ben")[:50])
    done = cli("agree", "one.jsonl", "--labels", "labels.jsonl", "--labels", "ben.jsonl", "--worst", "0")
    assert "ana and ben among themselves: kappa 1.000" in done.stdout
    assert "over 50 that both labelled" in done.stdout


def test_bad_input_is_told(cli: Cli, tmp_path: Path) -> None:
    prepared(tmp_path)
    (tmp_path / "other.csv").write_text("sample,label\nnobody,1\n")
    done = cli("agree", "one.jsonl", "--labels", "other.csv")
    assert done.returncode == 2
    assert "do the sample ids agree?" in done.stderr
    missing = cli("agree", "one.jsonl", "--labels", "gone.jsonl")
    assert missing.returncode == 2
    assert "gone.jsonl: cannot be read" in missing.stderr
