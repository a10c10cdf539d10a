"""Makes the records of businesses that sentences are then written about."""

from __future__ import annotations

import random
from typing import Any

from training.reviews import reviews
from training.words import AMBIENCES, BUSINESS_HEADS, CATEGORIES, CITIES, DAYS, LAST_NAMES, PARKING, STREETS

Record = dict[str, Any]

# attribute: (what is said when it is true, what is said when it is false)
SWITCHES: dict[str, tuple[list[str], list[str]]] = {
    "RestaurantsReservations": (
        ["accepts reservations", "takes reservations", "allows guests to make reservations", "offers reservations"],
        ["does not take reservations", "does not accept reservations"],
    ),
    "OutdoorSeating": (
        ["offers outdoor seating", "has outdoor seating", "provides outdoor seating", "has seating outdoors"],
        ["does not have outdoor seating", "has no outdoor seating", "lacks outdoor seating"],
    ),
    "RestaurantsTakeOut": (
        ["offers takeout", "provides take-out", "has takeout available", "offers takeout services"],
        ["does not offer takeout", "has no takeout option"],
    ),
    "RestaurantsDelivery": (
        ["delivers", "offers delivery", "provides delivery services"],
        ["does not deliver", "does not offer delivery"],
    ),
    "RestaurantsGoodForGroups": (
        ["is good for groups", "is suitable for groups", "caters to groups", "is a good choice for larger groups"],
        ["is not good for groups", "is not suitable for groups"],
    ),
    "GoodForKids": (
        ["is good for kids", "is child-friendly", "is suitable for children"],
        ["is not good for kids", "is not suitable for children"],
    ),
    "HasTV": (["has a TV", "has televisions"], ["has no TV", "does not have a TV"]),
    "Caters": (["offers catering", "caters"], ["does not cater", "does not offer catering"]),
    "WheelchairAccessible": (
        ["is wheelchair accessible"],
        ["is not wheelchair accessible"],
    ),
    "DogsAllowed": (["allows dogs", "is dog-friendly"], ["does not allow dogs"]),
    "BikeParking": (["has bike parking", "offers parking for bikes"], ["has no bike parking"]),
    "BusinessAcceptsCreditCards": (["accepts credit cards"], ["does not accept credit cards", "is cash only"]),
    "HappyHour": (["has a happy hour", "offers happy hour"], ["has no happy hour"]),
    "DriveThru": (["has a drive-through"], ["has no drive-through"]),
}


def business(rng: random.Random) -> Record:
    """Make a business: place, categories, hours, attributes with gaps, stars, reviews."""
    city, state, _ = rng.choice(CITIES)
    kind = rng.choice(list(CATEGORIES))
    name = rng.choice(
        [
            f"{rng.choice(LAST_NAMES)}'s {rng.choice(BUSINESS_HEADS)}",
            f"{rng.choice(['The', 'Little', 'Old', 'Golden', 'Blue', 'Casa', 'Royal'])} {rng.choice(BUSINESS_HEADS)}",
            f"{rng.choice(LAST_NAMES)} & {rng.choice(LAST_NAMES)}",
            f"{city} {rng.choice(BUSINESS_HEADS)}",
        ]
    )
    address = "" if rng.random() < 0.1 else f"{rng.randint(1, 9900)} {rng.choice(STREETS)}"
    categories = [kind, *rng.sample(CATEGORIES[kind], rng.randint(1, min(4, len(CATEGORIES[kind]))))]
    rng.shuffle(categories)
    record: Record = {
        "name": name, "address": address, "city": city, "state": state, "categories": ", ".join(categories),
        "hours": _hours(rng), "attributes": _attributes(rng), "business_stars": rng.randint(3, 10) / 2,
    }  # fmt: skip
    if rng.random() < 0.8:
        record["review_info"] = reviews(rng, kind)
    return record


def _hours(rng: random.Random) -> dict[str, str] | None:
    if rng.random() < 0.1:
        return None
    usual = (rng.randint(6, 12), rng.choice([0, 0, 0, 30]), rng.randint(15, 23), rng.choice([0, 0, 30]))
    late = (*usual[:2], min(23, usual[2] + rng.randint(1, 2)), usual[3])
    days = [day for day in DAYS if rng.random() < 0.9]
    mixed = rng.random() < 0.5
    return {
        day: "{}:{}-{}:{}".format(*(late if mixed and day in ("Friday", "Saturday") else usual)) for day in days
    } or None


def _attributes(rng: random.Random) -> Record | None:
    if rng.random() < 0.03:
        return None
    attributes: Record = {}
    if rng.random() < 0.9:
        chosen = {kind: rng.random() < 0.35 for kind in PARKING}
        attributes["BusinessParking"] = None if rng.random() < 0.15 else chosen
    usual = ["RestaurantsReservations", "OutdoorSeating", "RestaurantsTakeOut", "RestaurantsGoodForGroups"]
    for key in [*usual, *rng.sample([key for key in SWITCHES if key not in usual], rng.randint(0, 4))]:
        attributes[key] = rng.choice([True, True, False, False, None])
    attributes["WiFi"] = rng.choice(["free", "free", "no", "no", "paid", None])
    attributes["Music"] = rng.choice([None, None, {"dj": False, "live": rng.random() < 0.5, "karaoke": False}])
    moods = dict.fromkeys(AMBIENCES, False)
    moods[rng.choice(AMBIENCES)] = rng.random() < 0.8
    attributes["Ambience"] = None if rng.random() < 0.2 else moods
    items = list(attributes.items())
    rng.shuffle(items)
    return dict(items)
