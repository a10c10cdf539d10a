"""Makes benchmarks/README.md from the stored runs: `python -m benchmarks.table`; with --check it only compares.

A run is a JSON file in benchmarks/results, of one of four kinds:

    verifier   what `benchmarks.verifiers` writes: a verifier against every dev set
    selftest   what `benchmarks.selftest` writes
    printed    what `benchmarks.keep` writes: any other benchmark, shown as it was printed
    table      {"kind": "table", "title", "how", "command", "made", "machine", "columns", "rows"}

What other systems publish about themselves is in benchmarks/peers.json, with its sources.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
README = HERE / "README.md"
FIGURES = {
    "balanced_accuracy": "balanced accuracy",
    "f1_unfaithful": "F1 of unfaithful",
    "auroc": "AUROC",
    "calibration_error": "calibration error",
}
SETS = {
    "ragtruth_answers_dev": "RAGTruth answers",
    "ragtruth_answers_dev: QA": "RAGTruth answers, QA",
    "ragtruth_answers_dev: Summary": "RAGTruth answers, Summary",
    "ragtruth_answers_dev: Data2txt": "RAGTruth answers, Data2txt",
    "begin_test": "BEGIN, dialogue",
    "qags_cnndm": "QAGS, summaries",
    "factscore_dev": "FActScore, atomic facts on whole pages",
    "attributionbench_test500": "AttributionBench",
    "anli_test": "ANLI (adversarial; word overlap is useless here)",
}
INTRODUCTION = """# Benchmarks

Made by `python -m benchmarks.table` from the runs stored in `benchmarks/results`; do not edit it by hand. To measure
anew, run the command that stands below a table, then this one. Figures in brackets are 95 % intervals.
"""


def runs(folder: Path = HERE / "results") -> list[dict[str, Any]]:
    """The stored runs."""
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


def document(stored: Sequence[dict[str, Any]], peers: dict[str, Any]) -> str:
    """The whole README."""
    parts = [INTRODUCTION]
    verifiers = [run for run in stored if run["kind"] == "verifier"]
    tests = [run for run in stored if run["kind"] == "selftest"]
    if verifiers:
        parts.append(_verifiers(verifiers))
    parts.append(_given(peers["accuracy"]))
    if tests:
        parts.append(_selftests(tests))
    parts += [_given(run) for run in stored if run["kind"] == "table"]
    parts += [_printed(run) for run in stored if run["kind"] == "printed"]
    parts.append(_given(peers["speed"]))
    return "\n".join(parts)


def _verifiers(stored: Sequence[dict[str, Any]]) -> str:
    rows: list[list[str]] = []
    for name, title in SETS.items():
        for run in stored:
            found = run["sets"].get(name)
            if found is None:
                continue
            # an answer's support is its worst claim's, which is no probability of the answer
            figures = ["" if f == "calibration_error" and "ragtruth" in name else _estimate(found[f]) for f in FIGURES]
            speed = f"{1000 * found['seconds'] / found['claims']:.2f}" if "seconds" in found else ""
            size = f"{found['units']:,} ({found['unfaithful']:,} unfaithful)"
            cost = "free" if not run["cost_per_1000_claims"] else f"${run['cost_per_1000_claims']:.2f}"
            rows.append([title, run["verifier"], size, *figures, speed, cost])
    columns = ["set", "verifier", "labelled", *FIGURES.values(), "ms / claim", "cost"]
    how = (
        "Every verifier against every dev set with human labels. Nothing is fitted: labels are the verifier's own. An "
        "answer is unfaithful if one of its claims is not supported; its AUROC is that of its worst claim's support. "
        "Intervals: bootstrap over contexts. Time: one process, all cores, claims judged in batches, model loaded."
    )
    return "\n".join(["## Agreement with people\n", how, "", _table(columns, rows), "", *_made(stored)])


def _selftests(stored: Sequence[dict[str, Any]]) -> str:
    rows = []
    for place, first in enumerate(stored[0]["kinds"]):
        word = "flagged (should be low)" if first["harmless"] else "caught (should be high)"
        row = [first["kind"], word]
        for run in stored:
            kind = run["kinds"][place]
            low, high = kind["interval"] or (None, None)
            share = (
                "–" if kind["share"] is None else f"{kind['share']:.0%} ({low:.0%} to {high:.0%}) of {kind['judged']}"
            )
            row.append(share)
        rows.append(row)
    how = (
        "Claims of the dev sets that the verifier supports, corrupted in one known way or only said in other words; "
        "what it still supports is missed, or rightly left alone. Made by rules from a seed, no LLM. Intervals: Wilson."
    )
    columns = ["change", "", *(run["verifier"] for run in stored)]
    return "\n".join(["## Self-test on the dev sets\n", how, "", _table(columns, rows), "", *_made(stored)])


def _given(run: dict[str, Any]) -> str:
    """A table that comes as it is."""
    rows = [[str(cell) for cell in row] for row in run["rows"]]
    return "\n".join([f"## {run['title']}\n", run["how"], "", _table(run["columns"], rows), "", *_made([run])])


def _printed(run: dict[str, Any]) -> str:
    """What a benchmark printed."""
    output = run["output"].replace("```", "` ` `")
    return "\n".join([f"## {run['title']}\n", run["how"], "", "```text", output, "```", "", *_made([run])])


def _made(stored: Sequence[dict[str, Any]]) -> Iterator[str]:
    for run in stored:
        if "command" in run:
            signature = f" ({run['signature']})" if "signature" in run else ""
            yield f"`{run['command']}`{signature}, {run['made']}, {run['machine']}.\n"


def _estimate(found: dict[str, float | None]) -> str:
    if found["value"] is None:
        return "–"
    between = "" if found["low"] is None else f" ({found['low']:.3f} to {found['high']:.3f})"
    return f"{found['value']:.3f}{between}"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def main() -> None:
    """Write the README, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="exit 1 if the README is not what the runs say")
    given = parser.parse_args()
    text = document(runs(), json.loads((HERE / "peers.json").read_text("utf-8")))
    if given.check:
        sys.exit(0 if README.exists() and README.read_text("utf-8") == text else "benchmarks/README.md is out of date")
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
