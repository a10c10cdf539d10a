"""Words that compare: which scale each is of, which way it points, and what a scale's amounts are called."""

from __future__ import annotations

from typing import Literal, NamedTuple

from faithmeter.text.english import word_tables as lexicon

Form = Literal["plain", "comparative", "superlative"]


class Scale(NamedTuple):
    """What things can have more or less of."""

    name: str
    dimensions: dict[str, int]
    """Kinds of amounts that tell, and whether more of them is more (1) or less (-1) of it: the oldest has the first
    year."""
    nouns: frozenset[str]
    """What its amounts are called, or said with."""


class Degree(NamedTuple):
    """A word that compares."""

    scale: Scale
    sign: int
    """1 for more of it, -1 for less."""
    form: Form
    words: tuple[str, str, str]
    """The adjective, and its other two forms."""


BEGUN = "born founded built established opened completed created launched published released made dates introduced"
"""What is said with the year from which on something, or someone, is old."""
# A scale: its dimensions, its nouns and verbs, words for more of it, and for less; of each adjective three forms.
_SCALES = {
    "price": ("money=1",
              "price prices cost costs costing priced charge charges rent rents fee fare ticket pays pay asks",
              "dear dearer dearest/expensive/costly costlier costliest/pricey pricier priciest",
              "cheap cheaper cheapest/inexpensive"),
    "weight": ("mass=1", "weight weighs weigh weighed weighing heavy mass",
               "heavy heavier heaviest", "light lighter lightest"),
    "height": ("length=1", "height tall high rises stands stand elevation altitude",
               "tall taller tallest", "short shorter shortest"),
    "altitude": ("length=1", "height tall high rises stands elevation altitude level above",
                 "high higher highest", "low lower lowest"),
    "length": ("length=1 duration=1 months=1",
               "length long lasts lasted last takes took runs ran measures flows stretches duration course",
               "long longer longest/lengthy lengthier lengthiest", "short shorter shortest/brief briefer briefest"),
    "depth": ("length=1", "depth deep goes down", "deep deeper deepest", "shallow shallower shallowest"),
    "width": ("length=1", "width wide across broad",
              "wide wider widest/broad broader broadest", "narrow narrower narrowest"),
    "thickness": ("length=1", "thick thickness", "thick thicker thickest", "thin thinner thinnest"),
    "speed": ("speed=1 duration=-1", "speed takes took time finished finishes reaches needs needed does top did",
              "fast faster fastest/quick quicker quickest/swift swifter swiftest", "slow slower slowest"),
    "age": ("age=1 year=-1 date=-1", f"age aged old years {BEGUN}",
            "old older oldest/ancient", "young younger youngest/new newer newest/recent"),
    "time": ("date=1 year=1 clock=1", f"time date year {BEGUN}",
             "late later latest", "early earlier earliest"),
    "heat": ("celsius=1 fahrenheit=1 degrees=1", "temperature degrees reached measured high thermometer mercury",
             "warm warmer warmest/hot hotter hottest", "cold colder coldest/cool cooler coolest"),
    "noise": ("decibels=1", "noise decibels db level measured reached",
              "loud louder loudest/noisy noisier noisiest", "quiet quieter quietest"),
    "size": ("area=1 people=1 volume=1", "area size population inhabitants people covers holds capacity",
             "large larger largest/big bigger biggest/populous", "small smaller smallest"),
    "rank": ("rank=1", "place placed rank ranked finished came",
             "behind finished_behind last", "ahead_of finished_ahead_of first"),
    "power": ("power=1", "power output", "powerful", "weak weaker weakest"),
}  # fmt: skip
_DIMENSIONLESS = (
    "rich richer richest|poor poorer poorest", "strong stronger strongest|mild milder mildest",
    "hard harder hardest|easy easier easiest", "bright brighter brightest|dark darker darkest",
    "wet wetter wettest|dry drier driest", "near nearer nearest/close closer closest|far farther farthest",
    "steep steeper steepest|gentle gentler gentlest", "popular|unpopular", "sweet sweeter sweetest|sour sourer sourest",
)  # fmt: skip
MEASURES = lexicon.words(
    "seconds minutes hours days weeks months years kilograms grams metres kilometres degrees euros"
)


def _forms(entry: str) -> tuple[str, str, str]:
    words = [word.replace("_", " ") for word in entry.split()]
    return (words[0], words[1], words[2]) if len(words) == 3 else (entry, f"more {entry}", f"most {entry}")


def _degrees() -> dict[str, list[Degree]]:
    table: dict[str, list[Degree]] = {}
    scales = [
        (Scale(name, {key: int(way) for key, _, way in (d.partition("=") for d in dims.split())},
               lexicon.words(nouns)), more, less)
        for name, (dims, nouns, more, less) in _SCALES.items()
    ]  # fmt: skip
    for entry in _DIMENSIONLESS:
        more, _, less = entry.partition("|")
        scales.append((Scale(more.split()[0], {}, frozenset()), more, less))
    forms: tuple[Form, ...] = ("plain", "comparative", "superlative")
    for scale, more, less in scales:
        for sign, some, others in ((1, more, less), (-1, less, more)):
            against = _forms(others.split("/")[0])
            for entry in some.split("/"):
                words = _forms(entry)
                for form, word in zip(forms, words, strict=True):
                    table.setdefault(word, []).append(Degree(scale, sign, form, words))
                if "_" not in entry:
                    plain = words[0]
                    for form, word in zip(forms[1:], (f"less {plain}", f"least {plain}"), strict=True):
                        table.setdefault(word, []).append(Degree(scale, -sign, form, against))
    return table


DEGREES = _degrees()
"""What each word may mean: "shorter" is of heights and of lengths."""
PHRASES = {
    "costs more": "dearer", "cost more": "dearer", "costs less": "cheaper", "cost less": "cheaper",
    "costs the most": "dearest", "costs the least": "cheapest", "cost the most": "dearest",
    "cost the least": "cheapest", "is worth more": "dearer",
    "weighs more": "heavier", "weigh more": "heavier", "weighs less": "lighter", "weigh less": "lighter",
    "weighed more": "heavier", "weighed less": "lighter",
    "weighs the most": "heaviest", "weighs the least": "lightest", "outweighs": "heavier", "outweigh": "heavier",
    "takes more time": "slower", "takes less time": "faster", "takes longer": "slower", "took longer": "slower",
    "more people live": "larger", "fewer people live": "smaller", "more inhabitants": "larger",
    "fewer inhabitants": "smaller", "more populous": "larger", "elder": "older", "eldest": "oldest",
    "ahead of": "finished ahead of", "behind": "finished behind", "beat": "finished ahead of",
    "first to": "earliest", "last to": "latest",
    "before": "earlier", "after": "later", "more recently": "later",
}  # fmt: skip
"""What else says as much."""
NOUNS_OF_SCALES = frozenset(
    word for degrees in DEGREES.values() for degree in degrees for word in degree.scale.nouns | {degree.words[0]}
)
