"""Loads an LLM as extractor: claims alone, or claims and verdicts in one call."""

from __future__ import annotations

from functools import partial

from faithmeter.extract import Extractor
from faithmeter.judge.extract import LLMExtractor
from faithmeter.judge.joint import JointExtractor
from faithmeter.llm.settings import configured


def load(provider: str, argument: str) -> Extractor:
    """Build the extractor of a judge from what follows the provider in its spec; `?mode=joint` verifies too."""
    spec = f"{provider}:{argument}"
    if configured(spec, None, {})[1].mode == "joint":
        return JointExtractor(spec)
    return LLMExtractor(spec)


# A loader is given only what follows the colon of its spec: hence one for each provider.
openai = partial(load, "openai")
openai_responses = partial(load, "openai-responses")
azure = partial(load, "azure")
anthropic = partial(load, "anthropic")
google = partial(load, "google")
mistral = partial(load, "mistral")
groq = partial(load, "groq")
bedrock = partial(load, "bedrock")
