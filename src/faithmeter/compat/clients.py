"""Who judges, from what users of other systems pass in: a spec, one of our verifiers, or an SDK's client."""

from __future__ import annotations

from typing import Any

from faithmeter.datamodels import Sample
from faithmeter.errors import FaithmeterError
from faithmeter.evaluator import Evaluator
from faithmeter.extract import Extractor
from faithmeter.llm.secrets import Access
from faithmeter.llm.wrapped import given
from faithmeter.results import Result
from faithmeter.runtime.specs import is_llm
from faithmeter.scoring import Scoring
from faithmeter.verify import Verifier


class Unjudged(FaithmeterError):
    """Some claims could not be judged, where the caller expects one number for all of them."""


def evaluator(client: Any, *, extractor: str | Extractor | None = None, scoring: Scoring | None = None) -> Evaluator:
    """The one pipeline with these parts; an LLM extracts the claims, too, unless another extractor is given."""
    if isinstance(client, Verifier):
        verifier: str | Verifier = client
    else:
        spec, access = given(client)
        verifier = spec
        if access is not None:
            verifier, extractor = _llm(spec, access, extractor)
        elif is_llm(spec):
            extractor = extractor or spec
    return Evaluator(verifier=verifier, extractor=extractor or "sentences", scoring=scoring or Scoring())


def _llm(spec: str, access: Access, extractor: str | Extractor | None) -> tuple[Verifier, str | Extractor]:
    """A judge, and the same model as the extractor unless there is another."""
    from faithmeter.judge.extract import LLMExtractor  # needs the extra [llm], as does the next
    from faithmeter.judge.verify import Judge

    return Judge(spec, access=access), extractor or LLMExtractor(spec, access=access)


async def judged(pipeline: Evaluator, sample: Sample) -> Result:
    """The result, if every claim was judged: a score of some of them would not say so."""
    result = await pipeline.check(sample)
    if result.failures:
        first = result.failures[0]
        raise Unjudged(
            f"{len(result.failures)} of {len(result.outcomes)} claims not judged: {first.kind}: {first.message}"
        )
    return result
