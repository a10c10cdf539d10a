"""The labelling page in a real browser, and its server against those who have no business there."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from support.opinions import answers, judged

from faithmeter.datamodels import Sample
from faithmeter.report.html.label_server import LabelServer
from faithmeter.trust.human_labels import read_labels
from faithmeter.trust.label_session import Session, make_queue

from ..conftest import PATIENCE  # type: ignore[import-not-found]

NASTY = '<img src=x onerror="document.title=1"><script>document.title=1</script> is true.'


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context() as context:
        context.set_default_timeout(PATIENCE)
        yield context.new_page()


@pytest.fixture
def session(tmp_path: Path) -> Session:
    samples = [*answers(10), Sample(id="nasty", answer=NASTY, contexts=[NASTY], question=NASTY)]
    return Session(make_queue(judged(samples)), tmp_path / "labels.jsonl", by="ana", count=100)


@pytest.fixture
def server(session: Session) -> Iterator[LabelServer]:
    with LabelServer(session) as running:
        yield running


def test_keys_label_go_back_and_finish(page: Page, server: LabelServer, session: Session) -> None:
    page.goto(server.url)
    total = len(session.items)
    expect(page.locator("#progress")).to_have_text(f"0 of {total} labelled by ana")
    expect(page.locator("#claim")).to_have_text(session.items[0].verdict.claim.text)
    page.keyboard.press("3")
    expect(page.locator("#progress")).to_have_text(f"1 of {total} labelled by ana")
    page.keyboard.press("b")
    expect(page.locator("#claim")).to_have_text(session.items[0].verdict.claim.text)
    expect(page.locator(".choice.contradicted")).to_have_attribute("aria-pressed", "true")
    page.locator("#note").fill("1 2 3")  # typed into a field, these are no labels
    page.locator(".choice.supported").click()
    expect(page.locator("#claim")).to_have_text(session.items[1].verdict.claim.text)
    page.locator("#finish").click()
    expect(page.locator("#end-title")).to_have_text("Finished")
    assert server.finished.wait(120)
    labels = read_labels(session.path)
    assert [(label.label, label.note) for label in labels] == [("contradicted", ""), ("supported", "1 2 3")]


def test_the_last_label_ends_it(page: Page, tmp_path: Path) -> None:
    session = Session(make_queue(judged(answers(2))), tmp_path / "l.jsonl", by="", count=2)
    with LabelServer(session) as server:
        page.goto(server.url)
        for n, key in enumerate("14", start=1):
            expect(page.locator("#progress")).to_contain_text(f"{n - 1} of 2")
            page.keyboard.press(key)
        expect(page.locator("#end-title")).to_have_text("All done")
        expect(page.locator("#end-words")).to_contain_text("2 labels")


def test_text_from_the_data_is_text(page: Page, server: LabelServer, session: Session) -> None:
    place = next(n for n, item in enumerate(session.items) if item.result.sample.id == "nasty")
    for n in range(place):
        session.label(n, "supported")
    page.goto(server.url)
    expect(page.locator("#claim")).to_contain_text("<script>")
    assert page.title() == "Labelling claims"
    assert page.locator("main img").count() == 0


def ask(server: LabelServer, method: str, path: str, *, body: str | None = None, **headers: str) -> int:
    place = urlsplit(server.url)
    connection = http.client.HTTPConnection("127.0.0.1", place.port, timeout=120)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path.replace("TOKEN", place.path.strip("/")), body=body, headers=given)
    status = connection.getresponse().status
    connection.close()
    return status


LABEL = json.dumps({"place": 0, "label": "supported"})
JSON = {"Content_Type": "application/json"}


def test_who_may_do_what(server: LabelServer, session: Session) -> None:
    assert ask(server, "GET", "/TOKEN/") == 200
    assert ask(server, "GET", "/TOKEN/state/0") == 200
    assert ask(server, "GET", "/") == 403
    assert ask(server, "GET", "/wrong/state") == 403
    assert ask(server, "GET", "/TOKEN/labels.jsonl") == 404
    assert ask(server, "GET", "/TOKEN/state", Host="evil.example") == 403  # DNS rebinding
    assert ask(server, "POST", "/TOKEN/label", body=LABEL, Origin="http://evil.example", **JSON) == 403
    assert ask(server, "POST", "/TOKEN/label", body=LABEL, Content_Type="text/plain") == 400  # a form of another site
    assert ask(server, "POST", "/TOKEN/label", body='{"place": 9999, "label": "supported"}', **JSON) == 400
    assert ask(server, "POST", "/TOKEN/label", body='{"place": 0, "label": "maybe"}', **JSON) == 400
    assert ask(server, "POST", "/TOKEN/label", body="[]", **JSON) == 400
    assert not session.path.exists()
    assert ask(server, "POST", "/TOKEN/label", body=LABEL, **JSON) == 200
    assert session.done == 1


def test_a_full_disk_is_told_on_the_page(page: Page, server: LabelServer, session: Session) -> None:
    session.path = Path("/dev/full")
    page.goto(server.url)
    expect(page.locator("#claim")).not_to_be_empty()
    page.keyboard.press("1")
    expect(page.locator("#trouble")).to_contain_text("Not saved")
    expect(page.locator("#progress")).to_contain_text("0 of")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_and_fits(browser: Browser, server: LabelServer, scheme: str, width: int) -> None:
    with browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme) as context:  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(server.url)
        expect(page.locator("#claim")).not_to_be_empty()
        for part in ("#work", "#end"):
            expect(page.locator(part)).to_be_visible()
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            if part == "#work":
                page.locator("#finish").click()
