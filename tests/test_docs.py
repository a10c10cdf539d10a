"""Every code block of the documents runs.

```python blocks of one document run in order, in one namespace, in a folder that holds a copy of examples/.
In a ```console block each line that begins with `$ faithmeter` runs; what follows it up to the next command
must be found in the output, line by line, where `…` stands for anything, and a score for any score.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(path: Path, language: str) -> list[tuple[int, str]]:
    text = path.read_text("utf-8")
    return [(text[: found.start()].count("\n") + 2, found[2]) for found in BLOCK.finditer(text) if found[1] == language]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.mark.parametrize("path", [p for p in DOCUMENTS if blocks(p, "python")], ids=lambda p: p.name)
def test_python_blocks_run(path: Path, folder: Path) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    for line, code in blocks(path, "python"):
        exec(compile("\n" * (line - 1) + code, str(path), "exec"), namespace)


@pytest.mark.parametrize("path", [p for p in DOCUMENTS if blocks(p, "console")], ids=lambda p: p.name)
def test_console_blocks_run(path: Path, folder: Path) -> None:
    for line, block in blocks(path, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            assert command.startswith("faithmeter "), f"{path.name}:{line}: only faithmeter commands run here"
            arguments = shlex.split(command)[1:]
            done = subprocess.run([sys.executable, "-m", "faithmeter", *arguments], capture_output=True, text=True)
            output = done.stdout + done.stderr
            assert done.returncode in (0, 1), f"{path.name}:{line}: {command}\n{output}"
            for expected in filter(None, map(str.strip, shown.splitlines())):
                pattern = ".*".join(re.escape(piece.strip()) for piece in expected.split("…"))
                pattern = re.sub(r"\d\\\.\d\d\b", r"\\d\\.\\d\\d", pattern)  # a score may move with the weights
                assert re.search(pattern, output), f"{path.name}:{line}: not in the output: {expected}\n{output}"
