"""The app: its endpoints, and how they hang together."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import JSONResponse, Response

from faithmeter._version import __version__
from faithmeter.fix import Fixed
from faithmeter.guard import GuardedAnswer, decide
from faithmeter.results import Result
from faithmeter.revision import Revision
from faithmeter.serve import litellm, problems, proxy, stream
from faithmeter.serve import page as pages
from faithmeter.serve.app_parts import PROBLEMS, fixed_of, note, service_of, written
from faithmeter.serve.bodies import (
    BatchAnswer,
    BatchBody,
    CheckBody,
    ClaimedSampleBody,
    FixBody,
    GuardBody,
    Health,
    ServerInfo,
    VerifierInfo,
)
from faithmeter.serve.front import Front
from faithmeter.serve.metrics import Metrics
from faithmeter.serve.problems import Problem, over_limit
from faithmeter.serve.service import Service
from faithmeter.serve.settings import Settings
from faithmeter.serve.upstream import Upstream

_TELEMETRY = {"tracing": False, "metrics": False, "logs": False, "operation_spans": False, "auto_configure": False}
_FEW: dict[int | str, dict[str, Any]] = {status: PROBLEMS[status] for status in (401, 403, 421, 429)}

router = APIRouter(responses=PROBLEMS)


def create_app(settings: Settings) -> FastAPI:
    """Build the app that the settings describe."""
    settings.checked()
    metrics = Metrics()
    service = Service(settings, metrics)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.warming = asyncio.create_task(service.warm())
        yield
        app.state.warming.cancel()
        await service.aclose()
        if settings.proxy:
            await app.state.upstream.aclose()

    # FastAPI sends spans to whatever OpenTelemetry the process has set up, from the version on that can.
    quiet: dict[str, Any] = {"telemetry": _TELEMETRY} if "telemetry" in inspect.signature(FastAPI).parameters else {}
    app = FastAPI(
        title="faithmeter",
        version=__version__,
        summary="Tells whether answers are faithful to their contexts, claim by claim, with verbatim evidence.",
        lifespan=lifespan,
        docs_url=None,  # the pages that FastAPI brings load scripts from elsewhere
        redoc_url=None,
        **quiet,
    )
    app.state.service = service
    app.include_router(router)
    app.include_router(stream.router)
    app.include_router(litellm.router)
    app.state.calls = litellm.Calls()
    app.include_router(pages.router)
    app.state.page = pages.Page(settings)
    if settings.proxy:
        app.state.upstream = Upstream(settings.proxy)
        app.include_router(proxy.router)  # last: it takes every path that no other does
    problems.install(app)
    _describe(app)
    app.add_middleware(Front, settings=settings, metrics=metrics)
    return app


def _describe(app: FastAPI) -> None:
    """Complete the OpenAPI document: the problem's schema, and how to bring a key."""
    make = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = make()
            parts = document.setdefault("components", {})
            parts.setdefault("schemas", {})["Problem"] = Problem.model_json_schema(
                ref_template="#/components/schemas/{model}"
            )
            nested = parts["schemas"]["Problem"].pop("$defs", {})
            parts["schemas"].update(nested)
            names = {"anyOf": [{"enum": list(app.state.service.verifiers)}, {"type": "null"}], "default": None}
            for name, schema in parts["schemas"].items():
                if name.endswith("Body") and "verifier" in schema["properties"]:
                    schema["properties"]["verifier"] |= names
            for unused in ("HTTPValidationError", "ValidationError"):
                parts["schemas"].pop(unused, None)
            parts["securitySchemes"] = {
                "bearer": {"type": "http", "scheme": "bearer"},
                "header": {"type": "apiKey", "in": "header", "name": "x-faithmeter-key"},
            }
            document["security"] = [{}, {"bearer": []}, {"header": []}]
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


@router.post("/v1/check", response_model=Result, summary="Check one answer against its contexts")
async def check(request: Request, body: CheckBody) -> Response:
    """Every claim with its label, support and verbatim evidence, and the score that follows."""
    service = service_of(request)
    result = await service.check(body.sample(), verifier=body.verifier, claims=body.given_claims)
    note(request, result)
    return written(result)


@router.post("/v1/check/batch", response_model=BatchAnswer, summary="Check several answers")
async def check_batch(request: Request, body: BatchBody) -> Response:
    """The results in the samples' order; claims that could not be judged are failures in their result."""
    service = service_of(request)
    most = service.settings.limits.batch
    if len(body.samples) > most:
        raise over_limit("samples of the batch", len(body.samples), most)
    for item in body.samples:
        service.within_limits(item.sample())

    async def one(item: ClaimedSampleBody) -> Result:
        return await service.check(item.sample(), verifier=body.verifier, claims=item.given_claims)

    results = await asyncio.gather(*(one(item) for item in body.samples))
    claims = sum(len(result.outcomes) for result in results)
    request.scope["faithmeter.log"].update(samples=len(results), claims=claims)
    content = b'{"results":[' + b",".join(result.model_dump_json().encode() for result in results) + b"]}"
    return Response(content, media_type="application/json")


@router.post("/v1/guard", response_model=GuardedAnswer, summary="Decide what to do with an answer")
async def guard(request: Request, body: GuardBody) -> Response:
    """allow, flag, block or fix, with the claims objected to and why. What could not be judged is never clean."""
    service = service_of(request)
    result = await service.check(body.sample(), verifier=body.verifier)
    promised = service.promised(body.verifier)
    decision = decide(result, body.policy or service.settings.policy, promised)
    answer: str | None = result.sample.answer if decision.action in ("allow", "flag") else None
    revision: Revision | None = None
    if decision.action == "fix":
        fixed = await fixed_of(service, result, verifier=body.verifier, strict=True)
        revision = fixed.revision
        if decide(fixed.result_after, decision.policy, promised).action == "allow":
            answer = fixed.answer
        else:  # what the policy objects to is still there: it could not be judged, or not be cut
            decision = decision.model_copy(update={"action": "block"})
    service.metrics.decisions.labels("guard", decision.action).inc()
    note(request, result, action=decision.action)
    told = {name: getattr(decision, name) for name in type(decision).model_fields}
    service.see(result, verifier=body.verifier)
    told["promise"] = service.promise_for([result], verifier=body.verifier)
    return written(GuardedAnswer(answer=answer, result=result, revision=revision, **told))


@router.post("/v1/fix", response_model=Fixed, summary="Make an answer faithful by the smallest edit")
async def fix(request: Request, body: FixBody) -> Response:
    """The answer with what is wrong exchanged for what is quoted, or cut; with every edit, and both checks."""
    service = service_of(request)
    result = await service.check(body.sample(), verifier=body.verifier)
    fixed = await fixed_of(service, result, verifier=body.verifier, strict=body.strict, refusal=body.refusal)
    note(request, result, fix=fixed.status)
    return written(fixed)


@router.get("/v1/verifiers", response_model=ServerInfo, summary="What this server can do")
async def verifiers(request: Request) -> ServerInfo:
    service = service_of(request)
    return ServerInfo(
        version=__version__,
        verifiers=tuple(
            VerifierInfo(
                name=name,
                signature=verifier.signature,
                default=name == service.default,
                languages=getattr(verifier, "languages", None),
            )
            for name, verifier in service.verifiers.items()
        ),
        policy=service.settings.policy,
        promise=service.promised(),
        proxy=service.settings.proxy is not None,
    )


@router.get("/health", response_model=Health, responses=_FEW, summary="Whether the server is there")
async def health(request: Request) -> Health:
    return Health(status="draining" if service_of(request).draining else "ok", version=__version__)


@router.get("/ready", response_model=Health, responses={503: {"model": Health}}, summary="Whether it takes requests")
async def ready(request: Request) -> Response:
    """503 until the models are loaded, while the queue is full, and once the server is stopping."""
    service = service_of(request)
    warming: asyncio.Task[None] = request.app.state.warming
    is_ready = warming.done() and not warming.cancelled() and warming.exception() is None and not service.draining
    status = "draining" if service.draining else "ok" if is_ready else "starting"
    return JSONResponse({"status": status, "version": __version__}, 200 if is_ready else 503)


@router.get("/metrics", summary="Counters for Prometheus", response_class=Response, include_in_schema=False)
async def metrics_page(request: Request) -> Response:
    return Response(generate_latest(service_of(request).metrics.registry), media_type=CONTENT_TYPE_LATEST)
