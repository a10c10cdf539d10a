"""A chat model on loopback that says what it is told to, whole or token by token, and can break in several ways."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Literal

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route


@dataclass
class ChatModel:
    """What the model will say, and what it was asked."""

    answer: str = "Paris lies on the Seine."
    rate: float = 0.0
    """Tokens a second; 0: as fast as can be."""
    breaks: Literal["", "cut", "error", "status", "tool", "garbage", "redirect"] = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    sent: list[tuple[float, str]] = field(default_factory=list)

    @property
    def app(self) -> Starlette:
        methods = ["GET", "POST", "DELETE"]
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/{path:path}", self._other, methods=methods),
            ]
        )

    async def _other(self, request: Request) -> Response:
        self.paths.append(str(request.url).partition("/v1")[2])
        self.headers.append(dict(request.headers))
        return JSONResponse({"path": request.url.path, "body": (await request.body()).decode()}, 207, {"x-own": "yes"})

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        self.asked.append(body)
        self.headers.append(dict(request.headers))
        if self.breaks == "status":
            return JSONResponse({"error": {"message": "slow down", "type": "rate"}}, 429, {"retry-after": "7"})
        if self.breaks == "redirect":
            return Response(status_code=307, headers={"location": "http://elsewhere.example/v1"})
        if body.get("stream"):
            return StreamingResponse(self._chunks(body), media_type="text/event-stream")
        if self.breaks == "garbage":
            return JSONResponse({"what": "no completion"})
        message: dict[str, Any] = {"role": "assistant", "content": self.answer}
        if self.breaks == "tool":
            message = {"role": "assistant", "content": None, "tool_calls": [_TOOL]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
        head = {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"]}
        return JSONResponse({**head, "choices": [choice], "usage": usage})

    async def _chunks(self, body: dict[str, Any]) -> AsyncIterator[bytes]:
        head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}

        def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n".encode()

        yield b": hello\n\n"
        yield chunk({"role": "assistant", "content": ""})
        tokens = re.findall(r"\s*\S+|\s+\Z", self.answer)
        began = time.perf_counter()
        for number, token in enumerate(tokens):
            if self.breaks and number == len(tokens) // 2:
                if self.breaks == "cut":
                    raise ConnectionError("cut")
                if self.breaks == "error":
                    yield b'data: {"error": {"message": "the model fell over", "type": "server_error"}}\n\n'
                    return
                if self.breaks == "garbage":
                    yield b"data: {not json\n\n"
                    return
            if self.rate:
                await asyncio.sleep(max(0.0, began + (number + 1) / self.rate - time.perf_counter()))
            self.sent.append((time.perf_counter(), token))
            yield chunk({"content": token})
        if self.breaks == "tool":
            yield chunk({"tool_calls": [{"index": 0, **_TOOL}]})
        yield chunk({}, "tool_calls" if self.breaks == "tool" else "stop")
        if (body.get("stream_options") or {}).get("include_usage"):
            usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
            yield f"data: {json.dumps({**head, 'choices': [], 'usage': usage})}\n\n".encode()
        yield b"data: [DONE]\n\n"


_TOOL = {"id": "t1", "type": "function", "function": {"name": "search", "arguments": '{"q": "Paris"}'}}
