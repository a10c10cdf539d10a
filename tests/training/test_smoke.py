"""The whole way from data to weights, on a tiny network and a few made-up rows, on a CPU."""

from __future__ import annotations

import asyncio
import json
import lzma
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordPiece

from faithmeter.datamodels import Claim, Pair, Sample, Verdict
from faithmeter.verify.local import WEIGHTS, LocalVerifier
from training import data, steps
from training.__main__ import STEPS, main
from training.corrupt import KINDS, corrupt, reword
from training.export import export, largest_difference, renumbered
from training.fit import blame_the_worst, one_word_loss
from training.floats import floats
from training.measure import auroc, balanced_accuracy, calibration_error, f1_of_bad
from training.model import SHAPES, Network, Shape
from training.records import make_records
from training.rows import Row, held_out, read_rows, write_rows
from training.tokens import Loaded, encode_rows, load_tokenizer, specials

CONTEXT = (
    "The harbour of Port Ellis was built in 1871 by Maria Ito. It has 14 piers and is closed on Sundays. "
    "Most of the boats are painted blue, and about 300 people work there for 8 hours a day."
)


@pytest.fixture
def made_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder in the real layout, with sentences made up here."""
    claims = [
        {"source": "toy", "context": f"{CONTEXT} Note {n}.", "claim": claim, "label": label}
        for n in range(12)
        for claim, label in (("The harbour has 14 piers.", "supported"), ("The harbour has 40 piers.", "contradicted"),
                             ("The harbour is haunted.", "not_enough_info"), ("It was built in 1900.", "not_supported"))
    ]  # fmt: skip
    wrong = {"start": 26, "end": 51, "text": "It has an airport nearby.", "label_type": "Evident Baseless Info"}
    answers = [
        {"task": "QA", "source_id": str(n), "question": "How big is it?", "context": f"{CONTEXT} Note {n}.",
         "answer": "The harbour has 14 piers. It has an airport nearby.", "labels": [wrong] * (n % 2),
         "label": 1 - n % 2}
        for n in range(12)
    ]  # fmt: skip
    for folder, files in {
        "train": {"factscore": claims, "ragtruth_answers_partial": answers, "faithjudge_silver_answers": answers},
        "eval": {"begin_test": claims, "ragtruth_answers_dev": answers},
    }.items():
        (tmp_path / folder).mkdir()
        for name, rows in files.items():
            with lzma.open(tmp_path / folder / f"{name}.jsonl.xz", "wt") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
    monkeypatch.setattr(data, "DATA", tmp_path)
    return tmp_path


def test_from_data_to_a_working_verifier(made_data: Path, tmp_path: Path) -> None:
    base, out, shipped = tmp_path / "base", tmp_path / "out", tmp_path / "weights"
    (base / "minilm").mkdir(parents=True)
    (base / "minilm" / "tokenizer.json").write_bytes((WEIGHTS / "tokenizer.json").read_bytes())
    config = Path(data.__file__).parent / "configs" / "tiny.json"
    main([*STEPS, "--config", str(config), "--base", str(base), "--out", str(out), "--weights", str(shipped)])
    sample = Sample(answer="The harbour has 14 piers.", contexts=(CONTEXT,))
    claim = Claim(text=sample.answer, start=0, end=len(sample.answer))
    (verdict,) = asyncio.run(LocalVerifier(folder=shipped).verify([Pair(claim, sample)]))
    assert isinstance(verdict, Verdict)
    assert verdict.support is not None


def test_the_build_is_the_same_every_time(made_data: Path) -> None:
    first, second = (data.build(seed=3, records=20, synthetic=20, slips=4, limit=None) for _ in range(2))
    assert first == second


def test_held_out_contexts_are_never_trained_on(made_data: Path) -> None:
    train, held = data.build(seed=3, records=10, synthetic=10, slips=4, limit=None)
    for sources in ({"factscore"}, {"ragtruth", "silver"}):
        kept = {row.evidence[-9:] for row in held if row.source in sources}
        seen = {row.evidence[-9:] for row in train if row.source in sources}
        assert seen
        assert not kept & seen
    assert any(row.source in ("ragtruth", "silver") for row in held)


def test_contexts_with_marked_answers_are_held_out_more_often(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    marked, others = ([f"{kind} {number}" for number in range(1000)] for kind in ("marked", "other"))
    with lzma.open(tmp_path / "train" / "ragtruth_answers_partial.jsonl.xz", "wt") as file:
        file.writelines(json.dumps({"context": context}) + "\n" for context in marked)
    held = [sum(data.answers_held(context, tmp_path) for context in some) for some in (marked, others)]
    assert 150 < held[0] < 250
    assert 50 < held[1] < 110
    assert all(held_out(context, 0.2) for context in others if data.answers_held(context, tmp_path))


def test_spans_label_the_claims_they_touch(made_data: Path) -> None:
    rows = [row for row in data.build_eval() if row.group == 1]
    assert [(row.claim, row.label) for row in rows] == [
        ("The harbour has 14 piers.", 0),
        ("It has an airport nearby.", 2),
    ]
    assert rows[1].marks == [(0, 25)]
    assert rows[1].hint.startswith("How big is it?")


def test_rows_round_trip(tmp_path: Path) -> None:
    rows = [Row("a", "", "é …", 3, [(0, 1)], "s", 4, 0.5), Row("b", "h", "", 0, None, "t")]
    assert write_rows(tmp_path / "rows.xz", rows) == 2
    kept = list(read_rows(tmp_path / "rows.xz"))
    assert [row._replace(marks=row.marks and [tuple(mark) for mark in row.marks]) for row in kept] == rows


@pytest.mark.parametrize("kind", KINDS)
def test_a_corruption_changes_the_claim_and_marks_what_it_changed(kind: str) -> None:
    claim = "Maria Ito met Port Ellis in March 1871, and most of the 14 boats were blue for about 8 hours before noon."
    made = [found for seed in range(60) if (found := KINDS[kind](claim, f"{CONTEXT} {claim}", random.Random(seed)))]
    assert made
    for one in made:
        assert one.text != claim
        assert one.label != "supported"
        for start, end in one.marks:
            assert 0 <= start < end <= len(one.text)


def test_rewording_keeps_numbers_and_names() -> None:
    for seed in range(50):
        text = reword("According to Maria Ito, the film started on 3 May 1999 and did not end.", random.Random(seed))
        assert "1999" in text
        assert "May" in text
        assert "not" in text or "n't" in text


def test_corrupt_always_finds_a_way() -> None:
    assert all(corrupt("Boats float", CONTEXT, random.Random(seed)) for seed in range(20))


def test_made_records_hold_what_their_labels_say() -> None:
    pairs = list(make_records(5, 400))
    assert pairs == list(make_records(5, 400))
    for made in pairs:
        assert (made.label == "supported") == (not made.marks)
        assert all(0 <= start < end <= len(made.claim) for start, end in made.marks)
    assert {made.label for made in pairs} == {"supported", "contradicted", "not_enough_info"}


def test_the_exported_graph_says_what_the_network_says(tmp_path: Path) -> None:
    network = Network(SHAPES["tiny"])
    export(network, tmp_path / "fp32.onnx", int8=False, notes={})
    export(network, tmp_path / "int8.onnx", int8=True, notes={})
    assert largest_difference(network, tmp_path / "fp32.onnx") < 1e-4
    assert largest_difference(network, tmp_path / "int8.onnx") < 0.2


TINY_MPNET = Shape(2, 32, 2, 64, 30527, 514, first_position=2, buckets=32, eps=1e-5)


@pytest.mark.parametrize("length", [2, 40, 512])
def test_the_exported_graph_has_relative_positions(tmp_path: Path, length: int) -> None:
    network = Network(TINY_MPNET)
    torch.nn.init.normal_(network.relative.weight, std=3)  # else attention hardly sees them
    export(network, tmp_path / "fp32.onnx", int8=False, notes={})
    export(network, tmp_path / "int8.onnx", int8=True, notes={})
    assert largest_difference(network, tmp_path / "fp32.onnx", length=length) < 1e-4
    assert largest_difference(network, tmp_path / "int8.onnx", length=length) < 0.2


def test_a_renumbered_network_reads_another_tokenizer() -> None:
    own = Tokenizer(WordPiece({"<s>": 0, "<pad>": 1, "</s>": 2, "[CLS]": 3, "[SEP]": 4, "[UNK]": 5, "sea": 6}))
    other = Tokenizer(WordPiece({"[PAD]": 0, "sea": 1, "[UNK]": 2, "[CLS]": 3, "[SEP]": 4}))
    assert specials(own) == (0, 2)
    assert specials(other) == (3, 4)
    network = Network(replace(TINY_MPNET, vocab=7)).eval()
    same = renumbered(network, own, other)
    segments, mask = torch.zeros(1, 4, dtype=torch.long), torch.ones(1, 4, dtype=torch.bool)
    expected = network(torch.tensor([[0, 6, 5, 2]]), segments, mask)
    found = same(torch.tensor([[3, 1, 2, 4]]), segments, mask)
    assert all(torch.equal(*each) for each in zip(found, expected, strict=True))


def test_figures() -> None:
    scores, good = np.array([0.9, 0.8, 0.3, 0.3]), np.array([True, False, True, False])
    assert auroc(scores, good) == pytest.approx(0.625)
    assert f1_of_bad(scores, good, 0.5) == pytest.approx(0.5)
    assert balanced_accuracy(scores, good, 0.5) == pytest.approx(0.5)
    assert calibration_error(np.array([0.95, 0.95]), np.array([True, True])) == pytest.approx(0.05)


def test_the_worst_claim_of_a_bad_answer_is_blamed() -> None:
    rows = [Row(f"claim {n}", "", "text", 4, None, "silver", group=n // 2) for n in range(4)]
    encoded = encode_rows(rows, load_tokenizer(WEIGHTS / "tokenizer.json"))
    classes = np.array([[2, 0, 0], [0, 2, 0], [0, 0, 3], [1, 0, 0]], np.float16)
    assert blame_the_worst(encoded, steps.Answers(classes, np.zeros(len(encoded.ids)))) == 2
    assert encoded.labels.tolist() == [4, 3, 3, 4]


def test_int8_weights_are_taken_back_to_floats(tmp_path: Path) -> None:
    network = Network(SHAPES["tiny"]).eval()
    export(network, tmp_path / "model.onnx", int8=True, notes={})
    again = floats(tmp_path / "model.onnx", "tiny").state_dict()
    for name, value in network.state_dict().items():
        step = value.abs().amax(-1, keepdim=True) / 127 if value.ndim == 2 else value.abs().max() / 127
        assert (again[name] - value).abs().le(step * 0.51 + 1e-7).all(), name


def test_some_word_of_an_unsupported_claim_is_to_blame() -> None:
    rows = [Row("a b c", "", "text", 1, None, "s"), Row("a b c", "", "text", 0, [], "s")]
    data = Loaded(encode_rows(rows, load_tokenizer(WEIGHTS / "tokenizer.json")), "cpu")
    batch = data.batch(np.array([0, 1]))
    known, tokens = batch.marks >= 0, torch.full(batch.ids.shape, -3.0)
    doubting = tokens.clone()
    doubting[0, 2] = 3.0  # one word of the unsupported claim
    outside = tokens.clone()
    outside[0, 0] = outside[0, -1] = 3.0  # [CLS], and a word of the evidence
    losses = [one_word_loss(some, batch, known, data.labels).item() for some in (tokens, doubting, outside)]
    assert losses[1] < 0.1 < losses[0]
    assert losses[2] == losses[0]
