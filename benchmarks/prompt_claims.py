"""Labelled claims to measure a judge's prompt on: so many of each set, half of them supported, the same every time."""

from __future__ import annotations

import json
import lzma
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.builder import claims_of, span_label

SETS = {
    "ragtruth": "ragtruth_answers_dev",
    "begin": "begin_test",
    "qags": "qags_cnndm",
    "factscore": "factscore_dev",
    "attribution": "attributionbench_test500",
    "anli": "anli_test",
}
LONGEST = 1100  # words of a context: what a small model's window holds beside a prompt
ANSWERED = 66  # contexts of RAGTruth, each with six answers, whose sentences are the claims


@dataclass(frozen=True, slots=True)
class Labelled:
    """A claim on a context, and whether people found it supported."""

    id: str
    set: str
    claim: str
    context: str
    question: str | None
    supported: bool
    asked: bool
    """Whether it is one of those that count; the others only fill a call."""


def load(folder: Path, sets: Sequence[str], count: int, *, seed: int = 19) -> list[Labelled]:
    """Draw `count` claims of each set, and give them with all the others on their contexts."""
    found = []
    for name in sets:
        rng = random.Random(f"{name} {seed}")
        rows = list(_claims(folder / f"{SETS[name]}.jsonl.xz", rng))
        rng.shuffle(rows)
        halves = [[n for n, row in enumerate(rows) if row["supported"] is kind] for kind in (True, False)]
        chosen = {*halves[0][: (count + 1) // 2], *halves[1][: count // 2]}
        contexts = {rows[n]["context"] for n in chosen}
        found += [
            Labelled(id=f"{name}-{n}", set=name, asked=n in chosen, **row)
            for n, row in enumerate(rows)
            if row["context"] in contexts
        ]
    return found


def calls(claims: Sequence[Labelled], size: int) -> list[list[Labelled]]:
    """The claims that count, `size` of one context together; others on the same context fill a call up."""
    on: dict[tuple[str, str, str | None], list[Labelled]] = defaultdict(list)
    for claim in claims:
        # A question belongs to its claims: two claims go together only if they answer the same one.
        on[claim.set, claim.context, claim.question].append(claim)
    made = []
    for some in on.values():
        others = [claim for claim in some if not claim.asked]
        asked = [claim for claim in some if claim.asked]
        for start in range(0, len(asked), size):
            part = asked[start : start + size]
            call = [*part, *others[: size - len(part)]]
            random.Random(call[0].id).shuffle(call)
            made.append(call)
    return made


def _claims(path: Path, rng: random.Random) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if len(row["context"].split()) <= LONGEST]
    if "answer" in rows[0]:
        yield from _of_answers(rows, rng)
        return
    for row in rows:
        claim = " ".join(row["claim"].split())
        yield _row(claim, row, row["label"] == "supported")


def _of_answers(rows: list[dict[str, Any]], rng: random.Random) -> Iterator[dict[str, Any]]:
    contexts = sorted({row["context"] for row in rows})
    drawn = set(rng.sample(contexts, min(ANSWERED, len(contexts))))
    seen: set[tuple[str, str]] = set()
    for row in rows:
        for claim in claims_of(row["answer"], row["context"]) if row["context"] in drawn else ():
            text = " ".join(claim.text.split())
            if len(text.split()) > 3 and (text, row["context"]) not in seen:
                seen.add((text, row["context"]))
                yield _row(text, row, span_label(claim, row["labels"])[0] == "supported")


def _row(claim: str, row: dict[str, Any], supported: bool) -> dict[str, Any]:
    return {
        "claim": claim,
        "context": row["context"],
        "question": row.get("question") or None,
        "supported": supported,
    }
