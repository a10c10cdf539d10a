"""Replies that no provider would send: too large, packed too tightly, or of a wrong shape. Each is asked again."""

from __future__ import annotations

import gzip
import json
import math
import tracemalloc
from typing import Any

import pytest
from support.llm_server import ODD_BODIES, LLMServer
from support.providers import PROVIDERS

from faithmeter.datamodels import Claim, Label, Pair, Sample, Verdict
from faithmeter.judge.verify import Judge
from faithmeter.llm.bounded import LARGEST_REPLY, BadReply, Unpacked
from faithmeter.runtime.usage import metered

SAMPLE = Sample(answer="…", contexts=["The tower is in Paris.", "It has 3 floors."])
PAIRS = [Pair(Claim(text=text, start=0, end=1), SAMPLE) for text in ("The tower is in Paris.", "It has 7 floors.")]
ROWS = pytest.mark.parametrize(
    ("provider", "model", "path"), [row[:3] for row in PROVIDERS], ids=[r[0] for r in PROVIDERS]
)


async def judged_at_second_ask(judge: Judge, server: LLMServer, fault: str) -> None:
    server.script.extend(["", fault])
    await judge.verify(PAIRS)  # an endpoint that has answered before is not given up at once
    tracemalloc.start()
    try:
        with metered() as meter:
            found = await judge.verify(PAIRS)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * LARGEST_REPLY, "a few replies of the largest size"
    assert [outcome.label for outcome in found if isinstance(outcome, Verdict)] == [
        Label.SUPPORTED,
        Label.CONTRADICTED,
    ], found
    # An odd body is no call, or a call whose text was no answer: where an SDK reads it as an empty text.
    assert meter.usage.calls + meter.usage.retries == 2
    assert server.counts[fault] == 1


@ROWS
async def test_a_small_body_that_unpacks_to_half_a_gigabyte(
    keyed_server: LLMServer, provider: str, model: str, path: str
) -> None:
    judge = Judge(f"{provider}:{model}@{keyed_server.root}{path}")
    await judged_at_second_ask(judge, keyed_server, "bomb")
    await judge.aclose()


@ROWS
async def test_a_body_without_an_end_is_left(keyed_server: LLMServer, provider: str, model: str, path: str) -> None:
    judge = Judge(f"{provider}:{model}@{keyed_server.root}{path}")
    await judged_at_second_ask(judge, keyed_server, "endless")
    await judge.aclose()
    assert keyed_server.megabytes < 100, "what the sockets hold beside the bound is a few megabytes"


@ROWS
@pytest.mark.parametrize("body", ODD_BODIES)
async def test_a_body_that_is_no_reply_is_asked_again(
    keyed_server: LLMServer, provider: str, model: str, path: str, body: str
) -> None:
    judge = Judge(f"{provider}:{model}@{keyed_server.root}{path}")
    await judged_at_second_ask(judge, keyed_server, body)
    await judge.aclose()


@pytest.mark.parametrize("logprob", [1000.0, 0.5, math.nan, None])
@pytest.mark.parametrize("provider", ["openai", "azure"])
async def test_log_probabilities_that_are_none_are_asked_again(
    keyed_server: LLMServer, provider: str, logprob: Any
) -> None:
    model, path = next(row[1:3] for row in PROVIDERS if row[0] == provider)
    content = json.dumps({"verdicts": []})
    token = {"token": content, "logprob": logprob, "bytes": None, "top_logprobs": []}
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": {"content": [token]}}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "stub", "choices": [choice]}
    keyed_server.odd_bodies["odd_logprobs"] = json.dumps(body).encode()
    judge = Judge(f"{provider}:{model}@{keyed_server.root}{path}", logprobs=True)
    await judged_at_second_ask(judge, keyed_server, "odd_logprobs")
    await judge.aclose()


def test_gzip_is_unpacked_to_the_bound_and_not_beyond() -> None:
    whole = gzip.compress(b"x" * LARGEST_REPLY)
    assert Unpacked("gzip").feed(whole) == b"x" * LARGEST_REPLY
    with pytest.raises(BadReply, match="larger than 16 MiB"):
        Unpacked("gzip").feed(gzip.compress(b"x" * (LARGEST_REPLY + 1)))
    pieces = Unpacked("X-GZIP")
    packed = gzip.compress(b"hello")
    assert b"".join(pieces.feed(packed[n : n + 1]) for n in range(len(packed))) == b"hello"


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "deflate"])
def test_a_packing_that_was_not_asked_for_is_refused(encoding: str) -> None:
    with pytest.raises(BadReply, match="gzip was asked for"):
        Unpacked(encoding)
