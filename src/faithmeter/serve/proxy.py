"""The proxy: OpenAI's chat completions pass through, and no sentence does that the policy objects to.

A streamed answer is held back by a sentence: what is finished is judged and let through, marked, replaced, or the
answer ended. The account of it goes into `faithmeter`, a member of the response or of the chunk that ends the stream.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import httpx
from fastapi import APIRouter, Request
from starlette.responses import Response

from faithmeter.datamodels import Sample
from faithmeter.serve.app_parts import note, service_of
from faithmeter.serve.chat import Grounds, grounds_in, text_of
from faithmeter.serve.events import EventStream
from faithmeter.serve.handled import Account, account_of, handle, unchecked
from faithmeter.serve.problems import Refused, problem_response, request_id
from faithmeter.serve.proxy_stream import GuardedStream
from faithmeter.serve.service import Service
from faithmeter.serve.upstream import Upstream, given_back, read_whole, summary

router = APIRouter(include_in_schema=False)
_OWN = ("check", "guard", "fix", "verifiers")


def upstream_of(request: Request) -> Upstream:
    upstream: Upstream = request.app.state.upstream
    return upstream


@router.post("/v1/chat/completions")
async def chat_completions(request: Request) -> Response:
    """A chat completion whose answer is held against the contexts in its request."""
    service = service_of(request)
    raw = await request.body()
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise Refused(400, "bad-request", "the body is not JSON") from None
    if not isinstance(body, dict):
        raise Refused(400, "bad-request", "the body is no JSON object")
    grounds = grounds_in(body, service.settings.handling.context_path)
    if "faithmeter" in body:  # ours, which the endpoint need not know
        raw = json.dumps({key: value for key, value in body.items() if key != "faithmeter"}).encode()
    service.within_limits(Sample(id="x", answer="", contexts=grounds.contexts))
    service.admission.check()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(service.stream())
        reply = await upstream_of(request).send(request, "chat/completions", content=raw, plain=True)
        stack.push_async_callback(reply.aclose)
        service.metrics.upstream.labels(reply.status_code).inc()
        passes = not grounds.contexts and service.settings.handling.without_contexts == "pass"
        if reply.status_code != 200 or passes:
            return _as_it_came(request, reply, stack.pop_all(), passed=passes and reply.status_code == 200)
        if summary(reply.headers) != "text/event-stream":
            return await _guarded(request, service, reply, grounds)
        stream = GuardedStream(request, service, grounds)
        return EventStream(
            _closing(stream.pieces(reply), stack.pop_all()),
            headers={**given_back(reply, changed=True), **stream.headers()},
            watch=True,
        )


async def _closing(pieces: AsyncIterator[bytes], stack: AsyncExitStack) -> AsyncIterator[bytes]:
    async with stack:
        async for piece in pieces:
            yield piece


def _as_it_came(request: Request, reply: httpx.Response, stack: AsyncExitStack, *, passed: bool = False) -> Response:
    """The endpoint's reply, unchanged; the headers say so if the answer was not checked."""
    settings = service_of(request).settings
    account = unchecked(settings.handling, settings.policy).headers() if passed else {}

    response = EventStream(_closing(reply.aiter_raw(), stack), headers={**given_back(reply), **account}, watch=True)
    response.status_code = reply.status_code
    return response


async def _guarded(request: Request, service: Service, reply: httpx.Response, grounds: Grounds) -> Response:
    """A whole reply, with its answers as they may be shown."""
    raw = await read_whole(reply)
    try:
        body: Any = json.loads(raw)
        choices = body["choices"]
        messages = [choice["message"] for choice in choices]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Refused(502, "upstream", "the endpoint's reply is no chat completion") from None
    answers = [text_of(message.get("content")) for message in messages]
    samples = [Sample(id="x", answer=text, contexts=grounds.contexts, question=grounds.question) for text in answers]
    results = await asyncio.gather(*(service.check(sample) for sample in samples))
    policy, handling = service.settings.policy, service.settings.handling
    promised = service.promised()
    for choice, message, result in zip(choices, messages, results, strict=True):
        shown, ended = handle(result, policy, handling, promised)
        if message.get("content") is not None and shown != result.sample.answer:
            message["content"] = shown
            choice.pop("logprobs", None)  # they are of words that are not there any more
        if ended:
            choice["finish_reason"] = "content_filter"
    for result in results:
        service.see(result)
    promise = service.promise_for(results)
    account = account_of(results, policy, handling, contexts=len(grounds.contexts), promise=promise)
    _count(request, service, account)
    if results:
        note(request, results[0], outcome=account.outcome)
    body["faithmeter"] = account.model_dump(mode="json")
    headers = {**given_back(reply, changed=True), **account.headers()}
    return Response(json.dumps(body, ensure_ascii=False), headers=headers, media_type="application/json")


def _count(request: Request, service: Service, account: Account) -> None:
    service.metrics.decisions.labels("proxy", account.outcome).inc()
    request.scope["faithmeter.log"]["outcome"] = account.outcome


@router.api_route("/v1/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
async def other(request: Request, path: str) -> Response:
    """Every other endpoint passes as it is, both ways."""
    if path.partition("/")[0] in _OWN:
        return problem_response(405, "method-not-allowed", "not by this method", request_id(request))
    has_body = request.method not in ("GET", "HEAD", "OPTIONS", "DELETE")
    raw = request.scope.get("raw_path", b"").decode("ascii", "replace").partition("/v1/")[2] or path
    reply = await upstream_of(request).send(request, raw, content=request.stream() if has_body else None)
    service_of(request).metrics.upstream.labels(reply.status_code).inc()
    stack = AsyncExitStack()
    stack.push_async_callback(reply.aclose)
    return _as_it_came(request, reply, stack)
