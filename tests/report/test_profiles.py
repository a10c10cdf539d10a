"""One set of verdicts under each tool's way of counting."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from faithmeter import Aside, Claim, Label, Origin, Result, Sample, Verdict
from faithmeter.report.profiles import counted_as

S, P, C, N = Label.SUPPORTED, Label.PARTIALLY_SUPPORTED, Label.CONTRADICTED, Label.NOT_ENOUGH_INFO
CLAIM = Claim(text="c", start=0, end=1)


def result(*labels: Label, refusal: bool = False) -> Result:
    outcomes = tuple(Verdict(claim=CLAIM, label=label, origin=Origin(verifier="t")) for label in labels)
    asides = (Aside(text="c", start=0, end=1, kind="refusal"),) if refusal else ()
    return Result(sample=Sample(answer="c", contexts=["c"]), outcomes=outcomes, asides=asides, signature="t")


@pytest.mark.parametrize(
    ("tool", "supported_and_not_mentioned", "contradicted", "partial", "nothing"),
    [
        ("faithmeter", 0.5, 0.0, 0.0, 1.0),
        ("ragas", 0.5, 0.0, 0.0, None),
        ("deepeval", 1.0, 0.0, 1.0, 1.0),
        ("continuous-eval", 0.5, 0.0, 0.0, 0.0),
        ("rag_evals", 0.5, 0.0, 0.0, 0.0),
        ("ragaliq", 0.5, 0.0, 0.0, 1.0),
    ],
)
def test_each_tool_counts_in_its_own_way(
    tool: str, supported_and_not_mentioned: float, contradicted: float, partial: float, nothing: float | None
) -> None:
    def mean(*results: Result) -> float | None:
        return next(row.mean for row in counted_as(results) if row.name == tool)

    assert mean(result(S, N)) == supported_and_not_mentioned
    assert mean(result(C)) == contradicted
    assert mean(result(P)) == partial
    assert mean(result()) == nothing
    assert mean(result(refusal=True)) == nothing


def test_the_report_shows_them_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(result(S, N).model_dump_json() + "\n", "utf-8")
    command = [sys.executable, "-m", "faithmeter", "report", "r.jsonl", "-o", "r.md", "--profiles", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "COLUMNS": "140"})
    assert done.returncode == 0, done.stderr
    for tool in ("faithmeter", "ragas", "deepeval", "continuous-eval", "rag_evals", "ragaliq"):
        assert tool in done.stdout
