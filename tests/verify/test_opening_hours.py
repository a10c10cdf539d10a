"""Opening hours, proven and refuted by code."""

from __future__ import annotations

import json

import pytest

from faithmeter import check
from faithmeter.datamodels import Context
from faithmeter.evidence.passages import Index
from faithmeter.verify.derive import derive
from faithmeter.verify.derive.schedules import read_hours

HOURS = {
    "Tuesday": "7:0-15:0", "Wednesday": "7:0-15:0", "Thursday": "7:0-15:0", "Friday": "7:0-21:0",
    "Saturday": "8:0-1:0", "Sunday": "8:0-14:30", "Monday": "0:0-0:0",
}  # fmt: skip
RECORD = json.dumps({"name": "Blue Door Cafe", "hours": HOURS, "attributes": {"WiFi": "no", "OutdoorSeating": True}})
SIX_DAYS = json.dumps({"name": "Blue Door Cafe", "hours": {day: HOURS[day] for day in HOURS if day != "Monday"}})
LIST = "Opening hours\nMon-Fri: 9 am - 5 pm\nSat: 10 am - 2 pm\nSun: closed\n\nCall us on 555-0101."
TABLE = "| Day | Hours |\n|---|---|\n| Monday | 9-17 |\n| Tuesday | 9-17 |\n| Saturday | closed |"
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEK = json.dumps(
    {
        "name": "Blue Door Cafe",
        "hours": dict(zip(DAYS, ["11:0-22:0"] * 4 + ["11:0-23:0"] * 2 + ["12:0-21:0"], strict=True)),
    }
)
PROSE = "The Lindau Museum is open Tuesday to Sunday from 10 am to 6 pm. Tickets cost 12 euros."


def holds(claim: str, context: str) -> bool | None:
    found = derive(claim, Index([context]), [Context(text=context)])
    return found.holds if found else None


@pytest.mark.parametrize(
    ("claim", "context"),
    [
        ("It is open from 7 a.m. to 3 p.m. Tuesday through Thursday.", RECORD),
        ("On Fridays it closes at 9 PM.", RECORD),
        ("It opens at 7 AM on Friday and at 8 on weekends.", RECORD),
        ("It opens at 7 a.m. from Tuesday to Friday, and on Saturdays it is open until 1 a.m.", RECORD),
        ("It is open Tuesday to Sunday, from 8 a.m. on weekends and from 7 a.m. on the other days.", SIX_DAYS),
        ("The cafe is closed on Mondays.", RECORD),
        ("The cafe is closed on Mondays.", SIX_DAYS),
        ("It is open every day except Monday.", SIX_DAYS),
        ("It is open until 5 p.m. on Fridays, until 2 p.m. on Saturdays and closed on Sundays.", LIST),
        ("It is open Monday to Friday, closed on Sunday.", LIST),
        ("On Saturdays it is closed.", TABLE),
        ("It is open from 9 to 5 on Monday and Tuesday.", TABLE),
        ("The museum opens at 10 a.m. on Saturdays.", PROSE),
        ("It has 4 stars and opens at 11 a.m. except on Sundays, when it opens at noon.", WEEK),
        ("It opens at 11 a.m., or noon on Sundays.", WEEK),
        ("It closes at 10 p.m. or, on Friday and Saturday, at 11 p.m., and at 9 p.m. on Sundays.", WEEK),
        ("It opens daily, at 11 a.m. from Monday to Saturday and at midday on Sundays.", WEEK),
        ("It opens at 11 a.m. on weekdays and an hour later on Sundays.", WEEK),
        ("It opens at 11 a.m. on most days, but at noon on Sundays.", WEEK),
        ("It is open from 11 a.m. on all days but Sunday, when it opens at noon.", WEEK),
        ("It opens at 11 a.m. on weekdays, including Fridays, and closes at 11 p.m. on Fridays and Saturdays.", WEEK),
        ("On Fridays and Saturdays the shop is open until 11 p.m.", WEEK),
        ("On Sundays, Blue Door Cafe in Lindau opens at noon.", WEEK),
        ("It is open every day, with longer hours on Fridays and Saturdays.", WEEK),
        ("It is open seven days a week, with limited hours on Sundays.", WEEK),
        ("It is open from Tuesday to Sunday and does not open on Mondays.", SIX_DAYS),
        ("It is open from Tuesday to Sunday, and there are no hours for Monday.", SIX_DAYS),
        ("It is open daily except Monday, for which no hours are listed.", SIX_DAYS),
        ("It is open from Tuesday to Sunday, starting at 7 a.m. on weekdays and 8 a.m. on the weekend.", SIX_DAYS),
    ],
)  # fmt: skip
def test_hours_that_the_contexts_give_are_proven(claim: str, context: str) -> None:
    assert holds(claim, context) is True


@pytest.mark.parametrize(
    ("claim", "context", "wrong", "reason"),
    [
        ("It is open until 3 p.m. Tuesday to Friday.", RECORD, "3 p.m. Tuesday to Friday", "Friday: 7:00-21:00"),
        ("It closes at 3 p.m. on Sunday.", RECORD, "3 p.m. on Sunday", "Sunday: 8:00-14:30"),
        ("It is closed on Sundays.", RECORD, "closed on Sundays", "Sunday: 8:00-14:30"),
        ("The cafe is open daily.", SIX_DAYS, "daily", "no hours for Monday"),
        ("It is open from 8 to 5 on weekdays.", LIST, "8 to 5 on weekdays", "Mon-Fri: 9 am - 5 pm"),
        ("It opens at 10 on Sundays.", LIST, "10 on Sundays", "Sun: closed"),
        ("It is open until 8 p.m. on Fridays.", PROSE, "8 p.m. on Fridays", "Tuesday to Sunday from 10 am to 6 pm"),
        ("It opens at 11 a.m. except on Saturdays and Sundays, when it opens at noon.", WEEK,
         "Saturdays and Sundays, when it opens at noon", "Saturday: 11:00-23:00"),
        ("It opens at 11 a.m. on weekdays or, on Sundays, at 1 p.m.", WEEK, "Sundays, at 1 p.m",
         "Sunday: 12:00-21:00"),
        ("It closes at 10 p.m. or, on Friday, at 11 p.m.", WEEK, "10 p.m", "Saturday: 11:00-23:00"),
        ("It opens at 11 a.m. on weekdays and an hour earlier on Sundays.", WEEK, "an hour earlier on Sundays",
         "Sunday: 12:00-21:00"),
        ("It opens at noon on most days.", WEEK, "noon on most days", "Monday: 11:00-22:00"),
        ("It is open all week, with extended hours on Sundays.", WEEK, "with extended hours on Sundays",
         "Sunday: 12:00-21:00"),
        ("It is open at the weekend but has no Saturday hours.", WEEK, "has no Saturday", "Saturday: 11:00-23:00"),
    ],
)  # fmt: skip
def test_other_hours_are_refuted_with_the_day_that_shows_it(claim: str, context: str, wrong: str, reason: str) -> None:
    verdict = check(claim, [context]).verdicts[0]
    assert (str(verdict.label), verdict.origin.verifier) == ("contradicted", "local:derive")
    assert [claim[start:end] for start, end in verdict.gaps] == [wrong]
    assert reason in (verdict.reason or "")
    assert verdict.evidence


@pytest.mark.parametrize(
    ("claim", "context"),
    [
        ("Dinner is served until 9 p.m. on Fridays, when it is open late.", RECORD),
        ("The kitchen closes at 9 p.m. on Fridays.", RECORD),
        ("A guest found it closed on a Sunday.", RECORD),
        ("It is open 24 hours on Mondays.", RECORD),
        ("It is open on Friday only.", RECORD),
        ("It is usually open until 9 p.m. on Fridays.", RECORD),
        ("It stays open later on Fridays.", RECORD),
        ("It is open until 9 p.m. on Fridays, an hour longer than before, and Saturdays until 10.", RECORD),
        ("It opens at 10 a.m. on Mondays.", PROSE),
        ("The café opens at 10 a.m. on Saturdays.", PROSE),
        ("The museum opens at 10 a.m. on Saturdays.", PROSE + " The café is open daily from 9 am to 8 pm."),
        ("It closes at 3 p.m.", RECORD),
        ("It is open daily from 11 a.m. or noon, closing at 11 p.m. on Fridays.", WEEK),
        ("It opens at 11 a.m. and stays open an hour later, until 11 p.m., on Fridays and Saturdays.", WEEK),
        ("It closes at 10 p.m. on Mondays and opens an hour earlier on Tuesdays.", WEEK),
        ("It is open every day, with longer hours on weekends.", WEEK),
        ("It opens all week, at 11 a.m. on weekdays and at noon on Sunday, when it closes at 9 p.m.", WEEK),
        ("The deal closes on Friday.", "The deal was announced on Monday."),
    ],
)  # fmt: skip
def test_what_is_not_understood_to_the_last_word_is_left_to_the_network(claim: str, context: str) -> None:
    assert holds(claim, context) is None


def test_what_else_the_claim_says_is_still_judged() -> None:
    found = derive(
        "It has outdoor seating and is open until 9 p.m. on Fridays.", Index([RECORD]), [Context(text=RECORD)]
    )
    assert found is not None
    assert found.rest == ("It has outdoor seating and is open",)
    wrong = check("Blue Door Cafe, a romantic place, is open from Tuesday to Sunday.", [RECORD]).verdicts[0]
    assert wrong.label != "supported"


def test_exceptions_and_the_other_days_are_counted_in() -> None:
    found = read_hours("It is open daily until 10 p.m., and until 11 p.m. on Fridays and Saturdays.")
    assert found is not None
    assert [sorted(one.days) for one in found] == [[0, 1, 2, 3, 6], [4, 5]]
    found = read_hours("It is closed on Mondays and opens at 11:30 a.m. on Fridays, otherwise at 4:30 p.m.")
    assert found is not None
    assert [sorted(one.days) for one in found] == [[0], [4], [1, 2, 3, 5, 6]]
