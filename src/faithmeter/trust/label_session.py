"""Labelling claims: which ones, in which order, and where the labels go.

The uncertain come first, for they teach most, but not only they: claims are drawn at random, the uncertain at a
higher rate. Each label keeps the rate, so that figures can be weighted back to all claims (`labels.Gold.weight`):
every claim gets a random key, exponential with its rate; the queue is sorted by key, and after n labels a claim with
rate r was drawn with probability 1 - exp(-r t), where t is the key of the first claim not drawn (bottom-k sampling:
Cohen and Kaplan, PODC 2007). Everybody gets the same queue, so that the first claims are labelled by everybody.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from faithmeter.data import jsonl
from faithmeter.data.files import append_line
from faithmeter.datamodels import Verdict
from faithmeter.errors import DataError, UsageError
from faithmeter.results import Result
from faithmeter.trust.human_labels import HumanLabel, Word, read_labels

LEAST = 0.1  # the rate of a claim that the judge is certain of; 1 is that of one it is most uncertain about
WORDS: tuple[Word, ...] = tuple(word for word in get_args(Word) if word != "not_supported")


class QueueItem(NamedTuple):
    """A claim in the queue."""

    result: Result
    verdict: Verdict
    rate: float
    bound: float | None
    """The key of the claim after it; None for the last."""

    @property
    def name(self) -> tuple[str, str, int, int]:
        """What a label of it is about."""
        claim = self.verdict.claim
        return self.result.sample.id, claim.text, claim.start, claim.end


def make_queue(results: Iterable[Result], *, seed: int = 0) -> list[QueueItem]:
    """The judged claims of a run in the order of labelling."""
    keyed = []
    for result in results:
        for verdict in result.verdicts:
            rate = _rate(verdict)
            name = repr((seed, result.sample.id, verdict.claim.text, verdict.claim.start)).encode()
            chance = (int.from_bytes(hashlib.sha256(name).digest()[:8]) + 1) / 2**64
            keyed.append((-math.log(chance) / rate, rate, result, verdict))
    keyed.sort(key=lambda entry: entry[0])
    bounds = [key for key, *_ in keyed[1:]] + [None]
    return [
        QueueItem(result, verdict, rate, bound) for (_, rate, result, verdict), bound in zip(keyed, bounds, strict=True)
    ]


def _rate(verdict: Verdict) -> float:
    if verdict.support is None:
        return 1.0
    return round(LEAST + (1 - LEAST) * (1 - abs(2 * verdict.support - 1)), 4)


class Session:
    """One person at work on a queue; each label is on disk before the next claim is shown."""

    def __init__(self, items: Sequence[QueueItem], path: str | Path, *, by: str, count: int, source: str = "") -> None:
        if not items:
            raise DataError("there are no judged claims to label")
        self.items = list(items)[:count]
        self.path = Path(path)
        if self.path.suffix.lower() in (".csv", ".tsv"):
            raise UsageError(f"{path}: labels are added as JSON lines; give a name that ends in .jsonl")
        self.by = by
        self.source = source
        """The file of results that the claims are from, for what to do next."""
        self._lock = threading.Lock()
        self.labels: dict[tuple[str, str, int, int], Word] = {}
        if self.path.exists() and self.path.stat().st_size:
            for label in read_labels(self.path):
                if label.by == by and label.start is not None and label.end is not None:
                    self.labels[label.sample, label.claim or "", label.start, label.end] = label.label

    @property
    def done(self) -> int:
        """How many of the queue have a label by this person."""
        return sum(item.name in self.labels for item in self.items)

    def next(self) -> int | None:
        """The index of the first claim without a label; None when all have one."""
        return next((index for index, item in enumerate(self.items) if item.name not in self.labels), None)

    def label(self, index: int, word: Word, *, note: str = "") -> None:
        """Keep what the person says; if a claim is labelled again, the last label counts."""
        item = self.items[index]
        sample, claim, start, end = item.name
        label = HumanLabel(
            sample=sample, claim=claim, start=start, end=end, label=word, by=self.by, note=note, rate=item.rate,
            bound=item.bound,
        )  # fmt: skip
        line = jsonl.encode(label.model_dump(exclude_none=True, exclude_defaults=True))
        with self._lock:
            append_line(self.path, line)
            self.labels[item.name] = word

    def next_steps(self) -> list[tuple[str, str]]:
        """What the labels are for: what to do, and the command."""
        files = f"{self.source or 'RESULTS'} --labels {self.path}"
        return [
            ("How far can the judge be trusted?", f"faithmeter agree {files}"),
            ("Fit its threshold to your labels:", f"faithmeter calibrate {files} -o profile.json"),
        ]

    def state(self, index: int | None = None) -> dict[str, Any]:
        """What the page shows: a claim with its answer and contexts, or that all is done."""
        index = self.next() if index is None else index
        base = {
            "total": len(self.items),
            "done": self.done,
            "by": self.by,
            "path": str(self.path),
            "next": self.next_steps(),
            "place": index,
        }
        if index is None or not 0 <= index < len(self.items):
            return base | {"place": None}
        item = self.items[index]
        sample, claim = item.result.sample, item.verdict.claim
        chosen = self.labels.get(item.name)
        return base | {
            "sample": sample.id,
            "question": sample.question or "",
            "answer": [
                sample.answer[: claim.start],
                sample.answer[claim.start : claim.end],
                sample.answer[claim.end :],
            ],
            "claim": claim.text,
            "contexts": [
                {"id": context.id, "parts": _parts(context.text, n, item, chosen=chosen is not None)}
                for n, context in enumerate(sample.contexts)
            ],
            "label": chosen,
        }


def _parts(text: str, context_index: int, item: QueueItem, *, chosen: bool) -> list[tuple[str, bool]]:
    """A context in parts, each with whether the judge looked there: a hint, shown only after a label is chosen."""
    spans = sorted((e.start, e.end) for e in item.verdict.evidence if e.context == context_index and chosen)
    parts, last = [], 0
    for start, end in spans:
        if start >= last:
            parts += [(text[last:start], False), (text[start:end], True)]
            last = end
    return [(part, mark) for part, mark in [*parts, (text[last:], False)] if part]
