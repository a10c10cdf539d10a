"""A worker process of a run: `python -m faithmeter.runs.worker`, samples in by standard input, results out.

Not multiprocessing: that imports the user's main module again, which a notebook or a plain script does not survive.
A message is its length in eight bytes, then a pickle. When the run dies, standard input ends, and so does the worker.
"""

from __future__ import annotations

import asyncio
import gc
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

from faithmeter.cache import wrap, wrap_extractor
from faithmeter.data.jsonl import encode
from faithmeter.datamodels import Sample
from faithmeter.errors import FaithmeterError, StopRun
from faithmeter.evaluator import Evaluator, Step
from faithmeter.extract import load_extractor
from faithmeter.results import Tally
from faithmeter.scoring import Scoring
from faithmeter.verify import load_verifier

KEEP = 50  # of the worst results, for the table at the end
LENGTH = 8
COLLECT_AFTER = 20_000  # new objects; an answer makes thousands, of which next to none are in cycles


class Caching(NamedTuple):
    """How verdicts are cached; the fields are those of `cache.wrap`."""

    cache: str | bool | None = None
    semantic: bool | float | None = None
    refresh: bool = False


class Specs(NamedTuple):
    """What an evaluator is built from, in any process."""

    verifier: str
    extractor: str
    scoring: Scoring
    caching: Caching | None = None
    """None: no cache at all."""
    steps: tuple[Step, ...] = ()
    """What else is done with each answer; sent to the workers as they are."""
    corpus: str | None = None
    """Where to look up what the contexts lack."""

    def build(self) -> Evaluator:
        """The evaluator."""
        verifier, extractor = load_verifier(self.verifier), load_extractor(self.extractor)
        if self.caching:
            verifier = wrap(verifier, **self.caching._asdict())
            extractor = wrap_extractor(extractor, cache=self.caching.cache, refresh=self.caching.refresh)
        return Evaluator(
            verifier=verifier, extractor=extractor, scoring=self.scoring, steps=self.steps, corpus=self.corpus
        )


class Batch(NamedTuple):
    """Some results of a run."""

    lines: list[bytes]
    """Each result as JSON, in the order of the samples."""
    tally: Tally
    """Their numbers."""


class Trouble(NamedTuple):
    """An error that ends the run."""

    message: str
    stops: bool
    """Whether it is a StopRun: a matter of the endpoint, not of the call."""


async def judge(evaluator: Evaluator, samples: Sequence[Sample], *, total: Tally | None = None) -> Batch:
    """Judge samples one after another; `total` is what a judge in another process has counted so far."""
    tally = Tally(keep=KEEP)
    results = [await evaluator.check(sample) for sample in samples]
    for result in results:
        tally.add(result)
    lines = [encode(result) for result in results]
    if total is not None:
        total.merge(tally)
        tally.trim(total)  # results are expensive to send, and few make it into the table
    return Batch(lines, tally)


async def close(evaluator: Evaluator) -> None:
    """Close an evaluator's connections, and have its cache write what is pending."""
    for part in (evaluator.verifier, evaluator.extractor):
        if closing := getattr(part, "aclose", None):
            await closing()


def pack(message: object) -> bytes:
    """A message on its way."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(LENGTH) + data


def _receive(file: BinaryIO) -> Any:
    length = file.read(LENGTH)
    if len(length) < LENGTH:
        raise EOFError
    return pickle.loads(file.read(int.from_bytes(length)))


def single_threaded(evaluator: Evaluator) -> Evaluator:
    """Keep a verifier to one thread: the other cores have workers of their own."""
    if hasattr(evaluator.verifier, "threads"):
        evaluator.verifier.threads = 1
    return evaluator


@contextmanager
def frozen_garbage_collector() -> Iterator[None]:
    """Keep the garbage collector off what is loaded by now: else it walks through 200,000 objects again and again."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def main() -> None:
    """Build the evaluator, then answer each list of samples with a Batch, or with the error that ends the run."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a verifier prints must not end up among the replies
    requests = sys.stdin.buffer

    def reply(message: object) -> None:
        try:
            replies.write(pack(message))
            replies.flush()
        except BrokenPipeError:  # the run has gone
            os._exit(1)

    try:
        evaluator = single_threaded(_receive(requests).build())
        reply("ready")
        total = Tally(keep=KEEP)
        with asyncio.Runner() as runner, frozen_garbage_collector():
            try:
                while True:
                    samples = [Sample.model_validate_json(item) for item in _receive(requests)]
                    reply(runner.run(judge(evaluator, samples, total=total)))
            finally:
                runner.run(close(evaluator))
    except EOFError:
        return
    except FaithmeterError as error:
        reply(Trouble(str(error), isinstance(error, StopRun)))


if __name__ == "__main__":
    main()
