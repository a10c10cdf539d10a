"""Looks after a cache: what it saved, what is in it, and whether its semantic hits were right."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterator
from typing import Any

from pydantic import computed_field

from faithmeter.cache.codec import digest, is_readable, short_hash, unpack
from faithmeter.cache.store import Store
from faithmeter.datamodels import DerivingModel, Failure, Model, Pair, Sample, Verdict
from faithmeter.runtime.boundary import verified
from faithmeter.verify import Verifier


class Stats(DerivingModel):
    """What a cache holds, and what it has saved so far."""

    location: str
    """Where it is."""
    entries: dict[str, int]
    """How many entries of each kind."""
    bytes: int
    """What they take."""
    hits: dict[str, int]
    """Verdicts given without judging: exact, semantic, and shared with an equal claim in flight."""
    asked: int
    """Verdicts that had to be made."""
    extractions: int
    """Answers that did not have to be split into claims."""
    saved_calls: float
    """Requests that did not have to be made."""
    saved_prompt_tokens: float
    """Tokens that did not have to be sent."""
    saved_completion_tokens: float
    """Tokens that did not have to be paid for in replies."""
    saved_cost: float
    """US dollars, where the price was known when the judgement was made."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def hit_rate(self) -> float | None:
        """Hits of all verdicts given."""
        total = sum(self.hits.values()) + self.asked
        return sum(self.hits.values()) / total if total else None


class Disagreement(Model):
    """A semantic hit that the verifier judges differently."""

    claim: str
    """The claim that was asked about."""
    matched: str
    """The claim whose verdict it was given."""
    similarity: float
    """How similar the two are."""
    given: str
    """The label it was given."""
    judged: str
    """The label it should have had."""


class Review(DerivingModel):
    """Semantic hits, judged again."""

    logged: int
    """How many hits are remembered."""
    judged: int
    """How many were judged again."""
    failed: int
    """How many of the sample could not be judged."""
    other_verifier: int
    """How many were given for another verifier, and so were not judged."""
    disagreements: tuple[Disagreement, ...]
    """Those where the verifier disagrees."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def rate(self) -> float | None:
        """Disagreements of those judged."""
        return len(self.disagreements) / self.judged if self.judged else None


def stats(store: Store) -> Stats:
    """Read a store's size and counters."""
    counters = store.counters()
    size = store.size()
    return Stats(
        location=store.location,
        entries=size.entries,
        bytes=size.bytes,
        hits={kind: round(counters.get(kind, 0)) for kind in ("exact", "semantic", "shared")},
        asked=round(counters.get("asked", 0)),
        extractions=round(counters.get("extraction", 0)),
        saved_calls=counters.get("saved_calls", 0.0),
        saved_prompt_tokens=counters.get("saved_prompt_tokens", 0.0),
        saved_completion_tokens=counters.get("saved_completion_tokens", 0.0),
        saved_cost=counters.get("saved_cost", 0.0),
    )


def export(store: Store) -> Iterator[dict[str, Any]]:
    """Every verdict, as plain data."""
    signatures: dict[str, str | None] = {}
    for kept in store.scan():
        record = unpack(kept.entry.value) if kept.entry.kind == "verdict" else None
        if record is None:
            continue
        if record.signature not in signatures:
            (signature,) = store.get([digest("signature", [record.signature])])
            signatures[record.signature] = signature.decode() if signature is not None else None
        yield {
            "key": kept.entry.key.hex(),
            "group": kept.entry.group.hex(),
            "signature": signatures[record.signature],
            "claim": record.claim,
            **record.verdict,
            "cost": record.cost._asdict(),
            "created": kept.created,
            "used": kept.used,
        }


def misshapen(store: Store) -> list[str]:
    """The entries that can never be a hit: no JSON, or JSON of a wrong shape."""
    return [
        f"{kept.entry.key.hex()}: no {kept.entry.kind} can be read from it; it counts as a miss"
        for kept in store.scan()
        if not is_readable(kept.entry.kind, kept.entry.value)
    ]


async def rejudge(store: Store, verifier: Verifier, *, sample: int = 100, seed: int = 0) -> Review:
    """Judge some of the remembered semantic hits again, with the verifier itself."""
    logged = store.logged()
    hits = [json.loads(zlib.decompress(line)) for line in logged]
    own = [hit for hit in hits if hit["by"] == short_hash(verifier.signature)]
    chosen = random.Random(seed).sample(own, min(sample, len(own)))
    given = [Verdict.model_validate(hit["verdict"]) for hit in chosen]
    pairs = [
        Pair(verdict.claim, Sample.model_validate(hit["sample"])) for verdict, hit in zip(given, chosen, strict=True)
    ]
    outcomes = await verified(verifier.verify, pairs)
    disagreements = []
    for verdict, outcome in zip(given, outcomes, strict=True):
        if isinstance(outcome, Verdict) and outcome.label is not verdict.label:
            disagreements.append(
                Disagreement(
                    claim=verdict.claim.text,
                    matched=verdict.origin.matched or "",
                    similarity=verdict.origin.similarity or 0.0,
                    given=verdict.label,
                    judged=outcome.label,
                )
            )
    failed = sum(isinstance(outcome, Failure) for outcome in outcomes)
    return Review(
        logged=len(logged),
        judged=len(outcomes) - failed,
        failed=failed,
        other_verifier=len(hits) - len(own),
        disagreements=tuple(disagreements),
    )
