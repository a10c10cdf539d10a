"""What every endpoint does: admit, extract, judge, count."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from faithmeter.cache import wrap, wrap_extractor
from faithmeter.datamodels import Claim, Extraction, Failure, Outcome, Pair, Sample
from faithmeter.evaluator import Evaluator
from faithmeter.extract import Extractor, load_extractor
from faithmeter.guard import PromiseApplied, Promised
from faithmeter.results import Result
from faithmeter.runtime.delegating import Delegating
from faithmeter.serve.batching import Batched, Contained, batched, urgent
from faithmeter.serve.metrics import Metrics
from faithmeter.serve.problems import Refused, busy, over_limit
from faithmeter.serve.promised import PromiseKeeper
from faithmeter.serve.settings import Limits, Settings
from faithmeter.trust.promise import read_promise
from faithmeter.verify import Verifier, load_verifier

IN_A_THREAD = 4_000
"""Characters of an answer from which on its claims are looked for in a thread: the loop has others to serve."""


@dataclass(frozen=True)
class GivenClaims:
    """An extractor for claims that came with the request."""

    claims: tuple[Claim, ...]
    signature: str = "given.1"

    async def extract(self, sample: Sample) -> Extraction:
        return Extraction(claims=self.claims)


class LimitedExtractor(Delegating[Extractor]):
    """Refuses an answer with more claims than are judged in one request."""

    def __init__(self, extractor: Extractor, limits: Limits) -> None:
        super().__init__(extractor)
        self._limits = limits

    async def extract(self, sample: Sample) -> Extraction | Failure:
        if getattr(self.inner, "cpu_bound", False) and len(sample.answer) > IN_A_THREAD:
            extraction = await asyncio.to_thread(lambda: asyncio.run(self.inner.extract(sample)))
        else:
            extraction = await self.inner.extract(sample)
        if isinstance(extraction, Extraction) and len(extraction.claims) > self._limits.claims:
            raise over_limit("claims of the answer", len(extraction.claims), self._limits.claims, status=422)
        return extraction


class Admission:
    """How many claims wait, and how fast they go: a full queue refuses at once, and says when to come back."""

    LOOK_BACK = 10.0

    def __init__(self, most: int, metrics: Metrics) -> None:
        self.waiting = 0
        self._most = most
        self._metrics = metrics
        self._judged: deque[tuple[float, int]] = deque()

    def check(self) -> None:
        """Refuse when the queue is full; not a sentence of a stream, which was admitted with its first."""
        if self.waiting >= self._most and not urgent.get():
            raise busy(
                f"{self.waiting} claims are waiting, the queue takes {self._most}; try again later",
                seconds=min(60.0, self.waiting / self._rate()),
            )

    @asynccontextmanager
    async def of(self, claims: int) -> AsyncIterator[None]:
        """Count claims as waiting while they are judged."""
        self.check()
        self.waiting += claims
        self._metrics.waiting.set(self.waiting)
        try:
            yield
        finally:
            self.waiting -= claims
            self._metrics.waiting.set(self.waiting)
            self._judged.append((time.monotonic(), claims))
            while self._judged[0][0] < time.monotonic() - self.LOOK_BACK:
                self._judged.popleft()

    def _rate(self) -> float:
        """Claims judged a second, recently."""
        return max(1.0, sum(claims for _, claims in self._judged) / self.LOOK_BACK)


class AdmittedVerifier(Delegating[Verifier]):
    """A verifier whose claims are counted against the queue."""

    def __init__(self, verifier: Verifier, admission: Admission) -> None:
        super().__init__(verifier)
        self._admission = admission

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        async with self._admission.of(len(pairs)):
            return await self.inner.verify(pairs)


class Service:
    """The evaluators of a server, one for each verifier that requests may choose."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.settings = settings
        self.metrics = metrics
        self.admission = Admission(settings.queue, metrics)
        self.draining = False
        self.streams = 0
        self._lanes: dict[str, Batched] = {}
        caching = settings.caching
        extractor = load_extractor(settings.extractor)
        extractor = wrap_extractor(extractor, cache=caching.cache, refresh=caching.refresh)
        self.extractor = LimitedExtractor(extractor, settings.limits)
        self.verifiers: dict[str, Verifier] = {spec: self._verifier(spec) for spec in settings.verifiers}
        self.keeper = self._keeper()

    def _keeper(self) -> PromiseKeeper | None:
        if self.settings.promise is None:
            return None
        promise = read_promise(self.settings.promise)
        promise.must_fit(self.evaluator().signature)
        return PromiseKeeper(promise, self.metrics)

    def promised(self, verifier: str | None = None) -> Promised | None:
        """What answers must meet besides the policy; nothing if the promise is for another verifier."""
        if self.keeper and self.keeper.fits(self.evaluator(verifier).signature):
            return self.keeper.promised
        return None

    def see(self, result: Result, *, verifier: str | None = None, watch: bool = True) -> None:
        """Count a guarded answer against the promise; `watch`: it tells of drift, too."""
        if self.keeper and self.promised(verifier):
            self.keeper.see(result, watch=watch)

    def promise_for(self, results: Sequence[Result], *, verifier: str | None = None) -> PromiseApplied | None:
        """What the promise says of the answers to a request."""
        return self.keeper.applied(results) if self.keeper and self.promised(verifier) else None

    def _verifier(self, spec: str) -> Verifier:
        inner = batched(load_verifier(spec), self._with_lanes)
        cached = wrap(inner, **self.settings.caching._asdict())
        return AdmittedVerifier(Contained(cached, seconds=self.settings.limits.seconds), self.admission)

    def _with_lanes(self, verifier: Verifier) -> Verifier:
        """One set of lanes for equal verifiers: `local` alone and `local` in a cascade share the cores."""
        if verifier.signature not in self._lanes:
            observe = self.metrics.batches.observe
            self._lanes[verifier.signature] = Batched(verifier, seconds=self.settings.limits.seconds, observe=observe)
        return self._lanes[verifier.signature]

    @property
    def default(self) -> str:
        return self.settings.verifiers[0]

    def evaluator(self, verifier: str | None = None, claims: Sequence[Claim] | None = None) -> Evaluator:
        """The evaluator for a request."""
        name = self.default if verifier is None else verifier
        if name not in self.verifiers:
            known = ", ".join(self.verifiers)
            raise Refused(422, "unknown-verifier", f"verifier {name[:80]!r} is not enabled here; enabled: {known}")
        extractor = self.extractor if claims is None else GivenClaims(tuple(claims))
        return Evaluator(verifier=self.verifiers[name], extractor=extractor, scoring=self.settings.scoring)

    async def check(
        self, sample: Sample, *, verifier: str | None = None, claims: Sequence[Claim] | None = None
    ) -> Result:
        """Judge one sample."""
        self.within_limits(sample)
        if claims is not None and len(claims) > self.settings.limits.claims:
            raise over_limit("claims", len(claims), self.settings.limits.claims, status=422)
        evaluator = self.evaluator(verifier, claims)
        self.admission.check()
        result = await evaluator.check(sample)
        self.metrics.count(verifier or self.default, result)
        return result

    def within_limits(self, sample: Sample) -> None:
        """Refuse a sample that is too large."""
        limits = self.settings.limits
        if len(sample.answer) > limits.answer:
            raise over_limit("characters of the answer", len(sample.answer), limits.answer)
        if len(sample.contexts) > limits.contexts:
            raise over_limit("contexts", len(sample.contexts), limits.contexts)
        characters = sum(len(context.text) for context in sample.contexts)
        if characters > limits.context_characters:
            raise over_limit("characters of the contexts", characters, limits.context_characters)

    @asynccontextmanager
    async def stream(self) -> AsyncIterator[None]:
        """Count a streamed answer while it is under way."""
        if self.streams >= self.settings.streams:
            raise busy(f"{self.streams} answers are being streamed, which is the limit; try again later", seconds=2)
        self.streams += 1
        self.metrics.streams.set(self.streams)
        try:
            yield
        finally:
            self.streams -= 1
            self.metrics.streams.set(self.streams)

    async def warm(self) -> None:
        """Load the models, so that the first request is as quick as the next."""
        sample = Sample(answer="Paris lies on the Seine.", contexts=("Paris lies on the river Seine.",))  # type: ignore[arg-type]
        for lanes in self._lanes.values():
            await lanes.verify([Pair(Claim(text=sample.answer, start=0, end=len(sample.answer)), sample)])

    async def aclose(self) -> None:
        """Close what the verifiers hold open."""
        for verifier in self.verifiers.values():
            if closing := getattr(verifier, "aclose", None):
                await closing()
        for lanes in self._lanes.values():
            await lanes.aclose()
