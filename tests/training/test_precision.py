"""On a CPU training runs in fp32, whatever the CPU can do: torch warns of bf16 on some, and warnings are errors."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from training.fit import Optimiser, Settings
from training.model import SHAPES, Network


def test_half_precision_is_for_gpus() -> None:
    network = Network(SHAPES["tiny"])
    optimiser = Optimiser(network, Settings(rate=1e-4, epochs=1, tokens=100, half=True), device="cpu")
    assert {parameter.dtype for parameter in optimiser.network.parameters()} == {torch.float32}
