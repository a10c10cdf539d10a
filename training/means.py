"""Which mean of the student and of graphs that shipped before ranks held-out rows best, in int8 and by itself.

    python -m training.means --base FOLDER --out OUT 0,0 .3,0 .15,.15

Each argument has the shares of `student.beside` in the config, in its order; what is left is the student's. The student
in OUT is to be one that `fit` left as it was: with no `beside` in its config. `--ship .15,.15` writes that mean in its
place, for `export` and what follows.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from torch import Tensor

from training.calibrate import some_of_each
from training.export import export
from training.measure import auroc
from training.model import SHAPES, Network
from training.rows import Row, read_rows
from training.steps import Run, mean_with, read_graph, save_network, support_of, trained

MOST, MOST_MADE, LEAST = 150, 40, 6
"""Rows read of a source, of one that code makes, and those of either label below which a source says nothing."""
GROUPS = {"answered_retrieved": "retrieved", "answered": "answers", "skill_written": "written", "skill_": "made skills",
          "corrupt": "edits", "slip": "edits", "role": "edits", "records": "edits"}  # fmt: skip
"""The sources that are shown as one, by how they start; all others are `real`."""


class Mean(NamedTuple):
    """How one mean ranks."""

    shares: tuple[float, ...]
    by_group: dict[str, float]
    """The mean of its sources' AUROC."""


def group_of(source: str) -> str:
    """What a source is shown with."""
    return next((group for start, group in GROUPS.items() if source.startswith(start)), "real")


def most_of(source: str) -> int:
    """How many rows of a source are read."""
    return MOST_MADE if group_of(source) == "made skills" else MOST


def state_of(run: Run, shares: tuple[float, ...]) -> dict[str, Tensor]:
    """The weights of a mean."""
    beside = dict(zip(run.config["student"]["beside"], shares, strict=True))
    return mean_with(trained(run).state_dict(), run.base, beside, run.config["student"]["base"])


def measure(run: Run, shares: tuple[float, ...], rows: list[Row]) -> Mean:
    """Export a mean in int8 and let it read rows."""
    network = Network(SHAPES[run.config["student"]["base"]])
    network.load_state_dict(state_of(run, shares))
    path = run.out / "mean.onnx"
    export(network.eval(), path, int8=True, notes={"name": "faithmeter-local"})
    support = support_of(read_graph(run, rows, path))
    path.unlink()
    sources, good = np.array([row.source for row in rows]), np.array([row.label == 0 for row in rows])
    found: dict[str, list[float]] = defaultdict(list)
    for source in sorted(set(sources)):
        at = sources == source
        if LEAST <= good[at].sum() <= at.sum() - LEAST:
            found[group_of(source)].append(auroc(support[at], good[at]))
    return Mean(shares, {group: float(np.mean(each)) for group, each in found.items()})


def main(arguments: list[str] | None = None) -> None:
    """Measure the means that are named, or ship one."""
    parser = argparse.ArgumentParser(prog="python -m training.means", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("shares", nargs="*", type=_shares)
    parser.add_argument("--ship", type=_shares, help="the shares of the mean to write")
    parser.add_argument("--config", type=Path, default=Path(__file__).parent / "configs" / "minilm.json")
    parser.add_argument("--base", type=Path, default=Path("out/base"))
    parser.add_argument("--out", type=Path, default=Path("out/training"))
    options = parser.parse_args(arguments)
    config = json.loads(options.config.read_text())
    run = Run(config, options.base, options.out, options.out, "cpu")
    held = list(read_rows(run.out / "held.jsonl.xz")) if options.shares else []
    rows = some_of_each(held, most_of, seed=config["seed"])
    for shares in options.shares:
        mean = measure(run, shares, rows)
        print(*shares, *(f"{group} {figure:.4f}" for group, figure in sorted(mean.by_group.items())), flush=True)
    if options.ship:
        network = Network(SHAPES[config["student"]["base"]])
        network.load_state_dict(state_of(run, options.ship))
        save_network(network, run.out / "student.safetensors")


def _shares(text: str) -> tuple[float, ...]:
    return tuple(float(share) for share in text.split(","))


if __name__ == "__main__":
    main()
