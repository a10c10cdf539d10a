"""`faithmeter report`: a results file in another form."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from faithmeter.cli import BELOW, PASSED
from faithmeter.cli.about import command_line
from faithmeter.cli.help import Command, quiet_option
from faithmeter.cli.numbers import FiniteRange
from faithmeter.data.files import keep_apart
from faithmeter.data.results_file import ResultsFile
from faithmeter.display import printable, rounded
from faithmeter.report import FORMATS, format_of, origin, summarise, write_report
from faithmeter.report.github import announce, commands_off
from faithmeter.report.profiles import counted_as, profiles_table
from faithmeter.report.summary import Summary
from faithmeter.report.terminal import terminal_report

if TYPE_CHECKING:
    from rich.console import RenderableType

_ENDINGS = "\n".join(f"{ending:17}{words}" for ending, (_, _, words) in FORMATS.items())


@click.command(
    "report",
    cls=Command,
    help=f"""Show RESULTS, a file that eval -o wrote, and write it in other forms.

Without -o, an HTML report is written beside the file. The ending of FILE decides its form:

\b
{_ENDINGS}

\b
faithmeter report results.jsonl
faithmeter report runs/*.jsonl --trend -o trend.html
faithmeter report results.jsonl -o report.html -o junit.xml --min-score 0.9
zcat results.jsonl.gz | faithmeter report - -o report.html

Under GitHub Actions, a step summary and annotations come by themselves.
Exit codes: 0 passed, 1 below --min-score, 2 usage or bad input.""",
)
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", "outputs", multiple=True, metavar="FILE", help="Write this file. Repeatable.")
@click.option("--trend", type=click.Choice(["name", "date"]), is_flag=False, flag_value="name", metavar="[name|date]",
              help="Of many RESULTS: a page that shows the score from run to run, in the order of their names, or of "
              "their dates, and what changed.")  # fmt: skip
@click.option("--min-score", type=FiniteRange(0, 1), help="What passes; exit 1 if the mean score is below.")
@click.option("--title", help="The title of the report.")
@click.option("--worst", type=click.IntRange(0), default=10, show_default=True, help="How many claims to show.")
@click.option("--profiles", is_flag=True, help="Show the mean as other tools would count the same verdicts.")
@quiet_option
def command(
    results: tuple[Path, ...],
    outputs: tuple[str, ...],
    *,
    trend: str | None,
    min_score: float | None,
    title: str | None,
    worst: int,
    profiles: bool,
    quiet: bool,
) -> None:
    if trend:
        sys.exit(_trend(results, outputs, by_date=trend == "date", min_score=min_score, title=title, quiet=quiet))
    if len(results) > 1:
        raise click.UsageError("one results file at a time; with --trend, many on one page")
    path = results[0]
    file = ResultsFile(path)
    # from a pipe there is no name to go by: then it is only shown
    targets = list(outputs) or ([] if file.is_pipe else [str(path.with_suffix(".html"))])
    for target in targets:
        format_of(target)  # a wrong name is found before the work
    keep_apart({f"-o ({nth})" if nth > 1 else "-o": target for nth, target in enumerate(targets, 1)}, [path])
    summary = summarise(file, min_score=min_score)
    if not quiet:
        _show(summary, worst)
    if profiles:
        _print(profiles_table(counted_as(file)))
    for target in targets:
        write_report(target, file, min_score=min_score, title=title, about=origin(file) | {"Command": command_line()})
        if not quiet:
            click.echo(f"wrote {target}")
    if file.torn:
        click.echo(f"faithmeter: the last line of {path} is cut off and was left out: the run is not done", err=True)
    for line in announce(summary, title=title, data=str(path)):
        click.echo(line, err=True)
    if summary.passed is False:
        click.echo(f"faithmeter: mean score {rounded(summary.mean)} is below {summary.min_score:g}", err=True)
    sys.exit(BELOW if summary.passed is False else PASSED)


def _trend(
    results: Sequence[Path],
    outputs: Sequence[str],
    *,
    by_date: bool,
    min_score: float | None,
    title: str | None,
    quiet: bool,
) -> int:
    """Many runs on one page; the exit code is that of the last."""
    from faithmeter.report.html.trend import read_runs, write_trend

    if len(outputs) != 1 or not outputs[0].endswith(".html"):
        raise click.UsageError("--trend writes one page: -o trend.html")
    keep_apart({"-o": outputs[0]}, results)
    runs = read_runs(results, by_date=by_date, min_score=min_score)
    write_trend(outputs[0], runs, title=title)
    if not quiet:
        for run in runs:
            interval = run.summary.interval
            between = f" ({rounded(interval[0])} to {rounded(interval[1])})" if interval else ""
            click.echo(
                f"{printable(run.name)}: mean score {rounded(run.summary.mean)}{between}, {run.summary.count} answers"
            )
        click.echo(f"wrote {outputs[0]}")
    last = runs[-1].summary
    if last.passed is False:
        click.echo(f"faithmeter: mean score {rounded(last.mean)} is below {last.min_score:g}", err=True)
    return BELOW if last.passed is False else PASSED


def _show(summary: Summary, worst: int) -> None:
    with commands_off():
        _print(terminal_report(summary, rows=worst))


def _print(shown: RenderableType) -> None:
    from faithmeter.cli.console import Console

    Console().print(shown)
