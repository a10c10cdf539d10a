"""Measures whether the words that are marked are the wrong ones: characters, precision, recall and F1.

    python -m benchmarks.spans ragtruth --limit 200     the spans that people marked in RAGTruth's dev answers
    python -m benchmarks.spans edits --limit 300        words that `training/corrupt.py` exchanged in supported claims

RAGTruth: over all answers together, the characters of unsupported words (a whole claim where nothing in it is marked)
against those that people marked. Edits: claims of the dev sets that people found supported, with one edit each whose
words are known; over those that the verifier does not support, by kind. `marked by the verifier` is what it gives,
`as shown` what the user sees: whole words and phrases, and the exact words where code can tell them.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.selftest import CLAIM_SETS
from benchmarks.verifiers import ANSWERS, judge, read
from faithmeter.datamodels import Claim, Label, Pair, Sample, Verdict
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.results import Result
from faithmeter.trust.agreement import unfaithful_parts
from faithmeter.verify import Verifier, load_verifier
from faithmeter.why import explained
from training.corrupt import KINDS

Spans = Iterable[Sequence[int]]


class Characters:
    """Characters marked by one side, by the other, and by both."""

    def __init__(self) -> None:
        self.marked = self.meant = self.both = 0

    def add(self, marked: Spans, meant: Spans) -> None:
        ours = {place for start, end in marked for place in range(start, end)}
        theirs = {place for start, end in meant for place in range(start, end)}
        self.marked += len(ours)
        self.meant += len(theirs)
        self.both += len(ours & theirs)

    def __str__(self) -> str:
        precision, recall = self.both / max(1, self.marked), self.both / max(1, self.meant)
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        return f"precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}"


def ragtruth(verifier: Verifier, limit: int | None) -> None:
    """Print the figures on answers in which people marked spans."""
    rows = read(ANSWERS, limit)
    samples = [Sample(question=r["question"], answer=r["answer"], contexts=(r["context"],)) for r in rows]
    pairs = [
        Pair(claim, sample) for sample in samples for claim in asyncio.run(SentenceExtractor().extract(sample)).claims
    ]
    judged: dict[int, list[Verdict]] = defaultdict(list)
    for pair, verdict in zip(pairs, asyncio.run(judge(verifier, pairs)), strict=True):
        judged[id(pair.sample)].append(verdict)
    raw, shown, conflicts = Characters(), Characters(), Characters()
    tasks: dict[str, Characters] = defaultdict(Characters)
    flags: dict[str, Counter[str]] = defaultdict(Counter)
    for row, sample in zip(rows, samples, strict=True):
        verdicts = judged[id(sample)]
        meant = [(label["start"], label["end"]) for label in row["labels"]]
        found = explained(verdicts, sample)
        raw.add(unfaithful_parts(_result(sample, verdicts)), meant)
        parts = unfaithful_parts(_result(sample, found))
        shown.add(parts, meant)
        tasks[row["task"]].add(parts, meant)
        flags[row["task"]].update(_flag(verdict, meant) for verdict in verdicts)
        against = [(x["start"], x["end"]) for x in row["labels"] if "Conflict" in x["label_type"]]
        conflicts.add(_conflicts(found), against)
    print(f"{len(rows)} answers, {len(pairs)} claims")
    print(f"marked by the verifier  {raw}")
    print(f"as shown                {shown}")
    print(f"told as contradicted    {conflicts}")
    for task in sorted(tasks):
        seen = flags[task]
        print(f"{task:10} as shown     {tasks[task]}   {tasks[task].meant:6} characters marked by people, "
              f"{tasks[task].marked:6} by us; claims flagged rightly {seen['hit']}, wrongly {seen['false']}, "
              f"missed {seen['missed']}")  # fmt: skip


def _flag(verdict: Verdict, meant: Spans) -> str:
    """Whether a claim is flagged, and whether people marked any of it."""
    marked = any(start < verdict.claim.end and verdict.claim.start < end for start, end in meant)
    if verdict.label is Label.SUPPORTED:
        return "missed" if marked else "passed"
    return "hit" if marked else "false"


def _conflicts(found: Sequence[object]) -> list[tuple[int, int]]:
    return [
        (verdict.claim.start + start, verdict.claim.start + end)
        for verdict in found
        if isinstance(verdict, Verdict)
        for start, end in verdict.conflicts
    ]


def _result(sample: Sample, outcomes: Sequence[object]) -> Result:
    return Result.model_construct(sample=sample, outcomes=tuple(outcomes))


def edits(verifier: Verifier, limit: int | None, seed: int) -> None:
    """Print the figures on claims with an edit that is known."""
    rng = random.Random(seed)
    rows = [row for name in CLAIM_SETS for row in read(name, None) if row["label"] == "supported"]
    rng.shuffle(rows)
    made: list[Any] = []
    kinds = list(KINDS)
    for row in rows:
        kind = kinds[len(made) % len(kinds)]
        corrupted = KINDS[kind](row["claim"], row["context"], rng)
        if corrupted and corrupted.text != row["claim"]:
            sample = Sample(answer=corrupted.text, contexts=(row["context"],))
            claim = Claim(text=corrupted.text, start=0, end=len(corrupted.text))
            made.append((kind, Pair(claim, sample), corrupted.marks))
        if limit is not None and len(made) >= limit:
            break
    verdicts = asyncio.run(judge(verifier, [pair for _, pair, _ in made]))
    raw: dict[str, Characters] = defaultdict(Characters)
    shown: dict[str, Characters] = defaultdict(Characters)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for (kind, pair, marks), verdict in zip(made, verdicts, strict=True):
        caught = verdict.label is not Label.SUPPORTED
        (found,) = explained([verdict], pair.sample)
        assert isinstance(found, Verdict)
        for name in (kind, "all"):
            counts[name][0] += caught
            counts[name][1] += 1
            if caught:
                whole = ((0, len(verdict.claim.text)),)
                raw[name].add(verdict.gaps or whole, marks)
                shown[name].add(found.gaps or whole, marks)
    for name in (*kinds, "all"):
        if counts[name][0]:
            print(f"{name:10} caught {counts[name][0]:4} of {counts[name][1]:4}   by the verifier {raw[name]}")
            print(f"{'':10}                       as shown {shown[name]}")


def main() -> None:
    """Measure one of the two."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("measured", choices=["ragtruth", "edits"])
    parser.add_argument("--verifier", default="local")
    parser.add_argument("--limit", type=int, help="so many answers, or edits")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    verifier = load_verifier(given.verifier)
    if given.measured == "ragtruth":
        ragtruth(verifier, given.limit)
    else:
        edits(verifier, given.limit, given.seed)


if __name__ == "__main__":
    main()
