"""Planted errors that `check` catches, streamed through the proxy, several answers at once: none reaches the reader."""

from __future__ import annotations

import asyncio

import aiohttp
from support.serving import serving

from benchmarks.serve_model import answer as model
from benchmarks.serve_stream import made, read
from faithmeter.serve.settings import ProxySettings


async def test_no_planted_error_reaches_the_reader() -> None:
    answers = await made(24)
    endpoint = await asyncio.start_server(model, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{endpoint.sockets[0].getsockname()[1]}/v1"
    with serving(verifiers=("local",), proxy=ProxySettings(url=url)) as server:
        connector = aiohttp.TCPConnector(limit=0, force_close=True)
        async with endpoint, aiohttp.ClientSession(connector=connector) as session:
            bare = await read(session, url, answers[0], rate=1e9)
            assert bare.text == answers[0].text  # the errors are there without the guard
            found = await asyncio.gather(
                *(read(session, f"{server.url}/v1", answer, rate=1e9) for answer in answers)  # as fast as can be
            )
    planted = [(error, seen.text) for answer, seen in zip(answers, found, strict=True) for error in answer.errors]
    assert len(planted) >= 24
    assert [error for error, text in planted if error in text] == []
    assert [seen.text for seen in found] == [answer.shown for answer in answers]  # and the rest does, to the letter
