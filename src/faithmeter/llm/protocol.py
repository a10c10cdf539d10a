"""The seam to a model endpoint: what is sent, what comes back, what can go wrong. `providers` is one way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

Style = Literal["closed", "schema", "object", "prompt"]
"""How a reply is held to its schema: by the provider, to one made for this request or to the general one; as some
JSON object, with the schema in the prompt; by the prompt alone."""


class Turn(NamedTuple):
    """A question and its reply, earlier in the same conversation: an example of what is asked for."""

    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model."""

    system: str
    """The instructions: the same for all samples, so that providers can cache them."""
    user: str
    """The data, fenced."""
    name: str
    """What the reply is, as a word."""
    schema: Mapping[str, Any]
    """The JSON schema of the reply: the same for all requests of a kind."""
    closed: Mapping[str, Any]
    """The same, with only those numbers that occur in this request, and with limits on what is open-ended."""
    expected_tokens: int
    """About how long a reply should be."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Temperature and the like, by the names of pydantic-ai's `ModelSettings`."""
    turns: tuple[Turn, ...] = ()
    """Examples, sent as if they had been asked and answered before; the same for all requests of a kind, so that
    providers can cache them. Instructions with such examples say themselves what form a reply has."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a reply, with the log-probabilities of what might have been there instead."""

    text: str
    alternatives: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered."""

    text: str
    """The words, without what the provider marks as thinking."""
    finish: Literal["stop", "length", "refused"]
    """Whether the reply is whole, cut off, or declined."""
    prompt_tokens: int
    completion_tokens: int
    tokens: tuple[Token, ...] = ()
    """The text's tokens, where log-probabilities were asked for and given."""


class Fault(Exception):
    """A request that brought no reply; its message names no key."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Throttled(Fault):
    """The endpoint asks for a slower pace."""


class Unavailable(Fault):
    """A server error, a lost connection, a reply that cannot be read: worth another try."""


class TimedOut(Fault):
    """No answer in time."""


class Rejected(Fault):
    """The endpoint does not take the request as it is."""


class TooLong(Rejected):
    """The request does not fit the model's window."""


class Barred(Fault):
    """The key, the model or the account is refused: no request will succeed."""


class Endpoint(Protocol):
    """Sends requests to one model."""

    async def send(self, request: Request, style: Style) -> Reply:
        """Give the reply, or raise a `Fault`."""
        ...

    async def aclose(self) -> None:
        """Close what is open."""
        ...
