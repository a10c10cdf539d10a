"""Answers that come with citation objects, as Anthropic and OpenAI give them, as text with marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def as_text(answer: Any, ids: Sequence[str | None] = ()) -> Any:
    """The text of a list of content blocks, with a mark `[n]` for each citation; anything else as it is.

    A citation names its document by index (Anthropic) or by a file's id, name or address (OpenAI), which is looked up
    among the contexts' ids; one that names no context keeps its name, so that it is found to be unknown.
    """
    blocks = [answer] if isinstance(answer, Mapping) else answer
    if not isinstance(blocks, list) or not blocks or not all(isinstance(block, Mapping) for block in blocks):
        return answer
    if not any(isinstance(block.get("text"), str) for block in blocks):
        return answer
    return "".join(_block(block, ids) for block in blocks if isinstance(block.get("text"), str))


def _block(block: Mapping[str, Any], ids: Sequence[str | None]) -> str:
    text: str = block["text"]
    cited = [_context_number(item, ids) for item in block.get("citations") or () if isinstance(item, Mapping)]
    if cited:
        return _marked(text, len(text), list(dict.fromkeys(cited)))
    placed: dict[int, list[str]] = {}
    for item in block.get("annotations") or ():
        if isinstance(item, Mapping):
            inner = item.get(str(item.get("type")))
            fields = {**item, **inner} if isinstance(inner, Mapping) else item
            end = fields.get("end_index", fields.get("index", len(text)))
            offset = end if isinstance(end, int) and 0 <= end <= len(text) else len(text)
            placed.setdefault(offset, []).append(_context_number(fields, ids))
    for offset in sorted(placed, reverse=True):
        text = _marked(text, offset, list(dict.fromkeys(placed[offset])))
    return text


def _marked(text: str, offset: int, names: list[str]) -> str:
    """A text with marks at an offset, before the space and the stop there."""
    head, tail = text[:offset], text[offset:]
    bare = head.rstrip()
    space = head[len(bare) :]
    return f"{bare} {''.join(f'[{name}]' for name in names)}{space}{tail}"


def _context_number(item: Mapping[str, Any], ids: Sequence[str | None]) -> str:
    index = item.get("document_index", item.get("search_result_index"))
    if isinstance(index, int):
        return str(index + 1)
    for key in ("file_id", "filename", "url", "title", "source", "document_title"):
        name = item.get(key)
        if isinstance(name, str) and name in ids:
            return str(list(ids).index(name) + 1)
    return "999"  # of no context: found to be unknown
