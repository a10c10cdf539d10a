"""`faithmeter compare`, run for real over two real runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Cli  # type: ignore[import-not-found]

TESTS = Path(__file__).parents[1]
ANSWERS = TESTS / "report" / "answers.jsonl"


@pytest.fixture
def runs(cli: Cli, tmp_path: Path) -> Path:
    for name, judge in {"before": "load", "after": "load_strict"}.items():
        verifier = f"python:support.judging:{judge}"
        done = cli("eval", str(ANSWERS), "-v", verifier, "-o", f"{name}.jsonl", "--quiet", "--min-coverage", "0",
                   PYTHONPATH=str(TESTS), FAITHMETER_CACHE="off")  # fmt: skip
        assert done.returncode == 0, done.stderr
    return tmp_path


def test_compare_shows_the_difference(cli: Cli, runs: Path) -> None:
    done = cli("compare", "before.jsonl", "after.jsonl")
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()[:3]
    assert first.startswith("mean score 0.57 → 0.44: −0.136 (95 % interval −0.")
    assert second == "worse, and hardly by chance"
    assert third == "16 samples compared: 9 worse, 7 the same, 0 better"
    assert "verify: numbers.1,supported=0.8 → numbers.1,supported=1" in done.stdout


def test_compare_as_json_and_as_a_page(cli: Cli, runs: Path) -> None:
    done = cli("compare", "before.jsonl", "after.jsonl", "--json", "-o", "compare.html", "--title", "Main and branch")
    numbers = json.loads(done.stdout)
    assert numbers["compared"] == 16
    assert numbers["worse"] == 9
    assert numbers["difference"] == pytest.approx(-0.136, abs=1e-3)
    assert numbers["interval"][1] < 0 < numbers["p_value"] < 0.05
    assert "<title>Main and branch</title>" in (runs / "compare.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("before.jsonl", "after.jsonl", "--fail-on-regression"), 1),
        (("before.jsonl", "after.jsonl", "--fail-on-regression=0.1"), 1),
        (("before.jsonl", "after.jsonl", "--fail-on-regression=0.3", "--min-coverage", "0.9"), 0),
        (("after.jsonl", "before.jsonl", "--fail-on-regression", "--min-coverage", "0.9"), 0),
        (("before.jsonl", "before.jsonl", "--fail-on-regression", "--min-coverage", "0.9"), 0),
        (("before.jsonl", "before.jsonl", "--fail-on-regression"), 3),  # 16 of 17 can be compared
        (("before.jsonl", "none.jsonl"), 2),
        (("before.jsonl", "after.jsonl", "--fail-on-regression=2"), 2),
    ],
)
def test_compare_is_a_gate(cli: Cli, runs: Path, options: tuple[str, ...], code: int) -> None:
    done = cli("compare", *options)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_runs_with_no_sample_in_common(cli: Cli, runs: Path) -> None:
    lines = (runs / "after.jsonl").read_text("utf-8").replace('"sample":{"id":"', '"sample":{"id":"other-')
    (runs / "other.jsonl").write_text(lines, encoding="utf-8")
    done = cli("compare", "before.jsonl", "other.jsonl")
    assert done.returncode == 2
    assert "no sample id in common" in done.stderr
