"""Whole runs with an LLM judge on a real endpoint: the second costs nothing, and no store's trouble loses a result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.llm_server import Faults, LLMServer

from faithmeter.cache import redis as redis_module
from faithmeter.cache import wrap, wrap_extractor
from faithmeter.cache.redis import RedisStore
from faithmeter.datamodels import Sample, Verdict
from faithmeter.evaluator import Evaluator
from faithmeter.extract import load_extractor
from faithmeter.results import Result
from faithmeter.verify import load_verifier

from .conftest import RedisServer


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer() as server:
        yield server


def samples(count: int = 12) -> list[Sample]:
    found = []
    for n in range(count):
        floors = f"The tower number {n} has {n + 3} floors."
        answer = f"{floors} It stands by the river. Nobody knows who built it."
        contexts = [floors, "It stands by the river, and was built in 1889."]
        row = {"question": "What is it like?", "answer": answer, "contexts": contexts}
        found.append(Sample.model_validate(row))
    return found


def said(results: list[Result]) -> list[object]:
    """What was found, without who said it when."""
    return [
        (o.claim, o.label, o.support, o.evidence, o.reason) if isinstance(o, Verdict) else (o.claim, o.kind)
        for result in results
        for o in result.outcomes
    ]


async def run(evaluator: Evaluator, data: list[Sample]) -> list[Result]:
    return [result async for result in evaluator.stream(data, concurrency=4)]


async def test_a_second_run_makes_no_call_and_says_the_same(server: LLMServer, tmp_path: Path) -> None:
    def evaluator() -> Evaluator:
        spec = f"openai:stub@{server.url}"
        verifier = wrap(load_verifier(spec), cache=tmp_path / "c.sqlite")
        extractor = wrap_extractor(load_extractor(spec), cache=tmp_path / "c.sqlite")
        return Evaluator(verifier=verifier, extractor=extractor)

    first = await run(evaluator(), samples())
    calls = len(server.requests)
    again = await run(evaluator(), samples())
    assert len(server.requests) == calls > 0
    assert said(again) == said(first)
    assert [result.score for result in again] == [result.score for result in first]
    assert {result.signature for result in again} == {result.signature for result in first}
    assert sum(result.usage.calls for result in again) == 0
    assert sum(result.usage.cache_hits for result in again) == sum(len(result.outcomes) for result in again)


async def test_only_the_changed_sentence_is_paid_for(server: LLMServer, tmp_path: Path) -> None:
    evaluator = Evaluator(verifier=wrap(load_verifier(f"openai:stub@{server.url}"), cache=tmp_path / "c.sqlite"))
    (before,) = samples(1)
    await run(evaluator, [before])
    changed = before.model_copy(update={"answer": before.answer.replace("Nobody knows", "We know")})
    asked = len(server.requests)
    (result,) = await run(evaluator, [changed])
    assert len(server.requests) == asked + 1
    assert "We know who built it" in server.requests[-1].user
    assert "stands by the river.</" not in server.requests[-1].user.replace("\n", "")
    assert result.usage.cache_hits == 2


async def test_a_run_goes_on_when_redis_goes_away(
    server: LLMServer, own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_module, "REST_SECONDS", 0.0)
    store = RedisStore(own_redis.url)
    evaluator = Evaluator(verifier=wrap(load_verifier(f"openai:stub@{server.url}"), cache=store))
    found: list[Result] = []
    async for result in evaluator.stream(samples(), concurrency=2):
        found.append(result)
        if len(found) == 4:
            own_redis.stop()
    assert [result.status for result in found] == ["ok"] * 12
    assert store.lost > 0
    assert any("did not answer" in note for note in store.notes)
    own_redis.start()
    store.put([])
    asked = len(server.requests)
    again = await run(
        Evaluator(verifier=wrap(load_verifier(f"openai:stub@{server.url}"), cache=own_redis.url)), samples()
    )
    assert len(server.requests) == asked
    assert said(again) == said(found)


async def test_an_endpoint_that_fails_half_the_time_leaves_only_right_verdicts(tmp_path: Path) -> None:
    with LLMServer() as good:
        clean = Evaluator(verifier=load_verifier(f"openai:stub@{good.url}"))
        right = said(await run(clean, samples()))
    with LLMServer(faults=Faults(malformed=0.3, dropped=0.3)) as bad:
        evaluator = Evaluator(verifier=wrap(load_verifier(f"openai:stub@{bad.url}"), cache=tmp_path / "c.sqlite"))
        for _ in range(6):
            results = await run(evaluator, samples())
        assert said(results) == right
