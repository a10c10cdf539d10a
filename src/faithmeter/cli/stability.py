"""`faithmeter stability`: which verdicts flip when the same answers are judged again?"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from itertools import islice
from typing import Any

import click

from faithmeter.cli import BELOW, PASSED
from faithmeter.cli.help import Command, quiet_option
from faithmeter.cli.numbers import FiniteRange
from faithmeter.cli.options import NO_CACHE, build_evaluator, columns_option, evaluator_options
from faithmeter.data.datasets import only_samples, read_samples
from faithmeter.datamodels import Sample
from faithmeter.evaluator import Evaluator
from faithmeter.report import read_results
from faithmeter.report.escaping import one_line
from faithmeter.report.github import commands_off
from faithmeter.results import Result
from faithmeter.runs.progress import Say, doing
from faithmeter.trust.stability import Stability, measure_stability


@click.command("stability", cls=Command)
@click.argument("data", required=False)
@evaluator_options
@columns_option
@click.option("--repeat", type=click.IntRange(2), default=5, show_default=True, help="How often each answer is judged.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Only the first so many answers.")
@click.option("--runs", multiple=True, type=click.Path(dir_okay=False),
              help="Results of runs made before, instead of DATA. Repeatable.")  # fmt: skip
@click.option("--max-flips", type=FiniteRange(0, 1), help="Exit 1 if claims flip more often.")
@click.option("--show", type=click.IntRange(0), default=10, show_default=True, help="How many flaky claims to show.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
@quiet_option
def command(data: str | None, **options: Any) -> None:
    """Judge the answers of DATA several times: which claims flip, and how much of the score's error is the judge's?

    \b
    faithmeter stability answers.jsonl -v openai:gpt-5-mini --repeat 5
    faithmeter stability --runs monday.jsonl --runs tuesday.jsonl --max-flips 0.02
    """
    names = ("columns", "repeat", "limit", "runs", "max_flips", "show", "as_json", "quiet")
    request = {name: options.pop(name) for name in names}
    if (data is None) == (len(request["runs"]) < 2):
        raise click.UsageError("give DATA, or two or more --runs")
    if data is None:
        stability = measure_stability([read_results(path) for path in request["runs"]])
    else:
        rows = islice(read_samples(data, columns=dict(request["columns"])), request["limit"])
        evaluator = build_evaluator(**options | {"cache": NO_CACHE})
        with doing(quiet=request["quiet"]) as say:
            stability = asyncio.run(repeated(list(only_samples(rows)), evaluator, request["repeat"], say))
    if request["as_json"] or not request["quiet"]:
        report(stability, show=request["show"], as_json=request["as_json"])
    limit = request["max_flips"]
    if limit is not None and stability.flips > limit:
        click.echo(f"faithmeter: {stability.flips:.1%} flip, above {limit:.1%}", err=True)
        sys.exit(BELOW)
    sys.exit(PASSED)


async def repeated(
    samples: Sequence[Sample], evaluator: Evaluator, repeat: int, say: Say = lambda doing: None
) -> Stability:
    """Judge the samples again and again."""
    runs: list[list[Result]] = []
    for run_number in range(1, repeat + 1):
        run: list[Result] = []
        async for result in evaluator.stream(samples):
            run.append(result)
            say(f"run {run_number} of {repeat}: {len(run)} of {len(samples)} answers")
        runs.append(run)
    return measure_stability(runs)


def report(stability: Stability, *, show: int, as_json: bool) -> None:
    """Show what repeated runs say."""
    if as_json:
        click.echo(json.dumps(stability.as_dict(shown=show)))
        return
    with commands_off():
        _show(stability, show)


def _show(stability: Stability, show: int) -> None:
    flaky = len(stability.flaky)
    click.echo(f"{stability.samples} answers, {stability.claims} claims, judged {stability.repeats} times")
    click.echo(f"two runs differ on {stability.flips:.1%} of the claims; {flaky} claims flipped at least once")
    if stability.interval is not None and stability.mean is not None:
        low, high = stability.interval
        click.echo(f"mean score {stability.mean:.3f}, one run's 95 % interval {low:.3f} to {high:.3f}")
        click.echo(f"standard error: {stability.sampling:.4f} from the samples, {stability.noise:.4f} from the judge")
    runs = ", ".join(f"{mean:.3f}" for mean in stability.means)
    click.echo(f"the runs' means: {runs}")
    for count, words in (
        (stability.not_always_found, "claims were not found in every run: the extractor is not stable"),
        (stability.not_always_judged, "claims could not be judged in every run"),
        (stability.cached, "verdicts came from a cache and cannot flip: run without it"),
    ):
        if count:
            click.echo(f"{count} {words}")
    for item in stability.flaky[:show]:
        counts = ", ".join(f"{n} {label.replace('_', ' ')}" for label, n in item.labels.items())
        click.echo(f"  {one_line(item.sample, 40)}: {one_line(item.claim)}\n      {counts}")
