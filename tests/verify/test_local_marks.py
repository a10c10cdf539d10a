"""Which words are marked, from made chances that each is unsupported and made rules: no weights are read."""

from __future__ import annotations

import pytest

from faithmeter.verify.local import LocalVerifier, Reading
from faithmeter.verify.local_marks import MarkRule, Token, evenness, mark
from faithmeter.why.marks import tidy

CLAIM = "Opened laptops carry a restocking fee, of 15 % at most."
PIECES = "Opened laptop s carry a rest ocking fee , of 15 % at most ."


def tokens(**likely: float) -> list[Token]:
    """The pieces of the claim in order, each 0.05 likely unsupported but for those that are given."""
    made, at = [], 0
    for piece in PIECES.split():
        start = CLAIM.index(piece, at)
        at = start + len(piece)
        made.append(Token(start, at, likely.get(piece, 0.05)))
    return made


def words(rule: MarkRule, *, support: float = 0.4, contradiction: float = 0.5, **likely: float) -> list[str]:
    spans = mark(tokens(**likely), rule, support=support, contradiction=contradiction)
    return [CLAIM[start:end] for start, end in spans]


def test_words_as_likely_as_the_rule_says_are_marked() -> None:
    assert words(MarkRule(marks=0.5), carry=0.5) == ["carry"]
    assert words(MarkRule(marks=0.5), carry=0.5, most=0.9) == ["carry", "most"]
    assert words(MarkRule(marks=0.5), carry=0.49, most=0.9) == ["most"]


def test_pieces_that_touch_or_stand_one_character_apart_are_joined() -> None:
    assert words(MarkRule(), rest=0.9, ocking=0.8) == ["restocking"]
    assert words(MarkRule(), rest=0.9, ocking=0.8, fee=0.7) == ["restocking fee"]
    assert words(MarkRule(), fee=0.9, of=0.8) == ["fee", "of"]  # a comma and a space
    assert words(MarkRule(), laptop=0.9, carry=0.8) == ["laptop", "carry"]
    assert words(MarkRule(), laptop=0.9, s=0.6, carry=0.8, a=0.6) == ["laptops carry a"]


def test_words_next_to_a_marked_one_are_marked_if_they_come_near() -> None:
    near = {"fee": 0.9, "ocking": 0.4, "rest": 0.36, "a": 0.34, "most": 0.4}
    assert words(MarkRule(grow=1.0), **near) == ["fee"]
    assert words(MarkRule(grow=0.7), **near) == ["restocking fee"]  # not "most", which stands by itself
    assert words(MarkRule(grow=0.68), **near) == ["a restocking fee"]
    assert words(MarkRule(grow=0.7), fee=0.9, ocking=0.2, rest=0.4) == ["fee"]


def test_if_no_word_is_likely_unsupported_the_likeliest_is_marked() -> None:
    faint = {"fee": 0.3, "ocking": 0.2, "rest": 0.17, "most": 0.29}
    assert words(MarkRule(marks=0.5, faint=0.6), **faint) == ["ocking fee"]
    assert words(MarkRule(marks=0.5, faint=0.5), **faint) == ["restocking fee"]
    assert words(MarkRule(marks=0.5, faint=0.9), **faint) == ["fee"]


def test_nothing_is_marked_if_even_the_likeliest_is_not_likely() -> None:
    assert words(MarkRule(least=0.1), fee=0.09) == []
    assert words(MarkRule(least=0.1), fee=0.1) == ["fee"]
    assert words(MarkRule(least=0.9, marks=0.5), fee=0.6) == ["fee"]  # what is marked needs no more
    assert mark([], MarkRule(), support=0.1, contradiction=0.1) == ()


EVEN = {piece: 0.3 for piece in PIECES.split() if piece != ","}


@pytest.mark.parametrize(
    ("support", "contradiction", "even", "whole"),
    [
        (0.34, 0.2, 0.95, True),
        (0.35, 0.2, 0.95, False),  # the contexts say some of it
        (0.34, 0.21, 0.95, False),  # or otherwise
        (0.34, 0.2, 2.0, False),  # or the rule never marks all
    ],
)
def test_a_claim_of_which_nothing_is_said_is_marked_as_a_whole(
    support: float, contradiction: float, even: float, whole: bool
) -> None:
    rule = MarkRule(even=even, all_support=0.35, all_contradiction=0.2, faint=1.0)
    found = words(rule, support=support, contradiction=contradiction, **EVEN)
    assert found == [CLAIM if whole else "Opened laptops carry a restocking fee"]


def test_a_claim_in_which_a_word_stands_out_is_not_marked_as_a_whole() -> None:
    found = words(MarkRule(even=0.95), support=0.1, contradiction=0.1, fee=0.95)
    assert found == ["fee"]


def test_a_claim_about_a_record_has_a_rule_of_its_own() -> None:
    made = LocalVerifier()
    made.calibration = made.calibration._replace(prose=MarkRule(marks=0.5), in_records=MarkRule(marks=0.8))
    for of_record, expected in ((False, ["carry", "most"]), (True, ["most"])):
        reading = Reading(0.4, 0.5, tuple(tokens(carry=0.6, most=0.9)), (), of_record)
        assert [CLAIM[start:end] for start, end in made.marked(reading)] == expected


def test_evenness_is_one_if_no_word_stands_out() -> None:
    assert evenness([]) == evenness([0.3]) == evenness([0.0, 0.0]) == 1
    assert evenness([0.2] * 7) == pytest.approx(1)
    assert evenness([0.9, 0.9, 0.0, 0.0]) == pytest.approx(0.5)
    assert evenness([0.99, 0.01, 0.01, 0.01]) < 0.2


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        (["aptop"], ["laptops"]),  # whole words
        (["rest", "fee"], ["restocking fee"]),
        (["carry", "restocking"], ["carry a restocking"]),  # joined over light words
        (["restocking fee, of"], ["restocking fee, of"]),
        ([", of 15 %"], ["of 15 %"]),  # without the marks at the ends
        (["Opened", "fee,"], ["Opened", "fee"]),
        (["fee,", "at most."], ["fee"]),  # light words alone are not shown beside others
        (["at most."], ["at most"]),
    ],
)
def test_marks_are_shown_as_whole_words_joined_and_trimmed(marked: list[str], expected: list[str]) -> None:
    gaps = [(CLAIM.index(words), CLAIM.index(words) + len(words)) for words in marked]
    assert [span.of(CLAIM) for span in tidy(CLAIM, gaps)] == expected
