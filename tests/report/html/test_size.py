"""The report of 10,000 samples shows and finds them all; `benchmarks/report.py` says how soon."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from benchmarks.report import FILTERS, SAMPLES, many
from faithmeter import Result
from faithmeter.report import write_report

from ..conftest import Visiting  # type: ignore[import-not-found]


@pytest.fixture(scope="module")
def big_report(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("big") / "report.html"
    write_report(path, many(results))
    return path


def test_ten_thousand_samples_are_filtered(big_report: Path, results: list[Result], visit: Visiting) -> None:
    page = visit(big_report).page
    found = page.locator("#found")
    expect(found).to_have_text("10,000 samples")
    page.evaluate(f"() => {{ {FILTERS['search']} }}")
    fee = [number for number in range(SAMPLES) if "restocking fee" in results[number % len(results)].sample.answer]
    expect(found).to_contain_text(f"{len(fee):,}")
    page.evaluate(f"() => {{ {FILTERS['search for nothing']} }}")
    expect(page.locator("#rows a.open")).to_have_count(0)
    page.evaluate(f"() => {{ {FILTERS['clear']} }}")
    expect(found).to_have_text("10,000 samples")
    expect(page.locator("#rows a.open")).to_have_count(50)


def test_the_last_sample_of_many_opens(big_report: Path, visit: Visiting) -> None:
    page = visit(big_report, fragment="sample=sourdough-09992").page
    expect(page.locator("#sample-title")).to_have_text("sourdough-09992")
    expect(page.locator(".context").first).to_contain_text("Record 9992")
