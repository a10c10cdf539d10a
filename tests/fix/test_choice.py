"""One exchange must clearly be the best: a wrong value put in is worse than one left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from faithmeter import Claim, Sample, afix
from faithmeter.datamodels import Label, Origin, Outcome, Pair, Verdict
from faithmeter.fix.choice import Exchange, as_long, clearly_best, fits, surer
from faithmeter.fix.proposal import Proposal


def verdict(support: float, text: str = "It is so.") -> Verdict:
    label = Label.SUPPORTED if support >= 0.5 else Label.CONTRADICTED
    claim = Claim(text=text, start=0, end=len(text))
    return Verdict(claim=claim, label=label, support=support, origin=Origin(verifier="told"))


def exchange(new: str, score: float, support: float = 0.9, *, name: bool = False, fit: float = 4.0) -> Exchange:
    proposal = Proposal(0, 2, new, "swap", "", None, score, everywhere=name, unknown=True, fit=fit, alone=True)
    return Exchange(proposal, verdict(support))


def chosen(*found: Exchange) -> str | None:
    best = clearly_best(found)
    return best.proposal.new if best else None


def test_the_best_is_taken_where_it_is_clearly_so() -> None:
    assert chosen(exchange("12", 5.0), exchange("70", 3.0)) == "12"
    assert chosen(exchange("12", 5.0), exchange("70", 4.9)) is None
    assert chosen(exchange("12", 5.0, 0.97), exchange("70", 5.2, 0.55)) == "12"  # the verifier prefers it by far
    assert chosen() is None


def test_two_forms_of_one_name_are_no_rivals() -> None:
    assert chosen(exchange("Crowley", 5.0, name=True), exchange("Candy Crowley", 4.9, name=True)) == "Crowley"
    assert chosen(exchange("12", 5.0), exchange("70", 4.3)) == "12"


def test_of_many_names_the_best_must_be_likelier_than_all_others_together() -> None:
    best = exchange("Crowley", 5.0, name=True)
    others = [exchange(name, 4.2, name=True) for name in ("Tapper", "Todd", "Gregory")]
    assert chosen(best, others[0]) == "Crowley"
    assert chosen(best, *others) is None


def test_the_verifier_says_more_of_a_name_than_of_a_number() -> None:
    assert chosen(exchange("Marie", 2.2, 0.97, name=True), exchange("Gustave", 3.3, 0.6, name=True)) == "Marie"
    assert chosen(exchange("2", 2.2, 0.97), exchange("3", 3.3, 0.6)) is None


def test_what_goes_out_is_in_no_context() -> None:
    known = exchange("Verve", 5.0, name=True)
    known = Exchange(known.proposal._replace(unknown=False), known.verdict)
    assert chosen(known, exchange("Decca", 4.8, name=True)) == "Decca"


def test_for_a_first_and_a_last_name_both_are_put_in() -> None:
    last, both = exchange("Leach", 5.0, name=True), exchange("Jack Leach", 2.0, name=True)
    long = exchange("Spinner Jack Leach", 4.0, name=True)
    places = [
        Exchange(item.proposal._replace(end=len("Hiroto Kanda")), item.verdict)
        for item in (last, both, long, exchange("Root", 3, name=True))
    ]
    assert as_long(places[0], places, "Hiroto Kanda was born.").proposal.new == "Jack Leach"
    one = [Exchange(item.proposal._replace(end=len("Kanda")), item.verdict) for item in (last, both)]
    assert as_long(one[0], one, "Kanda was born.").proposal.new == "Leach"
    assert as_long(one[1], one, "Kanda was born.").proposal.new == "Leach"  # for one word one, where it stands alone
    part = Exchange(one[0].proposal._replace(alone=False), one[0].verdict)
    assert as_long(one[1], [part, one[1]], "Kanda was born.").proposal.new == "Jack Leach"


def test_in_doubt_a_name_must_fit() -> None:
    assert fits(exchange("Leach", 5.0, name=True, fit=0.6))
    assert not fits(exchange("Leach", 5.0, name=True, fit=0.4))
    assert fits(exchange("12", 5.0, fit=0.4))


def test_what_is_supported_is_exchanged_only_for_what_is_clearly_better_supported() -> None:
    better, little, far = exchange("HDL", 5, 0.97), exchange("LDL", 5, 0.7), exchange("UDL", 5, 0.97, fit=1.0)
    assert surer([better, little, far], verdict(0.6)) == [better]
    assert surer([better], verdict(0.96)) == []
    alike = exchange("NBC", 5, 0.7, fit=6.0, name=True)  # all words around it are the same
    assert surer([alike], verdict(0.6)) == [alike]
    assert surer([alike], verdict(0.68)) == []
    assert surer([exchange("NBC", 5, 0.97, fit=6.0, name=True)], verdict(0.93)) == []  # it is supported well
    assert surer([exchange("NBC", 5, 0.92, fit=1.0, name=True)], verdict(0.55))  # far better supported


class Told:
    """Supports what it is told to."""

    signature = "told"

    def __init__(self, supports: Mapping[str, float]) -> None:
        self.supports = supports

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        found = (verdict(self.supports.get(pair.claim.text, 0.05)) for pair in pairs)
        return [item.model_copy(update={"claim": pair.claim}) for item, pair in zip(found, pairs, strict=True)]


HDL = "Olive oil and fish are foods that help raise HDL levels."


@pytest.mark.parametrize(("support", "becomes"), [(0.6, "HDL"), (0.95, "ORVA")])
async def test_a_name_from_nowhere_is_put_right_though_it_is_supported(support: float, becomes: str) -> None:
    answer = "Olive oil and fish help raise ORVA levels."
    verifier = Told({answer: support, answer.replace("ORVA", "HDL"): 0.97})
    found = await afix(Sample(answer=answer, contexts=(HDL,)), verifier=verifier)
    assert found.answer == answer.replace("ORVA", becomes)


async def test_a_name_from_the_question_stays() -> None:
    answer = "Olive oil and fish help raise ORVA levels."
    verifier = Told({answer: 0.6, answer.replace("ORVA", "HDL"): 0.97})
    sample = Sample(question="What raises ORVA levels?", answer=answer, contexts=(HDL,))
    assert (await afix(sample, verifier=verifier)).answer == answer


async def test_of_two_values_that_may_be_meant_neither_is_put_in() -> None:
    answer = "The lid is closed. Let it simmer for 85 minutes."
    supports = {f"Let it simmer for {number} minutes.": 0.9 for number in (10, 15)} | {"The lid is closed.": 0.9}
    contexts = ("Let it simmer for 10 minutes.", "Let it simmer for 15 minutes.", "The lid is closed.")
    found = await afix(Sample(answer=answer, contexts=contexts), verifier=Told(supports))
    assert found.answer == "The lid is closed."
    only = await afix(Sample(answer=answer, contexts=contexts[1:]), verifier=Told(supports))
    assert only.answer == "The lid is closed. Let it simmer for 15 minutes."


BRIDGE = "The bridge is 330 metres long and was opened in 1889 by Eiffel."


@pytest.mark.parametrize(
    ("supports", "becomes"),
    [
        # with one of them put right the sentence is still not supported
        ({"330 metres long and was opened in 1889": 0.97}, "330 metres long and was opened in 1889"),
        # the verifier overlooks the second
        (
            {"330 metres long and was opened in 1899": 0.9, "330 metres long and was opened in 1889": 0.97},
            "330 metres long and was opened in 1889",
        ),
        # the second is no better: one is enough
        (
            {"330 metres long and was opened in 1899": 0.97, "330 metres long and was opened in 1889": 0.6},
            "330 metres long and was opened in 1899",
        ),
    ],
)
async def test_two_wrong_values_of_a_sentence_are_both_put_right(supports: Mapping[str, float], becomes: str) -> None:
    def said(part: str) -> str:
        return f"The bridge is {part} by Eiffel."

    answer = said("350 metres long and was opened in 1899")
    verifier = Told({said(part): support for part, support in supports.items()})
    found = await afix(Sample(answer=answer, contexts=(BRIDGE,)), verifier=verifier)
    assert found.answer == said(becomes)
    assert [(edit.old, edit.new) for edit in found.edits] == [
        (old, new) for old, new in (("350", "330"), ("1899", "1889")) if new in becomes
    ]
    assert all(edit.new in edit.reason and edit.evidence for edit in found.edits)
