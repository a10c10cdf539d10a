"""Puts untrusted text into a prompt so that it stays data.

Every item stands under a marker line with a code drawn for the request: `§x7f3 P1`. The code occurs in no
text, so no text can open or close an item. Claims and sentences, which are many and short, share a marker:
each has a line of its own, behind its number in brackets (a small model copied a bare one into the text), and
what might break a line is made a space. What looks like a control token of a chat template (some servers honour
them inside a message) is defused by replacing its brackets. All
replacements are one for one, so offsets in the defused text are offsets in the original.
"""

from __future__ import annotations

import random
import re
import secrets
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

Kind = Literal["P", "Q", "A", "S", "C"]
"""Passage, question, part of the answer; and, each on a line, sentence and claim."""

LISTED = ("S", "C")

_TURNS = r"start_of_turn|end_of_turn|im_start|im_end|bos|eos|pad|s|think|thinking|system|user|assistant"
_CONTROL_TOKEN = re.compile(
    r"<\||\|>|<｜|｜>"  # ChatML, Llama 3, Phi; DeepSeek
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
_BREAK = re.compile(r"[\n\u2028\u2029]")
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


class Item(NamedTuple):
    """A piece of data: what it is, its number if it has one, and the text."""

    kind: Kind
    number: int | None
    text: str


def defused(text: str) -> str:
    """The text with nothing in it that acts as markup; as long as it was, character by character."""
    text = _CONTROL_TOKEN.sub(lambda match: match.group().translate(_HARMLESS), text)
    return _INVISIBLE.sub(" ", text)


def one_line(text: str) -> str:
    """The defused text on one line, as long as it was."""
    return _BREAK.sub(" ", defused(text))


def fenced(items: Iterable[Item], *, code: str | None = None) -> str:
    """The items as one message, under a code that none of them holds; a given one is for text that we wrote."""
    safe = [item._replace(text=one_line(item.text) if item.kind in LISTED else defused(item.text)) for item in items]
    code = code or _code([item.text for item in safe])
    lines = []
    for kind, group in groupby(safe, key=lambda item: item.kind):
        if kind in LISTED:
            lines += [f"§{code} {kind}", *(f"[{item.number}] {item.text}" for item in group)]
        else:
            for item in group:
                lines += [f"§{code} {kind}{'' if item.number is None else item.number}", item.text]
    return "\n".join(lines)


def numbers(count: int) -> list[int]:
    """So many different numbers, in no order that a model could count on or an author foresee.

    A model that skips an item and numbers the rest on, or counts from 0, then names numbers that were not
    given, instead of putting each verdict under the wrong claim.
    """
    low, high = (10, 100) if count <= 40 else (100, 1000) if count <= 400 else (10_000, 100_000)
    return random.Random(secrets.randbits(64)).sample(range(low, high), count)


def _code(texts: Sequence[str]) -> str:
    """A code that is in none of the texts: short, and longer should they hold too many."""
    length = 4
    while True:
        code = "x" + "".join(secrets.choice(_LETTERS) for _ in range(length - 1))
        if not any(code in text for text in texts):
            return code
        length += 1
