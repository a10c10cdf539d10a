"""Finds a part by its spec, `name`, `name:argument` or `name?option=value`, in a table of lazily imported loaders."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from faithmeter.errors import UsageError

PROVIDERS = ("openai", "openai-responses", "azure", "anthropic", "google", "mistral", "groq", "bedrock")


class Spec(NamedTuple):
    """`name:argument?option=value&…@address`, read; all but the name may be empty."""

    name: str
    argument: str
    options: list[tuple[str, str]]
    address: str


def read_spec(spec: str) -> Spec:
    """Split a spec into its parts."""
    head, _, address = _split_address(spec)
    name = re.split("[:?]", head, maxsplit=1)[0]
    argument, _, query = head[len(name) :].removeprefix(":").partition("?")
    try:
        options = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError:
        example = f"{name}:{argument}?{'votes=3' if name in PROVIDERS else 'device=cpu'}"
        remedy = f"write NAME=VALUE after the question mark, e.g. {example}"
        raise UsageError(f"cannot read the options {query!r} of {spec!r}: {remedy}") from None
    return Spec(name, argument, options, address)


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
        return imported(argument, noun, call=True)
    if name not in loaders:
        known = f"known: {', '.join(sorted(loaders))}, python:MODULE:FUNCTION"
        raise UsageError(f"unknown {noun} {spec!r}{_meant(spec, name, loaders)}; {known}")
    return named(loaders[name])(name, argument)


def named(path: str) -> Any:
    """What `module:name` names, imported when asked for."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'lexical'?`, or nothing if no known word is near."""
    near = get_close_matches(word.lower(), list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _meant(spec: str, name: str, loaders: Mapping[str, str]) -> str:
    """The spec that was meant: a model needs its provider before it."""
    provider, slash, model = spec.partition("/")
    if slash and provider in loaders:
        return f"; did you mean '{provider}:{model}'?"
    provider = next((provider for start, provider in _MODELS.items() if name.lower().startswith(start)), "")
    if provider in loaders:
        return f"; did you mean '{provider}:{spec}'?"
    return did_you_mean(name, loaders)


# How the models of a provider begin.
_MODELS = {
    "gpt-": "openai", "chatgpt-": "openai", "o1": "openai", "o3": "openai", "o4-": "openai", "claude-": "anthropic",
    "gemini-": "google", "mistral-": "mistral", "ministral-": "mistral", "magistral-": "mistral",
    "codestral-": "mistral",
}  # fmt: skip


def with_options(spec: str, options: Iterable[str]) -> str:
    """Add `name=value` options to a spec, e.g. those given with `--judge-option`."""
    given = list(options)
    for option in given:
        if "=" not in option:
            raise UsageError(f"cannot read the option {option!r}: write NAME=VALUE")
    if not given:
        return spec
    head, at, url = _split_address(spec)
    return head + ("&" if "?" in head else "?") + "&".join(_quoted(option) for option in given) + at + url


def _split_address(text: str) -> tuple[str, str, str]:
    match = re.search(r"@(?=https?://)", text)
    return (text[: match.start()], "@", text[match.end() :]) if match else (text, "", "")


def _quoted(option: str) -> str:
    return re.sub(r"[%&#+;?@ ]", lambda match: f"%{ord(match.group()):02X}", option)


def finite(text: str) -> float:
    """A number; a ValueError for anything else, also for `nan` and `inf`: no score is below `nan`."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"not a finite number: {text!r}")
    return value


def imported(path: str, noun: str, *, call: bool = False) -> Any:
    """What `python:MODULE:FUNCTION` names, or what it gives when called."""
    module, _, function = path.partition(":")
    try:
        part = getattr(import_module(module), function)
        return part() if call else part
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"cannot load {noun} 'python:{path}': {error}; write python:MODULE:FUNCTION") from error
