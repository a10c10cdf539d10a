"""How people of the evidence are related, as the network reads it."""

from __future__ import annotations

import re
from itertools import count

import pytest
from support.growth import LINEAR, exponent

from faithmeter.text.english.kinship import COMPOSED, INVERSE, KIN, called
from faithmeter.verify.bound_numbers import LONGEST_CLAIM, LONGEST_EVIDENCE
from faithmeter.verify.notes.families import read_family
from faithmeter.verify.notes.kin import with_kin

FARM = "Joao's brother Silvan came with his wife Petra. Silvan's only son, Milo, played; Milo's daughter Inka sang."


def notes(evidence: str, claim: str, hint: str = "") -> list[str]:
    found = with_kin(evidence, claim, hint)
    assert re.sub(r" \(so [^)]*\)", "", found) == evidence
    return [note for some in re.findall(r" \(so ([^)]*)\)", found) for note in some.split(", ")]


@pytest.mark.parametrize(
    ("claim", "evidence", "noted"),
    [
        ("Inka is Silvan's granddaughter.", FARM, "Inka is Silvan's granddaughter"),
        ("Milo is the nephew of Joao.", FARM, "Milo is Joao's nephew"),
        ("Petra is Joao's sister-in-law.", FARM, "Petra is Joao's sister-in-law"),
        ("Inka is Joao's great-niece.", FARM, "Inka is Joao's great-niece"),
        ("Silvan has a granddaughter.", FARM, "Inka is Silvan's granddaughter"),
        ("Anna is Cleo's grandmother.", "Anna is the mother of Bea. Bea's son is Tom, and Bea's daughter, Cleo, sings.",
         "Anna is Cleo's grandmother"),
        ("Pia is Max's mother-in-law.", "Max and his wife Eva live in Rome. Eva's mother is Pia.",
         "Pia is Max's mother-in-law"),
        ("Karl is Bea's cousin.", "Bea's uncle Tom has a son, Karl.", "Karl is Bea's cousin"),
        ("Ole is Max's grandson.", "Eva and her husband Max have two children, Lea and Jan. Jan's sons Ole and Pit.",
         "Ole is Max's grandson"),
        ("Lea is Jan's sister.", "Lea is the daughter of Eva and Max. Jan, son of Eva and Max, lives in Rome.",
         "Lea is Jan's sister"),
        ("Ada is Tom's aunt.", "Tom was born to Eva and Max. Max, whose sister Ada sings, is a cook.",
         "Ada is Tom's aunt"),
        ("Konrad was Adela's brother-in-law.", "Adela, whose sister's husband Konrad left, wept.",
         "Konrad is Adela's brother-in-law"),
        ("Ruth is Grace's mother-in-law.", "Grace is married to Peter, whose mother Ruth is a teacher.",
         "Ruth is Grace's mother-in-law"),
        ("Lucie is Karel's great-granddaughter.", "Karel sang. Lucie, whose mother was Karel's granddaughter, did not.",
         "Lucie is Karel's great-granddaughter"),
        ("Silvan's mother-in-law spoke.", "Silvan and his wife Petra came. Petra's mother spoke.",
         "Petra's mother is Silvan's mother-in-law"),
    ],
)  # fmt: skip
def test_what_follows_is_noted(claim: str, evidence: str, noted: str) -> None:
    assert notes(evidence, claim) == [noted]


@pytest.mark.parametrize(
    ("claim", "evidence", "noted"),
    [
        ("Inka is Silvan's niece.", FARM, "Inka is no niece of Silvan"),
        ("Silvan's daughter is Inka.", FARM, "Inka is no daughter of Silvan"),
        ("Petra is the sister of Joao.", FARM, "Petra is no sister of Joao"),
        ("Joao and Petra are siblings.", FARM, "Petra is no sibling of Joao"),
        ("Petra is not Joao's sister.", FARM, "Petra is no sister of Joao"),
        ("Milo is Joao's niece.", FARM, "Milo is no niece of Joao"),  # a son is a nephew
        ("Anna is Tom's grandmother.", "Tom's mother is Eva. Eva's sister Anna came.", "Anna is no grandmother of Tom"),
        ("Kim was Heath's son.", "Heath's father, Kim, spoke.", "Kim is no son of Heath"),  # said, the other way round
    ],
)
def test_what_the_claim_calls_by_another_word_is_noted_too(claim: str, evidence: str, noted: str) -> None:
    assert notes(evidence, claim) == [noted]


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Inka sang of Silvan.", FARM),  # of no relative
        ("Milo played.", FARM),
        ("Inka is Hedda's niece.", FARM),  # of whom nothing is said
        ("Silvan had a niece called Inka.", FARM),  # it might be another Inka
        ("Ole is Eva's grandson.", "Eva met Ida and her son Jan. Jan's son is Ole."),  # whose son?
        ("Ole is Max's grandson.", "Max is a cook. The judge came with his son Jan. Jan's son is Ole."),
        ("Eva is Ole's aunt.", "Her post goes to Hugo, the cousin of her sister Eva. Hugo's son is Ole."),
        ("Ole is Eva's grandson.", "Eva's stepson Jan has a son, Ole."),
        ("Ole is Eva's nephew.", "Eva's half-brother Jan has a son, Ole."),
        ("Ole is Eva's grandson.", "Eva's adopted son Jan has a son, Ole."),
        ("Pia is Max's mother-in-law.", "Max's former wife Eva came. Eva's mother is Pia."),
        ("Pia is Max's mother-in-law.", "Max married Eva. Eva's mother is Pia. In 2004 they divorced."),
        ("Pia is Max's mother-in-law.", "Max married Eva. Max married Ida. Eva's mother is Pia."),  # two wives
        ("Karl is Bea's nephew.", "Bea's second cousin Ida has a brother, Tom. Tom's son is Karl."),
        ("Lea is Max's daughter.", "Max married Eva. Eva's daughter is Lea."),  # or his stepdaughter
        ("Ole is Jan's brother.", "Jan's mother is Eva. Ole's mother is Eva."),  # or half-brother
        ("Ida is Ole's grandmother.", "Ole's mother is Eva. Ole's mother is Ada. Eva's mother is Ida."),  # two mothers
        ("Ole is Eva's grandson.", "If Jan is Eva's son, all is well. Jan's son is Ole."),
        ("Ole is Eva's grandson.", "Perhaps Eva's son is Jan. Jan's son is Ole."),
        ("Ole is Eva's grandson.", "Jan Hall is Eva's son. Jan Moe came too. Jan's son is Ole."),  # which Jan?
        ("Ole is Eva's son.", "Eva, Jan's mother and Ida came. Jan's son is Ole."),  # a list
        ("Mary is Wells's mother.", "Wells is the son of Motown singer Mary and of Cecil."),
        ("", FARM),
        ("Inka is Silvan's granddaughter.", ""),
    ],
)
def test_nothing_is_noted_where_it_is_not_clear(claim: str, evidence: str) -> None:
    assert with_kin(evidence, claim) == evidence


def test_the_note_stands_behind_what_completes_the_link() -> None:
    found = with_kin("Eva's son is Jan. Jan's son is Ole, a cook. Ole sings.", "Ole is Eva's grandson.")
    assert found == "Eva's son is Jan. Jan's son is Ole, a cook (so Ole is Eva's grandson). Ole sings."


def test_a_hint_says_who_is_meant() -> None:
    assert notes(FARM, "She is his granddaughter.") == []
    assert notes(FARM, "She is his granddaughter.", "Silvan and Inka were there.") == ["Inka is Silvan's granddaughter"]


def test_no_more_than_three_notes() -> None:
    sons = " ".join(f"Jan's son is {name}." for name in ("Ole", "Pit", "Kai", "Lars", "Nils"))
    assert len(notes(f"Eva's son is Jan. {sons}", "Eva is a grandmother.")) == 3


def test_nobody_is_set_beside_who_may_be_the_same() -> None:
    family = read_family("Tom's sister came. Tom's sister Ida sang.")
    assert family.derived == ()


@pytest.mark.parametrize(("first", "then"), list(COMPOSED))
def test_each_composition_holds_the_other_way_round_where_it_is_known(first: str, then: str) -> None:
    back = (INVERSE.get(then, then), INVERSE.get(first, first))
    made = COMPOSED[first, then]
    assert COMPOSED.get(back, INVERSE.get(made, made)) == INVERSE.get(made, made)
    assert {term.relation for term in KIN.values()} >= {first, then, made}


def test_relatives_are_called_by_their_gender_if_it_is_known() -> None:
    assert [called("great-uncle", gender) for gender in ("f", "m", None)] == [
        "great-aunt",
        "great-uncle",
        "great-aunt or uncle",
    ]
    assert [called("child-in-law", gender) for gender in ("f", "m", "")] == [
        "daughter-in-law",
        "son-in-law",
        "child-in-law",
    ]


@pytest.mark.parametrize(
    "piece",
    ["A's son B. ", "the son of ", "his son's ", "Eva and Jan and ", "A, B, ", "Jan his son ", ", whose mother",
     "the painter his son ", "A's sons B, C, D and E. ", "Eva's son Jan, ", "Abel Bo's wife C Abel. ", "?", "is ",
     "Eva's mother is "],
)  # fmt: skip
def test_bad_text_costs_no_more_than_its_length(piece: str) -> None:
    runs = count()

    def work(given: str) -> object:  # another text each time, for what was read is kept
        return with_kin(f"Eva's son is Jan. {next(runs)} {given}", "Ole is Eva's grandson, of Jan.")

    times = LONGEST_EVIDENCE // len(piece) - 10
    assert exponent(work, piece * (times // 4), piece * times)[0] < LINEAR
    assert with_kin(piece * LONGEST_EVIDENCE, "Ole is Eva's son.") == piece * LONGEST_EVIDENCE
    long = "Ole is Eva's son. " * LONGEST_CLAIM
    assert with_kin(FARM, long) == FARM
