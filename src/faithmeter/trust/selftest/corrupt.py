"""Makes a supported claim false in one known way, so that a verifier can be tested on the user's own data.

Each change is one that the sample does not support: what is put in (a number, a date, a name, a unit with its number)
must not occur in the contexts, the question or the claim. Where a claim offers no part that can be changed so, the
kind does not apply to it, and None comes back. English only: elsewhere only numbers, years and names are changed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from faithmeter.text.english.word_tables import words
from faithmeter.trust.selftest import english as grammar
from faithmeter.trust.selftest.clauses import parse
from faithmeter.trust.selftest.source_text import TOKEN, Source, names


class _Spot(NamedTuple):
    start: int
    end: int
    options: list[str]
    """What may replace it."""


_NUMBER = re.compile(r"(?<![\w.,:/#’'-])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?!(?![ap]m\b)[\w:/]|[.,]\d)")
_CITED = re.compile(
    r"\b(?:passages?|contexts?|documents?|sources?|page|step|figure|table|section) (?:\d+,? (?:and )?)*$|\[[\d, ]*$",
    re.I,
)
_CHUNK = re.compile(r"\S+")
_CLOCK = re.compile(r"(?<![\d:])(\d{1,2}):(\d{2})(?![\d:])")
_PERCENT = re.compile(r"\s?(?:%|percent|per cent)")
_MERIDIEM = re.compile(r"\s?[ap]\.?m\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\w.,$€£-])(1[0-9]\d\d|20\d\d)(s?)(?![\w,%]|\.\d)")
_MONTH = "|".join(grammar.MONTHS)
_MONTH_BEFORE = re.compile(rf"(?:{_MONTH})\.? *$")
_MONTH_AFTER = re.compile(rf"(?:st|nd|rd|th)? +(?:of +)?(?:{_MONTH})\b")
_REACH = 200  # characters before a number that say what it is
_MONTH_SPOT = re.compile(
    rf"(?<=\d )(?:{_MONTH})\b|\b(?:{_MONTH})(?=,? \d)|(?<=\b[Ii]n )(?:{_MONTH})\b|(?<=\b(?:of|by) )(?:{_MONTH})\b"
    rf"|\b(?:early|late|mid|last|next|since|until|every) (?P<bare>{_MONTH})\b"
)
_YEAR_CUE = re.compile(
    r"(?:\b(?:in|since|until|by|from|of|during|before|after|year|to|and|early|late|mid|the|for)"
    rf"|[,(–-]|{_MONTH}) ?$",
    re.IGNORECASE,
)
_COUNTED = re.compile(r" [a-z]+s\b(?! ?(?:was|were|is|has|had)\b)")
_WEEKDAY = re.compile("|".join(grammar.WEEKDAYS))
_QUANTITY = re.compile(
    r"(?<![\w.,:/-])(\d[\d,]*(?:\.\d+)?|" + "|".join(grammar.NUMBERS[2:] + grammar.TENS) + r")([ -]?)"
    r"(" + "|".join(sorted(map(re.escape, grammar.UNITS), key=len, reverse=True)) + r")(?![\w/])"
)


def number(claim: str, source: Source, rng: random.Random) -> str | None:
    """Another number, at least a tenth away and not in the sample."""
    spots = [*_digit_spots(claim, source, rng), *_word_spots(claim, source)]
    return _one_of(claim, spots, rng)


def _digit_spots(claim: str, source: Source, rng: random.Random) -> Iterator[_Spot]:
    taken = source.numbers | {numeral.replace(",", "") for numeral in re.findall(r"\d[\d,]*(?:\.\d+)?", claim)}
    for match in _CLOCK.finditer(claim):
        hours = range(1, 13) if int(match[1]) <= 12 else range(13, 24)
        times = [f"{hour}:{match[2]}" for hour in hours]
        yield _Spot(*match.span(), [time for time in times if time != match[0] and not source.has(time)])
    near_month = _month_finder(claim)
    indent = len(claim) - len(claim.lstrip())
    for match in _NUMBER.finditer(claim):
        start, end = match.span()
        if _YEAR.fullmatch(match[0]) or near_month(start, end):
            continue
        numbered = start == indent and claim.startswith(".", end)
        if numbered or _CITED.search(claim, max(0, start - _REACH), start) or match[0] in ("0", "1"):
            continue  # the label of a list or a passage; and one of something would need a plural
        whole, decimals = match[1], match[2] or ""
        if _MERIDIEM.match(claim, end):
            options = [str(hour) for hour in range(1, 13) if str(hour) not in taken]
        else:
            limit = 100 if _PERCENT.match(claim, end) else None
            options = [
                new + decimals for new in _near(whole, rng, limit) if (new + decimals).replace(",", "") not in taken
            ]
        yield _Spot(start, end, options)


def _month_finder(claim: str) -> Callable[[int, int], bool]:
    """A function: whether a month is beside a part of a claim, or at that end of the claim."""
    first, last = _MONTH_AFTER.match(claim), _MONTH_BEFORE.search(claim)

    def near(start: int, end: int) -> bool:
        return bool(
            _MONTH_BEFORE.search(claim, max(0, start - _REACH), start)
            or _MONTH_AFTER.match(claim, end)
            or (first and first.end() <= start)
            or (last and last.start() >= end)
        )

    return near


def _near(whole: str, rng: random.Random, limit: int | None) -> list[str]:
    """Whole numbers of the same size and look, at least a tenth away."""
    old = int(whole.replace(",", ""))
    nearby = []
    for _ in range(20):
        first = rng.choice([digit for digit in "123456789" if digit != whole[0]])
        new = int(first + whole.replace(",", "")[1:])
        if new > 1 and abs(new - old) >= max(2, old / 10) and (limit is None or new <= limit):
            nearby.append(f"{new:,}" if "," in whole else str(new))
    return nearby


def _word_spots(claim: str, source: Source) -> Iterator[_Spot]:
    for table, least in ((grammar.NUMBERS[2:], 2), (grammar.TENS, 1), (grammar.ORDINALS, 2)):
        for match in re.finditer(rf"\b(?:{'|'.join(table)})\b(?!-\w)", claim, re.IGNORECASE):
            index = table.index(match[0].lower())
            options = [word for other, word in enumerate(table) if abs(other - index) >= least and not source.has(word)]
            digits = {word: str(value) for value, word in enumerate(grammar.NUMBERS)}
            options = [word for word in options if digits.get(word) not in source.numbers]
            yield _Spot(*match.span(), [grammar.capitalised(o) if match[0][0].isupper() else o for o in options])


def date(claim: str, source: Source, rng: random.Random) -> str | None:
    """Another year, month, weekday or day of a month that the sample does not name."""
    spots = []
    for match in _YEAR.finditer(claim):
        if not _dated(claim, match):
            continue
        steps = (-30, -20, -10, 10, 20, 30) if match[2] else (-14, -9, -6, -4, -3, -2, 2, 3, 4, 6, 9)
        years = [str(int(match[1]) + step) for step in steps if int(match[1]) + step <= 2035]
        spots.append(_Spot(*match.span(), [year + match[2] for year in years if year not in source.numbers]))
    months = [month for month in grammar.MONTHS if not source.has(month) and month not in claim]
    for match in _MONTH_SPOT.finditer(claim):
        spots.append(_Spot(*(match.span("bare") if match["bare"] else match.span()), months))
    days = [day for day in grammar.WEEKDAYS if not source.has(day) and day not in claim]
    for match in _WEEKDAY.finditer(claim):
        spots.append(_Spot(*match.span(), days))
    near_month = _month_finder(claim)
    for match in re.finditer(r"\b(\d{1,2})(?!\d)", claim):
        if near_month(*match.span(1)):
            free = [day for day in range(4, 21) if str(day) not in source.numbers and abs(day - int(match[1])) > 1]
            end = match.end(1) + 2 * claim.startswith(("st", "nd", "rd", "th"), match.end(1))
            spots.append(_Spot(match.start(1), end, [f"{day}th" if end > match.end(1) else str(day) for day in free]))
    return _one_of(claim, spots, rng)


def _dated(claim: str, match: re.Match[str]) -> bool:
    """Whether four digits are a year: a word before them says so, or they are in brackets or after a month."""
    counted = _COUNTED.match(claim, match.end()) and not match[2]
    return bool(_YEAR_CUE.search(claim, max(0, match.start() - _REACH), match.start())) and not counted


def unit(claim: str, source: Source, rng: random.Random) -> str | None:
    """The same number of something else."""
    spots = []
    for match in _QUANTITY.finditer(claim):
        new = grammar.UNITS[match[3]]
        if claim.startswith((" a day", " a week", " a month", " a year"), match.end()):
            continue  # "seven weeks a week" is nonsense rather than another meaning
        if not any(source.has(f"{match[1]}{gap}{new}") for gap in ("", " ", "-")):
            spots.append(_Spot(*match.span(3), [new]))
    for match in re.finditer(r"[$€£](?=\d)", claim):
        new = grammar.CURRENCIES[match[0]]
        if not source.has(new):
            spots.append(_Spot(*match.span(), [new]))
    return _one_of(claim, spots, rng)


def name(claim: str, source: Source, rng: random.Random) -> str | None:
    """Another name of its kind, which the sample does not know; every mention of it is changed."""
    label = re.match(r"[\w* ]{2,40}: ", claim)  # "Pot design: …" is a heading rather than a name
    spots = [spot for spot in names(claim, source) if not (label and spot[0] < label.end())]
    spots = [(start, end) for start, end in spots if claim[start:end] not in grammar.TITLES]
    if not spots:
        return None
    start, end = rng.choice(spots)
    old = claim[start:end]
    after_in = re.search(r"\b(?:in|near) $", claim[:start]) is not None
    others = grammar.OTHER_PLACES if after_in else _other_names(old)
    options = [new for new in others if not source.has(new) and new not in claim]
    if not options:
        return None
    new = rng.choice(options)
    text = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, claim)
    return grammar.with_article(text)


def _other_names(old: str) -> tuple[str, ...]:
    parts = old.split()
    if old in grammar.DEMONYMS:
        return grammar.OTHER_DEMONYMS
    if parts[-1] in grammar.PLACES:
        return grammar.OTHER_PLACES
    if len(parts) == 1:
        return grammar.OTHER_ACRONYMS if old.isupper() else grammar.OTHER_NAMES
    if parts[0] in grammar.FIRST_NAMES:
        return grammar.OTHER_PEOPLE
    return tuple(" ".join([new, *parts[1:]]) for new in grammar.OTHER_NAMES)


_NEGATED = re.compile(rf"\b({'|'.join(grammar.AUXILIARIES)}) not\b|\b(ca|wo|\w+)n['’]t\b|\bcannot\b")
_PLAIN = re.compile(rf"\b({'|'.join(grammar.AUXILIARIES)})\b(?!['’])")
# Before these, "not" would mean something else, or read badly.
_NOT_BEFORE = words(
    "not never no only just also still already both either nothing none neither all that why how when where"
)
_NO_VERB_AFTER = words(
    "a an the of in on at by to from with for as and or his her their its our this that these no more"
)


def negation(claim: str, source: Source, rng: random.Random) -> str | None:
    """What is said is denied, or what is denied is said."""
    if "?" in claim or re.match(r"(?:\w+, )?(?:I|We)\b", claim):
        return None
    if match := _NEGATED.search(claim):
        if re.match(r" (?:just|only|merely|simply|necessarily)\b", claim[match.end() :]):
            return None  # "is not just …, but also …" denies nothing
        plain = {"ca": "can", "wo": "will"}.get(match[2] or "", match[2]) or match[1] or "can"
        return _put(claim, *match.span(), plain)
    if re.search(r"\b(?:no|never|none|nothing|neither|nor|without|hardly|n't)\b", claim, re.IGNORECASE):
        return None  # a second negation would be no clear denial
    for match in _PLAIN.finditer(claim):
        following = _FOLLOWING.match(claim, match.end())
        before = claim[max(0, match.start() - _REACH) : match.start()].lower().split()
        if before and (before[-1] in _NO_SUBJECT or not _SOME.isdisjoint(before[-4:])):
            continue  # what some are, others are not: no denial
        if following and following[1].lower() not in _NOT_BEFORE:
            return _put(claim, *match.span(), _denied(match[1], following[1]))
    return _denied_verb(claim)


_FOLLOWING = re.compile(r" ([\w-]+)")
_NO_SUBJECT = words("to may might here what who you as we i if")
_SOME = words("some several many few certain one other others another sometimes often")


def _denied(auxiliary: str, following: str) -> str:
    if auxiliary in ("has", "have", "had") and not _is_participle(following):
        return {"has": "does", "have": "do", "had": "did"}[auxiliary] + " not have"
    return "cannot" if auxiliary == "can" else f"{auxiliary} not"


def _is_participle(word: str) -> bool:
    return word in grammar.BY_PARTICIPLE or word.endswith(("ed", "en")) or word in ("been", "had", "done", "put", "set")


def _denied_verb(claim: str) -> str | None:
    """Deny the one verb of a claim that has no auxiliary."""
    if re.search(r"\b(?:may|might|shall|ought|some|several|many|few)\b", claim, re.IGNORECASE):
        return None
    verbs = []
    for token in TOKEN.finditer(claim):
        verb = grammar.BY_THIRD.get(token[0]) or grammar.BY_PAST.get(token[0])
        before = claim[max(0, token.start() - _REACH) : token.start()].split() if verb else []
        if verb and before and before[-1].lower() not in _NO_VERB_AFTER and not before[-1].endswith((",", "ly")):
            verbs.append((token, verb))
    if len(verbs) != 1:
        return None
    token, verb = verbs[0]
    return _put(claim, *token.span(), f"{'does' if token[0] == verb.third else 'did'} not {verb.base}")


def quantifier(claim: str, source: Source, rng: random.Random) -> str | None:
    """How many, how often or how much is reversed."""
    spots = []
    for pattern, new in grammar.QUANTIFIERS:
        for match in pattern.finditer(claim):
            after = _CHUNK.search(claim, match.end())
            phrase = new + (after[0] if after else "")
            if not source.has(phrase):
                spots.append(_Spot(*match.span(), [grammar.capitalised(new) if match[0][0].isupper() else new]))
    return _one_of(claim, spots, rng)


def roles(claim: str, source: Source, rng: random.Random) -> str | None:
    """Who did it and whom it was done to change places."""
    clause = parse(claim)
    if clause is None or not clause.two_sided or clause.agent.lower() == clause.patient.lower():
        return None
    if not all(word in source.lower for word in _content(clause.agent) + _content(clause.patient)):
        return None  # said in other words: these do not show whether the swapped claim holds
    return grammar.with_article(clause.swapped().said(passive=clause.passive))


def _content(phrase: str) -> list[str]:
    return [word.lower() for word in TOKEN.findall(phrase) if word.lower() not in grammar.FUNCTION]


_FINITE = frozenset({*grammar.AUXILIARIES, *grammar.BY_PAST, *grammar.BY_THIRD})
_ADDITIONS = (
    ", according to a report by {person}",
    ", as {person} confirmed in {year}",
    ", and {person} received an award for it in {year}",
    ", which led to a lawsuit in {year}",
    ", a conclusion that {organisation} endorsed in {year}",
    ", following a recommendation by {organisation}",
    ", as was first noticed by a journalist from {place}",
    ", although {organisation} has called this into question",
    ", and the same has been observed in {place} since {year}",
    ", a fact that {person} made widely known",
)


def addition(claim: str, source: Source, rng: random.Random) -> str | None:
    """Something is added that the sample does not mention."""
    body, stop = grammar.ends(claim)
    finite = any(word in _FINITE for word in TOKEN.findall(claim))
    if not finite:
        return None  # an instruction or a heading: nothing there to add to
    if not body or not (body[-1].isalnum() or body[-1] in "%)'’\"”") or "?" in claim or len(body.split()) < 4:
        return None
    years = [str(year) for year in range(1951, 2024) if str(year) not in source.numbers]
    values = {
        "person": [person for person in grammar.OTHER_PEOPLE if not source.has(person)],
        "place": [place for place in grammar.OTHER_PLACES if not source.has(place)],
        "organisation": [item for item in grammar.ORGANISATIONS if not source.has(item)],
        "year": years,
    }
    if not all(values.values()):
        return None
    extra = rng.choice(_ADDITIONS).format(**{key: rng.choice(options) for key, options in values.items()})
    return body + extra + (stop or ".")


Corruption = Callable[[str, Source, random.Random], str | None]

CORRUPTIONS: dict[str, Corruption] = {
    "number": number,
    "date": date,
    "unit": unit,
    "name": name,
    "negation": negation,
    "quantifier": quantifier,
    "roles": roles,
    "addition": addition,
}


def _put(claim: str, start: int, end: int, new: str) -> str:
    text = claim[:start] + new + claim[end:]
    return grammar.with_article(text) if start else text


def _one_of(claim: str, spots: list[_Spot], rng: random.Random) -> str | None:
    usable = [spot for spot in spots if spot.options]
    if not usable:
        return None
    spot = rng.choice(usable)
    return _put(claim, spot.start, spot.end, rng.choice(spot.options))
