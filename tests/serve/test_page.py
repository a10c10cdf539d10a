"""The page at `/` in a real browser: paste, examples, rows, live checks, evidence, fixes, copies, keys, phone, axe."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from pydantic import SecretStr
from support.serving import Served, serving

import faithmeter

SCREENSHOTS = Path(__file__).parents[2] / "out" / "screenshots"
ANSWER = "The Eiffel Tower is 330 metres tall. It opened in 1899."
CONTEXTS = ["The Eiffel Tower stands 330 metres tall.", "The tower opened to the public on 15 May 1889."]
KEY = "the-pages-key-0123456789"
PATIENCE = 120_000  # ms: what is waited for comes, but when is not the test's business
Opening = Callable[..., Page]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("run") / "results.jsonl"
    rows = [
        {"id": "good", "answer": ANSWER[:36], "contexts": CONTEXTS},
        {"id": "bad", "answer": ANSWER, "contexts": CONTEXTS},
    ]
    results = faithmeter.evaluate(rows, verifier="lexical")
    path.write_text("".join(result.model_dump_json() + "\n" for result in results), "utf-8")
    with serving(verifiers=("local", "lexical"), results=path) as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    assert program, "these tests need chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser, server: Served) -> Iterator[Opening]:
    """Opens the page; afterwards nothing may have been said on the console, nor asked of anyone else."""
    contexts: list[BrowserContext] = []
    said: list[str] = []
    asked: list[str] = []

    def go(*, width: int = 1280, scheme: str = "light", url: str = "") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
        )  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(url or server.url)
        page.wait_for_selector("html[data-ready]")
        return page

    yield go
    for context in contexts:
        context.close()
    expected = [line for line in said if "status of 401" not in line]  # chromium's own words
    assert expected == []
    assert all(re.match(r"http://127\.0\.0\.1:\d+/", url) for url in asked)


def fill(page: Page) -> None:
    page.fill("#answer", ANSWER)
    page.fill("#context-1", CONTEXTS[0])
    page.click("#add")
    page.keyboard.insert_text(CONTEXTS[1])


def looked_at(page: Page, name: str) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"serve-{name}.png", full_page=True)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_paste_check_and_look_at_the_evidence(open_page: Opening) -> None:
    page = open_page()
    fill(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#sample .claim")).to_have_count(2)
    expect(page.locator("#sample .claim.contradicted")).to_contain_text("It opened in 1899")
    expect(page.locator("#status")).to_contain_text("2 claims, score 0.50")
    page.click("#sample .claim.contradicted")
    expect(page.locator("#sample .evidence.on").first).to_be_visible()
    expect(page.locator("#sample .card.on")).to_contain_text("Contradicted by")
    looked_at(page, "check")


def test_it_checks_again_while_one_types(open_page: Opening) -> None:
    page = open_page()
    fill(page)
    page.click("#check")
    expect(page.locator("#status")).to_contain_text("score 0.50")
    page.fill("#answer", ANSWER.replace("1899", "1889"))
    expect(page.locator("#status")).to_contain_text("score 1.00")
    page.uncheck("#live")
    page.fill("#answer", ANSWER)
    expect(page.locator("#sample")).to_have_class(re.compile("stale"))
    page.wait_for_timeout(900)
    expect(page.locator("#status")).to_contain_text("score 1.00")
    page.select_option("#verifier", "lexical")
    expect(page.locator("#sample .origin").first).to_contain_text("judged by lexical")


def test_examples_and_the_fix(open_page: Opening) -> None:
    page = open_page()
    page.select_option("#example", label="A wrong date")
    expect(page.locator("#sample .claim").first).to_contain_text("Einstein was born in Germany on 20th")
    page.click("#fix")
    expect(page.locator("#sample .revision")).to_be_visible()
    expect(page.locator("#sample .revision ins").first).to_contain_text("14")
    expect(page.locator("#sample .revision del").first).to_contain_text("20th")
    looked_at(page, "fix")


def test_rows_of_the_results_file(open_page: Opening) -> None:
    page = open_page()
    expect(page.locator("#rows option")).to_have_count(3)
    assert page.locator("#rows option").nth(1).text_content() == "bad (0.50)"
    page.select_option("#rows", index=1)
    expect(page.locator("#sample .claim")).to_have_count(2)
    expect(page.locator("#answer")).to_have_value(ANSWER)
    expect(page.locator("#context-2")).to_have_value(CONTEXTS[1])


def drop(page: Page, name: str, text: str) -> None:
    script = """([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(script, [name, text])


def test_files_are_dropped(open_page: Opening) -> None:
    page = open_page()
    drop(page, "answer.txt", ANSWER)
    expect(page.locator("#answer")).to_have_value(ANSWER)
    drop(page, "context.txt", CONTEXTS[0])
    expect(page.locator("#context-1")).to_have_value(CONTEXTS[0])
    drop(
        page,
        "rows.jsonl",
        json.dumps({"answer": "Paris <b>is</b> big.", "contexts": ["<img src=x onerror=alert(1)>"]}) + "\n{}",
    )
    expect(page.locator("#sample .claim")).to_contain_text("<b>is</b> big")
    expect(page.locator("#sample .context")).to_contain_text("<img src=x onerror=alert(1)>")


def test_copies_run(open_page: Opening, server: Served, tmp_path: Path) -> None:
    page = open_page()
    page.fill("#answer", 'It\'s "330" metres tall.\nIt opened.')
    page.fill("#context-1", "It's 330 metres tall. $HOME `date`")
    for kind in ("python", "curl", "pytest"):
        page.click(f"[data-copy={kind}]")
        code = page.locator("#code-text").text_content() or ""
        looked_at(page, "copy") if kind == "python" else None
        page.keyboard.press("Escape")
        if kind == "python":
            namespace: dict[str, faithmeter.Result] = {}
            exec(code, namespace)
            assert namespace["result"].sample.answer == 'It\'s "330" metres tall.\nIt opened.'
        elif kind == "curl":
            import subprocess

            done = subprocess.run(["sh", "-c", code.replace("curl ", "curl -s ")], capture_output=True, check=True)
            assert json.loads(done.stdout)["sample"]["contexts"][0]["text"] == "It's 330 metres tall. $HOME `date`"
        else:
            compile(code, "test", "exec")
            assert "assert_faithful(answer, contexts, min_score=1.0)" in code


def test_keys(open_page: Opening) -> None:
    page = open_page()
    page.select_option("#example", index=2)
    expect(page.locator("#sample .claim")).to_have_count(2)
    page.locator("#sample").focus()
    page.keyboard.press("j")
    expect(page.locator("#sample .card.on")).to_have_attribute("data-claim", "0")
    page.keyboard.press("j")
    expect(page.locator("#sample .card.on")).to_have_attribute("data-claim", "1")
    page.keyboard.press("Enter")
    expect(page.locator("mark.evidence:focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".card-head:focus")).to_have_count(1)
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1280, "dark")])
def test_on_a_phone_and_in_the_dark(open_page: Opening, width: int, scheme: str) -> None:
    page = open_page(width=width, scheme=scheme)
    page.select_option("#example", index=2)
    expect(page.locator("#sample .claim")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    looked_at(page, f"{width}-{scheme}")


def test_trouble_is_said(open_page: Opening) -> None:
    page = open_page()
    page.click("#check")
    expect(page.locator("#trouble")).to_contain_text("There is no answer yet")


def test_a_server_with_keys_asks_for_one(open_page: Opening) -> None:
    with serving(keys=(SecretStr(KEY),)) as guarded:
        page = open_page(url=guarded.url)
        page.fill("#answer", ANSWER)
        page.click("#check")
        expect(page.locator("#trouble")).to_contain_text("send a key")
        page.fill("#key", KEY)
        page.click("#check")
        expect(page.locator("#sample .claim")).to_have_count(2)
        page.close()


def test_the_policy_lets_only_the_pages_own_script_run(server: Served) -> None:
    response = server.http.get("/")
    policy = response.headers["content-security-policy"]
    for part in (
        "default-src 'none'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ):
        assert part in policy
    assert "unsafe" not in policy
    assert response.headers["x-frame-options"] == "DENY"
