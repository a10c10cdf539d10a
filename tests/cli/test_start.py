"""Ctrl-C before a command has begun, and programs that the tests need."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_while_a_command_is_loaded_exits_130(tmp_path: Path) -> None:
    (tmp_path / "slow_command.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    code = "from faithmeter import cli\ncli.COMMANDS['slow'] = ('slow_command', '')\ncli.main(['slow'])"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT / "src")])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "faithmeter: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_while_the_package_is_imported_exits_130(tmp_path: Path) -> None:
    # what the package imports first of all; the command is run as the installed script runs it
    (tmp_path / "pydantic.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time\n")
    module, _, function = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"][
        "faithmeter"
    ].partition(":")
    code = f"import sys\nfrom {module} import {function}\nsys.exit({function}())"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT / "src")])}
    done = subprocess.run([sys.executable, "-c", code, "--help"], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "faithmeter: interrupted\n")
    ignored = subprocess.run(  # as in a job that a shell runs in the background: what is ignored stays so
        [sys.executable, "-c", f"import signal\nsignal.signal(2, signal.SIG_IGN)\n{code}", "--help"],
        env={**environment, "PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True,
    )  # fmt: skip
    assert (ignored.returncode, "Usage: faithmeter" in ignored.stdout) == (0, True)


@pytest.mark.skipif(not Path("/bin/sh").exists(), reason="POSIX shell")
def test_system_packages_wait_for_the_package_managers_lock(tmp_path: Path) -> None:
    programs = {
        "apt-get": """echo "$@" >> calls
            [ $(grep -c update calls) -gt 2 ] || { echo "Could not get lock /x" >&2; exit 100; }""",
        "sleep": 'echo "$@" >> naps',
        "id": "echo 0",
    }
    for name, body in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    command = [str(ROOT / "tools" / "system-packages"), "no-such-program:some-package"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *updates, install = (tmp_path / "calls").read_text().splitlines()
    assert len(updates) == 3
    assert install.startswith("-o DPkg::Lock::Timeout=600 install")
    assert install.endswith("some-package")
    assert len((tmp_path / "naps").read_text().splitlines()) == 2


def test_ctrl_c_while_nothing_arrives_on_standard_input() -> None:
    command = [sys.executable, "-m", "faithmeter", "eval", "-", "-v", "lexical", "--no-cache", "--progress", "none"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        descriptors = Path(f"/proc/{process.pid}/fd")
        # standard input is read from a descriptor of its own: once that is there, the run waits for data
        while process.poll() is None and len(list(descriptors.iterdir())) < 4:
            time.sleep(0.02)
        source = os.readlink(descriptors / "0")
        while process.poll() is None and sum(_link(each) == source for each in descriptors.iterdir()) < 2:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        process.wait()  # standard input stays open: nothing arrives, not even its end
        assert process.stderr
        said = process.stderr.read()
    assert process.returncode == 130, said
    assert b"Fatal" not in said


ENDS_WITH_CTRL_C = """
import asyncio, os, signal
from faithmeter.data.intake import Intake
from faithmeter.errors import DataError

async def rows(intake):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(100):  # the loop hears of it
        await asyncio.sleep(0)
    raise DataError("the pipe has no rows")
    yield

Intake.__aiter__ = rows
from faithmeter.cli import main
main(["eval", "rows.jsonl", "-v", "lexical", "--workers", "1", "--no-cache"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_that_ends_the_input_as_well_exits_130(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"answer": "So it is.", "contexts": ["So it is."]}\n')
    command = [sys.executable, "-c", ENDS_WITH_CTRL_C]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (130, "faithmeter: interrupted; the pipe has no rows")


def _link(path: Path) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""
