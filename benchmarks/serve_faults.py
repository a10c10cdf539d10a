"""The faults of `benchmarks.serve`: one line for each, while honest clients go on."""

from __future__ import annotations

import asyncio
import json
import signal
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp

from benchmarks.serve import Server, bodies, made_samples, serving
from benchmarks.serve_stream import loopback_model, made, read

SLOW = 200


async def honest(url: str, seconds: float, statuses: Counter[str], *, clients: int = 2) -> list[float]:
    """Clients that ask properly for a while; what they got is counted."""
    requests = bodies(made_samples(20))
    latencies: list[float] = []
    ends = time.perf_counter() + seconds

    async def client(session: aiohttp.ClientSession, number: int) -> None:
        while time.perf_counter() < ends:
            number += 1
            began = time.perf_counter()
            try:
                async with session.post(f"{url}/v1/check", json=requests[number % 20]) as response:
                    body = await response.json()
                    whole = response.status != 200 or len(body["outcomes"]) == 5
                    statuses[str(response.status) if whole else "torn answer"] += 1
                    latencies.append(time.perf_counter() - began)
            except aiohttp.ClientConnectionError:
                statuses["connection error"] += 1
                await asyncio.sleep(0.1)
            except (aiohttp.ClientError, ValueError) as error:
                statuses[f"torn: {type(error).__name__}"] += 1

    async with aiohttp.ClientSession() as session:
        await asyncio.gather(*(client(session, number * 5) for number in range(clients)))
    return latencies


async def faults(seconds: float) -> bool:
    """Each fault with honest clients beside it; they must see nothing but answers."""
    passed = True
    with serving("-v", "local") as server:
        await server.ready()
        for name, fault in FAULTS.items():
            statuses: Counter[str] = Counter()
            ends = time.perf_counter() + seconds / 4
            seen: Counter[str] = Counter()
            latencies, _ = await asyncio.gather(honest(server.url, seconds / 4, statuses), fault(server, ends, seen))
            passed = passed and set(statuses) <= {"200", "503"}
            beside = f"{dict(statuses)}, median {statistics.median(latencies) * 1e3:.0f} ms"
            print(f"{name}: {dict(seen)}; honest clients beside it: {beside}; memory {server.memory:.0f} MiB")
    passed = await cut_streams() and passed
    return await killed(seconds) and passed


async def slow_heads(server: Server, ends: float, seen: Counter[str]) -> None:
    """Connections that send a byte of their head now and then, or nothing."""

    async def one(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            for byte in b"POST /v1/check HTTP/1.1\r\nx: " + b"a" * 200:
                if number % 2:
                    writer.write(bytes([byte]))
                await asyncio.sleep(0.5)
                if reader.at_eof() or time.perf_counter() > ends:
                    break
            seen["still open" if not reader.at_eof() else "closed by the server"] += 1
        except ConnectionError:
            seen["closed by the server"] += 1
        finally:
            writer.close()

    await asyncio.gather(*(one(number) for number in range(SLOW)))


async def _repeat(server: Server, ends: float, seen: Counter[str], body: Callable[[], Any], **headers: str) -> None:
    async with aiohttp.ClientSession() as session:
        while time.perf_counter() < ends:
            try:
                async with session.post(f"{server.url}/v1/check", data=body(), headers=headers) as response:
                    await response.read()
                    seen[str(response.status)] += 1
            except aiohttp.ClientError as error:
                seen[type(error).__name__] += 1
            await asyncio.sleep(0.05)


async def huge(server: Server, ends: float, seen: Counter[str]) -> None:
    """Bodies of 50 MB."""
    content = b'{"answer": "' + b"a" * 50_000_000
    await _repeat(server, ends, seen, lambda: content, **{"content-type": "application/json"})


async def malformed(server: Server, ends: float, seen: Counter[str]) -> None:
    """Bodies that are no JSON, or nested without end."""
    turns = [b"{", b"[" * 100_000, b"\xff" * 1000, b"", json.dumps({"answer": 1}).encode()] * 10_000
    await _repeat(server, ends, seen, turns.pop, **{"content-type": "application/json"})


FAULTS: dict[str, Callable[[Server, float, Counter[str]], Awaitable[None]]] = {
    f"slow heads ({SLOW} connections)": slow_heads,
    "huge bodies (50 MB)": huge,
    "malformed bodies": malformed,
}


async def cut_streams() -> bool:
    """The model's stream breaks off in the middle: the reader gets judged sentences and an error, nothing else."""
    answers = (await made(5))[:5]
    seen: Counter[str] = Counter()
    with loopback_model() as model, serving("-v", "local", "--proxy", model) as server:
        await server.ready()
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as session:
            for answer in answers:
                found = await read(session, f"{server.url}/v1", answer, cut=60)
                unjudged = [error for error in answer.errors if error in found.text]
                seen["unfaithful words passed" if unjudged else "faithful start, then an error"] += 1
    print(f"cut streams: {dict(seen)}")
    return "unfaithful words passed" not in seen


async def killed(seconds: float) -> bool:
    """kill -9 under load, and a new server on the same port: answers are whole, or there is a connection error."""
    statuses: Counter[str] = Counter()
    server = Server("-v", "local")
    await server.ready()
    asking = asyncio.create_task(honest(server.url, seconds, statuses, clients=4))
    await asyncio.sleep(seconds / 4)
    server.stop(signal.SIGKILL)
    began = time.perf_counter()
    again = Server("-v", "local", port=server.port)
    await again.ready()
    back = time.perf_counter() - began
    after = sum(statuses.values())
    await asking
    again.stop()
    answered = sum(statuses.values()) - after
    print(f"kill -9 and restart under load: {dict(statuses)}; ready again after {back:.1f} s, {answered} answers since")
    return set(statuses) <= {"200", "503", "connection error"} and statuses["200"] > 0 and answered > 0
