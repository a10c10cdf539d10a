"""Cases written one by one: a passage, the same with a few words changed, and claims with their label under both.

A file of `written/` holds cases; the lines of one:

    === kind | domain
    The passage, of one or more lines.
    ~ words => other words       the passage in its other world: these words changed wherever they stand
    ? A question.
    sc A claim.                  its label under either: s supported, c contradicted, n not said
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from faithmeter.text import sentences
from training.rows import held_out
from training.skills.compose import Asked, joint, stretch

FOLDER = Path(__file__).parent / "written"
LABEL_OF = {"s": "supported", "c": "contradicted", "n": "not_enough_info"}
HELD_SHARE = 0.06
STEADY_SHARE = 0.6
"""How often a claim is asked that has one label under both texts: read alone, it might give that away."""
AT_MOST_CLAIMS = 7
_EDIT, _CLAIM = re.compile(r"~ (.+?) => ?(.*)"), re.compile(r"([scn])([scn]) (\S.*)")


class Case(NamedTuple):
    """What one author wrote at a time."""

    kind: str
    domain: str
    texts: tuple[str, str]
    edits: tuple[tuple[str, str], ...]
    """What makes the first text the second: words, and those in their place."""
    question: str
    claims: tuple[tuple[str, str, str], ...]
    """Each claim after its label under either text."""

    @property
    def held(self) -> bool:
        """Whether nothing is trained on it."""
        return held_out(self.texts[0], HELD_SHARE)


def read_cases(path: Path) -> Iterator[Case]:
    """Read a file of cases; errors name the passage."""
    for block in re.split(r"(?m)^=== ?", path.read_text(encoding="utf-8"))[1:]:
        head, *lines = block.strip("\n").split("\n")
        kind, _, domain = (part.strip() for part in head.partition("|"))
        text: list[str] = []
        edits: list[tuple[str, str]] = []
        claims: list[tuple[str, str, str]] = []
        question = ""
        for line in lines:
            if match := _EDIT.fullmatch(line):
                edits.append((match[1], match[2]))
            elif line.startswith("? "):
                question = line[2:]
            elif match := _CLAIM.fullmatch(line):
                claims.append((LABEL_OF[match[1]], LABEL_OF[match[2]], match[3].strip()))
            elif not edits and not claims:
                text.append(line)
            elif line.strip():
                raise ValueError(f"{path.name}, {head}: {line!r} is no edit, question or claim")
        first = other = "\n".join(text).strip()
        for old, new in edits:
            if old not in other:
                raise ValueError(f"{path.name}, {head}: {old!r} does not stand in {first[:60]!r}")
            other = other.replace(old, new)
        if first == other or not any(a != b for a, b, _ in claims):
            raise ValueError(f"{path.name}, {head}: nothing changes in {first[:60]!r}")
        yield Case(kind, domain, (first, other), tuple(edits), question, tuple(claims))


@lru_cache(maxsize=1)
def all_cases() -> tuple[Case, ...]:
    """All cases, in the order of the files."""
    return tuple(case for path in sorted(FOLDER.glob("*.txt")) for case in read_cases(path))


@lru_cache(maxsize=2)
def _cases(*, held: bool) -> dict[str, list[Case]]:
    """The cases of each domain, and all of them under no name."""
    found: dict[str, list[Case]] = {"": []}
    for case in all_cases():
        if case.held == held:
            found[""].append(case)
            found.setdefault(case.domain, []).append(case)
    return found


class Set(NamedTuple):
    """Claims about contexts, of which one decides."""

    contexts: list[str]
    asked: list[Asked]


def blur(rng: random.Random, case: Case) -> str:
    """A case's passage with some of its edits, where it has several, or without some of its lines or sentences."""
    text, count = case.texts[0], len(case.edits)
    if count > 1 and rng.random() < 0.5:
        for old, new in rng.sample(case.edits, rng.randrange(1, count)):
            text = text.replace(old, new)
        return text
    text = rng.choice(case.texts)
    lines = text.split("\n")
    parts, space = (lines, "\n") if len(lines) > 2 else ([one.of(text) for one in sentences(text)], " ")
    if len(parts) < 2:
        return text
    left = rng.randint(1, max(1, len(parts) // 2))
    out = set(rng.sample(range(len(parts)), left))
    return space.join(part for number, part in enumerate(parts) if number not in out)


def make(rng: random.Random, case: Case, *, around: Sequence[str], blurred: bool = False) -> Set:
    """Set a case's passage, in one of its worlds, among others and among real sentences.

    A `blurred` one is in neither world: nobody said what holds there, and it is for the teacher to say.
    """
    world = rng.randrange(2)
    question = case.question if rng.random() < 0.7 else ""
    asked = [
        Asked(case.kind, claim[2], "unlabelled" if blurred else claim[world], case.held, question)
        for claim in rng.sample(case.claims, len(case.claims))
        if claim[0] != claim[1] or rng.random() < STEADY_SHARE
    ]
    if len(asked) > 1 and not blurred and rng.random() < 0.3:
        asked.append(joint(asked, rng))
    mine = blur(rng, case) if blurred else case.texts[world]
    others = _cases(held=case.held)
    near = others.get(case.domain, ()) if rng.random() < 0.4 else others[""]
    count = rng.choices((0, 1, 2, 4), (40, 25, 20, 15))[0]
    drawn = [rng.choice(near or others[""]) for _ in range(count)]
    beside = [rng.choice(one.texts) for one in drawn if one.texts != case.texts]
    if around and rng.random() < 0.3:
        beside.append(" ".join(stretch(rng.choice(around), rng, at_most=8)))
    parts = beside[:]
    parts.insert(rng.randint(0, len(parts)), mine)
    if rng.random() < 0.5:
        return Set(parts, asked[:AT_MOST_CLAIMS])
    space = " " if rng.random() < 0.4 and not any("\n" in part for part in parts) else "\n\n"
    return Set([space.join(parts)], asked[:AT_MOST_CLAIMS])
