"""A model endpoint on loopback: it speaks the providers' real protocols, and can be told to misbehave.

    with LLMServer(faults=Faults(malformed=0.05)) as server:
        judge = Judge(f"openai:stub@{server.url}")

The "model" behind it reads the fenced prompt as a careful model would and judges by a rule (see `verdict`), so
that the right verdicts are known. As a program it prints its address and serves until it is ended:
`python tests/support/llm_server.py --latency 0.2 --malformed 0.05`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import json
import random
import signal
import sys
import threading
import zlib
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from aiohttp import web

sys.path.insert(0, str(Path(__file__).parents[1]))  # for a start as a program

from support.llm_brain import KINDS, Asked, Part, parts, think, verdict
from support.llm_protocols import Anthropic, Bedrock, Behaviour, ChatCompletions, Google, Responses

__all__ = ["KINDS", "Asked", "Behaviour", "Faults", "LLMServer", "Part", "parts", "serve", "think", "verdict"]

Brain = Callable[["Asked"], str]


@dataclass(frozen=True)
class Faults:
    """How often what goes wrong, as shares of the requests; at most one fault a request."""

    malformed: float = 0.0
    """The reply is not the JSON that was asked for, in one of many ways."""
    throttled: float = 0.0
    """HTTP 429."""
    error: float = 0.0
    """HTTP 500."""
    hang: float = 0.0
    """No answer, ever."""
    disconnect: float = 0.0
    """The connection is closed without an answer."""
    truncated: float = 0.0
    """The reply is cut off, and says so."""
    refused: float = 0.0
    """The model declines."""
    dropped: float = 0.0
    """The last two entries of the list are missing, silently."""
    renumbered: float = 0.0
    """The first entry is missing, and the others are counted from 1."""
    duplicated: float = 0.0
    """An entry comes twice, and the second says something else."""
    wrong_id: float = 0.0
    """An entry has a number that was not given."""
    wrong_passage: float = 0.0
    """A verdict cites a passage that does not exist."""
    invented_quote: float = 0.0
    """A quote stands in no passage."""
    bad_label: float = 0.0
    """A label is off the menu."""


MALFORMED: tuple[Callable[[str], str], ...] = (
    lambda text: text[: len(text) // 2],
    lambda text: text.replace('"', "'"),
    lambda text: text.rstrip("}") or "}",
    lambda text: "Here are the verdicts you asked for.",
    lambda text: "",
    lambda text: text + text,
    lambda text: "<html><body>502 Bad Gateway</body></html>",
    lambda text: text.replace(":", "=", 1),
    lambda text: '{"result": null}',
    lambda text: "null",
)


ODD_BODIES: dict[str, bytes] = {
    "no_choices": json.dumps(
        {"id": "1", "object": "chat.completion", "created": 1, "model": "stub", "choices": [], "candidates": [],
         "content": [], "output": [], "usage": None}
    ).encode(),
    "null": b"null",
    "deep": b"[" * 200_000 + b"]" * 200_000,
    "choices_of_numbers": b'{"choices": [1, 2], "candidates": [1], "content": [7], "output": 3}',
    "html": b"<html><body>It works!</body></html>",
    "nothing": b"",
}  # fmt: skip
"""Bodies with status 200 that are no reply."""


@functools.cache
def _bomb(megabytes: int = 512) -> bytes:
    """A small gzip body that unpacks to very much white space."""
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    head = packer.compress(b" ") + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(b" " * 2**20) + packer.flush(zlib.Z_FULL_FLUSH)  # it can follow itself
    return head + block * megabytes


class LLMServer:
    """The endpoint, on a thread of its own; `url` is its OpenAI-compatible base address."""

    def __init__(
        self,
        *,
        faults: Faults | None = None,
        behaviour: Behaviour | None = None,
        brain: Brain | None = None,
        seed: int = 0,
        port: int = 0,
        record: bool = True,
    ) -> None:
        self.faults = faults or Faults()
        self.behaviour = behaviour or Behaviour()
        self.brain = brain or think
        self.requests: list[Asked] = []
        """What was asked, in order, if `record`."""
        self.headers: list[dict[str, str]] = []
        """The headers of every request, in order, by their names in lower case, if `record`."""
        self.paths: list[str] = []
        """What was asked for, in order, with its query, if `record`."""
        self.script: deque[str] = deque()
        """Faults for the next requests, by name, ahead of chance; "" is a request that goes well."""
        self.counts: dict[str, int] = {}
        """How often what happened: each fault by its name, and `ok`."""
        self.active = self.most_active = 0
        self.odd_bodies = dict(ODD_BODIES)
        self.megabytes = 0
        """How much of endless bodies was taken."""
        self._port = port
        self._record = record
        self._seed = seed
        self._times: Counter[str] = Counter()
        """How often each request came: chance depends on this and the request, never on who comes first."""
        self._thread: threading.Thread | None = None

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    def __enter__(self) -> Self:
        ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        ready.wait(120)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(120)

    def _run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve(ready.set))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _serve(self, ready: Callable[[], object]) -> None:
        self._stop, self._gathered = asyncio.Event(), asyncio.Event()
        runner = web.AppRunner(self.app(), access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self._port, backlog=1024)
        await site.start()
        self._port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        ready()
        await self._stop.wait()
        await runner.cleanup()

    def app(self) -> web.Application:
        """The routes of the protocols it speaks."""
        app = web.Application(client_max_size=2**26)
        for path in (
            "/v1/chat/completions",
            "/openai/v1/chat/completions",
            "/openai/deployments/{model}/chat/completions",
        ):
            app.router.add_post(path, self._handler(ChatCompletions()))
        app.router.add_post("/v1/responses", self._handler(Responses()))
        app.router.add_post("/v1/messages", self._handler(Anthropic()))
        app.router.add_post("/{version}/models/{model}:generateContent", self._handler(Google()))
        app.router.add_post("/model/{model}/converse", self._handler(Bedrock()))
        return app

    def _handler(self, protocol: Any) -> Callable[[web.Request], Any]:
        async def handle(request: web.Request) -> web.StreamResponse:
            self.active += 1
            self.most_active = max(self.most_active, self.active)
            try:
                return await self._answer(request, protocol)
            finally:
                self.active -= 1

        return handle

    async def _answer(self, request: web.Request, protocol: Any) -> web.StreamResponse:
        body = await request.json()
        if self._record:
            self.headers.append({name.lower(): value for name, value in request.headers.items()})
            self.paths.append(request.path_qs)
        if self.behaviour.redirect is not None:
            raise web.HTTPTemporaryRedirect(self.behaviour.redirect + request.path_qs)
        asked: Asked = protocol.read(body)
        if self._record:
            self.requests.append(asked)
        if self.behaviour.gather:
            if self.active >= self.behaviour.gather:
                self._gathered.set()
            await asyncio.wait_for(self._gathered.wait(), 120)
        if self.behaviour.latency:
            await asyncio.sleep(self.behaviour.latency)
        refusal = self._rejection(request, asked)
        if refusal is not None:
            return refusal
        chance = self._chance(asked)
        fault = self._fault(chance)
        self.counts[fault or "ok"] = self.counts.get(fault or "ok", 0) + 1
        if fault == "throttled":
            headers = {} if self.behaviour.retry_after is None else {"retry-after": self.behaviour.retry_after}
            return _error(429, "Rate limit reached", "rate_limit_exceeded", headers)
        if fault == "error":
            return _error(500, "The server had an error")
        if fault == "hang":
            await asyncio.sleep(3600)
        if fault == "disconnect":
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        if fault in self.odd_bodies:
            return web.Response(body=self.odd_bodies[fault], content_type="application/json")
        if fault == "bomb":
            return web.Response(body=_bomb(), content_type="application/json", headers={"content-encoding": "gzip"})
        if fault == "endless":
            return await self._endless(request)
        text, finish = self._spoilt(self.brain(asked), fault, chance)
        reply = protocol.write(asked, self.behaviour.dress(text), finish, self.behaviour)
        return web.json_response(self.behaviour.rewrite(reply))

    async def _endless(self, request: web.Request) -> web.StreamResponse:
        """A body that goes on until the client hangs up (or, so that a test of a bad client ends, to half a GB)."""
        response = web.StreamResponse(headers={"content-type": "application/json"})
        await response.prepare(request)
        with contextlib.suppress(ConnectionError):
            for _ in range(512):
                await response.write(b" " * 2**20)
                self.megabytes += 1
        return response

    def _rejection(self, request: web.Request, asked: Asked) -> web.Response | None:
        sent = request.headers.get("authorization", "").removeprefix("Bearer ") or request.headers.get("api-key", "")
        if self.behaviour.key is not None and sent != self.behaviour.key:
            return _error(401, f"Incorrect API key provided: {sent}", "invalid_api_key")
        if asked.size > self.behaviour.window:
            return _error(400, "This model's maximum context length is exceeded.", "context_length_exceeded")
        kind = (asked.body.get("response_format") or {}).get("type")
        holders = [asked.body.get("system"), *(message["content"] for message in asked.body.get("messages", []))]
        blocks = [block for holder in holders if isinstance(holder, list) for block in holder]
        for name in self.behaviour.rejects:
            if name == kind or name == "*":
                return _error(400, f"response_format {kind} is not supported with this model", "unsupported_value")
            if name in asked.body or any(name in block for block in blocks):
                return _error(400, f"Unsupported parameter: '{name}' is not supported with this model.")
        return None

    def _chance(self, asked: Asked) -> random.Random:
        items = [part.text for part in parts(asked.user)]  # without the fence and numbers, drawn anew for every request
        request = "\n".join(items) or asked.user
        self._times[request] += 1
        return random.Random(f"{self._seed} {self._times[request]} {request}")

    def _fault(self, chance: random.Random) -> str:
        if self.script:
            return self.script.popleft()
        draw = chance.random()
        for entry in fields(self.faults):
            share: float = getattr(self.faults, entry.name)
            if draw < share:
                return entry.name
            draw -= share
        return ""

    def _spoilt(self, text: str, fault: str, chance: random.Random) -> tuple[str, str]:
        """A good reply made bad."""
        if fault == "malformed":
            return chance.choice(MALFORMED)(text), "stop"
        if fault.startswith("malformed:"):
            return MALFORMED[int(fault.partition(":")[2])](text), "stop"
        if fault == "truncated":
            return text[: int(len(text) * 0.6)], "length"
        if fault == "refused":
            return "I'm sorry, but I can't help with that.", "stop"
        if fault == "content_filter":
            return "", "content_filter"
        if fault and fault in _SPOILERS:
            value = json.loads(text)
            key = next(iter(value))
            if value[key] and isinstance(value[key][0], dict):
                value[key] = _SPOILERS[fault](value[key])
            return json.dumps(value), "stop"
        return text, "stop"


def _renumbered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    name = "claim" if rows and "claim" in rows[0] else "sentence"
    return [{**row, name: number} for number, row in enumerate(rows[1:], 1)]


def _changed(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "label": "contradicted" if row.get("label") == "supported" else "supported"}


_SPOILERS: dict[str, Callable[[list[dict[str, Any]]], list[dict[str, Any]]]] = {
    "dropped": lambda rows: rows[:-2],
    "renumbered": _renumbered,
    "duplicated": lambda rows: [*rows, _changed(rows[0])] if rows else rows,
    "wrong_id": lambda rows: [{**rows[0], **{k: 7 for k in ("claim", "sentence") if k in rows[0]}}, *rows[1:]],
    "wrong_passage": lambda rows: [{**row, "passages": [999], "quote": ""} for row in rows],
    "invented_quote": lambda rows: [{**row, "quote": "Words that nobody wrote anywhere at all."} for row in rows],
    "bad_label": lambda rows: [{**row, "label": "idk"} for row in rows],
}


def _error(status: int, message: str, code: str | None = None, headers: dict[str, str] | None = None) -> web.Response:
    error = {"message": message, "type": "invalid_request_error" if status < 429 else "server_error", "code": code}
    return web.json_response({"error": error}, status=status, headers=headers)


def serve(arguments: list[str] | None = None, *, brain: Brain | None = None) -> None:
    """Serve until SIGTERM or SIGINT; the address is the first line of the output."""
    parser = argparse.ArgumentParser(description="A model endpoint on loopback that can misbehave.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--retry-after", default="0")
    parser.add_argument("--seed", type=int, default=0)
    for entry in fields(Faults):
        parser.add_argument(f"--{entry.name.replace('_', '-')}", type=float, default=0.0)
    given = vars(parser.parse_args(arguments))
    server = LLMServer(
        faults=Faults(**{entry.name: given[entry.name] for entry in fields(Faults)}),
        behaviour=Behaviour(latency=given["latency"], retry_after=given["retry_after"]),
        brain=brain,
        seed=given["seed"],
        port=given["port"],
        record=False,
    )

    async def main() -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, lambda: server._stop.set())
        await server._serve(lambda: print(server.url, flush=True))

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())


if __name__ == "__main__":
    serve()
