"""A language model as the teacher: read as its makers run it, each claim by itself, and able to learn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("gguf")
pytest.importorskip("transformers")

import torch
from safetensors.torch import load_file
from support.tiny_decoder import reference, write_model

from faithmeter.verify.local import WEIGHTS
from training import tutor
from training.decoder import Decoder, Loaded, ask, batches, load_decoder, teach, tokenizer_of
from training.fit import Settings, predict
from training.grouped import ALL_AT_MOST, Groups, group
from training.rows import Row, write_rows
from training.steps import Run, encode, export, fit, lessons, trained

EVIDENCE = "The harbour has 14 piers and a red tower."
ROWS = [
    Row("It has 14 piers.", "How many piers?", EVIDENCE, 0, None, "toy"),
    Row("The tower is red.", "", EVIDENCE, 0, None, "toy"),
    Row("The tower is blue.", "", "Nothing is known of the tower.", 2, None, "toy"),
    Row("The tower is blue.", "", EVIDENCE, 1, None, "toy"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model in a GGUF file, with its tokenizer beside it."""
    path = tmp_path_factory.mktemp("qwen")
    write_model(path / "model.gguf")
    tokenizer_of(path / "model.gguf").save(str(path / "tokenizer.json"))
    return path


def grouped(folder: Path, rows: list[Row] = ROWS) -> Groups:
    return group(rows, np.arange(len(rows)), folder / "tokenizer.json")


def test_a_claim_is_read_as_transformers_reads_it_and_none_sees_another(folder: Path) -> None:
    network, groups = load_decoder(folder / "model.gguf").eval(), grouped(folder)
    assert len(groups) == 2
    batch = Loaded(groups, "cpu").batch(np.arange(2))
    with torch.no_grad():
        states = network.states(batch)
        classes = network(batch)
    for claim in range(groups.claims):
        place = int(np.searchsorted(groups.firsts, claim, side="right") - 1)
        own = batch.parts[place] == claim - groups.firsts[place] + 1
        text = batch.parts[place] == 0
        alone = reference(network, torch.cat([batch.ids[place][text], batch.ids[place][own]]).tolist())
        torch.testing.assert_close(states[place][text | own], alone, atol=2e-4, rtol=1e-3)
        torch.testing.assert_close(classes[claim], network.classes(alone[-1]), atol=2e-4, rtol=1e-3)


def test_the_tokenizer_joins_bytes_as_the_file_says(folder: Path) -> None:
    tokenizer = tokenizer_of(folder / "model.gguf")
    assert tokenizer.encode("it's the 14").tokens == ["i", "t", "'", "s", "Ġthe", "Ġ", "1", "4"]


def test_claims_on_one_text_stand_in_one_group_until_it_is_full(folder: Path) -> None:
    many = [ROWS[1]._replace(claim=f"The tower is number {number}.") for number in range(60)]
    groups = grouped(folder, many)
    assert 1 < len(groups) < 10
    assert groups.lengths.max() <= ALL_AT_MOST + 60
    assert sorted(groups.rows.tolist()) == list(range(60))
    assert {int(groups.places[start]) for start in groups.starts[:-1]} == {0}
    every = np.concatenate(list(batches(groups, tokens=2_000, rng=np.random.default_rng(1))))
    assert sorted(every.tolist()) == list(range(len(groups)))


def test_fewer_layers_are_read_and_a_file_without_some_is_refused(folder: Path) -> None:
    assert len(load_decoder(folder / "model.gguf", 2).layers) == 2
    with pytest.raises(ValueError, match=r"lacks \['layers.3"):
        load_decoder(folder / "model.gguf", 5)


def test_it_learns_and_says_what_it_was_asked(folder: Path, tmp_path: Path) -> None:
    teacher = {"base": "qwen", "layers": 3, "rate": 1e-2, "epochs": 60, "tokens": 600, "warm_up": 0.1}
    student = {"base": "tiny", "start": "base", "own_share": 0.0, "runs": [{}],
               "settings": {"rate": 1e-2, "epochs": 40, "tokens": 400, "teacher_share": 1.0}}  # fmt: skip
    config = {"seed": 5, "teacher": {**teacher, "weights": {"*": 1}, "asked": {"*": 1}}, "student": student}
    (tmp_path / "qwen").symlink_to(folder)
    for name in ("train", "eval", "held"):
        write_rows(tmp_path / f"{name}.jsonl.xz", ROWS * 2)
    (tmp_path / "minilm").symlink_to(WEIGHTS)
    run = Run(config, tmp_path, tmp_path, tmp_path, "cpu")
    encode(run)  # the dev rows, for the report
    (folder / "tokenizer.json").unlink()  # it is read out of the model again
    tutor.prepare(run)
    tutor.teach(run)
    network = Decoder(load_decoder(folder / "model.gguf").shape)
    network.load_state_dict(load_file(tmp_path / "teacher.safetensors"))
    classes = ask(network.eval(), Groups.load(tmp_path / "asked.groups.npz"), device="cpu")
    rows = Groups.load(tmp_path / "asked.groups.npz").rows
    assert classes.argmax(1).tolist() == [(ROWS * 2)[row].label for row in rows]
    answers = []
    for _ in range(2):  # what was taught in this process, and then what was kept
        tutor.ask(run)
        with np.load(tmp_path / "teacher.npz") as kept:
            answers.append(kept["classes"])
    np.testing.assert_allclose(answers[0], answers[1], atol=0.1)
    assert answers[0].argmax(1).tolist() == [row.label for row in ROWS * 2]
    fit(run)
    learnt = predict(trained(run), lessons(tmp_path), device="cpu").classes
    assert learnt.argmax(1).tolist() == [row.label for row in ROWS * 2]
    export(run)
    assert (tmp_path / "model.onnx").exists()
    assert not (tmp_path / "teacher.onnx").exists()


def test_rows_that_nobody_says_anything_new_of_are_drawn_less_often(tmp_path: Path) -> None:
    student = {"base": "tiny", "start": "base", "own_share": 0.2, "unasked_share": 0.25, "runs": [{}],
               "settings": {"rate": 1e-3, "epochs": 1, "tokens": 400, "teacher_share": 1.0}}  # fmt: skip
    write_rows(tmp_path / "train.jsonl.xz", [*ROWS, *(row._replace(source="records") for row in ROWS)])
    write_rows(tmp_path / "eval.jsonl.xz", ROWS)
    (tmp_path / "minilm").symlink_to(WEIGHTS)
    run = Run({"seed": 5, "student": student}, tmp_path, tmp_path, tmp_path, "cpu")
    encode(run)
    asked = np.array([0, 2])
    np.savez(tmp_path / "teacher.npz", classes=np.zeros((2, 3), np.float16), asked=asked)
    fit(run)
    assert lessons(tmp_path).weights.tolist() == [1, 0.25, 1, 0.25, 1, 1, 1, 1]  # the labels of made records are exact


def test_what_there_is_no_time_for_is_left_open(folder: Path) -> None:
    classes = ask(load_decoder(folder / "model.gguf").eval(), grouped(folder), device="cpu", seconds=-1)
    assert np.isnan(classes).all()


def test_frozen_layers_stay(folder: Path) -> None:
    network = load_decoder(folder / "model.gguf")
    before = json.dumps(network.layers[0].ffn_up.weight.tolist())
    settings = Settings(rate=1e-2, epochs=2, tokens=600, frozen=1)
    teach(network, grouped(folder), np.array([row.label for row in ROWS]), settings, device="cpu")
    assert json.dumps(network.layers[0].ffn_up.weight.tolist()) == before
    assert network.layers[1].ffn_up.weight.grad is None


def test_a_loss_that_is_no_number_ends_the_training(folder: Path) -> None:
    network = load_decoder(folder / "model.gguf")
    with torch.no_grad():
        network.layers[0].ffn_up.weight[0, 0] = torch.nan
    settings = Settings(rate=1e-2, epochs=30, tokens=600)
    with pytest.raises(FloatingPointError, match="no number"):
        teach(network, grouped(folder), np.array([row.label for row in ROWS]), settings, device="cpu")
