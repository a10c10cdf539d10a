"""Measures what it is worth that code compares amounts for the network: `python -m benchmarks.limits`.

Claims of the files of training data whose amounts `verify/limits.py` sets beside those of their context, judged by the
embedded network with and without its notes. The network has learnt from most of these rows, without notes; nothing was
fitted to how they are written but the rules of where one is.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np

from benchmarks.verifiers import DATA, read
from faithmeter.evidence.passages import Index, as_text, select
from faithmeter.trust import metrics
from faithmeter.verify.limits import with_limits
from faithmeter.verify.local import CLAIM_AT_MOST, Calibration, Model, load_model, read_calibration
from faithmeter.verify.local_features import mismatches, setting_of

ALIKE = {"vitaminc_real_test": "VitaminC", "vitaminc_synthetic_test": "VitaminC"}
"""Files of one kind; of all others the figures are taken together."""


class Case(NamedTuple):
    """A claim with what is read of its context, without notes and with them."""

    kind: str
    good: bool
    claim: str
    plain: str
    noted: str


def cases(limit: int | None) -> Iterator[Case]:
    """The claims that a note is written for, of all claim files, or of some rows of each."""
    names = sorted(path.name.split(".")[0] for path in (DATA / "train").glob("*.jsonl.xz"))
    for name in names:
        if "answers" in name:
            continue
        rows = sorted(read(name, limit, folder="train"), key=lambda row: str(row["context"]))
        for context, asked in groupby(rows, lambda row: row["context"]):
            index = Index([context])
            for row in asked:
                plain = as_text(select(row["claim"], index))
                noted = with_limits(plain, row["claim"])
                if noted != plain:
                    yield Case(ALIKE.get(name, "other files"), row["label"] == "supported", row["claim"], plain, noted)


def support(model: Model, calibration: Calibration, case: Case, read: str) -> float:
    """What the network makes of what it reads, and code of what stands there."""
    ids = model.tokenizer.encode(case.claim, add_special_tokens=False).ids[:CLAIM_AT_MOST]
    classes, _ = model.logits(ids, "", read)
    return calibration.support(classes, mismatches(case.claim, case.plain), setting_of(case.claim, case.plain))


def main() -> None:
    """Print the figures with and without notes, side by side."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--limit", type=int, help="at most so many rows of each file")
    found = list(cases(parser.parse_args().limit))
    model, calibration = load_model(), read_calibration()
    print(f"{'':20} claims  supported  balanced accuracy  AUROC")
    for kind, count in Counter(case.kind for case in found).most_common():
        some = [case for case in found if case.kind == kind]
        good, ones = np.array([case.good for case in some]), np.ones((1, count))
        for name in ("plain", "noted"):
            supports = np.array([support(model, calibration, case, getattr(case, name)) for case in some])
            balanced = metrics.balanced_accuracy(good, supports >= calibration.threshold, ones)[0]
            area = metrics.auroc(good, supports, ones)[0]
            print(f"{kind:12} {name:7} {count:6}  {good.mean():9.3f}  {balanced:17.3f}  {area:.3f}")


if __name__ == "__main__":
    main()
