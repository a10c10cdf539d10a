"""Errors as RFC 9457 has them: `application/problem+json`, with no path, key, text or stack trace in it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faithmeter.datamodels import Model
from faithmeter.errors import FaithmeterError

KIND = "urn:faithmeter:problem:"
MEDIA_TYPE = "application/problem+json"


class FieldProblem(Model):
    """What is wrong with one field of a request."""

    field: str
    problem: str


class Problem(Model):
    """Why a request was not answered (RFC 9457)."""

    type: str
    """A name for the kind of problem: urn:faithmeter:problem:NAME."""
    title: str
    """The kind, in words."""
    status: int
    """The HTTP status."""
    detail: str
    """What is wrong with this request, and what to do."""
    request_id: str
    """As in the header x-request-id and in the server's log."""
    limit: float | None = None
    """The limit that was passed."""
    found: float | None = None
    """What the request had instead."""
    errors: tuple[FieldProblem, ...] = ()
    """For a body that does not fit its schema: each field that does not."""


class Refused(HTTPException, FaithmeterError):
    """A request that is not answered as asked; FastAPI lets the one through, the evaluator the other."""

    def __init__(
        self,
        status: int,
        name: str,
        detail: str,
        *,
        limit: float | None = None,
        found: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        HTTPException.__init__(self, status, detail, dict(headers or {}))
        self.name = name
        self.limit = limit
        self.found = found


def over_limit(what: str, found: float, limit: float, *, status: int = 413) -> Refused:
    """A request that asks for more than the server gives."""
    detail = f"{what}: {found:,} where at most {limit:,} are allowed"
    return Refused(status, "over-limit", detail, limit=limit, found=found)


def busy(detail: str, *, seconds: float) -> Refused:
    """A server that has all it can do."""
    return Refused(503, "busy", detail, headers={"retry-after": str(max(1, math.ceil(seconds)))})


_TITLES = {
    "bad-request": "The request cannot be read",
    "invalid": "The request does not fit its schema",
    "unauthorized": "A key is needed",
    "forbidden": "Not from there",
    "not-found": "There is nothing here",
    "method-not-allowed": "Not by this method",
    "over-limit": "Over a limit",
    "too-slow": "The request came too slowly",
    "unsupported-media-type": "Not in this form",
    "rate-limited": "Too many requests",
    "busy": "The server is busy",
    "misdirected": "Not this host",
    "unknown-verifier": "No such verifier here",
    "not-enabled": "Not enabled on this server",
    "upstream": "The model's endpoint failed",
    "internal": "Something broke here",
}
_BY_STATUS = {
    400: "bad-request", 401: "unauthorized", 403: "forbidden", 404: "not-found", 405: "method-not-allowed",
    408: "too-slow", 413: "over-limit", 415: "unsupported-media-type", 422: "invalid", 429: "rate-limited", 503: "busy",
}  # fmt: skip


def problem_response(
    status: int,
    name: str,
    detail: str,
    request_id: str,
    *,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Response:
    """The problem as a response."""
    title = _TITLES.get(name, name)
    body: dict[str, Any] = {"type": KIND + name, "title": title, "status": status, "detail": detail}
    body |= {"request_id": request_id} | {key: value for key, value in more.items() if value is not None}
    content = json.dumps(body, ensure_ascii=False).encode()
    return Response(content, status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def refusal_response(refused: Refused, request_id: str) -> Response:
    """A `Refused` as a response."""
    return problem_response(
        refused.status_code,
        refused.name,
        refused.detail,
        request_id,
        headers=refused.headers,
        limit=refused.limit,
        found=refused.found,
    )


def install(app: FastAPI) -> None:
    """Have the app answer with problems."""
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Refused, _refused)


def request_id(request: Request) -> str:
    """The id that the front gave the request."""
    given: str = request.scope.get("faithmeter.id", "")
    return given


def in_fields(errors: Sequence[Any]) -> list[dict[str, str]]:
    """What pydantic says of a body, without what was in it."""
    named = ((".".join(str(part) for part in error["loc"] if part != "body"), error["msg"]) for error in errors[:20])
    return [{"field": field[:200], "problem": problem[:200]} for field, problem in named]


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = in_fields(error.errors())
    first = problems[0]
    detail = f"{first['field'] or 'body'}: {first['problem']}"
    return problem_response(422, "invalid", detail, request_id(request), errors=problems)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    name = _BY_STATUS.get(error.status_code, "bad-request")
    detail = str(error.detail)
    if error.status_code == 404:
        detail = "no such path; GET /openapi.json lists all"
    return problem_response(error.status_code, name, detail, request_id(request), headers=error.headers)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return refusal_response(error, request_id(request))
