"""The streaming part of `benchmarks.serve`: planted errors behind the proxy, and the delay that it adds."""

from __future__ import annotations

import asyncio
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import aiohttp

from benchmarks.local_speed import NAMES, sentence
from faithmeter.datamodels import Label
from faithmeter.evaluator import acheck
from faithmeter.guard import Policy
from faithmeter.serve.handled import handle
from faithmeter.serve.settings import Handling

ALONE = 10
"""Answers that are streamed one at a time, bare and guarded, for the delay."""
FIRST_AT_MOST, WHOLE_AT_MOST = 0.150, 0.05
SENTENCES = 8
QUESTION = "What is known?"  # support depends on whether there is one
AT_ONCE = 16


class Answer(NamedTuple):
    """An answer of which some sentences are wrong."""

    text: str
    context: str
    first: str
    """Its first sentence, which is right."""
    errors: tuple[str, ...]
    """The wrong sentences that `check` does not call supported."""
    missed: int
    """The wrong sentences that it does."""
    shown: str
    """What of it `check` would let a reader see."""


def wrong(text: str, rng: random.Random) -> str:
    """The sentence with another year, number or name."""
    kind = rng.randrange(3)
    if kind == 2:
        name = next(name for name in NAMES if text.startswith(name))
        return rng.choice([other for other in NAMES if other != name]) + text[len(name) :]
    found = list(re.finditer(r"\d+", text))[0 if kind == 0 else -1]
    other = int(found[0]) + rng.choice((-1, 1)) * rng.randint(3, 40 if kind == 0 else 9)
    return text[: found.start()] + str(abs(other) + 1) + text[found.end() :]


async def made(errors: int) -> list[Answer]:
    """Answers with at least so many errors that `check` catches."""
    rng = random.Random(23)
    answers: list[Answer] = []
    while sum(len(answer.errors) for answer in answers) < errors:
        facts = list(dict.fromkeys(sentence(rng) for _ in range(SENTENCES + 4)))[:SENTENCES]
        said = [fact if n == 0 or rng.random() < 0.4 else wrong(fact, rng) for n, fact in enumerate(facts)]
        text, context = " ".join(said), " ".join(facts)
        result = await acheck(text, [context], question=QUESTION)
        found = {outcome.claim.text: outcome.label for outcome in result.verdicts}
        planted = [item for item, fact in zip(said, facts, strict=True) if item != fact]
        caught = tuple(item for item in planted if found.get(item) is not Label.SUPPORTED)
        if found.get(said[0]) is Label.SUPPORTED:
            shown, _ = handle(result, Policy(), Handling())
            answers.append(Answer(text, context, said[0], caught, len(planted) - len(caught), shown))
    return answers


@contextmanager
def loopback_model() -> Iterator[str]:
    """The model in a process of its own, and its address."""
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.serve_model"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class Read(NamedTuple):
    """A streamed answer as its reader saw it."""

    text: str
    first: float
    """Seconds until the first sentence was there."""
    whole: float
    account: dict[str, Any]
    error: str
    """What the stream ended with instead of its end."""


async def read(session: aiohttp.ClientSession, url: str, answer: Answer, **more: Any) -> Read:
    """Ask for an answer, and read it as it comes."""
    content = f"<context>{answer.context}</context>\n{QUESTION}"
    body: dict[str, Any] = {"model": "loopback", "stream": True, "messages": [{"role": "user", "content": content}]}
    body["metadata"] = {"answer": answer.text, **more}
    began = time.perf_counter()
    text, first = "", 0.0
    account: dict[str, Any] = {}
    error = ""
    async with session.post(f"{url}/chat/completions", json=body) as response:
        async for line in response.content:
            if not line.startswith(b"data: {"):
                continue
            chunk = json.loads(line[6:])
            account = chunk.get("faithmeter") or account
            error = chunk.get("error", {}).get("message", error)
            for choice in chunk.get("choices", ()):
                text += choice["delta"].get("content", "")
            if not first and answer.first in text:
                first = time.perf_counter() - began
    return Read(text, first, time.perf_counter() - began, account, error)


async def stream(errors: int) -> bool:
    """How many planted errors reach the reader, and how much later the rest does."""
    from benchmarks.serve import quantile, serving

    answers = await made(errors)
    planted = sum(len(answer.errors) for answer in answers)
    missed = sum(answer.missed for answer in answers)
    print(
        f"{len(answers)} answers of {SENTENCES} sentences, {planted} planted errors that check catches "
        f"({missed} that it misses)"
    )
    leaked: list[str] = []
    kept = same = 0
    with loopback_model() as model, serving("-v", "local", "--proxy", model) as server:
        await server.ready()
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, force_close=True)) as session:
            pairs: list[tuple[Read, Read]] = []
            for answer in answers[:ALONE]:
                bare = await read(session, model, answer)
                assert bare.text == answer.text
                pairs.append((bare, await read(session, f"{server.url}/v1", answer)))
            at_once = asyncio.Semaphore(AT_ONCE)

            async def one(answer: Answer) -> Read:
                async with at_once:
                    return await read(session, f"{server.url}/v1", answer)

            rest = await asyncio.gather(*(one(answer) for answer in answers[ALONE:]))
    for answer, found in zip(answers, [*(guarded for _, guarded in pairs), *rest], strict=True):
        leaked += [error for error in answer.errors if error in found.text]
        kept += found.account.get("supported", 0)
        same += found.text == answer.shown
    first = [guarded.first - bare.first for bare, guarded in pairs]
    whole = [guarded.whole / bare.whole - 1 for bare, guarded in pairs]
    print(
        f"reached the reader: {len(leaked)} of {planted}; {kept} supported sentences passed; "
        f"{same} of {len(answers)} answers read to the letter as check would have them"
    )
    print(
        f"delay of the first sentence over the bare stream, {len(pairs)} answers alone: "
        f"median {statistics.median(first) * 1e3:.0f} ms, worst {max(first) * 1e3:.0f} ms "
        f"(bound {FIRST_AT_MOST * 1e3:g} ms)"
    )
    print(
        f"delay of the whole answer: median {statistics.median(whole):.1%}, worst {max(whole):.1%} "
        f"(bound {WHOLE_AT_MOST:.0%}); bare {statistics.median(bare.whole for bare, _ in pairs):.2f} s"
    )
    busy = [found.first for found in rest]
    if busy:
        print(
            f"{AT_ONCE} at a time: first sentence after {statistics.median(busy):.2f} s "
            f"(p99 {quantile(busy, 0.99):.2f} s)"
        )
    met = statistics.median(first) <= FIRST_AT_MOST and statistics.median(whole) <= WHOLE_AT_MOST
    return not leaked and same == len(answers) and planted >= errors and met
