"""A comparison as a page: the difference, what differs, and each sample's claims side by side."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

from faithmeter.data.files import replacing
from faithmeter.datamodels import Label
from faithmeter.display import BLAME_WORDS, LOOKS, rounded
from faithmeter.report.compare_terminal import p_words, signed, verdict
from faithmeter.report.comparison import Comparison, Pairing
from faithmeter.report.html.overview import gauge, tile
from faithmeter.report.html.page import BLOCK, data_script, page
from faithmeter.report.html.payload import comparable
from faithmeter.report.summary import BINS, bin_of

TITLE = "Comparison of two runs"
LIMIT = 5_000  # changed samples in the page: the largest losses
STYLES = ("base.css", "plot.css", "report.css", "sample.css", "compare.css")
SCRIPTS = ("core.js", "compare.js")


def write_comparison(path: str | Path, comparison: Comparison, *, title: str | None = None) -> None:
    """Write the page."""
    title = title or TITLE
    changed = comparison.changed()
    notice = ""
    if len(changed) > LIMIT:
        notice = f'<p class="notice">{len(changed):,} samples changed; these are the {LIMIT:,} that lost most.</p>'
    parts = {"overview": _overview(comparison), "notice": notice}
    before, after = page("compare.html", title=title, styles=STYLES, scripts=SCRIPTS, parts=parts)
    with replacing(path) as file:
        file.write(before)
        file.writelines(_data(comparison, changed[:LIMIT], title))
        file.write(after)


def _data(comparison: Comparison, pairs: list[Pairing], title: str) -> Iterator[str]:
    rows: list[dict[str, Any]] = []
    waiting = iter(pairs)
    while block := list(islice(waiting, BLOCK)):
        details = []
        for pair in block:
            change = comparison.load(pair)
            rows.append(
                {
                    "id": pair.id,
                    "scores": pair.scores,
                    "difference": pair.difference,
                    "changes": pair.changes,
                    "question": change.after.sample.question or "",
                    "answer": change.after.sample.answer,
                }
            )
            details.append(comparable(change.before, change.after, change.claims))
        yield data_script("block", details)
    yield data_script("index", rows)
    yield data_script("summary", {"title": title, "block": BLOCK})


# --- the top -----------------------------------------------------------------------------------------


def _overview(comparison: Comparison) -> str:
    worse, same, better = comparison.directions
    unscored = len(comparison.pairs) - len(comparison.differences)
    alone = [
        f"{len(names):,} only in the {word} run"
        for names, word in ((comparison.missing, "first"), (comparison.added, "second"))
        if names
    ]
    alone += [f"{unscored:,} without a score in one run"] if unscored else []
    tiles = [
        tile("First run", rounded(comparison.mean(0)), escape(comparison.files[0].path.name)),
        tile("Second run", rounded(comparison.mean(1)), escape(comparison.files[1].path.name)),
        tile("Samples", f"{len(comparison.differences):,}", "; ".join(["compared", *alone])),
        tile("Moved", f"{worse + better:,}", f"↓ {worse:,} worse, ↑ {better:,} better, {same:,} the same"),
    ]
    return (
        f'<div class="hero">{_difference(comparison)}<div class="tiles">{"".join(tiles)}</div></div>'
        f'<div class="pairs">{_distributions(comparison)}{_labels(comparison)}{_wrong(comparison)}'
        f"{_signatures(comparison)}</div>"
    )


def _difference(comparison: Comparison) -> str:
    interval = comparison.interval
    between = ""
    if interval:
        numbers = f"{signed(interval[0])} to {signed(interval[1])}, p = {escape(p_words(comparison.p_value))}"
        between = f'{_gauge(comparison, interval)}<p class="unit">95 % interval {numbers}</p>'
    return (
        '<div class="panel mean"><h2 class="eyebrow">Mean difference</h2>'
        f'<span class="figure">{signed(comparison.difference)}</span>{between}'
        f'<p class="gate"><span class="status">{escape(verdict(comparison))}</span></p></div>'
    )


def _gauge(comparison: Comparison, interval: tuple[float, float]) -> str:
    """The interval on a scale whose middle is 0."""
    reach = max(0.05, *(abs(bound) * 1.25 for bound in interval))
    low, high, point = (100 + 100 * value / reach for value in (*interval, comparison.difference or 0.0))
    return gauge(low, high, point, under='<line class="limit" x1="100" x2="100" y1="3" y2="27"/>')


def _distributions(comparison: Comparison) -> str:
    """How the scores of both runs are spread, side by side."""
    both = [pair.scores for pair in comparison.pairs if pair.difference is not None]
    counts = [[0] * BINS, [0] * BINS]
    for scores in both:
        for run, score in zip(counts, scores, strict=True):
            run[bin_of(score or 0.0)] += 1
    most = max(max(run) for run in counts) or 1
    parts = []
    for column in range(BINS):
        x, name = 8 + column * 34, "1" if column == BINS - 1 else f"{column / 10:g}"
        parts.append(f'<text x="{x + 14}" y="170" text-anchor="middle">{name}</text>')
        for which, run in enumerate(counts):
            height = 130 * run[column] / most
            word = ("first", "second")[which]
            parts.append(
                f'<rect class="{word}" x="{x + 14 * which}" y="{152 - height:.1f}" width="13" '
                f'height="{height:.1f}" rx="2">'
                f"<title>{word} run, {name}: {run[column]} answers</title></rect>"
            )
            if run[column]:
                parts.append(
                    f'<text x="{x + 14 * which + 6.5}" y="{148 - height:.1f}" text-anchor="middle">{run[column]}</text>'
                )
    words = "; ".join(
        f"{name} run: {run[-1]} of {len(both)} answers score 1, {sum(run[:5])} below 0.5"
        for name, run in zip(("first", "second"), counts, strict=True)
    )
    return (
        '<div class="panel spread"><h3>Answers by score '
        '<span class="key first">■ first run</span> <span class="key second">▨ second run</span></h3>'
        f'<svg class="plot" viewBox="0 0 390 176" role="img" aria-label="{words}">'
        '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect width="5" height="5" class="back"/><rect width="2" height="5" class="line"/></pattern></defs>'
        f'<line class="rule" x1="4" x2="386" y1="152.5" y2="152.5"/>{"".join(parts)}</svg></div>'
    )


def _labels(comparison: Comparison) -> str:
    """How claims moved between labels, as a table."""
    names: list[str | None] = [*(label.replace("_", " ") for label in Label), "not judged", None]
    names = [name for name in names if any(name in key for key in comparison.labels)]
    head = "".join(f'<th scope="col">{_mark(name)}</th>' for name in names)
    rows = []
    for before in names:
        cells = "".join(_moved(comparison, before, after) for after in names)
        rows.append(f'<tr><th scope="row">{_word(before)}</th>{cells}</tr>')
    return (
        '<div class="panel matrix"><h3>Claims by label, first run (rows) and second (columns)</h3>'
        '<div class="scroll" tabindex="0" role="group" aria-label="Claims by label in both runs"><table>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></div>"
    )


def _word(name: str | None) -> str:
    if name is None:
        return '<span class="unit">not there</span>'
    mark = LOOKS[name].mark
    return f'<span class="badge {name.replace(" ", "_")}"><span aria-hidden="true">{mark}</span> {name}</span>'


def _mark(name: str | None) -> str:
    """A label as its mark alone, for the eye; the rows have the words."""
    if name is None:
        return '<span class="unit">not there</span>'
    kind, mark = name.replace(" ", "_"), LOOKS[name].mark
    return f'<span class="badge {kind}"><span aria-hidden="true">{mark}</span><span class="sr">{name}</span></span>'


def _moved(comparison: Comparison, before: str | None, after: str | None) -> str:
    count = comparison.labels[before, after]
    kind = "kept" if before == after else "moved"
    return f'<td class="{kind}">{count:,}</td>' if count else '<td class="none">·</td>'


def _wrong(comparison: Comparison) -> str:
    """What is wrong, and where, in both runs."""
    rows = [*comparison.moved(comparison.kinds), *comparison.moved(comparison.blame)]
    if not rows:
        return ""
    body = "".join(
        f'<tr><th scope="row">{escape(BLAME_WORDS.get(name, name))}</th><td class="kept">{before:,}</td>'
        f'<td class="{"kept" if before == after else "moved"}">{after:,}</td></tr>'
        for name, before, after in rows
    )
    head = '<tr><td></td><th scope="col">first run</th><th scope="col">second run</th></tr>'
    return (
        '<div class="panel matrix wrong"><h3>What is wrong, and where</h3>'
        '<div class="scroll" tabindex="0" role="group" aria-label="What is wrong in both runs"><table>'
        f"<thead>{head}</thead><tbody>{body}</tbody></table></div></div>"
    )


def _signatures(comparison: Comparison) -> str:
    changes = comparison.signature_changes()
    if not changes:
        body = '<p class="unit">Both runs were made in the same way.</p>'
    else:
        rows = "".join(
            f'<tr><th scope="row">{escape(name)}</th><td><code>{escape(before)}</code></td>'
            f"<td><code>{escape(after)}</code></td></tr>"
            for name, before, after in changes
        )
        head = '<tr><td></td><th scope="col">first run</th><th scope="col">second run</th></tr>'
        body = f'<table class="making"><thead>{head}</thead><tbody>{rows}</tbody></table>'
    return f'<div class="panel"><h3>What differs</h3>{body}</div>'
