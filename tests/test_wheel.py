"""The wheel installs into an empty environment from the built file, and works there without a network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MB = 1_000_000


def size(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / MB


@pytest.mark.slow
def test_the_wheel_works_in_an_empty_environment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)], check=True)
    [wheel] = tmp_path.glob("faithmeter-*.whl")
    environment = tmp_path / "empty"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    [packages] = environment.glob("lib/python*/site-packages")
    before = size(packages)
    subprocess.run([str(environment / "bin" / "pip"), *pip[3:], "install", str(wheel)], check=True)
    dependencies = size(packages) - before - size(packages / "faithmeter")

    code = (
        "import socket\n"
        "def no(*args): raise OSError('the network is off')\n"
        "socket.socket.connect = socket.getaddrinfo = no\n"
        "from faithmeter.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [str(environment / "bin" / "python"), "-c", code, "eval", str(ROOT / "examples" / "answers.jsonl"), "--json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["samples"] == 10
    with capsys.disabled():
        print(f"\nwheel {wheel.stat().st_size / MB:.1f} MB, its dependencies {dependencies:.0f} MB installed")
    assert wheel.stat().st_size < 35 * MB
    assert dependencies < 250
