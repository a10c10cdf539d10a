"""A cache is a verifier around a verifier, and an extractor around an extractor."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from faithmeter.cache.codec import (
    FREE,
    Cost,
    StoredVerdict,
    digest,
    group_key,
    moved,
    pack,
    pack_extraction,
    short_hash,
    unpack,
    unpack_extraction,
    verdict_key,
)
from faithmeter.cache.in_flight import InFlight
from faithmeter.cache.semantic import Semantic
from faithmeter.cache.store import Entry, Store, reading
from faithmeter.datamodels import Extraction, Failure, Outcome, Pair, Sample, Usage, Verdict
from faithmeter.errors import StopRun
from faithmeter.extract import Extractor
from faithmeter.runtime.boundary import checked, extracted
from faithmeter.runtime.delegating import Delegating, Inner
from faithmeter.runtime.usage import Meter, metered, spend
from faithmeter.verify import Verifier


class _Asked(NamedTuple):
    """A pair to be judged, and the group its verdict belongs to."""

    pair: Pair
    group: bytes


class _CostedOutcome(NamedTuple):
    """An outcome, where it came from, and what it cost to make."""

    outcome: Outcome
    kind: str
    cost: Cost


class _Stopped(Exception):
    """The inner verifier had to stop; what it had judged until then."""

    def __init__(self, stop: StopRun, judged: dict[bytes, _CostedOutcome]) -> None:
        super().__init__(str(stop))
        self.stop = stop
        self.judged = judged


class _AroundStore(Delegating[Inner]):
    """A part whose findings are kept in a store."""

    def __init__(self, inner: Inner, store: Store, *, refresh: bool) -> None:
        super().__init__(inner)
        self.store = store
        self._refresh = refresh

    async def aclose(self) -> None:
        """Close the inner part's connections, and write what is pending."""
        if closing := getattr(self.inner, "aclose", None):
            await closing()
        await asyncio.to_thread(self.store.close)


class Cached(_AroundStore[Verifier]):
    """Judges each (claim, contexts) once: afterwards, and meanwhile, the one verdict answers for all.

    Equal means: the same verifier signature, the same context texts in order, the same claim except for
    spacing, and the same of whatever else the verifier reads. Failures are not kept.
    """

    def __init__(
        self, verifier: Verifier, store: Store, *, semantic: Semantic | None = None, refresh: bool = False
    ) -> None:
        super().__init__(verifier, store, refresh=refresh)
        self.semantic = semantic
        self._flights: InFlight[bytes, _Asked, _CostedOutcome] = InFlight()
        self._signed = False

    @property
    def signature(self) -> str:
        """The inner verifier's, for an exact hit is its own verdict; a semantic hit need not be, and is named."""
        inner = self.inner.signature
        return f"{inner}|{self.semantic.signature}" if self.semantic else inner

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """Answer what is known, and have the rest judged, each once."""
        keys, wanted = self._keys(pairs)
        settled = {} if self._refresh else await self._look_up(wanted)
        if len(settled) == len(pairs):  # all known, all different: the path of a warm run
            self._count(settled.values())
            return [settled[key].outcome for key in keys]
        done_here = set(settled)
        missing = {key: asked for key, asked in wanted.items() if key not in settled}
        try:
            if missing:
                judged, by_us = await self._flights.share(missing, self._settle)
                settled |= judged
                done_here |= by_us
        except _Stopped as stopped:
            settled |= stopped.judged
            stop = stopped.stop
            unjudged = Failure(kind=stop.kind, message=str(stop))
            known = [settled[key].outcome if key in settled else unjudged for key in keys]
            stop.outcomes = tuple(
                outcome if outcome.claim == pair.claim else _again(outcome, pair)
                for outcome, pair in zip(known, pairs, strict=True)
            )
            raise stop from None
        outcomes: list[Outcome] = []
        served: list[_CostedOutcome] = []
        for key, pair in zip(keys, pairs, strict=True):
            if key in done_here:
                done_here.remove(key)  # the first to ask gets the outcome as it is
                outcomes.append(settled[key].outcome)
                served.append(settled[key])
            else:
                outcomes.append(_again(settled[key].outcome, pair))
                served.append(settled[key]._replace(kind="shared"))
        self._count(served)
        return outcomes

    def _keys(self, pairs: Sequence[Pair]) -> tuple[list[bytes], dict[bytes, _Asked]]:
        signature = self.inner.signature
        keys: list[bytes] = []
        wanted: dict[bytes, _Asked] = {}
        groups: dict[tuple[int, tuple[str, ...]], bytes] = {}
        for pair in pairs:
            inputs = (id(pair.sample), tuple(_reads(self.inner, pair)))
            group = groups.get(inputs)
            if group is None:
                group = groups[inputs] = group_key(signature, pair.sample, inputs[1])
            key = verdict_key(group, pair.claim)
            keys.append(key)
            if key not in wanted:
                wanted[key] = _Asked(pair, group)
        return keys, wanted

    async def _settle(self, wanted: Mapping[bytes, _Asked]) -> dict[bytes, _CostedOutcome]:
        settled: dict[bytes, _CostedOutcome] = {}
        if not self._refresh:
            settled = await self._look_up(wanted)  # again: others may have finished in the meantime
            if self.semantic:
                rest = {key: asked for key, asked in wanted.items() if key not in settled}
                settled |= await self._look_around(rest, self.semantic)
        rest = {key: asked for key, asked in wanted.items() if key not in settled}
        try:
            return settled | await self._judge(rest) if rest else settled
        except _Stopped as stopped:
            stopped.judged = settled | stopped.judged
            raise

    async def _look_up(self, wanted: Mapping[bytes, _Asked]) -> dict[bytes, _CostedOutcome]:
        values = await reading(self.store, self.store.get, list(wanted))
        hits = {}
        for (key, asked), value in zip(wanted.items(), values, strict=True):
            if value is not None and (record := unpack(value)) and (verdict := record.for_pair(asked.pair, "exact")):
                hits[key] = _CostedOutcome(verdict, "exact", record.cost)
        return hits

    async def _look_around(self, wanted: Mapping[bytes, _Asked], semantic: Semantic) -> dict[bytes, _CostedOutcome]:
        groups: dict[bytes, list[bytes]] = {}
        for key, asked in wanted.items():
            groups.setdefault(asked.group, []).append(key)
        hits = {}
        for group, keys in groups.items():
            members = await reading(self.store, self.store.members, group)
            known = [record for value in members if (record := unpack(value))]
            claims = [wanted[key].pair.claim.text for key in keys]
            for key, match in zip(keys, await semantic.matches(claims, known, self.store), strict=True):
                pair = wanted[key].pair
                verdict = match and match.record.for_pair(pair, "semantic", similarity=match.similarity)
                if match and verdict:
                    hits[key] = _CostedOutcome(verdict, "semantic", match.record.cost)
                    self.store.log([_hit_line(verdict, match.record, pair.sample)])
        return hits

    async def _judge(self, wanted: Mapping[bytes, _Asked]) -> dict[bytes, _CostedOutcome]:
        """Ask the inner verifier, and keep its verdicts, also those it had when it had to stop."""
        pairs = [asked.pair for asked in wanted.values()]
        claims = [pair.claim for pair in pairs]
        stop: StopRun | None = None
        outcomes: Sequence[Outcome] = ()
        with _nested_meter() as meter:
            try:
                outcomes = checked(await self.inner.verify(pairs), claims)
            except StopRun as stopped:
                outcomes, stop = checked(stopped.outcomes, claims), stopped
        cost = Cost.share(meter.usage, len(pairs))
        judged = {key: _CostedOutcome(outcome, "asked", cost) for key, outcome in zip(wanted, outcomes, strict=True)}
        await self._keep(wanted, judged)
        if stop:
            raise _Stopped(stop, {key: item for key, item in judged.items() if isinstance(item.outcome, Verdict)})
        return judged

    async def _keep(self, wanted: Mapping[bytes, _Asked], judged: Mapping[bytes, _CostedOutcome]) -> None:
        signature = self.inner.signature
        name = short_hash(signature)
        entries = [
            Entry(key, pack(outcome, cost=cost, signature=name), "verdict", wanted[key].group)
            for key, (outcome, _, cost) in judged.items()
            if isinstance(outcome, Verdict)
        ]
        if entries and not self._signed:
            entries.append(Entry(digest("signature", [name]), signature.encode(), "signature"))
            self._signed = True
        if entries:
            await asyncio.to_thread(self.store.put, entries)

    def _count(self, served: Iterable[_CostedOutcome]) -> None:
        tally: dict[str, float] = {}
        saved: Sequence[float] = FREE
        hits = 0
        for outcome, kind, cost in served:
            if isinstance(outcome, Failure):
                kind = "failed"
            elif kind != "asked":
                hits += 1
                if cost is not FREE:
                    saved = [total + part for total, part in zip(saved, cost, strict=True)]
            tally[kind] = tally.get(kind, 0) + 1
        if hits:
            spend(Usage(cache_hits=hits))
        self.store.count(tally | Cost(*saved).tally())


class CachedExtractor(_AroundStore[Extractor]):
    """Splits each answer into claims once; failures are not kept."""

    def __init__(self, extractor: Extractor, store: Store, *, refresh: bool = False) -> None:
        super().__init__(extractor, store, refresh=refresh)
        self._flights: InFlight[bytes, Sample, Extraction | Failure] = InFlight()

    async def extract(self, sample: Sample) -> Extraction | Failure:
        """The answer's claims, from the store if it was split before."""
        key = digest("extraction", [self.inner.signature, sample.answer, *_extractor_reads(self.inner, sample)])
        extractions, _ = await self._flights.share({key: sample}, self._settle)
        return extractions[key]

    async def _settle(self, wanted: Mapping[bytes, Sample]) -> dict[bytes, Extraction | Failure]:
        ((key, sample),) = wanted.items()
        (value,) = [None] if self._refresh else await reading(self.store, self.store.get, [key])
        known = unpack_extraction(value, sample) if value is not None else None
        if known:
            extraction, cost = known
            self.store.count({"extraction": 1, **cost.tally()})
            if extraction.outcomes:
                spend(Usage(cache_hits=len(extraction.outcomes)))
            return {key: extraction}
        with _nested_meter() as meter:
            fresh = await extracted(self.inner.extract, sample)
        if isinstance(fresh, Extraction) and not any(isinstance(outcome, Failure) for outcome in fresh.outcomes):
            entry = Entry(key, pack_extraction(fresh, cost=Cost.share(meter.usage, 1)), "extraction")
            await asyncio.to_thread(self.store.put, [entry])
        return {key: fresh}


@contextmanager
def _nested_meter() -> Iterator[Meter]:
    """A meter for what is spent inside; the meter around it counts it too."""
    meter = Meter()
    try:
        with metered() as meter:
            yield meter
    finally:
        spend(meter.usage.model_copy(update={"seconds": 0.0}))


def _reads(verifier: Verifier, pair: Pair) -> Sequence[str]:
    """What else a verdict depends on: what the verifier names, or the question if it names nothing."""
    reads = getattr(verifier, "reads", None)
    texts: Sequence[str] = reads(pair) if reads else (pair.sample.question or "",)
    return texts


def _extractor_reads(extractor: Extractor, sample: Sample) -> Sequence[str]:
    """What else the claims depend on: what the extractor names, or everything if it names nothing."""
    reads = getattr(extractor, "reads", None)
    everything = (sample.question or "", *(context.text for context in sample.contexts))
    texts: Sequence[str] = reads(sample) if reads else everything
    return texts


def _again(outcome: Outcome, pair: Pair) -> Outcome:
    """The outcome of an equal pair as the outcome of this one."""
    if isinstance(outcome, Failure):
        return outcome.model_copy(update={"claim": pair.claim})
    origin = outcome.origin
    if origin.cache is None:
        origin = origin.model_copy(update={"cache": "exact"})
    gaps = moved(outcome.gaps, outcome.claim.text, pair.claim.text)
    return outcome.model_copy(update={"claim": pair.claim, "gaps": gaps, "origin": origin})


def _hit_line(verdict: Verdict, record: StoredVerdict, sample: Sample) -> bytes:
    """A semantic hit with all that is needed to judge it again."""
    line = {
        "verdict": verdict.model_dump(mode="json"),
        "sample": sample.model_dump(mode="json"),
        "by": record.signature,
    }
    return zlib.compress(json.dumps(line, ensure_ascii=False).encode())
