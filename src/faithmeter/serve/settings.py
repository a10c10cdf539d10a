"""Everything about a server that its owner can set."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator

from faithmeter.datamodels import Model
from faithmeter.errors import UsageError
from faithmeter.guard import Policy
from faithmeter.runs.worker import Caching
from faithmeter.scoring import Scoring


class Limits(Model):
    """The most that one request may ask for."""

    body: int = Field(default=4_000_000, ge=1)
    """Bytes of a request's body."""
    answer: int = Field(default=100_000, ge=1)
    """Characters of an answer."""
    contexts: int = Field(default=500, ge=1)
    """Contexts of a sample."""
    context_characters: int = Field(default=1_000_000, ge=1)
    """Characters of all contexts of a sample together."""
    claims: int = Field(default=500, ge=1)
    """Claims of an answer."""
    batch: int = Field(default=100, ge=1)
    """Samples of a batch."""
    seconds: float = Field(default=30.0, gt=0)
    """To judge a request's claims; what is not judged by then is a Failure."""
    body_seconds: float = Field(default=15.0, gt=0)
    """To send a request's head, and then its body; for a streamed body, from one piece to the next."""
    stream_seconds: float = Field(default=600.0, gt=0)
    """For a streamed answer from its first to its last piece."""


class Handling(Model):
    """What happens to sentences of a model's answer that is guarded on its way: by the proxy, and for LiteLLM."""

    on_unfaithful: Literal["release", "flag", "replace", "end"] = "replace"
    """For a sentence that the policy objects to: let it through, mark it, put something else, or end the answer."""
    replacement: str = "[Removed: not supported by the sources.]"
    """What `replace` puts in the sentence's place, and `end` ends with."""
    mark: str = " [not supported by the sources]"
    """What `flag` puts behind the sentence."""
    without_contexts: Literal["judge", "pass"] = "judge"
    """A request in which no context is found: nothing in its answer is supported (judge), or it passes unchecked."""
    context_path: str = "faithmeter.contexts"
    """Where in the request's body contexts are, besides tool messages and marked passages: dots, and * for each."""


class ProxySettings(Model):
    """The model's endpoint that the guard stands in front of."""

    url: str
    """Its base address, e.g. https://HOST/v1: nothing is ever sent elsewhere."""
    key: SecretStr | None = None
    """The endpoint's key; None: the caller's own Authorization header is passed on."""
    seconds: float = Field(default=600.0, gt=0)
    """To wait for the endpoint's next bytes."""

    @model_validator(mode="after")
    def _is_an_address(self) -> Self:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise UsageError(f"--proxy wants an address such as https://HOST/v1, found {self.url!r}")
        if parts.username or parts.password:
            raise UsageError("--proxy: no user or password in the address; give the key by --upstream-key-env")
        return self


class Settings(Model):
    """A server."""

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    verifiers: tuple[str, ...] = Field(default=("local",), min_length=1)
    """The specs that requests may choose from; the first is the default."""
    extractor: str = "sentences"
    scoring: Scoring = Scoring()
    caching: Caching = Caching(False)
    policy: Policy = Policy()
    """For guarded answers; `/v1/guard` takes another with the request."""
    promise: Path | None = None
    """A promise that guarded answers are held to as well, whatever the policy."""
    limits: Limits = Limits()
    queue: int = Field(default=256, ge=1)
    """Claims that may wait; beyond, requests are answered 503 at once."""
    streams: int = Field(default=128, ge=1)
    """Streamed and proxied answers under way."""
    connections: int = Field(default=1000, ge=1)
    keys_file: Path | None = None
    keys: tuple[SecretStr, ...] = ()
    """Keys that are not in the file."""
    rate: float | None = Field(default=None, gt=0)
    """Requests a second for each key; its own rate in the file goes before. None: no limit."""
    log_texts: bool = False
    """Write answers into the log."""
    drain_seconds: float = Field(default=30.0, ge=0)
    """On SIGTERM, how long requests under way may take."""
    handling: Handling = Handling()
    proxy: ProxySettings | None = None
    results: Path | None = None
    """A results file whose rows the page offers."""

    @property
    def has_keys(self) -> bool:
        """Whether callers must show one."""
        return self.keys_file is not None or bool(self.keys)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        return is_loopback(self.host)

    def checked(self) -> Settings:
        """These settings, if they are safe to listen with."""
        if not self.is_loopback and not self.has_keys:
            raise UsageError(
                f"refusing to listen on {self.host} without a key: anyone who can reach it could use it; "
                "give --keys FILE or set FAITHMETER_API_KEYS, or listen on 127.0.0.1"
            )
        return self


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's own."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
