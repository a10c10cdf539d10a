"""Verifiers: whether the contexts bear a claim out. `load_verifier("spec")` finds one by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Protocol, runtime_checkable

from faithmeter.datamodels import Outcome, Pair
from faithmeter.errors import UsageError


@runtime_checkable
class Verifier(Protocol):
    """Judges claims: one outcome per pair, in order, whatever happens."""

    @property
    def signature(self) -> str:
        """How verdicts are made: equal signatures, equal verdicts. Keys the cache and resumed runs."""
        ...

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """Judge each claim against its sample's contexts."""
        ...


# name -> "module:function", where function(argument) builds the verifier from what follows the colon
# of its spec. Modules are imported when first asked for: importing all of them is slow.
_LOADERS = {
    "lexical": "faithmeter.verify.lexical:load",
}


def load_verifier(spec: str) -> Verifier:
    """Build a verifier from its spec: a name, or `name:argument`."""
    name, _, argument = spec.partition(":")
    if name not in _LOADERS:
        raise UsageError(f"unknown verifier {spec!r}; known: {', '.join(sorted(_LOADERS))}")
    module, function = _LOADERS[name].split(":")
    load: Callable[[str], Verifier] = getattr(import_module(module), function)
    return load(argument)
