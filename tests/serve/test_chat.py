"""What the proxy finds in chat requests: contexts and the question."""

from __future__ import annotations

from typing import Any

import pytest
from support.growth import LINEAR, exponent

from faithmeter.serve.chat import grounds_in, marked_passages

RULE = "-" * 21


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        ("<context>a b</context> what?", ["a b"]),
        ('<document id="1">a</document><Document>b</Document>', ["a", "b"]),
        ("<documents><document>a</document>\n<document>b</document></documents>", ["a", "b"]),
        (
            "<documents><document><source>x.pdf</source><document_content>a</document_content></document></documents>",
            ["x.pdf", "a"],
        ),
        (f"Context information is below.\n{RULE}\na\n\nb\n{RULE}\nGiven the context, answer.", ["a\n\nb"]),
        (f"Read this.\n{RULE}\na\n{RULE}\nb", []),
        ("<context>never closed", []),
        ("</context>a<context>", []),
        ("<context></context>", []),
        ("a < b and c > d; <contextual>x</contextual>", []),
    ],
)
def test_marked_passages(text: str, passages: list[str]) -> None:
    assert marked_passages(text) == passages


def found(*messages: dict[str, Any], **more: Any) -> tuple[list[str], str | None]:
    grounds = grounds_in({"messages": list(messages), **more}, "metadata.docs.*.text")
    return [context.text for context in grounds.contexts], grounds.question


def test_contexts_and_the_question() -> None:
    system = {"role": "system", "content": "Answer from <source>one</source>."}
    user = {"role": "user", "content": f"Context information is below.\n{RULE}\ntwo\n{RULE}\nQuery: Who?\nAnswer: "}
    tool = {"role": "tool", "content": [{"type": "text", "text": "three"}, {"type": "image_url"}]}
    said = {"role": "assistant", "content": "<context>made up</context>"}
    assert found(system, user, said, tool, metadata={"docs": [{"text": "zero"}, {"no": 1}]}) == (
        ["zero", "one", "two", "three"],
        "Who?",
    )
    assert found({"role": "user", "content": "<context>a</context> Why <context>a</context> so?"}) == (
        ["a"],
        "Why   so?",
    )
    assert found("nonsense", {"role": "user"}, {"content": 5}) == ([], None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "piece", ["<context>", "</context>", "<context", f"context\n{RULE}\n", "<document><source>", "Query: a\n"]
)
def test_odd_prompts_take_no_longer_than_their_length_is_worth(piece: str) -> None:
    power, _ = exponent(lambda text: found({"role": "user", "content": text}), piece * 1_000, piece * 4_000)
    assert power < LINEAR
