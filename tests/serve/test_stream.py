"""An answer judged while it is written: when verdicts come, what is held back, and that all of it is judged."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.serving import SEINE, Served, serving, until

import faithmeter
from faithmeter.data.datasets import read_samples
from faithmeter.datamodels import Context, Sample
from faithmeter.serve.growing import GrowingAnswer, Part
from faithmeter.serve.metrics import Metrics
from faithmeter.serve.service import Service
from faithmeter.serve.settings import Limits, Settings

CONTEXTS = ["The Eiffel Tower stands 330 metres tall.", "The tower opened to the public on 15 May 1889."]
HEAD = {"contexts": CONTEXTS, "question": "How tall?"}
ANSWERS = Path(__file__).parents[1] / "report" / "answers.jsonl"


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving(verifiers=("local", "lexical"), limits=Limits(answer=2000)) as served:
        yield served


def events(text: str) -> list[tuple[str, Any]]:
    found = re.findall(r"event: (\w+)\ndata: (.*)\n\n", text)
    return [(name, json.loads(data)) for name, data in found]


def test_ndjson_and_text_give_the_result_of_check(server: Served) -> None:
    answer = "Sure! The tower is 330 metres tall.\n\n- It opened in 1899.\n- It is in Paris, says Dr. Smith."
    own = faithmeter.check(answer, CONTEXTS, question="How tall?")
    pieces = re.findall(r".{1,7}", answer, re.DOTALL)
    lines = "\n".join(json.dumps(item) for item in (HEAD, *({"text": piece} for piece in pieces)))
    for content, kind in (
        (lines, "application/x-ndjson"),
        (json.dumps(HEAD) + "\n" + answer, "text/plain; charset=utf-8"),
    ):
        response = server.http.post("/v1/check/stream", content=content.encode(), headers={"content-type": kind})
        assert response.headers["content-type"].startswith("text/event-stream")
        found = events(response.text)
        result = faithmeter.Result.model_validate(found[-1][1])
        assert found[-1][0] == "result"
        assert (result.outcomes, result.asides, result.signature) == (own.outcomes, own.asides, own.signature)
        verdicts = [data for name, data in found if name == "verdict"]
        assert [data["claim"]["text"] for data in verdicts] == [
            outcome.claim.text for outcome in own.outcomes if outcome.claim
        ]
        places = [(data["start"], data["end"]) for name, data in found if name in ("verdict", "part")]
        assert "".join(answer[start:end] for start, end in places) == answer


async def test_a_verdict_comes_while_the_answer_goes_on(server: Served) -> None:
    goes_on = asyncio.Event()

    async def body() -> Any:
        yield (json.dumps(HEAD) + "\n").encode()
        yield b'{"text": "The tower is 330 metres tall. It "}\n{"text": "opened "}\n'
        await goes_on.wait()
        yield b'{"text": "in 1899."}\n'

    headers = {"content-type": "application/x-ndjson"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.url}/v1/check/stream", data=body(), headers=headers) as response,
    ):
        first = await asyncio.wait_for(response.content.readuntil(b"\n\n"), 600)
        assert b"330 metres tall" in first
        assert not goes_on.is_set()
        goes_on.set()
        rest = await response.text()
    assert [name for name, _ in events(rest)] == ["verdict", "result"]


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"", "application/x-ndjson", 422),
        (b"not json\n", "application/x-ndjson", 422),
        (b'{"contexts": 5}\n', "application/x-ndjson", 422),
        (b'{"contexts": []}', "application/json", 415),
        (b'{"contexts": [], "verifier": "hhem"}\nx', "text/plain", 422),
    ],
)
def test_a_wrong_head_is_a_problem(server: Served, content: bytes, kind: str, status: int) -> None:
    response = server.http.post("/v1/check/stream", content=content, headers={"content-type": kind})
    assert (response.status_code, response.json()["status"]) == (status, status)


def test_what_goes_wrong_later_is_an_event(server: Served) -> None:
    head = json.dumps(HEAD).encode() + b"\n"
    for rest, kind, problem in (
        (b"nonsense\n", "application/x-ndjson", "invalid"),
        (b'{"text": 5}\n', "application/x-ndjson", "invalid"),
        (b"The tower is 330 metres tall. " * 100, "text/plain", "over-limit"),
    ):
        response = server.http.post("/v1/check/stream", content=head + rest, headers={"content-type": kind})
        assert events(response.text)[-1][0] == "error"
        assert events(response.text)[-1][1]["type"].endswith(problem)
    until(lambda: server.app.state.service.streams == 0)


@pytest.fixture
def impatient() -> Iterator[Served]:
    with serving(limits=Limits(body_seconds=1)) as served:
        yield served


def test_a_client_that_stops_sending_or_goes_is_let_go(impatient: Served) -> None:
    head = b"POST /v1/check/stream HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n"
    head += b"transfer-encoding: chunked\r\n\r\n"
    first = json.dumps(HEAD).encode() + b"\nThe tower is 330 metres tall. It opened "
    chunk = hex(len(first))[2:].encode() + b"\r\n" + first + b"\r\n"

    def stops_sending() -> bytes:
        with socket.create_connection(("127.0.0.1", impatient.port), 120) as sock:
            sock.sendall(head + chunk)
            answer = b""
            while piece := sock.recv(65536):
                answer += piece
            return answer

    until(lambda: b"urn:faithmeter:problem:too-slow" in stops_sending())  # unless even its head came too slowly
    with socket.create_connection(("127.0.0.1", impatient.port), 120) as sock:
        sock.sendall(head + chunk)
        sock.recv(1000)
    until(lambda: impatient.app.state.service.streams == 0)
    until(lambda: impatient.post("/v1/check", SEINE).status_code == 200)


async def grown(
    sample: Sample, sizes: list[int], *, turns: int = 1
) -> tuple[list[Part], faithmeter.Result, tuple[Any, ...]]:
    """An answer fed in pieces of these sizes, with time to be judged between them."""
    service = Service(Settings(verifiers=("lexical",)), Metrics())
    answer = GrowingAnswer(service, sample.contexts, question=sample.question, verifier=None)
    parts: list[Part] = []

    async def collect() -> None:
        parts.extend([part async for part in answer.parts()])

    task = asyncio.create_task(collect())
    at = number = 0
    while at < len(sample.answer):
        size = sizes[number % len(sizes)]
        answer.feed(sample.answer[at : at + size])
        at, number = at + size, number + 1
        for _ in range(turns):
            await asyncio.sleep(0)
    answer.end()
    await task
    ended = await answer.finish()
    await service.aclose()
    return parts, ended.result, ended.late


@pytest.mark.parametrize("size", [3, 25])
async def test_streamed_answers_are_cut_as_check_cuts_them(size: int) -> None:
    """The answers that the report is tested with: lists, tables, code, quotations, other scripts."""
    for sample in read_samples(ANSWERS):
        assert isinstance(sample, Sample)
        parts, result, late = await grown(sample, [size], turns=50)
        own = await faithmeter.acheck(sample.answer, sample.contexts, question=sample.question, verifier="lexical")
        assert result.outcomes == own.outcomes
        assert "".join(sample.answer[part.start : part.end] for part in parts) == sample.answer
        assert late == (), sample.id


@settings(max_examples=30, deadline=None)
@given(
    st.text(st.sampled_from("ab.!?\n -*|`#1\"'(): 。é<think>"), max_size=120),
    st.lists(st.integers(1, 9), min_size=1, max_size=5),
)
async def test_whatever_is_written_every_part_is_given_once_and_every_claim_judged(text: str, sizes: list[int]) -> None:
    sample = Sample(id="x", answer=text, contexts=(Context(text="a b"),))
    parts, result, _ = await grown(sample, sizes)
    assert "".join(text[part.start : part.end] for part in parts) == text
    assert all(before.end == after.start for before, after in pairwise(parts))
    own = await faithmeter.acheck(text, ["a b"], verifier="lexical")
    assert result.outcomes == own.outcomes
    # What was given out before the end was judged: each claim's words are in parts that have outcomes.
    judged = {index for part in parts if part.outcomes for index in range(part.start, part.end)}
    for outcome in own.outcomes:
        assert outcome.claim is not None
        assert any(index in judged for index in range(outcome.claim.start, outcome.claim.end))
