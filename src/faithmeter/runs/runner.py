"""Runs an evaluator over a data set."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sized
from contextlib import AbstractContextManager, aclosing, nullcontext
from pathlib import Path
from typing import Any, Literal, NamedTuple

from faithmeter.cache import wrap, wrap_extractor
from faithmeter.data.datasets import Row, read_data
from faithmeter.data.results_file import read_results
from faithmeter.datamodels import Sample
from faithmeter.errors import RowError, UsageError
from faithmeter.evaluator import Evaluator
from faithmeter.extract import Extractor
from faithmeter.results import Report, Result, Tally
from faithmeter.runs.engines import Engine, InProcess, Job, JobResults, Workers
from faithmeter.runs.journal import Journal
from faithmeter.runs.progress import Known
from faithmeter.runs.progress import progress as show_progress
from faithmeter.runs.read_ahead import ReadAhead
from faithmeter.runs.worker import Caching, Specs, close, single_threaded
from faithmeter.runtime import sync
from faithmeter.scoring import Scoring, load_scoring
from faithmeter.verify import DEFAULT_VERIFIER, Verifier

SMALL = 32  # samples that are judged before worker processes have even started
CONCURRENCY = 16  # samples in flight, of a verifier that does not say


async def aevaluate(
    data: Any,
    *,
    verifier: str | Verifier = DEFAULT_VERIFIER,
    extractor: str | Extractor = "sentences",
    scoring: str | Scoring = "plain",
    columns: Mapping[str, str] | None = None,
    min_score: float | None = None,
    workers: int | None = None,
    corpus: str | Path | None = None,
    output: str | Path | None = None,
    cache: str | Path | bool = False,
    progress: bool | Literal["auto", "bar", "json", "none"] = False,
) -> Report:
    """Check every sample of a data set: `evaluate` for async code, with its arguments.

    ```python
    report = await aevaluate("answers.jsonl", verifier="lexical")
    ```
    """
    judges = Judges.of(verifier, extractor, scoring, workers=workers, cache=cache, corpus=corpus)
    samples = _good(read_data(data, columns=columns))
    shown = ("auto" if progress else "none") if isinstance(progress, bool) else progress
    known = Known(len(data) if isinstance(data, Sized) and not isinstance(data, str) else None)
    lines: dict[int, bytes] = {}
    with _journal(output) as journal, show_progress(shown) as tick:
        run = Run(judges, journal=journal, min_score=min_score)
        async with aclosing(run.over(samples)) as judgements:
            async for judged in judgements:
                if not journal:
                    lines.update(zip((job.number for job in judged.jobs), judged.batch.lines, strict=True))
                tick(run, known)
        if journal:
            journal.finish()
            return Report(results=tuple(read_results(journal.output)), min_score=min_score)
    results = tuple(Result.model_validate_json(lines[number]) for number in sorted(lines))
    return Report(results=results, min_score=min_score)


def evaluate(
    data: Any,
    *,
    verifier: str | Verifier = DEFAULT_VERIFIER,
    extractor: str | Extractor = "sentences",
    scoring: str | Scoring = "plain",
    columns: Mapping[str, str] | None = None,
    min_score: float | None = None,
    workers: int | None = None,
    corpus: str | Path | None = None,
    output: str | Path | None = None,
    cache: str | Path | bool = False,
    progress: bool | Literal["auto", "bar", "json", "none"] = False,
) -> Report:
    """Check every sample of a data set; a bad row is an error.

    Args:
        data: A path, a glob, several of them, a pandas, polars or Arrow frame, or an iterable or async iterable of
            samples, rows, or what frameworks hand over: chains' outputs, responses, conversations.
        verifier: Who judges: `local`, `lexical`, `openai:MODEL`, … (`faithmeter models` lists all), or your own.
        extractor: Who finds the claims: `sentences`, an LLM such as `openai:MODEL`, or your own.
        scoring: How verdicts become a score: `plain`, `strict`, `weighted`, or as another tool counts.
        columns: A field (`answer`, `contexts`, `question`, `id`, `metadata`) to the column that holds it.
        min_score: What an answer must reach to pass; the report's `pass_rate` counts by it.
        workers: Processes for a verifier that keeps a core busy (by default one a core for all but small data
            sets), or samples in flight for one that waits, such as an LLM.
        corpus: A folder of text files, or JSON lines: what the contexts lack is looked up there. Retrieval missed it,
            or it was made up.
        output: A file for the results, one JSON object a line, written as the run goes. Called again, it goes on:
            what is there is not judged twice.
        cache: Where verdicts are kept: a file or `redis://HOST`; True, the user's cache folder; False, nowhere.
        progress: Whether to show how it is getting on, on standard error: True, or `bar` or `json`.

    Returns:
        The results, in the order of the data, and the numbers that follow from them.

    Raises:
        RowError: A row is no sample; says where and what.
        UsageError: There is no such verifier, extractor or scoring.

    ```python
    report = evaluate([{"answer": "Paris is in France.", "contexts": ["Paris, France."]}], verifier="lexical")
    report.save("report.html")
    ```
    """
    return sync.run(
        aevaluate(
            data,
            verifier=verifier,
            extractor=extractor,
            scoring=scoring,
            columns=columns,
            min_score=min_score,
            workers=workers,
            corpus=corpus,
            output=output,
            cache=cache,
            progress=progress,
        )
    )


def _journal(output: str | Path | None) -> AbstractContextManager[Journal | None]:
    return nullcontext() if output is None else Journal(Path(output))


class Judges(NamedTuple):
    """An evaluator, and what it takes to have more of it in other processes."""

    evaluator: Evaluator
    specs: Specs | None = None
    """None: the evaluator cannot be built from strings, and stays in this process."""
    workers: int | None = None
    """Processes for a verifier that keeps a core busy, samples in flight for one that waits; None: as fits."""

    @classmethod
    def of(
        cls,
        verifier: str | Verifier,
        extractor: str | Extractor,
        scoring: str | Scoring,
        *,
        workers: int | None = None,
        cache: str | Path | bool = False,
        corpus: str | Path | None = None,
    ) -> Judges:
        """Judges from specs or parts."""
        if workers is not None and workers < 1:
            raise UsageError(f"there must be at least one worker, found {workers}")
        corpus_path = None if corpus is None else str(corpus)
        if isinstance(verifier, str) and isinstance(extractor, str):
            caching = Caching(str(cache) if isinstance(cache, Path) else cache) if cache is not False else None
            specs = Specs(verifier, extractor, load_scoring(scoring), caching, corpus=corpus_path)
            return cls(specs.build(), specs, workers)
        evaluator = Evaluator(verifier=verifier, extractor=extractor, scoring=scoring, corpus=corpus)
        if cache is not False:
            evaluator.verifier = wrap(evaluator.verifier, cache=cache)
            evaluator.extractor = wrap_extractor(evaluator.extractor, cache=cache)
        return cls(evaluator, None, workers)

    @property
    def cpu_bound(self) -> bool:
        """Whether judging keeps a core busy, rather than waiting for somebody else."""
        parts = (self.evaluator.verifier, self.evaluator.extractor)
        return all(getattr(part, "cpu_bound", False) for part in parts)

    def engine(self, *, small: bool) -> Engine:
        """Who judges; `small` says that there are few samples."""
        if not self.cpu_bound:
            own: int = getattr(self.evaluator.verifier, "concurrency", CONCURRENCY)
            return InProcess(self.evaluator, concurrency=self.workers or own)
        count = self.workers or (1 if small else cores())
        if self.workers == 1:  # one core, as asked: two samples in flight would keep two threads busy
            return InProcess(single_threaded(self.evaluator), concurrency=1, chunks=True)
        if self.specs is None or count == 1:
            return InProcess(self.evaluator, concurrency=2, chunks=True)
        return Workers(self.specs, count=count, signature=self.evaluator.signature)


class Run:
    """One pass over a data set: each sample's result is taken from the journal, or judged and journaled."""

    def __init__(
        self,
        judges: Judges,
        *,
        journal: Journal | None = None,
        min_score: float | None = None,
        fail_fast: bool = False,
        max_failures: int | None = None,
    ) -> None:
        self.judges = judges
        self.journal = journal
        self.fail_fast = fail_fast
        self.max_failures = max_failures
        self.tally = Tally(min_score=min_score)
        self.judged = 0
        """How many samples were judged, not counting those from the journal."""
        self.stopped: str | None = None
        """Why the run ended early, if it did."""
        self._failures = 0
        self._feed: ReadAhead[Sample] | None = None

    def stop(self, why: str) -> None:
        """Take no more samples; those in flight are finished."""
        self.stopped = self.stopped or why
        if self._feed:
            self._feed.stop()

    async def over(self, samples: Iterator[Sample] | AsyncIterator[Sample]) -> AsyncGenerator[JobResults, None]:
        """What is judged, as it is finished; it is in the journal by then."""
        jobs, small = self._jobs(samples), False
        if self.judges.cpu_bound and self.judges.workers is None:
            jobs, small = await _peeked(jobs, SMALL)
        try:
            engine = self.judges.engine(small=small)
            async with aclosing(engine.judge(jobs, stopping=lambda: self.stopped is not None)) as judgements:
                async for judged in judgements:
                    self._take(judged)
                    yield judged
        finally:
            if self.judges.specs:  # built for this run; a user's own parts stay open
                await close(self.judges.evaluator)

    async def _jobs(self, samples: Iterator[Sample] | AsyncIterator[Sample]) -> AsyncIterator[Job]:
        self._feed = ReadAhead(samples)
        signature = self.judges.evaluator.signature
        number = 0
        async for sample in self._feed:
            number += 1
            result = self.journal.meet(sample, signature) if self.journal else None
            if result is None:
                yield Job(number, sample)
            else:
                self.tally.add(result)
                await asyncio.sleep(0)  # many of these in a row must not delay a Ctrl-C
            if self.stopped:
                break

    def _take(self, judged: JobResults) -> None:
        if self.journal:
            ids = (job.sample.id for job in judged.jobs)
            self.journal.append(zip(ids, judged.batch.lines, strict=True))
        tally = judged.batch.tally
        self.tally.merge(tally)
        self.judged += tally.count
        self._failures += tally.statuses["failed"] + tally.statuses["partial"]
        limit = self.tally.min_score
        if self.max_failures is not None and self._failures >= self.max_failures:
            self.stop(f"{self._failures} answers could not be judged in full")
        elif self.fail_fast and limit is not None and any(score < limit for score in tally.scores):
            self.stop(f"an answer scored {min(tally.scores):.2f}, below {limit:g}")
        elif self.fail_fast and self._failures:
            self.stop("an answer could not be judged in full")


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


async def _good(rows: Iterator[Row] | AsyncIterator[Row]) -> AsyncIterator[Sample]:
    async for row in ReadAhead(rows):
        if isinstance(row, RowError):
            raise row
        yield row


async def _peeked(jobs: AsyncIterator[Job], count: int) -> tuple[AsyncIterator[Job], bool]:
    """The same jobs, and whether there are no more than `count`."""
    first: list[Job] = []
    error: Exception | None = None
    try:
        async for job in jobs:
            first.append(job)
            if len(first) > count:
                break
    except Exception as caught:  # raised when the jobs before it are taken
        error = caught

    async def again() -> AsyncIterator[Job]:
        for job in first:
            yield job
        if error:
            raise error
        async for job in jobs:
            yield job

    return again(), len(first) <= count
