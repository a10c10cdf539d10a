"""Says a claim again without changing what it claims: what a verifier should not stumble over.

Only rewordings that hold in any claim: a phrase of time moved, the other voice, spelling, numerals and dates, and
words that can replace each other everywhere. Where none applies, None comes back. English only.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from faithmeter.trust.selftest import english as grammar
from faithmeter.trust.selftest.clauses import parse
from faithmeter.trust.selftest.source_text import Source

_MONTH = "|".join(grammar.MONTHS)
_LAST = re.compile(rf" (?P<when>(?:in|on|since|during) (?:(?:early |late )?(?:{_MONTH})(?: \d{{1,2}},?)?(?: \d{{4}})?|\d{{1,2}} (?:{_MONTH})(?: \d{{4}})?|(?:the year )?\d{{4}}))$")  # fmt: skip  # noqa: E501
_FIRST = re.compile(rf"^(?P<when>(?:In|On|During) (?:(?:{_MONTH})(?: \d{{1,2}},?)?(?: \d{{4}})?|\d{{1,2}} (?:{_MONTH})(?: \d{{4}})?|(?:the year )?\d{{4}})), ")  # fmt: skip  # noqa: E501
_CLAUSE = re.compile(
    r",|\b(?:and|but|or|that|which|who|when|while|because|where|if|said|says|after|before|until|since|whether|how)\b"
)
_PAIR = re.compile(
    r"\b(?P<one>[A-Z]\w+(?: [A-Z]\w+)?) and (?P<two>[A-Z]\w+(?: [A-Z]\w+)?)(?= (?:are|were|have|both)\b)"
)

_LISTED = re.compile(r", (?P<one>[a-z]+(?: [a-z]+)?), (?P<two>[a-z]+(?: [a-z]+)?)(?=, (?:[a-z]+ )*and )")

_SYNONYMS = [
    (re.compile(rf"\b{old}\b"), new)
    for old, new in (
        ("approximately", "roughly"), ("about(?= \\d)", "approximately"), ("around(?= \\d)", "about"),
        ("purchased", "bought"), ("bought", "purchased"), ("large(?= \\w)", "big"), ("biggest", "largest"),
        ("film", "movie"), ("films", "movies"), ("movie", "film"), ("movies", "films"), ("physician", "doctor"),
        ("attorney", "lawyer"), ("TV", "television"), ("television", "TV"), ("towards", "toward"), ("whilst", "while"),
        ("began(?= in| on| with| to)", "started"), ("started(?= in| on| with| to)", "began"),
        ("situated(?= in| at| on| near)", "located"), ("located(?= in| at| on| near)", "situated"),
        ("in order to", "to"), ("prior to", "before"), ("a variety of", "various"), ("numerous", "many"),
        ("many(?= [a-z]+s\\b)", "numerous"), ("frequently", "often"), ("often", "frequently"), ("annually", "yearly"),
        ("assisted", "helped"), ("required to", "obliged to"), ("United States", "USA"), ("percent", "%"),
        ("however,", "nevertheless,"), ("Additionally,", "In addition,"), ("For example,", "For instance,"),
        ("is not", "isn't"), ("are not", "aren't"), ("does not", "doesn't"), ("did not", "didn't"),
        ("was not", "wasn't"), ("cannot", "can't"), ("do not", "don't"), ("isn't", "is not"), ("doesn't", "does not"),
        ("don't", "do not"), ("didn't", "did not"), ("can't", "cannot"), ("wasn't", "was not"),
        ("due to", "because of"), ("because of", "due to"), ("such as", "like"), ("enormous", "huge"),
        ("huge", "enormous"), ("entire(?= \\w)", "whole"), ("children", "kids"), ("photographs", "photos"),
        ("mistakes", "errors"), ("obtain", "get"), ("throughout", "all through"), ("passed away", "died"),
        ("took place", "happened"), ("occurred", "happened"), ("incorrect", "wrong"), ("assistance", "help"),
        ("attempted to", "tried to"), ("tried to", "attempted to"), ("nearby", "close by"), ("delicious", "tasty"),
        ("allows", "permits"), ("allowed to", "permitted to"), ("currently", "at present"), ("mistake", "error"),
        ("famous", "well-known"), ("rapidly", "quickly"), ("quickly", "fast"), ("nearly(?= \\d)", "almost"),
        ("almost(?= \\d)", "nearly"), ("established", "founded"), ("cuisine", "cooking"), ("automobile", "car"),
    )
]  # fmt: skip
_AMERICAN = re.compile(rf"\b({_MONTH}) (\d{{1,2}}), (\d{{4}})\b")
_BRITISH = re.compile(rf"\b(\d{{1,2}}) ({_MONTH}) (\d{{4}})\b")
_SMALL_NUMBER = re.compile(r"(?<![\w.,:$£€/-])([2-9]|1[0-2])(?= [a-z]{3,}s\b)(?! (?:stars|minutes past))")
_NUMBER_WORD = re.compile(rf"\b({'|'.join(grammar.NUMBERS[2:])})(?= [a-z]+s\b)")


def reordering(claim: str, source: Source, rng: random.Random) -> str | None:
    """A phrase of time goes to the other end, or two names or items of a list change places."""
    body, stop = grammar.ends(claim)
    options = []
    last = None if re.search(r"\bto \w+ing\b", body) else _LAST.search(body)
    if last and not _CLAUSE.search(body[: last.start()]):
        options.append(f"{grammar.capitalised(last['when'])}, {_inner(body[: last.start()])}{stop}")
    if (first := _FIRST.match(body)) and not _CLAUSE.search(body[first.end() :]):
        when = first["when"][0].lower() + first["when"][1:]
        options.append(f"{grammar.capitalised(body[first.end() :])} {when}{stop}")
    if pair := _PAIR.search(claim):
        options.append(claim[: pair.start()] + f"{pair['two']} and {pair['one']}" + claim[pair.end() :])
    if (items := _LISTED.search(claim)) and not any(_no_item(word) for word in f"{items[1]} {items[2]}".split()):
        options.append(claim[: items.start()] + f", {items['two']}, {items['one']}" + claim[items.end() :])
    return new if options and (new := rng.choice(options)) != claim else None


def _no_item(word: str) -> bool:
    """Whether a word makes more of a part of a list than an item: a verb, or a word that joins."""
    return word in grammar.FUNCTION or word in grammar.AUXILIARIES or word in grammar.BY_PAST or word.endswith("ing")


def _inner(text: str) -> str:
    """A sentence to be put inside another: without its capital, unless that is a name's."""
    first, space, rest = text.partition(" ")
    return (first.lower() if first.lower() in grammar.FUNCTION and first != "I" else first) + space + rest


def synonyms(claim: str, source: Source, rng: random.Random) -> str | None:
    """Words, spellings, numerals and dates that can replace each other in any claim."""
    options: list[Callable[[str], str]] = [
        lambda text, p=pattern, n=new: p.sub(n, text, count=1)  # type: ignore[misc]
        for pattern, new in _SYNONYMS
        if pattern.search(claim)
    ]
    if _AMERICAN.search(claim):
        options.append(lambda text: _AMERICAN.sub(r"\2 \1 \3", text))
    if _BRITISH.search(claim):
        options.append(lambda text: _BRITISH.sub(r"\2 \1, \3", text))
    if _SMALL_NUMBER.search(claim):
        options.append(lambda text: _SMALL_NUMBER.sub(lambda m: grammar.NUMBERS[int(m[1])], text))
    if _NUMBER_WORD.search(claim):
        options.append(lambda text: _NUMBER_WORD.sub(lambda m: str(grammar.NUMBERS.index(m[1])), text))
    if not options:
        return None
    new = grammar.with_article(rng.choice(options)(claim)).replace(" %", "%")
    return new if new != claim else None


def voice(claim: str, source: Source, rng: random.Random) -> str | None:
    """Active for passive, or passive for active."""
    clause = parse(claim)
    if clause is None or not clause.turnable:
        return None
    return grammar.with_article(clause.said(passive=not clause.passive))


PARAPHRASES: dict[str, Callable[[str, Source, random.Random], str | None]] = {
    "reordering": reordering,
    "synonyms": synonyms,
    "voice": voice,
}
