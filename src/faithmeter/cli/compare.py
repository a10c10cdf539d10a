"""`faithmeter compare`: two runs, paired by sample id."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from faithmeter.cli import BELOW, PASSED, UNJUDGED
from faithmeter.cli.help import Command, quiet_option
from faithmeter.cli.numbers import FiniteRange
from faithmeter.data.files import keep_apart
from faithmeter.report.compare_terminal import comparison_report, p_words, signed, summary_lines
from faithmeter.report.comparison import Comparison
from faithmeter.report.github import announce_comparison
from faithmeter.report.html.compare import write_comparison

DEFAULT_SIZE = 0.01  # a hundredth of the score: below that, few would want a build to fail


@click.command("compare", cls=Command)
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write an HTML page here.")
@click.option("--fail-on-regression", "min_size", type=FiniteRange(0, 1), is_flag=False, flag_value=DEFAULT_SIZE,
              metavar="[SIZE]", help=f"Exit 1 if AFTER is worse by SIZE or more (default {DEFAULT_SIZE:g}) and it is "
              "hardly chance: the interval lies below 0, and p < 0.05.")  # fmt: skip
@click.option("--min-coverage", type=FiniteRange(0, 1), default=0.95, show_default=True,
              help="With --fail-on-regression: exit 3 if a smaller share of the samples can be compared.")  # fmt: skip
@click.option("--title", help="The title of the page.")
@click.option("--rows", type=click.IntRange(0), default=5, show_default=True, help="How many samples to show each way.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
@quiet_option
def command(before: Path, after: Path, **options: Any) -> None:
    """Compare two results files, BEFORE and AFTER, paired by id; rows without one by question, else by position.

    \b
    faithmeter compare main.jsonl branch.jsonl
    faithmeter compare main.jsonl branch.jsonl -o compare.html --fail-on-regression=0.02

    Exit codes: 0 no regression, 1 regression, 2 usage or bad input, 3 too little could be compared.
    """
    keep_apart({"-o": options["output"]}, [before, after])
    comparison = Comparison(before, after)
    if options["as_json"]:
        click.echo(json.dumps(numbers(comparison)))
    elif not options["quiet"]:
        from faithmeter.cli.console import show

        show(comparison_report(comparison, rows=options["rows"]))
    if options["output"]:
        write_comparison(options["output"], comparison, title=options["title"])
        if not options["quiet"]:
            click.echo(f"wrote {options['output']}", err=options["as_json"])
    announce_comparison(summary_lines(comparison), title=options["title"])
    min_size = options["min_size"]
    sys.exit(PASSED if min_size is None else _gate(comparison, min_size, options["min_coverage"]))


def numbers(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain data."""
    worse, same, better = comparison.directions
    return {
        "means": [comparison.mean(0), comparison.mean(1)],
        "difference": comparison.difference,
        "interval": comparison.interval,
        "p_value": comparison.p_value,
        "paired_by": dict(comparison.paired_by),
        "compared": len(comparison.differences),
        "worse": worse,
        "same": same,
        "better": better,
        "only_before": comparison.missing,
        "only_after": comparison.added,
        "kinds": {name: [before, after] for name, before, after in comparison.moved(comparison.kinds)},
        "blame": {name: [before, after] for name, before, after in comparison.moved(comparison.blame)},
        "signature_changes": comparison.signature_changes(),
    }


def _gate(comparison: Comparison, min_size: float, min_coverage: float) -> int:
    if comparison.regressed(min_size):
        moved = f"{signed(comparison.difference)}, p = {p_words(comparison.p_value)}"
        click.echo(f"faithmeter: a regression of at least {min_size:g} ({moved})", err=True)
        return BELOW
    if comparison.coverage < min_coverage:
        click.echo(f"faithmeter: only {comparison.coverage:.1%} of the samples can be compared", err=True)
        return UNJUDGED
    return PASSED
