"""`faithmeter label` in the terminal: through a pipe, and on a real pseudo-terminal. The page has its own test."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from support.opinions import answers, judged, write_results

from faithmeter.trust.human_labels import read_labels

Cli = Callable[..., CompletedProcess[str]]


def test_labels_by_lines_from_a_pipe(cli: Cli, tmp_path: Path) -> None:
    write_results(tmp_path / "r.jsonl", judged(answers(10)))
    done = cli("label", "r.jsonl", "--terminal", "--by", "ana", "-n", "3", stdin="1\n3\nb\n4\nx\n0\n")
    assert done.returncode == 0, done.stderr
    assert "3 of 3 labelled by ana" in done.stdout
    assert "'x' is no key here" in done.stdout
    assert [label.label for label in read_labels(tmp_path / "labels.jsonl")] == [
        "supported",
        "contradicted",
        "not_enough_info",
        "unclear",
    ]


def test_the_verdict_is_not_shown(cli: Cli, tmp_path: Path) -> None:
    write_results(tmp_path / "r.jsonl", judged(answers(3)))
    done = cli("label", "r.jsonl", "--terminal", "-n", "1", stdin="q\n")
    assert "0.4" not in done.stdout
    assert "Fact" in done.stdout
    assert "not enough info" in done.stdout.split("claim")[-1]  # in the menu only


def test_stopping_and_going_on_and_a_second_person(cli: Cli, tmp_path: Path) -> None:
    write_results(tmp_path / "r.jsonl", judged(answers(10)))
    first = cli("label", "r.jsonl", "--terminal", "--by", "ana", "-n", "4", stdin="1\n3\n")
    assert "2 of 4 labelled" in first.stdout
    second = cli("label", "r.jsonl", "--terminal", "--by", "ana", "-n", "4", stdin="1\n3\n")
    assert "4 of 4 labelled" in second.stdout
    other = cli("label", "r.jsonl", "--terminal", "--by", "ben", "-n", "4", stdin="1\n3\n1\n1\n")
    assert "ana and ben: kappa 0.500" in other.stdout
    claims = [(label.sample, label.claim) for label in read_labels(tmp_path / "labels.jsonl")]
    assert claims[:4] == claims[4:]


def test_keys_on_a_terminal(tmp_path: Path) -> None:
    write_results(tmp_path / "r.jsonl", judged(answers(10)))
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "faithmeter", "label", "r.jsonl", "--terminal", "--by", "ana", "-n", "9"]
    process = subprocess.Popen(command, cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = ""
    try:
        for key, before in (("1", "0 of 9"), ("3", "1 of 9"), ("q", "2 of 9")):
            shown += _until(ours, before, "quit > ")
            os.write(ours, key.encode())
        shown += _until(ours, "2 of 9 labelled by ana")
        assert process.wait(timeout=300) == 0
    finally:
        process.kill()
        os.close(ours)
    labels = [json.loads(line)["label"] for line in (tmp_path / "labels.jsonl").read_text().splitlines()]
    assert labels == ["supported", "contradicted"]


def _until(terminal: int, *wanted: str) -> str:
    """What the terminal shows until all the wanted words have been there, in order."""
    shown, deadline = "", time.monotonic() + 300
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 65536).decode(errors="replace")
        place = 0
        for words in wanted:
            place = shown.find(words, place) + 1
            if not place:
                break
        else:
            return shown
    raise AssertionError(f"{wanted} not shown:\n{shown}")
