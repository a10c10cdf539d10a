"""Slips in claims that people and models wrote, of every kind that applies, and the same claims said otherwise."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

from training.corrupt import KINDS, NO, WRONG, Corrupted, name, put, reword
from training.voice import parse

_TURNED = [
    ("all", "not all"), ("all", "almost none of"), ("all", "a minority of"), ("all of", "only some of"),
    ("every", "not a single"), ("each", "none of the"), ("most", "hardly any"), ("most", "only a handful of"),
    ("most of", "almost none of"), ("the majority of", "hardly any of"), ("many", "hardly any"), ("many", "almost no"),
    ("many", "a couple of"), ("many of", "almost none of"), ("several", "countless"),
    ("several", "almost no"), ("some", "every one of the"), ("some", "nearly all"), ("some", "none of the"),
    ("some of", "none of"), ("some of", "every one of"), ("few", "plenty of"), ("few", "most"), ("a few", "countless"),
    ("a few", "hundreds of"), ("both", "just one of"), ("half of", "nearly all of"), ("half", "hardly any"),
    ("always", "now and then"), ("always", "hardly ever"), ("never", "at times"), ("never", "regularly"),
    ("often", "almost never"), ("often", "only once"), ("usually", "almost never"), ("usually", "in rare cases"),
    ("frequently", "almost never"), ("typically", "hardly ever"), ("generally", "in rare cases"),
    ("commonly", "almost never"), ("sometimes", "every time"), ("sometimes", "at no time"), ("rarely", "very commonly"),
    ("rarely", "almost always"), ("occasionally", "constantly"), ("at least", "no more than"),
    ("at least", "fewer than"),
    ("at most", "no less than"), ("more than", "fewer than"), ("more than", "no more than"), ("less than", "at least"),
    ("fewer than", "upwards of"), ("over", "fewer than"), ("over", "barely"), ("under", "more than"),
    ("up to", "no less than"), ("up to", "upwards of"), ("as many as", "a minimum of"), ("nearly", "well over"),
    ("about", "less than half of"), ("around", "more than twice"), ("approximately", "less than half of"),
    ("hundreds of", "two or three"), ("hundreds of", "only a few"), ("thousands of", "dozens of"),
    ("thousands of", "very few"), ("millions of", "a few hundred"), ("dozens of", "two or three"),
    ("numerous", "hardly any"), ("various", "hardly any"), ("a number of", "no"), ("a variety of", "only one kind of"),
    ("a wide range of", "a narrow range of"), ("the only", "one of many"),
    ("largest", "second largest"), ("largest", "tiniest"), ("smallest", "biggest"), ("biggest", "smallest"),
    ("highest", "second lowest"), ("lowest", "highest"), ("oldest", "most recent"), ("longest", "shortest"),
    ("shortest", "longest"), ("most popular", "least known"), ("most common", "rarest"), ("best", "second best"),
    ("first", "final"), ("first", "second"), ("final", "opening"), ("last", "earliest"), ("once", "dozens of times"),
    ("twice", "many times"), ("daily", "once a year"), ("weekly", "hourly"), ("annually", "every month"),
    ("every day", "once a month"), ("every year", "every ten years"), ("once a", "several times a"),
    ("minimum", "average"),
    ("mostly", "hardly"), ("mainly", "only to a small extent"), ("primarily", "in no way"), ("largely", "barely"),
    ("completely", "in small part"), ("partially", "wholly"), ("slightly", "enormously"), ("significantly", "barely"),
]  # fmt: skip
"""How many, how often, how much, turned round or far off."""

_SAME = [
    ("many", "a large number of"), ("several", "a number of"), ("several", "multiple"), ("most", "the majority of"),
    ("most of", "the bulk of"), ("all", "every one of the"), ("few", "not many"), ("often", "on many occasions"),
    ("always", "at all times"), ("never", "at no time"), ("rarely", "not often"), ("rarely", "seldom"),
    ("usually", "as a rule"), ("usually", "most of the time"), ("typically", "usually"), ("sometimes", "at times"),
    ("at least", "no fewer than"), ("at least", "a minimum of"), ("more than", "over"), ("over", "more than"),
    ("less than", "under"), ("up to", "as many as"), ("up to", "at most"), ("nearly", "close to"),
    ("about", "roughly"), ("around", "about"), ("largest", "biggest"), ("biggest", "largest"),
    ("numerous", "many"), ("various", "different"), ("daily", "every day"),
    ("primarily", "mainly"), ("mainly", "mostly"), ("completely", "entirely"), ("every day", "daily"),
    ("thousands of", "several thousand"), ("hundreds of", "several hundred"),
]  # fmt: skip
"""The same amount in other words."""

_BARE = re.compile(
    r"^(?P<noun>(?:[Tt]he )?(?:[A-Za-z-]+ )?[a-zA-Z]{3,}[^s\W]s) (?=(?:are|were|have|can|will|do|should|may|must)\b)"
)
_NONE = ("Few {}", "Hardly any {}", "No {}", "Only a handful of {}", "Almost no {}", "Just one or two {}")


_COUNTED = re.compile(r"(?:about|around|approximately|nearly|over|under|up to|at least|at most|barely)$", re.IGNORECASE)
_COUNT = re.compile(r" ?(?:[$€£]|\d|one|two|three|four|five|six|seven|eight|nine|ten|half|all|every)")
_NOT_AMOUNTS = re.compile(r"(?:most|all) (?!(?:of|[a-z]+(?<!ou)s)\b)", re.IGNORECASE)
"""Words that are about amounts only before a number, and words that are not when an adjective follows."""


def _turner(pairs: Sequence[tuple[str, str]]) -> tuple[re.Pattern[str], dict[str, list[str]]]:
    table: dict[str, list[str]] = {}
    for old, new in pairs:
        table.setdefault(old, []).append(new)
    words = "|".join(map(re.escape, sorted(table, key=len, reverse=True)))
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE), table


def _amounts(finder: re.Pattern[str], text: str) -> list[re.Match[str]]:
    return [
        match
        for match in finder.finditer(text)
        if not (_COUNTED.match(match.group()) and not _COUNT.match(text, match.end()))
        and not (match.group().lower() in ("most", "all") and _NOT_AMOUNTS.match(text, match.start()))
        and not (match.start() and match.group()[0].isupper())
        and not text.endswith((" a ", " A ", " an "), 0, match.start())
        and not text.startswith((" known", " friend"), match.end())
    ]


_TURN, _TURNS = _turner(_TURNED)
_SAY, _SAYS = _turner(_SAME)


def amount(text: str, document: str, rng: random.Random) -> Corrupted | None:
    """Turn an amount round; where none is named, say that there is next to nothing of it."""
    found = _amounts(_TURN, text)
    if found:
        match = rng.choice(found)
        return put(text, *match.span(), rng.choice(_TURNS[match.group().lower()]), WRONG)
    bare = _BARE.match(text)
    if bare is None:
        return None
    noun = re.sub("^the ", "", bare["noun"], flags=re.IGNORECASE)
    new = rng.choice(_NONE).format(noun if noun[1:] != noun[1:].lower() else noun.lower())
    return Corrupted(f"{new} {text[bare.end() :]}", WRONG, [(0, len(new))])


def same_amount(text: str, rng: random.Random) -> str | None:
    """Say an amount in other words."""
    found = _amounts(_SAY, text)
    if not found:
        return None
    match = rng.choice(found)
    made = put(text, *match.span(), rng.choice(_SAYS[match.group().lower()]), WRONG)
    return made and made.text


def turned_roles(text: str, document: str, rng: random.Random) -> Corrupted | None:
    """Whom it was done to has done it, in one voice or the other."""
    clause = parse(text)
    if clause is None:
        return None
    turned = len(clause.more) < 2 and rng.random() < 0.5
    made = clause.said(passive=clause.passive != turned, swapped=True)
    return Corrupted(made, NO, [(0, len(made))])


def other_voice(text: str) -> str | None:
    """The same in the other voice, of a sentence of one clause."""
    clause = parse(text)
    return clause.said(passive=not clause.passive) if clause and len(clause.more) < 2 else None


SHARES: dict[str, tuple[float, Callable[[str, str, random.Random], Corrupted | None]]] = {
    "amount": (0.9, amount), "turned": (0.9, turned_roles), "quantifier": (0.4, KINDS["quantifier"]),
    "roles": (0.8, KINDS["roles"]), "unit": (0.9, KINDS["unit"]), "date": (0.6, KINDS["date"]),
    "number": (0.6, KINDS["number"]), "negation": (0.35, KINDS["negation"]), "opposite": (0.35, KINDS["opposite"]),
}  # fmt: skip
"""The kinds, and how often each is made of a claim that it applies to: the rarer, the oftener."""
NAMES, AT_MOST = 0.4, 3


def slips(claim: str, context: str, rng: random.Random, *, strangers: Sequence[str]) -> Iterator[Corrupted]:
    """Up to three slips in a supported claim, each of another kind."""
    made: list[Corrupted | None] = []
    for share, kind in SHARES.values():
        if rng.random() < share:
            text = reword(claim, rng) if kind is not turned_roles and rng.random() < 0.15 else claim
            made.append(kind(text, context, rng))
    if rng.random() < NAMES:
        made.append(name(claim, context, rng, strangers))
    found = [slip for slip in made if slip and slip.text != claim]
    yield from rng.sample(found, min(AT_MOST, len(found)))


def sayings(claim: str, rng: random.Random) -> Iterator[str]:
    """The claim as it is or reworded, in the other voice, and with an amount in other words."""
    if rng.random() < 0.75:
        yield reword(claim, rng) if rng.random() < 0.4 else claim
    for said in (other_voice(claim), same_amount(claim, rng) if rng.random() < 0.5 else None):
        if said:
            yield said
