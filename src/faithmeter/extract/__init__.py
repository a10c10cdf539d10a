"""Extractors: what an answer claims. `load_extractor("spec")` finds one by name."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from faithmeter.datamodels import Extraction, Failure, Sample
from faithmeter.errors import UsageError
from faithmeter.runtime.specs import PROVIDERS, load_part


@runtime_checkable
class Extractor(Protocol):
    """Breaks an answer into claims.

    It may have, for the cache: `reads(sample) -> Sequence[str]`, what the claims depend on besides the answer
    (default: the question and the contexts), and `cheap = True`, which leaves it uncached.
    """

    @property
    def signature(self) -> str:
        """How claims are taken: equal signatures, equal claims."""
        ...

    async def extract(self, sample: Sample) -> Extraction | Failure:
        """The sample's claims in order, each with its span of the answer."""
        ...


# name -> "module:function", as for verifiers
_LOADERS = {
    "clauses": "faithmeter.extract.clauses:load",
    "sentences": "faithmeter.extract.sentences:load",
    **dict.fromkeys(PROVIDERS, "faithmeter.judge.joint:load"),
}


def load_extractor(spec: str) -> Extractor:
    """Build an extractor from its spec: `name`, `name:argument`, or `python:MODULE:FUNCTION` for your own."""
    part = load_part(spec, _LOADERS, noun="extractor")
    if not isinstance(part, Extractor):
        raise UsageError(f"{spec!r} is not an extractor: it needs `signature` and `extract`")
    return part
