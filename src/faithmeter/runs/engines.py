"""Who judges: this process, many samples at a time, or a worker process for each core."""

from __future__ import annotations

import asyncio
import pickle
import sys
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from contextlib import aclosing, suppress
from typing import Any, NamedTuple, Protocol

from faithmeter.data.jsonl import encode
from faithmeter.datamodels import Failure, Sample
from faithmeter.errors import FaithmeterError, StopRun
from faithmeter.evaluator import Evaluator
from faithmeter.results import Result, Tally
from faithmeter.runs.worker import LENGTH, Batch, Specs, Trouble, judge, pack

CHUNK_SECONDS = 0.05  # of work that is handed over and journaled at once: long compared with that, short for a Ctrl-C
CHUNK_LIMIT = 64


Stopping = Callable[[], bool]


class Job(NamedTuple):
    """A sample to be judged, and its number in the run."""

    number: int
    sample: Sample


class JobResults(NamedTuple):
    """Jobs that were judged together, and what came of them."""

    jobs: Sequence[Job]
    batch: Batch


class Engine(Protocol):
    """Judges samples as they come, in any order, a bounded number at once."""

    def judge(self, jobs: AsyncIterator[Job], *, stopping: Stopping) -> AsyncGenerator[JobResults, None]:
        """Results as they are finished; on an error, first those that are in flight, then the error.

        Once `stopping()` is true, no further sample is begun.
        """
        ...


class InProcess:
    """Judges in this process: for verifiers that wait for others, and for those that cannot be built elsewhere."""

    def __init__(self, evaluator: Evaluator, *, concurrency: int, chunks: bool = False) -> None:
        self.evaluator = evaluator
        self.concurrency = concurrency
        self.chunks = chunks
        """Whether a task takes several samples at once, for verifiers that are very fast."""

    async def judge(self, jobs: AsyncIterator[Job], *, stopping: Stopping) -> AsyncGenerator[JobResults, None]:
        """Each of `concurrency` tasks takes a sample when it has finished one: a hanging one holds up no other."""

        async def work(queue: WorkQueue) -> None:
            size = 1
            while chunk := queue.filled(await queue.next(), size):
                since = time.perf_counter()
                batch = await judge(self.evaluator, [job.sample for job in chunk])
                queue.done(JobResults(chunk, batch))
                await asyncio.sleep(0)  # has it journaled before the next chunk, which may wait for nothing
                if self.chunks:
                    size = _next_size(size, (time.perf_counter() - since) / len(chunk))

        queue = WorkQueue(CHUNK_LIMIT if self.chunks else 1, stopping)
        async with aclosing(_run(queue, jobs, [work] * self.concurrency)) as judgements:
            async for judged in judgements:
                yield judged


class Workers:
    """Judges in worker processes, for verifiers that keep a core busy."""

    def __init__(self, specs: Specs, *, count: int, signature: str) -> None:
        self.specs = specs
        self.count = count
        self.signature = signature

    async def judge(self, jobs: AsyncIterator[Job], *, stopping: Stopping) -> AsyncGenerator[JobResults, None]:
        """Each worker has a chunk in hand and one waiting; chunks grow until they take `CHUNK_SECONDS`."""
        workers = [_Worker(self.specs, signature=self.signature) for _ in range(self.count)]
        try:
            queue = WorkQueue(2 * CHUNK_LIMIT, stopping)
            async with aclosing(_run(queue, jobs, [worker.serve for worker in workers])) as judgements:
                async for judged in judgements:
                    yield judged
        finally:
            for worker in workers:
                await worker.stop()


class WorkQueue:
    """Where the tasks of an engine take jobs, and leave what they have judged."""

    def __init__(self, width: int, stopping: Stopping) -> None:
        self.error: Exception | None = None
        """What a task raised: the others finish what they have in hand."""
        self.feed_error: Exception | None = None
        """What reading raised: all that was read before is judged."""
        self.jobs: asyncio.Queue[Job | None] = asyncio.Queue(width)
        self.judged: asyncio.Queue[JobResults | None] = asyncio.Queue()
        self._stopping = stopping

    async def next(self) -> Job | None:
        """The next job; None when there are no more."""
        return None if self._over else self._taken(await self.jobs.get())

    def at_hand(self) -> Job | None:
        """A job that is there without waiting."""
        return None if self._over or self.jobs.empty() else self._taken(self.jobs.get_nowait())

    def filled(self, first: Job | None, size: int) -> list[Job]:
        """A chunk: this job, and as many more as are there; empty without the first."""
        chunk = [first] if first else []
        while chunk and len(chunk) < size and (job := self.at_hand()):
            chunk.append(job)
        return chunk

    def done(self, judged: JobResults) -> None:
        """Hand over what was judged."""
        self.judged.put_nowait(judged)

    async def feed(self, jobs: AsyncIterator[Job]) -> None:
        """Take in jobs as there is room; None marks the end."""
        try:
            async for job in jobs:
                await self.jobs.put(job)
        except asyncio.CancelledError:
            with suppress(asyncio.QueueFull):  # nobody waits at a full queue
                self.jobs.put_nowait(None)
            raise
        except Exception as error:
            self.feed_error = error
        await self.jobs.put(None)

    def _taken(self, job: Job | None) -> Job | None:
        if job is None:
            self.jobs.put_nowait(None)  # for the others
        return job

    @property
    def _over(self) -> bool:
        return self.error is not None or self._stopping()


Work = Callable[[WorkQueue], Coroutine[Any, Any, None]]


async def _run(queue: WorkQueue, jobs: AsyncIterator[Job], works: Sequence[Work]) -> AsyncGenerator[JobResults, None]:
    """Run the tasks until there are no more jobs or one raises; what is in flight is always finished."""
    running = asyncio.create_task(_to_the_end(queue, jobs, works))
    try:
        while (judged := await queue.judged.get()) is not None:
            yield judged
        if error := queue.error or queue.feed_error:
            raise error
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def _to_the_end(queue: WorkQueue, jobs: AsyncIterator[Job], works: Sequence[Work]) -> None:
    feeding = asyncio.create_task(queue.feed(jobs))

    async def guarded(work: Work) -> None:
        try:
            await work(queue)
        except Exception as error:  # raised where the results are awaited, after those in flight
            queue.error = queue.error or error
            feeding.cancel()

    working = [asyncio.create_task(guarded(work)) for work in works]
    try:
        await asyncio.gather(*working)
    finally:
        for task in (feeding, *working):
            task.cancel()
        await asyncio.gather(feeding, *working, return_exceptions=True)
        queue.judged.put_nowait(None)


class _Worker:
    """One worker process; a new one replaces one that died."""

    def __init__(self, specs: Specs, *, signature: str) -> None:
        self._specs = specs
        self._signature = signature
        self._process: asyncio.subprocess.Process | None = None
        self._size = 1
        self._pending: deque[list[Job]] = deque()
        self._again: deque[list[Job]] = deque()
        self._suspects: set[int] = set()

    async def serve(self, queue: WorkQueue) -> None:
        """Judge chunk after chunk until there are no more jobs."""
        since = time.perf_counter()
        while True:
            while len(self._pending) < 2 and (chunk := await self._chunk(queue)):
                self._pending.append(chunk)
                await self._send(chunk)
            if not self._pending:
                return
            reply = await self._receive()
            now = time.perf_counter()
            if reply is None:
                self._after_death(queue)
                continue
            chunk = self._pending.popleft()
            queue.done(JobResults(chunk, reply))
            self._size = _next_size(self._size, (now - since) / len(chunk))
            since = now

    async def _chunk(self, queue: WorkQueue) -> list[Job]:
        """The next jobs; waits for one only if the worker has nothing to do."""
        if self._again:
            return self._again.popleft() if not self._pending else []  # one at a time, to see which kills the process
        return queue.filled(queue.at_hand() if self._pending else await queue.next(), self._size)

    def _after_death(self, queue: WorkQueue) -> None:
        """Judge what the process had in hand again, one by one; what kills a process twice is a failure."""
        code = self._process.returncode if self._process else None
        self._process = None
        culprit, *others = self._pending
        self._pending.clear()
        if len(culprit) == 1 and culprit[0].number in self._suspects:
            queue.done(self._failed(culprit[0], f"the worker process died twice (exit code {code})"))
            culprit = []
        self._suspects.update(job.number for job in culprit[:1])
        self._again.extend([job] for chunk in (culprit, *others) for job in chunk)

    def _failed(self, job: Job, message: str) -> JobResults:
        failure = Failure(kind="error", message=message)
        result = Result(sample=job.sample, outcomes=(failure,), scoring=self._specs.scoring, signature=self._signature)
        tally = Tally(keep=1)
        tally.add(result)
        return JobResults([job], Batch([encode(result)], tally))

    async def _send(self, chunk: Sequence[Job]) -> None:
        if self._process is None:
            await self._start()
        assert self._process
        assert self._process.stdin
        with suppress(ConnectionError):  # it is dead, as reading its reply will show
            self._process.stdin.write(pack([job.sample.model_dump_json().encode() for job in chunk]))
            await self._process.stdin.drain()

    async def _start(self) -> None:
        code = f"import sys; sys.path[:] = {sys.path!r}; from faithmeter.runs.worker import main; main()"
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            code,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 20,
            start_new_session=True,  # a Ctrl-C is for the run to handle
        )
        assert self._process.stdin
        with suppress(ConnectionError):
            self._process.stdin.write(pack(self._specs))
            await self._process.stdin.drain()
        if await self._receive() is None:
            raise FaithmeterError(f"a worker process died at its start (exit code {self._process.returncode})")

    async def _receive(self) -> Any:
        """The next reply; None if the process is dead."""
        assert self._process
        assert self._process.stdout
        try:
            length = int.from_bytes(await self._process.stdout.readexactly(LENGTH))
            reply = pickle.loads(await self._process.stdout.readexactly(length))
        except asyncio.IncompleteReadError:
            await self._process.wait()
            return None
        if isinstance(reply, Trouble):
            raise StopRun(reply.message) if reply.stops else FaithmeterError(reply.message)
        return reply

    async def stop(self) -> None:
        """Let the process end; one that is busy is ended."""
        if self._process is None:
            return
        assert self._process.stdin
        self._process.stdin.close()
        try:
            if self._pending:
                self._process.kill()
            await asyncio.wait_for(self._process.wait(), 5)
        except (TimeoutError, ProcessLookupError):
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


def _next_size(size: int, seconds: float) -> int:
    """A chunk's size, when a sample took `seconds`: at most twice the last one's."""
    return max(1, min(CHUNK_LIMIT, 2 * size, int(CHUNK_SECONDS / max(seconds, 1e-6))))
