"""What a teacher's last layer holds for each word of a claim: far more for a student to learn from than its answer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from training.tokens import Ints


class Hints:
    """The states of the claims' words of some rows, in a device's memory."""

    def __init__(self, lengths: Ints, rows: Ints, count: int, width: int, device: str) -> None:
        """Room for some rows of `count`, whose claims have these lengths."""
        sizes = torch.from_numpy(lengths).to(device)
        ends = sizes.cumsum(0)
        self.sizes = torch.zeros(count, dtype=torch.long, device=device)
        """How many states a row has: none where nothing was asked."""
        self.sizes[torch.from_numpy(rows).to(device)] = sizes
        self.starts = torch.zeros(count, dtype=torch.long, device=device)
        self.starts[torch.from_numpy(rows).to(device)] = ends - sizes
        self.states = torch.zeros(int(ends[-1]) + 1, width, dtype=torch.float16, device=device)

    def places(self, rows: Tensor, width: int) -> tuple[Tensor, Tensor]:
        """Where the first states of some rows lie, and which of these places are the claim's."""
        place = torch.arange(width, device=rows.device)
        mask = place < self.sizes[rows][:, None]
        return torch.where(mask, self.starts[rows][:, None] + place, len(self.states) - 1), mask

    def keep(self, rows: Tensor, states: Tensor) -> None:
        """Take the states of a batch."""
        at, _ = self.places(rows, states.shape[1])
        self.states[at] = states.half()

    def scale(self) -> None:
        """Let every dimension have mean 0 and spread 1."""
        some = self.states[: -1 : max(1, len(self.states) // 200_000)].float()
        mean, spread = some.mean(0), some.std(0).clamp(min=1e-3)
        for begin in range(0, len(self.states), 1_000_000):
            part = self.states[begin : begin + 1_000_000]
            part.copy_((part.float() - mean) / spread)

    def loss(self, rows: Tensor, mapped: Tensor) -> Tensor:
        """How far a student's states, mapped into the teacher's room, are from what is kept."""
        at, mask = self.places(rows, mapped.shape[1])
        squares = (mapped.float() - self.states[at].float()).square().mean(-1)
        return (squares * mask).sum() / mask.sum().clamp(min=1)


def best_map(own: Tensor, other: Tensor) -> nn.Linear:
    """The linear map that takes states nearest to others."""
    ones = torch.cat([own.double(), torch.ones(len(own), 1, dtype=torch.float64, device=own.device)], 1)
    square = ones.T @ ones + torch.eye(ones.shape[1], dtype=torch.float64, device=own.device)
    found = torch.linalg.solve(square, ones.T @ other.double())
    layer = nn.Linear(own.shape[1], other.shape[1], device=own.device)
    with torch.no_grad():
        layer.weight.copy_(found[:-1].T)
        layer.bias.copy_(found[-1])
    return layer
