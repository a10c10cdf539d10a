"""Conversations: one sample for each turn of the assistant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from faithmeter.data.citation_objects import as_text
from faithmeter.datamodels import Context, Sample


class EvidenceOfTurns(NamedTuple):
    """What else a turn of a conversation may rest on, by the user's choice; by default only its own contexts."""

    earlier_contexts: bool = False
    """The contexts of the turns before."""
    history: bool = False
    """What was said before, by the user and the assistant."""


OWN = EvidenceOfTurns()
"""A turn rests on its own contexts alone."""


def is_conversation(row: Mapping[str, Any]) -> bool:
    """Whether a row is a chat log rather than one answer: `messages`, each with a role and content."""
    messages = row.get("messages")
    if not isinstance(messages, list) or row.get("answer") is not None or not messages:
        return False
    return all(isinstance(message, Mapping) and "role" in message and "content" in message for message in messages)


def turns(row: Mapping[str, Any], *, earlier: bool = False) -> Iterator[dict[str, Any]]:
    """A row for each turn of the assistant that has contexts, with what was said before it as its history.

    The contexts of a turn are those of its own message, of the user's message before it, and what tools gave back
    in between; `earlier` adds those of the turns before. A conversation with `contexts` of its own has them in every
    turn. A turn without contexts is no answer from sources, and is left out.
    """
    name = str(row.get("id") or "")
    shared = _listed(row.get("contexts"))
    before: list[Any] = []
    history: list[dict[str, str]] = []
    waiting: list[Any] = []
    question: str | None = None
    turn = 0
    for message in row["messages"]:
        role, text = str(message["role"]), as_text(message["content"])
        waiting += _listed(message.get("contexts") or message.get("context"))
        if role in ("tool", "function") and isinstance(text, str):
            waiting.append(text)
        elif role == "user" and isinstance(text, str):
            if question is not None:
                history.append({"role": "user", "text": question})
            question = text
        elif role == "assistant" and isinstance(text, str) and text.strip():
            turn += 1
            contexts = [*shared, *(before if earlier else ()), *waiting]
            if contexts:
                fields = {"question": question, "answer": text, "contexts": contexts, "history": list(history)}
                about = {"metadata": {"conversation": name, "turn": turn}} | ({"id": f"{name}/{turn}"} if name else {})
                yield fields | about
            before += waiting
            waiting = []
            history += [{"role": "user", "text": question}] if question else []
            history.append({"role": "assistant", "text": text})
            question = None


def with_history(sample: Sample) -> Sample:
    """The sample with what was said before it as further contexts, each named for its position: `history 2 (user)`."""
    said = tuple(
        Context(id=f"history {number} ({turn.role})", text=turn.text) for number, turn in enumerate(sample.history, 1)
    )
    return sample.model_copy(update={"contexts": (*sample.contexts, *said)}) if said else sample


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value] if value else []
