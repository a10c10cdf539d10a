"""The plots, as SVG: how scores are spread, labels by share, score against number of claims.

Only numbers and fixed words go in, so nothing from the data needs escaping; the colours are CSS classes,
so that the page can give them light and dark colours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import IO

from faithmeter.datamodels import Label
from faithmeter.display import LOOKS, rounded
from faithmeter.report.summary import BINS, MANY_CLAIMS, Summary
from faithmeter.results import Result

WIDTH, HEIGHT = 380, 200  # of one panel
LEFT, BOTTOM, TOP = 26, 28, 14


def standalone(summary: Summary) -> str:
    """The main plot as a file of its own: the numbers in its title, then the three panels."""
    gap, head = 40, 78
    width, height = 2 * WIDTH + gap + 48, head + HEIGHT + 84
    css = files("faithmeter.report.html").joinpath("assets/plot.css").read_text("utf-8")
    css = re.sub(r"var\(--[\w-]+, (#\w+)\)", r"\1", css)  # programs other than browsers know no CSS variables
    interval = f" ({rounded(summary.interval[0])} to {rounded(summary.interval[1])})" if summary.interval else ""
    title = f"faithfulness {rounded(summary.mean)}{interval}, {summary.count} answers"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img"><title>{title}</title><style>{css}</style>'
        f'<rect fill="#fff" width="{width}" height="{height}" rx="8"/>'
        f'<text class="strong" x="24" y="32" font-size="16">{title}</text>'
        f'<text class="strong" x="24" y="{head - 10}">answers by score</text>'
        f'<g transform="translate(24 {head})">{"".join(_histogram(summary))}</g>'
        f'<text class="strong" x="{24 + WIDTH + gap}" y="{head - 10}">score by number of claims</text>'
        f'<g transform="translate({24 + WIDTH + gap} {head})">{"".join(_grid(summary))}</g>'
        f'<g transform="translate(24 {head + HEIGHT + 24})">{"".join(_labels(summary, width - 48))}</g></svg>\n'
    )


def histogram(summary: Summary) -> str:
    """How scores are spread, to be set in a page."""
    return _panel("".join(_histogram(summary)), _spread_words(summary))


def grid(summary: Summary) -> str:
    """Score against number of claims, to be set in a page."""
    words = f"Score against the number of claims, for {sum(summary.grid.values())} answers that claim something."
    return _panel("".join(_grid(summary)), words)


def bar(count: int, share: float) -> str:
    """A count with its share of all, as a number and as a bar."""
    return (
        f'<span class="figure">{count:,} <span class="unit">{share:.0%}</span></span>'
        '<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="rail" width="100" height="8" rx="1"/><rect width="{100 * share:.2f}" height="8" rx="1"/></svg>'
    )


def _panel(body: str, words: str) -> str:
    return f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{words}">{body}</svg>'


def _spread_words(summary: Summary) -> str:
    total = len(summary.scores)
    perfect = summary.histogram[-1]
    below = sum(summary.histogram[:5])
    between = total - perfect - below
    return f"Distribution of {total} scores: {perfect} are 1, {between} from 0.5 to 1, {below} below 0.5."


def _x(column: int) -> tuple[float, float]:
    """Where a bin begins, and how wide it is."""
    step = (WIDTH - LEFT) / BINS
    return LEFT + column * step, step


def _y(share: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)


def _histogram(summary: Summary) -> Iterator[str]:
    yield _axis()
    most = max(summary.histogram) or 1
    for column, count in enumerate(summary.histogram):
        x, step = _x(column)
        low, high = column / 10, min(1.0, (column + 1) / 10)
        name = "1" if column == BINS - 1 else f"{low:g} to {high:g}"
        top = _y(count / most * 0.9)
        kind = "bar top" if column == BINS - 1 else "bar"
        yield (
            f'<g class="bin" data-low="{low:g}" data-high="{high:g}"><title>{name}: {count} answers</title>'
            f'<rect x="{x:.1f}" y="{TOP}" width="{step:.1f}" height="{HEIGHT - TOP - BOTTOM}" fill-opacity="0"/>'
            f'<rect class="{kind}" x="{x + 2:.1f}" y="{top:.1f}" width="{step - 4:.1f}" '
            f'height="{HEIGHT - BOTTOM - top:.1f}" rx="2"/>'
        )
        if count:
            yield f'<text x="{x + step / 2:.1f}" y="{top - 4:.1f}" text-anchor="middle">{count}</text>'
        label = "1" if column == BINS - 1 else f"{low:g}"
        yield f'<text x="{x + step / 2:.1f}" y="{HEIGHT - 10}" text-anchor="middle">{label}</text></g>'
    if summary.min_score is not None:
        x = _x(0)[0] + summary.min_score * (BINS - 1) * _x(0)[1]
        yield f'<line class="gate" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{HEIGHT - BOTTOM}"/>'


def _axis() -> str:
    return f'<line class="rule" x1="{LEFT}" x2="{WIDTH}" y1="{HEIGHT - BOTTOM + 0.5}" y2="{HEIGHT - BOTTOM + 0.5}"/>'


def _grid(summary: Summary) -> Iterator[str]:
    yield _axis()
    columns = max(6, max((claims for claims, _ in summary.grid), default=0))
    step = (WIDTH - LEFT) / columns
    for share in (0.0, 0.5, 1.0):
        y = _grid_y(share)
        yield f'<line class="rule" x1="{LEFT}" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{share:g}</text>'
    most = max(summary.grid.values(), default=1)
    for (claims, column), count in sorted(summary.grid.items()):
        x, y = LEFT + (claims - 0.5) * step, _grid_y(_score_in(column, claims))
        radius = 2 + (min(step, 16) / 2) * math.sqrt(count / most)
        name = f"more than {MANY_CLAIMS}" if claims > MANY_CLAIMS else str(claims)
        yield (
            f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">'
            f"<title>{name} claims: {count} answers</title></circle>"
        )
    for claims in range(1, columns + 1):
        label = f"{MANY_CLAIMS}+" if claims > MANY_CLAIMS else str(claims)
        yield f'<text x="{LEFT + (claims - 0.5) * step:.1f}" y="{HEIGHT - 10}" text-anchor="middle">{label}</text>'


def _score_in(column: int, claims: int) -> float:
    """The score of a bin's answers: so many supported of so many claims, or else the middle of the bin."""
    if column == BINS - 1:
        return 1.0
    supported = math.ceil(column * claims / 10)
    only = claims <= 10 and supported * 10 < (column + 1) * claims  # with more claims a bin holds several scores
    return supported / claims if only else (column + 0.5) / 10


def _grid_y(score: float) -> float:
    return TOP + 8 + (HEIGHT - TOP - BOTTOM - 18) * (1 - score)


def shares(summary: Summary) -> list[tuple[str, int, float]]:
    """(label, claims, share) for every label, and for what could not be judged."""
    counts = [(label.value, summary.labels[label]) for label in Label]
    counts.append(("not_judged", sum(summary.failures.values())))
    total = sum(count for _, count in counts) or 1
    return [(name, count, count / total) for name, count in counts]


def _labels(summary: Summary, width: float) -> Iterator[str]:
    x = 0.0
    for name, _, share in shares(summary):
        if share:
            wide = max(1.0, share * width - 2)
            yield f'<rect class="{name}" x="{x:.1f}" y="0" width="{wide:.1f}" height="14" rx="2"/>'
        x += share * width
    x = 0.0
    for name, count, share in shares(summary):
        word = name.replace("_", " ")
        text = f"{word} {count} ({share:.0%})"
        yield f'<text class="{name}" x="{x:.1f}" y="36">{LOOKS[word].mark}</text>'
        yield f'<text x="{x + 15:.1f}" y="36">{text}</text>'
        x += 15 + 6.2 * len(text) + 18  # about the width of the text: SVG cannot measure it


def write_svg(file: IO[str], summary: Summary, results: Iterable[Result], *, title: str | None = None) -> None:
    """Write the main plot; it needs no more than the numbers."""
    file.write(standalone(summary))
