"""Whose the amounts of a text are: "the Vega costs 340 euros, the Altair 410"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from faithmeter.evidence.passages import stem, terms
from faithmeter.text.english import verbs
from faithmeter.text.english import word_tables as lexicon
from faithmeter.text.english.clause_words import ADVERBS, DETERMINERS, PREPOSITIONS
from faithmeter.text.english.mentions import mentions
from faithmeter.verify.derive.quantities import Quantity, read
from faithmeter.verify.notes.order_words import NOUNS_OF_SCALES

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“(]?[A-Z0-9])|\n|\s…\s|;\s")
_SEGMENT = re.compile(
    r"[,:()–—]\s?(?:(?:and|but|while|whereas|against|as against|compared (?:with|to)|versus) )?"
    r"|\s(?:and|but|while|whereas|against|versus|compared (?:with|to))\s"
)
_WORD = re.compile(r"[^\W\d_][\w’'-]*")
_FOR = re.compile(r"[^.;,\d]{0,12}?\b(?:for|in|at|on)\s(?:the\s|an?\s)?$")
_PREPOSITION = re.compile(r"\b(?:in|on|at|near|from|of|by|to|with|than)\s(?:the\s)?$", re.IGNORECASE)
_BARE = re.compile(
    r"(?:'s|’s)?(?: is| was| at| has| had| costs| weighs| cost)? (?:only )?"
    r"(?P<number>\d[\d,]{0,12}(?:\.\d{1,4})?)(?=[.,;)]|$| and| but)"
)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SERIES = re.compile(r"\b([A-Za-z]{3,15}) (\d{1,3}|[A-Z])\b(?![.,]\d)")
_APPOSITION = re.compile(r"[,(] ?(?:an?|the|his|her|its|their|our|my|who|which) [^,()]{1,60}[,)]", re.IGNORECASE)
_NUMBERED = re.compile(r" (?:No\. ?)?(\d{1,4}[A-Za-z]?)\b(?![%.,:/]\d| ?%)")
_OLD = re.compile(r"[\s-]?(?:years?[\s-]?(?:old|of age)|year-olds?)\b", re.IGNORECASE)
_OLD_AFTER = re.compile(r"[\s-]?(?:old|of age)\b", re.IGNORECASE)
_POPULATION = re.compile(r"\b(?:population|inhabitants|population is)(?: of| is|:)? $", re.IGNORECASE)
_AGED = re.compile(r"\b(?:aged?|age of) $", re.IGNORECASE)
_AGE_ALONE = re.compile(r"(?:, | is | was | \()$")
_PEOPLE = re.compile(r"\s(?:people|inhabitants|residents|souls)\b", re.IGNORECASE)
_DECIBELS = re.compile(r"\s?(?:decibels?|dB)\b")
_DEGREES = re.compile(r"\s?(?:degrees?\b|°)", re.IGNORECASE)
_COUNTED = re.compile(r"\s([^\W\d_]{3,20})(?: ([^\W\d_]{3,20}))?")
_APART = re.compile(
    r"\b(?:not|never|no|without|if|would|could|might|may|should|planned?|expected|than|more|less|fewer|by|another"
    r"|extra|additional|until|since|ago|least|most|up to|almost|under|over|every|per|each|twice|half|times|except"
    r"|lost|gained|gains|loses|grew|grown|shrank|rose|risen"
    r"|fell|fallen|dropped|declined|increased|decreased|climbed|moved|added|saved|cut|raised|lowered)\b|n['’]t\b",
    re.IGNORECASE,
)
"""What may stand between a thing and an amount that is not its own, or not as it is."""
_DIFFERENCE = re.compile(
    r"\s(?:[a-z]{2,12}er|more|less|fewer|above|below|ahead|behind|before|after|away|off|apart|from|ago|of the)\b"
)
_THEN = re.compile(r"(?:In|By|Until|Since|At the end of|Back in)\s[^,.;]{0,20}?\b(\d{4})\b")
"""When what follows was so."""
_MOST_IN_SENTENCE = 40
_LEADS_AWAY = re.compile(r"\b(?:after|before|since|until|following|unlike|than|without|when|while)\b", re.IGNORECASE)
_RANK = re.compile(
    r"\b(?:came|comes|come|finished|finishes|placed|ended up|ended|ranked|ranks|took|takes|in|won)\s(?:in\s)?(?:the\s)?"
    r"(?P<rank>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,2}(?:st|nd|rd|th))(?: place)?"
    r"(?=[,.;)]|$| (?:and|in|at|on|with|behind|ahead|overall)\b)"
)
_GLUE = (
    lexicon.FUNCTION | lexicon.STOP_WORDS | DETERMINERS | PREPOSITIONS | ADVERBS | verbs.AUXILIARIES | NOUNS_OF_SCALES
    | lexicon.words("only just about now also even itself alone passage two three other one model year maximum average "
        "mean usual current total")
)  # fmt: skip
_TITLES = lexicon.words("mr mrs ms dr sir professor prof the")
_NAMED_KEYS = re.compile(r"(?:^|[\s_])(?:name|model|title|n|item|product|city|town|id|who)$", re.IGNORECASE)
_FIELD = re.compile(r"(?:^|(?<=; )|(?<=\n))([^\W\d_][^:;\n]{0,50}): ([^;\n]{1,120}?)(?=;|\n|$| … )")


class Amount(NamedTuple):
    """An amount that one thing has."""

    owner: str
    kind: str
    value: Fraction
    end: int
    words: frozenset[str]
    """What else is said there, in stems."""
    shown: str = ""
    """The thing as it is named there."""


class Mention(NamedTuple):
    """Where a thing is named."""

    start: int
    end: int
    key: str


class Things:
    """The things of a claim and its evidence: names, of which one may be a part of another, and nouns of the claim."""

    def __init__(self, claim: str, evidence: str, nouns: Sequence[str]) -> None:
        lowered = frozenset(word for word in _WORD.findall(evidence + " " + claim) if word[:1].islower())
        ours = _names(claim, lowered, None)
        numbered = frozenset(name.rpartition(" ")[0] for _, _, name in ours if name.rpartition(" ")[2][0].isdigit())
        series = _series(claim)
        ours = [*_numbered(claim, series), *ours]
        theirs = [*_numbered(evidence, series), *_names(evidence, lowered, numbered)]
        whole = _wholes({name for _, _, name in (*ours, *theirs)})
        self.claimed = _longest([Mention(start, end, key) for start, end, name in ours if (key := whole[name])])
        found = [Mention(start, end, whole[name] or "?") for start, end, name in theirs]
        for noun in nouns:
            first, _, head = noun.rpartition(" ")
            alike = first and any(other != noun and other.endswith(f" {head}") for other in nouns)
            found += _noun_mentions(noun, evidence, short=first if alike else "")
        self.found = _longest(found)


def _longest(mentions_: Sequence[Mention]) -> list[Mention]:
    """In order, without those that are a part of the one before."""
    kept: list[Mention] = []
    for mention in sorted(mentions_, key=lambda mention: (mention.start, -mention.end)):
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def _series(claim: str) -> frozenset[str]:
    """What a claim tells apart by numbers or letters alone: build 6 and build 7."""
    found = {(match[1].lower(), match[2]) for match in _SERIES.finditer(claim)}
    return frozenset(word for word, _ in found if sum(word == other for other, _ in found) > 1) - _GLUE


def _numbered(text: str, series: frozenset[str]) -> list[tuple[int, int, str]]:
    return [(*match.span(), match[0].lower()) for match in _SERIES.finditer(text) if match[1].lower() in series]


def _names(text: str, lowered: frozenset[str], numbered: frozenset[str] | None) -> list[tuple[int, int, str]]:
    """The names of a text; those with a number where it belongs to them: always in a claim, and as there elsewhere."""
    out = []
    for name in mentions(text, known=lowered):
        if name.kind != "name":
            continue
        words = [word for word in name.value.split() if word not in _TITLES]
        end, number = name.end, _NUMBERED.match(text, name.end)
        if number and (numbered is None or " ".join(words) in numbered):
            after = text[number.end() : number.end() + 12]
            if numbered or not re.match(r"\s?(?:[a-z]+s\b|km|kg|cm|m\b|per)", after):
                words, end = [*words, number[1].lower()], number.end()
        if words:
            out.append((name.start, end, " ".join(words)))
    return out


def _wholes(names: set[str]) -> dict[str, str]:
    """The longest name that each is a part of; "" where that may be one of several."""
    sets = {name: frozenset(name.split()) for name in names}
    whole = {}
    for name, words in sets.items():
        longer = [other for other, theirs in sets.items() if words < theirs]
        longest = [one for one in longer if not any(sets[one] < sets[other] for other in longer)]
        whole[name] = name if not longest else longest[0] if len(longest) == 1 else ""
    return whole


def _noun_mentions(noun: str, text: str, *, short: str) -> Iterator[Mention]:
    """Where a noun stands, or what tells it from another ("the green one"), if it is not now one kind, now another."""
    either = f"(?:{re.escape(noun)}|{re.escape(short)}(?: one)?)" if short else re.escape(noun)
    matches = list(re.finditer(rf"\b{either}s?\b", text, re.IGNORECASE))
    kinds = set()
    for match in matches:
        before = _WORD.findall(text[max(0, match.start() - 25) : match.start()])[-1:]
        kinds.add("" if not before or before[0].lower() in _GLUE else before[0].lower())
    if len(kinds - {""}) == 0 or len(kinds) == 1:
        yield from (Mention(*match.span(), noun) for match in matches)


def amounts(evidence: str, things: Things, claim: str) -> list[Amount]:
    """The amounts of a text with whose they are; what is not clear has the owner "?"."""
    known = frozenset(terms(claim))
    found: list[Amount] = []
    starts = [0, *(match.end() for match in _SENTENCE.finditer(evidence))]
    ends = [*(match.start() for match in _SENTENCE.finditer(evidence)), len(evidence)]
    quantities = deque(read(evidence))
    for start, end in zip(starts, ends, strict=True):
        own: list[Quantity] = []
        while quantities and quantities[0].end <= end:
            own.append(quantities.popleft())
        while quantities and quantities[0].start < end:
            quantities.popleft()
        first = bisect_left(things.found, (start,))
        inside = things.found[first : bisect_left(things.found, (end,))]
        then = _THEN.match(evidence, start, end)
        if then and then[1] not in claim:
            own = [quantity for quantity in own if quantity.dimension in ("date", "year", "clock")]
        if 0 < len(own) <= _MOST_IN_SENTENCE and len(inside) <= _MOST_IN_SENTENCE:
            found += _of_sentence(evidence, (start, end), inside, own, known)
    return found


def _of_sentence(
    text: str, span: tuple[int, int], things: Sequence[Mention], quantities: Sequence[Quantity], known: frozenset[str]
) -> Iterator[Amount]:
    start, end = span
    cuts = [start, *(match.end() for match in _SEGMENT.finditer(text, start, end)), end]
    last: tuple[str, Quantity] | None = None
    said = frozenset[str]()
    for quantity in quantities:
        if (
            quantity.bound
            or quantity.high is not None
            or _DIFFERENCE.match(text, quantity.end)
            or any(t.start <= quantity.start < t.end for t in things)
        ):
            continue
        kinds = _kinds(text, quantity, last[0] if last else "")
        cut = max(at for at in cuts if at <= quantity.start)
        owner = _owner(text, cuts, quantity, things, known)
        after = min(at for at in cuts if at >= quantity.end)
        named = [thing for thing in things if thing.key == owner]
        said = frozenset(terms(text[min([cut, *(t.start for t in named if t.end <= quantity.start)][-2:]) : after]))
        shown = text[named[-1].start : named[-1].end] if named else ""
        for kind in kinds:
            yield Amount(owner, kind, _value(quantity, kind), _end(text, quantity), said, shown)
        if kinds and last is None and owner != "?":
            last = (kinds[0], quantity)
    if last is None:
        return
    read_ends = {(q.start, q.end) for q in quantities}
    for thing in things:  # "the Altair 410"
        bare = _BARE.match(text, thing.end, end)
        if bare and thing.start > last[1].end and not any(a <= bare.start("number") < b for a, b in read_ends):
            plain = _NUMBER.search(last[1].written)
            if plain and Fraction(plain[0].replace(",", "")):
                unit = _value(last[1], last[0]) / Fraction(plain[0].replace(",", ""))
                number = Fraction(bare["number"].replace(",", ""))
                yield Amount(thing.key, last[0], number * unit, bare.end("number"), said, text[thing.start : thing.end])


def _end(text: str, quantity: Quantity) -> int:
    if quantity.dimension == "count" and (after := _COUNTED.match(text, quantity.end)):
        return after.end(1)
    after = (
        _OLD.match(text, quantity.end)
        or _OLD_AFTER.match(text, quantity.end)
        or _DEGREES.match(text, quantity.end)
        or _DECIBELS.match(text, quantity.end)
        or _PEOPLE.match(text, quantity.end)
    )
    return after.end() if after else quantity.end


def _value(quantity: Quantity, kind: str) -> Fraction:
    return quantity.value / 12 if kind == "age" and quantity.dimension == "months" else quantity.value


def _kinds(text: str, quantity: Quantity, last: str) -> list[str]:
    """What a quantity is an amount of."""
    before, dimension = text[max(0, quantity.start - 24) : quantity.start], quantity.dimension
    aged = _OLD.match(text, quantity.end) or _OLD_AFTER.match(text, quantity.end) or _AGED.search(before)
    if dimension == "months":
        return ["age"] if aged else ["months"]
    if dimension == "date" and not quantity.day[0]:
        return []
    if dimension != "count":
        return [dimension]
    if aged or (_AGE_ALONE.search(before) and re.match(r",| and |\)|\.", text[quantity.end : quantity.end + 5])):
        return ["age"] if aged or 3 < quantity.value < 110 else []
    if _PEOPLE.match(text, quantity.end) or _POPULATION.search(before):
        return ["people"]
    if _DECIBELS.match(text, quantity.end):
        return ["decibels"]
    if _DEGREES.match(text, quantity.end):
        return ["degrees"]
    if counted := _COUNTED.match(text, quantity.end):
        nouns = [noun.lower() for noun in counted.groups() if noun and noun.lower() not in _GLUE]
        if nouns:
            return [f"count {stem(noun)}" for noun in nouns[: 2 if counted[2] in nouns else 1]]
    return [last] if last else []


def _owner(text: str, cuts: Sequence[int], quantity: Quantity, things: Sequence[Mention], known: frozenset[str]) -> str:
    """The thing that an amount is said of: the one before it with nothing else between, or "5 euros for the Vega"."""
    after = next((thing for thing in things if thing.start >= quantity.end), None)
    if after and _FOR.match(text[quantity.end : after.start]):
        return after.key
    cut = max(at for at in cuts if at <= quantity.start)
    before = [thing for thing in things if thing.end <= quantity.start]
    near = [thing for thing in before if thing.start >= cut]
    if not before:
        return "?"
    thing = (near or before)[-1]
    others = {one.key for one in (near or before[-1:]) if one.key != thing.key}
    if others:
        return "?"
    gap = _APPOSITION.sub(" ", text[thing.end : quantity.start])
    lead = text[max(at for at in cuts if at <= thing.start) : thing.start]
    said = f"{gap} {lead}" if _PREPOSITION.search(lead) else gap
    if (
        _APART.search(f"{gap} {lead}")
        or _LEADS_AWAY.search(lead)
        or not all(_is_glue(word, known) for word in _WORD.findall(said))
    ):
        return "?"
    return thing.key


def _is_glue(word: str, known: frozenset[str]) -> bool:
    word = word.lower()
    return (
        word in _GLUE
        or word.endswith("ly")
        or stem(word) in known
        or word in verbs.THIRD
        or verbs.is_past(word)
        or word in ("s", "'s")
    )


@lru_cache(maxsize=64)
def fields(evidence: str) -> tuple[tuple[str, str, int, int], ...]:
    """The fields of records: key, value, and where the value stands."""
    return tuple((match[1].strip(), match[2].strip(), *match.span(2)) for match in _FIELD.finditer(evidence))


def record_amounts(evidence: str, things: Things) -> list[Amount]:
    """The amounts of records, of which each begins with its name: "Model: Vega; Price in euros: 340"."""
    found: list[Amount] = []
    units: dict[str, set[str]] = {}
    owner = shown = first = ""
    ours = {mention.key for mention in things.claimed}
    for key, value, start, end in fields(evidence):
        key = key.rpartition(", ")[2]
        if key == first or (not first and not value[:1].isdigit()):
            first, shown = key, value
            named = {thing.key for thing in things.found if start <= thing.start and thing.end <= end} & ours
            named |= {name for name in ours if frozenset(name.split()) <= frozenset(value.lower().split())}
            owner = named.pop() if len(named) == 1 else value.lower()
            continue
        kind, unit, amount = f"field {key.lower()}", "", _in_field(value)
        if owner and amount:
            unit = amount[0]
            words = frozenset(terms(key)) | frozenset(terms(first))
            found.append(Amount(owner, kind, amount[1], end, words, shown))
        units.setdefault(kind, set()).add(unit)
    return [amount._replace(owner="?") if len(units[amount.kind]) > 1 else amount for amount in found]


def _in_field(value: str) -> tuple[str, Fraction] | None:
    """The unit and the value of a field that holds one amount and nothing else."""
    quantities = read(value)
    if len(quantities) != 1 or quantities[0].bound or quantities[0].high is not None:
        return None
    only = quantities[0]
    rest = value[: only.start].strip() + value[only.end :].strip()
    if len(rest.split()) > 1 or any(character.isdigit() for character in rest):
        return None
    return (rest.lower() if only.dimension == "count" else only.dimension), only.value


def ranks(evidence: str, things: Things) -> Iterator[Amount]:
    """Which place each took: "Okpik finished second"."""
    for match in _RANK.finditer(evidence):
        before = [thing for thing in things.found if thing.end <= match.start()][-1:]
        gap = evidence[before[0].end : match.start()] if before else "?"
        if re.fullmatch(r"(?: again| also| only)? ?", gap):
            digits = re.match(r"\d+", match["rank"])
            place = int(digits[0]) if digits else lexicon.ORDINALS[match["rank"]]
            shown = evidence[before[0].start : before[0].end]
            yield Amount(before[0].key, "rank", Fraction(place), match.end(), frozenset(), shown)
