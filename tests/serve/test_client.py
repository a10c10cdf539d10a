"""The client, and a server as the verifier of `check`, `eval` and pytest."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from support.serving import SEINE, Served, running, serving

import faithmeter
from faithmeter import Client, Sample, UsageError
from faithmeter.errors import EndpointDown
from faithmeter.verify import load_verifier

ANSWER = "Hello! Paris lies on the Seine. It has ten million parks. Paris is in the north of France."
KEY = "the-teams-key-0123456789"


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving(verifiers=("local", "lexical")) as served:
        yield served


def test_a_check_there_is_a_check_here(server: Served) -> None:
    client = Client(server.url)
    here = faithmeter.check(ANSWER, SEINE["contexts"], question="Where?")
    there = client.check(ANSWER, SEINE["contexts"], question="Where?")
    assert (there.sample, there.outcomes, there.score) == (here.sample, here.outcomes, here.score)
    assert there.signature == here.signature
    assert Client(server.url, verifier="lexical").check("x is y.", ["z"]).signature.count("lexical") == 1


def test_samples_keep_what_is_theirs(server: Served) -> None:
    samples = [Sample(id=f"s{n}", answer=f"Paris {n}.", contexts=("Paris",), metadata={"n": n}) for n in range(3)]  # type: ignore[arg-type]
    assert [result.sample for result in Client(server.url).check_samples(samples)] == samples


def test_guard_and_info(server: Served) -> None:
    client = Client(server.url)
    guarded = client.guard(ANSWER, SEINE["contexts"], policy={"action": "flag"})
    assert (guarded.action, guarded.answer) == ("flag", ANSWER)
    assert [objection.claim for objection in guarded.objections] == ["It has ten million parks."]
    assert [item["name"] for item in client.info()["verifiers"]] == ["local", "lexical"]


def test_the_server_as_the_verifier(server: Served, tmp_path: Path) -> None:
    here = faithmeter.check(ANSWER, SEINE["contexts"])
    there = faithmeter.check(ANSWER, SEINE["contexts"], verifier=server.url)
    assert (there.outcomes, there.signature) == (here.outcomes, here.signature)
    rows = [
        {"answer": f"Paris has {n} parks. Paris lies on the Seine."} | {"contexts": SEINE["contexts"]} for n in range(9)
    ]
    report = faithmeter.evaluate(rows, verifier=f"{server.url}?verifier=lexical")
    assert report.results == tuple(
        result.model_copy(update={"usage": mine.usage})
        for result, mine in zip(faithmeter.evaluate(rows, verifier="lexical"), report, strict=True)
    )


def test_it_travels_to_other_processes(server: Served) -> None:
    verifier = pickle.loads(pickle.dumps(load_verifier(server.url)))
    assert faithmeter.check(SEINE["answer"], SEINE["contexts"], verifier=verifier).score == 1.0


def test_wrong_calls_are_errors_in_words(server: Served) -> None:
    with pytest.raises(UsageError, match="not enabled there; enabled: local, lexical"):
        faithmeter.check("a", ["b"], verifier=f"{server.url}?verifier=hhem")
    with pytest.raises(UsageError, match="not enabled here"):
        Client(server.url, verifier="hhem").check("a", ["b"])
    with pytest.raises(UsageError, match="unknown option 'votes'"):
        load_verifier(f"{server.url}?votes=3")
    for url in ("localhost:8000", "ftp://host", "http://"):
        with pytest.raises(UsageError, match="http://HOST:PORT"):
            Client(url)


def test_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(keys=(SecretStr(KEY),)) as server:
        with pytest.raises(UsageError, match="401"):
            Client(server.url).check("a", ["b"])
        assert Client(server.url, key=KEY).check(SEINE["answer"], SEINE["contexts"]).score == 1.0
        monkeypatch.setenv("FAITHMETER_SERVER_KEY", KEY)
        assert faithmeter.check(SEINE["answer"], SEINE["contexts"], verifier=server.url).score == 1.0
        assert KEY not in repr(Client(server.url))


def test_a_dead_server_is_a_failure_in_the_result() -> None:
    client = Client("http://127.0.0.1:9", retries=1)
    result = client.check("Paris is big.", ["x"])
    assert (result.status, result.score, result.failures[0].kind) == ("failed", None, "endpoint")
    with pytest.raises(EndpointDown):
        client.guard("a", ["b"])
    with pytest.raises(EndpointDown, match="no answer"):
        faithmeter.check("Paris is big.", ["x"], verifier=_quick("http://127.0.0.1:9"))


def _quick(url: str) -> object:
    verifier = load_verifier(url)
    verifier.client._retries = 0  # type: ignore[attr-defined]
    return verifier


def test_it_tries_again_when_told_to() -> None:
    asked: list[float] = []

    async def flaky(request: Request) -> Response:
        asked.append(time.monotonic())
        if len(asked) < 3:
            return JSONResponse({"detail": "busy"}, 503, {"retry-after": "1"} if len(asked) == 1 else {})
        return JSONResponse({"detail": "too large"}, 413)

    with running(Starlette(routes=[Route("/v1/check/batch", flaky, methods=["POST"])])) as server:
        result = Client(server.url).check("Paris is big.", ["x"])
    assert len(asked) == 3  # what is too large is not sent again
    assert asked[1] - asked[0] >= 0.8
    assert (result.failures[0].kind, "too large" in result.failures[0].message) == ("error", True)


def test_something_else_that_answers_is_no_server() -> None:
    async def other(request: Request) -> Response:
        return Response("hello")

    with running(Starlette(routes=[Route("/{p:path}", other, methods=["GET", "POST"])])) as server:
        assert "is this a faithmeter server?" in Client(server.url).check("a b.", ["x"]).failures[0].message
