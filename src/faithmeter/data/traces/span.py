"""A step of a trace, as faithmeter needs it: what it is, what went in, what came out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from faithmeter.data.chat import asked_in, conversation, is_conversation
from faithmeter.data.foreign import ALIASES, passage, text

Kind = Literal["retriever", "reranker", "tool", "llm", "agent", "chain", "evaluator", "other"]

KINDS: Mapping[str, Kind] = {
    "retriever": "retriever", "retrieval": "retriever", "reranker": "reranker", "tool": "tool", "execute_tool": "tool",
    "llm": "llm", "chat_model": "llm", "chat": "llm", "generation": "llm", "generate_content": "llm",
    "text_completion": "llm", "agent": "agent", "invoke_agent": "agent", "chain": "chain", "workflow": "chain",
    "task": "chain", "span": "chain", "unknown": "chain", "invoke_workflow": "chain", "evaluator": "evaluator",
    "embedding": "other", "embeddings": "other", "guardrail": "other", "parser": "other", "prompt": "other",
    "event": "other",
}  # fmt: skip
_RETRIEVES = re.compile(r"retriev", re.IGNORECASE)
_WRAPPERS = ("output", "outputs", "result", "results", "return", "input", "inputs", "kwargs", "args")


@dataclass(slots=True)
class Span:
    """One step of one trace."""

    system: str
    trace: str
    id: str
    parent: str | None
    name: str
    kind: Kind
    start: int = 0
    end: int = 0
    input: Any = None
    output: Any = None
    documents: list[Any] | None = None
    """What it retrieved, each as foreign.passage takes it; None if it retrieves nothing, or did not record it."""
    reranked: list[Any] | None = None
    """Of a reranker: what it was given."""
    messages: list[Any] = field(default_factory=list)
    """Of an LLM: what it was given."""
    reply: list[Any] = field(default_factory=list)
    """Of an LLM: its messages."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What a later push of the score needs beside the ids."""


def kind_of(word: Any, name: str) -> Kind:
    """The kind of a step by the word that its system has for it; a plain step that says it retrieves does."""
    kind = KINDS.get(str(word or "").lower().rpartition(".")[2], "chain")
    return "retriever" if kind == "chain" and _RETRIEVES.search(name) and not word_is_chain(word) else kind


def word_is_chain(word: Any) -> bool:
    """Whether a system with kinds for everything has said that a step is a chain, whatever its name is."""
    return str(word or "").lower() in ("chain", "workflow", "agent")


def unwrapped(value: Any) -> Any:
    """LangChain's `{"lc": 1, "id": […, "AIMessage"], "kwargs": {…}}` as the object that it stands for."""
    if isinstance(value, list | tuple):
        return [unwrapped(item) for item in value]
    if isinstance(value, Mapping):
        if value.get("lc") and isinstance(value.get("kwargs"), Mapping):
            kind = str((value.get("id") or [""])[-1])
            inner = {name: unwrapped(item) for name, item in value["kwargs"].items()}
            role = kind.removesuffix("Chunk").removesuffix("Message").lower()
            return {"type": role, **inner} if role in ("ai", "human", "system", "tool", "function") else inner
        return {name: unwrapped(item) for name, item in value.items()}
    return value


def documents_in(value: Any) -> list[Any] | None:
    """The documents of a retriever's output; None where it has recorded none."""
    if isinstance(value, Mapping):
        for name in (*ALIASES["contexts"], *_WRAPPERS):
            if value.get(name) is not None:
                return documents_in(value[name])
    if isinstance(value, str):
        return [value] if value.strip() else None
    if isinstance(value, list | tuple):
        return list(value)
    return None if value is None else [value]


def passages(documents: list[Any], span: Span) -> Iterator[Any]:
    """The texts of what a step retrieved; a ValueError names the step and what is wrong."""
    for index, item in enumerate(documents):
        yield passage(item, f"{span.kind} {span.name!r}: documents.{index}")


def answer_in(value: Any) -> Any:
    """The words of an answer, wherever a chain has put them; what is no text comes back as it is."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for name in (*ALIASES["answer"], "messages", "replies", "reply", "output_text", "choices", "generations"):
            if value.get(name):
                return answer_in(value[name])
        if len(value) == 1 and isinstance(lone := next(iter(value.values())), str | Mapping):
            return answer_in(lone)
    if is_conversation(value):
        return conversation(value)["answer"]
    if isinstance(value, list) and len(value) == 1:
        return answer_in(value[0])
    return text(value)


def question_in(value: Any) -> str | None:
    """What was asked, if what went in says so."""
    if isinstance(value, str):
        return value.strip() or None
    if is_conversation(value):
        question = asked_in(value)["question"]
        return question if isinstance(question, str) else None
    if isinstance(value, Mapping):
        for name in (*ALIASES["question"], "messages", "prompt", *_WRAPPERS):
            if value.get(name) and (asked_for := question_in(value[name])):
                return asked_for
        if len(value) == 1:
            return question_in(next(iter(value.values())))
    if isinstance(value, list | tuple) and len(value) == 1:
        return question_in(value[0])
    return None
