"""A server on loopback, with every provider's key set."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.llm_server import LLMServer


@pytest.fixture
def keyed_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMServer]:
    """The server; the environment holds a key for each provider."""
    for name in ("OPENAI", "AZURE_OPENAI", "ANTHROPIC", "GOOGLE", "MISTRAL", "GROQ"):
        monkeypatch.setenv(f"{name}_API_KEY", "test-key-of-nobody")
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    with LLMServer() as server:
        yield server
