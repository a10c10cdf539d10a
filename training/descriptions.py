"""Makes sentences about a business record as language models write them: several facts, at most one of them wrong.

A sentence is a frame whose slots are filled from the record; one slot at most is filled wrongly, and the wrong
words stand between « and » until the sentence is done.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from string import Formatter
from typing import NamedTuple

from training.businesses import Record, business
from training.frames import ALWAYS_BASELESS, FRAMES, PUFFERY, REVIEW_FRAMES
from training.opening_hours import draw_hours, open_when
from training.records import NO, UNKNOWN, YES, Made, listed, unmarked, written
from training.reviews import Opinion, named, unspoken, wrong_label
from training.words import AMBIENCES, CITIES, DISHES, STREETS

KINDS = {
    "Mexican": "Mexican restaurant", "Italian": "Italian restaurant", "Chinese": "Chinese restaurant",
    "Japanese": "Japanese restaurant", "Coffee & Tea": "coffee shop", "American (Traditional)": "American restaurant",
    "Breweries": "brewery", "Thai": "Thai restaurant", "Indian": "Indian restaurant", "Steakhouses": "steakhouse",
    "Ice Cream & Frozen Yogurt": "ice cream shop", "Mediterranean": "Mediterranean restaurant", "Delis": "deli",
}  # fmt: skip
"""What a business of a category is called."""
OF_NAMES = {
    "Taqueria": "Mexican", "Cantina": "Mexican", "Pizzeria": "Italian", "Steakhouse": "Steakhouses",
    "Brewery": "Breweries", "Creamery": "Ice Cream & Frozen Yogurt", "Coffee": "Coffee & Tea", "Deli": "Delis",
    "Cafe": "Coffee & Tea", "Noodle": "Chinese",
}  # fmt: skip
"""Categories that a name speaks for, so that they are not wrong enough."""
NOT_FOOD = ("Salon", "Garage", "Bookshop", "Spa", "Gym", "Inn")

THINGS = {
    "RestaurantsReservations": ["reservations"], "OutdoorSeating": ["outdoor seating", "a patio for outdoor dining"],
    "RestaurantsTakeOut": ["takeout", "take-out", "takeout options", "takeout services"],
    "RestaurantsDelivery": ["delivery", "delivery services"], "HasTV": ["TVs", "a TV"],
    "Caters": ["catering", "catering services"], "BikeParking": ["bike parking"], "HappyHour": ["a happy hour"],
    "DriveThru": ["a drive-through"],
}  # fmt: skip
SUITS = {
    "RestaurantsGoodForGroups": ["good for groups", "suitable for groups", "well suited to larger groups"],
    "GoodForKids": ["good for kids", "family-friendly", "suitable for children"],
    "DogsAllowed": ["dog-friendly"], "WheelchairAccessible": ["wheelchair accessible"],
}  # fmt: skip
DEEDS = {
    "dine outdoors": "outdoor seating", "take your food to go": "takeout", "have it delivered": "delivery",
    "reserve a table": "reservations", "surf the web on free WiFi": "free WiFi", "listen to live music": "live music",
    "catch a game on TV": "a TV",
}  # fmt: skip
SPEAKS_OF = {"seating": "patio|outside", "patio": "patio|outside", "parking": "park", "music": "music",
             "group": "party", "kid": "kid", "famil": "kid|family"}  # fmt: skip
"""Words of reviews that may bear a thing out that no field tells."""


class Part(NamedTuple):
    """What fills a slot, with wrong words between « and », and the label that these give the sentence."""

    text: str
    label: str = YES


Filler = Callable[[Record, random.Random, bool], Part | None]


def known_things(record: Record) -> dict[str, bool | None]:
    """What the record says of each thing a place may offer; None is nothing."""
    attributes = record["attributes"] or {}
    known = {noun: attributes.get(key) for key, nouns in THINGS.items() for noun in nouns}
    wifi, parking = attributes.get("WiFi"), attributes.get("BusinessParking") or {}
    known["free WiFi"] = known["free Wi-Fi"] = None if wifi is None else wifi == "free"
    known["paid WiFi"] = None if wifi is None else wifi == "paid"
    known["WiFi"] = None if wifi is None else wifi != "no"
    known |= {f"{kind} parking": value for kind, value in parking.items()}
    music = attributes.get("Music")
    known["live music"] = None if music is None else music["live"]
    return known


def _voiced(record: Record, thing: str) -> bool:
    """Whether a review may speak of a thing."""
    reviews = " ".join(review["review_text"] for review in record.get("review_info") or [])
    return any(word in thing and re.search(said, reviews, re.I) for word, said in SPEAKS_OF.items())


def _same(thing: str) -> str:
    """What a thing is about, so that a list does not name it twice."""
    for word in ("WiFi", "Wi-Fi", "take", "outdoor", "deliver", "cater", "TV"):
        if word in thing:
            return "WiFi" if word == "Wi-Fi" else word
    return thing


def _things(record: Record, rng: random.Random, *, value: bool, wrong: bool, most: int) -> tuple[list[str], str, str]:
    """Draw things that are there (or not there), one of them wrongly; the slip and its label."""
    known = known_things(record)
    right = [thing for thing, there in known.items() if there is value and (value or thing != "paid WiFi")]
    slips = [thing for thing, there in known.items() if there is not value and not _voiced(record, thing)]
    slips = [thing for thing in slips if _same(thing) not in record["named"]]
    if not value:
        slips = [thing for thing in slips if thing not in ("paid WiFi", "free WiFi", "free Wi-Fi")]
        right = [thing for thing in right if thing not in ("free WiFi", "free Wi-Fi") or known["WiFi"] is False]
    rng.shuffle(right)
    silent = rng.random() < 0.5
    slips = [thing for thing in slips if (known[thing] is None) is silent] or slips
    slip = rng.choice(slips) if wrong and slips else ""
    chosen: list[str] = []
    record["named"].add(_same(slip))
    for thing in right:
        if _same(thing) not in record["named"] and len(chosen) < most - bool(slip):
            record["named"].add(_same(thing))
            chosen.append(thing)
    if slip:
        chosen.insert(rng.randint(0, len(chosen)), slip)
    return chosen, slip, YES if not slip else UNKNOWN if known[slip] is None else NO


def has(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """List what the place offers."""
    chosen, slip, label = _things(record, rng, value=True, wrong=wrong, most=rng.randint(1, 4))
    if not chosen or (wrong and not slip):
        return None
    return Part(listed([f"«{thing}»" if thing == slip else thing for thing in chosen], rng), label)


def lacks(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Say what the place does not offer."""
    chosen, slip, label = _things(record, rng, value=False, wrong=wrong, most=rng.randint(1, 3))
    verb = rng.choice(["does not offer", "does not provide", "does not have", "doesn't offer"])
    if not chosen or (wrong and not slip):
        return None
    if chosen == [slip]:
        return Part(f"«{verb} {slip}»", label)
    return Part(f"{verb} {listed([f'«{t}»' if t == slip else t for t in chosen], rng, 'or')}", label)


def untold(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Name a thing of which the record says nothing; wrongly, one of which it does."""
    things = [t for t, value in known_things(record).items() if (value is None) is not wrong and not _voiced(record, t)]
    nouns = [t for t in things if not t.startswith(("free", "paid", "a ")) and _same(t) not in record["named"]]
    if not nouns:
        return None
    said = rng.choice([
        "there is no information about whether it offers {}", "it is not specified whether it offers {}",
        "the availability of {} is not mentioned",
    ]).format(rng.choice(nouns))  # fmt: skip
    return Part(f"«{said}»" if wrong else said, NO if wrong else YES)


def wants(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Name two things a guest can do there."""
    known = known_things(record)
    can = [deed for deed, thing in DEEDS.items() if known[thing]]
    slips = [deed for deed, thing in DEEDS.items() if not known[thing] and not _voiced(record, thing)]
    if len(can) < 2 or (wrong and not slips):
        return None
    first, second = rng.sample(can, 2)
    record["named"] |= {_same(DEEDS[first]), _same(DEEDS[second])}
    if not wrong:
        return Part(f"{first} or {second}")
    slip = rng.choice(slips)
    record["named"].add(_same(DEEDS[slip]))
    text = rng.choice([f"{first} or «{slip}»", f"«{slip}» or {first}"])
    return Part(text, UNKNOWN if known[DEEDS[slip]] is None else NO)


def suits(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Say whom the place suits."""
    attributes = record["attributes"] or {}
    words = [(word, attributes.get(key)) for key, some in SUITS.items() for word in some]
    fits = [(f"is {word}", value) for word, value in words if not _voiced(record, word)]
    if rng.random() < 0.4:
        fits += [(f"is not {word}", None if value is None else not value) for word, value in words[:6]]
    fits = [(word, value) for word, value in fits if (value is not True) is wrong]
    if not fits:
        return None
    word, value = rng.choice(fits)
    return Part(f"«{word}»", UNKNOWN if value is None else NO) if wrong else Part(word)


def suits_well(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Say whom the place suits, and not whom it does not."""
    part = suits(record, rng, wrong)
    return None if part is None or " not " in part.text else part


def mood(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Name the ambience."""
    moods = (record["attributes"] or {}).get("Ambience")
    place = rng.choice(["ambiance", "atmosphere", "ambience", "vibe", "setting"])
    fits = [mood for mood in AMBIENCES if bool(moods and moods[mood]) is not wrong]
    if not fits:
        return None
    word = rng.choice(fits)
    text = f"{'an' if word[0] in 'aeiou' else 'a'} {word} {place}"
    return Part(f"«{text}»", NO if moods else UNKNOWN) if wrong else Part(text)


def stars(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Say the rating."""
    value = record["business_stars"]
    if wrong:
        value = rng.choice([other / 2 for other in range(2, 11) if other / 2 != value])
    shown = f"{value:g}" if rng.random() < 0.6 else f"{value:.1f}"
    text = rng.choice([
        "a rating of «{} stars»", "a «{}-star» rating", "an overall rating of «{} stars»", "a rating of «{} out of 5»",
        "an average rating of «{} out of 5 stars»", "a business rating of «{} stars»", "an average of «{} stars»",
    ]).format(shown)  # fmt: skip
    return Part(text, NO) if wrong else Part(unmarked(text)[0])


def kind(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Say what kind of place it is, with its article."""
    kinds = record["categories"].split(", ")
    fits = [name for name in kinds if name in KINDS]
    if wrong:
        near = {value for head, value in OF_NAMES.items() if head in record["name"]}
        fits = [name for name in KINDS if name not in kinds and name not in near]
    word = KINDS[rng.choice(fits)]
    shown = word if not wrong else f"«{word[:-11]}» restaurant" if word.endswith(" restaurant") else f"«{word}»"
    if not wrong and record["business_stars"] >= 4 and rng.random() < 0.3:
        shown = f"{rng.choice(['popular', 'highly-rated', 'well-regarded', 'beloved local'])} {word}"
    return Part(f"{'an' if shown.strip('«')[0] in 'AEIOUaeiou' else 'a'} {shown}", NO if wrong else YES)


def kinds(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """List some of the categories."""
    told = record["categories"].split(", ")
    shown = [name for name in told if name not in ("Restaurants", "Food")]
    shown = rng.sample(shown, min(len(shown), rng.randint(2, 4)))
    if wrong:
        near = {value for head, value in OF_NAMES.items() if head in record["name"]}
        slip = rng.choice([name for name in KINDS if name not in told and name not in near])
        shown.insert(rng.randint(0, len(shown)), f"«{slip}»")
    return Part(listed(shown, rng), NO if wrong else YES)


def at(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Say where the place is."""
    city, state, address = record["city"], record["state"], record["address"]
    full = next(name for c, s, name in CITIES if s == state and c == city)
    where = rng.choice([f"{city}, {state}", f"{city}, {full}", city])
    how = rng.choice(["street", "number", "city", "downtown"]) if wrong else ""
    label = NO if wrong else YES
    if how == "city":
        other = rng.choice([place for place in CITIES if place[0] != city and place[1] != state])
        where = f"«{rng.choice([f'{other[0]}, {other[1]}', other[0]])}»"
    if how == "downtown":
        return Part(rng.choice([f"in «downtown» {where}", f"in the «historic district» of {city}"]), UNKNOWN)
    if not address:
        if how in ("street", "number"):
            return Part(f"at «{rng.randint(1, 9900)} {rng.choice(STREETS)}» in {where}", UNKNOWN)
        return Part(f"in {where}", label)
    number, street = address.split(" ", 1)
    shown = address
    if how == "street":
        shown = f"{number} «{rng.choice([other for other in STREETS if other != street])}»"
    if how == "number":
        others = [int(number) + 10, int(number) * 10 + 1, rng.randint(1, 99)]
        shown = f"«{rng.choice([other for other in others if other != int(number)])} {street}»"
    joint = rng.choice([", ", " in "])
    if not wrong and rng.random() < 0.2:
        return Part(f"on {street} in {where}")
    if not wrong and rng.random() < 0.1:
        return Part(f"in the heart of {where}")
    return Part(f"at {shown}{joint}{where}", label)


def opening(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Say when the place is open."""
    found = open_when(record["hours"], rng, wrong=wrong)
    return Part(found[0], found[1] or YES) if found else None


def _opinion(record: Record, rng: random.Random, *, wrong: bool, good: bool) -> Part | None:
    said = {opinion for opinions in record["review_info"].opinions for opinion in opinions}
    fits = [opinion for opinion in sorted(said) if opinion.good is good]
    if wrong:
        turned = [opinion._replace(good=good) for opinion in sorted(said) if opinion.good is not good]
        silent = [Opinion(aspect, good) for aspect in unspoken(said)]
        silent = rng.sample(silent, min(2, len(silent)))
        silent += [Opinion("dish", good, rng.choice([d for d in DISHES if d not in {o.dish for o in said}]))]
        fits = [opinion for opinion in (turned if turned and rng.random() < 0.5 else silent) if opinion not in said]
    fits = [opinion for opinion in fits if opinion[::2] not in record["named"]]
    if not fits:
        return None
    opinion = rng.choice(fits)
    record["named"].add(opinion[::2])
    what = named(opinion, rng)
    if opinion.dish and not good:
        what = rng.choice(["the bad {}", "the quality of the {}", "the {}"]).format(opinion.dish)
    elif opinion.dish:
        what = rng.choice(["the {}", "the {}", "the delicious {}", "dishes like the {}"]).format(opinion.dish)
    return Part(f"«{what}»", wrong_label(opinion, said)) if wrong else Part(what)


def praise(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Name something that reviews praise."""
    return _opinion(record, rng, wrong=wrong, good=True)


def complaint(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Name something that reviews complain about."""
    return _opinion(record, rng, wrong=wrong, good=False)


def baseless(record: Record, rng: random.Random, wrong: bool) -> Part | None:
    """Add something that no record tells; never right."""
    return Part(f"«{rng.choice(ALWAYS_BASELESS)}»", UNKNOWN) if wrong else None


FILLERS: dict[str, Filler] = {
    "has": has, "lacks": lacks, "untold": untold, "wants": wants, "suits": suits,
    "suits_well": suits_well, "mood": mood, "stars": stars,
    "kind": kind, "kinds": kinds, "at": at, "opening": opening, "praise": praise, "praise2": praise, "praise3": praise,
    "complaint": complaint, "complaint2": complaint, "baseless": baseless,
}  # fmt: skip


def fill(frame: str, record: Record, rng: random.Random, *, wrong: bool) -> tuple[str, str] | None:
    """Fill a frame's slots, one of them wrongly if asked to; None where the record has nothing for a slot."""
    slots = [name for _, name, _, _ in Formatter().parse(frame) if name in FILLERS]
    slip = ("baseless" if "baseless" in slots else rng.choice(slots)) if wrong else ""
    record["named"] = set()
    parts: dict[str, Part] = {}
    for slot in slots:
        part = FILLERS[slot](record, rng, slot == slip)
        if part is None:
            return None
        parts[slot] = part
    name = record["name"]
    other = rng.choice(["the restaurant", "the establishment", "it", "this spot", "the business"])
    short = rng.choice([name, name, other])
    text = frame.format(
        **{slot: part.text for slot, part in parts.items()},
        name=name, city=record["city"], it=short, who=short if short == name else short.capitalize(),
    )  # fmt: skip
    return text, parts[slip].label if slip else YES


def food_business(rng: random.Random) -> Record:
    """Make a place to eat or drink with reviews, and hours of all kinds."""
    while True:
        record = business(rng)
        kinds = record["categories"].split(", ")
        food = any(name in KINDS for name in kinds)
        food = food and all(value in kinds for head, value in OF_NAMES.items() if head in record["name"])
        if food and record.get("review_info") and not any(word in record["name"] for word in NOT_FOOD):
            return {**record, "hours": draw_hours(rng)}


def described_pairs(rng: random.Random, count: int) -> Iterator[Made]:
    """Make pairs about one made place to eat."""
    record = food_business(rng)
    context = written(record, rng)
    made = 0
    while made < count:
        frames = rng.choices([FRAMES, REVIEW_FRAMES, PUFFERY], [55, 37, 8])[0]
        if frames is PUFFERY and record["business_stars"] < 4:
            continue
        wrong = frames is not PUFFERY and rng.random() < 0.5
        found = fill(rng.choice(frames), record, rng, wrong=wrong)
        if found:
            claim, marks = unmarked(found[0])
            yield Made(context, claim, found[1], marks)
            made += 1
