"""Corrupts a supported claim so that it no longer holds, and rewords one so that it still does."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

from training.swaps import ADDITIONS, OTHER_UNITS, REPORTS, SWAPS, SYNONYMS
from training.words import FIRST_NAMES, LAST_NAMES, MONTHS

GOOD, NO, UNKNOWN, WRONG = "supported", "contradicted", "not_enough_info", "not_supported"


class Corrupted(NamedTuple):
    """A claim made wrong: its label and the words that make it wrong."""

    text: str
    label: str
    marks: list[tuple[int, int]]


_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w]|[.,]\d)")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_MONTH = re.compile(r"\b(?:" + "|".join(MONTHS) + r")\b")
_DAY_OF_MONTH = re.compile(
    rf"(?:{'|'.join(MONTHS)}) (\d{{1,2}})\b|\b(\d{{1,2}})(?:st|nd|rd|th)? (?:{'|'.join(MONTHS)})"
)
_DAY = re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b")
_NAME = re.compile(r"\b[A-Z][a-z]+(?:['’](?!s\b)\w+)?(?:[ -](?:(?:of|the|de|van|von) )?[A-Z]\w*(?:['’](?!s\b)\w+)?)*\b")
_ACRONYM = re.compile(r"\b[A-Z]{2,6}\b")
_NOUN = re.compile(
    r"\b(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Tt]heir) ([a-z]{4,}(?: [a-z]{4,})?)"
    r"(?=[,.;]| (?:is|was|were|are|has|had|who|that|to|by|in|of|at|on|and|with|for|from|will|can|\w+ed|\w+es)\b)"
)
VERB = re.compile(r"\b(?:is|was|were|are|has|had|by|beat|won|met|led|made|gave|took|told|wrote|built|found|\w{3,}ed)\b")
_COUNT = (
    r"\d[\d,.]*|(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|hundred|an?|one)\b"
)
_MEASURES = "|".join(sorted((re.escape(unit) for unit in OTHER_UNITS if unit not in "$€£"), key=len, reverse=True))
_UNIT = re.compile(rf"\b(?P<number>{_COUNT})[ -]?(?P<unit>{_MEASURES})(?![\w/])|(?P<sign>[$€£])(?=\d)")
_WORDS = re.findall(r"\w+", "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty")
_NUMBER_WORD = re.compile(r"\b(?:" + "|".join(_WORDS) + r")\b", re.I)
_NOT_NAMES = frozenset(
    re.findall(
        r"\w+",
        """The A An It He She They We I In On At This That These Those There When While After Before But And If For
        As His Her Their Its You Your My Our However According One Some Many Most Both With From By What Who Where
        How Why Yes No Not Also To Of Or So Then Two Three All Each Another Other Such During Since Although""",
    )
)

_AUX = r"(?:is|are|was|were|has|have|had|can|could|will|would|should|may|might|must|does|do|did)"
_NEGATED = re.compile(rf"\b{_AUX}(?:n't| not|n’t)\b|\bcannot\b")
_PLAIN_AUX = re.compile(rf"\b{_AUX}\b(?! not|n't|n’t)")


def put(text: str, start: int, end: int, new: str, label: str) -> Corrupted | None:
    """Put other words in a claim's place; None where they are the same."""
    if text[start:end].lower() == new.lower():
        return None
    if start == 0 and text[:1].isupper():
        new = new[:1].upper() + new[1:]
    return Corrupted(text[:start] + new + text[end:], label, [(start, start + len(new))])


def number(text: str, document: str, rng: random.Random) -> Corrupted | None:
    """Change a number to another of its size, or to another of the document."""
    found = [m for m in _NUMBER.finditer(text) if not _YEAR.fullmatch(m.group())]
    words = list(_NUMBER_WORD.finditer(text))
    if words and (not found or rng.random() < 0.3):
        match = rng.choice(words)
        return put(text, *match.span(), rng.choice(_WORDS), NO)
    if not found:
        return None
    match = rng.choice(found)
    old = match.group()
    others = [m.group() for m in _NUMBER.finditer(document) if m.group() not in text and len(m.group()) <= len(old) + 1]
    new = rng.choice(others) if others and rng.random() < 0.5 else _near_number(old, rng)
    return None if new in _NUMBER.findall(text) else put(text, *match.span(), new, NO)


def _near_number(old: str, rng: random.Random) -> str:
    """Change one digit, or the size, of a number as written."""
    digits = [i for i, c in enumerate(old) if c.isdigit()]
    at = rng.choice(digits)
    options = [d for d in "123456789" if d != old[at]]
    new = old[:at] + rng.choice(options) + old[at + 1 :]
    if rng.random() < 0.2 and "," not in old and "." not in old and len(old) < 4:
        return str(int(old) * rng.choice([2, 3, 10]) + rng.randint(0, 1))
    return new


def date(text: str, document: str, rng: random.Random) -> Corrupted | None:
    """Change a year, a month, a weekday, or the day of a month."""
    spots = [*_YEAR.finditer(text), *_MONTH.finditer(text), *_DAY.finditer(text)]
    day_of_month = _DAY_OF_MONTH.search(text)
    if day_of_month and rng.random() < 0.4:
        group = 1 if day_of_month.group(1) else 2
        return put(text, *day_of_month.span(group), str(rng.randint(1, 28)), NO)
    if not spots:
        return None
    match = rng.choice(spots)
    old = match.group()
    if old.isdigit():
        others = [year for year in _YEAR.findall(document) if year not in text]
        near = str(min(2024, int(old) + rng.choice([-10, -5, -3, -2, -1, 1, 2, 3, 4, 5, 10])))
        return put(text, *match.span(), rng.choice(others) if others and rng.random() < 0.4 else near, NO)
    if old in MONTHS:
        return put(text, *match.span(), rng.choice(MONTHS), NO)
    return put(text, *match.span(), rng.choice(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Sunday"]), NO)


def names(text: str, document: str = "") -> list[re.Match[str]]:
    """The names in a text, as far as capitals show them; one word that opens it only if the document has it inside."""
    return [m for m in _NAME.finditer(text) if m.group() not in _NOT_NAMES and m.group() not in MONTHS
            and not _DAY.fullmatch(m.group())
            and (m.start() or " " in m.group() or f" {m.group()}" in re.sub(r"[.!?]\s+\w+", "", document))]  # fmt: skip


def name(text: str, document: str, rng: random.Random, strangers: Sequence[str] = ()) -> Corrupted | None:
    """Replace a name by another of the document, by a stranger, or by one nobody has heard of."""
    found = [m for m in names(text, document) if m.group() in document]
    found += [m for m in _ACRONYM.finditer(text) if m.group() in document]
    if not found:
        return None
    match = rng.choice(found)
    old = match.group()
    size = len(old.split())
    new = _other_name(old, text, document, rng) if rng.random() < 0.45 else None
    if new is None and strangers:
        drawn = [n for n in rng.sample(strangers, min(12, len(strangers))) if n not in document and n not in text]
        new = next((n for n in drawn if len(n.split()) == size and n.isupper() == old.isupper()), None)
    if new is None:
        new = rng.choice(LAST_NAMES) if size == 1 else f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
    if size > 1 and rng.random() < 0.4:  # half of a name changed is the slip that is easiest to miss
        words, at = old.split(), rng.randrange(size)
        other = new.split()[min(at, len(new.split()) - 1)]
        new = " ".join([*words[:at], other, *words[at + 1 :]]) if words[at][0].isupper() else new
    return None if new in document else put(text, *match.span(), new, WRONG)


def _other_name(old: str, text: str, document: str, rng: random.Random) -> str | None:
    """Another name of the document, of as many words."""
    size = len(old.split())
    others = [m.group() for m in names(document) if m.group() not in text and old not in m.group()
              and m.group() not in old and len(m.group().split()) == size]  # fmt: skip
    return rng.choice(others) if others else None


def roles(text: str, document: str, rng: random.Random) -> Corrupted | None:
    """Swap two who do things in the claim: names, or nouns with an article that the document has too."""
    named = [m for m in names(text, document) if m.group() in document]
    found = named
    if len(named) < 2 or rng.random() < 0.4:
        found = named + [m for m in _NOUN.finditer(text) if m.group(1) in document and not _inside(m, named)]
    if len(found) < 2:
        return None
    first, second = sorted(rng.sample(found, 2), key=lambda m: m.start())
    between = text[first.end() : second.start()]
    if re.fullmatch(r",? (?:and|or|&) |, ", between) or first.group().lower() == second.group().lower():
        return None  # a list reads the same in either order
    if not (VERB.search(between) or (first in named and second in named)):
        return None
    one, other = first.group(), second.group()
    if first.start() == 0:
        one, other = (one if first in named else one[0].lower() + one[1:]), other[0].upper() + other[1:]
    new = text[: first.start()] + other + between + one + text[second.end() :]
    ends = first.start() + len(other), first.start() + len(other) + len(between)
    return Corrupted(new, NO, [(first.start(), ends[0]), (ends[1], ends[1] + len(one))])


def _inside(match: re.Match[str], others: list[re.Match[str]]) -> bool:
    return any(match.start() < other.end() and other.start() < match.end() for other in others)


def unit(text: str, document: str, rng: random.Random) -> Corrupted | None:
    """Measure in something else."""
    found = list(_UNIT.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    place, old = ("sign" if match["sign"] else "unit"), match["sign"] or match["unit"]
    new = rng.choice(OTHER_UNITS[old])
    if any(f"{match['number'] or ''}{gap}{new}" in document for gap in ("", " ", "-")):
        return None
    return put(text, *match.span(place), f" {new}" if old == "%" else new, NO)


def negation(text: str, document: str, rng: random.Random) -> Corrupted | None:
    """Deny what is said, or say what is denied."""
    denied = list(_NEGATED.finditer(text))
    if denied:
        match = rng.choice(denied)
        plain = re.sub(r"n't|n’t| not", "", match.group())
        return put(text, *match.span(), {"ca": "can", "wo": "will", "cannot": "can"}.get(plain, plain), NO)
    plain_aux = list(_PLAIN_AUX.finditer(text))
    if plain_aux:
        match = plain_aux[0] if rng.random() < 0.7 else rng.choice(plain_aux)
        new = rng.choice([f"{match.group()} not", f"{match.group()} not", f"{match.group()} never"])
        if match.group() == "can":
            new = rng.choice(["cannot", "can't"])
        elif rng.random() < 0.3 and match.group() not in ("may", "might", "am"):
            new = {"will": "won't"}.get(match.group(), f"{match.group()}n't")
        return put(text, *match.span(), new, NO)
    verb = re.search(r"(?<=\w )(\w{3,}[^s\W])(s|ed)\b(?= \w)", text)
    if verb and rng.random() < 0.5:
        stem = verb.group(1) + ("e" if verb.group(2) == "ed" and verb.group(1)[-1] in "csvuz" else "")
        return put(text, *verb.span(), f"{'does' if verb.group(2) == 's' else 'did'} not {stem}", NO)
    return None


def _finder(pairs: list[tuple[str, str]]) -> re.Pattern[str]:
    """Match any of the words to be replaced, the longest first."""
    words = sorted({old for old, _ in pairs}, key=len, reverse=True)
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, words)) + r")(?!\w)")


def _swap(kind: str) -> Callable[[str, str, random.Random], Corrupted | None]:
    finder, table = _finder(SWAPS[kind]), SWAPS[kind]

    def swap(text: str, document: str, rng: random.Random) -> Corrupted | None:
        found = list(finder.finditer(text))
        if not found:
            return None
        match = rng.choice(found)
        new = rng.choice([new for old, new in table if old == match.group()])
        return put(text, *match.span(), new, WRONG if kind == "quantifier" else NO)

    return swap


def addition(text: str, document: str, rng: random.Random, strangers: Sequence[str] = ()) -> Corrupted | None:
    """Add something the document does not say."""
    body = text.rstrip().rstrip(".")
    extra = rng.choice(ADDITIONS)
    if rng.random() < 0.5:
        who = rng.choice(strangers or [f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"])
        extra = rng.choice([
            f", according to {who}", f" with {who}", f", as {who} pointed out", f" in {rng.randint(1950, 2023)}",
            f" for {rng.randint(2, 90)} years", f" in front of {rng.randint(20, 900)} people",
        ])  # fmt: skip
    return Corrupted(f"{body}{extra}.", UNKNOWN, [(len(body), len(body) + len(extra))])


_SYNONYM = _finder(SYNONYMS)

KINDS: dict[str, Callable[[str, str, random.Random], Corrupted | None]] = {
    "number": number, "date": date, "name": name, "roles": roles, "negation": negation, "unit": unit,
    "quantifier": _swap("quantifier"), "opposite": _swap("opposite"), "addition": addition,
}  # fmt: skip


_OFTEN = {"number": 3.0, "date": 3.0, "unit": 6.0, "quantifier": 3.0, "roles": 2.0, "name": 1.5}
"""How soon a kind is tried: those that apply to few claims first, or they would be seldom made."""


def corrupt(
    text: str, document: str, rng: random.Random, *, strangers: Sequence[str] = (), but: Container[str] = ()
) -> tuple[str, Corrupted] | None:
    """Corrupt a claim in one way that applies to it, and say which; `strangers` are names of other documents."""
    kinds = [kind for kind in KINDS if kind not in but and kind != "addition"]
    for kind in sorted(kinds, key=lambda kind: rng.random() ** (1 / _OFTEN.get(kind, 1.0)), reverse=True)[:6]:
        made = name(text, document, rng, strangers) if kind == "name" else KINDS[kind](text, document, rng)
        if made and made.text != text:
            return kind, made
    # An addition always applies: drawn as often as the rest, it would be most of what is made.
    made = addition(text, document, rng, strangers)
    return ("addition", made) if made else None


def reword(text: str, rng: random.Random) -> str:
    """Say the same with a few other words."""
    for step in rng.sample([_synonym, _dates, _numerals, _trim, _report], rng.randint(1, 3)):
        text = step(text, rng)
    return text


def _synonym(text: str, rng: random.Random) -> str:
    found = list(_SYNONYM.finditer(text))
    # From the end, so that the places of the ones before stay right.
    for match in sorted(rng.sample(found, min(2, len(found))), key=lambda m: -m.start()):
        new = rng.choice([new for old, new in SYNONYMS if old == match.group()])
        text = text[: match.start()] + new + text[match.end() :]
    return text


def _dates(text: str, rng: random.Random) -> str:
    month = "|".join(MONTHS)
    american = re.compile(rf"\b({month}) (\d{{1,2}}), (\d{{4}})\b")
    british = re.compile(rf"\b(\d{{1,2}}) ({month}) (\d{{4}})\b")
    if american.search(text):
        return american.sub(lambda m: rng.choice([f"{m[2]} {m[1]} {m[3]}", f"{_nth(m[2])} {m[1]} {m[3]}"]), text)
    return british.sub(lambda m: rng.choice([f"{m[2]} {m[1]}, {m[3]}", f"{_nth(m[1])} {m[2]} {m[3]}",
                                             f"{m[2]} {_nth(m[1])}, {m[3]}"]), text)  # fmt: skip


def _nth(day: str) -> str:
    return day + ("th" if 10 < int(day) < 14 else {"1": "st", "2": "nd", "3": "rd"}.get(day[-1], "th"))


_SMALL = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def _numerals(text: str, rng: random.Random) -> str:
    if rng.random() < 0.5:
        return re.sub(r"(?<![\w.,$£€-])(\d{1,2})(?= [a-z]{3})(?!%)",
                      lambda m: _SMALL[int(m[1])] if 0 < int(m[1]) < 13 else m[0], text)  # fmt: skip
    text = re.sub(r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?= [a-z]+s\b)",
                  lambda m: str(_SMALL.index(m[0])), text)  # fmt: skip
    return re.sub(r"\b(\d{1,3}),(\d{3})\b(?!,)", r"\1\2", text)


def _trim(text: str, rng: random.Random) -> str:
    """Leave out a parenthesis, or what stands before the first comma or after the last."""
    shorter = re.sub(r" \([^()]*\)", "", text)
    if shorter == text:
        shorter = re.sub(r"^(?:In|On|At|During|After|By) [^,.]{3,30}, (\w)", lambda m: m[1].upper(), text)
    if shorter == text:
        shorter = re.sub(r", (?:which|who|where|including|according to) [^,]{5,60}\.$", ".", text)
    return shorter if len(shorter) > 25 else text


def _report(text: str, rng: random.Random) -> str:
    first = text.split(" ", 1)[0]
    lowered = text[:1].lower() + text[1:] if first in _NOT_NAMES - {"I"} else text
    return rng.choice(REPORTS) + lowered
