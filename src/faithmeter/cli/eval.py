"""`faithmeter eval`: every answer of a data set."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any

import click

from faithmeter import render
from faithmeter.cli import BELOW, PASSED, UNJUDGED
from faithmeter.cli.options import Assignment, build_evaluator, evaluator_options
from faithmeter.datamodels import Sample
from faithmeter.errors import OutputError
from faithmeter.evaluator import Evaluator
from faithmeter.report.html import html_page
from faithmeter.results import Result, Tally
from faithmeter.runs.datasets import Row, read_samples


@click.command("eval")
@click.argument("data")
@evaluator_options
@click.option("--map", "columns", type=Assignment(), multiple=True, help="FIELD=COLUMN, e.g. answer=reply. Repeatable.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write results here, one JSON object a line.")
@click.option("--overwrite", is_flag=True, help="Replace the output file if there is one.")
@click.option("--report", type=click.Path(dir_okay=False), help="Write an HTML report here.")
@click.option("--min-score", type=click.FloatRange(0, 1), help="Exit 1 if the mean score is below.")
@click.option("--min-coverage", type=click.FloatRange(0, 1), default=0.95, show_default=True,
              help="Exit 3 if a smaller share of the claims could be judged.")  # fmt: skip
@click.option("--bad-rows", type=click.Choice(["error", "skip"]), default="error", show_default=True,
              help="What to do with a row that is no sample; skipped rows are counted.")  # fmt: skip
@click.option("--worst", type=click.IntRange(0), default=10, show_default=True, help="How many answers to show.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON instead of a table.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
def command(data: str, **options: Any) -> None:
    """Check every answer of DATA: a .jsonl, .json, .csv or .tsv file, or - for standard input.

    Rows need an answer and its contexts, and may have a question and an id. The column names of ragas,
    continuous-eval, rag_evals, RagaliQ and DeepEval are known; others are named with --map.

    \b
    faithmeter eval answers.jsonl
    faithmeter eval answers.csv --map answer=reply --map contexts=chunks -o results.jsonl
    cat answers.jsonl | faithmeter eval - --min-score 0.9 --bad-rows skip

    Exit codes: 0 passed, 1 below --min-score, 2 usage or bad input, 3 too much could not be judged.
    """
    wanted = {"min_coverage", "worst", "as_json"}
    show = {name: options.pop(name) for name in wanted}
    files = {name: options.pop(name) for name in ("columns", "output", "overwrite", "bad_rows", "quiet", "min_score")}
    report = options.pop("report")
    run = Run(build_evaluator(**options), **files)
    asyncio.run(run.over(data))
    if report:
        _write_report(report, run.tally)
    sys.exit(_finish(run, report=report, **show))


class Run:
    """One pass over a data set: samples in, results to the output file, numbers to the tally."""

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        columns: Iterable[tuple[str, str]],
        output: str | None,
        overwrite: bool,
        bad_rows: str,
        quiet: bool,
        min_score: float | None,
    ) -> None:
        self.evaluator = evaluator
        self.columns = dict(columns)
        self.output = Path(output) if output else None
        self.overwrite = overwrite
        self.skip_bad_rows = bad_rows == "skip"
        self.quiet = quiet
        self.skipped = 0
        self.tally = Tally(min_score=min_score)

    async def over(self, data: str) -> None:
        """Check every sample; what is finished is on disk, whatever stops the rest."""
        rows = read_samples(data, columns=self.columns)
        with self._opened() as file, _progress(self.quiet) as advance:
            async for result in self.evaluator.stream(self._samples(rows)):
                self.tally.add(result)
                if file:
                    _write(file, result)
                advance(self.tally)

    def _samples(self, rows: Iterable[Row]) -> Iterator[Sample]:
        for row in rows:
            if isinstance(row, Sample):
                yield row
            elif self.skip_bad_rows:
                self.skipped += 1
                click.echo(f"faithmeter: skipped {row}", err=True)
            else:
                raise row

    def _opened(self) -> AbstractContextManager[IO[str] | None]:
        if not self.output:
            return nullcontext()
        if self.output.exists() and not self.overwrite:
            raise OutputError(f"{self.output}: is there already; give another name or --overwrite")
        try:
            return self.output.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise OutputError(f"{self.output}: cannot be written: {error.strerror}") from None


def _write(file: IO[str], result: Result) -> None:
    try:
        file.write(result.model_dump_json() + "\n")
        file.flush()
    except OSError as error:
        raise OutputError(f"{file.name}: cannot be written: {error.strerror}") from None


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[Tally], None]]:
    """A progress line on standard error, where a person is looking."""
    if quiet or not sys.stderr.isatty():
        yield lambda tally: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed} answers"),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda tally: progress.update(
            task, completed=tally.count, description=f"mean score {render.number(tally.mean)}"
        )


def _write_report(path: str, tally: Tally) -> None:
    try:
        Path(path).write_text(html_page(tally), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from None


def _finish(run: Run, *, report: str | None, min_coverage: float, worst: int, as_json: bool) -> int:
    """Show the numbers and decide the exit code."""
    tally = run.tally
    if as_json:
        click.echo(json.dumps(tally.as_dict() | {"skipped_rows": run.skipped, "signature": run.evaluator.signature}))
    else:
        from rich.console import Console

        Console().print(render.report_rich(tally, rows=worst))
        if run.skipped:
            click.echo(f"{run.skipped} bad row{'s' * (run.skipped != 1)} skipped")
        for name in filter(None, (run.output, report)):
            click.echo(f"wrote {name}")
    if tally.coverage < min_coverage:
        click.echo(f"faithmeter: only {tally.coverage:.1%} of the claims could be judged", err=True)
        return UNJUDGED
    if tally.min_score is not None and (tally.mean is None or tally.mean < tally.min_score):
        click.echo(f"faithmeter: mean score {render.number(tally.mean)} is below {tally.min_score:g}", err=True)
        return BELOW
    return PASSED
