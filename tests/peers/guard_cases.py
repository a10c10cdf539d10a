"""Clients pointed at the guard's proxy, and the guard as the guardrail of LiteLLM's own proxy."""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from support.chat_model import ChatModel
from support.serving import Served, running, serving, until

from faithmeter.serve.settings import Handling, ProxySettings

CONTEXT = "The Eiffel Tower stands 330 metres tall. The tower opened to the public on 15 May 1889."
GOOD, BAD, LAST = "The Eiffel Tower is 330 metres tall.", "It opened in 1899.", "The tower opened on 15 May 1889."
ANSWER = f"{GOOD} {BAD} {LAST}"
REMOVED = Handling().replacement
KEY = "sk-0123456789abcdef0123456789abcdef0123456789abcdef"
SHOWN = f"{GOOD} {REMOVED} {LAST}"
PROMPT = f"<context>{CONTEXT}</context>\n\nHow tall is the tower, and when did it open?"


@contextmanager
def guarded() -> Iterator[Served]:
    """A model on loopback, and the guard's proxy before it."""
    with running(ChatModel(answer=ANSWER).app) as model:
        endpoint = ProxySettings(url=f"{model.url}/v1")
        with serving(verifiers=("local",), proxy=endpoint) as server:
            yield server


def case_langchain_through_the_proxy() -> str:
    """LangChain (langchain-openai): `ChatOpenAI(base_url="http://GUARD:8000/v1")`, `invoke` and `stream`"""
    from langchain_openai import ChatOpenAI

    with guarded() as server:
        chat = ChatOpenAI(model="loop", base_url=f"{server.url}/v1", api_key="x", max_retries=0)  # type: ignore[arg-type]
        assert chat.invoke(PROMPT).content == SHOWN
        assert "".join(str(chunk.content) for chunk in chat.stream(PROMPT)) == SHOWN
    return "the unfaithful sentence is replaced, whole and streamed"


def case_llama_index_through_the_proxy() -> str:
    """LlamaIndex (llama-index-llms-openai-like): `OpenAILike(api_base="http://GUARD:8000/v1")`, its own prompt for answers from passages"""  # noqa: E501
    from llama_index.core import PromptTemplate
    from llama_index.core.prompts.default_prompts import DEFAULT_TEXT_QA_PROMPT_TMPL
    from llama_index.llms.openai_like import OpenAILike

    prompt = PromptTemplate(DEFAULT_TEXT_QA_PROMPT_TMPL).format(context_str=CONTEXT, query_str="How tall is the tower?")
    with guarded() as server:
        model = OpenAILike(
            model="loop",
            api_base=f"{server.url}/v1",
            api_key="x",
            is_chat_model=True,
            max_retries=0,
            context_window=8000,
        )
        assert str(model.complete(prompt)) == SHOWN
        assert "".join(piece.delta or "" for piece in model.stream_complete(prompt)) == SHOWN
    return "the unfaithful sentence is replaced, whole and streamed; the passages are found in LlamaIndex's prompt"


def _free_port() -> int:
    for port in random.sample(range(20_000, 32_000), 1000):  # those above may be given to anybody in the meantime
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no free port")


@contextmanager
def litellm_proxy(model: str, guard: str, mode: list[str]) -> Iterator[str]:
    """LiteLLM's proxy in a process of its own, before the model, with the guard as its guardrail."""
    config = {
        "model_list": [
            {
                "model_name": "loop",
                "litellm_params": {"model": "openai/loop", "api_base": f"{model}/v1", "api_key": "x"},
            }
        ],
        "guardrails": [
            {
                "guardrail_name": "faithmeter",
                "litellm_params": {
                    "guardrail": "generic_guardrail_api", "mode": mode, "api_base": guard, "default_on": True,
                },
            }
        ],
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        path.write_text(json.dumps(config))  # which is YAML, too
        port = _free_port()
        program = Path(sys.executable).parent / "litellm"
        options = ["--config", path, "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
        with (Path(folder) / "log").open("w+") as log:
            environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            environment["LITELLM_MASTER_KEY"] = KEY
            process = subprocess.Popen(
                [sys.executable, program, *options], stdout=log, stderr=log, cwd=folder, env=environment
            )

            def is_up() -> bool:
                assert process.poll() is None, (Path(folder) / "log").read_text()[-2000:]
                try:
                    return httpx.get(f"http://127.0.0.1:{port}/health/liveliness", timeout=60).status_code == 200
                except httpx.TransportError:
                    return False

            try:
                until(is_up, seconds=400)
                yield f"http://127.0.0.1:{port}"
            finally:
                process.kill()
                process.wait()


def case_litellm_guardrail() -> str:
    """LiteLLM (litellm): its own proxy with `guardrail: generic_guardrail_api`, `mode: [pre_call, post_call]`"""
    body = {"model": "loop", "messages": [{"role": "user", "content": PROMPT}]}
    with running(ChatModel(answer=ANSWER).app) as model, serving(verifiers=("local",)) as guard:
        with litellm_proxy(model.url, guard.url, ["pre_call", "post_call"]) as proxy:
            answer = httpx.post(
                f"{proxy}/v1/chat/completions", json=body, headers={"authorization": f"Bearer {KEY}"}, timeout=300
            )
            assert answer.status_code == 200, answer.text
            assert answer.json()["choices"][0]["message"]["content"] == SHOWN
        metrics = guard.http.get("/metrics").text
        assert 'faithmeter_decisions_total{action="replaced",where="litellm"} 1.0' in metrics
    return "the unfaithful sentence is replaced; request and response are joined by call id"
