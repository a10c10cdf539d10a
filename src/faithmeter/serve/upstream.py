"""The way to the model's endpoint: one host, no redirects, none of our keys."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping

import httpx
from fastapi import Request

from faithmeter.serve.front import OWN_KEY
from faithmeter.serve.problems import Refused
from faithmeter.serve.settings import ProxySettings

LARGEST_REPLY = 16 * 2**20
LARGEST_EVENT = 2**20
_HOP = frozenset(["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer",
                  "transfer-encoding", "upgrade"])  # fmt: skip
_NOT_SENT = _HOP | {"host", "content-length", "expect"}
_NOT_GIVEN_BACK = _HOP | {"content-length", "date", "server", "x-request-id"}
_STEP_UP = re.compile(r"(?:^|/)(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)


class Upstream:
    """A client of the configured endpoint."""

    def __init__(self, settings: ProxySettings) -> None:
        self._base = httpx.URL(settings.url.rstrip("/"))
        self._key = settings.key
        self._client = httpx.AsyncClient(
            follow_redirects=False,
            trust_env=False,  # no other host, not even a proxy's that the environment names
            timeout=httpx.Timeout(settings.seconds, connect=15.0),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=64),
        )

    async def send(
        self, request: Request, path: str, *, content: bytes | AsyncIterator[bytes] | None, plain: bool = False
    ) -> httpx.Response:
        """Send a caller's request on, and give back the reply, whose body is yet to be read."""
        headers = self._headers(request)
        if plain:
            headers["accept-encoding"] = "identity"
        outgoing = self._client.build_request(
            request.method, self._url(request, path), headers=headers, content=content
        )
        try:
            return await self._client.send(outgoing, stream=True)
        except httpx.TimeoutException:
            raise Refused(504, "upstream", "the model's endpoint did not answer in time") from None
        except httpx.HTTPError as error:
            raise Refused(502, "upstream", f"the model's endpoint cannot be reached: {type(error).__name__}") from None

    def _url(self, request: Request, path: str) -> httpx.URL:
        if _STEP_UP.search(path):
            raise Refused(400, "bad-request", "a path with . or .. as a step is not passed on")
        query: bytes = request.scope.get("query_string", b"")
        raw = self._base.raw_path.rstrip(b"/") + b"/" + path.lstrip("/").encode("ascii", "replace")
        return self._base.copy_with(raw_path=raw + (b"?" + query if query else b""))

    def _headers(self, request: Request) -> dict[str, str]:
        # the key to this server must not leave it
        dropped = {*_NOT_SENT, OWN_KEY[0], request.scope.get("faithmeter.key_header")}
        named = {name.strip().lower() for name in request.headers.get("connection", "").split(",")}
        headers = {name: value for name, value in request.headers.items() if name not in dropped | named}
        if self._key is not None:
            headers["authorization"] = f"Bearer {self._key.get_secret_value()}"
        return headers

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def given_back(response: httpx.Response, *, changed: bool = False) -> dict[str, str]:
    """The endpoint's headers that go on to the caller; of a body that was changed, not how it was packed."""
    dropped = _NOT_GIVEN_BACK | ({"content-encoding", "content-type"} if changed else frozenset())
    return {name: value for name, value in response.headers.items() if name.lower() not in dropped}


async def read_whole(response: httpx.Response) -> bytes:
    """A reply's body, up to a bound."""
    parts, size = [], 0
    try:
        async for part in response.aiter_bytes():
            size += len(part)
            if size > LARGEST_REPLY:
                raise Refused(502, "upstream", f"the endpoint's reply is larger than {LARGEST_REPLY // 2**20} MiB")
            parts.append(part)
    except httpx.TimeoutException:
        raise Refused(504, "upstream", "the model's endpoint stopped answering") from None
    except httpx.HTTPError:
        raise Refused(502, "upstream", "the endpoint's reply broke off") from None
    finally:
        await response.aclose()
    return b"".join(parts)


async def server_sent(response: httpx.Response) -> AsyncIterator[tuple[str, bytes]]:
    """The events of a reply: the data of each, and the event as it came; comments have no data."""
    pending = b""
    async for part in response.aiter_bytes():
        pending += part
        if len(pending) > LARGEST_EVENT:
            raise Refused(502, "upstream", "an event of the endpoint's stream is too large")
        *whole, pending = re.split(rb"\r\n\r\n|\n\n|\r\r", pending)
        for raw in whole:
            yield data_of(raw), raw + b"\n\n"
    if pending.strip():
        yield data_of(pending), pending + b"\n\n"


def data_of(raw: bytes) -> str:
    """The data lines of an event, joined."""
    lines = raw.decode("utf-8", "replace").splitlines()
    return "\n".join(line[5:].removeprefix(" ") for line in lines if line.startswith("data:"))


def summary(headers: Mapping[str, str]) -> str:
    """The kind of a body, without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()
