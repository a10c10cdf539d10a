"""One set of verdicts, counted as other tools count: why their numbers differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from faithmeter.display import rounded
from faithmeter.intervals import mean_interval
from faithmeter.results import Result
from faithmeter.scoring import PROFILES, Scoring

if TYPE_CHECKING:
    from rich.console import RenderableType

_WAYS = {
    "faithmeter": "supported / judged; no claims: 1, shown as such",
    "ragas": "supported / all; no claims: NaN, left out here",
    "deepeval": "all but the contradicted count as faithful; no claims: 1",
    "continuous-eval": "supported / all; no claims: 0",
    "rag_evals": "supported / all; no claims: 0",
    "ragaliq": "supported / all; no claims: 1",
}


class Counted(NamedTuple):
    """A run's mean under one way of counting."""

    name: str
    way: str
    mean: float | None
    interval: tuple[float, float] | None
    scored: int


def counted_as(results: Iterable[Result]) -> list[Counted]:
    """The mean of the same results under every tool's way of counting, ours first."""
    policies: dict[str, Scoring] = {"faithmeter": Scoring(), **PROFILES}
    scores: dict[str, list[float]] = {name: [] for name in policies}
    for result in results:
        for name, policy in policies.items():
            score = result.rescored(policy).score
            if score is not None:
                scores[name].append(score)
    return [
        Counted(name, _WAYS[name], sum(values) / len(values) if values else None, mean_interval(values), len(values))
        for name, values in scores.items()
    ]


def profiles_table(rows: Iterable[Counted]) -> RenderableType:
    """The ways of counting side by side, for a terminal."""
    from rich.table import Table

    table = Table(title="The same verdicts, counted as each tool counts", title_justify="left")
    for column in ("tool", "mean", "95 % interval", "samples", "how it counts"):
        table.add_column(column, justify="right" if column in ("mean", "samples") else "left")
    for row in rows:
        between = f"{rounded(row.interval[0])} to {rounded(row.interval[1])}" if row.interval else "–"
        table.add_row(row.name, rounded(row.mean), between, str(row.scored), row.way)
    return table
