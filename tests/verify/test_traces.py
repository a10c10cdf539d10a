"""What of a claim stands in its evidence."""

from __future__ import annotations

import pytest

from faithmeter.verify._traces import overlap


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
        ("", "born 14 March 1879", (0, 0, 0, 0)),
    ],
)
def test_overlap_counts_what_is_missing(claim: str, evidence: str, expected: tuple[int, int, int, int]) -> None:
    found = overlap(claim, evidence)
    assert (found.numbers, found.names, found.dates, found.units) == expected


def test_overlap_shares_words() -> None:
    assert overlap("The boats were sold.", "A boat was sold.").share == 1.0
    assert overlap("The boats were sunk.", "A boat was sold.").share == 0.5
    assert overlap("", "A boat was sold.").share == 0.0
