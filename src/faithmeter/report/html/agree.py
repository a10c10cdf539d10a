"""The page of `faithmeter agree`: judges side by side, each with its plots, then where they and people disagree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from faithmeter.data.files import replacing
from faithmeter.display import LOOKS, rounded
from faithmeter.report.html.page import page
from faithmeter.trust.agreement import NAMES, Agreement, LabelledUnit
from faithmeter.trust.metrics import Estimate, recall, specificity

STYLES = ("base.css", "plot.css", "report.css", "agree.css")
SCRIPTS = ("core.js", "plain.js")
SIDE, MARGIN = 230, 50  # of a square plot, and the room for its axes
SHOWN = 100  # disagreements of each judge on the page
LOWER_IS_BETTER = ("calibration_error", "brier")

People = Mapping[tuple[str, str], tuple[int, Estimate]]


def write_agreement(path: str | Path, agreements: Sequence[Agreement], *, people: People) -> None:
    """Write the page."""
    title = "Agreement with people"
    parts = {"body": "".join(_body(agreements, people))}
    before, after = page("plain.html", title=title, styles=STYLES, scripts=SCRIPTS, parts=parts)
    with replacing(path) as file:
        file.write(before + after)


def _body(agreements: Sequence[Agreement], people: People) -> Iterator[str]:
    for level in ("claim", "answer"):
        group = [item for item in agreements if item.level == level]
        if group:
            yield f"<section><h2>{level.capitalize()}s</h2>{_table(group)}{_people(people)}</section>"
            for item in group:
                yield _judge(item)


def _people(people: People) -> str:
    said = [
        f"{escape(one)} and {escape(two)}: kappa {escape(str(kappa))} over {count} labelled by both"
        for (one, two), (count, kappa) in people.items()
    ]
    return f'<p class="unit">People among themselves. {"; ".join(said)}.</p>' if said else ""


def _table(group: Sequence[Agreement]) -> str:
    names = [name for name in NAMES if any(name in item.figures for item in group)]
    best = {name: _best(group, name) for name in names}
    heads = "".join(f'<th scope="col">{escape(item.name)}</th>' for item in group)
    rows = [
        f'<tr><th scope="row">{NAMES[name]}</th>'
        + "".join(_cell(item.figures.get(name), winner=len(group) > 1 and item is best[name]) for item in group)
        + "</tr>"
        for name in names
    ]
    seconds = [f"{item.usage.seconds / item.claims:.2g}" if item.claims else "–" for item in group]
    more = {"labelled": map(_size, group), "seconds per claim": seconds, "cost of 1,000 claims": map(_cost, group)}
    for word, figures in more.items():
        cells = "".join(f"<td>{figure}</td>" for figure in figures)
        rows.append(f'<tr><th scope="row">{word}</th>{cells}</tr>')
    best_in_bold = " Best value of a row in bold." if len(group) > 1 else ""
    return (
        f'<div class="panel scroll" tabindex="0" role="region" aria-label="Figures"><table class="figures"><thead><tr>'
        f"<td></td>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f'<p class="unit">95 % intervals by bootstrap over answers.{best_in_bold}</p></div>'
    )


def _best(group: Sequence[Agreement], name: str) -> Agreement | None:
    known = [(item.figures[name].value, item) for item in group if name in item.figures]
    values = [(value, item) for value, item in known if value is not None]
    pick = min if name in LOWER_IS_BETTER else max
    return pick(values, key=lambda pair: pair[0])[1] if values else None


def _cell(estimate: Estimate | None, *, winner: bool) -> str:
    if estimate is None or estimate.value is None:
        return "<td>–</td>"
    value = f"<strong>{estimate.value:.3f}</strong>" if winner else f"{estimate.value:.3f}"
    between = f'<span class="unit">{estimate.low:.3f} to {estimate.high:.3f}</span>' if estimate.low is not None else ""
    return f'<td><span class="figure">{value}</span> {between}</td>'


def _size(item: Agreement) -> str:
    aside = [
        f"{count} {word}"
        for count, word in ((item.unmatched, "not found"), (item.unjudged, "not judged"), (item.split, "undecided"))
        if count
    ]
    return f"{len(item.units):,}" + (f' <span class="unit">{", ".join(aside)}</span>' if aside else "")


def _cost(item: Agreement) -> str:
    if item.usage.cost is None:
        return "–" if item.usage.calls else "$0"
    return f"${1000 * item.usage.cost / max(1, item.claims):.2f}"


def _judge(item: Agreement) -> str:
    apart = item.disagreements
    more = f" (the first {SHOWN})" if len(apart) > SHOWN else ""
    cards = "".join(map(_card, apart[:SHOWN]))
    return (
        f'<section><h3>{escape(item.name)} <span class="unit">{item.level}s</span></h3>'
        f'<div class="plots">{_panel(_reliability(item), "How far its probabilities can be trusted")}'
        f"{_panel(_roc(item), 'What it catches, and at what price')}"
        f'<div class="panel"><h3>People (rows) and judge (columns)</h3>{_confusion(item)}</div></div>'
        f'<p class="made">Made by <code>{escape(item.signature)}</code></p>'
        f"<details open><summary>{len(apart):,} of {len(item.units):,} differ{more}: "
        "what it let through first, then its false alarms, the most certain first"
        f'</summary><ol class="cards">{cards}</ol></details></section>'
    )


def _panel(plot: str, title: str) -> str:
    return f'<div class="panel"><h3>{title}</h3>{plot or "<p class=unit>The judge gives no probabilities.</p>"}</div>'


def _frame(body: str, words: str, *, across: str, up: str) -> str:
    width, bottom = SIDE + MARGIN + 12, _y(0)
    rules = "".join(
        f'<line class="rule" x1="{_x(share)}" x2="{_x(share)}" y1="{_y(0)}" y2="{_y(1)}"/>'
        f'<line class="rule" x1="{_x(0)}" x2="{_x(1)}" y1="{_y(share)}" y2="{_y(share)}"/>'
        f'<text x="{_x(share)}" y="{_y(0) + 16}" text-anchor="middle">{share:g}</text>'
        f'<text x="{_x(0) - 8}" y="{_y(share) + 4}" text-anchor="end">{share:g}</text>'
        for share in (0, 0.5, 1)
    )
    diagonal = f'<line class="gate" x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}"/>'
    return (
        f'<svg class="plot" viewBox="0 0 {width} {bottom + 42}" role="img" aria-label="{words}">{rules}{diagonal}{body}'
        f'<text x="{_x(0.5)}" y="{bottom + 36}" text-anchor="middle">{across}</text>'
        f'<text transform="translate(10 {_y(0.5)}) rotate(-90)" text-anchor="middle">{up}</text></svg>'
    )


def _x(share: float) -> float:
    return round(MARGIN + share * SIDE, 1)


def _y(share: float) -> float:
    return round(8 + (1 - share) * SIDE, 1)


def _line(points: Sequence[tuple[float, float]]) -> str:
    return f'<polyline class="curve" points="{" ".join(f"{_x(x)},{_y(y)}" for x, y in points)}"/>'


def _reliability(item: Agreement) -> str:
    curve = item.reliability
    if not curve:
        return ""
    most = max(step.size for step in curve)
    dots = "".join(
        f'<circle class="dot" cx="{_x(step.support)}" cy="{_y(step.good)}" '
        f'r="{2 + 7 * math.sqrt(step.size / most):.1f}">'
        f"<title>support {step.low:g} to {step.high:g}: {step.good:.0%} of {step.size} are supported</title></circle>"
        for step in curve
    )
    words = "; ".join(f"support {step.support:.2f}, really {step.good:.2f}" for step in curve)
    body = _line([(step.support, step.good) for step in curve]) + dots
    return _frame(body, words, across="support that the judge gave", up="share people found supported")


def _roc(item: Agreement) -> str:
    curve = item.roc
    if not curve:
        return ""
    units = item.good, item.passed, item.weights
    alarms, caught = 1 - float(specificity(*units)), float(recall(*units))
    here = (
        f'<circle class="dot" cx="{_x(alarms)}" cy="{_y(caught)}" r="6"><title>as the judge decides: '
        f"{caught:.0%} caught, {alarms:.0%} false alarms</title></circle>"
    )
    words = f"As the judge decides, {caught:.0%} of what is unfaithful is caught, with {alarms:.0%} false alarms."
    return _frame(_line(curve) + here, words, across="false alarms among the faithful", up="share of unfaithful caught")


def _confusion(item: Agreement) -> str:
    table = item.confusion
    columns = sorted({word for row in table.values() for word in row})
    most = max(count for row in table.values() for count in row.values())
    heads = "".join(f'<th scope="col">{_badge(column, short=True)}</th>' for column in columns)
    rows = ""
    for word, row in sorted(table.items()):
        counts = [row.get(column, 0) for column in columns]
        cells = "".join(f'<td class="heat heat{_heat(count, most)}">{count:,}</td>' for count in counts)
        rows += f'<tr><th scope="row">{_badge(word)}</th>{cells}</tr>'
    return f'<table class="confusion"><thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def _heat(count: int, most: int) -> int:
    return 0 if not count else 1 + min(3, int(4 * math.sqrt(count / most) - 1e-9))


def _badge(word: str, *, short: bool = False) -> str:
    """A label; `short` shows its mark alone, where the words are beside it."""
    name = {"faithful": "supported", "unfaithful": "contradicted", "not_supported": "not_enough_info"}.get(word, word)
    mark = LOOKS[name.replace("_", " ")].mark
    text = word.replace("_", " ")
    said = f'<span class="sr">{text}</span>' if short else f" {text}"
    return f'<span class="badge {name}" title="{text}"><span aria-hidden="true">{mark}</span>{said}</span>'


def _card(unit: LabelledUnit) -> str:
    evidence = "".join(
        f'<blockquote class="prose">{escape(item.quote)} '
        f'<cite class="unit">context {item.context + 1}</cite></blockquote>'
        for item in (unit.verdict.evidence if unit.verdict else ())
    )
    reason = f'<p class="unit">{escape(unit.verdict.reason)}</p>' if unit.verdict and unit.verdict.reason else ""
    question = unit.result.sample.question
    asked = f'<p class="unit">{escape(question)}</p>' if question else ""
    return (
        f'<li class="panel"><p class="said"><span class="unit">{escape(unit.sample)}</span> '
        f"people {_badge(unit.people)} judge {_badge(unit.judge)} "
        f'<span class="figure unit">{rounded(unit.support)}</span></p>{asked}'
        f'<p class="prose">{escape(unit.text)}</p>{evidence}{reason}</li>'
    )
