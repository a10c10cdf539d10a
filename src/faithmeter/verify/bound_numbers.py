"""Numbers of a claim that the evidence says of something else, while it gives the claim's own subject another number.

"Laptops may be returned within 60 days", of "Most items may be returned within 60 days. Laptops must be returned within
30 days." Nothing is said where the subject cannot be read, or also stands with the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from faithmeter.evidence.passages import stem, terms
from faithmeter.text import Span, sentences
from faithmeter.text.english import verbs
from faithmeter.text.english import word_tables as lexicon
from faithmeter.text.english.clause_words import PREPOSITIONS, SUBJECTS, Word, first_finite, tokens
from faithmeter.verify.derive.quantities import Quantity, read
from faithmeter.verify.derive.sources import notions

LONGEST_CLAIM, LONGEST_EVIDENCE = 600, 6000
"""Characters that are looked at; evidence is never longer."""
NUMBER = re.compile(rf"\d|\b(?:{'|'.join([*lexicon.SMALL, *lexicon.TENS])}|hundred)\b", re.IGNORECASE)
_PARTS = re.compile(r";\s|\s…\s|\n|\s[•*–]\s")
"""Where lines and fields end, as `evidence.passages.as_text` joins them."""
_CLAUSES = re.compile(
    r";\s|,?\s(?:while|whereas|but|with\sthe\sexception\sof|except(?:\sfor)?|apart\sfrom)\s"
    r"|(?P<loose>,\sand\s)(?=\w{1,30}\s\w)",
    re.IGNORECASE,
)
_FIELD = re.compile(r"[*•\s-]{0,4}(?P<key>[^\W\d_][^:.;\n]{0,60}?)\*{0,2}:\*{0,2}\s")
_HEADING_WORDS = 5
# What compares, adds, denies or supposes says more than "S is N": nothing is set against it.
_OTHERWISE = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|than|total\w*|average\w*|combined|together|altogether|both"
    r"|each|every|all|sum|more|less|fewer|most|least|if|unless|except|excluding|between|difference|respectively|from"
    r"|instead|another|other|additional|further|extra|first|then|passage)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_ALLOWS = re.compile(r"\b(?:can|may|could|allowed|possible|able)\b", re.IGNORECASE)
_AFTER = re.compile(r"\bafter (?:about |the )?$", re.IGNORECASE)
_WITHIN = re.compile(r"\b(?:within|no later than|at most|up to) (?:the first )?$", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:not|no(?! later)|never|cannot)\b|n['’]t\b", re.IGNORECASE)
_COUNTED = re.compile(r"[\s-]([^\W\d_]{1,40})")
_OPENING = re.compile(r"(?:yes|no|however|also|additionally|moreover|overall|finally|note that)\b,?\s*", re.IGNORECASE)
_PRONOUNS = SUBJECTS | lexicon.words("its his her their our my your such who which one ones others him them us")
_AFTER_NOUNS = frozenset({",", "who", "which", "that"})
_MEMBERS = re.compile(r",|\b(?:and|or|nor)\b", re.IGNORECASE)
_TIMES = ("date", "year", "clock", "score")
"""Kinds that are not compared: something has many days, and a match two figures."""
_YEARS = range(1500, 2100)
_LIGHT = frozenset(
    term for word in lexicon.STOP_WORDS | lexicon.FUNCTION | lexicon.MODALS | PREPOSITIONS for term in terms(word)
)
"""Terms that two sentences share without saying the same."""


class Misbinding(NamedTuple):
    """A number that the evidence says of something else."""

    subject: Span
    """The subject of the claim."""
    number: Span
    """The number in the claim."""
    of: str
    """What the evidence says the number of."""
    instead: str
    """What it gives the claim's subject."""


class _Number(NamedTuple):
    kind: str
    """The dimension, or what is counted; "" where that is not known, and nothing is compared with it."""
    low: Fraction
    high: Fraction | None
    start: int
    written: str


class _Said(NamedTuple):
    """A clause, a line or a field: numbers, and what they are said of."""

    subject: Span
    """In its own text; of a field with a heading, the field's name."""
    text: str
    about: frozenset[str]
    """The terms of the subject, with those of the heading."""
    heads: frozenset[str]
    """The last term of each member of the subject: laptop, of "Opened laptops and tablets"."""
    says: frozenset[str]
    """The terms of the rest but for numbers."""
    sentence: frozenset[str]
    """All terms of the sentence that it stands in."""
    numbers: tuple[_Number, ...]
    heading: str = ""
    field: bool = False


def misbound(claim: str, evidence: str) -> Misbinding | None:
    """The first number of a claim that the evidence says of another subject, and another of the claim's."""
    claim, evidence = claim[:LONGEST_CLAIM], evidence[:LONGEST_EVIDENCE]
    if not NUMBER.search(claim) or _OTHERWISE.search(claim):
        return None
    lower = evidence.lower()
    at = 0
    for match in (*_CLAUSES.finditer(claim), None):
        end = match.start() if match else len(claim)
        part = claim[at:end]
        ours = _clause(part, frozenset()) if NUMBER.search(part) else None
        if ours and _is_named(ours, lower):
            found = _against(ours, evidence)
            if found:
                (start, stop), number = found.subject, found.number
                return found._replace(
                    subject=Span(at + start, at + stop), number=Span(at + number.start, at + number.end)
                )
        at = match.end() if match else end
    return None


def overdue(claim: str, evidence: str) -> bool:
    """Whether a claim allows something after a time within which the evidence says that it must be done.

    "You can return a laptop after five weeks", of "Laptops must be returned within 30 days".
    """
    claim, evidence = claim[:LONGEST_CLAIM], evidence[:LONGEST_EVIDENCE]
    if " after " not in claim or not _ALLOWS.search(claim) or not NUMBER.search(claim) or _OTHERWISE.search(claim):
        return False
    ours = _clause(claim, frozenset())
    late = [_seconds(n) for n in ours.numbers if _AFTER.search(claim, max(0, n.start - 20), n.start)] if ours else []
    if not ours or not any(late) or not _is_named(ours, evidence.lower()):
        return False
    limits, others = [Fraction(0)], [Fraction(0)]  # others: of what cannot be read, and may be meant
    for other in _read_evidence(evidence):
        within = [_seconds(n) for n in other.numbers if _WITHIN.search(other.text, max(0, n.start - 20), n.start)]
        if _is_about(other, ours) and not (other.says & ours.says) <= _LIGHT and not _DENIES.search(other.text):
            limits += within
        elif not other.about and ours.about <= other.sentence:
            others += within
    return any(limits) and max(*limits, *others) < max(late)


def _is_named(ours: _Said, evidence: str) -> bool:
    """Whether all words of a subject stand in the evidence, given in small letters."""
    return all(term.isdecimal() or term in evidence for term in ours.about)


def _seconds(number: _Number) -> Fraction:
    """How long a time is, months as 30 days; 0 if it is none."""
    length = {"duration": 1, "months": 30 * 86400}.get(number.kind, 0)
    return (number.high or number.low) * length


def _against(ours: _Said, evidence: str) -> Misbinding | None:
    """Look for a number of the claim in clauses with another subject, beside one with its own and another number."""
    numbers = [number for number in ours.numbers if number.kind and _stands_in(number, evidence)]
    if not numbers:
        return None
    clauses = _read_evidence(evidence)
    everything, said = ours.about | ours.says, {number[:3] for number in ours.numbers}
    for number in numbers:
        having = [c for c in clauses if any(n[:3] == number[:3] for n in c.numbers)]  # its kind, low and high end
        alike = [c for c in clauses if any(n[1:3] == number[1:3] for n in c.numbers)]
        if not having or any(ours.about <= c.sentence for c in alike):
            continue
        if any(not c.about or c.about <= everything for c in having):
            continue
        for other in clauses:
            instead = next((n for n in other.numbers if n.kind == number.kind and n[:3] not in said), None)
            if instead is None or other in alike or not _is_about(other, ours):
                continue
            beside = next((c for c in having if _parallel(c, other, ours)), None)
            if beside:
                of = beside.subject.of(beside.text) if beside.heading == other.heading else beside.heading
                return Misbinding(
                    ours.subject, Span(number.start, number.start + len(number.written)), of, instead.written
                )
    return None


def _is_about(other: _Said, ours: _Said) -> bool:
    return ours.about <= other.about and not ours.heads.isdisjoint(other.heads)


def _parallel(one: _Said, other: _Said, ours: _Said) -> bool:
    """Whether two clauses say the same but for subject and number, and the claim too; or are fields of like lists."""
    if one.field and other.field:
        return (one.heading == other.heading) != (one.says == other.says)
    return not (one.says & other.says & ours.says) <= _LIGHT


def _stands_in(number: _Number, evidence: str) -> bool:
    match = re.search(r"\d+", number.written)
    return match is None or match[0] in evidence


@lru_cache(maxsize=64)
def _read_evidence(evidence: str) -> tuple[_Said, ...]:
    return tuple(_clauses(evidence))


def _clauses(evidence: str) -> Iterator[_Said]:
    """The clauses, lines and fields of a text that have numbers."""
    heading = ""
    for line in (part.strip() for s in sentences(evidence) for part in _PARTS.split(s.of(evidence))):
        if _is_heading(line):
            heading = line.rstrip(":")
            continue
        if not NUMBER.search(line):
            heading = heading if _FIELD.match(line) else ""
            continue
        if field := _field(line, heading):
            yield field
            continue
        heading = ""
        labelled = _FIELD.match(line)
        for part in _split(line[labelled.end() if labelled else 0 :], loose=False):
            together = frozenset(_terms(part))
            for clause in _split(part, loose=True):
                said = _clause(clause, together)
                if said is None and (numbers := _numbers(clause)):
                    said = _Said(Span(0, 0), clause, frozenset(), frozenset(), frozenset(), together, numbers)
                if said:
                    yield said


def _split(text: str, *, loose: bool) -> Iterator[str]:
    """The clauses of a sentence that stand against each other; if loose, those joined by "and" too."""
    at = 0
    for match in _CLAUSES.finditer(text):
        if loose or not match["loose"]:
            yield text[at : match.start()]
            at = match.end()
    yield text[at:]


def _is_heading(line: str) -> bool:
    short = line[:1].isupper() and line[-1:] not in ".!?,;" and len(line.split()) <= _HEADING_WORDS
    return short and ":" not in line[:-1] and not _noun_phrase(line)[0]


def _field(line: str, heading: str) -> _Said | None:
    """A line `name: value`, under a heading or not."""
    match = _FIELD.match(line)
    numbers = _numbers(line) if match else ()
    numbers = tuple(n for n in numbers if match and n.start >= match.end())
    if not match or not numbers or _clause(line[match.end() :], frozenset()):
        return None  # "Fees: express delivery costs $15" is a clause
    key = Span(*match.span("key"))
    outer, _, inner = key.of(line).rpartition(", ")  # "Kite 13, weight: 1.1 kg", as nested lists are read
    heading = outer or heading
    about = frozenset(_terms(f"{heading} {inner}"))
    return _Said(key, line, about, _heads(heading) | _heads(inner), frozenset(_terms(inner)),
                 about | frozenset(_terms(line)), numbers, heading, field=True)  # fmt: skip


@lru_cache(maxsize=2048)
def _clause(text: str, sentence: frozenset[str]) -> _Said | None:
    """A clause with its subject, the words before its verb; None if there is none, or a pronoun."""
    numbers = _numbers(text)
    words, verb = _noun_phrase(text) if numbers else ([], 0)
    if not words:
        return None
    subject = Span(words[0].start, words[-1].end)
    about = frozenset(_terms(subject.of(text)))
    if not about or any(number.kind and number.start < subject.end for number in numbers):
        return None
    # What is put in before the verb is said by the way: "Ito, 48, was sentenced to five years".
    numbers = tuple(number if number.start > verb else number._replace(kind="") for number in numbers)
    rest = text[: subject.start] + " " + _without(text[subject.end :], read(text), subject.end)
    return _Said(subject, text, about, _heads(subject.of(text)), frozenset(_terms(rest)) - about,
                 sentence or frozenset(_terms(text)), numbers)  # fmt: skip


def _noun_phrase(text: str) -> tuple[list[Word], int]:
    """The words of a clause before its verb, without what opens it and what is added in brackets or by "which"; and
    where the verb stands."""
    opening = _OPENING.match(text)
    words = [word for word in tokens(text) if word.start >= (opening.end() if opening else 0)]
    if words and words[0].lower in PREPOSITIONS:
        comma = next((n for n, word in enumerate(words) if word.text == ","), len(words))
        words = words[comma + 1 :]
    verb = first_finite(words, 0, len(words))
    if verb and _is_noun(words, verb):
        verb = first_finite(words, verb, len(words))
    phrase = words[: verb or 0]
    if verb and [word.lower for word in phrase] == ["you"]:
        phrase = _object(words[verb:])
    cut = next(
        (n for n, word in enumerate(phrase) if word.lower in ("who", "which", "that", "where") or word.text == "("),
        None,
    )
    phrase = phrase[:cut]
    comma = next((n for n, word in enumerate(phrase) if word.text == ","), len(phrase))
    if not any(word.lower in ("and", "or") for word in phrase[comma:]):
        phrase = phrase[:comma]  # "The Heron, at $949, is"
    if any(word.lower in _PRONOUNS for word in phrase):
        return [], 0
    if phrase and (phrase[0].lower in PREPOSITIONS or verbs.is_past(phrase[0].lower)):
        return [], 0
    return phrase, words[verb].start if verb else 0


def _is_noun(words: Sequence[Word], verb: int) -> bool:
    """Whether what may be a verb is a noun: guides, of "Seasonal guides are" and "seasonal guides, who"."""
    following = words[verb + 1].lower if verb + 1 < len(words) else ""
    return words[verb].lower not in verbs.AUXILIARIES and (following in verbs.AUXILIARIES or following in _AFTER_NOUNS)


def _object(words: Sequence[Word]) -> list[Word]:
    """What "you" do something to: laptops, of "can return laptops within 60 days"."""
    first = next((n for n, word in enumerate(words) if word.lower not in verbs.AUXILIARIES), len(words))
    following = list(words[first + 1 :])
    ends = (n for n, word in enumerate(following) if word.lower in PREPOSITIONS or not word.text[0].isalpha())
    return following[: next(ends, 0)]


def _heads(phrase: str) -> frozenset[str]:
    """The last term of each member of a list of things, before any preposition."""
    heads = set()
    for member in _MEMBERS.split(phrase):
        words = member.split()
        cut = next((n for n, word in enumerate(words) if n and word.lower() in PREPOSITIONS), len(words))
        heads.update(_terms(" ".join(words[:cut]))[-1:])
    return frozenset(heads)


def _terms(text: str) -> list[str]:
    """The terms of a text, those of one notion the same: "weighs" is "weight"."""
    return [
        term
        for word in re.findall(r"[^\W_]+", text)
        for term in (notions(word) if word.isalpha() else [stem(word.lower())])
    ]


def _numbers(text: str) -> tuple[_Number, ...]:
    """The numbers of a text but for dates and times."""
    numbers = []
    for quantity in read(text):
        kind = quantity.dimension
        if kind == "count":
            noun = _COUNTED.match(text, quantity.end)
            counted = terms(noun[1]) if noun else []
            kind = f"count {counted[0]}" if counted else ""
        if kind not in _TIMES and not (kind.startswith("count") and quantity.value in _YEARS):
            numbers.append(_Number(kind, quantity.value, quantity.high, quantity.start, quantity.written))
    return tuple(numbers)


def _without(text: str, quantities: Sequence[Quantity], offset: int) -> str:
    out, at = [], 0
    for quantity in quantities:
        if quantity.start - offset >= at:
            out.append(text[at : quantity.start - offset])
            at = quantity.end - offset
    return " ".join((*out, text[at:]))
