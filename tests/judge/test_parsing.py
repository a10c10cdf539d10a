"""Replies: what wraps the JSON is taken off, what is not the JSON that was asked for is refused."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithmeter.judge.parsing import Unreadable, as_number, declines, read_object

ROWS = [{"claim": 12, "label": "supported", "quote": 'a "quoted" {brace} </think> ```'}]
PLAIN = json.dumps({"verdicts": ROWS})


@pytest.mark.parametrize(
    "reply",
    [
        PLAIN,
        json.dumps(ROWS),
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```",
        f"Here it is:\n\n```json\n{PLAIN}\n```\nI hope this helps.",
        f"Sure! {PLAIN}",
        f"{PLAIN}\n\nThat is all.",
        f"<think>Let me see: {{not json}}</think>{PLAIN}",
        f"<thinking>\n[1, 2]\n</thinking>\n{PLAIN}",
        f"no opening tag, a template had it </think>\n{PLAIN}",
        f"  \n{PLAIN}\n  ",
        json.dumps({"verdicts": ROWS}, indent=2),
    ],
)
def test_wrappings_come_off(reply: str) -> None:
    assert read_object(reply, key="verdicts") == ROWS


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I cannot do this.",
        PLAIN[:-1],
        PLAIN[: len(PLAIN) // 2],
        PLAIN.replace('"', "'"),
        PLAIN + PLAIN,
        f'{{"x": 1}} {PLAIN}',
        f"{PLAIN} {{}}",
        "null",
        "12",
        '{"verdicts": null}',
        '{"verdicts": {"claim": 1}}',
        '{"other": []}',
        '{"verdicts": [], "verdicts": [{"claim": 12}]}',
        '{"verdicts": [{"claim": 12, "label": "supported", "label": "contradicted"}]}',
        "<html><body>502</body></html>",
        "[" * 100_000,
    ],
)
def test_anything_else_is_unreadable(reply: str) -> None:
    with pytest.raises(Unreadable):
        read_object(reply, key="verdicts")


@given(st.text())
def test_no_reply_breaks_the_reader(reply: str) -> None:
    with contextlib.suppress(Unreadable):
        assert isinstance(read_object(reply, key="verdicts"), list)


@pytest.mark.parametrize(
    ("reply", "declined"),
    [
        ("I'm sorry, but I can't help with that.", True),
        ("I cannot assist with this request.", True),
        ("Sorry, I am not able to.", True),
        ("<think>hmm</think>I can’t judge this.", True),
        ("Unfortunately, I cannot comply.", True),
        (PLAIN, False),
        ("The claims are fine.", False),
        ("I'm sorry for the delay: " + PLAIN, False),
        ("", False),
    ],
)
def test_refusals_are_told_from_chatter(reply: str, declined: bool) -> None:
    assert declines(reply) is declined


@pytest.mark.parametrize(
    ("value", "number"),
    [(3, 3), ("3", 3), (" #3 ", 3), (3.0, 3), (3.5, None), (True, None), (None, None), ("three", None), ([3], None)],
)
def test_numbers(value: object, number: int | None) -> None:
    assert as_number(value) == number
