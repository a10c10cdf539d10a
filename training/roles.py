"""Rows about who did what to whom, in which only the evidence can tell a claim from its reverse.

Most claims with their ends swapped are absurd ("the book wrote Ann"), and from those a network learns what is absurd.
Here either end could have done it; and each claim is read twice, against what was written and against the same with
the two exchanged throughout, so that neither the words nor the world give the answer away.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from training.corrupt import GOOD, NO, VERB, names
from training.voice import PRONOUNS, parse

_PEOPLE = frozenset(
    re.findall(
        r"\w+",
        """man men woman women boy boys girl girls child children kid kids person people mother father mom dad parents
        brother sister son daughter wife husband uncle aunt cousin couple family guy lady gentleman baby dog cat horse
        bear wolf lion team club crew company firm bank government ministry police court jury army navy union party
        council board committee agency university school church court king queen prince princess duke emperor
        president chairman chief judge captain general colonel sergeant sheriff mayor guard nurse surgeon student
        students pupil client patient customer friend neighbour neighbor boss staff troops forces rebels protesters
        residents authorities officials victim suspect witness journalist artist scientist musician politician""",
    )
)
_DOER = re.compile(r"[a-z]{3,}(?:er|or|ist|ian|ee)s?$")
_NO_DOER = re.compile(
    r"(?:number|letter|paper|water|weather|other|matter|order|power|color|floor|door|factor|summer|winter|dinner|"
    r"corner|offer|cover|river|tower|chapter|quarter|center|error|career|layer|danger|sector|flavor|motor|mirror|"
    r"computer|degree|coffee|committee|tree|three|fee|beer|rather|over|under|after|either|never|later|former)s?$"
)
_DETERMINER = re.compile(r"^(?:the|an?|his|her|their|its|two|three|some) ", re.IGNORECASE)


def acts(phrase: str) -> bool:
    """Whether the phrase names one who can do things: a pronoun, a name, people or a body of them."""
    last = phrase.split(" of ")[0].split()[-1]
    if last[:1].isupper():
        return True
    low = last.lower()
    return low in PRONOUNS or low in _PEOPLE or bool(_DOER.match(low) and not _NO_DOER.match(low))


def exchanged(text: str, one: str, two: str) -> str | None:
    """The text with two phrases exchanged wherever they stand; None where it does not have both."""
    one, two = (_DETERMINER.sub("", phrase) for phrase in (one, two))
    if {one.lower(), two.lower()} & PRONOUNS or one.lower() in two.lower() or two.lower() in one.lower():
        return None
    others = {one: two, two: one}
    if one[:1].isupper() and two[:1].isupper():  # people are often called by half of their names
        halves = [(one.split()[place], two.split()[place]) for place in (0, -1)]
        for first, second in halves:
            if first not in two.split() and second not in one.split():
                others.setdefault(first, second)
                others.setdefault(second, first)
    words = "|".join(map(re.escape, sorted(others, key=len, reverse=True)))
    found: set[str] = set()

    def other(match: re.Match[str]) -> str:
        found.add(match.group())
        return others[match.group()]

    made = re.sub(rf"(?<!\w)(?:{words})(?!\w)", other, text)
    return made if {one, two} <= found else None


class Read(NamedTuple):
    """A claim, what it is read against, and whether it holds."""

    claim: str
    context: str
    label: str


_GOING = re.compile(
    r"^(?P<one>(?:[\w'-]+ ){1,4})(?P<verb>(?:is|are|was|were) [a-z]+ing )(?P<two>(?:an?|the|another|two|his|her|some) "
    r"(?:[\w'-]+ ){0,3}?[\w'-]+)"
    r"(?P<tail>(?: (?:in|on|at|with|to|from|by|near|down|through|while|for|as|into)\b.*)?\.?)$"
)
_EVEN = re.compile(
    r"[,;:()]|\b(?:and|or|with|met|meets?|meeting|married|marries|near|between|against|versus|vs|like|as|played|plays|"
    r"facing|faced|kissing|hugging|fighting|joined|dated|dating|than|both|also known|called|named)\b"
)
_KIND = re.compile(r"[A-Z][a-z]+(?:an|ish|ese|ch|ic)")
"""Names that are not a thing's but say what kind it is."""
_DOES = re.compile(rf"{VERB.pattern}|\b\w{{3,}}s\b")
_PIECES = re.compile(
    r"[,;:] (?:and |but |while |so |because |after |when |as |where )?| (?:and|but|while|because|after|when) |[.!?]$"
)
_WHO = re.compile(r"((?:[A-Z][\w.'-]+ ?){1,4}), who (.+)")


def pieces(sentence: str) -> Iterator[str]:
    """The clauses that a longer sentence is made of, as sentences; what hangs on a name by "who" too."""
    parts = [part.strip() for part in _PIECES.split(sentence) if part and len(part) > 15]
    if found := _WHO.search(sentence):
        parts.append(f"{found[1].strip()} {_PIECES.split(found[2])[0]}")
    for part in parts:
        if part.rstrip(".") != sentence.rstrip("."):
            yield f"{part[:1].upper()}{part[1:]}."


def readings(claim: str, context: str, rng: random.Random) -> Iterator[Read]:
    """A claim as it is, with its ends swapped, and both against the exchanged context; nothing if it has no ends."""
    clause = parse(claim)
    if clause is None or clause.agent.lower() == clause.patient.lower():
        yield from _going(claim, context) or _by_name(claim, context, rng)
        return
    whole = len(clause.more) < 2
    other = exchanged(context, clause.agent, clause.patient) if acts(clause.agent) and acts(clause.patient) else None
    for passive in [clause.passive] + [not clause.passive] * (whole and rng.random() < 0.5):
        said, swapped = (clause.said(passive=passive, swapped=swap) for swap in (False, True))
        # what goes on after the clause may speak of either end
        yield from _four(said, swapped, context, other if whole else None)


def by_pronoun(claim: str, context: str, rng: random.Random) -> Iterator[tuple[Read, str]]:
    """A clause about the one whom a text is about, who is "he" or "she" now, and swapped; each with that one's name."""
    clause = parse(claim)
    if clause is None:
        return
    men, women = (
        len(re.findall(rf"\b(?:{word})\b", context, re.IGNORECASE)) for word in ("he|his|him", "she|her|hers")
    )
    he = "he" if men > 2 + 4 * women else "she" if women > 2 + 4 * men else None
    if he is None:
        return
    for name, other, spoken in (
        (clause.agent, clause.patient, clause._replace(agent=he)),
        (clause.patient, clause.agent, clause._replace(patient=he)),
    ):
        if not name[:1].isupper() or name.split()[-1] not in context[:150] or other.lower() in PRONOUNS:
            continue
        passive = rng.random() < 0.5 if len(clause.more) < 2 else clause.passive
        for swapped in (False, True):
            yield Read(spoken.said(passive=passive, swapped=swapped), context, NO if swapped else GOOD), name
        return


def kind_of(claim: str, context: str) -> str:
    """What the ends of a claim are: `two_sided` where either could have done it, `odd` where not, or two `names`."""
    clause = parse(claim)
    if clause is None:
        return "two_sided" if _going(claim, context) else "names"
    return "two_sided" if acts(clause.agent) and acts(clause.patient) else "odd"


def _four(said: str, swapped: str, context: str, other: str | None) -> list[Read]:
    found = [Read(said, context, GOOD), Read(swapped, context, NO)]
    return [*found, Read(said, other, NO), Read(swapped, other, GOOD)] if other else found


def _going(claim: str, context: str) -> list[Read]:
    """What is going on: "a man is chasing a dog"."""
    found = _GOING.match(claim)
    if found is None or _EVEN.search(found["one"] + found["verb"]):
        return []
    one, two = found["one"].strip(), found["two"]
    one = one[:1].lower() + one[1:] if _DETERMINER.match(one) else one
    if not (acts(one) and acts(two)) or one.lower() == two.lower():
        return []
    be, _, rest = found["verb"].partition(" ")
    if one.endswith("s") != two.endswith("s"):
        be = {"is": "are", "are": "is", "was": "were", "were": "was"}[be]
    return _four(
        claim, f"{two[:1].upper()}{two[1:]} {be} {rest}{one}{found['tail']}", context, exchanged(context, one, two)
    )


def _by_name(claim: str, context: str, rng: random.Random) -> list[Read]:
    """Two names with a verb between them, exchanged in the claim, in the context, or in both."""
    found = [name for name in names(claim, context) if not _KIND.fullmatch(name.group())]
    pairs = [
        (one.group(), two.group())
        for one, two in itertools.pairwise(found)
        if _DOES.search(between := claim[one.end() : two.start()]) and not _EVEN.search(between)
    ]
    for one, two in rng.sample(pairs, len(pairs)):
        swapped, other = exchanged(claim, one, two), exchanged(context, one, two)
        if swapped and other:
            return _four(claim, swapped, context, other)
    return []
