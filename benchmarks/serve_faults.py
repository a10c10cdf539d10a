"""The faults of `benchmarks.serve`: one line for each, while honest clients go on."""

from __future__ import annotations

import asyncio
import json
import signal
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp

from benchmarks.serve import Server, bodies, made_samples, serving
from benchmarks.serve_stream import loopback_model, made, read

SLOW = 200
SLOW_SECONDS = 20.0  # the server lets go of a slow client after 15
SAMPLES = 20


async def honest(
    url: str, seconds: float, statuses: Counter[str], *, clients: int = 2, answers: dict[int, Any] | None = None
) -> list[float]:
    """Clients that ask properly for a while; what they got is counted, and kept in `answers`."""
    requests = bodies(made_samples(SAMPLES))
    latencies: list[float] = []
    ends = time.perf_counter() + seconds

    async def client(session: aiohttp.ClientSession, number: int) -> None:
        while time.perf_counter() < ends:
            number = (number + 1) % SAMPLES
            began = time.perf_counter()
            try:
                async with session.post(f"{url}/v1/check", json=requests[number]) as response:
                    body = await response.json()
                    whole = response.status != 200 or len(body["outcomes"]) == 5
                    statuses[str(response.status) if whole else "torn answer"] += 1
                    latencies.append(time.perf_counter() - began)
                    if answers is not None and response.status == 200:
                        answers[number] = judgement(body)
            except aiohttp.ClientConnectionError:
                statuses["connection error"] += 1
                await asyncio.sleep(0.1)
            except (aiohttp.ClientError, ValueError) as error:
                statuses[f"torn: {type(error).__name__}"] += 1

    async with aiohttp.ClientSession() as session:
        await asyncio.gather(*(client(session, number * 5) for number in range(clients)))
    return latencies


def judgement(body: dict[str, Any]) -> list[tuple[Any, Any]]:
    """What was found about each claim."""
    return [(outcome.get("label"), outcome.get("support")) for outcome in body["outcomes"]]


async def faults(seconds: float) -> bool:
    """Each fault with honest clients beside it; they must see nothing but answers."""
    passed = True
    with serving("-v", "local") as server:
        await server.ready()
        for name, (fault, expected) in FAULTS.items():
            statuses: Counter[str] = Counter()
            lasts = SLOW_SECONDS if fault is slow_clients else seconds / 5
            seen: Counter[str] = Counter()
            ends = time.perf_counter() + lasts
            latencies, _ = await asyncio.gather(honest(server.url, lasts, statuses), fault(server, ends, seen))
            passed = passed and set(statuses) <= {"200", "503"} and set(seen) <= expected
            beside = f"{said(statuses)}, median {statistics.median(latencies) * 1e3:.0f} ms"
            print(
                f"{name}: {said(seen)}; honest clients beside it: {beside}; memory {server.memory:.0f} MiB", flush=True
            )
    passed = await cut_streams() and passed
    return await killed(seconds) and passed


def said(counts: Counter[str]) -> str:
    """Counts in words."""
    return ", ".join(f"{name}: {count}" for name, count in sorted(counts.items())) or "nothing"


async def slow_clients(server: Server, ends: float, seen: Counter[str]) -> None:
    """Connections that send nothing, a byte of their head now and then, or a byte of their body."""
    head = b"POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"

    async def one(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        reading = asyncio.create_task(reader.read(100))
        try:
            if number % 3 == 2:
                writer.write(head + b"content-length: 1000\r\n\r\n")
            for byte in head * 10:
                if number % 3:
                    writer.write(bytes([byte]))
                done, _ = await asyncio.wait([reading], timeout=0.5)
                if done or time.perf_counter() > ends:
                    break
            answer = reading.result() if reading.done() else b"still open"
            seen[answer.split(b"\r\n")[0].decode().removeprefix("HTTP/1.1 ") or "closed"] += 1
        except ConnectionError:
            seen["closed"] += 1
        finally:
            reading.cancel()
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


Fault = Callable[[Server, float, Counter[str]], Awaitable[None]]
FAULTS: dict[str, tuple[Fault, set[str]]] = {
    f"slow-loris ({SLOW} connections: silent, slow heads, slow bodies)": (
        slow_clients,
        {"408 Request Timeout", "closed"},
    ),
    "huge bodies (50 MB)": (huge, {"413", "ClientOSError", "ClientConnectionResetError", "ServerDisconnectedError"}),
    "malformed bodies": (malformed, {"400", "422"}),
}


async def cut_streams() -> bool:
    """The model's stream breaks off in the middle: the reader gets judged sentences and an error, nothing else."""
    answers = (await made(20))[:5]
    seen: Counter[str] = Counter()
    with loopback_model() as model, serving("-v", "local", "--proxy", model) as server:
        await server.ready()
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as session:
            for found, answer in zip(
                await asyncio.gather(*(read(session, f"{server.url}/v1", answer, cut=60) for answer in answers)),
                answers,
                strict=True,
            ):
                begun = answer.shown.startswith(found.text.strip())
                seen["judged sentences, then an error" if begun and found.error else "something else"] += 1
    print(f"cut streams: {said(seen)}", flush=True)
    return "something else" not in seen


async def killed(seconds: float) -> bool:
    """kill -9 under load, and a new server on the same port with the same cache.

    Answers are whole, or there is a connection error; what was answered before is answered the same afterwards, from
    the cache.
    """
    statuses: Counter[str] = Counter()
    before: dict[int, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        options = ("-v", "local", "--cache", f"{folder}/cache.db")
        server = Server(*options)
        await server.ready()
        first = asyncio.create_task(honest(server.url, seconds / 2, statuses, clients=4, answers=before))
        await asyncio.sleep(seconds / 4)
        server.stop(signal.SIGKILL)
        began = time.perf_counter()
        known = dict(before)
        again = Server(*options, port=server.port)
        await again.ready()
        back = time.perf_counter() - began
        await first
        requests = bodies(made_samples(SAMPLES))
        same = cached = 0
        async with aiohttp.ClientSession() as session:
            for number, found in known.items():
                async with session.post(f"{again.url}/v1/check", json=requests[number]) as response:
                    body = await response.json()
                    same += judgement(body) == found
                    cached += all(outcome["origin"]["cache"] for outcome in body["outcomes"])
        again.stop()
    print(
        f"kill -9 and restart under load: {said(statuses)}; ready again after {back:.1f} s; of {len(known)} answers "
        f"given before it, {same} are the same afterwards, {cached} of them from the cache",
        flush=True,
    )
    kept = len(known) > 0 and same == cached == len(known)
    return kept and set(statuses) <= {"200", "503", "connection error"}
