"""A promise loaded into the server: its threshold decides, responses and counters show it, and drift is noticed."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from support.chat_model import ChatModel
from support.serving import Served, running, serving

from faithmeter import Claim, DataError, Failure, Label, Origin, Result, Sample, Verdict
from faithmeter.evaluator import Evaluator
from faithmeter.guard import Policy, Promised, decide
from faithmeter.serve.metrics import Metrics
from faithmeter.serve.promised import PromiseKeeper
from faithmeter.serve.settings import Handling, ProxySettings
from faithmeter.trust.promise import Promise, judged_by, look, read_promise

CONTEXT = "The Eiffel Tower stands 330 metres tall. The tower opened to the public on 15 May 1889."
SURE, LESS_SURE = "The tower opened on 15 May 1889.", "The Eiffel Tower is 330 metres tall."  # lexical: 1.0, 0.95
BODY = {"answer": f"{SURE} {LESS_SURE}", "contexts": [CONTEXT]}
SHOWN = {"at_most": 0.05, "confidence": 0.95, "threshold": 0.98}


def promise(tmp_path: Path, **changes: Any) -> Path:
    """A promise of `lexical`, whose labelled answers had ten words on contexts of twenty."""
    found: dict[str, Any] = SHOWN | {"labels": 200, "passed": 100, "unfaithful": 1, "bound": 0.047}
    found["signature"] = judged_by(Evaluator(verifier="lexical").signature)
    found["seen"] = tuple((0.9 + 0.001 * (n % 100), 10.0 + n % 5, 20.0 + n % 7) for n in range(200))
    path = tmp_path / "promise.json"
    path.write_text(Promise(**(found | changes)).model_dump_json())
    return path


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with serving(verifiers=("lexical", "local"), promise=promise(tmp_path)) as served:
        yield served


def test_the_guard_takes_the_promises_threshold(server: Served) -> None:
    blocked = server.post("/v1/guard", BODY).json()
    assert (blocked["action"], blocked["answer"]) == ("block", None)
    assert [objection["claim"] for objection in blocked["objections"]] == [LESS_SURE]
    assert "the promise takes 0.98" in blocked["objections"][0]["reason"]
    assert blocked["promise"] == SHOWN | {"passes": False, "drift": []}

    allowed = server.post("/v1/guard", BODY | {"answer": SURE}).json()
    assert (allowed["action"], allowed["promise"]["passes"]) == ("allow", True)
    fixed = server.post("/v1/guard", BODY | {"policy": {"action": "fix"}}).json()
    assert fixed["answer"] is None or LESS_SURE not in fixed["answer"]
    assert server.post("/v1/guard", BODY | {"policy": {"min_score": 0.1}}).json()["action"] == "block"


def test_without_a_promise_the_same_answer_is_allowed() -> None:
    with serving() as server:
        allowed = server.post("/v1/guard", BODY).json()
        assert (allowed["action"], allowed["promise"]) == ("allow", None)
        assert "faithmeter_promise_threshold 0.0" in server.http.get("/metrics").text


def test_it_is_shown(server: Served) -> None:
    assert server.http.get("/v1/verifiers").json()["promise"] == SHOWN
    for answer in (SURE, LESS_SURE, SURE):
        server.post("/v1/guard", BODY | {"answer": answer})
    metrics = server.http.get("/metrics").text
    for line in (
        "faithmeter_promise_threshold 0.98",
        "faithmeter_promise_at_most 0.05",
        'faithmeter_promise_answers_total{passes="yes"} 2.0',
        'faithmeter_promise_answers_total{passes="no"} 1.0',
        "faithmeter_promise_drift 0.0",
    ):
        assert line in metrics


def test_a_verifier_that_it_is_not_for_is_not_held_to_it(server: Served) -> None:
    other = server.post("/v1/guard", BODY | {"verifier": "local"}).json()
    assert (other["action"], other["promise"]) == ("allow", None)
    assert 'faithmeter_promise_answers_total{passes="yes"}' not in server.http.get("/metrics").text


@pytest.mark.parametrize("streams", [False, True])
def test_proxied_answers_are_held_to_it(tmp_path: Path, streams: bool) -> None:
    model = ChatModel(answer=BODY["answer"])  # type: ignore[arg-type]
    with ExitStack() as stack:
        upstream = stack.enter_context(running(model.app))
        endpoint = ProxySettings(url=f"{upstream.url}/v1")
        server = stack.enter_context(serving(proxy=endpoint, promise=promise(tmp_path)))
        messages = [{"role": "user", "content": f"<context>{CONTEXT}</context> How tall?"}]
        response = server.post("/v1/chat/completions", {"model": "m", "messages": messages, "stream": streams})
        assert response.headers["x-faithmeter-promise"].startswith("at most 0.05, support 0.98")
        if not streams:
            assert response.json()["choices"][0]["message"]["content"] == f"{SURE} {Handling().replacement}"
            assert response.json()["faithmeter"]["promise"] == SHOWN | {"passes": False, "drift": []}
            assert response.headers["x-faithmeter-promise"].endswith("does not pass")
        assert Handling().replacement in response.text
        assert "330" not in response.text.partition('"objections"')[0]
        assert 'faithmeter_promise_answers_total{passes="no"} 1.0' in server.http.get("/metrics").text


def test_litellm_is_held_to_it(tmp_path: Path) -> None:
    path = "/beta/litellm_basic_guardrail_api"
    messages = [{"role": "user", "content": f"<context>{CONTEXT}</context> How tall?"}]
    with serving(promise=promise(tmp_path)) as server:
        asked = {"texts": ["…"], "input_type": "request", "litellm_call_id": "1", "structured_messages": messages}
        server.post(path, asked)
        answered = {"texts": [BODY["answer"]], "input_type": "response", "litellm_call_id": "1"}
        assert server.post(path, answered).json()["texts"] == [f"{SURE} {Handling().replacement}"]


def test_answers_unlike_the_labelled_ones_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("faithmeter.serve.promised.BLOCK", 10)
    longer = {"answer": SURE, "contexts": [f"{CONTEXT} " * 30]}
    with serving(promise=promise(tmp_path)) as server:
        found = [server.post("/v1/guard", longer).json()["promise"]["drift"] for _ in range(20)]
        assert found[:19] == [[]] * 19  # one odd block may be chance
        assert any(line.startswith("length of contexts: median 23 where labelled, 510 here") for line in found[19])
        assert f"faithmeter_promise_drift {float(len(found[19]))}" in server.http.get("/metrics").text
    assert any("the promise may not hold" in record.getMessage() for record in caplog.records)


def test_drift_ends_when_answers_are_as_labelled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faithmeter.serve.promised.BLOCK", 40)
    rng = random.Random(5)

    def answer(words: int) -> Result:
        text = "It is so." + " so" * rng.randrange(words)
        sample = Sample.model_validate({"answer": text, "contexts": ["It is so." + " so" * rng.randrange(20)]})
        claim = Claim(text="It is so.", start=0, end=9)
        found = Verdict(claim=claim, label=Label.SUPPORTED, support=rng.random(), origin=Origin(verifier="x"))
        return Result(sample=sample, outcomes=(found,), signature="extract:a|verify:b|score:plain")

    seen = tuple(tuple(found) for _ in range(300) if (found := look(answer(10))))
    metrics = Metrics()
    keeper = PromiseKeeper(read_promise(promise(tmp_path, seen=seen)), metrics)
    for words, drifts in ((10, False), (60, False), (60, True), (10, False)):
        for _ in range(40):
            keeper.see(answer(words))
        assert [line.partition(":")[0] for line in keeper.drift] == ["length of answers"] * drifts
    for _ in range(80):
        keeper.see(answer(60), watch=False)
    assert keeper.drift == ()


def verdict(support: float | None, label: Label = Label.SUPPORTED) -> Verdict:
    claim = Claim(text="It is so.", start=0, end=9)
    return Verdict(claim=claim, label=label, support=support, origin=Origin(verifier="x"))


def judged(*outcomes: Verdict | Failure) -> Result:
    sample = Sample.model_validate({"answer": "It is so.", "contexts": ["It is so."]})
    return Result(sample=sample, outcomes=outcomes, signature="extract:a|verify:b|score:plain")


@pytest.mark.parametrize(
    ("outcomes", "policy", "action", "passes"),
    [
        ([verdict(0.99)], Policy(), "allow", True),
        ([verdict(0.9)], Policy(), "block", False),
        ([verdict(None)], Policy(), "allow", True),
        ([verdict(None, Label.CONTRADICTED)], Policy(labels=(Label.PARTIALLY_SUPPORTED,)), "block", False),
        ([verdict(0.99), verdict(0.99), verdict(0.9)], Policy(min_score=0.5), "block", False),
        ([verdict(0.99), Failure(kind="timeout", message="late")], Policy(on_failure="open"), "allow", False),
        ([verdict(0.99), Failure(kind="timeout", message="late")], Policy(), "block", False),
        ([], Policy(), "allow", True),
    ],
)
def test_what_passes(outcomes: list[Any], policy: Policy, action: str, passes: bool) -> None:
    decision = decide(judged(*outcomes), policy, Promised.model_validate(SHOWN))
    assert decision.promise is not None
    assert (decision.action, decision.promise.passes) == (action, passes)
    full = Promise(**SHOWN, labels=1, passed=1, unfaithful=0, bound=0.05, signature="extract:a|verify:b")
    assert full.passes(judged(*outcomes)) == passes


def test_a_promise_for_another_verifier_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(DataError, match="make one with the same verifier"),
        serving(promise=promise(tmp_path, signature="extract:a|verify:b")),
    ):
        pass
    path = promise(tmp_path)
    path.write_text("{}")
    command = [sys.executable, "-m", "faithmeter", "serve", "--port", "0", "-v", "lexical", "--promise", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "is no promise" in done.stderr
