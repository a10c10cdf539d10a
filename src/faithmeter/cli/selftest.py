"""`faithmeter selftest`: what does the verifier catch on this data?"""

from __future__ import annotations

import asyncio
import json
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from faithmeter.cli import BELOW, PASSED, UNJUDGED
from faithmeter.cli.help import Command, quiet_option
from faithmeter.cli.numbers import FiniteRange
from faithmeter.cli.options import build_evaluator, columns_option, evaluator_options
from faithmeter.data.datasets import only_samples, read_samples
from faithmeter.errors import DataError, UsageError
from faithmeter.report.github import commands_off
from faithmeter.runs.progress import doing
from faithmeter.trust.selftest.measure import KINDS, Tested, selftest

if TYPE_CHECKING:
    from rich.console import RenderableType

TOO_MANY_FAILURES = 0.05


@click.command("selftest", cls=Command)
@click.argument("data")
@evaluator_options
@columns_option
@click.option("--limit", type=click.IntRange(1), default=1000, show_default=True,
              help="Claims come from so many answers.")  # fmt: skip
@click.option("--per-kind", type=click.IntRange(1), default=100, show_default=True, help="Changed claims of each kind.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind of change. Repeatable.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed, other claims and changes.")
@click.option("--min-caught", multiple=True, metavar="[KIND=]SHARE",
              help="Exit 1 if a smaller share of a kind of corruption is caught. Repeatable.")  # fmt: skip
@click.option("--max-flagged", type=FiniteRange(0, 1), help="Exit 1 if more of the paraphrases are flagged.")
@click.option("--show", type=click.IntRange(0), default=1, show_default=True, help="Mistakes to show of each kind.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
@quiet_option
def command(data: str, **options: Any) -> None:
    """Corrupt claims of DATA that the verifier finds supported, and see what it catches.

    \b
    faithmeter selftest answers.jsonl
    faithmeter selftest answers.jsonl -v openai:gpt-5-mini --per-kind 20
    faithmeter selftest answers.jsonl --min-caught 0.8 --min-caught number=0.9 --max-flagged 0.1

    Claims are changed in known ways: a number, a date, a unit, a name, a negation, a quantifier, swapped roles, an
    unsupported addition, a claim of another sample. Others are only said in other words, and should stay supported.
    English; seeded; no LLM writes anything. Exit codes: 0 passed, 1 below a limit, 3 too much could not be judged.
    """
    names = ("columns", "limit", "per_kind", "kinds", "seed", "min_caught", "max_flagged", "show", "as_json", "quiet")
    request = {name: options.pop(name) for name in names}
    limits = _limits(request["min_caught"])
    evaluator = build_evaluator(**options)
    rows = islice(read_samples(data, columns=dict(request["columns"])), request["limit"])
    samples = list(only_samples(rows))
    with doing(quiet=request["quiet"]) as say:
        say(f"finding the claims of {len(samples)} answers")
        tested = asyncio.run(
            selftest(
                samples,
                evaluator=evaluator,
                kinds=request["kinds"] or KINDS,
                per_kind=request["per_kind"],
                seed=request["seed"],
                progress=lambda judged: say(f"{judged:,} claims judged"),
            )
        )
    if not any(item.judged for item in tested.values()):
        raise DataError(f"{data}: the verifier finds no claim supported that could be changed")
    if request["as_json"]:
        kinds = [item.as_dict(examples=request["show"]) for item in tested.values()]
        click.echo(json.dumps({"signature": evaluator.signature, "seed": request["seed"], "kinds": kinds}))
    elif not request["quiet"]:
        with commands_off():
            _show(tested, show=request["show"])
    sys.exit(_verdict(tested, limits, request["max_flagged"]))


def _limits(given: tuple[str, ...]) -> dict[str, float]:
    """Kind -> the share that must be caught; without a kind it holds for all that are not named."""
    limits: dict[str, float] = {}
    for text in given:
        kind, equals, value = text.rpartition("=")
        try:
            share = float(value)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1 or (equals and kind not in KINDS):
            raise UsageError(
                f"--min-caught {text!r}: expected a share from 0 to 1, or KIND=SHARE; kinds: {', '.join(KINDS)}"
            )
        limits[kind] = share
    return limits


def _verdict(tested: dict[str, Tested], limits: dict[str, float], most: float | None) -> int:
    judged = sum(item.judged for item in tested.values())
    failed = sum(item.failed for item in tested.values())
    code = PASSED
    for item in tested.values():
        if item.share is None:
            continue
        least = limits.get(item.kind, limits.get("")) if not item.harmless else None
        if least is not None and item.share < least:
            click.echo(
                f"faithmeter: {item.share:.0%} of {item.kind} corruptions were caught, below {least:.0%}", err=True
            )
            code = BELOW
        if item.harmless and most is not None and item.share > most:
            click.echo(f"faithmeter: {item.share:.0%} of {item.kind} were flagged, above {most:.0%}", err=True)
            code = BELOW
    if failed > TOO_MANY_FAILURES * (judged + failed):
        click.echo(f"faithmeter: {failed} of {judged + failed} changed claims could not be judged", err=True)
        return UNJUDGED
    return code


def _show(tested: dict[str, Tested], *, show: int) -> None:
    from faithmeter.cli.console import Console

    console = Console()
    corruptions = [item for item in tested.values() if not item.harmless]
    paraphrases = [item for item in tested.values() if item.harmless]
    if corruptions:
        console.print(_table("Corrupted claims: the more are caught, the better", corruptions, "caught"))
    if paraphrases:
        console.print(_table("Harmless paraphrases: the fewer are flagged, the better", paraphrases, "flagged"))
    for item in tested.values():
        for case, outcome in item.wrong[:show]:
            console.print(_mistake(item, case, outcome))


def _table(title: str, group: list[Tested], word: str) -> RenderableType:
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    table.add_column("change")
    for name in (word, "95 % interval", "claims", "offers none"):
        table.add_column(name, justify="right")
    if any(item.failed for item in group):
        table.add_column("not judged", justify="right")
    for item in group:
        share = "–" if item.share is None else f"{item.share:.0%}"
        between = "" if item.interval is None else f"{item.interval[0]:.0%} to {item.interval[1]:.0%}"
        failed = [str(item.failed)] if any(other.failed for other in group) else []
        table.add_row(
            item.kind, share, between, str(item.judged), f"{item.tried - item.applied} of {item.tried}", *failed
        )
    return table


def _mistake(item: Tested, case: Any, outcome: Any) -> RenderableType:
    from rich.text import Text

    from faithmeter.display import rounded
    from faithmeter.report.escaping import one_line

    word = "flagged" if item.harmless else "missed"
    return Text.assemble(
        (f"{word} ({item.kind}, {rounded(outcome.support)}) ", "bold"),
        one_line(case.changed.claim.text, 300),
        ("\n    was: " + one_line(case.original.claim.text, 300), "dim"),
    )
