"""Measures a verifier on answers over several retrieved passages that are near neighbours.

    python -m benchmarks.retrieved                  lexical and local side by side
    python -m benchmarks.retrieved local --mistakes

Another product, tier, year, version or person stands beside the one that was asked about, and most wrong sentences say
of one what the passages say of the other. Language models wrote passages and answers (benchmarks/retrieved/), in the
form of `training/answered.py`; none of it may be used in training. A claim passes if its support is at least one half.
Intervals: bootstrap over sets of passages. Nothing is fitted.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.verifiers import judge
from faithmeter.datamodels import Claim, Label, Pair, Sample
from faithmeter.trust import metrics as stats
from faithmeter.verify import load_verifier
from training.answered import read_answers
from training.builder import span_label, told

FOLDER = Path(__file__).parent / "retrieved"
THRESHOLD = 0.5


class Case(NamedTuple):
    """A claim of an answer, and whether the passages support it."""

    kind: str
    claim: Claim
    sample: Sample
    label: str


def cases(folder: Path = FOLDER) -> Iterator[Case]:
    """The claims of all answers, file by file."""
    for path in sorted(folder.glob("*.txt")):
        for row in read_answers(path, {}):
            sample = Sample(answer=row["answer"], contexts=row["contexts"], question=row["question"])
            for claim, _ in told(row):
                yield Case(path.stem.replace("_", " "), claim, sample, span_label(claim, row["labels"])[0])


def figures(some: Sequence[Case], support: Sequence[float]) -> tuple[stats.Estimate, ...]:
    """Balanced accuracy, AUROC, and the shares of right claims that pass and of wrong ones that do not."""
    good = np.array([case.label == Label.SUPPORTED for case in some])
    passed = np.array(support) >= THRESHOLD
    statistics: tuple[stats.Statistic, ...] = (
        partial(stats.balanced_accuracy, good, passed),
        partial(stats.auroc, good, np.array(support)),
        partial(stats.specificity, good, passed),
        partial(stats.recall, good, passed),
    )
    units = [case.sample.contexts[0].text for case in some]
    return tuple(stats.bootstrap(one, weights=np.ones(len(some)), units=units) for one in statistics)


def main() -> None:
    """Judge the claims with every verifier that is named, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("verifiers", nargs="*", default=["lexical", "local"], metavar="VERIFIER")
    parser.add_argument("--mistakes", action="store_true", help="print the claims that the last verifier gets wrong")
    given = parser.parse_args()
    every = list(cases())
    support: list[float] = []
    for spec in given.verifiers:
        verifier = load_verifier(spec)
        verdicts = asyncio.run(judge(verifier, [Pair(case.claim, case.sample) for case in every]))
        support = [verdict.support or 0.0 for verdict in verdicts]
        print(f"{spec}: {verifier.signature}")
        for kind in (None, *sorted({case.kind for case in every})):
            at = [number for number, case in enumerate(every) if kind in (None, case.kind)]
            accuracy, ranks, right, wrong = figures([every[n] for n in at], [support[n] for n in at])
            print(f"  {kind or 'all'}, {len(at)} claims: balanced accuracy {accuracy}, AUROC {ranks}")
            print(f"    right ones passed {right}, wrong ones caught {wrong}")
    for case, value in zip(every, support, strict=True) if given.mistakes else ():
        if (value >= THRESHOLD) != (case.label == Label.SUPPORTED):
            print(f"\n{case.kind}: {case.label}, support {value:.2f}: {case.claim.text}")
            print("\n---\n".join(context.text for context in case.sample.contexts))


if __name__ == "__main__":
    main()
