"""A key that an endpoint repeats reaches no result, file or message; whole, or cut off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.llm_server import Asked, Behaviour, LLMServer, think

from faithmeter.datamodels import Claim, Pair, Sample
from faithmeter.errors import EndpointDown
from faithmeter.judge.verify import Judge
from faithmeter.llm.secrets import Access, scrubbed
from faithmeter.llm.settings import ModelSpec, parse_spec, signed_model

KEY = "sk-Zq83-nobody-may-read-this-0042"
PAIRS = [Pair(Claim(text="A.", start=0, end=2), Sample(answer="A.", contexts=["A."]))]
SEEN = KEY[:14]  # by which a cut one is known


def with_reason(asked: Asked, reason: str) -> str:
    reply = json.loads(think(asked))
    for row in reply.get("verdicts", []):
        row["reason"] = reason
    return json.dumps(reply)


BRAINS: dict[str, Callable[[Asked], str]] = {
    "a reason": lambda asked: with_reason(asked, f"You sent {KEY}, and the passage says so."),
    "a cut reason": lambda asked: with_reason(asked, f"You sent {KEY[:20]}"),
    "a refusal": lambda asked: f"I'm sorry, but I can't help with that. Your key is {KEY}.",
    "no JSON": lambda asked: f"The key {KEY} is not one that I know.",
    "no JSON, and cut": lambda asked: "x" * 95 + f" the key {KEY}",
    "a label": lambda asked: think(asked).replace('"supported"', f'"{KEY}"'),
    "a claim": lambda asked: think(asked).replace("Cats sleep", f"{KEY} sleep"),
}


@pytest.mark.parametrize("brain", BRAINS)
def test_what_a_model_repeats_is_in_no_file_and_on_no_screen(brain: str, tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps({"answer": "Cats sleep a lot.", "contexts": ["Cats sleep a lot."]}) + "\n", "utf-8")
    with LLMServer(brain=BRAINS[brain]) as server:
        spec = f"openai:stub?asks=2@{server.url}"
        command = ["eval", "data.jsonl", "-v", spec, "-x", spec, "-o", "results.jsonl", "--report", "report.html"]
        done = subprocess.run(
            [sys.executable, "-m", "faithmeter", *command, "--cache", "verdicts.sqlite"],
            cwd=tmp_path,
            env={**os.environ, "OPENAI_API_KEY": KEY},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert server.requests, done.stderr
    assert SEEN not in done.stdout + done.stderr
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert tmp_path / "results.jsonl" in kept, done.stderr
    assert [path.name for path in kept if SEEN.encode() in path.read_bytes()] == []


@pytest.mark.parametrize("before", [0, 250, 270, 276, 280, 285])
async def test_an_error_that_is_cut_holds_no_half_of_a_key(before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "e" * before + KEY)  # the server repeats what it was sent
    monkeypatch.setenv("ANOTHER_API_KEY", KEY)
    with LLMServer(behaviour=Behaviour(key="another")) as server:
        with pytest.raises(EndpointDown, match="401") as raised:
            await Judge(f"openai:stub@{server.url}").verify(PAIRS)
        assert server.headers[0]["authorization"].endswith(KEY)
    assert "sk-Zq" not in str(raised.value) + repr(raised.value.outcomes)


async def test_the_key_of_a_wrapped_client_is_hidden_too() -> None:
    with LLMServer(brain=BRAINS["a reason"]) as server:
        judge = Judge(f"openai:stub@{server.url}", access=Access(KEY))
        (found,) = await judge.verify(PAIRS)
    assert "You sent ***, and" in repr(found.model_dump())


def test_words_that_are_no_keys_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    monkeypatch.setenv("FAITHMETER_API_KEY", "ollama")
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "disabled1")
    monkeypatch.setenv("MONKEYS", "Caesar22")
    text = "EMPTY ollama disabled1 Caesar22 supported"
    assert scrubbed(text) == text


@pytest.mark.parametrize("cut", [12, 13, 20, len(KEY) - 1, len(KEY)])
def test_a_key_is_known_by_its_start(cut: int) -> None:
    assert scrubbed(f"a {KEY[:cut]}", [KEY]) == "a ***"
    assert scrubbed(f"{KEY[:cut]}! {KEY} {KEY[:cut]}", [KEY]) == "***! *** ***"


# --- the address in the signature -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "signed"),
    [
        ("openai:m", "openai:m"),
        ("openai:m@http://LOCALHOST:8000/v1/", "openai:m@http://localhost:8000/v1"),
        ("openai:m@https://host:443/v1", "openai:m@https://host/v1"),
        ("openai:m@http://[::1]:80/v1", "openai:m@http://[::1]/v1"),
        ("azure:d@https://x.openai.azure.com", "azure:d@https://x.openai.azure.com"),
    ],
)
def test_the_address_is_signed_in_one_spelling(spec: str, signed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert signed_model(*parse_spec(spec)) == signed


def test_an_address_of_the_environment_is_signed_without_what_is_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://me:secret@Host/v1?key=secret#x")
    assert (
        signed_model(ModelSpec(provider="openai", model="m"), parse_spec("openai:m")[1]) == "openai:m@https://host/v1"
    )


def test_two_servers_are_two_signatures() -> None:
    signatures = {Judge(f"openai:stub@http://127.0.0.1:{port}/v1").signature for port in (1, 2)}
    assert len(signatures) == 2
