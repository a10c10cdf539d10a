"""Puts untrusted text into a prompt so that it stays data.

Every item stands under a marker line with a code drawn for the request: `<<k3f9a2c1 claim 41>>`. Text
cannot open or close an item, because its author cannot know the code. What looks like a marker, or like
the control tokens of a chat template (which some servers honour inside a message), is defused by
replacing its brackets one for one, so that offsets in the defused text are offsets in the original.
"""

from __future__ import annotations

import random
import re
import secrets
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_TURNS = r"start_of_turn|end_of_turn|im_start|im_end|bos|eos|pad|s|think|thinking|system|user|assistant"
_CONTROL_TOKEN = re.compile(
    r"<<|>>|<\||\|>|<｜|｜>"  # our markers; ChatML, Llama 3, Phi; DeepSeek
    rf"|</?(?:{_TURNS})>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"
    r"|<</?SYS>>",
    re.IGNORECASE,
)
_HARMLESS = str.maketrans("<>[]|｜", "‹›［］¦¦")
# Control characters, and the invisible ones that reorder text or hide a message in it.
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


class Item(NamedTuple):
    """A piece of data: what it is, its number if it has one, and the text."""

    kind: str
    number: int | None
    text: str


def defused(text: str) -> str:
    """The text with nothing in it that acts as markup; as long as it was, character by character."""
    text = _CONTROL_TOKEN.sub(lambda match: match.group().translate(_HARMLESS), text)
    return _INVISIBLE.sub(" ", text)


def fenced(items: Iterable[Item]) -> str:
    """The items as one message, under a code that none of them holds."""
    parts = [(item.kind, item.number, defused(item.text)) for item in items]
    code = _code([text for _, _, text in parts])
    lines = []
    for kind, number, text in parts:
        lines += [f"<<{code} {kind}>>" if number is None else f"<<{code} {kind} {number}>>", text]
    return "\n".join([*lines, f"<<{code} end>>"])


def numbers(count: int) -> list[int]:
    """So many different numbers, in no order that a model could count on or an author foresee.

    A model that skips an item and numbers the rest on, or counts from 0, then names numbers that were not
    given, instead of putting each verdict under the wrong claim.
    """
    low, high = (10, 100) if count <= 40 else (100, 1000) if count <= 400 else (10_000, 100_000)
    return random.Random(secrets.randbits(64)).sample(range(low, high), count)


def _code(texts: Sequence[str]) -> str:
    while True:
        code = "k" + secrets.token_hex(4)
        if not any(code in text for text in texts):
            return code
