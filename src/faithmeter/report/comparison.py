"""Compares two runs, sample by sample: how much the scores moved, whether that may be chance, and which claims."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Literal, NamedTuple

from pydantic_core import from_json
from rapidfuzz import fuzz

from faithmeter.data.results_file import ResultsFile
from faithmeter.datamodels import Outcome
from faithmeter.display import is_derived
from faithmeter.errors import DataError
from faithmeter.intervals import bootstrap_interval, paired_p_value
from faithmeter.results import Result

EDITED = 75  # of 100: how alike two claims are (characters in common) for one to be the other, edited
SIGNIFICANT = 0.05  # two-sided; a regression must also have its whole interval below 0

PairedBy = Literal["id", "question", "position"]


class ClaimChange(NamedTuple):
    """A claim in both runs, or in one of them."""

    before: Outcome | None
    after: Outcome | None

    @property
    def changed(self) -> bool:
        """Whether the two runs say something else about it, or it is worded otherwise."""
        return _label(self.before) != _label(self.after) or self.edited

    @property
    def edited(self) -> bool:
        """Whether it is in both runs, in other words."""
        return self.before is not None and self.after is not None and _key(self.before) != _key(self.after)


class SampleChange(NamedTuple):
    """A sample in both runs."""

    before: Result
    after: Result

    @property
    def claims(self) -> list[ClaimChange]:
        """The claims of both runs, matched by their words: in the order of the later run, then those that are gone."""
        return list(matched(self.before.outcomes, self.after.outcomes))


class Pairing(NamedTuple):
    """Where a sample's two results are, and what the table of changes needs of them."""

    id: str
    before: int
    after: int
    scores: tuple[float | None, float | None]
    changes: int
    """Claims that changed label or wording, came or went."""

    @property
    def difference(self) -> float | None:
        """How much the score rose; None if one run has none."""
        before, after = self.scores
        return None if before is None or after is None else after - before

    @property
    def lost(self) -> bool:
        """Whether only the earlier run has a score."""
        return self.scores[0] is not None and self.scores[1] is None


def matched(before: Sequence[Outcome], after: Sequence[Outcome]) -> Iterator[ClaimChange]:
    """Pair the claims of two runs by their words, equal claims in their order, then those that were only edited."""
    waiting: defaultdict[str, deque[Outcome]] = defaultdict(deque)
    for outcome in before:
        waiting[_key(outcome)].append(outcome)
    pairs = []
    for outcome in after:
        same = waiting[_key(outcome)]
        pairs.append(ClaimChange(same.popleft() if same else None, outcome))
    left = [outcome for rest in waiting.values() for outcome in rest]
    for pair in pairs:
        if pair.before is None and pair.after is not None:
            pair = pair._replace(before=_taken(left, pair.after))
        yield pair
    yield from (ClaimChange(outcome, None) for outcome in left)


def _taken(left: list[Outcome], after: Outcome) -> Outcome | None:
    """The earlier claim that this one was made of, removed from the list; None if none is similar."""
    likeness = [fuzz.ratio(_key(outcome), _key(after)) for outcome in left]
    best = max(range(len(left)), key=likeness.__getitem__, default=None)
    return None if best is None or likeness[best] < EDITED else left.pop(best)


def _key(outcome: Outcome) -> str:
    return " ".join(outcome.claim.text.casefold().split()) if outcome.claim else ""


def _label(outcome: Outcome | None) -> str | None:
    return outcome.word if outcome else None


class Comparison:
    """Two results files, side by side; keeps numbers and offsets into the files, and reads results when asked."""

    def __init__(self, before: str | Path, after: str | Path) -> None:
        self.files = (ResultsFile(before), ResultsFile(after))
        self.pairs: list[Pairing] = []
        self.missing: list[str] = []
        """Ids of the earlier run that the later one lacks."""
        self.added: list[str] = []
        """Ids of the later run that the earlier one lacks."""
        self.paired_by: Counter[PairedBy] = Counter()
        """How many samples were paired by their id, their question, or their position in the files."""
        self.signatures: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self.labels: Counter[tuple[str | None, str | None]] = Counter()
        """Claims by (earlier label, later label); None: the claim is not in that run."""
        self.kinds: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        """What is wrong with the claims that are not supported, in each run."""
        self.blame: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        """Where they went wrong."""
        self._read()
        if not self.pairs:
            raise DataError(
                f"{before} and {after} have no sample id in common, nor a question, so there is nothing to compare; "
                "give the rows an id"
            )

    def _read(self) -> None:
        starts_by_id: dict[str, deque[int]] = {}
        for start, line, where in self.files[0].lines():
            starts_by_id.setdefault(_id(line, where), deque()).append(start)
        unnamed: list[tuple[Result, int]] = []
        for start, line, where in self.files[1].lines():
            after = self.files[1].parse(line, where)
            if after is None:
                continue
            same = starts_by_id.get(after.sample.id)
            before = self._at(0, same[0]) if same else None
            if same and before:
                self._add(SampleChange(before, after), same.popleft(), start, "id")
            elif is_derived(after.sample):
                unnamed.append((after, start))
            else:
                self.added.append(after.sample.id)
        self._pair_unnamed(sorted(start for starts in starts_by_id.values() for start in starts), unnamed)
        self.pairs.sort(key=lambda pair: pair.after)

    def _pair_unnamed(self, starts: Sequence[int], afters: Sequence[tuple[Result, int]]) -> None:
        """Pair what has no id of its own: by question, and what has no question by position, if the counts agree."""
        befores: list[tuple[Result, int]] = []
        for start in starts:
            before = self._at(0, start)
            if before and is_derived(before.sample):
                befores.append((before, start))
            elif before:
                self.missing.append(before.sample.id)
        waiting: defaultdict[str, deque[tuple[Result, int]]] = defaultdict(deque)
        for item in befores:
            waiting[_question(item[0])].append(item)
        in_step = len(waiting[""]) == sum(not _question(after) for after, _ in afters)
        for after, start in afters:
            question = _question(after)
            same = waiting[question] if question or in_step else None
            if same:
                before, before_start = same.popleft()
                self._add(SampleChange(before, after), before_start, start, "question" if question else "position")
            else:
                self.added.append(after.sample.id)
        self.missing += [before.sample.id for rest in waiting.values() for before, _ in rest]

    def _add(self, change: SampleChange, before: int, after: int, by: PairedBy) -> None:
        self.paired_by[by] += 1
        claims = change.claims
        self.labels.update((_label(claim.before), _label(claim.after)) for claim in claims)
        for run, result in enumerate(change):
            self.kinds[run].update(verdict.kind for verdict in result.verdicts if verdict.kind)
            self.blame[run].update(verdict.blame for verdict in result.verdicts if verdict.blame)
        self.signatures[0][change.before.signature] += 1
        self.signatures[1][change.after.signature] += 1
        scores = (change.before.score, change.after.score)
        changes = sum(claim.changed for claim in claims)
        self.pairs.append(Pairing(change.after.sample.id, before, after, scores, changes))

    def _at(self, which: int, start: int) -> Result | None:
        file = self.files[which]
        with file.open() as opened:
            opened.seek(start)
            return file.parse(opened.readline(), f"{file.path} at byte {start}")

    def load(self, pair: Pairing) -> SampleChange:
        """Read a pair's two results."""
        before, after = self._at(0, pair.before), self._at(1, pair.after)
        if before is None or after is None:
            raise DataError(f"{self.files[0].path} or {self.files[1].path} was changed while it was read")
        return SampleChange(before, after)

    # --- the numbers ---------------------------------------------------------------------------------

    @cached_property
    def differences(self) -> list[float]:
        """How much each score rose, of the pairs that have both."""
        return [difference for pair in self.pairs if (difference := pair.difference) is not None]

    @property
    def coverage(self) -> float:
        """The share of all samples of the two runs that can be compared."""
        return len(self.differences) / (len(self.pairs) + len(self.missing) + len(self.added))

    def mean(self, which: int) -> float | None:
        """A run's mean score over the pairs that have both scores."""
        scores = [pair.scores[which] for pair in self.pairs if pair.difference is not None]
        return fmean(score for score in scores if score is not None) if scores else None

    @property
    def difference(self) -> float | None:
        """The mean difference: above 0, the later run is better."""
        return fmean(self.differences) if self.differences else None

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % bootstrap interval of the mean difference."""
        return bootstrap_interval(self.differences)

    @cached_property
    def p_value(self) -> float:
        """How often chance alone would give a difference as large: the paired permutation test."""
        return paired_p_value(self.differences)

    @property
    def directions(self) -> tuple[int, int, int]:
        """How many samples got worse, stayed, got better."""
        worse = sum(value < -1e-9 for value in self.differences)
        better = sum(value > 1e-9 for value in self.differences)
        return worse, len(self.differences) - worse - better, better

    def regressed(self, min_size: float) -> bool:
        """Whether the later run is worse by at least `min_size`, and chance is no likely reason."""
        if self.difference is None or self.interval is None:
            return False
        certain = self.interval[1] < 0 and self.p_value < SIGNIFICANT
        return certain and self.difference <= -min_size + 1e-12

    def moved(self, counts: tuple[Counter[str], Counter[str]]) -> list[tuple[str, int, int]]:
        """(name, first run, second run) of what is counted in either run, what moved most first."""
        names = sorted({*counts[0], *counts[1]}, key=lambda name: (-abs(counts[1][name] - counts[0][name]), name))
        return [(name, counts[0][name], counts[1][name]) for name in names]

    def changed(self) -> list[Pairing]:
        """The pairs whose score or claims changed: the largest losses first, what lost its score before them."""
        moved = [pair for pair in self.pairs if pair.changes or abs(pair.difference or 0) > 1e-9]
        return sorted(moved, key=lambda pair: (-2.0 if pair.lost else pair.difference or 0.0, -pair.changes))

    def signature_changes(self) -> list[tuple[str, str, str]]:
        """(part, before, after) of the parts of the signatures that differ."""
        before, after = (_parts(counter) for counter in self.signatures)
        names = list(dict.fromkeys([*before, *after]))
        return [
            (name, before.get(name, "–"), after.get(name, "–")) for name in names if before.get(name) != after.get(name)
        ]


def _parts(signatures: Counter[str]) -> dict[str, str]:
    """`extract:a|verify:b` as {extract: a, verify: b}; where a file has several signatures, all of them."""
    values_by_name: dict[str, dict[str, None]] = {}
    for signature in signatures:
        for part in signature.split("|"):
            name, _, value = part.partition(":")
            values_by_name.setdefault(name, {})[value] = None
    return {name: " and ".join(values) for name, values in values_by_name.items()}


def _question(result: Result) -> str:
    return " ".join((result.sample.question or "").casefold().split())


def _id(line: bytes, where: str) -> str:
    try:
        return str(from_json(line)["sample"]["id"])
    except (ValueError, KeyError, TypeError):
        if not line.endswith(b"\n"):
            return ""  # cut off: no sample has this id
        raise DataError(f"{where}: no result; expected a file that `faithmeter eval -o` wrote") from None
