"""Citation marks are found in every style, and nothing else is."""

from __future__ import annotations

import pytest

from faithmeter.text.citation_marks import definitions, marks, resolve


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It is tall [1].", [("[1]", ("1",))]),
        ("It is tall [1, 3] and old [2][4].", [("[1, 3]", ("1", "3")), ("[2]", ("2",)), ("[4]", ("4",))]),
        ("It is tall [2-4].", [("[2-4]", ("2", "3", "4"))]),
        ("It is tall.[^2]", [("[^2]", ("2",))]),
        ("It is tall (Doc 2).", [("(Doc 2)", ("2",))]),
        ("It is tall [Source 1, 2].", [("[Source 1, 2]", ("1", "2"))]),
        ("It is tall (see passages 1 and 3).", [("(see passages 1 and 3)", ("1", "3"))]),
        ("It is tall【1†source】.", [("【1†source】", ("1",))]),
        ("It is tall【4:0†page.pdf】.", [("【4:0†page.pdf】", ("1",))]),
        ("It is tall.²", [("²", ("2",))]),
        ("See [1](https://example.org) and `a[1]`.", []),
        ("It is [sic] tall [citation needed].", []),
        ("x = a[10000]", []),
        ("It is tall.[^a]\n\n[^a]: The tower page", [("[^a]", ("a",))]),
    ],
)
def test_marks(answer: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(answer[mark.start : mark.end], mark.names) for mark in marks(answer)] == expected


def test_ids_of_passages_are_marks_too() -> None:
    answer = "It is tall [tower-1]."
    assert marks(answer) == []
    (mark,) = marks(answer, ["tower-1"])
    assert mark.names == ("tower-1",)


def test_names_are_found_by_id_footnote_and_number() -> None:
    ids = ["tower.txt", "bridge.txt", None]
    said = definitions("It is.[^a]\n\n[^a]: see bridge.txt, page 3\n[1]: tower.txt")
    assert resolve("bridge.txt", ids, {}) == 1
    assert resolve("a", ids, said) == 1
    assert resolve("1", ids, said) == 0
    assert resolve("3", ids, {}) == 2
    assert resolve("0", ids, {}, from_zero=True) == 0
    assert resolve("4", ids, {}) is None
    assert resolve("zzz", ids, {}) is None
