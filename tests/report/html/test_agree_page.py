"""The page of `faithmeter agree` in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from support.opinions import Erring, answers, judged, labelled

from faithmeter.datamodels import Sample
from faithmeter.report.html.agree import write_agreement
from faithmeter.trust.agreement import measure, people_kappa

from ..conftest import PATIENCE  # type: ignore[import-not-found]

NASTY = '<img src=x onerror="document.title=1"></li></ol><script>document.title=1</script> is true.'


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context() as context:
        context.set_default_timeout(PATIENCE)
        yield context.new_page()


def test_judges_plots_and_disagreements(page: Page, tmp_path: Path) -> None:
    samples = [*answers(30), Sample(id="<b>nasty</b>", answer=NASTY, contexts=[NASTY], question=NASTY)]
    results = judged(samples)
    labels = [*labelled(results), *labelled(results, by="<i>ben</i>")]
    agreements = [
        *measure(results, labels, name="<u>first</u>"),
        *measure(judged(samples, Erring(spread=0.05)), labels, name="second"),
    ]
    write_agreement(tmp_path / "a.html", agreements, people=people_kappa(labels))
    page.goto((tmp_path / "a.html").as_uri())
    expect(page.locator("table.figures th[scope=col]")).to_have_text(["<u>first</u>", "second"])
    expect(page.locator("svg.plot")).to_have_count(4)
    expect(page.locator("table.confusion")).to_have_count(2)
    apart = len(agreements[0].disagreements)
    expect(page.locator("details").first.locator("li")).to_have_count(min(apart, 100))
    assert page.title() == "Agreement with people"
    assert page.locator("main img").count() == 0
    assert page.locator("main script").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_and_fits(browser: Browser, tmp_path: Path, scheme: str, width: int) -> None:
    results = judged(answers(30))
    labels = [*labelled(results), *labelled(results, by="ben")]
    write_agreement(tmp_path / "a.html", measure(results, labels, name="first"), people=people_kappa(labels))
    with browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme) as context:  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto((tmp_path / "a.html").as_uri())
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
