"""What a text names exactly, and one thing written like another."""

from __future__ import annotations

import pytest

from faithmeter.text.english.articles import put
from faithmeter.text.english.mentions import Kind, mentions, written_like


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("It is open from 11 AM to 9:30 p.m. on Mondays.", "clock", ["11:00", "21:30"]),
        ("hours, Monday: 11:00-0:00", "clock", ["11:00", "0:00"]),
        ("It opens at 12 pm and closes at 12 am.", "clock", ["12:00", "0:00"]),
        ("I am 12 and it costs 9 p.", "clock", []),
        ("reviewed 2021-12-07 21:03:32", "month", ["12"]),
        ("reviewed 2021-12-07 21:03:32", "day", ["7"]),
        ("reviewed 2021-12-07 21:03:32", "number", []),
        ("on 3rd May and May 14th", "day", ["3", "14"]),
        ("twenty five of forty-two men and two of the five-man team", "number", ["25", "42", "2"]),
        ("nearly 1000 warheads by 2030, at 1723 Lake Street", "year", ["2030"]),
        ("nearly 1000 warheads by 2030, at 1723 Lake Street", "number", ["1000", "1723"]),
        ("found in 6000 BCE and lost in 1000 b.c.", "year", ["6000", "1000"]),
        ("in the 1960s and in 1962", "year", ["1962"]),
        ("in the 1960s and in 1962", "decade", ["1960"]),
        ("more than $ 800, 000 for 12, 100 and 3 of them", "number", ["800000", "12", "100", "3"]),
        ("Indiana Gov. Mike Pence signed", "name", ["indiana gov mike pence"]),
        ("Praising Koechlin, You’ll see that I'm at 3 degrees Celsius", "name", ["koechlin"]),
    ],
)
def test_times_and_dates(text: str, kind: Kind, values: list[str]) -> None:
    assert [mention.value for mention in mentions(text) if mention.kind == kind] == values


@pytest.mark.parametrize(
    ("model", "found", "kind", "written"),
    [
        ("closes at 7:00 PM", "hours: 11:00-21:00", "clock", "9:00 PM"),
        ("closes at 7 pm", "hours: 11:00-21:00", "clock", "9 pm"),
        ("closes at 7pm", "hours: 11:00-21:30", "clock", "9:30pm"),
        ("closes at 7:00", "it closes at 9 PM", "clock", "9:00"),
        (
            "closes at 7 PM",
            "it closes at 9:00",
            "clock",
            "9 PM",
        ),  # which half of the day is not said: that of the claim
        ("on 14th May", "on 3 May", "day", "3rd"),
        ("on May 14", "on May 3rd", "day", "3"),
        ("in March 2021", "date: 2021-12-07", "month", "December"),
        ("date 2021-03-07", "in December 2021", "month", "12"),
        ("7 stars", "stars: 4.0", "number", "4"),
        ("7.5 stars", "stars: 4.0", "number", "4.0"),
        ("9,500 people", "81200 people", "number", "81,200"),
        ("$400,000", "$ 800, 000", "number", "800,000"),
        ("the 5th time", "the third time", "ordinal", "3rd"),
        ("for 25 hours", "for 25 min", "unit", "minutes"),
        ("for 25 hr", "for 25 min", "unit", "min"),
        ("one 1 hour", "about 1 min", "unit", "minute"),
        ("with 1 cup of oil", "with 1 tbsp oil", "unit", "tablespoon"),
        ("9 pounds, 10 pounds", "a 10-ounce son", "unit", "ounces"),
        ("a 7-year wait", "seven months", "unit", "month"),
        ("6 feet tall", "6 inches tall", "unit", "inches"),
        ("on May 14th", "on Feb 14", "month", "February"),
        ("on Mar 14th", "on Feb 14", "month", "Feb"),
        ("sixty men", "25 men", "number", "twenty-five"),
    ],
)
def test_one_thing_is_written_like_another(model: str, found: str, kind: Kind, written: str) -> None:
    mine = next(mention for mention in mentions(model) if mention.kind == kind)
    other = [mention for mention in mentions(found) if mention.kind == kind][-1]
    assert written_like(mine, other) == written


@pytest.mark.parametrize(
    ("text", "old", "new", "written"),
    [
        ("He is an Ostrava man.", "Ostrava", "Berlin", "He is a Berlin man."),
        ("He is a Berlin man.", "Berlin", "Ostrava", "He is an Ostrava man."),
        ("He is an ORVA citizen.", "ORVA", "US", "He is a US citizen."),
        ("An FBI agent had a 5 euro note.", "5", "8", "An FBI agent had an 8 euro note."),
        ("An FBI agent met an historic Smith.", "Smith", "Jones", "An FBI agent met an historic Jones."),
        ("Vitamin A Smith", "Smith", "Evans", "Vitamin A Evans"),
    ],
)
def test_only_the_article_before_what_goes_in_is_put_right(text: str, old: str, new: str, written: str) -> None:
    start = text.index(old)
    assert put(text, start, start + len(old), new) == written
