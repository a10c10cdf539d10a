"""Kills a run with SIGKILL at random moments, starts it again each time, and looks at what is left."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Letters alone: to the stub, words that differ in a number only contradict each other.
WORDS = ["word" + "".join(chr(97 + int(digit)) for digit in str(number)) for number in range(3000)]


def make_rows(count: int, *, seed: int = 1) -> list[dict[str, Any]]:
    """Answers of five sentences, most of them taken from one of four contexts of 130 words."""
    rng = random.Random(seed)

    def sentence() -> str:
        return " ".join(rng.choices(WORDS, k=13)).capitalize() + "."

    rows = []
    for number in range(count):
        contexts = [[sentence() for _ in range(10)] for _ in range(4)]
        answer = [rng.choice(rng.choice(contexts)) if rng.random() < 0.7 else sentence() for _ in range(5)]
        rows.append(
            {
                "id": f"row-{number}",
                "question": "What?",
                "answer": " ".join(answer),
                "contexts": [" ".join(context) for context in contexts],
            }
        )
    return rows


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a results file or a journal; a torn last one is left out."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def judgement(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what differs from one judging to the next: the time it took."""
    return {**result, "usage": {**result["usage"], "seconds": 0, "retries": 0}}


def by_id(results: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {result["sample"]["id"]: result for result in results}


@dataclass
class Log:
    """What was seen."""

    finished: list[int] = field(default_factory=list)
    """Results on disk after each kill."""
    torn: int = 0
    """Kills that left a torn line."""
    changed: int = 0
    """Results that were on disk after a kill and are different in the end."""
    seconds: float = 0.0


def eval_command(data: Path, output: Path, *options: str) -> list[str]:
    arguments = ["eval", str(data), "-o", str(output), "--quiet", "--worst", "0", *options]
    return [sys.executable, "-m", "faithmeter", *arguments]


def kill_and_resume(command: Sequence[str], output: Path, *, total: int, kills: int, seed: int = 0) -> Log:
    """Kill the command when a random number of results is on disk, as often as told; then let it end.

    A verifier that heeds `FAITHMETER_TEST_HOLD` waits then to be killed. Another, or one that has the last samples in
    hand, may end before it could be killed: there is nothing left to kill then, and less was tried.
    """
    rng = random.Random(seed)
    journal, hold = output.with_name(output.name + ".journal"), output.with_name("hold")
    log, kept = Log(), {}
    started = time.perf_counter()
    for target in sorted(rng.sample(range(total), kills)):
        hold.write_text(f"{target + 5} {journal}", "utf-8")
        environment = {**os.environ, "FAITHMETER_TEST_HOLD": str(hold)}
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment)
        while process.poll() is None and _count(journal) < target:
            time.sleep(0.001)
        time.sleep(rng.random() * 0.02)
        process.send_signal(signal.SIGKILL)
        hold.unlink()  # its workers end by themselves, and then their end of the pipe does
        process.communicate()
        if process.returncode != -signal.SIGKILL:
            assert process.returncode == 0, "the run failed"
            break
        data = journal.read_bytes() if journal.exists() else b""
        log.torn += bool(data) and not data.endswith(b"\n")
        results = lines_of(journal)
        log.finished.append(len(results))
        kept.update(by_id(results))
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ}, check=False)
    assert done.returncode == 0, done.stderr
    assert log.finished, "the run had ended before it could be killed once"
    log.seconds = time.perf_counter() - started
    final = by_id(lines_of(output))
    log.changed = sum(final.get(name) != result for name, result in kept.items())
    return log


def _count(journal: Path) -> int:
    try:
        return journal.read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0
