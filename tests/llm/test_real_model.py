"""A real model, end to end: too small to judge well, so nothing here depends on what it thinks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support.local_model import local_model

from faithmeter.datamodels import Failure, Label, Verdict
from faithmeter.results import Result

SAMPLES = [
    {
        "id": "tower",
        "question": "Where is the Eiffel Tower?",
        "answer": "The Eiffel Tower is in Paris.",
        "contexts": ["The Eiffel Tower is in Paris, France.", "It was finished in 1889."],
    },
    {
        "id": "greeting",
        "question": "Who is there?",
        "answer": "Hello! The door is made of oak.",
        "contexts": ["The door is made of pine."],
    },
]


def test_eval_with_a_local_model(tmp_path: Path) -> None:
    data, output = tmp_path / "data.jsonl", tmp_path / "results.jsonl"
    data.write_text("".join(json.dumps(sample) + "\n" for sample in SAMPLES))
    with local_model() as url:
        spec = f"openai:smollm2?max_tokens=220&asks=2&concurrency=1&timeout=300@{url}"
        command = [sys.executable, "-m", "faithmeter", "eval", str(data), "-v", spec, "-x", spec, "-o", str(output)]
        done = subprocess.run([*command, "--quiet"], capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stdout + done.stderr
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    # Reading a result checks that its evidence stands in its contexts, word for word.
    results = [Result.model_validate(line) for line in lines if "outcomes" in line]
    assert [result.sample.id for result in results] == ["tower", "greeting"]
    for result in results:
        assert result.signature.startswith("extract:openai:smollm2@http://127.0.0.1:")
        assert ",extract.3." in result.signature
        assert ",verify.3." in result.signature
        assert result.usage.calls >= 2
        assert result.usage.prompt_tokens > 150 * result.usage.calls / 2
        assert 0 < result.usage.completion_tokens <= 440 * result.usage.calls
        assert result.usage.cost is None, "nobody knows its price"
        assert result.outcomes
        for outcome in result.outcomes:
            if isinstance(outcome, Verdict):
                assert outcome.label in (Label.SUPPORTED, Label.CONTRADICTED, Label.NOT_ENOUGH_INFO)
                assert outcome.origin.verifier == "openai:smollm2"
            else:
                assert isinstance(outcome, Failure)
                assert outcome.kind in ("missing", "malformed", "truncated", "bad_citation")
    assert [aside.kind for aside in results[1].asides][:1] == ["greeting"]
