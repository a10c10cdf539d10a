"""What may be wrong with a claim: each look at it gives findings, the likelier the higher its weight.

The weights were set on corrupted claims of the training files (`python -m benchmarks.why --train`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from faithmeter.text import Span
from faithmeter.text.english import verbs
from faithmeter.text.english.word_tables import words
from faithmeter.why.compare import BREAK, Comparison, Finding, Word, names, read
from faithmeter.why.figures import CALENDAR, amounts_of, dates
from faithmeter.why.numbered import missing_numbered_names
from faithmeter.why.wording import extents, manners, misattributed, negations, turned


def find(seen: Comparison) -> list[Finding]:
    """Everything that may be wrong, in no order."""
    items = [*amounts_of(seen), *dates(seen), *missing_names(seen), *missing_numbered_names(seen)]
    others = [*negations(seen), *extents(seen), *turned(seen), *misattributed(seen), *manners(seen)]
    return [*additions(seen, items), *items, *others]


def missing_names(seen: Comparison) -> Iterator[Finding]:
    """Names that no context has."""
    rivals = [
        span
        for span in names(seen.theirs, seen.passage)
        if not _all_in(read(span.of(seen.passage)), seen.said) and not CALENDAR.fullmatch(span.of(seen.passage))
    ]
    for span in names(seen.ours, seen.claim):
        inside = {n: w for n, w in enumerate(seen.ours) if span.start <= w.start < span.end and w.heavy}
        lacking = [
            w for n, w in inside.items() if n in seen.absent and len(w.text) > 1 and not CALENDAR.fullmatch(w.text)
        ]
        if not lacking:
            if not seen.foreign.isdisjoint(inside):
                yield Finding("name", 0.3, span, _across(seen, span, rivals))
            continue
        yield Finding("name", 0.88, span, _across(seen, span, rivals))
    first = seen.ours[0] if seen.ours else None
    if first and first.text[:1].isupper() and first.heavy and 0 in seen.absent and not _is_verb(first.text.lower()):
        yield Finding("name", 0.35, Span(first.start, first.end))


def _is_verb(word: str) -> bool:
    """Whether a word that opens a sentence looks like a verb, a participle or an adverb: "Run", "Opened items"."""
    return word in verbs.BASES or word.endswith(("ing", "ed", "ly"))


def _all_in(words: Iterable[Word], stems: frozenset[str]) -> bool:
    return all(word.stem in stems for word in words if word.heavy)


def _across(seen: Comparison, span: Span, rivals: list[Span]) -> str:
    """The name of the passage that stands in this one's place, or the only one that the claim lacks."""
    across = seen.opposite(span)
    there = [rival for rival in rivals if across and rival.start < across.end and across.start < rival.end]
    shared = {word.stem for word in read(span.of(seen.claim))}
    alike = [rival for rival in rivals if shared & {word.stem for word in read(rival.of(seen.passage))}]
    only = rivals if seen.coverage >= 0.5 else []
    chosen = next((some[0] for some in (there, alike, only) if len(some) == 1), there[0] if there else None)
    return chosen.of(seen.passage) if chosen else ""


_STRANGE = 0.45
"""Share of a claim's words that the contexts have, below which it speaks of something else altogether."""


def additions(seen: Comparison, items: Iterable[Finding]) -> Iterator[Finding]:
    """Stretches of the claim that the contexts say nothing of: words in a row that no context has."""
    if not seen.absent:
        return
    if seen.known < _STRANGE:
        runs = list(_runs(seen, seen.absent, seen.foreign))
        weight = 1.2 if seen.known < _STRANGE / 2 else 0.9
        longest = max(runs, key=lambda run: (len(run) - sum(_says_little(seen, n) for n in run), run[0]))
        yield Finding("addition", weight, _trimmed(seen, longest))
        return
    new = [finding for finding in items if finding.weight >= 0.8]
    for run in _runs(seen, seen.absent, seen.foreign):
        span = _trimmed(seen, run)
        absent = [n for n in run if n in seen.absent]
        inside = [item for item in new if span.start <= item.ours.start and item.ours.end <= span.end]
        covered = sum(any(i.ours.start <= seen.ours[n].start < i.ours.end for i in inside) for n in absent)
        foreign = sum(n in seen.foreign for n in run) - len(absent)
        worth = len(absent) - covered + len(inside) + 0.4 * foreign
        worth -= sum(_says_little(seen, n) for n in absent)
        lead = seen.claim[seen.ours[run[0] - 1].end if run[0] else 0 : seen.ours[absent[0]].start]
        apart = bool(BREAK.search(lead))
        worth += 0.5 * apart - 0.7 * sum(bool(item.theirs) for item in inside)
        if worth >= 2:  # with a name or number in it, rather an exchange, unless it stands apart
            most = 0.75 if not inside else 0.93 if apart else 0.8
            yield Finding("addition", min(most, 0.5 + 0.12 * worth + 0.1 * bool(inside)), span)
        elif run[0] and worth >= 1:  # better than nothing, if it is not what the claim speaks of
            yield Finding("addition", 0.2, span)
    yield from _tail(seen, new)


def _tail(seen: Comparison, new: Iterable[Finding]) -> Iterator[Finding]:
    """What follows the last comma, if it has a name or a date that is new, and little that the passage speaks of."""
    begin = max((match.end() for match in BREAK.finditer(seen.claim)), default=None)
    if begin is None:
        return
    inside = [item for item in new if item.ours.start >= begin and item.kind in ("name", "date")]
    others = [
        n
        for n, word in enumerate(seen.ours)
        if word.heavy and word.start >= begin and not any(i.ours.start <= word.start < i.ours.end for i in inside)
    ]
    strange = sum(n in seen.foreign for n in others)
    if inside and others and 2 * strange >= len(others) and not any(i.kind == "date" and i.theirs for i in inside):
        yield Finding("addition", 0.93, _trimmed(seen, [n for n, word in enumerate(seen.ours) if word.start >= begin]))


_WALL = re.compile(r"[`\"“”()\[\]{}]")
"""Marks that no phrase goes across."""


def _runs(seen: Comparison, wanted: frozenset[int], between: frozenset[int]) -> Iterator[list[int]]:
    """Wanted words of the claim in a row, with the light ones and those `between` among them, from the first on."""
    run: list[int] = []
    for index, word in enumerate(seen.ours):
        walled = bool(run) and _WALL.search(seen.claim, seen.ours[index - 1].end, word.start) is not None
        if run and (walled or not (index in wanted or not word.heavy or index in between)):
            yield run[: 1 + max(n for n, item in enumerate(run) if item in wanted)]
            run = []
        if index in wanted or run:
            run.append(index)
    if run:
        yield run[: 1 + max(n for n, item in enumerate(run) if item in wanted)]


_SAYS_LITTLE = words(
    "offers offer offering provides provide providing features featuring includes boasts available gives makes "
    "serves located situated known considered"
)
"""Verbs that only lead to what is said: "the hotel offers a sauna" adds a sauna."""


def _says_little(seen: Comparison, index: int) -> bool:
    return seen.ours[index].text.lower() in _SAYS_LITTLE


def _trimmed(seen: Comparison, run: Sequence[int]) -> Span:
    """From the first word that says something to the last."""
    heavy = [n for n in run if seen.ours[n].heavy]
    for end in (0, -1):
        while len(heavy) > 1 and _says_little(seen, heavy[end]):
            del heavy[end]
    return Span(seen.ours[heavy[0]].start, seen.ours[heavy[-1]].end)
