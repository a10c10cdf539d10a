"""`faithmeter cache`: what the verdict cache holds and has saved; deleting from it, exporting and checking it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from faithmeter.cache import default_location, default_path, location_or_switch, open_store
from faithmeter.cache.maintenance import Review, Stats, export, misshapen, rejudge, stats
from faithmeter.cache.store import Store
from faithmeter.cli import BELOW, PASSED
from faithmeter.data import jsonl
from faithmeter.data.files import keep_apart, replacing
from faithmeter.errors import UsageError
from faithmeter.verify import load_verifier

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_BYTES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


class Duration(click.ParamType[float]):
    """A number and a unit: 30d, 12h."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhdw])", str(value))
        if not match:
            self.fail(f"{value!r} is not a number and one of s, m, h, d, w, e.g. 30d", param, ctx)
        return float(match[1]) * _SECONDS[match[2]]


class Bytes(click.ParamType[int]):
    """A number and a unit: 500MB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)b?", str(value).lower())
        if not match:
            self.fail(f"{value!r} is not a size, e.g. 500MB", param, ctx)
        return int(float(match[1]) * _BYTES[match[2]])


cache_option = click.option("--cache", "cache_location", metavar="PATH_OR_URL",
                            help="Which cache; default: $FAITHMETER_CACHE, or the user's own.")  # fmt: skip


@click.group("cache")
def command() -> None:
    """Manage the verdict cache.

    \b
    faithmeter cache stats
    faithmeter cache prune --older-than 90d
    faithmeter cache export -o verdicts.jsonl
    faithmeter cache verify --verifier openai:MODEL
    """


@command.command("stats")
@cache_option
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
def stats_command(cache_location: str | None, as_json: bool) -> None:
    """What the cache holds: hits by kind, and what they saved in calls, tokens and money."""
    with _opened(cache_location) as store:
        cache_stats = stats(store)
    click.echo(cache_stats.model_dump_json(indent=2) if as_json else _stats_text(cache_stats))


@command.command("prune")
@cache_option
@click.option("--older-than", type=Duration(), help="Delete what was not used for so long, e.g. 90d.")
@click.option("--max-size", type=Bytes(), help="Then delete the least recently used until the rest fits, e.g. 500MB.")
@click.option("--all", "everything", is_flag=True, help="Delete every entry.")
def prune_command(cache_location: str | None, older_than: float | None, max_size: int | None, everything: bool) -> None:
    """Delete old entries, or all."""
    if everything == (older_than is not None or max_size is not None):
        raise click.UsageError("say what to delete: --older-than and --max-size, or --all")
    with _opened(cache_location) as store:
        gone = store.prune(unused_for=older_than, max_bytes=max_size)
    click.echo(f"deleted {gone:,} entries from {store.location}")


@command.command("export")
@cache_option
@click.option("-o", "--output", type=click.Path(dir_okay=False, allow_dash=True), default="-", help="Write here.")
def export_command(cache_location: str | None, output: str) -> None:
    """Write every verdict as a line of JSON: claim, label, evidence, and the signature of who judged."""
    with _opened(cache_location) as store:
        if output == "-":
            for row in export(store):
                click.echo(jsonl.encode(row))
            return
        keep_apart({"-o": output}, [store.location])
        with replacing(output, "wb") as file:
            file.writelines(jsonl.encode(row) + b"\n" for row in export(store))


@command.command("verify")
@cache_option
@click.option("-v", "--verifier", "spec", help="Who judges the semantic hits again: the verifier they stood in for.")
@click.option("--sample", type=click.IntRange(min=1), default=100, show_default=True, help="How many at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which ones.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def verify_command(cache_location: str | None, spec: str | None, sample: int, seed: int, as_json: bool) -> None:
    """Check the store, and judge a sample of its semantic hits again.

    Exit codes: 0 all well, 1 the store is damaged or a hit was wrong.
    """
    with _opened(cache_location) as store:
        damage = [*store.check(), *misshapen(store)]
        review = asyncio.run(rejudge(store, load_verifier(spec), sample=sample, seed=seed)) if spec else None
        remembered = len(store.logged())
    if as_json:
        click.echo(json.dumps({"damage": damage, "review": review.model_dump(mode="json") if review else None}))
    else:
        for line in damage or [f"{store.location}: the store is sound"]:
            click.echo(line)
        click.echo(_review_text(review) if review else f"{remembered} semantic hits remembered; --verifier judges them")
    click.get_current_context().exit(BELOW if damage or (review and review.disagreements) else PASSED)


@contextmanager
def _opened(location: str | None) -> Iterator[Store]:
    said = True if location is None else location_or_switch(location)
    if said is False:
        raise click.UsageError(f"--cache {location}: that is not a cache; a file of that name is ./{location}")
    named = said if isinstance(said, str) else default_location() or str(default_path())
    store = open_store(named)
    if store.location == ":memory:" != named:  # good enough for a run, but there is nothing to manage
        raise UsageError(f"{named}: no cache can be opened there: {store.notes[-1].partition('; ')[0]}")
    try:
        yield store
    finally:
        store.close()
        for note in store.notes:
            click.echo(f"faithmeter: {note}", err=True)


def _stats_text(cache_stats: Stats) -> str:
    rate = "" if cache_stats.hit_rate is None else f" ({cache_stats.hit_rate:.1%} of all)"
    hits = ", ".join(f"{count:,} {kind}" for kind, count in cache_stats.hits.items())
    entries = ", ".join(f"{count:,} {kind}" for kind, count in sorted(cache_stats.entries.items())) or "none"
    return "\n".join(
        [
            f"cache      {cache_stats.location}",
            f"entries    {entries}; {cache_stats.bytes / 1e6:.1f} MB",
            f"hits       {hits}{rate}",
            f"judged     {cache_stats.asked:,}",
            f"extracted  {cache_stats.extractions:,} answers came from the cache",
            f"saved      {cache_stats.saved_calls:,.0f} calls, {cache_stats.saved_prompt_tokens:,.0f} prompt tokens, "
            f"{cache_stats.saved_completion_tokens:,.0f} completion tokens, ${cache_stats.saved_cost:,.2f}",
        ]
    )


def _review_text(review: Review) -> str:
    lines = [
        f"{review.judged} of {review.logged} semantic hits judged again: {len(review.disagreements)} disagree"
        + ("" if review.rate is None else f" ({review.rate:.1%})")
    ]
    if review.failed:
        lines.append(f"{review.failed} could not be judged")
    if review.other_verifier:
        lines.append(f"{review.other_verifier} were given for another verifier and were left out")
    for item in review.disagreements:
        lines.append(f"  {item.claim!r} was given {item.given} from {item.matched!r}; judged: {item.judged}")
    return "\n".join(lines)
