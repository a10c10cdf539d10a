"""Sentences rewritten by an LLM from the evidence: one at a time, fenced, and only ever a proposal.

What comes back is checked by code and judged by the verifier before it is taken; see `faithmeter.fix`.
"""

from __future__ import annotations

from collections.abc import Sequence

from faithmeter.datamodels import Sample, Verdict
from faithmeter.evidence.passages import Index, antecedent, as_text, select
from faithmeter.judge.batching import Problem, ReplyCheck, ask_all
from faithmeter.judge.fencing import Item, fenced, numbers
from faithmeter.judge.parsing import as_number, read_object
from faithmeter.judge.prompts import load_prompt
from faithmeter.judge.verdict_schema import list_of, one_of, string
from faithmeter.llm.client import Client, shared_client
from faithmeter.llm.protocol import Reply, Request
from faithmeter.llm.settings import JudgeSettings, ModelSpec, parse_spec, signed_model
from faithmeter.text import sentences

ASKS = 2
"""How often a rewrite is asked for: without one the sentence is cut, which is safe."""
_BEFORE = 300  # characters of the answer before the sentence: what its pronouns stand for


class LLMRewriter:
    """Rewrites sentences that are not supported with an LLM: `LLMRewriter("openai:MODEL")`."""

    def __init__(
        self, spec: str | ModelSpec, *, settings: JudgeSettings | None = None, client: Client | None = None
    ) -> None:
        if isinstance(spec, str):
            self.spec, given = parse_spec(spec)
            settings = settings or given
        else:
            self.spec = spec
        self.settings = (settings or JudgeSettings()).for_extraction()  # drawn once: no votes, no log-probabilities
        self.client = client or shared_client(self.spec, self.settings)
        self._prompt = load_prompt("rewrite", size=self.settings.prompt)

    @property
    def signature(self) -> str:
        """The model, the prompt with its version, and the settings that affect what is written."""
        return ",".join([signed_model(self.spec, self.settings), self._prompt.signature, *self.settings.signed])

    async def rewrite(self, text: str, verdicts: Sequence[Verdict], sample: Sample) -> str | None:
        """The sentence in words that the evidence supports; None if there is no evidence or the model finds none."""
        evidence = quoted(text, verdicts, sample)
        if not evidence:
            return None
        answers: dict[int, str | Problem] = {}
        question = _Rewriting(evidence, text, sample, self.settings, self._prompt.text(self.settings))
        asks = min(ASKS, self.settings.asks)
        await ask_all([text], answers, client=self.client, question=question, batch=1, asks=asks)
        rewritten = answers[0]
        return None if isinstance(rewritten, Problem) else rewritten or None

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self.client.aclose()


def quoted(text: str, verdicts: Sequence[Verdict], sample: Sample) -> list[str]:
    """What a sentence is rewritten from: the sentences that the verdicts quote, else those that say most of it."""
    sources: dict[str, None] = {}
    for item in (item for verdict in verdicts for item in verdict.evidence):
        context = sample.contexts[item.context].text
        whole = [span.of(context) for span in sentences(context) if span.start < item.end and item.start < span.end]
        sources[" ".join(whole) or item.quote] = None
    if not sources:
        index = Index([context.text for context in sample.contexts])
        hint = antecedent(text, question=sample.asked)
        sources[as_text(select(text, index, hint=hint, share=0.5))] = None
    return [words for words in sources if words.strip()]


class _Rewriting:
    """Asks for one sentence in other words."""

    def __init__(
        self, evidence: Sequence[str], text: str, sample: Sample, settings: JudgeSettings, instructions: str
    ) -> None:
        self._settings = settings
        self._instructions = instructions
        before = sample.answer.partition(text)[0][-_BEFORE:].strip()
        self._data = [
            *(Item("P", number, words) for number, words in enumerate(evidence, 1)),
            *([Item("Q", None, sample.question)] if sample.question else []),
            *([Item("A", None, before)] if before else []),
        ]

    def put(self, items: Sequence[str]) -> tuple[Request, int]:
        """The request, and the sentence's number."""
        (text,) = items
        (number,) = numbers(1)
        fields = {"sentence": {"type": "integer"}, "text": string()}
        closed = {"sentence": one_of([number]), "text": string(2 * len(text) + 100)}
        request = Request(
            system=self._instructions,
            user=fenced([*self._data, Item("S", number, text)]),
            name="sentences",
            schema=list_of("sentences", fields),
            closed=list_of("sentences", closed, count=1),
            expected_tokens=40 + len(text) // 3,
            settings=self._settings.sent,
        )
        return request, number

    def read(self, reply: Reply, key: int) -> ReplyCheck[str]:
        """The sentence as it was written; "" if the model says that it cannot be saved."""
        checked: ReplyCheck[str] = ReplyCheck()
        rows = read_object(reply.text, key="sentences")
        own = [row for row in rows if isinstance(row, dict) and as_number(row.get("sentence")) == key]
        if len(rows) == len(own) == 1 and isinstance(own[0].get("text"), str):
            checked.good[0] = own[0]["text"].strip()
        else:
            checked.bad[0] = Problem("malformed", "the reply is not the one sentence that was asked for")
        return checked
