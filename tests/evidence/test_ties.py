"""Evidence that ties is the same in every process, whatever the seed of the hashes."""

from __future__ import annotations

import os
import subprocess
import sys

LOOK = """
from faithmeter.evidence.passages import Index, best_evidence, select

one = "apple brick candle dragon engine lantern mirror needle".split()
two = "feather garden hammer island jacket kettle oyster pepper".split()
claim = " ".join(one + two) + "."
# Both have eight words of the claim, as rare one by one: the same sum, if it is taken in the same order.
tied = [" ".join(words).capitalize() + "." for words in (one, two)]
rarer = [f"Here {first} and {second} stand beside number {n}."
         for n, (first, second) in enumerate(zip(one, two)) for _ in range(n)]
towers = [f"The tower in {town} has a red roof, a clock, a bell and a well."
          for town in "Ulm Oslo Bern Cork Lyon Bath Graz Pisa Kiel York".split()]
for claim, contexts in [
    (claim, [" ".join([*tied, *rarer])]),
    (claim, [tied[1], *rarer, tied[0]]),
    ("The tower has a red roof, a bell, a well and a clock.", towers),
]:
    index = Index(contexts)
    print([p.number for share in (1.0, 0.3, 0.15) for p in select(claim, index, share=share)],
          [p.number for p in best_evidence(claim, index, among=index.passages)])
"""
"""Prints which passages are chosen for claims that many passages bear out alike."""


def test_evidence_that_ties_is_the_same_under_every_hash_seed() -> None:
    looks = [
        subprocess.run(
            [sys.executable, "-c", LOOK], env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in range(5)
    ]  # fmt: skip
    assert len(looks[0].splitlines()) == 3
    assert set(looks) == {looks[0]}
