"""A run that has to stop keeps what it has, says why in one line, and goes on from there, paying for nothing twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.llm_server import Asked, LLMServer
from support.samples import known

SAMPLES = 30


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.jsonl"
    with path.open("w") as file:
        for n in range(SAMPLES):
            sample = known(n, contexts=2, words=40).sample
            row = sample.model_dump(include={"id", "question", "answer"})
            file.write(json.dumps(row | {"contexts": [context.text for context in sample.contexts]}) + "\n")
    return path


def run(data: Path, server: LLMServer, *options: str) -> subprocess.CompletedProcess[str]:
    spec = f"openai:stub?concurrency=2&input_price=100&output_price=100@{server.url}"
    output = data.with_name("results.jsonl")
    command = [sys.executable, "-m", "faithmeter", "eval", str(data), "-v", spec, "-x", spec, "-o", str(output)]
    environment = {**os.environ, "FAITHMETER_CACHE": "off"}
    return subprocess.run([*command, "--quiet", *options], capture_output=True, text=True, env=environment)


def results(data: Path) -> list[str]:
    lines = data.with_name("results.jsonl").read_text().splitlines()
    return [row["sample"]["id"] for row in map(json.loads, lines) if "outcomes" in row]


def counted(server: LLMServer, after: int, then: Callable[[], object]) -> list[str]:
    """Let something happen after so many replies; gives the requests as they come."""
    seen: list[str] = []
    careful = server.brain

    def brain(asked: Asked) -> str:
        seen.append(asked.user)
        if len(seen) == after:
            then()
        return careful(asked)

    server.brain = brain
    return seen


def test_a_key_that_is_refused_midway(data: Path) -> None:
    with LLMServer() as server:
        seen = counted(server, 20, lambda: setattr(server.behaviour, "key", "changed"))
        stopped = run(data, server)
        assert stopped.returncode == 2
        assert "refuses: HTTP 401" in stopped.stderr
        assert len(stopped.stderr.strip().splitlines()) == 1
        paid = len(seen)
        server.behaviour.key = None
        assert run(data, server).returncode == 0
    assert results(data) == [f"s{n}" for n in range(SAMPLES)]
    # Two calls a sample; what was under way when it stopped, at most two samples a slot, is asked again.
    assert 2 * SAMPLES <= len(seen) <= 2 * SAMPLES + 8
    assert paid < 2 * SAMPLES


def test_a_budget_that_is_reached(data: Path) -> None:
    with LLMServer() as server:
        stopped = run(data, server, "--max-cost", "0.5")
        assert stopped.returncode == 2
        assert "limit of $0.50" in stopped.stderr
        first = len(server.requests)
        assert 0 < first < 2 * SAMPLES
        assert run(data, server, "--max-cost", "50").returncode == 0
        assert len(server.requests) <= 2 * SAMPLES + 8
    assert results(data) == [f"s{n}" for n in range(SAMPLES)]
