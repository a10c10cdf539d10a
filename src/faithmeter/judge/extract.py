"""Claims by an LLM: code takes the sentences, the model says what each of them claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from faithmeter.datamodels import Claim, Extraction, Failure, Sample, Usage
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.judge.batching import Problem, Reading, ask_all
from faithmeter.judge.fencing import Item, fenced, numbers
from faithmeter.judge.parsing import as_number, as_text, folded, read_object
from faithmeter.judge.prompts import Instructions
from faithmeter.judge.verdict_schema import array, list_of, one_of, string
from faithmeter.llm.client import Client, shared_client
from faithmeter.llm.protocol import Reply, Request
from faithmeter.llm.secrets import Access
from faithmeter.llm.settings import JudgeSettings, configured, signed_model
from faithmeter.text import words

_SCHEMA = list_of("sentences", {"sentence": {"type": "integer"}, "claims": array(string())})
# What the model left out or garbled, however often it was asked, is judged as it stands in the answer;
# any other trouble means that the answer was not taken apart.
AS_IT_STANDS = ("missing", "malformed", "truncated", "bad_citation")


class LLMExtractor:
    """Breaks an answer's sentences into standalone claims with an LLM: `LLMExtractor("openai:MODEL")`."""

    def __init__(
        self, spec: str, *, settings: JudgeSettings | None = None, access: Access | None = None, **options: Any
    ) -> None:
        self.spec, given = configured(spec, settings, options)
        self.settings = given.for_extraction()
        self.client: Client = shared_client(self.spec, self.settings, access)
        self._instructions = Instructions("extract", self.settings)
        self._sentences = SentenceExtractor()

    @property
    def signature(self) -> str:
        """The model, the prompt with its version, and every setting that bears on the claims."""
        parts = [
            signed_model(self.spec, self.settings),
            self._sentences.signature,
            self._instructions.signature,
            *self.settings.signed,
        ]
        return ",".join(parts)

    def reads(self, sample: Sample) -> Sequence[str]:
        """The question, for what pronouns stand for; never the contexts."""
        return (sample.question or "",)

    async def extract(self, sample: Sample) -> Extraction | Failure:
        """The claims of each sentence, in the answer's order; a claim has its sentence's span."""
        plain = await self._sentences.extract(sample)
        answers: dict[int, tuple[str, ...] | Problem] = {}
        if plain.claims:
            await ask_all(
                plain.claims,
                answers,
                client=self.client,
                question=_Breakdown(sample, plain, self.settings, self._instructions.text),
                batch=self.settings.batch,
                asks=self.settings.asks,
            )
        trouble = next((a for a in answers.values() if isinstance(a, Problem) and a.kind not in AS_IT_STANDS), None)
        if trouble is not None:
            return Failure(kind=trouble.kind, message=f"the claims could not be extracted: {trouble.message}")
        return assembled(plain, [answers[place] for place in range(len(plain.claims))])

    def estimate(self, sample: Sample, plain: Extraction) -> Usage:
        """About what taking these sentences apart takes, if nothing has to be asked again; asks nothing."""
        question = _Breakdown(sample, plain, self.settings, self._instructions.text)
        batch = self.settings.batch
        starts = range(0, len(plain.claims), batch)
        return self.client.estimate([question.put(plain.claims[start : start + batch])[0] for start in starts])

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self.client.aclose()


def assembled(plain: Extraction, found: Sequence[tuple[str, ...] | Problem]) -> Extraction:
    """The claims in order, without repetitions; a sentence of which none were found is its own claim."""
    claims: list[Claim] = []
    seen: set[str] = set()
    for sentence, texts in zip(plain.claims, found, strict=True):
        for wording in (sentence.text,) if isinstance(texts, Problem) or not texts else texts:
            if folded(wording) not in seen:
                seen.add(folded(wording))
                claims.append(Claim(text=wording, start=sentence.start, end=sentence.end))
    return Extraction(claims=tuple(claims), asides=plain.asides)


def most_claims(sentence: str) -> int:
    """More claims than a sentence can make."""
    return max(4, len(words(sentence)))


def _closed(ids: Sequence[int], items: Sequence[Claim]) -> dict[str, Any]:
    most = max(most_claims(item.text) for item in items)
    claims = array(string(2 * max(len(item.text) for item in items) + 100), most=most)
    return list_of("sentences", {"sentence": one_of(ids), "claims": claims}, count=len(ids))


def usable(texts: object, sentence: str, sample: Sample) -> tuple[str, ...] | None:
    """The claims of a sentence without repetitions; None unless each of them is a text, and all are as many and long
    as a sentence can make."""
    if not isinstance(texts, list):
        return None
    kept: dict[str, str] = {}
    for text in map(as_text, texts):
        if not any(char.isalnum() for char in text) or _too_long(text, sentence, sample):
            return None
        kept.setdefault(folded(text), text)
    return tuple(kept.values()) if len(kept) <= most_claims(sentence) else None


def _too_long(text: str, sentence: str, sample: Sample) -> bool:
    """Whether a claim says far more than its sentence could: a model that runs away."""
    return len(text) > 4 * len(sentence) + len(sample.question or "") + 200


def surroundings(items: Sequence[Claim], plain: Extraction, sample: Sample) -> list[Item]:
    """What the model needs beside the sentences to know what their pronouns stand for."""
    asked = [Item("Q", None, sample.question)] if sample.question else []
    if len(items) == len(plain.claims) and not plain.asides:
        return asked  # the sentences are the whole answer
    starts = sorted([claim.start for claim in plain.claims] + [aside.start for aside in plain.asides])
    before = [start for start in starts if start < items[0].start]
    start = before[-3:][0] if before else items[0].start
    return [*asked, Item("A", None, sample.answer[start : items[-1].end])]


class _Breakdown:
    """Asks what some sentences of one answer claim."""

    def __init__(self, sample: Sample, plain: Extraction, settings: JudgeSettings, instructions: str) -> None:
        self._sample = sample
        self._plain = plain
        self._settings = settings
        self._instructions = instructions

    def put(self, items: Sequence[Claim]) -> tuple[Request, dict[int, tuple[int, str]]]:
        """The request, and for each sentence number its place and its text."""
        ids = numbers(len(items))
        sentences = [Item("S", n, item.text) for n, item in zip(ids, items, strict=True)]
        request = Request(
            system=self._instructions,
            user=fenced([*surroundings(items, self._plain, self._sample), *sentences]),
            name="sentences",
            schema=_SCHEMA,
            closed=_closed(ids, items),
            expected_tokens=30 + sum(25 + len(item.text) // 2 for item in items),
            settings=self._settings.sent,
        )
        return request, {number: (place, items[place].text) for place, number in enumerate(ids)}

    def read(self, reply: Reply, key: dict[int, tuple[int, str]]) -> Reading[tuple[str, ...]]:
        """A list of claims a sentence; a sentence that comes twice has the claims of both.

        The code took each sentence for a claim, so an empty list is doubted: asked once more, and not taken even then.
        """
        reading: Reading[tuple[str, ...]] = Reading()
        for row in read_object(reply.text, key="sentences"):
            number = as_number(row.get("sentence")) if isinstance(row, dict) else None
            if number not in key:
                continue
            place, sentence = key[number]
            texts = usable(row.get("claims"), sentence, self._sample)
            if texts is None:
                reading.bad[place] = Problem("malformed", "the sentence's claims are no list of texts, or run away")
            elif texts:
                reading.good[place] = tuple(dict.fromkeys([*reading.good.get(place, ()), *texts]))
            else:
                reading.doubtful[place] = ()
        for place in reading.bad:
            reading.good.pop(place, None)
            reading.doubtful.pop(place, None)
        return reading
