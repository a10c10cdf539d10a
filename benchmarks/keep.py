"""Runs another benchmark and keeps what it prints: `python -m benchmarks.keep cache guard`.

The output goes to benchmarks/results/NAME-ARGUMENTS.json, from which `python -m benchmarks.table` shows it as it is.
Run it on a machine that does nothing else: most of what is measured here is time.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from datetime import date
from pathlib import Path

from benchmarks.verifiers import RESULTS, machine

HERE = Path(__file__).parent
KEEP_THEIR_OWN = ("selftest", "verifiers")


def main() -> None:
    """Run the benchmark that is named, show what it prints, and keep it."""
    if len(sys.argv) < 2 or not (HERE / f"{sys.argv[1]}.py").exists():
        known = ", ".join(
            sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("__init__", "keep", "table"))
        )
        sys.exit(f"{__doc__}\nwhich benchmark? one of: {known}")
    name, *arguments = sys.argv[1:]
    if name in KEEP_THEIR_OWN:
        sys.exit(f"python -m benchmarks.{name} keeps its own figures, without what it prints of the data sets")
    load = os.getloadavg()[0]
    done = subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *arguments], stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="")
    if done.returncode not in (0, 1) or not done.stdout:  # 1: a bound is missed, which is a result too
        sys.exit(f"benchmarks.{name} ended with {done.returncode}; nothing is kept")
    first, _, _ = (ast.get_docstring(ast.parse((HERE / f"{name}.py").read_text("utf-8"))) or name).partition("\n")
    shown = [_named(argument) for argument in arguments]
    found = {
        "kind": "printed",
        "title": f"{name} {' '.join(shown)}".strip().capitalize(),
        "how": first,
        "output": done.stdout.strip("\n"),
        "bounds_met": done.returncode == 0,
        "command": shlex.join(["python", "-m", f"benchmarks.{name}", *shown]),
        "made": date.today().isoformat(),
        "machine": f"{machine()}, load {load:.1f} at the start",
    }
    RESULTS.mkdir(exist_ok=True)
    file = re.sub(r"[^\w.=-]+", "-", "-".join([name, *shown])).strip("-")
    (RESULTS / f"{file}.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _named(argument: str) -> str:
    """An argument without the paths of this machine."""
    return Path(argument).name if argument.startswith("/") else argument


if __name__ == "__main__":
    main()
