"""Citation objects of two providers become marks."""

from __future__ import annotations

from faithmeter.data.citation_objects import as_text
from faithmeter.data.datasets import read_data

ANTHROPIC = [
    {"type": "text", "text": "Two facts: "},
    {"type": "text", "text": "The tower is 330 metres tall.",
     "citations": [{"type": "char_location", "document_index": 1, "cited_text": "…"}]},
    {"type": "text", "text": " It opened in 1889."},
]  # fmt: skip
OPENAI = {
    "type": "output_text",
    "text": "The tower is tall. It is old.",
    "annotations": [
        {"type": "file_citation", "index": 18, "file_id": "tower.txt"},
        {"type": "url_citation", "start_index": 19, "end_index": 29, "url": "https://example.org/x"},
    ],
}


def test_anthropics_blocks() -> None:
    assert as_text(ANTHROPIC) == "Two facts: The tower is 330 metres tall. [2] It opened in 1889."


def test_openais_annotations() -> None:
    ids = ["bridge.txt", "tower.txt", "https://example.org/x"]
    assert as_text(OPENAI, ids) == "The tower is tall. [2] It is old. [3]"


def test_what_is_no_block_stays() -> None:
    assert as_text("plain") == "plain"
    assert as_text([1, 2]) == [1, 2]
    assert as_text([{"kind": "image"}]) == [{"kind": "image"}]


def test_rows_may_hold_blocks() -> None:
    row = {"answer": ANTHROPIC, "contexts": [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}]}
    (sample,) = read_data([row])
    assert "[2]" in sample.answer  # type: ignore[union-attr]
