"""Claims and verdicts in one call: the joint mode of the LLM judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from faithmeter.datamodels import Claim, Extraction, Failure, Outcome, Pair, Sample, Usage
from faithmeter.judge.batching import Problem
from faithmeter.judge.extract import AS_IT_STANDS, LLMExtractor, SentenceExtractorByLLM, SentenceQuestion, usable
from faithmeter.judge.fencing import Item
from faithmeter.judge.parsing import as_text, folded
from faithmeter.judge.verdict_schema import Finding, check, fields, outcome, passages, record, string, tokens_a_verdict
from faithmeter.judge.verify import Judge
from faithmeter.llm.secrets import Access
from faithmeter.llm.settings import JudgeSettings, configured

Judged = tuple[str, Finding | None]
"""A claim, and what was found; None if that did not pass the checks and is asked for on its own."""


class JointExtractor(SentenceExtractorByLLM[Judged]):
    """Takes an answer apart and judges its claims in one call; a judge settles what does not pass the checks."""

    task = "joint"

    def __init__(
        self, spec: str, *, settings: JudgeSettings | None = None, access: Access | None = None, **options: Any
    ) -> None:
        options["mode"] = "joint"
        self._judge = Judge(spec, settings=settings, access=access, **options)
        self._extract_only = LLMExtractor(spec, settings=settings, access=access, **options)
        super().__init__(self._judge.spec, self._judge.settings, self._judge.client)

    async def extract(self, sample: Sample) -> Extraction | Failure:
        """The claims in order, each with its outcome."""
        # Several votes need a list of claims that stays the same from vote to vote.
        if self.settings.votes > 1 or not any(context.text.strip() for context in sample.contexts):
            return await self._extract_only.extract(sample)
        plain = await self._sentences.extract(sample)
        return await self._assembled(sample, plain, await self._ask(sample, plain))

    def estimate(self, sample: Sample, plain: Extraction) -> Usage:
        """About what the joint call takes, if nothing has to be asked again; asks nothing."""
        if self.settings.votes > 1:
            return self._extract_only.estimate(sample, plain)
        return super().estimate(sample, plain)

    def _question(self, sample: Sample, plain: Extraction) -> _Joint:
        return _Joint(sample, plain, self.settings, self._instructions.text)

    async def _assembled(
        self, sample: Sample, plain: Extraction, answers: Sequence[tuple[Judged, ...] | Problem]
    ) -> Extraction:
        claims: list[Claim] = []
        outcomes: list[Outcome | None] = []
        seen: set[str] = set()
        for sentence, judged in zip(plain.claims, answers, strict=True):
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


class _Joint(SentenceQuestion[Judged]):
    """Asks what some sentences claim, and for a verdict on each claim."""

    twice_is_bad = True

    def _shown(self) -> list[Item]:
        return passages(self._sample.contexts)

    def _claim_schema(self, items: Sequence[Claim] = ()) -> dict[str, Any]:
        numbers = [item.number for item in self._shown() if item.number] if items else []
        return record({"text": string(500 if items else None), **fields(self._settings, numbers=numbers)})

    def _expected_tokens(self, items: Sequence[Claim]) -> int:
        return 2 * (20 + tokens_a_verdict(self._settings)) * len(items)

    def _extracted(self, rows: object, sentence: str) -> tuple[Judged, ...] | None:
        if not isinstance(rows, list):
            return None
        texts = usable([row.get("text") if isinstance(row, dict) else None for row in rows], sentence, self._sample)
        return None if texts is None else tuple((text, self._finding(text, rows, sentence)) for text in texts)

    def _finding(self, claim: str, rows: Sequence[dict[str, Any]], sentence: str) -> Finding | None:
        """What was found about a claim; None if it is not sound, or the claim comes twice."""
        own = [row for row in rows if folded(as_text(row.get("text"))) == folded(claim)]
        checked = check(own[0], self._sample.contexts, self._settings, claim=f"{claim} {sentence}")
        if len(own) > 1 or isinstance(checked, Problem) or not checked[1]:
            return None
        return checked[0]


def load(provider: str, argument: str) -> SentenceExtractorByLLM[Any]:
    """Build the extractor of a judge from what follows the provider in its spec; `?mode=joint` verifies too."""
    spec = f"{provider}:{argument}"
    joint = configured(spec, None, {})[1].mode == "joint"
    return JointExtractor(spec) if joint else LLMExtractor(spec)
