"""The providers' protocols, as `llm_server` speaks them: how a request is read, and a reply written."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from support.llm_brain import Asked


@dataclass
class Behaviour:
    """What the endpoint is like, beside its faults."""

    latency: float = 0.0
    """Seconds until it answers."""
    gather: int = 0
    """Nobody is answered until so many requests were under way at once."""
    retry_after: str | None = "0"
    """The header of a 429; None: no header."""
    key: str | None = None
    """The key it wants; a request without it is answered 401, with the key that was sent in the message."""
    rejects: tuple[str, ...] = ()
    """Fields of the body that it answers 400 to; `json_schema` and `json_object` are kinds of response_format."""
    window: int = 10**9
    """Characters of a prompt above which it says that it does not fit."""
    dress: Callable[[str], str] = str
    """What a reply is wrapped in, e.g. a Markdown fence; harmless to a good reader."""
    rewrite: Callable[[dict[str, Any]], Any] = dict
    """What is done to a whole reply before it is sent, e.g. taking out its usage."""
    redirect: str | None = None
    """An address, without a path, that every request is sent on to with a 307."""
    label_probability: float = 0.9
    """What the chosen label's log-probability says."""


def _tokens(text: str) -> int:
    return len(text) // 4 + 1


def _sent(asked: Asked) -> int:
    return asked.size // 4 + 1


def _told_apart(messages: Iterable[tuple[str, str]]) -> tuple[str, list[tuple[str, str]]]:
    """What is asked now, and what was asked and answered before, of messages as (role, text)."""
    user, turns = "", []
    for role, text in messages:
        if role == "user":
            user += text
        else:
            turns.append((user, text))
            user = ""
    return user, turns


@dataclass
class ChatCompletions:
    """Chat completions: OpenAI, Azure, Mistral, Groq, vLLM, Ollama, llama.cpp."""

    seen: int = field(default=0)

    def read(self, body: dict[str, Any]) -> Asked:
        system, said = "", []
        for message in body["messages"]:
            content = message["content"]
            if isinstance(content, list):
                content = "".join(part.get("text", "") for part in content)
            if message["role"] in ("system", "developer"):
                system += content
            else:
                said.append((message["role"], content))
        user, turns = _told_apart(said)
        schema = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
        return Asked(system, user, schema, body, turns)

    def write(self, asked: Asked, text: str, finish: str, behaviour: Behaviour) -> dict[str, Any]:
        self.seen += 1
        choice: dict[str, Any] = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": finish,
            "logprobs": _logprobs(text, behaviour.label_probability) if asked.body.get("logprobs") else None,
        }
        prompt = _sent(asked) + _tokens(json.dumps(asked.schema) if asked.schema else "")
        completion = _tokens(text)
        return {
            "id": f"chatcmpl-{self.seen}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": asked.body.get("model", "stub"),
            "choices": [choice],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
            },
        }


def _logprobs(text: str, probability: float) -> dict[str, Any]:
    """Tokens of a few letters; where a label begins, the rest of the probability goes to another label."""
    tokens: list[dict[str, Any]] = []
    for piece in re.findall(r'"|[a-z]{1,5}|[^"a-z]+?', text):
        at = "".join(token["token"] for token in tokens)
        top = [{"token": piece, "logprob": 0.0}]
        if re.search(r'"label": "$', at):
            other = "not" if piece == "suppo" else "suppo"
            top = [
                {"token": piece, "logprob": math.log(probability)},
                {"token": other, "logprob": math.log(1 - probability)},
            ]
        tokens.append({"token": piece, "logprob": top[0]["logprob"], "bytes": None, "top_logprobs": top})
    return {"content": [{**t, "top_logprobs": [{**x, "bytes": None} for x in t["top_logprobs"]]} for t in tokens]}


class Responses:
    """OpenAI's Responses."""

    def read(self, body: dict[str, Any]) -> Asked:
        user, turns = _told_apart(
            (item["role"], item["content"] if isinstance(item["content"], str) else item["content"][0]["text"])
            for item in body["input"]
            if item.get("role") in ("user", "assistant")
        )
        system = body.get("instructions") or "".join(
            item["content"] for item in body["input"] if item.get("role") in ("system", "developer")
        )
        return Asked(system, user, (body.get("text") or {}).get("format", {}).get("schema"), body, turns)

    def write(self, asked: Asked, text: str, finish: str, behaviour: Behaviour) -> dict[str, Any]:
        prompt, completion = _sent(asked), _tokens(text)
        content = [{"type": "output_text", "text": text, "annotations": []}]
        message = {"type": "message", "id": "m1", "status": "completed", "role": "assistant", "content": content}
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1_700_000_000,
            "model": asked.body["model"],
            "status": "completed" if finish == "stop" else "incomplete",
            "incomplete_details": None if finish == "stop" else {"reason": "max_output_tokens"},
            "output": [message],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": {
                "input_tokens": prompt,
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens": completion,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": prompt + completion,
            },
        }


class Anthropic:
    """Anthropic's messages."""

    def read(self, body: dict[str, Any]) -> Asked:
        system = body.get("system") or ""
        if isinstance(system, list):
            system = "".join(block["text"] for block in system)
        user, turns = _told_apart(
            (
                message["role"],
                message["content"]
                if isinstance(message["content"], str)
                else "".join(block.get("text", "") for block in message["content"]),
            )
            for message in body["messages"]
        )
        form = body.get("output_config", {}).get("format") or body.get("output_format") or {}
        return Asked(system, user, form.get("schema"), body, turns)

    def write(self, asked: Asked, text: str, finish: str, behaviour: Behaviour) -> dict[str, Any]:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": asked.body["model"],
            "content": [{"type": "text", "text": text}],
            "stop_reason": {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}[finish],
            "stop_sequence": None,
            "usage": {"input_tokens": _sent(asked), "output_tokens": _tokens(text)},
        }


class Google:
    """Google's generateContent."""

    def read(self, body: dict[str, Any]) -> Asked:
        system = "".join(part["text"] for part in body.get("systemInstruction", {}).get("parts", []))
        user, turns = _told_apart(
            (content.get("role", "user"), "".join(part["text"] for part in content["parts"]))
            for content in body["contents"]
        )
        config = body.get("generationConfig", {})
        return Asked(system, user, config.get("responseJsonSchema") or config.get("responseSchema"), body, turns)

    def write(self, asked: Asked, text: str, finish: str, behaviour: Behaviour) -> dict[str, Any]:
        reason = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}[finish]
        return {
            "candidates": [
                {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": reason, "index": 0}
            ],
            "usageMetadata": {
                "promptTokenCount": _sent(asked),
                "candidatesTokenCount": _tokens(text),
                "totalTokenCount": _sent(asked) + _tokens(text),
            },
            "modelVersion": "stub",
        }


class Bedrock:
    """Bedrock's converse."""

    def read(self, body: dict[str, Any]) -> Asked:
        system = "".join(block.get("text", "") for block in body.get("system", []))
        user, turns = _told_apart(
            (message["role"], "".join(block.get("text", "") for block in message["content"]))
            for message in body["messages"]
        )
        return Asked(system, user, None, body, turns)

    def write(self, asked: Asked, text: str, finish: str, behaviour: Behaviour) -> dict[str, Any]:
        prompt, completion = _sent(asked), _tokens(text)
        reason = {"stop": "end_turn", "length": "max_tokens", "content_filter": "guardrail_intervened"}[finish]
        return {
            "output": {"message": {"role": "assistant", "content": [{"text": text}]}},
            "stopReason": reason,
            "usage": {"inputTokens": prompt, "outputTokens": completion, "totalTokens": prompt + completion},
            "metrics": {"latencyMs": 1},
        }
