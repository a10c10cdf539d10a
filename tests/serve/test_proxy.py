"""The proxy before a loopback model, driven by the real OpenAI client; and LiteLLM's guardrail."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import openai
import pytest
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from support.chat_model import ChatModel
from support.serving import Served, running, serving, until

from faithmeter.errors import UsageError
from faithmeter.guard import Policy
from faithmeter.serve.settings import Handling, ProxySettings

CONTEXT = "The Eiffel Tower stands 330 metres tall. The tower opened to the public on 15 May 1889."
GOOD, BAD, LAST = "The Eiffel Tower is 330 metres tall.", "It opened in 1899.", "The tower opened on 15 May 1889."
ANSWER = f"{GOOD} {BAD} {LAST}"
REMOVED, MARK = Handling().replacement, Handling().mark
MESSAGES = [
    {"role": "system", "content": "Answer from the passages."},
    {"role": "user", "content": f"<context>{CONTEXT}</context>\n\nHow tall is the tower, and when did it open?"},
]
Start = Callable[..., tuple[ChatModel, Served, openai.OpenAI]]


@pytest.fixture
def start() -> Iterator[Start]:
    """A model, the proxy before it, and OpenAI's client pointed at the proxy."""
    with ExitStack() as stack:

        def begin(*, key: str | None = None, **settings: Any) -> tuple[ChatModel, Served, openai.OpenAI]:
            model = ChatModel(answer=settings.pop("answer", ANSWER), breaks=settings.pop("breaks", ""))
            upstream = stack.enter_context(running(model.app))
            endpoint = ProxySettings(url=f"{upstream.url}/v1", key=key)  # type: ignore[arg-type]
            server = stack.enter_context(serving(**{"verifiers": ("local",), "proxy": endpoint, **settings}))
            client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="callers-own-key-123", max_retries=0)
            stack.callback(client.close)
            return model, server, client

        yield begin


def said(client: openai.OpenAI, **options: Any) -> tuple[str, dict[str, Any], str | None]:
    """A streamed answer: its text, the account in the last chunk, and how it finished."""
    text, account, finish = "", {}, None
    for chunk in client.chat.completions.create(
        model="loop", messages=options.pop("messages", MESSAGES), stream=True, **options
    ):
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
        account = (chunk.model_extra or {}).get("faithmeter") or account
    return text, account, finish


HANDLED = [
    ("release", ANSWER, "released", "stop"),
    ("flag", f"{GOOD} {BAD}{MARK} {LAST}", "flagged", "stop"),
    ("replace", f"{GOOD} {REMOVED} {LAST}", "replaced", "stop"),
    ("end", f"{GOOD} {REMOVED}", "ended", "content_filter"),
]


@pytest.mark.parametrize(("handling", "text", "outcome", "finish"), HANDLED)
def test_an_unfaithful_sentence_is_handled(start: Start, handling: Any, text: str, outcome: str, finish: str) -> None:
    model, server, client = start(handling=Handling(on_unfaithful=handling))
    raw = client.chat.completions.with_raw_response.create(model="loop", messages=MESSAGES)  # type: ignore[arg-type]
    whole = raw.parse()
    assert (whole.choices[0].message.content, whole.choices[0].finish_reason) == (text, finish)
    assert whole.usage is not None
    assert raw.headers["x-faithmeter-outcome"] == outcome
    assert (raw.headers["x-faithmeter-unsupported"], raw.headers["x-faithmeter-contexts"]) == ("1", "1")
    assert (whole.model_extra or {})["faithmeter"]["objections"][0]["claim"] == BAD

    streamed, account, ended = said(client)
    assert (streamed, ended, account["outcome"]) == (text, finish, outcome)
    assert [objection["claim"] for objection in account["objections"]] == [BAD]
    assert account["late"] == []
    assert {body["messages"][1]["content"] for body in model.asked} == {MESSAGES[1]["content"]}
    metrics = server.http.get("/metrics").text
    assert f'faithmeter_decisions_total{{action="{outcome}",where="proxy"}} 2.0' in metrics


def test_a_faithful_answer_passes_to_the_letter(start: Start) -> None:
    answer = f"**The Eiffel Tower**\n\n- {GOOD}\n- {LAST}\n\nLet me know if you have any other questions!\n"
    _, _, client = start(answer=answer)
    text, account, finish = said(client, stream_options={"include_usage": True})
    assert (text, account["outcome"], finish) == (answer, "clean", "stop")
    assert (account["claims"], account["unsupported"], account["score"]) == (3, 0, 1.0)  # the heading is judged


def test_langchain_pointed_at_it(start: Start) -> None:
    _, server, _ = start()
    chat = ChatOpenAI(model="loop", base_url=f"{server.url}/v1", api_key=SecretStr("x"), max_retries=0)
    messages = [(item["role"], item["content"]) for item in MESSAGES]
    assert chat.invoke(messages).content == f"{GOOD} {REMOVED} {LAST}"
    assert "".join(str(chunk.content) for chunk in chat.stream(messages)) == f"{GOOD} {REMOVED} {LAST}"


def test_contexts_come_from_tools_paths_and_marks(start: Start) -> None:
    model, _, client = start()
    asked = {"role": "user", "content": "How tall?"}
    call = {"role": "assistant", "content": None, "tool_calls": []}
    tool = {"role": "tool", "tool_call_id": "t1", "content": [{"type": "text", "text": CONTEXT}]}
    rule = "-" * 21
    ruled = f"Context information is below.\n{rule}\n{CONTEXT}\n{rule}\nQuery: How tall?\nAnswer: "
    for messages, extra in (
        ([asked, call, tool], {}),
        ([{"role": "user", "content": ruled}], {}),
        ([asked], {"faithmeter": {"contexts": [CONTEXT]}}),
        ([asked], {"faithmeter": {"contexts": [{"text": CONTEXT}]}}),
    ):
        text, account, _ = said(client, messages=messages, extra_body=extra)
        assert (text, account["contexts"]) == (f"{GOOD} {REMOVED} {LAST}", 1)
        assert "faithmeter" not in model.asked[-1]


def test_an_answer_without_contexts_is_judged_so_or_passes_unchecked(start: Start) -> None:
    messages = [{"role": "user", "content": "How tall is the tower?"}]
    _, _, client = start()
    assert said(client, messages=messages)[0] == REMOVED
    _, server, client = start(handling=Handling(without_contexts="pass"))
    assert said(client, messages=messages)[0] == ANSWER
    body = {"model": "loop", "messages": messages}
    assert server.post("/v1/chat/completions", body).headers["x-faithmeter-outcome"] == "unchecked"


@pytest.mark.parametrize(
    ("on_failure", "text", "outcome"), [("closed", REMOVED, "replaced"), ("open", ANSWER, "not_judged")]
)
def test_a_verifier_that_fails_is_never_clean(start: Start, on_failure: Any, text: str, outcome: str) -> None:
    _, _, client = start(verifiers=("python:support.serving:dead",), policy=Policy(on_failure=on_failure))
    streamed, account, _ = said(client)
    assert (streamed, account["outcome"], account["not_judged"], account["on_failure"]) == (
        text,
        outcome,
        3,
        on_failure,
    )
    assert account["score"] is None


def test_tool_calls_pass(start: Start) -> None:
    _, _, client = start(breaks="tool")
    chunks = list(client.chat.completions.create(model="loop", messages=MESSAGES, stream=True))  # type: ignore[call-overload]
    order = ["tool" if chunk.choices[0].delta.tool_calls else chunk.choices[0].delta.content for chunk in chunks]
    assert order.index(f" {LAST}") < order.index("tool")
    assert chunks[-1].choices[0].finish_reason == "tool_calls"
    whole = client.chat.completions.create(model="loop", messages=MESSAGES)  # type: ignore[call-overload]
    assert whole.choices[0].message.tool_calls[0].function.name == "search"


@pytest.mark.parametrize("breaks", ["cut", "error", "garbage"])
def test_a_stream_that_breaks_is_an_error_to_the_caller(start: Start, breaks: str) -> None:
    _, server, client = start(breaks=breaks)
    pieces: list[str] = []
    stream = client.chat.completions.create(model="loop", messages=MESSAGES, stream=True)  # type: ignore[call-overload]
    with pytest.raises(openai.APIError, match=r"fell over|broke off|not JSON"):
        pieces.extend(chunk.choices[0].delta.content or "" for chunk in stream)
    assert "".join(pieces) in ("", GOOD)  # nothing that was not judged
    assert server.post("/v1/check", {"answer": "a", "contexts": ["b"]}).status_code == 200
    until(lambda: server.app.state.service.streams == 0)  # the server hears of the end after the caller


def test_the_endpoints_errors_pass_as_they_are(start: Start) -> None:
    _, server, client = start(breaks="status")
    with pytest.raises(openai.RateLimitError, match="slow down") as caught:
        client.chat.completions.create(model="loop", messages=MESSAGES)  # type: ignore[call-overload]
    assert caught.value.response.headers["retry-after"] == "7"
    _, server, client = start(breaks="garbage")
    response = server.post("/v1/chat/completions", {"model": "loop", "messages": MESSAGES})
    assert (response.status_code, response.json()["type"]) == (502, "urn:faithmeter:problem:upstream")


def test_a_dead_endpoint_is_502() -> None:
    with serving(proxy=ProxySettings(url="http://127.0.0.1:9/v1")) as server:
        response = server.post("/v1/chat/completions", {"model": "m", "messages": []})
        assert (response.status_code, response.json()["type"]) == (502, "urn:faithmeter:problem:upstream")
        assert "127.0.0.1" not in response.text


def test_only_the_configured_host_and_path(start: Start) -> None:
    model, server, _ = start(breaks="redirect")
    response = server.post("/v1/chat/completions", {"model": "m", "messages": MESSAGES})
    assert response.status_code == 307  # passed on, not followed
    with httpx.Client(trust_env=False, timeout=120) as raw:
        for path in ("/v1/../admin", "/v1/%2e%2e/admin", "/v1/models/../../x"):
            url = httpx.URL(server.url).copy_with(raw_path=path.encode())
            assert raw.get(url).status_code in (400, 404)
        model.paths.clear()
        raw.get(httpx.URL(server.url).copy_with(raw_path=b"/v1/@evil.example/http://evil.example?x=1"))
        assert model.paths == ["/@evil.example/http://evil.example?x=1"]
    for address in ("ftp://host/v1", "https://", "https://user:pw@host/v1", "https://host/v1?x=1"):
        with pytest.raises(UsageError):
            ProxySettings(url=address)


def test_other_endpoints_are_untouched(start: Start) -> None:
    _, server, _ = start()
    response = server.http.post("/v1/embeddings?a=b%20c", content=b"\x00raw", headers={"x-mine": "1"})
    assert (response.status_code, response.headers["x-own"]) == (207, "yes")
    assert response.json() == {"path": "/v1/embeddings", "body": "\x00raw"}
    assert server.http.get("/v1/check").status_code == 405


def test_keys_stay_where_they_belong(start: Start) -> None:
    own = "the-guards-own-key-0123"
    body = {"model": "m", "messages": MESSAGES}
    model, server, _ = start(keys=(SecretStr(own),))
    assert server.post("/v1/chat/completions", body).status_code == 401
    callers = {"authorization": "Bearer callers-own", "x-faithmeter-key": own}
    assert server.post("/v1/chat/completions", body, headers=callers).status_code == 200
    assert model.headers[-1]["authorization"] == "Bearer callers-own"
    server.post("/v1/chat/completions", body, headers={"authorization": f"Bearer {own}"})
    assert "authorization" not in model.headers[-1]
    assert own not in json.dumps(model.headers)

    model, server, _ = start(keys=(SecretStr(own),), key="the-endpoints-key")
    server.post("/v1/chat/completions", body, headers={"authorization": f"Bearer {own}"})
    assert model.headers[-1]["authorization"] == "Bearer the-endpoints-key"


@pytest.mark.parametrize(
    ("handling", "action", "texts"),
    [
        ("release", "NONE", None),
        ("flag", "GUARDRAIL_INTERVENED", [f"{GOOD} {BAD}{MARK} {LAST}"]),
        ("replace", "GUARDRAIL_INTERVENED", [f"{GOOD} {REMOVED} {LAST}"]),
        ("end", "BLOCKED", None),
    ],
)
def test_litellm_joins_request_and_response(handling: Any, action: str, texts: list[str] | None) -> None:
    path = "/beta/litellm_basic_guardrail_api"
    with serving(verifiers=("local",), handling=Handling(on_unfaithful=handling)) as server:
        asked = {"texts": ["…"], "input_type": "request", "litellm_call_id": "call-1", "structured_messages": MESSAGES}
        assert server.post(path, asked | {"request_data": {"user_api_key_hash": "x"}}).json() == {"action": "NONE"}
        answered = {"texts": [ANSWER], "input_type": "response", "litellm_call_id": "call-1"}
        body = server.post(path, answered).json()
        assert (body["action"], body.get("texts")) == (action, texts)
        if action == "BLOCKED":
            assert BAD in body["blocked_reason"]
        assert server.post(path, answered | {"texts": [GOOD]}).json() == {"action": "NONE"}
        unknown = server.post(path, answered | {"litellm_call_id": "call-2"}).json()
        assert unknown["action"] == "BLOCKED"  # fail closed: nothing is known of its contexts
