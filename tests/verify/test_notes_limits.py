"""What limits mean for the claim's amounts, as the network reads it."""

from __future__ import annotations

import pytest

from faithmeter import check
from faithmeter.verify.notes.limits import with_limits

FREE = "Orders over $50 ship free within the EU. Smaller orders cost $4.90."


@pytest.mark.parametrize(
    ("claim", "evidence", "noted"),
    [
        ("An order of $45 ships free.", FREE, "Orders over $50 (not $45) ship"),
        ("An order of $60 ships free.", FREE, "Orders over $50 (including $60) ship"),
        ("A ten-year-old pays half.", "Children under 12 pay half.", "under 12 (including 10) pay"),
        ("A child of six must not take it.", "It is not suitable for children under 12.", "under 12 (including 6)."),
        ("A child of 14 pays half.", "Children under 12 pay half.", "under 12 (not 14) pay"),
        ("A 60-year-old travels free.", "Passengers aged 65 and over travel free.", "65 and over (not 60) travel"),
        ("A 15-year-old needs a parent.", "Anyone under the age of 18 needs a parent.", "18 (including 15) needs"),
        ("A 16-year-old may enter.", "You must be 18 or older to enter.", "18 or older (not 16) to enter"),
        ("A parcel of 7 kg may go.", "Parcels of up to 5 kg may go by air.", "up to 5 kg (not 7 kg) may"),
        ("A 3,000 g parcel may go.", "Parcels of up to 5 kg may go by air.", "up to 5 kg (including 3,000 g) may"),
        ("Six people must book.", "Groups of more than ten people must book.", "more than ten (not six) people"),
        ("A stay of 5 nights costs more.", "Stays of between 3 and 7 nights cost more.", "7 (including 5) nights"),
        ("It can be filed after 45 days.", "It must be filed within 30 days.", "within 30 days (not 45 days)."),
        ("Anyone with two years of service may apply.", "Staff with at least one year of service may apply.",
         "at least one year (including two years) of"),
        ("Whoever cancels three days before pays nothing.", "Cancel at least 48 hours before and pay nothing.",
         "at least 48 hours (including three days) before"),
        ("It may be sent back after 14 months.", "It may be sent back within a year.", "a year (not 14 months)."),
    ],
)  # fmt: skip
def test_a_limit_is_compared_with_the_claims_amount(claim: str, evidence: str, noted: str) -> None:
    found = with_limits(evidence, claim)
    assert noted in found
    assert found.count("(not ") + found.count("(including ") == 1


@pytest.mark.parametrize(
    ("claim", "evidence", "noted"),
    [
        ("More than 300 guests came.", "In all 312 guests came.", "312 (more than 300) guests"),
        ("More than 300 guests came.", "In all 290 guests came with 500 dogs.", "290 (less than 300) guests"),
        ("Fewer than 300 guests came.", "In all 290 guests came.", "290 (less than 300) guests"),
        ("The film earned over $72 million abroad.", "Abroad the film earned €5 and $66.1 million.",
         "$66.1 million (less than $72 million)."),
        ("At least 20 provinces have cases.", "There are 457 cases in 23 provinces.", "23 (more than 20) provinces"),
        ("The tower is under 400 feet tall.", "The tower is 330 m tall.", "330 m (more than 400 feet) tall"),
        ("Eva earns between $30,000 and $40,000.", "Eva, a nurse, earns $35,200.",
         "$35,200 (between $30,000 and $40,000)."),
        ("Eva earns between $30,000 and $40,000.", "Eva, a nurse, earns $52,400.",
         "$52,400 (not between $30,000 and $40,000)."),
    ],
)  # fmt: skip
def test_an_amount_is_set_beside_the_claims_limit(claim: str, evidence: str, noted: str) -> None:
    found = with_limits(evidence, claim)
    assert noted in found
    assert found.count("(") == evidence.count("(") + 1


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The film earned over $100 million.", "The film earned $66 million abroad and $50 million at home."),  # a sum
        ("More than 300 guests came.", "In all 312 dogs came."),
        ("Records are kept for at least 3 years.", "Keep records for 3 years; the office keeps records for 6 years."),
        ("It takes less than a day.", "It began six weeks ago."),
        ("Smaller orders cost $4.90.", FREE),  # it has its amount from the evidence
        ("Orders over $60 ship free.", FREE),  # it gives a limit of its own
        ("The limit is $60.", FREE),
        ("The battery lasts 8 hours.", "The battery lasts up to 10 hours."),  # said of it, and not which is meant
        ("Fewer than 2,500 patients came.", "Of the 2020 patients nothing is known."),  # a year
        ("It began in the 1920s.", "It took more than 300 seconds."),
        ("312 people attended the fair.", "More than 300 people attended the fair."),
        ("A group of six must book.", "Stays of more than ten nights must be booked."),  # of another thing
        ("An order of 45 kg ships free.", FREE),
        ("About $60 is enough.", FREE),
        ("It opened in 1998.", "It has had more than 300 visitors since."),
        ("It takes 30 days.", "It takes up to one month."),  # months differ
        ("Leave it on for 30 minutes.", "Rub it in for 3 to 5 minutes. Leave it on for 15-20 minutes."),  # no limits
        ("It is cut once a year.", "It is cut within 30 days."),  # how often, and no amount
        ("Children below the age of 6 get none.", "Adults get 60 mg, but anyone over 65 gets 30 mg."),
        ("Your two grandchildren travel free.", "With the card, grandchildren up to 14 travel free."),
        ("The cable is 8 m long.", "Hikes are shorter than 9 km."),
        ("", FREE),
        ("An order of $45 ships free.", ""),
    ],
)
def test_nothing_is_written_where_it_is_not_clear(claim: str, evidence: str) -> None:
    assert with_limits(evidence, claim) == evidence


def test_only_brackets_are_added() -> None:
    claim = "A guest of 15 with 3 bags pays for 2 nights and 40 minutes."
    evidence = "Guests under 16 with up to 2 bags pay for at least 3 nights; whoever pays within 30 minutes, may leave."
    found = with_limits(evidence, claim)
    for note in (" (including 15)", " (not 3)", " (not 2)", " (not 40 minutes)"):
        assert note in found
        found = found.replace(note, "")
    assert found == evidence


def test_the_verifier_judges_by_it_and_shows_the_evidence_as_it_is() -> None:
    low, high = (check(f"An order of {sum_} ships free within the EU.", [FREE]).outcomes[0] for sum_ in ("$45", "$60"))
    assert (low.label.value, high.label.value) == ("contradicted", "supported")
    assert {e.quote for e in (*low.evidence, *high.evidence)} <= {
        "Orders over $50 ship free within the EU.",
        "Smaller orders cost $4.90.",
    }
