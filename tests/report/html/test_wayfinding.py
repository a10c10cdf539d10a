"""Finding one's way in the report: what is seen first, addresses that keep what is shown, groups, copies, Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from faithmeter import Result, Sample
from faithmeter.report import write_report
from faithmeter.report.comparison import matched
from faithmeter.report.html.trend import read_runs, write_trend

from ..conftest import Visiting, judge, rows, write_results  # type: ignore[import-not-found]

MARKDOWN = "# The tower\n\nIt opened in **1889** with `3` lifts:\n\n- It is *tall*.\n- It cost 7 million francs."


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of answers with metadata and Markdown."""
    samples = [
        Sample(
            id=f"answer {n}",
            answer=MARKDOWN if n == 0 else f"It opened in {1889 + n % 3}.",
            contexts=(
                {
                    "text": "The tower opened in 1889.\nSomewhere stands the word perihelion."
                    if n == 4
                    else "The tower opened in 1889."
                },
            ),  # type: ignore[arg-type]
            metadata={"team": "blue" if n % 3 else "red", "run": n},
        )
        for n in range(60)
    ]
    path = tmp_path_factory.mktemp("rated") / "report.html"
    write_report(path, judge(samples), about={"Data": "a<b>.jsonl", "Command": "faithmeter eval a.jsonl"})
    return path


def test_the_worst_claims_are_seen_without_scrolling(report_file: Path, visit: Visiting) -> None:
    page = visit(report_file).page
    items = page.locator(".first li")
    assert items.count() == 5
    for number in range(5):
        box = items.nth(number).bounding_box()
        assert box
        assert box["y"] + box["height"] <= 900
    items.nth(1).locator("a").first.click()
    expect(page.locator(".card.on")).to_have_count(1)


def test_rows_preview_the_worst_claim_and_why(report_file: Path, results: list[Result], visit: Visiting) -> None:
    page = visit(report_file).page
    bad = next(result for result in results if result.unsupported and result.unsupported[0].evidence)
    row = page.locator("tr.entry").filter(has_text=bad.sample.id)
    expect(row.locator(".worst")).to_contain_text(" ".join(bad.unsupported[0].claim.text.split())[:60])


def test_the_address_keeps_filters_order_page_and_claim(rated: Path, visit: Visiting) -> None:
    seen = visit(rated)
    page = seen.page
    page.click("th.id button")
    page.select_option("#group", "team")
    page.click("#groups button:has-text('blue')")
    page.fill("#query", "opened")
    address = page.evaluate("location.hash")
    assert "sort=id" in address
    assert "group=team" in address
    assert "value=blue" in address
    assert "q=opened" in address
    shown = rows(page)
    assert len(shown) == 40
    page.click("#rows a.open >> nth=2")
    page.keyboard.press("j")
    assert "claim=1" in page.evaluate("location.hash")
    again = seen.go(page.evaluate("location.hash").lstrip("#"))
    expect(again.locator(".card.on")).to_have_count(1)
    again.keyboard.press("Escape")
    again.wait_for_selector("#rows a.open")
    assert rows(again) == shown
    expect(again.locator("#query")).to_have_value("opened")


def test_search_reaches_into_contexts_when_asked(rated: Path, visit: Visiting) -> None:
    page = visit(rated).page
    page.fill("#query", "perihelion")
    assert rows(page) == []
    page.check("#in-contexts")
    expect(page.locator("#rows a.open")).to_have_text(["answer 4"])
    expect(page.locator("#rows .hit")).to_have_text(["perihelion"])


def test_groups_show_their_means_the_lowest_first(rated: Path, visit: Visiting) -> None:
    page = visit(rated).page
    assert page.locator("#group option").all_text_contents()[0] == "nothing"
    assert "run" not in page.locator("#group option").all_text_contents()  # sixty values are no groups
    page.select_option("#group", "team")
    chips = page.locator("#groups button").all_text_contents()
    assert "mean" in chips[0]
    page.click("#clear") if page.locator("#clear").is_visible() else None
    assert not page.evaluate("location.hash").count("value=")


def test_what_is_shown_can_be_downloaded_and_copied(rated: Path, visit: Visiting) -> None:
    page = visit(rated).page
    page.fill("#query", "answer 4")
    with page.expect_download() as found:
        page.click("#download")
    lines = Path(found.value.path()).read_text("utf-8").splitlines()
    assert lines[0].startswith("id,score,status")
    assert {line.split(",")[0] for line in lines[1:]} >= {'"answer 4"', '"answer 40"'}
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#rows a.open >> nth=0")
    page.evaluate("() => { window.setTimeout = () => 0; }")  # what it says stays there until it is read
    page.click("text=Copy as Markdown")
    expect(page.locator(".copies")).to_contain_text("Copied")
    assert "### answer 4" in page.evaluate("navigator.clipboard.readText()")


def test_markdown_is_rendered_and_can_be_raw(rated: Path, visit: Visiting) -> None:
    page = visit(rated, fragment="sample=answer+0").page
    answer = page.locator(".answer.prose")
    expect(page.locator(".answer .md-strong")).to_have_text(["1889"])
    assert "**" not in answer.inner_text()
    page.click("text=Raw text")
    assert "**1889**" in answer.inner_text()
    assert "# The tower" in answer.inner_text()


def test_the_header_says_where_it_comes_from(rated: Path, visit: Visiting) -> None:
    page = visit(rated).page
    expect(page.locator(".about")).to_contain_text("a<b>.jsonl")
    expect(page.locator(".about")).to_contain_text("faithmeter eval a.jsonl")


def test_an_edited_claim_is_paired_with_what_it_was() -> None:
    contexts = ({"text": "The tower opened in 1889."},)
    one, two = judge(
        [
            Sample(answer="The tower opened in 1890. Bananas are yellow.", contexts=contexts),  # type: ignore[arg-type]
            Sample(answer="The tower opened in 1889. Cats sleep all day long.", contexts=contexts),  # type: ignore[arg-type]
        ]
    )
    pairs = [
        (
            pair.before and pair.before.claim and pair.before.claim.text,
            pair.after and pair.after.claim and pair.after.claim.text,
        )
        for pair in matched(one.outcomes, two.outcomes)
    ]
    assert pairs == [
        ("The tower opened in 1890.", "The tower opened in 1889."),
        (None, "Cats sleep all day long."),
        ("Bananas are yellow.", None),
    ]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_trend_is_accessible_and_fits(
    results: list[Result], tmp_path: Path, visit: Visiting, scheme: str, width: int
) -> None:
    first = write_results(tmp_path / "monday.jsonl", results)
    second = write_results(tmp_path / "tuesday.jsonl", results[2:])
    write_trend(tmp_path / "trend.html", read_runs([first, second], min_score=0.5))
    page = visit(tmp_path / "trend.html", width=width, scheme=scheme).page
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.locator(".runs tbody tr")).to_have_count(2)
    expect(page.locator(".runs tbody tr").first).to_contain_text("2 gone")


@pytest.fixture(scope="module")
def conversations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two conversations of several turns, and one answer that is no turn."""
    context = ({"text": "The tower opened in 1889."},)
    samples = [
        Sample(
            id=f"{name}/{turn}",
            question=f"Question {turn}?",
            answer=f"It opened in {year}.",
            contexts=context,  # type: ignore[arg-type]
            history=tuple(
                {"role": role, "text": f"{role} {before}"}
                for before in range(1, turn)
                for role in ("user", "assistant")
            ),  # type: ignore[arg-type]
            metadata={"conversation": name, "turn": turn},
        )
        for turn, years in enumerate([(1889, 1889), (1890, 1889), (1889, 1889)], 1)
        for name, year in zip(("first", "second <b>"), years, strict=True)
    ]
    samples.append(Sample(id="alone", answer="It opened in 1889.", contexts=context))  # type: ignore[arg-type]
    path = tmp_path_factory.mktemp("conversations") / "report.html"
    write_report(path, judge(samples))
    return path


def test_the_turns_of_a_conversation_stand_together(conversations: Path, visit: Visiting) -> None:
    page = visit(conversations).page
    together = ["first/1", "first/2", "first/3", "second <b>/1", "second <b>/2", "second <b>/3", "alone"]
    assert rows(page) == together
    heads = page.locator("#rows .conversation").all_text_contents()
    assert [head.partition(" · ")[0] for head in heads] == [
        "Conversation first 3 turns",
        "Conversation second <b> 3 turns",
        "No conversation 1 turn",
    ]
    page.select_option("#group", "")
    assert rows(page)[0] == "first/2", "without groups, the worst answer comes first"
    assert page.locator("#rows .conversation").count() == 0
    page.reload()
    assert rows(page)[0] == "first/2", "the address keeps it"


def test_a_turn_shows_what_was_said_before_and_leads_to_the_others(conversations: Path, visit: Visiting) -> None:
    page = visit(conversations).page
    page.get_by_role("link", name="first/3").click()
    page.locator(".history summary").click()
    said = page.locator(".history li span[dir]").all_text_contents()
    assert said == ["user 1", "assistant 1", "user 2", "assistant 2"]
    assert not Axe().run(page).response["violations"]
    page.locator(".history .turns a").first.click()
    expect(page.locator("#sample-title")).to_have_text("first/1")
    expect(page.locator(".history details")).to_have_count(0)
