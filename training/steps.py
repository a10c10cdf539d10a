"""The steps from data to weights; each reads what the one before wrote."""

from __future__ import annotations

import json
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from training.crossed import cross
from training.fit import UNLABELLED, Answers, Settings, blame_the_worst, predict, train
from training.floats import floats
from training.measure import auroc, worst_by_group
from training.model import SHAPES, Network, load_base, load_network
from training.rows import BLURRED, CROSSED, REPLIED, Row, read_rows, write_rows
from training.tokens import Encoded, encode_all, load_tokenizer, translate


class Run(NamedTuple):
    """Where a run reads and writes."""

    config: dict[str, Any]
    base: Path
    out: Path
    weights: Path
    device: str

    def settings(self, who: str) -> Settings:
        other = ("base", "from", "weights", "asked", "layers", "ask_seconds")
        values = {key: value for key, value in self.config[who].items() if key not in other}
        return Settings(**{"seed": self.config["seed"], **values})


def build(run: Run) -> None:
    """Write the rows."""
    from training import data

    seed = run.config["seed"]
    rows, held = data.build(seed=seed, **run.config["data"])
    skills, held_skills = data.build_skills(seed=seed, **run.config["skills"])
    parts = {
        "train": rows,
        "held": held + held_skills,
        "roles": data.build_roles(seed=seed, **run.config["roles"]),
        "skills": skills,
        "eval": list(data.build_eval(run.config["data"]["limit"])),
    }
    rng = np.random.default_rng(seed)
    parts |= {name: thinned(parts[name], run.config.get("keep", {}), rng) for name in LESSONS if name in parts}
    for name in (CROSSED, REPLIED):  # those of an earlier run are not to be learnt from
        (run.out / f"{name}.jsonl.xz").unlink(missing_ok=True)
    if shares := run.config.get("crossed"):
        every = [row for name in LESSONS if name in parts for row in parts[name]]
        copies = np.floor(by_source([row.source for row in every], shares) + rng.random(len(every))).astype(int)
        parts[CROSSED] = list(cross(every, copies.tolist(), seed=run.config.get("crossed_seed", seed)))
    for name, some in parts.items():
        print(name, write_rows(run.out / f"{name}.jsonl.xz", some), *data.spread(some), sep="\n")


def thinned(rows: list[Row], keep: dict[str, float], rng: np.random.Generator) -> list[Row]:
    """Leave out some rows of sources that have more than there is time for; `keep` has the share of each that stays."""
    stays = rng.random(len(rows)) < by_source([row.source for row in rows], keep)
    return [row for row, stay in zip(rows, stays, strict=True) if stay]


def tokenizer_path(run: Run) -> Path:
    """The student's tokenizer; a tiny model uses it too."""
    return run.base / "minilm" / "tokenizer.json"


LESSONS = ("train", "roles", "skills", CROSSED, REPLIED)
"""The files of rows that are learnt from."""


def encode(run: Run) -> None:
    """Turn the rows into token ids."""
    for name in ("eval", *LESSONS):
        if (path := run.out / f"{name}.jsonl.xz").exists():
            data = encode_all(list(read_rows(path)), tokenizer_path(run))
            data.save(run.out / f"{name}.part.npz")
            (run.out / f"{name}.part.npz").rename(run.out / f"{name}.ids.npz")  # others wait for it
            print(f"{name}: {len(data)} rows, {len(data.ids) / 1e6:.1f}M tokens", flush=True)


@lru_cache(maxsize=5)
def encoded(path: Path) -> Encoded:
    """Read encoded rows, once for all steps of a run."""
    return Encoded.load(path)


@lru_cache(maxsize=1)
def lessons(out: Path) -> Encoded:
    """All rows that are learnt from, in one."""
    paths = [out / f"{name}.ids.npz" for name in LESSONS]
    return Encoded.join([encoded(path) for path in paths if path.exists()])


def for_base(data: Encoded, base: str, run: Run) -> Encoded:
    """The same rows in the ids of another base model."""
    if base != "mpnet":
        return Encoded(**vars(data))
    own, other = load_tokenizer(tokenizer_path(run)), load_tokenizer(run.base / base / "tokenizer.json")
    return Encoded(**{**vars(data), "ids": translate(data.ids, own, other)})


def weighed(data: Encoded, factors: dict[str, float]) -> Encoded:
    """The same rows with some sources drawn more or less often; a name may end in `*`."""
    weights = data.weights * by_source(data.sources, factors).astype(np.float32)
    return Encoded(**{**vars(data), "weights": weights})


def by_source(sources: list[str], factors: dict[str, float]) -> np.ndarray:
    """The factor of each row's source; 1 where none is given."""
    known = {source: _factor(source, factors) for source in set(sources)}
    return np.array([known[source] for source in sources])


def _factor(source: str, factors: dict[str, float]) -> float:
    starts = [name for name in factors if name.endswith("*") and source.startswith(name[:-1])]
    return factors.get(source, factors[max(starts, key=len)] if starts else 1.0)


def reply(run: Run) -> None:
    """Let the language model write about the rows' texts, if the config says about which."""
    if (tutor := _tutor(run)) and "replies" in run.config:
        tutor.reply(run)


def group(run: Run) -> None:
    """Put the claims about one text together, if the teacher is a language model."""
    if tutor := _tutor(run):
        tutor.prepare(run)


def _tutor(run: Run) -> ModuleType | None:
    """The steps of the teacher, if it is a language model."""
    if run.config["teacher"]["base"] in SHAPES:
        return None
    from training import tutor

    return tutor


def teach(run: Run) -> None:
    """Train the teacher on every labelled row, from its base or, with `from`, from one that was kept."""
    if tutor := _tutor(run):
        return tutor.teach(run)  # type: ignore[no-any-return]
    config, settings = run.config["teacher"], run.settings("teacher")
    base = config["base"]
    network = _network(run, run.base / config["from"]) if "from" in config else load_base(base, run.base / base)
    rows = weighed(for_base(lessons(run.out), base, run), config.get("weights", {}))
    rows.weights = np.where(rows.labels == UNLABELLED, 0.0, rows.weights)  # nothing to learn from them yet
    train(network, rows, settings, device=run.device)
    save_network(network, run.out / "teacher.safetensors")


def _network(run: Run, path: Path) -> Network:
    """A teacher that was kept."""
    return load_network(Network(SHAPES[run.config["teacher"]["base"]]), path)


def ask(run: Run) -> None:
    """Keep what the teacher, of this run or an earlier one, says of some rows of each source."""
    if tutor := _tutor(run):
        return tutor.ask(run)  # type: ignore[no-any-return]
    config, half = run.config["teacher"], run.settings("teacher").half
    base = config["base"]
    network = _network(run, run.out / "teacher.safetensors")
    data = encoded(run.out / "eval.ids.npz")
    report(data, predict(network, for_base(data, base, run), device=run.device, half=half).classes)
    rows = for_base(lessons(run.out), base, run)
    drawn = np.random.default_rng(run.config["seed"]).random(len(rows))
    asked = np.flatnonzero(drawn < by_source(rows.sources, config.get("asked", {})))
    some = rows.take(asked)
    answers = predict(network, some, device=run.device, half=half)
    save_answers(run.out / "teacher.npz", answers, some, asked)


def own_answers(run: Run) -> Answers:
    """What the student that training goes on from says of every row but those which the teacher alone labels."""
    rows = lessons(run.out)
    asked = np.flatnonzero(~np.isin(rows.sources, TEACHER_ALONE))
    own = predict(start(run), rows.take(asked), device=run.device)
    every = Answers(np.zeros((len(rows), 3), np.float16), np.zeros(len(rows.ids), np.float16))
    every.classes[asked], every.tokens[rows.places(asked)] = own.classes, own.tokens
    return every


def fit(run: Run, target: Answers | None = None) -> None:
    """Train the student towards the labels and its teachers, from the weights that ship or from the base.

    Its teachers are the student as it was, so that it forgets nothing, and the large network, where there is one, on
    the rows that it was asked about; where labels are exact they take the former student's place, wholly or in part,
    and where nobody gave a label the large network decides alone; rows that neither speaks of are drawn less often
    (`unasked_share`), since they only repeat what the student knows. Runs of other seeds and weights follow each other;
    the mean of their weights wavers less than any of them, and a mean with graphs that shipped before (`beside`: the
    share of each) less still. With `from` they go on from a student that was fitted before, while its former self stays
    what it was. `target` is what `own_answers` gave, if it was asked before.
    """
    config = run.config["student"]
    rows, target = lessons(run.out), target or own_answers(run)
    trust = np.where(rows.labels == UNLABELLED, 0.0, by_source(rows.sources, EXACT)).astype(np.float32)
    target.classes[:] = _between(target.classes, _sure(rows.labels), trust)
    known = np.repeat(trust == 1, rows.lengths) & (rows.marks >= 0)
    target.tokens[known] = np.where(rows.marks[known] > 0, SURE, -SURE)
    left = np.isin(rows.sources, TEACHER_ALONE)
    target.tokens[np.repeat(left, rows.lengths)] = np.nan
    if (run.out / "teacher.npz").exists():
        asked, taught = load_answers(run.out / "teacher.npz")
        shares = dict.fromkeys(TEACHER_ALONE, 0.0) | {"*": config["own_share"]}
        own = by_source([rows.sources[row] for row in asked], shares).astype(np.float32)
        target.classes[asked] = _between(taught.classes, target.classes[asked], own)
        if taught.tokens.size:
            words, spread = rows.places(asked), np.repeat(own, rows.lengths[asked]).astype(np.float16)
            target.tokens[words] = (1 - spread) * taught.tokens + spread * np.nan_to_num(target.tokens[words])
        left[asked] = False
        rest = trust == 0
        rest[asked] = False
        rows.weights[rest] *= config.get("unasked_share", 1.0)  # they repeat what it knows
    rows.weights[left] = 0.0  # nobody said anything of them
    print("answers blamed on their worst claim:", blame_the_worst(rows, target))
    states = []
    for number, one in enumerate(config["runs"]):
        network = load_network(start(run), run.base / config["from"]) if "from" in config else start(run)
        settings = Settings(**{"seed": run.config["seed"], **config["settings"], **one.get("settings", {})})
        train(network, weighed(rows, one.get("weights", {})), settings, device=run.device, teacher=target)
        states.append(network.cpu().state_dict())
        mean = {key: torch.stack([state[key] for state in states]).mean(0) for key in states[0]}
        network.load_state_dict(mean_with(mean, run.base, config.get("beside", {}), config["base"]))
        save_network(network, run.out / "student.safetensors")
        print("the mean of runs up to", number, flush=True)
        data = encoded(run.out / "eval.ids.npz")
        report(data, predict(network, data, device=run.device).classes)


def mean_with(state: dict[str, Tensor], folder: Path, beside: dict[str, float], shape: str) -> dict[str, Tensor]:
    """The mean of a student's weights and those of graphs in a folder, each of which has a share."""
    mean = {key: (1 - sum(beside.values())) * value for key, value in state.items()}
    for name, share in beside.items():
        if not share:
            continue
        other = floats(folder / name, shape).state_dict()
        mean = {key: value + share * other[key] for key, value in mean.items()}
    return mean


TEACHER_ALONE = (BLURRED, CROSSED, REPLIED)
"""The sources of rows which the large network alone labels."""
EXACT = {"skill_*": 1.0, "records": 1.0, "answered*": 1.0, "corrupt_*": 0.7, "slip": 0.6, "role_*": 0.4, "*": 0.0}
"""How much a row's label counts against what the student of before says: all of it where labels and marks are exact and
it knows little, and more than half where code made a right claim wrong."""
SURE = 4.0
"""The logit of a word that is known to be unsupported."""


def _sure(labels: np.ndarray) -> np.ndarray:
    """The logits of someone who knows the label."""
    classes = np.full((len(labels), 3), np.log(0.02), np.float16)
    classes[np.arange(len(labels)), np.minimum(labels, 2)] = np.log(0.96)
    return classes


def start(run: Run) -> Network:
    """What the student goes on from."""
    config = run.config["student"]
    if config["start"] == "shipped":
        return floats(run.base / "shipped.onnx", config["base"])
    return load_base(config["base"], run.base / config["base"])


def _between(one: np.ndarray, other: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Logits of the probabilities between two answers; of each row so much of the other."""
    first, second = (torch.softmax(torch.from_numpy(classes.astype(np.float32)), -1) for classes in (one, other))
    mean: np.ndarray = (
        torch.lerp(first, second, torch.from_numpy(shares)[:, None]).clamp(min=1e-5).log().numpy().astype(np.float16)
    )
    return mean


def save_network(network: Network, path: Path) -> None:
    """Keep a network's weights in half precision."""
    save_file({key: value.detach().half().cpu().contiguous() for key, value in network.state_dict().items()}, path)


def save_answers(path: Path, answers: Answers, data: Encoded, asked: np.ndarray) -> None:
    """Keep answers on some rows; of tokens only the claims', in eighths, which is all that a probability needs."""
    tokens = np.clip(np.rint(answers.tokens.astype(np.float32) * 8), -127, 127).astype(np.int8)
    place = np.arange(len(tokens)) - np.repeat(data.starts[:-1], data.lengths)
    tokens[place >= np.repeat(data.claim_ends, data.lengths)] = 0
    np.savez(path, classes=answers.classes, tokens=tokens, asked=asked)


def load_answers(path: Path) -> tuple[np.ndarray, Answers]:
    """Read what `save_answers` wrote: which rows, and what was said of them; a language model says nothing of words."""
    with np.load(path) as kept:
        tokens = kept["tokens"].astype(np.float16) / np.float16(8) if "tokens" in kept else np.zeros(0, np.float16)
        return kept["asked"], Answers(kept["classes"], tokens)


def support_of(classes: np.ndarray) -> np.ndarray:
    """The probability of the first class."""
    return torch.softmax(torch.from_numpy(classes.astype(np.float32)), -1)[:, 0].numpy().astype(float)


def report(data: Encoded, classes: np.ndarray) -> dict[str, float]:
    """Print and return the AUROC of every set; answers by their worst claim."""
    support, sources, good = support_of(classes), np.array(data.sources), data.labels == 0
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


def teacher(run: Run) -> Network:
    """Load the teacher, as it reads the student's ids."""
    from training.export import renumbered

    base, network = run.config["teacher"]["base"], _network(run, run.out / "teacher.safetensors")
    if base != "mpnet":
        return network
    return renumbered(network, load_tokenizer(run.base / base / "tokenizer.json"), load_tokenizer(tokenizer_path(run)))


def read(run: Run, network: Network | None = None, *, base: str = "minilm", name_as: str = "read") -> None:
    """What a network says of the dev rows and of those that calibrate it, in every reading, in floats."""
    network = network or trained(run)
    for name in ("eval", "calibration", "reasoning"):
        if not (path := run.out / f"{name}.jsonl.xz").exists():
            continue
        rows = list(read_rows(path))
        found = np.full((len(READINGS), len(rows), 3), np.nan, np.float32)
        for number, reading in enumerate(READINGS):
            having = [place for place, row in enumerate(rows) if getattr(row, reading)]
            if not having:
                continue
            some = [rows[place]._replace(evidence=getattr(rows[place], reading)) for place in having]
            data = encode_all(some, tokenizer_path(run))
            answers = predict(network, for_base(data, base, run), device=run.device)
            found[number, having] = answers.classes
            if reading == "evidence":
                tokens = {"tokens": answers.tokens, "starts": data.starts, "having": np.array(having)}
        np.savez_compressed(run.out / f"{name}_{name_as}.npz", classes=found, **tokens)


READINGS = ("brief", "evidence", "more")
"""The fields of a row that a verdict may rest on, in the order they are read."""


def export(run: Run) -> None:
    """Write the student as ONNX in fp32 and int8, and the teacher in int8 where there is one of the same kind."""
    from training.export import export as write
    from training.export import largest_difference

    student = trained(run)
    graphs = [("model.fp32.onnx", student, False), ("model.onnx", student, True)]
    if not _tutor(run) and (run.out / "teacher.safetensors").exists():
        graphs.append(("teacher.onnx", teacher(run), True))
    for name, network, int8 in graphs:
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
    first, more = (read_graph(run, some, run.out / "model.onnx") for some in (rows, second))
    both = np.stack([first, first])
    both[1, again] = more
    np.savez(run.out / "answers.npz", classes=both)


def read_graph(run: Run, rows: list[Row], graph: Path) -> np.ndarray:
    """A graph's class logits, from as many processes as there are cores."""
    from training.export import read_with

    count = min(os.cpu_count() or 1, len(rows))
    if not count:
        return np.zeros((0, 3), np.float32)
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        parts = [rows[begin::count] for begin in range(count)]
        found = pool.map(read_with, [graph] * count, [tokenizer_path(run)] * count, parts)
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
