"""The HTML report: one self-contained page that runs nothing but its own script and asks no server for anything."""

from __future__ import annotations

import base64
import hashlib
import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from itertools import islice
from typing import IO, Any

from faithmeter._version import __version__
from faithmeter.report.html.overview import overview
from faithmeter.report.html.payload import details, embedded, row
from faithmeter.report.summary import Summary
from faithmeter.results import Result

TITLE = "Faithfulness report"
LIMIT = 20_000  # samples in the table: more make a page that no browser opens with ease
BLOCK = 40  # samples in a script element; the page parses a block when one of its samples is opened
SERVED = ("check.html", "label.html")  # they ask the server that they come from

STYLES = ("base.css", "plot.css", "report.css", "sample.css")
SCRIPTS = ("core.js", "markdown.js", "list.js", "sample.js", "report.js")


def write_html(
    file: IO[str],
    summary: Summary,
    results: Iterable[Result],
    *,
    title: str | None = None,
    about: Mapping[str, str] | None = None,
    limit: int = LIMIT,
) -> None:
    """Write the page as the results are read; beyond `limit` samples, its table holds the lowest scores."""
    title = title or TITLE
    kept = None if summary.count <= limit else _lowest(results, limit)
    parts = {
        "about": _about(about or {}),
        "overview": overview(summary),
        "notice": ""
        if kept is None
        else f'<p class="notice">The numbers are over all {summary.count:,} samples; the '
        f"table holds the {limit:,} lowest.</p>",
    }
    before, after = page("report.html", title=title, styles=STYLES, scripts=SCRIPTS, parts=parts)
    file.write(before)
    file.writelines(_data(results, kept, title))
    file.write(after)


def _about(about: Mapping[str, str]) -> str:
    """Where the page comes from: the data, when it was made, by which command."""
    items = (f"<div><dt>{escape(name)}</dt><dd><code>{escape(said)}</code></dd></div>" for name, said in about.items())
    return f'<dl class="about">{"".join(items)}</dl>\n' if about else ""


def page(
    template: str, *, title: str, styles: Sequence[str], scripts: Sequence[str], parts: Mapping[str, str]
) -> tuple[str, str]:
    """What comes before and after the data of a page; `parts` are HTML already."""
    style = "\n".join(map(_asset, styles))
    script = "{\n" + "\n".join(map(_asset, scripts)) + "}\n"
    values = {**parts, "title": escape(title), "version": __version__, "style": style, "script": script}
    values["policy"] = _policy(style, script) + ("; connect-src 'self'" if template in SERVED else "")
    values["brand"] = _asset("brand.html").rstrip()
    values["head"] = _filled("head.html", values)
    before, _, after = _filled(template, values).partition("\0")
    return before, after


def _filled(template: str, values: Mapping[str, str]) -> str:
    pieces = _asset(template).split("{{")
    out = [pieces[0]]
    for piece in pieces[1:]:  # one pass, so that braces in a value are never taken for a name
        name, _, rest = piece.partition("}}")
        out += ["\0" if name == "data" else values[name], rest]
    return "".join(out)


def data_script(name: str, value: Any) -> str:
    """Data as an element that no browser runs."""
    kind = 'class="block"' if name == "block" else f'id="{name}"'
    return f'<script type="application/json" {kind}>{embedded(value)}</script>\n'


def _asset(name: str) -> str:
    return files("faithmeter.report.html").joinpath("assets", name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Only this style and this script, no request to anywhere, and no markup made from strings."""
    return (
        f"default-src 'none'; style-src '{_sha256(style)}'; script-src '{_sha256(script)}'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _sha256(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _data(results: Iterable[Result], kept: set[int] | None, title: str) -> Iterator[str]:
    """The details in blocks as they come, then the table's rows, which are small."""
    rows: list[dict[str, Any]] = []
    signatures: dict[str, int] = {}
    ids: dict[str, int] = {}
    chosen = (result for index, result in enumerate(results) if kept is None or index in kept)
    while block := list(islice(chosen, BLOCK)):
        for result in block:
            rows.append(row(result) | {"id": _unique(result.sample.id, ids)})
        yield data_script(
            "block",
            [details(result, signatures.setdefault(result.signature, len(signatures))) for result in block],
        )
    yield data_script("index", rows)
    yield data_script("summary", {"title": title, "block": BLOCK, "signatures": list(signatures)})


def _unique(name: str, seen: dict[str, int]) -> str:
    """Ids are links here: a file made of two runs may hold one twice."""
    seen[name] = seen.get(name, 0) + 1
    return name if seen[name] == 1 else _unique(f"{name} ({seen[name]})", seen)


def _lowest(results: Iterable[Result], limit: int) -> set[int]:
    """The indexes of the results to keep: failed ones, then the lowest scores."""
    scores = ((-1.0 if result.score is None else result.score, index) for index, result in enumerate(results))
    return {index for _, index in heapq.nsmallest(limit, scores)}
