"""The steps from data to weights; each reads what the one before wrote."""

from __future__ import annotations

import json
import time
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.torch import save_file

from training.fit import UNLABELLED, Answers, Settings, blame_the_worst, predict, train
from training.measure import auroc, worst_by_group
from training.model import SHAPES, Network, load_base, load_network
from training.rows import read_rows, write_rows
from training.tokens import Encoded, encode_rows, load_tokenizer, translate


class Run(NamedTuple):
    """Where a run reads and writes."""

    config: dict[str, Any]
    base: Path
    out: Path
    weights: Path
    device: str

    def settings(self, who: str) -> Settings:
        values = {key: value for key, value in self.config[who].items() if key != "base"}
        return Settings(**{"seed": self.config["seed"], **values})


def build(run: Run) -> None:
    """Write the rows."""
    from training import data

    rows, held = data.build(seed=run.config["seed"], **run.config["data"])
    for name, some in (("train", rows), ("held", held)):
        print(name, len(some), *data.spread(some), sep="\n")
        write_rows(run.out / f"{name}.jsonl.xz", some)
    print("eval", write_rows(run.out / "eval.jsonl.xz", data.build_eval(run.config["data"]["limit"])))


def tokenizer_path(run: Run) -> Path:
    """The student's tokenizer; a tiny model uses it too."""
    return run.base / "minilm" / "tokenizer.json"


ENCODED = ("train", "held", "eval", "held_more", "eval_more")
"""The rows, and the rows kept from training once more as a second reading sees them."""


def encode(run: Run) -> None:
    """Turn the rows into token ids."""
    tokenizer = load_tokenizer(tokenizer_path(run))
    for name in ENCODED:
        begun = time.time()
        rows = list(read_rows(run.out / f"{name.removesuffix('_more')}.jsonl.xz"))
        if name.endswith("_more"):
            rows = [row._replace(evidence=row.more or row.evidence) for row in rows]
        data = encode_rows(rows, tokenizer)
        data.save(run.out / f"{name}.ids.npz")
        print(f"{name}: {len(data)} rows, {len(data.ids) / 1e6:.1f}M tokens, {time.time() - begun:.0f}s", flush=True)


@lru_cache(maxsize=5)
def encoded(path: Path) -> Encoded:
    """Read encoded rows, once for all steps of a run."""
    return Encoded.load(path)


def for_base(data: Encoded, base: str, run: Run) -> Encoded:
    """The same rows in the ids of another base model."""
    if base != "mpnet":
        return Encoded(**vars(data))
    own, other = load_tokenizer(tokenizer_path(run)), load_tokenizer(run.base / base / "tokenizer.json")
    return Encoded(**{**vars(data), "ids": translate(data.ids, own, other)})


def teach(run: Run) -> None:
    """Train the teacher and keep its answers."""
    base = run.config["teacher"]["base"]
    network = load_base(base, run.base / base)
    rows = for_base(encoded(run.out / "train.ids.npz"), base, run)
    rows.weights = np.where(rows.labels == UNLABELLED, 0.0, rows.weights)  # nothing to learn from them yet
    train(network, rows, run.settings("teacher"), device=run.device)
    for name in ENCODED:
        data = encoded(run.out / f"{name}.ids.npz")
        answers = predict(network, for_base(data, base, run), device=run.device, half=run.settings("teacher").half)
        save_answers(run.out / f"teacher_{name}.npz", answers, data)
        if name == "eval":
            report(data, answers)


def fit(run: Run) -> None:
    """Train the student towards the labels and the teacher's answers."""
    base = run.config["student"]["base"]
    _fit(run, load_base(base, run.base / base), run.settings("student"))


def second(run: Run) -> None:
    """Go on from the student with the rate raised again and let fall once more."""
    _fit(run, trained(run), run.settings("second"))


def _fit(run: Run, network: Network, settings: Settings) -> None:
    rows, teacher = encoded(run.out / "train.ids.npz"), load_answers(run.out / "teacher_train.npz")
    print("answers blamed on their worst claim:", blame_the_worst(rows, teacher))
    train(network, rows, settings, device=run.device, teacher=teacher)
    state = {key: value.detach().half().cpu().contiguous() for key, value in network.state_dict().items()}
    save_file(state, run.out / "student.safetensors")
    for name in ENCODED[1:]:
        data = encoded(run.out / f"{name}.ids.npz")
        answers = predict(network, data, device=run.device)
        save_answers(run.out / f"student_{name}.npz", answers, data)
        if name == "eval":
            report(data, answers)


def save_answers(path: Path, answers: Answers, data: Encoded) -> None:
    """Keep answers; of tokens only the claims', in eighths, which is all that a probability needs."""
    tokens = np.clip(np.rint(answers.tokens.astype(np.float32) * 8), -127, 127).astype(np.int8)
    place = np.arange(len(tokens)) - np.repeat(data.starts[:-1], data.lengths)
    tokens[place >= np.repeat(data.claim_ends, data.lengths)] = 0
    np.savez_compressed(path, classes=answers.classes, tokens=tokens)


def load_answers(path: Path) -> Answers:
    """Read what `save_answers` wrote."""
    with np.load(path) as kept:
        return Answers(kept["classes"], kept["tokens"].astype(np.float16) / np.float16(8))


def support_of(classes: np.ndarray) -> np.ndarray:
    """The probability of the first class."""
    return torch.softmax(torch.from_numpy(classes.astype(np.float32)), -1)[:, 0].numpy().astype(float)


def report(data: Encoded, answers: Answers) -> dict[str, float]:
    """Print and return the AUROC of every set; answers by their worst claim."""
    support, sources, good = support_of(answers.classes), np.array(data.sources), data.labels == 0
    figures: dict[str, float] = {}
    in_answers = data.groups >= 0
    for source in sorted(set(data.sources)):
        rows = sources == source
        figures[f"{source} claims" if in_answers[rows].any() else source] = auroc(support[rows], good[rows])
        if in_answers[rows].any():
            _, worst = worst_by_group(support[rows], data.groups[rows])
            _, fine = worst_by_group(good[rows].astype(float), data.groups[rows])
            figures[source] = auroc(worst, fine > 0.5)
    if in_answers.any():
        _, worst = worst_by_group(support[in_answers], data.groups[in_answers])
        _, fine = worst_by_group(good[in_answers].astype(float), data.groups[in_answers])
        figures["answers"] = auroc(worst, fine > 0.5)
    for name, value in figures.items():
        print(f"  {name:44} {value:.4f}", flush=True)
    return figures


def trained(run: Run) -> Network:
    """Load the student."""
    return load_network(Network(SHAPES[run.config["student"]["base"]]), run.out / "student.safetensors")


def export(run: Run) -> None:
    """Write the student as ONNX in fp32 and int8."""
    from training.export import export as write
    from training.export import largest_difference

    network = trained(run)
    for name, int8 in (("model.fp32.onnx", False), ("model.onnx", True)):
        write(network, run.out / name, int8=int8, notes={"name": "faithmeter-local"})
        size = (run.out / name).stat().st_size / 1e6
        print(f"{name}: {size:.1f} MB, largest difference to torch {largest_difference(network, run.out / name):.4f}")


def calibrate(run: Run) -> None:
    """Fit the map from the student's logits to support, on held-out rows."""
    from training.calibrate import fit_calibration

    readings = [load_answers(run.out / f"student_{name}.npz").classes for name in ("held", "held_more")]
    fitted = fit_calibration(readings, list(read_rows(run.out / "held.jsonl.xz")))
    (run.out / "calibration.json").write_text(json.dumps(fitted, indent=1) + "\n")


def ship(run: Run) -> None:
    """Copy what the package needs into it."""
    from training.calibrate import ship as copy

    copy(run.out, tokenizer_path(run), run.weights)
