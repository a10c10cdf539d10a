"""Measures `faithmeter serve`: `python -m benchmarks.serve overhead | rate | load | stream | faults | all`.

overhead: CPU that a request adds to the `lexical` verifier. rate: `/v1/check` with `local` beside the verifier's own
rate. load: twice the capacity for a minute. stream: a loopback model at 50 tokens a second with planted errors behind
the proxy. faults: slow, huge and malformed requests, cut streams, kill -9 under load. all: these, one after the other,
in about six minutes. Everything on loopback; the server, the model and the clients are processes of one machine that
should do nothing else. Exit code 1: a bound is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import aiohttp

from benchmarks.local_speed import sentence
from faithmeter.datamodels import Pair, Sample
from faithmeter.evaluator import Evaluator
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.verify import load_verifier

OVERHEAD_AT_MOST = 0.003
RATE_AT_LEAST = 0.85
P99_AT_MOST = 10.0
GROWTH_AT_MOST = 30.0  # MiB


class Server:
    """`faithmeter serve` in a process of its own."""

    def __init__(self, *arguments: str, port: int = 0) -> None:
        command = [sys.executable, "-m", "faithmeter", "serve", "--port", str(port), *arguments]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        first = self.process.stderr.readline()
        found = re.search(r"http://\S+", first)
        if not found:
            raise SystemExit(f"the server did not start: {first}")
        self.url = found[0]
        self.port = int(self.url.rpartition(":")[2])
        self._drain = asyncio.get_running_loop().run_in_executor(None, self.process.stderr.read)

    @property
    def cpu(self) -> float:
        """Seconds of CPU so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self) -> float:
        """MiB in memory."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

    async def ready(self) -> None:
        async with aiohttp.ClientSession() as session:
            for _ in range(600):
                try:
                    async with session.get(f"{self.url}/ready") as response:
                        if response.status == 200:
                            return
                except aiohttp.ClientError:
                    pass
                await asyncio.sleep(0.1)
        raise SystemExit("the server did not get ready")

    def stop(self, kind: int = signal.SIGTERM) -> None:
        self.process.send_signal(kind)
        self.process.wait(60)


@contextmanager
def serving(*arguments: str, port: int = 0) -> Iterator[Server]:
    """A server that is stopped afterwards."""
    server = Server(*arguments, port=port)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


def made_samples(count: int, *, seed: int = 0) -> list[Sample]:
    """Answers of five sentences on four contexts of 133 words, half of them faithful."""
    rng = random.Random(seed)
    made = []
    for number in range(count):
        contexts = [" ".join(sentence(rng) for _ in range(7)) for _ in range(4)]
        known = [part for text in contexts for part in re.findall(r"[^.]+\.", text)]
        said = [rng.choice(known).strip() if n % 2 else sentence(rng) for n in range(5)]
        made.append(Sample.model_validate({"id": str(number), "answer": " ".join(said), "contexts": contexts}))
    return made


def bodies(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """The samples as requests."""
    return [{"answer": sample.answer, "contexts": [item.text for item in sample.contexts]} for sample in samples]


async def closed_loop(url: str, requests: Sequence[dict[str, Any]], *, clients: int) -> tuple[float, list[float]]:
    """Send all requests, `clients` at a time: requests a second, and each one's latency."""
    left = iter(requests)
    latencies: list[float] = []

    async def client(session: aiohttp.ClientSession) -> None:
        for body in left:
            began = time.perf_counter()
            async with session.post(f"{url}/v1/check", json=body) as response:
                await response.read()
                assert response.status == 200, response.status
            latencies.append(time.perf_counter() - began)

    async with aiohttp.ClientSession() as session:
        began = time.perf_counter()
        await asyncio.gather(*(client(session) for _ in range(clients)))
        return len(requests) / (time.perf_counter() - began), latencies


async def overhead(count: int) -> bool:
    """CPU of a request with `lexical`, and what of it is the check itself."""
    samples = made_samples(count)
    evaluator = Evaluator(verifier="lexical")
    await evaluator.check(samples[0])
    began = time.process_time()
    for sample in samples:
        (await evaluator.check(sample)).model_dump_json()
    own = (time.process_time() - began) / count
    with serving("-v", "lexical") as server:
        await server.ready()
        await closed_loop(server.url, bodies(samples[:50]), clients=1)
        before = server.cpu
        _, latencies = await closed_loop(server.url, bodies(samples), clients=1)
        whole = (server.cpu - before) / count
    extra = whole - own
    print(f"{count} requests of 5 claims and 4 contexts of about 130 words, one at a time")
    print(f"CPU a request in the server: {whole * 1e3:.2f} ms; the check alone, in a process: {own * 1e3:.2f} ms")
    print(f"what HTTP adds: {extra * 1e3:.2f} ms of CPU (bound {OVERHEAD_AT_MOST * 1e3:g} ms)")
    print(f"latency: median {statistics.median(latencies) * 1e3:.1f} ms, p99 {quantile(latencies, 0.99) * 1e3:.1f} ms")
    return extra <= OVERHEAD_AT_MOST


async def rate(count: int) -> bool:
    """Claims a second through `/v1/check`, and by the verifier itself with as many threads; in turns, three times."""
    samples = made_samples(count)
    verifier = load_verifier("local")
    extractor = SentenceExtractor()
    pairs = [Pair(claim, sample) for sample in samples for claim in (await extractor.extract(sample)).claims]
    await verifier.verify(pairs[:20])
    own: list[float] = []
    served: list[float] = []
    with serving("-v", "local", "--queue", "100000") as server:
        await server.ready()
        await closed_loop(server.url, bodies(samples[:8]), clients=4)
        for _ in range(3):
            began = time.perf_counter()
            await verifier.verify(pairs)
            own.append(len(pairs) / (time.perf_counter() - began))
            found, _ = await closed_loop(server.url, bodies(samples), clients=8)
            served.append(found * len(pairs) / count)
    share = statistics.median(served) / statistics.median(own)
    print(f"{len(pairs)} claims of {count} answers, 8 clients, three turns each")
    print(f"the verifier itself, {getattr(verifier, 'threads', 1)} threads: {shown(own)} claims/s")
    print(f"through /v1/check: {shown(served)} claims/s")
    print(f"share: {share:.0%} (bound {RATE_AT_LEAST:.0%})")
    return share >= RATE_AT_LEAST


async def load(seconds: float) -> bool:
    """Twice the capacity for a while: only 200 and 503, a bounded wait, flat memory, and quick again afterwards."""
    requests = bodies(made_samples(200))
    with serving("-v", "local", "--queue", "128") as server:
        await server.ready()
        await closed_loop(server.url, requests[:10], clients=2)
        first = statistics.median((await closed_loop(server.url, requests[:10], clients=1))[1])
        capacity, _ = await closed_loop(server.url, requests[: max(60, int(seconds * 3))], clients=8)
        arrivals = 2 * capacity
        statuses: Counter[str] = Counter()
        accepted: list[float] = []
        refused: list[float] = []
        memory: list[float] = []
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def one(body: dict[str, Any]) -> None:
                began = time.perf_counter()
                try:
                    async with session.post(f"{server.url}/v1/check", json=body) as response:
                        await response.read()
                        status = str(response.status)
                        if status == "503" and "retry-after" not in response.headers:
                            status = "503 without Retry-After"
                except aiohttp.ClientError as error:
                    status = type(error).__name__
                statuses[status] += 1
                took = time.perf_counter() - began
                (accepted if status == "200" else refused).append(took)

            tasks: set[asyncio.Task[None]] = set()
            began = time.perf_counter()
            number = 0
            while (now := time.perf_counter() - began) < seconds:
                if number % max(1, int(arrivals)) == 0:
                    memory.append(server.memory)
                task = asyncio.create_task(one(requests[number % len(requests)]))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
                number += 1
                await asyncio.sleep(max(0.0, number / arrivals - now))
            await asyncio.gather(*tasks)
        memory.append(server.memory)
        await asyncio.sleep(1)
        last = statistics.median((await closed_loop(server.url, requests[:10], clients=1))[1])
    steady = memory[len(memory) // 4 :]
    growth = steady[-1] - steady[0]
    p99 = quantile(accepted, 0.99)
    print(
        f"capacity {capacity:.1f} requests/s of 5 claims; {number} requests sent at {arrivals:.1f}/s for {seconds:g} s"
    )
    print(f"statuses: {', '.join(f'{status}: {count}' for status, count in sorted(statuses.items()))}")
    print(f"accepted: {len(accepted) / seconds:.1f}/s, median {statistics.median(accepted):.2f} s, p99 {p99:.2f} s")
    if refused:
        print(f"refused: median {statistics.median(refused) * 1e3:.0f} ms, p99 {quantile(refused, 0.99) * 1e3:.0f} ms")
    print(f"memory: {memory[0]:.0f} MiB at the start, {steady[0]:.0f} after a quarter, {steady[-1]:.0f} at the end")
    print(f"a request alone: {first * 1e3:.0f} ms before, {last * 1e3:.0f} ms afterwards (medians of 10)")
    only = set(statuses) <= {"200", "503"}
    return only and p99 <= P99_AT_MOST and growth <= GROWTH_AT_MOST and last <= 1.5 * first + 0.02


def quantile(values: Sequence[float], share: float) -> float:
    """The value that this share of them does not pass."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def shown(values: Sequence[float]) -> str:
    """A median, and all of them."""
    return f"{statistics.median(values):.1f} ({', '.join(f'{value:.1f}' for value in values)})"


def main() -> None:
    """Measure what is asked for."""
    from benchmarks.serve_faults import faults
    from benchmarks.serve_stream import stream

    runs: dict[str, tuple[Callable[[int], Coroutine[Any, Any, bool]], str, int]] = {
        "overhead": (overhead, "--requests", 1000),
        "rate": (rate, "--answers", 120),
        "load": (load, "--seconds", 60),
        "stream": (stream, "--errors", 1000),
        "faults": (faults, "--seconds", 20),
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    for name, (_, option, default) in runs.items():
        kinds.add_parser(name).add_argument(option, dest="amount", type=int, default=default)
    kinds.add_parser("all").add_argument("--share", type=float, default=1.0, help="Of each, less than 1 to try it out.")
    chosen = parser.parse_args()
    if chosen.kind != "all":
        sys.exit(0 if asyncio.run(runs[chosen.kind][0](chosen.amount)) else 1)
    missed = []
    began = time.perf_counter()
    for name, (run, _, default) in runs.items():
        print(f"--- {name}", flush=True)
        if not asyncio.run(run(max(2, int(default * chosen.share)))):
            missed.append(name)
    print(f"--- bounds missed: {', '.join(missed) or 'none'}; {time.perf_counter() - began:.0f} s in all")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
