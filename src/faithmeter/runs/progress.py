"""Shows how a run is getting on: a bar for people, JSON lines for logs."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from faithmeter import display

if TYPE_CHECKING:
    from faithmeter.runs.ray.engine import RayReport
    from faithmeter.runs.runner import Run

LOG_SECONDS = 10.0  # between JSON lines
BAR_SECONDS = 0.1


class Incoming(Protocol):
    """What is known about the samples to come, such as an `Intake`."""

    @property
    def total(self) -> int | None:
        """About how many there are in all."""
        ...

    @property
    def bad(self) -> int:
        """How many rows were left out."""
        ...


class Known(NamedTuple):
    """Samples whose number is known where it can be counted."""

    total: int | None
    bad: int = 0


Tick = Callable[["Run", Incoming], None]
Say = Callable[[str], None]
T = TypeVar("T")


class RunProgress:
    """The numbers of a run in progress."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def numbers(self, run: Run, intake: Incoming) -> dict[str, Any]:
        """What there is to tell, ready for JSON."""
        elapsed = time.monotonic() - self._started
        rate = run.judged / elapsed if elapsed else 0.0
        total = max(intake.total or 0, run.tally.count) or None
        left = None if total is None or not rate else max(0.0, (total - run.tally.count) / rate)
        statuses = run.tally.statuses
        return {
            "answers": run.tally.count,
            "of": total,
            "reused": run.tally.count - run.judged,
            "rate": round(rate, 2),
            "eta_seconds": None if left is None else round(left, 1),
            "mean": run.tally.mean,
            "cost": run.tally.usage.cost,
            "cache_hits": run.tally.usage.cache_hits,
            "failures": statuses["failed"] + statuses["partial"],
            "bad_rows": intake.bad,
            "seconds": round(elapsed, 1),
        }


@contextmanager
def progress(kind: str) -> Iterator[Tick]:
    """`auto` is a bar where a person is looking, else a JSON line every ten seconds; `bar`, `json`, `none`."""
    if kind == "auto":
        kind = "bar" if sys.stderr.isatty() else "json"
    pace = RunProgress()
    if kind == "bar":
        with _bar(pace) as tick:
            yield tick
    elif kind == "json":
        yield _throttled(
            LOG_SECONDS, lambda run, intake: print(json.dumps(pace.numbers(run, intake)), file=sys.stderr, flush=True)
        )
    else:
        yield lambda run, intake: None


@contextmanager
def doing(*, quiet: bool = False) -> Iterator[Say]:
    """For commands without a run: what they are doing, on one line where a person is looking, and nowhere else."""
    if quiet or not sys.stderr.isatty():
        yield lambda words: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status("starting") as status:
        yield lambda words: status.update(Text(display.printable(words)))


def counted(items: Iterable[T], say: Say) -> Iterator[T]:
    """The items; says how many there have been, every hundred."""
    for count, item in enumerate(items, 1):
        if count % 100 == 0:
            say(f"{count:,} results read")
        yield item


@contextmanager
def part_progress(kind: str) -> Iterator[Callable[[RayReport], None]]:
    """The same for a run on Ray, in parts: a line on standard error, rewritten on a terminal."""
    if kind == "auto":
        kind = "bar" if sys.stderr.isatty() else "json"
    last = time.monotonic()

    def tick(report: RayReport) -> None:
        nonlocal last
        now = time.monotonic()
        if kind == "bar":
            print(
                f"\r{report.done} of {report.parts} parts, {report.rows} answers", end="", file=sys.stderr, flush=True
            )
        elif kind == "json" and now - last >= LOG_SECONDS:
            last = now
            numbers = {"parts": report.done, "of": report.parts, "answers": report.rows, "bad_rows": len(report.bad)}
            print(json.dumps(numbers), file=sys.stderr, flush=True)

    yield tick
    if kind == "bar":
        print(file=sys.stderr)


def _throttled(seconds: float, tick: Tick) -> Tick:
    """The same, at most once in so many seconds, and not before they have passed."""
    last = time.monotonic()

    def now_and_then(run: Run, intake: Incoming) -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            last = time.monotonic()
            tick(run, intake)

    return now_and_then


@contextmanager
def _bar(pace: RunProgress) -> Iterator[Tick]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), BarColumn(bar_width=24), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def tick(run: Run, intake: Incoming) -> None:
            numbers = pace.numbers(run, intake)
            bar.update(task, completed=numbers["answers"], total=numbers["of"], description=_words(numbers))

        yield _throttled(BAR_SECONDS, tick)


def _words(numbers: dict[str, Any]) -> str:
    of = f" of {numbers['of']}" if numbers["of"] else ""
    parts = [f"{numbers['answers']}{of} answers", f"{numbers['rate']:g}/s"]
    if numbers["eta_seconds"] is not None:
        parts.append(f"{_duration(numbers['eta_seconds'])} to go")
    parts.append(f"mean score {display.rounded(numbers['mean'])}")
    if numbers["cost"] is not None:
        parts.append(f"${numbers['cost']:.4f}")
    parts += [f"{numbers[name]} {name.replace('_', ' ')}" for name in ("reused", "cache_hits") if numbers[name]]
    parts += [
        f"[red]{numbers[name]} {name.replace('_', ' ')}[/red]" for name in ("failures", "bad_rows") if numbers[name]
    ]
    return " · ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
