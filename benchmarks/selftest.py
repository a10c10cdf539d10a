"""Runs the self-test on the dev sets: `python -m benchmarks.selftest local`.

Claims come from the answers of RAGTruth's dev half and from the claims that people found supported in the other dev
sets; those that the verifier supports too are corrupted or reworded. Figures go to
benchmarks/results/selftest-NAME.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
from datetime import date
from typing import Any

from benchmarks.verifiers import ANSWERS, RESULTS, machine, read
from faithmeter import Evaluator
from faithmeter.datamodels import Sample
from faithmeter.trust.selftest.measure import KINDS, selftest

CLAIM_SETS = ("factscore_dev", "begin_test", "attributionbench_test500", "qags_cnndm")


def samples(limit: int | None) -> list[Sample]:
    """Answers, and supported claims as answers of one claim."""
    found = [
        Sample(id=f"ragtruth-{n}", question=row["question"], answer=row["answer"], contexts=(row["context"],))
        for n, row in enumerate(read(ANSWERS, limit))
    ]
    for name in CLAIM_SETS:
        rows = [row for row in read(name, None) if row["label"] == "supported"]
        rows = random.Random(0).sample(rows, min(len(rows), limit or len(rows)))
        found += [Sample(id=f"{name}-{n}", answer=r["claim"], contexts=(r["context"],)) for n, r in enumerate(rows)]
    return found


def main() -> None:
    """Test the verifiers that are named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("verifiers", nargs="+", metavar="SPEC")
    parser.add_argument("--per-kind", type=int, default=200)
    parser.add_argument("--limit", type=int, help="claims come from at most so many rows of each set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--examples", type=int, default=5, help="mistakes of each kind to keep")
    given = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    for spec in given.verifiers:
        evaluator = Evaluator(verifier=spec)
        tested = asyncio.run(
            selftest(samples(given.limit), evaluator=evaluator, per_kind=given.per_kind, kinds=KINDS, seed=given.seed)
        )
        kinds: list[dict[str, Any]] = [item.as_dict(examples=given.examples) for item in tested.values()]
        for kind in kinds:
            print(f"{kind['kind']:13} {kind['share']} {kind['interval']} of {kind['judged']}")
            for example in kind["examples"]:
                print(f"    {example['support']}  {example['changed']}\n        was: {example['claim']}")
            kind.pop("examples")  # they quote the data sets, which are not ours to keep
        found = {
            "kind": "selftest",
            "verifier": spec,
            "signature": evaluator.verifier.signature,
            "made": date.today().isoformat(),
            "machine": machine(),
            "command": f"python -m benchmarks.selftest {spec} --per-kind {given.per_kind}"
            + (f" --limit {given.limit}" if given.limit else ""),
            "kinds": kinds,
        }
        name = re.sub(r"[^\w.=-]+", "-", spec)
        (RESULTS / f"selftest-{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
