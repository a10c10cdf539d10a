"""The `clauses` extractor."""

from __future__ import annotations

import asyncio

import pytest

from faithmeter import Sample, UsageError, check, load_extractor

TOWER = "The Eiffel Tower is 330 metres tall. It opened in 1889."


def test_claims_stand_alone_and_keep_their_place() -> None:
    answer = "Sure! The tower is 330 metres tall and opened in 1889."
    found = asyncio.run(load_extractor("clauses").extract(Sample(answer=answer, contexts=(TOWER,))))
    assert [claim.text for claim in found.claims] == ["The tower is 330 metres tall.", "The tower opened in 1889."]  # type: ignore[union-attr]
    spans = [answer[claim.start : claim.end] for claim in found.claims]  # type: ignore[union-attr]
    assert spans == ["The tower is 330 metres tall", "opened in 1889"]


def test_one_false_half_does_not_condemn_the_other() -> None:
    answer = "The Eiffel Tower is 330 metres tall, and it was painted pink by Napoleon."
    assert check(answer, [TOWER]).score == 0
    result = check(answer, [TOWER], extractor="clauses")
    assert result.verdicts[0].word == "supported"
    assert result.score == 0.5


def test_other_languages_are_refused() -> None:
    with pytest.raises(UsageError, match="English only"):
        load_extractor("clauses:de")
