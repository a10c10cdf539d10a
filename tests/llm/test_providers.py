"""Every provider's own SDK, talking its own protocol to the server on loopback."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.llm_server import LLMServer, parts
from support.providers import PROVIDERS

from faithmeter.datamodels import Claim, Failure, Label, Pair, Sample, Verdict
from faithmeter.errors import EndpointDown
from faithmeter.judge.prompts import Instructions
from faithmeter.judge.verdict_schema import fields, list_of
from faithmeter.judge.verify import Judge
from faithmeter.llm.protocol import Request
from faithmeter.llm.providers import instructions
from faithmeter.llm.settings import JudgeSettings
from faithmeter.runtime.usage import metered

SAMPLE = Sample(answer="…", contexts=["The tower is in Paris.", "It has 3 floors."])
PAIRS = [Pair(Claim(text=text, start=0, end=1), SAMPLE) for text in ("The tower is in Paris.", "It has 7 floors.")]


@pytest.mark.parametrize(("provider", "model", "path", "native"), PROVIDERS, ids=[row[0] for row in PROVIDERS])
async def test_each_provider_judges(
    keyed_server: LLMServer, provider: str, model: str, path: str, native: bool | None
) -> None:
    judge = Judge(f"{provider}:{model}@{keyed_server.root}{path}")
    with metered() as meter:
        found = await judge.verify(PAIRS)
    assert [outcome.label for outcome in found if isinstance(outcome, Verdict)] == [
        Label.SUPPORTED,
        Label.CONTRADICTED,
    ], found
    assert found[0].origin.verifier == f"{provider}:{model}"  # type: ignore[union-attr]
    asked = keyed_server.requests[-1]
    assert asked.system.startswith("Your task is to judge whether the passages (P) state each claim (C).")
    if native:
        assert asked.schema is not None
        assert "verdicts" in asked.schema["properties"]
    assert (meter.usage.calls, meter.usage.prompt_tokens > 50, meter.usage.completion_tokens > 10) == (1, True, True)
    await judge.aclose()


async def test_anthropic_is_told_to_cache_the_instructions_and_nothing_else(keyed_server: LLMServer) -> None:
    body = await _sent_to("anthropic", keyed_server)
    assert [block["cache_control"]["type"] for block in body["system"]] == ["ephemeral"]
    assert "cache_control" not in json.dumps(body["messages"])


@pytest.mark.parametrize(("provider", "model", "path", "native"), PROVIDERS, ids=[row[0] for row in PROVIDERS])
async def test_each_provider_is_sent_the_examples_as_turns(
    keyed_server: LLMServer, provider: str, model: str, path: str, native: bool | None
) -> None:
    judge = Judge(f"{provider}:{model}?prompt=small@{keyed_server.root}{path}")
    found = await judge.verify(PAIRS)
    assert [outcome.label for outcome in found if isinstance(outcome, Verdict)] == [
        Label.SUPPORTED,
        Label.CONTRADICTED,
    ], found
    small = Instructions("verify", JudgeSettings(prompt="small"))
    judged = set()
    for asked in keyed_server.requests[-2:]:
        assert asked.system == small.text
        assert asked.turns == list(small.turns)
        (claim,) = [part.text for part in parts(asked.user) if part.kind == "claim"]
        judged.add(claim)
    assert judged == {pair.claim.text for pair in PAIRS}
    await judge.aclose()


async def _sent_to(provider: str, server: LLMServer, *, options: str = "") -> dict[str, Any]:
    """What a provider is sent when it judges."""
    _, model, path, _ = next(row for row in PROVIDERS if row[0] == provider)
    judge = Judge(f"{provider}:{model}{options}@{server.root}{path}")
    await judge.verify(PAIRS)
    await judge.aclose()
    return server.requests[-1].body


async def test_anthropic_is_told_to_cache_up_to_the_end_of_the_examples(keyed_server: LLMServer) -> None:
    body = await _sent_to("anthropic", keyed_server, options="?prompt=small")
    marked = [n for n, message in enumerate(body["messages"]) if "cache_control" in json.dumps(message)]
    assert marked == [len(body["messages"]) - 2]
    assert body["messages"][marked[0]]["role"] == "assistant"
    assert [block["cache_control"]["type"] for block in body["system"]] == ["ephemeral"]


async def test_bedrock_is_told_to_cache_the_examples(keyed_server: LLMServer) -> None:
    body = await _sent_to("bedrock", keyed_server, options="?prompt=small")
    marked = [n for n, message in enumerate(body["messages"]) if "cachePoint" in json.dumps(message)]
    assert marked == [len(body["messages"]) - 3], "it takes marks in a user's turn only: the last example's"


@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "openai"])
async def test_examples_are_not_marked_where_nobody_is_to_be_told(keyed_server: LLMServer, provider: str) -> None:
    provider, model, path, _ = next(row for row in PROVIDERS if row[0] == provider)
    off = "" if provider == "openai" else "&model_settings.cache=false"
    judge = Judge(f"{provider}:{model}?prompt=small{off}@{keyed_server.root}{path}")
    await judge.verify(PAIRS)
    assert "cache" not in json.dumps(keyed_server.requests[-1].body)
    await judge.aclose()


@pytest.mark.parametrize("prompt", ["full", "small"])
async def test_an_endpoint_that_knows_no_cache_is_asked_without(keyed_server: LLMServer, prompt: str) -> None:
    provider, model, path, _ = next(row for row in PROVIDERS if row[0] == "anthropic")
    keyed_server.behaviour.rejects = ("cache_control",)
    judge = Judge(f"{provider}:{model}?prompt={prompt}@{keyed_server.root}{path}")
    assert all(isinstance(outcome, Verdict) for outcome in await judge.verify(PAIRS))
    assert "cache_control" not in json.dumps(keyed_server.requests[-1].body)
    await judge.aclose()


def test_a_form_shows_what_a_schema_asks_for() -> None:
    schema = list_of("verdicts", {"claim": {"type": "integer"}, **fields(JudgeSettings())})
    request = Request(system="Judge.", user="", name="verdicts", schema=schema, closed=schema, expected_tokens=0)
    assert instructions(request, "schema") == "Judge."
    assert instructions(request, "prompt").endswith(
        '{"verdicts": [{"claim": NUMBER, "reason": "…", '
        '"label": "supported" | "contradicted" | "not_enough_info", "passages": [NUMBER, …], "quote": "…"}, …]}'
    )


@pytest.mark.parametrize(("provider", "model", "path", "native"), PROVIDERS, ids=[row[0] for row in PROVIDERS])
async def test_each_providers_faults_are_told_apart(
    keyed_server: LLMServer, provider: str, model: str, path: str, native: bool | None
) -> None:
    judge = Judge(f"{provider}:{model}@{keyed_server.root}{path}", retries=3)
    keyed_server.script.extend(["", "throttled", "error", "truncated"])
    await judge.verify(PAIRS[:1])
    with metered() as meter:
        found = await judge.verify(PAIRS)
    assert [outcome.label for outcome in found if isinstance(outcome, Verdict)] == [
        Label.SUPPORTED,
        Label.CONTRADICTED,
    ], found
    assert meter.usage.retries == 2
    assert meter.usage.calls == 3  # the truncated reply, and one for each half
    await judge.aclose()


@pytest.mark.parametrize("row", [row for row in PROVIDERS if row[0] in ("openai", "azure")], ids=lambda row: row[0])
async def test_a_refused_key_stops(keyed_server: LLMServer, row: tuple[str, str, str, bool]) -> None:
    provider, model, path, _ = row
    keyed_server.behaviour.key = "another"
    judge = Judge(f"{provider}:{model}@{keyed_server.root}{path}")
    with pytest.raises(EndpointDown, match="401") as raised:
        await judge.verify(PAIRS)
    assert all(isinstance(outcome, Failure) for outcome in raised.value.outcomes)
    await judge.aclose()


@pytest.mark.parametrize(("provider", "model", "path", "native"), PROVIDERS, ids=[row[0] for row in PROVIDERS])
async def test_no_redirect_is_followed(
    keyed_server: LLMServer, provider: str, model: str, path: str, native: bool | None
) -> None:
    with LLMServer() as elsewhere:
        keyed_server.behaviour.redirect = elsewhere.root.replace("127.0.0.1", "localhost")
        judge = Judge(f"{provider}:{model}@{keyed_server.root}{path}", retries=0)
        with pytest.raises(EndpointDown, match=r"HTTP 307: .* never followed") as raised:
            await judge.verify(PAIRS)
        await judge.aclose()
        assert elsewhere.headers == []
    assert len(keyed_server.headers) == 1
    assert [outcome.kind for outcome in raised.value.outcomes if isinstance(outcome, Failure)] == ["endpoint"] * 2
