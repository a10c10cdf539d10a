"""`faithmeter agree`: a judge against people."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from faithmeter.cli import BELOW, PASSED
from faithmeter.cli.help import Command, labels_option, quiet_option
from faithmeter.cli.numbers import FiniteRange
from faithmeter.data.files import keep_apart
from faithmeter.display import printable, rounded
from faithmeter.errors import DataError
from faithmeter.report import read_results
from faithmeter.report.escaping import one_line
from faithmeter.report.github import commands_off
from faithmeter.runs.progress import counted, doing
from faithmeter.trust.human_labels import read_labels

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from faithmeter.trust.agreement import Agreement, LabelledUnit
    from faithmeter.trust.metrics import Estimate


@click.command("agree", cls=Command)
@click.argument("results", nargs=-1, required=True, type=click.Path(dir_okay=False))
@labels_option
@click.option("--html", type=click.Path(dir_okay=False), help="Write a page with plots here.")
@click.option("--worst", type=click.IntRange(0), default=10, show_default=True, help="How many disagreements to show.")
@click.option("--min-accuracy", type=FiniteRange(0, 1), help="Exit 1 if a balanced accuracy is below.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
@quiet_option
def command(
    results: tuple[str, ...],
    label_files: tuple[str, ...],
    html: str | None,
    worst: int,
    min_accuracy: float | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare the verdicts of one or more RESULTS files with labels by people.

    \b
    faithmeter agree results.jsonl --labels labels.jsonl
    faithmeter agree local.jsonl gpt.jsonl --labels labels.csv --html agreement.html

    A label is about a claim (`sample`, `claim` or `start` and `end`, `label`) or about a whole answer (`sample`,
    `label`, and `spans` if parts were marked). `faithmeter label` makes such a file.
    """
    from faithmeter.trust.agreement import measure, people_kappa

    keep_apart({"--html": html}, [*results, *label_files])
    labels = [label for path in label_files for label in read_labels(path)]
    agreements = []
    with doing(quiet=quiet) as say:
        for index, path in enumerate(results, 1):
            say(f"comparing {Path(path).name} with {len(labels)} labels ({index} of {len(results)})")
            measured = measure(counted(read_results(path), say), labels, name=Path(path).stem)
            if not measured:
                raise DataError(f"{path}: no label is about a claim or answer in it; do the sample ids agree?")
            agreements += measured
        say("comparing people with each other")
        people = people_kappa(labels)
    if html:
        from faithmeter.report.html.agree import write_agreement

        write_agreement(html, agreements, people=people)
    if as_json:
        kappas = [{"people": list(pair), "units": n, "kappa": kappa._asdict()} for pair, (n, kappa) in people.items()]
        judges = [item.as_dict(disagreements=worst) for item in agreements]
        click.echo(json.dumps({"judges": judges, "people": kappas}))
    elif not quiet:
        with commands_off():
            _show(agreements, people, worst=worst)
        if html:
            click.echo(f"wrote {html}")
    lowest = min(item.figures["balanced_accuracy"].value or 0.0 for item in agreements)
    if min_accuracy is not None and lowest < min_accuracy:
        click.echo(f"faithmeter: balanced accuracy {lowest:.3f} is below {min_accuracy:g}", err=True)
        sys.exit(BELOW)
    sys.exit(PASSED)


def _show(agreements: Sequence[Agreement], people: dict[tuple[str, str], tuple[int, Estimate]], *, worst: int) -> None:
    from rich.text import Text

    from faithmeter.cli.console import Console

    console = Console()
    for level in ("claim", "answer"):
        group = [item for item in agreements if item.level == level]
        if group:
            console.print(_table(group, level))
            for line in _differences(group):
                console.print(Text(line))
    for (one, two), (count, kappa) in people.items():
        names = f"{one_line(one, 40)} and {one_line(two, 40)}"
        console.print(Text(f"{names} among themselves: kappa {kappa} over {count} that both labelled"))
    for item in agreements:
        console.print(_confusion(item))
        apart = item.disagreements
        if worst and apart:
            name = printable(item.name)
            console.print(
                Text(f"\n{name}: {len(apart)} of {len(item.units)} {item.level}s differ, what was let through first")
            )
            for unit in apart[:worst]:
                console.print(_disagreement(unit))


def _table(group: Sequence[Agreement], level: str) -> Table:
    from rich.table import Table
    from rich.text import Text

    from faithmeter.trust.agreement import NAMES

    table = Table(title=f"Agreement with people: {level}s", title_justify="left")
    table.add_column("", style="dim")
    for item in group:
        table.add_column(Text(printable(item.name)), justify="right")
    for name, word in NAMES.items():
        if any(name in item.figures for item in group):
            table.add_row(word, *(str(item.figures.get(name, "–")) for item in group))
    table.add_row("labelled", *(str(len(item.units)) for item in group))
    for attribute, word in (("unmatched", "not found"), ("unjudged", "not judged"), ("split", "people undecided")):
        if any(getattr(item, attribute) for item in group):
            table.add_row(word, *(str(getattr(item, attribute)) for item in group))
    table.add_row("seconds per claim", *(f"{item.usage.seconds / max(1, item.claims):.4f}" for item in group))
    if any(item.usage.cost is not None for item in group):
        costs = (item.usage.cost for item in group)
        table.add_row("cost, dollars", *("–" if cost is None else f"{cost:.4f}" for cost in costs))
    return table


def _confusion(item: Agreement) -> Table:
    from rich.table import Table
    from rich.text import Text

    confusion = item.confusion
    columns = sorted({word for row in confusion.values() for word in row})
    table = Table(
        title=Text(f"{printable(item.name)}: {item.level}s, people in rows, judge in columns"), title_justify="left"
    )
    for word in ("", *columns):
        table.add_column(word.replace("_", " "), justify="right" if word else "left")
    for word, row in sorted(confusion.items()):
        table.add_row(word.replace("_", " "), *(str(row.get(column, 0)) for column in columns))
    return table


def _differences(group: Sequence[Agreement]) -> list[str]:
    """How each further judge compares with the first, on the same claims."""
    from faithmeter.trust.agreement import difference

    first = group[0]
    return [
        f"{printable(other.name)} − {printable(first.name)}: balanced accuracy {difference(other, first)}, "
        "on what both judged"
        for other in group[1:]
    ]


def _disagreement(unit: LabelledUnit) -> RenderableType:
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    head = Text.assemble(
        (f"people: {unit.people.replace('_', ' ')}", "bold"),
        f", judge: {unit.judge.replace('_', ' ')} ",
        (rounded(unit.support), "dim"),
        f"  {one_line(unit.sample, 40)}",
    )
    lines = [Text(one_line(unit.text, 400))]
    if unit.verdict:
        lines += [
            Text(f"context {item.context + 1}: “{one_line(item.quote, 400)}”", style="dim")
            for item in unit.verdict.evidence
        ]
        lines += [Text(one_line(unit.verdict.reason, 400), style="dim")] if unit.verdict.reason else []
    return Group(head, *(Padding(line, (0, 0, 0, 4)) for line in lines))
