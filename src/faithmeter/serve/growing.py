"""Judges an answer while it is being written: each sentence as soon as the next one has begun.

A sentence is held until it is judged, so that it can be held back. Where a sentence ends is known for
sure only when the answer goes on: a whole word behind it, or enough of one where words have no blanks between them.
At the end the whole answer is cut once more, as `check` would cut it; what it cuts otherwise is judged then, too.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

from faithmeter.datamodels import Aside, Claim, Context, Extraction, Failure, Outcome, Sample, Usage
from faithmeter.extract import asides
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.results import Result
from faithmeter.runtime.boundary import extracted
from faithmeter.serve.batching import urgent
from faithmeter.serve.problems import over_limit
from faithmeter.serve.service import IN_A_THREAD, Service

_STOP = re.compile(r"[.!?…:;。！？।॥؟۔။\n|]")
_WORD_BEHIND = re.compile(r"\s*+\S++\s|\s*+\S{12}")
_IN_TABLE = re.compile(r"\s*+\|[^\n]*+\Z")
_THINKS = re.compile(r"\s*<(?:think|thinking|reasoning)>|\s*<[a-z]{0,9}\Z", re.IGNORECASE)
WINDOW = 8_000
"""Characters from which on only the last paragraphs are cut again for each sentence."""

PATIENCE = 200
"""A long paragraph is cut again only when it has grown by this part: else a sentence without end, a letter at a time,
would take time that grows with its square."""


class Part(NamedTuple):
    """A finished part of the answer, text[start:end], and what was found about its claims, if it makes any."""

    start: int
    end: int
    outcomes: tuple[Outcome, ...]


class Ended(NamedTuple):
    """The whole answer, judged."""

    result: Result
    late: tuple[Claim, ...]
    """Claims that showed only when the whole answer was there: their words were given out before they were judged
    as one claim."""


class GrowingAnswer:
    """An answer under way."""

    def __init__(
        self, service: Service, contexts: Sequence[Context], *, question: str | None, verifier: str | None
    ) -> None:
        self.text = ""
        self._service = service
        self._contexts = tuple(contexts)
        self._question = question
        self._verifier = verifier
        service.within_limits(self._sample())
        self._signature = service.evaluator(verifier).signature
        spec = service.settings.extractor
        self._extractor = SentenceExtractor(language=spec.partition(":")[2] or "en" if "sentences" in spec else "en")
        self._news = asyncio.Event()
        self._ended = False
        self._given = 0
        self._tried = 0
        self._judged: dict[Claim, Outcome] = {}
        self._usage = Usage()

    def feed(self, piece: str) -> None:
        """The answer goes on."""
        self.text += piece
        most = self._service.settings.limits.answer
        if len(self.text) > most:
            raise over_limit("characters of the answer", len(self.text), most)
        self._news.set()

    def end(self) -> None:
        """The answer is complete."""
        self._ended = True
        self._news.set()

    async def parts(self) -> AsyncIterator[Part]:
        """The finished parts, judged, in order; together they are the whole answer."""
        urgent.set(True)
        while True:
            await self._news.wait()
            self._news.clear()
            ended = self._ended
            cut = await self._cut(len(self.text), ended=ended)
            claims = [item for _, items in cut for item in items if isinstance(item, Claim)]
            outcomes = await self._judge(claims) if claims else {}
            for end, items in cut:
                judged = [outcomes[item] for item in items if isinstance(item, Claim)]
                yield Part(self._given, end, tuple(judged))
                self._given = end
            if ended:
                if self._given < len(self.text):  # blanks, or marks that stand for nothing
                    yield Part(self._given, len(self.text), ())
                    self._given = len(self.text)
                return

    async def finish(self) -> Ended:
        """The result of the whole answer, after its last part."""
        urgent.set(True)
        sample = self._sample()
        extraction = await extracted(self._extract, sample)
        if isinstance(extraction, Failure):
            extraction = Extraction(claims=tuple(self._judged))
        late = [claim for claim in extraction.claims if claim not in self._judged]
        if late:
            await self._judge(late)
        outcomes = tuple(self._judged[claim] for claim in extraction.claims)
        return Ended(self._result(outcomes, asides=extraction.asides), tuple(late))

    def _result(self, outcomes: tuple[Outcome, ...], *, asides: tuple[Aside, ...] = ()) -> Result:
        return Result(
            sample=self._sample(),
            outcomes=outcomes,
            asides=asides,
            scoring=self._service.settings.scoring,
            signature=self._signature,
            usage=self._usage,
        )

    async def so_far(self) -> Ended:
        """The result of what was given out or kept back, when the answer is ended early."""
        outcomes = sorted(self._judged.items(), key=lambda item: item[0].start)
        return Ended(self._result(tuple(outcome for _, outcome in outcomes)), ())

    async def _judge(self, claims: Sequence[Claim]) -> dict[Claim, Outcome]:
        result = await self._service.check(self._sample(), verifier=self._verifier, claims=claims)
        self._usage = self._usage + result.usage
        judged = dict(zip(claims, result.outcomes, strict=True))
        self._judged |= judged
        return judged

    def _sample(self) -> Sample:
        # An id of its own: the one that is made otherwise is a hash over all contexts.
        return Sample(id="stream", answer=self.text, contexts=self._contexts, question=self._question)

    async def _cut(self, length: int, *, ended: bool) -> list[tuple[int, list[Claim | Aside]]]:
        """Where the finished sentences that were not given out yet end, and what is in them."""
        text = self.text[:length]
        if not ended and not _STOP.search(text, self._given):
            return []
        if not ended and _THINKS.match(text) and not asides.thinking(text):
            return []  # whether these are thoughts shows when they end
        base = self._base(text)
        if not ended and length - self._tried < (length - base) // PATIENCE:
            return []
        self._tried = length
        part = Sample(id="stream", answer=text[base:], contexts=(), question=self._question)
        extraction = await extracted(self._extract, part)
        if isinstance(extraction, Failure):  # never so far; then all is one claim, judged at the end
            extraction = Extraction(claims=(Claim(text=part.answer, start=0, end=len(part.answer)),))
        unsorted: list[Claim | Aside] = [*extraction.claims, *extraction.asides]
        items = sorted(unsorted, key=lambda item: (item.end, item.start))
        placed = [item.model_copy(update={"start": item.start + base, "end": item.end + base}) for item in items]
        cut: list[tuple[int, list[Claim | Aside]]] = []
        for index, item in enumerate(placed):
            if item.end <= self._given:
                continue
            # Enough must stand behind a sentence to be sure that it ends there; a table's row must be whole.
            goes_on = _WORD_BEHIND.match(text, item.end) and not _IN_TABLE.match(text, item.end)
            if not ended and (index == len(placed) - 1 or not goes_on):
                break
            if cut and cut[-1][0] == item.end:
                cut[-1][1].append(item)
            else:
                cut.append((item.end, [item]))
        return cut

    async def _extract(self, sample: Sample) -> Extraction:
        if len(sample.answer) < IN_A_THREAD:
            return await self._extractor.extract(sample)
        return await asyncio.to_thread(lambda: asyncio.run(self._extractor.extract(sample)))

    def _base(self, text: str) -> int:
        """From where on the text is cut: in a long answer, the last paragraph that begins before what is not out."""
        if len(text) < WINDOW:
            return 0
        at = text.rfind("\n\n", 0, self._given)
        return 0 if at < 0 or text.count("```", 0, at) % 2 else at
