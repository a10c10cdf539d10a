"""A client that the user made is taken at its word: its address, deployment and key, or nothing is asked."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from anthropic import Anthropic
from langchain_openai import AzureChatOpenAI, ChatOpenAI
from mistralai.client import Mistral
from openai import AsyncAzureOpenAI, OpenAI
from support.llm_server import LLMServer

from faithmeter import UsageError
from faithmeter.compat import rag_evals, ragas
from faithmeter.llm.wrapped import given

KEY = "sk-of-the-wrapped-client-1"
SAMPLE = {"user_input": "?", "response": "Cats sleep a lot.", "retrieved_contexts": ["Cats sleep a lot."]}


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer() as running:
        yield running


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMServer]:
    """What the environment names: nobody may ask there."""
    with LLMServer() as running:
        for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_BASE_URL"):
            monkeypatch.setenv(name, running.url)
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", running.root)
        for name in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY", "FAITHMETER_API_KEY"):
            monkeypatch.setenv(name, "sk-of-the-environment-2")
        monkeypatch.setenv("OPENAI_API_VERSION", "1999-01-01")
        yield running
        assert running.headers == []


def chat(server: LLMServer) -> Any:
    return ChatOpenAI(base_url=server.url, model="stub", api_key=KEY)


def azure(server: LLMServer) -> Any:
    return AzureChatOpenAI(
        azure_endpoint=server.root, azure_deployment="mine", api_version="2024-10-21", api_key=KEY, model="gpt-4o"
    )


@pytest.mark.parametrize(
    "wrap", [lambda llm: llm, lambda llm: SimpleNamespace(langchain_llm=llm)], ids=["bare", "ragas"]
)
async def test_langchains_address_and_key_are_used(server: LLMServer, wrap: Any) -> None:
    assert await ragas.Faithfulness(llm=wrap(chat(server))).single_turn_ascore(SAMPLE) == 1.0
    assert len(server.headers) == 2
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    assert {asked.body["model"] for asked in server.requests} == {"stub"}


async def test_azures_address_deployment_version_and_key_are_used(server: LLMServer) -> None:
    assert await ragas.Faithfulness(llm=azure(server)).single_turn_ascore(SAMPLE) == 1.0
    assert {headers["api-key"] for headers in server.headers} == {KEY}
    assert {headers["host"] for headers in server.headers} == {server.root.removeprefix("http://")}
    assert {asked.body["model"] for asked in server.requests} == {"mine"}
    assert set(server.paths) == {"/openai/deployments/mine/chat/completions?api-version=2024-10-21"}


async def test_the_joint_call_uses_them_too(server: LLMServer) -> None:
    graded = await rag_evals.Faithfulness.agrade(
        question="?", answer="Cats sleep a lot.", context=["Cats sleep a lot."], client=chat(server)
    )
    assert graded.score == 1.0
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {KEY}"}


async def test_an_anthropic_client_keeps_its_address_and_key(server: LLMServer) -> None:
    client = SimpleNamespace(client=Anthropic(api_key=KEY, base_url=server.root), model="claude-haiku-5-5")
    assert await ragas.Faithfulness(llm=client).single_turn_ascore(SAMPLE) == 1.0
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {KEY}"}


async def test_two_clients_of_one_address_keep_their_own_keys(server: LLMServer) -> None:
    for key in (KEY, KEY + "-another"):
        llm = ChatOpenAI(base_url=server.url, model="stub", api_key=key)
        await ragas.Faithfulness(llm=llm).single_turn_ascore(SAMPLE)
        assert server.headers[-1]["authorization"] == f"Bearer {key}"


@pytest.mark.parametrize(
    "client",
    [
        AzureChatOpenAI(azure_endpoint="http://127.0.0.1:9", azure_deployment="d", api_version="v", azure_ad_token="t"),
        AsyncAzureOpenAI(base_url="http://127.0.0.1:9/gateway", api_version="v", api_key=KEY),
        ChatOpenAI(base_url="http://127.0.0.1:9/v1", model="m", api_key=lambda: KEY),
        OpenAI(base_url="http://127.0.0.1:9/v1?user=me", api_key=KEY),
        Mistral(api_key=KEY, server_url="http://127.0.0.1:9"),
    ],
    ids=["a token of Azure's", "an address of one's own for Azure", "a key made by a function", "a query", "Mistral"],
)
async def test_what_cannot_be_read_is_refused(client: Any) -> None:
    with pytest.raises(UsageError):
        await ragas.Faithfulness(llm=SimpleNamespace(client=client, model="m")).single_turn_ascore(SAMPLE)


def test_a_key_is_not_shown() -> None:
    client = SimpleNamespace(client=OpenAI(base_url="http://127.0.0.1:9/v1", api_key=KEY), model="m")
    assert KEY not in repr(given(client))
