"""What of a claim stands in its evidence."""

from __future__ import annotations

import pytest

from faithmeter.verify.local_features import mismatches


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        ("Maria Ito sold 1,200 boats.", "In May, Maria Ito sold 1200 boats.", (0, 0, 0, 0)),
        ("Yes, Ito sold 12 boats.", "Ito sold twelve boats.", (0, 0, 0, 0)),
        ("It opens at 9 pm.", "hours: 21:00", (0, 0, 0, 0)),
        ("Yes, Anna Holm sold 7 boats.", "Ito sold twelve boats.", (0, 2, 0, 0)),
        ("Born on 20th March.", "born 14 March 1879", (1, 0, 1, 0)),
        ("Born on March 14th.", "born 14 March 1879", (0, 0, 0, 0)),
        ("Known before 20 March.", "born 14 March 1879", (1, 0, 0, 0)),
        ("It sold 70 boats.", "Ito sold twelve boats.", (1, 0, 0, 0)),
        ("It is 70 km long.", "It is 70 miles long.", (0, 0, 0, 1)),
        ("It is 70 kilometres long.", "It is 70 km, or 43 miles, long.", (0, 0, 0, 0)),
        ("It cost 5.5 million.", "It cost 5.5 billion.", (0, 0, 0, 1)),
        ("It cost 70 euros.", "It cost $70.", (0, 0, 0, 1)),
        ("It sold 3,500 boats, 98.7 per cent.", "It sold 3, 500 boats, 98. 7 per cent.", (0, 0, 0, 0)),
        ("It took two weeks.", "It took two months.", (0, 0, 0, 1)),
        ("Heat it to 375°C.", "Heat it to 375 °F.", (0, 0, 0, 1)),
        ("About 70 million people.", "About 70 people.", (0, 0, 0, 0)),
        ("In the 1970s, Ito sold boats.", "Ito sold boats in 1974.", (0, 0, 0, 0)),
        ("In the 1970s, Ito sold boats.", "Ito sold boats in 1984.", (1, 0, 0, 0)),
        ("COVID-19 hit sales.", "Covid hit sales.", (0, 0, 0, 0)),
        ("It sold 179,000 boats.", "boats: 179K", (0, 0, 0, 0)),
        ("It sold 170,000 boats.", "boats: 179K", (1, 0, 0, 0)),
        ("**Safety Features:** It has two masts.", "The boat has two masts.", (0, 0, 0, 0)),
        ("**Safety Features:** The Holm has two masts.", "The boat has two masts.", (0, 1, 0, 0)),
        ("He said: “Buy the boat in California.”", "He asked us to buy the boat in Goleta, CA.", (0, 0, 0, 0)),
        ("", "born 14 March 1879", (0, 0, 0, 0)),
    ],
)
def test_overlap_counts_what_is_missing(claim: str, evidence: str, expected: tuple[int, int, int, int]) -> None:
    found = mismatches(claim, evidence)
    assert (found.numbers, found.names, found.dates, found.units) == expected


def test_overlap_shares_words() -> None:
    assert mismatches("The boats were sold.", "A boat was sold.").share == 1.0
    assert mismatches("The boats were sunk.", "A boat was sold.").share == 0.5
    assert mismatches("", "A boat was sold.").share == 0.0


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        ("Few of the boats are blue.", "Most of the boats are blue.", 1),
        ("Hardly any boats are blue.", "Many boats are blue.", 1),
        ("All boats are blue.", "Some boats are blue.", 1),
        ("Some boats are blue.", "All boats are blue.", 0),
        ("A few boats are blue.", "Several boats are blue.", 0),
        ("Few boats are blue.", "Many boats and few piers are blue; few boats are old.", 0),
        ("It never opened on Sunday.", "It always opened on Sunday.", 1),
        ("It is the smallest harbour.", "It is the largest harbour, with the smallest pier.", 1),
        ("Under $300 was paid.", "More than $ 300 was paid.", 1),
        ("At least ten left.", "Up to 10 left.", 1),
        ("Over 300 left.", "More than 300 left.", 0),
        ("You won't get fewer than 25 days.", "There are at least 25 days of leave.", 0),
        ("You won't get more than 25 days.", "There are at least 25 days of leave.", 1),
        ("Over 300 left.", "Fewer than 400 left.", 0),
        ("Most boats are blue.", "", 0),
    ],
)
def test_overlap_counts_amounts_turned_round(claim: str, evidence: str, expected: int) -> None:
    assert mismatches(claim, evidence).amounts == expected
