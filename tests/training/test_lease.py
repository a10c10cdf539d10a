"""A run on a machine that is lent: cut here, taken there in any order, worked off, and joined here again."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("gguf")
pytest.importorskip("transformers")

import numpy as np
from safetensors.torch import load_file
from support.tiny_decoder import LAYERS, write_model

from faithmeter.verify.local import WEIGHTS
from training import lease
from training.decoder import load_decoder
from training.rows import Row, write_rows

CONFIG = {
    "seed": 7,
    "teacher": {"base": "qwen", "layers": LAYERS - 1, "rate": 1e-3, "epochs": 1, "tokens": 2048, "half": True,
                "weights": {}, "asked": {}},
    "student": {"base": "tiny", "start": "base", "own_share": 0.3, "runs": [{}],
                "settings": {"rate": 1e-3, "epochs": 1, "tokens": 4096, "teacher_share": 0.6}},
}  # fmt: skip
EVIDENCE = "The harbour has {} piers and a red tower."


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """What the steps before a lease leave: rows, base weights, and a package that the machine lacks."""
    for name, start in (("train", 0), ("eval", 50), ("held", 70)):
        rows = [
            Row(f"It has {n + wrong} piers.", "", EVIDENCE.format(n), wrong, None, "toy")
            for n in range(start, start + 20) for wrong in (0, 1)
        ]  # fmt: skip
        (tmp_path / "out").mkdir(exist_ok=True)
        write_rows(tmp_path / "out" / f"{name}.jsonl.xz", rows)
    for folder in ("minilm", "qwen"):
        (tmp_path / "base" / folder).mkdir(parents=True)
    shutil.copy(WEIGHTS / "tokenizer.json", tmp_path / "base" / "minilm")
    write_model(tmp_path / "base" / "qwen" / "model.gguf")
    (tmp_path / "site" / "lacking").mkdir(parents=True)
    (tmp_path / "site" / "lacking" / "__init__.py").touch()
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    return tmp_path


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """Where pieces are taken, with `work` as if it ran already: nothing is to start."""
    root = tmp_path / "there"
    root.mkdir()
    (root / "work.log").touch()
    return root


def cut(folder: Path, *, size: int) -> list[Path]:
    count = lease.cut(folder / "config.json", folder / "base", folder / "out", folder / "site", size=size)
    pieces = sorted((folder / "out" / "pieces").iterdir())
    assert len(pieces) == count
    return pieces


def test_a_run_is_carried_over_worked_off_and_brought_back(prepared: Path, tmp_path: Path) -> None:
    pieces, root = cut(prepared, size=900_000), tmp_path / "there"
    assert len(pieces) > 3
    random.Random(1).shuffle(pieces)
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def call(*arguments: str | Path) -> str:
        command = [sys.executable, shutil.copy(lease.__file__, tmp_path / "lease.py"), *map(str, arguments)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=alone, cwd=tmp_path).stdout

    for number, piece in enumerate(pieces):
        told = call("take", piece, "--root", root, "--seconds", "3000")
        assert told.startswith(f"{number + 1} of {len(pieces)} pieces")
    until = time.monotonic() + 2400
    while not told.endswith("done\n") and time.monotonic() < until:
        told = call("take", "--root", root, "--wait", "60")
    (tmp_path / "came").mkdir()
    call("give", tmp_path / "came", "--root", root)
    logs = (tmp_path / "came" / "logs.txt").read_text()
    assert "the teacher ended with 0" in logs, logs
    assert "the student ended with 0" in logs, logs
    path = lease.join(tmp_path / "came", tmp_path)
    assert path.read_bytes() == (root / "out" / "student.safetensors").read_bytes()
    assert all(np.isfinite(value.float().numpy()).all() for value in load_file(path).values())
    assert (root / "site" / "lacking" / "__init__.py").exists()
    assert (root / "out" / "teacher.npz").exists()


def test_of_a_language_model_only_what_is_read_travels(prepared: Path, there: Path) -> None:
    model = prepared / "base" / "qwen" / "model.gguf"
    (piece,) = cut(prepared, size=10**9)
    lease.take(piece, there, seconds=60)
    came = there / "base" / "qwen" / "model.gguf"
    assert came.stat().st_size == model.stat().st_size
    assert came.read_bytes() != model.read_bytes()
    first, second = (load_decoder(path, LAYERS - 1).state_dict() for path in (model, came))
    assert all((first[name] == second[name]).all() for name in first if not name.startswith("classes"))


def test_a_torn_piece_is_refused_and_an_absent_one_is_named(prepared: Path, there: Path) -> None:
    first, second, *_ = cut(prepared, size=900_000)
    lease.take(second, there, seconds=60)
    assert "missing [0, 2" in lease.look(there)
    data = first / "data"
    data.write_bytes(data.read_bytes()[:-1])
    with pytest.raises(SystemExit, match="torn"):
        lease.take(first, there, seconds=60)
    assert "missing [0, 2" in lease.look(there)


def test_work_ends_when_what_is_missing_does_not_come(prepared: Path, there: Path) -> None:
    first, *_ = cut(prepared, size=900_000)
    lease.take(first, there, seconds=lease.SPARED + 0.1)
    (there / "config.json").write_text(json.dumps(CONFIG))
    with pytest.raises(SystemExit, match="did not come"):
        lease.work(there)
    assert (there / "done").exists()


def test_parts_that_are_lacking_are_not_joined(tmp_path: Path) -> None:
    (tmp_path / "student.1").write_bytes(b"x")
    with pytest.raises(SystemExit, match="lacks"):
        lease.join(tmp_path, tmp_path)


@pytest.mark.parametrize(("step", "said"), [("give", "give wants a folder"), ("take", "no piece has come")])
def test_what_is_not_named_is_asked_for(
    step: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        lease.main([step, "--root", str(tmp_path)])
    assert said in capsys.readouterr().err
