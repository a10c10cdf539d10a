"""The answers over retrieved passages: readable, balanced, and nowhere in what is trained on."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from benchmarks import retrieved
from benchmarks.retrieved import FOLDER, Case, cases, figures
from training import answered, written

CASES = list(cases())
RUN = 14
"""Words in a row that two texts share only if one was taken from the other."""


def test_there_are_enough_claims_of_every_label_in_every_file() -> None:
    by_file: dict[str, Counter[str]] = defaultdict(Counter)
    for case in CASES:
        by_file[case.kind][case.label] += 1
    assert len(by_file) == len(list(FOLDER.glob("*.txt"))) >= 2
    for kind, labels in by_file.items():
        assert labels.total() > 250, kind
        assert min(labels[one] for one in ("contradicted", "not_enough_info")) > 40, kind
        assert 0.4 < labels["supported"] / labels.total() < 0.65, kind
    assert min(len(case.sample.contexts) for case in CASES) >= 2


def test_no_passage_stands_in_what_is_trained_on() -> None:
    trained = [path.read_text("utf-8") for folder in (answered.FOLDER, written.FOLDER) for path in folder.glob("*.txt")]
    known = {run for text in trained for run in runs(text)}
    texts = {context.text for case in CASES for context in case.sample.contexts}
    assert [text for text in sorted(texts) if runs(text) & known] == []


def runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[begin : begin + RUN]) for begin in range(len(words) - RUN + 1)}


def test_figures_count_what_passes() -> None:
    some = [next(case for case in CASES if case.label == label) for label in ("supported", "contradicted")]
    accuracy, ranks, right, wrong = figures(some * 2, [0.9, 0.2, 0.6, 0.7])
    assert [one.value for one in (accuracy, ranks, right, wrong)] == [0.75, 0.75, 1.0, 0.5]


def test_mistakes_are_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    few: list[Case] = [*CASES[:3], *(case for case in CASES[:40] if case.label == "contradicted")]
    monkeypatch.setattr(retrieved, "cases", lambda: iter(few))
    monkeypatch.setattr("sys.argv", ["retrieved", "lexical", "--mistakes"])
    retrieved.main()
    shown = capsys.readouterr().out
    assert f"all, {len(few)} claims: balanced accuracy" in shown
    assert "support" in shown


def test_a_folder_without_files_has_no_claims(tmp_path: Path) -> None:
    assert list(cases(tmp_path)) == []
