"""Finds a part by its spec: `name`, or `name:argument`, in a table of lazily imported loaders."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from faithmeter.errors import UsageError


def load_part(spec: str, loaders: Mapping[str, str], *, noun: str) -> Any:
    """Call the loader that a spec names with what follows the colon.

    `loaders` maps a name to "module:function"; the module is imported when first asked for. A user's own
    part is named `python:MODULE:FUNCTION`, and is what that function returns when called without arguments.
    """
    name, _, argument = spec.partition(":")
    if name == "python":
        return _call(argument, spec, noun)
    if name not in loaders:
        raise UsageError(
            f"unknown {noun} {spec!r}; known: {', '.join(sorted(loaders))}, python:MODULE:FUNCTION"
        )
    module, _, function = loaders[name].partition(":")
    return getattr(import_module(module), function)(argument)


def _call(path: str, spec: str, noun: str) -> Any:
    module, _, function = path.partition(":")
    try:
        return getattr(import_module(module), function)()
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"cannot load {noun} {spec!r}: {error}; write python:MODULE:FUNCTION") from error
