"""Who judges, from what users of other systems pass in: a spec, a verifier of ours, or an SDK's client."""

from __future__ import annotations

from typing import Any

from faithmeter.datamodels import Sample
from faithmeter.errors import FaithmeterError, UsageError
from faithmeter.evaluator import Evaluator
from faithmeter.extract import Extractor
from faithmeter.llm.settings import PROVIDERS
from faithmeter.results import Result
from faithmeter.scoring import Scoring
from faithmeter.verify import Verifier

# The SDK that a client object comes from, by the first part of its module's name.
_SDKS = {"openai": "openai", "anthropic": "anthropic", "google": "google", "mistralai": "mistral", "groq": "groq"}


class Unjudged(FaithmeterError):
    """Some claims could not be judged, where the caller expects one number for all of them."""


def spec_of(client: Any) -> str:
    """The spec of what a user passes as `client` or `llm`.

    A string is a spec, `openai/gpt-5` (instructor's way of writing it) is `openai:gpt-5`. A client object, also
    inside an instructor or ragas wrapper, gives its provider, its address and, where it has one, its model; the
    key comes from the environment, as always.
    """
    if isinstance(client, str):
        provider, slash, model = client.partition("/")
        return f"{provider}:{model}" if slash and provider in PROVIDERS else client
    inner = client
    while hasattr(inner, "client") and not hasattr(inner, "base_url"):
        inner = inner.client
    sdk = _SDKS.get(type(inner).__module__.split(".")[0])
    defaults = getattr(client, "kwargs", None) or {}  # where instructor keeps its model
    name = defaults.get("model") or getattr(client, "model", None) or getattr(client, "model_name", None)
    if sdk is None or not isinstance(name, str):
        raise UsageError(
            f"cannot tell the model from {type(client).__name__}; pass a string such as 'openai:MODEL' "
            "or 'openai:MODEL@http://HOST/v1'"
        )
    address = str(getattr(inner, "base_url", "") or "").rstrip("/")
    return f"{sdk}:{name}@{address}" if sdk == "openai" and address else f"{sdk}:{name}"


def is_judge(spec: str) -> bool:
    """Whether a spec names an LLM, which can also extract claims."""
    return spec.partition(":")[0] in PROVIDERS


def evaluator(client: Any, *, extractor: str | Extractor | None = None, scoring: Scoring | None = None) -> Evaluator:
    """The one pipeline with these parts; an LLM extracts the claims, too, unless another extractor is given."""
    verifier: str | Verifier = client if isinstance(client, Verifier) else spec_of(client)
    if extractor is None:
        extractor = verifier if isinstance(verifier, str) and is_judge(verifier) else "sentences"
    return Evaluator(verifier=verifier, extractor=extractor, scoring=scoring or Scoring())


async def judged(pipeline: Evaluator, sample: Sample) -> Result:
    """The result, if every claim was judged: a score of some of them would not say so."""
    result = await pipeline.check(sample)
    if result.failures:
        first = result.failures[0]
        raise Unjudged(
            f"{len(result.failures)} of {len(result.outcomes)} claims not judged: {first.kind}: {first.message}"
        )
    return result
