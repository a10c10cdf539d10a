"""What the user asks of `faithmeter eval`, and what is said at its end, wherever it ran."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from faithmeter import display
from faithmeter.cli import BELOW, PASSED, UNJUDGED
from faithmeter.data.conversations import EvidenceOfTurns
from faithmeter.data.files import final_place, keep_apart
from faithmeter.data.intake import BadRows, Intake
from faithmeter.data.selection import Selection
from faithmeter.data.sources import find
from faithmeter.errors import RowError
from faithmeter.report import format_of
from faithmeter.results import Tally
from faithmeter.runs.ray.parts import Format

SHOWN_BAD_ROWS = 10  # on the terminal; all are counted


@dataclass(frozen=True)
class EvalRequest:
    """What the user asked of the run; the fields are the options' names."""

    data: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    context_separator: str | None
    earlier_contexts: bool
    history_as_evidence: bool
    bad_rows: BadRows
    output: str | None
    fresh: bool
    retry_failed: bool
    report: str | None
    fix: str | None
    promise: str | None
    citations: bool
    min_citation_precision: float | None
    limit: int | None
    sample: int | None
    seed: int
    shard: tuple[int, int] | None
    workers: int | None
    engine: str
    part_size: int
    parts: Format
    max_cost: float | None
    min_score: float | None
    min_coverage: float
    fail_fast: bool
    max_failures: int | None
    worst: int
    as_json: bool
    progress_kind: str
    quiet: bool

    def intake(self) -> Intake:
        """The samples to judge."""
        shown = 0

        def tell(error: RowError) -> None:
            nonlocal shown
            shown += 1
            if shown <= SHOWN_BAD_ROWS:
                click.echo(f"faithmeter: left out {error}", err=True)

        return Intake(
            data=self.data,
            columns=dict(self.columns),
            separator=self.context_separator,
            evidence=EvidenceOfTurns(self.earlier_contexts, self.history_as_evidence),
            selection=self.selection,
            bad_rows=self.bad_rows,
            side_file=self.side_file,
            tell=tell,
        )

    @property
    def side_file(self) -> Path | None:
        """Where bad rows are listed."""
        if not self.output or self.bad_rows != "report" or self.engine != "local":
            return None  # on Ray they are listed in the folder, by the process that drives the run
        return Path(self.output + ".bad-rows.jsonl")

    @property
    def selection(self) -> Selection:
        """Which samples to take."""
        return Selection(self.shard, self.sample, self.seed, self.limit)

    @property
    def shown_progress(self) -> str:
        """How progress is shown."""
        return "none" if self.quiet else self.progress_kind

    def check(self, also_read: Iterable[str] = ()) -> None:
        """What does not go together is a usage error before anything is judged."""
        if self.bad_rows == "report" and not self.output:
            raise click.UsageError("--bad-rows report needs -o: the bad rows are written next to the results")
        if self.fresh and not self.output:
            raise click.UsageError("--fresh needs -o: without, every run starts over")
        if self.engine != "local" and (not self.output or Path(self.output).suffix):
            raise click.UsageError("on Ray, -o must be a folder, e.g. -o results")
        if self.engine != "local" and (self.fail_fast or self.max_failures):
            raise click.UsageError("--fail-fast and --max-failures are not for Ray: a part is judged as a whole")
        if self.engine != "local" and self.max_cost is not None:
            raise click.UsageError("--max-cost is not for Ray: its workers cannot see what the others have spent")
        if self.engine != "local" and (self.fix or self.promise):
            raise click.UsageError("--fix and --promise are not for Ray")
        if self.engine != "local" and (self.earlier_contexts or self.history_as_evidence):
            raise click.UsageError("--earlier-contexts and --history-as-evidence are not for Ray: give a row for each "
                                   "turn, with its contexts")  # fmt: skip
        if self.report:
            format_of(self.report)
        inputs = [source.name for source in find([name for name in self.data if "://" not in name])]
        inputs += also_read
        if self.output and self.engine == "local":
            target = final_place(self.output)
            beside = {"the journal": f"{target}.journal", "the list of bad rows": self.side_file}
            keep_apart({"-o": self.output, "--report": self.report, "--fix": self.fix, **beside}, inputs)
        else:
            keep_apart({"--report": self.report, "--fix": self.fix}, inputs)


def show_numbers(tally: Tally, request: EvalRequest, *, facts: dict[str, Any], lines: Iterable[str]) -> None:
    for note, times in tally.notes.items():
        click.echo(f"faithmeter: {display.noted(times, tally.count, note)}", err=True)
    if request.as_json:
        click.echo(json.dumps(tally.as_dict() | facts))
    if request.as_json or request.quiet:
        return
    from faithmeter.cli.console import show

    show(display.report_rich(tally, rows=request.worst))
    for line in lines:
        click.echo(line)


def verdict(tally: Tally, request: EvalRequest, stopped: str | None) -> int:
    """The exit code."""
    if code := gate(tally, request.min_coverage, stopped):
        return code
    least, precision = request.min_citation_precision, tally.marks.precision
    if least is not None and (precision is None or precision < least):
        click.echo(f"faithmeter: citation precision {display.rounded(precision)} is below {least:g}", err=True)
        return BELOW
    return PASSED


def gate(tally: Tally, min_coverage: float, stopped: str | None = None) -> int:
    """The exit code by coverage and mean score; `stopped` says why a run was stopped early."""
    if tally.coverage < min_coverage or (stopped and "judged" in stopped):
        if tally.coverage < min_coverage:  # else it was said why the run was stopped
            click.echo(f"faithmeter: only {tally.coverage:.1%} of the claims could be judged", err=True)
        return UNJUDGED
    if tally.min_score is not None and (stopped or tally.mean is None or tally.mean < tally.min_score):
        if tally.mean is None or tally.mean < tally.min_score:
            click.echo(f"faithmeter: mean score {display.rounded(tally.mean)} is below {tally.min_score:g}", err=True)
        return BELOW
    return PASSED


def count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
