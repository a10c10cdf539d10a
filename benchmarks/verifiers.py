"""Measures a verifier against every dev set with human labels: `python -m benchmarks.verifiers lexical local`.

Each verifier's figures go to benchmarks/results/verifier-NAME.json, from which `python -m benchmarks.table` makes the
table. Nothing is fitted: the labels are the verifier's own. Intervals are by bootstrap over contexts, for claims on one
context stand and fall together. Data: ../shared/data, or the folder that FAITHMETER_DATA names.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import lzma
import os
import platform
import random
import re
import time
from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from faithmeter.datamodels import Claim, Context, Label, Pair, Sample, Verdict
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.trust import metrics as stats
from faithmeter.verify import Verifier, load_verifier

DATA = Path(os.environ.get("FAITHMETER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
RESULTS = Path(__file__).parent / "results"
CLAIM_SETS = ("begin_test", "qags_cnndm", "factscore_dev", "attributionbench_test500", "anli_test")
ANSWERS = "ragtruth_answers_dev"
BATCH = 256


class Unit(NamedTuple):
    """A judged claim, or an answer by its worst claim."""

    good: bool
    passed: bool
    support: float
    context: str
    task: str = ""


def read(name: str, limit: int | None, *, folder: str = "eval") -> list[dict[str, Any]]:
    """A dev set or another file of rows, or a fixed random part of it."""
    with lzma.open(DATA / folder / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return rows if limit is None or limit >= len(rows) else random.Random(0).sample(rows, limit)


async def judge(verifier: Verifier, pairs: Sequence[Pair]) -> list[Verdict]:
    """Judge in batches; a benchmark with failures in it would be none."""
    verdicts: list[Verdict] = []
    for begin in range(0, len(pairs), BATCH):
        for outcome in await verifier.verify(pairs[begin : begin + BATCH]):
            if not isinstance(outcome, Verdict):
                raise SystemExit(f"could not be judged: {outcome}")
            verdicts.append(outcome)
    return verdicts


async def claim_units(verifier: Verifier, rows: Sequence[dict[str, Any]]) -> tuple[list[Unit], int]:
    """Judge single claims."""
    pairs = []
    for row in rows:
        question = (row.get("question") or "").removeprefix("Question: ") or None
        sample = Sample(question=question, answer=row["claim"], contexts=(row["context"],))
        pairs.append(Pair(Claim(text=row["claim"], start=0, end=len(row["claim"])), sample))
    verdicts = await judge(verifier, pairs)
    units = [
        Unit(row["label"] == "supported", verdict.label is Label.SUPPORTED, verdict.support or 0.0, row["context"])
        for row, verdict in zip(rows, verdicts, strict=True)
    ]
    return units, len(pairs)


async def answer_units(verifier: Verifier, rows: Sequence[dict[str, Any]]) -> tuple[list[Unit], int]:
    """Judge answers: one is faithful if all its claims are supported, and has the support of its worst claim."""
    pairs: list[Pair] = []
    owners: list[int] = []
    for number, row in enumerate(rows):
        sample = Sample(question=row["question"], answer=row["answer"], contexts=(row["context"],))
        claims = (await SentenceExtractor().extract(sample)).claims
        pairs += [Pair(claim, sample) for claim in claims]
        owners += [number] * len(claims)
    passed, support = [True] * len(rows), [1.0] * len(rows)
    for owner, verdict in zip(owners, await judge(verifier, pairs), strict=True):
        passed[owner] &= verdict.label is Label.SUPPORTED
        support[owner] = min(support[owner], verdict.support or 0.0)
    units = [
        Unit(row["label"] == 1, passed[n], support[n], str(row["source_id"]), row["task"]) for n, row in enumerate(rows)
    ]
    return units, len(pairs)


def figures(units: Sequence[Unit]) -> dict[str, Any]:
    """The figures of a set, each with its interval."""
    good = np.array([unit.good for unit in units], bool)
    passed = np.array([unit.passed for unit in units], bool)
    support = np.array([unit.support for unit in units], float)
    statistics = {
        "balanced_accuracy": partial(stats.balanced_accuracy, good, passed),
        "f1_unfaithful": partial(stats.f1_unfaithful, good, passed),
        "auroc": partial(stats.auroc, good, support),
        "calibration_error": partial(stats.calibration_error, good, support),
    }
    contexts, ones = [unit.context for unit in units], np.ones(len(units))
    found = {name: stats.bootstrap(s, weights=ones, units=contexts)._asdict() for name, s in statistics.items()}
    return {"units": len(units), "unfaithful": int((~good).sum()), **found, "best_cut": best_cut(good, support)}


def best_cut(good: np.ndarray, support: np.ndarray) -> dict[str, float]:
    """The support to cut at for the most balanced accuracy, seen afterwards: what a better calibration might give."""
    ones = np.ones(len(good))
    passed = support >= stats.best_threshold(good, support, ones)
    return {
        "support": float(support[passed].min(initial=1.0)),
        "balanced_accuracy": float(stats.balanced_accuracy(good, passed, ones)),
    }


async def measure(spec: str, *, limit: int | None) -> dict[str, Any]:
    """Every figure of one verifier."""
    verifier = load_verifier(spec)
    await verifier.verify(
        [Pair(Claim(text="Warm.", start=0, end=5), Sample(answer="Warm.", contexts=(Context(text="Warm up."),)))]
    )
    sets: dict[str, dict[str, Any]] = {}
    for name in (ANSWERS, *CLAIM_SETS):
        rows = read(name, limit)
        begun = time.perf_counter()
        units, claims = await (answer_units if name == ANSWERS else claim_units)(verifier, rows)
        speed = {"claims": claims, "seconds": round(time.perf_counter() - begun, 2)}
        sets[name] = figures(units) | speed
        for task in sorted({unit.task for unit in units} - {""}):
            sets[f"{name}: {task}"] = figures([unit for unit in units if unit.task == task])
        print(spec, name, sets[name], flush=True)
    return {
        "kind": "verifier",
        "verifier": spec,
        "signature": verifier.signature,
        "cost_per_1000_claims": 0.0,
        "limit": limit,
        "made": date.today().isoformat(),
        "machine": machine(),
        "command": f"python -m benchmarks.verifiers {spec}" + (f" --limit {limit}" if limit else ""),
        "sets": sets,
    }


def machine() -> str:
    """The machine in a few words."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return f"{cores} cores, {found[1].strip() if found else platform.processor()}, Python {platform.python_version()}"


def main() -> None:
    """Measure the verifiers that are named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("verifiers", nargs="+", metavar="SPEC")
    parser.add_argument("--limit", type=int, help="at most so many rows of each set, drawn at random")
    given = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    for spec in given.verifiers:
        name = re.sub(r"[^\w.=-]+", "-", spec)
        found = asyncio.run(measure(spec, limit=given.limit))
        (RESULTS / f"verifier-{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
