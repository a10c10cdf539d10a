"""The cases of the reasoning benchmark: written by hand, and filled from templates with a seed.

Cases come in pairs: a supported one and its near miss, with as many words in common as possible. A template
(benchmarks/reasoning/templates.jsonl) has slots such as <city_a>; its pair is one context with a `supported` and an
`unsupported` claim, or one claim in two contexts: `supported` in `context` and in `fails`, or `unsupported` in `holds`
and in `context`. Neither the templates nor the words that fill them may be used in training.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faithmeter.datamodels import Context, Label, Sample

FOLDER = Path(__file__).parent / "reasoning"
FILLS = 3
"""Pairs made from each template."""

PEOPLE = (
    "Robin Aspell", "Kim Tardelli", "Alex Norrby", "Sasha Devereux", "Jules Okafor", "Charlie Wendt", "Noel Ibarra",
    "Toni Laskaris", "Sam Pettersen", "Dominique Farkas", "Ashley Quist", "Jamie Holloway",
)  # fmt: skip
WOMEN = ("Beatrix", "Yolanda", "Ingrid", "Svetlana", "Philippa", "Rosalind")
MEN = ("Gregor", "Emilio", "Tobias", "Rashid", "Kenneth", "Lorenzo")
CHILDREN = ("Pip", "Juno", "Bobbie", "Mika")
FIRMS = (
    "Tallow & Finch",
    "Orrery Systems",
    "Quillon",
    "Bexar Foods",
    "Lumenta",
    "Graystone Freight",
    "Vireo",
    "Pomace",
)
CITIES = ("Tarbert", "Olomouc", "Ghent", "Valdivia", "Tampere", "Szeged", "Bergamo", "Dunedin", "Cork", "Plovdiv")
STREETS = ("Tanner Street", "Quay Road", "Linden Row", "Castle Hill")
ITEMS = ("lamps", "chairs", "bicycles", "tents", "desks", "ovens", "shelves", "benches", "stoves", "mirrors")
MONTHS = ("January", "February", "April", "June", "August", "September", "November")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
OPTIONS = ("rows", "index", "buffer", "chunk", "filter", "mailer")

DISTRACTORS = (
    "The car park behind the building is being resurfaced.",
    "Coffee was served in the foyer afterwards.",
    "The leaflet can be read in large print on request.",
    "A list of abbreviations stands at the end.",
    "The photograph on the cover shows a harbour at dusk.",
    "This page was last reviewed by the editorial team in spring.",
    "For questions, use the form at the bottom of the page.",
    "The lift is out of order until further notice, so please take the stairs.",
    "Thanks go to the volunteers who scanned the old newspapers.",
    "The reading room has been given new curtains.",
    "A recording is kept in the archive of the local radio station.",
    "Lunch was soup with bread, followed by a plum tart.",
    "Umbrellas can be left at the entrance.",
    "The typeface was drawn especially for this series.",
    "Some of the footnotes have been shortened.",
    "The next issue appears in two weeks.",
    "The garden was laid out by an unknown architect.",
    "A short film about the region is shown every half hour.",
    "Subscribers receive the newsletter by e-mail.",
    "The numbers in the margin refer to the older edition.",
)


@dataclass(frozen=True)
class Case:
    """A claim with its contexts and the label that a careful reader gives it."""

    kind: str
    contexts: tuple[str, ...]
    question: str | None
    claim: str
    label: Label
    origin: str
    """`hand` or `template`."""
    pair: str
    """Shared with the near miss."""

    @property
    def sample(self) -> Sample:
        """The claim as an answer of one sentence."""
        return Sample(
            question=self.question, answer=self.claim, contexts=tuple(Context(text=text) for text in self.contexts)
        )


def hand() -> list[Case]:
    """The cases written by hand."""
    return [_read(row) for row in _rows("hand.jsonl")]


def made(*, seed: int = 0, fills: int = FILLS) -> list[Case]:
    """The cases filled from templates; the same seed gives the same cases."""
    rng = random.Random(seed)
    cases: list[Case] = []
    for number, template in enumerate(_rows("templates.jsonl")):
        for fill in range(fills):
            cases += _pair(template, f"template-{template['kind']}-{number}-{fill}", rng)
    return cases


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with (FOLDER / name).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _read(row: dict[str, Any]) -> Case:
    contexts = (row["context"],) if isinstance(row["context"], str) else tuple(row["context"])
    return Case(
        row["kind"], contexts, row.get("question"), row["claim"], Label(row["label"]), row["origin"], row["pair"]
    )


def _pair(template: dict[str, Any], pair: str, rng: random.Random) -> list[Case]:
    """A template filled once: the supported case, then its near miss."""
    words = _words(rng)
    text = {key: _fill(value, words) for key, value in template.items() if key not in ("kind", "label")}
    right, wrong = (text["context"], text["supported"]), (text["context"], text["unsupported"])
    label = Label(template["label"])
    if rng.random() < 0.5:  # the same claim in two contexts, where the template can say so
        if "fails" in text:
            wrong, label = (text["fails"], text["supported"]), Label.CONTRADICTED
        elif "holds" in text:
            right = (text["holds"], text["unsupported"])
    dressing = rng.randrange(2**32)  # both cases of a pair stand among the same distractors
    return [
        Case(
            kind=template["kind"],
            contexts=_dress(facts, random.Random(dressing)),
            question=text.get("question"),
            claim=claim,
            label=case_label,
            origin="template",
            pair=pair,
        )
        for (facts, claim), case_label in ((right, Label.SUPPORTED), (wrong, label))
    ]


def _words(rng: random.Random) -> dict[str, str]:
    """A word for every slot; words that must differ do."""
    low, mid, high = (rng.randrange(begin, begin + 200) for begin in (110, 410, 710))
    percents = sorted(rng.sample(range(2, 60), 2))
    years = sorted(rng.sample(range(1961, 2019), 3))
    slots = {
        "low": low, "mid": mid, "high": high, "p1": percents[0], "p2": percents[1],
        "y1": years[0], "y2": years[1], "y3": years[2], "future": rng.randrange(2031, 2039),
        "few": rng.randrange(2, 7), "small": rng.randrange(7, 10), "many": rng.randrange(11, 16),
        "hour": rng.randrange(11, 17), "street": rng.choice(STREETS), "opt": rng.choice(OPTIONS),
        "woman": rng.choice(WOMEN), "child": rng.choice(CHILDREN),
    }  # fmt: skip
    slots |= zip(("a", "b", "c"), rng.sample(PEOPLE, 3), strict=True)
    slots |= zip(("man", "man_b"), rng.sample(MEN, 2), strict=True)
    for name, pool in (("firm", FIRMS), ("city", CITIES), ("item", ITEMS), ("month", MONTHS), ("day", DAYS)):
        slots |= zip((f"{name}_a", f"{name}_b", f"{name}_c"), rng.sample(pool, 3), strict=True)
    return {slot: str(word) for slot, word in slots.items()}


def _fill(text: str, words: dict[str, str]) -> str:
    filled = re.sub(r"<(\w+)>", lambda slot: words[slot[1]], text)
    starts_with_slot = text.startswith("<") and not text.startswith("<opt>")  # the name of a function keeps its case
    return filled[0].upper() + filled[1:] if starts_with_slot else filled


def _dress(facts: str, rng: random.Random) -> tuple[str, ...]:
    """The facts among up to sixteen sentences on other things: as prose, as bullets, or in several contexts."""
    others = rng.sample(DISTRACTORS, rng.choice((0, 0, 2, 4, 8, 16)))
    place = rng.randrange(len(others) + 1)
    before, after = others[:place], others[place:]
    layout = rng.choice(("prose", "bullets", "contexts"))
    if layout == "contexts" and others:
        return tuple(" ".join(part) for part in (before, [facts], after) if part)
    if "\n" in facts or facts.startswith(("{", "[")):  # a table or a record stands on its own lines
        return ("\n\n".join(" ".join(part) for part in (before, [facts], after) if part),)
    if layout == "bullets":
        return ("\n".join(f"- {line}" for line in (*before, facts, *after)),)
    return (" ".join((*before, facts, *after)),)
