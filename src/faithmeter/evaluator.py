"""The way through, once: sample → claims → verdicts → result."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from faithmeter.datamodels import Claim, Context, Extraction, Failure, Label, Origin, Outcome, Pair, Sample, Verdict
from faithmeter.extract import Extractor, load_extractor
from faithmeter.results import Result
from faithmeter.runtime import sync
from faithmeter.runtime.boundary import extracted, verified
from faithmeter.runtime.usage import metered
from faithmeter.scoring import Scoring, load_scoring
from faithmeter.text.language import NOTE, unknown_language
from faithmeter.verify import DEFAULT_VERIFIER, Verifier, load_verifier
from faithmeter.why import explained
from faithmeter.why.corpus import Corpus, traced


class Step(Protocol):
    """What more is found out about a sample once its claims are judged: its citations, a fixed answer."""

    @property
    def signature(self) -> str:
        """How it is done, as `name:settings`."""
        ...

    async def run(self, result: Result, evaluator: Evaluator) -> Result:
        """The result with what was found; `evaluator` is the same without steps."""
        ...


class Evaluator:
    """An extractor, a verifier and a scoring policy; holds no state of any sample."""

    def __init__(
        self,
        *,
        verifier: str | Verifier = DEFAULT_VERIFIER,
        extractor: str | Extractor = "sentences",
        scoring: str | Scoring = "plain",
        steps: Sequence[Step] = (),
        corpus: str | Path | Corpus | None = None,
    ) -> None:
        self.verifier = load_verifier(verifier) if isinstance(verifier, str) else verifier
        self.extractor = load_extractor(extractor) if isinstance(extractor, str) else extractor
        self.scoring = load_scoring(scoring)
        self.steps = tuple(steps)
        self.corpus = Corpus.load(corpus) if isinstance(corpus, str | Path) else corpus

    @property
    def signature(self) -> str:
        """How results are made; equal signatures and samples give equal results."""
        parts = [f"extract:{self.extractor.signature}", f"verify:{self.verifier.signature}"]
        parts += [f"corpus:{self.corpus.signature}"] if self.corpus else []
        return "|".join([*parts, *(step.signature for step in self.steps), f"score:{self.scoring.signature}"])

    @property
    def bare(self) -> Evaluator:
        """The same without steps."""
        return Evaluator(verifier=self.verifier, extractor=self.extractor, scoring=self.scoring)

    async def check(self, sample: Sample) -> Result:
        """Judge one sample."""
        if not self.steps:
            return await self._check(sample)
        with metered() as meter:
            bare = self.bare
            result = await self._check(sample)
            for step in self.steps:
                result = await step.run(result, bare)
            return result.model_copy(update={"usage": meter.usage, "signature": self.signature})

    async def _check(self, sample: Sample) -> Result:
        with metered() as meter:
            extraction = await extracted(self.extractor.extract, sample)
            if isinstance(extraction, Failure):
                outcomes: Sequence[Outcome] = (extraction,)
            else:
                outcomes = extraction.outcomes or await self._verify(extraction.claims, sample)
            found = explained([_verbatim(outcome, sample) for outcome in outcomes], sample)
            if self.corpus:
                found = await traced(found, sample, self.corpus, self.verifier.verify)
            return Result(
                sample=sample,
                outcomes=tuple(found),
                asides=() if isinstance(extraction, Failure) else extraction.asides,
                notes=self._notes(extraction),
                scoring=self.scoring,
                signature=self.signature,
                usage=meter.usage,
            )

    def _notes(self, extraction: Extraction | Failure) -> tuple[str, ...]:
        """What to say beside the verdicts; an extractor that judges as well is an LLM, which knows any language."""
        if isinstance(extraction, Failure) or extraction.outcomes:
            return ()
        known: Collection[str] | None = getattr(self.verifier, "languages", None)
        if not unknown_language([claim.text for claim in extraction.claims], known):
            return ()
        return (NOTE.format(", ".join(known or ())),)

    async def stream(
        self, samples: Iterable[Sample] | AsyncIterable[Sample], *, concurrency: int = 16
    ) -> AsyncIterator[Result]:
        """Judge samples as they come, `concurrency` at a time, and give results in the samples' order."""
        tasks: deque[asyncio.Task[Result]] = deque()
        try:
            async for sample in _aiter(samples):
                tasks.append(asyncio.create_task(self.check(sample)))
                if len(tasks) >= concurrency:
                    yield await tasks.popleft()
            while tasks:
                yield await tasks.popleft()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _verify(self, claims: Sequence[Claim], sample: Sample) -> Sequence[Outcome]:
        if not claims:
            return ()
        if not any(context.text.strip() for context in sample.contexts):
            return [_nothing_to_go_by(claim) for claim in claims]
        return await verified(self.verifier.verify, [Pair(claim, sample) for claim in claims])


async def acheck(
    answer: str,
    contexts: Iterable[str | Context | dict[str, Any]] | str,
    *,
    question: str | None = None,
    verifier: str | Verifier = DEFAULT_VERIFIER,
    extractor: str | Extractor = "sentences",
    scoring: str | Scoring = "plain",
    corpus: str | Path | Corpus | None = None,
) -> Result:
    """Check one answer against the contexts it was generated from.

    With a `corpus` (a folder of text files, or JSON lines), what the contexts lack is looked up there: retrieval
    missed it, or it was made up.
    """
    given = contexts if isinstance(contexts, str) else tuple(contexts)
    sample = Sample.model_validate({"answer": answer, "contexts": given, "question": question})
    evaluator = Evaluator(verifier=verifier, extractor=extractor, scoring=scoring, corpus=corpus)
    return await evaluator.check(sample)


def check(
    answer: str,
    contexts: Iterable[str | Context | dict[str, Any]] | str,
    *,
    question: str | None = None,
    verifier: str | Verifier = DEFAULT_VERIFIER,
    extractor: str | Extractor = "sentences",
    scoring: str | Scoring = "plain",
    corpus: str | Path | Corpus | None = None,
) -> Result:
    """Check one answer against the contexts it was generated from.

    With a `corpus` (a folder of text files, or JSON lines), what the contexts lack is looked up there: retrieval
    missed it, or it was made up.
    """
    return sync.run(
        acheck(
            answer,
            contexts,
            question=question,
            verifier=verifier,
            extractor=extractor,
            scoring=scoring,
            corpus=corpus,
        )
    )


def _verbatim(outcome: Outcome, sample: Sample) -> Outcome:
    """Keep only evidence that stands where it says: whoever proposed it, the code checks it."""
    if isinstance(outcome, Failure) or all(item.holds_in(sample.contexts) for item in outcome.evidence):
        return outcome
    kept = tuple(item for item in outcome.evidence if item.holds_in(sample.contexts))
    return outcome.model_copy(update={"evidence": kept})


def _nothing_to_go_by(claim: Claim) -> Verdict:
    return Verdict(
        claim=claim,
        label=Label.NOT_ENOUGH_INFO,
        support=0.0,
        reason="There is no context to go by.",
        origin=Origin(verifier="no contexts"),
    )


async def _aiter(samples: Iterable[Sample] | AsyncIterable[Sample]) -> AsyncIterator[Sample]:
    if isinstance(samples, AsyncIterable):
        async for sample in samples:
            yield sample
    else:
        for sample in samples:
            yield sample
