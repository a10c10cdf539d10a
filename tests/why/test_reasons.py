"""Reasons, kinds and blame: both sides are quoted, and nothing is quoted that does not stand there."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reasons import why

from faithmeter import Claim, Evidence, Failure, Label, Origin, Sample, Verdict, check
from faithmeter.why import explained

QUOTED = re.compile("“([^”]*)”")


CASES = [
    ("Einstein was born on 20 March 1879.", "Albert Einstein was born on 14 March 1879 in Ulm.", "date",
     "the contexts say “14 March 1879”, the claim “20 March 1879”"),
    ("The price is $45.", '{"price": "$54", "name": "Kettle"}', "number", "the contexts say “$54”, the claim “$45”"),
    ("The run is 5 miles long.", "The run is 5 kilometres long.", "unit",
     "the contexts say “5 kilometres”, the claim “5 miles”"),
    ("The fund holds 3 billion dollars.", "The fund holds 3 million dollars.", "unit",
     "the contexts say “3 million dollars”, the claim “3 billion dollars”"),
    ("The tower was designed by Smith in 1889.", "The tower was designed by Gustave Eiffel in 1889.", "name",
     "the contexts say “Gustave Eiffel”, the claim “Smith”"),
    ("Brutus was killed by Caesar.", "Caesar was killed by Brutus.", "role",
     "the contexts have it in other roles: “Caesar was killed by Brutus”"),
    ("The product is suitable for children.", "The product is not suitable for children under three.", "negation",
     "the contexts say the opposite: “not suitable for children”"),
    ("The product is not suitable for children.", "The product is suitable for children.", "negation",
     "the contexts say the opposite: “is suitable for children”"),
    ("Prices increased in May.", "Prices decreased in May.", "negation", "the contexts say the opposite: “decreased”"),
    ("Most users like it.", "Few users like it.", "quantity", "the contexts say “Few”, the claim “Most”"),
    ("It is open at least 5 days a week.", "It is open at most 5 days a week.", "quantity",
     "the contexts say “at most”, the claim “at least”"),
    ("The company has opened a plant in Texas.", "The company plans to open a plant in Texas.", "certainty",
     "the contexts say “plans to open a plant”, not that it is so"),
    ("The revenue rose by 12 %.", "Net income rose by 12 %, while revenue fell by 3 %.", "attribution",
     "said of “Net income”, not of “revenue”"),
    ("Sales fell because of the strike.", "Sales fell in May. There was a strike in June.", "cause",
     "the contexts do not give this cause: “because of the strike”"),
    ("The bridge opened after the war.", "The bridge opened before the war.", "time",
     "the contexts say “before”, the claim “after”"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "context", "kind", "reason"), CASES, ids=[case[0] for case in CASES])
def test_the_reason_quotes_both_sides(claim: str, context: str, kind: str, reason: str) -> None:
    found = why(claim, context)
    assert (found.kind, found.reason) == (kind, reason)


def test_a_number_of_another_subject_is_marked_and_both_subjects_are_quoted() -> None:
    returns = "Most items may be returned within 60 days. Laptops must be returned within 30 days."
    found = why("Laptops may be returned within 60 days of delivery.", returns)
    assert (found.kind, found.reason) == ("attribution", "said of “Most items”, not of “Laptops”")
    assert [found.claim.text[low:high] for low, high in found.gaps] == ["60 days"]
    assert found.gaps == found.conflicts


def test_what_is_someone_elses_is_marked_and_both_owners_are_quoted() -> None:
    castle = "Nijō Castle was built in 1603 as the Kyoto residence of Tokugawa Ieyasu, the first shogun."
    found = why("Nijō Castle: the emperor's residence, built in 1603.", castle)
    assert (found.kind, found.reason) == ("attribution", "said of “Tokugawa Ieyasu”, not of “the emperor”")
    assert [found.claim.text[low:high] for low, high in found.gaps] == ["the emperor"]
    found = why("Berlin is a city-state and the capital of Austria.", "Berlin is a city-state and Germany's capital.")
    assert found.kind == "name"


def test_what_nothing_speaks_of_is_an_addition() -> None:
    found = why("The hotel has free Wi-Fi.", "The hotel has a pool and a sauna.", label="not_enough_info")
    assert (found.kind, found.blame) == ("addition", "missing")
    assert found.reason == "no passage mentions “free Wi-Fi”"
    claim = "The tower opened in 1889, and Ingrid Solberg received an award for it."
    found = why(claim, "The tower opened in 1889 in Paris.", label="not_enough_info")
    assert (found.kind, found.blame) == ("addition", "missing")
    assert found.reason == "no passage mentions “Ingrid Solberg received an award”"


def test_what_the_contexts_say_otherwise_is_misread_and_what_another_passage_says_is_mixed() -> None:
    first, second = "Alder Ltd earned 40 million euros.", "Birch Ltd earned 75 million euros."
    assert why("Alder Ltd earned 33 million euros.", first, second).blame == "misread"
    assert why("Alder Ltd earned 75 million euros.", first, second).blame == "mixed"


def test_a_field_of_a_record_that_says_otherwise_is_misread() -> None:
    record = '{"name": "Lotus", "address": "290 Market Pl Dr", "stars": 4}'
    claim = "Lotus, a quiet restaurant loved by students, is located at 290 Orchard Pl Dr in the old town."
    sample = Sample(answer=claim, contexts=(record,))
    field = record.index('"address"'), record.index(', "stars"')
    verdict = Verdict(
        claim=Claim(text=claim, start=0, end=len(claim)),
        label=Label.CONTRADICTED,
        evidence=(Evidence.of(sample.contexts, 0, *field),),
        origin=Origin(verifier="mine"),
    )
    (found,) = explained([verdict], sample)
    assert isinstance(found, Verdict)
    assert (found.kind, found.blame) == ("name", "misread")


def test_a_number_written_in_pieces_is_the_same_number() -> None:
    contexts = "Ada sold 41, 000 books.", "Bo sold 235, 000 books."
    assert why("Ada sold 235,000 books.", *contexts).blame == "mixed"


def test_a_verifiers_own_reason_is_kept() -> None:
    found = why("The price is $45.", "The price is $54.", reason="They paid more.")
    assert (found.reason, found.kind, found.blame) == ("They paid more.", "number", "misread")


def test_supported_claims_and_failures_are_left_alone() -> None:
    claim, sample = Claim(text="It is red.", start=0, end=10), Sample(answer="It is red.", contexts=("It is red.",))
    verdict = Verdict(claim=claim, label=Label.SUPPORTED, origin=Origin(verifier="mine"))
    failure = Failure(claim=claim, kind="timeout", message="too late")
    assert explained([verdict, failure], sample) == [verdict, failure]


def test_without_contexts_there_is_still_a_reason() -> None:
    found = why("It is red.", label="not_enough_info")
    assert found.reason == "no passage says this"
    assert found.blame == "missing"


def test_the_verifiers_marks_tell_which_of_two_differences_counts() -> None:
    context = "In 2019 the Ardal plant made 500 cars, and 12 vans."
    claim = "The Ardal plant made 700 cars and 13 vans."
    assert why(claim, context, gaps=["700"]).reason == "the contexts say “500”, the claim “700”"
    assert why(claim, context, gaps=["13"]).reason == "the contexts say “12”, the claim “13”"


def test_every_verdict_of_a_check_that_is_not_supported_has_all_three() -> None:
    contexts = ["The museum opened in 1901. It has 40 rooms."]
    result = check("The museum opened in 1911. It has no lift.", contexts, verifier="lexical")
    assert result.unsupported
    assert all(verdict.reason and verdict.kind and verdict.blame for verdict in result.unsupported)


SOME = """the a Ulm Paris Smith not never no 14 March 1879 20 5 km miles $45 60°F % most few at least because after said
may plans opened closed rooms, hotel. is was has “quoted” ü 3,500 third (and) \u2028"""
WORDS = st.sampled_from([*SOME.split(), "\n"])
TEXTS = st.lists(WORDS, min_size=1, max_size=25).map(" ".join)


@given(TEXTS, st.lists(TEXTS, max_size=3), st.sampled_from(["contradicted", "not_enough_info", "partially_supported"]))
def test_nothing_is_quoted_that_does_not_stand_there(claim: str, contexts: list[str], label: str) -> None:
    found = why(claim, *contexts, label=label)
    assert found.reason
    assert found.kind
    texts = [claim, *contexts]
    pieces = found.reason.split("“")[1:] if "“quoted”" not in "".join(texts) else []
    for piece in pieces:
        quote = piece.rpartition("”")[0]
        assert quote
        assert any(quote in text for text in texts)


def test_a_claim_of_any_length_is_looked_at_in_no_time() -> None:
    claim = "The plant made 700 cars, which Smith never sold in March 1999 at most. " * 60
    context = "The plant made 500 cars, which Jones always sold in May 1998 at least. " * 200
    assert why(claim, context).kind


@pytest.mark.parametrize(
    ("claim", "context", "words"),
    [
        ("Einstein was born on 20 March 1879.", "Einstein was born on 14 March 1879 in Ulm.", ["20"]),
        ("The run is 5 miles long.", "The run is 5 kilometres long.", ["miles"]),
        ("The fee is €45.", "The fee is $45.", ["€"]),
        ("The product is not suitable for children.", "The product is suitable for children.", ["is not"]),
        ("The tower was designed by Gustav Smith.", "The tower was designed by Gustav Eiffel.", ["Smith"]),
    ],
)
def test_the_words_that_were_exchanged_are_marked_and_said_to_be_contradicted(
    claim: str, context: str, words: list[str]
) -> None:
    found = why(claim, context)
    assert [claim[start:end] for start, end in found.gaps] == words
    assert found.conflicts == found.gaps


def test_marks_are_whole_words_and_phrases() -> None:
    claim = "The café serves smoked trout, and free coffee to guests of the hotel."
    gaps = ["moked tro", "free", "coffee to g"]
    found = why(claim, "The café of the hotel serves lunch to its guests.", label="not_enough_info", gaps=gaps)
    assert [claim[start:end] for start, end in found.gaps] == ["smoked trout, and free coffee to guests"]
    assert found.conflicts == ()


def test_what_the_verifier_marks_is_not_widened_by_code() -> None:
    claim = "The café has tables, and a choir of retired miners sings there on Sundays."
    found = why(claim, "The town lies on a lake.", label="not_enough_info", gaps=["retired miners"])
    assert [claim[start:end] for start, end in found.gaps] == ["retired miners"]
    found = why(claim, "The town lies on a lake.", label="not_enough_info", gaps=[claim])
    assert [claim[start:end] for start, end in found.gaps] == [claim.rstrip(".")]


def test_where_the_verifier_marks_words_code_marks_no_others() -> None:
    claim = "Sam Mendes got divorced in 2010."
    found = why(claim, "The couple separated in March and divorced in 2011.", gaps=["2010"])
    assert [claim[start:end] for start, end in found.gaps] == ["2010"]


@pytest.mark.parametrize(
    ("claim", "context", "missing"),
    [
        ("The hotel offers Wi-Fi and has a car park.", '{"name": "Sea Hotel", "WiFi": "free"}', "car park"),
        ("The hotel has wifi and a car park.", "The hotel has Wi-Fi and a pool.", "car park"),
        ("The hotel offers take-out and has a sauna.", '{"name": "Bo", "RestaurantsTakeOut": true}', "sauna"),
        ("The hotel offers WiFi and has a sauna.", "The hotel has Wi-Fi and a pool.", "sauna"),
    ],
)
def test_other_ways_of_writing_a_word_are_no_additions(claim: str, context: str, missing: str) -> None:
    found = why(claim, context, label="not_enough_info")
    assert (found.kind, found.reason) == ("addition", f"no passage mentions “{missing}”")


def test_a_day_without_its_month_is_a_date() -> None:
    found = why("The fair opens on the 20th.", "The fair opens on 14 March.", label="not_enough_info")
    assert (found.kind, found.reason) == ("date", "the contexts say “14 March”, the claim “20th”")
    found = why("It ended in the 20th century.", "It ended in the 19th century.", label="not_enough_info")
    assert found.kind == "number"


def test_words_that_stand_in_the_contexts_are_not_said_to_be_missing() -> None:
    context = "The museum opened in 1901. Mondays are quiet, and the garden is free."
    claim = "Admission to the museum is free on Mondays."
    found = why(claim, context, label="not_enough_info", gaps=["Admission to the museum is free on Mondays"])
    assert "mentions" not in str(found.reason)


def test_quotes_are_whole_words() -> None:
    found = why("Note the IPv6 entry of the router.", "Note the entry of the router.", label="not_enough_info")
    assert found.reason == "no passage mentions “IPv6”"


@pytest.mark.parametrize(("claim", "context"), [
    ("It cures type 2 diabetes.", "It helps adults with type 2 diabetes. Take 2 tablets a day."),
    ("Apollo 11 landed on Mars.", "In 1969 Apollo 11 landed on the Moon. It flew 11 days."),
    ("The iPhone 15 was cheap.", "The iPhone 15 was not cheap. 15 colours were sold."),
    ("He left Formula 1 for the theatre.", "He drove in Formula 1 and won 1 race."),
    ("Few people use Windows 11 at home.", "Most people use Windows 11 at work, 11 of 20 at least."),
    ("Article 5 bans all hunting by night.", "Article 5 bans fishing by night for 5 years."),
    ("COVID-19 spreads by water.", "COVID-19 spreads by air. There were 19 cases."),
])  # fmt: skip
@pytest.mark.parametrize("label", ["contradicted", "not_enough_info"])
def test_a_number_inside_a_name_is_no_number(claim: str, context: str, label: str) -> None:
    found = why(claim, context, label=label)
    assert found.kind != "number"
    assert not any(quote.isdecimal() for quote in QUOTED.findall(found.reason or ""))


@pytest.mark.parametrize(("claim", "context", "reason"), [
    ("It cures type 2 diabetes.", "It cures type 1 diabetes.", "the contexts say “type 1”, the claim “type 2”"),
    ("It flew on Apollo 11.", "It flew on Apollo 12.", "the contexts say “Apollo 12”, the claim “Apollo 11”"),
    ("It runs on Windows 10.", "It runs on Windows 11.", "the contexts say “Windows 11”, the claim “Windows 10”"),
    ("It cures type 2 diabetes.", "It cures diabetes in 2 weeks.", "no passage mentions “type 2”"),
])  # fmt: skip
def test_a_name_with_another_number_is_another_name(claim: str, context: str, reason: str) -> None:
    found = why(claim, context)
    assert (found.kind, found.reason) == ("name", reason)


@pytest.mark.parametrize(("claim", "context", "kind"), [
    ("Tesla sold 20 cars.", "Tesla sold 30 cars.", "number"),
    ("On March 5 it rained.", "On March 6 it rained.", "date"),
    ("The iPhone 15 has 3 cameras.", "The iPhone 15 has 2 cameras.", "number"),
])  # fmt: skip
def test_a_number_that_counts_is_still_one(claim: str, context: str, kind: str) -> None:
    assert why(claim, context).kind == kind


def test_a_name_in_another_form_is_no_missing_name() -> None:
    found = why("Goleta in California sells boats.", "Goleta, CA sells shoes.", label="not_enough_info", gaps=["boats"])
    assert "California" not in str(found.reason)
    found = why("Goleta in Texas sells shoes.", "Goleta, CA sells shoes.", label="not_enough_info", gaps=["Texas"])
    assert "Texas" in str(found.reason)
