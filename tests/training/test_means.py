"""Means of a student and of graphs that shipped before, measured and written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

import torch

from faithmeter.verify.local import WEIGHTS
from training.calibrate import some_of_each
from training.export import export
from training.means import group_of, main, most_of
from training.model import SHAPES, Network, load_network
from training.rows import Row, write_rows
from training.steps import save_network


def network(seed: int) -> Network:
    torch.manual_seed(seed)
    return Network(SHAPES["tiny"]).eval()


def rows_of(source: str, count: int) -> list[Row]:
    return [Row(f"It has {n} piers.", "", f"The harbour has {n % 5} piers.", n % 2, None, source) for n in range(count)]


def test_a_mean_is_measured_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    student, shipped = network(1), network(2)
    (tmp_path / "minilm").mkdir()
    shutil.copy(WEIGHTS / "tokenizer.json", tmp_path / "minilm")
    export(shipped, tmp_path / "shipped.onnx", int8=True, notes={})
    save_network(student, tmp_path / "student.safetensors")
    write_rows(tmp_path / "held.jsonl.xz", [*rows_of("silver", 30), *rows_of("answered", 8)])
    config = {"seed": 7, "student": {"base": "tiny", "start": "base", "beside": {"shipped.onnx": 0}}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    folders = ["--config", str(tmp_path / "config.json"), "--base", str(tmp_path), "--out", str(tmp_path)]
    main([*folders, "0", "0.4", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["0.0", "0.4", "1.0"]
    assert all("real 0." in line and "answers" not in line for line in lines)  # too few of them
    main([*folders, "--ship", "0.4"])
    written = load_network(Network(SHAPES["tiny"]), tmp_path / "student.safetensors").state_dict()
    for key, value in student.state_dict().items():
        expected = 0.6 * value + 0.4 * shipped.state_dict()[key]
        assert torch.allclose(written[key], expected, atol=0.01), key  # half a step of rounding


def test_a_source_is_read_in_part_and_shown_with_its_like() -> None:
    rows = [*rows_of("skill_kinship", 90), *rows_of("silver", 400), Row("A.", "", "B.", 4, None, "silver")]
    sources = [row.source for row in some_of_each(rows, most_of, seed=1)]
    assert (sources.count("skill_kinship"), sources.count("silver")) == (40, 150)
    groups = [group_of(name) for name in ("skill_kinship", "skill_written_time", "answered_retrieved", "slip", "snli")]
    assert groups == ["made skills", "written", "retrieved", "edits", "real"]
