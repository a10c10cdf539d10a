"""The part of the HTML report that says what is wrong, what to fix, and what the contexts were good for."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from faithmeter.display import BLAME_WORDS
from faithmeter.report.html import plot
from faithmeter.report.summary import Summary

FIX = {
    "Generation": ("misread", "mixed", "made_up"),
    "Retrieval": ("retrieval_missed",),
    "One of the two": ("missing",),
}
"""Where to fix what went wrong."""
NAMED = 5  # contexts that are never used


def panels(summary: Summary) -> str:
    """Three panels, as far as there is something to say."""
    made = [_kinds(summary), _fix(summary), _contexts(summary)]
    shown = "".join(panel for panel in made if panel)
    return f'<div class="plots why" id="why">{shown}</div>' if shown else ""


def _bars(rows: Sequence[tuple[str, int, str]]) -> str:
    total = sum(count for _, count, _ in rows) or 1
    items = [
        f'<li><span class="name">{escape(name)}</span>'
        + plot.bar(count, count / total)
        + (f'<span class="unit note">{escape(note)}</span>' if note else "")
        + "</li>"
        for name, count, note in rows
    ]
    return f'<ul class="shares plain" role="list">{"".join(items)}</ul>'


def _kinds(summary: Summary) -> str:
    if not summary.kinds:
        return ""
    rows = [(kind, count, "") for kind, count in summary.kinds.most_common()]
    return f'<div class="panel"><h3>What is wrong</h3>{_bars(rows)}</div>'


def _fix(summary: Summary) -> str:
    if not summary.blame:
        return ""
    rows = []
    for part, names in FIX.items():
        counts = {name: summary.blame[name] for name in names}  # type: ignore[index]
        words = ", ".join(f"{count:,} {BLAME_WORDS[name]}" for name, count in counts.items() if count)
        if words:
            rows.append((part, sum(counts.values()), words))
    hint = ""
    if summary.blame["missing"]:
        hint = '<p class="unit">With <code>--corpus</code>, what is not in the contexts is looked up there.</p>'
    return f'<div class="panel"><h3>What to fix</h3>{_bars(rows)}{hint}</div>'


def _contexts(summary: Summary) -> str:
    uses = summary.contexts.uses
    if not uses:
        return ""
    rows = [
        ("Used by supported claims", uses["used"], ""),
        ("Shown for other claims only", uses["shown"], ""),
        ("Of no use", uses["unused"], ""),
    ]
    never = summary.contexts.never_used
    names = ", ".join(f"{escape(name)} ({count:,}×)" for name, count in never[:NAMED])
    more = f" and {len(never) - NAMED:,} others" if len(never) > NAMED else ""
    listed = f'<p class="unit">Never used: {names}{more}</p>' if never else ""
    return f'<div class="panel"><h3>Use of the contexts</h3>{_bars(rows)}{listed}</div>'
