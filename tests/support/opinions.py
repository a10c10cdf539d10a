"""A run and labels whose truth is known: answers of numbered claims, a judge that errs at a known rate."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from faithmeter import Evaluator
from faithmeter.datamodels import Label, Origin, Outcome, Pair, Sample, Verdict
from faithmeter.results import Result
from faithmeter.runtime import sync
from faithmeter.trust.human_labels import HumanLabel


class Erring:
    """Reads the truth off the claim, and errs: support is drawn around it, skewed, the same for the same claim."""

    signature = "erring.1"

    def __init__(self, *, spread: float = 0.25, seed: int = 0) -> None:
        self.spread = spread
        self.seed = seed

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        return [self._judge(pair) for pair in pairs]

    def _judge(self, pair: Pair) -> Verdict:
        rng = random.Random(f"{self.seed} {pair.sample.id} {pair.claim.text}")
        centre = 0.45 if "true" in pair.claim.text else 0.2  # skewed: what is true rarely reaches 0.5
        support = min(1.0, max(0.0, rng.gauss(centre, self.spread / 2)))
        label = Label.SUPPORTED if support >= 0.5 else Label.NOT_ENOUGH_INFO
        return Verdict(claim=pair.claim, label=label, support=round(support, 4), origin=Origin(verifier="erring"))


class Wavering(Erring):
    """Errs otherwise each time it is asked."""

    signature = "wavering.1"

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        self.seed += 1
        return await super().verify(pairs)


def wavering() -> Wavering:
    """What `python:support.opinions:wavering` builds."""
    return Wavering()


def answers(count: int, *, false: float = 0.3, seed: int = 0, claims: int = 4) -> list[Sample]:
    """Answers whose claims say themselves whether they are true."""
    rng = random.Random(seed)

    def sentence(n: int, k: int) -> str:
        return f"Fact {k} of answer {n} is {'false' if rng.random() < false else 'true'}."

    return [
        Sample(id=f"a{n}", answer=" ".join(sentence(n, k) for k in range(claims)), contexts=["Facts."])
        for n in range(count)
    ]


async def _judged(samples: Sequence[Sample], verifier: Erring) -> list[Result]:
    return [result async for result in Evaluator(verifier=verifier).stream(samples)]


def judged(samples: Sequence[Sample], verifier: Erring | None = None) -> list[Result]:
    """The judge's results."""
    return sync.run(_judged(samples, verifier or Erring()))


def labelled(results: Sequence[Result], *, by: str = "ana") -> list[HumanLabel]:
    """A label for every claim, by somebody who is always right."""
    return [
        HumanLabel(
            sample=result.sample.id,
            claim=verdict.claim.text,
            start=verdict.claim.start,
            end=verdict.claim.end,
            label="supported" if "true" in verdict.claim.text else "contradicted",
            by=by,
        )
        for result in results
        for verdict in result.verdicts
    ]


def write_results(path: Path, results: Sequence[Result]) -> str:
    """A results file."""
    path.write_text("".join(result.model_dump_json() + "\n" for result in results), encoding="utf-8")
    return str(path)


def write_labels(path: Path, labels: Sequence[HumanLabel]) -> str:
    """A label file."""
    path.write_text("".join(label.model_dump_json() + "\n" for label in labels), encoding="utf-8")
    return str(path)
