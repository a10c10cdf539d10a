"""A language model as the teacher: Qwen2's layers, read from a GGUF file, with a head for the label of a claim.

Claims about one text stand after it one by one, and none of them sees another: the text is read once for all of them.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from torch import Tensor, nn
from torch.nn import functional as F

from training.fit import UNLABELLED, Optimiser, Settings, label_loss
from training.grouped import Groups
from training.model import CLASSES
from training.quants import floats_of
from training.tokens import Ints

PAD = -1
"""The part of what fills a batch up."""


@dataclass(frozen=True)
class Shape:
    """The sizes of a decoder."""

    layers: int
    width: int
    heads: int
    shared: int
    """Heads of keys and values, each for several of the others."""
    inner: int
    vocab: int
    base: float = 1e6
    eps: float = 1e-6


class Layer(nn.Module):
    """One layer of Qwen2."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads, self.shared, self.size = shape.heads, shape.shared, shape.width // shape.heads
        self.attn_norm = nn.RMSNorm(shape.width, eps=shape.eps)
        self.attn_q = nn.Linear(shape.width, shape.width)
        self.attn_k = nn.Linear(shape.width, self.shared * self.size)
        self.attn_v = nn.Linear(shape.width, self.shared * self.size)
        self.attn_output = nn.Linear(shape.width, shape.width, bias=False)
        self.ffn_norm = nn.RMSNorm(shape.width, eps=shape.eps)
        self.ffn_gate = nn.Linear(shape.width, shape.inner, bias=False)
        self.ffn_up = nn.Linear(shape.width, shape.inner, bias=False)
        self.ffn_down = nn.Linear(shape.inner, shape.width, bias=False)

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor], seen: Tensor) -> Tensor:
        return self.after(x, self.mixed(*self.parts(x, turn), seen))

    def parts(self, x: Tensor, turn: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, by head."""
        h = self.attn_norm(x)
        q, k, v = (part(h).unflatten(-1, (-1, self.size)) for part in (self.attn_q, self.attn_k, self.attn_v))
        return turned(q, turn), turned(k, turn), v

    def mixed(self, q: Tensor, k: Tensor, v: Tensor, seen: Tensor) -> Tensor:
        """What each token takes from those it sees."""
        k, v = (part.repeat_interleave(self.heads // self.shared, 2) for part in (k, v))
        q, k, v = (part.transpose(1, 2) for part in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=seen).transpose(1, 2).flatten(2)

    def after(self, x: Tensor, mixed: Tensor) -> Tensor:
        """The layer's result."""
        x = x + self.attn_output(mixed)
        h = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(h)) * self.ffn_up(h))


def turned(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Turn queries or keys by their places."""
    cos, sin = turn
    first, second = x.chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


class Decoder(nn.Module):
    """Gives three class logits at the end of each claim."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocab, shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, eps=shape.eps)
        self.classes = nn.Linear(shape.width, len(CLASSES))

    def forward(self, batch: Batch) -> Tensor:
        """The class logits of each claim of a batch, in its order."""
        return self.classes(self.states(batch).flatten(0, 1)[batch.ends])  # type: ignore[no-any-return]

    def states(self, batch: Batch) -> Tensor:
        """What the last layer holds for each token."""
        x = self.words(batch.ids)
        turn = self.turn(batch.places, x.dtype)
        part, order = batch.parts, torch.arange(batch.ids.shape[1], device=x.device)
        own = part[:, :, None] == part[:, None, :]
        seen = ((part[:, None, :] == 0) | own) & (order[None, :] <= order[:, None])
        for layer in self.layers:
            x = layer(x, turn, seen[:, None])
        return self.norm(x)  # type: ignore[no-any-return]

    def turn(self, places: Tensor, kind: torch.dtype) -> tuple[Tensor, Tensor]:
        """By what queries and keys are turned at these places."""
        size = self.shape.width // self.shape.heads
        pace = self.shape.base ** (-torch.arange(0, size, 2, device=places.device).float() / size)
        angles = (places[:, :, None].float() * pace)[:, :, None]
        return angles.cos().to(kind), angles.sin().to(kind)

    def freeze(self, layers: int) -> None:
        """Let the words and so many layers above them learn nothing."""
        for part in (self.words, *self.layers[:layers]):
            part.requires_grad_(False)


def load_decoder(path: Path, layers: int | None = None) -> Decoder:
    """The first layers of a Qwen2 model in a GGUF file; the head starts at random."""
    from gguf import GGUFReader

    file = GGUFReader(path)
    with torch.device("meta"):
        network = Decoder(_shape(file, layers))
    network.to_empty(device="cpu")
    missing = network.state_dict()
    names = {"token_embd.weight": "words.weight", "output_norm.weight": "norm.weight"}
    for tensor in file.tensors:
        name = names.get(tensor.name) or re.sub(r"^blk\.", "layers.", tensor.name)
        if name in missing:
            missing.pop(name).copy_(floats_of(tensor))
    nn.init.normal_(missing.pop("classes.weight"), std=0.02)
    nn.init.zeros_(missing.pop("classes.bias"))
    if missing:
        raise ValueError(f"{path} lacks {sorted(missing)[:3]}")
    return network


def shape_of(path: Path, layers: int | None = None) -> Shape:
    """The sizes that a GGUF file gives."""
    from gguf import GGUFReader

    return _shape(GGUFReader(path), layers)


def _shape(file: Any, layers: int | None) -> Shape:
    def value(name: str) -> Any:
        return file.fields[f"qwen2.{name}"].contents()

    return Shape(
        layers or value("block_count"), value("embedding_length"), value("attention.head_count"),
        value("attention.head_count_kv"), value("feed_forward_length"),
        len(file.fields["tokenizer.ggml.tokens"].data), value("rope.freq_base"),
        value("attention.layer_norm_rms_epsilon"),
    )  # fmt: skip


_CUTS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""Where Qwen2's tokenizer cuts a text before it joins bytes."""


def tokenizer_of(path: Path) -> Tokenizer:
    """The tokenizer in a GGUF file."""
    from gguf import GGUFReader

    fields = GGUFReader(path).fields
    tokens: list[str] = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(pair.split(" ")) for pair in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE({token: number for number, token in enumerate(tokens)}, merges))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(_CUTS), "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)]
    )
    return tokenizer


@dataclass(frozen=True)
class Batch:
    """Padded groups: ids, places and parts of tokens, where the claims end, and which claims they are."""

    ids: Tensor
    places: Tensor
    parts: Tensor
    ends: Tensor
    claims: Tensor


class Loaded:
    """Groups in a device's memory."""

    def __init__(self, groups: Groups, device: str) -> None:
        self.groups, self.device = groups, device
        self.ids, self.places, self.parts, self.starts, self.ends, self.firsts = (
            torch.from_numpy(array).to(device)
            for array in (groups.ids, groups.places, groups.parts, groups.starts, groups.ends, groups.firsts)
        )

    def batch(self, chosen: Ints) -> Batch:
        """Pad some groups to one length."""
        width = -(-int(self.groups.lengths[chosen].max()) // 16) * 16
        rows = torch.from_numpy(chosen).to(self.device)
        order = torch.arange(width, device=self.device)
        start = self.starts[rows][:, None]
        inside = order < (self.starts[rows + 1][:, None] - start)
        at = torch.where(inside, start + order, 0)
        claims = torch.from_numpy(self.groups.claims_of(chosen)).to(self.device)
        row = torch.repeat_interleave(torch.arange(len(chosen), device=self.device),
                                      self.firsts[rows + 1] - self.firsts[rows])  # fmt: skip
        return Batch(
            torch.where(inside, self.ids[at].long(), 0),
            torch.where(inside, self.places[at].long(), 0),
            torch.where(inside, self.parts[at].long(), PAD),
            row * width + self.ends[claims].long(),
            claims,
        )


def batches(groups: Groups, *, tokens: int, rng: np.random.Generator | None) -> Iterator[Ints]:
    """Groups of similar length, as many as fit; with a generator, in another order each time."""
    order = np.arange(len(groups)) if rng is None else rng.permutation(len(groups))
    chunk = len(order) if rng is None else 6_000
    made: list[Ints] = []
    for begin in range(0, len(order), chunk):
        some = order[begin : begin + chunk]
        some = some[np.argsort(groups.lengths[some], kind="stable")]
        first = 0
        while first < len(some):
            last = first + 1
            while last < len(some) and (last - first + 1) * (int(groups.lengths[some[last]]) + 15) <= tokens:
                last += 1
            made.append(some[first:last])
            first = last
    yield from made if rng is None else (made[number] for number in rng.permutation(len(made)))


def teach(network: Decoder, groups: Groups, labels: Ints, settings: Settings, *, device: str) -> None:
    """Train on the claims of groups, by their labels (one for each claim), until the time is up."""
    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    network.freeze(settings.frozen)
    network.to(device)
    loaded, known = Loaded(groups, device), torch.from_numpy(labels).to(device)
    optimiser = Optimiser(network, settings, device=device)
    plan = [
        some for _ in range(math.ceil(settings.epochs)) for some in batches(groups, tokens=settings.tokens, rng=rng)
    ]
    begun, sums = time.time(), torch.zeros(2, device=device)
    for step, some in enumerate(plan):
        done = max(step / len(plan), (time.time() - begun) / settings.seconds)
        if done >= 1:
            break
        batch = loaded.batch(some)
        label = known[batch.claims]
        loss = label_loss(network(batch).float(), label)
        labelled = (label != UNLABELLED).float()
        loss = (loss * labelled).sum() / labelled.sum().clamp(min=1)
        loss.backward()
        optimiser.step(
            settings.rate * min((done + 1 / len(plan)) / settings.warm_up, (1 - done) / (1 - settings.warm_up))
        )
        sums += torch.stack([loss.detach(), torch.ones_like(loss)])
        if (step + 1) % 25 == 0:
            mean = float(sums[0] / sums[1])
            print(f"step {step + 1}/{len(plan)} {time.time() - begun:.0f}s labels {mean:.4f}", flush=True)
            if math.isnan(mean):
                raise FloatingPointError("the loss is no number: what is learnt from here on is lost")
            sums.zero_()


@torch.no_grad()
def ask(network: Decoder, groups: Groups, *, device: str, tokens: int = 131_072, seconds: float = 1e9) -> np.ndarray:
    """The class logits of each claim; of those that there is no time for, NaN."""
    loaded, begun = Loaded(groups, device), time.time()
    classes = torch.full((groups.claims, len(CLASSES)), torch.nan, dtype=torch.float16, device=device)
    made = list(batches(groups, tokens=tokens, rng=None))
    order = np.random.default_rng(0).permutation(len(made))
    for number in order:
        if time.time() - begun > seconds:
            break
        batch = loaded.batch(made[number])
        classes[batch.claims] = network(batch).to(torch.float16)
        if device != "cpu" and number % 16 == 0:
            torch.cuda.synchronize()  # so that the clock is not ahead of the device
    return classes.cpu().numpy()
