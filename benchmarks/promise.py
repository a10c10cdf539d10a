"""Measures the promise: does it hold on the other half of labelled answers, and does drift show?

`python -m benchmarks.promise` judges RAGTruth's dev answers once (`--keep FILE` keeps the supports), splits them 200
times in two, makes a promise from the first half and looks at the second: the share of its passed answers that is
unfaithful. A promise is for answers in the long run, and the second half is only a sample of them: it counts as broken
where its share is above the one promised, the stricter reading. Then a promise from one task meets another task.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.accuracy import ANSWERS, read
from faithmeter import DataError, Evaluator, Sample
from faithmeter.trust.promise import Promise, Seen, find_threshold, look

SPLITS = 200


class Answer(NamedTuple):
    """A labelled answer, judged."""

    seen: Seen
    good: bool
    task: str


async def judged(verifier: str, limit: int | None) -> list[Answer]:
    """The dev answers, each with its support."""
    evaluator = Evaluator(verifier=verifier)
    found = []
    for row in read(ANSWERS, limit):
        sample = Sample(question=row["question"], answer=row["answer"], contexts=(row["context"],))
        seen = look(await evaluator.check(sample))
        if seen is not None:
            found.append(Answer(seen, row["label"] == 1, row["task"]))
    return found


def splits(answers: Sequence[Answer], at_most: float) -> bool:
    """Whether promises from one half hold on the other in 95 % of the splits."""
    rng = random.Random(0)
    refused = broken = over = 0
    passed: list[float] = []
    for _ in range(SPLITS):
        mixed = rng.sample(list(answers), len(answers))
        first, second = mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :]
        try:
            threshold = find_threshold([(item.seen.support, item.good) for item in first], at_most=at_most)
        except DataError:
            refused += 1
            continue
        kept = [item.good for item in second if item.seen.support >= threshold]
        passed.append(len(kept) / len(second))
        # in all of the labelled answers, which stand for the long run, and in the second half alone
        everywhere = [item.good for item in answers if item.seen.support >= threshold]
        broken += everywhere.count(False) > at_most * len(everywhere)
        over += kept.count(False) > at_most * len(kept)
    made = SPLITS - refused
    share = sum(passed) / made if made else 0.0
    print(f"at most {at_most:.0%}: {made} promises, {refused} refused; broken in all answers {broken} "
          f"({broken / SPLITS:.1%} of the splits), above it in the second half {over} ({over / SPLITS:.1%}); "
          f"passed on average {share:.0%}")  # fmt: skip
    return broken <= 0.05 * SPLITS


def drift(answers: Sequence[Answer]) -> bool:
    """Whether another task is seen as other answers, and the same task is not."""
    rng = random.Random(0)
    tasks = sorted({item.task for item in answers})
    good = True
    for task in tasks:
        own = [item.seen for item in answers if item.task == task]
        rng.shuffle(own)
        half = len(own) // 2
        promise = Promise(at_most=0.1, threshold=0.5, labels=half, passed=0, unfaithful=0, bound=1, signature="",
                          seen=tuple(own[:half]))  # fmt: skip
        others = {other: promise.drift_of([item.seen for item in answers if item.task == other]) for other in tasks}
        same = promise.drift_of(own[half:])
        flagged = [other for other in tasks if other != task and others[other]]
        print(f"promise from {task}: drift seen in {', '.join(flagged) or 'none'} of the other tasks; "
              f"in the rest of {task}: {'; '.join(same) or 'none'}")  # fmt: skip
        good &= len(flagged) == len(tasks) - 1 and not same
    return good


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--verifier", default="local")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--keep", type=Path, help="a file for the supports; read if it is there")
    parser.add_argument("--at-most", type=float, nargs="+", default=[0.05, 0.1, 0.15, 0.2])
    given = parser.parse_args()
    if given.keep and given.keep.exists():
        rows = [json.loads(line) for line in given.keep.read_text("utf-8").splitlines()]
        answers = [Answer(Seen(*row["seen"]), row["good"], row["task"]) for row in rows]
    else:
        answers = asyncio.run(judged(given.verifier, given.limit))
        if given.keep:
            given.keep.write_text("".join(json.dumps(item._asdict()) + "\n" for item in answers), "utf-8")
    print(f"{len(answers)} answers, {sum(item.good for item in answers)} of them faithful")
    results = [splits(answers, share) for share in given.at_most]
    sys.exit(0 if all([*results, drift(answers)]) else 1)


if __name__ == "__main__":
    main()
