"""Measures whether a verifier reasons: who did what, rules and exceptions, plans and deeds, before and after.

    python -m benchmarks.reasoning                  lexical and local side by side
    python -m benchmarks.reasoning local --limit 100

Cases are pairs of a supported claim and its near miss (benchmarks/reasoning_cases.py), written by hand or filled from
templates. A claim passes if its support is at least one half. Intervals: bootstrap over pairs. Nothing is fitted.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from benchmarks.reasoning_cases import Case, hand, made
from benchmarks.verifiers import judge
from faithmeter.datamodels import Claim, Label, Pair
from faithmeter.trust import metrics as stats
from faithmeter.verify import load_verifier

THRESHOLD = 0.5
ORIGINS = ("hand", "template")
Figure = Callable[[Sequence[Case], Sequence[float]], stats.Estimate]


def drawn(cases: Sequence[Case], limit: int | None) -> list[Case]:
    """All cases, or those of a fixed random part of the pairs: about `limit` cases."""
    pairs = sorted({case.pair for case in cases})
    if limit is None or limit >= len(cases):
        return list(cases)
    chosen = set(random.Random(0).sample(pairs, max(1, limit // 2)))
    return [case for case in cases if case.pair in chosen]


def supports(spec: str, cases: Sequence[Case]) -> tuple[str, list[float]]:
    """The verifier's signature, and its support of every case."""
    verifier = load_verifier(spec)
    pairs = [Pair(Claim(text=case.claim, start=0, end=len(case.claim)), case.sample) for case in cases]
    verdicts = asyncio.run(judge(verifier, pairs))
    return verifier.signature, [verdict.support or 0.0 for verdict in verdicts]


def balanced_accuracy(cases: Sequence[Case], support: Sequence[float]) -> stats.Estimate:
    """The mean of the shares found right among the supported and among the near misses."""
    good, passed = _good(cases), np.array(support) >= THRESHOLD
    return _estimate(partial(stats.balanced_accuracy, good, passed), cases)


def auroc(cases: Sequence[Case], support: Sequence[float]) -> stats.Estimate:
    """How well support tells the supported from the near misses, whatever the threshold."""
    return _estimate(partial(stats.auroc, _good(cases), np.array(support)), cases)


def called_supported(cases: Sequence[Case], support: Sequence[float]) -> stats.Estimate:
    """The share that passes."""
    passed = np.array(support) >= THRESHOLD
    return _estimate(lambda weights: np.asarray(weights @ passed / weights.sum(-1)), cases)


def _good(cases: Sequence[Case]) -> stats.Bools:
    return np.array([case.label is Label.SUPPORTED for case in cases], bool)


def _estimate(statistic: stats.Statistic, cases: Sequence[Case]) -> stats.Estimate:
    return stats.bootstrap(statistic, weights=np.ones(len(cases)), units=[case.pair for case in cases])


def table(cases: Sequence[Case], found: dict[str, list[float]]) -> str:
    """Balanced accuracy of all, by origin and by kind, and AUROC of all and by origin."""
    rows: list[tuple[str, ...]] = [("", "cases", *found)]

    def add(title: str, figure: Figure, **wanted: str) -> None:
        at = [n for n, case in enumerate(cases) if all(getattr(case, key) == value for key, value in wanted.items())]
        if at:
            some = [cases[n] for n in at]
            figures = (str(figure(some, [support[n] for n in at])) for support in found.values())
            rows.append((title, str(len(at)), *figures))

    for name, figure in (("balanced accuracy", balanced_accuracy), ("AUROC", auroc)):
        add(f"{name}, all", figure)
        for origin in ORIGINS:
            add(f"{name}, {origin}", figure, origin=origin)
    for label in sorted({case.label for case in cases}):
        add(f"called supported, of {label.replace('_', ' ')}", called_supported, label=label)
    for kind in sorted({case.kind for case in cases}):
        add(kind, balanced_accuracy, kind=kind)
    for origin in ORIGINS:
        for kind in sorted({case.kind for case in cases}):
            add(f"{kind}, {origin}", balanced_accuracy, kind=kind, origin=origin)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def main() -> None:
    """Judge the cases with every verifier that is named, and print the figures side by side."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("verifiers", nargs="*", default=["lexical", "local"], metavar="VERIFIER")
    parser.add_argument("--limit", type=int, help="at most about so many cases, in whole pairs, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the words that fill the templates")
    parser.add_argument("--mistakes", action="store_true", help="print the cases that the last verifier gets wrong")
    given = parser.parse_args()
    cases = drawn([*hand(), *made(seed=given.seed)], given.limit)
    found: dict[str, list[float]] = {}
    for spec in given.verifiers:
        signature, found[spec] = supports(spec, cases)
        print(f"{spec}: {signature}")
    print(f"\n{table(cases, found)}")
    if given.mistakes:
        for case, support in zip(cases, found[given.verifiers[-1]], strict=True):
            if (support >= THRESHOLD) != (case.label is Label.SUPPORTED):
                print(f"\n{case.kind}, {case.pair}: {case.label}, support {support:.2f}: {case.claim}")
                print("\n---\n".join(case.contexts))


if __name__ == "__main__":
    main()
