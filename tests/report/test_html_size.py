"""The report of 10,000 samples: opens in under 3 s, filters in under 200 ms."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from faithmeter import Result
from faithmeter.report import write_report

from .conftest import Visiting  # type: ignore[import-not-found]

SAMPLES = 10_000


def many(results: list[Result]) -> Iterator[Result]:
    """The run's results again and again, each with an id and a question of its own, and ten times the context."""
    for number in range(SAMPLES):
        result = results[number % len(results)]
        sample = result.sample
        # the first context grows at its end, so that evidence stays where it is
        padding = f" Record {number} of the archive says nothing more about this." * 40
        contexts = tuple(
            context.model_copy(update={"text": context.text + (padding if place == 0 else "")})
            for place, context in enumerate(sample.contexts)
        )
        changes = {"id": f"{sample.id}-{number:05}", "question": f"{sample.question} ({number})", "contexts": contexts}
        yield result.model_copy(update={"sample": sample.model_copy(update=changes)})


@pytest.fixture(scope="module")
def big_report(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("big") / "report.html"
    write_report(path, many(results))
    return path


def took(page: Page, action: str) -> float:
    """Milliseconds from an action in the page until its outcome is laid out."""
    timed = f"const start = performance.now(); {action}; document.body.offsetHeight; return performance.now() - start"
    return float(page.evaluate(f"() => {{ {timed} }}"))


def test_ten_thousand_samples_open_and_filter_quickly(big_report: Path, visit: Visiting) -> None:
    opened = visit(big_report)
    times = []
    for _ in range(2):
        start = time.perf_counter()
        page = opened.go()
        page.wait_for_selector("#rows a.open")
        times.append(time.perf_counter() - start)
    expect(page.locator("#found")).to_have_text("10,000 samples")
    typed = "const box = document.getElementById('query'); box.value = '{}'; box.dispatchEvent(new Event('input'))"
    filters = {
        "search for a word": typed.format("Fastnet"),
        "search": typed.format("restocking fee"),
        "search for nothing": typed.format("no such words"),
        "label": typed.format("") + "; document.querySelector('#label-filter .contradicted').closest('button').click()",
        "sort by id": "document.querySelector('th.id button').click()",
        "clear": "document.getElementById('clear').click()",
    }
    took_ms = dict.fromkeys(filters, 1e9)
    for _ in range(3):  # the best of three: the machine may be busy with something else
        took_ms = {name: min(took_ms[name], took(page, action)) for name, action in filters.items()}
    print(f"\n{big_report.stat().st_size / 1e6:.0f} MB, opened in {min(times):.2f} s; ms: ", end="")
    print({name: round(value) for name, value in took_ms.items()})
    assert min(times) < 3
    assert max(took_ms.values()) < 200


def test_the_last_sample_of_many_opens(big_report: Path, visit: Visiting) -> None:
    page = visit(big_report, fragment="sample=sourdough-09992").page
    expect(page.locator("#sample-title")).to_have_text("sourdough-09992")
    expect(page.locator(".context").first).to_contain_text("Record 9992")
