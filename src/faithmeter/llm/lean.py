"""An OpenAI client that sends chat completions straight through aiohttp.

The SDK walks every request and reply through its type annotations, in Python: two thirds of the CPU a
request takes (`benchmarks/judge.py` measures it). Nothing here needs that: pydantic-ai builds the request
from checked parts and validates the reply itself. Errors are the SDK's own, as pydantic-ai expects.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any
from urllib.request import getproxies

import aiohttp
import httpx2
import openai
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion
from pydantic import ValidationError

from faithmeter.llm.bounded import ACCEPTED, BadReply, Unpacked

_ABSENT = (openai.Omit, openai.NotGiven)


class LeanOpenAI(AsyncOpenAI):
    """The SDK's client, except for `chat.completions.create`."""

    @cached_property
    def chat(self) -> Any:
        return _Chat(self)

    async def close(self) -> None:
        """Close the connections."""
        await self.chat.completions.close()
        await super().close()


class _Chat:
    def __init__(self, client: AsyncOpenAI) -> None:
        self.completions = _Completions(client)


class _Completions:
    """`create`, as the SDK has it, for a reply that is not streamed."""

    def __init__(self, client: AsyncOpenAI) -> None:
        self._url = str(client.base_url).rstrip("/") + "/chat/completions"
        sent = {**client.default_headers, "Authorization": f"Bearer {client.api_key}", "Accept-Encoding": ACCEPTED}
        self._headers = {name: value for name, value in sent.items() if isinstance(value, str)}
        self._session: aiohttp.ClientSession | None = None

    async def create(
        self,
        *,
        extra_headers: Mapping[str, str] | None = None,
        extra_body: Mapping[str, Any] | None = None,
        stream: bool = False,
        **parameters: Any,
    ) -> ChatCompletion:
        """Send the request; the reply is read leniently, as the SDK does."""
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0)  # the gate in front has the limit
            # Looking for a proxy takes aiohttp a thread for each request, so only where there is one.
            self._session = aiohttp.ClientSession(connector=connector, trust_env=bool(getproxies()))
        parameters.pop("timeout", None)  # the client's own is around the whole request
        body = {name: value for name, value in parameters.items() if not isinstance(value, _ABSENT)}
        if extra_body and not isinstance(extra_body, _ABSENT):
            body |= extra_body
        headers = {**self._headers, **(extra_headers or {})}
        try:
            async with self._session.post(
                self._url,
                data=json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
                headers=headers,
                timeout=_NO_TIMEOUT,
                allow_redirects=False,
                auto_decompress=False,
            ) as response:
                content = await _content(response)
        except (aiohttp.ClientError, BadReply) as error:
            request = httpx2.Request("POST", self._url)
            raise openai.APIConnectionError(message=str(error) or "Connection error.", request=request) from None
        if response.status != 200:
            raise _status_error(self._url, response, content)
        return _completion(json.loads(content))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


_NO_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=15)


async def _content(response: aiohttp.ClientResponse) -> bytes:
    unpacked = Unpacked(response.headers.get("Content-Encoding"))
    return b"".join([unpacked.feed(data) async for data in response.content.iter_any()])


def _completion(data: Any) -> ChatCompletion:
    if isinstance(data, dict) and not _is_usage(data.get("usage")):
        data = {**data, "usage": None}  # none is better than a wrong one: the client then charges its estimate
    try:
        return ChatCompletion.model_validate(data)
    except ValidationError:
        if not isinstance(data, dict):
            raise json.JSONDecodeError("the reply is no JSON object", str(data)[:50], 0) from None
        return ChatCompletion.construct(**data)


def _is_usage(value: Any) -> bool:
    counts = [value.get(name) for name in ("prompt_tokens", "completion_tokens")] if isinstance(value, dict) else [None]
    return all(isinstance(count, int) and count >= 0 for count in counts)


def _status_error(url: str, response: aiohttp.ClientResponse, content: bytes) -> openai.APIStatusError:
    try:
        body = json.loads(content)
    except ValueError:
        body = content.decode("utf-8", "replace")[:500]
    error = body.get("error", body) if isinstance(body, dict) else body
    kept = httpx2.Response(
        response.status,
        headers=[(name, value) for name, value in response.headers.items() if name.lower() != "content-encoding"],
        request=httpx2.Request("POST", url),
    )
    return openai.APIStatusError(f"Error code: {response.status} - {error}", response=kept, body=error)
