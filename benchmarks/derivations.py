"""Proof by code on made cases: `python -m benchmarks.derivations [--seed N] [--show]`.

Each case is a context, a claim that follows from it by arithmetic, and near-miss twins that do not: a wrong value, the
value of another row, another operation, another unit. A third of the templates (`held`) was not looked at while the
rules were written. Proven: the claim itself comes out as holding. False proof: a twin does.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence

from benchmarks.derivation_cases import TEMPLATES, Case, Template
from faithmeter.datamodels import Context
from faithmeter.evidence.passages import Index
from faithmeter.verify.derive import derive

CASES = 500


def cases(count: int = CASES, *, seed: int = 1) -> list[tuple[Template, Case]]:
    """The templates in turn, until there are enough."""
    rng = random.Random(seed)
    return [(template, template.make(rng)) for template in (TEMPLATES[i % len(TEMPLATES)] for i in range(count))]


def judged(context: str, claim: str) -> bool | None:
    """Whether a claim is proven or refuted; None if neither."""
    found = derive(claim, Index([context]), [Context(text=context)])
    return None if found is None else found.holds


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--show", action="store_true", help="print what failed, but for held-back templates")
    parser.add_argument("--held", action="store_true", help="with --show: the held-back ones, too")
    options = parser.parse_args(arguments)
    counts: Counter[tuple[str, str]] = Counter()
    for template, case in cases(options.cases, seed=options.seed):
        visible = options.show and (options.held or not template.held)
        verdict = judged(case.context, case.claim)
        for part in (template.kind, "all", "held back" if template.held else "seen"):
            counts[part, "cases"] += 1
            counts[part, "proven"] += verdict is True
            counts[part, "wrongly refuted"] += verdict is False
        if visible and not verdict:
            print(f"{template.name}: {verdict}\n   {case.context!r}\n   {case.claim}")
        for kind, twin in case.twins:
            verdict = judged(case.context, twin)
            for part in (template.kind, "all", "held back" if template.held else "seen"):
                counts[part, "twins"] += 1
                counts[part, "falsely proven"] += verdict is True
                counts[part, "refuted"] += verdict is False
            if visible and verdict:
                print(f"{template.name}: FALSE PROOF of {kind}\n   {case.context!r}\n   {twin}")
    columns = ["cases", "proven", "wrongly refuted", "twins", "refuted", "falsely proven"]
    print("| part | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    for part in ["all", "seen", "held back", *sorted({t.kind for t in TEMPLATES})]:
        print(f"| {part} | " + " | ".join(str(counts[part, column]) for column in columns) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
