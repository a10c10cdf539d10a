"""How soon the report of 10,000 samples opens, and how soon it filters, in a real chromium.

    python -m benchmarks.report

Exits 1 when it opens in more than 3 s or a filter takes more than 200 ms.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from faithmeter import Evaluator, Result
from faithmeter.data.datasets import read_samples
from faithmeter.datamodels import Sample
from faithmeter.report import write_report
from faithmeter.runtime import sync

ANSWERS = Path(__file__).parents[1] / "tests" / "report" / "answers.jsonl"
SAMPLES = 10_000
TYPED = "const box = document.getElementById('query'); box.value = '{}'; box.dispatchEvent(new Event('input'))"
FILTERS = {
    "search for a word": TYPED.format("Fastnet"),
    "search": TYPED.format("restocking fee"),
    "search for nothing": TYPED.format("no such words"),
    "label": TYPED.format("") + "; document.querySelector('#label-filter .contradicted').closest('button').click()",
    "sort by id": "document.querySelector('th.id button').click()",
    "clear": "document.getElementById('clear').click()",
}


def many(results: Sequence[Result]) -> Iterator[Result]:
    """The results again and again, each with an id and a question of its own, and ten times the context."""
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


def opened(page: Page, path: Path) -> float:
    """Seconds until the page shows its rows."""
    page.goto("about:blank")
    start = time.perf_counter()
    page.goto(path.as_uri())
    page.wait_for_selector("#rows a.open")
    return time.perf_counter() - start


def took(page: Page, action: str) -> float:
    """Milliseconds from an action in the page until its outcome is laid out."""
    timed = f"const start = performance.now(); {action}; document.body.offsetHeight; return performance.now() - start"
    return float(page.evaluate(f"() => {{ {timed} }}"))


async def _judged() -> list[Result]:
    samples = [row for row in read_samples(ANSWERS) if isinstance(row, Sample)]
    return [result async for result in Evaluator().stream(samples)]


def main() -> int:
    """Make the report, open it, filter it; the best of three counts, as the machine may be busy."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        sys.exit("this needs chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "report.html"
        write_report(path, many(sync.run(_judged())))
        page = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"]).new_page()
        seconds = min(opened(page, path) for _ in range(3))
        best = dict.fromkeys(FILTERS, 1e9)
        for _ in range(3):
            best = {name: min(best[name], took(page, action)) for name, action in FILTERS.items()}
        print(f"{SAMPLES:,} samples, {path.stat().st_size / 1e6:.0f} MB: open {seconds:.2f} s")
        for name, value in best.items():
            print(f"  {name:20} {value:4.0f} ms")
    return int(seconds > 3 or max(best.values()) > 200)


if __name__ == "__main__":
    sys.exit(main())
