"""`faithmeter report`, run for real."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cli  # type: ignore[import-not-found]

EXAMPLES = Path(__file__).parents[2] / "examples" / "answers.jsonl"


@pytest.fixture
def results(cli: Cli, tmp_path: Path) -> Path:
    done = cli("eval", str(EXAMPLES), "-v", "lexical", "-o", "results.jsonl", "--quiet")
    assert done.returncode == 0, done.stderr
    return tmp_path / "results.jsonl"


def test_report_shows_and_writes_a_page_beside_the_file(cli: Cli, results: Path) -> None:
    done = cli("report", "results.jsonl")
    assert done.returncode == 0, done.stderr
    assert "Worst claims first" in done.stdout
    assert "wrote results.html" in done.stdout
    assert results.with_suffix(".html").read_text("utf-8").startswith("<!doctype html>")


def test_report_writes_every_form_that_is_asked_for(cli: Cli, results: Path) -> None:
    names = ["r.html", "r.md", "r.xml", "r.json", "r.csv", "r.claims.csv", "r.parquet", "sub/r.claims.parquet", "r.svg"]
    options = [part for name in names for part in ("-o", name)]
    done = cli("report", "results.jsonl", *options, "--quiet", "--title", "Nightly")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert all((results.parent / name).stat().st_size for name in names)
    assert "<title>Nightly</title>" in (results.parent / "r.html").read_text("utf-8")


def test_report_is_a_gate(cli: Cli, results: Path) -> None:
    done = cli("report", "results.jsonl", "--min-score", "0.99", "-o", "r.md")
    assert done.returncode == 1
    assert "is below 0.99" in done.stderr
    assert (results.parent / "r.md").exists()
    assert cli("report", "results.jsonl", "--min-score", "0.1", "-o", "r.md").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("report", "none.jsonl"), "none.jsonl: cannot be read: No such file or directory"),
        (("report", "results.jsonl", "-o", "r.pdf"), "r.pdf: what kind of report? Known endings: .html, .md"),
        (("report", str(EXAMPLES)), "answers.jsonl:1: no result: sample: field required"),
    ],
)
def test_report_says_what_is_wrong(cli: Cli, results: Path, arguments: tuple[str, ...], message: str) -> None:
    done = cli(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_that_is_not_done_is_told(cli: Cli, results: Path) -> None:
    whole = results.read_bytes()
    results.write_bytes(whole[:-40])
    done = cli("report", "results.jsonl", "-o", "r.md")
    assert done.returncode == 0
    assert "the last line of results.jsonl is cut off and was left out" in done.stderr


@pytest.mark.parametrize("command", ["report", "eval"])
def test_under_github_actions_the_summary_and_annotations_come_by_themselves(
    cli: Cli, results: Path, tmp_path: Path, command: str
) -> None:
    arguments = (
        ("report", "results.jsonl", "-o", "r.md") if command == "report" else ("eval", str(EXAMPLES), "-v", "lexical")
    )
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n")
    done = cli(*arguments, "--min-score", "0.9", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1
    text = summary.read_text("utf-8")
    assert text.startswith("# before\n## Faithfulness report")
    assert "✗ below the limit of 0.9" in text
    commands = [line for line in done.stderr.splitlines() if line.startswith("::error ")]
    assert 0 < len(commands) <= 10
    assert "title=bistro%3A faithfulness 0." in "".join(commands)
    # what the data says stands between stop-commands and its token, where nothing is obeyed
    shown = done.stdout.splitlines()
    start = next(place for place, line in enumerate(shown) if line.startswith("::stop-commands::"))
    token = shown[start].removeprefix("::stop-commands::")
    assert shown.index(f"::{token}::") > start
    assert len(token) == 32


def test_elsewhere_nothing_of_that(cli: Cli, results: Path) -> None:
    done = cli("report", "results.jsonl", "-o", "r.md", GITHUB_ACTIONS="")
    assert "::" not in done.stdout + done.stderr


def test_many_runs_make_a_trend(cli: Cli, results: Path) -> None:
    (results.parent / "b.jsonl").write_text(results.read_text("utf-8"), "utf-8")
    done = cli("report", "results.jsonl", "b.jsonl", "--trend", "-o", "trend.html", "--min-score", "0.1")
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["results", "b", "wrote trend.html"]
    page = (results.parent / "trend.html").read_text("utf-8")
    assert page.count('<circle class="dot"') == 2
    assert "the first run" in page
    assert cli("report", "results.jsonl", "b.jsonl", "-o", "r.md").returncode == 2
    assert cli("report", "results.jsonl", "--trend", "-o", "r.md").returncode == 2
