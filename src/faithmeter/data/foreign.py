"""What other people's tools hand over, as the fields of a sample: recognised by its shape, with nothing imported.

LangChain and Haystack documents, LlamaIndex nodes and responses, pipeline outputs, dicts that stand for any of
these, conversations. What cannot be understood is a ValueError that says where and what was found.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from faithmeter.data.chat import asked_in, content_text, conversation, get, is_conversation, is_message
from faithmeter.data.jsonl import shown
from faithmeter.errors import DataError, first_problem

# What the fields are called by faithmeter, ragas, continuous-eval, rag_evals, RagaliQ, DeepEval, LangChain,
# LlamaIndex and Haystack. The first name that a row has counts: DeepEval's rows have `context` (the ideal) beside
# `retrieval_context` (what was retrieved), so the exact names come before the vague ones.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "answer": ("answer", "response", "actual_output", "result", "output", "completion"),
    "contexts": (
        "contexts", "retrieved_contexts", "retrieval_context", "source_documents", "source_nodes", "context",
        "documents",
    ),
    "question": ("question", "user_input", "query", "input"),
    "id": ("id", "sample_id"),
    "history": ("history",),
    "metadata": ("metadata",),
}  # fmt: skip

M = TypeVar("M", bound=BaseModel)
MESSAGES = "messages"
_TEXTS = ("text", "page_content", "content")
_PASSAGE = {"text", "id"}
_NAMES = ("id", "id_", "node_id", "doc_id", "document_id")
_SOURCES = ("source", "file_path", "file_name", "url")  # in metadata: what a document is known by, where it has no id


def fields(value: Any) -> dict[str, Any]:
    """A row as a dict of columns, conversations and pipeline outputs taken apart."""
    if isinstance(value, dict) and type(value) is not dict:  # a row of a CSV file
        cell = value.get(MESSAGES)
        if isinstance(cell, str) and not any_of(value, "answer"):
            return type(value)(value, **without_none(conversation(_decoded(cell))))
        return value
    if is_conversation(value):
        return without_none(conversation(value))
    if isinstance(value, Mapping):
        return _columns(dict(value))
    if hasattr(value, "source_nodes"):  # LlamaIndex's Response, also when it was streamed
        return {"answer": _streamed(value), "contexts": list(value.source_nodes)}
    if hasattr(value, "data") and hasattr(value, "documents") and hasattr(value, "query"):  # Haystack's GeneratedAnswer
        return {"question": value.query or None, "answer": value.data, "contexts": list(value.documents)}
    if isinstance(value, BaseModel):
        return _columns(dict(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _columns({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    raise ValueError(f"expected an object, found {shown(value)}")


def named_fields(value: Any) -> dict[str, Any]:
    """The fields of a sample that something holds, under the names that ours have."""
    row = fields(value)
    return without_none({field: first_of(row, *names) for field, names in ALIASES.items()})


def made(model: type[M], value: Any, fields: Mapping[str, Any]) -> M:
    """A sample of what something holds, with fields added or replaced; what is wrong is a DataError."""
    given = without_none(fields)
    if isinstance(value, model):
        return model.model_validate({**value.__dict__, **given}) if given else value
    try:
        return model.model_validate(named_fields(value) | given)
    except ValidationError as error:
        raise DataError(f"no sample: {problem_of(error)}") from None
    except ValueError as error:
        raise DataError(f"no sample: {error}") from None


def checked_contexts(value: Any) -> list[Any]:
    """The passages of a field; what is wrong is an error of pydantic's, which says so in our words."""
    try:
        return contexts(value)
    except ValueError as error:
        raise PydanticCustomError("foreign", "{problem}", {"problem": str(error)}) from None


def contexts(value: Any) -> list[Any]:
    """The passages of a field: strings and documents, each as a string or as `{text, id}`."""
    if isinstance(value, str) or _is_document(value):
        value = [value]
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise ValueError(f"contexts: expected a list of texts or documents, found {shown(value)}")
    return [passage(item, f"contexts.{index}") for index, item in enumerate(value)]


def passage(item: Any, where: str = "contexts") -> Any:
    """A text, or a document as `{text, id}`; a ValueError if there is no text in it."""
    if isinstance(item, str) or (type(item) is dict and item.keys() <= _PASSAGE):
        return item
    node = getattr(item, "node", None)  # LlamaIndex's NodeWithScore
    if node is None and isinstance(item, Mapping) and isinstance(item.get("node"), Mapping):
        node = item["node"]
    if node is not None:
        return passage(node, where)
    if isinstance(item, Mapping):
        if isinstance(item.get("document"), Mapping):  # a retriever's hit around its document
            return passage(item["document"], where)
        return _document(where, item, {name: item[name] for name in _TEXTS if item.get(name) is not None})
    get_content = getattr(item, "get_content", None)
    texts = {"text": get_content()} if callable(get_content) else {}
    if not texts:
        texts = {name: text for name in _TEXTS if (text := getattr(item, name, None)) is not None}
    if not texts and not _is_document(item):
        raise ValueError(f"{where}: expected a text or a document, found {shown(item)}")
    return _document(where, item, texts)


def text(value: Any, where: str = "answer") -> Any:
    """The words of an answer or a question: a text, a message, a model's reply, a list of one reply."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and len(value) == 1:
        return text(value[0], where)
    if is_conversation(value) and where == "answer":
        return conversation(value)["answer"]
    if isinstance(value, list | tuple) and value and all(map(_is_part, value)):
        return content_text(value)
    if isinstance(value, Mapping):
        for name in ("choices", "message", "content", "text", "output_text", "answer", "result", "output"):
            if value.get(name) is not None:
                return text(value[name], where)
    elif is_message(value):
        return content_text(getattr(value, "content", None)) or getattr(value, "text", None)
    else:
        for name in ("choices", "message", "output_text", "content", "response", "data", "text"):
            if (inner := getattr(value, name, None)) is not None and not callable(inner):
                return text(inner, where)
    return value


def problem_of(error: ValidationError) -> str:
    """What is wrong with a row, in one line: where, what, and what was found."""
    detail = error.errors(include_url=False)[0]
    if detail["type"] == "foreign":
        return detail["msg"]
    if detail["type"] == "missing":
        return f"no {'.'.join(map(str, detail['loc']))}"
    return f"{first_problem(error)}, found {shown(detail['input'])}"


def _columns(row: dict[str, Any]) -> dict[str, Any]:
    """A dict's columns; what a conversation or a pipeline's output holds is filled in where there is no column."""
    if is_message(row) and not any_of(row, "contexts"):
        raise ValueError("a message, no conversation; give conversations, each a list of messages")
    messages = row.get(MESSAGES)
    if isinstance(messages, list | tuple):
        if not any_of(row, "answer"):
            return _filled(row, conversation(messages))
        if not any_of(row, "contexts") or not any_of(row, "question"):
            return _filled(row, asked_in(messages))
        return row
    if _is_pipeline_output(row):
        return _pipeline_output(row)
    return row


def _filled(row: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    return row | {name: value for name, value in without_none(given).items() if not any_of(row, name)}


def without_none(given: Mapping[str, Any]) -> dict[str, Any]:
    """Only the fields that say something."""
    return {name: value for name, value in given.items() if value is not None}


def any_of(row: Mapping[str, Any], field: str) -> bool:
    """Whether a row has a field, whatever it is called there."""
    return first_of(row, *ALIASES[field]) is not None


def first_of(row: Mapping[str, Any], *names: str) -> Any:
    """What a row has under the first of these names that says something; None if none does."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def _is_pipeline_output(row: Mapping[str, Any]) -> bool:
    """Haystack's: a dict of components, each with a dict of what it gave."""
    known = {"replies", "documents", "answers", "messages", "last_message"}
    if any(any_of(row, field) for field in ("answer", "contexts")):
        return "replies" in row
    parts = [part for part in row.values() if isinstance(part, Mapping)]
    return bool(parts) and any(known & set(part) for part in parts)


def _pipeline_output(row: Mapping[str, Any]) -> dict[str, Any]:
    parts = [row, *(part for part in row.values() if isinstance(part, Mapping))]
    output: dict[str, Any] = {}
    for part in parts:
        answers = part.get("answers")
        if isinstance(answers, list | tuple) and answers:
            if len(answers) > 1:
                raise ValueError(f"{len(answers)} answers in one row; give each a row of its own")
            return without_none(fields(answers[0]))
    for part in parts:
        replies = part.get("replies")
        if isinstance(replies, list | tuple) and replies:
            if len(replies) > 1:
                raise ValueError(f"{len(replies)} replies in one row; give each a row of its own")
            output["answer"] = replies[0]
        if isinstance(part.get("documents"), list | tuple):
            output["contexts"] = list(part["documents"])  # the last component's: a ranker comes after its retriever
        asked = part.get("query", part.get("question"))
        if isinstance(asked, str):
            output["question"] = asked
    kept = {name: row[name] for field in ("question", "id", "metadata") for name in ALIASES[field] if name in row}
    return {**kept, **output}


def _document(where: str, item: Any, candidates: dict[str, Any]) -> dict[str, Any]:
    texts = {name: content_text(value) if isinstance(value, list) else value for name, value in candidates.items()}
    wrong = next((value for value in texts.values() if not isinstance(value, str)), None)
    if wrong is not None:
        raise ValueError(f"{where}: expected text, found {shown(wrong)}")
    if not any(map(str.strip, texts.values())):
        raise ValueError(f"{where}: a document without text, found {shown(item)}")
    if len(set(texts.values())) > 1:
        raise ValueError(f"{where}: which is the text, {' or '.join(map(repr, texts))}?")
    return {"text": next(iter(texts.values())), "id": _name(item)}


def _name(item: Any) -> str | None:
    """What a document is known by: its id, or where its metadata says it is from."""
    for name in _NAMES:
        value = get(item, name)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return str(value)
    metadata = get(item, "metadata") or get(item, "meta")
    if isinstance(metadata, Mapping):
        for name in ("id", *_SOURCES):
            if isinstance(metadata.get(name), str | int) and metadata[name] != "":
                return str(metadata[name])
    return None


def _is_document(value: Any) -> bool:
    """Whether something is one document, rather than a list of them."""
    if isinstance(value, Mapping):
        return any(name in value for name in (*_TEXTS, "node", "document"))
    if isinstance(value, Sequence):
        return False
    return any(hasattr(value, name) for name in (*_TEXTS, "get_content", "node"))


def _is_part(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("type"), str) and "role" not in value


def _streamed(response: Any) -> Any:
    """The words of a LlamaIndex response; a stream is read to its end."""
    if getattr(response, "response", None) is None and callable(getattr(response, "get_response", None)):
        return response.get_response().response
    return response.response


def _decoded(cell: str) -> Any:
    try:
        messages = json.loads(cell)
    except (ValueError, RecursionError):
        messages = None
    if not is_conversation(messages):
        raise ValueError(f"messages: expected a JSON list of messages, found {shown(cell)}")
    return messages
