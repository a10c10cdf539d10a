"""Claims by an LLM: code takes the sentences, the model says what each of them claims.

`SentenceQuestion` is the asking that `extract` and `joint` share; what is asked about a claim is theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from faithmeter.datamodels import Claim, Extraction, Failure, Sample, Usage
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.judge.batching import Problem, ReplyCheck, ask_all
from faithmeter.judge.fencing import Item, fenced, numbers
from faithmeter.judge.parsing import as_number, as_text, folded, read_object
from faithmeter.judge.prompts import Instructions, Task
from faithmeter.judge.verdict_schema import array, list_of, one_of, string
from faithmeter.llm.client import Client, shared_client
from faithmeter.llm.protocol import Reply, Request
from faithmeter.llm.secrets import Access
from faithmeter.llm.settings import JudgeSettings, ModelSpec, configured, signed_model
from faithmeter.text import words

Extracted = TypeVar("Extracted")
"""What is extracted from a sentence: a claim, or a claim with its verdict."""

# What the model left out or garbled, however often it was asked, is judged as it stands in the answer;
# any other trouble means that the answer was not taken apart.
AS_IT_STANDS = ("missing", "malformed", "truncated", "bad_citation")


class SentenceExtractorByLLM(Generic[Extracted]):
    """What an extractor that asks about sentences is made of."""

    task: ClassVar[Task]

    def __init__(self, spec: ModelSpec, settings: JudgeSettings, client: Client) -> None:
        self.spec = spec
        self.settings = settings
        self.client = client
        self._instructions = Instructions(self.task, settings)
        self._sentences = SentenceExtractor()

    @cached_property  # asked for with every sample
    def signature(self) -> str:
        """The model, the prompt with its version, and every setting that affects what is found."""
        model = signed_model(self.spec, self.settings)
        return ",".join([model, self._sentences.signature, self._instructions.signature, *self.settings.signed])

    def _question(self, sample: Sample, plain: Extraction) -> SentenceQuestion[Extracted]:
        raise NotImplementedError

    async def _ask(self, sample: Sample, plain: Extraction) -> list[tuple[Extracted, ...] | Problem]:
        """What the model makes of each sentence."""
        answers: dict[int, tuple[Extracted, ...] | Problem] = {}
        if plain.claims:
            await ask_all(
                plain.claims,
                answers,
                client=self.client,
                question=self._question(sample, plain),
                batch=self.settings.batch,
                asks=self.settings.asks,
            )
        return [answers[index] for index in range(len(plain.claims))]

    def estimate(self, sample: Sample, plain: Extraction) -> Usage:
        """About what asking about these sentences takes, if nothing has to be asked again; asks nothing."""
        question, batch = self._question(sample, plain), self.settings.batch
        starts = range(0, len(plain.claims), batch)
        return self.client.estimate([question.put(plain.claims[start : start + batch])[0] for start in starts])

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self.client.aclose()


class LLMExtractor(SentenceExtractorByLLM[str]):
    """Breaks an answer's sentences into standalone claims with an LLM: `LLMExtractor("openai:MODEL")`."""

    task = "extract"

    def __init__(
        self, spec: str, *, settings: JudgeSettings | None = None, access: Access | None = None, **options: Any
    ) -> None:
        model, given = configured(spec, settings, options)
        given = given.for_extraction()
        super().__init__(model, given, shared_client(model, given, access))

    def reads(self, sample: Sample) -> Sequence[str]:
        """The question, for what pronouns stand for; never the contexts."""
        return (sample.question or "",)

    async def extract(self, sample: Sample) -> Extraction | Failure:
        """The claims of each sentence, in the answer's order; a claim has its sentence's span."""
        plain = await self._sentences.extract(sample)
        answers = await self._ask(sample, plain)
        trouble = next((a for a in answers if isinstance(a, Problem) and a.kind not in AS_IT_STANDS), None)
        if trouble is not None:
            return Failure(kind=trouble.kind, message=f"the claims could not be extracted: {trouble.message}")
        return assembled(plain, answers)

    def _question(self, sample: Sample, plain: Extraction) -> SentenceQuestion[str]:
        return _Breakdown(sample, plain, self.settings, self._instructions.text)


def assembled(plain: Extraction, answers: Sequence[tuple[str, ...] | Problem]) -> Extraction:
    """The claims in order, without repetitions; a sentence of which none were found is its own claim."""
    claims: list[Claim] = []
    seen: set[str] = set()
    for sentence, texts in zip(plain.claims, answers, strict=True):
        for wording in (sentence.text,) if isinstance(texts, Problem) or not texts else texts:
            if folded(wording) not in seen:
                seen.add(folded(wording))
                claims.append(Claim(text=wording, start=sentence.start, end=sentence.end))
    return Extraction(claims=tuple(claims), asides=plain.asides)


def most_claims(sentence: str) -> int:
    """More claims than a sentence can make."""
    return max(4, len(words(sentence)))


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


class SentenceQuestion(Generic[Extracted]):
    """Asks about some sentences of one answer, for a list of claims each."""

    twice_is_bad: ClassVar[bool]
    """Whether a sentence that comes twice is asked again; else it has the claims of both."""

    def __init__(self, sample: Sample, plain: Extraction, settings: JudgeSettings, instructions: str) -> None:
        self._sample = sample
        self._plain = plain
        self._settings = settings
        self._instructions = instructions

    def _shown(self) -> list[Item]:
        """What stands before the sentences."""
        raise NotImplementedError

    def _claim_schema(self, items: Sequence[Claim] = ()) -> dict[str, Any]:
        """The schema of a claim; with the sentences it is closed."""
        raise NotImplementedError

    def _expected_tokens(self, items: Sequence[Claim]) -> int:
        raise NotImplementedError

    def _extracted(self, rows: object, sentence: str) -> tuple[Extracted, ...] | None:
        """What a sentence's list says; None if it is no list of claims, or runs away."""
        raise NotImplementedError

    def put(self, items: Sequence[Claim]) -> tuple[Request, dict[int, tuple[int, str]]]:
        """The request, and for each sentence number its index and its text."""
        ids = numbers(len(items))
        sentences = [Item("S", n, item.text) for n, item in zip(ids, items, strict=True)]
        most = max(most_claims(item.text) for item in items)
        claims, closed = array(self._claim_schema()), array(self._claim_schema(items), most=most)
        request = Request(
            system=self._instructions,
            user=fenced([*self._shown(), *self._surroundings(items), *sentences]),
            name="sentences",
            schema=list_of("sentences", {"sentence": {"type": "integer"}, "claims": claims}),
            closed=list_of("sentences", {"sentence": one_of(ids), "claims": closed}, count=len(ids)),
            expected_tokens=30 + self._expected_tokens(items),
            settings=self._settings.sent,
        )
        return request, {number: (index, items[index].text) for index, number in enumerate(ids)}

    def _surroundings(self, items: Sequence[Claim]) -> list[Item]:
        """What the model needs beside the sentences to know what their pronouns stand for."""
        sample, plain = self._sample, self._plain
        asked = [Item("Q", None, sample.question)] if sample.question else []
        if len(items) == len(plain.claims) and not plain.asides:
            return asked  # the sentences are the whole answer
        starts = sorted([claim.start for claim in plain.claims] + [aside.start for aside in plain.asides])
        before = [start for start in starts if start < items[0].start]
        start = before[-3:][0] if before else items[0].start
        return [*asked, Item("A", None, sample.answer[start : items[-1].end])]

    def read(self, reply: Reply, key: dict[int, tuple[int, str]]) -> ReplyCheck[tuple[Extracted, ...]]:
        """A list of claims a sentence.

        The code took each sentence for a claim, so an empty list is doubted: asked once more, and not taken even then.
        """
        checked: ReplyCheck[tuple[Extracted, ...]] = ReplyCheck()
        seen: set[int] = set()
        for row in read_object(reply.text, key="sentences"):
            number = as_number(row.get("sentence")) if isinstance(row, dict) else None
            if number not in key:
                continue
            index, sentence = key[number]
            extracted = self._extracted(row.get("claims"), sentence)
            if extracted is None or (self.twice_is_bad and index in seen):
                checked.bad[index] = Problem("malformed", "the sentence's claims are no list, run away, or come twice")
            elif extracted:
                checked.good[index] = tuple(dict.fromkeys([*checked.good.get(index, ()), *extracted]))
            else:
                checked.doubtful[index] = ()
            seen.add(index)
        for index in checked.bad:
            checked.good.pop(index, None)
            checked.doubtful.pop(index, None)
        return checked


class _Breakdown(SentenceQuestion[str]):
    """Asks what some sentences of one answer claim."""

    twice_is_bad = False

    def _shown(self) -> list[Item]:
        return []

    def _claim_schema(self, items: Sequence[Claim] = ()) -> dict[str, Any]:
        return string(2 * max(len(item.text) for item in items) + 100 if items else None)

    def _expected_tokens(self, items: Sequence[Claim]) -> int:
        return sum(25 + len(item.text) // 2 for item in items)

    def _extracted(self, rows: object, sentence: str) -> tuple[str, ...] | None:
        return usable(rows, sentence, self._sample)
