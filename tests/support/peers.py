"""Runs the cases of a peer in its own environment: `tests/peers/NAME_cases.py`, with nothing but its packages and ours.

A case is a function `case_…` that asserts what it needs and gives back what came out, in a few words; its docstring
is the row of the docs' table: `SYSTEM (package): what went in`. `python tests/support/peers.py` writes that table.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PEERS = ROOT / "tests" / "peers"
GUIDES = ROOT / "docs" / "guides"
PAGES = {  # the file of cases, and the page with their table
    "frameworks": "your-framework.md",
    "guard": "your-framework.md",
    "metrics": "your-framework.md",
    "in_frameworks": "your-framework.md",
    "in_metrics": "your-framework.md",
    "in_mlflow": "your-framework.md",
    "older": "your-framework.md",
    "traces": "traces.md",
}
ENVIRONMENTS = {"in_frameworks": "frameworks", "in_metrics": "metrics", "in_mlflow": "traces"}  # else its own
_OFFLINE = {
    "HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1,localhost",
    "HF_HUB_OFFLINE": "1", "DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "RAGAS_DO_NOT_TRACK": "true",
    "PHOENIX_TELEMETRY_ENABLED": "false", "MLFLOW_DISABLE_TELEMETRY": "true", "HAYSTACK_TELEMETRY_ENABLED": "False",
    "ANONYMIZED_TELEMETRY": "false", "LANGSMITH_TRACING": "false", "DO_NOT_TRACK": "1",
}  # fmt: skip


def cases(name: str) -> list[str]:
    """The cases of a peer, without importing it."""
    tree = ast.parse((PEERS / f"{name}_cases.py").read_text("utf-8"))
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("case_")
    ]


def every() -> list[tuple[str, str]]:
    """All cases of all peers."""
    return [(name, case) for name in PAGES for case in cases(name)]


@functools.cache
def outcomes(name: str) -> dict[str, dict[str, Any]]:
    """What each case of a peer gave, by one process for all; its environment is made if it is not there."""
    place = ENVIRONMENTS.get(name, name)
    made = subprocess.run([sys.executable, ROOT / "tools" / "peer-env", place], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[-2000:]
    paths = os.pathsep.join(map(str, (ROOT / "src", ROOT / "tests")))
    environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    with tempfile.TemporaryDirectory() as folder:  # for what the packages leave behind
        done = subprocess.run(
            [made.stdout.strip(), "-m", "support.peer_runner", str(PEERS / f"{name}_cases.py")],
            env=environment | _OFFLINE | {"PYTHONPATH": paths, "PYTHONSAFEPATH": "1"},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=1800,
        )
    found = [json.loads(line[4:]) for line in done.stdout.splitlines() if line.startswith("::: ")]
    assert found, done.stdout[-2000:] + done.stderr[-4000:]
    return {outcome["case"]: outcome for outcome in found}


def table(page: str) -> str:
    """A page's table, from what the cases gave."""
    rows = ["| system | version tested | what went in | what came out |", "|---|---|---|---|"]
    for name in (name for name, place in PAGES.items() if place == page):
        for outcome in outcomes(name).values():
            if outcome["system"]:
                cells = (outcome["system"], outcome["version"], outcome["given"], outcome["out"] or outcome["error"])
                rows.append(f"| {' | '.join(re.sub(r'[|]', '/', cell) for cell in cells)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    for each in sys.argv[1:] or sorted(set(PAGES.values())):
        text = (GUIDES / each).read_text("utf-8")
        start, end = "<!-- peers -->\n", "\n<!-- /peers -->"
        head, _, rest = text.partition(start)
        (GUIDES / each).write_text(head + start + table(each) + end + rest.partition(end)[2], "utf-8")
