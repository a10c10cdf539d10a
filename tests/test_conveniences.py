"""What Python users do with a run: frames, files, going on, progress; and names that are nearly right."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from faithmeter import Report, UsageError, check, evaluate, load_verifier
from faithmeter.cli import main
from faithmeter.report import FORMATS

ROWS = [
    {"id": "a", "answer": "Paris is in France. Quokkas adore jazz.", "contexts": ["Paris is in France."]},
    {"id": "b", "answer": "Cats sleep a lot.", "contexts": ["Cats sleep a lot."]},
]


@pytest.fixture(scope="module")
def report() -> Report:
    return evaluate(ROWS, verifier="lexical", min_score=0.8)


@pytest.mark.parametrize("ending", FORMATS)
def test_a_report_is_saved_in_every_form(report: Report, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"report{ending}"
    report.save(path)
    assert path.stat().st_size > 100
    if ending == ".jsonl":
        assert Report(results=evaluate_again(path), min_score=0.8) == report


def evaluate_again(path: Path) -> tuple:  # type: ignore[type-arg]
    from faithmeter.report import read_results

    return tuple(read_results(path))


def test_an_unknown_form_is_a_usage_error(report: Report, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="what kind of report"):
        report.save(tmp_path / "report.docx")


def test_frames(report: Report) -> None:
    samples, claims = report.to_pandas(), report.to_pandas("claims")
    assert list(samples["id"]) == ["a", "b"]
    assert list(samples["score"]) == [0.5, 1.0]
    assert list(claims["label"]) == ["supported", "not_enough_info", "supported"]
    assert report.to_polars()["score"].to_list() == [0.5, 1.0]
    assert report.to_polars("claims").shape[0] == 3
    assert (
        Report(results=()).to_polars("claims").columns
        == list(claims.columns)
        == list(Report(results=()).to_pandas("claims"))
    )
    with pytest.raises(UsageError, match="'samples' or 'claims'"):
        report.to_pandas("words")  # type: ignore[arg-type]


def test_evaluate_goes_on_from_its_output(tmp_path: Path) -> None:
    output = tmp_path / "results.jsonl"
    first = evaluate(ROWS[:1], verifier="lexical", output=output)
    line = output.read_text()
    both = evaluate(ROWS, verifier="lexical", output=output)
    assert [result.sample.id for result in both] == ["a", "b"]
    assert both.results[0] == first.results[0]  # also its seconds: it was not judged again
    assert output.read_text().startswith(line)


def test_evaluate_caches_and_shows_progress(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cache = tmp_path / "verdicts.sqlite"
    for hits in (0, 3):
        found = evaluate(ROWS, verifier="lexical", cache=cache, progress="bar")
        assert found.usage.cache_hits == hits
    own = load_verifier("lexical")
    assert evaluate(ROWS, verifier=own, cache=cache).usage.cache_hits == 3
    assert cache.exists()
    assert evaluate(ROWS, verifier=own).usage.cache_hits == 0


@pytest.mark.parametrize(
    ("verifier", "meant"),
    [
        ("gpt-4o-mini", "openai:gpt-4o-mini"),
        ("openai/gpt-4o-mini", "openai:gpt-4o-mini"),
        ("claude-sonnet-4-5?votes=3", "anthropic:claude-sonnet-4-5?votes=3"),
        ("gemini-3-pro", "google:gemini-3-pro"),
        ("lexcal", "lexical"),
        ("locla", "local"),
    ],
)
def test_did_you_mean_this_verifier(verifier: str, meant: str) -> None:
    with pytest.raises(UsageError, match="did you mean") as caught:
        check("a", ["b"], verifier=verifier)
    assert f"did you mean '{meant}'?" in str(caught.value)


def test_did_you_mean_this_scoring_extractor_command() -> None:
    with pytest.raises(UsageError, match="did you mean 'strict'"):
        check("a", ["b"], scoring="stict")
    with pytest.raises(UsageError, match="did you mean 'sentences'"):
        check("a", ["b"], extractor="sentence")
    with pytest.raises(UsageError, match="did you mean 'openai:gpt-4o'"):
        check("a", ["b"], extractor="gpt-4o")
    run = CliRunner().invoke(main, ["evla", "x"])
    assert run.exit_code == 2
    assert "no such command 'evla'; did you mean 'eval'?" in run.stderr
    assert "did you mean" not in CliRunner().invoke(main, ["zzz"]).stderr
    assert "did you mean" not in _message("nonsense")


def _message(verifier: str) -> str:
    with pytest.raises(UsageError) as caught:
        check("a", ["b"], verifier=verifier)
    return str(caught.value)


def test_the_doors_say_what_they_take() -> None:
    import inspect

    for door in (check, evaluate):
        words = inspect.getdoc(door) or ""
        described = {line.split(":")[0].strip() for line in words.splitlines() if line.startswith("    ")}
        assert set(inspect.signature(door).parameters) <= described
        assert "```python" in words
        for code in words.split("```python")[1:]:
            namespace = {"check": check, "evaluate": evaluate}
            exec(code.split("```")[0].replace('report.save("report.html")', "").replace("    ", ""), namespace)
