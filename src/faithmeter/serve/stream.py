"""`/v1/check/stream`: the answer comes in as it is written, a verdict goes out as each sentence is finished."""

from __future__ import annotations

import asyncio
import codecs
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from typing import Any

from fastapi import APIRouter, Request
from pydantic import Field, ValidationError
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from faithmeter.datamodels import Context, Model, Text
from faithmeter.serve.app_parts import PROBLEMS, note, service_of
from faithmeter.serve.bodies import EXAMPLE, SMALL_ID
from faithmeter.serve.events import EventStream, event
from faithmeter.serve.growing import GrowingAnswer
from faithmeter.serve.problems import Refused, in_fields, refusal_response, request_id

NDJSON, TEXT = "application/x-ndjson", "text/plain"
LONGEST_HEAD = 2_000_000
_LINES = (
    json.dumps({"question": EXAMPLE["question"], "contexts": EXAMPLE["contexts"]})
    + '\n{"text": "The Eiffel Tower is 330 "}\n{"text": "metres tall. It opened in 1899."}\n'
)
_BODY = {
    "required": True,
    "description": "The first line is a JSON object with `contexts` and perhaps `question` and `verifier`. Then, as "
    'application/x-ndjson, a line `{"text": "…"}` for each piece of the answer; as text/plain, the answer itself.',
    "content": {
        NDJSON: {"schema": {"type": "string"}, "example": _LINES},
        TEXT: {
            "schema": {"type": "string"},
            "example": json.dumps({"contexts": EXAMPLE["contexts"]}) + "\nThe Eiffel Tower is 330 metres tall.",
        },
    },
}
_EVENTS = {
    "description": "Events: `verdict` for each claim, `part` for each finished part of the answer that claims nothing, "
    "`result` with the whole result at the end, `error` with a problem if it ends early.",
    "content": {
        "text/event-stream": {
            "schema": {
                "type": "object",
                "required": ["event", "data"],
                "properties": {
                    "event": {"enum": ["verdict", "part", "result", "error"]},
                    "data": {"type": "string", "description": "JSON"},
                },
            }
        }
    },
}

router = APIRouter()


class StreamHead(Model):
    """The first line of a streamed request."""

    contexts: list[Text | Context]
    question: Text | None = None
    verifier: SMALL_ID | None = Field(default=None)


class _Pieces:
    """The pieces of a body's text, after its first line."""

    def __init__(self, request: Request, *, is_text: bool) -> None:
        self._chunks = request.stream()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._is_text = is_text
        self._rest = ""

    async def head(self) -> StreamHead:
        while "\n" not in self._rest:
            if len(self._rest) > LONGEST_HEAD:
                raise Refused(413, "over-limit", f"the first line has more than {LONGEST_HEAD:,} characters")
            try:
                self._rest += self._decoder.decode(await anext(self._chunks))
            except StopAsyncIteration:
                break
        line, _, self._rest = self._rest.partition("\n")
        try:
            return StreamHead.model_validate_json(line)
        except ValidationError as error:
            problem = in_fields(error.errors())[0]
            detail = f"first line: {problem['field'] or 'body'}: {problem['problem']}"
            raise Refused(422, "invalid", detail) from None

    async def __aiter__(self) -> AsyncIterator[str]:
        for piece in self._read(""):
            yield piece
        async for chunk in self._chunks:
            for piece in self._read(self._decoder.decode(chunk)):
                yield piece
        for piece in self._read(self._decoder.decode(b"", final=True) + ("" if self._is_text else "\n")):
            yield piece

    def _read(self, text: str) -> list[str]:
        self._rest += text
        if self._is_text:
            pieces, self._rest = [self._rest] if self._rest else [], ""
            return pieces
        *lines, self._rest = self._rest.split("\n")
        return [self._text(line) for line in lines if line.strip()]

    def _text(self, line: str) -> str:
        try:
            parsed: Any = json.loads(line)
        except (ValueError, RecursionError):
            parsed = None
        if not isinstance(parsed, dict) or not isinstance(parsed.get("text"), str):
            raise Refused(422, "invalid", 'a line of the stream is {"text": "…"}; found something else')
        piece: str = parsed["text"]
        return piece


@router.post(
    "/v1/check/stream",
    summary="Check an answer while it is written",
    response_class=Response,
    responses={200: _EVENTS, **PROBLEMS},
    openapi_extra={"requestBody": _BODY},
)
async def check_stream(request: Request) -> Response:
    """A verdict as each sentence is finished, as server-sent events; the whole result last."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in (NDJSON, TEXT):
        raise Refused(415, "unsupported-media-type", f"send {NDJSON} or {TEXT}, not {kind[:40] or 'nothing'!r}")
    service = service_of(request)
    pieces = _Pieces(request, is_text=kind == TEXT)
    try:
        head = await pieces.head()
    except ClientDisconnect:
        return Response(status_code=400)
    contexts = [Context(text=item) if isinstance(item, str) else item for item in head.contexts]
    service.admission.check()
    answer = GrowingAnswer(service, contexts, question=head.question, verifier=head.verifier)
    stack = AsyncExitStack()
    await stack.enter_async_context(service.stream())
    return EventStream(_events(request, answer, pieces, stack))


async def _events(
    request: Request, answer: GrowingAnswer, pieces: _Pieces, stack: AsyncExitStack
) -> AsyncIterator[bytes]:
    async with stack:
        reading = asyncio.create_task(_read(answer, pieces, service_of(request).settings.limits.stream_seconds))
        try:
            claim_number = 0
            async for part in answer.parts():
                for outcome in part.outcomes:
                    said = outcome.model_dump(mode="json")
                    yield event("verdict", {"claim_number": claim_number, "start": part.start, "end": part.end, **said})
                    claim_number += 1
                if not part.outcomes:
                    yield event("part", {"start": part.start, "end": part.end})
            await reading
            ended = await answer.finish()
            note(request, ended.result, late=len(ended.late))
            yield event("result", ended.result.model_dump_json())
        except Refused as refused:
            yield event("error", bytes(refusal_response(refused, request_id(request)).body).decode())
        except ClientDisconnect:
            return
        finally:
            reading.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await reading


async def _read(answer: GrowingAnswer, pieces: _Pieces, seconds: float) -> None:
    """Feed the answer as it comes; whatever ends the reading ends the answer."""
    try:
        async with asyncio.timeout(seconds):
            async for piece in pieces:
                answer.feed(piece)
    except TimeoutError:
        raise Refused(408, "too-slow", f"the answer did not end within {seconds:g} s") from None
    finally:
        answer.end()
