"""The HTML report in a real browser: search, filters, samples, evidence, keys, contrast, and how it looks."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from faithmeter import Failure, Result
from faithmeter.report import write_report

from ..conftest import PATIENCE, SCREENSHOTS, Visiting, rows  # type: ignore[import-not-found]


def test_the_top_shows_the_numbers_of_the_run(report_file: Path, results: list[Result], visit: Visiting) -> None:
    page = visit(report_file).page
    scores = [result.score for result in results if result.score is not None]
    mean = f"{sum(scores) / len(scores):.2f}"
    expect(page.locator(".mean .figure")).to_have_text(mean)
    expect(page.locator(".mean")).to_contain_text("95 % interval")
    expect(page.locator(".mean")).to_contain_text("✗ below the limit of 0.8")
    passed = sum(score >= 0.8 for score in scores) / len(results)
    expect(page.locator(".tile", has_text="Pass rate")).to_contain_text(f"{passed:.0%}")
    expect(page.locator(".tile:has(h3:text-is('Answers'))")).to_contain_text(
        "1 partly judged, 2 without claims, 1 failed"
    )
    expect(page.locator(".tile", has_text="Cost")).to_contain_text("saving about $")
    contradicted = sum(verdict.label == "contradicted" for result in results for verdict in result.verdicts)
    expect(page.locator(".shares li.contradicted")).to_contain_text(f"contradicted{contradicted}")


def test_the_table_starts_with_the_worst_and_sorts(report_file: Path, visit: Visiting) -> None:
    page = visit(report_file).page
    assert rows(page)[0] == "unreadable-scan"
    expect(page.locator("th.score")).to_have_attribute("aria-sort", "ascending")
    page.click("th.score button")
    expect(page.locator("th.score")).to_have_attribute("aria-sort", "descending")
    assert rows(page)[-1] == "unreadable-scan"
    page.click("th.id button")
    names = rows(page)
    assert names.index("api-rate-limits") < names.index("battery-recall") < names.index("volcano-1815")
    page.click("th.claims button")
    assert rows(page)[0] in {"lighthouse-keeper", "battery-recall", "quarterly-revenue", "sourdough"}


def test_search_finds_ids_questions_and_answers(report_file: Path, visit: Visiting) -> None:
    page = visit(report_file).page
    for words, found in {
        "METFORMIN": ["metformin-renal"],
        "Mary Shelley": ["volcano-1815"],
        "وسفور": ["jerusalem-rtl"],
    }.items():
        page.fill("#query", words)
        assert rows(page) == found
        expect(page.locator("#found")).to_have_text("1 of 17 samples")
        assert page.locator("mark.hit").first.text_content().lower() == words.lower()
    page.fill("#query", "no such words anywhere")
    expect(page.locator("#rows")).to_contain_text("No sample matches")
    page.click("#clear")
    expect(page.locator("#found")).to_have_text("17 samples")


def test_filters_by_label_status_and_score(report_file: Path, results: list[Result], visit: Visiting) -> None:
    page = visit(report_file).page
    page.click("#label-filter button:has-text('contradicted')")
    wanted = {r.sample.id for r in results if any(v.label == "contradicted" for v in r.verdicts)}
    assert set(rows(page)) == wanted
    page.click("#clear")
    page.click("#status-filter button:has-text('no claims')")
    assert set(rows(page)) == {"refund-unknown", "greeting-only"}
    page.click("#clear")
    page.fill("#low", "0.5")
    page.fill("#high", "0.75")
    assert set(rows(page)) == {r.sample.id for r in results if r.score is not None and 0.5 <= r.score < 0.75}
    page.click("#clear")
    page.locator(".bin[data-low='1']").click()
    assert set(rows(page)) == {r.sample.id for r in results if r.score == 1}


def test_filters_by_what_is_wrong_and_where(report_file: Path, results: list[Result], visit: Visiting) -> None:
    page = visit(report_file).page
    kinds = {verdict.kind for result in results for verdict in result.unsupported}
    assert "number" in kinds
    page.click("#kind-filter button:has-text('number')")
    assert set(rows(page)) == {r.sample.id for r in results if any(v.kind == "number" for v in r.verdicts)}
    page.click("#clear")
    page.click("#blame-filter button:has-text('misread')")
    assert set(rows(page)) == {r.sample.id for r in results if any(v.blame == "misread" for v in r.verdicts)}
    expect(page.locator("#why")).to_contain_text("What to fix")
    expect(page.locator("#why")).to_contain_text("Used by supported claims")


def test_a_card_says_what_is_wrong_and_why(report_file: Path, results: list[Result], visit: Visiting) -> None:
    result = next(r for r in results if any(v.kind == "number" and v.reason for v in r.verdicts))
    index = next(n for n, outcome in enumerate(result.outcomes) if getattr(outcome, "label", "") != "supported")
    verdict = result.outcomes[index]
    page = visit(report_file, fragment=f"sample={result.sample.id}").page
    card = page.locator(".card").nth(index)
    expect(card.locator(".kind")).to_have_text(verdict.kind)  # type: ignore[union-attr]
    expect(card.locator(".reason")).to_have_text(verdict.reason)  # type: ignore[union-attr]


def test_a_sample_shows_claims_evidence_and_what_is_unused(
    report_file: Path, results: list[Result], visit: Visiting
) -> None:
    page = visit(report_file).page
    page.click("text=lighthouse-keeper")
    expect(page.locator("#sample-title")).to_be_focused()
    result = next(r for r in results if r.sample.id == "lighthouse-keeper")
    assert page.locator(".card").count() == len(result.outcomes) == 5
    for index, verdict in enumerate(result.verdicts):
        card = page.locator(".card").nth(index)
        expect(card.locator(".badge")).to_contain_text(verdict.word)
        page.locator(".answer .claim").nth(index).click()
        expect(card).to_have_class(f"card {verdict.label} on")
        shown = page.locator(".evidence.on").evaluate_all(
            "marks => marks.map(mark => mark.firstChild.textContent).join('')"
        )
        assert shown == "".join(evidence.quote for evidence in verdict.evidence)
        gaps = card.locator(".gap").evaluate_all("gaps => gaps.map(gap => gap.firstChild.textContent)")
        assert gaps == [verdict.claim.text[start:end] for start, end in verdict.gaps]
    expect(page.locator(".context.unused")).to_have_count(1)
    expect(page.locator(".context.unused")).to_contain_text("Mizen Head")
    expect(page.locator(".matrix th.unused")).to_contain_text("4 unused")
    page.locator(".matrix .cell").first.click()
    assert "1904" in (page.locator(".card.on").text_content() or "")
    page.click("#back")
    expect(page.locator("a.open:focus")).to_have_text("lighthouse-keeper")


def test_offsets_hold_beyond_the_basic_plane(report_file: Path, results: list[Result], visit: Visiting) -> None:
    page = visit(report_file, fragment="sample=honeybee-dance").page
    result = next(r for r in results if r.sample.id == "honeybee-dance")
    assert "🐝" in result.sample.answer
    for index, verdict in enumerate(result.verdicts):
        page.locator(".card-head").nth(index).click()
        marked = page.locator(f".answer .claim[data-claims='{index}']").evaluate(
            "claim => [...claim.childNodes].filter(node => !node.matches?.('sup, .sr'))"
            ".map(node => node.matches?.('.gap') ? node.firstChild.textContent : node.textContent).join('')"
        )
        assert marked == result.sample.answer[verdict.claim.start : verdict.claim.end]
        shown = page.locator(".evidence.on").evaluate_all(
            "marks => marks.map(mark => mark.firstChild.textContent).join('')"
        )
        assert shown == "".join(evidence.quote for evidence in verdict.evidence)


def test_everything_works_from_the_keyboard(report_file: Path, visit: Visiting) -> None:
    page = visit(report_file).page
    page.keyboard.press("/")
    expect(page.locator("#query")).to_be_focused()
    page.keyboard.type("fastnet")
    page.keyboard.press("Escape")
    expect(page.locator("#query")).to_have_value("")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    expect(page.locator("a.open").first).to_be_focused()
    page.keyboard.press("j")
    name = page.locator("a.open:focus").text_content()
    page.keyboard.press("Enter")
    expect(page.locator("#sample-title")).to_have_text(name or "")
    page.keyboard.press("j")
    expect(page.locator(".card").first.locator(".card-head")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".evidence:focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".card").first.locator(".card-head")).to_be_focused()
    page.keyboard.press("n")
    expect(page.locator("#sample-title")).not_to_have_text(name or "")
    page.keyboard.press("p")
    expect(page.locator("#sample-title")).to_have_text(name or "")
    page.keyboard.press("Escape")
    expect(page.locator("a.open:focus")).to_have_text(name or "")
    page.keyboard.press("?")
    expect(page.locator("#help-close")).to_be_focused()
    page.locator("#shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.locator("#query")).not_to_be_focused()


def test_links_to_a_sample_and_the_way_back(report_file: Path, visit: Visiting) -> None:
    page = visit(report_file, fragment="sample=东京塔&claim=2").page
    expect(page.locator("#sample-title")).to_have_text("东京塔")
    expect(page.locator(".card.on")).to_have_count(1)
    expect(page).to_have_title("东京塔 · Support bot, nightly answers")
    page.click("text=← All samples")
    page.click("a.open:has-text('chess-1972')")
    page.go_back()
    expect(page.locator("#samples")).to_be_visible()
    page.goto(f"{report_file.as_uri()}#sample=nobody")
    expect(page.locator("#samples")).to_be_visible()


def test_right_to_left_text_reads_from_the_right(report_file: Path, visit: Visiting) -> None:
    page = visit(report_file, fragment="sample=jerusalem-rtl").page
    assert page.locator(".answer").evaluate("element => getComputedStyle(element).direction") == "rtl"
    assert page.locator("h3").first.evaluate("element => getComputedStyle(element).direction") == "ltr"


def test_what_could_not_be_judged_is_said(report_file: Path, visit: Visiting) -> None:
    page = visit(report_file, fragment="sample=torn-page").page
    expect(page.locator(".card.not_judged")).to_contain_text("The reply was not JSON, twice.")
    expect(page.locator(".facts")).to_contain_text("0.50 to 1.00")
    page.goto(f"{report_file.as_uri()}#sample=greeting-only")
    expect(page.locator(".answer-pane")).to_contain_text("claims nothing")
    page.goto(f"{report_file.as_uri()}#sample=no-context")
    expect(page.locator(".context-pane")).to_contain_text("There are no contexts.")


def test_an_answer_that_could_not_be_broken_into_claims(results: list[Result], tmp_path: Path, visit: Visiting) -> None:
    failure = Failure(kind="extraction", message="The reply was cut off.")
    path = tmp_path / "report.html"
    write_report(path, [results[0].model_copy(update={"outcomes": (failure,)})])
    page = visit(path, fragment="sample=lighthouse-keeper").page
    expect(page.locator(".card")).to_contain_text("The whole answer")
    expect(page.locator(".card")).to_contain_text("could not be judged: extraction")
    page.keyboard.press("j")
    expect(page.locator(".card-head")).to_be_focused()


def test_the_theme_can_be_chosen(report_file: Path, visit: Visiting) -> None:
    page = visit(report_file, scheme="light").page
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.click("#theme-button")
    assert page.evaluate(paper) == light
    page.click("#theme-button")
    dark = page.evaluate(paper)
    assert dark != light
    expect(page.locator("#theme-button")).to_have_text("Theme: dark")
    page.reload()
    assert page.evaluate(paper) == dark
    assert visit(report_file, scheme="dark").page.evaluate(paper) == dark


def test_it_prints_on_white_without_its_controls(report_file: Path, visit: Visiting) -> None:
    page = visit(report_file, scheme="dark", fragment="sample=lighthouse-keeper").page
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    expect(page.locator(".toolbar")).to_be_hidden()
    expect(page.locator(".card").first).to_be_visible()
    assert len(page.pdf()) > 10_000


VIEWS = {"table": "", "sample": "sample=lighthouse-keeper&claim=1", "partial": "sample=torn-page"}


SETTLED = """async () => {
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  await Promise.allSettled(document.getAnimations().map(each => each.finished));  // colours move for a moment
}"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_it_is_accessible_and_fits(report_file: Path, visit: Visiting, view: str, scheme: str, width: int) -> None:
    page = visit(report_file, width=width, scheme=scheme, fragment=VIEWS[view]).page
    page.evaluate(SETTLED)
    found = Axe().run(page)
    assert len(found.response["passes"]) > 15  # it did look
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"report-{view}-{scheme}-{width}.png", full_page=view == "table")


def test_without_javascript_the_numbers_stand(report_file: Path, browser) -> None:  # type: ignore[no-untyped-def]
    context = browser.new_context(java_script_enabled=False)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(report_file.as_uri())
    expect(page.locator(".mean .figure")).to_be_visible()
    expect(page.locator("main")).to_contain_text("need JavaScript")
    context.close()


def test_a_report_of_nothing_opens(tmp_path: Path, visit: Visiting) -> None:
    path = tmp_path / "empty.html"
    write_report(path, [])
    page = visit(path).page
    expect(page.locator("#found")).to_have_text("0 samples")


def test_beyond_the_limit_the_lowest_are_kept(results: list[Result], tmp_path: Path, visit: Visiting) -> None:
    from faithmeter.report.html.page import write_html
    from faithmeter.report.summary import summarise

    path = tmp_path / "limited.html"
    with path.open("w", encoding="utf-8") as file:
        write_html(file, summarise(results), results, limit=4)
    page = visit(path).page
    lowest = sorted(results, key=lambda r: -1.0 if r.score is None else r.score)[:4]
    assert set(rows(page)) == {result.sample.id for result in lowest}
    expect(page.locator(".notice")).to_contain_text("over all 17 samples; the table holds the 4 lowest")
    for row in lowest:
        page.goto(f"{path.as_uri()}#sample={row.sample.id}")
        expect(page.locator("#sample-title")).to_have_text(row.sample.id)
        assert page.locator(".card").count() == len(row.outcomes)
