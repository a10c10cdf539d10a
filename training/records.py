"""Makes records (businesses, products, people, …) and sentences about them, right and wrong.

Nothing here is copied from a data set: names, values, reviews and sentences are drawn at random from
the word lists below, so any number of pairs can be made, with the wrong words marked exactly.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from training.businesses import SWITCHES, Record, business
from training.reviews import review_facts
from training.words import (
    AMBIENCES,
    CATEGORIES,
    CITIES,
    DAYS,
    FIRST_NAMES,
    LAST_NAMES,
    PARKING,
    STREETS,
)


class Fact(NamedTuple):
    """A phrase about a record, and whether the record bears it out."""

    text: str
    """Wrong words may stand between « and »; without these all of a wrong phrase is wrong."""
    label: str
    whole: bool = False
    """A full sentence; otherwise a predicate that follows a subject."""
    marks: tuple[tuple[int, int], ...] = ()
    """The wrong words of a full sentence; all of it when empty."""


class Made(NamedTuple):
    """A made pair: the record as text, a claim, its label, and the wrong words of the claim."""

    context: str
    claim: str
    label: str
    marks: list[tuple[int, int]]


YES, NO, UNKNOWN = "supported", "contradicted", "not_enough_info"

AMENITIES = {
    "RestaurantsReservations": "reservations", "OutdoorSeating": "outdoor seating", "RestaurantsTakeOut": "takeout",
    "RestaurantsDelivery": "delivery", "HasTV": "a TV", "Caters": "catering", "BikeParking": "bike parking",
    "HappyHour": "a happy hour", "DriveThru": "a drive-through",
}  # fmt: skip
# Things that are often said of a business and that none of the made records tells.
BASELESS = [
    "It is a family-owned business.", "It has been serving the community since 1987.",
    "Prices are moderate, with most items ranging from $10 to $20.", "It is a popular spot among tourists and locals.",
    "It has won several local awards.", "The chef trained in Paris.", "The interior is decorated with local art.",
    "It has more than 500 reviews on Google.", "It is known for using locally sourced ingredients.",
    "It offers a loyalty program for regular customers.", "It also hosts private events.",
    "There is a second location downtown.", "The business recently changed owners.",
    "It has vegan options on the menu.",
    "It is within walking distance of the beach.", "It offers a full bar with craft cocktails.",
    "The menu changes with the seasons.", "Online ordering is available on its website.",
    "It was recently renovated.", "It offers discounts for students.", "Gluten-free options are available.",
    "It can seat up to 80 guests.", "It is closed on public holidays.", "Its phone number is listed online.",
]  # fmt: skip


def _clock(hour: int, minute: int, rng: random.Random, style: int) -> str:
    if style == 0:
        return f"{hour:02d}:{minute:02d}"
    half, short = ("AM", (hour % 12) or 12) if hour < 12 else ("PM", (hour % 12) or 12)
    if style == 1:
        return f"{short}:{minute:02d} {half}"
    if style == 2:
        return f"{short}{f':{minute:02d}' if minute else ''} {half.lower()}"
    return f"{short}{f':{minute:02d}' if minute else ''}{half.lower()}"


def _times(hours: str, rng: random.Random) -> str:
    (h1, m1), (h2, m2) = (map(int, part.split(":")) for part in hours.split("-"))
    style = rng.randrange(4)
    joint = rng.choice([" to ", " to ", " - ", " until "])
    return f"from {_clock(h1, m1, rng, style)}{joint}{_clock(h2, m2, rng, style)}"


def _shifted(hours: str, rng: random.Random) -> str:
    (h1, m1), (h2, m2) = (tuple(map(int, part.split(":"))) for part in hours.split("-"))
    if rng.random() < 0.5:
        h1 = max(0, h1 - rng.randint(1, 3)) if rng.random() < 0.5 else h1 + rng.randint(1, 2)
    else:
        h2 = min(23, h2 + rng.randint(1, 3)) if h2 < 22 else h2 - rng.randint(1, 4)
    return f"{h1}:{m1}-{h2}:{m2}"


def _hour_facts(record: Record, rng: random.Random) -> Iterator[Fact]:
    hours = record["hours"]
    if not hours:
        yield Fact(f"is open {rng.choice(['daily', 'Monday to Friday'])} {_times('9:0-18:0', rng)}", UNKNOWN)
        yield Fact("is open seven days a week", UNKNOWN)
        return
    day = rng.choice(list(hours))
    on = rng.choice([f"on {day}s", f"on {day}", f"every {day}"])
    open_ = rng.choice(["is open", "opens", "operates"])
    yield Fact(f"{open_} {_times(hours[day], rng)} {on}", YES)
    yield Fact(f"{open_} «{_times(_shifted(hours[day], rng), rng)}» {on}", NO)
    runs = _runs(hours)
    start, end = rng.choice(runs)
    if len(hours) == 7 and len(runs) == 1:
        often = rng.choice(
            ["daily", "every day", "seven days a week", "from Monday to Sunday", "every day of the week"]
        )
        yield Fact(f"is open {often} {_times(hours[day], rng)}", YES)
        yield Fact(f"is open {often} «{_times(_shifted(hours[day], rng), rng)}»", NO)
        yield Fact(f"is open {rng.choice(['daily', 'every day', 'seven days a week'])}", YES)
        yield Fact(f"is closed on {rng.choice(DAYS)}s", NO)
    elif start != end:
        span = rng.choice([f"from {start} to {end}", f"{start} through {end}", f"{start} to {end}"])
        yield Fact(f"is open {span}, {_times(hours[start], rng)}", YES)
        yield Fact(f"is open {span}, «{_times(_shifted(hours[start], rng), rng)}»", NO)
        if len(hours) < 7 or len(runs) > 1:
            yield Fact(f"is open «{rng.choice(['daily', 'seven days a week'])}» {_times(hours[start], rng)}", NO)
    missing = [day for day in DAYS if day not in hours]
    if missing:
        yield Fact(f"is open {_times(hours[day], rng)} on {rng.choice(missing)}s", UNKNOWN)
    latest = max(hours.values(), key=lambda value: int(value.split("-")[1].split(":")[0]))
    if latest != min(hours.values(), key=lambda value: int(value.split("-")[1].split(":")[0])):
        yield Fact("stays open later on Fridays and Saturdays", YES if "Friday" in hours else UNKNOWN)
        yield Fact("has the same opening hours every day", NO)


def _runs(hours: dict[str, str]) -> list[tuple[str, str]]:
    """Find stretches of neighbouring days with equal hours."""
    runs: list[tuple[str, str]] = []
    for before, day in zip([None, *DAYS], DAYS, strict=False):
        if day in hours:
            joined = before in hours and hours[before] == hours[day] and runs
            runs = [*runs[:-1], (runs[-1][0], day)] if joined else [*runs, (day, day)]
    return runs


def _attribute_facts(record: Record, rng: random.Random) -> Iterator[Fact]:
    attributes = record["attributes"] or {}
    for key, (true, false) in SWITCHES.items():
        value = attributes.get(key)
        if key not in attributes and rng.random() < 0.6:
            continue
        yes, no = rng.choice(true), rng.choice(false)
        yield Fact(yes, UNKNOWN if value is None else YES if value else NO)
        yield Fact(no, UNKNOWN if value is None else NO if value else YES)
    wifi = attributes.get("WiFi")
    free, none = rng.choice(["offers free WiFi", "has free Wi-Fi", "provides free WiFi"]), "does not offer WiFi"
    yield Fact(free, {"free": YES, None: UNKNOWN}.get(wifi, NO))
    yield Fact(rng.choice([none, "has no Wi-Fi"]), {"no": YES, None: UNKNOWN}.get(wifi, NO))
    if wifi in ("free", "paid"):
        yield Fact(rng.choice(["has WiFi", "has Wi-Fi available", "offers WiFi"]), YES)
    music = attributes.get("Music")
    yield Fact("has live music", UNKNOWN if music is None else YES if music["live"] else NO)
    yield Fact(
        rng.choice(["does not have music", "does not provide music", "has no live music"]),
        UNKNOWN if music is None else NO if music["live"] else YES,
    )
    yield from _parking_facts(attributes.get("BusinessParking"), rng)
    moods = attributes.get("Ambience")
    mood = rng.choice(AMBIENCES)
    place = rng.choice(["ambiance", "atmosphere", "ambience", "vibe"])
    yield Fact(f"has a {mood} {place}", UNKNOWN if moods is None else YES if moods[mood] else NO)
    for mood in [mood for mood in AMBIENCES if moods and moods[mood]]:
        yield Fact(f"{rng.choice(['has', 'offers', 'provides'])} a {mood} {place}", YES)


def _parking_facts(parking: dict[str, bool] | None, rng: random.Random) -> Iterator[Fact]:
    kind = rng.choice(PARKING)
    nothing = rng.choice(["has no parking", "does not offer parking"])
    if parking is None:
        yield Fact(f"offers {kind} parking", UNKNOWN)
        yield Fact(nothing, UNKNOWN)
        return
    there = [kind for kind, value in parking.items() if value]
    absent = [kind for kind, value in parking.items() if not value]
    verb = rng.choice(["offers", "has", "provides"])
    yield Fact(nothing, NO if there else YES)
    if there:
        yield Fact(f"{verb} {listed(there, rng)} parking", YES)
        yield Fact(f"{verb} {rng.choice(there)} parking", YES)
        yield Fact(rng.choice(["has parking available", "offers parking"]), YES)
    if absent:
        some = rng.sample(absent, rng.randint(1, len(absent)))
        yield Fact(f"does not offer {listed(some, rng, 'or')} parking", YES)
        yield Fact(f"{verb} «{rng.choice(absent)} parking»", NO)
        if there:
            yield Fact(f"{verb} {listed([*rng.sample(there, 1), f'«{rng.choice(absent)}»'], rng)} parking", NO)


def _place_facts(record: Record, rng: random.Random) -> Iterator[Fact]:
    city, state = record["city"], record["state"]
    full = next(name for c, s, name in CITIES if s == state and c == city)
    where = rng.choice([f"{city}, {state}", f"{city}, {full}", city])
    wrong_city, wrong_state, _ = rng.choice([place for place in CITIES if place[0] != city])
    kinds = record["categories"].split(", ")
    kind = rng.choice(kinds)
    wrong_kind = rng.choice([other for other in CATEGORIES if other not in kinds])
    is_ = rng.choice(["is located", "is situated", "can be found"])
    yield Fact(f"{is_} in {where}", YES)
    yield Fact(f"{is_} in «{rng.choice([f'{wrong_city}, {wrong_state}', wrong_city])}»", NO)
    if record["address"]:
        yield Fact(f"{is_} at {record['address']}, {where}", YES)
        yield Fact(f"{is_} at «{rng.randint(1, 9900)} {rng.choice(STREETS)}», {where}", NO)
    else:
        yield Fact(f"{is_} at «{rng.randint(1, 9900)} {rng.choice(STREETS)}», {where}", UNKNOWN)
    yield Fact(f"{rng.choice(['is listed under', 'falls under', 'belongs to'])} the category {kind}", YES)
    yield Fact(f"is a «{wrong_kind.lower()}» {rng.choice(['place', 'business', 'spot'])} in {where}", NO)
    yield Fact(f"offers {listed([k.lower() for k in rng.sample(kinds, min(2, len(kinds)))], rng)}", YES)
    stars = record["business_stars"]
    other = rng.choice([x / 2 for x in range(2, 11) if x / 2 != stars])
    for value, label in ((stars, YES), (other, NO)):
        shown = f"{value:g}" if rng.random() < 0.5 else f"{value:.1f}"
        shown = f"«{shown}»" if label == NO else shown
        yield Fact(rng.choice([
            f"has a rating of {shown} stars", f"is rated {shown} out of 5 stars", f"has a {shown}-star rating",
            f"holds an overall rating of {shown} stars", f"has an average rating of {shown} out of 5",
        ]), label)  # fmt: skip


def _business_facts(record: Record, rng: random.Random) -> list[Fact]:
    facts = [*_place_facts(record, rng), *_hour_facts(record, rng), *_attribute_facts(record, rng)]
    for text, label in review_facts(record, rng):
        plain, marks = unmarked(text)
        facts.append(Fact(plain, label, whole=True, marks=tuple(marks)))
    facts += [_amenities(record, rng) for _ in range(6)]
    return [*facts, *(Fact(text, UNKNOWN, whole=True) for text in rng.sample(BASELESS, 2))]


def _amenities(record: Record, rng: random.Random) -> Fact:
    """List what a place has and has not in one sentence, perhaps with something put in the wrong list."""
    attributes = record["attributes"] or {}
    known: dict[str, bool | None] = {noun: attributes.get(key) for key, noun in AMENITIES.items()}
    wifi, parking = attributes.get("WiFi"), attributes.get("BusinessParking") or {}
    known["free WiFi"] = None if wifi is None else wifi == "free"
    known |= {f"{kind} parking": parking.get(kind) for kind in PARKING}
    wrong = rng.random() < 0.5
    there = [noun for noun, value in known.items() if value]
    absent = [noun for noun, value in known.items() if value is False]
    bad_there = [noun for noun, value in known.items() if not value]
    bad_absent = [noun for noun, value in known.items() if value is not False]
    has = rng.sample(there, min(len(there), rng.randint(1, 5)))
    lacks = rng.sample(absent, min(len(absent), rng.randint(0, 3)))
    slip = ""
    if (wrong and (bad_there or bad_absent)) or not (has or lacks):
        into = has if rng.random() < 0.6 or not bad_absent or not lacks else lacks
        slip = rng.choice(bad_there if into is has else bad_absent)
        into.insert(rng.randrange(len(into) + 1), slip)
    text = ""
    subject = rng.choice([record["name"], "The restaurant", "The establishment", "It", "The business"])
    if has:
        text = f"{subject} {rng.choice(['offers', 'provides', 'has', 'features'])} {listed(has, rng)}"
        if rng.random() < 0.15:
            text = f"{rng.choice(['Amenities include', 'Services include'])} {listed(has, rng)}"
    if lacks:
        start = f"{text}, {rng.choice(['but', 'although it', 'but it'])}" if text else subject
        text = (
            f"{start} {rng.choice(['does not offer', 'does not provide', 'does not have'])} {listed(lacks, rng, 'or')}"
        )
    if not slip:
        return Fact(f"{text}.", YES, whole=True)
    at = text.rindex(slip) if slip in lacks else text.index(slip)
    return Fact(f"{text}.", UNKNOWN if known[slip] is None else NO, whole=True, marks=((at, at + len(slip)),))


def listed(words: list[str], rng: random.Random, last: str = "and") -> str:
    """Write a list in English."""
    if len(words) == 1:
        return words[0]
    comma = "," if len(words) > 2 and rng.random() < 0.5 else ""
    return f"{', '.join(words[:-1])}{comma} {last} {words[-1]}"


def _sentence(subject: str, facts: list[Fact], rng: random.Random) -> tuple[str, list[tuple[int, int]]]:
    """Put predicates behind one subject, and say where the wrong ones stand."""
    opening = rng.choice(["", "", "", "Additionally, ", "Overall, ", "However, "])
    small = opening and subject.startswith(("The business", "It"))
    text = opening + (subject[0].lower() + subject[1:] if small else subject)
    marks = []
    for i, fact in enumerate(facts):
        joint = " " if i == 0 else (", and " if i == len(facts) - 1 else ", ")
        if i and len(facts) == 2:
            joint = rng.choice([" and ", " but ", ", and it "])
        text += joint
        shown, wrong = unmarked(fact.text)
        if fact.label != YES:
            wrong = wrong or [(0, len(shown))]
        marks += [(len(text) + start, len(text) + end) for start, end in wrong]
        text += shown
    return text + ".", marks


def unmarked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Take « and » out and say where they stood."""
    marks, plain = [], ""
    for number, piece in enumerate(re.split("[«»]", text)):
        if number % 2:
            marks.append((len(plain), len(plain) + len(piece)))
        plain += piece
    return plain, marks


def _joined_label(labels: list[str]) -> str:
    """A sentence is as good as its worst part; a contradiction weighs more than a gap."""
    return NO if NO in labels else UNKNOWN if UNKNOWN in labels else YES


def written(record: Record, rng: random.Random) -> str:
    """Write a record as text in one of the ways records come in."""
    style = rng.random()
    if style < 0.5:
        return json.dumps(record, indent=1, ensure_ascii=False)
    if style < 0.7:
        return json.dumps(record, ensure_ascii=False)
    if style < 0.8:
        return json.dumps(record, indent=4, ensure_ascii=False)
    return json.dumps([record] if rng.random() < 0.5 else {"data": record}, ensure_ascii=False)


def about(
    record: Record, facts: list[Fact], *, subject: str, count: int, rng: random.Random, pronouns: bool = True
) -> Iterator[Made]:
    """Make `count` pairs of a written record and a sentence of one to five of its facts."""
    context = written(record, rng)
    short = [fact for fact in facts if not fact.whole]
    good = [fact for fact in short if fact.label == YES]
    bad = [fact for fact in short if fact.label != YES]
    for _ in range(count):
        whole = [fact for fact in facts if fact.whole]
        if whole and rng.random() < 0.55:
            fact = rng.choice(whole)
            everything = [] if fact.label == YES else [(0, len(fact.text))]
            yield Made(context, fact.text, fact.label, list(fact.marks) or everything)
            continue
        size = rng.choice([1, 1, 2, 3, 4, 5])
        chosen = rng.sample(good, min(size, len(good)))
        if rng.random() < 0.55 and bad:
            chosen = [*chosen[: max(0, size - 1)], rng.choice(bad)]
        rng.shuffle(chosen)
        named = rng.choice([subject, "It", "The business"]) if pronouns and rng.random() < 0.5 else subject
        text, marks = _sentence(named, chosen, rng)
        yield Made(context, text, _joined_label([fact.label for fact in chosen]), marks)


def business_pairs(rng: random.Random, count: int) -> Iterator[Made]:
    """Make pairs about one made business."""
    record = business(rng)
    yield from about(record, _business_facts(record, rng), subject=record["name"], count=count, rng=rng)


def person_name(rng: random.Random) -> str:
    """Draw a name."""
    return f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"


def make_records(seed: int, count: int, *, each: int = 8) -> Iterator[Made]:
    """Make `count` pairs: five of six about businesses, the rest about anything else that has fields."""
    from training.descriptions import described_pairs
    from training.tables import general_pairs

    rng = random.Random(seed)
    makers: list[Callable[[random.Random, int], Iterator[Made]]] = [
        *[described_pairs] * 3, business_pairs, business_pairs, general_pairs,
    ]  # fmt: skip
    made = 0
    while made < count:
        for pair in rng.choice(makers)(rng, each):
            yield pair
            made += 1
