"""A real run to report on, and a real browser to look at the reports with."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from support.judging import NumbersVerifier

from faithmeter import Evaluator, Result
from faithmeter.data.datasets import read_samples
from faithmeter.datamodels import Sample
from faithmeter.report import write_report
from faithmeter.runtime import sync

ANSWERS = Path(__file__).parent / "answers.jsonl"
PATIENCE = 120_000  # milliseconds: what is waited for comes, be the machine as busy as it likes
expect.set_options(timeout=PATIENCE)
SCREENSHOTS = Path(__file__).parents[2] / "out" / "screenshots"


async def _judged(samples: list[Sample], verifier: NumbersVerifier) -> list[Result]:
    return [result async for result in Evaluator(verifier=verifier).stream(samples)]


def judge(samples: list[Sample], verifier: NumbersVerifier | None = None) -> list[Result]:
    """Results by the real way through."""
    return sync.run(_judged(samples, verifier or NumbersVerifier()))


def write_results(path: Path, results: list[Result]) -> Path:
    path.write_text("".join(result.model_dump_json() + "\n" for result in results), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def results() -> list[Result]:
    """The answers of this folder, judged."""
    samples = [row for row in read_samples(ANSWERS) if isinstance(row, Sample)]
    assert len(samples) == 17
    return judge(samples)


@pytest.fixture(scope="session")
def results_file(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_results(tmp_path_factory.mktemp("run") / "results.jsonl", results)


@pytest.fixture(scope="session")
def report_file(results_file: Path) -> Path:
    """The HTML report of the run."""
    path = results_file.with_name("report.html")
    write_report(path, results_file, min_score=0.8, title="Support bot, nightly answers")
    return path


@pytest.fixture(scope="module")  # Playwright keeps an event loop running: no longer than these tests need it
def browser() -> Iterator[Browser]:
    """Debian's chromium, driven by Playwright; `make test` installs it."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    assert program, "these tests need chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=PATIENCE)
        yield browser
        browser.close()


class Visit:
    """A page that was opened, and everything it said and asked for."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.path = path
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self.asked.append(request.url))

    def go(self, fragment: str = "") -> Page:
        """Open the page, at a deep link if one is given."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.path.as_uri()}{'#' if fragment else ''}{fragment}")
        self.page.wait_for_selector("html[data-ready]", timeout=PATIENCE)
        return self.page

    def check(self) -> None:
        """Nothing was said on the console, and nothing was asked for but the page itself."""
        assert self.said == []
        own = {"about:blank", self.path.as_uri()}
        assert {url.split("#")[0] for url in self.asked} <= own


Visiting = Callable[..., Visit]


def rows(page: Page) -> list[str]:
    """The samples of the list; those below the first screen come a moment after the others."""
    page.evaluate("() => new Promise((done) => setTimeout(done))")
    return page.locator("#rows a.open").all_text_contents()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visiting]:
    """Opens a page at a width and in a colour scheme; afterwards, its silence is checked."""
    visits: list[Visit] = []
    contexts: list[BrowserContext] = []

    def open_page(path: Path, *, width: int = 1280, scheme: str = "light", fragment: str = "") -> Visit:
        context = browser.new_context(  # without motion: contrast is measured at rest
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            reduced_motion="reduce",  # type: ignore[arg-type]
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        found = Visit(context.new_page(), path)
        visits.append(found)
        found.go(fragment)
        return found

    yield open_page
    for found in visits:
        found.check()
    for context in contexts:
        context.close()
