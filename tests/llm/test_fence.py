"""Untrusted text stays data, and offsets stay right."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from support.llm_server import parts

from faithmeter.llm.fence import Item, defused, fenced, numbers

nasty = st.text(st.sampled_from("<>|[]/ \nkINSTsystem_start0aéÿ\u200b\u202e\x00") | st.characters())


@given(nasty)
def test_defusing_keeps_every_place(text: str) -> None:
    safe = defused(text)
    assert len(safe) == len(text)
    assert all(a == b or a in "<>[]|｜" or not a.isprintable() for a, b in zip(text, safe, strict=True))
    assert "<<" not in safe
    assert ">>" not in safe
    assert "<|" not in safe
    assert "|>" not in safe


@given(nasty)
def test_defusing_twice_changes_nothing_more(text: str) -> None:
    assert defused(defused(text)) == defused(text)


@given(st.lists(st.tuples(st.sampled_from(["passage", "claim"]), st.integers(1, 99), nasty), max_size=6))
def test_a_fenced_message_reads_back_as_its_items(rows: list[tuple[str, int, str]]) -> None:
    items = [Item(*row) for row in rows]
    found = parts(fenced(items))
    assert [(part.kind, part.number, part.text) for part in found] == [
        (item.kind, item.number, defused(item.text)) for item in items
    ]


def test_ordinary_text_is_left_alone() -> None:
    text = 'x < y and y > z; a[0] | b; "quoted", {"json": 1}, <b>bold</b>, 中文。\n- item\t1'
    assert defused(text) == text


def test_the_code_is_new_for_each_request_and_in_no_text() -> None:
    codes = {re.match(r"<<(\w+) ", fenced([Item("claim", 1, "x")]))[1] for _ in range(50)}  # type: ignore[index]
    assert len(codes) == 50


@given(st.integers(0, 300))
def test_numbers_differ_and_do_not_count_up_from_one(count: int) -> None:
    found = numbers(count)
    assert len(set(found)) == count
    assert all(number >= 10 for number in found)
