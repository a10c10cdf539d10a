"""Corrupts a supported claim so that it no longer holds, and rewords one so that it still does."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import NamedTuple

from training.words import FIRST_NAMES, LAST_NAMES, MONTHS

NO, UNKNOWN, WRONG = "contradicted", "not_enough_info", "not_supported"


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
_NAME = re.compile(r"\b[A-Z][a-z'’]+(?:[ -](?:(?:of|the|de|van|von) )?[A-Z][\w.'’]*)*\b")
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

_SWAPS = {
    "unit": [
        ("miles", "kilometres"), ("km", "miles"), ("kilometers", "miles"), ("meters", "feet"), ("feet", "metres"),
        ("inches", "centimetres"), ("kg", "pounds"), ("pounds", "kilograms"), ("million", "billion"),
        ("billion", "million"), ("thousand", "million"), ("hundred", "thousand"), ("percent", "percentage points"),
        ("years", "months"), ("months", "years"), ("weeks", "days"), ("days", "weeks"), ("hours", "minutes"),
        ("minutes", "hours"), ("seconds", "minutes"), ("year", "month"), ("month", "year"), ("week", "day"),
        ("hour", "minute"), ("tons", "kilograms"), ("degrees Fahrenheit", "degrees Celsius"), ("acres", "hectares"),
        ("dollars", "euros"), ("cents", "dollars"), ("grams", "kilograms"), ("milligrams", "grams"), ("mg", "g"),
        ("centuries", "decades"), ("decades", "years"), ("decade", "century"), ("century", "decade"),
        ("am", "pm"), ("a.m.", "p.m."), ("p.m.", "a.m."), ("pm", "am"), ("tablespoons", "cups"),
        ("cups", "tablespoons"),
    ],
    "quantifier": [
        ("all", "some"), ("all", "none of"), ("every", "hardly any"), ("most", "few"), ("many", "no"), ("many", "few"),
        ("some", "all"), ("several", "no"), ("few", "most"), ("always", "never"), ("often", "rarely"),
        ("usually", "never"), ("sometimes", "always"), ("never", "often"), ("rarely", "often"), ("at least", "at most"),
        ("more than", "less than"), ("less than", "more than"), ("over", "under"), ("up to", "at least"),
        ("about", "exactly"), ("both", "neither"), ("only", "not only"), ("may", "must"), ("can", "cannot"),
        ("might", "will certainly"), ("could", "will"), ("mostly", "entirely"), ("partly", "entirely"),
        ("nearly", "more than"), ("almost", "more than"), ("none", "all"), ("no", "many"), ("half", "all"),
        ("one", "all"), ("first", "last"), ("last", "first"), ("largest", "smallest"), ("highest", "lowest"),
        ("second", "third"), ("third", "first"), ("best", "worst"), ("minimum", "maximum"), ("maximum", "minimum"),
    ],
    "opposite": [
        ("increased", "decreased"), ("increase", "decrease"), ("rose", "fell"), ("higher", "lower"), ("more", "less"),
        ("before", "after"), ("after", "before"), ("won", "lost"), ("lost", "won"), ("wins", "loses"),
        ("above", "below"),
        ("larger", "smaller"), ("older", "younger"), ("born", "raised"), ("died", "was injured"), ("north", "south"),
        ("south", "north"), ("east", "west"), ("west", "east"), ("northern", "southern"), ("early", "late"),
        ("late", "early"), ("began", "ended"), ("started", "ended"), ("opened", "closed"), ("accepted", "rejected"),
        ("approved", "rejected"), ("supports", "opposes"), ("supported", "opposed"), ("positive", "negative"),
        ("mother", "father"), ("father", "brother"), ("brother", "sister"), ("sister", "cousin"), ("son", "daughter"),
        ("daughter", "son"), ("wife", "sister"), ("husband", "brother"), ("male", "female"), ("true", "false"),
        ("guilty", "innocent"), ("alive", "dead"), ("bought", "sold"), ("sold", "bought"), ("sell", "buy"),
        ("gained", "lost"), ("public", "private"), ("left", "right"), ("with", "without"), ("domestic", "foreign"),
        ("legal", "illegal"), ("safe", "dangerous"), ("hot", "cold"), ("dry", "wet"), ("cheap", "expensive"),
        ("easy", "hard"), ("allowed", "forbidden"), ("able", "unable"), ("likely", "unlikely"), ("agreed", "refused"),
        ("red", "blue"), ("black", "white"), ("green", "red"), ("actor", "singer"), ("actress", "director"),
        ("singer", "dancer"), ("writer", "painter"), ("player", "coach"), ("president", "secretary"),
        ("founded", "left"),
        ("album", "film"), ("film", "novel"), ("novel", "play"), ("city", "village"), ("spring", "autumn"),
        ("summer", "winter"), ("winter", "summer"), ("doctor", "lawyer"), ("teacher", "student"), ("daily", "weekly"),
        ("American", "Canadian"), ("British", "French"), ("German", "Austrian"), ("Chinese", "Korean"),
        ("English", "Scottish"), ("Australian", "Irish"), ("French", "Belgian"), ("Russian", "Ukrainian"),
    ],
}  # fmt: skip
_AUX = r"(?:is|are|was|were|has|have|had|can|could|will|would|should|may|might|must|does|do|did)"
_NEGATED = re.compile(rf"\b{_AUX}(?:n't| not|n’t)\b|\bcannot\b")
_PLAIN_AUX = re.compile(rf"\b{_AUX}\b(?! not|n't|n’t)")

_ADDITIONS = [
    ", which drew criticism from local residents", ", according to a company spokesperson",
    " for the third time in a row",
    ", making it the first of its kind in the world", ", despite protests", " after a long legal battle",
    ", which was later confirmed by an independent study", " with the help of a private donor", " in secret",
    ", and has since won several awards", ", a decision that was later reversed", " together with a former colleague",
    ", which cost about $4 million", ", much to the surprise of experts", " because of budget cuts",
    ", and plans to expand to Asia next year", " at the request of the government", ", largely due to bad weather",
    ", as reported by The New York Times", " while living in Paris", ", although some experts disagree",
    ", and it is recommended to consult a professional first", ", which is especially important for older people",
    " in order to save money", ", resulting in a record number of visitors", ", following the example of Sweden",
    ", which affects around 12% of the population", ", using a method developed in Japan", " on live television",
    ", and the project is expected to finish in 2030", ", just days after the wedding",
    ", and it is very popular with children",
]  # fmt: skip

_REPORTS = ["According to the passage, ", "The text states that ", "Based on the context, ", "It is reported that ",
            "As mentioned, ", "The article says that ", "In short, ", "Overall, ", "Additionally, ",
            "Notably, "]  # fmt: skip
_SYNONYMS = [
    ("purchased", "bought"), ("bought", "purchased"), ("started", "began"), ("began", "started"), ("big", "large"),
    ("large", "big"), ("children", "kids"), ("physician", "doctor"), ("film", "movie"), ("movie", "film"),
    ("assist", "help"), ("help", "assist"), ("obtain", "get"), ("approximately", "about"), ("about", "around"),
    ("nearly", "almost"), ("almost", "nearly"), ("famous", "well-known"), ("United States", "US"), ("U.S.", "US"),
    ("United Kingdom", "UK"), ("percent", "%"), ("however", "but"), ("however", "though"), ("required", "needed"),
    ("need", "require"), ("show", "indicate"), ("shows", "indicates"), ("showed", "revealed"), ("ended", "finished"),
    ("also", "in addition"), ("because", "since"), ("died", "passed away"), ("killed", "slain"), ("create", "make"),
    ("created", "made"), ("use", "utilise"), ("used", "employed"), ("rapidly", "quickly"), ("quickly", "fast"),
    ("many", "numerous"), ("numerous", "many"), ("often", "frequently"), ("frequently", "often"), ("said", "stated"),
    ("stated", "said"), ("told", "informed"), ("receive", "get"), ("received", "got"), ("located", "situated"),
    ("attempt", "try"), ("tried", "attempted"), ("huge", "enormous"), ("small", "little"), ("important", "significant"),
    ("main", "primary"), ("company", "firm"), ("car", "automobile"), ("job", "position"), ("wife", "spouse"),
    ("is not", "isn't"), ("are not", "aren't"), ("does not", "doesn't"), ("did not", "didn't"), ("was not", "wasn't"),
    ("isn't", "is not"), ("don't", "do not"), ("doesn't", "does not"), ("didn't", "did not"), ("can't", "cannot"),
    ("won't", "will not"), ("it's", "it is"), ("whole", "entire"), ("entire", "whole"), ("happened", "occurred"),
    ("took place", "was held"), ("in order to", "to"), ("prior to", "before"), ("additional", "more"),
    ("answer", "reply"),
    ("error", "mistake"), ("buy", "purchase"), ("begin", "start"), ("finish", "end"), ("choose", "pick"),
]  # fmt: skip


def _put(text: str, start: int, end: int, new: str, label: str) -> Corrupted | None:
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
        return _put(text, *match.span(), rng.choice(_WORDS), NO)
    if not found:
        return None
    match = rng.choice(found)
    old = match.group()
    others = [m.group() for m in _NUMBER.finditer(document) if m.group() not in text and len(m.group()) <= len(old) + 1]
    new = rng.choice(others) if others and rng.random() < 0.5 else _near_number(old, rng)
    return None if new in _NUMBER.findall(text) else _put(text, *match.span(), new, NO)


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
        return _put(text, *day_of_month.span(group), str(rng.randint(1, 28)), NO)
    if not spots:
        return None
    match = rng.choice(spots)
    old = match.group()
    if old.isdigit():
        others = [year for year in _YEAR.findall(document) if year not in text]
        near = str(min(2024, int(old) + rng.choice([-10, -5, -3, -2, -1, 1, 2, 3, 4, 5, 10])))
        return _put(text, *match.span(), rng.choice(others) if others and rng.random() < 0.4 else near, NO)
    if old in MONTHS:
        return _put(text, *match.span(), rng.choice(MONTHS), NO)
    return _put(text, *match.span(), rng.choice(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Sunday"]), NO)


def names(text: str) -> list[re.Match[str]]:
    """The names in a text, as far as capitals show them."""
    return [m for m in _NAME.finditer(text) if m.group() not in _NOT_NAMES
            and not (m.start() == 0 and " " not in m.group() and len(m.group()) < 4)]  # fmt: skip


def name(text: str, document: str, rng: random.Random) -> Corrupted | None:
    """Replace a name by another of the document, or by one nobody has heard of."""
    found = [m for m in names(text) if m.group() not in MONTHS and not _DAY.fullmatch(m.group())
             and m.group() in document]  # fmt: skip
    if not found:
        return None
    match = rng.choice(found)
    old = match.group()
    size = len(old.split())
    others = [m.group() for m in names(document) if m.group() not in text and old not in m.group()
              and m.group() not in old and len(m.group().split()) == size and m.group() not in MONTHS]  # fmt: skip
    if others and rng.random() < 0.7:
        return _put(text, *match.span(), rng.choice(others), WRONG)
    invented = rng.choice(LAST_NAMES) if size == 1 else f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
    if size > 1 and rng.random() < 0.5:  # half of a name changed is the slip that is easiest to miss
        invented = rng.choice(
            [f"{old.split()[0]} {rng.choice(LAST_NAMES)}", f"{rng.choice(FIRST_NAMES)} {old.split()[-1]}"]
        )
    return _put(text, *match.span(), invented, WRONG)


def roles(text: str, document: str, rng: random.Random) -> Corrupted | None:
    """Swap two names of the claim."""
    found = [m for m in names(text) if m.group() not in MONTHS and m.group() in document]
    if len(found) < 2:
        return None
    first, second = sorted(rng.sample(found, 2), key=lambda m: m.start())
    between = text[first.end() : second.start()]
    if re.fullmatch(r",? (?:and|or|&) |, ", between) or first.group() == second.group():
        return None  # a list reads the same in either order
    new = text[: first.start()] + second.group() + between + first.group() + text[second.end() :]
    ends = first.start() + len(second.group()), first.start() + len(second.group()) + len(between)
    return Corrupted(new, NO, [(first.start(), ends[0]), (ends[1], ends[1] + len(first.group()))])


def negation(text: str, document: str, rng: random.Random) -> Corrupted | None:
    """Deny what is said, or say what is denied."""
    denied = list(_NEGATED.finditer(text))
    if denied:
        match = rng.choice(denied)
        plain = re.sub(r"n't|n’t| not", "", match.group())
        return _put(text, *match.span(), {"ca": "can", "wo": "will", "cannot": "can"}.get(plain, plain), NO)
    plain_aux = list(_PLAIN_AUX.finditer(text))
    if plain_aux:
        match = plain_aux[0] if rng.random() < 0.7 else rng.choice(plain_aux)
        new = rng.choice([f"{match.group()} not", f"{match.group()} not", f"{match.group()} never"])
        if match.group() == "can":
            new = rng.choice(["cannot", "can't"])
        elif rng.random() < 0.3 and match.group() not in ("may", "might", "am"):
            new = {"will": "won't"}.get(match.group(), f"{match.group()}n't")
        return _put(text, *match.span(), new, NO)
    verb = re.search(r"(?<=\w )(\w{3,}[^s\W])(s|ed)\b(?= \w)", text)
    if verb and rng.random() < 0.5:
        stem = verb.group(1) + ("e" if verb.group(2) == "ed" and verb.group(1)[-1] in "csvuz" else "")
        return _put(text, *verb.span(), f"{'does' if verb.group(2) == 's' else 'did'} not {stem}", NO)
    return None


def _finder(pairs: list[tuple[str, str]]) -> re.Pattern[str]:
    """Match any of the words to be replaced, the longest first."""
    words = sorted({old for old, _ in pairs}, key=len, reverse=True)
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, words)) + r")(?!\w)")


def _swap(kind: str) -> Callable[[str, str, random.Random], Corrupted | None]:
    finder, table = _finder(_SWAPS[kind]), _SWAPS[kind]

    def swap(text: str, document: str, rng: random.Random) -> Corrupted | None:
        found = list(finder.finditer(text))
        if not found:
            return None
        match = rng.choice(found)
        if kind == "unit" and not re.search(r"[\d\w] $", text[: match.start()]):
            return None
        new = rng.choice([new for old, new in table if old == match.group()])
        return _put(text, *match.span(), new, WRONG if kind == "quantifier" else NO)

    return swap


def addition(text: str, document: str, rng: random.Random) -> Corrupted | None:
    """Add something the document does not say."""
    body = text.rstrip().rstrip(".")
    extra = rng.choice(_ADDITIONS)
    if rng.random() < 0.3:
        who = f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
        extra = rng.choice([
            f", according to {who}", f" with {who}", f", as {who} pointed out", f" in {rng.randint(1950, 2023)}",
            f" for {rng.randint(2, 90)} years", f" in front of {rng.randint(20, 900)} people",
        ])  # fmt: skip
    return Corrupted(f"{body}{extra}.", UNKNOWN, [(len(body), len(body) + len(extra))])


_SYNONYM = _finder(_SYNONYMS)

KINDS: dict[str, Callable[[str, str, random.Random], Corrupted | None]] = {
    "number": number, "date": date, "name": name, "roles": roles, "negation": negation, "unit": _swap("unit"),
    "quantifier": _swap("quantifier"), "opposite": _swap("opposite"), "addition": addition,
}  # fmt: skip


def corrupt(text: str, document: str, rng: random.Random, *, tries: int = 6) -> tuple[str, Corrupted] | None:
    """Corrupt a claim in one way that applies to it, and say which."""
    kinds = list(KINDS)
    # An addition always applies: drawn as often as the rest, it would be most of what is made.
    for kind in rng.sample(kinds[:-1], min(tries, len(kinds) - 1)):
        made = KINDS[kind](text, document, rng)
        if made and made.text != text:
            return kind, made
    made = addition(text, document, rng)
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
        new = rng.choice([new for old, new in _SYNONYMS if old == match.group()])
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
    return rng.choice(_REPORTS) + lowered
