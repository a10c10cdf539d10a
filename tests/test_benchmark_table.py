"""The benchmark table says what the stored runs say, and every figure says how it was measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.verifiers import best_cut

ROOT = Path(__file__).parents[1]
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.json"))


def test_the_readme_is_made_from_the_stored_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.table", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_every_run_says_how_when_and_where_it_was_made() -> None:
    assert RESULTS
    for path in RESULTS:
        run = json.loads(path.read_text("utf-8"))
        assert run["kind"] in ("verifier", "selftest", "printed", "table"), path
        assert {"command", "made", "machine"} <= run.keys(), path
        assert run["command"].startswith("python -m benchmarks."), path
        if run["kind"] in ("table", "printed"):
            assert run["how"], path
        if run["kind"] == "table":
            assert all(len(row) == len(run["columns"]) for row in run["rows"]), path


def test_every_published_figure_has_its_source() -> None:
    peers = json.loads((ROOT / "benchmarks" / "peers.json").read_text("utf-8"))
    for table in peers.values():
        assert table["how"]
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
    assert all(row[-1] for row in peers["accuracy"]["rows"])


def test_no_text_of_the_data_sets_is_stored() -> None:
    """Figures and names only: a long string would be somebody's text."""
    for path in RESULTS:
        run = json.loads(path.read_text("utf-8"))
        if run["kind"] in ("verifier", "selftest"):
            assert all(len(text) < 120 for text in _strings(run)), path
        assert run["kind"] != "printed" or not path.name.startswith("selftest"), f"{path}: it prints examples"


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in _strings(item)]


def test_the_best_cut_takes_claims_of_one_support_together() -> None:
    good = np.array([1, 1, 0, 1, 0, 0], bool)
    found = best_cut(good, np.array([0.9, 0.8, 0.8, 0.4, 0.3, 0.1]))
    assert found == {"support": 0.4, "balanced_accuracy": pytest.approx(5 / 6)}
    assert best_cut(good, np.ones(6))["balanced_accuracy"] == 0.5
