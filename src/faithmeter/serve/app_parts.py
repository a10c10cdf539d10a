"""What the endpoints share."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import Request
from starlette.responses import Response

from faithmeter.datamodels import Model
from faithmeter.fix import Fixed, Fixer
from faithmeter.results import Result
from faithmeter.serve.problems import MEDIA_TYPE, busy
from faithmeter.serve.service import Service

_SAYS = {
    400: "The body cannot be read",
    401: "A key is needed",
    403: "Not from this origin",
    408: "The body came too slowly",
    413: "Over a limit of size",
    415: "Not in this form",
    421: "Not this host",
    422: "The body does not fit its schema, or asks for what is not there",
    429: "Too many requests for this key",
    503: "The queue is full: try again after the seconds in Retry-After",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": said, "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    for status, said in _SAYS.items()
}


def service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def written(answer: Model) -> Response:
    """A result and the like as a response: written once, by pydantic's own writer."""
    return Response(answer.model_dump_json(), media_type="application/json")


def note(request: Request, result: Result, **more: Any) -> None:
    """Put a result's numbers into the log's line; its answer only if the server's owner asked for it."""
    said = {"claims": len(result.outcomes), "failures": len(result.failures), "score": result.score, **more}
    if service_of(request).settings.log_texts:
        said["answer"] = result.sample.answer
    request.scope["faithmeter.log"].update(said)


async def fixed_of(service: Service, result: Result, *, verifier: str | None, **options: Any) -> Fixed:
    """The smallest faithful answer; refused if it takes too long."""
    try:
        async with asyncio.timeout(service.settings.limits.seconds):
            return await Fixer(service.evaluator(verifier), **options).fix(result)
    except TimeoutError:
        raise busy("no fix was found in time", seconds=1) from None
