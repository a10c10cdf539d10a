"""Label files: what is read, whose word counts, and which claim a label is about."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from support.opinions import answers, judged

from faithmeter.datamodels import Claim
from faithmeter.errors import DataError
from faithmeter.trust.human_labels import HumanLabel, between_people, find_claim, read_labels, settle, touched
from faithmeter.trust.label_session import Session, make_queue


def read(tmp_path: Path, name: str, text: str) -> list[HumanLabel]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_labels(path)


def test_json_lines_and_csv_say_the_same(tmp_path: Path) -> None:
    json = read(
        tmp_path,
        "l.jsonl",
        '{"sample": "a", "claim": "It is.", "label": "Not enough info", "by": "ana"}\n\n'
        '{"id": 7, "label": 0}\n{"sample_id": "b", "label": true, "extra": 1}\n',
    )
    csv = read(tmp_path, "l.csv", "sample,claim,label,by\na,It is.,not-enough-info,ana\n7,,unfaithful,\nb,,faithful,\n")
    assert json == csv
    assert [label.label for label in json] == ["not_enough_info", "not_supported", "supported"]
    assert [label.claim for label in json] == ["It is.", None, None]


def test_spans_imply_the_label(tmp_path: Path) -> None:
    one, two = read(
        tmp_path,
        "l.jsonl",
        '{"sample": "a", "spans": [{"start": 3, "end": 9, "label_type": "Evident Conflict"}]}\n'
        '{"sample": "b", "spans": []}',
    )
    assert one.label == "not_supported"
    assert one.spans is not None
    assert (one.spans[0].start, one.spans[0].end) == (3, 9)
    assert two.label == "supported"
    (csv,) = read(tmp_path, "l.csv", 'sample,spans\na,"[[3, 9]]"\n')
    assert csv == one


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"sample": "a", "label": "maybe"}', "l.jsonl:1: label: .*known: supported.*found str 'maybe'"),
        ('{"sample": "a"}', "l.jsonl:1: label: field required"),
        ("\nnot json", "l.jsonl:2: not JSON"),
        ('{"sample": "a", "label": "supported", "start": 3}', "start and end go together"),
        ('{"sample": "a", "spans": "[3"}', "l.jsonl:1: row: .*spans cannot be read"),
        ("", "no labels"),
    ],
)
def test_errors_name_the_line_and_the_remedy(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path, "l.jsonl", text)


def said(sample: str, label: str, by: str, claim: str = "c") -> HumanLabel:
    return HumanLabel.model_validate({"sample": sample, "claim": claim, "label": label, "by": by})


def test_the_majority_counts_and_a_person_counts_once() -> None:
    labels = [
        *(said("a", word, by) for word, by in (("supported", "1"), ("contradicted", "2"), ("not_enough_info", "3"))),
        *(said("b", word, by) for word, by in (("supported", "1"), ("contradicted", "2"))),  # even
        *(said("c", word, by) for word, by in (("contradicted", "1"), ("supported", "1"))),  # changed their mind
        said("d", "unclear", "1"),
    ]
    golds, split = settle(labels)
    assert {gold.sample: gold.label for gold in golds} == {"a": "contradicted", "c": "supported"}
    assert split == 2


def test_people_are_compared_on_what_both_labelled() -> None:
    labels = [said("a", "supported", "ana"), said("a", "contradicted", "ben"), said("b", "supported", "ana")]
    assert between_people(labels) == {("ana", "ben"): [("supported", "contradicted")]}


def test_a_label_finds_its_claim_by_words_or_by_place() -> None:
    claims = [Claim(text="It  is Red.", start=0, end=10), Claim(text="It is blue.", start=11, end=22)]

    def find(**about: object) -> Claim | None:
        (gold,), _ = settle([HumanLabel.model_validate({"sample": "a", "label": 1, **about})])
        return find_claim(gold, claims)

    assert find(claim="it is red.") is claims[0]
    assert find(start=12, end=22) is claims[1]
    assert find(claim="The car is blue.", start=11, end=22) is claims[1]  # another extractor's words
    assert find(claim="The car is green.") is None
    assert find(start=0, end=22) is claims[1]  # just half of it
    assert find(start=40, end=50) is None


def test_a_claim_is_touched_by_a_marked_part_that_lies_in_it() -> None:
    claim = Claim(text="x", start=10, end=20)
    assert touched(claim, [(19, 30)])
    assert not touched(claim, [(20, 30), (0, 10)])


def test_weights_undo_the_preference_for_the_uncertain(tmp_path: Path) -> None:
    """Uncertain claims are labelled first; weighted, the labelled ones still speak for all."""
    results = judged(answers(300, seed=4))
    supports = np.array([v.support for result in results for v in result.verdicts], float)
    estimates, plain = [], []
    for seed in range(60):
        path = tmp_path / f"{seed}.jsonl"
        session = Session(make_queue(results, seed=seed), path, by="ana", count=150)
        for place in range(150):
            session.label(place, "supported")
        golds, _ = settle(read_labels(path))
        found = {(gold.sample, gold.claim): gold.weight for gold in golds}
        drawn = [
            (v.support or 0.0, found[result.sample.id, v.claim.text])
            for result in results
            for v in result.verdicts
            if (result.sample.id, v.claim.text) in found
        ]
        values, weights = np.array(drawn).T
        estimates.append(np.average(values, weights=weights))
        plain.append(values.mean())
    error = np.std(estimates) / math.sqrt(len(estimates))
    assert abs(np.mean(estimates) - supports.mean()) < 4 * error
    assert abs(np.mean(plain) - supports.mean()) > 4 * error  # and without the weights they do not


def test_a_queue_labelled_to_its_end_needs_no_weights(tmp_path: Path) -> None:
    results = judged(answers(5))
    session = Session(make_queue(results), tmp_path / "l.jsonl", by="ana", count=1000)
    order = list(range(len(session.items)))
    random.Random(0).shuffle(order)
    for place in order:
        session.label(place, "supported")
    golds, _ = settle(read_labels(tmp_path / "l.jsonl"))
    assert {gold.weight for gold in golds} == {1.0}


def test_a_session_goes_on_where_it_was_left(tmp_path: Path) -> None:
    queue = make_queue(judged(answers(5)))
    session = Session(queue, tmp_path / "l.jsonl", by="ana", count=10)
    session.label(0, "contradicted", note="odd")
    session.label(1, "supported")
    session.label(0, "supported")
    again = Session(queue, tmp_path / "l.jsonl", by="ana", count=10)
    assert again.next() == 2
    assert again.state(0)["label"] == "supported"
    assert Session(queue, tmp_path / "l.jsonl", by="ben", count=10).next() == 0
