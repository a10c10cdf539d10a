"""Puts scenarios into texts of one to twenty sentences, among others and among real ones, and asks about them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from training.skills.fill import Filler, Person, render
from training.skills.scenario import LABEL_OF, Scenario, held_wordings, scenarios

AT_MOST_CLAIMS = 6
"""Claims about one text."""
_OPENS = (
    "According to the text, ",
    "The document says that ",
    "As stated, ",
    "The text says that ",
    "It is stated that ",
)
_FILLERS = ((0, 0), (1, 3), (4, 8), (9, 16))
_TITLES = ("Notes", "Overview", "Summary", "Details", "Background", "Information", "FAQ", "Update", "Report", "Memo")


def kinds() -> tuple[str, ...]:
    """The names of all kinds."""
    return tuple(scenarios())


_LEANS = re.compile(
    r"(?i)^(?:\S+ ){0,7}?"
    r"(?:he|she|they|it|its|his|her|their|him|them|there|the (?:former|latter|boss|new employee)|this|that)\b"
)
"""A sentence that cannot do without the one before."""


class Made(NamedTuple):
    """A claim about a made text."""

    kind: str
    claim: str
    context: str
    label: str
    question: str = ""
    held: bool = False
    """Whether it uses a wording that nothing is trained on."""


class Asked(NamedTuple):
    """A claim on its way into a row."""

    kind: str
    text: str
    label: str
    held: bool
    question: str


class Told(NamedTuple):
    """One scenario in one of its worlds, in words."""

    pieces: list[str]
    asked: list[Asked]
    beside: list[str]


def mention(scenario: Scenario, filler: Filler) -> list[str]:
    """Tell a scenario that nothing is asked about, in wordings that are trained on."""
    rng = filler.rng
    world = rng.choice(scenario.worlds)
    wording = rng.choice([text for text in world if text not in held_wordings(scenario.kind)])
    texts = [*([rng.choice(scenario.first)] if scenario.first else []), wording]
    slots = filler.slots([*texts, *_terms(scenario)], scenario.stocks, scenario.sums)
    return [render(text, slots, rng) for part in texts for text in part.split(" // ")]


def _terms(scenario: Scenario) -> list[str]:
    """The slots that its sums are worked out from."""
    return [
        f"{{{name}}}" for line in scenario.sums for name in line.split() if name[-1].isdigit() and name[0].isalpha()
    ]


def tell(scenario: Scenario, filler: Filler, *, held: bool) -> Told:
    """Tell a scenario in one of its worlds; with `held`, wordings may be such as are kept from training."""
    rng = filler.rng
    kept = held_wordings(scenario.kind)
    slots = filler.slots(
        [*scenario.wordings, *scenario.also, *scenario.ask, *scenario.first, *_terms(scenario)],
        scenario.stocks,
        scenario.sums,
    )
    number = rng.randrange(len(scenario.worlds))
    some = [text for text in scenario.worlds[number] if held or text not in kept]
    if held and rng.random() < 0.5:
        some = [text for text in some if text in kept] or some
    wording = rng.choice(some)
    first = [rng.choice(scenario.first)] if scenario.first else []
    question = render(rng.choice(scenario.ask), slots, rng) if scenario.ask and rng.random() < 0.35 else ""
    asked = []
    for claim in rng.sample(scenario.claims, len(scenario.claims)):
        new = claim.text in kept or wording in kept
        if rng.random() < claim.keep[number] and new <= held:
            text = render(claim.text, _short(slots, rng), rng)
            asked.append(Asked(scenario.kind, text, LABEL_OF[claim.labels[number]], new, question))
    beside = [
        render(text, slots, rng) for text in rng.sample(scenario.also, min(len(scenario.also), rng.randint(0, 3)))
    ]
    pieces = [render(text, slots, rng) for text in " // ".join([*first, wording]).split(" // ")]
    leaning = [text for text in beside if _LEANS.search(text)]
    if (
        leaning and "\n" not in pieces[-1] and rng.random() < 0.5
    ):  # what leans on the scenario comes last in it, or not at all
        pieces[-1] += f" {leaning[0]}"
    return Told(pieces, _without_twins(asked), [text for text in beside if text not in leaning])


def _short(slots: dict[str, object], rng: random.Random) -> dict[str, object]:
    """Call people by half their names, as some claims do."""
    if rng.random() < 0.75:
        return slots
    return {name: value.short(rng) if isinstance(value, Person) else value for name, value in slots.items()}


def _without_twins(asked: list[Asked]) -> list[Asked]:
    return list({one.text: one for one in asked}.values())


def make(rng: random.Random, kind: str, *, around: Sequence[str], held: bool = False) -> Iterator[Made]:
    """Make a text of a kind and claims about it; `around` are real texts to take other sentences from."""
    filler = Filler(rng)
    known = scenarios()
    main = rng.choice(known[kind])
    told = [tell(main, filler, held=held)]
    others = [one for name, some in known.items() if name != kind for one in some]
    if rng.random() < 0.3 and not held:
        told.append(tell(rng.choice(others), filler, held=False))
    fillers = rng.randint(*rng.choices(_FILLERS, (30, 32, 23, 15))[0])
    extra: list[list[str]] = []
    while (left := fillers - sum(map(len, extra))) > 0:
        if around and rng.random() < 0.45:
            extra += [[text] for text in stretch(rng.choice(around), rng, at_most=left)]
        else:
            extra.append(mention(rng.choice(others), filler))  # told in its own order, as what is asked about
    gone = rng.random() < 0.05 and (bool(extra) or bool(told[0].beside))
    facts = [one.pieces for one in told[gone:]] + extra
    context = arranged(facts, [text for one in told for text in one.beside], rng)
    if gone:
        yield from _unsaid(told[0], context, rng)
        return
    asked = [one for some in told for one in some.asked[: AT_MOST_CLAIMS - 1]]
    if len(asked) > 1 and rng.random() < 0.4:
        asked.append(joint(asked, rng))
    for one in rng.sample(asked, min(len(asked), AT_MOST_CLAIMS + 2)):
        yield Made(one.kind, _said(one.text, rng), context, one.label, one.question, one.held)


def _unsaid(told: Told, context: str, rng: random.Random) -> Iterator[Made]:
    """Claims about what the text no longer says."""
    for one in told.asked[:2]:
        yield Made(one.kind, _said(one.text, rng), context, "not_enough_info", one.question, one.held)


def joint(asked: list[Asked], rng: random.Random) -> Asked:
    """One claim of two, as often right as not: it holds when both do."""
    good = [one for one in asked if one.label == "supported"]
    pair = rng.sample(good, 2) if len(good) > 1 and rng.random() < 0.6 else rng.sample(asked, 2)
    first, second = (one.text.rstrip(".") for one in pair)
    joint = rng.choice((", and ", "; ", ", while ", ". "))
    labels = [one.label for one in pair if one.label != "supported"]
    label = "supported" if not labels else "contradicted" if "contradicted" in labels else labels[0]
    if joint != ". " and second.startswith(
        ("The ", "A ", "An ", "All ", "It ", "He ", "She ", "There ", "No ", "Some ")
    ):
        second = second[0].lower() + second[1:]
    return Asked(pair[0].kind, f"{first}{joint}{second}.", label, any(one.held for one in pair), pair[0].question)


def _said(text: str, rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.04 and text.startswith(("The ", "A ", "An ", "All ", "It ", "There ", "No ", "Some ")):
        return rng.choice(_OPENS) + text[0].lower() + text[1:]
    return text.rstrip(".") if draw > 0.95 else text


def stretch(text: str, rng: random.Random, *, at_most: int) -> list[str]:
    """Some neighbouring sentences of a real text."""
    parts = [part for part in re.split(r"(?<=[.!?])\s+(?=[A-Z])", " ".join(text.split())) if 20 < len(part) < 260]
    count = min(len(parts), at_most, rng.randint(1, 5))
    begin = rng.randint(0, max(0, len(parts) - count))
    return parts[begin : begin + count] or ["The rest is set out below."]


def _among_tables(texts: list[str]) -> str:
    """Tables stand alone; the sentences between them are paragraphs."""
    text = ""
    for one in texts:
        apart = "\n" in one or text.endswith("\n\n") or not text
        text += (
            ("" if text.endswith("\n\n") or not text else "\n\n" if apart else " ")
            + one
            + ("\n\n" if "\n" in one else "")
        )
    return text.strip()


def arranged(facts: list[list[str]], beside: list[str], rng: random.Random) -> str:
    """Lay facts out as prose, paragraphs or a list; the pieces of one fact keep their order."""
    order: list[tuple[float, str]] = []
    for pieces in facts:
        together = any(_LEANS.search(piece) for piece in pieces[1:]) or rng.random() < 0.5
        begin = rng.random()
        places = [begin + n * 1e-9 for n in range(len(pieces))] if together else sorted(rng.random() for _ in pieces)
        order += list(zip(places, pieces, strict=True))
    order += [(rng.random(), text) for text in beside]
    texts = [text for _, text in sorted(order, key=lambda one: one[0])]
    draw = rng.random()
    if any("\n" in text for text in texts):
        return _among_tables(texts)
    if draw < 0.72 or len(texts) < 2:
        return " ".join(texts)
    if draw < 0.84:
        sign = rng.choice(("- ", "* ", "• "))
        body = "\n".join(sign + text for text in texts)
        return f"{rng.choice(_TITLES)}:\n{body}" if rng.random() < 0.5 else body
    if draw < 0.89:
        return "\n".join(f"{n}. {text}" for n, text in enumerate(texts, 1))
    cut = rng.randint(1, len(texts) - 1)
    return " ".join(texts[:cut]) + "\n\n" + " ".join(texts[cut:])
