"""Makes claims out of a document's own words that may or may not hold: the teacher alone says which.

Summaries go wrong by cutting and joining what was said: the subject of one sentence with the rest of another, a clause
that loses its condition. Whether such a claim still holds cannot be known by rule, and need not: these rows train the
student to see what its teacher sees.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence

from faithmeter.evidence.passages import terms

_SPLIT = re.compile(
    r"[,;:]? (?=(?:and|but|which|who|that|when|where|while|after|before|because|as|if|since|with|for) )|, "
)
_SUBJECT = re.compile(
    r"^(?P<subject>.{2,70}?) (?P<rest>(?:is|are|was|were|has|have|had|will|would|can|could|may|said|says|told|did|does|"
    r"became|made|took|won|went|began|got|[a-z]{3,}ed)\b .{8,})$"
)
_JOINTS = (" and ", ", and ", ", but ", " after ", " because ", " while ", ". ", ", which ", " when ", "; ")


def cut(text: str, rng: random.Random) -> str | None:
    """Leave out a part of a sentence, or all but a part."""
    parts = [part for part in _SPLIT.split(text.rstrip(".")) if part]
    if len(parts) < 2:
        return None
    out = rng.randrange(len(parts))
    kept = parts[:out] + parts[out + 1 :] if rng.random() < 0.6 else parts[: max(1, rng.randrange(len(parts)))]
    made = ", ".join(kept) if rng.random() < 0.3 else " ".join(kept)
    return _sentence(made) if len(made) > 25 else None


def fuse(first: str, second: str, rng: random.Random) -> str | None:
    """Make one claim of two sentences: who of one and what of the other, or a part of each."""
    one, other = _SUBJECT.match(first.rstrip(".")), _SUBJECT.match(second.rstrip("."))
    if one and other and rng.random() < 0.5:
        made = f"{one['subject']} {other['rest']}"
    else:
        heads, tails = _SPLIT.split(first.rstrip(".")), _SPLIT.split(second.rstrip("."))
        head, tail = heads[0], rng.choice(tails)
        if len(tail) > 1 and tail[1].islower():
            tail = tail[0].lower() + tail[1:]
        made = head + rng.choice(_JOINTS) + tail
    return _sentence(made) if 25 < len(made) < 320 else None


def _sentence(text: str) -> str:
    text = " ".join(text.split()).strip(" ,;:")
    return text[:1].upper() + text[1:] + "."


class Neighbours:
    """Finds, for a claim, texts that speak of the same things without being its own."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._holders: dict[str, list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            for term in set(terms(text)):
                self._holders[term].append(number)

    def near(self, claim: str, own: str, *, count: int) -> list[str]:
        """The texts that share the claim's rarest words, best first."""
        scores: dict[int, float] = defaultdict(float)
        for term in set(terms(claim)):
            holders = self._holders.get(term, ())
            if len(holders) <= 400:
                for number in holders:
                    scores[number] += 1 / (2 + len(holders)) ** 0.5
        found = sorted(scores, key=lambda number: (-scores[number], number))
        return [self.texts[number] for number in found[: count + 1] if self.texts[number] != own][:count]
