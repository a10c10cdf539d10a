"""Which of two things has more, and which of several most, as the network reads it."""

from __future__ import annotations

import pytest
from support.growth import LINEAR, exponent

from faithmeter.verify.bound_numbers import LONGEST_CLAIM, LONGEST_EVIDENCE
from faithmeter.verify.notes.orders import with_orders

KETTLES = (
    "Kettle: Brunel K2; Price in euros: 39; Noise: 71 dB; Kettle: Orva Slim; Price in euros: 54; Noise: 76 dB; "
    "Kettle: Tessaly; Price in euros: 89; Noise: 64 dB"
)


@pytest.mark.parametrize(
    ("claim", "evidence", "noted"),
    [
        ("The Vega is cheaper than the Altair.", "The Vega costs 340 euros and is red; the Altair is 410 euros.",
         "410 euros (so the Vega is cheaper than the Altair)."),
        ("The Vega is dearer than the Altair.", "The Vega costs 340 euros, the Altair 410.",
         "410 (so the Altair is dearer than the Vega)."),
        ("Option B costs more than Option A.", "Option A costs $12,000. Option B costs $14,500.",
         "$14,500 (so Option B costs more than Option A)."),
        ("Ben Oster is older than Tilda Moran.", "Tilda Moran is 34. Her colleague Ben Oster, a carpenter, is 29.",
         "29 (so Tilda Moran is older than Ben Oster)."),
        ("Maria is younger than Tom.", "Maria was born in 1980, Tom in 1985.", "(so Tom is younger than Maria)"),
        ("The library is older than the museum.", "The library opened in 1923. The museum opened in 1911.",
         "(so the museum is older than the library)"),
        ("Jan Keel joined before Mira Holt.", "Mira Holt joined in 2011. Jan Keel joined in 2008.",
         "2008 (so Jan Keel came earlier than Mira Holt)."),
        ("The concert starts earlier than the lecture.", "The concert starts at 19:30. The lecture starts at 18:00.",
         "(so the lecture came earlier than the concert)"),
        ("The coach is slower than the express.", "The express takes 45 minutes. The coach takes 70 minutes.",
         "(so the coach is slower than the express)"),
        ("It was warmer in Lille than in Porto.", "It was 31 degrees in Porto, and 24 degrees in Lille.",
         "24 degrees (so Porto is warmer than Lille) in Lille."),
        ("The oak is less tall than the beech.", "The oak is 24 metres tall. The beech measures 28 metres.",
         "28 metres (so the oak is shorter than the beech)."),
        ("The oak is as tall as the beech.", "The oak is 24 metres tall. The beech measures 28 metres.",
         "(so the beech is taller than the oak)"),
        ("Mount Keld is higher than Mount Brae.", "Mount Keld (2,310 m) and Mount Brae (2,450 m) lie close together.",
         "(2,450 m) (so Mount Brae is higher than Mount Keld) lie"),
        ("Tom has more books than Maria.", "Maria owns 120 books. Tom owns 95 books.",
         "(so Maria has more books than Tom)"),
        ("The blue tent is lighter than the green tent.", "The blue tent weighs 2.4 kg, the green one weighs 3.1 kg.",
         "3.1 kg (so the blue tent is lighter than the green tent)."),
        ("Build 6 is slower than build 7.", "Build 6 took 96 seconds. Build 7 took 120 seconds.",
         "(so build 7 is slower than Build 6)"),
        ("The Falcon has a longer range than the Kite.", "The Falcon has a range of 420 km, the Kite has 380 km.",
         "(so the Falcon has the longer range, not the Kite)"),
        ("Anna finished ahead of Lena.", "Lena finished second in the race. Anna finished fourth.",
         "(so Lena finished ahead of Anna)"),
        ("The Tessaly is quieter than the Orva Slim.", KETTLES, "64 dB (so the Tessaly is quieter than the Orva Slim)"),
    ],
)  # fmt: skip
def test_two_things_are_compared_in_the_claims_word(claim: str, evidence: str, noted: str) -> None:
    found = with_orders(evidence, claim)
    assert noted in found
    assert found.count("(so ") == 1


@pytest.mark.parametrize(
    ("claim", "evidence", "noted"),
    [
        ("The Quill is the cheapest of the three.", "The Quill costs 120 euros, the Vela 260 and the Dorn 90.",
         "90 (so Dorn, not the Quill, is the cheapest)."),
        ("The Dorn costs the least.", "The Quill costs 120 euros, the Vela 260 and the Dorn 90.",
         "90 (so the Dorn costs the least)."),
        ("Per is the oldest of the three.", "Per is 34, Ida 31 and Unn 40.", "40 (so Unn, not Per, is the oldest)."),
        ("Per was the first to join.", "Ida joined in 2012, Per in 2009 and Unn in 2015.", "(so Per came first)"),
        ("Of the two, the Orion is cheaper.", "The Orion costs 89 euros and the Lyra 75 euros.",
         "(so Lyra, not the Orion, is the cheaper)"),
        ("The Orva Slim is the cheapest.", KETTLES, "89 (so Brunel K2, not the Orva Slim, is the cheapest); Noise"),
        ("The Tessaly has the lowest noise.", KETTLES, "64 dB (so the Tessaly has the lowest noise)"),
    ],
)  # fmt: skip
def test_the_first_of_several_is_named(claim: str, evidence: str, noted: str) -> None:
    found = with_orders(evidence, claim)
    assert noted in found
    assert found.count("(so ") == 1


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The Vega costs 340 euros.", "The Vega costs 340 euros, the Altair 410."),  # it does not compare
        ("The Vega is cheaper than the Altair.", "The Vega costs 340 euros."),
        ("The Vega is cheaper than the Altair.", "The Vega costs 340 euros, the Altair 340."),  # the same
        ("It is cheaper than the Altair.", "The Vega costs 340 euros, the Altair 410."),  # a pronoun
        ("The Vega is cheaper than the Altair.", "The Vega costs 340 euros. It was 400. The new one costs 410."),
        ("The Vega is cheaper than the Altair.", "The Vega costs 340 euros; used, the Vega is 200 euros. The Altair is "
         "300 euros."),  # two prices
        ("The Vega is heavier than the Altair.", "The Vega costs 340 euros, the Altair 410."),  # another scale
        ("The Vega is wider than the Altair.", "The Vega is 3 m tall, the Altair 4 m."),
        ("The season in Sölten lasts longer than in Karr.", "Sölten has slopes of 80 km, Karr 65 km."),
        ("Tom has more books than Maria.", "Tom has 95 records. Maria has 120 records."),  # another noun
        ("Tom's breakfast costs more than Maria's.", "Tom pays 9 euros for lunch. Maria pays 12 euros for lunch."),
        ("Ana is older than Bea.", "The sister of Ana is 34. Bea is 31."),  # another's
        ("The Vega is cheaper than the Altair.", "The Vega costs 20 euros less. The Altair costs 410 euros."),
        ("The Vega is cheaper than the Altair.", "The Vega costs at least 340 euros. The Altair costs 410 euros."),
        ("The Vega is cheaper than the Altair.", "The Vega does not cost 340 euros. The Altair costs 410 euros."),
        ("Kaldbreen is longer than Storisen.", "Kaldbreen has lost 3.1 km. Storisen is 12.9 km long."),  # a change
        ("The Left has more seats than the Right.", "In 2019 the Left held 41 seats and the Right 33."),  # once
        ("The kitchen was there before the flood.", "After the flood, in 2021, all was renovated; the kitchen is of "
         "2008."),
        ("Mona died before Ole.", "Mona was born in 1951. Ole was born in 1948."),  # another event
        ("Uta Hagen was born after June 12, 1930.", "Uta Hagen (12 June 1945 - 4 January 2004) was an actress."),
        ("Ana is older than Bea.", "Ana died in 1990. Bea was born in 1980."),
        ("Otieno won before Kamau.", "Kamau (born in 1966) knew Otieno, who had won in 2005."),
        ("The Quill is the cheapest of the four.", "The Quill costs 120 euros, the Vela 260 and the Dorn 90."),
        ("The Quill is the second cheapest.", "The Quill costs 120 euros, the Vela 260 and the Dorn 90."),
        ("The Quill is the cheapest and has a lid.", "The Quill costs 120 euros, the Vela 260 and the Dorn 90."),
        ("The Vega costs more than 300 euros.", "The Vega costs 340 euros, the Altair 410."),  # a limit
        ("The Campus is the cheapest.", "Plan: Solo; Price: 5; Plan: Team; Price: 29; Plan: Edu; Price: 9; Plan: "
         "Campus; Price: on request"),
        ("", "The Vega costs 340 euros, the Altair 410."),
        ("The Vega is cheaper than the Altair.", ""),
    ],
)  # fmt: skip
def test_nothing_is_written_where_it_is_not_clear(claim: str, evidence: str) -> None:
    assert with_orders(evidence, claim) == evidence


def test_only_brackets_are_added_and_not_more_than_three() -> None:
    evidence = "Ana is 31, Bea is 34. The Vega costs 5 euros, the Lyra 6. Ana weighs 61 kg, Bea weighs 58 kg."
    claim = (
        "Ana is older than Bea; the Vega is cheaper than the Lyra; Ana is heavier than Bea; Bea is younger than Ana."
    )
    found = with_orders(evidence, claim)
    notes = (
        " (so Bea is older than Ana)",
        " (so the Vega is cheaper than the Lyra)",
        " (so Ana is heavier than Bea)",
    )
    for note in notes:
        assert note in found
        found = found.replace(note, "")
    assert found == evidence


def test_long_texts_are_left_as_they_are() -> None:
    claim, evidence = "The Vega is cheaper than the Altair.", "The Vega costs 340 euros, the Altair 410."
    assert with_orders(evidence + " " * (LONGEST_EVIDENCE - len(evidence)), claim).count("(so ") == 1
    long = evidence + " " * LONGEST_EVIDENCE
    assert with_orders(long, claim) == long
    assert with_orders(evidence, claim + " " * LONGEST_CLAIM) == evidence


@pytest.mark.parametrize("piece", ["the Vega is 5 km, ", "1 ", "Vega ", "a: 1; ", "A 5, ", "(", "first ", "than "])
def test_its_cost_grows_with_the_length(piece: str) -> None:
    def work(text: str) -> object:
        return with_orders(text, "The Vega is longer than the Altair.")

    long = LONGEST_EVIDENCE // len(piece)
    assert exponent(work, piece * (long // 4), piece * long)[0] < LINEAR
