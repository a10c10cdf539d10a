"""Which mean of the student and of graphs that shipped before ranks held-out rows best, in int8 and by itself.

    python -m training.means --base FOLDER --out OUT 0,0 .3,0 .15,.15

Each argument has the shares of the graphs that the config names in `student.beside`, in their order; what is left is
the student's. The student in OUT is to be one that `fit` left as it was: with shares of 0 there. `--ship .15,.15`
writes that mean in its place, for `export` and what follows.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

import numpy as np

from training.calibrate import some_of_each
from training.export import export
from training.measure import auroc
from training.model import Network
from training.rows import Row, read_rows
from training.steps import Run, mean_with, read_graph, save_network, support_of, trained

MOST, MOST_MADE, LEAST = 150, 40, 6
"""Rows read of a source, of one that code makes, and those of either label below which a source says nothing."""
GROUPS = {"answered_retrieved": "retrieved", "answered": "answers", "skill_written": "written", "skill_": "made skills",
          "corrupt": "edits", "slip": "edits", "role": "edits", "records": "edits"}  # fmt: skip
"""The sources that are shown as one, by how they start; all others are `real`."""


def group_of(source: str) -> str:
    """What a source is shown with."""
    return next((group for start, group in GROUPS.items() if source.startswith(start)), "real")


def most_of(source: str) -> int:
    """How many rows of a source are read."""
    return MOST_MADE if group_of(source) == "made skills" else MOST


def mean_of(run: Run, shares: tuple[float, ...]) -> Network:
    """The student's mean with the graphs beside it."""
    network, student = trained(run), run.config["student"]
    beside = dict(zip(student["beside"], shares, strict=True))
    network.load_state_dict(mean_with(network.state_dict(), run.base, beside, student["base"]))
    return network


def measure(run: Run, network: Network, rows: list[Row]) -> dict[str, float]:
    """How a network ranks rows in int8: for each group the mean of its sources' AUROC."""
    path = run.out / "mean.onnx"
    export(network, path, int8=True, notes={"name": "faithmeter-local"})
    support = support_of(read_graph(run, rows, path))
    path.unlink()
    sources, good = np.array([row.source for row in rows]), np.array([row.label == 0 for row in rows])
    found: dict[str, list[float]] = defaultdict(list)
    for source in sorted(set(sources)):
        at = sources == source
        if LEAST <= good[at].sum() <= at.sum() - LEAST:
            found[group_of(source)].append(auroc(support[at], good[at]))
    return {group: float(np.mean(each)) for group, each in sorted(found.items())}


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
        figures = measure(run, mean_of(run, shares), rows)
        print(*shares, *(f"{group} {figure:.4f}" for group, figure in figures.items()), flush=True)
    if options.ship:
        save_network(mean_of(run, options.ship), run.out / "student.safetensors")


def _shares(text: str) -> tuple[float, ...]:
    return tuple(float(share) for share in text.split(","))


if __name__ == "__main__":
    main()
