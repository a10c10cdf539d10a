"""Turns rows into token ids; the same layout as `faithmeter.verify.local` feeds the exported graph."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor

from faithmeter.verify.notes import noted
from training.rows import Row

CLAIM_AT_MOST, HINT_AT_MOST, ALL_AT_MOST = 200, 60, 448
Part = TypeVar("Part")
Made = TypeVar("Made")
UNKNOWN_MARK = -1
Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass
class Encoded:
    """Rows as one flat array of ids, with each row's bounds and segment lengths."""

    ids: np.ndarray
    marks: np.ndarray
    """Per token of `ids`: 1 unsupported, 0 supported, -1 unknown or not of the claim."""
    starts: Ints
    claim_ends: Ints
    """Length of [CLS] claim [SEP] in each row."""
    hint_ends: Ints
    labels: Ints
    weights: np.ndarray
    groups: Ints
    sources: list[str]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def lengths(self) -> Ints:
        return np.diff(self.starts)

    @classmethod
    def join(cls, parts: Sequence[Encoded]) -> Encoded:
        """Several lots of rows as one."""
        arrays = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in vars(parts[0])
            if name not in ("starts", "sources")
        }
        starts = np.concatenate([[0], np.cumsum(np.concatenate([part.lengths for part in parts]))])
        return cls(**arrays, starts=starts, sources=[source for part in parts for source in part.sources])

    def places(self, rows: Ints) -> Ints:
        """Where the tokens of some rows lie in the flat arrays, row by row."""
        lengths = self.lengths[rows]
        first = np.repeat(self.starts[rows] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        return first + np.arange(lengths.sum())

    def take(self, rows: Ints) -> Encoded:
        """Some of the rows, in this order."""
        at = self.places(rows)
        return Encoded(
            self.ids[at], self.marks[at], np.concatenate([[0], np.cumsum(self.lengths[rows])]), self.claim_ends[rows],
            self.hint_ends[rows], self.labels[rows], self.weights[rows], self.groups[rows],
            [self.sources[row] for row in rows],
        )  # fmt: skip

    def save(self, path: Path) -> None:
        """Keep the rows, uncompressed."""
        np.savez(path, **{**vars(self), "sources": np.array(self.sources)})

    @classmethod
    def load(cls, path: Path) -> Encoded:
        """Read what `save` wrote."""
        with np.load(path) as kept:
            return cls(**{**kept, "sources": kept["sources"].tolist()})


def load_tokenizer(path: Path) -> Tokenizer:
    """Load a tokenizer without its own truncation and padding."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def specials(tokenizer: Tokenizer) -> tuple[int, int]:
    """The ids that open a sequence and close a segment: MPNet's names, or BERT's, which MPNet has as plain words."""
    for first, close in (("<s>", "</s>"), ("[CLS]", "[SEP]")):
        ids = tokenizer.token_to_id(first), tokenizer.token_to_id(close)
        if ids[0] is not None and ids[1] is not None:
            return ids[0], ids[1]
    raise ValueError("the tokenizer has neither BERT's nor MPNet's special tokens")


class Parts(NamedTuple):
    """A row's token ids, without its special tokens."""

    claim: list[int]
    hint: list[int]
    evidence: list[int]


class Layout(NamedTuple):
    """Rows as the network reads them: flat ids, where each row starts, and the lengths up to its evidence."""

    ids: np.ndarray
    starts: Ints
    claim_ends: Ints
    hint_ends: Ints


def lay_out(rows: Sequence[Parts], tokenizer: Tokenizer) -> Layout:
    """Lay out each row as [CLS] claim [SEP] hint [SEP] evidence [SEP]."""
    first, close = specials(tokenizer)
    ids, claim_ends, hint_ends = [], [], []
    for row in rows:
        head = [first, *row.claim[:CLAIM_AT_MOST], close]
        middle = [*row.hint[:HINT_AT_MOST], close]
        tail = [*row.evidence[: ALL_AT_MOST - len(head) - len(middle) - 1], close]
        ids.append(np.array(head + middle + tail, np.int32))
        claim_ends.append(len(head))
        hint_ends.append(len(head) + len(middle))
    return Layout(np.concatenate(ids), np.cumsum([0, *map(len, ids)]), np.array(claim_ends), np.array(hint_ends))


def encode_rows(rows: Sequence[Row], tokenizer: Tokenizer) -> Encoded:
    """Turn rows into ids, with marks on the claims' tokens."""
    read = [noted(row.evidence, row.claim, hint=row.hint) for row in rows]
    claims, hints, evidence = (
        tokenizer.encode_batch(texts, add_special_tokens=False)
        for texts in ([row.claim for row in rows], [row.hint for row in rows], read)
    )
    parts = [Parts(*(one.ids for one in row)) for row in zip(claims, hints, evidence, strict=True)]
    ids, starts, claim_ends, hint_ends = lay_out(parts, tokenizer)
    marks = np.full(len(ids), UNKNOWN_MARK, np.int8)
    for row, claim, start, length in zip(rows, claims, starts[:-1], claim_ends, strict=True):
        marks[start + 1 : start + length - 1] = claim_marks(row, claim)[:CLAIM_AT_MOST]
    return Encoded(
        ids, marks, starts, claim_ends, hint_ends, np.array([row.label for row in rows]),
        np.array([row.weight for row in rows], np.float32), np.array([row.group for row in rows]),
        [row.source for row in rows],
    )  # fmt: skip


def encode_all(rows: Sequence[Row], tokenizer: Path, *, part: int = 20_000) -> Encoded:
    """Encode many rows."""
    cuts = [rows[begin : begin + part] for begin in range(0, len(rows), part)]
    return Encoded.join(in_processes(_encode_part, cuts, tokenizer))


def _encode_part(rows: Sequence[Row], tokenizer: Path) -> Encoded:
    return encode_rows(rows, load_tokenizer(tokenizer))


def in_processes(make: Callable[[Part, Path], Made], parts: Sequence[Part], tokenizer: Path) -> list[Made]:
    """What a function makes of each part, in as many processes as there are cores."""
    if len(parts) < 2:
        return [make(part, tokenizer) for part in parts]
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # each process has a core of its own
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("fork")) as pool:
        return list(pool.map(make, parts, [tokenizer] * len(parts)))


def claim_marks(row: Row, claim: Encoding) -> list[int]:
    """Say of each token of the claim whether it lies in an unsupported part."""
    if row.marks is None:
        return [UNKNOWN_MARK] * len(claim.ids)
    return [int(any(s < end and start < e for s, e in row.marks)) for start, end in claim.offsets]


def translate(ids: np.ndarray, of: Tokenizer, to: Tokenizer) -> np.ndarray:
    """Map ids between two tokenizers that cut words alike and number the pieces differently."""
    special = dict(zip(("[CLS]", "[SEP]", "[PAD]", "[UNK]"), ("<s>", "</s>", "<pad>", "[UNK]"), strict=True))
    table = np.full(of.get_vocab_size(), to.token_to_id("[UNK]") or 3, np.int32)
    for piece, number in of.get_vocab().items():
        other = to.token_to_id(special.get(piece, piece))
        if other is not None:
            table[number] = other
    return table[ids]


def batches(data: Encoded, *, tokens: int, rng: np.random.Generator | None, pad: int = 16) -> Iterator[Ints]:
    """Yield row numbers in batches of similar length; with a generator, drawn by weight and shuffled."""
    lengths = data.lengths
    if rng is None:
        order = np.argsort(lengths, kind="stable")
        yield from _cut(order, lengths, tokens, pad)
        return
    copies = np.floor(data.weights + rng.random(len(data))).astype(int)
    drawn = rng.permutation(np.repeat(np.arange(len(data)), copies))
    made: list[Ints] = []
    for begin in range(0, len(drawn), 60_000):  # sort within large chunks: near-equal lengths, fresh neighbours
        some = drawn[begin : begin + 60_000]
        made += _cut(some[np.argsort(lengths[some] + rng.random(len(some)) * 8)], lengths, tokens, pad)
    for i in rng.permutation(len(made)):
        yield made[i]


def _cut(order: Ints, lengths: Ints, tokens: int, pad: int) -> list[Ints]:
    """Cut sorted rows where the padded batch would exceed its tokens."""
    cuts, begin = [], 0
    while begin < len(order):
        size = max(1, tokens // (-(-int(lengths[order[begin]]) // pad) * pad))
        while begin + size > begin + 1:
            last = min(begin + size, len(order)) - 1
            if (last - begin + 1) * -(-int(lengths[order[last]]) // pad) * pad <= tokens:
                break
            size = max(1, int(size * 0.9))
        cuts.append(order[begin : begin + size])
        begin += size
    return cuts


class Loaded:
    """Rows in a device's memory, where batches are put together without a copy over the bus."""

    def __init__(self, data: Encoded, device: str) -> None:
        self.lengths = data.lengths
        self.device = device
        self.ids, self.marks, self.starts, self.claim_ends, self.hint_ends, self.labels, self.sizes = (
            torch.from_numpy(np.ascontiguousarray(array)).to(device)
            for array in (data.ids, data.marks, data.starts, data.claim_ends, data.hint_ends, data.labels, data.lengths)
        )

    def batch(self, rows: Ints, pad: int = 16) -> Batch:
        """Pad some rows to one length."""
        width = -(-int(self.lengths[rows].max()) // pad) * pad
        chosen = torch.from_numpy(rows).to(self.device)
        place = torch.arange(width, device=self.device)
        mask = place < self.sizes[chosen][:, None]
        at = torch.where(mask, self.starts[chosen][:, None] + place, 0)
        ids = torch.where(mask, self.ids[at], 0).long()
        marks = torch.where(mask, self.marks[at], UNKNOWN_MARK)
        later = (place >= self.claim_ends[chosen][:, None]).long()
        segments = later + (place >= self.hint_ends[chosen][:, None]).long()  # CLAIM, HINT and EVIDENCE are 0, 1, 2
        return Batch(chosen, at, ids, segments, mask, marks)


class Batch(NamedTuple):
    """Padded rows: their numbers, where their tokens lie in the flat arrays, and what the network reads."""

    rows: Tensor
    at: Tensor
    ids: Tensor
    segments: Tensor
    mask: Tensor
    marks: Tensor
