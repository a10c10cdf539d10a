"""A streamed chat completion, held back by a sentence."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx
from fastapi import Request

from faithmeter.serve.app_parts import note
from faithmeter.serve.chat import Grounds
from faithmeter.serve.growing import Ended, GrowingAnswer
from faithmeter.serve.handled import Handler, account_of, promise_header
from faithmeter.serve.problems import Refused
from faithmeter.serve.service import Service
from faithmeter.serve.upstream import server_sent

DONE = b"data: [DONE]\n\n"
_KEPT = ("id", "object", "created", "model", "system_fingerprint", "service_tier")


class _Choice:
    """One of the answers in a stream: what came, and the task that judges it and lets it through."""

    def __init__(self, stream: GuardedStream, index: int) -> None:
        self.index = index
        self._stream = stream
        service = stream.service
        self.handler = Handler(service.settings.policy, service.settings.handling, service.promised())
        grounds = stream.grounds
        self.answer = GrowingAnswer(stream.service, grounds.contexts, question=grounds.question, verifier=None)
        self._task = asyncio.create_task(self._let_through())

    async def _let_through(self) -> None:
        async for part in self.answer.parts():
            text = self.answer.text[part.start : part.end]
            starts = [outcome.claim.start for outcome in part.outcomes if outcome.claim]
            lead = max(0, min(starts, default=part.start) - part.start)
            shown = self.handler.pass_on(text, part.outcomes, lead=lead)
            if shown:
                self._stream.out.put_nowait(self._stream.chunk(self.index, {"content": shown}))
            if self.handler.ended:
                self._stream.out.put_nowait(None)  # wakes whoever waits for more of the answer
                return

    async def end(self) -> Ended:
        """Judge and let through the rest."""
        self.answer.end()
        await self._task
        return await self.answer.finish()

    async def stop(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await self._task


class GuardedStream:
    """A chat completion under way."""

    def __init__(self, request: Request, service: Service, grounds: Grounds) -> None:
        self.request = request
        self.service = service
        self.grounds = grounds
        self.out: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._head: dict[str, Any] = {}
        self._choices: dict[int, _Choice] = {}
        self._finished: dict[int, Ended] = {}

    def headers(self) -> dict[str, str]:
        """What can be said before the first word."""
        settings = self.service.settings
        promised = self.service.promised()
        return {
            "x-faithmeter-outcome": "pending",
            "x-faithmeter-contexts": str(len(self.grounds.contexts)),
            "x-faithmeter-policy": f"{settings.handling.on_unfaithful}, fail {settings.policy.on_failure}",
            **({"x-faithmeter-promise": promise_header(promised)} if promised else {}),
        }

    async def pieces(self, reply: httpx.Response) -> AsyncIterator[bytes]:
        """The events for the caller, as they may be shown."""
        reading = asyncio.create_task(self._read(reply))
        try:
            while True:
                getting = asyncio.ensure_future(self.out.get())
                await asyncio.wait([getting, reading], return_when=asyncio.FIRST_COMPLETED)
                if not getting.done():
                    getting.cancel()
                    while not self.out.empty():
                        if (piece := self.out.get_nowait()) is not None:
                            yield piece
                    reading.result()
                    return
                piece = getting.result()
                if piece is not None:
                    yield piece
                elif any(choice.handler.ended for choice in self._choices.values()):
                    reading.cancel()
                    async for last in self._end_early():
                        yield last
                    return
        except Refused as refused:
            yield error_event(refused.detail, refused.name)
        except (httpx.HTTPError, OSError):
            held = sum(len(choice.answer.text) for choice in self._choices.values())
            detail = "the endpoint's stream broke off; the sentence it was in is not passed on"
            yield error_event(detail if held else "the endpoint's stream broke off", "upstream")
        finally:
            reading.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await reading
            for choice in self._choices.values():
                await choice.stop()

    async def _read(self, reply: httpx.Response) -> None:
        """Read the endpoint's events; whatever is not a piece of an answer goes on at once, in its place."""
        ended = False
        async for data, raw in server_sent(reply):
            if data.strip() == "[DONE]":
                await self._finish_all()
                self.out.put_nowait(DONE)
                ended = True
                continue
            try:
                chunk = json.loads(data) if data else None
            except (ValueError, RecursionError):
                raise Refused(502, "upstream", "the endpoint sent an event that is not JSON") from None
            if not isinstance(chunk, dict) or not isinstance(chunk.get("choices"), list):
                self.out.put_nowait(raw)  # a comment, or an error
                if isinstance(chunk, dict) and chunk.get("error"):
                    return
                continue
            self._head = {name: chunk[name] for name in _KEPT if name in chunk} or self._head
            await self._pass_on(chunk)
        if not ended and len(self._finished) < len(self._choices):
            raise httpx.RemoteProtocolError("the stream ended without its end")

    async def _pass_on(self, chunk: dict[str, Any]) -> None:
        kept = []
        for choice in chunk["choices"]:
            if not isinstance(choice, dict):
                continue
            index = choice.get("index") or 0
            delta: dict[str, Any] = choice["delta"] if isinstance(choice.get("delta"), dict) else {}
            content = delta.pop("content", None)
            if isinstance(content, str) and content:
                self._answer(index).answer.feed(content)
                choice.pop("logprobs", None)
            elif content is not None and "role" in delta:
                delta["content"] = content
            if delta.get("tool_calls") or delta.get("function_call") or choice.get("finish_reason"):
                await self._finish(index)
                if index in self._choices and self._choices[index].handler.ended:
                    choice["finish_reason"] = "content_filter"  # the policy ended it, whatever the endpoint says
                if choice.get("finish_reason") and index in self._finished:
                    chunk["faithmeter"] = self._account()
            if delta or choice.get("finish_reason"):
                kept.append({**choice, "delta": delta})
        if kept or not chunk["choices"]:
            self.out.put_nowait(_data({**chunk, "choices": kept}))

    def _answer(self, index: int) -> _Choice:
        if index in self._finished:
            raise Refused(502, "upstream", "the endpoint went on with an answer that it had ended")
        if index not in self._choices:
            self._choices[index] = _Choice(self, index)
        return self._choices[index]

    async def _finish(self, index: int) -> None:
        if index in self._choices and index not in self._finished:
            self._finish_with(index, await self._choices[index].end())

    def _finish_with(self, index: int, ended: Ended) -> None:
        self._finished[index] = ended
        # Where answers may be ended early they are not looked at for drift: those that were are shorter than the
        # labelled ones, and the others better.
        self.service.see(ended.result, watch=self.service.settings.handling.on_unfaithful != "end")

    async def _finish_all(self) -> None:
        left = [index for index in self._choices if index not in self._finished]
        for index in left:
            await self._finish(index)
        if left:  # the endpoint never said how the answer ended
            self.out.put_nowait(self.chunk(left[-1], {}, faithmeter=self._account()))

    async def _end_early(self) -> AsyncIterator[bytes]:
        """The policy ends the answer: what follows is not read."""
        while not self.out.empty():
            if (piece := self.out.get_nowait()) is not None:
                yield piece
        left = [index for index in self._choices if index not in self._finished]  # the others have said their end
        for index in left:
            await self._choices[index].stop()
            self._finish_with(index, await self._choices[index].answer.so_far())
        for index in left:
            more = {"faithmeter": self._account()} if index == left[-1] else {}
            yield self.chunk(index, {}, finish="content_filter", **more)
        yield DONE

    def _account(self) -> dict[str, Any]:
        settings = self.service.settings
        ended = list(self._finished.values())
        results = [item.result for item in ended]
        account = account_of(
            results,
            settings.policy,
            settings.handling,
            contexts=len(self.grounds.contexts),
            late=[claim for item in ended for claim in item.late],
            promise=self.service.promise_for(results),
        )
        self.service.metrics.decisions.labels("proxy", account.outcome).inc()
        note(self.request, ended[0].result, outcome=account.outcome)
        return account.model_dump(mode="json")

    def chunk(self, index: int, delta: dict[str, Any], *, finish: str | None = None, **more: Any) -> bytes:
        """A chunk of the same completion."""
        choice = {"index": index, "delta": delta, "finish_reason": finish}
        return _data({"object": "chat.completion.chunk", **self._head, "choices": [choice], **more})


def error_event(detail: str, name: str) -> bytes:
    """An error in a stream, as OpenAI's clients know it."""
    return _data({"error": {"message": f"faithmeter: {detail}", "type": name, "code": name}})


def _data(value: Any) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()
