"""Keys stay out of whatever is kept or shown: what an endpoint says is cleared of them where it comes in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import quote

_NAMES = re.compile(r"(?:^|_)(?:API)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)S?(?:_|$)", re.IGNORECASE)
_SHORTEST = 6  # of a key; what is shorter is a word that a reply may well hold
_SHORTEST_WORD = 12  # of one that is letters only: `ollama` and `EMPTY` are keys of servers that want none
_START = 12  # characters by which a key is known that was cut off
MASK = "***"


@dataclass(frozen=True, slots=True)
class Access:
    """How a client of the user's own gets in, instead of what the environment says; never written anywhere."""

    key: str = field(repr=False)
    api_version: str | None = None
    """Azure's."""


def scrubbed(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without these keys and those of the environment, whole or cut off behind their first characters."""
    for secret in _worth_hiding([*secrets, *_of_environment()]):
        text = text.replace(secret, MASK)
        at = text.find(secret[:_START]) if len(secret) > _START else -1
        while at >= 0:
            end = at + _START
            while end < len(text) and text.startswith(secret[: end - at + 1], at):
                end += 1
            text = text[:at] + MASK + text[end:]
            at = text.find(secret[:_START], at)
    return text


def _of_environment() -> list[str]:
    values = [os.environ[name] for name in os.environ if _names_a_key(name)]
    return [value for value in values if not value.startswith("/")]


@lru_cache(maxsize=4096)
def _names_a_key(variable: str) -> bool:
    return _NAMES.search(variable) is not None


def _worth_hiding(secrets: Iterable[str]) -> list[str]:
    """The longest first, as one may be the start of another; also as an address or a JSON string spells them."""
    kept = {secret for secret in secrets if len(secret) >= (_SHORTEST_WORD if secret.isalpha() else _SHORTEST)}
    kept |= {quote(secret, safe="") for secret in kept}
    return sorted((secret for secret in kept if not re.search(r"\s", secret)), key=len, reverse=True)
