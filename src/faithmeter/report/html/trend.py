"""Many runs on one page: the score with its interval from run to run, and what changed in between."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from faithmeter.data.files import replacing
from faithmeter.data.results_file import ResultsFile
from faithmeter.datamodels import Label
from faithmeter.display import LOOKS, rounded
from faithmeter.errors import DataError
from faithmeter.report.compare_terminal import signed
from faithmeter.report.comparison import Comparison
from faithmeter.report.html.page import page
from faithmeter.report.summary import Summary, summarise

TITLE = "Faithfulness over time"
STYLES = ("base.css", "plot.css", "report.css", "trend.css")
SCRIPTS = ("core.js", "plain.js")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 1000, 300, 46, 24, 16, 44
MOVED = 5  # samples to name of a step, each way


class TrendRun(NamedTuple):
    """One run of many."""

    name: str
    path: Path
    written: datetime
    summary: Summary


def read_runs(paths: Sequence[str | Path], *, by_date: bool = False, min_score: float | None = None) -> list[TrendRun]:
    """The runs, in the order given or by the date of their files."""
    runs = []
    for path in map(Path, paths):
        file = ResultsFile(path)
        if file.is_pipe:
            raise DataError(f"{path}: a trend needs files, each with its name and date")
        summary = summarise(file, min_score=min_score)
        runs.append(TrendRun(path.stem, path, datetime.fromtimestamp(path.stat().st_mtime, UTC), summary))
    return sorted(runs, key=lambda run: run.written) if by_date else runs


def steps(runs: Sequence[TrendRun]) -> list[Comparison | None]:
    """What changed from each run to the next; None where the two have no sample in common."""
    changes: list[Comparison | None] = []
    for before, after in pairwise(runs):
        try:
            changes.append(Comparison(before.path, after.path))
        except DataError:
            changes.append(None)
    return changes


def write_trend(path: str | Path, runs: Sequence[TrendRun], *, title: str | None = None) -> None:
    """Write the page."""
    parts = {"body": "".join([_plot(runs), _table(runs, steps(runs))])}
    before, after = page("plain.html", title=title or TITLE, styles=STYLES, scripts=SCRIPTS, parts=parts)
    with replacing(path) as file:
        file.write(before + after)


# --- the plot ----------------------------------------------------------------------------------------


def _plot(runs: Sequence[TrendRun]) -> str:
    bounds = [bound for run in runs for bound in (run.summary.interval or ())]
    low = math.floor(min([*bounds, 0.89]) * 10) / 10

    def x(index: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (index + 0.5) / len(runs)

    def y(score: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (min(1.0, max(low, score)) - low) / (1 - low))

    parts = []
    for tenth in range(round(low * 10), 11):
        value = tenth / 10
        parts.append(f'<line class="rule" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.1f}</text>')
    limit = runs[0].summary.min_score
    if limit is not None and limit >= low:
        parts.append(f'<line class="gate" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(limit):.1f}" y2="{y(limit):.1f}"/>')
    scored = [(index, run) for index, run in enumerate(runs) if run.summary.mean is not None]
    line = " ".join(f"{x(index):.1f},{y(run.summary.mean or 0.0):.1f}" for index, run in scored)
    parts.append(f'<polyline class="curve" points="{line}"/>')
    for index, run in scored:
        parts += _point(x(index), y, run)
    every = max(1, len(runs) // 12)
    for index, run in enumerate(runs):
        if index % every == 0:
            short = run.name if len(run.name) <= 16 else run.name[:15] + "…"
            parts.append(f'<text x="{x(index):.1f}" y="{HEIGHT - 14}" text-anchor="middle">{escape(short)}</text>')
    words = "; ".join(f"{escape(run.name)}: {rounded(run.summary.mean)}" for run in runs)
    return (
        '<section class="panel"><h2 class="eyebrow">Mean faithfulness, with its 95 % interval</h2>'
        '<div class="scroll" tabindex="0" role="region" aria-label="Chart">'
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{words}">'
        f"{''.join(parts)}</svg></div></section>"
    )


def _point(x: float, y: Callable[[float], float], run: TrendRun) -> list[str]:
    mean, interval = run.summary.mean or 0.0, run.summary.interval
    between = f", {rounded(interval[0])} to {rounded(interval[1])}" if interval else ""
    title = f"<title>{escape(run.name)}: {rounded(mean)}{between}, {run.summary.count} answers</title>"
    bars = []
    if interval:
        top, bottom = y(interval[1]), y(interval[0])
        bars = [f'<line class="whisker" x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}"/>']
        bars += [
            f'<line class="whisker" x1="{x - 6:.1f}" x2="{x + 6:.1f}" y1="{end:.1f}" y2="{end:.1f}"/>'
            for end in (top, bottom)
        ]
    return [*bars, f'<circle class="dot" cx="{x:.1f}" cy="{y(mean):.1f}" r="6">{title}</circle>']


# --- the table ---------------------------------------------------------------------------------------


def _table(runs: Sequence[TrendRun], changes: Sequence[Comparison | None]) -> str:
    """The runs, the latest first, each with what changed since the one before."""
    before = ["", *(run.name for run in runs)]
    rows = [_row(*row) for row in reversed(list(zip(runs, [None, *changes], before, strict=False)))]
    gate = any(run.summary.pass_rate is not None for run in runs)
    heads = ["Run", "Mean", "Since the run before", *(["Pass rate"] if gate else []), "Answers", "Claims",
             "What changed"]  # fmt: skip
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    return (
        '<section><h2>Runs, the latest first</h2><div class="panel scroll" tabindex="0" role="region" '
        f'aria-label="Runs"><table class="runs"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div></section>"
    )


def _row(run: TrendRun, step: Comparison | None, before: str) -> str:
    interval = run.summary.interval
    between = f'<span class="unit">{rounded(interval[0])} to {rounded(interval[1])}</span>' if interval else ""
    rate = f"<td>{run.summary.pass_rate:.0%}</td>" if run.summary.pass_rate is not None else ""
    return (
        f'<tr><th scope="row"><bdi>{escape(run.name)}</bdi>'
        f'<span class="unit">{run.written:%Y-%m-%d %H:%M} UTC</span></th>'
        f'<td><span class="figure">{rounded(run.summary.mean)}</span>{between}</td><td>{_moved(step)}</td>{rate}'
        f"<td>{run.summary.count:,}</td><td>{_labels(run.summary)}</td><td>{_changed(step, before)}</td></tr>"
    )


def _moved(step: Comparison | None) -> str:
    if step is None or step.difference is None:
        return '<span class="unit">–</span>'
    interval = step.interval
    sure = interval is not None and (interval[0] > 0 or interval[1] < 0)
    kind = "level" if not sure else "better" if step.difference > 0 else "worse"
    arrow = {"better": "↑", "worse": "↓", "level": "="}[kind]
    word = "" if sure else '<span class="unit">within chance</span>'
    return f'<span class="delta {kind}">{arrow} {signed(step.difference)}</span>{word}'


def _labels(summary: Summary) -> str:
    tallies = []
    for label in Label:
        word = label.replace("_", " ")
        if summary.labels[label]:
            mark = f'<span aria-hidden="true">{LOOKS[word].mark}</span><span class="sr">{word}: </span>'
            tallies.append(f'<span class="tally {label.value}" title="{word}">{mark}{summary.labels[label]:,}</span>')
    return f'<span class="tallies">{"".join(tallies)}</span>'


def _changed(comparison: Comparison | None, before: str) -> str:
    if comparison is None:
        words = f"no sample in common with {escape(before)}" if before else "the first run"
        return f'<span class="unit">{words}</span>'
    lines = [
        f"{escape(name)}: <code>{escape(one)}</code> → <code>{escape(two)}</code>"
        for name, one, two in comparison.signature_changes()
    ]
    moved = sorted((pair for pair in comparison.pairs if pair.difference), key=lambda pair: pair.difference or 0.0)
    worse = [pair for pair in moved if (pair.difference or 0.0) < 0]
    better = [pair for pair in reversed(moved) if (pair.difference or 0.0) > 0]
    for word, pairs in (("worse", worse), ("better", better)):
        if pairs:
            names = ", ".join(f"<bdi>{escape(pair.id)}</bdi> ({signed(pair.difference)})" for pair in pairs[:MOVED])
            more = f" and {len(pairs) - MOVED} more" if len(pairs) > MOVED else ""
            lines.append(f"{len(pairs)} {word}: {names}{more}")
    for ids, word in ((comparison.added, "new"), (comparison.missing, "gone")):
        if ids:
            lines.append(f"{len(ids)} {word}")
    return "<br>".join(lines) or '<span class="unit">nothing</span>'
