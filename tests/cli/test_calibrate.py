"""`faithmeter calibrate` and `--profile`, run for real."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from faithmeter.verify.calibrated import read_profile

Cli = Callable[..., CompletedProcess[str]]

CONTEXT = "The old harbour crane was built in 1904 by a local shipyard and is still in use today."


def prepared(cli: Cli, folder: Path) -> None:
    """Answers that lexical judges too strictly: a few words of their own, and nothing wrong."""
    rows, labels = [], []
    for n in range(40):
        good = n % 2 == 0
        answer = (
            f"Built in 1904, crane number {n} of the harbour remains a working machine."
            if good and n % 4
            else f"The old harbour crane was built in 1904 by local shipyard {n}."
            if good
            else f"Penguins number {n} eat marmalade on distant moons all night."
        )
        rows.append({"id": f"a{n}", "answer": answer, "contexts": [CONTEXT]})
        labels.append({"sample": f"a{n}", "claim": answer, "label": "supported" if good else "contradicted"})
    for name, items in (("data.jsonl", rows), ("labels.jsonl", labels)):
        (folder / name).write_text("".join(json.dumps(item) + "\n" for item in items))
    assert cli("eval", "data.jsonl", "-v", "lexical", "-o", "results.jsonl", "--quiet").returncode == 0


def test_from_labels_to_a_profile_to_better_verdicts(cli: Cli, tmp_path: Path) -> None:
    prepared(cli, tmp_path)
    done = cli("calibrate", "results.jsonl", "--labels", "labels.jsonl", "-o", "profile.json")
    assert done.returncode == 0, done.stderr
    assert "as it is" in done.stdout
    assert "wrote profile.json" in done.stdout
    profile = read_profile(tmp_path / "profile.json")
    assert profile.labels == 40
    ran = cli("eval", "data.jsonl", "-v", "lexical", "--profile", "profile.json", "-o", "better.jsonl", "--quiet")
    assert ran.returncode == 0, ran.stderr
    assert f"+profile:{profile.hash}" in (tmp_path / "better.jsonl").read_text().splitlines()[0]
    figures = json.loads(
        cli("agree", "results.jsonl", "better.jsonl", "--labels", "labels.jsonl", "--json").stdout
    )["judges"]  # fmt: skip
    before, after = (figure["balanced_accuracy"]["value"] for figure in figures)
    assert before < after == 1.0


def test_check_takes_a_profile_too_and_another_verifier_is_refused(cli: Cli, tmp_path: Path) -> None:
    prepared(cli, tmp_path)
    cli("calibrate", "results.jsonl", "--labels", "labels.jsonl", "-o", "profile.json")
    done = cli("check", "It was built in 1904.", "-c", CONTEXT, "-v", "lexical", "--profile", "profile.json", "--json")
    assert "+profile:" in json.loads(done.stdout)["signature"]
    other = cli("check", "It is.", "-c", CONTEXT, "-v", "lexical:tokens", "--profile", "profile.json")
    assert other.returncode == 2
    assert "the profile was fitted for 'lexical.1,rouge=0.5'" in other.stderr


def test_the_unfaithful_rate_as_json(cli: Cli, tmp_path: Path) -> None:
    prepared(cli, tmp_path)
    done = cli("calibrate", "results.jsonl", "--labels", "labels.jsonl", "--json")
    numbers = json.loads(done.stdout)
    rate = numbers["unfaithful_rate"]["results.jsonl"]
    assert rate["units"] == 40
    assert rate["low"] <= 0.5 <= rate["high"]
    assert numbers["profile"]["verifier"] == "lexical.1,rouge=0.5"


def test_too_few_labels_are_told(cli: Cli, tmp_path: Path) -> None:
    prepared(cli, tmp_path)
    lines = (tmp_path / "labels.jsonl").read_text().splitlines()[:6]
    (tmp_path / "few.jsonl").write_text("\n".join(lines))
    done = cli("calibrate", "results.jsonl", "--labels", "few.jsonl")
    assert done.returncode == 2
    assert "too few to calibrate" in done.stderr
