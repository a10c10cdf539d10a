"""Measures the `clauses` extractor: spans of 200 sentences with known parts, and RAGTruth's dev answers.

`python -m benchmarks.clauses spans` builds sentences from parts, so that the right spans are known by construction.
`python -m benchmarks.clauses answers` judges dev answers by their worst clause and by their worst sentence.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.accuracy import ANSWERS, read
from faithmeter import Evaluator, Sample
from faithmeter.intervals import wilson_interval
from faithmeter.text.english.clauses import clauses
from training.measure import auroc

EXACT = 0.90
SUBJECTS = ("The museum", "Maria Lopez", "The Hartford bridge", "Our supplier", "The committee", "Acme Robotics",
            "The northern ferry", "Dr. Chen", "The old library", "This model")  # fmt: skip
PASTS = ("opened a branch in Leeds", "won an award in 2019", "hired forty engineers", "moved to a larger building",
         "lost its licence in May", "received a grant of $2 million", "published two reports on water quality",
         "closed for three weeks", "replaced the heating system", "signed a contract with the city")  # fmt: skip
PRESENTS = ("employs 300 people", "operates in six countries", "offers free tours", "sells spare parts online",
            "has a garden on the roof", "runs on solar power", "costs nine euros", "attracts tourists")  # fmt: skip
PASSIVES = ("was founded in 1921", "was renovated by a local firm", "was named after a poet", "was sold to investors",
            "was damaged in a storm")  # fmt: skip
PARTICIPLES = ("rebuilt in 1990", "painted green", "acquired by a rival in 2004", "moved to the harbour",
               "featured in a documentary")  # fmt: skip
OTHERS = ("the mayor praised the plan", "its rival left the market", "visitors must book ahead", "Tom Baker directs it",
          "the garden is open all year", "it employs 80 people", "they sold it in 2011", "nobody was hurt")  # fmt: skip
APPOSITIONS = ("a retired engineer", "the largest employer in town", "a listed building", "an expert on bees",
               "the oldest of its kind")  # fmt: skip
ITEMS = ("tomatoes", "olive oil", "fresh bread", "two small pianos", "rubber boots", "a map", "free parking",
         "winter coats", "local honey")  # fmt: skip
WHOLES = (
    "She said that the shop closed and the staff left.",
    "If the valve fails, the pump stops and an alarm sounds.",
    "The bread and the cheese come from local farms.",
    "The committee met between May and July.",
    "You can pay by card or leave cash at the desk.",
    "The tour is neither short nor cheap.",
    "The hall was built because the old one burned down and nobody wanted a tent.",
    "The team did not visit the museum and the park.",
    "The walk takes about two hours.",
    "Both the station and the port lie north of the river.",
)


class Made(NamedTuple):
    """A sentence, and the parts it was made of."""

    kind: str
    sentence: str
    spans: tuple[str, ...]


def made(seed: int) -> Iterator[Made]:
    """Sentences of every kind, in turn."""
    rng = random.Random(seed)
    while True:
        subject, first, second = rng.choice(SUBJECTS), *rng.sample(PASTS, 2)
        present, more = rng.sample(PRESENTS, 2)
        other = rng.choice(OTHERS)
        joined = rng.choice([", and ", ", but ", "; ", ", while "])
        yield Made("clauses", f"{subject} {first}{joined}{other}.", (f"{subject} {first}", other))
        yield Made("verbs", f"{subject} {first} and {second}.", (f"{subject} {first}", second))
        yield Made("verbs", f"{subject} {present} and {more}.", (f"{subject} {present}", more))
        passive, participle = rng.choice(PASSIVES), rng.choice(PARTICIPLES)
        yield Made("auxiliary", f"{subject} {passive} and {participle}.", (f"{subject} {passive}", participle))
        inner = f"which {present}" if rng.random() < 0.5 else f"which {first}"
        thing = rng.choice(("The museum", "The old library", "The northern ferry", "This model"))
        whole = f"{thing}, {inner}, {second}"
        yield Made("relative", f"{whole}.", (whole, inner))
        yield Made("relative at the end", f"{subject} visited the museum, {inner}.",
                   (f"{subject} visited the museum", inner))  # fmt: skip
        aside = rng.choice(APPOSITIONS)
        name = rng.choice(("Maria Lopez", "Acme Robotics", "Dr. Chen", "The Hartford bridge"))
        whole = f"{name}, {aside}, {first}"
        yield Made("apposition", f"{whole}.", (whole, aside))
        one, two, three = rng.sample(ITEMS, 3)
        verb = rng.choice(("sells", "offers", "has", "includes"))
        comma = rng.choice((",", ""))
        yield Made("list", f"{subject} {verb} {one}, {two}{comma} and {three}.",
                   (f"{subject} {verb} {one}", two, three))  # fmt: skip
        whole = rng.choice(WHOLES)
        yield Made("whole", whole, (whole,))


def spans(count: int, show: int) -> bool:
    """Whether the spans of nine sentences in ten are exact."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    seen: set[str] = set()
    for case in made(0):
        if not case.spans or (case.sentence in seen and case.kind != "whole"):
            continue
        seen.add(case.sentence)
        found = tuple(case.sentence[part.start : part.end] for part in clauses(case.sentence))
        good = sorted(found) == sorted(case.spans)
        right[case.kind] += good
        total[case.kind] += 1
        if not good and show > 0:
            show -= 1
            print(f"  {case.sentence}\n      {found}")
        if total.total() == count:
            break
    share = right.total() / count
    low, high = wilson_interval(share, count) or (0.0, 1.0)
    print(f"exact spans {share:.1%} ({low:.1%} to {high:.1%}) of {count} sentences")
    for kind, number in total.items():
        print(f"  {kind}: {right[kind]} of {number}")
    return share >= EXACT


async def answers(verifier: str, limit: int | None) -> bool:
    """AUROC of an answer's worst claim, sentences and clauses side by side."""
    rows = read(ANSWERS, limit)
    good = [row["label"] == 1 for row in rows]
    for extractor in ("sentences", "clauses"):
        evaluator = Evaluator(verifier=verifier, extractor=extractor)
        worst, claims = [], 0
        for row in rows:
            sample = Sample(question=row["question"], answer=row["answer"], contexts=(row["context"],))
            result = await evaluator.check(sample)
            claims += len(result.outcomes)
            worst.append(min((v.support for v in result.verdicts if v.support is not None), default=1.0))
        print(f"{extractor}: AUROC {auroc(worst, good):.3f} over {len(rows)} answers, {claims} claims", flush=True)
    return True


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["spans", "answers"])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--verifier", default="local")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    if given.what == "spans":
        sys.exit(0 if spans(given.count, given.show) else 1)
    sys.exit(0 if asyncio.run(answers(given.verifier, given.limit)) else 1)


if __name__ == "__main__":
    main()
