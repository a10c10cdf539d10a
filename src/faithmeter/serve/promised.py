"""The promise of a server: what guarded answers are held to, and whether they still look like the labelled ones."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from faithmeter.guard import PromiseApplied, Promised
from faithmeter.results import Result
from faithmeter.serve.metrics import Metrics
from faithmeter.trust.promise import Promise, Seen, judged_by, look

log = logging.getLogger("faithmeter.serve")

BLOCK = 250
"""Answers that are compared with the labelled ones together. A server looks again and again, so that one block that
differs by chance is bound to come: two in a row that differ in the same way count as drift."""


class PromiseKeeper:
    """Applies a promise and watches for drift."""

    def __init__(self, promise: Promise, metrics: Metrics) -> None:
        self.promised = Promised(at_most=promise.at_most, confidence=promise.confidence, threshold=promise.threshold)
        self.drift: tuple[str, ...] = ()
        self._promise = promise
        self._metrics = metrics
        self._block: list[Seen] = []
        self._odd: set[str] = set()
        metrics.promise_threshold.set(promise.threshold)
        metrics.promise_at_most.set(promise.at_most)

    def fits(self, signature: str) -> bool:
        """Whether the promise is for answers that are judged so."""
        return judged_by(signature) == self._promise.signature

    def see(self, result: Result, *, watch: bool = True) -> None:
        """Count a guarded answer; it tells of drift as well, unless it may be only a part of one."""
        self._metrics.promise_answers.labels("yes" if self._promise.passes(result) else "no").inc()
        if watch and (seen := look(result)) is not None:
            self._watch(seen)

    def applied(self, results: Iterable[Result]) -> PromiseApplied:
        """What the promise says of the answers to one request."""
        passes = all(self._promise.passes(result) for result in results)
        return PromiseApplied(**dict(self.promised), passes=passes, drift=self.drift)

    def _watch(self, seen: Seen) -> None:
        self._block.append(seen)
        if len(self._block) < BLOCK:
            return
        differing = {said.partition(":")[0]: said for said in self._promise.drift_of(self._block)}
        was, self.drift = self.drift, tuple(said for name, said in differing.items() if name in self._odd)
        self._block, self._odd = [], set(differing)
        self._metrics.promise_drift.set(len(self.drift))
        if self.drift:
            log.warning("the promise may not hold: answers look unlike the labelled ones", extra={"drift": self.drift})
        elif was:
            log.info("answers look like the labelled ones again")
