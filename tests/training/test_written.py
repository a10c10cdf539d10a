"""Cases written one by one, and the rows made of them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from training.builder import Builder
from training.rows import LABELS
from training.written import all_cases, blur, make, read_cases

CASE = """=== exception | retail
Most things may be sent back within 60 days.
- Laptops: 30 days.
~ Laptops => Sofas
? How long do I have?
cs A laptop may be sent back for 60 days.
nn Sending things back is free.
"""


def test_a_case_has_two_texts_and_labels_under_both(tmp_path: Path) -> None:
    (case,) = read_cases(_file(tmp_path, CASE))
    assert case.texts[0].endswith("60 days.\n- Laptops: 30 days.")
    assert case.texts[1].endswith("- Sofas: 30 days.")
    assert case.question == "How long do I have?"
    assert case.claims[0] == ("contradicted", "supported", "A laptop may be sent back for 60 days.")


def _file(tmp_path: Path, text: str) -> Path:
    (path := tmp_path / "a.txt").write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("~ Laptops", "~ Tablets", "does not stand in"),
        ("cs A", "cc A", "nothing changes"),
        ("nn Sending", "xx Sending", "is no edit, question or claim"),
    ],
)
def test_a_case_that_cannot_be_read_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(read_cases(_file(tmp_path, CASE.replace(old, new))))


def test_claims_are_as_often_right_as_wrong_and_most_change_their_label() -> None:
    labels = Counter(label == "supported" for case in all_cases() for claim in case.claims for label in claim[:2])
    assert 0.4 < labels[True] / sum(labels.values()) < 0.6
    assert sum(a != b for case in all_cases() for a, b, _ in case.claims) > 0.5 * sum(
        len(case.claims) for case in all_cases()
    )


def test_the_text_that_decides_is_there_in_one_of_its_worlds() -> None:
    rng = random.Random(3)
    for case in rng.sample(all_cases(), 60):
        contexts, asked = make(rng, case, around=("The harbour was built in stone. It has fourteen piers.",))
        world = next(n for n in (0, 1) if any(case.texts[n] in text for text in contexts))
        labels = {text: labels[world] for *labels, text in case.claims}
        assert all(labels[one.text] == one.label for one in asked if one.text in labels)


def test_a_blurred_text_is_in_neither_world_and_labels_nothing(tmp_path: Path) -> None:
    (case,) = read_cases(_file(tmp_path, CASE.replace("~ Laptops => Sofas", "~ Laptops => Sofas\n~ 60 => 90")))
    rng = random.Random(3)
    blurred = {blur(rng, case) for _ in range(50)}
    partly = {case.texts[0].replace("Laptops", "Sofas"), case.texts[0].replace("60", "90")}
    left = {line for text in case.texts for line in text.split("\n")[:1]}
    assert partly <= blurred
    assert blurred & left
    assert not blurred & set(case.texts)
    assert {one.label for one in make(rng, case, around=(), blurred=True).asked} == {"unlabelled"}


def test_only_the_teacher_labels_blurred_rows() -> None:
    rows = list(Builder(5).written(200, around=(), held=False))
    labels = {LABELS[row.label] for row in rows if row.source == "written_blurred"}
    assert labels == {"unlabelled"}
    assert not any(row.source == "written_blurred" for row in Builder(5).written(100, around=(), held=True))


def test_whole_cases_are_kept_from_training() -> None:
    share = sum(case.held for case in all_cases()) / len(all_cases())
    assert 0.02 < share < 0.12
    rows = {held: {row.claim for row in Builder(5).written(300, around=(), held=held)} for held in (False, True)}
    trained, kept = (
        {" ".join(claim[2].split()) for case in all_cases() if case.held == held for claim in case.claims}
        for held in (False, True)
    )
    assert not rows[False] & (kept - trained)  # a short claim may be made of two passages
    assert rows[True] & kept


def test_no_more_rows_are_made_than_are_asked_for() -> None:
    assert 16 <= len(list(Builder(5).written(16, around=(), held=False))) < 32
