"""The LLM judge: verdicts with reasons and located quotes, one outcome a claim whatever the model does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from faithmeter.datamodels import Claim, Label, Outcome, Pair, Sample, Usage
from faithmeter.errors import StopRun
from faithmeter.evidence.passages import refers
from faithmeter.judge.batching import Problem, ReplyCheck, ask_all, together
from faithmeter.judge.fencing import Item, fenced, numbers
from faithmeter.judge.nearest import Nearest
from faithmeter.judge.parsing import as_number, as_text, folded, read_object
from faithmeter.judge.prompts import Instructions
from faithmeter.judge.rewrite import LLMRewriter
from faithmeter.judge.verdict_schema import (
    Finding,
    check,
    fields,
    list_of,
    menu,
    one_of,
    outcome,
    passages,
    string,
    supports,
    tokens_a_verdict,
    voted,
)
from faithmeter.llm.client import Client, shared_client
from faithmeter.llm.protocol import Reply, Request
from faithmeter.llm.secrets import Access
from faithmeter.llm.settings import JudgeSettings, ModelSpec, configured, signed_model

_LOGPROBS = {"openai_logprobs": True, "openai_top_logprobs": 10}


class Judge:
    """Judges claims with an LLM: `Judge("openai:MODEL", votes=3)`."""

    def __init__(
        self, spec: str, *, settings: JudgeSettings | None = None, access: Access | None = None, **options: Any
    ) -> None:
        self.spec, self.settings = configured(spec, settings, options)
        self.client: Client = shared_client(self.spec, self.settings, access)
        self._instructions = Instructions("verify", self.settings)

    @cached_property  # asked for with every sample
    def signature(self) -> str:
        """The model, the prompt with its version, and every setting that affects a verdict."""
        return ",".join([signed_model(self.spec, self.settings), self._instructions.signature, *self.settings.signed])

    @property
    def concurrency(self) -> int:
        """How many samples a run should have in flight: as many as there may be requests."""
        return self.settings.concurrency

    def reads(self, pair: Pair) -> Sequence[str]:
        """The question, which is sent; or, where code finds the evidence, what the claim's pronouns refer to."""
        return (pair.sample.question or "" if self.settings.quotes else refers(pair.claim, pair.sample),)

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """Judge each claim; raises `StopRun`, with what was found so far, when there is no point in going on."""
        ballots: list[dict[int, Finding | Problem]] = [{} for _ in range(self.settings.votes)]
        try:
            first = self.settings.votes // 2 + 1
            indexes = list(range(len(pairs)))
            await together([self._vote(pairs, indexes, ballots[vote]) for vote in range(first)])
            for vote in range(first, self.settings.votes):
                indexes = [index for index in indexes if not _settled([votes.get(index) for votes in ballots], first)]
                if indexes:
                    await self._vote(pairs, indexes, ballots[vote])
        except StopRun as stop:
            stop.outcomes = tuple(self._outcomes(pairs, ballots, Problem(stop.kind, str(stop))))
            raise
        return self._outcomes(pairs, ballots, Problem("missing", "no verdict"))

    def estimate(self, sample: Sample, claims: Sequence[Claim]) -> Usage:
        """About what judging these claims takes, if nothing has to be asked again; asks nothing."""
        batch = self.settings.claims_a_call
        question = Verification(sample, self.settings, self._instructions, self.spec)
        requests = [question.put(claims[start : start + batch])[0] for start in range(0, len(claims), batch)]
        votes = self.settings.votes // 2 + 1
        return self.client.estimate(requests * votes)

    def rewriter(self) -> LLMRewriter:
        """The same model, for rewriting sentences that it does not support."""
        return LLMRewriter(self.spec, settings=self.settings, client=self.client)

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self.client.aclose()

    async def _vote(self, pairs: Sequence[Pair], indexes: Sequence[int], ballot: dict[int, Finding | Problem]) -> None:
        """One verdict for each of these claims, sample by sample."""
        samples: dict[int, list[int]] = {}
        for index in indexes:
            samples.setdefault(id(pairs[index].sample), []).append(index)
        if samples:
            await together([self._judge(pairs, group, ballot) for group in samples.values()])

    async def _judge(self, pairs: Sequence[Pair], group: list[int], ballot: dict[int, Finding | Problem]) -> None:
        sample = pairs[group[0]].sample
        if not any(context.text.strip() for context in sample.contexts):
            ballot.update(dict.fromkeys(group, Finding(Label.NOT_ENOUGH_INFO, reason="There is no context.")))
            return
        answers: dict[int, Finding | Problem] = {}
        try:
            await ask_all(
                [pairs[index].claim for index in group],
                answers,
                client=self.client,
                question=Verification(sample, self.settings, self._instructions, self.spec),
                batch=self.settings.claims_a_call,
                asks=self.settings.asks,
            )
        finally:
            ballot.update({group[position]: answer for position, answer in answers.items()})

    def _outcomes(
        self, pairs: Sequence[Pair], ballots: Sequence[dict[int, Finding | Problem]], otherwise: Problem
    ) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for index, pair in enumerate(pairs):
            votes = [votes[index] for votes in ballots if index in votes]
            findings = [vote for vote in votes if isinstance(vote, Finding)]
            if self.settings.votes > 1 and findings:
                findings = [voted(findings)]
            outcomes.append(outcome(pair.claim, (findings or votes or [otherwise])[0], str(self.spec)))
        return outcomes


class Verification:
    """Asks for the verdicts on some claims of one sample."""

    def __init__(self, sample: Sample, settings: JudgeSettings, instructions: Instructions, spec: ModelSpec) -> None:
        self._sample = sample
        self._settings = settings
        self._instructions = instructions
        self._schema = list_of("verdicts", {"claim": {"type": "integer"}, **_echo(settings), **fields(settings)})
        shown = passages(sample.contexts)
        self._closed = fields(settings, numbers=[item.number for item in shown if item.number])
        self._model_settings = settings.sent
        if settings.logprobs and spec.provider in ("openai", "azure"):
            self._model_settings |= _LOGPROBS
        asked = [Item("Q", None, sample.question)] if sample.question else []
        self._data = [*shown, *asked]
        self._nearest = Nearest(sample)

    def put(self, items: Sequence[Claim]) -> tuple[Request, dict[int, tuple[int, Claim]]]:
        """The request, and for each claim's number its index and itself.

        The passages come before the claims, so that the batches of a sample begin with the same text.
        """
        ids = numbers(len(items))
        claims = [Item("C", number, claim.text) for number, claim in zip(ids, items, strict=True)]
        request = Request(
            system=self._instructions.text,
            turns=self._instructions.turns,
            user=fenced([*self._shown(items), *claims]),
            name="verdicts",
            schema=self._schema,
            closed=list_of(
                "verdicts", {"claim": one_of(ids), **_echo(self._settings, items), **self._closed}, count=len(ids)
            ),
            expected_tokens=30 + tokens_a_verdict(self._settings) * len(items) + self._echoed(items),
            settings=self._model_settings,
        )
        return request, {number: (index, items[index]) for index, number in enumerate(ids)}

    def _shown(self, claims: Sequence[Claim]) -> list[Item]:
        """What stands before the claims; a small model is shown what is near them, and no question."""
        if self._settings.prompt != "small":
            return self._data
        return [Item("P", n + 1, text) for n, text in self._nearest.shown(claims).items()]

    def _echoed(self, items: Sequence[Claim]) -> int:
        return sum(len(claim.text) for claim in items) // 4 if self._settings.echoes else 0

    def read(self, reply: Reply, key: dict[int, tuple[int, Claim]]) -> ReplyCheck[Finding]:
        """One verdict a claim; two for the same claim are none, and so is one that repeats another claim's words."""
        replied: ReplyCheck[Finding] = ReplyCheck()
        rows = read_object(reply.text, key="verdicts")
        support = supports(reply.tokens, reply.text, menu(self._settings))
        texts = {folded(claim.text) for _, claim in key.values()}
        seen: set[int] = set()
        for order, row in enumerate(rows):
            number = as_number(row.get("claim")) if isinstance(row, dict) else None
            if number not in key:
                continue
            index, claim = key[number]
            if index in seen:
                replied.good.pop(index, None)
                replied.doubtful.pop(index, None)
                replied.bad[index] = Problem("malformed", "the model gave two verdicts for the claim")
                continue
            seen.add(index)
            if folded(as_text(row.get("text"))) in texts - {folded(claim.text)}:
                replied.bad[index] = Problem("malformed", "the verdict repeats the words of another claim")
                continue
            about = f"{claim.text} {self._sample.answer[claim.start : claim.end]}"
            checked = check(row, self._sample.contexts, self._settings, claim=about)
            if isinstance(checked, Problem):
                replied.bad[index] = checked
                continue
            finding, cites = checked
            if not self._settings.quotes and finding.label is not Label.NOT_ENOUGH_INFO:
                finding = replace(finding, evidence=self._nearest.evidence(claim))
            if len(support) == len(rows):
                finding = replace(finding, support=support[order])
            (replied.good if cites else replied.doubtful)[index] = self._held_to_words(finding, claim)
        return replied

    def _held_to_words(self, finding: Finding, claim: Claim) -> Finding:
        """What `prompt=small` calls supported must have half of its words in the contexts; other prompts must quote."""
        held = not self._settings.quotes and self._settings.inference == "strict"
        if held and finding.label is Label.SUPPORTED and self._nearest.mostly_unsaid(claim):
            return Finding(Label.NOT_ENOUGH_INFO, reason="Most of the claim's words are in none of the contexts.")
        return finding


def _echo(settings: JudgeSettings, items: Sequence[Claim] = ()) -> dict[str, Any]:
    """The schema of the claim's words; with the claims it is closed."""
    longest = max((len(claim.text) for claim in items), default=0)
    return {"text": string(longest + 20 if longest else None)} if settings.echoes else {}


def _settled(votes: Sequence[Finding | Problem | None], majority: int) -> bool:
    """Whether no further vote can change the label, or the model has declined."""
    if any(isinstance(vote, Problem) and vote.kind == "refused" for vote in votes):
        return True
    labels = [vote.label for vote in votes if isinstance(vote, Finding)]
    return any(labels.count(label) >= majority for label in set(labels))


def load(provider: str, argument: str) -> Judge:
    """Build a judge from what follows the provider in its spec."""
    return Judge(f"{provider}:{argument}")
