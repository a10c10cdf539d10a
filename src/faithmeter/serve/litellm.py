"""LiteLLM's generic guardrail: the request's contexts are remembered by call id, the response is held against them."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field

from faithmeter.datamodels import Model, Sample
from faithmeter.serve.app_parts import PROBLEMS, note, service_of
from faithmeter.serve.bodies import EXAMPLE
from faithmeter.serve.chat import Grounds, grounds_in, grounds_of, marked_passages
from faithmeter.serve.handled import account_of, handle

router = APIRouter(responses=PROBLEMS)
KEPT_SECONDS = 900.0
_EXAMPLE: Any = {"texts": [EXAMPLE["answer"]], "input_type": "response", "litellm_call_id": "b4c1"}
MOST_CALLS, MOST_CHARACTERS = 10_000, 100_000_000


class GuardrailBody(Model):
    """What LiteLLM sends; other members are ignored."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"examples": [_EXAMPLE]})

    texts: list[str] = Field(max_length=1000)
    input_type: Literal["request", "response"]
    litellm_call_id: str | None = Field(default=None, max_length=200)
    structured_messages: list[dict[str, Any]] | None = None
    additional_provider_specific_params: dict[str, Any] | None = None
    """From LiteLLM's configuration; `contexts` in it is a list of texts that every answer may rest on."""


class GuardrailAnswer(Model):
    """What LiteLLM does with the texts."""

    action: Literal["NONE", "BLOCKED", "GUARDRAIL_INTERVENED"]
    blocked_reason: str | None = None
    texts: list[str] | None = None


class Calls:
    """The grounds of calls under way: so many, so large, for so long."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], tuple[float, Grounds, int]] = OrderedDict()
        self._size = 0

    def keep(self, key: tuple[str, str], grounds: Grounds) -> None:
        """Remember a call's grounds."""
        self._forget(key)
        size = sum(len(context.text) for context in grounds.contexts) + len(grounds.question or "")
        self._kept[key] = (time.monotonic(), grounds, size)
        self._size += size
        while len(self._kept) > MOST_CALLS or self._size > MOST_CHARACTERS:
            self._forget(next(iter(self._kept)))

    def find(self, key: tuple[str, str]) -> Grounds | None:
        """A call's grounds, if it is known; they stay, as LiteLLM may ask again for a stream."""
        while self._kept and time.monotonic() - next(iter(self._kept.values()))[0] > KEPT_SECONDS:
            self._forget(next(iter(self._kept)))
        kept = self._kept.get(key)
        return kept[1] if kept else None

    def _forget(self, key: tuple[str, str]) -> None:
        if key in self._kept:
            self._size -= self._kept.pop(key)[2]


@router.post(
    "/beta/litellm_basic_guardrail_api",
    response_model=GuardrailAnswer,
    response_model_exclude_none=True,
    summary="A guardrail for LiteLLM",
)
async def guardrail(request: Request, body: GuardrailBody) -> GuardrailAnswer:
    """Remember what a request rests on (input_type request); hold its response against it (response)."""
    calls: Calls = request.app.state.calls
    key = (request.scope["faithmeter.log"].get("key", ""), body.litellm_call_id or "")
    if body.input_type == "request":
        if body.litellm_call_id:
            grounds = _grounds(body)
            service_of(request).within_limits(Sample(id="x", answer="", contexts=grounds.contexts))
            calls.keep(key, grounds)
        return GuardrailAnswer(action="NONE")
    known = calls.find(key) if body.litellm_call_id else None
    return await _judge(request, body, known)


def _grounds(body: GuardrailBody) -> Grounds:
    given = grounds_in(body.additional_provider_specific_params or {}, "contexts")
    texts = [context.text for context in given.contexts]
    if body.structured_messages:
        return grounds_of(body.structured_messages, texts)
    marked = [passage for text in body.texts for passage in marked_passages(text)]
    return grounds_of([{"role": "user", "content": text} for text in body.texts[-1:]], [*texts, *marked])


async def _judge(request: Request, body: GuardrailBody, known: Grounds | None) -> GuardrailAnswer:
    service = service_of(request)
    policy, handling = service.settings.policy, service.settings.handling
    texts = [text for text in body.texts if text.strip()]
    if known is None and not (known := _grounds_of_response(body)).contexts:
        # Nothing is known of the request: the detector failed, which is not a clean verdict.
        if policy.on_failure == "open" or not texts:
            return GuardrailAnswer(action="NONE")
        reason = "not checked: no request with this litellm_call_id was seen; run the guardrail pre_call and post_call"
        return GuardrailAnswer(action="BLOCKED", blocked_reason=reason)
    if not known.contexts and handling.without_contexts == "pass":
        return GuardrailAnswer(action="NONE")
    shown, results = [], []
    for text in body.texts:
        sample = Sample(id="x", answer=text, contexts=known.contexts, question=known.question)
        results.append(await service.check(sample))
        service.see(results[-1])
        shown.append(handle(results[-1], policy, handling, service.promised())[0])
    promise = service.promise_for(results)
    account = account_of(results, policy, handling, contexts=len(known.contexts), promise=promise)
    service.metrics.decisions.labels("litellm", account.outcome).inc()
    if results:
        note(request, results[0], outcome=account.outcome)
    if not account.objections or handling.on_unfaithful == "release":
        return GuardrailAnswer(action="NONE")
    if handling.on_unfaithful == "end":
        said = "; ".join(f"{item.claim[:200]!r}: {item.reason}" for item in account.objections[:3])
        return GuardrailAnswer(action="BLOCKED", blocked_reason=f"not supported by the contexts: {said}")
    return GuardrailAnswer(action="GUARDRAIL_INTERVENED", texts=shown)


def _grounds_of_response(body: GuardrailBody) -> Grounds:
    given = grounds_in(body.additional_provider_specific_params or {}, "contexts")
    return given if not body.structured_messages else _grounds(body)
