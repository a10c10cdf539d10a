"""Asks one model: pace, retries, a circuit breaker, the budget, and what each request cost."""

from __future__ import annotations

import asyncio
import random
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from faithmeter.datamodels import Usage
from faithmeter.errors import EndpointDown
from faithmeter.llm.budget import budget_in_force
from faithmeter.llm.per_loop import PerLoop
from faithmeter.llm.prices import Prices
from faithmeter.llm.protocol import (
    Barred,
    Endpoint,
    Fault,
    Rejected,
    Reply,
    Request,
    Style,
    Throttled,
    TimedOut,
    TooLong,
)
from faithmeter.llm.providers import connect
from faithmeter.llm.rate_limit import Gate
from faithmeter.llm.secrets import Access
from faithmeter.llm.settings import JudgeSettings, ModelSpec
from faithmeter.runtime.usage import spend

_FIRST_WAIT, _LONGEST_WAIT = 0.5, 20.0  # seconds before a retry; doubled each time
_LONGEST_RETRY_AFTER = 300.0  # a server that asks for more counts as down
_KEPT = 8  # clients without a user that stay connected
_STYLES: tuple[Style, ...] = ("closed", "schema", "object", "prompt")
# These cache only what they are told to: instructions and examples, which all calls begin with, and not the data.
_CACHE: Mapping[str, Any] = {"cache": {"messages": False}}
_TOLD_TO_CACHE: Mapping[str, Mapping[str, Any]] = {"anthropic": _CACHE, "bedrock": _CACHE}
_CONNECTION_FIELDS = ("base_url", "closed", "concurrency", "requests_per_minute", "tokens_per_minute", "timeout",
                      "retries", "input_price", "output_price")  # fmt: skip


def tokens_in(request: Request) -> int:
    """About how many tokens a request has; four characters make one, in English."""
    shown = sum(len(turn.user) + len(turn.assistant) for turn in request.turns)
    return (len(request.system) + shown + len(request.user) + len(str(request.schema))) // 4 + 8


class Breaker:
    """Opens when an endpoint only fails, and for good: a run then stops at once instead of trying each sample."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._why: str | None = None
        self._failures = 0
        self._failing_since = 0.0
        self._ever_answered = False

    @property
    def open(self) -> bool:
        return self._why is not None

    def check(self) -> None:
        """Raise `EndpointDown` if it is open."""
        if self._why is not None:
            raise EndpointDown(f"{self._name}: {self._why}")

    def succeeded(self) -> None:
        self._failures = 0
        self._ever_answered = True

    def failed(self, fault: Fault) -> None:
        """Count a failure; nothing but failures for a while opens it, and so does a refused key at once."""
        now = time.monotonic()
        if self._failures == 0:
            self._failing_since = now
        self._failures += 1
        # An endpoint that never answered is most likely a wrong address; one that did may be restarting.
        enough, patience = (8, 10.0) if self._ever_answered else (3, 1.0)
        if isinstance(fault, Barred):
            self._why = f"the endpoint refuses: {fault}"
        elif self._failures >= enough and now - self._failing_since >= patience:
            self._why = f"the endpoint is down ({self._failures} failures in a row, the last: {fault})"


@dataclass(frozen=True, slots=True)
class _Line:
    """What belongs to one event loop."""

    endpoint: Endpoint
    gate: Gate


class Client:
    """One model at one endpoint, shared by whoever asks it."""

    def __init__(
        self,
        spec: ModelSpec,
        settings: JudgeSettings,
        *,
        connect: Callable[[ModelSpec, str | None], Endpoint] = connect,
    ) -> None:
        self.spec = spec
        self.prices = Prices(spec, settings)
        self._settings = settings
        self._breaker = Breaker(str(spec))
        closed = settings.base_url is not None if settings.closed is None else settings.closed
        self._style: Style = "closed" if closed else "schema"
        self._dropped: frozenset[str] = frozenset()
        self._lines: PerLoop[_Line] = PerLoop(
            lambda: _Line(
                connect(spec, settings.base_url),
                Gate(
                    settings.concurrency,
                    requests_per_minute=settings.requests_per_minute,
                    tokens_per_minute=settings.tokens_per_minute,
                ),
            ),
            lambda line: line.endpoint.aclose(),
        )

    @property
    def broken(self) -> bool:
        """Whether the endpoint was found to be down."""
        return self._breaker.open

    async def aclose(self) -> None:
        """Close the running loop's connections; otherwise they are closed with the loop."""
        await self._lines.aclose()

    def estimate(self, requests: Sequence[Request]) -> Usage:
        """About what these requests would take; asks nothing."""
        prompt = sum(tokens_in(request) for request in requests)
        completion = sum(request.expected_tokens for request in requests)
        return Usage(
            calls=len(requests),
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost=self.prices.cost(prompt, completion) if requests else None,
        )

    async def ask(self, request: Request) -> Reply:
        """Give the reply; raise `Fault` if there is none, `StopRun` if there will be none."""
        line = await self._lines.get()
        attempt = throttled = 0
        while True:
            self._breaker.check()
            try:
                return await self._once(line, request)
            except Throttled as fault:
                throttled += 1
                if throttled > 3 * self._settings.retries or (fault.retry_after or 0) > _LONGEST_RETRY_AFTER:
                    raise
                line.gate.throttled(_wait(fault, throttled))
            except Rejected:
                raise
            except Fault as fault:
                self._breaker.failed(fault)
                self._breaker.check()
                attempt += 1
                if attempt > self._settings.retries:
                    raise
                await asyncio.sleep(_wait(fault, attempt))
            spend(Usage(retries=1))

    async def _once(self, line: _Line, request: Request) -> Reply:
        budget = budget_in_force()
        prompt, completion = tokens_in(request), request.expected_tokens
        worst = request.settings.get("max_tokens") or 2 * completion
        with budget.reserve(self.prices.known_cost(prompt, worst)) if budget else nullcontext():
            async with line.gate.slot(prompt + completion):
                self._breaker.check()
                reply = _accounted(await self._adapted(line.endpoint, request), prompt, completion)
                line.gate.succeeded(prompt + completion, reply.prompt_tokens + reply.completion_tokens)
            self._breaker.succeeded()
            cost = self.prices.cost(reply.prompt_tokens, reply.completion_tokens)
            if budget and cost is not None:
                budget.charge(cost)
        prompt, completion = reply.prompt_tokens, reply.completion_tokens
        spend(Usage(calls=1, prompt_tokens=prompt, completion_tokens=completion, cost=cost))
        return reply

    async def _adapted(self, endpoint: Endpoint, request: Request) -> Reply:
        """Send the request in the fullest form that the model takes; what it takes is remembered."""
        style, dropped = self._style, self._dropped
        while True:
            given = {**_TOLD_TO_CACHE.get(self.spec.provider, {}), **request.settings}
            settings = {name: value for name, value in given.items() if name not in dropped}
            try:
                reply = await _in_time(
                    endpoint.send(replace(request, settings=settings), style), self._settings.timeout
                )
            except TooLong:
                raise
            except Rejected as fault:
                plainer = _plainer(str(fault), style, settings)
                if plainer is None:
                    raise
                style, dropped = plainer[0], dropped | plainer[1]
                spend(Usage(retries=1))
                continue
            self._style = max(self._style, style, key=_STYLES.index)
            self._dropped |= dropped
            return reply


def _accounted(reply: Reply, prompt: int, completion: int) -> Reply:
    """The reply with the estimate where the endpoint gives no count, or an impossible one: limits depend on it."""
    return replace(
        reply,
        prompt_tokens=reply.prompt_tokens if reply.prompt_tokens > 0 else prompt,
        completion_tokens=(
            reply.completion_tokens if reply.completion_tokens > 0 else max(completion, len(reply.text) // 4)
        ),
    )


async def _in_time(reply: Awaitable[Reply], seconds: float) -> Reply:
    try:
        async with asyncio.timeout(seconds):
            return await reply
    except TimeoutError:
        raise TimedOut(f"no reply within {seconds:g} s") from None


def _plainer(complaint: str, style: Style, settings: dict[str, Any]) -> tuple[Style, frozenset[str]] | None:
    """What to send instead of a rejected request, or None if there is nothing left to leave out."""
    complaint = complaint.lower()
    named = frozenset(name for name in settings if name.removeprefix("openai_") in complaint)
    about_schema = any(word in complaint for word in ("response_format", "schema", "structured output", "json mode"))
    if named and not about_schema:
        return style, named
    if style != _STYLES[-1]:
        return _STYLES[_STYLES.index(style) + 1], frozenset()
    return (style, frozenset(settings)) if settings else None


def _wait(fault: Fault, attempt: int) -> float:
    if fault.retry_after is not None:
        return min(fault.retry_after, _LONGEST_RETRY_AFTER)
    return min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** (attempt - 1)) * random.uniform(0.5, 1.0)


_clients: OrderedDict[tuple[object, ...], Client] = OrderedDict()


def shared_client(spec: ModelSpec, settings: JudgeSettings, access: Access | None = None) -> Client:
    """The client of a model: an extractor and a judge of the same model share its connections and its pace.

    The last few are kept, so that call after call to `check` does not connect again.
    """
    key = (spec.provider, spec.model, access, *(getattr(settings, name) for name in _CONNECTION_FIELDS))
    client = _clients.pop(key, None)
    if client is None or client.broken:
        client = Client(spec, settings, connect=partial(connect, access=access))
    _clients[key] = client
    while len(_clients) > _KEPT:
        _clients.popitem(last=False)
    return client
