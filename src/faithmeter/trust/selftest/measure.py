"""Tests a verifier on the user's own data: corrupts claims it finds supported, and sees what it catches.

Nobody needs to label anything: a claim that was supported and has been made false should no longer be supported, and
one that has only been said in other words should still be. Seeded, and no LLM makes anything up.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from faithmeter.datamodels import Claim, Failure, Label, Outcome, Pair, Sample, Verdict
from faithmeter.evaluator import Evaluator
from faithmeter.intervals import wilson_interval
from faithmeter.runtime.boundary import extracted, verified
from faithmeter.trust.selftest import english as grammar
from faithmeter.trust.selftest.corrupt import CORRUPTIONS
from faithmeter.trust.selftest.paraphrase import PARAPHRASES
from faithmeter.trust.selftest.source_text import Source

OTHER = "other sample"
KINDS: tuple[str, ...] = (*CORRUPTIONS, OTHER, *PARAPHRASES)
BATCH = 64
_MARKS = re.compile(r"(?<=[a-z,] )[^\W\d_a-z][^\W\d_]+|\d[\d.,]*\d|\d")
_POINTING = frozenset(grammar.words("it he she they this these those that their his her its there here we you i such"))


class Case(NamedTuple):
    """A changed claim, in its changed sample."""

    kind: str
    original: Pair
    changed: Pair


@dataclass
class Tested:
    """What became of one kind of change."""

    kind: str
    tried: int = 0
    """Claims that were looked at."""
    applied: int = 0
    """Those of them that offer a part to change."""
    judged: int = 0
    """Changed claims that got a verdict; their originals were supported."""
    flagged: int = 0
    """Those of them that are no longer supported."""
    failed: int = 0
    """Changed claims that could not be judged."""
    wrong: list[tuple[Case, Outcome]] = field(default_factory=list)
    """Corruptions that were missed, or harmless paraphrases that were flagged."""
    caught: list[tuple[Case, Verdict]] = field(default_factory=list)
    """Corruptions that were flagged."""

    @property
    def harmless(self) -> bool:
        """Whether the change leaves the meaning alone."""
        return self.kind in PARAPHRASES

    @property
    def share(self) -> float | None:
        """The share flagged: caught, for a corruption; a false alarm, for a paraphrase."""
        return self.flagged / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the share."""
        return wilson_interval(self.share, self.judged) if self.share is not None else None

    def as_dict(self, *, examples: int) -> dict[str, Any]:
        """The numbers, ready for JSON."""
        return {
            "kind": self.kind,
            "harmless": self.harmless,
            "tried": self.tried,
            "applied": self.applied,
            "judged": self.judged,
            "flagged": self.flagged,
            "failed": self.failed,
            "share": self.share,
            "interval": self.interval,
            "examples": [
                {
                    "sample": case.original.sample.id,
                    "claim": case.original.claim.text,
                    "changed": case.changed.claim.text,
                    "support": getattr(outcome, "support", None),
                }
                for case, outcome in self.wrong[:examples]
            ],
        }


async def selftest(
    samples: Iterable[Sample],
    *,
    evaluator: Evaluator,
    kinds: Sequence[str] = KINDS,
    per_kind: int = 100,
    seed: int = 0,
    progress: Callable[[int], None] = lambda judged: None,
) -> dict[str, Tested]:
    """Change claims that the evaluator's verifier finds supported, and count what it still finds supported."""
    claims = [pair for sample in samples for pair in await _claims(sample, evaluator)]
    pairs = list({_key(pair): pair for pair in claims}.values())  # what is in the data twice says no more than once
    judge = _Judge(evaluator, progress)
    makers = _makers(pairs)
    tested = {kind: Tested(kind) for kind in kinds}
    waiting = {kind: _cases(kind, makers[kind], pairs, seed=seed, count=tested[kind]) for kind in kinds}
    chosen: dict[str, list[Case]] = {kind: [] for kind in kinds}
    while waiting:
        drawn = {kind: _take(cases, per_kind - len(chosen[kind])) for kind, cases in waiting.items()}
        await judge.look_at([case.original for cases in drawn.values() for case in cases])
        for kind, cases in drawn.items():
            chosen[kind] += [case for case in cases if judge.supports(case.original)]
        waiting = {kind: it for kind, it in waiting.items() if drawn[kind] and len(chosen[kind]) < per_kind}
    await judge.look_at([case.changed for cases in chosen.values() for case in cases])
    for kind, cases in chosen.items():
        for case in cases:
            _count(tested[kind], case, judge.outcomes[_key(case.changed)])
    return tested


def _count(tested: Tested, case: Case, outcome: Outcome) -> None:
    if isinstance(outcome, Failure):
        tested.failed += 1
        return
    tested.judged += 1
    flagged = outcome.label is not Label.SUPPORTED
    tested.flagged += flagged
    if flagged == tested.harmless:
        tested.wrong.append((case, outcome))
    elif flagged:
        tested.caught.append((case, outcome))


class _Judge:
    """Asks the verifier about each claim once."""

    def __init__(self, evaluator: Evaluator, progress: Callable[[int], None]) -> None:
        self.evaluator = evaluator
        self.progress = progress
        self.outcomes: dict[tuple[str, str], Outcome] = {}

    async def look_at(self, pairs: Iterable[Pair]) -> None:
        """Judge what is not judged yet."""
        missing = {_key(pair): pair for pair in pairs if _key(pair) not in self.outcomes}
        keys = list(missing)
        for begin in range(0, len(keys), BATCH):
            batch = keys[begin : begin + BATCH]
            outcomes = await verified(self.evaluator.verifier.verify, [missing[key] for key in batch])
            self.outcomes.update(zip(batch, outcomes, strict=True))
            self.progress(len(self.outcomes))

    def supports(self, pair: Pair) -> bool:
        """Whether the verifier finds the claim supported."""
        outcome = self.outcomes[_key(pair)]
        return not isinstance(outcome, Failure) and outcome.label is Label.SUPPORTED


def _key(pair: Pair) -> tuple[str, str]:
    return pair.sample.content_hash, f"{pair.claim.start}:{pair.claim.text}"


def stands_alone(claim: str) -> bool:
    """Whether it does not begin with a word that points elsewhere ("It", "These")."""
    return claim.split()[0].lower().strip(",'’") not in _POINTING


async def _claims(sample: Sample, evaluator: Evaluator) -> list[Pair]:
    """The claims of a sample that can be judged; one that cannot be broken into claims has none."""
    if not any(context.text.strip() for context in sample.contexts):
        return []
    extraction = await extracted(evaluator.extractor.extract, sample)
    if isinstance(extraction, Failure):
        return []
    return [Pair(claim, sample) for claim in extraction.claims]


Maker = Callable[[Pair, random.Random], str | None]


def _makers(pairs: Sequence[Pair]) -> Mapping[str, Maker]:
    """Kind -> what makes a change of that kind."""
    sources: dict[str, Source] = {}

    def source(sample: Sample) -> Source:
        return sources.setdefault(sample.content_hash, Source(sample))

    def maker(change: Callable[[str, Source, random.Random], str | None]) -> Maker:
        return lambda pair, rng: change(pair.claim.text, source(pair.sample), rng)

    def other(pair: Pair, rng: random.Random) -> str | None:
        """A claim of another sample with other contexts, about something that this one's contexts do not mention."""
        here = source(pair.sample)
        for _ in range(10):
            there = rng.choice(pairs)
            apart = {c.text for c in there.sample.contexts}.isdisjoint(c.text for c in pair.sample.contexts)
            # a name or a number that these contexts do not have: "The service is friendly" may be true here as well
            if (
                apart
                and stands_alone(there.claim.text)
                and any(mark.lower() not in here.lower for mark in _MARKS.findall(there.claim.text))
            ):
                return there.claim.text
        return None

    made = {kind: maker(change) for kind, change in {**CORRUPTIONS, **PARAPHRASES}.items()}
    return {**made, OTHER: other}


def _cases(kind: str, make: Maker, pairs: Sequence[Pair], *, seed: int, count: Tested) -> Iterator[Case]:
    """The cases of a kind, in an order that depends on the seed and the claims alone."""
    digests = [hashlib.sha256(repr((seed, kind, *_key(pair))).encode()).digest() for pair in pairs]
    for index in sorted(range(len(pairs)), key=digests.__getitem__):
        pair = pairs[index]
        text = make(pair, random.Random(digests[index]))
        count.tried += 1
        if text is not None and text != pair.claim.text:
            count.applied += 1
            yield Case(kind, pair, _changed(pair, text))


def _changed(pair: Pair, text: str) -> Pair:
    """The changed claim, in an answer that says so; a claim in an LLM's words leaves the answer as it is."""
    claim, sample = pair
    start, end = claim.start, claim.end
    if sample.answer[start:end] == claim.text:
        answer = sample.answer[:start] + text + sample.answer[end:]
        sample = sample.model_copy(update={"answer": answer})
        end = start + len(text)
    return Pair(Claim(text=text, start=start, end=end), sample)


def _take(cases: Iterator[Case], n: int) -> list[Case]:
    return [case for case, _ in zip(cases, range(n), strict=False)]
