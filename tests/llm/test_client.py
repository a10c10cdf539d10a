"""Care of the endpoint: retries, pace, what a model takes, the circuit breaker, the budget, and the accounts."""

from __future__ import annotations

import asyncio
import gc
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from support.llm_server import Behaviour, Faults, LLMServer

from faithmeter.datamodels import Claim, Failure, Label, Pair, Sample, Verdict
from faithmeter.errors import BudgetReached, EndpointDown, StopRun, UsageError
from faithmeter.evaluator import Evaluator
from faithmeter.judge.verify import Judge
from faithmeter.llm.budget import limited
from faithmeter.runtime import sync
from faithmeter.runtime.usage import metered

SAMPLE = Sample(answer="The tower is in Paris.", contexts=["The tower is in Paris."])
PAIRS = [Pair(Claim(text="The tower is in Paris.", start=0, end=22), SAMPLE)]


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer() as server:
        yield server


def judge(server: LLMServer, **options: object) -> Judge:
    return Judge(f"openai:stub@{server.url}", **options)


@pytest.mark.parametrize("fault", ["throttled", "error", "disconnect"])
async def test_a_passing_fault_is_tried_again(server: LLMServer, fault: str) -> None:
    server.script.extend([fault, fault, ""])
    with metered() as meter:
        (found,) = await judge(server).verify(PAIRS)
    assert isinstance(found, Verdict)
    assert (meter.usage.calls, meter.usage.retries) == (1, 2)


async def test_no_answer_is_waited_for_so_long_and_asked_again(server: LLMServer) -> None:
    one = judge(server, timeout=3, retries=20)  # a busy machine may let good answers come too late, too
    await one.verify(PAIRS)
    server.script.append("hang")
    with metered() as meter:
        (found,) = await one.verify(PAIRS)
    assert isinstance(found, Verdict)
    assert (meter.usage.calls, meter.usage.retries >= 1, server.counts["hang"]) == (1, True, 1)


@pytest.mark.parametrize(("fault", "kind"), [("throttled", "endpoint"), ("error", "endpoint"), ("hang", "timeout")])
async def test_a_fault_that_stays_is_a_failure(server: LLMServer, fault: str, kind: str) -> None:
    server.script.extend([fault] * 50)
    options: dict[str, object] = {"timeout": 0.2} if fault == "hang" else {}  # nothing need come in time here
    (found,) = await judge(server, retries=1, **options).verify(PAIRS)  # two failures: not given up at once
    assert isinstance(found, Failure)
    assert found.kind == kind


async def test_retry_after_is_kept_by_everybody() -> None:
    with LLMServer(behaviour=Behaviour(retry_after="1")) as server:
        server.script.append("throttled")
        start = time.monotonic()
        await judge(server).verify(PAIRS)
        assert time.monotonic() - start >= 1.0


async def test_no_more_requests_at_once_than_allowed() -> None:
    with LLMServer(behaviour=Behaviour(latency=0.02, gather=5)) as server:
        many = [Pair(Claim(text=f"Claim {n}.", start=0, end=1), SAMPLE) for n in range(30)]
        await judge(server, mode="per-claim", concurrency=5).verify(many)
        assert server.most_active == 5


async def test_the_pace_in_requests_is_kept(server: LLMServer) -> None:
    many = [Pair(Claim(text=f"Claim {n}.", start=0, end=1), SAMPLE) for n in range(8)]
    start = time.monotonic()
    await judge(server, mode="per-claim", requests_per_minute=300).verify(many)  # 5 at once, then 5 a second
    assert time.monotonic() - start >= 0.5


@pytest.mark.parametrize(
    ("rejects", "form", "schema_in_prompt"),
    [
        ((), "json_schema", False),
        (("json_schema",), "json_object", True),
        (("json_schema", "json_object"), None, True),
    ],
)
async def test_the_fullest_form_a_model_takes_is_found_once(
    rejects: tuple[str, ...], form: str | None, schema_in_prompt: bool
) -> None:
    with LLMServer(behaviour=Behaviour(rejects=rejects)) as server:
        one = judge(server)
        for _ in range(2):
            assert isinstance((await one.verify(PAIRS))[0], Verdict)
        tries = 2 + len(rejects) + bool(rejects)  # a schema is tried in its closed and in its general form
        assert len(server.requests) == tries, "what was found is remembered"
        last = server.requests[-1]
        assert (last.body.get("response_format") or {}).get("type") == form
        assert ("in this form" in last.system) == schema_in_prompt


async def test_a_model_that_rejects_temperature_still_works() -> None:
    with LLMServer(behaviour=Behaviour(rejects=("temperature",))) as server:
        for _ in range(2):
            assert isinstance((await judge(server).verify(PAIRS))[0], Verdict)
        assert ["temperature" in asked.body for asked in server.requests] == [True, False, False]
        assert all(asked.body["response_format"]["type"] == "json_schema" for asked in server.requests)


async def test_a_request_that_is_always_rejected_is_a_failure_and_changes_nothing(server: LLMServer) -> None:
    server.behaviour.rejects = ("messages",)
    one = judge(server)
    (found,) = await one.verify(PAIRS)
    assert isinstance(found, Failure)
    assert found.kind == "endpoint"
    server.behaviour.rejects = ()
    assert isinstance((await one.verify(PAIRS))[0], Verdict)
    assert server.requests[-1].body["response_format"]["type"] == "json_schema"


async def test_a_known_reasoning_model_is_sent_no_temperature(server: LLMServer) -> None:
    await Judge(f"openai:o3@{server.url}").verify(PAIRS)
    assert "temperature" not in server.requests[0].body


async def test_a_refused_key_stops_the_run_at_once_and_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
    with LLMServer(behaviour=Behaviour(key="another")) as server:
        one = judge(server)
        with pytest.raises(EndpointDown, match="refuses: HTTP 401") as raised:
            await one.verify(PAIRS)
        assert "very-secret" not in str(raised.value)
        assert "very-secret" not in repr(raised.value.__cause__)
        assert [outcome.kind for outcome in raised.value.outcomes] == ["endpoint"]  # type: ignore[union-attr]
        assert "very-secret" not in raised.value.outcomes[0].message  # type: ignore[union-attr]
        with pytest.raises(EndpointDown):
            await one.verify(PAIRS)
        assert len(server.requests) == 1, "nobody asks again"
        monkeypatch.setenv("OPENAI_API_KEY", "another")
        assert isinstance((await judge(server).verify(PAIRS))[0], Verdict), "a new judge starts afresh"


async def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-openai")
    monkeypatch.setenv("FAITHMETER_API_KEY", "of-my-endpoint")
    with LLMServer(behaviour=Behaviour(key="of-my-endpoint")) as server:
        assert isinstance((await judge(server).verify(PAIRS))[0], Verdict)
    with LLMServer(behaviour=Behaviour(key="of-openai")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert isinstance((await Judge("openai:stub").verify(PAIRS))[0], Verdict)


@pytest.mark.parametrize(
    ("spec", "variable"),
    [
        ("openai:gpt-5", "OPENAI_API_KEY"),
        ("anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("google:gemini-2.5-flash", "GOOGLE_API_KEY"),
        ("mistral:mistral-small-latest", "MISTRAL_API_KEY"),
        ("groq:llama-3.3-70b-versatile", "GROQ_API_KEY"),
        ("azure:gpt-5", "AZURE_OPENAI_ENDPOINT"),
    ],
)
async def test_a_missing_key_is_named(spec: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "ANTHROPIC", "GOOGLE", "GEMINI", "MISTRAL", "GROQ", "AZURE_OPENAI"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)
    with pytest.raises(UsageError, match=variable):
        await Judge(spec).verify(PAIRS)


async def test_a_dead_endpoint_is_found_out_soon() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"  # nobody else's meanwhile, and nobody listens
        with metered() as meter, pytest.raises(EndpointDown, match="is down"):
            await Judge(f"openai:stub?retries=20@{url}").verify(PAIRS)
    assert meter.usage.retries < 10


async def test_what_was_judged_before_the_stop_is_kept(server: LLMServer) -> None:
    many = [Pair(Claim(text="The tower is in Paris.", start=0, end=22), SAMPLE) for _ in range(4)]
    server.script.extend(["", ""])
    server.faults = Faults()
    one = judge(server, mode="per-claim", concurrency=1)

    def then_refuse(asked: object) -> str:
        if server.counts.get("ok", 0) == 2:
            server.behaviour.key = "changed"
        return original(asked)  # type: ignore[arg-type]

    original, server.brain = server.brain, then_refuse
    with pytest.raises(StopRun) as raised:
        await one.verify(many)
    outcomes = raised.value.outcomes
    assert [outcome.claim for outcome in outcomes] == [pair.claim for pair in many]
    assert [type(outcome) for outcome in outcomes] == [Verdict, Verdict, Failure, Failure]


async def test_the_evaluator_lets_a_stop_through(server: LLMServer) -> None:
    server.behaviour.key = "none"
    with pytest.raises(EndpointDown):
        await Evaluator(verifier=judge(server)).check(SAMPLE)


PRICES = {"input_price": 1000.0, "output_price": 1000.0}  # a tenth of a cent a token


async def test_costs_are_counted_at_the_given_price(server: LLMServer) -> None:
    with metered() as meter:
        await judge(server, **PRICES).verify(PAIRS)
    usage = meter.usage
    assert usage.cost == pytest.approx((usage.prompt_tokens + usage.completion_tokens) / 1000)


async def test_a_listed_model_has_its_price_and_an_unknown_one_none(
    server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    for model, priced in (("gpt-4o-mini", True), ("somebodys-model", False)):
        with metered() as meter:
            await Judge(f"openai:{model}").verify(PAIRS)
        assert (meter.usage.cost is not None) == priced
        assert meter.usage.prompt_tokens > 0


async def test_the_budget_stops_before_it_is_exceeded(server: LLMServer) -> None:
    one = judge(server, **PRICES)
    with metered() as meter:
        await one.verify(PAIRS)
    price = meter.usage.cost
    assert price is not None
    done = 0

    async def until_stopped() -> None:
        nonlocal done
        for _ in range(10):
            await one.verify(PAIRS)
            done += 1

    with limited(price * 3) as budget, pytest.raises(BudgetReached, match="limit"):
        await until_stopped()
    assert budget is not None
    assert 1 <= done <= 3
    assert budget.spent == pytest.approx(done * price)
    assert budget.spent <= budget.max_cost


async def test_requests_under_way_count_against_the_budget(server: LLMServer) -> None:
    server.behaviour.latency = 0.05
    one = judge(server, **PRICES)
    with metered() as meter:
        await one.verify(PAIRS)
    price = meter.usage.cost
    assert price is not None
    with limited(price * 4) as budget:
        found = await asyncio.gather(*(one.verify(PAIRS) for _ in range(20)), return_exceptions=True)
    assert budget is not None
    assert budget.spent <= budget.max_cost
    assert any(isinstance(item, BudgetReached) for item in found)
    assert any(isinstance(item, list) for item in found)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": -9000, "completion_tokens": -9000, "total_tokens": -18000},
        {"prompt_tokens": 100, "completion_tokens": -9000, "total_tokens": -8900},
        {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None},
        {"prompt_tokens": "many", "completion_tokens": "few", "total_tokens": "some"},
    ],
    ids=str,
)
async def test_the_estimate_is_charged_where_a_reply_has_no_usable_count(server: LLMServer, usage: object) -> None:
    server.behaviour.rewrite = lambda reply: {**reply, "usage": usage}
    one = judge(server, **PRICES)
    with metered() as meter:
        (found,) = await one.verify(PAIRS)
    assert isinstance(found, Verdict), found
    assert meter.usage.prompt_tokens > 50
    assert meter.usage.completion_tokens > 20
    assert meter.usage.cost is not None

    async def until_stopped() -> None:
        for _ in range(10):
            await one.verify(PAIRS)

    with limited(meter.usage.cost * 3) as budget, pytest.raises(BudgetReached, match="limit"):
        await until_stopped()
    assert budget is not None
    assert 0 < budget.spent <= budget.max_cost


async def test_a_budget_needs_a_price(server: LLMServer) -> None:
    with limited(1.0), pytest.raises(UsageError, match="input_price"):
        await judge(server).verify(PAIRS)


def test_one_judge_serves_many_event_loops_and_leaves_nothing_open(server: LLMServer) -> None:
    one = judge(server)
    for _ in range(3):
        assert isinstance(asyncio.run(one.verify(PAIRS))[0], Verdict)
    for _ in range(2):
        assert isinstance(sync.run(one.verify(PAIRS))[0], Verdict)
    sync.run(one.aclose())
    gc.collect()  # a warning of an open socket would fail this test


async def test_the_same_model_shares_its_client(server: LLMServer) -> None:
    assert judge(server).client is judge(server, votes=3).client
    assert judge(server).client is not judge(server, concurrency=2).client


async def test_labels_are_right_for_a_whole_sample(server: LLMServer) -> None:
    result = await Evaluator(verifier=f"openai:stub@{server.url}").check(SAMPLE)
    assert [verdict.label for verdict in result.verdicts] == [Label.SUPPORTED]
    assert result.usage.calls == 1


def test_a_process_that_ends_says_nothing_of_open_connections(server: LLMServer) -> None:
    code = f"""
from faithmeter import check
for _ in range(2):
    result = check("The tower is in Paris.", ["The tower is in Paris."], verifier="openai:stub@{server.url}")
print(result.score)
"""
    done = subprocess.run([sys.executable, "-W", "always", "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("1.0\n", "", 0)
