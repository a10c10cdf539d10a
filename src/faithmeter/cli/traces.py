"""`faithmeter traces`: scores onto the traces that the answers are from."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import aclosing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from faithmeter.cli.eval_request import gate
from faithmeter.cli.help import Command, complete_files, quiet_option
from faithmeter.cli.numbers import FiniteRange
from faithmeter.cli.options import NO_CACHE, build_evaluator, evaluator_options
from faithmeter.data.datasets import Record, to_samples
from faithmeter.data.files import keep_apart, replacing
from faithmeter.data.jsonl import encode
from faithmeter.data.results_file import ResultsFile
from faithmeter.data.traces.gather import reason
from faithmeter.datamodels import Sample
from faithmeter.display import rounded
from faithmeter.errors import DataError, RowError
from faithmeter.results import Result
from faithmeter.runs.journal import Journal
from faithmeter.runs.runner import Judges, Run
from faithmeter.runs.worker import Specs
from faithmeter.traces import otlp
from faithmeter.traces.http import shown
from faithmeter.traces.pull import phoenix_spans
from faithmeter.traces.scores import NAME, scores, trace_ref_of
from faithmeter.traces.targets import TARGETS, Judged, collector, connect, push

bad_rows_option = click.option("--bad-rows", type=click.Choice(["error", "skip"]), default="error", show_default=True,
                               help="What has no trace, no answer or no retrieval: stop, or leave it out.")  # fmt: skip
name_option = click.option("--name", "score_name", default=NAME, show_default=True, help="What the score is called.")
claims_option = click.option("--claims/--whole", "claims", default=True, show_default=True,
                             help="Also a score for each claim, or for whole answers only.")  # fmt: skip
project_option = click.option("--project", default="default", show_default=True, help="The Phoenix project.")
since_option = click.option("--since", metavar="TIME", help="Only spans that began since, e.g. 2025-06-01T00:00:00Z.")


@click.group("traces")
def command() -> None:
    """Put scores onto the traces that the answers are from; `faithmeter eval` reads exported traces as they are.

    \b
    faithmeter traces score http://localhost:6006 --project my-app
    faithmeter eval traces.jsonl -o results.jsonl
    faithmeter traces push results.jsonl --to langfuse https://HOST
    faithmeter traces push results.jsonl --as otel -o events.jsonl
    """


@command.command("push", cls=Command)
@click.argument("results", type=click.Path(path_type=Path), shell_complete=complete_files)
@click.option("--to", "target", type=(click.Choice(list(TARGETS)), str), metavar="SYSTEM URL",
              help=f"Send the scores there: {', '.join(TARGETS)}; otel is any OpenTelemetry collector.")  # fmt: skip
@click.option("--as", "form", type=click.Choice(["openinference", "otel"]),
              help="openinference: an EVALUATOR span for each answer, linked to its span; otel: "
              "gen_ai.evaluation.result events. Written to -o as OTLP's JSON, or sent --to otel.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(), help="Write the scores here, a line for each answer.")
@bad_rows_option
@name_option
@claims_option
@quiet_option
def push_command(
    results: Path,
    *,
    target: tuple[str, str] | None,
    form: otlp.Form | None,
    output: str | None,
    bad_rows: str,
    score_name: str,
    claims: bool,
    quiet: bool,
) -> None:
    """Put the scores of RESULTS, a file that eval -o wrote of traces, onto the spans they are about.

    A score, a label and an explanation for each answer, and for each of its claims. What could not be judged is an
    error there, never a number. The signature goes along. Sent twice, everything is there once.

    Keys come from where the vendor's own tools have them: PHOENIX_API_KEY, LANGFUSE_PUBLIC_KEY and
    LANGFUSE_SECRET_KEY, LANGSMITH_API_KEY, MLFLOW_TRACKING_TOKEN, OTEL_EXPORTER_OTLP_HEADERS.

    \b
    faithmeter traces push results.jsonl --to phoenix http://localhost:6006
    faithmeter traces push results.jsonl --to otel http://localhost:4318 --as openinference
    faithmeter traces push results.jsonl --as otel -o events.jsonl

    Exit codes: 0 sent, 2 usage or bad input.
    """
    if form and target and target[0] != "otel":
        raise click.UsageError("--as goes with -o FILE, or with --to otel URL")
    if bool(output) == bool(target) or (output and not form):
        raise click.UsageError("give --to SYSTEM URL, or --as openinference|otel with -o FILE")
    file = ResultsFile(results)
    if output:
        keep_apart({"-o": output}, [results])
    untraced = sum(trace_ref_of(result) is None for result in file)
    if untraced and bad_rows == "error":
        raise DataError(
            f"{results}: {untraced} of its answers name no trace; evaluate traces, give the trace's id as the sample's "
            "id or in its metadata as trace_id and span_id, or leave them out with --bad-rows skip"
        )
    judged = _judged(file, score_name, claims=claims)
    if output:
        assert form
        answers, count = _write(output, form, judged)
    else:
        assert target
        send = collector(form) if form else TARGETS[target[0]]
        with connect(*target) as server:
            answers, count = push(server, send, judged)
    if untraced:
        click.echo(f"faithmeter: {untraced} answers that name no trace left out", err=True)
    if file.torn:
        click.echo(f"faithmeter: the last line of {results} is cut off and was left out", err=True)
    if not quiet:
        where = f"written to {output}" if output else f"sent to {shown(target[1]) if target else ''}"
        click.echo(f"{count} scores of {answers} answers {where}")


def _judged(results: Iterable[Result], name: str, *, claims: bool) -> Iterator[Judged]:
    for result in results:
        if trace_ref := trace_ref_of(result):
            uses = result.context_use if result.verdicts else ()
            yield Judged(list(scores(result, trace_ref, name=name, claims=claims)), uses)


def _write(output: str, form: otlp.Form, judged: Iterable[Judged]) -> tuple[int, int]:
    answers = count = 0
    with replacing(output, "wb") as file:
        for each in judged:
            file.write(encode(otlp.request(form, each.scores)) + b"\n")
            answers += 1
            count += len(each.scores)
    return answers, count


@command.command("pull", cls=Command)
@click.argument("url")
@project_option
@since_option
@click.option("-o", "--output", type=click.Path(), required=True, help="Write the spans here, one JSON object a line.")
@quiet_option
def pull_command(url: str, project: str, since: str | None, output: str, quiet: bool) -> None:
    """Fetch the spans of a project of the Phoenix server at URL, for `faithmeter eval`.

    \b
    faithmeter traces pull http://localhost:6006 --project my-app -o spans.jsonl
    """
    count = 0
    with connect("phoenix", url) as server, replacing(output, "wb") as file:
        for span in phoenix_spans(server, project, since=since):
            file.write(encode(span) + b"\n")
            count += 1
    if not quiet:
        click.echo(f"{count} spans of {project} written to {output}")


@command.command("score", cls=Command)
@click.argument("url")
@project_option
@since_option
@bad_rows_option
@evaluator_options
@name_option
@claims_option
@click.option("-o", "--output", type=click.Path(), help="Also keep the results here; run again, and what is there is "
              "not judged twice.")  # fmt: skip
@click.option("--min-score", type=FiniteRange(0, 1), help="Exit 1 if the mean score is below.")
@quiet_option
def score_command(
    url: str, *, project: str, since: str | None, output: str | None, quiet: bool, **options: Any
) -> None:
    """Check the answers in the traces of a project of the Phoenix server at URL, and put the scores onto its spans.

    \b
    faithmeter traces score http://localhost:6006 --project my-app --bad-rows skip

    Exit codes: 0 passed, 1 below --min-score, 2 usage or bad input, 3 not everything could be judged.
    """
    names = ("bad_rows", "score_name", "claims", "min_score")
    bad_rows, score_name, claims, min_score = (options.pop(name) for name in names)
    plain = build_evaluator(**options | {"cache": NO_CACHE})
    specs = Specs(options["verifier"], options["extractor"], plain.scoring, options["cache"])
    unusable: Counter[str] = Counter()
    with TemporaryDirectory(prefix="faithmeter-") as folder, connect("phoenix", url) as server:
        spans = phoenix_spans(server, project, since=since)
        records = (Record("span ", number, span) for number, span in enumerate(spans, start=1))
        rows = to_samples(records, nothing=f"{shown(url)}: the project {project} has no spans")
        with Journal(Path(output or f"{folder}/results.jsonl")) as journal:
            run = Run(Judges(specs.build(), specs), journal=journal, min_score=min_score)
            asyncio.run(_judge_all(run, _usable(rows, bad_rows, unusable)))
            journal.finish()
            answers, count = push(
                server, TARGETS["phoenix"], _judged(ResultsFile(journal.output), score_name, claims=claims)
            )
    if unusable:
        why = ", ".join(f"{times} {what}" for what, times in unusable.most_common())
        click.echo(f"faithmeter: {unusable.total()} traces left out: {why}", err=True)
    if not quiet:
        click.echo(f"mean score {rounded(run.tally.mean)}; {count} scores of {answers} answers sent to {shown(url)}")
    sys.exit(gate(run.tally, min_coverage=1.0))


async def _judge_all(run: Run, samples: Iterator[Sample]) -> None:
    async with aclosing(run.over(samples)) as judgements:
        async for _ in judgements:
            pass


def _usable(rows: Iterable[Sample | RowError], bad_rows: str, unusable: Counter[str]) -> Iterator[Sample]:
    for row in rows:
        if isinstance(row, Sample):
            yield row
        elif bad_rows == "error":
            raise row
        else:
            unusable[reason(row) or "unreadable"] += 1
