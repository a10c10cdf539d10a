"""The HTML report: one self-contained page."""

from __future__ import annotations

from faithmeter import render
from faithmeter.results import Tally


def html_page(tally: Tally) -> str:
    """A page with a run's numbers and its worst answers, each to be opened."""
    style = (
        "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light}"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>faithmeter report</title><style>{style}</style></head>"
        f"<body><h1>faithmeter report</h1>{render.report_html(tally, rows=tally.keep)}</body></html>\n"
    )
