"""Fits the map from logits to `support`, and puts the finished weights into the package."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from faithmeter.verify.local import MARGIN_AT_MOST, WEIGHTS
from faithmeter.verify.local_features import mismatches, setting_of
from training.fit import UNLABELLED
from training.measure import Floats, auroc, calibration_error
from training.rows import Row

ROUNDS = 200
FITS = 4
GENERATED = {
    "ragtruth", "silver", "summedits", "factscore", "wice_claim_oracle", "diasumfact", "attributionbench", "begin",
    "finegrained_rlhf", "factcg_cg2c_doc", "factcg_cg2c_musique", "faithdial_audit",
    "answered", "answered_records", "answered_retrieved",
}  # fmt: skip
"""Sources whose claims were generated from, or written about, a given text: what a user's claims look like."""
MISTAKEN = 2.0
"""Weight of a date with another day, a number with another unit, or an amount turned round: too rare in held-out rows
to be fitted. Of the 41 such dates there 38 are unsupported, of the 21 such numbers 19; of 194 such amounts in a third
of the claim files and answers 175."""
OF_ANOTHER = 4.0
"""Weight of a number that the evidence says of something else, too rare to be fitted as well: of 58 such claims in
held-out and training rows, all are unsupported. And of a thing that is someone else's there."""
NUMBER_AT_LEAST = 0.75
"""Least weight of a number that the evidence has not. The fit gives about 0.3, for NLI is full of numbers that follow
from others ("more than 300" from 312), which answers seldom have."""
RECORDS_AT_LEAST = 0.7
"""Least that evidence from records adds. The network tells made records apart too well (AUROC .994) for them to say
where one half should lie on real ones, so the value of the fit before them is kept."""
ROWS_A_SOURCE = 200
"""What a source counts for at most."""
ANSWERS_COUNT = 3
"""How many times the other sources the RAG answers that people labelled count."""
UNLIKE_USE = 0.1
"""Weight of text that was not generated from a source: made corruptions and records, and NLI written to mislead."""
WRITTEN_USE = 0.3
"""Weight of each kind of the cases that were written one by one, which are like what people try a verifier with."""
SURE = 0.7
"""Support with which a brief first reading is enough: of 4,762 held-out claims AUROC is .899 and balanced accuracy .815
from .8 down to here, and falls below."""
LOST = 0.25
"""Support below which the next best passages are not read: from 0 to .35 the same figures of these claims stay as they
are to .001, and fewer are read again (12 % of them, and 5 % here)."""


def features(classes: Floats, rows: Sequence[Row]) -> Floats:
    """What `Calibration.support` weighs: the margin, the share of words held, what is missing, the setting; and what is
    mistaken, whose weight is not fitted."""
    wide = classes.astype(float)
    margin = np.clip(wide[:, 0] - np.logaddexp(wide[:, 1], wide[:, 2]), -MARGIN_AT_MOST, MARGIN_AT_MOST)
    lacking = np.array([mismatches(row.claim, row.evidence, hint=row.hint) for row in rows], float).reshape(-1, 8)
    settings = np.array([setting_of(row.claim, row.evidence, hint=row.hint) for row in rows], float).reshape(-1, 3)
    return np.column_stack([margin, lacking[:, 0], -lacking[:, 1:3], settings, -lacking[:, 3:]])


def fit_logistic(inputs: Floats, good: np.ndarray, weights: Floats) -> Floats:
    """Weighted logistic regression by Newton's method; the last coefficient is the intercept."""
    x = np.column_stack([inputs, np.ones(len(inputs))])
    beta = np.zeros(x.shape[1])
    for _ in range(ROUNDS):
        p = 1 / (1 + np.exp(-x @ beta))
        gradient = x.T @ (weights * (good - p)) - 1e-3 * beta
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + 1e-3 * np.eye(x.shape[1])
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if np.abs(step).max() < 1e-9:
            break
    return beta


def chosen(rows: Sequence[Row], *, seed: int) -> list[Row]:
    """The rows that calibration is fitted on: all of the labelled claims like a user's, and some of each other kind."""

    def most(source: str) -> int:
        return 1200 if source in GENERATED else 50 if source.startswith("skill_") else 120

    return some_of_each(rows, most, seed=seed)


def some_of_each(rows: Sequence[Row], most: Callable[[str], int], *, seed: int) -> list[Row]:
    """Some labelled rows of each source, at most so many."""
    by_source: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.label != UNLABELLED:
            by_source[row.source].append(row)
    rng = random.Random(seed)
    found = []
    for source in sorted(by_source):
        found += rng.sample(by_source[source], min(len(by_source[source]), most(source)))
    return found


def balance(rows: Sequence[Row]) -> Floats:
    """Weigh rows: each source up to a middling size, answers that people labelled more, text unlike them less.

    Support is the chance where a claim is as likely to hold as not, so that one half is where to cut: in every source
    the supported claims count as much as the others; among answers that people got, the good ones as much as the bad.
    """
    fine = {row.group: True for row in rows}
    for row in rows:
        if row.label:
            fine[row.group] = False
    by_answer = ("ragtruth", "silver")  # of the answers that were written to be marked nearly all are bad
    kinds = [(row.source, fine[row.group] if row.source in by_answer else row.label == 0) for row in rows]
    counts = Counter(kinds)
    return np.array([_worth(source) / 2 / max(counts[source, kind], LEAST) for source, kind in kinds])


LEAST = 25
"""Rows of a kind below which a source counts for less."""


def _worth(source: str) -> float:
    unlike = WRITTEN_USE if source.startswith("skill_written_") else UNLIKE_USE
    return ROWS_A_SOURCE * (ANSWERS_COUNT if source == "ragtruth" else 1.0 if source in GENERATED else unlike)


def fit_calibration(readings: Floats, rows: Sequence[Row]) -> dict[str, float]:
    """Fit the weights of `Calibration.support` on held-out rows.

    A claim is judged as at inference, by the better of two readings. Which is the better depends on the weights: they
    are fitted on the first reading, and then on the better ones until that settles. Thresholds are not fitted: support
    is a probability, and what is more likely supported than not is called supported; between contradicted and not
    enough information the curve is flat from .5 to .76 (balanced accuracy .896 to .901).
    """
    labels, weights = np.array([row.label for row in rows]), balance(rows)
    seen = [rows, [row._replace(evidence=row.more or row.evidence) for row in rows]]
    inputs = np.stack([features(classes, some) for classes, some in zip(readings, seen, strict=True)])
    good, better = labels == 0, np.zeros(len(rows), int)
    every = np.arange(len(rows))
    for _ in range(FITS):
        fitted = fit_logistic(inputs[better, every][:, :7], good, weights)
        fitted[2], fitted[4] = max(fitted[2], NUMBER_AT_LEAST), max(fitted[4], RECORDS_AT_LEAST)
        margins = inputs @ np.array([*fitted[:7], MISTAKEN, MISTAKEN, MISTAKEN, OF_ANOTHER, OF_ANOTHER]) + fitted[7]
        better = margins.argmax(0)
    support = 1 / (1 + np.exp(-margins.max(0)))
    names = ("scale", "share", "numbers", "names", "records", "question", "length", "shift")
    found = {**dict(zip(names, fitted, strict=True)), "dates": MISTAKEN, "units": MISTAKEN, "amounts": MISTAKEN,
             "subjects": OF_ANOTHER, "owners": OF_ANOTHER, "threshold": 0.5,
             "contradiction": 0.5, "sure": SURE, "lost": LOST}  # fmt: skip
    rounded = {key: round(float(value), 4) for key, value in found.items()}
    print("calibration", rounded)
    _report(support, good, rows, rounded["threshold"])
    return rounded


def _report(support: Floats, good: np.ndarray, rows: Sequence[Row], threshold: float) -> None:
    """Print how the held-out rows fare: calibration error, and the share flagged of each source."""
    print(f"  held-out calibration error {calibration_error(support, good):.3f}")
    for source in sorted({row.source for row in rows}):
        some = np.array([row.source == source for row in rows])
        area = auroc(support[some], good[some])
        print(f"  {source:28} n {some.sum():5d} good {good[some].mean():.2f}"
              f" flagged {(support[some] < threshold).mean():.3f} AUROC {area:.3f}")  # fmt: skip


def ship(out: Path, tokenizer: Path, folder: Path = WEIGHTS) -> None:
    """Copy graph and tokenizer into the package, and write the calibration with the graph's hash.

    The rules of marked words stay as they are until `fit_marks` finds better ones.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(out / "model.onnx", folder / "model.onnx")
    shutil.copyfile(tokenizer, folder / "tokenizer.json")
    fitted = json.loads((out / "calibration.json").read_text())
    digest = hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    path = folder / "calibration.json"
    before = json.loads(path.read_text()) if path.exists() else {}
    rules = {name: before[name] for name in ("prose", "in_records") if name in before}
    path.write_text(json.dumps({"model": digest[:12], **fitted, **rules}, indent=1) + "\n")
