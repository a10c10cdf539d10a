"""Nothing leaves the machine and nothing is left behind: files and sockets, in a process of its own."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import faithmeter

SOURCE = Path(faithmeter.__file__).parent
CHECK = """
import sys, time
from faithmeter import check
result = check("The tower opened in 1889.", ["The Eiffel Tower opened to the public on 15 May 1889."])
assert result.score == 1.0, result
time.sleep(1)  # native threads get a chance to do what they may want to
"""
IN_PROCESS = (
    """
import os, re, sys
events = []
sys.addaudithook(lambda name, args: events.append(name) if name in ("socket.connect", "socket.getaddrinfo") else None)
"""
    + CHECK
    + """
inodes = set()
for name in os.listdir("/proc/self/fd"):
    try:
        inodes |= set(re.findall(r"socket:\\[(\\d+)\\]", os.readlink(f"/proc/self/fd/{name}")))
    except OSError:
        pass
for kind in ("tcp", "tcp6", "udp", "udp6"):
    try:
        rows = open(f"/proc/self/net/{kind}").readlines()[1:]
    except OSError:
        continue
    assert not inodes & {row.split()[9] for row in rows}, f"an open {kind} socket"
assert events == [], events
"""
)


def environment(home: Path) -> dict[str, str]:
    """This one's, with an empty home; what switches telemetry off elsewhere is taken out."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("XDG_", "ORT_", "FAITHMETER_")) and "TELEMETRY" not in name
    }
    return {**kept, "HOME": str(home)}


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def test_a_check_writes_nothing_into_the_home_and_opens_no_connection(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_PROCESS], env=environment(home), capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert files(home) == []


def test_the_processes_of_a_run_write_nothing_into_the_home(home: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    row = {"answer": "It opened in 1889.", "contexts": ["It opened to the public on 15 May 1889."]}
    data.write_text("".join(json.dumps({**row, "id": str(n)}) + "\n" for n in range(8)), "utf-8")
    command = [
        sys.executable,
        "-m",
        "faithmeter",
        "eval",
        str(data),
        "--workers",
        "2",
        "--no-cache",
        "-o",
        str(tmp_path / "r.jsonl"),
    ]
    done = subprocess.run(command, env=environment(home), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert files(home) == []


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_native_code_opens_no_connection(home: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-e", "trace=socket,connect,sendto", "-o", str(trace), sys.executable, "-c", CHECK]
    done = subprocess.run(command, env=environment(home), capture_output=True, text=True, timeout=600)
    if "ptrace" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"AF_INET6?|AF_NETLINK", trace.read_text("utf-8", "replace")) == []


def test_onnxruntime_is_imported_in_one_place() -> None:
    found = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            found += [path.name for name in names if (name or "").split(".")[0] == "onnxruntime"]
    assert found == ["_onnx.py"]
