"""What a user can set about an LLM judge, and how its spec is read."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator

from faithmeter.datamodels import Model
from faithmeter.errors import UsageError, plain
from faithmeter.runtime.specs import PROVIDERS, read_spec

Size = Literal["full", "brief", "small"]

_OF_VERDICTS = ("mode", "inference", "partial", "reasons", "votes", "logprobs")
_SIGNED = (*_OF_VERDICTS, "prompt", "language", "temperature", "max_tokens")


class JudgeSettings(Model):
    """How an LLM extracts and judges; every field is also an option of a spec: `openai:MODEL?votes=3`."""

    model_config = ConfigDict(allow_inf_nan=False)

    mode: Literal["batched", "per-claim", "joint"] = "batched"
    """batched: claims in one call, verdicts in another. per-claim: a call a claim. joint: one call for all."""
    inference: Literal["strict", "lenient"] = "strict"
    """strict: a passage states the claim. lenient: what plainly follows from the passages counts too."""
    partial: bool = False
    """Whether `partially_supported` is on the menu."""
    reasons: bool = True
    """Whether the model gives a reason; without, verdicts are shorter and cheaper."""
    batch: int = Field(default=20, ge=1, le=200)
    """Claims, or sentences, in one call; with `prompt=small` each claim has a call of its own."""
    asks: int = Field(default=6, ge=1, le=20)
    """How often what a reply leaves out or garbles is asked for, in all."""
    votes: int = Field(default=1, ge=1, le=15)
    """Verdicts a claim; odd. More are asked for only while those given so far can still be outvoted."""
    logprobs: bool = False
    """Take `support` from the log-probability of the label, where the provider gives it."""
    language: str | None = Field(default=None, max_length=40, pattern=r"^[\w -]+$")
    """The language of reasons and claims; None: that of the answer."""
    prompt: Size = "full"
    """full: definitions and worked examples, each claim repeated beside its verdict. brief: a few lines. small: for
    small and local models; a call a claim, examples as earlier turns of the chat, and no quotes: code finds the
    evidence, and what is called supported must have half of its words in the contexts."""
    extract_prompt: Path | None = None
    """A file with your own instructions for extraction."""
    verify_prompt: Path | None = None
    """A file with your own instructions for verification."""
    joint_prompt: Path | None = None
    """A file with your own instructions for the joint call."""
    examples: Path | None = None
    """A JSON Lines file with few-shot examples."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """None: 0 for a single vote and 0.7 for several, and left out for models known to reject it."""
    max_tokens: int | None = Field(default=None, ge=16)
    """Room for a reply; None: the provider's own default."""
    model_settings: dict[str, JsonValue] = Field(default_factory=dict)
    """Passed through to the provider as they are, e.g. `{"top_p": 0.9, "openai_reasoning_effort": "low"}`."""
    closed: bool | None = None
    """Name the numbers and lengths that may occur in the schema of each request. It keeps small models on the
    rails, but hosted providers compile every new schema; None: only for an endpoint given by its address."""
    base_url: str | None = None
    """An OpenAI-compatible endpoint, or another address of the provider's."""
    concurrency: int = Field(default=16, ge=1, le=1000)
    """Requests under way at once; fewer while the endpoint answers 429."""
    requests_per_minute: float | None = Field(default=None, gt=0)
    """The pace to keep, if your account has a limit."""
    tokens_per_minute: float | None = Field(default=None, gt=0)
    """The same for tokens, sent and received."""
    timeout: float = Field(default=60.0, gt=0)
    """Seconds until a request is given up and sent again."""
    retries: int = Field(default=5, ge=0, le=20)
    """How often a request is sent again after a 429, a 5xx, a lost connection or a time-out."""
    input_price: float | None = Field(default=None, ge=0)
    """US dollars for a million prompt tokens, for a model whose price is not known."""
    output_price: float | None = Field(default=None, ge=0)
    """US dollars for a million completion tokens."""

    @field_validator("votes")
    @classmethod
    def _odd(cls, votes: int) -> int:
        if votes % 2 == 0:
            raise ValueError("must be odd, so that two labels cannot tie")
        return votes

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, url: str | None) -> str | None:
        if url is None:
            return None
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must begin with http:// or https://")
        if parts.username or parts.password or parts.query:
            raise ValueError("must hold no user, password or query: keys come from the environment")
        return url.rstrip("/")

    @field_validator("model_settings")
    @classmethod
    def _no_keys(cls, settings: dict[str, JsonValue]) -> dict[str, JsonValue]:
        for name in settings:
            if re.search(r"api.?key|authorization|extra_headers", name, re.IGNORECASE):
                raise ValueError(f"{name}: keys come from the environment")
        return settings

    @model_validator(mode="after")
    def _what_small_cannot(self) -> Self:
        if self.prompt == "small":
            refused = {
                "mode=joint": self.mode == "joint",
                "partial=true": self.partial,
                "reasons=false": not self.reasons,
                "verify_prompt": self.verify_prompt is not None,
            }
            if names := [name for name, given in refused.items() if given]:
                raise ValueError(f"prompt=small does not go with {' or '.join(names)}: use prompt=full or prompt=brief")
        return self

    @property
    def claims_a_call(self) -> int:
        """How many claims a call for verdicts may hold."""
        return 1 if self.mode == "per-claim" or self.prompt == "small" else self.batch

    @classmethod
    def of(cls, options: Iterable[tuple[str, object]]) -> Self:
        """Read options given as (name, value); values may be strings; `model_settings.NAME` sets one of those."""
        fields: dict[str, object] = {}
        nested: dict[str, object] = {}
        for name, value in options:
            name = name.replace("-", "_")
            prefix, _, inner = name.partition(".")
            if prefix == "model_settings" and inner:
                nested[inner] = _number(value)
            else:
                fields[name] = value
        if nested:
            fields["model_settings"] = nested
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            raise UsageError(
                "; ".join(_problem(cls, item["loc"], plain(item["msg"])) for item in error.errors())
            ) from None

    @property
    def sent(self) -> dict[str, Any]:
        """What goes to the provider beside the prompt, by the names of pydantic-ai's `ModelSettings`."""
        temperature = self.temperature
        if temperature is None:
            temperature = 0.0 if self.votes == 1 else 0.7  # votes that cannot differ are no votes
        room = {} if self.max_tokens is None else {"max_tokens": self.max_tokens}
        return {"temperature": temperature, **room, **self.model_settings}

    @property
    def echoes(self) -> bool:
        """Whether a verdict repeats its claim, so that it is about this claim and no other."""
        return self.prompt != "brief"

    @property
    def quotes(self) -> bool:
        """Whether the model is asked for the passages and a quote; else code finds the evidence."""
        return self.prompt != "small"

    def for_extraction(self) -> Self:
        """The settings that matter for splitting an answer into claims: one list of claims, sampled once.

        There is no small prompt for it, only that of verdicts: the full one is used.
        """
        kept = {name: getattr(self, name) for name in self.model_fields_set - set(_OF_VERDICTS)}
        if self.prompt == "small":
            kept.pop("prompt", None)
        return type(self).model_validate(kept)

    @property
    def signed(self) -> list[str]:
        """The settings that change what a model says and are not at their defaults, for a signature."""
        changed = [name for name in _SIGNED if getattr(self, name) != type(self).model_fields[name].default]
        passed = json.dumps(self.model_settings, sort_keys=True, separators=(",", ":"))
        return [
            *(f"{name}={getattr(self, name)}" for name in changed),
            *([passed] if self.model_settings else []),
        ]


_ADDRESSES = {  # where the SDKs look for an address that no spec gives
    "openai": "OPENAI_BASE_URL",
    "openai-responses": "OPENAI_BASE_URL",
    "azure": "AZURE_OPENAI_ENDPOINT",
    "anthropic": "ANTHROPIC_BASE_URL",
    "google": "GOOGLE_GEMINI_BASE_URL",
    "groq": "GROQ_BASE_URL",
    "bedrock": "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
}


class ModelSpec(Model):
    """`provider:model`, read."""

    provider: str
    """One of `PROVIDERS`."""
    model: str = Field(min_length=1)
    """The provider's name for the model."""

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


def signed_model(spec: ModelSpec, settings: JudgeSettings) -> str:
    """The model, and where it is asked unless that is the provider's own address: two servers are two judges."""
    url = settings.base_url or os.environ.get(_ADDRESSES.get(spec.provider, ""), "")
    parts = urlsplit(url)
    if not parts.hostname:
        return str(spec)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    port = "" if parts.port in (None, {"http": 80, "https": 443}.get(parts.scheme)) else f":{parts.port}"
    return f"{spec}@{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"


def parse_spec(spec: str) -> tuple[ModelSpec, JudgeSettings]:
    """Read `provider:model[?name=value&…][@base_url]`."""
    provider, model, options, url = read_spec(spec)
    if provider not in PROVIDERS or not model:
        raise UsageError(
            f"cannot read the judge {spec!r}: write PROVIDER:MODEL, PROVIDER:MODEL@http://HOST/v1 or "
            f"PROVIDER:MODEL?votes=3, where PROVIDER is one of {', '.join(PROVIDERS)}"
        )
    address = [("base_url", url)] if url else []
    return ModelSpec(provider=provider, model=model), JudgeSettings.of([*options, *address])


def configured(spec: str, settings: JudgeSettings | None, options: dict[str, Any]) -> tuple[ModelSpec, JudgeSettings]:
    """The model and the settings, from a spec with options and from keyword arguments, which have precedence."""
    model, given = parse_spec(spec)
    merged = {
        **(settings.model_dump(exclude_unset=True) if settings else {}),
        **given.model_dump(exclude_unset=True),
        **options,
    }
    return model, JudgeSettings.of(merged.items())


def _number(value: object) -> object:
    """A string that reads as a number or a truth value, as such: nested settings have no declared type."""
    if not isinstance(value, str):
        return value
    named: dict[str, object] = {"true": True, "false": False, "null": None}
    if value in named:
        return named[value]
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


def _problem(cls: type[JudgeSettings], location: tuple[int | str, ...], message: str) -> str:
    if not location:
        return f"judge options: {message}"
    name = ".".join(str(part) for part in location)
    if location[0] not in cls.model_fields:
        return f"unknown judge option {name!r}; known: {', '.join(cls.model_fields)}"
    return f"judge option {name}: {message}"
