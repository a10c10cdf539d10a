"""Untrusted text stays data, and offsets stay right."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.llm_server import KINDS, parts

from faithmeter.judge.fencing import Item, defused, fenced, numbers, one_line

nasty = st.text(st.sampled_from("<>|[]/ \nkINSTsystem_start0aéÿ\u200b\u202e\x00") | st.characters())


@given(nasty)
def test_defusing_keeps_every_place(text: str) -> None:
    safe = defused(text)
    assert len(safe) == len(text)
    assert all(a == b or a in "<>[]|｜" or not a.isprintable() for a, b in zip(text, safe, strict=True))
    assert "<|" not in safe
    assert "|>" not in safe


@given(nasty)
def test_defusing_twice_changes_nothing_more(text: str) -> None:
    assert defused(defused(text)) == defused(text)


@given(st.lists(st.tuples(st.sampled_from("PQASC"), st.integers(1, 99), nasty), max_size=6))
def test_a_fenced_message_reads_back_as_its_items(rows: list[tuple[Any, int, str]]) -> None:
    items = [Item(kind, None if kind in "QA" else number, text) for kind, number, text in rows]
    expected = [
        (KINDS[item.kind], item.number, one_line(item.text) if item.kind in "SC" else defused(item.text))
        for item in items
    ]
    assert [(part.kind, part.number, part.text) for part in parts(fenced(items))] == expected


@given(st.lists(st.text("x2345abc§ \n", min_size=0, max_size=2000), max_size=3))
def test_the_code_is_in_no_text(texts: list[str]) -> None:
    message = fenced([Item("P", n, text) for n, text in enumerate(texts, 1)])
    if texts:
        code = message[1 : message.index(" ")]
        assert not any(code in text for text in texts)


def test_ordinary_text_is_left_alone() -> None:
    text = 'x < y and y > z; a[0] | b; "quoted", {"json": 1}, <b>bold</b>, 中文。\n- item\t1'
    assert defused(text) == text


def test_the_code_is_new_for_each_request() -> None:
    codes = {fenced([Item("C", 1, "x")]).split()[0] for _ in range(200)}
    assert len(codes) > 190


@given(st.integers(0, 300))
def test_numbers_differ_and_do_not_count_up_from_one(count: int) -> None:
    found = numbers(count)
    assert len(set(found)) == count
    assert all(number >= 10 for number in found)
