"""Everything from the data is text: whatever an answer, a context or an id holds, the page runs nothing of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

from faithmeter import Claim, Evidence, Label, Origin, Result, Sample, Verdict
from faithmeter.datamodels import Failure
from faithmeter.report import write_report
from faithmeter.report.comparison import Comparison
from faithmeter.report.html.compare import write_comparison
from faithmeter.report.html.payload import embedded, utf16

from ..conftest import PATIENCE, Visiting, write_results  # type: ignore[import-not-found]

HOSTILE = [
    "<script>window.pwned = 1; alert(1)</script>",
    "</script><script>window.pwned = 2</script>",
    "<!--<script>window.pwned = 3",
    "--><img src=x onerror='window.pwned = 4'>",
    '"><svg onload="window.pwned = 5">',
    '<a href="javascript:window.pwned = 6">click</a> javascript:window.pwned=6',
    "<iframe srcdoc='<script>parent.pwned = 7</script>'></iframe>",
    "<img src='http://example.com/leak.png'><link rel=stylesheet href='http://example.com/x.css'>",
    "<style>body { display: none }</style>",
    "{{constructor.constructor('window.pwned = 8')()}} ${window.pwned = 9} {{data}} {{script}}",
    "<meta http-equiv=refresh content='0; url=http://example.com'>",
    "\u202eright-to-left override\u202c \u2066isolate\u2069 \u2028line\u2029paragraph",
    "nul \x00 escape \x1b[31m bell \x07 \ufffe \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "lone \ud800 surrogate",
    "]]> &lt;script&gt; &amp;&#60;b&#62; %3Cscript%3E \\u003cscript\\u003e",
    "__proto__",
]


def hostile_result(number: int, text: str, *, label: Label = Label.CONTRADICTED) -> Result:
    """A result that holds the text wherever a text can be."""
    answer = f"{text} is claimed. {text}"
    sample = Sample(
        id=f"{number} {text}".encode("utf-8", "replace").decode(),
        question=text,
        answer=answer,
        contexts=[{"id": text.encode("utf-8", "replace").decode(), "text": f"before {text} after"}],  # type: ignore[arg-type]
        metadata={text.encode("utf-8", "replace").decode(): text.encode("utf-8", "replace").decode()},
    )
    first = Claim(text=sample.answer[: len(text)], start=0, end=len(text))
    second = Claim(text=sample.answer, start=0, end=len(sample.answer))
    origin = Origin(verifier=text.encode("utf-8", "replace").decode(), cache="semantic", matched="<b>", similarity=0.9)
    evidence = Evidence.of(sample.contexts, 0, 7, 7 + len(text))
    verdict = Verdict(
        claim=first, label=label, support=0.5, evidence=(evidence,), gaps=((0, len(text)),), reason=text, origin=origin
    )
    failure = Failure(claim=second, kind="error", message=text.encode("utf-8", "replace").decode())
    return Result(sample=sample, outcomes=(verdict, failure), signature=f"extract:{number}|verify:<b>&{number}")


@pytest.fixture(scope="module")
def hostile() -> list[Result]:
    return [hostile_result(number, text) for number, text in enumerate(HOSTILE)]


def test_hostile_text_is_shown_and_nothing_runs(hostile: list[Result], tmp_path: Path, visit: Visiting) -> None:
    path = tmp_path / "hostile.html"
    write_report(path, hostile, title=HOSTILE[1])
    opened = visit(path)  # that nothing was said, asked for or popped up is checked at the end
    page = opened.page
    page.fill("#query", "script")
    page.fill("#query", "")
    for number, result in enumerate(hostile):
        page.locator("a.open").nth(number).focus()
        page.evaluate("id => { location.hash = new URLSearchParams({ sample: id }) }", result.sample.id)
        expect(page.locator("#sample-title")).to_have_text(" ".join(result.sample.id.split()))
        assert (
            page.locator(".context .prose")
            .evaluate("p => p.textContent")
            .startswith(result.sample.contexts[0].text.split(HOSTILE[number][:1])[0])
        )
        page.locator(".claim").first.click()
        shown = page.locator(".evidence.on").evaluate("mark => mark.textContent")  # Markdown's marks stand apart in it
        assert shown.startswith(result.verdicts[0].evidence[0].quote)
        assert page.locator(".reason").first.text_content() == result.verdicts[0].reason
        for link in page.locator("a").all():
            assert (link.get_attribute("href") or "").startswith("#")
    assert page.evaluate("window.pwned") is None
    tags = set(page.evaluate("[...document.querySelectorAll('*')].map(element => element.localName)"))
    assert tags.isdisjoint({"iframe", "img", "link", "object", "embed", "base"})
    assert page.locator("script:not([type='application/json'])").count() == 1
    assert page.locator("style").count() == 1


def test_the_comparison_is_as_safe(hostile: list[Result], tmp_path: Path, visit: Visiting) -> None:
    before = write_results(tmp_path / "before.jsonl", hostile)
    other = [hostile_result(number, text, label=Label.SUPPORTED) for number, text in enumerate(HOSTILE)]
    after = write_results(tmp_path / "after.jsonl", other)
    path = tmp_path / "compare.html"
    write_comparison(path, Comparison(before, after), title=HOSTILE[1])
    page = visit(path).page
    for details in page.locator("#changes summary").all():
        details.click()
    expect(page.locator(".side-by-side")).to_have_count(len(HOSTILE))
    assert page.evaluate("window.pwned") is None


def test_the_policy_forbids_what_escaping_should_prevent(hostile: list[Result], tmp_path: Path, browser) -> None:  # type: ignore[no-untyped-def]
    """Were a text to become markup after all, the page's policy still keeps it from running or loading."""
    path = tmp_path / "policy.html"
    write_report(path, hostile)
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    failed: dict[str, str | None] = {}
    page.on("requestfailed", lambda request: failed.update({request.url: request.failure}))
    page.goto(path.as_uri())
    with page.expect_event("requestfailed", timeout=PATIENCE):
        tried = page.evaluate(
            """() => {
              const tried = [];
              const attempt = (action) => { try { action(); tried.push('worked'); } catch { tried.push('refused'); } };
              attempt(() => { document.body.innerHTML = '<b>markup</b>'; });
              setTimeout(() => eval('window.pwned = 1'));  // later: while evaluating, the driver itself may
              const script = document.createElement('script');
              attempt(() => { script.textContent = 'window.pwned = 2'; document.body.append(script); });
              const image = document.createElement('img');
              image.src = 'http://example.com/leak.png';
              attempt(() => image.setAttribute('onerror', 'window.pwned = 3'));
              document.body.append(image);
              return tried;
            }"""
        )
    page.evaluate("() => new Promise(done => setTimeout(done))")  # after what was to be done later
    assert tried[0] == tried[-1] == "refused"
    assert page.evaluate("window.pwned") is None
    assert failed == {"http://example.com/leak.png": "csp"}  # stopped by the policy before the network
    page.close()


def test_the_page_without_its_data_is_small(tmp_path: Path) -> None:
    path = tmp_path / "empty.html"
    write_report(path, [])
    assert path.stat().st_size < 100_000
    assert not re.search(r"https?://(?!www\.w3\.org)", path.read_text("utf-8"))


@given(st.text(st.characters(codec=None)))
def test_embedded_data_never_closes_its_element(text: str) -> None:
    found = embedded({"text": text})
    assert not set(found) & set("<>&\u2028\u2029")
    assert json.loads(found)["text"] == text.encode("utf-8", "replace").decode()


@given(st.text(), st.data())
def test_offsets_are_those_of_javascript(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    assert utf16(text)(offset) == len(text[:offset].encode("utf-16-le")) // 2
