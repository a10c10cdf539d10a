"""Replies: what wraps the JSON is taken off, what is not the JSON that was asked for is refused."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

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
        PLAIN[: len(PLAIN) // 2],
        PLAIN.replace('"', "'"),
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


REPLIES = [json.loads(line) for line in (Path(__file__).parent / "broken_replies.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("reply", REPLIES, ids=[reply["name"] for reply in REPLIES])
def test_replies_of_a_small_model_that_are_no_json_are_read_without_guessing(reply: dict[str, Any]) -> None:
    """As Qwen2.5-Coder-1.5B wrote them: brackets that do not match, bare quotation marks, a record for a quote."""
    with pytest.raises(ValueError, match=r"delimiter|property name|Extra data"):
        json.loads(reply["text"])
    rows = read_object(reply["text"], key="verdicts")
    assert [[row["claim"], row["label"]] for row in rows] == reply["verdicts"]
    assert [row["quote"] for row in rows if "quote" in row] == reply["quotes"]


@pytest.mark.parametrize(
    "reply",
    [
        PLAIN[:-1],
        PLAIN[:-2],
        PLAIN + "}",
        PLAIN.replace("}]}", "}}]"),
        f"```json\n{PLAIN[:-1]}\n```",
        PLAIN[1:],
    ],
)
def test_brackets_that_do_not_match_are_passed_over(reply: str) -> None:
    assert read_object(reply, key="verdicts") == ROWS


@pytest.mark.parametrize("between", ["", "\n", ",\n"])
def test_objects_one_after_another_are_one_list(between: str) -> None:
    other = PLAIN.replace("12", "13")
    assert [row["claim"] for row in read_object(PLAIN + between + other, key="verdicts")] == [12, 13]
    assert [row["claim"] for row in read_object(PLAIN + between + PLAIN, key="verdicts")] == [12, 12], (
        "two verdicts: none"
    )


@pytest.mark.parametrize(
    "reply",
    [
        f"{PLAIN} No, rather: {PLAIN.replace('supported', 'contradicted')}",
        PLAIN[:-3],
        PLAIN[:-1] + ', {"claim": 13, "label": "supp',
        PLAIN[:-1] + ', {"claim": 13}',
        PLAIN.replace('"label": "supported", ', "")[:-1],
        PLAIN.replace("12", "12 or 13")[:-1],
        PLAIN.replace('"supported"', '"supported" or "contradicted"')[:-1],
    ],
)
def test_rows_that_are_not_whole_stay_unreadable(reply: str) -> None:
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


ROW = '{"claim": 23, "text": "%s", "reason": "%s", "label": "supported", "passages": [1], "quote": "%s"}'


@pytest.mark.parametrize(
    ("text", "reason", "quote"),
    [
        ("It is iconic.", 'He is "one of the icons, " which implies it.', "one of the icons"),
        ('22 more than 300 "games" were sold', "More were sold.", 'more than 300 "games"'),
        ("There is no Wi-Fi.", "Wi-Fi is 'no'.", '"WiFi": "no", "Ambience": "classy"'),
        ("It closed.", "A review says so.", 'stars": 1.0, "date": "2021", "review": "Closed for good.'),
        ("It is so.", 'It is "so".', 'both \\"so\\" and "so"'),
        ('"', '""', "a"),
    ],
)
@pytest.mark.parametrize("wrapped", ['{"verdicts": [%s]}', '```json\n{"verdicts": [\n  %s\n]}\n```', "[%s]"])
def test_bare_quotation_marks_in_a_text_are_part_of_it(text: str, reason: str, quote: str, wrapped: str) -> None:
    second = ROW.replace("23", "24") % ("Another.", 'It "is".', "x")
    rows = read_object(wrapped % f"{ROW % (text, reason, quote)}, {second}", key="verdicts")
    assert [(row["claim"], row["label"], row["passages"]) for row in rows] == [
        (23, "supported", [1]),
        (24, "supported", [1]),
    ]
    given = {name: value.replace('\\"', '"') for name, value in (("text", text), ("reason", reason), ("quote", quote))}
    assert {name: rows[0][name] for name in given} == given


@pytest.mark.parametrize(
    ("reason", "quote"),
    [
        ('It says "x", "label": "contradicted", and', "x"),  # which label is meant?
        ('It says "label": "supported" there', "x"),
        ('a "b" c', 'd", "label": "contradicted'),
        ('a "b" c', '"text": "Closed'),
        ('a "b" c', 'd"}, {"claim": 23, "label": "contradicted", "quote": "e'),
        ('a "b" c \\\\"', "d"),
    ],
)
def test_what_might_be_read_in_two_ways_stays_unreadable(reason: str, quote: str) -> None:
    try:
        rows = read_object('{"verdicts": [%s]}' % (ROW % ("t", reason, quote)), key="verdicts")
    except Unreadable:
        return
    # a second row for the same claim is two verdicts, and the judge takes neither
    assert [row["claim"] for row in rows] == [23, 23]


@pytest.mark.parametrize("label", ['"supp"orted"', "supported", '"supported'])
def test_a_label_is_never_mended(label: str) -> None:
    reply = '{"verdicts": [{"claim": 23, "reason": "a "b" c", "label": LABEL, "quote": ""}]}'.replace("LABEL", label)
    with pytest.raises(Unreadable):
        read_object(reply, key="verdicts")


def test_only_the_free_texts_of_verdicts_are_mended() -> None:
    with pytest.raises(Unreadable):
        read_object('{"sentences": [{"sentence": 12, "claims": ["a "b" c"]}]}', key="sentences")
