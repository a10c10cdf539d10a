"""Reads an endpoint's reply up to a bound, counted unpacked: no endpoint can fill the memory.

Each HTTP library gets the same bound in its own way: `Unpacked` for aiohttp, `event_hooks` for httpx and httpx2,
`bound_botocore` for boto3. See docs/decisions/0068.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

LARGEST_REPLY = 16 * 2**20
"""Bytes. A long reply with ten log-probabilities a token has a tenth of it; the JSON of one verdict a few hundred."""
ACCEPTED = "gzip"
"""What requests name as `Accept-Encoding`: the one packing that is unpacked here."""


class BadReply(Exception):
    """The reply is too large, or packed in a way that nobody asked for."""


class Unpacked:
    """Takes a reply's bytes as they come and gives its content, which may not grow beyond the bound."""

    def __init__(self, encoding: str | None) -> None:
        packing = (encoding or "identity").strip().lower()
        if packing not in ("identity", "gzip", "x-gzip"):
            raise BadReply(f"the endpoint's reply is packed as {packing[:40]!r}; gzip was asked for")
        self._gzip = None if packing == "identity" else zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        self._left = LARGEST_REPLY

    def feed(self, data: bytes) -> bytes:
        """The content of the next bytes; raises `BadReply` once there is too much of it."""
        try:
            # One byte more than allowed tells a reply that is too large from one that just fits.
            content = data if self._gzip is None else self._gzip.decompress(data, self._left + 1)
        except zlib.error:
            raise BadReply("the endpoint's reply is broken gzip") from None
        self._left -= len(content)
        if self._left < 0:
            raise BadReply(f"the endpoint's reply is larger than {LARGEST_REPLY // 2**20} MiB")
        return content


def event_hooks(http: Any) -> dict[str, list[Callable[..., Any]]]:
    """Hooks that hold every reply to the bound, for an asynchronous client of `http`: httpx or httpx2."""

    class Stream(http.AsyncByteStream):  # type: ignore[misc]  # each library wants its own type
        def __init__(self, source: Any, unpacked: Unpacked) -> None:
            self._source = source
            self._unpacked = unpacked

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for data in self._source:
                    yield self._unpacked.feed(data)
            except BadReply as error:
                raise http.ReadError(str(error)) from None

        async def aclose(self) -> None:
            await self._source.aclose()

    async def ask_for_gzip(request: Any) -> None:
        request.headers["accept-encoding"] = ACCEPTED

    async def bound(response: Any) -> None:
        encoding = response.headers.pop("content-encoding", None)
        try:
            response.stream = Stream(response.stream, Unpacked(encoding))
        except BadReply as error:
            await response.aclose()
            raise http.ReadError(str(error)) from None

    return {"request": [ask_for_gzip], "response": [bound]}


def bound_botocore(client: Any) -> None:
    """Hold the replies of a boto3 client to the bound; boto3 itself neither asks for gzip nor unpacks it."""
    session = client._endpoint.http_session  # there is no public seam between the socket and the parsed reply
    send = session.send

    def bounded_send(request: Any) -> Any:
        request.stream_output = True  # otherwise the whole reply is read before it comes back from `send`
        response = send(request)
        response.raw = _BoundedRaw(response.raw)
        return response

    session.send = bounded_send


class _BoundedRaw:
    """A urllib3 response whose content is bounded."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def stream(self) -> Iterator[bytes]:
        """The content, piece by piece."""
        unpacked = Unpacked(None)
        try:
            for data in self._raw.stream():
                yield unpacked.feed(data)
        except BadReply:
            self._raw.close()
            raise
