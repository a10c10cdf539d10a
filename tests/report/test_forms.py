"""The other forms of a report: each is read back by a real reader of that form, hostile text and all."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from faithmeter import Label, Result
from faithmeter.data.results_file import ResultsFile
from faithmeter.errors import DataError, OutputError, UsageError
from faithmeter.report import format_of, read_results, summarise, write_report
from faithmeter.report.escaping import markdown, one_line, spreadsheet, workflow_message, workflow_property, xml
from faithmeter.report.summary import BINS, bin_of
from faithmeter.report.terminal import terminal_report

from .html.test_safety import HOSTILE, hostile_result  # type: ignore[import-not-found]


@pytest.fixture(scope="module")
def hostile() -> list[Result]:
    return [hostile_result(number, text) for number, text in enumerate(HOSTILE)]


@pytest.fixture(scope="module")
def everything(results: list[Result], hostile: list[Result]) -> list[Result]:
    return [*results, *hostile]


def written(tmp_path: Path, name: str, results: list[Result], **options: float) -> Path:
    path = tmp_path / name
    write_report(path, results, **options)  # type: ignore[arg-type]
    return path


# --- what all share ---------------------------------------------------------------------------------


def test_the_ending_decides_the_form() -> None:
    assert format_of("a/b.claims.csv") == ".claims.csv"
    assert format_of("REPORT.HTML") == ".html"
    with pytest.raises(UsageError, match=r"what kind of report\? Known endings: \.html, "):
        format_of("report.pdf")


def test_results_are_read_as_often_as_needed(results_file: Path, results: list[Result]) -> None:
    assert list(read_results(results_file)) == results
    from_iterator = summarise(iter(results))
    assert summarise(ResultsFile(results_file)).as_dict() == from_iterator.as_dict()


@pytest.mark.parametrize("ending", [".html", ".md", ".xml", ".json", ".csv", ".claims.csv", ".svg"])
def test_a_file_a_list_and_an_iterator_give_the_same_report(
    ending: str, results: list[Result], results_file: Path, tmp_path: Path
) -> None:
    made = []
    for name, source in {"file": results_file, "list": results, "iterator": iter(results)}.items():
        path = tmp_path / f"{name}{ending}"
        write_report(path, source)
        text = re.sub(r'<dl class="about">.*</dl>\n', "", path.read_text("utf-8"))  # the file and the hour
        made.append(text.replace(results_file.as_posix(), "F").replace("results.jsonl", "F").replace("F", ""))
        if ending == ".json":
            made[-1] = [issue["fingerprint"] for issue in json.loads(text)]  # type: ignore[call-overload]
    assert made[0] == made[1] == made[2]


def test_a_torn_last_line_is_left_out_and_told(results_file: Path, tmp_path: Path) -> None:
    torn = tmp_path / "torn.jsonl"
    whole = results_file.read_bytes()
    torn.write_bytes(whole[:-200])
    file = ResultsFile(torn)
    assert len(list(file)) == 16
    assert file.torn


def test_a_line_that_is_no_result_is_named(results_file: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b'\n{"answer": "no"}\n' + results_file.read_bytes())
    with pytest.raises(DataError, match=r"bad\.jsonl:2: no result: sample: field required; expected a file that"):
        list(read_results(bad))
    with pytest.raises(DataError, match="cannot be read: No such file"):
        list(read_results(tmp_path / "none.jsonl"))


def test_a_report_that_cannot_be_written_says_so(results: list[Result], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        write_report(tmp_path / "file" / "report.html", results)


def test_a_report_that_breaks_off_leaves_the_old_one(results: list[Result], tmp_path: Path) -> None:
    path = written(tmp_path, "report.html", results)
    before = path.read_text("utf-8")

    class Breaking(list[Result]):
        passes = 0

        def __iter__(self) -> Iterator[Result]:
            yield from super().__iter__()
            self.passes += 1
            if self.passes == 2:  # the numbers are added up, the page is half written
                raise OSError(28, os.strerror(28))

    with pytest.raises(OutputError, match="No space left"):
        write_report(path, Breaking(results))
    assert path.read_text("utf-8") == before
    assert [item.name for item in tmp_path.iterdir()] == ["report.html"]


# --- the forms --------------------------------------------------------------------------------------


def test_junit(everything: list[Result], tmp_path: Path) -> None:
    path = written(tmp_path, "junit.xml", everything, min_score=0.8)
    suite = ElementTree.parse(path).getroot()[0]
    cases = {case.get("name"): case for case in suite}
    assert int(suite.get("tests", 0)) == len(cases) == len(everything)
    failed = [case for case in suite if case.find("failure") is not None]
    errors = [case for case in suite if case.find("error") is not None]
    assert len(failed) == int(suite.get("failures", 0)) == sum((r.score or 0) < 0.8 for r in everything) - len(errors)
    assert [case.get("name") for case in errors] == ["unreadable-scan"]
    assert suite.get("errors") == "1"
    words = cases["lighthouse-keeper"].find("failure").text  # type: ignore[union-attr]
    assert "contradicted: The present Fastnet lighthouse was completed in 1904.\n    context 1: “The first" in words  # type: ignore[operator]


def test_gitlab(results: list[Result], results_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "quality.json"
    write_report(path, results_file)
    issues = json.loads(path.read_text("utf-8"))
    assert len(issues) == sum(len(r.failures) + len(r.unsupported) for r in results)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert {issue["severity"] for issue in issues} == {"critical", "major", "minor", "info"}
    lines = results_file.read_text("utf-8").splitlines()
    for issue in issues:
        line = lines[issue["location"]["lines"]["begin"] - 1]
        assert json.loads(line)["sample"]["id"] == issue["description"].split(": ")[0]
    assert json.loads(written(tmp_path, "empty.json", []).read_text()) == []


def cells(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_csv_of_samples(everything: list[Result], tmp_path: Path) -> None:
    rows = cells(written(tmp_path, "r.csv", everything))
    assert [row["id"] for row in rows] == [spreadsheet(r.sample.id) for r in everything]
    for row, result in zip(rows, everything, strict=True):
        assert row["score"] == ("" if result.score is None else str(result.score))
        assert int(row["claims"]) == len(result.outcomes)
        assert int(row["contradicted"]) == sum(v.label is Label.CONTRADICTED for v in result.verdicts)
        assert not row["answer"].startswith(("=", "+", "-", "@"))


def test_csv_of_claims(everything: list[Result], tmp_path: Path) -> None:
    rows = cells(written(tmp_path, "r.claims.csv", everything))
    outcomes = [outcome for result in everything for outcome in result.outcomes]
    assert len(rows) == len(outcomes)
    assert [row["label"] for row in rows] == [getattr(outcome, "label", "not_judged") for outcome in outcomes]


def test_parquet_is_exact(everything: list[Result], tmp_path: Path) -> None:
    samples = parquet.read_table(written(tmp_path, "r.parquet", everything)).to_pylist()
    assert [row["answer"] for row in samples] == [r.sample.answer for r in everything]
    assert [row["score"] for row in samples] == [r.score for r in everything]
    claims = parquet.read_table(written(tmp_path, "r.claims.parquet", everything)).to_pylist()
    assert [row["text"] for row in claims] == [o.claim.text for r in everything for o in r.outcomes if o.claim]


def test_markdown_shows_text_as_text(everything: list[Result], tmp_path: Path) -> None:
    text = written(tmp_path, "report.md", everything, min_score=0.8).read_text("utf-8")
    html = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table").render(text)
    assert "below the limit of 0.8" in html
    for tag in ("<script", "<img", "<iframe", "<svg", "<a ", "<style", "<meta"):
        assert tag not in html.lower()
    assert html.count("<table>") == 2


@given(st.text())
def test_markdown_of_any_text_is_one_paragraph_of_that_text(text: str) -> None:
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render("x" + markdown(text, 10**9) + "x")
    root = ElementTree.fromstring(f"<r>{html}</r>".replace("\ufffe", "").replace("\uffff", ""))
    assert [element.tag for element in root.iter()] == ["r", "p"]
    shown = "".join(root.itertext()).strip().replace("\u200b", "")
    assert shown == f"x{one_line(text, 10**9)}x".replace("\u200b", "").replace("\ufffe", "").replace("\uffff", "")


@given(st.text(st.characters(codec=None)))
def test_xml_carries_any_text(text: str) -> None:
    ElementTree.fromstring(f"<a>{xml(text)}</a>")


def test_terminal_shows_the_worst_claims_and_obeys_none(everything: list[Result]) -> None:
    out = io.StringIO()
    Console(file=out, width=100, force_terminal=True, color_system="truecolor").print(
        terminal_report(summarise(everything, min_score=0.8, keep=100), rows=80)
    )
    shown = out.getvalue()
    plain = io.StringIO()
    Console(file=plain, width=100).print(terminal_report(summarise(everything, min_score=0.8, keep=100), rows=80))
    assert "✗ contradicted" in plain.getvalue()
    assert "context 1: “The first lighthouse on Fastnet Rock" in plain.getvalue()
    assert not set(plain.getvalue()) & {chr(code) for code in [*range(10), *range(11, 32), 127, *range(128, 160)]}
    assert "␛[31m" in shown, "the escape in the data is shown"


def test_svg_is_well_formed_and_needs_nothing(results: list[Result], tmp_path: Path) -> None:
    path = written(tmp_path, "plot.svg", results, min_score=0.8)
    root = ElementTree.parse(path).getroot()
    scores = [r.score for r in results if r.score is not None]
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert f"faithfulness {sum(scores) / len(scores):.2f}" in (title.text or "")
    assert "var(" not in path.read_text("utf-8")


# --- numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "place"), [(0.0, 0), (0.099, 0), (0.1, 1), (0.3, 3), (0.7, 7), (0.999, 9), (1.0, 10), (-2.0, 0)]
)
def test_bins(score: float, place: int) -> None:
    assert bin_of(score) == place < BINS


def test_the_cache_saves_at_the_mean_price_of_what_was_bought(results: list[Result]) -> None:
    summary = summarise(results)
    assert 0 < summary.cached < summary.verdicts
    assert summary.usage.cost is not None
    assert summary.saved == pytest.approx(summary.cached * summary.usage.cost / (summary.verdicts - summary.cached))


# --- workflow commands ------------------------------------------------------------------------------


@given(st.text())
def test_a_workflow_command_stays_one_line(text: str) -> None:
    line = f"::error title={workflow_property(text)}::{workflow_message(text)}"
    assert "\n" not in line
    assert "\r" not in line
    properties, _, message = line.removeprefix("::error ").partition("::")
    decoded = message.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")
    assert decoded == text
    assert ":" not in properties
    assert "," not in properties
