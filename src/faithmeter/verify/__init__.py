"""Verifiers: whether the contexts support a claim. `load_verifier("spec")` finds one by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from faithmeter.datamodels import Outcome, Pair
from faithmeter.errors import UsageError
from faithmeter.runtime.specs import PROVIDERS, load_part

# What `check`, `evaluate` and the command line use when nothing is said.
DEFAULT_VERIFIER = "local"


@runtime_checkable
class Verifier(Protocol):
    """Judges claims: one outcome per pair, in order, whatever happens.

    A verifier may also say how a run should treat it, by attributes that are read with `getattr`:
    `cpu_bound: bool`, whether it keeps a core busy, so that a run starts a process a core (an extractor has the
    same); `threads: int`, set to 1 in such a process; `concurrency: int`, how many samples to have in flight if it
    waits for others; `async aclose()`, called when the run that built it has ended; `languages: Collection[str]`, ISO
    639-1 codes of the only languages it knows, so that a result says when its answer is in another one.

    And for the cache: `reads(pair) -> Sequence[str]`, what bears on its verdict besides the claim's text and the
    contexts' texts (without it, the question is taken to, and nothing else); `cheap: bool`, whether judging is as
    quick as looking up, so that it is cached only where a cache is named.
    """

    @property
    def signature(self) -> str:
        """How verdicts are made: equal signatures, equal verdicts. Keys the cache and resumed runs."""
        ...

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """Judge each claim against its sample's contexts."""
        ...


# name -> "module:function", where function(name, argument) builds the verifier from its name and what follows the
# colon of its spec. Modules are imported when first asked for: importing all of them is slow.
_LOADERS = {
    "cascade": "faithmeter.verify.cascade:load",
    "http": "faithmeter.verify.remote:load",
    "https": "faithmeter.verify.remote:load",
    "hhem": "faithmeter.verify.classifier:load",
    "lexical": "faithmeter.verify.lexical:load",
    "local": "faithmeter.verify.local:load",
    "minicheck": "faithmeter.verify.classifier:load",
    "nli": "faithmeter.verify.classifier:load",
    "profile": "faithmeter.verify.calibrated:load",
    **dict.fromkeys(PROVIDERS, "faithmeter.judge.verify:load"),
}


def load_verifier(spec: str) -> Verifier:
    """Build a verifier from its spec: `name`, `name:argument`, or `python:MODULE:FUNCTION` for your own."""
    part = load_part(spec, _LOADERS, noun="verifier")
    if not isinstance(part, Verifier):
        raise UsageError(f"{spec!r} is no verifier: it needs `signature` and `verify`")
    return part
