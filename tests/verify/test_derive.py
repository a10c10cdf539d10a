"""Proof by code: what follows by arithmetic is supported, what contradicts it is not, and doubt gives no answer."""

from __future__ import annotations

import asyncio
from fractions import Fraction

import pytest

from benchmarks.derivations import cases, judged
from faithmeter.datamodels import Claim, Context, Label, Pair, Sample, Verdict
from faithmeter.evidence.passages import Index
from faithmeter.verify.derive import Derivation, derive
from faithmeter.verify.derive.quantities import read, unit_of
from faithmeter.verify.local import PROVEN, REFUTED, LocalVerifier

PLANTS = "The Oslo plant made 4,200 tonnes of steel in 2023. The Lyon plant made 3,100 tonnes of steel in 2023."
STORES = "| City | Hotels | Cafes |\n|---|---|---|\n| Oslo | 120 | 40 |\n| Lyon | 90 | 300 |\n| Porto | 60 | 75 |"
LAPTOPS = '[{"name": "Aero", "price_usd": 1099, "weight_kg": 1.2}, {"name": "Brio", "price_usd": 899, "weight_kg": 2}]'
RESULTS = "Net debt was reduced by £15m to £88m. Revenue rose 8% to £412m (2023: £381m). "
RESULTS += "Operating profit fell to £36m from £44m."
REVENUE = "| Region | Revenue (USD million) |\n|---|---|\n| Europe | 120 |\n| Asia | 95 |"


def found(claim: str, *contexts: str) -> Derivation | None:
    return derive(claim, Index(contexts), [Context(text=text) for text in contexts])


RIGHT_AND_WRONG = [
    ("sum", PLANTS, "The Oslo and Lyon plants together made 7,300 tonnes of steel.", "7,300", "7,900"),
    ("difference", PLANTS, "The Oslo plant made 1,100 tonnes more steel than the Lyon plant.", "1,100", "1,300"),
    ("rows", STORES, "Oslo and Lyon together have 210 hotels.", "210", "180"),
    ("column", STORES, "The average number of hotels is 90.", "90", "120"),
    ("cell", STORES, "Lyon has 300 cafes.", "300", "40"),
    ("other row", LAPTOPS, "The Aero costs $1,099.", "1,099", "899"),
    ("unit in a key", LAPTOPS, "The Brio weighs 2,000 grams.", "2,000", "1,200"),
    ("unit in a header", REVENUE, "Revenue in Asia was $95 million.", "95", "120"),
    ("change", "Sales rose from 80 to 100 units.", "Sales rose by 25%.", "25", "20"),
    ("change, told backwards", RESULTS, "Operating profit fell by £8m.", "£8m", "£9m"),
    ("change in per cent", RESULTS, "Operating profit fell by 18%.", "18", "28"),
    ("change and its end", RESULTS, "Operating profit dropped by £8m to £36m.", "£8m", "£7.5m"),
    ("change from a year in brackets", RESULTS, "Revenue rose by £31m.", "31", "41"),
    ("change against the year before", "Membership stood at 5,200, compared with 4,000 a year earlier.",
     "Membership rose by 30%.", "30", "23"),
    ("what was before", RESULTS, "Net debt was £103m before.", "£103m", "£73m"),
    ("two clauses", RESULTS, "Operating profit fell by £8m, and revenue rose by £31m.", "£31m", "£21m"),
    ("doubled", "Lumen had 40 shops in 2019. In 2021, Lumen had 80 shops.",
     "The number of shops of Lumen doubled from 2019 to 2021.", "doubled", "tripled"),
    ("share", "In Porto, 60 of the 240 schools were closed.", "A quarter of the schools in Porto were closed.",
     "quarter", "third"),
    ("times", STORES, "Oslo has twice as many hotels as Porto.", "twice", "three times"),
    ("hours", "The tour runs from 22:15 to 05:45.", "The tour lasts 7 hours 30 minutes.", "7 hours", "8 hours"),
    ("years", "The Larsen reign lasted from 1482 to 1486.", "The Larsen reign lasted four years.", "four", "seven"),
    ("age", "Ada Novak (14 March 1879 – 10 March 1955) was a painter.", "Ada Novak died aged 75.", "75", "76"),
    ("arrival", "The ferry to Porto departs at 22:15 and takes 7 h 30.", "The ferry to Porto arrives at 05:45.",
     "05:45", "06:45"),
    ("clock", "The alarm was recorded at 03:42.", "The alarm was recorded at 3:42 a.m.", "a.m.", "p.m."),
    ("weekday", "The treaty was signed on 5 May 2024.", "The treaty was signed on a Sunday.", "Sunday", "Monday"),
    ("volume", "The tank holds 5 litres.", "The tank holds 5,000 millilitres.", "5,000", "500"),
    ("temperature", "The vaccine is stored at 30 °C.", "The vaccine is stored at 86 °F.", "86", "62"),
    ("bound", "The hall in Graz has 480 seats.", "The hall in Graz has more than 450 seats.", "450", "500"),
    ("comparison", LAPTOPS, "The Brio is heavier than the Aero.", "heavier", "cheaper"),
]  # fmt: skip


@pytest.mark.parametrize(("context", "claim", "right", "wrong"), [row[1:] for row in RIGHT_AND_WRONG],
                         ids=[row[0] for row in RIGHT_AND_WRONG])  # fmt: skip
def test_what_follows_is_proven_and_what_does_not_is_not(context: str, claim: str, right: str, wrong: str) -> None:
    proof = found(claim, context)
    assert proof is not None
    assert proof.holds, proof
    assert all(context[item.start : item.end] == item.quote for item in proof.inputs)
    other = found(claim.replace(right, wrong), context)
    assert other is not None
    if claim.endswith("than the Aero."):
        assert other.holds  # the Brio is cheaper, too
    else:
        assert not other.holds, other


UNPROVEN = [
    ("a third party is not among the inputs", PLANTS, "The Oslo and Porto plants together made 7,300 tonnes of steel."),
    ("a word is said of nothing", PLANTS, "The Oslo and Lyon plants together exported 7,300 tonnes of steel."),
    ("another unit", PLANTS, "The Oslo and Lyon plants together made 7,300 kilograms of steel."),
    ("another currency", LAPTOPS, "The Aero costs €1,099."),
    ("a plan is no input", "The Oslo plant is expected to make 40 cars. The Lyon plant made 30 cars.",
     "The Oslo plant and the Lyon plant together made 70 cars."),
    ("a pronoun", STORES, "It has 120 hotels."),
    ("a negation", PLANTS, "The Oslo and Lyon plants together did not make 7,300 tonnes of steel."),
    ("nothing to be derived", "The hall has 480 seats.", "The hall has 480 seats."),
    ("years alone do not give an age", "Ada Novak was born in 1879 and died in 1955.", "Ada Novak died aged 76."),
    ("an open list is no count", "Lumen has offices in cities such as Oslo, Lyon and Porto.",
     "Lumen has offices in three cities."),
    ("a score is no range", "The team posted an 8-8 record.", "The team posted an 8-9 record."),
    ("the day it was told", "Graz had its first case, a minister said on 13 March 2020.",
     "Graz had its first case on a Friday."),
    ("a figure beside another", "Wayne released 200 singles, including 44 as a lead artist.",
     "Wayne released more than 100 singles as a lead artist."),
    ("set against another place", "Oslo's budget was £5m, compared with £3m in Bergen.", "Oslo's budget rose by £2m."),
    ("from another place", "Attendance at Porto rose to 1,500 from 1,200 at Lyon.", "Attendance at Porto rose by 300."),
    ("the end of the change is wrong", RESULTS, "Operating profit fell by £8m to £35m."),
    ("a range is no change", "The fee rises by 5 to 10 percent.", "The fee rises by 7 percent."),
    ("any sum is more", "Focus took $44 million at home and $81 million overall, and cost $50 million.",
     "Focus took an overall total of more than $90 million."),
    ("an average that is stated", "The largest is 0.352 mm long, and the average length of all is 0.338 mm.",
     "The average length of all is 0.338 mm."),
]  # fmt: skip


@pytest.mark.parametrize(("context", "claim"), [row[1:] for row in UNPROVEN], ids=[row[0] for row in UNPROVEN])
def test_doubt_is_no_proof(context: str, claim: str) -> None:
    proof = found(claim, context)
    assert proof is None or not proof.holds, proof


@pytest.mark.parametrize(
    ("hint", "holds"),
    [
        ("Ada Novak was a painter.", True),
        ("Who was Ada Novak?", True),
        ("Her sister was a painter.", None),
        ("Ada Novak's sister was a painter.", None),
        ("Ada Novak was a painter. Eva Novak was her sister.", None),
        ("", None),
    ],
)
def test_she_is_the_one_person_that_was_spoken_of(hint: str, holds: bool | None) -> None:
    context = "Ada Novak (14 March 1879 – 10 March 1955) was a painter."
    proof = derive("She died aged 75.", Index([context]), [Context(text=context)], hint=hint)
    assert (proof and proof.holds) is holds
    wrong = derive("She died aged 78.", Index([context]), [Context(text=context)], hint=hint)
    assert (wrong and wrong.holds) is (holds and False)
    assert wrong is None or [("She died aged 78.")[start:end] for start, end in wrong.gaps] == ["78"]


def test_a_clause_that_follows_leaves_the_others_to_be_judged() -> None:
    proof = found("Operating profit fell by £8m, and the board was replaced.", RESULTS)
    assert proof is not None
    assert proof.holds
    assert proof.rest == ("The board was replaced.",)


def test_a_life_told_in_one_sentence_is_taken_apart() -> None:
    context = "Ada Novak (14 March 1879 – 10 March 1955) was a painter from Graz."
    proof = found("Ada Novak was a painter who came from Graz and died aged 75.", context)
    assert proof is not None
    assert proof.holds
    assert proof.rest == ("Ada Novak was a painter.", "Ada Novak came from Graz.")
    wrong = found("Ada Novak was a painter who came from Graz and died aged 85.", context)
    assert wrong is not None
    assert not wrong.holds
    assert wrong.gaps == ((57, 59),)


def test_local_judges_what_arithmetic_leaves() -> None:
    for text, label in (
        ("Operating profit fell by £8m, and net debt was reduced.", Label.SUPPORTED),
        ("Operating profit fell by £8m, and the founder of the firm died in Lisbon.", Label.CONTRADICTED),
    ):
        sample = Sample(answer=text, contexts=(RESULTS,))
        (verdict,) = asyncio.run(LocalVerifier().verify([Pair(Claim(text=text, start=0, end=len(text)), sample)]))
        assert isinstance(verdict, Verdict)
        assert (verdict.label is Label.SUPPORTED) is (label is Label.SUPPORTED), verdict
        assert all(item.holds_in(sample.contexts) for item in verdict.evidence)


def test_two_sources_that_differ_prove_nothing() -> None:
    other = "The Oslo plant made 4,900 tonnes of steel in 2023."
    assert found("The Oslo and Lyon plants together made 7,300 tonnes of steel.", PLANTS, other) is None


def test_the_formula_and_its_inputs() -> None:
    proof = found("The Oslo and Lyon plants together made 7,300 tonnes of steel.", PLANTS)
    assert proof is not None
    assert proof.formula == "4,200 tonnes + 3,100 tonnes = 7,300 tonnes"
    assert [item.quote for item in proof.inputs] == [
        "The Oslo plant made 4,200 tonnes of steel in 2023.",
        "The Lyon plant made 3,100 tonnes of steel in 2023.",
    ]


def test_made_cases_are_proven_and_their_twins_are_not() -> None:
    made = cases(270, seed=7)
    proven = sum(judged(case.context, case.claim) is True for _, case in made)
    wrong = [twin for _, case in made for _, twin in case.twins if judged(case.context, twin)]
    assert not wrong
    assert proven >= 0.95 * len(made)


def test_quantities_of_many_spellings() -> None:
    def one(text: str) -> tuple[str, Fraction]:
        (quantity,) = read(text)
        return quantity.dimension, quantity.value

    assert one("5 litres") == one("5,000 millilitres") == ("volume", 5)
    assert one("EUR 15") == one("€15") == one("15 euros")
    assert one("$1.5 million") == one("USD 1,500,000") == one("$1.5m")
    assert one("330 m") == one("330 metres") == one("0.33 km")
    assert one("7 h 30") == one("7 hours 30 minutes") == one("7.5 hours") == one("450 min")
    assert one("3:42 p.m.") == one("15:42")
    assert one("5 May 2024")[1] == one("2024-05-05")[1] == one("May 5, 2024")[1]
    assert [quantity.dimension for quantity in read("The Aero 5 sold 20 units in 1998")] == ["count", "year"]
    assert [(q.value, q.high) for q in read("cook for 8-10 minutes")] == [(480, 600)]  # no minus
    assert unit_of("Revenue (USD million)") == ("money: dollar", 10**6)
    assert unit_of("Trains per hour") == ("", 1)


def test_local_gives_the_proof_as_its_verdict() -> None:
    claims = ["The Oslo and Lyon plants together made 7,300 tonnes of steel.",
              "The Oslo and Lyon plants together made 7,900 tonnes of steel."]  # fmt: skip
    sample = Sample(answer=" ".join(claims), contexts=(PLANTS,))
    pairs = [Pair(Claim(text=claim, start=at, end=at + len(claim)), sample)
             for claim in claims for at in [sample.answer.index(claim)]]  # fmt: skip
    right, wrong = asyncio.run(LocalVerifier().verify(pairs))
    assert isinstance(right, Verdict)
    assert isinstance(wrong, Verdict)
    assert (right.label, right.support, wrong.label, wrong.support) == (
        Label.SUPPORTED, PROVEN, Label.CONTRADICTED, REFUTED)  # fmt: skip
    assert right.reason == "It follows from the contexts: 4,200 tonnes + 3,100 tonnes = 7,300 tonnes."
    assert right.origin.verifier == "local:derive"
    assert len(right.evidence) == 2
    assert all(item.holds_in(sample.contexts) for item in right.evidence)
    assert [claims[1][start:end] for start, end in wrong.gaps] == ["7,900 tonnes"]


BIKES = (
    "| Bike | Weight | Gears | Range | Price |\n|---|---|---|---|---|\n"
    "| Vela 5 | 22.4 kg | 8 | 84 km | $1,900 |\n| Corsa | 19.8 kg | 11 | 61 km | $2,400 |\n"
    "| Lasta | 41.0 kg | 5 | 70 km | $3,100 |"
)


@pytest.mark.parametrize(
    ("claim", "holds", "formula"),
    [
        ("The Corsa is the lightest of the three.", True, "19.8 kg < 22.4 kg"),
        ("The Vela 5 is the lightest bike.", False, "22.4 kg > 19.8 kg"),
        ("The Corsa has the most gears.", True, "11 > 8"),
        ("The Lasta has the longest range.", False, "70 km < 84 km"),
        ("The cheapest of the three is the Vela 5.", True, "$1,900 < $2,400"),
        ("The Vela 5 is the most expensive bike.", False, "$1,900 < $3,100"),
    ],
)
def test_who_is_first_of_a_column(claim: str, holds: bool, formula: str) -> None:
    found = derive(claim, Index([BIKES]), (Context(text=BIKES),))
    assert found is not None
    assert (found.holds, found.formula) == (holds, formula)


@pytest.mark.parametrize(
    "claim",
    [
        "The Vela 5 is the second-cheapest.",
        "The Corsa is one of the cheapest.",
        "The Corsa is the lightest bike with eight gears.",
        "The Corsa is the lightest after the Vela 5.",
        "The Vela is the prettiest of the three.",
        "The Corsa is the lightest and the Lasta the heaviest.",
        "The Corsa is not the lightest.",
        "The Tern is the lightest of them all.",
    ],
)
def test_who_is_first_is_not_said_of_other_words(claim: str) -> None:
    assert derive(claim, Index([BIKES]), (Context(text=BIKES),)) is None


@pytest.mark.parametrize(
    ("claim", "text"),
    [  # proven or refuted once, and wrongly: what another thing has, what adds up, who stands for several
        ("The spearhead is longer than 50 cm.",
         "Longest of the pieces is the sword, at 71 cm, three times as long as the spearhead."),
        ("Ragna's strongest gust exceeded 165 km/h.", "Edda's strongest gust, 151 km/h, fell twenty short of Ragna's."),
        ("The seller has more than 1,200 in commission to pay.",
         "The reserve price is 7,500, and the seller pays 12% commission."),
        ("At least five of her novels are set in Ghana.",
         "Of her novels, the first three were all set in Ghana, the last two in Ghana again."),
        ("The New Bridge gained more cars than the Old Bridge lost.",
         "The Old Bridge carries 12,000 cars a day; the New Bridge, free of charge, carries 16,000 cars a day."),
        ("At 41 kg, the Lasta is more than twice as heavy as the Corsa.", BIKES),
        ("In all, the remote has eight keys.",
         "The remote has a power key, four arrow keys, an OK key and two programmable keys."),
        ("The reserve of 300 was reached.", '{"lot": "Art deco lamp", "start": 120, "reserve": 300, "sold": false}'),
    ],
)  # fmt: skip
def test_what_looks_like_a_proof_and_is_none(claim: str, text: str) -> None:
    assert derive(claim, Index([text]), (Context(text=text),)) is None
