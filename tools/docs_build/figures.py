"""Tables and plots of the stored benchmark runs (benchmarks/results, benchmarks/peers.json)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NAMES = {
    "ragtruth_answers_dev": "RAGTruth, answers of RAG systems",
    "ragtruth_answers_dev: QA": "… questions answered",
    "ragtruth_answers_dev: Summary": "… summaries",
    "ragtruth_answers_dev: Data2txt": "… records in words",
    "begin_test": "BEGIN, dialogue",
    "factscore_dev": "FActScore, single facts, whole pages",
    "qags_cnndm": "QAGS, news summaries",
    "attributionbench_test500": "AttributionBench, attributed answers",
    "anli_test": "ANLI, written to fool such models",
}
INKS = {"local": "#00897b", "lexical": "#a8694f"}  # told apart on light and on dark paper


def _runs(kind: str) -> dict[str, dict[str, Any]]:
    found = {}
    for path in sorted((ROOT / "benchmarks" / "results").glob("*.json")):
        run = json.loads(path.read_text("utf-8"))
        if run["kind"] == kind:
            found[run["verifier"] if "verifier" in run else run["command"].split()[3]] = run
    return found


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _estimate(found: Sequence[float] | dict[str, float]) -> str:
    value, low, high = _numbers(found)
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


def _numbers(found: Any) -> tuple[float, float, float]:
    return (found["value"], found["low"], found["high"]) if isinstance(found, dict) else tuple(found)  # type: ignore[return-value]


def _made(run: dict[str, Any]) -> str:
    return f"`{run['command']}`, {run['made']}, {run['machine']}"


def accuracy() -> str:
    """The embedded verifier and word overlap against people, on every dev set."""
    runs = {name: run for name, run in _runs("verifier").items() if name in INKS}
    rows = []
    for key, title in NAMES.items():
        for name, run in runs.items():
            found = run["sets"].get(key)
            if found:
                speed = f"{1000 * found['seconds'] / found['claims']:.1f}" if "seconds" in found else ""
                figures = [_estimate(found[figure]) for figure in ("auroc", "balanced_accuracy", "f1_unfaithful")]
                rows.append([title, f"`{name}`", f"{found['units']:,}", *figures, speed])
    columns = ("set", "verifier", "labelled", "AUROC", "balanced accuracy", "F1 of unfaithful", "ms / claim")
    return _table(columns, rows) + "\n\n" + "\n\n".join(_made(run) + "." for run in runs.values())


def selftest() -> str:
    """What is caught of claims made wrong on purpose."""
    runs = {name: run for name, run in _runs("selftest").items() if name in INKS}
    kinds = [item["kind"] for item in next(iter(runs.values()))["kinds"]]
    rows = []
    for kind in kinds:
        cells = [_share(next(item for item in run["kinds"] if item["kind"] == kind)) for run in runs.values()]
        harmless = next(item for item in next(iter(runs.values()))["kinds"] if item["kind"] == kind)["harmless"]
        rows.append([kind, "flagged (low is good)" if harmless else "caught (high is good)", *cells])
    return (
        _table(("change", "what counts", *(f"`{name}`" for name in runs)), rows)
        + "\n\n"
        + "\n\n".join(_made(run) + "." for run in runs.values())
    )


def _share(item: dict[str, Any]) -> str:
    if item["share"] is None:
        return "–"
    low, high = item["interval"]
    return f"{item['share']:.0%} ({low:.0%} to {high:.0%}) of {item['judged']}"


def peers() -> str:
    """What others publish about themselves on the same data."""
    return _given("accuracy")


def speed_of_peers() -> str:
    """What other tools take, measured by us."""
    return _given("speed")


def _given(name: str) -> str:
    table = json.loads((ROOT / "benchmarks" / "peers.json").read_text("utf-8"))[name]
    return table["how"] + "\n\n" + _table(table["columns"], table["rows"])


def printed(name: str) -> str:
    """A stored run as it was printed; what it was meant to reach is left out."""
    run = json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text("utf-8"))
    lines = [line for line in run["output"].splitlines() if not line.startswith("to reach, ")]
    return "```text\n" + "\n".join(lines).strip() + f"\n```\n\n{_made(run)}."


def model_card() -> str:
    """The card that comes with the package, one level down."""
    text = (ROOT / "src" / "faithmeter" / "weights" / "MODEL_CARD.md").read_text("utf-8")
    return text.replace("\n## ", "\n### ").replace("# faithmeter-local", "## The model card: faithmeter-local", 1)


# --- plots -------------------------------------------------------------------------------------------


def plots() -> dict[str, str]:
    """Name -> SVG."""
    return {"images/accuracy.svg": _accuracy_plot(), "images/selftest.svg": _selftest_plot()}


def _accuracy_plot() -> str:
    runs = {name: run for name, run in _runs("verifier").items() if name in INKS}
    rows = [
        (title, {name: _numbers(run["sets"][key]["auroc"]) for name, run in runs.items() if key in run["sets"]})
        for key, title in NAMES.items()
    ]
    return _dots(
        "AUROC: how well support ranks what people found faithful above what they did not", rows, 0.4, 1.0, "{:.1f}"
    )


def _selftest_plot() -> str:
    runs = {name: run for name, run in _runs("selftest").items() if name in INKS}
    kinds = next(iter(runs.values()))["kinds"]
    rows = []
    for place, item in enumerate(kinds):
        found = {}
        for name, run in runs.items():
            other = run["kinds"][place]
            if other["share"] is not None:
                found[name] = (other["share"], *other["interval"])
        rows.append((item["kind"] + (" (harmless: low is good)" if item["harmless"] else ""), found))
    return _dots("Share of changed claims that are flagged", rows, 0.0, 1.0, "{:.0%}")


def _dots(title: str, rows: Any, low: float, high: float, tick: str) -> str:
    """A dot with its interval for each verifier on each row; readable on light and dark paper."""
    left, width, step, top = 270, 400, 34, 46
    height = top + step * len(rows) + 34

    def x(value: float) -> float:
        return left + width * (min(high, max(low, value)) - low) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13"><title>{escape(title)}</title>',
        "<style>text{fill:#37474f}.grid{stroke:#b0bec5;stroke-width:.6}"
        "@media (prefers-color-scheme: dark){text{fill:#cfd8dc}.grid{stroke:#546e7a}}</style>",
    ]
    for place, (name, ink) in enumerate(INKS.items()):
        parts.append(
            _mark(left + 110 * place + 8, 16, ink, place) + f'<text x="{left + 110 * place + 22}" y="20">{name}</text>'
        )
    ticks = 7 if low else 6
    for index in range(ticks):
        value = low + (high - low) * index / (ticks - 1)
        parts.append(f'<line class="grid" x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{top - 12}" y2="{height - 28}"/>')
        parts.append(f'<text x="{x(value):.1f}" y="{height - 10}" text-anchor="middle">{tick.format(value)}</text>')
    for index, (label, found) in enumerate(rows):
        middle = top + step * index + 8
        parts.append(f'<text x="{left - 12}" y="{middle + 4}" text-anchor="end">{escape(label)}</text>')
        for place, (name, ink) in enumerate(INKS.items()):
            if name not in found:
                continue
            value, least, most = found[name]
            y = middle + (-5 if place == 0 else 6)
            parts.append(
                f'<line x1="{x(least):.1f}" x2="{x(most):.1f}" y1="{y}" y2="{y}" stroke="{ink}" stroke-width="2.5" '
                f'stroke-opacity=".55"/>' + _mark(x(value), y, ink, place)
            )
    return "".join(parts) + "</svg>\n"


def _mark(x: float, y: float, ink: str, place: int) -> str:
    """A circle or a square, so that it does not hang on the colour."""
    if place == 0:
        return f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="{ink}"/>'
    return f'<rect x="{x - 4.5:.1f}" y="{y - 4.5}" width="9" height="9" fill="{ink}"/>'
