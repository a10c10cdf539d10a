"""Proposes, for a claim that is not supported, to exchange one thing it names for what the contexts name instead.

A proposal is only that: the verifier judges each before one is taken. What goes in always stands in a context.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from faithmeter.datamodels import Context, Evidence
from faithmeter.evidence.passages import Index, Passage, stem, terms
from faithmeter.fix.alignments import IN_ITS_PLACE, SAME_ENOUGH, WORD, alignments
from faithmeter.fix.names import (
    NAME_WORD,
    PLACES,
    acts,
    beside_same,
    is_named,
    likeness,
    line_of_address,
    parts,
    split,
    stands_in,
    strange_words,
)
from faithmeter.fix.proposal import Proposal
from faithmeter.fix.roles import date_span, is_age, role, same_date
from faithmeter.fix.sources import RATING, Sources, named_in, of_contexts
from faithmeter.text.english import word_tables
from faithmeter.text.english.mentions import Mention, dimension, mentions, written_like

FIELDS = 60  # of records
PASSAGES = 6  # of the contexts, those that say most of the claim
FURTHER = 60  # for what no context has: what is meant may stand far from what else the claim says
_LEAST_FIT = {"number": 1.0, "ordinal": 1.0, "clock": 1.0, "name": 0.0}
_LEAST_FIT_OF_A_DATE = 0.5
_LEAST_FIT_OF_A_RIVAL = -1.5  # for a name from nowhere: what fits badly shows that what fits little better is not sure
_ONLY = 0.8  # more for the only year, month or day of the week that the contexts name
"""With less, what goes in stands by other words than in the claim: it counts, dates or names something else."""
_PLAIN_WORDS = 1.5  # by which an exchange of plain words is worse than one of something that is named
_SAME_ROLE = 0.8  # more for a time that begins or ends something as the claim's does, and less for the opposite
_OTHER_ROLE = 2.0  # less for an age where none is meant, or another number where one is
_COMMON = 0.7  # less for what the contexts also write with a small letter
_NO_PLACE = 0.6  # less, behind "in", for a name that nowhere stands behind it
_SAME_LINE = 3.0  # more for the state of a record behind its city
_NO_SURE_NAME = 2.0  # how well a name fits before the same word as one that may be a plain word: "Premium tickets"
_LITTLE = 0.4  # what a word such as "in" beside a mention tells; others up to 1.5
_REACH = 8  # words around a mention that tell what it is about
_UNTIL = re.compile(r"(?:[-–]|\b(?:to|until|till|and|through|closes at|closing at)) ?\Z", re.IGNORECASE)
_REVIEWER = re.compile(r"\b(?:review(?:er)?|customer(?!s? reviews)|guest|patron|diner|visitor)\b", re.IGNORECASE)


def proposals(text: str, contexts: Sequence[Context], *, beside: str = "") -> list[Proposal]:
    """Ways to put right what a claim names, the best first; `beside` is what else was said, which may have the name."""
    sources = of_contexts(contexts)
    index = sources.index
    said = mentions(text, known=sources.small)
    ours = [mention for mention in said if mention.kind != "name" or is_named(text, mention)]
    ours += [part for mention in ours if not sources.has(mention) for part in split(mention) if not sources.has(part)]
    nowhere = [mention for mention in said if mention.kind == "name" and not sources.has(mention)]
    strange = [part for mention in nowhere for part in strange_words(mention, index) if not sources.has(part)]
    best_by_key: dict[tuple[int, int, str], Proposal] = {}
    for passage, overlap in _nearest(text, index):
        evidence = Evidence.of(contexts, passage.context, passage.start, passage.end)
        for proposal in [
            *_exchanges(text, ours, passage, sources, overlap),
            *(_aligned(item, text, ours, sources) for item in alignments(text, passage.text, overlap)),
            *_in_place(text, strange, passage, overlap),
        ]:
            _put(best_by_key, proposal._replace(evidence=evidence))
    unknown = [mine for mine in ours if mine.kind not in ("unit", "currency") and not sources.has(mine)]
    for passage, overlap in _nearest(text, index, FURTHER)[PASSAGES:] if unknown or strange else ():
        evidence = Evidence.of(contexts, passage.context, passage.start, passage.end)
        for proposal in [
            *_exchanges(text, unknown, passage, sources, overlap),
            *_in_place(text, strange, passage, overlap),
        ]:
            _put(best_by_key, proposal._replace(evidence=evidence))
    for key, proposal in best_by_key.items():
        if proposal.everywhere:
            often = sources.counts["name", proposal.new.lower()]
            more = 0.15 * min(5, often) if often else -0.6  # a part of a name that never stands alone is rarely meant
            topic = proposal.start == 0 or acts(text, proposal.end)  # who acts is who else is spoken of; not so a place
            best_by_key[key] = proposal._replace(
                score=proposal.score + more + (0.8 if topic else 0.2) * _holds(beside, proposal.new),
                unknown=proposal.unknown and _is_unknown(proposal, text, index),  # of "Jan Zylinski", Jan is known
                alone=proposal.alone or often > 0,
            )
    return sorted(best_by_key.values(), key=_place_in_line)


def _place_in_line(proposal: Proposal) -> tuple[bool, float]:
    """The best first; names that fit badly come last, for a number may be what is wrong."""
    return proposal.everywhere and proposal.fit < 0, -(proposal.score + 1.0 * proposal.unknown)


def _aligned(item: Proposal, text: str, ours: Sequence[Mention], sources: Sources) -> Proposal:
    """Other words of a passage; where no number, date or name goes out, they mostly say the same: "due to" and "because
    of" are no mistake."""
    out = [mine for mine in ours if mine.start < item.end and item.start < mine.end]
    if not out:
        return item._replace(score=item.score - _PLAIN_WORDS)
    kinds = {theirs.kind for theirs in mentions(item.new, known=sources.small)}
    if kinds.isdisjoint(mine.kind for mine in out):
        item = item._replace(score=item.score - _PLAIN_WORDS)  # it would be cut rather than exchanged
    known = all(sources.has(mine) for mine in out)
    return item._replace(unknown=not known and _is_unknown(item, text, sources.index))


def _is_unknown(proposal: Proposal, text: str, index: Index) -> bool:
    """Whether no passage has any of the words that would go out."""
    out = terms(text[proposal.start : proposal.end])
    return bool(out) and not any(index.holders(term) for term in out)


def _put(best_by_key: dict[tuple[int, int, str], Proposal], proposal: Proposal) -> None:
    """Keep the best of the proposals to put the same words into the same place, with the best fit of all of them."""
    key = proposal.start, proposal.end, proposal.new
    other = best_by_key.get(key, proposal)
    best = proposal if other.score < proposal.score else other
    best_by_key[key] = best._replace(fit=max(proposal.fit, other.fit), alone=proposal.alone or other.alone)


def wrong_units(text: str, contexts: Sequence[Context]) -> list[Proposal]:
    """Units and currencies that a claim surely has wrong, whatever a verifier says: it has the number of a passage that
    says most of it, and no passage has that number with the claim's unit."""
    sources = of_contexts(contexts)
    ours = [mention for mention in mentions(text, known=sources.small) if mention.kind in ("unit", "currency")]
    wrong = {mention.start for mention in ours if mention.beside and not sources.has(mention)}
    near = {(near.context, near.start) for near, share in _nearest(text, sources.index) if share >= SAME_ENOUGH}
    return [
        item
        for item in (proposals(text, contexts) if wrong else ())
        if item.start in wrong and item.evidence and (item.evidence.context, item.evidence.start) in near
    ]


def unknown_things(text: str, contexts: Sequence[Context], *, asked: str, beside: str) -> list[Proposal]:
    """What could go in where a claim has a number, a date or a name that neither a context nor the question has."""
    sources = of_contexts(contexts)
    said = {(mention.kind, mention.value) for mention in mentions(asked, known=sources.small)}
    ours = [mention for mention in mentions(text, known=sources.small) if mention.kind not in ("unit", "currency")]
    offsets = {
        offset
        for mention in ours
        if not sources.has(mention)
        and (mention.kind, mention.value) not in said
        and (mention.kind != "clock" or mention.beside)
        for offset in range(mention.start, mention.end)
    }
    candidates = proposals(text, contexts, beside=beside) if offsets else []
    return [item for item in candidates if item.unknown and item.new and item.start in offsets]


def _nearest(text: str, index: Index, most: int = PASSAGES) -> list[tuple[Passage, float]]:
    """The passages that say most of a claim, each with the share of the claim's words that it has."""
    wanted = set(terms(text))
    shares = [(len(wanted.intersection(terms(passage.text))) / max(1, len(wanted)), -passage.number, passage)
              for passage in index.passages]  # fmt: skip
    best = sorted(shares, reverse=True)[:most]
    near = [(passage, share) for share, _, passage in best if share > 0 or most > PASSAGES]
    # Of a record, every field may be meant: its value is what the claim has wrong, so that no word of it need agree.
    fields = [(passage, share) for share, _, passage in shares if passage.fields][:FIELDS]
    return [*near, *(item for item in fields if item not in near)]


def _exchanges(
    text: str, ours: Sequence[Mention], passage: Passage, sources: Sources, overlap: float
) -> Iterator[Proposal]:
    """One thing that a claim names for one of the same kind that a passage names, or for the part of a name that is as
    long: "Lovelace" rather than "Ada Lovelace"."""
    theirs = named_in(passage, sources.small)
    have: set[tuple[str, str]] = {(mention.kind, mention.value) for mention in ours}
    for mine in ours:
        if mine.kind == "number" and text.endswith("out of ", 0, mine.start):
            continue  # a scale, which the contexts need not name: "3.5 out of 5 stars"
        stands = sources.has(mine)
        forms = ((form, form == mention) for mention in theirs for form in (mention, *parts(mine, mention)))
        for other, whole in forms:
            if other.kind != mine.kind or other.value == mine.value:
                continue
            if mine.kind in ("unit", "currency"):
                if not _is_other_unit(mine, other):
                    continue
                fit = 3.0
            elif mine.kind == "name" and _is_said(mine, other, text):
                continue
            else:
                again = (other.kind, other.value) in have  # "12 jurors and 12 alternates": rare, but it happens
                fit = _fit(text, mine, passage, other, sources) + _ONLY * (other.kind in sources.only and not again)
                least = _LEAST_FIT.get(mine.kind, _LEAST_FIT_OF_A_DATE)
                if fit < (_LEAST_FIT_OF_A_RIVAL if mine.kind == "name" and not stands else least):
                    continue
                fit -= 1.5 * stands + 1.5 * again + 0.6 * (not whole and " " in other.text)
            start, end, new = _narrowed(mine, written_like(mine, other))
            reason = f"the context has {other.text!r}, not {mine.text!r}"
            score = fit + 3 * overlap
            yield Proposal(start, end, new, "swap", reason, None, score, mine.kind == "name", not stands, fit)


def _in_place(text: str, strange: Sequence[Mention], passage: Passage, overlap: float) -> Iterator[Proposal]:
    """A word from nowhere for the name that stands by the same word in a passage: "Tolland rebels", "Houthi rebels"."""
    for mine in strange:
        for new in beside_same(text, mine, passage.text):
            if _holds(text.lower(), new.lower()):
                continue
            reason = f"the context has {new!r}, not {mine.text!r}"
            fit = IN_ITS_PLACE if is_named(text, mine) else _NO_SURE_NAME
            score = fit + 3 * overlap
            yield Proposal(mine.start, mine.end, new, "swap", reason, None, score, True, True, fit, alone=True)


def _is_other_unit(mine: Mention, other: Mention) -> bool:
    """Whether two units measure the same number of one thing; of degrees a context may not say which they are."""
    same = {dimension(mine.value), dimension(other.value)}
    return other.beside == mine.beside and {mine.value[:1], other.value} != {"°", "degree"} and len(same - {""}) < 2


def _is_name(passage: Passage, mention: Mention, sources: Sources) -> bool:
    """Whether what a passage writes with a capital is a name; the values of a record are, its keys are not."""
    if passage.fields:
        return mention.start > passage.text.find(":")
    speaks = sources.counts["name", mention.value] > 1
    return is_named(passage.text, mention, speaks=speaks)


def _is_said(mine: Mention, other: Mention, text: str) -> bool:
    """Whether a claim has the other name already, in part or in whole."""
    return _holds(text.lower(), other.value) or _holds(mine.value, other.value) or _holds(other.value, mine.value)


def _holds(text: str, words: str) -> bool:
    """Whether a text has some words, whole."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def _fit(text: str, mine: Mention, passage: Passage, other: Mention, sources: Sources) -> float:
    """How alike the words around two mentions are, the nearer the more."""
    left, right = _around(text, mine), _around(passage.text, other)
    score = 0.0
    for word, (side, distance) in left.items():
        if word in right:
            there, away = right[word]
            near = (1.0 if side == there else 0.5) / (1 + 0.25 * (distance - 1)) / (1 + 0.25 * (away - 1))
            score += (near + (distance == away == 1 and side == there)) * _says(word, sources.index)
    if mine.kind == "number":
        score += _number_fit(text, mine, passage, other, sources)
    if mine.kind in ("year", "month", "day", "weekday"):
        score += _time_fit(text, mine, passage, other, sources)
    if mine.kind == "clock":  # "from 9 to 5": the hours of opening, or of closing
        score += 0.8 * (_is_end(text, mine) == _is_end(passage.text, other)) + 0.4 * (_is_late(mine) == _is_late(other))
    if mine.kind == "name":
        named = _is_name(passage, other, sources)
        score += likeness(text, mine, passage.text, other, record=bool(passage.fields), named=named)
        line = line_of_address(text, mine, sources.addresses)
        score += _SAME_LINE * bool(line and any(key.lower().rpartition(", ")[2] == line for key, _ in passage.fields))
        score -= _COMMON * (other.value in sources.small)
        score -= _NO_PLACE * (stands_in(text, mine) and other.value not in sources.placed and not _is_place(passage))
    return score


def _number_fit(text: str, mine: Mention, passage: Passage, other: Mention, sources: Sources) -> float:
    """How alike two numbers are: their units, their digits, and what they count."""
    score = (1.0 if mine.beside else 0.3) if mine.beside == other.beside else 0.0
    score -= 2.0 * bool(mine.beside and other.beside and mine.beside != other.beside)  # minutes for degrees
    score -= _OTHER_ROLE * (is_age(text, mine) != is_age(passage.text, other))
    key = next((key for key, value in passage.fields if other.text in value), "")
    score += _field_fit(_near(text, mine), key) if key else 0.0
    if sources.rated and _is_rating(text, mine) and not RATING.search(key):
        score -= _OTHER_ROLE * (not _REVIEWER.search(_near(text, mine)))  # what a review says is not the rating
    score += 0.8 * (_shape(mine) == _shape(other))  # 3.5 is more likely meant by 7.5 than 2 is
    return score - 0.8 * (mine.text.isalpha() and sum(_shape(other)) > 2)  # nor is "two" meant by 2,191


def _is_place(passage: Passage) -> bool:
    """Whether a passage is a field of a record that names a place."""
    return any(key.lower().rpartition(", ")[2] in PLACES for key, _ in passage.fields)


def _time_fit(text: str, mine: Mention, passage: Passage, other: Mention, sources: Sources) -> float:
    """How alike the dates are that two times are parts of, and whether both begin or both end something."""
    here, there = role(text, mine), role(passage.text, other)
    if mine.kind == "weekday" and other.value in sources.listed_days and passage.fields:
        there = _role_of_day(other.value, sources.listed_days, here)
    same = _SAME_ROLE if here and here == there else -_SAME_ROLE if here and there else 0.0
    return same + same_date(text, mine, passage.text, other)


def _role_of_day(day: str, listed: frozenset[str], wanted: str) -> str:
    """Whether a day is the first or the last of those that a record lists."""
    index = word_tables.WEEKDAYS.index(day)
    beside = {"beginning": word_tables.WEEKDAYS[index - 1], "end": word_tables.WEEKDAYS[(index + 1) % 7]}
    if wanted and (beside[wanted] not in listed or day == {"beginning": "monday", "end": "sunday"}[wanted]):
        return wanted
    return {"beginning": "end", "end": "beginning"}.get(wanted, "")


def _narrowed(mine: Mention, new: str) -> tuple[int, int, str]:
    """Of a name that shares words with the other at an end, only the words that differ are exchanged."""
    if mine.kind != "name":
        return mine.start, mine.end, new
    ours, theirs = [*NAME_WORD.finditer(mine.text)], [*NAME_WORD.finditer(new)]
    words = [match[0].replace(".", "") for match in ours], [match[0].replace(".", "") for match in theirs]
    head = 0
    while head < min(len(ours), len(theirs)) - 1 and words[0][head] == words[1][head]:
        head += 1
    tail = 0
    while tail < min(len(ours), len(theirs)) - head - 1 and words[0][-1 - tail] == words[1][-1 - tail]:
        tail += 1
    if not head and not tail:
        shared = [(a, b) for a, one in enumerate(words[0]) for b, two in enumerate(words[1]) if one == two]
        if not shared or shared[0][0] != shared[0][1] or shared[0][0] == 0:
            return mine.start, mine.end, new
        last = shared[0][0]  # "Brannigan Peace Prize-winning" and "Nobel Peace Prize"
        return mine.start, mine.start + ours[last - 1].end(), new[: theirs[last - 1].end()]
    start, end = ours[head].start(), ours[len(ours) - 1 - tail].end()
    return mine.start + start, mine.start + end, new[theirs[head].start() : theirs[len(theirs) - 1 - tail].end()]


def _field_fit(text: str, key: str) -> float:
    """How well the name of a field fits what a claim says: of a record's stars, those of a review are a customer's."""
    score = 0.8 * (not set(terms(text)).isdisjoint(terms(key)))
    if RATING.search(key) and RATING.search(text):
        score = 0.8 - 1.0 * (("review" in key.lower()) != bool(_REVIEWER.search(text)))
    return score


def _is_rating(text: str, mention: Mention) -> bool:
    """Whether a number is one of stars: "a 3.5-star rating", "is rated 4"."""
    return (
        RATING.search(text[max(0, mention.start - 12) : mention.start] + text[mention.end : mention.end + 7])
        is not None
    )


def _near(text: str, mention: Mention) -> str:
    """What stands around a mention."""
    return text[max(0, mention.start - 60) : mention.end + 60]


def _says(word: str, index: Index) -> float:
    """How much a word tells of what stands by it: "in" little, and the more the fewer passages have it."""
    if word in word_tables.STOP_WORDS:
        return _LITTLE
    total, holders = len(index.passages), len(index.holders(word))
    return 0.5 + math.log(1 + total / max(1, holders)) / math.log(1 + total)


def _shape(mention: Mention) -> tuple[int, int]:
    """How many digits a number has before and after the point."""
    whole, _, decimals = mention.value.partition(".")
    return len(whole), len(decimals)


def _is_end(text: str, mention: Mention) -> bool:
    """Whether a time is the second of two: "from 11:00 to 21:00"."""
    return _UNTIL.search(text, max(0, mention.start - 20), mention.start) is not None


def _is_late(mention: Mention) -> bool:
    return int(mention.value.partition(":")[0]) >= 12


def _around(text: str, mention: Mention) -> dict[str, tuple[str, int]]:
    """The words near a mention, each with its side and how far away it is."""
    nearby: dict[str, tuple[str, int]] = {}
    start, end = date_span(text, mention)
    before = [match[0].lower() for match in WORD.finditer(text, max(0, start - 100), start)]
    after = [match[0].lower() for match in WORD.finditer(text, end, end + 100)]
    for side, words in (("before", before[::-1]), ("after", after)):
        for distance, word in enumerate(words[:_REACH], 1):
            root = word if word in word_tables.STOP_WORDS else stem(word)
            if root not in nearby or nearby[root][1] > distance:
                nearby[root] = (side, distance)
    return nearby
