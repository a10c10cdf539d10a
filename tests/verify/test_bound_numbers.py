"""Numbers that the evidence says of something else than the claim does."""

from __future__ import annotations

import pytest

from faithmeter.verify.bound_numbers import misbound, overdue
from faithmeter.verify.local_features import mismatches

RETURNS = (
    "Returns. Most items may be returned within 60 days of delivery. Laptops, tablets and phones must be returned "
    "within 30 days."
)
LIST = "Returns; Most items: 60 days; Laptops: 30 days; Phones: 14 days"
RECORDS = "Kite 13; Weight: 1.1 kg; Battery: 9 h; Kite 15; Weight: 1.6 kg; Battery: 14 h"
NESTED = "Kite 13: Kite 13, weight: 1.1 kg; Kite 13, battery: 9 h; Kite 15: Kite 15, weight: 1.6 kg"
STAFF = (
    "All staff are entitled to 28 days of leave, with the exception of seasonal guides, who are entitled to 12 days."
)
FEES = "Fees: Standard delivery costs $5; Express delivery costs $15"
STORAGE = (
    "Standard members get 10 GB of storage. Premium members get 100 GB of storage; trial users get 2 GB of storage."
)
GROWTH = "Revenue rose 5 %, while net income rose 9 %."


@pytest.mark.parametrize(
    ("claim", "evidence", "number", "subject", "of", "instead"),
    [
        ("Laptops may be returned within 60 days.", RETURNS, "60 days", "Laptops", "Most items", "30 days"),
        ("A laptop can be returned within 60 days.", RETURNS, "60 days", "A laptop", "Most items", "30 days"),
        ("Yes, phones may be returned within 60 days.", RETURNS, "60 days", "phones", "Most items", "30 days"),
        ("You can return laptops within 60 days.", RETURNS, "60 days", "laptops", "Most items", "30 days"),
        ("Phones can be returned within 60 days.", LIST, "60 days", "Phones", "Most items", "14 days"),
        ("The Kite 13 weighs 1.6 kg.", RECORDS, "1.6 kg", "The Kite 13", "Kite 15", "1.1 kg"),
        ("The Kite 13 weighs 1.6 kg.", NESTED, "1.6 kg", "The Kite 13", "Kite 15", "1.1 kg"),
        ("Seasonal guides are entitled to 28 days.", STAFF, "28 days", "Seasonal guides", "All staff", "12 days"),
        ("Express delivery costs $5.", FEES, "$5", "Express delivery", "Standard delivery", "$15"),
        ("Trial users get 10 GB of storage.", STORAGE, "10 GB", "Trial users", "Standard members", "2 GB"),
        ("Net income rose 5 %.", GROWTH, "5 %", "Net income", "Revenue", "9 %"),
        ("Pets are free, but parking costs $9.", "Parking costs $5. Breakfast costs $9.", "$9", "parking", "Breakfast",
         "$5"),
    ],
)  # fmt: skip
def test_a_number_of_another_subject(
    claim: str, evidence: str, number: str, subject: str, of: str, instead: str
) -> None:
    found = misbound(claim, evidence)
    assert found is not None
    assert (found.number.of(claim), found.subject.of(claim), found.of, found.instead) == (number, subject, of, instead)
    assert found.of in evidence
    assert found.instead in evidence
    assert mismatches(claim, evidence).subjects == 1


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Laptops may be returned within 30 days.", RETURNS),
        ("Most items may be returned within 60 days.", RETURNS),
        ("Cameras may be returned within 60 days.", RETURNS),  # named nowhere else
        ("They may be returned within 60 days.", RETURNS),
        ("The Kite 13 weighs 1.1 kg.", RECORDS),
        ("Laptops cost 60 euros.", RETURNS),
        ("Revenue rose 5 %.", GROWTH),
        # The subject also stands with the number.
        ("Laptops may be returned within 60 days.", f"{RETURNS} Unopened laptops may be returned within 60 days."),
        ("Children pay $12.", "Adults pay $12 and children pay $6."),
        # Who is meant is not certain.
        ("The store refunds $60.", "The store is big. It refunds $60. The store charges $5."),
        # The sentences do not say the same.
        ("Laptops may be returned within 60 days.", "Deliveries take 60 days. Laptops last 900 days."),
        # Days and what is compared, added or denied.
        ("Ito sold the boat in 1990.", "Holm sold the boat in 1990. Ito sold the boat in 1980."),
        ("Laptops may not be returned within 60 days.", RETURNS),
        ("Laptops have more than 60 days.", RETURNS),
        ("", RETURNS),
        ("Laptops may be returned within 60 days.", ""),
    ],
)
def test_none_where_it_is_not_certain(claim: str, evidence: str) -> None:
    assert misbound(claim, evidence) is None
    assert mismatches(claim, evidence).subjects == 0


@pytest.mark.parametrize(
    ("claim", "late"),
    [
        ("You can return a laptop after five weeks.", True),
        ("Laptops can be returned after 31 days.", True),
        ("A phone may be returned after two months.", True),
        ("You can return a laptop after three weeks.", False),
        ("You can return a laptop after 30 days.", False),
        ("You can return a laptop after one month.", False),
        ("You cannot return a laptop after five weeks.", False),
        ("You can return a camera after five weeks.", False),
        ("You can repair a laptop after five weeks.", False),
        ("You can return a laptop after all.", False),
    ],
)
def test_what_is_allowed_only_within_a_shorter_time(claim: str, late: bool) -> None:
    assert overdue(claim, RETURNS) is late
    assert mismatches(claim, RETURNS).amounts == late
    assert not overdue(claim, f"{RETURNS} Unopened laptops and phones may be returned within 90 days.")
    assert not overdue(claim, "Laptops may not be returned within 30 days.")
