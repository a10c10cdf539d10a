"""Made sentences about businesses: the wrong words are marked, and only these."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from training.descriptions import FILLERS, described_pairs, food_business
from training.frames import FRAMES, PUFFERY, REVIEW_FRAMES
from training.opening_hours import ALL_DAY, draw_hours, open_when
from training.records import Made, make_records
from training.words import DAYS

PAIRS = [pair for seed in range(150) for pair in described_pairs(random.Random(seed), 8)]


def record_of(made: Made) -> dict[str, Any]:
    read = json.loads(made.context)
    record: dict[str, Any] = read[0] if isinstance(read, list) else read.get("data", read)
    return record


def told(made: Made, pattern: str) -> list[tuple[str, bool]]:
    """What a pattern finds in a claim, and whether it is marked."""
    return [
        (match[1], any(start < match.end(1) and match.start(1) < end for start, end in made.marks))
        for match in re.finditer(pattern, made.claim)
    ]


def test_what_is_supported_has_no_marks_and_what_is_not_has_one() -> None:
    assert {made.label for made in PAIRS} == {"supported", "contradicted", "not_enough_info"}
    for made in PAIRS:
        assert len(made.marks) == (made.label != "supported"), made.claim
        assert " ".join(made.claim.split()) == made.claim
        assert not re.search("[«»{}]", made.claim)
        for start, end in made.marks:
            assert re.fullmatch(r"\w(.*\w)?(\.m\.)?", made.claim[start:end]), made.claim
            assert not made.claim[start - 1 : start].isalnum()
            assert not made.claim[end : end + 1].isalnum()


def test_half_is_supported() -> None:
    assert 0.4 < sum(made.label == "supported" for made in PAIRS) / len(PAIRS) < 0.65


def test_ratings_are_marked_when_they_differ_from_the_record() -> None:
    seen = set()
    for made in PAIRS:
        for value, wrong in told(made, r"(\d(?:\.\d)?)(?:-star| stars| out of 5)"):
            assert (float(value) != record_of(made)["business_stars"]) is wrong, made.claim
            seen.add(wrong)
    assert seen == {True, False}


def test_parking_is_marked_when_the_record_does_not_have_it() -> None:
    seen = set()
    for made in PAIRS:
        if re.search(r"\bnot\b|n't|specified|mentioned|information", made.claim):
            continue
        parking = (record_of(made)["attributes"] or {}).get("BusinessParking") or {}
        for kind, wrong in told(made, r"\b(garage|street|validated|lot|valet) parking"):
            assert (not parking.get(kind)) is wrong, made.claim
            seen.add(wrong)
    assert seen == {True, False}


def test_moods_and_addresses_are_marked_when_the_record_says_otherwise() -> None:
    for made in PAIRS:
        record = record_of(made)
        moods = (record["attributes"] or {}).get("Ambience") or {}
        for mood, wrong in told(made, r"\ban? (\w+) (?:ambiance|atmosphere|ambience|vibe|setting)\b"):
            assert (not moods.get(mood)) is wrong, made.claim
        for address, wrong in told(made, r"\bat (\d+ \w+(?: \w+)*?)(?: in |, )"):
            assert (address != record["address"]) is wrong, made.claim


def test_what_is_said_of_an_untold_attribute_is_not_known() -> None:
    for made in PAIRS:
        wifi = (record_of(made)["attributes"] or {}).get("WiFi")
        if [wrong for _, wrong in told(made, "(?:free )?(Wi-?Fi)")] == [True] and "not mentioned" not in made.claim:
            assert (made.label == "not_enough_info") is (wifi is None), made.claim


@pytest.mark.parametrize("seed", range(40))
def test_hours_are_wrong_in_one_place_or_nowhere(seed: int) -> None:
    rng = random.Random(seed)
    hours = draw_hours(rng)
    wrong = open_when(hours, rng, wrong=True)
    assert wrong
    assert wrong[0].count("«") == wrong[0].count("»") == 1
    right = open_when(hours, rng, wrong=False)
    assert (right is None) is (hours is None)
    assert right is None or ("«" not in right[0] and right[1] == "")


def test_a_place_that_never_closes_is_open_all_day() -> None:
    hours = dict.fromkeys(DAYS, ALL_DAY)
    said = {open_when(hours, random.Random(seed), wrong=False) for seed in range(20)}
    assert {text for text, _ in filter(None, said)} > {"24 hours a day", "24/7"}


def test_each_frame_can_be_filled_rightly_and_wrongly() -> None:
    slots = {slot for frame in [*FRAMES, *REVIEW_FRAMES, *PUFFERY] for slot in re.findall(r"{(\w+)}", frame)}
    assert slots - {"name", "who", "it", "city"} == set(FILLERS)
    assert food_business(random.Random(1))["review_info"].opinions


def test_half_of_the_records_rows_are_descriptions() -> None:
    made = list(make_records(5, 400))
    assert sum(json.loads(pair.context) is not None for pair in made if pair.context[:1] in "[{") > 200
    for pair in made:
        assert "«" not in pair.claim
        assert (pair.label == "supported") is (not pair.marks), pair.claim
