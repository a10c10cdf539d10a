"""The steps of a teacher that is a language model: what it reads, how it learns, what it says of the student's rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.torch import load_file, save_file

from training import decoder, replies
from training.fit import UNLABELLED
from training.grouped import Groups, group
from training.measure import auroc
from training.rows import REPLIED, Row, read_rows, write_rows
from training.steps import LESSONS, Run, by_source, encoded, report, support_of
from training.tokens import load_tokenizer

MODEL = "model.gguf"
HELD = 8_000
"""How many of the held-out rows measure the teacher."""


def reply(run: Run) -> None:
    """Let the language model as it is, with all its layers, write about texts of rows that people or code made."""
    config, seed = run.config["replies"], run.config["seed"]
    rows = [row for name in ("train", "skills") for row in read_rows(run.out / f"{name}.jsonl.xz")]
    shares = by_source([row.source for row in rows], config["about"])
    asked = list(replies.prompts(replies.texts_of(rows, shares, seed=seed), seed=seed))
    network = decoder.load_decoder(_file(run)).to(run.device).eval()
    if run.device != "cpu":
        network.bfloat16()
    made = replies.write(network, load_tokenizer(_tokenizer(run)), asked, device=run.device, seconds=config["seconds"],
                         seed=seed)  # fmt: skip
    count = write_rows(run.out / f"{REPLIED}.jsonl.xz", sorted(made, key=lambda row: row.evidence))
    print(f"{count} claims out of replies about some of {len(asked)} texts", flush=True)


def prepare(run: Run) -> None:
    """Group the rows that the teacher learns from, those that it is asked about, and those that measure it."""
    config, rng = run.config["teacher"], np.random.default_rng(run.config["seed"])
    rows = [row for name in LESSONS if (path := run.out / f"{name}.jsonl.xz").exists() for row in read_rows(path)]
    sources, labels = [row.source for row in rows], np.array([row.label for row in rows])
    taught = rng.random(len(rows)) < by_source(sources, config["weights"]) * (labels != UNLABELLED)
    asked = rng.random(len(rows)) < by_source(sources, config["asked"])
    groups = _group(run, "taught", rows, np.flatnonzero(taught))
    np.save(run.out / "taught.labels.npy", labels[groups.rows])
    for name in ("eval", "held"):
        some = _measured(run, name)
        _group(run, name, some, np.arange(len(some)))
    _group(run, "asked", rows, np.flatnonzero(asked))


def _measured(run: Run, name: str) -> list[Row]:
    rows = list(read_rows(run.out / f"{name}.jsonl.xz"))
    return rows[:: max(1, len(rows) // HELD)] if name == "held" else rows


def _group(run: Run, name: str, rows: list[Row], numbers: np.ndarray) -> Groups:
    groups = group(rows, numbers, _tokenizer(run))
    groups.save(run.out / f"{name}.groups.npz")
    print(f"{name}: {groups.claims} claims, {len(groups)} groups, {len(groups.ids) / 1e6:.1f}M tokens", flush=True)
    return groups


def teach(run: Run) -> None:
    """Train the first layers of the language model to label claims."""
    config = run.config["teacher"]
    network = decoder.load_decoder(_file(run), config["layers"])
    groups, labels = Groups.load(run.out / "taught.groups.npz"), np.load(run.out / "taught.labels.npy")
    decoder.teach(network, groups, labels, run.settings("teacher"), device=run.device)
    state = {key: value.detach().bfloat16().contiguous() for key, value in network.state_dict().items()}
    save_file(state, run.out / "teacher.safetensors")
    _taught[run.out] = network


_taught: dict[Path, decoder.Decoder] = {}
"""What `teach` leaves for `ask` of the same process, by the folder of its run: reading it again takes a while."""


def _kept(run: Run) -> decoder.Decoder:
    """The teacher of an earlier run."""
    network = decoder.Decoder(decoder.shape_of(_file(run), run.config["teacher"]["layers"]))
    network.load_state_dict(load_file(run.out / "teacher.safetensors"))
    return network


def _file(run: Run) -> Path:
    return run.base / run.config["teacher"]["base"] / MODEL


def _tokenizer(run: Run) -> Path:
    """The tokenizer beside the model, which is read out of it the first time."""
    path = _file(run).with_name("tokenizer.json")
    if not path.exists():
        decoder.tokenizer_of(_file(run)).save(str(path))
    return path


def ask(run: Run) -> None:
    """Keep what the teacher says of the rows it is asked about, as far as the time goes."""
    config = run.config["teacher"]
    network = (_taught.pop(run.out, None) or _kept(run)).to(run.device).eval()
    if run.device != "cpu":
        network.bfloat16()
    for name in ("eval", "held", "asked"):
        groups = Groups.load(run.out / f"{name}.groups.npz")
        seconds = config.get("ask_seconds", 1e9) if name == "asked" else 1e9  # what measures is read to the end
        classes = decoder.ask(network, groups, device=run.device, seconds=seconds)
        known = np.isfinite(classes).all(1)
        order = np.argsort(groups.rows[known])
        rows, classes = groups.rows[known][order], classes[known][order]
        path = run.out / ("teacher.npz" if name == "asked" else f"{name}.teacher.npz")
        np.savez(path, asked=rows.astype(np.int32), classes=classes)
        print(f"{name}: {known.sum()} of {len(known)} claims", flush=True)
        if name == "eval":
            report(encoded(run.out / "eval.ids.npz"), classes)
        elif name == "held":
            _by_source(_measured(run, "held"), support_of(classes))


def _by_source(rows: list[Row], support: np.ndarray) -> None:
    sources, good = np.array([row.source for row in rows]), np.array([row.label == 0 for row in rows])
    for source in sorted(set(sources)):
        at = sources == source
        if 0 < good[at].sum() < at.sum():
            print(f"  held {source:40} {at.sum():5} {auroc(support[at], good[at]):.4f}", flush=True)
