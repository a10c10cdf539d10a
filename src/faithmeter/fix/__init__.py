"""The smallest faithful answer: `fix(result)`, `afix(result)`, `result.fixed()`."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from faithmeter.datamodels import Sample
from faithmeter.evaluator import Evaluator
from faithmeter.extract import Extractor
from faithmeter.fix.fixer import REFUSAL, Fixed, Fixer
from faithmeter.fix.rewriting import Rewriter, load_rewriter
from faithmeter.results import Result, fixers
from faithmeter.runtime import sync
from faithmeter.verify import DEFAULT_VERIFIER, Verifier

__all__ = ["REFUSAL", "FixStep", "Fixed", "Fixer", "Rewriter", "afix", "fix"]


async def afix(
    given: Result | Sample,
    *,
    verifier: str | Verifier = DEFAULT_VERIFIER,
    extractor: str | Extractor = "sentences",
    refusal: str = REFUSAL,
    strict: bool = False,
    citations: bool = False,
    rewriter: str | Rewriter | None = None,
) -> Fixed:
    """Make an answer faithful by the smallest edit, and check it again.

    Wrong numbers, dates, units and names are exchanged for the quoted ones, hedges put back, and clauses or sentences
    that are surely not supported cut; the rest stays to the letter. `strict` leaves nothing that is not supported;
    otherwise claims in doubt are left, and `status` is "doubtful". `refusal` is the answer where nothing remains;
    `citations` also puts citation marks right. `rewriter` is the LLM that may rewrite a sentence before it is cut:
    `openai:MODEL` and the like; None, the one that judges, where an LLM does; "none", nobody.
    """
    evaluator = Evaluator(
        verifier=verifier,
        extractor=extractor,
        scoring=given.scoring if isinstance(given, Result) else "plain",
    )
    writer = load_rewriter(rewriter, evaluator.verifier)
    fixer = Fixer(evaluator, refusal=refusal, strict=strict, citations=citations, rewriter=writer)
    return await fixer.fix(given)


def fix(
    given: Result | Sample,
    *,
    verifier: str | Verifier = DEFAULT_VERIFIER,
    extractor: str | Extractor = "sentences",
    refusal: str = REFUSAL,
    strict: bool = False,
    citations: bool = False,
    rewriter: str | Rewriter | None = None,
) -> Fixed:
    """Make an answer faithful by the smallest edit, and check it again.

    Wrong numbers, dates, units and names are exchanged for the quoted ones, hedges put back, and clauses or sentences
    that are surely not supported cut; the rest stays to the letter. `strict` leaves nothing that is not supported;
    otherwise claims in doubt are left, and `status` is "doubtful". `refusal` is the answer where nothing remains;
    `citations` also puts citation marks right. `rewriter` is the LLM that may rewrite a sentence before it is cut:
    `openai:MODEL` and the like; None, the one that judges, where an LLM does; "none", nobody.
    """
    options: dict[str, Any] = {"verifier": verifier, "extractor": extractor, "refusal": refusal}
    return sync.run(afix(given, strict=strict, citations=citations, rewriter=rewriter, **options))


class FixStep(NamedTuple):
    """Fixes each answer that an evaluator has judged: `Evaluator(steps=[FixStep()])`; see `fix`."""

    refusal: str = REFUSAL
    strict: bool = False
    rewriter: str | None = None

    @property
    def signature(self) -> str:
        """How answers are fixed."""
        by = f",rewriter={self.rewriter}" if self.rewriter else ""
        written = "" if self.refusal == REFUSAL else f",refusal={hashlib.sha256(self.refusal.encode()).hexdigest()[:6]}"
        return f"fix:6{',strict' * self.strict}{by}{written}"

    async def run(self, result: Result, evaluator: Evaluator) -> Result:
        """The result with its revision."""
        writer = load_rewriter(self.rewriter, evaluator.verifier)
        fixed = await Fixer(evaluator, refusal=self.refusal, strict=self.strict, rewriter=writer).fix(result)
        return result.model_copy(update={"revision": fixed.revision})


fixers.append(fix)
