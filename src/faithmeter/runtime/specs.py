"""Finds a part by its spec, `name`, `name:argument` or `name?option=value`, in a table of lazily imported loaders."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any
from urllib.parse import parse_qsl

from faithmeter.errors import UsageError

PROVIDERS = ("openai", "openai-responses", "azure", "anthropic", "google", "mistral", "groq", "bedrock")


def is_llm(spec: str) -> bool:
    """Whether a spec names an LLM: `PROVIDER:MODEL`."""
    return spec.partition(":")[0] in PROVIDERS


def judge_of(spec: str) -> str:
    """The spec of the LLM that a verifier asks: its own, or that of a cascade's last tier; "" if it asks none."""
    inner = re.sub(r"\Acascade:(?:[^:]*,[^:]*:)?", "", spec)  # a cascade may name its thresholds first
    return inner if is_llm(inner) else ""


def load_part(spec: str, loaders: Mapping[str, str], *, noun: str) -> Any:
    """Call the loader that a spec names, with the name and what follows the colon.

    `loaders` maps a name to "module:function"; the module is imported when first asked for. A user's own
    part is named `python:MODULE:FUNCTION`, and is what that function returns when called without arguments.
    """
    name = re.split("[:?]", spec, maxsplit=1)[0]
    argument = spec[len(name) :].removeprefix(":")
    if name == "python":
        return _call(argument, spec, noun)
    if name not in loaders:
        raise UsageError(f"unknown {noun} {spec!r}; known: {', '.join(sorted(loaders))}, python:MODULE:FUNCTION")
    module, _, function = loaders[name].partition(":")
    return getattr(import_module(module), function)(name, argument)


def split_options(argument: str) -> tuple[str, dict[str, str]]:
    """Split `WHAT?name=value&name=value` into what and its options."""
    what, _, query = argument.partition("?")
    return what, dict(parse_qsl(query, keep_blank_values=True))


def finite(text: str) -> float:
    """A number; a ValueError for what is none, `nan` and `inf` included: no score is below the first."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"not a finite number: {text!r}")
    return number


def _call(path: str, spec: str, noun: str) -> Any:
    module, _, function = path.partition(":")
    try:
        return getattr(import_module(module), function)()
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"cannot load {noun} {spec!r}: {error}; write python:MODULE:FUNCTION") from error
