"""schemathesis holds the server to its OpenAPI document: no 5xx, and no answer that the document does not describe."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from support.serving import Served, serving

from faithmeter.serve.app import create_app
from faithmeter.serve.settings import Limits, Settings

SMALL = {"verifiers": ("lexical",), "limits": Limits(body_seconds=30)}
schema = schemathesis.openapi.from_asgi("/openapi.json", create_app(Settings(**SMALL)))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving(**SMALL) as served:
        yield served


@schema.parametrize()
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_operation_does_what_the_document_says(case: Case, server: Served) -> None:
    case.call_and_validate(base_url=server.url)


def test_the_document_names_every_endpoint() -> None:
    assert set(schema.raw_schema["paths"]) == {
        "/v1/check",
        "/v1/check/batch",
        "/v1/check/stream",
        "/v1/guard",
        "/v1/fix",
        "/v1/verifiers",
        "/health",
        "/ready",
        "/beta/litellm_basic_guardrail_api",
    }
