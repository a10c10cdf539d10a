"""Weights of a GGUF file are read as gguf itself reads them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("torch")
pytest.importorskip("gguf")

import gguf
import numpy as np

from training.quants import floats_of


@pytest.mark.parametrize(("kind", "halves"), [("Q4_K", (0, 2)), ("Q6_K", (208,)), ("Q8_0", (0,))])
def test_blocks_are_read_as_gguf_reads_them(kind: str, halves: tuple[int, ...]) -> None:
    quant = gguf.GGMLQuantizationType[kind]
    weights, size = gguf.GGML_QUANT_SIZES[quant]
    rng = np.random.default_rng(4)
    blocks = rng.integers(0, 256, (6, size), dtype=np.uint8)
    for at in halves:  # any other bits could be no number
        blocks[:, at : at + 2] = rng.normal(size=(6, 1)).astype(np.float16).view(np.uint8)
    tensor = SimpleNamespace(tensor_type=quant, data=blocks.reshape(2, -1), shape=np.array([3 * weights, 2]))
    np.testing.assert_array_equal(floats_of(tensor).numpy(), gguf.quants.dequantize(tensor.data, quant))
