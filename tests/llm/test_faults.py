"""A run over a bad line: every sample gets its right score (`benchmarks/judge.py` does it with 300)."""

from __future__ import annotations

import pytest
from support.llm_server import Faults, LLMServer
from support.samples import known

from faithmeter.datamodels import Label
from faithmeter.evaluator import Evaluator

LINES = {
    "ordinary faults": Faults(malformed=0.05, throttled=0.05, error=0.02, hang=0.01),
    "verdicts cut short": Faults(dropped=0.2),
    "all at once": Faults(
        malformed=0.03, throttled=0.03, error=0.02, disconnect=0.02, truncated=0.03, dropped=0.05, renumbered=0.03,
        duplicated=0.03, wrong_id=0.03, wrong_passage=0.02, invented_quote=0.03, bad_label=0.03,
    ),
}  # fmt: skip


@pytest.mark.parametrize("mode", ["batched", "joint"])
@pytest.mark.parametrize("line", LINES)
async def test_every_sample_is_scored_right(line: str, mode: str) -> None:
    samples = [known(n, words=60) for n in range(60)]
    with LLMServer(faults=LINES[line], seed=3) as server:
        spec = f"openai:stub?mode={mode}&timeout=5&retries=20@{server.url}"
        evaluator = Evaluator(verifier=spec, extractor=spec)
        stream = evaluator.stream([sample.sample for sample in samples], concurrency=16)
        results = [result async for result in stream]
        faults = sum(count for name, count in server.counts.items() if name != "ok")
        asked = sum(server.counts.values())
    assert faults > 5
    for sample, result in zip(samples, results, strict=True):
        assert result.status == "ok", result
        assert [verdict.label for verdict in result.verdicts] == list(sample.labels)
        assert all(
            verdict.label in (Label.NOT_ENOUGH_INFO, Label.CONTRADICTED) or verdict.evidence
            for verdict in result.verdicts
        )
    calls = sum(result.usage.calls for result in results)
    assert calls <= asked, "calls are those that were answered"
