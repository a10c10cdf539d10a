"""Reads a conversation: the last answer, its question, and what the model was given to answer from.

Messages are those of OpenAI's and Anthropic's chat logs, or the message objects of LangChain, LangGraph, LlamaIndex
and Haystack. Tool results and passages that a prompt marks as such are the contexts. Nothing is imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

_ROLES = {
    "human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "model": "assistant",
    "chatbot": "assistant", "system": "system", "developer": "system", "tool": "tool", "function": "tool",
    "aimessagechunk": "assistant", "remove": "system",
}  # fmt: skip
_TEXT_PARTS = {None, "text", "output_text", "input_text"}
_TAGS = "context|contexts|document|documents|passage|passages|source|sources|chunk|excerpt|search_result|search_results"
_TAG = re.compile(rf"<({_TAGS})\b[^<>]*>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_INNER = re.compile(r"<(document_content|content|text|page_content)>", re.IGNORECASE)
# LlamaIndex's own prompt: the contexts between two lines of hyphens.
_RULED = re.compile(r"\bcontext\b[^\n]*\n-{5,}\n(.*?)\n-{5,}\n", re.IGNORECASE | re.DOTALL)
_HEADING = re.compile(r"\A[#*\s]*+(?:contexts?|sources|documents|passages)[*\s]*+:[*\s]*+", re.IGNORECASE)
_AFTER = re.compile(r"\A[#*\s]*+(?:question|query|answer|helpful answer)[*\s]*+:", re.IGNORECASE)
_ASKED = re.compile(r"\A[#*\s]*+(?:question|query)[*\s]*+:[*\s]*+", re.IGNORECASE)
_NEXT = re.compile(r"\A[#*\s]*+\w++[*\s]*+:")


class Message(NamedTuple):
    """What one message says, and what it hands over."""

    role: str
    text: str
    passages: list[Any]
    """Documents of a tool's result, or passages that are blocks of their own."""


def is_message(value: Any) -> bool:
    """Whether something has a role, and could be part of a conversation."""
    if isinstance(value, Mapping):
        return _role_name(value) is not None and ("content" in value or "tool_calls" in value or "parts" in value)
    return not isinstance(value, str | list | tuple) and _role_name(value) is not None and _has_content(value)


def is_conversation(value: Any) -> bool:
    """Whether something is a list of messages."""
    return isinstance(value, list | tuple) and bool(value) and all(map(is_message, value))


def conversation(messages: Sequence[Any]) -> dict[str, Any]:
    """The fields of a sample; a ValueError where there is no answer."""
    read = [_message(item, index) for index, item in enumerate(messages)]
    index = next((index for index in reversed(range(len(read))) if read[index].role != "system"), None)
    if index is None:
        raise ValueError("messages: no answer: there is no message of the assistant")
    last = read[index]
    if last.role != "assistant" or not last.text.strip():
        what = {"user": "from the user", "tool": "a tool's result"}.get(last.role, "without text")
        raise ValueError(f"messages: no answer: the last message is {what}")
    contexts: list[Any] = []
    question: str | None = None
    for message in read[:index]:
        contexts += message.passages
        if message.role == "tool" and message.text.strip() and not message.passages:
            contexts.append(message.text)
        elif message.role in ("user", "system"):
            marked, rest = _marked(message.text)
            contexts += marked
            asked = _section(rest, _ASKED, _NEXT)
            if message.role == "user" and rest.strip():
                question = (rest[slice(*asked[1])] if asked else rest).strip()
    contexts += last.passages
    return {"question": question, "answer": last.text, "contexts": contexts}


def asked_in(messages: Sequence[Any]) -> dict[str, Any]:
    """The question and the contexts of messages whose answer is elsewhere."""
    return conversation([*messages, {"role": "assistant", "content": "."}]) | {"answer": None}


def content_text(content: Any) -> str:
    """The words of a message's content: a text, or a list of parts of which the texts count."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple):
        return "".join(content_text(part) for part in content if _part_kind(part) in _TEXT_PARTS)
    if isinstance(content, Mapping):
        return content_text(content.get("text", content.get("content")))
    text = getattr(content, "text", None)
    return text if isinstance(text, str) else ""


def _message(item: Any, index: int) -> Message:
    name = _role_name(item)
    if name is None:
        raise ValueError(f"messages.{index}: expected a message with a role, found {type(item).__name__}")
    role = _ROLES.get(name.lower())
    if role is None:
        raise ValueError(f"messages.{index}: unknown role {name!r}; known: user, assistant, system, tool")
    content = get(item, "content")
    passages: list[Any] = list(_handed_over(content))
    artifact = get(item, "artifact")  # LangChain: what a retriever's tool gives beside its text
    if role == "tool" and isinstance(artifact, list | tuple) and artifact and all(map(_is_document, artifact)):
        passages = list(artifact)
    for result in get(item, "tool_call_results") or ():  # Haystack
        passages.append(content_text(get(result, "result")))
    text = content_text(content)
    if not text and isinstance(get(item, "text"), str):
        text = get(item, "text")
    return Message(role, text, [passage for passage in passages if not isinstance(passage, str) or passage.strip()])


def _handed_over(content: Any) -> Iterator[Any]:
    """Anthropic's blocks: tool results, search results and documents."""
    if not isinstance(content, list | tuple):
        return
    for part in content:
        kind = _part_kind(part)
        inner = get(part, "content")
        if kind == "tool_result":
            nested = list(_handed_over(inner))
            yield from nested or [content_text(inner)]
        elif kind in ("search_result", "web_search_result"):
            yield {"text": content_text(inner), "id": get(part, "source") or get(part, "url")}
        elif kind == "web_search_tool_result":
            yield from _handed_over(inner)
        elif kind == "document":
            source = get(part, "source")
            text = get(source, "data") if get(source, "type") == "text" else content_text(get(source, "content"))
            if not text:
                raise ValueError("messages: a document block without text; only text and content sources can be read")
            yield {"text": text, "id": get(part, "title")}


def _marked(text: str) -> tuple[list[str], str]:
    """The passages that a prompt marks with tags, rules or a heading, and the rest of it."""
    if _TAG.search(text):
        return [passage for match in _TAG.finditer(text) for passage in _innermost(match[2])], _TAG.sub(" ", text)
    if match := _RULED.search(text):
        whole, inside = match.span(), match.span(1)
    elif headed := _section(text, _HEADING, _AFTER):
        whole, inside = headed
    else:
        return [], text
    passage = text[slice(*inside)].strip()
    return [passage] if passage else [], text[: whole[0]] + "\n" + text[whole[1] :]


def _section(
    text: str, begins: re.Pattern[str], ends: re.Pattern[str]
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where the first section of a kind stands, with its heading and without: up to the line that begins the next."""
    start = inside = -1
    at = 0
    for line in text.splitlines(keepends=True):
        if inside < 0 and (match := begins.match(line)):
            start, inside = at, at + match.end()
        elif inside >= 0 and ends.match(line):
            break
        at += len(line)
    return ((start, at), (inside, at)) if inside >= 0 and text[inside:at].strip() else None


def _innermost(text: str) -> list[str]:
    """The passages in what a tag holds; `<source>` beside a text names it, alone it is the passage."""
    tags = [match for match in _TAG.finditer(text) if not match[1].lower().startswith("source")]
    if not tags and not _TAG.sub("", text).strip():
        tags = list(_TAG.finditer(text))
    inside = [passage for match in tags for passage in _innermost(match[2])]
    inside = inside or list(_inner(text))
    return inside or ([text.strip()] if text.strip() else [])


def _inner(text: str) -> Iterator[str]:
    """What stands between the tags of a document's text; a tag that is never closed is skipped."""
    at, open_ended = 0, set[str]()
    for match in _INNER.finditer(text):
        name = match[1].lower()
        if match.start() < at or name in open_ended:
            continue
        if close := re.compile(rf"</{name}>", re.IGNORECASE).search(text, match.end()):
            yield text[match.end() : close.start()].strip()
            at = close.end()
        else:
            open_ended.add(name)


def _role_name(item: Any) -> str | None:
    """A message's role; LangChain says `type` instead, LlamaIndex and Haystack have an enum."""
    for name in ("role", "type"):
        value = get(item, name)
        value = getattr(value, "value", value)
        if isinstance(value, str) and (name == "role" or value.lower() in _ROLES):
            return value
    return None


def _has_content(item: Any) -> bool:
    return any(hasattr(item, name) for name in ("content", "text", "blocks"))


def _part_kind(part: Any) -> str | None:
    kind = get(part, "type")
    kind = getattr(kind, "value", kind)
    return kind if isinstance(kind, str) else getattr(part, "block_type", None)


def _is_document(value: Any) -> bool:
    return any(hasattr(value, name) for name in ("page_content", "content", "node"))


def get(item: Any, name: str) -> Any:
    """What a dict has under a name, or an object as an attribute; None if it has not."""
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
