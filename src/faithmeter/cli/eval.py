"""`faithmeter eval`: every answer of a data set."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

import click

from faithmeter.cache import notes
from faithmeter.cli import BELOW, INTERRUPTED, PASSED
from faithmeter.cli.about import about
from faithmeter.cli.eval_on_ray import eval_on_ray
from faithmeter.cli.eval_request import EvalRequest, count, show_numbers, verdict
from faithmeter.cli.fix import fix_options, write_fixed
from faithmeter.cli.help import Command, complete_files, quiet_option
from faithmeter.cli.numbers import FiniteRange
from faithmeter.cli.options import (
    NO_CACHE,
    Assignment,
    build_evaluator,
    citation_options,
    corpus_option,
    evaluator_options,
)
from faithmeter.cli.promise import PromiseTally
from faithmeter.datamodels import Usage
from faithmeter.errors import FaithmeterError
from faithmeter.evaluator import Evaluator, Step
from faithmeter.fix import FixStep
from faithmeter.fix.cite import CitationStep
from faithmeter.llm.budget import limited
from faithmeter.report import read_results, write_report
from faithmeter.report.github import announce_file, under_actions
from faithmeter.runs.journal import Journal
from faithmeter.runs.progress import Tick, progress
from faithmeter.runs.runner import Judges, Run
from faithmeter.runs.worker import Specs, frozen_garbage_collector
from faithmeter.trust.promise import read_promise


class Shard(click.ParamType[tuple[int, int]]):
    """`I/N`."""

    name = "i/n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        part, slash, count = value.partition("/")
        if not (slash and part.isdecimal() and count.isdecimal() and 1 <= int(part) <= int(count)):
            self.fail(f"{value!r} is not I/N with I from 1 to N, e.g. 2/8", param, ctx)
        return int(part), int(count)


def _unescaped(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A shell hands over `\\n` as it is typed."""
    return value and value.replace("\\n", "\n").replace("\\t", "\t")


@click.command("eval", cls=Command)
@click.argument("data", nargs=-1, required=True, shell_complete=complete_files)
@evaluator_options
@corpus_option
@click.option("--map", "columns", type=Assignment(), multiple=True, help="FIELD=COLUMN, e.g. "
              "answer=reply; metadata.NAME=COLUMN to group the report by. Repeatable.")  # fmt: skip
@click.option("--context-separator", metavar="TEXT", callback=_unescaped, help="What divides the contexts in a CSV "
              "cell that is not JSON; \\n is a line break, \\t a tab.")  # fmt: skip
@click.option("--earlier-contexts", is_flag=True, help="Of conversations: a turn may also rest on the contexts of the "
              "turns before it.")  # fmt: skip
@click.option("--history-as-evidence", is_flag=True, help="A turn may also rest on what was said before it; else "
              "that only tells what its pronouns mean.")  # fmt: skip
@click.option("--bad-rows", type=click.Choice(["error", "skip", "report"]), default="error", show_default=True,
              help="A row that is no sample: stop, leave it out, or list it in OUTPUT.bad-rows.jsonl.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(), help="Write results here, one JSON object a line. Run the "
              "same command again, and it goes on: what is there is not judged twice.")  # fmt: skip
@click.option("--fresh", is_flag=True, help="Drop the results that are there and start over.")
@click.option("--retry-failed", is_flag=True, help="Judge again the answers that could not be judged in full.")
@click.option("--report", type=click.Path(dir_okay=False), help="Write a report here; its ending tells the kind.")
@click.option("--fix", type=click.Path(dir_okay=False), help="Also make each answer faithful by the smallest edit, and "
              "write the rows with the fixed answers here; the results hold both.")  # fmt: skip
@fix_options
@click.option("--promise", type=click.Path(dir_okay=False), help="A promise from `faithmeter promise`: say how many "
              "answers pass it, and warn if these answers look unlike the labelled ones.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N answers.")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Only N answers, drawn at random.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed, another --sample.")
@click.option("--shard", type=Shard(), help="Only the I-th of N equal shares, e.g. 2/8.")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes for a local verifier (default: one a "
              "core), answers in flight for an LLM (default: its own limit).")  # fmt: skip
@click.option("--engine", default="local", show_default=True, metavar="local|ray|ADDRESS",
              help="ray starts one here; ray://HOST:PORT or HOST:PORT joins one. -o is a folder then.")  # fmt: skip
@click.option("--part-size", type=click.IntRange(1), default=256, show_default=True, metavar="N",
              help="On Ray: answers in a part, the unit that is done or not when a run is resumed.")  # fmt: skip
@click.option("--parts", type=click.Choice(["jsonl", "parquet"]), default="jsonl", show_default=True,
              help="On Ray: how parts are written.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Estimate an LLM's calls, tokens and cost; ask nothing.")
@click.option("--max-cost", type=FiniteRange(min=0), metavar="DOLLARS", help="Stop before an LLM costs more.")
@click.option("--min-score", type=FiniteRange(0, 1), help="Exit 1 if the mean score is below.")
@citation_options
@click.option("--min-coverage", type=FiniteRange(0, 1), default=0.95, show_default=True,
              help="Exit 3 if a smaller share of the claims could be judged.")  # fmt: skip
@click.option("--fail-fast", is_flag=True, help="Stop at the first answer below --min-score or not judged in full.")
@click.option("--max-failures", type=click.IntRange(1), metavar="N", help="Stop when so many were not judged in full.")
@click.option("--worst", type=click.IntRange(0), default=10, show_default=True, help="How many answers to show.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON instead of a table.")
@click.option("--progress", "progress_kind", type=click.Choice(["auto", "bar", "json", "none"]), default="auto",
              help="auto: a bar on a terminal, else a JSON line on standard error every ten seconds.")  # fmt: skip
@quiet_option
@click.option("--repeat", type=click.IntRange(1), default=1, metavar="N", help="Judge every answer N times: tell which "
              "claims flip, and how much of the score's error is the judge's; writes no results.")  # fmt: skip
def command(data: tuple[str, ...], **options: Any) -> None:
    """Check every answer of DATA: .jsonl, .json, .csv, .tsv or .parquet files, also as .gz, .xz, .bz2 or .zst;
    folders that Hugging Face datasets saved; globs; s3:// and other remote paths; or - for standard input.

    Rows need an answer and its contexts, and may have a question and an id. The column names of ragas,
    continuous-eval, rag_evals, RagaliQ and DeepEval are known; others are named with --map. Chat logs, and spans of
    Phoenix, OpenTelemetry, Langfuse, LangSmith and MLflow, are read as they are.

    \b
    faithmeter eval answers.jsonl
    faithmeter eval answers.csv --map answer=reply --map contexts=chunks -o results.jsonl
    cat answers.jsonl | faithmeter eval - --min-score 0.9 --bad-rows skip

    Ctrl-C finishes what is in flight; pressed twice, it stops at once. The same command goes on from there.

    Exit codes: 0 passed, 1 below --min-score, 2 usage or bad input, 3 too much could not be judged.
    """
    names = [item.name for item in fields(EvalRequest) if item.name in options]
    request = EvalRequest(data, **{name: options.pop(name) for name in names})
    repeat, dry_run = options.pop("repeat"), options.pop("dry_run")
    fixing = FixStep(options.pop("refusal_text"), options.pop("strict"), options.pop("rewriter"))
    if dry_run:
        sys.exit(_dry_run(request, build_evaluator(**options | {"cache": NO_CACHE})))
    if repeat > 1:
        sys.exit(_repeat(request, build_evaluator(**options | {"cache": NO_CACHE}), repeat))
    request.check(_files_named(request.promise, options["verifier"], options["extractor"], options["cache"].cache))
    plain = build_evaluator(**options | {"cache": NO_CACHE})
    cited = request.citations or request.min_citation_precision is not None
    steps: tuple[Step, ...] = (CitationStep(),) if cited else ()
    steps += (fixing,) if request.fix else ()
    specs = Specs(options["verifier"], options["extractor"], plain.scoring, options["cache"], steps, options["corpus"])
    judges = Judges(specs.build(), specs, request.workers)
    if request.engine != "local":
        sys.exit(eval_on_ray(request, judges))
    with _journal(request) as journal:
        sys.exit(_Eval(request, judges, journal).run())


def _files_named(*specs: str | bool | None) -> list[str]:
    """The files that specs name: a profile, prompts, examples, the cache."""
    parts = [unquote(part) for spec in specs if isinstance(spec, str) for part in re.split("[?&=@]", spec)]
    return [part for part in parts if Path(part).is_file()]


def _dry_run(request: EvalRequest, evaluator: Evaluator) -> int:
    """Say what the run would take, if nothing has to be asked again and nothing is in the cache."""
    from faithmeter.runs.cost_estimate import estimate

    async def added_up() -> tuple[int, Usage]:
        answers, usage = 0, Usage()
        for sample in request.intake():
            usage += await estimate(sample, extractor=evaluator.extractor, verifier=evaluator.verifier)
            answers += 1
        return answers, usage

    answers, usage = asyncio.run(added_up())
    if request.as_json:
        click.echo(json.dumps({"answers": answers, **usage.model_dump(include=set(Usage.model_fields) - {"seconds"})}))
        return PASSED
    if not usage.calls:
        click.echo(f"{count(answers, 'answer')}: no LLM is asked, so there is nothing to pay")
        return PASSED
    cost = "the price of this model is not known" if usage.cost is None else f"about ${usage.cost:.4f}"
    tokens = f"{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens"
    most = "at most" if hasattr(evaluator.verifier, "tiers") else "about"
    click.echo(f"{count(answers, 'answer')}: {most} {usage.calls:,} calls, {tokens}, {cost}")
    return PASSED


def _repeat(request: EvalRequest, evaluator: Evaluator, repeat: int) -> int:
    """Judge again and again instead of once; the results are not for a file."""
    if request.output or request.report or request.engine != "local":
        raise click.UsageError("--repeat goes without --output, --report and --engine; see faithmeter stability")
    from faithmeter.cli.stability import repeated, report

    stability = asyncio.run(repeated(list(request.intake()), evaluator, repeat))
    report(stability, show=request.worst, as_json=request.as_json)
    return BELOW if request.min_score is not None and (stability.mean or 0.0) < request.min_score else PASSED


@contextmanager
def _journal(request: EvalRequest) -> Iterator[Journal | None]:
    """The journal of a run that is to be kept; one for the time being if only a report is wanted."""
    if request.output:
        with Journal(Path(request.output), fresh=request.fresh, retry_failed=request.retry_failed) as journal:
            yield journal
    elif request.report or request.fix or request.promise or under_actions():
        with TemporaryDirectory(prefix="faithmeter-") as folder, Journal(Path(folder) / "results.jsonl") as journal:
            yield journal
    else:
        yield None


class _Eval:
    """One call of the command: the run, and what is said about it."""

    def __init__(self, request: EvalRequest, judges: Judges, journal: Journal | None) -> None:
        self.request = request
        self.journal = journal
        self.judges = judges
        self.intake = request.intake()
        self.fixes: Counter[str] = Counter()
        self.promise_tally = PromiseTally(read_promise(request.promise)) if request.promise else None
        if self.promise_tally:
            self.promise_tally.promise.must_fit(judges.evaluator.signature)
        self.session = Run(
            judges,
            journal=journal,
            min_score=request.min_score,
            fail_fast=request.fail_fast,
            max_failures=request.max_failures,
        )

    def run(self) -> int:
        """Judge, write and show; gives the exit code."""
        self._say_what_is_there()
        left = 0
        try:
            spent = self.journal.spent if self.journal else 0.0
            with (
                frozen_garbage_collector(),
                progress(self.request.shown_progress) as tick,
                limited(self.request.max_cost, spent=spent),
            ):
                asyncio.run(self._judge(tick))
            if self.journal and not self.session.stopped:
                left = self.journal.finish()
        except FaithmeterError as error:
            if self.session.stopped == "interrupted":  # `cat rows | faithmeter eval -`: Ctrl-C ends the input as well
                click.echo(f"faithmeter: interrupted; {error}{self._kept()}", err=True)
                return INTERRUPTED
            raise FaithmeterError(f"{error}{self._kept()}") from None
        except asyncio.CancelledError:
            click.echo(f"faithmeter: stopped at once{self._kept()}", err=True)
            return INTERRUPTED
        if self.journal and not self.session.stopped:
            self._use(self.journal.output)
        self._show(left)
        return self._exit_code()

    def _use(self, output: Path) -> None:
        """What is made of the results of a run that came to its end."""
        least, data = self.request.min_score, self.request.data
        if self.request.report:
            write_report(self.request.report, output, min_score=least, about=about(data=data))
        if self.request.fix:
            self.fixes = write_fixed(self.request.fix, read_results(output))
        if self.promise_tally:
            self.promise_tally.add(read_results(output))
        announce_file(output, min_score=least, data=data[0])

    async def _judge(self, tick: Tick) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task

        def interrupt() -> None:
            if self.session.stopped:
                task.cancel()
            else:
                click.echo("faithmeter: finishing what is in flight; again stops at once", err=True)
                self.session.stop("interrupted")

        for signum in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):  # Windows
                loop.add_signal_handler(signum, interrupt)
        # One core does all: a thread that reads ahead would only take turns with the judging.
        alone = self.judges.cpu_bound and self.judges.workers == 1 and self.intake.is_local
        samples = aiter(self.intake) if alone else iter(self.intake)
        async with aclosing(self.session.over(samples)) as judgements:
            async for _ in judgements:
                tick(self.session, self.intake)

    def _say_what_is_there(self) -> None:
        if not self.journal or not self.journal.results_at_start or self.request.quiet:
            return
        here = self.journal.signatures.total() - self.journal.signatures[self.judges.evaluator.signature]
        otherwise = f", {here} of them made in another way, which will not be used" if here else ""
        click.echo(
            f"going on: {self.request.output} has {count(self.journal.results_at_start, 'result')}{otherwise}", err=True
        )

    def _kept(self) -> str:
        """What to add to a message when a run ends early."""
        if not self.request.output or not self.journal or not self.session.tally.count:
            return ""
        done = count(self.session.tally.count, "result")
        return f"; {done} kept in {self.journal.path}: the same command goes on from there"

    def _show(self, left: int) -> None:
        """The numbers, and what was done with the files."""
        for note in notes(self.judges.evaluator.verifier, self.judges.evaluator.extractor):
            click.echo(f"faithmeter: cache {note}", err=True)
        show_numbers(self.session.tally, self.request, facts=self._facts(), lines=self._lines(left))
        if self.session.stopped:
            click.echo(f"faithmeter: stopped: {self.session.stopped}{self._kept()}", err=True)

    def _facts(self) -> dict[str, Any]:
        journal = self.journal
        return {
            "skipped_rows": self.intake.bad,
            "reused": journal.reused if journal else 0,
            "judged_again": dict(journal.again) if journal else {},
            "stopped": self.session.stopped,
            "signature": self.judges.evaluator.signature,
            **({"fixes": dict(self.fixes)} if self.request.fix else {}),
            **({"promise": self.promise_tally.facts} if self.promise_tally else {}),
        }

    def _lines(self, left: int) -> Iterator[str]:
        if self.intake.bad:
            where = f", listed in {self.request.side_file}" if self.request.side_file else ""
            why = ", ".join(f"{times} {what}" for what, times in self.intake.unusable.most_common())
            yield f"{count(self.intake.bad, 'bad row')} left out{f' (traces: {why})' if why else ''}{where}"
        if self.journal and self.journal.results_at_start:
            again = [f"{count(times, 'row')} again: {AGAIN[why]}" for why, times in self.journal.again.items()]
            yield ", ".join([f"{self.journal.reused} reused, {self.session.judged} judged", *again])
        unjudged = self.session.tally.statuses["failed"] + self.session.tally.statuses["partial"]
        if unjudged and self.request.output:
            yield f"{count(unjudged, 'answer')} not judged in full: the same command with --retry-failed tries again"
        if left and self.journal:
            yield f"{count(left, 'result')} of rows that this run did not meet: kept in {self.journal.path}"
        if not self.session.stopped:
            yield from self.promise_tally.lines if self.promise_tally else ()
            if self.fixes:
                yield "fixes: " + ", ".join(f"{times} {status}" for status, times in self.fixes.most_common())
            files = (self.request.output, self.request.report, self.request.fix)
            yield from (f"wrote {name}" for name in files if name)

    def _exit_code(self) -> int:
        stopped = self.session.stopped
        return INTERRUPTED if stopped == "interrupted" else verdict(self.session.tally, self.request, stopped)


AGAIN = {
    "content": "their content has changed",
    "signature": "their results were made in another way",
    "failed": "they had not been judged in full",
    "unreadable": "their results could not be read",
}
