"""Proposes, for a claim that is not supported, to exchange one thing it names for what the contexts name instead.

A proposal is only that: the verifier judges each before one is taken. What goes in always stands in a context.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache

from faithmeter.datamodels import Context, Evidence
from faithmeter.evidence.passages import Index, Passage, terms
from faithmeter.fix.alignments import SAME_ENOUGH, WORD, alignments
from faithmeter.fix.proposal import Proposal
from faithmeter.text.english import verbs, word_tables
from faithmeter.text.english.mentions import Mention, mentions, written_like

FIELDS = 60  # of records
PASSAGES = 6  # of the contexts, those that say most of the claim
FURTHER = 60  # for what no context has: what is meant may stand far from what else the claim says
_LEAST_FIT = {"number": 1.0, "ordinal": 1.0, "clock": 1.0, "name": 0.0}
_LEAST_FIT_OF_A_DATE = 0.5
"""With less, what goes in stands by other words than in the claim: it counts, dates or names something else."""
_LITTLE = 0.4  # what a word such as "in" beside a mention tells
_REACH = 8  # words around a mention that tell what it is about
_PART = re.compile(r"\w+")
_UNTIL = re.compile(r"(?:[-–]|\b(?:to|until|till|and|through|closes at|closing at)) ?\Z", re.IGNORECASE)
_FIELD = re.compile(r"\W*(?P<key>\w+)\W*:")
_PLACES = {"city": 2.5, "town": 2.5, "place": 2.5, "location": 2.0, "state": 1.5, "country": 1.5, "address": 1.0}
_NATIONAL = re.compile(r"(?:[eiy]an|ese|ish)\Z")
_NATIONS = word_tables.words(
    "american german french greek dutch swiss thai czech iraqi israeli pakistani welsh roman korean mexican cuban "
    "african european asian chilean arab latin muslim islamic jewish hindu catholic mediterranean"
)


@lru_cache(maxsize=64)
def _index(texts: tuple[str, ...]) -> tuple[Index, frozenset[str]]:
    """The contexts' passages, and the words that they write with small letters."""
    small = frozenset(re.findall(r"(?<![\w'’-])[^\W\d_A-Z][^\W\d_A-Z]+", " ".join(texts)))
    return Index(texts), small


def proposals(text: str, contexts: Sequence[Context], *, beside: str = "") -> list[Proposal]:
    """Ways to put right what a claim names, the best first; `beside` is what else was said, which may have the name."""
    index, small = _index(tuple(context.text for context in contexts))
    if not index.passages:
        return []
    ours = mentions(text, known=small)
    counts = Counter((mention.kind, mention.value) for passage in index.passages for mention in _of(passage, small))
    said = frozenset(counts)
    passages = _nearest(text, index)
    best_by_key: dict[tuple[int, int, str], Proposal] = {}
    for passage, overlap in passages:
        evidence = Evidence.of(contexts, passage.context, passage.start, passage.end)
        for proposal in [
            *_exchanges(text, ours, passage, small, said, overlap),
            *(
                item._replace(unknown=_is_unknown(item, text, index))
                for item in alignments(text, passage.text, overlap)
            ),
        ]:
            _put(best_by_key, proposal._replace(evidence=evidence))
    unknown = [mine for mine in ours if mine.kind not in ("unit", "currency") and (mine.kind, mine.value) not in said]
    for passage, overlap in _nearest(text, index, FURTHER)[PASSAGES:] if unknown else ():
        evidence = Evidence.of(contexts, passage.context, passage.start, passage.end)
        for proposal in _exchanges(text, unknown, passage, small, said, overlap):
            _put(best_by_key, proposal._replace(evidence=evidence))
    for key, proposal in best_by_key.items():
        if proposal.everywhere:
            often = counts["name", proposal.new.lower()]
            more = 0.15 * min(5, often) if often else -0.6  # a part of a name that never stands alone is rarely meant
            best_by_key[key] = proposal._replace(
                score=proposal.score + more + 0.8 * _holds(beside, proposal.new),
                unknown=proposal.unknown and _is_unknown(proposal, text, index),  # of "Jan Zylinski", Jan is known
            )
    return sorted(best_by_key.values(), key=lambda proposal: -(proposal.score + 1.0 * proposal.unknown))


def _is_unknown(proposal: Proposal, text: str, index: Index) -> bool:
    """Whether no passage has any of the words that would go out."""
    out = terms(text[proposal.start : proposal.end])
    return bool(out) and not any(index.holders(term) for term in out)


def _put(best_by_key: dict[tuple[int, int, str], Proposal], proposal: Proposal) -> None:
    """Keep the best of the proposals to put the same words into the same place."""
    key = proposal.start, proposal.end, proposal.new
    if key not in best_by_key or best_by_key[key].score < proposal.score:
        best_by_key[key] = proposal


def wrong_units(text: str, contexts: Sequence[Context]) -> list[Proposal]:
    """Units and currencies that a claim surely has wrong, whatever a verifier says: it has the number of a passage that
    says most of it, and no passage has that number with the claim's unit."""
    index, small = _index(tuple(context.text for context in contexts))
    have = {(m.beside, m.value) for p in index.passages for m in _of(p, small) if m.kind in ("unit", "currency")}
    ours = [mention for mention in mentions(text, known=small) if mention.kind in ("unit", "currency")]
    wrong = {mention.start for mention in ours if mention.beside and (mention.beside, mention.value) not in have}
    near = {(passage.context, passage.start) for passage, share in _nearest(text, index) if share >= SAME_ENOUGH}
    return [
        item
        for item in (proposals(text, contexts) if wrong else ())
        if item.start in wrong and item.evidence and (item.evidence.context, item.evidence.start) in near
    ]


def unknown_things(text: str, contexts: Sequence[Context], *, asked: str, beside: str) -> list[Proposal]:
    """What could go in where a claim has a number, a date or a name that neither a context nor the question has."""
    index, small = _index(tuple(context.text for context in contexts))
    said = {(mention.kind, mention.value) for passage in index.passages for mention in _of(passage, small)}
    said |= {(mention.kind, mention.value) for mention in mentions(asked, known=small)}
    ours = [mention for mention in mentions(text, known=small) if mention.kind not in ("unit", "currency")]
    offsets = {
        offset
        for mention in ours
        if (mention.kind, mention.value) not in said and (mention.kind != "clock" or mention.beside)
        for offset in range(mention.start, mention.end)
    }
    candidates = proposals(text, contexts, beside=beside) if offsets else []
    return [item for item in candidates if item.unknown and item.new and item.start in offsets]


def _of(passage: Passage, small: frozenset[str]) -> tuple[Mention, ...]:
    """What a passage names; the value of a field begins no sentence, so that all its capitals tell names, and a number
    in its name ("review 2") counts nothing."""
    named = _named(passage.text, frozenset() if passage.fields else small)
    if not passage.fields:
        return named
    value = passage.text.find(":")
    return tuple(mention for mention in named if mention.kind != "number" or mention.start > value)


@lru_cache(maxsize=4096)
def _named(text: str, small: frozenset[str]) -> tuple[Mention, ...]:
    return tuple(part for mention in mentions(text, known=small) for part in _apart(mention))


def _apart(mention: Mention) -> Iterator[Mention]:
    """A name; where a word of it comes again, a title runs into the sentence: "Ada Lovelace Ada King was"."""
    parts = [*_PART.finditer(mention.text)] if mention.kind == "name" else []
    first = next((match.start() for n, match in enumerate(parts) if n and match[0] == parts[0][0]), None)
    if first is None:
        yield mention
        return
    for start, end in ((0, first), (first, len(mention.text))):
        text = mention.text[start:end].rstrip()
        begin = mention.start + start
        yield mention._replace(start=begin, end=begin + len(text), text=text, value=text.lower().replace(".", ""))


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
    text: str,
    ours: Sequence[Mention],
    passage: Passage,
    small: frozenset[str],
    said: Set[tuple[str, str]],
    overlap: float,
) -> Iterator[Proposal]:
    """One thing that a claim names for one of the same kind that a passage names, or for the part of a name that is as
    long: "Lovelace" rather than "Ada Lovelace"."""
    theirs = [other for mention in _of(passage, small) for other in (mention, *_ends(mention))]
    have: set[tuple[str, str]] = {(mention.kind, mention.value) for mention in ours}
    for mine in ours:
        if mine.kind == "name" and mine.start == 0 and _is_common(mine.value):
            continue  # "Note that …": its capital is the sentence's
        if mine.kind == "number" and text.endswith("out of ", 0, mine.start):
            continue  # a scale, which the contexts need not name: "3.5 out of 5 stars"
        stands = (mine.kind, mine.value) in said
        for other in theirs:
            if other.kind != mine.kind or other.value == mine.value:
                continue
            unknown = not stands
            if mine.kind in ("unit", "currency"):
                unknown = True  # it has the number of the passage, and another unit
                if other.beside != mine.beside or {mine.value[:1], other.value} == {"°", "degree"}:
                    continue  # another number; or degrees of which the context does not say which they are
                fit = 3.0
            elif mine.kind == "name" and _is_said(mine, other, text):
                continue
            else:
                fit = _fit(text, mine, passage.text, other)
                if fit < _LEAST_FIT.get(mine.kind, _LEAST_FIT_OF_A_DATE):
                    continue
                again = (other.kind, other.value) in have  # "12 jurors and 12 alternates": rare, but it happens
                fit -= 1.5 * stands + 1.0 * again
            start, end, new = _narrowed(mine, written_like(mine, other))
            reason = f"the context has {other.text!r}, not {mine.text!r}"
            yield Proposal(start, end, new, "swap", reason, None, fit + 3 * overlap, mine.kind == "name", unknown, fit)


def _ends(name: Mention) -> Iterator[Mention]:
    """The first and the last word of a name of several, as names of their own."""
    parts = [*_PART.finditer(name.text)] if name.kind == "name" else []
    for match in (parts[0], parts[-1]) if len(parts) > 1 else ():
        if match[0][0].isupper() and len(match[0]) > 2:
            start = name.start + match.start()
            yield Mention(start, start + len(match[0]), "name", match[0], match[0].lower())


def _is_said(mine: Mention, other: Mention, text: str) -> bool:
    """Whether a claim has the other name already, in part or in whole."""
    return _holds(text.lower(), other.value) or _holds(mine.value, other.value) or _holds(other.value, mine.value)


def _holds(text: str, words: str) -> bool:
    """Whether a text has some words, whole."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def _fit(text: str, mine: Mention, passage: str, other: Mention) -> float:
    """How alike the words around two mentions are, the nearer the more."""
    left, right = _around(text, mine), _around(passage, other)
    score = 0.0
    for word, (side, distance) in left.items():
        if word in right:
            there, away = right[word]
            near = (1.0 if side == there else 0.5) / (1 + 0.25 * (distance - 1)) / (1 + 0.25 * (away - 1))
            score += near * _says(word) + _says(word) * (distance == away == 1 and side == there)
    if mine.kind == "number":
        score += (1.0 if mine.beside else 0.3) if mine.beside == other.beside else 0.0
        score -= 2.0 * bool(mine.beside and other.beside and mine.beside != other.beside)  # minutes for degrees
    if mine.kind == "number":  # 3.5 is more likely meant by 7.5 than 2 is
        score += 0.8 * (_shape(mine) == _shape(other))
    if mine.kind == "clock":  # "from 9 to 5": the hours of opening, or of closing
        score += 0.8 * (_is_end(text, mine) == _is_end(passage, other)) + 0.4 * (_is_late(mine) == _is_late(other))
    return score + _likeness(text, mine, passage, other) if mine.kind == "name" else score


def _likeness(text: str, mine: Mention, passage: str, other: Mention) -> float:
    """How much two names look like names of one kind, and the second like a name at all."""
    ours, theirs = re.findall(r"\w+", mine.value), re.findall(r"\w+", other.value)
    score = 3.0 * bool(set(ours) & set(theirs)) - 0.3 * abs(len(ours) - len(theirs))
    capitals = mine.text.isupper(), other.text.isupper()
    score += 1.5 if all(capitals) and len(theirs) == 1 else -0.6 if any(capitals) else 0.0
    nations = [bool(_NATIONAL.search(name[-1])) or name[-1] in _NATIONS for name in (ours, theirs)]
    score += 2.0 if all(nations) else -0.5 * any(nations)
    if mine.start == 0 and other.start == 0 and not passage[:1].isdigit():
        score += 0.8  # both are what the sentence is about
    score += 0.8 * all(re.match(r"['’]s\b", said[name.end :]) for said, name in ((text, mine), (passage, other)))
    field = _FIELD.match(passage)
    if field:
        key = field["key"].lower()
        here = re.search(r"\b(?:in|near|at|from) \Z", text[: mine.start]) is not None
        score += (_PLACES.get(key, 0.0) if here else 0.0) + 2.5 * (mine.start == 0 and key == "name")
    alone = len(theirs) == 1 and not capitals[1]
    first = not passage[: other.start].strip("\"'“‘( ") or passage[: other.start].rstrip("\"'“‘( ")[-1:] in ".!?:•-–;"
    common = _is_common(theirs[0])
    return score - 1.5 * (alone and first and not field) - 1.5 * (alone and common)


def _is_common(word: str) -> bool:
    """Whether a word is one of everyday English rather than a name."""
    return word in verbs.BASES or word in verbs.THIRD or word.endswith(("ing", "ly", "ed"))


def _narrowed(mine: Mention, new: str) -> tuple[int, int, str]:
    """Of a name that shares words with the other at an end, only the words that differ are exchanged."""
    if mine.kind != "name":
        return mine.start, mine.end, new
    ours, theirs = [*_PART.finditer(mine.text)], [*_PART.finditer(new)]
    head = 0
    while head < min(len(ours), len(theirs)) - 1 and ours[head][0] == theirs[head][0]:
        head += 1
    tail = 0
    while tail < min(len(ours), len(theirs)) - head - 1 and ours[-1 - tail][0] == theirs[-1 - tail][0]:
        tail += 1
    if not head and not tail:
        shared = [(a, b) for a, one in enumerate(ours) for b, two in enumerate(theirs) if one[0] == two[0]]
        if not shared or shared[0][0] != shared[0][1] or shared[0][0] == 0:
            return mine.start, mine.end, new
        last = shared[0][0]  # "Brannigan Peace Prize-winning" and "Nobel Peace Prize"
        return mine.start, mine.start + ours[last - 1].end(), new[: theirs[last - 1].end()]
    start, end = ours[head].start(), ours[len(ours) - 1 - tail].end()
    return mine.start + start, mine.start + end, new[theirs[head].start() : theirs[len(theirs) - 1 - tail].end()]


def _says(word: str) -> float:
    """How much a word tells of what stands by it: "in" little."""
    return _LITTLE if word in word_tables.STOP_WORDS else 1.0


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
    before = [match[0].lower() for match in WORD.finditer(text, max(0, mention.start - 100), mention.start)]
    after = [match[0].lower() for match in WORD.finditer(text, mention.end, mention.end + 100)]
    for side, words in (("before", before[::-1]), ("after", after)):
        for distance, word in enumerate(words[:_REACH], 1):
            stem = word[:6]
            if stem not in nearby or nearby[stem][1] > distance:
                nearby[stem] = (side, distance)
    return nearby
