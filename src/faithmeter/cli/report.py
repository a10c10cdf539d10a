"""`faithmeter report`: a results file in another form."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from faithmeter.cli import BELOW, PASSED
from faithmeter.cli.numbers import FiniteRange
from faithmeter.data.files import keep_apart
from faithmeter.data.results_file import ResultsFile
from faithmeter.display import number
from faithmeter.report import FORMATS, format_of, summarise, write_report
from faithmeter.report.github import announce, commands_off
from faithmeter.report.profiles import counted_as, profiles_table
from faithmeter.report.summary import Summary
from faithmeter.report.terminal import terminal_report

if TYPE_CHECKING:
    from rich.console import RenderableType

_ENDINGS = "\n".join(f"{ending:17}{words}" for ending, (_, _, words) in FORMATS.items())


@click.command(
    "report",
    help=f"""Show RESULTS, a file that eval -o wrote, and write it in other forms.

Without -o, an HTML report is written beside the file. The ending of FILE decides its form:

\b
{_ENDINGS}

\b
faithmeter report results.jsonl
faithmeter report results.jsonl -o report.html -o junit.xml --min-score 0.9
zcat results.jsonl.gz | faithmeter report - -o report.html

Under GitHub Actions, a step summary and annotations come by themselves.
Exit codes: 0 passed, 1 below --min-score, 2 usage or bad input.""",
)
@click.argument("results", type=click.Path(path_type=Path))
@click.option("-o", "--output", "outputs", multiple=True, metavar="FILE", help="Write this file. Repeatable.")
@click.option("--min-score", type=FiniteRange(0, 1), help="What passes; exit 1 if the mean score is below.")
@click.option("--title", help="The title of the report.")
@click.option("--worst", type=click.IntRange(0), default=10, show_default=True, help="How many claims to show.")
@click.option("--profiles", is_flag=True, help="Show the mean as other tools would count the same verdicts.")
@click.option("--quiet", is_flag=True, help="Write the files, and print nothing but their names.")
def command(
    results: Path,
    outputs: tuple[str, ...],
    *,
    min_score: float | None,
    title: str | None,
    worst: int,
    profiles: bool,
    quiet: bool,
) -> None:
    file = ResultsFile(results)
    # from a pipe there is no name to go by: then it is only shown
    targets = list(outputs) or ([] if file.is_pipe else [str(results.with_suffix(".html"))])
    for target in targets:
        format_of(target)  # a wrong name is found before the work
    keep_apart({f"-o ({number})" if number else "-o": target for number, target in enumerate(targets)}, [results])
    summary = summarise(file, min_score=min_score)
    if not quiet:
        _show(summary, worst)
    if profiles:
        _print(profiles_table(counted_as(file)))
    for target in targets:
        write_report(target, file, min_score=min_score, title=title)
        click.echo(f"wrote {target}")
    if file.torn:
        click.echo(f"faithmeter: the last line of {results} is cut off and was left out: the run is not done", err=True)
    for line in announce(summary, title=title, data=str(results)):
        click.echo(line, err=True)
    if summary.passed is False:
        click.echo(f"faithmeter: mean score {number(summary.mean)} is below {summary.min_score:g}", err=True)
    sys.exit(BELOW if summary.passed is False else PASSED)


def _show(summary: Summary, worst: int) -> None:
    with commands_off():
        _print(terminal_report(summary, rows=worst))


def _print(shown: RenderableType) -> None:
    from faithmeter.cli.console import Console

    Console().print(shown)
