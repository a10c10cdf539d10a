"""Answers with marked words, and the rows made of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from training import answered
from training.answered import FOLDER, key_of, read_answers, silver_marks
from training.builder import Builder
from training.rows import LABELS, Row
from training.steps import thinned
from training.tokens import Encoded

CONTEXT = "Mira Kessler teaches physics in Graz. She has worked there since 2011."
ANSWERS = f"""### {key_of(CONTEXT)}
= an answer begins
s Mira Kessler is a physics teacher.
c She has worked in Graz [[since 2001]].
= a second answer
n She teaches physics [[to adults]] in [[central]] Graz.

### RECORD
{{"name": "Gull", "WiFi": "no"}}
= an answer begins
s Gull has no Wi-Fi.
"""
RETRIEVED = """### RETRIEVED
QUESTION: How long does the Alba 2 run?
PASSAGE: The Alba 2 runs for nine hours on one charge.
PASSAGE: Alba 3: it runs for twelve hours.
=
c It runs for [[twelve]] hours.
=
s It runs for nine hours, three less than the Alba 3.
"""


def read(tmp_path: Path, text: str = ANSWERS) -> list[dict[str, object]]:
    (path := tmp_path / "a.txt").write_text(text, encoding="utf-8")
    return list(read_answers(path, {key_of(CONTEXT): {"context": CONTEXT, "question": "Who is she?"}}))


def test_an_answer_is_running_text_with_its_marked_words(tmp_path: Path) -> None:
    first, second, record = read(tmp_path)
    assert first["answer"] == "Mira Kessler is a physics teacher. She has worked in Graz since 2001."
    assert _marked(first) == [("since 2001", "Evident Conflict")]
    assert (first["context"], first["question"], first["label"]) == (CONTEXT, "Who is she?", 0)
    assert _marked(second) == [("to adults", "Evident Baseless Info"), ("central", "Evident Baseless Info")]
    assert json.loads(str(record["context"])) == {"name": "Gull", "WiFi": "no"}
    assert (record["question"], record["label"]) == (None, 1)


def _marked(row: dict[str, object]) -> list[tuple[str, str]]:
    spans: list[dict[str, object]] = row["labels"]  # type: ignore[assignment]
    return [(str(row["answer"])[span["start"] : span["end"]], str(span["label_type"])) for span in spans]  # type: ignore[misc]


def test_answers_about_contexts_that_are_not_at_hand_are_left_out(tmp_path: Path) -> None:
    assert [row["question"] for row in read(tmp_path, ANSWERS.replace(key_of(CONTEXT), "0" * 12))] == [None]


@pytest.mark.parametrize("line", ["s It [[is]] so.", "c It is not so.", "x It is so.", "It is so."])
def test_a_line_that_cannot_be_read_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(ValueError, match="begins with s, c or n"):
        read(tmp_path, ANSWERS.replace("s Gull has no Wi-Fi.", line))


def test_rows_have_the_claims_their_labels_and_marks(tmp_path: Path) -> None:
    rows = list(Builder(1).answers(read(tmp_path), "answered", first_group=5))
    assert [(row.claim, LABELS[row.label]) for row in rows if row.group == 5] == [
        ("Mira Kessler is a physics teacher.", "supported"),
        ("She has worked in Graz since 2001.", "contradicted"),
    ]
    (wrong,) = (row for row in rows if LABELS[row.label] == "not_enough_info")
    assert [wrong.claim[start:end] for start, end in wrong.marks or ()] == ["to adults", "central"]
    assert all("Wi-Fi" in row.claim for row in rows if row.evidence.startswith("name"))


def test_rows_about_made_passages_read_each_of_them(tmp_path: Path) -> None:
    wrong, right = read(tmp_path, RETRIEVED)
    assert wrong["question"] == "How long does the Alba 2 run?"
    assert wrong["contexts"] == ["The Alba 2 runs for nine hours on one charge.", "Alba 3: it runs for twelve hours."]
    assert (wrong["source"], wrong["label"], right["label"]) == ("answered_retrieved", 0, 1)
    rows = list(Builder(1).answers([wrong, right], "answered_retrieved", first_group=0))
    assert {row.evidence for row in rows} == {
        "The Alba 2 runs for nine hours on one charge. … Alba 3: it runs for twelve hours."
    }
    assert {row.hint for row in rows} == {"How long does the Alba 2 run?"}


def test_marked_silver_answers_say_which_claim_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"context": CONTEXT, "question": None, "answer": "Mira teaches physics. She lives in Linz.", "label": 0}
    blamed = list(Builder(1).answers([row], "silver", first_group=0))
    assert {LABELS[one.label] for one in blamed} == {"unlabelled"}
    marks = {key_of(row["answer"]): [{"start": 35, "end": 39, "label_type": "Evident Baseless Info"}]}
    monkeypatch.setattr("training.builder.silver_marks", lambda: marks)
    assert [LABELS[one.label] for one in Builder(1).answers([row], "silver", first_group=0)] == [
        "supported",
        "not_enough_info",
    ]


def test_what_is_kept_can_be_read_and_has_no_context_of_the_data() -> None:
    assert len(silver_marks()) > 400
    for path in FOLDER.glob("*.txt"):
        heads = [line[4:] for line in path.read_text("utf-8").splitlines() if line.startswith("### ")]
        rows = list(read_answers(path, {head: {"context": head} for head in heads}))
        assert len(rows) > len(heads)
        kinds = [line[0] for line in path.read_text("utf-8").splitlines() if line[1:2] == " " and line[0] in "scn"]
        assert 0.45 < kinds.count("s") / len(kinds) < 0.8
        assert all(head in ("RECORD", "RETRIEVED") or len(head) == 12 for head in heads)


def test_rows_are_thinned_by_source() -> None:
    rows = [Row("c", "", "e", 0, None, source) for source in ("a", "b_x", "b_y") for _ in range(400)]
    left = thinned(rows, {"b_*": 0.5, "b_y": 0.0}, np.random.default_rng(1))
    counts = [sum(row.source == source for row in left) for source in ("a", "b_x", "b_y")]
    assert counts[0] == 400
    assert 150 < counts[1] < 250
    assert counts[2] == 0


def test_some_of_the_encoded_rows_are_taken_whole() -> None:
    ids = np.arange(9)
    every = Encoded(ids, ids * 10, np.array([0, 2, 5, 9]), *np.arange(18).reshape(6, 3)[:3], np.ones(3), np.arange(3),
                    ["a", "b", "c"])  # fmt: skip
    some = every.take(np.array([2, 0]))
    assert some.ids.tolist() == [5, 6, 7, 8, 0, 1]
    assert some.marks.tolist() == [50, 60, 70, 80, 0, 10]
    assert some.starts.tolist() == [0, 4, 6]
    assert some.sources == ["c", "a"]
    assert answered.KINDS.keys() == {"c", "n"}
