"""A promise with a number: at most so many of the answers that pass are unfaithful, whatever the verifier is worth.

From labelled answers, the lowest threshold on an answer's support is found at which the share of unfaithful answers
among those that pass is at most the one asked for. Thresholds are tested from the strictest on, each by the exact
binomial test, and testing stops at the first that fails (Learn then Test, Angelopoulos et al. 2021, fixed sequence):
the chance that the promise is broken is at most one minus the confidence, for any verifier and any data, as long as the
answers to come are like the labelled ones. `drift` says whether they look it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, ValidationError

from faithmeter.datamodels import Model, Text
from faithmeter.errors import DataError, first_problem
from faithmeter.intervals import binomial_cdf, same_distribution, upper_bound
from faithmeter.results import Result

CONFIDENCE = 0.95
GRID = tuple(step / 200 for step in range(199, -1, -1))
"""The thresholds that are tried, the strictest first; fixed beforehand."""
KEPT = 2000
"""Values of each kind that a promise keeps, for the drift test."""
DRIFTED = 0.01
"""A difference this unlikely by chance, over all that is looked at, is called drift."""


class Seen(NamedTuple):
    """What the drift test looks at."""

    support: float
    answer_words: float
    context_words: float


class Promise(Model):
    """What was found from labelled answers, and what the answers to come are held against."""

    at_most: float = Field(gt=0, lt=1)
    """The share of passed answers that may be unfaithful."""
    confidence: float = Field(default=CONFIDENCE, gt=0, lt=1)
    """How sure that is."""
    threshold: float = Field(ge=0, le=1)
    """An answer passes whose every claim has at least this support."""
    labels: int
    """Labelled answers."""
    passed: int
    """Those of them that pass."""
    unfaithful: int
    """Those of the passed that are unfaithful."""
    bound: float
    """The upper bound of the share of unfaithful answers among those that pass."""
    signature: Text
    """How the answers were judged: the extractor and the verifier."""
    seen: tuple[tuple[float, float, float], ...] = ()
    """Support, words of the answer and words of the contexts of labelled answers, for the drift test."""

    def passes(self, result: Result) -> bool:
        """Whether an answer passes; one that could not be judged in full does not."""
        support = answer_support(result)
        return support is not None and support >= self.threshold

    def drift(self, results: Iterable[Result]) -> list[str]:
        """What about these answers is unlike the labelled ones, in words; empty if nothing is."""
        return self.drift_of([seen for result in results if (seen := look(result)) is not None])

    def drift_of(self, seen: Sequence[Seen]) -> list[str]:
        """The same, from what the drift test looks at."""
        said = []
        for index, name in enumerate(("support", "length of answers", "length of contexts")):
            ours, theirs = [item[index] for item in self.seen], [item[index] for item in seen]
            p = same_distribution(ours, theirs)
            if p < DRIFTED / 3:
                medians = sorted(ours)[len(ours) // 2], sorted(theirs)[len(theirs) // 2]
                said.append(f"{name}: median {medians[0]:g} where labelled, {medians[1]:g} here (p = {p:.1g})")
        return said

    def must_fit(self, signature: str) -> None:
        """The promise holds for answers judged in the same way only."""
        if judged_by(signature) != self.signature:
            raise DataError(
                f"the promise is for answers judged by {self.signature!r}, and these are judged by "
                f"{judged_by(signature)!r}: make one with the same verifier and extractor"
            )


def answer_support(result: Result) -> float | None:
    """The support of an answer: that of its worst claim; 1 without claims, None if it was not judged in full.

    A verifier without probabilities gives 1 for a supported claim and 0 for any other.
    """
    if result.failures:
        return None
    known = (
        verdict.support if verdict.support is not None else float(verdict.label == "supported")
        for verdict in result.verdicts
    )
    return min(known, default=1.0)


def look(result: Result) -> Seen | None:
    """What the drift test looks at; None for an answer that was not judged in full."""
    support = answer_support(result)
    if support is None:
        return None
    sample = result.sample
    words = sum(len(context.text.split()) for context in sample.contexts)
    return Seen(round(support, 3), len(sample.answer.split()), words)


def judged_by(signature: str) -> str:
    """The part of a result's signature that decides its supports."""
    parts = [part for part in signature.split("|") if not part.startswith(("score:", "fix:", "citations:"))]
    return "|".join(parts)


def find_promise(labelled: Sequence[tuple[Result, bool]], *, at_most: float, confidence: float = CONFIDENCE) -> Promise:
    """The promise that labelled answers allow, with the most answers passed; a DataError if they allow none.

    Each item is a result and whether people call the answer faithful. They must be a random sample of the answers
    that the promise is for.
    """
    judged = [(support, good) for result, good in labelled if (support := answer_support(result)) is not None]
    signatures = {judged_by(result.signature) for result, _ in labelled}
    if len(signatures) > 1:
        raise DataError(f"the answers were judged in {len(signatures)} ways: {', '.join(sorted(signatures))}")
    threshold = find_threshold(judged, at_most=at_most, confidence=confidence)
    passed = [good for support, good in judged if support >= threshold]
    seen = [features for result, _ in labelled if (features := look(result)) is not None]
    return Promise(
        at_most=at_most,
        confidence=confidence,
        threshold=threshold,
        labels=len(labelled),
        passed=len(passed),
        unfaithful=passed.count(False),
        bound=upper_bound(passed.count(False), len(passed), confidence=confidence),
        signature=signatures.pop(),
        seen=tuple(seen[:: max(1, len(seen) // KEPT)]),
    )


def find_threshold(judged: Sequence[tuple[float, bool]], *, at_most: float, confidence: float = CONFIDENCE) -> float:
    """The lowest threshold that passes its test, and all stricter ones that enough answers pass."""
    needed = fewest(at_most, confidence)
    lowest: float | None = None
    first: tuple[int, int] | None = None
    for threshold in GRID:
        passed = [good for support, good in judged if support >= threshold]
        if len(passed) < needed:
            continue  # how many pass is known without their labels: no test is made here
        wrong = passed.count(False)
        first = first or (wrong, len(passed))
        if binomial_cdf(wrong, len(passed), at_most) > 1 - confidence:
            break
        lowest = threshold
    if lowest is None:
        raise DataError(_why_not(len(judged), first, at_most=at_most, needed=needed, confidence=confidence))
    return lowest


def fewest(at_most: float, confidence: float = CONFIDENCE) -> int:
    """How many passed answers it takes at least, all of them faithful."""
    return math.ceil(math.log(1 - confidence) / math.log(1 - at_most))


def _why_not(labels: int, first: tuple[int, int] | None, *, at_most: float, needed: int, confidence: float) -> str:
    asked = f"at most {at_most:.3g} unfaithful with {confidence:.0%} confidence"
    if first is None:
        return f"{labels} labelled answers are too few to promise {asked}: it takes {needed} that pass"
    wrong, passed = first
    bound = upper_bound(wrong, passed, confidence=confidence)
    return (
        f"the labels do not allow to promise {asked}: of the {passed} answers with the highest support, {wrong} are "
        f"unfaithful, so that it may be up to {bound:.1%}; label more answers, or ask for less"
    )


def read_promise(path: str | Path) -> Promise:
    """A promise from its file."""
    try:
        return Promise.model_validate_json(Path(path).read_bytes())
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except ValidationError as error:
        raise DataError(f"{path}: is no promise: {first_problem(error)}; make one with `faithmeter promise`") from None
