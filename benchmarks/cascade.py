"""How many LLM calls a cascade saves on RAGTruth, with a simulated judge that answers by the human labels.

    python -m benchmarks.cascade                 all answers of the dev half: about an hour on two cores
    python -m benchmarks.cascade --answers 300   a sample of them
    python -m benchmarks.cascade --model lexical another verifier in the middle tier

The claims are the answers' sentences; one that overlaps a hallucinated span is not supported. The judge is always
right, so its own agreement is 100 %, and what the cascade loses is what its first tiers get wrong. Thresholds are
chosen on one half of the sources and measured on the other, both ways round.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import lzma
import os
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.cache.wrapper import Cached
from faithmeter.datamodels import Label, Origin, Outcome, Pair, Sample, Verdict
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.verify import Verifier, load_verifier
from faithmeter.verify.cascade import SURE_SUPPORTED, SURE_UNSUPPORTED, Cascade, Corroborated, Tier
from faithmeter.verify.lexical import LexicalVerifier
from faithmeter.verify.quick_checks import FactVerifier, QuoteVerifier

DATA = Path(os.environ.get("FAITHMETER_DATA", Path(__file__).parents[2] / "shared" / "data"))
LOST = 0.01  # agreement that may be lost


class Judged(NamedTuple):
    """A claim with what the people said of it, and the middle tier's verdict."""

    pair: Pair
    answer: str
    half: int
    task: str
    right: bool
    support: float | None
    label: Label | None


class Labelled:
    """The simulated judge: it knows the human labels."""

    signature = "humans"

    def __init__(self, right: dict[int, bool]) -> None:
        self._right = right
        self.asked: list[Pair] = []

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        self.asked += pairs
        return [
            Verdict(
                claim=pair.claim,
                label=Label.SUPPORTED if self._right[id(pair.claim)] else Label.NOT_ENOUGH_INFO,
                origin=Origin(verifier="humans"),
            )
            for pair in pairs
        ]


async def read(count: int | None, model: str, store: Path) -> list[Judged]:
    """The claims with the middle tier's verdicts, which a cache keeps from run to run."""
    with lzma.open(DATA / "eval" / "ragtruth_answers_dev.jsonl.xz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    rows = random.Random(17).sample(rows, count) if count else rows
    verifier = middle(model, store)
    extractor = SentenceExtractor()
    found = []
    for number, row in enumerate(rows):
        sample = Sample.model_validate(
            {key: row[key] for key in ("question", "answer")} | {"contexts": [row["context"]]}
        )
        pairs = [Pair(claim, sample) for claim in (await extractor.extract(sample)).claims]
        half = hashlib.sha256(str(row["source_id"]).encode()).digest()[0] % 2
        for pair, outcome in zip(pairs, await verifier.verify(pairs), strict=True):
            spans = row["labels"]
            right = not any(span["start"] < pair.claim.end and span["end"] > pair.claim.start for span in spans)
            verdict = outcome if isinstance(outcome, Verdict) else None
            support, label = (verdict.support, verdict.label) if verdict else (None, None)
            found.append(Judged(pair, str(number), half, row["task"], right, support, label))
        if number % 50 == 49:
            print(f"  {number + 1} of {len(rows)} answers", file=sys.stderr)
    return found


def middle(model: str, store: Path) -> Verifier:
    """The middle tier, as `cascade:` builds it, with a cache around the model."""
    return Corroborated(Cached(load_verifier(model), SQLiteStore(store)), LexicalVerifier(metric="tokens"))


def choose(claims: Sequence[Judged], *, lost: float = LOST) -> tuple[float, float]:
    """The thresholds that settle most claims with at most so many wrong, half of them on either side."""
    allowed = lost * len(claims)
    scored = [claim for claim in claims if claim.support is not None]
    best = (0, 1.01, -0.01)
    for share in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        high = _threshold([(c.support or 0, c.right) for c in scored if c.label is Label.SUPPORTED], allowed * share)
        wrong_side = [(1 - (c.support or 0), not c.right) for c in scored if c.label is not Label.SUPPORTED]
        low = 1 - _threshold(wrong_side, allowed * (1 - share))
        settled = sum(_settles(claim, low, high) for claim in scored)
        best = max(best, (settled, high, low))
    return best[2], best[1]


def _threshold(scored: Sequence[tuple[float, bool]], allowed: float) -> float:
    """The lowest score from which on no more than so many are wrong."""
    wrong, threshold = 0, 1.01
    for score, right in sorted(scored, reverse=True):
        wrong += not right
        if wrong > allowed:
            return max(threshold, round(score + 1e-4, 4))
        threshold = score
    return threshold


def _settles(claim: Judged, low: float, high: float) -> bool:
    support = claim.support if claim.support is not None else 0.5
    return support >= high if claim.label is Label.SUPPORTED else support <= low


async def measure(claims: Sequence[Judged], *, low: float, high: float, model: str, store: Path) -> dict[str, float]:
    """Run the real cascade over the claims, answer by answer."""
    judge = Labelled({id(claim.pair.claim): claim.right for claim in claims})
    sure = Tier(middle(model, store), high, low)
    cascade = Cascade([Tier(QuoteVerifier(), 0.9, 0.1), Tier(FactVerifier(), 0.9, 0.1), sure, Tier(judge)])
    answers: dict[str, list[Judged]] = {}
    for claim in claims:
        answers.setdefault(claim.answer, []).append(claim)
    agreed = calls = 0
    by_tier: Counter[int] = Counter()
    for group in answers.values():
        before = len(judge.asked)
        outcomes = await cascade.verify([claim.pair for claim in group])
        calls += len(judge.asked) > before
        by_tier.update(outcome.origin.tier or 0 for outcome in outcomes if isinstance(outcome, Verdict))
        for claim, outcome in zip(group, outcomes, strict=True):
            agreed += isinstance(outcome, Verdict) and (outcome.label is Label.SUPPORTED) == claim.right
    return {
        "claims": len(claims),
        "agreement": agreed / len(claims),
        "claims saved": 1 - len(judge.asked) / len(claims),
        "answers": len(answers),
        "calls saved": 1 - calls / len(answers),
        **{f"tier {tier}": number for tier, number in sorted(by_tier.items())},
    }


def show(name: str, found: dict[str, float]) -> None:
    tiers = ", ".join(f"{int(value):,}" for key, value in found.items() if key.startswith("tier"))
    print(
        f"{name:<38}{int(found['claims']):>7,} claims  agreement {found['agreement']:.2%}  judged without the LLM: "
        f"{found['claims saved']:.1%} of the claims, {found['calls saved']:.1%} of the answers; by tier: {tiers}"
    )


async def run(arguments: argparse.Namespace) -> bool:
    claims = await read(arguments.answers, arguments.model, arguments.store)
    base = sum(claim.right for claim in claims) / len(claims)
    print(f"{len(claims):,} claims, {base:.1%} supported; middle tier: {arguments.model}")
    only = sum((claim.label is Label.SUPPORTED) == claim.right for claim in claims) / len(claims)
    print(f"the middle tier alone: agreement {only:.2%}")
    fine = True
    keys = {"model": arguments.model, "store": arguments.store}
    for half in (0, 1):
        low, high = choose([claim for claim in claims if claim.half == half])
        other = [claim for claim in claims if claim.half != half]
        found = await measure(other, low=low, high=high, **keys)
        show(f"chosen on half {half}: {low:.4f}, {high:.4f}; other half", found)
        fine &= found["agreement"] >= 1 - LOST - 0.005
    low, high = choose(claims)
    show(f"chosen on all: {low:.4f}, {high:.4f}", await measure(claims, low=low, high=high, **keys))
    default = await measure(claims, low=SURE_UNSUPPORTED, high=SURE_SUPPORTED, **keys)
    show(f"the defaults: {SURE_UNSUPPORTED:g}, {SURE_SUPPORTED:g}", default)
    for task in sorted({claim.task for claim in claims}):
        some = [claim for claim in claims if claim.task == task]
        show(f"  {task}", await measure(some, low=SURE_UNSUPPORTED, high=SURE_SUPPORTED, **keys))
    return fine and default["agreement"] >= 1 - LOST


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--answers", type=int, help="only so many, drawn at random")
    parser.add_argument("--model", default="local", help="the middle tier")
    parser.add_argument(
        "--store", type=Path, default=Path("build/cascade.sqlite"), help="keeps the middle tier's verdicts"
    )
    arguments = parser.parse_args()
    sys.exit(0 if asyncio.run(run(arguments)) else 1)


if __name__ == "__main__":
    main()
