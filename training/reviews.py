"""Makes customer reviews, and sentences that sum them up, right and wrong."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from training.words import DISHES

YES, NO, UNKNOWN = "supported", "contradicted", "not_enough_info"


class Opinion(NamedTuple):
    """One thing a review says: what about, whether it is praise, and of which dish."""

    aspect: str
    good: bool
    dish: str = ""


# aspect: (praise in reviews, complaints in reviews, praise in summaries, complaints in summaries)
ASPECTS: dict[str, tuple[list[str], list[str], list[str], list[str]]] = {
    "staff": (
        [
            "The staff was super nice and attentive.",
            "Our server was so friendly and checked on us often.",
            "Everyone who works here is so sweet!",
            "Great customer service, they really take care of you.",
        ],
        [
            "The staff was rude and ignored us.",
            "Our waitress had such an attitude.",
            "Terrible customer service.",
            "The guy at the counter could not have cared less.",
        ],
        ["the friendly staff", "the attentive service", "the excellent customer service", "how friendly the staff is"],
        ["the rude staff", "poor customer service", "unfriendly service", "the staff's bad attitude"],
    ),
    "wait": (
        ["Food came out in under ten minutes.", "We were seated right away.", "Super fast, no wait at all."],
        [
            "We waited over an hour for our food.",
            "It took forever to get our order.",
            "45 minutes for two plates!",
            "Slow slow slow. We almost walked out.",
        ],
        ["the fast service", "the short wait", "how quickly the food arrives"],
        ["long wait times", "the slow service", "how long the food took"],
    ),
    "price": (
        ["Prices are very reasonable.", "You get so much food for what you pay.", "Cheap and worth every penny."],
        ["Way overpriced for what you get.", "Not worth the money.", "Tiny portions for a huge bill."],
        ["the reasonable prices", "the good value for money", "the affordable prices"],
        ["the high prices", "the poor value for money", "the prices"],
    ),
    "clean": (
        ["The place was spotless.", "Very clean inside, even the restrooms."],
        ["Our table was sticky and the floor was filthy.", "The bathroom was disgusting."],
        ["the cleanliness of the place", "how clean it is"],
        ["the lack of cleanliness", "the dirty tables", "hygiene"],
    ),
    "parking_trouble": (
        ["Plenty of parking out back.", "Parking was easy."],
        ["Parking is a nightmare.", "Good luck finding a spot to park."],
        ["the easy parking", "the ample parking"],
        ["the lack of parking", "how hard it is to park"],
    ),
    "noise": (
        ["Nice and quiet, we could actually talk.", "Such a relaxing spot."],
        ["So loud we had to shout.", "The music was way too loud."],
        ["the quiet atmosphere", "the relaxing setting"],
        ["the noise", "the loud music"],
    ),
    "view": (
        ["The view of the water is amazing.", "We sat on the patio and the view was gorgeous."],
        ["The view is just the parking lot.", "Nothing to look at from the patio."],
        ["the beautiful view", "the scenic view"],
        ["the disappointing view"],
    ),
    "portion": (
        ["Portions are huge, I took half home.", "Very generous portions."],
        ["The portions were tiny.", "I left hungry, the servings are so small."],
        ["the generous portions", "the large portions"],
        ["the small portions", "the tiny servings"],
    ),
    "decor": (
        ["Love the decor, so cute inside.", "The interior is beautiful."],
        ["The decor is so dated.", "The inside looks run down."],
        ["the decor", "the charming interior", "the beautiful decor"],
        ["the dated decor", "the run-down interior"],
    ),
    "drinks": (
        ["The drinks were strong and tasty.", "Great drink selection!", "Excellent cocktails."],
        ["My drink was watered down.", "The drinks were terrible."],
        ["the drinks", "the great drinks"],
        ["the watered-down drinks", "the poor drinks"],
    ),
    "fresh": (
        ["Everything tasted so fresh.", "You can tell they use fresh ingredients."],
        ["Nothing tasted fresh.", "The lettuce was wilted and the meat smelled off."],
        ["the fresh food", "the fresh ingredients", "the freshness of the food"],
        ["the lack of freshness", "food that was not fresh"],
    ),
    "order": (
        ["They got our order exactly right.", "They happily handled all our special requests."],
        ["They got our order wrong twice.", "My order was missing two items."],
        ["the accuracy of the orders", "how well special requests are handled"],
        ["wrong orders", "mistakes with the orders", "missing items"],
    ),
}

NEAR = {"price": {"portion"}, "portion": {"price"}, "staff": {"wait"}, "wait": {"staff"}, "fresh": {"dish"}}
"""Aspects whose opinions overlap: "tiny portions for a huge bill"."""

_DISH_PRAISE = [
    "The {} was delicious.",
    "Get the {}, you won't regret it.",
    "Best {} I have ever had!",
    "I had the {} and loved it.",
    "The {} is to die for.",
    "My husband's {} was perfectly cooked.",
]
_DISH_COMPLAINTS = [
    "The {} was bland.",
    "My {} was cold and soggy.",
    "I would skip the {}.",
    "The {} tasted like it came out of a can.",
    "Very disappointed by the {}.",
    "The {} was burnt.",
]
_FILLER = [
    "We came here on a Saturday night.",
    "My sister brought me here.",
    "I live around the corner.",
    "We were visiting from out of town.",
    "I've been coming here for years.",
    "Had to try this place.",
    "I'll be honest, I didn't expect much.",
    "It was my birthday.",
    "Stopped by after work.",
    "We were a party of six.",
    "This was our second visit.",
    "There is a big sign out front.",
    "We walked by a few times before going in.",
    "My boyfriend had been telling me about it for weeks.",
    "We ordered four things to share.",
    "It was around 7 on a Tuesday.",
    "I had a coupon, so why not.",
    "My coworkers come here all the time.",
    "I usually go to the one across town but it was closed.",
    "We found it on our way back from the airport.",
    "I don't write reviews often.",
    "Updating my review from last year.",
    "Our group had been hiking all morning.",
    "I ate half and shared the rest with my wife.",
]
_ENDS_GOOD = ["Will definitely be back!", "Highly recommend.", "Can't wait to come again.", "Five stars from me."]
_ENDS_BAD = ["Won't be back.", "Save your money and go elsewhere.", "Never again.", "So disappointing."]


class Reviews(list[dict[str, Any]]):
    """A record's reviews, with the opinions each was made from."""

    opinions: list[list[Opinion]]


def reviews(rng: random.Random, kind: str) -> Reviews:
    """Make one to four reviews."""
    made = Reviews()
    made.opinions = []
    for _ in range(rng.randint(1, 4)):
        good = rng.random() < 0.6
        opinions = [
            Opinion(aspect, good if rng.random() < 0.85 else not good)
            for aspect in rng.sample(list(ASPECTS), rng.randint(1, 3))
        ]
        for dish in rng.sample(DISHES, rng.randint(0, 3)):
            opinions.append(Opinion("dish", good if rng.random() < 0.8 else not good, dish))
        stars = float(rng.randint(4, 5) if good else rng.randint(1, 2))
        if len({opinion.good for opinion in opinions}) > 1:
            stars = 3.0 if rng.random() < 0.6 else stars
        sentences = [_said(opinion, rng) for opinion in opinions] + rng.sample(_FILLER, rng.randint(0, 6))
        rng.shuffle(sentences)
        sentences.append(rng.choice(_ENDS_GOOD if good else _ENDS_BAD))
        date = f"20{rng.randint(10, 22)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        time = f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}:{rng.randint(0, 59):02d}"
        made.append(
            {
                "review_stars": stars,
                "review_date": f"{date} {time}",
                "review_text": rng.choice([" ", " ", "\n\n"]).join(sentences),
            }
        )
        made.opinions.append(opinions)
    return made


def _said(opinion: Opinion, rng: random.Random) -> str:
    if opinion.dish:
        return rng.choice(_DISH_PRAISE if opinion.good else _DISH_COMPLAINTS).format(opinion.dish)
    praise, complaints, *_ = ASPECTS[opinion.aspect]
    return rng.choice(praise if opinion.good else complaints)


def named(opinion: Opinion, rng: random.Random) -> str:
    """Name an opinion's object as a summary would."""
    if opinion.dish:
        return f"the {opinion.dish}"
    *_, praise, complaints = ASPECTS[opinion.aspect]
    return rng.choice(praise if opinion.good else complaints)


_PRAISES = [
    "praised {}",
    "appreciated {}",
    "enjoyed {}",
    "was impressed by {}",
    "had good things to say about {}",
    "raved about {}",
    "highlighted {}",
    "mentioned {} as a plus",
]
_COMPLAINS = [
    "complained about {}",
    "was disappointed by {}",
    "criticized {}",
    "was unhappy with {}",
    "expressed frustration with {}",
    "mentioned {} as a drawback",
]
_STAR_WORDS = {1.0: "one", 2.0: "two", 3.0: "three", 4.0: "four", 5.0: "five"}


def review_facts(record: dict[str, Any], rng: random.Random) -> Iterator[tuple[str, str]]:
    """Sum up a record's reviews, right and wrong; wrong words stand between « and »."""
    made = record.get("review_info")
    if not made:
        yield _general(Opinion(rng.choice(list(ASPECTS)), rng.random() < 0.5), rng), UNKNOWN
        return
    said = {opinion for opinions in made.opinions for opinion in opinions}
    for opinions, review in zip(made.opinions, made, strict=True):
        some = rng.sample(opinions, min(len(opinions), rng.randint(1, 2)))
        yield _one(some, review["review_stars"] if rng.random() < 0.4 else None, rng), YES
        wrong = wrong_opinion(some[0], said, rng)
        yield _one([wrong, *some[1:]], None, rng, wrong=wrong), wrong_label(wrong, said)
        other = float(rng.choice([s for s in (1, 2, 3, 4, 5) if s not in {r["review_stars"] for r in made}]))
        yield _one(some, other, rng, wrong=other), NO
    for opinion in rng.sample(sorted(said), min(3, len(said))):
        yield _general(opinion, rng), YES
        wrong = wrong_opinion(opinion, said, rng)
        yield _general(wrong, rng, wrong=True), wrong_label(wrong, said)
        yield _mixed(opinion, wrong, rng), wrong_label(wrong, said)
    goods = {opinion.good for opinion in said}
    yield (
        rng.choice(["The business has received mixed reviews from customers.", "Reviews are mixed."]),
        (YES if len(goods) > 1 else NO),
    )
    yield (
        rng.choice(["All of the reviews are positive.", "Customers have nothing but praise for it."]),
        (YES if goods == {True} else NO),
    )
    dish = rng.choice(DISHES)
    known = {opinion.dish for opinion in said}
    yield (
        f"Customers recommend trying the {dish}.",
        (UNKNOWN if dish not in known else YES if Opinion("dish", True, dish) in said else NO),
    )


def unspoken(said: set[Opinion]) -> list[str]:
    """Aspects that no opinion touches, nor one so near that its words may be taken for them."""
    spoken = {opinion.aspect for opinion in said}
    return [aspect for aspect in ASPECTS if aspect not in spoken and not spoken & NEAR.get(aspect, set())]


def wrong_opinion(opinion: Opinion, said: set[Opinion], rng: random.Random) -> Opinion:
    """Turn an opinion round, or take one that nobody voiced."""
    flipped = opinion._replace(good=not opinion.good)
    if flipped not in said and rng.random() < 0.5:
        return flipped
    free = unspoken(said)
    if free and rng.random() < 0.6:
        return Opinion(rng.choice(free), rng.random() < 0.7)
    return Opinion("dish", opinion.good, rng.choice([d for d in DISHES if d not in {o.dish for o in said}]))


def wrong_label(wrong: Opinion, said: set[Opinion]) -> str:
    """Whether what is wrong was said the other way round, or not at all."""
    return NO if wrong._replace(good=not wrong.good) in said else UNKNOWN


def _one(
    opinions: list[Opinion], stars: float | None, rng: random.Random, *, wrong: Opinion | float | None = None
) -> str:
    who = rng.choice(["One reviewer", "One customer", "A customer", "Another reviewer", "One review"])
    said = [rng.choice(_PRAISES if o.good else _COMPLAINS).format(_marked(named(o, rng), o == wrong)) for o in opinions]
    joint = " and " if len({o.good for o in opinions}) == 1 else " but "
    if stars is None:
        return f"{who} {joint.join(said)}."
    given = rng.choice([f"{stars:g} stars", f"{_STAR_WORDS[stars]} stars", f"a {_STAR_WORDS[stars]}-star rating"])
    return f"{who} gave it {_marked(given, stars == wrong)} and {joint.join(said)}."


def _marked(text: str, wrong: bool) -> str:
    """Put wrong words between « and »."""
    return f"«{text}»" if wrong else text


def _general(opinion: Opinion, rng: random.Random, *, wrong: bool = False) -> str:
    what = _marked(named(opinion, rng), wrong)
    if opinion.good:
        return rng.choice([
            f"Customers praise {what}.", f"Reviewers appreciate {what}.", f"It is known for {what}.",
            f"According to reviews, customers enjoy {what}.", f"Some customers have praised {what}.",
        ])  # fmt: skip
    return rng.choice([
        f"Some customers complain about {what}.", f"Reviewers have criticized {what}.",
        f"A few reviews mention problems with {what}.", f"However, some customers were unhappy with {what}.",
    ])  # fmt: skip


def _mixed(right: Opinion, wrong: Opinion, rng: random.Random) -> str:
    first, second = rng.sample([right, wrong], 2)
    parts = [
        ("praise" if o.good else "complain about") + " " + _marked(named(o, rng), o == wrong) for o in (first, second)
    ]
    joint = ", while others " if first.good != second.good else " and "
    return f"Customers {parts[0]}{joint}{parts[1]}."
