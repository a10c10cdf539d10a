"""The top of the HTML report: a run's numbers as markup; whatever comes from the data is escaped."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from faithmeter.display import LOOKS, noted, rounded
from faithmeter.report.html import plot, why_panels
from faithmeter.report.html.payload import preview
from faithmeter.report.summary import Summary, to_look_at

FIRST = 5  # claims at the top
STATUS_WORDS = {"ok": "judged", "partial": "partly judged", "no_claims": "without claims", "failed": "failed"}


def overview(summary: Summary) -> str:
    """Everything above the table."""
    return (
        f'<div class="hero"><div class="numbers">{_mean(summary)}'
        f'<div class="tiles">{"".join(_tiles(summary))}</div></div>'
        f"{_first(summary)}</div>"
        f'<div class="plots"><div class="panel"><h3>Answers by score</h3>{plot.histogram(summary)}</div>'
        f'<div class="panel"><h3>Claims by label</h3>{_shares(summary)}</div>'
        f'<div class="panel"><h3>Score by number of claims</h3>{plot.grid(summary)}</div></div>'
        f"{why_panels.panels(summary)}"
        f"{_notes(summary)}{_made_by(summary)}"
    )


def _first(summary: Summary) -> str:
    """The worst claims, one of each answer, so that they are seen without scrolling."""
    shown = [(result, worst[0]) for result in summary.worst(summary.keep) if (worst := to_look_at(result))][:FIRST]
    head = '<div class="panel first"><h3>Look at these first</h3>'
    if not shown:
        return f'{head}<p class="unit">Every claim that was judged is supported.</p></div>'
    items = []
    for result, outcome in shown:
        claim, why = preview(outcome)
        link = urlencode({"sample": result.sample.id, "claim": result.outcomes.index(outcome) + 1})
        name = outcome.word.replace(" ", "_")
        items.append(
            f'<li class="{name}"><a href="#{escape(link)}"><span class="badge {name}"><span aria-hidden="true">'
            f"{LOOKS[outcome.word].mark}</span> {outcome.word}</span> "
            f'<span class="said" dir="auto">{escape(claim)}</span></a>'
            f'<p class="why" dir="auto">{escape(why)}</p>'
            f'<p class="unit"><a href="#{escape(urlencode({"sample": result.sample.id}))}"><bdi>'
            f"{escape(result.sample.id)}</bdi></a>, score {rounded(result.score)}</p></li>"
        )
    return f'{head}<ol role="list">{"".join(items)}</ol></div>'


def _notes(summary: Summary) -> str:
    lines = (escape(noted(count, summary.count, note)) for note, count in summary.notes.items())
    return "".join(f'<p class="notice">⚠ {line}</p>' for line in lines)


def _mean(summary: Summary) -> str:
    interval = summary.interval
    between = f"95 % interval {rounded(interval[0])} to {rounded(interval[1])}" if interval else "no score yet"
    gate = ""
    if summary.passed is not None:
        kind, mark, word = ("supported", "✓", "passes") if summary.passed else ("contradicted", "✗", "below")
        gate = (
            f'<p class="gate"><span class="badge {kind}"><span aria-hidden="true">{mark}</span> {word}</span> '
            f'<span class="unit">the limit of {summary.min_score:g}</span></p>'
        )
    return (
        f'<div class="panel mean"><h2 class="eyebrow">Mean faithfulness</h2>'
        f'<span class="figure">{rounded(summary.mean)}</span>{_gauge(summary)}<p class="unit">{between}</p>{gate}</div>'
    )


def _gauge(summary: Summary) -> str:
    if summary.mean is None or summary.interval is None:
        return ""
    low, high, point = (200 * min(1.0, max(0.0, value)) for value in (*summary.interval, summary.mean))
    limit = ""
    if summary.min_score is not None:
        x = 200 * summary.min_score
        limit = f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="3" y2="27"/>'
    return gauge(low, high, point, over=limit)


def gauge(low: float, high: float, point: float, *, under: str = "", over: str = "") -> str:
    """A figure and its interval on a scale from 0 to 200; what else is drawn goes under the interval or over it."""
    return (
        '<svg class="gauge" viewBox="-3 0 206 30" preserveAspectRatio="none" aria-hidden="true">'
        f'<line class="base" x1="0" x2="200" y1="15" y2="15"/>{under}'
        f'<line class="band" x1="{low:.1f}" x2="{high:.1f}" y1="15" y2="15"/>{over}'
        f'<ellipse class="point" cx="{point:.1f}" cy="15" rx="5" ry="7"/></svg>'
    )


def tile(name: str, figure: str, note: str) -> str:
    """One figure of a page, with its name and a note."""
    return (
        f'<div class="panel tile"><h3 class="eyebrow">{name}</h3><span class="figure">{figure}</span>'
        f'<span class="note">{note}</span></div>'
    )


def _tiles(summary: Summary) -> list[str]:
    counted = [f"{summary.statuses[name]:,} {word}" for name, word in STATUS_WORDS.items() if summary.statuses[name]]  # type: ignore[index]
    tiles = [tile("Answers", f"{summary.count:,}", ", ".join(counted))]
    if summary.pass_rate is not None:
        tiles.append(tile("Pass rate", f"{summary.pass_rate:.0%}", f"of the answers reach {summary.min_score:g}"))
    else:
        perfect = summary.histogram[-1] / summary.count if summary.count else 0.0
        tiles.append(tile("Faithful throughout", f"{perfect:.0%}", "of the answers score 1"))
    failed = sum(summary.failures.values())
    note = "every claim could be judged" if not failed else _failures(summary)
    tiles.append(tile("Claims", f"{summary.verdicts + failed:,}", note))
    if summary.marks.recall is not None:
        figure = f"{rounded(summary.marks.precision)} / {rounded(summary.marks.recall)}"
        tiles.append(tile("Citations", figure, "precision / recall of the marks"))
    return [*tiles, _cost(summary)]


def _failures(summary: Summary) -> str:
    kinds = ", ".join(f"{count} {escape(kind.replace('_', ' '))}" for kind, count in summary.failures.most_common(3))
    return f"{summary.coverage:.1%} judged; not judged: {kinds}"


def _cost(summary: Summary) -> str:
    usage = summary.usage
    early = [escape(summary.settled_early)] if summary.settled_early else []
    cached = f"{summary.cached:,} verdicts from the cache ({summary.cached / (summary.verdicts or 1):.0%})"
    if usage.cost is None:
        calls = f"{usage.calls:,} calls" if usage.calls else "no LLM was called"
        notes = [calls, *([cached] if summary.cached else []), *early]
        return tile("Cost", "–" if usage.calls else "$0", "; ".join(notes))
    tokens = usage.prompt_tokens + usage.completion_tokens
    notes = [f"{usage.calls:,} calls, {tokens:,} tokens"]
    if summary.cached:
        saved = "" if summary.saved is None else f", saving about ${_dollars(summary.saved)}"
        notes.append(cached + saved)
    notes += early
    return tile("Cost", f"${_dollars(usage.cost)}", "; ".join(notes))


def _dollars(value: float) -> str:
    return f"{value:,.2f}" if value >= 1 else f"{value:.4f}"


def _shares(summary: Summary) -> str:
    items = []
    for name, count, share in plot.shares(summary):
        if name == "not_judged" and not count:
            continue
        word = name.replace("_", " ")
        items.append(
            f'<li class="{name}"><span class="name"><span aria-hidden="true">{LOOKS[word].mark}</span> {word}</span>'
            f"{plot.bar(count, share)}</li>"
        )
    return f'<ul class="shares" role="list">{"".join(items)}</ul>'


def _made_by(summary: Summary) -> str:
    names = [f"<code>{escape(name)}</code>" for name, _ in summary.signatures.most_common(3)]
    more = len(summary.signatures) - len(names)
    return f'<p class="made">Made by {" ".join(names)}{f" and {more} others" if more > 0 else ""}</p>' if names else ""
