"""Chat logs become one sample for each turn of the assistant."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from faithmeter import Sample, Turn
from faithmeter.cli import main
from faithmeter.data.conversations import EvidenceOfTurns, turns
from faithmeter.data.datasets import read_data, read_samples
from faithmeter.evidence.passages import antecedent

CHAT = {
    "id": "c1",
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "How tall is the Eiffel Tower?"},
        {"role": "assistant", "content": "It is 330 metres tall.", "contexts": ["The tower is 330 metres tall."]},
        {"role": "user", "content": "And when did it open?"},
        {"role": "tool", "content": "The tower opened in 1889."},
        {"role": "assistant", "content": "In 1889."},
        {"role": "user", "content": "Thanks!"},
        {"role": "assistant", "content": "You are welcome."},
    ],
}


def test_each_turn_has_its_contexts_and_its_history() -> None:
    first, second = list(read_data([CHAT]))  # type: ignore[arg-type]
    assert isinstance(first, Sample)
    assert isinstance(second, Sample)
    assert (first.id, second.id) == ("c1/1", "c1/2")
    assert (first.history, second.question) == ((), "And when did it open?")
    assert second.history[0] == Turn(role="user", text="How tall is the Eiffel Tower?")
    assert [context.text for context in second.contexts] == ["The tower opened in 1889."]
    assert second.metadata == {"conversation": "c1", "turn": 2}


def test_earlier_contexts_come_by_choice() -> None:
    _, second, _ = list(turns(CHAT, earlier=True))
    assert second["contexts"] == ["The tower is 330 metres tall.", "The tower opened in 1889."]


def test_history_says_what_pronouns_mean_and_tells_samples_apart() -> None:
    turn = Turn(role="user", text="How tall is the Eiffel Tower?")
    sample = Sample(question="And when did it open?", answer="In 1889.", contexts=("x",), history=(turn,))
    assert sample.asked == "And when did it open? How tall is the Eiffel Tower?"
    assert "Eiffel" in antecedent("In 1889.", question=sample.asked)
    assert sample.content_hash != sample.model_copy(update={"history": ()}).content_hash
    assert Sample(answer="a", contexts=("x",)).asked is None


def test_history_is_evidence_only_if_the_user_says_so(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    path.write_text(json.dumps(CHAT) + "\n")
    _, plain = read_samples(path)
    _, more = read_samples(path, evidence=EvidenceOfTurns(history=True))
    assert isinstance(plain, Sample)
    assert isinstance(more, Sample)
    assert [context.text for context in plain.contexts] == ["The tower opened in 1889."]
    assert [(context.id, context.text) for context in more.contexts] == [
        (None, "The tower opened in 1889."),
        ("history 1 (user)", "How tall is the Eiffel Tower?"),
        ("history 2 (assistant)", "It is 330 metres tall."),
    ]
    assert more.id == plain.id


async def test_conversations_come_apart_from_async_data_too() -> None:
    async def rows() -> AsyncIterator[object]:
        yield CHAT

    found = [row async for row in read_data(rows())]  # type: ignore[union-attr]
    assert [row.id for row in found] == ["c1/1", "c1/2"]  # type: ignore[union-attr]


def test_on_ray_a_chat_log_is_a_bad_row_rather_than_its_last_turn(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    path.write_text(json.dumps(CHAT) + "\n")
    survey_file = pytest.importorskip("faithmeter.runs.ray.parts").survey_file
    from faithmeter.runs.ray.parts import ReadOptions

    assert "several turns" in str(survey_file(str(path), ReadOptions({}, None, 10)).bad[0])


def test_by_choice_on_the_command_line(tmp_path: Path) -> None:
    """The second turn repeats what the first was told: no evidence of its own, unless the user says so."""
    chat = {
        "id": "c",
        "messages": [
            {"role": "user", "content": "How tall is the tower?"},
            {
                "role": "assistant",
                "content": "The tower is 330 metres tall.",
                "contexts": ["The tower is 330 metres tall."],
            },
            {"role": "user", "content": "Say it again."},
            {"role": "assistant", "content": "The tower is 330 metres tall.", "contexts": ["Cats sleep a lot."]},
        ],
    }
    data = tmp_path / "chats.jsonl"
    data.write_text(json.dumps(chat) + "\n")
    for options, score in (([], 0.5), (["--earlier-contexts"], 1.0), (["--history-as-evidence"], 1.0)):
        done = CliRunner().invoke(main, ["eval", str(data), "-v", "lexical", "--json", *options])
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["mean"] == score
