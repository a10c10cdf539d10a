"""Claims and verdicts in one call: the joint mode of the LLM judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from faithmeter.datamodels import Claim, Extraction, Failure, Outcome, Pair, Sample, Usage
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.judge.batching import Problem, Reading, ask_all
from faithmeter.judge.extract import AS_IT_STANDS, LLMExtractor, most_claims, surroundings, usable
from faithmeter.judge.fencing import Item, fenced, numbers
from faithmeter.judge.parsing import as_number, as_text, folded, read_object
from faithmeter.judge.prompts import Instructions
from faithmeter.judge.verdict_schema import (
    TOKENS_A_VERDICT,
    Finding,
    array,
    check,
    fields,
    list_of,
    one_of,
    outcome,
    passages,
    record,
    string,
)
from faithmeter.judge.verify import Judge
from faithmeter.llm.protocol import Reply, Request
from faithmeter.llm.secrets import Access
from faithmeter.llm.settings import JudgeSettings, configured, signed_model

Judged = tuple[str, Finding | None]
"""A claim, and what was found; None if that did not pass the checks and is asked for on its own."""


class JointExtractor:
    """Takes an answer apart and judges its claims in one call; a judge settles what does not pass the checks."""

    def __init__(
        self, spec: str, *, settings: JudgeSettings | None = None, access: Access | None = None, **options: Any
    ) -> None:
        self.spec, self.settings = configured(spec, settings, {**options, "mode": "joint"})
        self._judge = Judge(spec, settings=settings, access=access, **{**options, "mode": "joint"})
        self._plainly = LLMExtractor(spec, settings=settings, access=access, **{**options, "mode": "joint"})
        self._sentences = SentenceExtractor()
        self._instructions = Instructions("joint", self.settings)
        self.client = self._judge.client

    @property
    def signature(self) -> str:
        """The model, the prompt with its version, and every setting that bears on claims and verdicts."""
        parts = [
            signed_model(self.spec, self.settings),
            self._sentences.signature,
            self._instructions.signature,
            *self.settings.signed,
        ]
        return ",".join(parts)

    async def extract(self, sample: Sample) -> Extraction | Failure:
        """The claims in order, each with its outcome."""
        # Several votes need a list of claims that stays the same from vote to vote.
        if self.settings.votes > 1 or not any(context.text.strip() for context in sample.contexts):
            return await self._plainly.extract(sample)
        plain = await self._sentences.extract(sample)
        answers: dict[int, tuple[Judged, ...] | Problem] = {}
        if plain.claims:
            await ask_all(
                plain.claims,
                answers,
                client=self.client,
                question=_Joint(sample, plain, self.settings, self._instructions.text),
                batch=self.settings.batch,
                asks=self.settings.asks,
            )
        return await self._assembled(sample, plain, [answers[place] for place in range(len(plain.claims))])

    def estimate(self, sample: Sample, plain: Extraction) -> Usage:
        """About what the joint call takes, if nothing has to be asked again; asks nothing."""
        if self.settings.votes > 1:
            return self._plainly.estimate(sample, plain)
        question = _Joint(sample, plain, self.settings, self._instructions.text)
        batch = self.settings.batch
        starts = range(0, len(plain.claims), batch)
        return self.client.estimate([question.put(plain.claims[start : start + batch])[0] for start in starts])

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self.client.aclose()

    async def _assembled(
        self, sample: Sample, plain: Extraction, found: Sequence[tuple[Judged, ...] | Problem]
    ) -> Extraction:
        claims: list[Claim] = []
        outcomes: list[Outcome | None] = []
        seen: set[str] = set()
        for sentence, judged in zip(plain.claims, found, strict=True):
            if isinstance(judged, Problem) and judged.kind not in AS_IT_STANDS:
                claims.append(sentence)
                outcomes.append(outcome(sentence, judged, str(self.spec)))
                continue
            whole: tuple[Judged, ...] = ((sentence.text, None),)
            for words, finding in whole if isinstance(judged, Problem) or not judged else judged:
                if folded(words) in seen:
                    continue
                seen.add(folded(words))
                claims.append(Claim(text=words, start=sentence.start, end=sentence.end))
                outcomes.append(None if finding is None else outcome(claims[-1], finding, str(self.spec)))
        settled = iter(
            await self._judge.verify(
                [Pair(claim, sample) for claim, known in zip(claims, outcomes, strict=True) if known is None]
            )
        )
        return Extraction(
            claims=tuple(claims),
            asides=plain.asides,
            outcomes=tuple(next(settled) if known is None else known for known in outcomes),
        )


class _Joint:
    """Asks what some sentences claim, and for a verdict on each claim."""

    def __init__(self, sample: Sample, plain: Extraction, settings: JudgeSettings, instructions: str) -> None:
        self._sample = sample
        self._plain = plain
        self._settings = settings
        self._instructions = instructions
        claims = array(record({"text": string(), **fields(settings)}))
        self._schema = list_of("sentences", {"sentence": {"type": "integer"}, "claims": claims})
        self._shown = passages(sample.contexts)
        numbers = [item.number for item in self._shown if item.number]
        self._closed_claim = record({"text": string(500), **fields(settings, numbers=numbers)})

    def put(self, items: Sequence[Claim]) -> tuple[Request, dict[int, tuple[int, str]]]:
        """The request, and for each sentence number its place and its text."""
        ids = numbers(len(items))
        sentences = [Item("S", n, item.text) for n, item in zip(ids, items, strict=True)]
        data = [*self._shown, *surroundings(items, self._plain, self._sample), *sentences]
        most = max(most_claims(item.text) for item in items)
        request = Request(
            system=self._instructions,
            user=fenced(data),
            name="sentences",
            schema=self._schema,
            closed=list_of(
                "sentences", {"sentence": one_of(ids), "claims": array(self._closed_claim, most=most)}, count=len(ids)
            ),
            expected_tokens=30 + 2 * (20 + TOKENS_A_VERDICT[self._settings.reasons]) * len(items),
            settings=self._settings.sent,
        )
        return request, {number: (place, items[place].text) for place, number in enumerate(ids)}

    def read(self, reply: Reply, key: dict[int, tuple[int, str]]) -> Reading[tuple[Judged, ...]]:
        """The claims of each sentence with what was found; a sentence that comes twice is asked again."""
        reading: Reading[tuple[Judged, ...]] = Reading()
        seen: set[int] = set()
        for row in read_object(reply.text, key="sentences"):
            number = as_number(row.get("sentence")) if isinstance(row, dict) else None
            if number not in key:
                continue
            place, sentence = key[number]
            rows = row.get("claims")
            given = (
                [item.get("text") if isinstance(item, dict) else None for item in rows]
                if isinstance(rows, list)
                else None
            )
            texts = usable(given, sentence, self._sample)
            if place in seen or texts is None:
                reading.bad[place] = Problem(
                    "malformed", "the sentence's claims are no list of claims, run away, or come twice"
                )
            elif texts:
                reading.good[place] = tuple((t, self._found(t, rows, sentence)) for t in texts)
            else:
                reading.doubtful[place] = ()  # the code took the sentence for a claim
            seen.add(place)
        for place in reading.bad:
            reading.good.pop(place, None)
            reading.doubtful.pop(place, None)
        return reading

    def _found(self, claim: str, rows: Sequence[dict[str, Any]], sentence: str) -> Finding | None:
        """What was found about a claim; None if it is not sound, or the claim comes twice."""
        own = [row for row in rows if folded(as_text(row.get("text"))) == folded(claim)]
        checked = check(own[0], self._sample.contexts, self._settings, claim=f"{claim} {sentence}")
        if len(own) > 1 or isinstance(checked, Problem) or not checked[1]:
            return None
        return checked[0]
