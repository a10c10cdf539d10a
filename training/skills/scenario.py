"""Scenarios: what a text may say in each of a few worlds, and claims with their label in each world.

A file of `kinds/` holds the scenarios of one skill. Its lines:

    ## name                      begins a scenario
    = act: swim; fish; camp      a stock of words for the slots {act1}, {act2}, ... (or a range: = n: 20-90);
                                 `sold/sell` has forms, {act1.a} and {act1.b}
    ! n_sum = n1 + n2 * 2        a number worked out from left to right (+ - * /)
    [A]                          begins the wordings of world A; [B], [C], ... the same
    [first]                      what comes before any of them
    [also]                       sentences that may stand beside any world and decide nothing
    [ask]                        questions
    [claims]                     claims, each after its labels, one letter a world:
    +-0 {p1} is taller.          + supported, - contradicted, 0 not said, . not asked in this world

¶ in a wording begins a line. `(a|b|)` stands for one of its parts, ` // ` for a place where other sentences may
come between.
Slots of one type (the letters of the name) are filled with different things; numbers, dates and amounts rise
with the digit: {n1} < {n2}. A claim must hold in one world and fail in another, or come with its slots exchanged,
so that it tells nothing about its label when it is read alone.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

KINDS = Path(__file__).parent / "kinds"
LABEL_OF = {"+": "supported", "-": "contradicted", "0": "not_enough_info"}
SLOT = re.compile(r"\{([a-z]+)(\d*)(_\w+)?((?:\.\w+)?)\}")
_CLAIM = re.compile(r"^([+\-0.]+)\s+(.+)$")
HELD_SHARE = 0.05


@dataclass(frozen=True)
class Claim:
    """A wording of a claim, and its label in each world."""

    text: str
    labels: str
    keep: tuple[float, ...]
    """How often it is asked in each world, so that it is as often supported as not."""


@dataclass(frozen=True)
class Scenario:
    """One scenario of a kind."""

    kind: str
    name: str
    worlds: tuple[tuple[str, ...], ...]
    claims: tuple[Claim, ...]
    stocks: dict[str, tuple[str, ...]] = field(hash=False, compare=False)
    also: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    sums: tuple[str, ...] = ()

    @property
    def wordings(self) -> tuple[str, ...]:
        return tuple(text for world in self.worlds for text in world) + tuple(claim.text for claim in self.claims)


def anonymous(text: str) -> str:
    """A wording without the numbers of its slots: claims that read alike to one who does not know the text.

    The forms of a stock stay apart ({same1.a} is a physician, {same1.c} a lawyer), for they are different words.
    """
    return SLOT.sub(lambda match: f"{{{match[1]}{match[4] if len(match[4]) == 2 else ''}}}", text)


def balanced(claims: Sequence[tuple[str, str]], *, where: str) -> tuple[Claim, ...]:
    """Weigh claims, given as (labels, text), so that none of them tells its label by its words."""
    counts: dict[str, Counter[bool]] = defaultdict(Counter)
    for labels, text in claims:
        for label in labels.replace(".", ""):
            counts[anonymous(text)][label == "+"] += 1
    found = []
    for labels, text in claims:
        count = counts[anonymous(text)]
        if len(count) < 2:
            raise ValueError(f"{where}: the claim {text!r} has only one kind of label; add a world or its twin")
        least = min(count.values())
        keep = tuple(0.0 if label == "." else least / count[label == "+"] for label in labels)
        found.append(Claim(text, labels, keep))
    return tuple(found)


def read_kind(path: Path) -> list[Scenario]:
    """Read the scenarios of a file; errors name the line."""
    found: list[Scenario] = []
    for block in re.split(r"(?m)^## ", path.read_text(encoding="utf-8"))[1:]:
        found.append(_scenario(path.stem, block))
    return found


def _scenario(kind: str, block: str) -> Scenario:
    name, *lines = block.splitlines()
    where = f"{kind}.txt, ## {name}"
    parts: dict[str, list[str]] = defaultdict(list)
    stocks: dict[str, tuple[str, ...]] = {}
    section = ""
    for line in (line.strip() for line in lines):
        if not line or line.startswith("#"):
            continue
        if match := re.fullmatch(r"\[(\w+)\]", line):
            section = match[1]
        elif line.startswith("= "):
            slot, _, words = line[2:].partition(": ")
            stocks[slot] = tuple(word.strip() for word in words.split(";"))
        elif line.startswith("! "):
            parts["sums"].append(line[2:])
        elif section:
            parts[section].append(line)
        else:
            raise ValueError(f"{where}: {line!r} stands in no section")
    worlds = tuple(tuple(parts[name]) for name in sorted(parts) if name.isupper())
    claims = []
    for line in parts["claims"]:
        match = _CLAIM.match(line)
        if not match or len(match[1]) != len(worlds):
            raise ValueError(f"{where}: {line!r} should begin with {len(worlds)} of + - 0 .")
        claims.append((match[1], match[2]))
    return Scenario(
        kind,
        name,
        worlds,
        balanced(claims, where=where),
        stocks,
        *(tuple(parts[name]) for name in ("also", "ask", "first", "sums")),
    )


@lru_cache(maxsize=1)
def scenarios() -> dict[str, tuple[Scenario, ...]]:
    """Read all kinds."""
    return {path.stem: tuple(read_kind(path)) for path in sorted(KINDS.glob("*.txt"))}


@lru_cache(maxsize=64)
def held_wordings(kind: str) -> frozenset[str]:
    """The wordings of a kind that nothing is trained on: the first twentieth by their hash.

    A world keeps at least two of its wordings, and a claim stays as long as its scenario has three others.
    """
    mine = scenarios().get(kind, ())
    all_wordings = sorted({text for one in mine for text in one.wordings}, key=_hash)
    wanted, held = max(1, round(HELD_SHARE * len(all_wordings))), set[str]()
    for text in all_wordings:
        if len(held) < wanted and all(_can_spare(one, text, held) for one in mine):
            held |= {claim.text for one in mine for claim in one.claims if anonymous(claim.text) == anonymous(text)}
            held.add(text)
    return frozenset(held)


def _can_spare(scenario: Scenario, text: str, held: set[str]) -> bool:
    worlds = [[wording for wording in world if wording not in held] for world in scenario.worlds]
    if any(text in world and len(world) < 3 for world in worlds):
        return False
    left = {anonymous(claim.text) for claim in scenario.claims if claim.text not in held}
    return anonymous(text) not in left or len(left) > 3


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
