"""Trains a network on encoded rows, alone or towards a teacher's answers, and predicts with it."""

from __future__ import annotations

import copy
import math
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from training.model import CLAIM, Network
from training.rows import LABELS
from training.tokens import Batch, Encoded, Loaded, batches

NOT_SUPPORTED, UNLABELLED = LABELS.index("not_supported"), LABELS.index("unlabelled")


@dataclass(frozen=True)
class Settings:
    """How to train."""

    rate: float
    epochs: float
    tokens: int
    """Tokens in a batch, padding counted."""
    teacher_share: float = 0.0
    """Weight of the teacher's answers against the labels."""
    mark_share: float = 0.4
    warm_up: float = 0.06
    decay: float = 0.01
    dropout: float = 0.1
    seed: int = 7
    half: bool = False
    """Run in bf16 throughout, not only in the matrix products; on a CPU, where it would be slow, nothing is."""
    seconds: float = 1e9
    """The schedule ends after this time if not before: other work on the device must not leave the rate high."""
    one_word_share: float = 0.0
    """Weight of "some word of an unsupported claim is unsupported", where it is not known which."""
    frozen: int = 0
    """So many of the lower layers, and the embeddings below them, stay as they are."""
    compiled: bool = False
    """Compile the layers: a third faster on a GPU after the first minute."""


@dataclass(frozen=True)
class Answers:
    """What a network says about rows: class logits, and a logit per token of the flat ids."""

    classes: np.ndarray
    tokens: np.ndarray
    """NaN where nobody said anything, and empty if that is so throughout."""


class Optimiser:
    """AdamW on fp32 weights; with `half` the network itself is kept and run in bf16, which is twice as fast."""

    def __init__(self, network: Network, settings: Settings, *, device: str) -> None:
        self.network, self.half = network.to(device).train(), settings.half and device != "cpu"
        if device != "cpu":  # it fails on short wide batches, and gives a language model NaN to learn from
            torch.backends.cuda.enable_cudnn_sdp(False)
        self.run = list(network.parameters())
        plain = [p.ndim < 2 for p in self.run]
        self.exact = [p.detach().clone().requires_grad_() for p in self.run] if self.half else self.run
        if self.half:
            network.bfloat16()
        groups = [
            {
                "params": [p for p, is_plain in zip(self.exact, plain, strict=True) if is_plain == wanted],
                "weight_decay": d,
            }
            for wanted, d in ((False, settings.decay), (True, 0.0))
        ]
        self.adam = torch.optim.AdamW(groups, lr=settings.rate, betas=(0.9, 0.98), eps=1e-6, fused=device != "cpu")

    def step(self, rate: float) -> None:
        """Clip the gradients, take a step at this rate, and forget them."""
        if self.half:
            for exact, run in zip(self.exact, self.run, strict=True):
                exact.grad = None if run.grad is None else run.grad.float()
        torch.nn.utils.clip_grad_norm_(self.exact, 1.0)
        for group in self.adam.param_groups:
            group["lr"] = rate
        self.adam.step()
        self.adam.zero_grad(set_to_none=True)
        if self.half:
            with torch.no_grad():
                torch._foreach_copy_(self.run, self.exact)
            for run in self.run:
                run.grad = None

    def finish(self) -> None:
        """Leave the network with the exact weights."""
        if self.half:
            self.network.float()
            with torch.no_grad():
                for exact, run in zip(self.exact, self.network.parameters(), strict=True):
                    run.copy_(exact)


def train(network: Network, data: Encoded, settings: Settings, *, device: str, teacher: Answers | None = None) -> None:
    """Train in place with linear warm-up and decay."""
    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    network.set_dropout(settings.dropout)
    network.freeze(settings.frozen)
    if settings.compiled:
        network.compile_layers()
    loaded = Loaded(data, device)
    optimiser = Optimiser(network, settings, device=device)
    taught = None if teacher is None else Taught(teacher, device)
    plan = [rows for _ in range(math.ceil(settings.epochs)) for rows in batches(data, tokens=settings.tokens, rng=rng)]
    plan = plan[: int(len(plan) * settings.epochs / math.ceil(settings.epochs))]
    total, begun, losses = len(plan), time.time(), torch.zeros(3, device=device)
    for step, rows in enumerate(plan):
        done = max(step / total, (time.time() - begun) / settings.seconds)
        if done >= 1:
            break
        scale = min((done + 1 / total) / settings.warm_up, (1 - done) / (1 - settings.warm_up))
        loss, parts = _step_loss(network, loaded, loaded.batch(rows), settings, taught)
        loss.backward()
        optimiser.step(settings.rate * scale)
        losses += parts
        if (step + 1) % 100 == 0 or step + 1 == total:
            mean = (losses / ((step % 100) + 1)).tolist()
            print(
                f"step {step + 1}/{total} {time.time() - begun:.0f}s labels {mean[0]:.4f} teacher {mean[1]:.4f}"
                f" marks {mean[2]:.4f}",
                flush=True,
            )
            losses.zero_()
    optimiser.finish()


class Taught:
    """A teacher's answers in a device's memory."""

    def __init__(self, answers: Answers, device: str) -> None:
        classes, tokens = torch.from_numpy(answers.classes), torch.from_numpy(answers.tokens)
        self.classes, self.tokens = classes.to(device), tokens.to(device)


def _step_loss(
    network: Network, loaded: Loaded, batch: Batch, settings: Settings, taught: Taught | None
) -> tuple[Tensor, Tensor]:
    with torch.autocast("cuda", torch.bfloat16, enabled=loaded.device != "cpu" and not settings.half):
        classes, tokens = network(batch.ids, batch.segments, batch.mask)
    classes, tokens = classes.float(), tokens.float()
    labels = loaded.labels[batch.rows]
    by_label = label_loss(classes, labels)
    known = batch.marks >= 0
    marks = batch.marks.clamp(min=0).float()
    by_mark = (F.binary_cross_entropy_with_logits(tokens, marks, reduction="none") * known).sum()
    by_mark = by_mark / known.sum().clamp(min=1)
    if settings.one_word_share:
        by_mark = by_mark + settings.one_word_share * one_word_loss(tokens, batch, known, labels)
    if taught is None:
        labelled = (labels != UNLABELLED).float()
        loss = (by_label * labelled).sum() / labelled.sum().clamp(min=1)
        parts = torch.stack([loss, loss * 0, by_mark]).detach()
        return loss + settings.mark_share * by_mark, parts
    target = F.log_softmax(taught.classes[batch.rows].float(), -1)
    by_teacher = F.kl_div(F.log_softmax(classes, -1), target, reduction="none", log_target=True).sum(-1)
    share = torch.where(labels == UNLABELLED, 1.0, settings.teacher_share)
    loss = (share * by_teacher + (1 - share) * by_label).mean()
    soft = torch.sigmoid(taught.tokens[batch.at].float())
    said = ((batch.segments == CLAIM) & batch.mask & ~soft.isnan()).float()
    by_soft = F.binary_cross_entropy_with_logits(tokens, soft.nan_to_num(), reduction="none")
    by_soft = (by_soft * said).sum() / said.sum().clamp(min=1)
    loss = loss + settings.mark_share * (0.5 * by_mark + 0.5 * by_soft)
    return loss, torch.stack([by_label.mean(), by_teacher.mean(), by_mark]).detach()


def one_word_loss(tokens: Tensor, batch: Batch, known: Tensor, labels: Tensor) -> Tensor:
    """Of a claim that is not supported, and nobody said where, at least one word is not."""
    wrong = (labels > 0) & (labels != UNLABELLED) & ~known.any(1)
    inside = (batch.segments == CLAIM) & batch.mask
    inside[:, 0] = False  # [CLS]
    top = tokens.masked_fill(~inside, -1e4).amax(1)
    return (F.softplus(-top) * wrong).sum() / wrong.sum().clamp(min=1)


def label_loss(classes: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy; for "not supported, kind unknown" the probability of both kinds together."""
    logp = F.log_softmax(classes, -1)
    exact = logp.gather(1, labels.clamp(max=2)[:, None]).squeeze(1)
    either = torch.logsumexp(logp[:, 1:], -1)
    loss = -torch.where(labels == NOT_SUPPORTED, either, exact)
    return torch.where(labels == UNLABELLED, torch.zeros_like(loss), loss)


@torch.no_grad()
def predict(
    network: Network,
    data: Encoded,
    *,
    device: str,
    half: bool = False,
    tokens: int = 262_144,
) -> Answers:
    """Run a network over all rows."""
    network = (copy.deepcopy(network).bfloat16() if half and device != "cpu" else network).to(device).eval()
    loaded, half_floats = Loaded(data, device), torch.float16
    classes = torch.zeros(len(data), 3, dtype=half_floats, device=device)
    marks = torch.zeros(len(data.ids) + 1, dtype=half_floats, device=device)  # the last takes what padding gets
    for rows in batches(data, tokens=tokens, rng=None):
        batch = loaded.batch(rows)
        with torch.autocast("cuda", torch.bfloat16, enabled=device != "cpu" and not half):
            some, some_tokens = network(batch.ids, batch.segments, batch.mask)
        classes[batch.rows] = some.to(half_floats)
        marks[torch.where(batch.mask, batch.at, len(data.ids))] = some_tokens.to(half_floats)
    return Answers(classes.cpu().numpy(), marks[:-1].cpu().numpy())


def blame_the_worst(data: Encoded, answers: Answers) -> int:
    """In each answer known to be bad but not where, call the claim the teacher likes least unsupported."""
    support = answers.classes[:, 0].astype(np.float32) - np.logaddexp(*answers.classes[:, 1:].T.astype(np.float32))
    worst: dict[int, int] = {}
    for row in np.flatnonzero((data.labels == UNLABELLED) & (data.groups >= 0)):
        group = int(data.groups[row])
        if group not in worst or support[row] < support[worst[group]]:
            worst[group] = int(row)
    data.labels[list(worst.values())] = NOT_SUPPORTED
    return len(worst)
