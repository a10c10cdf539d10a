"""`faithmeter promise`: the threshold at which at most so many of the passed answers are unfaithful."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

import click

from faithmeter.cli.options import build_evaluator, columns_option, evaluator_options
from faithmeter.data.datasets import only_samples, read_samples
from faithmeter.data.files import keep_apart, replacing
from faithmeter.datamodels import Sample
from faithmeter.display import printable
from faithmeter.errors import DataError
from faithmeter.report import read_results
from faithmeter.results import Result
from faithmeter.runtime.specs import finite
from faithmeter.trust.human_labels import HumanLabel, read_labels, settle
from faithmeter.trust.promise import CONFIDENCE, Promise, Seen, find_promise, look


class Share(click.ParamType[float]):
    """`5%` or `0.05`."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        text = value.strip()
        try:
            share = finite(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            self.fail(f"{value!r} is not a share, e.g. 5% or 0.05", param, ctx)
        if not 0 < share < 1:
            self.fail(f"{value!r} is not between 0% and 100%; 5% or 0.05", param, ctx)
        return share


@click.command("promise")
@click.argument("labels", type=click.Path(dir_okay=False))
@click.option("--at-most", type=Share(), required=True, help="The share of passed answers that may be unfaithful: 5%.")
@click.option("--confidence", type=Share(), default=CONFIDENCE, show_default=True, help="How sure that must be.")
@click.option("--results", type=click.Path(dir_okay=False), help="Results that the labels are about; without, LABELS "
              "has the answers and contexts as well, and they are judged now.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write the promise here, for eval --promise.")
@evaluator_options
@columns_option
@click.option("--json", "as_json", is_flag=True, help="Print the promise as JSON.")
def command(
    labels: str,
    at_most: float,
    confidence: float,
    results: str | None,
    output: str | None,
    columns: tuple[tuple[str, str], ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Find the threshold at which at most a share of the passed answers is unfaithful, from LABELS by people.

    \b
    faithmeter promise labels.jsonl --at-most 5% -o promise.json
    faithmeter promise labels.jsonl --results results.jsonl --at-most 0.1
    faithmeter eval answers.jsonl --promise promise.json

    A row of LABELS has the answer's id and its label (faithful, unfaithful, 1, 0), and the answer and contexts unless
    --results has them. The answers must be drawn at random from those that the promise is for. Where the labels do not
    allow it, nothing is promised, and the exit code is 2.
    """
    keep_apart({"-o": output}, [labels, *([results] if results else [])])
    said = _by_sample(read_labels(labels), labels)
    if results:
        judged: Iterable[Result] = (result for result in read_results(results) if result.sample.id in said)
    else:
        rows = list(read_samples(labels, columns=dict(columns)))
        judged = asyncio.run(_judged(list(only_samples(rows)), options))
    labelled = [(result, said[result.sample.id]) for result in judged if result.sample.id in said]
    if not labelled:
        raise DataError(f"{labels}: no label is about an answer of {results or labels}; do the ids agree?")
    promise = find_promise(labelled, at_most=at_most, confidence=confidence)
    if output:
        with replacing(output) as file:
            file.write(promise.model_dump_json() + "\n")
    if as_json:
        click.echo(json.dumps(promise.model_dump(mode="json", exclude={"seen"})))
        return
    click.echo(printable(in_words(promise)))
    if output:
        click.echo(f"wrote {output}")


def in_words(promise: Promise) -> str:
    """The promise as people read it."""
    return (
        f"at most {promise.at_most:.3g} of the answers that pass are unfaithful, with {promise.confidence:.0%} "
        f"confidence: pass answers whose every claim has a support of {promise.threshold:g} or more\n"
        f"{promise.passed} of {promise.labels} labelled answers pass ({promise.passed / promise.labels:.0%}), "
        f"{promise.unfaithful} of them unfaithful (at most {promise.bound:.1%} in the long run)"
    )


class PromiseTally:
    """How many answers of a run pass a promise, and whether they look like the labelled ones."""

    def __init__(self, promise: Promise) -> None:
        self.promise = promise
        self.total = self.passed = 0
        self.seen: list[Seen] = []

    def add(self, results: Iterable[Result]) -> None:
        """Count results."""
        for result in results:
            self.total += 1
            self.passed += self.promise.passes(result)
            if (seen := look(result)) is not None:
                self.seen.append(seen)

    @property
    def lines(self) -> list[str]:
        """What is said at the end of a run."""
        said = (
            f"promise: {self.passed} of {self.total} answers pass (support {self.promise.threshold:g} or more); "
            f"at most {self.promise.at_most:.3g} of these are unfaithful, with {self.promise.confidence:.0%} confidence"
        )
        drift = self.promise.drift_of(self.seen)
        warning = "⚠ the promise may not hold: these answers look unlike the labelled ones; "
        return [said, *([warning + "; ".join(drift)] if drift else [])]

    @property
    def facts(self) -> dict[str, Any]:
        """The same as numbers."""
        return {"passed": self.passed, "of": self.total, "at_most": self.promise.at_most,
                "threshold": self.promise.threshold, "drift": self.promise.drift_of(self.seen)}  # fmt: skip


def _by_sample(labels: list[HumanLabel], name: str) -> dict[str, bool]:
    """Whether people call each answer faithful; one claim that is not supported makes its answer unfaithful."""
    if any(label.rate is not None for label in labels):
        raise DataError(f"{name}: its claims were drawn the uncertain first; a promise needs answers drawn at random")
    golds, _ = settle(labels)
    faithful = {gold.sample: gold.label == "supported" for gold in golds if gold.claim is None and gold.offsets is None}
    faithful |= {gold.sample: False for gold in golds if gold.label != "supported" and gold.sample not in faithful}
    return faithful


async def _judged(samples: list[Sample], options: dict[str, Any]) -> list[Result]:
    return [result async for result in build_evaluator(**options).stream(samples)]
