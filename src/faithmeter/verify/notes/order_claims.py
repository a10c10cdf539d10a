"""What a claim compares: "cheaper than the Altair", "the oldest of the three", "more books than Maria"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from faithmeter.evidence.passages import stem
from faithmeter.text.english import verbs
from faithmeter.text.english import word_tables as lexicon
from faithmeter.text.english.clause_words import DETERMINERS, PREPOSITIONS, SUBJECTS
from faithmeter.verify.bound_numbers import NUMBER
from faithmeter.verify.notes.order_words import DEGREES, PHRASES, Degree

COMPARES = re.compile(
    rf"\b(?:{'|'.join(sorted((*DEGREES, *PHRASES), key=len, reverse=True))}"
    r"|(?P<count>more|fewer|most|fewest|as many) (?P<noun>[^\W\d_]{3,20}))\b(?!-)",
    re.IGNORECASE,
)
_THAN = re.compile(
    r"[^.;,]{0,60}?\bthan\b|(?<=before)|(?<=after)|(?<=outweighs)|(?<=outweigh)|(?<=ahead of)|(?<=behind)|(?<=beat)",
    re.IGNORECASE,
)
_AS = re.compile(r"\bas $", re.IGNORECASE)
_AS_AFTER = re.compile(r"[^.;,]{0,40}?\bas\b")
_NEARLY = re.compile(
    r"\b(?:second|third|fourth|fifth|\d+(?:nd|rd|th)|one of|among the|at (?:most|least)|next|much|far|times|twice|half"
    r"|except|after|but)[\s-]?$",
    re.IGNORECASE,
)
_NOUN_AFTER = re.compile(
    r" ((?!than|of|in|on|by|to|for|at|and|but|among)[a-z]{3,20}(?: (?:life|time|cost|price|rate|range|distance)s?)?)\b"
)
_SHARED = lexicon.words("does did high rises stands years reached measured level top")
_POSSESSIVES = lexicon.words("its his her their our my your")
_TIMES = lexicon.words(
    "start end beginning year month week day time past summer winter spring autumn season previously"
)
STOP = re.compile(r"[,.;:!?]")
_WHEN = re.compile(rf"(?:{NUMBER.pattern})|(?:{'|'.join(lexicon.MONTHS)})\b", re.IGNORECASE)
NO_NOUN = (
    lexicon.FUNCTION | (lexicon.STOP_WORDS - {"won"}) | lexicon.MODALS | verbs.AUXILIARIES | PREPOSITIONS
    | DETERMINERS | SUBJECTS
    | lexicon.words("than either neither none nothing nobody everything anything others rest others' them him her both "
                    "expected usual ever before average rivals")
)  # fmt: skip
GENERIC = lexicon.words("high low large small great big long short")
OF_TWO = re.compile(r"\bof the two\b|\bthe two\b", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_][\w’'-]*")


class Asked(NamedTuple):
    """What a claim compares."""

    degrees: tuple[Degree, ...]
    counted: str
    """The noun of which there is more, in its stem."""
    start: int
    right: int
    """Where what comes after "than" begins; 0 of a superlative."""
    written: str
    noun: str = ""
    """What is high or low: the lowest price."""


def compared_in(claim: str) -> Iterator[Asked]:
    """What a claim compares, by each of its words that do; amounts that it gives itself are for `limits`."""
    return (one for one in _comparisons(claim) if not (one.right and _WHEN.match(claim[one.right :].lstrip())))


def _comparisons(claim: str) -> Iterator[Asked]:
    for match in COMPARES.finditer(claim):
        word = match[0].lower()
        degrees = tuple(DEGREES.get(PHRASES.get(word, word), ()))
        if _NEARLY.search(claim, max(0, match.start() - 14), match.start()):
            continue
        if match["count"]:
            if match["noun"].lower() in NO_NOUN:
                continue
            most = match["count"].lower() in ("most", "fewest")
            many = match["count"].lower() == "as many"
            than = None if most else (_AS_AFTER if many else _THAN).match(claim, match.end())
            word = word.replace("as many", "more")
            if most or than:
                yield Asked((), stem(match["noun"].lower()), match.start(), than.end() if than else 0, word)
            continue
        noun, after = "", _NOUN_AFTER.match(claim, match.end())
        if after and degrees[0].words[0] in GENERIC and degrees[0].form != "plain":
            noun = after[1].lower()
            priced = [d for ds in DEGREES.values() for d in ds if noun in d.scale.nouns and d.sign == 1]
            scale = priced[0].scale if priced and noun not in _SHARED else degrees[0].scale
            degrees = (degrees[0]._replace(scale=scale),)
        if degrees[0].form == "plain":
            than = _AS_AFTER.match(claim, match.end()) if _AS.search(claim, 0, match.start()) else None
        else:
            than = _THAN.match(claim, match.end())
        if than:
            yield Asked(degrees, "", match.start(), than.end(), word, noun)
        elif degrees[0].form == "superlative" or (degrees[0].form == "comparative" and OF_TWO.search(claim)):
            yield Asked(degrees, "", match.start(), 0, word, noun)


def nouns_of(claim: str, asked: Asked) -> Iterator[str]:
    """The nouns that are compared, where they are no names."""
    for side in (last_part(claim[: asked.start]), claim[asked.right :]):
        if noun := leading_noun(side):
            yield noun


def last_part(text: str) -> str:
    """What stands after the last comma or semicolon."""
    at = max(text.rfind(", "), text.rfind("; "))
    return text[at + 2 :] if at >= 0 else text


def leading_noun(text: str) -> str:
    """The noun that a text begins with, with what stands before it."""
    words: list[str] = []
    for match in WORD.finditer(STOP.split(text.strip())[0]):
        word = match[0]
        if not words and word.lower() in _POSSESSIVES:
            return ""
        if not words and word.lower() in (DETERMINERS | PREPOSITIONS | {"that", "those"}):
            continue
        if word.lower() in NO_NOUN or (words and (word in verbs.THIRD or verbs.is_past(word))):
            break
        if words and words[-1].endswith("s") and word in verbs.BASES:
            break
        if word[0].isupper() and match.start():
            return ""
        words.append(word.lower())
    noun = re.sub(r"['’]s?$", "", " ".join(words))
    return noun if 0 < len(words) < 4 and not _TIMES & set(noun.split()) else ""
