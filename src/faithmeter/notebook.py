"""A report in a notebook: the numbers, a chart, and the worst answers, which can be filtered."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from zlib import crc32

from faithmeter.display import (
    LOOKS,
    as_html,
    claim_text,
    detail_text,
    fix_headline,
    printable,
    rounded,
    summary_lines,
    why,
)

if TYPE_CHECKING:
    from faithmeter.datamodels import Outcome
    from faithmeter.results import Result, Tally
    from faithmeter.revision import Revision


def report_html(tally: Tally, *, rows: int = 10) -> str:
    """A report for a notebook: the numbers, a chart, then the worst answers, each with its worst claim, to be opened.

    The choice of a label needs no script, which notebooks drop from what they did not run themselves.
    """
    lines = "<br>".join(escape(line) for line in summary_lines(tally))
    shown = [(result, (result.failures + result.unsupported or (None,))[0]) for result in tally.worst(rows)]
    words = [word for word in LOOKS if any(worst and worst.word == word for _, worst in shown)]
    group = f"fm-{crc32(repr([result.sample.id for result, _ in shown]).encode()):x}"
    choices, rules = "", ""
    for word in ["all", *words] if len(words) > 1 else []:
        kind = word.replace(" ", "-")
        checked = " checked" if word == "all" else ""
        choices += f'<label style="margin-right:1em"><input type="radio" name="{group}" value="{kind}"{checked}> '
        choices += f"{word}</label>"
        if word != "all":
            rules += f".{group}:has([value={kind}]:checked)>details:not(.{kind}){{display:none}}"
    items = "".join(_answer_html(result, worst) for result, worst in shown)
    return (
        f'<div class="{group}"><style>{rules}</style><p>{lines}</p>{_chart(tally)}'
        f"<p>Worst answers first{': ' if choices else ''}{choices}</p>{items}</div>"
    )


def _answer_html(result: Result, worst: Outcome | None) -> str:
    look = LOOKS[worst.word] if worst else LOOKS["supported"]
    said = ""
    if worst:
        badge = f"background:{look.paper};color:{look.ink};border-radius:3px;padding:0 4px"
        reason = printable(why(worst))  # first: a long quotation may be cut
        quotes = detail_text(worst).removesuffix(reason).strip()
        detail = "\n".join(filter(None, (reason, quotes))).replace("\n", " · ")
        said = f'<br><b style="{badge}">{look.mark} {worst.word}</b> {escape(claim_text(worst))}'
        said += f'<br><span style="opacity:.75">{escape(detail[:300])}</span>' if detail else ""
    kind = worst.word.replace(" ", "-") if worst else "supported"
    return (
        f'<details class="{kind}" style="margin:.4em 0"><summary><b>{escape(result.sample.id)}</b> '
        f"{rounded(result.score)}{said}</summary>{as_html(result)}</details>"
    )


def _chart(tally: Tally) -> str:
    """How scores are spread: a bar for each tenth, and one for the answers that score 1."""
    counts = [0] * 11
    for score in tally.scores:
        counts[min(10, max(0, int(score * 10 + 1e-9)))] += 1
    most = max(counts) or 1
    bars = ""
    for column, count in enumerate(counts):
        x, height = 4 + column * 36, 60 * count / most
        ink = LOOKS["supported"].ink if column == 10 else "#7a8699"
        label = "1" if column == 10 else f"{column / 10:g}"
        bars += f'<rect x="{x}" y="{74 - height:.1f}" width="32" height="{height:.1f}" fill="{ink}"/>'
        bars += f'<text x="{x + 16}" y="{70 - height:.1f}" text-anchor="middle">{count}</text>' if count else ""
        bars += f'<text x="{x + 16}" y="88" text-anchor="middle">{label}</text>'
    return (
        f'<svg viewBox="0 0 404 92" width="404" style="max-width:100%" role="img" aria-label="answers by score" '
        f'font-size="11" fill="currentColor">{bars}</svg>'
    )


def revision_html(revision: Revision, before: str) -> str:
    """A fixed answer for a notebook: what was cut struck through, what was added underlined."""
    tags = {
        "kept": "{}",
        "cut": '<del style="background:#fde2e2;color:#8f1d1d">{}</del>',
        "added": '<ins style="background:#dcf5e3;color:#14532d">{}</ins>',
    }
    shown = "".join(tags[change].format(escape(text)) for change, text in revision.pieces(before))
    return f'<div><p><b>{escape(fix_headline(revision))}</b></p><p style="white-space:pre-wrap">{shown}</p></div>'
