"""Rows grouped by their evidence, for a teacher that reads a text once and then each claim about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from training.rows import Row
from training.tokens import Ints, in_processes, load_tokenizer

EVIDENCE_AT_MOST, CLAIM_AT_MOST, HINT_AT_MOST, ALL_AT_MOST = 460, 160, 60, 1100
"""Tokens; claims that would make a group longer are put into another with the same evidence."""


@dataclass
class Groups:
    """Texts, each followed by the claims about it, as flat arrays of tokens."""

    ids: Ints
    places: Ints
    """Where a token stands; each claim begins where the text ends."""
    parts: Ints
    """0 for the text, then the number of the claim in its group."""
    starts: Ints
    """Where each group begins in the flat arrays."""
    ends: Ints
    """Where, in its group, each claim's last token stands."""
    firsts: Ints
    """The number of each group's first claim."""
    rows: Ints
    """The row that each claim is."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def claims(self) -> int:
        """How many claims there are."""
        return len(self.rows)

    @property
    def lengths(self) -> Ints:
        return np.diff(self.starts)

    def claims_of(self, chosen: Ints) -> Ints:
        """The numbers of the claims of some groups, in their order."""
        counts = np.diff(self.firsts)[chosen]
        begins = np.repeat(self.firsts[chosen] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        found: Ints = begins + np.arange(counts.sum())
        return found

    @classmethod
    def join(cls, parts: Sequence[Groups]) -> Groups:
        """Several lots of groups as one."""

        def bounds(name: str) -> Ints:
            return np.concatenate([[0], np.cumsum(np.concatenate([np.diff(getattr(part, name)) for part in parts]))])

        flat = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("ids", "places", "parts", "ends", "rows")
        }
        return cls(**flat, starts=bounds("starts"), firsts=bounds("firsts"))

    def save(self, path: Path) -> None:
        """Keep the groups, uncompressed."""
        np.savez(path, **vars(self))

    @classmethod
    def load(cls, path: Path) -> Groups:
        """Read what `save` wrote."""
        with np.load(path) as kept:
            return cls(**kept)


def group(rows: Sequence[Row], numbers: Ints, tokenizer: Path, *, part: int = 4_000) -> Groups:
    """Group some rows by their evidence and encode them, in as many processes as there are cores."""
    by_evidence: dict[str, list[int]] = defaultdict(list)
    for number in numbers.tolist():
        by_evidence[rows[number].evidence].append(number)
    texts = [
        (evidence, [(number, rows[number].claim, rows[number].hint) for number in some])
        for evidence, some in by_evidence.items()
    ]
    cuts = [texts[begin : begin + part] for begin in range(0, len(texts), part)]
    return Groups.join(in_processes(encode, cuts, tokenizer))


Text = tuple[str, list[tuple[int, str, str]]]
"""Evidence, and the number, claim and hint of each row about it."""


def encode(texts: Sequence[Text], tokenizer: Path) -> Groups:
    """The token ids of some groups."""
    loaded = load_tokenizer(tokenizer)
    ids: list[list[int]] = []
    places: list[list[int]] = []
    parts: list[list[int]] = []
    ends: list[int] = []
    counts: list[int] = []
    rows: list[int] = []
    evidence = encoded(loaded, [f"Text:\n{text}" for text, _ in texts], EVIDENCE_AT_MOST)
    for (_, about), head in zip(texts, evidence, strict=True):
        full = True
        for (number, *_), tail in zip(about, claim_ids(loaded, about), strict=True):
            if full or len(ids[-1]) + len(tail) > ALL_AT_MOST:
                ids.append(list(head))
                places.append(list(range(len(head))))
                parts.append([0] * len(head))
                counts.append(0)
                full = False
            counts[-1] += 1
            ids[-1] += tail
            places[-1] += range(len(head), len(head) + len(tail))
            parts[-1] += [counts[-1]] * len(tail)
            ends.append(len(ids[-1]) - 1)
            rows.append(number)
    return Groups(
        _flat(ids, np.int32), _flat(places, np.int16), _flat(parts, np.int16), np.cumsum([0, *map(len, ids)]),
        np.array(ends), np.cumsum([0, *counts]), np.array(rows),
    )  # fmt: skip


def _flat(lists: list[list[int]], kind: type[np.signedinteger[Any]]) -> Ints:
    return np.concatenate([np.array(one, kind) for one in lists])


def claim_ids(tokenizer: Tokenizer, about: Sequence[tuple[int, str, str]]) -> list[list[int]]:
    """The ids of each claim, with what gives its pronouns a meaning and what asks for the label."""
    hints = encoded(tokenizer, [f"\n\nAbout: {hint}" if hint else "" for _, _, hint in about], HINT_AT_MOST)
    claims = encoded(tokenizer, [f"\n\nClaim: {claim}" for _, claim, _ in about], CLAIM_AT_MOST)
    (close,) = encoded(tokenizer, ["\nSupported:"], 10)
    return [hint + claim + close for hint, claim in zip(hints, claims, strict=True)]


def encoded(tokenizer: Tokenizer, texts: list[str], at_most: int) -> list[list[int]]:
    """Token ids, cut to a length."""
    return [one.ids[:at_most] for one in tokenizer.encode_batch(texts, add_special_tokens=False)]
