"""Measures the embedded verifier, as shipped, against human labels: `python -m benchmarks.accuracy`.

Reads the dev sets under FAITHMETER_DATA (default ../shared/data). Nothing is fitted here: the threshold is the one in
the weights' calibration, which comes from training data alone. An answer is as good as its worst claim.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import lzma
import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from faithmeter.datamodels import Claim, Failure, Label, Pair, Sample
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.verify.local import WEIGHTS, LocalVerifier
from training.measure import auroc, balanced_accuracy, calibration_error, f1_of_bad

DATA = Path(os.environ.get("FAITHMETER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
CLAIM_SETS = ("begin_test", "qags_cnndm", "factscore_dev", "attributionbench_test500", "anli_test")
ANSWERS = "ragtruth_answers_dev"


class Judged(NamedTuple):
    """One judged unit (a claim, or an answer by its worst claim) and whether people call it good."""

    support: float
    good: bool
    kind: str = ""
    unit: str = ""
    """What is drawn as a whole when an interval is estimated: claims on one context stand and fall together."""


def read(name: str, limit: int | None) -> list[dict[str, Any]]:
    """Read a dev set, or a fixed random part of it."""
    with lzma.open(DATA / "eval" / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return rows if limit is None or limit >= len(rows) else random.Random(0).sample(rows, limit)


def judge_claims(verifier: LocalVerifier, rows: Sequence[dict[str, Any]]) -> list[Judged]:
    """Judge single claims."""
    pairs = []
    for row in rows:
        question = (row.get("question") or "").removeprefix("Question: ") or None
        sample = Sample(question=question, answer=row["claim"], contexts=(row["context"],))
        pairs.append(Pair(Claim(text=row["claim"], start=0, end=len(row["claim"])), sample))
    supports = _supports(verifier, pairs)
    return [
        Judged(support, row["label"] == Label.SUPPORTED, unit=row["context"])
        for support, row in zip(supports, rows, strict=True)
    ]


def judge_answers(verifier: LocalVerifier, rows: Sequence[dict[str, Any]]) -> list[Judged]:
    """Judge answers by their worst claim; an answer without claims has nothing wrong in it."""
    pairs: list[Pair] = []
    owners: list[int] = []
    for number, row in enumerate(rows):
        sample = Sample(question=row["question"], answer=row["answer"], contexts=(row["context"],))
        claims = asyncio.run(SentenceExtractor().extract(sample)).claims
        pairs += [Pair(claim, sample) for claim in claims]
        owners += [number] * len(claims)
    worst = [1.0] * len(rows)
    for owner, support in zip(owners, _supports(verifier, pairs), strict=True):
        worst[owner] = min(worst[owner], support)
    return [
        Judged(support, row["label"] == 1, row["task"], str(row["source_id"]))
        for support, row in zip(worst, rows, strict=True)
    ]


def _supports(verifier: LocalVerifier, pairs: Sequence[Pair]) -> list[float]:
    outcomes = asyncio.run(verifier.verify(pairs))
    failed = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    if failed:
        raise SystemExit(f"{len(failed)} of {len(pairs)} claims could not be judged; the first: {failed[0]}")
    return [outcome.support or 0.0 for outcome in outcomes if not isinstance(outcome, Failure)]


def interval(judged: Sequence[Judged], figure: Callable[[Sequence[Judged]], float], draws: int = 200) -> str:
    """A figure with its 95 % interval, by drawing whole contexts with replacement."""
    units: dict[str, list[Judged]] = {}
    for item in judged:
        units.setdefault(item.unit, []).append(item)
    names, rng = sorted(units), random.Random(0)
    values = []
    for _ in range(draws):
        drawn = [item for name in rng.choices(names, k=len(names)) for item in units[name]]
        if len({item.good for item in drawn}) == 2:
            values.append(figure(drawn))
    low, high = np.quantile(values, [0.025, 0.975])
    return f"{figure(judged):.3f} ({low:.3f} to {high:.3f})"


def figures(threshold: float) -> dict[str, Callable[[Sequence[Judged]], float]]:
    """The figures, as functions of judged units."""

    def split(judged: Sequence[Judged]) -> tuple[Any, Any]:
        return np.array([item.support for item in judged]), np.array([item.good for item in judged])

    return {
        "AUROC": lambda judged: auroc(*split(judged)),
        "F1 of unfaithful": lambda judged: f1_of_bad(*split(judged), threshold),
        "balanced accuracy": lambda judged: balanced_accuracy(*split(judged), threshold),
        "calibration error": lambda judged: calibration_error(*split(judged)),
    }


def measure(verifier: LocalVerifier, *, limit: int | None = None) -> list[tuple[str, int, dict[str, str]]]:
    """Judge every dev set and give a row of figures for each."""
    measures = figures(verifier.calibration.threshold)
    table = []
    answers = judge_answers(verifier, read(ANSWERS, limit))
    for name in ("", "QA", "Summary", "Data2txt"):
        some = [item for item in answers if not name or item.kind == name]
        row = {key: interval(some, value) for key, value in measures.items() if key != "calibration error"}
        table.append((f"RAGTruth answers {name}".strip(), len(some), row))
        print(table[-1], flush=True)
    for name in CLAIM_SETS:
        judged = judge_claims(verifier, read(name, limit))
        table.append((name, len(judged), {key: interval(judged, value) for key, value in measures.items()}))
        print(table[-1], flush=True)
    return table


def main() -> None:
    """Print the figures as a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--limit", type=int, help="at most so many rows of each set")
    options = parser.parse_args()
    verifier = LocalVerifier(folder=options.weights)
    begun = time.time()
    table = measure(verifier, limit=options.limit)
    columns = list(figures(0.5))
    print(f"\n{verifier.signature}, threshold {verifier.calibration.threshold:g}, {time.time() - begun:.0f} s\n")
    print("| set | n | " + " | ".join(columns) + " |\n|---|---|" + "---|" * len(columns))
    for name, count, row in table:
        print(f"| {name} | {count} | " + " | ".join(row.get(column, "") for column in columns) + " |")


if __name__ == "__main__":
    main()
