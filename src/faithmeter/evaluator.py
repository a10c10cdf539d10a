"""The way through, once: sample → claims → verdicts → result."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Protocol

from faithmeter.datamodels import Claim, Extraction, Failure, Label, Origin, Outcome, Pair, Sample, Verdict
from faithmeter.errors import UsageError
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
            reasoned = explained([_verbatim(outcome, sample) for outcome in outcomes], sample)
            if self.corpus:
                reasoned = await traced(reasoned, sample, self.corpus, self.verifier.verify)
            return Result(
                sample=sample,
                outcomes=tuple(reasoned),
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
    answer: Any,
    contexts: Any = None,
    *,
    question: str | None = None,
    verifier: str | Verifier = DEFAULT_VERIFIER,
    extractor: str | Extractor = "sentences",
    scoring: str | Scoring = "plain",
    corpus: str | Path | Corpus | None = None,
) -> Result:
    """Check one answer against the contexts it was generated from: `check` for async code, with its arguments.

    ```python
    result = await acheck("The Eiffel Tower is 330 metres tall.", ["The Eiffel Tower is 330 metres tall."])
    ```
    """
    sample = _sample(answer, contexts, question)
    return await Evaluator(verifier=verifier, extractor=extractor, scoring=scoring, corpus=corpus).check(sample)


def check(
    answer: Any,
    contexts: Any = None,
    *,
    question: str | None = None,
    verifier: str | Verifier = DEFAULT_VERIFIER,
    extractor: str | Extractor = "sentences",
    scoring: str | Scoring = "plain",
    corpus: str | Path | Corpus | None = None,
) -> Result:
    """Check one answer against the contexts it was generated from.

    Args:
        answer: The text to check; or a `Sample`, or what a framework hands over and that holds its contexts, too: a
            chain's output, a LlamaIndex response, a conversation.
        contexts: What it was generated from: texts, `Context`s, or documents of LangChain, LlamaIndex or Haystack.
        question: What was asked. It gives pronouns their referents and is never evidence.
        verifier: Who judges: `local`, `lexical`, `openai:MODEL`, … (`faithmeter models` lists all), or your own.
        extractor: Who finds the claims: `sentences`, an LLM such as `openai:MODEL`, or your own.
        scoring: How verdicts become a score: `plain`, `strict`, `weighted`, or as another tool counts.
        corpus: A folder of text files, or JSON lines: what the contexts lack is looked up there. Retrieval missed it,
            or it was made up.

    Returns:
        The verdict on each claim with its evidence, and the score that follows from them.

    Raises:
        DataError: The answer or a context has no text in it.
        UsageError: There is no such verifier, extractor or scoring; or no contexts were given.

    ```python
    result = check("The Eiffel Tower is 330 metres tall.", ["The Eiffel Tower is 330 metres tall."])
    assert result.score == 1.0
    ```
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


def _sample(answer: Any, contexts: Any, question: str | None) -> Sample:
    if isinstance(answer, str):
        if contexts is None:
            raise UsageError("check: an answer needs its contexts: check(answer, contexts)")
        return Sample.of({"answer": answer}, contexts=_listed(contexts), question=question)
    return Sample.of(answer, contexts=_listed(contexts), question=question)


def _listed(contexts: Any) -> Any:
    """What can be gone over once, as a list; the rest as it is."""
    return list(contexts) if isinstance(contexts, Iterator | AbstractSet) else contexts


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
