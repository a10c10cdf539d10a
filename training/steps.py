"""The steps from data to weights; each reads what the one before wrote."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.torch import save_file

from training.fit import UNLABELLED, Answers, Settings, blame_the_worst, predict, train
from training.measure import auroc, worst_by_group
from training.model import SHAPES, Network, load_base, load_network
from training.rows import Row, read_rows, write_rows
from training.tokens import Encoded, encode_rows, load_tokenizer, translate


class Run(NamedTuple):
    """Where a run reads and writes."""

    config: dict[str, Any]
    base: Path
    out: Path
    weights: Path
    device: str

    def settings(self, who: str) -> Settings:
        values = {key: value for key, value in self.config[who].items() if key not in ("base", "seeds", "part")}
        return Settings(**{"seed": self.config["seed"], **values})


def build(run: Run) -> None:
    """Write the rows."""
    from training import data

    rows, held = data.build(seed=run.config["seed"], **run.config["data"])
    for name, some in (("train", rows), ("held", held)):
        print(name, len(some), *data.spread(some), sep="\n")
        write_rows(run.out / f"{name}.jsonl.xz", some)
    roles = data.build_roles(seed=run.config["seed"], **run.config["roles"]["data"])
    print("roles", write_rows(run.out / "roles.jsonl.xz", roles), *data.spread(roles), sep="\n")
    skills, held_skills = data.build_skills(seed=run.config["seed"], **run.config["skills"]["data"])
    for name, some in (("skills", skills), ("held_skills", held_skills)):
        print(name, write_rows(run.out / f"{name}.jsonl.xz", some), *data.spread(some), sep="\n")
    print("eval", write_rows(run.out / "eval.jsonl.xz", data.build_eval(run.config["data"]["limit"])))


def tokenizer_path(run: Run) -> Path:
    """The student's tokenizer; a tiny model uses it too."""
    return run.base / "minilm" / "tokenizer.json"


ENCODED = ("train", "eval")


def encode(run: Run) -> None:
    """Turn the rows into token ids."""
    tokenizer = load_tokenizer(tokenizer_path(run))
    for name in (*ENCODED, "roles", "skills", "held_skills"):
        begun = time.time()
        data = encode_rows(list(read_rows(run.out / f"{name}.jsonl.xz")), tokenizer)
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


@lru_cache(maxsize=1)
def lessons(out: Path) -> tuple[Encoded, Answers]:
    """What the student learns from: the rows, bad answers blamed on one claim each, and the teacher's answers."""
    rows, teacher = Encoded.load(out / "train.ids.npz"), load_answers(out / "teacher_train.npz")
    print("answers blamed on their worst claim:", blame_the_worst(rows, teacher))
    return rows, teacher


def teach(run: Run) -> None:
    """Train a teacher from each seed that has not given its answers yet, and keep the mean of all answers."""
    seeds = run.config["teacher"]["seeds"]
    for seed in seeds:
        if not (run.out / f"teacher{seed}_train.npz").exists():
            _teach(run, seed)
    for name in ENCODED:
        data = encoded(run.out / f"{name}.ids.npz")
        mean = mean_answers([load_answers(run.out / f"teacher{seed}_{name}.npz") for seed in seeds], data)
        save_answers(run.out / f"teacher_{name}.npz", mean, data)
        if name == "eval":
            report(data, mean)


def _teach(run: Run, seed: int) -> None:
    base = run.config["teacher"]["base"]
    settings = replace(run.settings("teacher"), seed=seed)
    network = load_base(base, run.base / base)
    rows = for_base(encoded(run.out / "train.ids.npz"), base, run)
    rows.weights = np.where(rows.labels == UNLABELLED, 0.0, rows.weights)  # nothing to learn from them yet
    train(network, rows, settings, device=run.device)
    for name in reversed(ENCODED):
        data = encoded(run.out / f"{name}.ids.npz")
        answers = predict(network, for_base(data, base, run), device=run.device, half=settings.half)
        if name == "eval":
            report(data, answers)
        save_answers(run.out / f"teacher{seed}_{name}.npz", answers, data)


def mean_answers(some: list[Answers], data: Encoded) -> Answers:
    """The mean of answers, on each row of those that were asked: rows may have been added since the first was."""
    found = []
    for count, kind in ((len(data), "classes"), (len(data.ids), "tokens")):
        given = [getattr(answers, kind).astype(np.float32) for answers in some]
        total, asked = np.zeros((count, *given[0].shape[1:]), np.float32), np.zeros(count, np.float32)
        for values in given:
            total[: len(values)] += values
            asked[: len(values)] += 1
        found.append((total.T / asked).T.astype(np.float16))
    return Answers(*found)


def fit(run: Run) -> None:
    """Train the student towards the labels and the teacher's answers."""
    base = run.config["student"]["base"]
    _fit(run, load_base(base, run.base / base), run.settings("student"))


def second(run: Run) -> None:
    """Go on from the student with the rate raised again, and keep a point on the way between the two."""
    before = trained(run).state_dict()
    network = _fit(run, trained(run), run.settings("second"))
    after = network.cpu().state_dict()
    part = run.config["second"]["part"]
    network.load_state_dict({key: torch.lerp(value, after[key], part) for key, value in before.items()})
    _keep(run, network)


def roles(run: Run) -> None:
    """Learn who did what to whom, and forget nothing else.

    On all other rows the student is its own teacher, with some of the teachers' opinion. Several runs of different
    weights go on from it; their mean wavers less than any of them, and `part` of the way there is kept.
    """
    first = encoded(run.out / "train.ids.npz")
    rows = first + encoded(run.out / "roles.ids.npz")
    rows.labels[: len(first)] = UNLABELLED  # labels are for the rows on roles
    own = predict(trained(run), rows, device=run.device)
    taught = load_answers(run.out / "teacher_train.npz").classes
    weights, after = rows.weights, []
    for number, one in enumerate(run.config["roles"]["runs"]):
        factors = one["weights"]
        rows.weights = weights * np.array([factors.get(source, factors["*"]) for source in rows.sources], np.float32)
        classes = own.classes.copy()
        classes[: len(first)] = _between(own.classes[: len(first)], taught, one["teachers"])
        settings = Settings(**{"seed": run.config["seed"], **run.config["roles"]["settings"], **one["settings"]})
        network = trained(run)
        train(network, rows, settings, device=run.device, teacher=Answers(classes, own.tokens))
        after.append(network.cpu().state_dict())
        print("run", number, flush=True)
    part, network = run.config["roles"]["part"], trained(run)
    mean = {key: torch.stack([state[key] for state in after]).mean(0) for key in after[0]}
    network.load_state_dict({key: torch.lerp(value, mean[key], part) for key, value in network.state_dict().items()})
    _keep(run, network)


def _between(one: np.ndarray, other: np.ndarray, share: float) -> np.ndarray:
    """Logits of the probabilities between two answers."""
    first, second = (torch.softmax(torch.from_numpy(classes.astype(np.float32)), -1) for classes in (one, other))
    mean: np.ndarray = torch.lerp(first, second, share).clamp(min=1e-5).log().numpy().astype(np.float16)
    return mean


def _fit(run: Run, network: Network, settings: Settings) -> Network:
    rows, teacher = lessons(run.out)
    train(network, rows, settings, device=run.device, teacher=teacher)
    _keep(run, network)
    return network


def _keep(run: Run, network: Network) -> None:
    state = {key: value.detach().half().cpu().contiguous() for key, value in network.state_dict().items()}
    save_file(state, run.out / "student.safetensors")
    data = encoded(run.out / "eval.ids.npz")
    report(data, predict(network, data, device=run.device))


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


def answer(run: Run) -> None:
    """Let the int8 graph read the held-out rows that calibrate it, each as the two readings of a verdict see it."""
    from training.calibrate import chosen

    rows = chosen(list(read_rows(run.out / "held.jsonl.xz")), seed=run.config["seed"])
    write_rows(run.out / "calibration_rows.jsonl.xz", rows)
    again = [number for number, row in enumerate(rows) if row.more]
    second = [rows[number]._replace(evidence=rows[number].more) for number in again]
    first, more = (_read(run, some) for some in (rows, second))
    both = np.stack([first, first])
    both[1, again] = more
    np.savez(run.out / "answers.npz", classes=both)


def _read(run: Run, rows: list[Row]) -> np.ndarray:
    """The graph's class logits, from as many processes as there are cores."""
    from training.export import read_with

    count = min(os.cpu_count() or 1, len(rows))
    if not count:
        return np.zeros((0, 3), np.float32)
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        parts = [rows[begin::count] for begin in range(count)]
        found = pool.map(read_with, [run.out / "model.onnx"] * count, [tokenizer_path(run)] * count, parts)
        classes = np.zeros((len(rows), 3), np.float32)
        for begin, part in enumerate(found):
            classes[begin::count] = part
    return classes


def calibrate(run: Run) -> None:
    """Fit the map from the student's logits to support, on held-out rows."""
    from training.calibrate import fit_calibration

    with np.load(run.out / "answers.npz") as kept:
        fitted = fit_calibration(kept["classes"], list(read_rows(run.out / "calibration_rows.jsonl.xz")))
    (run.out / "calibration.json").write_text(json.dumps(fitted, indent=1) + "\n")


def ship(run: Run) -> None:
    """Copy what the package needs into it."""
    from training.calibrate import ship as copy

    copy(run.out, tokenizer_path(run), run.weights)
