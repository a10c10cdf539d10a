"""What a run would take, without calling anything: `--dry-run`."""

from __future__ import annotations

from faithmeter.datamodels import Sample, Usage
from faithmeter.extract import Extractor
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.judge.extract import LLMExtractor
from faithmeter.judge.joint import JointExtractor
from faithmeter.judge.verify import Judge
from faithmeter.verify import Verifier

CLAIMS_A_SENTENCE = 1.6  # what models make of a sentence of prose, on average


async def estimate(sample: Sample, *, extractor: Extractor, verifier: Verifier) -> Usage:
    """About what a sample takes, if nothing has to be asked again."""
    plain = await SentenceExtractor().extract(sample)
    claims = list(plain.claims)
    usage = Usage()
    joint = isinstance(extractor, JointExtractor) and extractor.settings.votes == 1
    if claims and isinstance(extractor, LLMExtractor | JointExtractor):
        usage += extractor.estimate(sample, plain)
        # as many claims as a model would make of these sentences
        claims = [claims[n % len(claims)] for n in range(round(len(claims) * CLAIMS_A_SENTENCE))]
    judge = _judge(verifier)
    if claims and judge and not joint:
        usage += judge.estimate(sample, claims)
    return usage


def _judge(verifier: Verifier) -> Judge | None:
    """The LLM that a verifier asks in the end; a cascade may have to ask it about every claim."""
    while not isinstance(verifier, Judge):
        tiers = getattr(verifier, "tiers", ())
        inner = tiers[-1].verifier if tiers else getattr(verifier, "inner", None)
        if inner is None:
            return None
        verifier = inner
    return verifier
