"""Two runs side by side: pairing, the numbers, the gate, and the page in a real browser."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from rich.console import Console
from support.judging import NumbersVerifier

from faithmeter import Claim, Failure, Label, Origin, Result, Sample, Verdict
from faithmeter.errors import DataError
from faithmeter.report.compare_terminal import comparison_report, summary_lines, verdict
from faithmeter.report.comparison import Comparison, matched
from faithmeter.report.html.compare import write_comparison

from .conftest import SCREENSHOTS, Visiting, judge, write_results  # type: ignore[import-not-found]


def made(name: str, labels: str, *, answer: str = "", signature: str = "extract:s|verify:v.1|score:plain") -> Result:
    """A result whose claims have these labels: s, p, c, n; f is a failure."""
    kinds = dict(zip("spcn", Label, strict=True))
    outcomes: list[Verdict | Failure] = []
    for place, letter in enumerate(labels):
        claim = Claim(text=f"{answer}claim {place}", start=0, end=1)
        if letter == "f":
            outcomes.append(Failure(claim=claim, kind="timeout", message="no reply"))
        else:
            outcomes.append(Verdict(claim=claim, label=kinds[letter], origin=Origin(verifier="v")))
    sample = Sample(id=name, answer=answer or "an answer", contexts=["context"])  # type: ignore[arg-type]
    return Result(sample=sample, outcomes=tuple(outcomes), signature=signature)


def compared(tmp_path: Path, before: dict[str, str], after: dict[str, str], **options: str) -> Comparison:
    first = [made(name, labels) for name, labels in before.items()]
    second = [made(name, labels, **options) for name, labels in after.items()]
    return Comparison(write_results(tmp_path / "a.jsonl", first), write_results(tmp_path / "b.jsonl", second))


def test_samples_are_paired_by_id(tmp_path: Path) -> None:
    found = compared(
        tmp_path, {"x": "ss", "gone": "s", "y": "sn", "z": "ff"}, {"y": "ss", "new": "s", "x": "sn", "z": "ss"}
    )
    assert [pair.id for pair in found.pairs] == ["y", "x", "z"]
    assert found.differences == [0.5, -0.5]
    assert (found.missing, found.added) == (["gone"], ["new"])
    assert found.directions == (1, 0, 1)
    assert found.difference == 0
    assert found.coverage == 2 / 5
    assert (found.mean(0), found.mean(1)) == (0.75, 0.75)


def unnamed(answer: str, labels: str, question: str | None = None) -> Result:
    """A result of a sample without an id, which is then made from its content."""
    found = made("x", labels, answer=answer)
    sample = Sample(answer=answer, contexts=["context"], question=question)  # type: ignore[arg-type]
    return found.model_copy(update={"sample": sample})


def two_files(folder: Path, before: list[Result], after: list[Result]) -> Comparison:
    return Comparison(write_results(folder / "a.jsonl", before), write_results(folder / "b.jsonl", after))


def test_samples_without_ids_are_paired_by_question(tmp_path: Path) -> None:
    before = [unnamed("one", "ss", "Who?"), unnamed("two", "sn", "When?"), unnamed("three", "s", "Where?")]
    after = [unnamed("2", "ss", "when?"), unnamed("1", "sn", "Who?"), unnamed("4", "s", "Why?")]
    found = two_files(tmp_path, before, after)
    assert found.differences == [0.5, -0.5]
    assert (len(found.missing), len(found.added)) == (1, 1), "another question is another sample, whatever its place"
    assert found.paired_by == {"question": 2}
    assert "paired 2 by question: give the rows an id to be sure" in summary_lines(found)


def test_samples_without_ids_and_questions_are_paired_by_position_if_the_counts_agree(tmp_path: Path) -> None:
    before = [unnamed("one", "ss"), unnamed("same", "s"), unnamed("two", "sn")]
    after = [unnamed("1", "sn"), unnamed("same", "s"), unnamed("2", "ss")]
    found = two_files(tmp_path, before, after)
    assert found.differences == [-0.5, 0.0, 0.5]
    assert found.paired_by == {"id": 1, "position": 2}
    assert "paired 1 by id, 2 by position: give the rows an id to be sure" in summary_lines(found)
    more = two_files(tmp_path, before, [*after, unnamed("3", "s")])
    assert more.paired_by == {"id": 1}
    assert (len(more.missing), len(more.added)) == (2, 3)


def test_unmatched_samples_are_not_passed_over_in_silence(tmp_path: Path) -> None:
    found = compared(tmp_path, {"x": "ss", "gone": "s"}, {"x": "ss", "new": "n"})
    assert verdict(found) == "no score changed among the samples in both runs; 2 are in one only"
    assert verdict(compared(tmp_path, {"x": "ss"}, {"x": "ss"})) == "no score changed"


def test_claims_are_matched_by_their_words(tmp_path: Path) -> None:
    before = made("x", "scn")
    after = made("x", "nsc")
    labels = [(change.before.word, change.after.word) for change in matched(before.outcomes, after.outcomes)]  # type: ignore[union-attr]
    assert labels == [
        ("supported", "not enough info"),
        ("contradicted", "supported"),
        ("not enough info", "contradicted"),
    ]
    other = made("x", "ss", answer="other ")
    changes = list(matched(before.outcomes, other.outcomes))
    assert [(change.before is None, change.after is None) for change in changes] == [(True, False)] * 2 + [
        (False, True)
    ] * 3
    twice = [before.outcomes[0], before.outcomes[0]]
    assert all(change.before and change.after for change in matched(twice, twice))


def test_what_changed_in_the_signatures(tmp_path: Path) -> None:
    found = compared(tmp_path, {"x": "s"}, {"x": "s"}, signature="extract:s|verify:v.2,t=0.5|score:plain")
    assert found.signature_changes() == [("verify", "v.1", "v.2,t=0.5")]
    assert verdict(found) == "no score changed"


def test_nothing_in_common_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no sample id in common"):
        compared(tmp_path, {"x": "s"}, {"y": "s"})


@pytest.mark.parametrize(
    ("worse", "of", "size", "regressed"),
    [
        (0, 40, 0.01, False),
        (3, 40, 0.01, False),  # 3 of 40 worse: p = 0.25, may be chance
        (12, 40, 0.01, True),  # p < 0.001, −0.15
        (12, 40, 0.2, False),  # certain, but smaller than what counts
        (8, 400, 0.02, False),  # p = 0.008, but −0.01
        (8, 400, 0.01, True),
    ],
)
def test_a_regression_is_both_certain_and_large(
    tmp_path: Path, worse: int, of: int, size: float, regressed: bool
) -> None:
    before = {f"s{number}": "ss" for number in range(of)}
    after = {name: "sn" if number < worse else "ss" for number, name in enumerate(before)}
    assert compared(tmp_path, before, after).regressed(size) is regressed
    assert not compared(tmp_path, after, before).regressed(size), "better is no regression"


def test_noise_fails_few_builds(tmp_path: Path) -> None:
    """100 pairs of runs of equal quality: the gate may go off by chance in about 1 of 40, not in 1 of 10."""
    random = np.random.default_rng(5)
    alarms = 0
    for _ in range(100):
        runs = [{f"s{n}": "".join(random.choice(list("sssn"), 4)) for n in range(30)} for _ in range(2)]
        alarms += compared(tmp_path, *runs).regressed(0.01)
    assert alarms <= 8


@pytest.fixture(scope="module")
def comparison(results: list[Result], results_file: Path) -> Comparison:
    """The real run against a stricter judge, who also loses a sample."""
    stricter = judge([result.sample for result in results], NumbersVerifier(supported=1.0))
    after = write_results(results_file.with_name("stricter.jsonl"), stricter[:-1])
    return Comparison(results_file, after)


def test_terminal_shows_both_verdicts_side_by_side(comparison: Comparison) -> None:
    out = io.StringIO()
    Console(file=out, width=120).print(comparison_report(comparison, rows=20))
    shown = out.getvalue()
    assert "worse, and hardly by chance" in shown
    assert "verify: numbers.1,supported=0.8 → numbers.1,supported=1" in shown
    assert "chess-1972 0.67 → 0.33 (−0.33)" in shown
    assert "✓ supported → ◐ partially supported  Bobby Fischer won" in shown
    assert "before: support 0.89; context 1: “The 1972 World" in shown
    assert any("only in" in line for line in summary_lines(comparison))


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_and_fits(
    comparison: Comparison, tmp_path: Path, visit: Visiting, width: int, scheme: str
) -> None:
    path = tmp_path / "compare.html"
    write_comparison(path, comparison)
    page = visit(path, width=width, scheme=scheme, fragment="sample=chess-1972").page
    expect(page.locator("details[open] .side-by-side")).to_contain_text("Bobby Fischer won the 1972 World Chess")
    expect(page.locator("details[open] .sides")).to_contain_text("✓ supported")
    expect(page.locator("details[open] .sides")).to_contain_text("◐ partially supported")
    found = Axe().run(page)
    assert len(found.response["passes"]) > 15
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"compare-{scheme}-{width}.png", full_page=True)


def test_the_page_searches_and_filters(tmp_path: Path, visit: Visiting) -> None:
    before = {f"s{number}": "ss" for number in range(120)}
    after = {name: ["ss", "sn", "cp", "ff"][number % 4] for number, name in enumerate(before)}
    after["s0"] = "ssn"
    before["s1"] = "nn"
    found = compared(tmp_path, before, after)
    path = tmp_path / "compare.html"
    write_comparison(path, found)
    page = visit(path).page
    changed = len(found.changed())
    expect(page.locator("#found")).to_have_text(f"{changed} samples")
    expect(page.locator("#pager")).to_contain_text("Page 1 of 2")
    page.click("button:has-text('better')")
    expect(page.locator("#changes details")).to_have_count(1)
    page.locator("#changes summary").click()
    expect(page.locator(".side-by-side")).to_have_count(1)
    page.click("button:has-text('better')")
    page.keyboard.press("/")
    page.keyboard.type("s11")
    names = page.locator(".change-id").all_text_contents()
    assert set(names) == {name for name in before if "s11" in name and after[name] != "ss"}
    page.fill("#query", "nobody")
    expect(page.locator("#changes")).to_contain_text("No sample matches.")
