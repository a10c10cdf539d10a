"""What a chat request holds for the guard: the contexts, and the question.

Contexts are what tools returned, passages marked in the messages, and whatever lies at the configured path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from faithmeter.datamodels import Context

_TAGS = "contexts?|documents?|passages?|sources?|chunks?|excerpts?|search_results?|retrieved(?:_\\w+)?"
_TAGGED = re.compile(rf"<({_TAGS})\b[^<>]*>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_INNER = re.compile(r"</?(?:document_content|text|content|page_content)>", re.IGNORECASE)
# LlamaIndex's question prompt: "Context information is below.\n-----\n…\n-----\nGiven the context information …"
_RULED = re.compile(r"context[^\n]*\n-{5,}\s*\n(.*?)\n-{5,}\s*\n", re.DOTALL | re.IGNORECASE)
_ASKED = re.compile(r"^(?:query|question):\s*(.+?)\s*(?:^answer:|\Z)", re.DOTALL | re.IGNORECASE | re.MULTILINE)
_TOOLS = ("tool", "function")
_TEXTS = ("text", "content", "page_content")


class Grounds(NamedTuple):
    """What an answer will be held against."""

    contexts: tuple[Context, ...]
    question: str | None


def grounds_in(body: Any, path: str) -> Grounds:
    """The contexts and the question of a chat request."""
    messages = body.get("messages") if isinstance(body, dict) else None
    found = list(_at_path(body, path))
    return grounds_of(messages if isinstance(messages, list) else [], found)


def grounds_of(messages: Sequence[Any], found: Sequence[str] = ()) -> Grounds:
    """The contexts in messages, after those that were `found` elsewhere; and what the last user asked."""
    texts = list(found)
    question: str | None = None
    for message in messages:
        if not isinstance(message, dict):
            continue
        text = text_of(message.get("content"))
        if message.get("role") in _TOOLS:
            texts.append(text)
        elif message.get("role") != "assistant":
            texts += marked_passages(text)
            if message.get("role") == "user":
                question = _without_passages(text) or None
    kept = dict.fromkeys(text for text in texts if text.strip())
    return Grounds(tuple(Context(text=text) for text in kept), question)


def text_of(content: Any) -> str:
    """A message's text: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


def marked_passages(text: str) -> list[str]:
    """The passages that a prompt marks by tags or rules; of tags in tags, the innermost."""
    found: list[str] = []
    for match in _TAGGED.finditer(text):
        inner = marked_passages(match[2])
        found += inner or [_INNER.sub("", match[2]).strip()]
    return found + [match[1].strip() for match in _RULED.finditer(text)]


def _without_passages(text: str) -> str:
    rest = _RULED.sub("\n", _TAGGED.sub(" ", text)).strip()
    asked = _ASKED.search(rest)
    return asked[1].strip() if asked else rest


def _at_path(value: Any, path: str) -> Iterator[str]:
    """The texts at a path such as `metadata.documents.*.text`."""
    if not path:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            for item in value:
                yield from _at_path(item, "")
        elif isinstance(value, dict):
            yield from (value[name] for name in _TEXTS if isinstance(value.get(name), str))
        return
    name, _, rest = path.partition(".")
    if name == "*" and isinstance(value, list):
        for item in value:
            yield from _at_path(item, rest)
    elif isinstance(value, dict) and name in value:
        yield from _at_path(value[name], rest)
