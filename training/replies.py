"""Rows out of what a language model writes about the texts of other rows; the teacher alone labels them.

A student that has seen a row some times knows it by heart, and claims that people wrote are few. A small model's
replies cost nothing and go wrong as replies do: most say what the text says, some join what does not belong together,
and those about a part of a text go beyond it.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from faithmeter.text import sentences
from training.decoder import Decoder
from training.rows import LABELS, REPLIED, Row

ANSWER = "Answer the question from the text, in two or three full sentences."
TASKS = {
    "Summarize the text in three sentences, in your own words.": 5,
    "Say what the text says in other words, in three short sentences.": 5,
    "Summarize the text in one long sentence.": 2,
    "Write three false sentences about the text that sound true, with wrong names, numbers, dates or reasons.": 4,
    "Write three sentences about the text that are not quite true. Use your own words.": 4,
    "Write three conclusions that can be drawn from the text.": 2,
    "Compare two people, things, dates or amounts from the text in two sentences.": 2,
    "Say in two sentences of your own who did what, and when or why.": 2,
    "Write two sentences about what, by the text, is not, no longer, only or sometimes the case.": 2,
}
"""What is asked for, and how often."""
FROM_A_PART = "Write a short paragraph of three sentences about this subject, with more details."
ASKED, PARTLY = 0.7, 0.2
"""How often a question is answered, where there is one, and how often the model sees but the start of the text."""
LONGEST, TEXT_AT_MOST = 72, 420
"""Tokens of a reply and of its text."""
WARMTH = 1.0
SHORTEST_CLAIM, LONGEST_CLAIM = 4, 50
"""Words of a claim."""
BEGIN, END = "<|im_start|>", "<|im_end|>"
_BULLET = re.compile(r"^[ \t]*(?:[-*•]+|\d+[.)]|\(?[a-z]\))[ \t]+|\*\*", re.M)
_TALK = re.compile(
    r"^(?:sure|certainly|here (?:is|are)|of course|note:|mistake|sentence|answer:|question:|i(?:'m| am) )", re.I
)
_WIDE = re.compile(r"[\u2e80-\uffff]")
_SAYS = re.compile(
    r"^(?:according to the (?:text|passage), |the (?:text|passage) (?:says|states|mentions|notes|explains) that )", re.I
)


class Prompt(NamedTuple):
    """What the model is asked about which row."""

    row: Row
    text: str
    task: str
    question: str


def prompts(rows: Sequence[Row], *, seed: int) -> Iterator[Prompt]:
    """One task for each text, in random order; rows on one text are asked about once."""
    rng = random.Random(seed)
    of_text = {row.evidence: row for row in rows}
    for row in rng.sample(list(of_text.values()), len(of_text)):
        question = row.hint.split("?")[0] + "?" if "?" in row.hint else ""
        if question and rng.random() < ASKED:
            yield Prompt(row, row.evidence, f"Question: {question}\n{ANSWER}", question)
        elif rng.random() < PARTLY:
            yield Prompt(row, row.evidence[: max(80, len(row.evidence) // 4)], FROM_A_PART, "")
        else:
            (task,) = rng.choices(list(TASKS), list(TASKS.values()))
            yield Prompt(row, row.evidence, task, "")


def prompt_ids(tokenizer: Tokenizer, prompt: Prompt) -> list[int]:
    """A prompt as the model was taught to read it."""

    def ids(text: str) -> list[int]:
        found: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return found

    begin, end = ([_mark(tokenizer, mark)] for mark in (BEGIN, END))
    line = ids("\n")
    system = [*begin, *ids("system\nYou are a helpful assistant."), *end, *line]
    user = [*begin, *ids("user\nText:\n"), *ids(prompt.text)[:TEXT_AT_MOST], *ids(f"\n\n{prompt.task}"), *end, *line]
    return [*system, *user, *begin, *ids("assistant\n")]


def _mark(tokenizer: Tokenizer, mark: str) -> int:
    number = tokenizer.token_to_id(mark)
    if number is None:
        raise ValueError(f"the model has no {mark}: it was not made for conversations")
    return number


def claims(prompt: Prompt, reply: str) -> Iterator[Row]:
    """The whole sentences of a reply as rows, each with the question and the sentence before it as its hint."""
    before = ""
    text = _BULLET.sub("", reply)
    for sentence in sentences(text):
        claim = _SAYS.sub("", sentence.of(text))
        if not claim or claim[-1] not in ".!" or _TALK.match(claim) or not claim.isprintable():
            continue
        claim = claim[0].upper() + claim[1:]
        copied = claim[1:-1] in prompt.row.evidence  # of which there are enough
        if not copied and SHORTEST_CLAIM <= len(claim.split()) <= LONGEST_CLAIM and not _WIDE.search(claim):
            hint = f"{prompt.question} {before}".strip()
            yield Row(claim, hint, prompt.row.evidence, LABELS.index("unlabelled"), None, REPLIED)
        before = claim


def write(
    network: Decoder, tokenizer: Tokenizer, asked: Sequence[Prompt], *, device: str, seconds: float, seed: int,
    at_once: int = 256, samples: int = 4,
) -> Iterator[Row]:  # fmt: skip
    """Rows out of several replies to each prompt, until the time is up."""
    begun, generator = time.time(), torch.Generator(device).manual_seed(seed)
    seen: set[tuple[str, str]] = set()
    stop = _mark(tokenizer, END)
    for first in range(0, len(asked), at_once * 16):
        lot = [(prompt, prompt_ids(tokenizer, prompt)) for prompt in asked[first : first + at_once * 16]]
        lot.sort(key=lambda pair: len(pair[1]))
        for start in range(0, len(lot), at_once):
            if time.time() - begun > seconds:
                return
            some = lot[start : start + at_once]
            found = replies([ids for _, ids in some], network, samples=samples, stop=stop, device=device,
                            generator=generator)  # fmt: skip
            for (prompt, _), texts in zip(some, found, strict=True):
                for text in tokenizer.decode_batch(texts):
                    for row in claims(prompt, text):
                        if (row.claim, row.evidence) not in seen:
                            seen.add((row.claim, row.evidence))
                            yield row


@torch.no_grad()
def replies(
    ids: Sequence[list[int]], network: Decoder, *, samples: int, stop: int, device: str,
    generator: torch.Generator | None, longest: int = LONGEST,
) -> list[list[list[int]]]:  # fmt: skip
    """Token ids of several replies to each prompt; without a generator, of the likeliest one each time."""
    width, count = -(-max(map(len, ids)) // 16) * 16, len(ids) * samples
    padded = torch.zeros(len(ids), width, dtype=torch.long)
    for row, one in enumerate(ids):
        padded[row, width - len(one) :] = torch.tensor(one)
    padded = padded.to(device)
    gap = torch.tensor([width - len(one) for one in ids], device=device)
    order = torch.arange(width + longest, device=device)
    inside = order[None, :] >= gap[:, None]
    cache: list[tuple[Tensor, Tensor]] = []
    x = network.words(padded)
    turn = network.turn((order[:width] - gap[:, None]).clamp(min=0), x.dtype)
    seen = inside[:, None, None, :width] & (order[None, :width] <= order[:width, None])
    seen = seen | torch.eye(width, dtype=torch.bool, device=device)  # what fills up must see something
    for layer in network.layers:
        q, k, v = layer.parts(x, turn)
        x = layer.after(x, layer.mixed(q, k, v, seen))
        room = k.new_zeros(count, longest, *k.shape[2:])
        cache.append((*(torch.cat([part.repeat_interleave(samples, 0), room], 1).transpose(1, 2).contiguous()
                        for part in (k, v)),))  # fmt: skip
    last, gap = x[:, -1:].repeat_interleave(samples, 0), gap.repeat_interleave(samples)
    inside = inside.repeat_interleave(samples, 0)
    written = torch.full((count, longest), stop, device=device)
    ended = torch.zeros(count, dtype=torch.bool, device=device)
    for step in range(longest):
        token = _drawn(network.norm(last[:, 0]) @ network.words.weight.T, generator)
        ended |= token == stop
        written[:, step] = torch.where(ended, stop, token)
        if step + 1 == longest or (step % 8 == 7 and bool(ended.all())):
            break
        at = width + step
        x = network.words(written[:, step : step + 1])
        turn = network.turn((at - gap)[:, None], x.dtype)
        unseen = ~(inside & (order <= at))[:, None, None, :]
        for layer, (keys, values) in zip(network.layers, cache, strict=True):
            q, k, v = layer.parts(x, turn)
            keys[:, :, at], values[:, :, at] = k[:, 0], v[:, 0]
            q = q[:, 0].unflatten(1, (layer.shared, -1))  # the heads that share keys, as so many queries
            weights = (q @ keys.transpose(2, 3)) * layer.size**-0.5
            weights = F.softmax(weights.float().masked_fill_(unseen, -torch.inf), -1).to(x.dtype)
            x = layer.after(x, (weights @ values).flatten(1)[:, None])
        last = x
    kept = [row[: row.index(stop)] if stop in row else row for row in written.tolist()]
    return [kept[first : first + samples] for first in range(0, count, samples)]


def _drawn(logits: Tensor, generator: torch.Generator | None) -> Tensor:
    """A token for each row, by its probability at this warmth."""
    if generator is None:
        return logits.argmax(-1)
    noise = torch.empty_like(logits, dtype=torch.float32).exponential_(generator=generator)
    return (F.softmax(logits.float() / WARMTH, -1) / noise).argmax(-1)


def texts_of(rows: Sequence[Row], share: np.ndarray, *, seed: int, shortest: int = 200) -> list[Row]:
    """Some rows of each source whose text is long enough to write about."""
    drawn = np.random.default_rng(seed).random(len(rows))
    return [row for row, wanted in zip(rows, drawn < share, strict=True) if wanted and len(row.evidence) >= shortest]
