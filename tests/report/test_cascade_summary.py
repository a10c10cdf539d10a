"""A report of a cascade says which tier settled what, and what the LLM was spared."""

from __future__ import annotations

from pathlib import Path

from faithmeter import Claim, Label, Origin, Result, Sample, Verdict
from faithmeter.report import summarise, write_report

CLAIM = Claim(text="c", start=0, end=1)
TIERS = [(0, "quote"), (2, "local"), (2, "local"), (3, "openai:m")]


def result() -> Result:
    outcomes = tuple(
        Verdict(claim=CLAIM, label=Label.SUPPORTED, origin=Origin(verifier=name, tier=tier)) for tier, name in TIERS
    )
    return Result(sample=Sample(answer="c", contexts=["c"]), outcomes=outcomes, signature="t")


def test_the_summary_counts_what_the_llm_was_spared(tmp_path: Path) -> None:
    line = "3 of 4 claims settled without the LLM (quote 1, local 2)"
    assert summarise([result()]).settled_early == line
    for name in ("report.html", "report.md"):
        write_report(tmp_path / name, [result()])
        assert "3 of 4 claims settled without the LLM" in (tmp_path / name).read_text("utf-8")


def test_without_a_cascade_there_is_nothing_to_say() -> None:
    plain = Verdict(claim=CLAIM, label=Label.SUPPORTED, origin=Origin(verifier="local"))
    sample = Sample(answer="c", contexts=["c"])
    assert summarise([Result(sample=sample, outcomes=(plain,), signature="t")]).settled_early is None
