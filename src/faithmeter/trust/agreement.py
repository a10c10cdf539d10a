"""What people's labels say about a judge: its figures with intervals, and where it and people disagree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from faithmeter.datamodels import Label, Usage, Verdict
from faithmeter.results import Result
from faithmeter.trust import metrics as stats
from faithmeter.trust.human_labels import Gold, HumanLabel, Word, between_people, find_claim, settle, touched
from faithmeter.trust.metrics import Array, Bin, Bools, Estimate

Level = Literal["claim", "answer"]

NAMES = {
    "balanced_accuracy": "balanced accuracy",
    "f1_unfaithful": "F1 of unfaithful",
    "precision": "precision of unfaithful",
    "recall": "recall of unfaithful",
    "auroc": "AUROC",
    "kappa": "Cohen's kappa",
    "calibration_error": "calibration error",
    "brier": "Brier score",
    "span_f1": "F1 of spans",
}


class LabelledUnit(NamedTuple):
    """A claim or an answer that both people and the judge have labelled."""

    sample: str
    text: str
    people: Word
    judge: str
    support: float | None
    weight: float
    verdict: Verdict | None
    """The verdict; for an answer, the one with the least support."""
    result: Result

    @property
    def good(self) -> bool:
        """Whether people find it supported."""
        return self.people == "supported"

    @property
    def passed(self) -> bool:
        """Whether the judge does."""
        return self.judge in ("supported", "faithful")

    @property
    def error(self) -> float:
        """How far off the judge is: 1 for certain and wrong."""
        if self.support is None:
            return float(self.good != self.passed)
        return abs(self.support - self.good)


@dataclass(frozen=True)
class Agreement:
    """A judge against people."""

    name: str
    """The results file, or what the user calls the judge."""
    level: Level
    signature: str
    units: tuple[LabelledUnit, ...]
    unmatched: int
    """Labels whose claim or answer is not among the results."""
    unjudged: int
    """Labels whose claim the judge could not judge."""
    split: int
    """Claims or answers on which people are undecided."""
    usage: Usage
    """What the whole results file cost."""
    claims: int
    """How many claims were judged in all."""
    marked: tuple[tuple[Result, tuple[tuple[int, int], ...]], ...] = field(default=(), repr=False)
    """Answers in which people marked spans."""

    @property
    def good(self) -> Bools:
        return np.array([unit.good for unit in self.units], bool)

    @property
    def passed(self) -> Bools:
        return np.array([unit.passed for unit in self.units], bool)

    @property
    def weights(self) -> Array:
        return np.array([unit.weight for unit in self.units], float)

    @property
    def _sure(self) -> list[LabelledUnit]:
        return [unit for unit in self.units if unit.support is not None]

    @cached_property
    def figures(self) -> dict[str, Estimate]:
        """Every figure with its 95 % interval; claims of one answer are drawn together."""
        estimates = {
            name: self._estimate(self.units, partial(function, self.good, self.passed), self.weights)
            for name, function in (
                ("balanced_accuracy", stats.balanced_accuracy),
                ("f1_unfaithful", stats.f1_unfaithful),
                ("precision", stats.precision),
                ("recall", stats.recall),
                ("kappa", stats.kappa),
            )
        }
        if sure := self._sure:
            good, support, weights = _arrays(sure)
            for name, function in (
                ("auroc", stats.auroc),
                ("calibration_error", stats.calibration_error),
                ("brier", stats.brier),
            ):
                estimates[name] = self._estimate(sure, partial(function, good, support), weights)
        if self.marked:
            counts = stats.span_overlap((spans, unfaithful_parts(result)) for result, spans in self.marked)
            ones = np.ones(len(counts))
            statistic = partial(stats.span_f1, counts)
            estimates["span_f1"] = stats.bootstrap(statistic, weights=ones, units=range(len(counts)))
        return {name: estimates[name] for name in NAMES if name in estimates}

    @staticmethod
    def _estimate(units: Sequence[LabelledUnit], statistic: stats.Statistic, weights: Array) -> Estimate:
        return stats.bootstrap(statistic, weights=weights, units=[unit.sample for unit in units])

    @property
    def reliability(self) -> list[Bin]:
        """What share is really supported, by the support that the judge gave."""
        return stats.reliability(*_arrays(self._sure)) if self._sure else []

    @property
    def roc(self) -> list[tuple[float, float]]:
        """(false alarm rate, share caught) over all thresholds."""
        return stats.roc(*_arrays(self._sure)) if self._sure else []

    @property
    def confusion(self) -> dict[str, dict[str, int]]:
        """How many units have each of people's words and each of the judge's."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for unit in self.units:
            counts[unit.people][unit.judge] += 1
        return {word: dict(row) for word, row in counts.items()}

    @property
    def disagreements(self) -> list[LabelledUnit]:
        """Where they disagree, the costliest first: what was let through before false alarms, by certainty."""
        apart = [unit for unit in self.units if unit.good != unit.passed]
        return sorted(apart, key=lambda unit: (unit.good, -unit.error, unit.sample, unit.text))

    def as_dict(self, *, disagreements: int = 20) -> dict[str, Any]:
        """The numbers, ready for JSON."""
        return {
            "name": self.name,
            "level": self.level,
            "signature": self.signature,
            "units": len(self.units),
            "unfaithful": int((~self.good).sum()),
            "unmatched": self.unmatched,
            "unjudged": self.unjudged,
            "split": self.split,
            **{name: estimate._asdict() for name, estimate in self.figures.items()},
            "confusion": self.confusion,
            "reliability": [step._asdict() for step in self.reliability],
            "claims": self.claims,
            "usage": self.usage.model_dump(),
            "disagreements": [_as_dict(unit) for unit in self.disagreements[:disagreements]],
        }


def measure(results: Iterable[Result], labels: Sequence[HumanLabel], *, name: str = "judge") -> list[Agreement]:
    """Set a judge's results against people's labels: an agreement for claims, for answers, or for both."""
    golds, split = settle(labels)
    by_sample: dict[str, list[Gold]] = defaultdict(list)
    for gold in golds:
        by_sample[gold.sample].append(gold)
    units: dict[Level, list[LabelledUnit]] = {"claim": [], "answer": []}
    marked: list[tuple[Result, tuple[tuple[int, int], ...]]] = []
    counts: Counter[str] = Counter()
    usage, claims, signature = Usage(), 0, ""
    seen: set[int] = set()
    for result in results:
        usage, claims, signature = usage + result.usage, claims + len(result.verdicts), result.signature
        for gold in by_sample.get(result.sample.id, ()):
            if id(gold) in seen:
                continue  # a file of two runs may hold a sample twice: the first counts
            about_gold = _units(gold, result, counts)
            if about_gold is not None:
                seen.add(id(gold))
                for level, unit in about_gold:
                    units[level].append(unit)
                if gold.spans is not None:
                    marked.append((result, gold.spans))
    about = {"claim": [g for g in golds if _is_claim(g)], "answer": [g for g in golds if not _is_claim(g)]}
    return [
        Agreement(
            name=name,
            level=level,
            signature=signature,
            units=tuple(units[level]),
            unmatched=sum(id(gold) not in seen for gold in about[level]),
            unjudged=counts[level],
            split=split,
            usage=usage,
            claims=claims,
            marked=tuple(marked) if level == "answer" else (),
        )
        for level in units
        if units[level]
    ]


def difference(first: Agreement, second: Agreement, name: str = "balanced_accuracy") -> Estimate:
    """How much better the first judge is than the second on the claims that both judged, drawn in pairs."""
    others = {(unit.sample, unit.text): unit for unit in second.units}
    both = [(unit, others[unit.sample, unit.text]) for unit in first.units if (unit.sample, unit.text) in others]
    if not both:
        return Estimate(None)
    good = np.array([one.good for one, _ in both], bool)
    ours, theirs = (np.array([pair[side].passed for pair in both], bool) for side in (0, 1))
    function = getattr(stats, name)
    return stats.bootstrap(
        lambda weights: function(good, ours, weights) - function(good, theirs, weights),
        weights=np.array([one.weight for one, _ in both], float),
        units=[one.sample for one, _ in both],
    )


def people_kappa(labels: Iterable[HumanLabel]) -> dict[tuple[str, str], tuple[int, Estimate]]:
    """For each two people: how many both labelled, and Cohen's kappa of supported against the rest."""
    kappas = {}
    for pair, words in between_people(labels).items():
        one, two = (np.array([word[side] == "supported" for word in words]) for side in (0, 1))
        statistic = partial(stats.kappa, one, two)
        kappas[pair] = len(words), stats.bootstrap(statistic, weights=np.ones(len(words)), units=range(len(words)))
    return kappas


def unfaithful_parts(result: Result) -> list[tuple[int, int]]:
    """The parts of the answer that the judge does not find supported."""
    parts = []
    for verdict in result.unsupported:
        claim = verdict.claim
        if verdict.gaps and result.sample.answer[claim.start : claim.end] == claim.text:
            parts += [(claim.start + start, claim.start + end) for start, end in verdict.gaps]
        else:
            parts.append((claim.start, claim.end))
    return parts


def _units(gold: Gold, result: Result, counts: Counter[str]) -> list[tuple[Level, LabelledUnit]] | None:
    """What a label says about a result's claims or answer; None if it is about none of them."""
    if not _is_claim(gold):
        units: list[tuple[Level, LabelledUnit]] = []
        if result.score is None:
            counts["answer"] += 1
        else:
            units.append(("answer", _answer_unit(gold, result)))
        if gold.spans is not None:  # marked parts say which claims are supported, too
            for verdict in result.verdicts:
                word: Word = "not_supported" if touched(verdict.claim, gold.spans) else "supported"
                units.append(("claim", _claim_unit(word, gold, verdict, result)))
        return units
    claim = find_claim(gold, [outcome.claim for outcome in result.outcomes if outcome.claim])
    if claim is None:
        return None
    judged = [verdict for verdict in result.verdicts if verdict.claim == claim]
    counts["claim"] += not judged
    return [("claim", _claim_unit(gold.label, gold, verdict, result)) for verdict in judged[:1]]


def _claim_unit(word: Word, gold: Gold, verdict: Verdict, result: Result) -> LabelledUnit:
    return LabelledUnit(
        result.sample.id, verdict.claim.text, word, verdict.label, verdict.support, gold.weight, verdict, result
    )


def _answer_unit(gold: Gold, result: Result) -> LabelledUnit:
    """An answer is as good as its worst claim."""
    judged = result.verdicts
    faithful = all(verdict.label is Label.SUPPORTED for verdict in judged)
    known = [verdict.support for verdict in judged if verdict.support is not None]
    support = min(known, default=1.0) if len(known) == len(judged) else None
    worst = min(
        judged, key=lambda v: (v.label is Label.SUPPORTED, 1.0 if v.support is None else v.support), default=None
    )
    word = "faithful" if faithful else "unfaithful"
    return LabelledUnit(result.sample.id, result.sample.answer, gold.label, word, support, gold.weight, worst, result)


def _is_claim(gold: Gold) -> bool:
    return gold.claim is not None or gold.offsets is not None


def _arrays(units: Sequence[LabelledUnit]) -> tuple[Bools, Array, Array]:
    return (
        np.array([unit.good for unit in units], bool),
        np.array([unit.support for unit in units], float),
        np.array([unit.weight for unit in units], float),
    )


def _as_dict(unit: LabelledUnit) -> dict[str, Any]:
    said = {name: getattr(unit, name) for name in ("sample", "text", "people", "judge", "support")}
    evidence = [item.quote for item in unit.verdict.evidence] if unit.verdict else []
    return said | {"evidence": evidence, "reason": unit.verdict.reason if unit.verdict else None}
