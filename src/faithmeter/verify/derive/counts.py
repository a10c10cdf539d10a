"""Counts what the contexts list: rows, entries of a field, names in a sentence. It proves and never refutes.

A list may be cut off by a chunker or be no full one, so another count does not contradict it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from faithmeter.evidence.passages import Index, Passage
from faithmeter.verify.derive.claims import SUM, Said, change, comparison
from faithmeter.verify.derive.quantities import Quantity
from faithmeter.verify.derive.rules import Finding
from faithmeter.verify.derive.sources import Fact, notions, terms

_NAME = r"[A-Z][\w'’-]*(?: (?:of |the |de )?[A-Z][\w'’-]*){0,3}"
_MOST_NAMES = 50  # in a list, and one: of a longer one only the end is found, which is no list to count
_NAMES = re.compile(rf"(?<!\w)({_NAME}(?:, {_NAME}){{0,{_MOST_NAMES}}}),? and ({_NAME})(?!\w|,? and )")
_OPEN_LIST = re.compile(
    r"\b(?:such as|including|includes?|like|e\.g\.|for example|among|others?|more|etc)\b", re.IGNORECASE
)
_KINDS = terms("cities countries people places locations towns members languages companies states names")
_OFFERED = terms("come comes available offer offers offered choose choice different feature features sport")
_NOUN = re.compile(r"\s+([^\W\d_]+)")


def counted(said: Said, index: Index) -> Finding | None:
    """The claim's number is that of the things listed."""
    target = said.quantities[0] if len(said.quantities) == 1 else None
    if target is None or target.dimension != "count" or target.bound or target.high or not 2 <= target.value <= 40:
        return None
    if SUM.search(said.text) or change(said.text) or comparison(said.text):
        return None
    noun = _NOUN.match(said.text, target.end)
    kind = frozenset(notions(noun[1])) if noun else frozenset()
    if not kind or len(index.passages) > 2000:
        return None
    lists = [(count, passages) for count, passages in _lists(said, index, kind)]
    if len({count for count, _ in lists}) != 1 or lists[0][0] != target.value:
        return None
    count, passages = lists[0]
    zero = Quantity(target.value, "count", 0, 0, target.written)
    fact = Fact(zero, kind, kind, frozenset(), passages, ())
    return Finding(True, f"{count} {noun[1] if noun else ''} are listed", (fact,))


def _lists(said: Said, index: Index, kind: frozenset[str]) -> Iterator[tuple[int, tuple[Passage, ...]]]:
    rows: dict[tuple[int, int], dict[int, Passage]] = defaultdict(dict)
    heads: dict[tuple[int, int], str] = {}
    called: dict[tuple[int, int], frozenset[str]] = defaultdict(frozenset)
    for passage in index.passages:
        if passage.record is None or not passage.fields:
            yield from _sentence(said, passage, kind)
            continue
        name, cell = passage.fields[0]
        called[passage.context, passage.record[1]] |= terms(cell)
        listed = [value for field, value in passage.fields if field == name]
        if len(listed) == len(passage.fields) > 1:
            owner = called[passage.context, passage.record[1]]
            if kind <= terms(name) and said.about - _OFFERED <= owner | terms(name):
                yield len(set(listed)), (passage,)
        key = (passage.context, passage.record[0])
        heads.setdefault(key, name)
        rows[key].setdefault(passage.record[1], passage)
    for key, entries in rows.items():
        if kind <= terms(heads[key]) and said.about <= terms(heads[key]) and len(entries) > 1:
            distinct = {passage.fields[0][1] for passage in entries.values()}
            if len(distinct) == len(entries):
                yield len(entries), tuple(entries.values())


def _sentence(said: Said, passage: Passage, kind: frozenset[str]) -> Iterator[tuple[int, tuple[Passage, ...]]]:
    """The names that a sentence lists: "has offices in Oslo, Lyon and Porto"."""
    rest = said.about - (kind & _KINDS)
    if not rest or not kind & _KINDS:
        return
    matches = list(_NAMES.finditer(passage.text))
    if len(matches) != 1 or _OPEN_LIST.search(passage.text):
        return
    match = matches[0]
    count = len(match[1].split(", ")) + 1
    outside = terms(passage.text[: match.start()]) | terms(passage.text[match.end() :])
    if match.start() and rest <= outside and count <= _MOST_NAMES:
        yield count, (passage,)
