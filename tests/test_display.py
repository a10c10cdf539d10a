"""How values show themselves: every claim with its label, nothing that a terminal or a page would act on."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from rich.console import Console

from faithmeter import Claim, Evidence, Failure, Label, Origin, Result, Sample, Verdict, display
from faithmeter.results import Report

SAMPLE = Sample(id="rome", answer="Rome is old. Rome has 9 hills. Hm.", contexts=["Rome is old. It has 7 hills."])
SUPPORTED = Verdict(
    claim=Claim(text="Rome is old.", start=0, end=12), label=Label.SUPPORTED, support=0.9, origin=Origin(verifier="v"),
    evidence=(Evidence.of(SAMPLE.contexts, 0, 0, 12),),
)  # fmt: skip
WRONG = Verdict(
    claim=Claim(text="Rome has 9 hills.", start=13, end=30), label=Label.CONTRADICTED, support=0.1, gaps=((9, 10),),
    evidence=(Evidence.of(SAMPLE.contexts, 0, 13, 28),), reason="Seven.", origin=Origin(verifier="v"),
)  # fmt: skip
FAILED = Failure(claim=Claim(text="Hm.", start=31, end=34), kind="timeout", message="no reply")
RESULT = Result(sample=SAMPLE, outcomes=(SUPPORTED, WRONG, FAILED), notes=("mind this",), signature="s")


def terminal(shown: object) -> str:
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(shown)
    return capture.get()


def test_a_result_is_a_line_a_claim() -> None:
    assert str(RESULT).splitlines() == [
        "Result rome: score 0.50, between 0.33 and 0.67 (partial, 3 claims)",
        "  ✓ supported           0.90  Rome is old.",
        "  ✗ contradicted        0.10  Rome has 9 hills.",
        "  ! not judged             –  Hm.",
        "  ⚠ mind this",
    ]


def test_the_terminal_shows_the_evidence_and_the_reason() -> None:
    shown = terminal(RESULT)
    for words in ("context 1: “It has 7 hills.”", "Seven.", "no reply", "mind this", "partial"):
        assert words in shown


def test_a_report_names_the_worst_first() -> None:
    good = RESULT.model_copy(update={"sample": SAMPLE.model_copy(update={"id": "fine"}), "outcomes": (SUPPORTED,)})
    report = Report(results=(good, RESULT), min_score=0.9)
    assert str(report).splitlines()[0].startswith("Report: mean score 0.75")
    assert "pass rate 50% at 0.90" in str(report)
    shown = terminal(report)
    assert "rome" in shown
    assert "Rome has 9 hills." not in terminal(Report(results=(good,)))


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])
def test_a_notebook_gets_no_markup_of_the_data(text: str) -> None:
    verdict = SUPPORTED.model_copy(update={"claim": Claim(text=text, start=0, end=5), "reason": text})
    page = Result(sample=SAMPLE, outcomes=(verdict,), notes=(text,), signature="s")._repr_html_()
    tags = _Tags()
    tags.feed(page)
    assert not {"script", "img"} & set(tags.found)
    assert "mark" in tags.found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a␛[31mb"),
        ("a\u202eb", "a\\u202eb"),
        ("##[error]", "#\u200b#[error]"),
        ("tab\tand\nline", "tab\tand\nline"),
    ],
)
def test_what_a_terminal_would_act_on_is_made_visible(text: str, shown: str) -> None:
    assert display.printable(text) == shown


def test_an_answer_is_cut_where_claims_begin_and_end() -> None:
    pieces = list(
        display.segments("abcdef", [SUPPORTED.model_copy(update={"claim": Claim(text="cd", start=2, end=4)})])
    )
    assert [piece for piece, _ in pieces] == ["ab", "cd", "ef"]
    assert [len(covering) for _, covering in pieces] == [0, 1, 0]
