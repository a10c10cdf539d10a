"""Runs the examples of a page and puts what they print below them, so that the site shows what is really printed.

```python blocks of a page run in order in one namespace; in ```console blocks the lines that begin with `$ faithmeter`
run. Both in a folder of their own that holds a copy of examples/. tests/test_docs.py runs the same blocks.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

COLUMNS = 80  # what a code block of the site has room for
LINES = 45  # of an output; the rest is counted
BLOCK = re.compile(r"^```(python|console)[^\n]*\n(.*?)^```[^\n]*\n", re.MULTILINE | re.DOTALL)

_RUN = """
import contextlib, io, json, sys, traceback
namespace, printed = {"__name__": "__main__"}, []
for code in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "<example>", "exec"), namespace)
    printed.append(out.getvalue())
sys.stdout.write(json.dumps(printed))
"""


def filled_in(markdown: str, root: Path) -> str:
    """The page with real outputs."""
    found = list(BLOCK.finditer(markdown))
    if not found:
        return markdown
    printed = iter(_kept([(match[1], match[2]) for match in found], root))

    def fill(match: re.Match[str]) -> str:
        text = next(printed)
        if match[1] == "console":
            return f"```console\n{text}```\n"
        return match[0] + (f'\n```text title="prints"\n{_cut(text)}```\n' if text.strip() else "")

    return BLOCK.sub(fill, markdown)


def _kept(blocks: list[tuple[str, str]], root: Path) -> list[str]:
    """What the blocks print, from the last build if neither they nor the package have changed."""
    key = hashlib.sha256(json.dumps([blocks, source_hash(root)]).encode()).hexdigest()[:20]
    file = root / "build" / "docs" / "outputs" / f"{key}.json"
    if not file.exists():
        made = _run(blocks, root)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(made), "utf-8")
    kept: list[str] = json.loads(file.read_text("utf-8"))
    return kept


@cache
def source_hash(root: Path) -> str:
    """Of everything that can change an output: the package, its weights included, and the examples."""
    digest = hashlib.sha256()
    for folder in ("src", "examples", "tools/docs_build"):
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def environment(root: Path, folder: Path, **more: str) -> dict[str, str]:
    """As a reader's machine would have it: no cache of ours, no build server, a terminal of the page's width."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI", "FAITHMETER_"))}
    return clean | {
        "COLUMNS": str(COLUMNS),
        "PYTHONPATH": os.pathsep.join(map(str, (root / "src", root / "tests"))),  # tests: a stand-in for an LLM
        "PYTHONIOENCODING": "utf-8",
        "XDG_CACHE_HOME": str(folder / ".cache"),
        **more,
    }


def _run(blocks: list[tuple[str, str]], root: Path) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(root / "examples", folder / "examples")
        python = [code for language, code in blocks if language == "python"]
        printed = iter(_python(python, root, folder) if python else [])
        return [
            next(printed) if language == "python" else "".join(_console(code, root, folder))
            for language, code in blocks
        ]


def _python(codes: list[str], root: Path, folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", _RUN],
        cwd=folder,
        input=json.dumps(codes),
        env=environment(root, folder),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"an example of the documentation fails:\n{done.stderr}")
    printed: list[str] = json.loads(done.stdout)
    return printed


def _console(block: str, root: Path, folder: Path) -> list[str]:
    shown = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command = part.partition("\n")[0]
        done = subprocess.run(
            [sys.executable, "-m", "faithmeter", *shlex.split(command)[1:]],
            cwd=folder,
            env=environment(root, folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode not in (0, 1):
            raise RuntimeError(f"an example of the documentation fails: {command}\n{done.stdout}")
        lines = "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
        shown.append(f"$ {command}\n{_cut(lines)}")
    return shown


def _cut(text: str) -> str:
    lines = text.splitlines()
    more = len(lines) - LINES
    return "\n".join(lines[:LINES]) + (f"\n… and {more} more lines\n" if more > 0 else "\n")
