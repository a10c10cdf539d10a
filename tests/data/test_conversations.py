"""Chat logs become one sample for each turn of the assistant."""

from __future__ import annotations

from faithmeter import Sample, Turn
from faithmeter.data.conversations import turns
from faithmeter.data.datasets import read_data
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
