"""The weights of a GGUF file as floats, by torch: on many cores some ten times as fast as by gguf's own code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

BLOCK = 256
"""Weights of a block, in the kinds that are read here."""


def floats_of(tensor: Any) -> Tensor:
    """A tensor of a `gguf.GGUFReader`, in its shape; kinds that are not known here are read by gguf."""
    from gguf.quants import dequantize

    read = KINDS.get(tensor.tensor_type.name)
    if read is None:
        return torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy())
    size, unpack = read
    blocks = torch.from_numpy(tensor.data.copy()).view(-1, size)
    return unpack(blocks).view(tuple(reversed(tensor.shape.tolist())))


def _q4_k(blocks: Tensor) -> Tensor:
    """Four bits a weight; each 32 have a scale and a least value of six bits, which share twelve bytes."""
    scale, least, packed, weights = blocks.split([2, 2, 12, BLOCK // 2], 1)
    low, mid, high = packed.view(-1, 3, 4).unbind(1)
    scales = torch.cat([low & 63, (high & 15) | ((low >> 2) & 48)], 1) * _half(scale)
    leasts = torch.cat([mid & 63, (high >> 4) | ((mid >> 2) & 48)], 1) * _half(least)
    return scales[:, :, None] * _halves(weights, 32, (0, 4), 15) - leasts[:, :, None]


def _q6_k(blocks: Tensor) -> Tensor:
    """Six bits a weight, four of them here and two there; each 16 have a scale."""
    lower, upper, scales, scale = blocks.split([BLOCK // 2, BLOCK // 4, BLOCK // 16, 2], 1)
    weights = _halves(lower, 64, (0, 4), 15) | (_halves(upper, 32, (0, 2, 4, 6), 3).view(-1, 4, 64) << 4)
    return (scales.contiguous().view(torch.int8) * _half(scale))[:, :, None] * (weights.view(-1, 16, 16).float() - 32)


def _half(two: Tensor) -> Tensor:
    return two.contiguous().view(torch.float16).float()


def _halves(part: Tensor, width: int, shifts: tuple[int, ...], mask: int) -> Tensor:
    """What so many bytes hold at the first shift, then at the next: the parts of a byte belong far from each other."""
    found = part.reshape(len(part), -1, 1, width) >> torch.tensor(shifts, dtype=torch.uint8).view(-1, 1)
    return (found & mask).flatten(1, 2)


KINDS: dict[str, tuple[int, Callable[[Tensor], Tensor]]] = {"Q4_K": (144, _q4_k), "Q6_K": (210, _q6_k)}
"""The bytes of a block, and how its weights are read."""
