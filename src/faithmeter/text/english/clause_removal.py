"""Takes clauses out of a sentence so that a sentence remains."""

from __future__ import annotations

from faithmeter.text.english.clause_words import Clause


def without(sentence: str, parts: list[Clause], gone: set[int]) -> list[tuple[int, int, str]]:
    """How to take some clauses out of a sentence so that a sentence remains: (start, end, new words), in order.

    Empty if that cannot be done well.
    """
    kept = [clause for index, clause in enumerate(parts) if index not in gone]
    if not kept or not gone:
        return []
    if all(clause.role in ("verb", "clause", "main") for clause in parts):
        return _rejoined(sentence, parts, gone)
    changes: list[tuple[int, int, str]] = []
    if any(parts[index].role == "item" for index in gone):
        changes += _relisted(sentence, parts, gone)
        if not changes:
            return []
    for index in sorted(gone):
        clause = parts[index]
        if clause.role in ("relative", "apposition"):
            changes.append((*clause.cut, ""))
        elif clause.role in ("clause", "verb"):
            if any(other.start > clause.start and other.start < clause.end for other in kept):
                return []
            changes.append((*clause.cut, ""))
        elif clause.role == "main":
            return []
    return sorted(changes)


def _rejoined(sentence: str, parts: list[Clause], gone: set[int]) -> list[tuple[int, int, str]]:
    changes = [(*parts[index].cut, "") for index in sorted(gone) if index]
    if 0 not in gone:
        return changes
    first = next(index for index in range(len(parts)) if index not in gone)
    clause = parts[first]
    if clause.given:
        opening, begin = f"{clause.given[:1].upper()}{clause.given[1:]} ", clause.start
    else:
        opening, begin = sentence[clause.start : clause.end][:1].upper(), clause.start + 1
    rest = [change for change in changes if change[0] >= clause.end]
    return [(parts[0].start, begin, opening), *rest]


def _relisted(sentence: str, parts: list[Clause], gone: set[int]) -> list[tuple[int, int, str]]:
    """The list of the items that remain, with its commas and "and" where they belong."""
    items = [index for index, clause in enumerate(parts) if clause.role == "item"]
    kept = [index for index in items if index not in gone]
    if not kept:
        return []
    changes = []
    last = kept[-1]
    for position, index in enumerate(items):
        after = items[position + 1] if position + 1 < len(items) else None
        start, stop = parts[index].cut
        if index in gone:
            end = parts[after].cut[0] if after is not None else stop
            changes.append((start, end, ""))
        elif after is not None and index != last:
            following = next(n for n in kept if n > index)
            gap = ", " if following != last else " and " if len(kept) == 2 else ", and "
            if sentence[stop : parts[after].cut[0]] != gap:
                changes.append((stop, parts[after].cut[0], gap))
        elif after is not None and index == last:
            changes.append((stop, parts[after].cut[0], ""))
    return changes
