"""What a check gives back: the outcomes of a sample, and every number that follows from them."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import computed_field, model_validator

from faithmeter import display
from faithmeter.citations import CitationCounts, Citations
from faithmeter.context_use import ContextCounts, Use, share, uses
from faithmeter.datamodels import Aside, Blame, DerivingModel, Failure, Kind, Label, Outcome, Sample, Usage, Verdict
from faithmeter.exports import Exports
from faithmeter.intervals import mean_interval
from faithmeter.notebook import report_html
from faithmeter.revision import Revision
from faithmeter.scoring import Scoring

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from faithmeter.fix import Fixed

fixers: list[Callable[..., Fixed]] = []  # `fix`, which stands above this module, puts itself here
Status = Literal["ok", "no_claims", "partial", "failed"]


class Result(DerivingModel):
    """The outcomes of one sample, and its score."""

    sample: Sample
    """What was checked."""
    outcomes: tuple[Outcome, ...]
    """One verdict or failure for each claim, in the answer's order."""
    asides: tuple[Aside, ...] = ()
    """Parts of the answer that claim nothing."""
    notes: tuple[str, ...] = ()
    """What its reader should know before relying on it, e.g. that the verifier does not know the answer's language."""
    scoring: Scoring = Scoring()
    """The policy behind `score`."""
    signature: str
    """How the result was made: the extractor, the verifier and the policy, with their settings."""
    usage: Usage = Usage()
    """What it cost."""
    revision: Revision | None = None
    """The answer as it was fixed, where that was asked for."""
    citations: Citations | None = None
    """What was found about its citation marks, where that was asked for."""

    @model_validator(mode="after")
    def _evidence_is_verbatim(self) -> Self:
        for verdict in self.verdicts:
            for evidence in verdict.evidence:
                if not evidence.holds_in(self.sample.contexts):
                    raise ValueError(f"evidence is not verbatim: {evidence!r}")
        return self

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The claims that were judged."""
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Verdict))

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What could not be judged."""
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Failure))

    @property
    def _labels(self) -> list[Label]:
        """Of the claims that were judged."""
        return [outcome.label for outcome in self.outcomes if isinstance(outcome, Verdict)]

    @property
    def unsupported(self) -> tuple[Verdict, ...]:
        """The verdicts to look at: all but the supported, contradictions first."""
        verdicts = [verdict for verdict in self.verdicts if verdict.label is not Label.SUPPORTED]
        return tuple(sorted(verdicts, key=lambda verdict: verdict.label is not Label.CONTRADICTED))

    @property
    def refused(self) -> bool:
        """Whether the answer claims nothing and declines to answer."""
        return not self.outcomes and any(aside.kind == "refusal" for aside in self.asides)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def status(self) -> Status:
        """ok; no_claims: nothing to judge; partial: some claims failed; failed: all did."""
        if not self.outcomes:
            return "no_claims"
        failures = len(self.failures)
        if not failures:
            return "ok"
        return "partial" if failures < len(self.outcomes) else "failed"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def score(self) -> float | None:
        """Supported / judged, or as the policy says; None when nothing could be judged."""
        if not self.outcomes:
            return self.scoring.refusal if self.refused else self.scoring.no_claims
        return self.scoring.score(labels) if (labels := self._labels) else None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def coverage(self) -> float:
        """Judged / claims; 1 when there was nothing to judge."""
        return len(self._labels) / len(self.outcomes) if self.outcomes else 1.0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def bounds(self) -> tuple[float, float] | None:
        """The score if all failures were unsupported, and if all were supported."""
        if not self.outcomes:
            return None if self.score is None else (self.score, self.score)
        labels = self._labels
        return self.scoring.bounds(labels, len(self.outcomes) - len(labels))

    @computed_field  # type: ignore[prop-decorator]
    @property
    def context_use(self) -> tuple[Use, ...]:
        """For each context: a supported claim rests on it; it was shown for another claim only; or for none."""
        return uses(self.sample, self.verdicts)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def utilisation(self) -> float | None:
        """The share of the contexts that supported claims rest on; None where nothing was judged."""
        return share(self.context_use, "used") if self.verdicts else None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def noise(self) -> float | None:
        """The share of the contexts that matter for no claim at all; None where nothing was judged."""
        return share(self.context_use, "unused") if self.verdicts else None

    def rescored(self, scoring: Scoring) -> Result:
        """The same verdicts under another policy, which the signature names."""
        made, mark, _ = self.signature.rpartition("|score:")
        signature = f"{made}{mark}{scoring.signature}" if mark else self.signature
        return self.model_copy(update={"scoring": scoring, "signature": signature})

    def fixed(self, **options: Any) -> Fixed:
        """The smallest edit that makes the answer faithful, checked again; options: those of `faithmeter.fix`."""
        return fixers[-1](self, **options)

    def __repr__(self) -> str:
        return display.as_text(self)

    __str__ = __repr__

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield display.as_rich(self)

    def _repr_html_(self) -> str:
        return display.as_html(self)


class Tally:
    """The numbers of a run, added up as results come in; keeps the scores and a few results, not all of them."""

    def __init__(self, *, min_score: float | None = None, keep: int = 50) -> None:
        self.min_score = min_score
        self.keep = keep
        self.count = 0
        self.scores: list[float] = []
        self.statuses: Counter[Status] = Counter()
        self.labels: Counter[Label] = Counter()
        self.notes: Counter[str] = Counter()
        """How many results carry each note."""
        self.kinds: Counter[Kind] = Counter()
        """What is wrong with the claims that are not supported."""
        self.blame: Counter[Blame] = Counter()
        """Where they went wrong."""
        self.contexts = ContextCounts()
        """What the contexts of judged answers were good for."""
        self.usage = Usage()
        self.marks = CitationCounts()
        self._covered = 0.0
        self._worst: list[tuple[_Badness, Result]] = []

    def add(self, result: Result) -> None:
        """Count one more result."""
        self.count += 1
        score = result.score
        if score is not None:
            self.scores.append(score)
        self.statuses[result.status] += 1
        for verdict in result.verdicts:
            self.labels[verdict.label] += 1
            if verdict.kind:
                self.kinds[verdict.kind] += 1
            if verdict.blame:
                self.blame[verdict.blame] += 1
        if result.verdicts:
            self.contexts.add(result.sample, result.context_use)
        self.notes.update(result.notes)
        self.usage = self.usage + result.usage
        self.marks.add(result.citations)
        self._covered += result.coverage
        self._consider(_badness(result, score), result)

    def merge(self, other: Tally) -> None:
        """Count another tally's results as well, e.g. those of a worker process."""
        self.count += other.count
        self.scores += other.scores
        self.statuses.update(other.statuses)
        self.labels.update(other.labels)
        self.notes.update(other.notes)
        self.kinds.update(other.kinds)
        self.blame.update(other.blame)
        self.contexts.merge(other.contexts)
        self.usage = self.usage + other.usage
        self.marks.update(other.marks)
        self._covered += other._covered
        for badness, result in other._worst:
            self._consider(badness, result)

    def trim(self, total: Tally) -> None:
        """Forget the results that are not among the worst of `total`, which has counted this tally's."""
        worst = {badness for badness, _ in total._worst}
        self._worst = [item for item in self._worst if item[0] in worst]

    def _consider(self, badness: _Badness, result: Result) -> None:
        if len(self._worst) < self.keep or (self._worst and badness < self._worst[-1][0]):
            insort(self._worst, (badness, result), key=lambda item: item[0])
            del self._worst[self.keep :]

    @property
    def mean(self) -> float | None:
        """The mean of the scores there are: failed samples have none, and are counted, not averaged."""
        return fmean(self.scores) if self.scores else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the mean."""
        return mean_interval(self.scores)

    @property
    def pass_rate(self) -> float | None:
        """The share of all samples that reach `min_score`; a failed sample does not pass."""
        if self.min_score is None or not self.count:
            return None
        return sum(score >= self.min_score for score in self.scores) / self.count

    @property
    def coverage(self) -> float:
        """The mean share of claims that were judged."""
        return self._covered / self.count if self.count else 1.0

    def as_dict(self) -> dict[str, Any]:
        """The numbers, ready for JSON."""
        return ({"citations": self.marks.as_dict()} if self.marks else {}) | {
            "samples": self.count,
            "mean": self.mean,
            "interval": self.interval,
            "min_score": self.min_score,
            "pass_rate": self.pass_rate,
            "coverage": self.coverage,
            "statuses": dict(self.statuses),
            "labels": dict(self.labels),
            "kinds": dict(self.kinds),
            "blame": dict(self.blame),
            **self.contexts.as_dict(),
            "notes": dict(self.notes),
            "usage": self.usage.model_dump(),
        }

    def worst(self, n: int) -> tuple[Result, ...]:
        """The n results to look at first, of the `keep` worst: failed ones, then the lowest scores."""
        return tuple(result for _, result in self._worst[:n])


class Report(Exports, DerivingModel):
    """The results of a run, and what they say together."""

    results: tuple[Result, ...]
    """One for each sample, in the input's order."""
    min_score: float | None = None
    """What an answer must reach to pass; None: no gate."""

    @cached_property
    def tally(self) -> Tally:
        """The numbers behind the properties below."""
        tally = Tally(min_score=self.min_score, keep=len(self.results))
        for result in self.results:
            tally.add(result)
        return tally

    @computed_field  # type: ignore[prop-decorator]
    @property
    def mean(self) -> float | None:
        """The mean score; failed samples have none, and are counted, not averaged."""
        return self.tally.mean

    @computed_field  # type: ignore[prop-decorator]
    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the mean."""
        return self.tally.interval

    @computed_field  # type: ignore[prop-decorator]
    @property
    def pass_rate(self) -> float | None:
        """The share of all samples that reach `min_score`; a failed sample does not pass."""
        return self.tally.pass_rate

    @computed_field  # type: ignore[prop-decorator]
    @property
    def statuses(self) -> dict[Status, int]:
        """How many samples have each status."""
        return dict(self.tally.statuses)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def labels(self) -> dict[Label, int]:
        """How many claims have each label."""
        return dict(self.tally.labels)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def kinds(self) -> dict[Kind, int]:
        """What is wrong with the claims that are not supported."""
        return dict(self.tally.kinds)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def blame(self) -> dict[Blame, int]:
        """Where the claims that are not supported went wrong."""
        return dict(self.tally.blame)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def utilisation(self) -> float | None:
        """The share of all contexts that supported claims rest on."""
        return self.tally.contexts.share("used")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def noise(self) -> float | None:
        """The share of all contexts that matter for no claim."""
        return self.tally.contexts.share("unused")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def notes(self) -> dict[str, int]:
        """How many samples carry each note."""
        return dict(self.tally.notes)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def coverage(self) -> float:
        """The mean share of claims that were judged."""
        return self.tally.coverage

    @computed_field  # type: ignore[prop-decorator]
    @property
    def usage(self) -> Usage:
        """What the run cost; the seconds are the samples' own, added up."""
        return self.tally.usage

    def worst(self, n: int) -> tuple[Result, ...]:
        """The n results to look at first: failed ones, then the lowest scores."""
        return self.tally.worst(n)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with other fields, whose numbers follow from those."""
        copy = super().model_copy(update=update, deep=deep)
        copy.__dict__.pop("tally", None)  # pydantic copies what is cached, too
        return copy

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:  # type: ignore[override]  # a report is its results
        return iter(self.results)

    def __repr__(self) -> str:
        return display.report_text(self.tally)

    __str__ = __repr__

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield display.report_rich(self.tally)

    def _repr_html_(self) -> str:
        return report_html(self.tally)


_Badness = tuple[float, int, str]


def _badness(result: Result, score: float | None) -> _Badness:
    """Sorts failed results first, then low scores, then the many-claimed ones; the id makes the order total."""
    return (-1e9 if score is None else score, -len(result.outcomes), result.sample.id)
