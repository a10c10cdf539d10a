"""The rules of marked words are fitted by characters, and taken only if they hold crosswise."""

from __future__ import annotations

from faithmeter.datamodels import Claim, Context, Label, Origin, Sample, Verdict
from faithmeter.verify.local import Reading
from faithmeter.verify.local_marks import MarkRule, Token
from training.fit_marks import Counts, Fitter, Item, climb, fit

TEXT = "The quiet harbour has seven blue piers"
TOKENS = [(0, 3), (4, 9), (10, 17), (18, 21), (22, 27), (28, 32), (33, 38)]


def item(group: str, source: str, likely: list[float], *meant: tuple[int, int]) -> Item:
    verdict = Verdict(
        claim=Claim(text=TEXT, start=0, end=len(TEXT)), label=Label.NOT_ENOUGH_INFO, support=0.4,
        origin=Origin(verifier="local"),
    )  # fmt: skip
    tokens = tuple(Token(start, end, value) for (start, end), value in zip(TOKENS, likely, strict=True))
    return Item(group, source, verdict, Reading(0.4, 0.5, tokens, (), group == "records"), 0, meant)


SAMPLE = Sample(answer=TEXT, contexts=(Context(text="The harbour lies in the north and is quiet."),))


def test_characters_are_counted_as_a_user_sees_them() -> None:
    fitter = Fitter([SAMPLE], [item("answers", "a", [0, 0, 0, 0, 0.9, 0.2, 0.2], (22, 38))])
    assert fitter.score([0], MarkRule()) == Counts(5, 16, 5)
    assert fitter.score([0], MarkRule(grow=0.3)) == Counts(16, 16, 16)


def test_a_rule_is_bettered_part_by_part() -> None:
    rule = climb(lambda rule: -abs(rule.marks - 0.3) - abs(rule.grow - 0.6), MarkRule(), ["marks", "grow"])
    assert (rule.marks, rule.grow, rule.faint) == (0.3, 0.6, MarkRule().faint)


def test_a_rule_is_taken_only_if_it_holds_crosswise() -> None:
    good = [item("records", f"source {n}", [0, 0, 0, 0, 0.9, 0.6, 0.6], (22, 27)) for n in range(12)]
    start = {"prose": MarkRule(), "in_records": MarkRule(even=2.0)}
    found = fit(Fitter([SAMPLE], good), start)
    assert found["prose"] == start["prose"]
    assert found["in_records"].marks > 0.6
