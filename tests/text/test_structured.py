"""Units of contexts: JSON whole and cut, `key: value` lines, tables, prose."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from faithmeter.text import sentences, units

RESTAURANT = """{
 "name": "Pizza Corner",
 "address": "",
 "categories": "Pizza, Italian",
 "hours": {
  "Monday": "11:0-21:0",
  "Sunday": "9:30-17:5"
 },
 "attributes": {
  "BusinessParking": {"garage": false, "lot": true},
  "WiFi": "free",
  "Music": null
 },
 "business_stars": 3.5,
 "review_info": [
  {"review_stars": 5.0, "review_text": "Best pizza in town."},
  {"review_stars": 2.0,
   "review_text": "I said \\"never again\\".\\n\\nThe crust was caf\\u00e9-style, the wait long. \\ud83d\\ude00 Avoid."}
 ]
}"""

# A context, and the readable form of its units.
CASES: list[tuple[str, list[str]]] = [
    ("", []),
    ("One  line\nof prose. Two.", ["One line of prose.", "Two."]),
    (
        RESTAURANT,
        [
            "name: Pizza Corner",
            "address: not given",
            "categories: Pizza, Italian",
            "hours, Monday: 11:00-21:00",
            "hours, Sunday: 9:30-17:05",
            "Business Parking, garage: no",
            "Business Parking, lot: yes",
            "Wi-Fi: free",
            "Music: not given",
            "business stars: 3.5",
            "review info 1, review stars: 5.0",
            "review info 1, review text: Best pizza in town.",
            "review info 2, review stars: 2.0",
            'I said "never again".',
            "The crust was café-style, the wait long. 😀",
            "Avoid.",
        ],
    ),
    (
        'Here is the record: {"name": "X", "tags": ["a", "b"], "none": {}, "no": []} and so on. Bye.',
        ["Here is the record:", "name: X", "tags: a, b", "none: not given", "no: not given", "and so on.", "Bye."],
    ),
    ('[{"name": "A", "price": 3}, {"name": "B", "price": 4}]', ["name: A", "price: 3", "name: B", "price: 4"]),
    ('["red", "green"]', ["red, green"]),
    ('{"a": 1}\n{"a": 2}\n', ["a: 1", "a: 2"]),
    ('```json\n{"a": 1}\n```\nDone.', ["a: 1", "Done."]),
    (
        "{'name': 'It\\'s', 'ok': True, 'no': None, 'x': [1, 2.5]}",
        ["name: It's", "ok: yes", "no: not given", "x: 1, 2.5"],
    ),
    (
        '{"grid": [[1, 2], [3, 4]], "mix": [1, {"a": 2}, 3]}',
        ["grid 1: 1, 2", "grid 2: 3, 4", "mix: 1", "mix 2, a: 2", "mix: 3"],
    ),
    ('{"camelCaseKey": 1, "HTTPServer": 2, "snake_case": 3}', ["camel Case Key: 1", "HTTP Server: 2", "snake case: 3"]),
    ('{"z": foo bar, "y": 2}', ["z: foo bar", "y: 2"]),
    (
        '{"text": "- one item\\n- two items\\n\\nThen comes prose of more than a few words."}',
        ["one item", "two items", "Then comes prose of more than a few words."],
    ),
    # cut by a chunker: the tail, the head, both, inside a string, a key, a literal
    ('{"name": "X", "open": {"Mon": true, "Tue": fal', ["name: X", "open, Mon: yes", "open, Tue: fal"]),
    (
        '{"a": 1, "text": "It was good. It was very good, and we shall come back for mo',
        ["a: 1", "It was good.", "It was very good, and we shall come back for mo"],
    ),
    ('"lot": true, "valet": false }, "Reservations": true', ["lot: yes", "valet: no", "Reservations: yes"]),
    ('lse, "lot": true, "valet": false', ["lot: yes", "valet: no"]),
    (
        'rite pizza.\\nGreat place!", "stars": 4.0, "Music": {"dj": false}',
        ["rite pizza.", "Great place!", "stars: 4.0", "Music, dj: no"],
    ),
    (
        'iew_text": "Nice place with good food. We liked it very very much indeed.", "stars": 4',
        ["Nice place with good food.", "We liked it very very much indeed.", "stars: 4"],
    ),
    ('we had \\"the best\\" time.\\n\\nAnd then we left', ['we had "the best" time.', "And then we left"]),
    ('{"a": 1, and then prose follows. Really.', ["a: 1", "and then prose follows.", "Really."]),
    # lines and tables
    (
        "name: Corner\nopening_hours:\n  Monday: 11:0-21:0\n  Tuesday: closed\nhasWifi: true\nopen: false",
        [
            "name: Corner",
            "opening hours:",
            "opening hours, Monday: 11:00-21:00",
            "opening hours, Tuesday: closed",
            "has Wifi: yes",
            "open: no",
        ],
    ),
    ("Name: Ann Lee\nAddress: 12 Main St. Springfield", ["Name: Ann Lee", "Address: 12 Main St. Springfield"]),
    ("| Name | Price |\n|---|---|\n| X | 3 |\n| Y | |", ["Name: X; Price: 3", "Name: Y"]),
    ("| | 2019 | 2020 |\n|---|---|---|\n| Sales | 3 | 4 |", ["Sales; 2019: 3; 2020: 4"]),
    ("City\tSize\nRome\t3\nOslo\t1", ["City: Rome; Size: 3", "City: Oslo; Size: 1"]),
    (
        "{{Infobox person\n| name = Ada Lovelace\n| birth_date = 1815\n}}",
        ["{{Infobox person", "name: Ada Lovelace", "birth date: 1815", "}}"],
    ),
    # prose that only looks like a record
    (
        'He called it "the plan": a {bold} idea [1]. It failed.',
        ['He called it "the plan": a {bold} idea [1].', "It failed."],
    ),
    ("[1] Smith, 2020.\n[2] Jones, 2021.", ["Smith, 2020.", "Jones, 2021."]),
    ("At 11:00 he left. The ratio is 3:1.", ["At 11:00 he left.", "The ratio is 3:1."]),
]


def readable(text: str) -> list[str]:
    return [unit.text for unit in units(text)]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_units_read_well(text: str, expected: list[str]) -> None:
    assert readable(text) == expected


def test_the_span_of_a_field_is_the_field_in_the_source() -> None:
    spans = {unit.text: RESTAURANT[unit.start : unit.end] for unit in units(RESTAURANT)}
    assert spans["Business Parking, garage: no"] == '"garage": false'
    assert spans['I said "never again".'] == 'I said \\"never again\\".'
    assert spans["The crust was café-style, the wait long. 😀"].endswith("long. \\ud83d\\ude00")


def test_text_without_stops_comes_in_pieces() -> None:
    text = "word " * 2000
    found = units(text)
    assert max(len(unit.text) for unit in found) <= 1200
    assert " ".join(unit.text for unit in found).split() == text.split()


def test_a_long_list_comes_in_pieces_and_deep_nesting_keeps_paths_short() -> None:
    assert len(readable(json.dumps({"n": list(range(100))}))) == 3
    deep = '{"key": ' * 500 + "1"
    assert readable(deep) == ["key: 1"]
    named = "".join(f'{{"k{level}": ' for level in range(50)) + "1"
    assert readable(named) == ["k45, k46, k47, k48, k49: 1"]


def check(text: str) -> None:
    last = 0
    for unit in units(text):
        assert last <= unit.start < unit.end <= len(text)
        source = text[unit.start : unit.end]
        assert source == source.strip()
        assert unit.text == " ".join(unit.text.split())
        assert unit.text
        last = unit.end


PIECES = [*"{}[]:,\"'\\ \n\t|=-.!a1", '{"', '":', '": "', '", "', '"a": ', '{"k": ', "null", "true", "\\n", "\\u00e9"]
PIECES += [
    "\\ud83d",
    "\\ude00",
    "A sentence. ",
    "key: value\n",
    "- ",
    "| a | b |\n",
    "|--|--|\n",
    "é",
    "你好。",
    "\ud800",
]
PIECES += ["```\n", "x_y", "11:0-21:0"]
FRAGMENTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@settings(max_examples=500)
@given(st.one_of(FRAGMENTS, st.text(), st.text(st.characters(codec=None))))
@example('{"a": "b  ')
@example('"\\')
@example('{"a": "\\ud83d\\u')
def test_units_of_any_text_are_ordered_and_lie_in_it(text: str) -> None:
    check(text)
    assert units(text) == units(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=1), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text("abcXY_", min_size=1), JSON, min_size=1, max_size=5), st.booleans(), st.data())
def test_units_of_json_and_of_any_cut_of_it_are_ordered_and_lie_in_it(
    record: Any, spaced: bool, data: st.DataObject
) -> None:
    text = json.dumps(record, indent=1 if spaced else None, ensure_ascii=spaced)
    check(text)
    start = data.draw(st.integers(0, len(text)))
    check(text[start : data.draw(st.integers(start, len(text)))])


@given(
    st.dictionaries(
        st.text("abcdefgh", min_size=1),
        st.one_of(st.booleans(), st.none(), st.integers(), st.text("xyz", min_size=1)),
        min_size=1,
    )
)
def test_a_flat_record_gives_one_unit_a_field_in_order(record: dict[str, Any]) -> None:
    shown = {True: "yes", False: "no", None: "not given"}
    expected = [
        f"{key}: {value if isinstance(value, int | str) and not isinstance(value, bool) else shown[value]}"
        for key, value in record.items()
    ]
    assert readable(json.dumps(record)) == expected


@given(st.lists(st.sampled_from(["He left.", "Is it so?", "The value is 3.5 kg.", "你好。"]), min_size=1, max_size=6))
def test_units_of_prose_are_its_sentences(parts: list[str]) -> None:
    text = " ".join(parts)
    assert [(unit.start, unit.end) for unit in units(text)] == [(s.start, s.end) for s in sentences(text)]
