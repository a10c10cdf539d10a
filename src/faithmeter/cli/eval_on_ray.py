"""`faithmeter eval --engine ray`: parts on a cluster instead of a journal."""

from __future__ import annotations

from pathlib import Path

import click

from faithmeter.cli import INTERRUPTED
from faithmeter.cli.eval_request import EvalRequest, count, show_numbers, verdict
from faithmeter.errors import FaithmeterError
from faithmeter.report import write_report
from faithmeter.runs.progress import part_progress
from faithmeter.runs.ray.engine import RayRun, run_on_ray
from faithmeter.runs.ray.parts import ReadOptions
from faithmeter.runs.runner import Judges


def eval_on_ray(request: EvalRequest, judges: Judges) -> int:
    """The same on Ray: parts instead of a journal."""
    assert judges.specs
    assert request.output
    run = RayRun(
        engine=request.engine,
        data=request.data,
        folder=Path(request.output),
        specs=judges.specs,
        signature=judges.evaluator.signature,
        reading=ReadOptions(dict(request.columns), request.context_separator, request.part_size),
        selection=request.selection,
        bad_rows=request.bad_rows,
        fresh=request.fresh,
        retry_failed=request.retry_failed,
        kind=request.parts,
        workers=request.workers,
        min_score=request.min_score,
    )
    try:
        with part_progress(request.shown_progress) as tick:
            report = run_on_ray(run, tell=tick)
    except KeyboardInterrupt:
        click.echo(f"faithmeter: stopped{_kept_parts(run)}", err=True)
        return INTERRUPTED
    except FaithmeterError as error:
        raise FaithmeterError(f"{error}{_kept_parts(run)}") from None
    if request.report and not all(file.exists() for file in report.files[:1]):
        raise FaithmeterError(f"{request.report} not written: {run.folder} on the cluster cannot be seen from here")
    if request.report:
        write_report(request.report, report.results(), min_score=request.min_score)
    lines = [f"{count(report.parts, 'part')}, {report.reused} of them from an earlier run"]
    lines += [f"{count(len(report.bad), 'bad row')} left out"] if report.bad else []
    unjudged = report.tally.statuses["failed"] + report.tally.statuses["partial"]
    if unjudged:
        lines.append(
            f"{count(unjudged, 'answer')} not judged in full: the same command with --retry-failed tries again"
        )
    lines += [f"wrote {name}" for name in (request.output, request.report) if name]
    facts = {"skipped_rows": len(report.bad), "parts": report.parts, "reused_parts": report.reused}
    show_numbers(report.tally, request, facts=facts | {"signature": run.signature}, lines=lines)
    return verdict(report.tally, request, None)


def _kept_parts(run: RayRun) -> str:
    """What to add to a message when a run on Ray ends early."""
    kept = len(list(run.folder.glob(f"part-*.{run.kind}"))) if run.folder.is_dir() else 0
    return f"; {count(kept, 'part')} kept in {run.folder}: the same command goes on from there" if kept else ""
