"""Checks, batches and guarded answers over HTTP, by a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.serving import SEINE, Served, serving

import faithmeter
from faithmeter.serve.settings import Limits

TOWER = {
    "question": "How tall is it?",
    "answer": "Hello! The Eiffel Tower is 330 metres tall. It opened in 1899.",
    "contexts": ["The Eiffel Tower stands 330 metres tall.", {"id": "b", "text": "The tower opened on 15 May 1889."}],
}


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving(verifiers=("local", "lexical")) as served:
        yield served


@pytest.mark.parametrize("verifier", ["local", "lexical"])
def test_a_check_is_the_check_of_the_library(server: Served, verifier: str) -> None:
    response = server.post("/v1/check", TOWER | {"verifier": verifier, "id": "mine"})
    assert response.status_code == 200
    result = faithmeter.Result.model_validate_json(response.content)
    own = faithmeter.check(TOWER["answer"], TOWER["contexts"], question="How tall is it?", verifier=verifier)  # type: ignore[arg-type]
    assert result.outcomes == own.outcomes
    assert (result.asides, result.score, result.signature) == (own.asides, own.score, own.signature)
    assert result.sample.id == "mine"


def test_a_batch_comes_back_in_order(server: Served) -> None:
    samples = [SEINE | {"id": str(number), "answer": f"Paris has {number} parks."} for number in range(20)]
    response = server.post("/v1/check/batch", {"samples": samples, "verifier": "lexical"})
    results = response.json()["results"]
    assert [result["sample"]["id"] for result in results] == [str(number) for number in range(20)]
    assert [result["outcomes"][0]["claim"]["text"] for result in results] == [item["answer"] for item in samples]


def test_many_at_once_get_the_verdicts_they_would_get_alone(server: Served) -> None:
    bodies = [
        SEINE | {"answer": f"Paris lies on the Seine. It has {number} parks and a river."} for number in range(12)
    ]
    alone = [server.post("/v1/check", body).json()["outcomes"] for body in bodies]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda body: server.post("/v1/check", body).json()["outcomes"], bodies))
    assert together == alone


def test_claims_that_come_with_the_request_are_judged_instead(server: Served) -> None:
    claims = [{"text": "Paris lies on a river.", "start": 0, "end": 24}]
    outcomes = server.post("/v1/check", SEINE | {"claims": claims}).json()["outcomes"]
    assert [outcome["claim"] for outcome in outcomes] == claims


@pytest.mark.parametrize(
    ("policy", "action", "answer"),
    [
        (None, "block", None),
        ({"action": "flag"}, "flag", TOWER["answer"]),
        ({"min_score": 0.5}, "allow", TOWER["answer"]),
        ({"min_score": 0.6}, "block", None),
        ({"labels": ["partially_supported"]}, "allow", TOWER["answer"]),
        ({"labels": ["partially_supported"], "min_support": 0.5}, "block", None),
    ],
)
def test_guard(server: Served, policy: dict[str, object] | None, action: str, answer: str | None) -> None:
    body = server.post("/v1/guard", TOWER | {"policy": policy}).json()
    assert (body["action"], body["answer"]) == (action, answer)
    assert [objection["claim"] for objection in body["objections"]] == (
        [] if policy == {"labels": ["partially_supported"]} else ["It opened in 1899."]
    )
    for objection in body["objections"]:
        assert objection["reason"]
        assert TOWER["answer"][objection["start"] : objection["end"]] == objection["claim"]  # type: ignore[index]


def test_a_faithful_answer_is_allowed(server: Served) -> None:
    body = server.post("/v1/guard", SEINE).json()
    assert (body["action"], body["answer"], body["objections"]) == ("allow", SEINE["answer"], [])


def test_it_says_what_it_can_do(server: Served) -> None:
    info = server.http.get("/v1/verifiers").json()
    assert [(item["name"], item["default"]) for item in info["verifiers"]] == [("local", True), ("lexical", False)]
    assert server.http.get("/health").json()["status"] == "ok"
    document = server.http.get("/openapi.json").json()
    assert document["components"]["schemas"]["CheckBody"]["examples"]
    metrics = server.http.get("/metrics").text
    assert 'faithmeter_claims_total{label="supported",verifier="local"}' in metrics


def test_ready_once_the_models_are_loaded(server: Served) -> None:
    server.post("/v1/check", SEINE)
    assert server.http.get("/ready").status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (SEINE | {"verifier": "openai:gpt-5"}, 422, "not enabled here; enabled: local, lexical"),
        ({"answer": "x"}, 422, "contexts: Field required"),
        (SEINE | {"contexts": "one string"}, 422, "contexts: Input should be a valid list"),
        (SEINE | {"surprise": 1}, 422, "surprise"),
        ([], 422, "body"),
    ],
)
def test_a_wrong_body_is_refused_in_a_line(server: Served, body: object, status: int, says: str) -> None:
    response = server.post("/v1/check", body)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert says in problem["detail"]
    assert problem["status"] == status
    assert problem["request_id"] == response.headers["x-request-id"]


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 422),
        (b"[" * 100_000, "application/json", 400),
        (b"\xff\xfe\x00", "application/json", 400),
        (json.dumps(SEINE).encode(), "text/plain", 422),
        (b'{"answer": "a\\ud800b. It is.", "contexts": ["\\udfff"]}', "application/json", 200),
        (b'{"answer": "a\\u0000b. It is.", "contexts": ["\\u0000"]}', "application/json", 200),
    ],
)
def test_malformed_bodies(server: Served, content: bytes, kind: str, status: int) -> None:
    response = server.http.post("/v1/check", content=content, headers={"content-type": kind})
    assert response.status_code == status
    if status != 200:
        assert response.json()["type"].startswith("urn:faithmeter:problem:")


def test_no_such_path_or_method(server: Served) -> None:
    assert server.http.get("/v2/check").json()["type"] == "urn:faithmeter:problem:not-found"
    response = server.http.get("/v1/check")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("limits", "body", "status", "found"),
    [
        ({"answer": 10}, SEINE, 413, 24),
        ({"contexts": 1}, SEINE | {"contexts": ["a", "b"]}, 413, 2),
        ({"context_characters": 5}, SEINE | {"contexts": ["aaa", "bbb"]}, 413, 6),
        ({"claims": 1}, SEINE | {"answer": "Paris is big. Rome is bigger."}, 422, 2),
    ],
)
def test_limits_of_a_sample(limits: dict[str, int], body: object, status: int, found: int) -> None:
    with serving(limits=Limits(**limits)) as server:
        problem = server.post("/v1/check", body).json()
        assert (problem["status"], problem["found"], problem["limit"]) == (status, found, *limits.values())
        assert server.post("/v1/check/batch", {"samples": [body]}).status_code == status


def test_limits_of_a_batch_and_a_body() -> None:
    with serving(limits=Limits(batch=2, body=5000)) as server:
        assert server.post("/v1/check/batch", {"samples": [SEINE] * 3}).json()["found"] == 3
        response = server.post("/v1/check", SEINE | {"question": "a" * 6000})
        assert (response.status_code, response.json()["limit"]) == (413, 5000)

        def chunks() -> Iterator[bytes]:  # without a length in the head
            for _ in range(10):
                yield b"[" * 1000

        response = server.http.post("/v1/check", content=chunks(), headers={"content-type": "application/json"})
        assert response.status_code == 413
        assert server.post("/v1/check", SEINE).status_code == 200
