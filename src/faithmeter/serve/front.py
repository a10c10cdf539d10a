"""What stands before every endpoint: request ids, hosts, keys, rates, the size and pace of bodies, headers, the log."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faithmeter.serve.keys import Key, KeyRing, RateLimits
from faithmeter.serve.metrics import Metrics
from faithmeter.serve.problems import Refused, over_limit, problem_response, refusal_response
from faithmeter.serve.settings import Settings, is_loopback

log = logging.getLogger("faithmeter.serve")

OPEN_PATHS = frozenset({"/", "/health", "/ready", "/openapi.json"})
"""What anyone may ask for: nothing there tells of anybody's texts."""
OWN_KEY = ("x-faithmeter-key", "x-api-key")
_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_SAFE = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_NOTHING = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")


class Front:
    """ASGI middleware around the whole app."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._keys = KeyRing(settings)
        self._rates = RateLimits(settings.rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        scope["faithmeter.id"] = given if _ID.fullmatch(given) else secrets.token_hex(8)
        scope["faithmeter.log"] = {}
        answer = _Answer(scope, send)
        body = _Body(receive, self._settings, streams=scope["path"] == "/v1/check/stream")
        before = time.perf_counter()
        try:
            self._admit(scope, headers)
            await self._app(scope, body.receive, answer.send)
        except Refused as refused:
            await self._refuse(refused, scope, answer)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # the last boundary: one request's trouble stays its own
            log.exception("broke", extra={"id": scope["faithmeter.id"], "error": type(error).__name__})
            await self._break(scope, answer)
        finally:
            self._note(scope, answer.status, time.perf_counter() - before)

    def _admit(self, scope: Scope, headers: Headers) -> None:
        """Refuse who may not ask; say who may."""
        if self._keys.is_open:
            self._same_site(headers)
            name, rate = "", None
        elif scope["path"] in OPEN_PATHS:
            return
        else:
            key, header = self._key(headers)
            scope["faithmeter.key_header"] = header
            name, rate = key.name, key.rate
            scope["faithmeter.log"]["key"] = name
        if scope["path"] in OPEN_PATHS:
            return
        if wait := self._rates.wait(name, rate):
            detail = "more requests than this key may send; slow down"
            raise Refused(429, "rate-limited", detail, headers={"retry-after": str(int(wait) + 1)})

    def _key(self, headers: Headers) -> tuple[Key, str]:
        """The caller's key, and the header it came in."""
        for name in OWN_KEY:
            if (given := headers.get(name)) and (key := self._keys.find(given)):
                return key, name
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and (key := self._keys.find(given.strip())):
            return key, "authorization"
        detail = "send a key as `Authorization: Bearer KEY` or `x-faithmeter-key: KEY`"
        raise Refused(401, "unauthorized", detail, headers={"www-authenticate": 'Bearer realm="faithmeter"'})

    def _same_site(self, headers: Headers) -> None:
        """Without keys, only this machine: not a page elsewhere whose name, or script, points here."""
        host = _hostname(headers.get("host", ""))
        if not is_loopback(host) and host != self._settings.host:
            raise Refused(421, "misdirected", "without keys, only a loopback host name is answered")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host"):
            raise Refused(403, "forbidden", "without keys, no page of another origin may ask")

    async def _refuse(self, refused: Refused, scope: Scope, answer: _Answer) -> None:
        if answer.status:
            return
        self._metrics.refused.labels(refused.name).inc()
        response = refusal_response(refused, scope["faithmeter.id"])
        if refused.status_code in (408, 413):
            response.headers["connection"] = "close"  # the rest of the body is not read
        await response(scope, _no_body, answer.send)

    async def _break(self, scope: Scope, answer: _Answer) -> None:
        if answer.status:
            return  # the response is under way: the connection ends without its end, which a client sees
        detail = "an error of the server; its log has more under this request id"
        response: Response = problem_response(500, "internal", detail, scope["faithmeter.id"])
        await response(scope, _no_body, answer.send)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "other")
        self._metrics.requests.labels(route, scope["method"] if route != "other" else "any", status).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        if route in ("/health", "/ready", "/metrics"):
            return
        said = {"id": scope["faithmeter.id"], "method": scope["method"], "route": route, "status": status}
        log.info("request", extra=said | {"ms": round(seconds * 1000, 1)} | scope["faithmeter.log"])


class _Answer:
    """The way out: adds headers, and remembers the status."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._id = scope["faithmeter.id"].encode()
        self._send = send
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            names = {name for name, _ in message["headers"]}
            added = [item for item in _SAFE if item[0] not in names]
            if _NOTHING[0] not in names:
                added.append(_NOTHING)
            if b"cache-control" not in names:
                added.append((b"cache-control", b"no-store"))
            message["headers"] = [*message["headers"], *added, (b"x-request-id", self._id)]
        await self._send(message)


class _Body:
    """The way in: a body has a bound, and a time to come."""

    def __init__(self, receive: Receive, settings: Settings, *, streams: bool) -> None:
        self._receive = receive
        self._limits = settings.limits
        self._streams = streams
        self._size = 0
        self._ends = time.monotonic() + settings.limits.body_seconds
        self._complete = False

    async def receive(self) -> Message:
        if self._complete:  # from now on only a disconnect can come
            return await self._receive()
        left = self._limits.body_seconds if self._streams else max(0.0, self._ends - time.monotonic())
        try:
            async with asyncio.timeout(left):
                message = await self._receive()
        except TimeoutError:
            detail = f"the body did not come within {self._limits.body_seconds:g} s"
            raise Refused(408, "too-slow", detail) from None
        if message["type"] == "http.request":
            self._size += len(message.get("body", b""))
            if self._size > self._limits.body:
                raise over_limit("bytes of the body", self._size, self._limits.body)
            self._complete = not message.get("more_body", False)
        return message


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def _no_body() -> Message:
    return {"type": "http.disconnect"}
