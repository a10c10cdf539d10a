"""schemathesis holds the server to its OpenAPI document: no 5xx, and no answer that the document does not describe."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.specs.openapi.checks import positive_data_acceptance
from support.serving import Served, serving

from faithmeter.serve.app import create_app
from faithmeter.serve.settings import Limits, Settings

SMALL = {"verifiers": ("lexical",), "limits": Limits(body_seconds=600)}
schema = schemathesis.openapi.from_dict(create_app(Settings(**SMALL)).openapi())  # type: ignore[arg-type]


@schemathesis.serializer("application/x-ndjson")
def lines(ctx: object, value: object) -> bytes:
    """A body of JSON lines, as it is."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving(**SMALL) as served:
        yield served


@schema.parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_operation_does_what_the_document_says(case: Case, server: Served) -> None:
    # The lines of a stream are no JSON document, so that its schema cannot say what each of them must be.
    excluded = [positive_data_acceptance] if case.path == "/v1/check/stream" else []
    case.call_and_validate(base_url=server.url, excluded_checks=excluded, timeout=600)


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
