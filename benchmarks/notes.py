"""Measures what the notes are worth that code writes for the network: `python -m benchmarks.notes`.

Claims of the files of training data, and of the cases that were written one by one, for which `verify/notes` writes
something, judged by the embedded network with and without it. The network has learnt from most of these rows, without
notes, but not from the written cases that are held; nothing was fitted to how they are written but the rules of where a
note is.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np

from benchmarks.verifiers import DATA, read
from faithmeter.evidence.passages import Index, as_text, select
from faithmeter.trust import metrics
from faithmeter.verify.local import CLAIM_AT_MOST, Calibration, Model, load_model, read_calibration
from faithmeter.verify.local_features import mismatches, setting_of
from faithmeter.verify.notes import with_kin, with_limits, with_orders
from training.written import all_cases

WRITERS = {"limits": with_limits, "families": with_kin, "orders": with_orders}
VITAMINC = ("vitaminc_real_test", "vitaminc_synthetic_test")


class Asked(NamedTuple):
    """A claim about a context."""

    source: str
    context: str
    claim: str
    good: bool


class Case(NamedTuple):
    """A claim with what is read of its context, without a kind of notes and with it."""

    kind: str
    good: bool
    claim: str
    plain: str
    noted: str


def asked(limit: int | None) -> Iterator[Asked]:
    """The claims of all claim files, or of some rows of each, and of all written cases; those of a context together."""
    names = sorted(path.name.split(".")[0] for path in (DATA / "train").glob("*.jsonl.xz"))
    for name in names:
        if "answers" not in name:
            source = "VitaminC" if name in VITAMINC else "other files"
            for row in sorted(read(name, limit, folder="train"), key=lambda row: str(row["context"])):
                yield Asked(source, row["context"], row["claim"], row["label"] == "supported")
    for case in all_cases()[:limit]:
        source = "written, held" if case.held else "written, learnt"
        for world, context in enumerate(case.texts):
            for *labels, claim in case.claims:
                yield Asked(source, context, claim, labels[world] == "supported")


def cases(limit: int | None) -> Iterator[Case]:
    """The claims that a note is written for, once for each kind of notes."""
    for context, some in groupby(asked(limit), lambda one: one.context):
        index = Index([context])
        for one in some:
            plain = as_text(select(one.claim, index))
            for name, writer in WRITERS.items():
                noted = writer(plain, one.claim)
                if noted != plain:
                    yield Case(f"{name}, {one.source}", one.good, one.claim, plain, noted)


def support(model: Model, calibration: Calibration, case: Case, read: str) -> float:
    """What the network makes of what it reads, and code of what stands there."""
    ids = model.tokenizer.encode(case.claim, add_special_tokens=False).ids[:CLAIM_AT_MOST]
    classes, _ = model.logits(ids, "", read)
    return calibration.support(classes, mismatches(case.claim, case.plain), setting_of(case.claim, case.plain))


def main() -> None:
    """Print the figures with and without notes, side by side."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--limit", type=int, help="at most so many rows of each file, and so many written cases")
    found = list(cases(parser.parse_args().limit))
    model, calibration = load_model(), read_calibration()
    print(f"{'':33} claims  supported  balanced accuracy  AUROC")
    for kind in sorted({case.kind for case in found}):
        some = [case for case in found if case.kind == kind]
        good, ones = np.array([case.good for case in some]), np.ones((1, len(some)))
        for name in ("plain", "noted"):
            supports = np.array([support(model, calibration, case, getattr(case, name)) for case in some])
            balanced = metrics.balanced_accuracy(good, supports >= calibration.threshold, ones)[0]
            area = metrics.auroc(good, supports, ones)[0]
            print(f"{kind:25} {name:7} {len(some):6}  {good.mean():9.3f}  {balanced:17.3f}  {area:.3f}")


if __name__ == "__main__":
    main()
