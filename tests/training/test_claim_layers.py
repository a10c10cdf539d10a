"""The layers that only the claim's words go through."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from training import steps
from training.export import export, largest_difference, open_graph
from training.floats import floats
from training.model import CLAIM, EVIDENCE, HINT, SHAPES, Network

TINY = SHAPES["tiny"]
CLAIMS, LENGTH = (5, 9), 24


def network(seed: int = 3) -> Network:
    torch.manual_seed(seed)
    made = Network(TINY).eval()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return made


def rows() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Two rows, of another length of claim each; the second is padded."""
    ids = torch.randint(1000, 20000, (2, LENGTH), generator=torch.Generator().manual_seed(5))
    segments = torch.tensor([[CLAIM] * n + [HINT] * 2 + [EVIDENCE] * (LENGTH - n - 2) for n in CLAIMS])
    mask = torch.ones(2, LENGTH, dtype=torch.bool)
    mask[1, -4:] = False
    return ids, segments, mask


@torch.no_grad()
def test_a_row_is_judged_alike_alone_and_among_others() -> None:
    ids, segments, mask = rows()
    classes, tokens = network()(ids, segments, mask)
    for row, claim in enumerate(CLAIMS):
        kept = int(mask[row].sum())
        alone = network()(ids[row : row + 1, :kept], segments[row : row + 1, :kept], mask[row : row + 1, :kept])
        assert torch.allclose(classes[row], alone[0][0], atol=1e-5)
        assert torch.allclose(tokens[row, :claim], alone[1][0, :claim], atol=1e-5)


@torch.no_grad()
def test_they_start_as_if_they_were_not_there() -> None:
    with_layers, without = network(), Network(replace(TINY, claim_layers=0)).eval()
    without.load_state_dict({k: v for k, v in with_layers.state_dict().items() if "claim_layers" not in k})
    before = with_layers(*rows())[0]
    with_layers.start_claim_layers()
    assert torch.equal(with_layers(*rows())[0], without(*rows())[0])
    assert not torch.allclose(before, without(*rows())[0], atol=1e-2)


@torch.no_grad()
def test_they_start_with_what_the_layers_below_know() -> None:
    made = network()
    made.start_claim_layers()
    last, below = made.claim_layers[-1], made.layers[-1]
    width = TINY.width
    assert torch.equal(last.q.weight, below.qkv.weight[:width])
    assert torch.equal(last.kv.bias, below.qkv.bias[width:])
    assert torch.equal(last.up.weight, below.up.weight)
    assert not last.out.weight.any()
    assert not last.down.bias.any()


@pytest.mark.parametrize("length", [12, 40])
def test_the_graph_says_what_the_network_says_of_the_claims_words(tmp_path: Path, length: int) -> None:
    path = tmp_path / "model.onnx"
    export(network(), path, int8=False, notes={})
    assert largest_difference(network(), path, length=length) < 1e-4
    ids, segments, _ = rows()
    _, tokens = open_graph(path).run(None, {"ids": ids[:1].numpy(), "segments": segments[:1].numpy()})
    assert tokens.shape == (1, CLAIMS[0])


@torch.no_grad()
def test_training_goes_on_from_a_graph_that_has_none(tmp_path: Path) -> None:
    torch.manual_seed(1)
    old = Network(replace(TINY, claim_layers=0)).eval()
    export(old, tmp_path / "old.onnx", int8=True, notes={})
    new = floats(tmp_path / "old.onnx", "tiny")
    assert len(new.claim_layers) == TINY.claim_layers
    assert torch.allclose(new(*rows())[0], old(*rows())[0], atol=0.05)


@torch.no_grad()
def test_what_ships_is_a_mean_with_what_shipped_before(tmp_path: Path) -> None:
    student, shipped, before = network(1), network(2), network(3)
    export(shipped, tmp_path / "shipped.onnx", int8=True, notes={})
    export(before, tmp_path / "before.onnx", int8=True, notes={})
    shares = {"shipped.onnx": 0.3, "before.onnx": 0.2}
    mean = steps.mean_with(student.state_dict(), tmp_path, shares, "tiny")
    for key, value in mean.items():
        expected = 0.5 * student.state_dict()[key] + 0.3 * shipped.state_dict()[key] + 0.2 * before.state_dict()[key]
        assert torch.allclose(value, expected, atol=0.01), key  # half a step of rounding
