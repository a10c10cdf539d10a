"""Picks the parts of the contexts that a claim is judged on."""

from __future__ import annotations

import heapq
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from faithmeter.datamodels import Claim, Sample
from faithmeter.text import sentences, units, words
from faithmeter.text.english import word_tables

ROOM = 240
"""Pieces (see `size`) of evidence a claim is judged on, before its own length adds to it."""
ROOM_PER_PIECE = 4
ROOM_AT_MOST = 320
"""With the claim and its hint this stays inside the embedded model's 512 positions."""

_LONGEST_PIECE = 80
_NEIGHBOUR_SHARE = 0.25
_HINT_SHARE = 0.3
_SEEN_AGAIN = 0.5
"""What a claim's word is still worth once a chosen passage has it: spreads the choice over the claim."""
_LENGTH_POWER = 0.3
_SHOWN_LENGTH_POWER = 0.1
_HEADING_AT_MOST = 4
"""Pieces of a passage that is taken for a heading."""
_NEEDED = 0.3
"""Share of a claim's weight that only a second passage holds, if it is shown."""

_HINT_WORDS = 40
_HINT_REACH = 500
_CLOSERS = tuple(".?!;:,…\"')]}»”’")
_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|her|his|hers|its|them|their|theirs|this|that|these|those|such|former|latter)\b", re.I
)

WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,:]\d+)*")
_PIECE = re.compile(r"\w{1,7}|[^\w\s]")
_ASCII_WORD = re.compile(r"[a-z]+|\d+(?:[.,:]\d+)*", re.ASCII)  # the same in small plain letters, and quicker
_ASCII_PIECE = re.compile(_PIECE.pattern, re.ASCII)

# Fewer than NLTK's `STOP_WORDS`: what the model was trained on.
_STOP = word_tables.words(
    """
    a an the and or but if of in on at by to for from with as is are was were be been being has have had do does
    did it its this that these those he she they them his her their there then than so such not no will would
    can could may might i you we us our your my me what which who whom whose when where why how also about into
    over under
    """
)
NUMBERS = {word: str(value) for word, value in word_tables.SMALL.items() if value <= 12}
# A record says `hours`, `stars` or `city` where prose says "open until", "rated" or "located in".
_RECORD_WORDS = {
    "open": ("hour",), "opens": ("hour",), "opening": ("hour",), "closed": ("hour",), "closes": ("hour",),
    "operates": ("hour",), "am": ("hour",), "pm": ("hour",), "rating": ("star",), "rated": ("star",),
    "rate": ("star",), "located": ("addres", "city"), "location": ("addres", "city"),
    "situated": ("addres", "city"), "wifi": ("wi", "fi"), "takeout": ("take", "out"),
    "atmosphere": ("ambien",), "ambiance": ("ambien",), "vibe": ("ambien",),
    "customers": ("review",), "reviewers": ("review",),
}  # fmt: skip


class Passage(NamedTuple):
    """A piece of one context: `contexts[context][start:end]`, and its readable form."""

    number: int
    """Its position among the passages of all contexts."""
    context: int
    start: int
    end: int
    text: str
    fields: tuple[tuple[str, str], ...] = ()
    """The cells of a table row or the fields of a record, by name; see `structured.Unit`."""
    record: tuple[int, int] | None = None


class Index:
    """The passages of a sample's contexts and the words they hold, read once for all its claims."""

    def __init__(self, contexts: Sequence[str], *, language: str = "en") -> None:
        pieces = ((context, *piece) for context, text in enumerate(contexts) for piece in _pieces(text, language))
        self.passages = [Passage(position, *piece) for position, piece in enumerate(pieces)]
        self.sizes = [size(passage.text) for passage in self.passages]
        self.total = sum(self.sizes)
        self._weighed: tuple[tuple[str, str], dict[str, float]] | None = None
        self._holders: dict[str, list[int]] = defaultdict(list)
        for position, passage in enumerate(self.passages):
            for term in set(terms(passage.text)):
                self._holders[term].append(position)

    def holders(self, term: str) -> Sequence[int]:
        """The passages that hold a term, in order."""
        return self._holders.get(term, ())

    def weights(self, claim: str, hint: str) -> Mapping[str, float]:
        """The weight of each word of a claim and its hint by rarity, kept until another claim is asked about."""
        last = self._weighed
        if last is None or last[0] != (claim, hint):
            self._weighed = last = (claim, hint), _weights(claim, hint, self)
        return last[1]


def size(text: str) -> int:
    """Roughly how many word pieces a text has: what the model's time and room are counted in."""
    return len((_ASCII_PIECE if text.isascii() else _PIECE).findall(text))


def terms(text: str) -> list[str]:
    """The words of a text that tell passages apart: lower case, no stop words, inflections cut off."""
    lower = text.lower()
    return [stem(word) for word in (_ASCII_WORD if lower.isascii() else WORD).findall(lower) if word not in _STOP]


def content_words(text: str) -> frozenset[str]:
    """The `terms` of a text in any script, without lone letters: what a quote and a claim must share."""
    lowered = (text[span.start : span.end].lower() for span in words(text))
    return frozenset(
        stem(word) for word in lowered if word not in _STOP and (len(word) > 1 or not word.isascii() or word.isdigit())
    )


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """A word without its inflections, number words as digits."""
    word = NUMBERS.get(word, word)
    if len(word) > 6 and word.isalpha():
        return word[:6]
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def room(claim: str) -> int:
    """How much evidence a claim is judged on: longer claims rest on more."""
    return min(ROOM + ROOM_PER_PIECE * max(0, size(claim) - 20), ROOM_AT_MOST)


def select(
    claim: str, index: Index, *, hint: str = "", used: Iterable[Passage] = (), share: float = 1.0
) -> list[Passage]:
    """Choose the passages that are relevant to a claim, in the contexts' order, within its `room`, or a share of that.

    A passage counts by the claim's words it holds, the rarer the more, and by a share of its
    neighbours' count; a word that a chosen passage already holds counts half. What room is left is
    filled with what stands next to the chosen and with the first of each context. `used` passages
    are skipped: a second call gives the next best, in half the room.
    """
    taken = set(used)
    available = int(room(claim) * (0.5 if taken else share))
    if not taken and index.total <= available:
        return list(index.passages)
    chosen: set[int] = set()
    closed = {passage.number for passage in taken}

    def fill(positions: Iterable[int]) -> None:
        nonlocal available
        for position in positions:
            if position not in closed and index.sizes[position] <= available:
                chosen.add(position)
                available -= index.sizes[position]
            if available < 5:
                break

    fill(_ranked(index.weights(claim, hint), index))
    if chosen or not closed:
        fill(_nearest_first(chosen, index))
    return [index.passages[position] for position in sorted(chosen)]


def best_evidence(
    claim: str, index: Index, *, hint: str = "", among: Sequence[Passage], at_most: int = 2
) -> list[Passage]:
    """Of the passages a claim was judged on, the one that says most of it; then one that it also needs.

    A passage counts by the claim's words it holds, the rarer the more; a heading says nothing by itself. Another one
    is needed if it holds a good part of the claim that the ones before do not.
    """
    weights = index.weights(claim, hint)
    holds: dict[int, list[str]] = {passage.number: [] for passage in among}  # in order: so are their sums, to the bit
    for term in weights:
        for position in index.holders(term):
            if position in holds:
                holds[position].append(term)
    said = [n for n in holds if index.sizes[n] > _HEADING_AT_MOST or index.passages[n].fields]
    left, shown = dict(weights), list[int]()
    needed = _NEEDED * sum(weights.values())
    while len(shown) < at_most:
        gains = {n: sum([left[term] for term in holds[n]]) for n in said or holds if n not in shown}
        best = max(gains, key=lambda n: (gains[n] / index.sizes[n] ** _SHOWN_LENGTH_POWER, -n), default=None)
        if best is None or (shown and gains[best] < needed):
            break
        shown.append(best)
        left.update(dict.fromkeys(holds[best], 0.0))
    return [index.passages[position] for position in shown] or list(among[:1])


def _nearest_first(chosen: set[int], index: Index) -> list[int]:
    """The passages not chosen, the nearest to a chosen one, or to the start of its context, first."""
    contexts = [passage.context for passage in index.passages]
    far: list[int] = []
    for position, (before, context) in enumerate(zip([-1, *contexts], contexts, strict=False)):
        far.append(0 if position in chosen else 1 if before != context else far[-1] + 1)
    for position in range(len(far) - 2, -1, -1):
        if contexts[position] == contexts[position + 1] and far[position + 1] + 1 < far[position]:
            far[position] = far[position + 1] + 1
    return sorted((position for position in range(len(far)) if position not in chosen), key=far.__getitem__)


def as_text(passages: Sequence[Passage]) -> str:
    """Write passages as one text, with an ellipsis where something was left out."""
    parts: list[str] = []
    for before, passage in zip((None, *passages), passages, strict=False):
        if before is not None:
            near = passage.number == before.number + 1 and passage.context == before.context
            # The fields of a record have no full stop to tell them apart.
            parts.append((" " if before.text[-1:] in _CLOSERS else "; ") if near else " … ")
        parts.append(passage.text)
    return "".join(parts)


def antecedent(claim: str, *, question: str | None = None, before: str = "") -> str:
    """Say what a claim's pronouns and ellipses refer to: the question, and the sentence before it."""
    parts = [_cut(question)] if question else []
    if before and _PRONOUN.search(" ".join(claim.split()[:8])):
        last = sentences(before[-_HINT_REACH:])
        parts += [_cut(last[-1].of(before[-_HINT_REACH:]))] if last else []
    return " ".join(parts)


def refers(claim: Claim, sample: Sample) -> str:
    """What a claim's pronouns and ellipses refer to in its sample."""
    return antecedent(claim.text, question=sample.asked, before=sample.answer[: claim.start])


def _cut(text: str) -> str:
    """Keep the first words of a hint: it must not crowd out the evidence."""
    return " ".join(text.split()[:_HINT_WORDS])


def _weights(claim: str, hint: str, index: Index) -> dict[str, float]:
    """Give each word of the claim, and less each word of the hint, its weight by rarity."""
    wanted: dict[str, float] = {}
    for text, share in ((claim, 1.0), (hint, _HINT_SHARE)):
        for word in WORD.findall(text.lower()):
            if word not in _STOP:
                for term in (stem(word), *_RECORD_WORDS.get(word, ())):
                    wanted.setdefault(term, share)
    count = len(index.passages)
    return {
        term: share * math.log(1 + count / len(index.holders(term)))
        for term, share in wanted.items()
        if index.holders(term)
    }


def _ranked(weights: Mapping[str, float], index: Index) -> Iterable[int]:
    """Yield passages, best first, each time counting what the ones before left uncovered."""
    held: dict[int, list[str]] = defaultdict(list)
    for term in weights:
        for position in index.holders(term):
            held[position].append(term)
    own = {position: sum(weights[term] for term in held_terms) for position, held_terms in held.items()}
    share: dict[int, float] = defaultdict(float)
    for position, score in own.items():
        for other in (position - 1, position + 1):
            near = 0 <= other < len(index.passages)
            if near and index.passages[other].context == index.passages[position].context:
                share[other] += _NEIGHBOUR_SHARE * score
    left = dict(weights)

    def gain(position: int) -> float:
        value = sum([left[term] for term in held.get(position, ())]) + share.get(position, 0.0)
        return value / math.pow(index.sizes[position] + 1, _LENGTH_POWER)

    # Gains only fall, so the best of the heap is the best of all once its gain is up to date.
    heap = [(-gain(position), position) for position in own.keys() | share.keys()]
    heapq.heapify(heap)
    while heap:
        _, position = heapq.heappop(heap)
        now = -gain(position)
        if heap and (now, position) > heap[0]:
            heapq.heappush(heap, (now, position))
            continue
        yield position
        for term in held.get(position, ()):
            left[term] *= _SEEN_AGAIN


def _pieces(text: str, language: str) -> Iterable[tuple[Any, ...]]:
    """Cut a context into pieces; one too long to weigh as a whole is cut between words."""
    for unit in units(text, language=language):
        if len(unit.text) <= _LONGEST_PIECE or size(unit.text) <= _LONGEST_PIECE:
            yield unit
            continue
        verbatim = text[unit.start : unit.end] == unit.text
        for start, end in _chunks(unit.text):
            span = (unit.start + start, unit.start + end) if verbatim else (unit.start, unit.end)
            yield *span, unit.text[start:end]


def _chunks(text: str) -> Iterable[tuple[int, int]]:
    """Cut a long text into stretches of at most `_LONGEST_PIECE` pieces, between words where it can."""
    start = end = None
    count = 0
    for match in re.finditer(r"\S+", text):
        pieces = size(match.group())
        if start is not None and end is not None and count + pieces > _LONGEST_PIECE:
            yield start, end
            start, count = None, 0
        if start is None:
            start = match.start()
        end, count = match.end(), count + pieces
        while count > _LONGEST_PIECE and end - start > 7 * _LONGEST_PIECE:
            yield start, start + 7 * _LONGEST_PIECE
            start += 7 * _LONGEST_PIECE
            count = size(text[start:end])
    if start is not None and end is not None and start < end:
        yield start, end
