"""What the cache writes down: keys that name a judgement, and records that a verdict is made from again."""

from __future__ import annotations

import hashlib
import json
import math
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from pydantic_core import from_json

from faithmeter.cache.store import Kind
from faithmeter.datamodels import Claim, Evidence, Extraction, Label, Origin, Pair, Sample, Usage, Verdict


class Cost(NamedTuple):
    """What a judgement cost when it was made: its share of the requests it was part of."""

    calls: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    cost: float = 0.0

    @classmethod
    def share(cls, usage: Usage, parts: int) -> Cost:
        """An equal share of what was spent together."""
        spent = (usage.calls, usage.prompt_tokens, usage.completion_tokens, usage.cost or 0.0)
        return cls(*(value / parts for value in spent))

    def tally(self) -> dict[str, float]:
        """As counters of what a hit saved."""
        return {f"saved_{name}": value for name, value in self._asdict().items() if value}


FREE = Cost()
_ODD = (AttributeError, KeyError, OverflowError, TypeError, ValueError)
"""What reading valid JSON of a wrong shape may raise."""


class StoredVerdict(NamedTuple):
    """A verdict as it is kept."""

    claim: str
    verdict: dict[str, Any]
    cost: Cost
    signature: str
    """The hash under which the verifier's signature is kept."""

    def for_pair(
        self, pair: Pair, cache: Literal["exact", "semantic"], *, similarity: float | None = None
    ) -> Verdict | None:
        """The verdict on this claim; None if its evidence is not in the contexts, or the record is malformed."""
        try:
            verdict = self.for_claim(pair.claim, cache, similarity=similarity)
        except _ODD:
            return None
        return verdict if all(item.holds_in(pair.sample.contexts) for item in verdict.evidence) else None

    def for_claim(
        self, claim: Claim, cache: Literal["exact", "semantic"], *, similarity: float | None = None
    ) -> Verdict:
        """The verdict on a claim; raises one of `_ODD` if the record is not one of ours."""
        stored = self.verdict
        quotes = stored.get("evidence")
        evidence = tuple([Evidence(context=c, start=s, end=e, quote=q) for c, s, e, q in quotes]) if quotes else ()
        origin = _exact(stored["verifier"], stored.get("tier"))
        if cache == "semantic":
            origin = origin.model_copy(update={"cache": cache, "matched": self.claim, "similarity": similarity})
        gaps = stored.get("gaps")
        return Verdict(
            claim=claim,
            label=Label(stored["label"]),
            support=stored.get("support"),
            evidence=evidence,
            gaps=moved(gaps, self.claim, claim.text) if gaps else (),
            reason=stored.get("reason"),
            origin=origin,
        )


def pack(verdict: Verdict, *, cost: Cost, signature: str) -> bytes:
    """Write a verdict down; what is absent is left out."""
    evidence = [(item.context, item.start, item.end, item.quote) for item in verdict.evidence]
    stored = {
        "label": verdict.label.value, "verifier": verdict.origin.verifier, "support": verdict.support,
        "evidence": evidence or None, "gaps": verdict.gaps or None, "reason": verdict.reason,
        "tier": verdict.origin.tier,
    }  # fmt: skip
    given = {name: value for name, value in stored.items() if value is not None}
    record: dict[str, Any] = {"claim": verdict.claim.text, "verdict": given, "by": signature}
    if any(cost):
        record["cost"] = cost
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def unpack(value: bytes) -> StoredVerdict | None:
    """Read a record; None if it cannot be read, which counts as a miss."""
    try:
        record = from_json(value)
        claim, verdict, by = record["claim"], record["verdict"], record["by"]
        if not (isinstance(claim, str) and isinstance(verdict, dict) and isinstance(by, str)):
            return None
        return StoredVerdict(claim, verdict, _cost(record["cost"]) if "cost" in record else FREE, by)
    except _ODD:
        return None


def _cost(parts: Sequence[float]) -> Cost:
    """What a record says it cost; raises one of `_ODD` unless it is numbers."""
    return Cost(*map(float, parts)) if all(0 <= part < math.inf for part in parts) else FREE


def is_readable(kind: Kind, value: bytes) -> bool:
    """Whether an entry can ever be a hit: of valid JSON and of the right shape."""
    try:
        if kind == "verdict":
            record = unpack(value)
            return record is not None and bool(record.for_claim(Claim(text=record.claim, start=0, end=1), "exact"))
        if kind == "extraction":
            _extraction(value)
    except _ODD:
        return False
    return True


def pack_extraction(extraction: Extraction, *, cost: Cost) -> bytes:
    """Write an extraction down."""
    return json.dumps({"extraction": extraction.model_dump(mode="json"), "cost": cost}).encode()


def _extraction(value: bytes) -> tuple[Extraction, Cost]:
    record = from_json(value)
    return Extraction.model_validate(record["extraction"]), _cost(record["cost"])


def unpack_extraction(value: bytes, sample: Sample) -> tuple[Extraction, Cost] | None:
    """Read an extraction; None, a miss, if it cannot be read or its evidence is not in these contexts."""
    try:
        extraction, cost = _extraction(value)
    except _ODD:
        return None
    verdicts = [outcome for outcome in extraction.outcomes if isinstance(outcome, Verdict)]
    if not all(item.holds_in(sample.contexts) for verdict in verdicts for item in verdict.evidence):
        return None
    marked = tuple(
        verdict.model_copy(update={"origin": verdict.origin.model_copy(update={"cache": "exact"})})
        for verdict in verdicts
    )
    return extraction.model_copy(update={"outcomes": marked}), cost


def normalised(text: str) -> str:
    """What must be equal for an exact hit: the characters, however composed and spaced."""
    return " ".join((text if text.isascii() else unicodedata.normalize("NFC", text)).split())


def short_hash(text: str) -> str:
    """A name for a signature."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def digest(kind: str, parts: Iterable[str]) -> bytes:
    """A key over some texts; each with its length, so that no two lists of texts give one key."""
    pieces = [kind.encode()]
    for part in parts:
        encoded = part.encode()
        pieces += (b"%d:" % len(encoded), encoded)
    return hashlib.sha256(b"".join(pieces)).digest()[:16]


def group_key(signature: str, sample: Sample, reads: Sequence[str]) -> bytes:
    """Names the judgements of one verifier on one sequence of contexts."""
    texts = [context.text for context in sample.contexts]
    return digest("group", [signature, str(len(texts)), *texts, *reads])


def verdict_key(group: bytes, claim: Claim) -> bytes:
    """Names one judgement."""
    return hashlib.sha256(group + normalised(claim.text).encode()).digest()[:16]  # a group is always 16 bytes


@lru_cache(maxsize=256)
def _exact(verifier: str, tier: int | None) -> Origin:
    """The origin of an exact hit: few different ones, and they are frozen, so each is made once."""
    return Origin(verifier=verifier, tier=tier, cache="exact")


def moved(gaps: Sequence[Sequence[int]], known: str, asked: str) -> tuple[tuple[int, int], ...]:
    """Marks of one text on another that differs in spacing; none if it differs in more."""
    if not gaps:
        return ()
    if known == asked:
        return tuple((start, end) for start, end in gaps)
    asked_offsets = [offset for offset, character in enumerate(asked) if not character.isspace()]
    known_offsets = [offset for offset, character in enumerate(known) if not character.isspace()]
    if [known[offset] for offset in known_offsets] != [asked[offset] for offset in asked_offsets]:
        return ()
    order = {offset: index for index, offset in enumerate(known_offsets)}
    marks = []
    for start, end in gaps:
        inside = [order[offset] for offset in range(start, end) if offset in order]
        if inside:
            marks.append((asked_offsets[inside[0]], asked_offsets[inside[-1]] + 1))
    return tuple(marks)
