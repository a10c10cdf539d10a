"""RagaliQ's call: `FaithfulnessEvaluator(threshold=).evaluate(test_case, judge)`, with your own judge."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from faithmeter.compat.clients import Unjudged, evaluator, judged
from faithmeter.datamodels import (
    Claim,
    Context,
    Evidence,
    Extraction,
    Label,
    Origin,
    Outcome,
    Pair,
    Sample,
    Usage,
    Verdict,
)
from faithmeter.evaluator import Evaluator
from faithmeter.evidence.quotes import locate
from faithmeter.results import Result
from faithmeter.runtime.usage import spend
from faithmeter.scoring import Scoring, load_scoring

Word = Literal["SUPPORTED", "PARTIALLY_SUPPORTED", "CONTRADICTED", "NOT_ENOUGH_INFO"]


class JudgeResponseError(Unjudged):
    """A judge's reply could not be used, so that some claims were not judged."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class RAGTestCase(BaseModel):
    """What is to be checked."""

    id: str = ""
    """Names the case."""
    name: str = ""
    """Describes it."""
    query: str
    """What was asked."""
    context: list[str]
    """The retrieved passages."""
    response: str
    """The answer."""


class ClaimsResult(_Frozen):
    """What a judge's `extract_claims` returns."""

    claims: list[str]
    """The claims."""
    tokens_used: int = 0
    """What that cost."""


class ClaimVerdict(_Frozen):
    """What a judge's `verify_claim` returns; a verdict off the menu is an error, lower case is accepted."""

    verdict: Annotated[Word, BeforeValidator(lambda word: word.upper() if isinstance(word, str) else word)]
    """RagaliQ's three, and partial support."""
    evidence: str = ""
    """A quote, or an explanation."""
    tokens_used: int = 0
    """What that cost."""


class EvaluationResult(_Frozen):
    """The score of a test case."""

    evaluator_name: str = "faithfulness"
    """What was evaluated."""
    score: float = Field(ge=0, le=1)
    """Supported / all claims; 1.0 without claims."""
    passed: bool
    """Whether the score reaches the threshold."""
    reasoning: str
    """The score in words."""
    raw_response: dict[str, Any]
    """`claims`, each with `claim`, `verdict` and `evidence`, and their counts."""
    tokens_used: int = 0
    """What it cost."""
    error: str | None = None
    """Never set: what could not be judged is raised."""


class LLMJudge(Protocol):
    """Your own judge."""

    async def extract_claims(self, response: str) -> ClaimsResult:
        """The claims of an answer."""
        ...

    async def verify_claim(self, claim: str, context: list[str]) -> ClaimVerdict:
        """What the context says about a claim."""
        ...


class FaithfulnessEvaluator:
    """Checks test cases with an injected judge: RagaliQ's kind, a spec, or a verifier of ours."""

    name = "faithfulness"
    description = "Measures if response is grounded only in context"
    threshold = 0.7

    def __init__(self, threshold: float | None = None, *, scoring: str | Scoring = "ragaliq") -> None:
        if threshold is not None:
            if not 0.0 <= threshold <= 1.0:
                raise ValueError(f"threshold must be between 0.0 and 1.0, got {threshold}")
            self.threshold = threshold
        self.scoring = load_scoring(scoring)

    def is_passing(self, score: float) -> bool:
        """Whether a score reaches the threshold."""
        return score >= self.threshold

    def __repr__(self) -> str:
        return f"{type(self).__name__}(threshold={self.threshold})"

    async def evaluate(self, test_case: Any, judge: LLMJudge | Any) -> EvaluationResult:
        """Break the response into claims, verify each, and score."""
        fields = {"question": test_case.query, "answer": test_case.response, "contexts": list(test_case.context)}
        sample = Sample.model_validate(fields)
        if hasattr(judge, "verify_claim"):
            pipeline = Evaluator(extractor=_Claims(judge), verifier=_Verdicts(judge), scoring=self.scoring)
        else:
            pipeline = evaluator(judge, scoring=self.scoring)
        try:
            return self._result(await judged(pipeline, sample))
        except Unjudged as error:
            raise JudgeResponseError(str(error)) from None

    def _result(self, result: Result) -> EvaluationResult:
        claims = [
            {
                "claim": verdict.claim.text,
                "verdict": verdict.label.value.upper(),
                "evidence": verdict.reason or " … ".join(item.quote for item in verdict.evidence),
                "quote": " … ".join(item.quote for item in verdict.evidence),  # checked to be in the context
            }
            for verdict in result.verdicts
        ]
        supported = sum(verdict.label is Label.SUPPORTED for verdict in result.verdicts)
        score = 1.0 if result.score is None else min(1.0, max(0.0, result.score))
        reasoning = f"{supported} of {len(claims)} claims are supported by the context."
        return EvaluationResult(
            score=score,
            passed=self.is_passing(score),
            reasoning=reasoning if claims else "No claims to verify: vacuously faithful.",
            raw_response={"claims": claims, "total_claims": len(claims), "supported_claims": supported},
            tokens_used=result.usage.prompt_tokens + result.usage.completion_tokens,
        )


class _Claims:
    """A judge's `extract_claims` as an extractor."""

    def __init__(self, judge: LLMJudge) -> None:
        self._judge = judge
        self.signature = f"ragaliq,{type(judge).__name__}"

    async def extract(self, sample: Sample) -> Extraction:
        if not sample.answer.strip():
            return Extraction()
        reply = await self._judge.extract_claims(sample.answer)
        spend(Usage(calls=1, completion_tokens=reply.tokens_used))
        spans = [(text, locate(text, sample.answer) or (0, len(sample.answer))) for text in reply.claims]
        return Extraction(claims=tuple(Claim(text=text, start=start, end=end) for text, (start, end) in spans))


class _Verdicts:
    """A judge's `verify_claim` as a verifier, all claims at once."""

    def __init__(self, judge: LLMJudge) -> None:
        self._judge = judge
        self.signature = f"ragaliq,{type(judge).__name__}"

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        return list(await asyncio.gather(*map(self._verify, pairs)))

    async def _verify(self, pair: Pair) -> Verdict:
        contexts = pair.sample.contexts
        reply = await self._judge.verify_claim(pair.claim.text, [context.text for context in contexts])
        spend(Usage(calls=1, completion_tokens=reply.tokens_used))
        return Verdict(
            claim=pair.claim,
            label=Label(reply.verdict),
            evidence=_located(reply.evidence, contexts),
            reason=reply.evidence or None,
            origin=Origin(verifier=self.signature),
        )


def _located(quote: str, contexts: Sequence[Context]) -> tuple[Evidence, ...]:
    for index, context in enumerate(contexts):
        span = locate(quote, context.text) if quote.strip() else None
        if span:
            return (Evidence.of(contexts, index, span.start, span.end),)
    return ()
