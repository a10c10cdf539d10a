"""What a chat request holds for the guard: the contexts, and the question.

Contexts are what tools returned, passages marked in the messages, and whatever lies at the configured path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from faithmeter.datamodels import Context

_TAG = re.compile(
    r"<(/?)(contexts?|documents?|passages?|sources?|chunks?|excerpts?|search_results?|document_contents?|retrieved\w{0,30})\b[^<>]{0,500}>",
    re.IGNORECASE,
)
_INNER = re.compile(r"</?(?:text|content|page_content)>", re.IGNORECASE)
_RULE = re.compile(r"^-{5,}[ \t]*$", re.MULTILINE)
_ASKS = re.compile(r"^(?:query|question):", re.IGNORECASE | re.MULTILINE)
_ANSWERS = re.compile(r"^answer:", re.IGNORECASE | re.MULTILINE)
_TOOLS = ("tool", "function")
_TEXTS = ("text", "content", "page_content")


class Grounds(NamedTuple):
    """What an answer will be held against."""

    contexts: tuple[Context, ...]
    question: str | None


def grounds_in(body: Any, path: str) -> Grounds:
    """The contexts and the question of a chat request."""
    messages = body.get("messages") if isinstance(body, dict) else None
    elsewhere = list(_at_path(body, path))
    return grounds_of(messages if isinstance(messages, list) else [], elsewhere)


def grounds_of(messages: Sequence[Any], elsewhere: Sequence[str] = ()) -> Grounds:
    """The contexts in messages, after the texts found `elsewhere`; and what the last user asked."""
    texts = list(elsewhere)
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
    passages = (_INNER.sub("", text[inner:stop]).strip() for _, inner, stop, _ in _marks(text) if inner >= 0)
    return [passage for passage in passages if passage]


def _marks(text: str) -> list[tuple[int, int, int, int]]:
    """Where marks begin, what they hold begins and ends, and they end; in time that the text's length is worth.

    What holds other marks counts as marked, too, but has no inner part of its own: -1.
    """
    marks: list[tuple[int, int, int, int]] = []
    opened: list[tuple[str, re.Match[str], bool]] = []
    depth: dict[str, int] = {}
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if not tag[1]:
            if opened:
                opened[-1] = (*opened[-1][:2], True)
            opened.append((name, tag, False))
            depth[name] = depth.get(name, 0) + 1
        elif depth.get(name):
            while opened:
                other, match, holds = opened.pop()
                depth[other] -= 1
                if other == name:
                    inner, stop = (-1, -1) if holds else (match.end(), tag.start())
                    marks.append((match.start(), inner, stop, tag.end()))
                    break
    return [*marks, *_between_rules(text)]


def _between_rules(text: str) -> Iterator[tuple[int, int, int, int]]:
    """LlamaIndex's way: "Context information is below.", a rule, the contexts, a rule."""
    rules = list(_RULE.finditer(text))
    index = 0
    while index + 1 < len(rules):
        first, second = rules[index], rules[index + 1]
        line = text[text.rfind("\n", 0, max(0, first.start() - 1)) + 1 : first.start()]
        if "context" in line.lower():
            yield first.start(), first.end(), second.start(), second.end()
            index += 1
        index += 1


def _without_passages(text: str) -> str:
    """What is left of a prompt without its passages: the question, if it is marked as one."""
    kept, at = [], 0
    for start, _, _, end in sorted(_marks(text)):
        if start >= at:
            kept.append(text[at:start])
            at = end
    rest = " ".join([*kept, text[at:]]).strip()
    asked = _ASKS.search(rest)
    if not asked:
        return rest
    answered = _ANSWERS.search(rest, asked.end())
    return rest[asked.end() : answered.start() if answered else len(rest)].strip()


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
