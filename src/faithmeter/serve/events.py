"""Server-sent events, as a response that does not read the request's body."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send


def event(name: str, data: Any) -> bytes:
    """One event; `data` is JSON, or a string that is JSON already."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"event: {name}\ndata: {text}\n\n".encode()


class EventStream(Response):
    """Sends what an iterator gives, piece by piece.

    Starlette's own listens for the client's going by reading the request, whose body may still be coming. Here only a
    request that was read whole is watched (`watch`); when its client goes, the iterator is closed.
    """

    media_type = "text/event-stream"

    def __init__(
        self, pieces: AsyncIterator[bytes], *, headers: Mapping[str, str] | None = None, watch: bool = False
    ) -> None:
        self.body = b""
        self.status_code = 200
        self.background = None
        self._pieces = pieces
        self._watch = watch
        self.init_headers({"x-accel-buffering": "no", **(headers or {})})
        self.raw_headers = [item for item in self.raw_headers if item[0] != b"content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        sending = asyncio.ensure_future(self._send(send))
        watching = asyncio.ensure_future(_gone(receive)) if self._watch else None
        try:
            await asyncio.wait([sending, *([watching] if watching else [])], return_when=asyncio.FIRST_COMPLETED)
            if not sending.done():
                sending.cancel()
            with suppress(asyncio.CancelledError):
                await sending
        finally:
            if watching:
                watching.cancel()
            if not sending.done():
                sending.cancel()
            if closing := getattr(self._pieces, "aclose", None):
                await closing()

    async def _send(self, send: Send) -> None:
        async for piece in self._pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
