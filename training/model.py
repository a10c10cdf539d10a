"""The verifier's network: a BERT or MPNet encoder, a head for the claim and a head for its words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional as F

CLAIM, HINT, EVIDENCE = 0, 1, 2
"""The segments of an input: the claim, what gives its pronouns a meaning, and what must bear it out."""

CLASSES = ("supported", "contradicted", "not_enough_info")


@dataclass(frozen=True)
class Shape:
    """The sizes of an encoder, as its base weights fix them."""

    layers: int
    width: int
    heads: int
    inner: int
    vocab: int
    positions: int
    first_position: int = 0
    """MPNet counts positions from 2."""
    buckets: int = 0
    """Relative attention buckets; BERT has none."""
    eps: float = 1e-12
    claim_layers: int = 0
    """Layers on top that only the claim's words go through."""


SHAPES = {
    "minilm": Shape(layers=6, width=384, heads=12, inner=1536, vocab=30522, positions=512, claim_layers=4),
    "mpnet": Shape(12, 768, 12, 3072, 30527, 514, first_position=2, buckets=32, eps=1e-5),
    "tiny": Shape(layers=2, width=32, heads=2, inner=64, vocab=30522, positions=512, claim_layers=2),
}


class Layer(nn.Module):
    """One transformer layer, normalised after each half as in BERT."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.width, 3 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.norm1 = nn.LayerNorm(shape.width, eps=shape.eps)
        self.up = nn.Linear(shape.width, shape.inner)
        self.down = nn.Linear(shape.inner, shape.width)
        self.norm2 = nn.LayerNorm(shape.width, eps=shape.eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        mixed = mixed.transpose(1, 2).reshape(batch, length, width)
        x = self.norm1(x + self.dropout(self.out(mixed)))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


class ClaimLayer(nn.Module):
    """One more layer for the claim's words alone, which read the rest as the layers below left it.

    Only they lead to the answer, and they are few: such a layer costs a fifth of another. Normalised before each half;
    it starts as the identity, with the rest of its weights those of a layer below.
    """

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.norm1 = nn.LayerNorm(shape.width, eps=shape.eps)
        self.q = nn.Linear(shape.width, shape.width)
        self.kv = nn.Linear(shape.width, 2 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.norm2 = nn.LayerNorm(shape.width, eps=shape.eps)
        self.up = nn.Linear(shape.width, shape.inner)
        self.down = nn.Linear(shape.inner, shape.width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, claim: Tensor, x: Tensor, in_claim: Tensor, bias: Tensor) -> Tensor:
        """Map the states of the first words, of which some are the claim's, to their next; `x` has those of all."""
        own = self.norm1(claim)
        count = claim.shape[1]
        first = torch.where(in_claim[:, :count, None], own, x[:, :count])
        k, v = self.kv(torch.cat([first, x[:, count:]], 1)).chunk(2, -1)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (self.q(own), k, v))
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias[:, :, :count]).transpose(1, 2).flatten(2)
        claim = claim + self.dropout(self.out(mixed))
        return claim + self.dropout(self.down(F.gelu(self.up(self.norm2(claim)))))

    @torch.no_grad()
    def start_from(self, layer: Layer) -> None:
        """Take a layer's weights, and change nothing yet."""
        own, width = self.state_dict(), self.q.in_features
        for key, value in layer.state_dict().items():
            if key.startswith("qkv."):
                own[f"q.{key[4:]}"].copy_(value[:width])
                own[f"kv.{key[4:]}"].copy_(value[width:])
            elif key.startswith(("out.", "down.")):
                own[key].zero_()
            else:
                own[key].copy_(value)


class Network(nn.Module):
    """Encodes `claim, hint, evidence`; gives three class logits and one "unsupported" logit per token of the claim."""

    def __init__(self, shape: Shape, dropout: float = 0.1) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocab, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.segments = nn.Embedding(3, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=shape.eps)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        self.claim_layers = nn.ModuleList(ClaimLayer(shape, dropout) for _ in range(shape.claim_layers))
        self.relative = nn.Embedding(shape.buckets, shape.heads) if shape.buckets else None
        self.hidden = nn.Linear(3 * shape.width, shape.width)
        self.classes = nn.Linear(shape.width, len(CLASSES))
        self.tokens = nn.Linear(shape.width, 1)

    def forward(self, ids: Tensor, segments: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Map (batch, length) ids, segments and a padding mask to class logits and token logits (0 after the claim)."""
        length, in_claim = ids.shape[1], mask & (segments == CLAIM)
        count = int(in_claim.sum(1).max())
        places = torch.arange(length, device=ids.device) + self.shape.first_position
        x = self.dropout(self.norm(self.words(ids) + self.places(places) + self.segments(segments)))
        bias = self._attention_bias(mask, length).to(self._compute_type(x))
        for layer in self.layers:
            x = layer(x, bias)
        weights = mask.unsqueeze(-1).to(x.dtype)
        mean = (x * weights).sum(1) / weights.sum(1)
        claim = x[:, :count]
        for claim_layer in self.claim_layers:
            claim = claim_layer(claim, x, in_claim, bias)
        # The maximum over the claim's words lets one unsupported word decide.
        peak = claim.masked_fill(~in_claim[:, :count, None], -1e4).amax(1)
        hidden = torch.tanh(self.hidden(torch.cat([claim[:, 0], mean, peak], -1)))
        tokens = F.pad(self.tokens(claim).squeeze(-1), (0, length - count))
        return self.classes(self.dropout(hidden)), tokens

    def start_claim_layers(self) -> None:
        """Let the layers for the claim's words change nothing yet, on the weights of the last layers below them."""
        for layer, below in zip(reversed(self.claim_layers), reversed(self.layers), strict=False):
            layer.start_from(below)

    def compile_layers(self) -> None:
        """Compile what all layers share, once."""
        for layer in self.layers:
            layer.compile(dynamic=True)

    def set_dropout(self, share: float) -> None:
        """Set how much is left out in training."""
        for module in self.modules():
            if isinstance(module, nn.Dropout):
                module.p = share

    def freeze(self, layers: int) -> None:
        """Let the embeddings and so many layers above them learn nothing."""
        for part in (self.words, self.places, self.segments, self.norm, *self.layers[:layers]) if layers else ():
            part.requires_grad_(False)

    def _compute_type(self, x: Tensor) -> torch.dtype:
        return torch.get_autocast_dtype(x.device.type) if torch.is_autocast_enabled(x.device.type) else x.dtype

    @torch.no_grad()  # the relative positions stay as the base weights have them
    def _attention_bias(self, mask: Tensor, length: int) -> Tensor:
        padding = torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -1e4)[:, None, None, :]
        if self.relative is None:
            return padding.expand(-1, 1, length, -1)
        bias = self.relative(buckets(length, self.shape.buckets).to(mask.device))
        return bias.permute(2, 0, 1).unsqueeze(0) + padding


def buckets(length: int, count: int) -> Tensor:
    """Give each (query, key) distance its bucket, exact when near and logarithmic when far, as in T5."""
    half = count // 2
    exact = half // 2
    distance = torch.arange(length)[:, None] - torch.arange(length)[None, :]
    sign = (distance < 0).long() * half
    distance = distance.abs()
    far = exact + (torch.log(distance.clamp(min=1).float() / exact) / math.log(128 / exact) * (half - exact)).long()
    return sign + torch.where(distance < exact, distance, far.clamp(max=half - 1))


def load_base(name: str, folder: Path) -> Network:
    """Build a network on base weights (safetensors in Hugging Face names); the heads start at random."""
    network = Network(SHAPES[name])
    if name == "tiny":
        return network
    raw = {
        key: value.float()
        for key, value in load_file(folder / "model.safetensors").items()
        if value.is_floating_point()
    }
    state = network.state_dict()
    state["words.weight"] = raw["embeddings.word_embeddings.weight"]
    state["places.weight"] = raw["embeddings.position_embeddings.weight"]
    types = raw.get("embeddings.token_type_embeddings.weight")
    state["segments.weight"] = torch.zeros(3, network.shape.width) if types is None else types[[0, 0, 1]]
    for end in ("weight", "bias"):
        state[f"norm.{end}"] = raw[f"embeddings.LayerNorm.{end}"]
        for i in range(network.shape.layers):
            state.update(_layer_state(raw, i, end, mpnet=network.relative is not None))
    if network.relative is not None:
        state["relative.weight"] = raw["encoder.relative_attention_bias.weight"]
    network.load_state_dict(state)
    network.start_claim_layers()
    return network


def _layer_state(raw: dict[str, Tensor], i: int, end: str, *, mpnet: bool) -> dict[str, Tensor]:
    """Rename one layer's weights."""
    old, new = f"encoder.layer.{i}.", f"layers.{i}."
    attention = ["attn.q", "attn.k", "attn.v"] if mpnet else ["self.query", "self.key", "self.value"]
    out, norm = ("attn.o", "LayerNorm") if mpnet else ("output.dense", "output.LayerNorm")
    return {
        f"{new}qkv.{end}": torch.cat([raw[f"{old}attention.{part}.{end}"] for part in attention]),
        f"{new}out.{end}": raw[f"{old}attention.{out}.{end}"],
        f"{new}norm1.{end}": raw[f"{old}attention.{norm}.{end}"],
        f"{new}up.{end}": raw[f"{old}intermediate.dense.{end}"],
        f"{new}down.{end}": raw[f"{old}output.dense.{end}"],
        f"{new}norm2.{end}": raw[f"{old}output.LayerNorm.{end}"],
    }


def load_network(network: Network, path: Path) -> Network:
    """Load a trained state from safetensors."""
    network.load_state_dict({key: value.float() for key, value in load_file(path).items()})
    return network.eval()
