"""A text's families: who is whose relative by the links that it gives, and by two or three of them together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from faithmeter.text.english.kinship import COMPOSED, INVERSE
from faithmeter.verify.notes.family_links import UNSURE, Links, read_links

_PARTED = re.compile(
    r"\b(?:divorc\w*|annul\w*|separated|ex-(?:wife|husband)"
    r"|(?:former|estranged|first) (?:wife|husband|spouse|marriage))\b",
    re.IGNORECASE,
)
"""What leaves it open who is still whose husband or wife."""
_MOST_NAMES, _MOST_PEOPLE = 200, 40
"""More than these are no family, and would take long."""


class Kinship(NamedTuple):
    """That `other` is so related to `person`."""

    person: str
    relation: str
    other: str
    end: int
    """Where in the text the last of the links ends."""


class Family(NamedTuple):
    """Who is related to whom, each called by one name."""

    said: tuple[Kinship, ...]
    """What the text says; each both ways."""
    derived: tuple[Kinship, ...]
    """What follows from several links; each both ways."""
    names: dict[str, tuple[str, ...]]
    """All names of each person."""
    genders: dict[str, str]
    unnamed: dict[str, tuple[str, str]]
    """Of those without a name, whose relatives they are, and which."""


_Relations = Mapping[tuple[str, str], Mapping[str, int]]
"""What the second of two is to the first, and where that is said."""
_Near = Mapping[str, Mapping[str, tuple[str, int]]]
"""The relatives of each person."""


@lru_cache(maxsize=64)
def read_family(text: str) -> Family:
    """Read who is related to whom; nobody of whom the text says two things that exclude each other."""
    links = read_links(text)
    linked = {person for link in links.links for person in (link.person, link.other)}
    if len(links.names) > _MOST_NAMES or len(linked) > _MOST_PEOPLE:
        return Family((), (), {}, {}, {})
    call, unclear = _one_each(links)
    genders: dict[str, str] = {}
    for person, gender in links.genders:
        if gender and genders.setdefault(call[person], gender) != gender:
            unclear.add(call[person])
    base: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for link in links.links:
        one, other = call[link.person], call[link.other]
        base[one, other].setdefault(link.relation, link.end)
        base[other, one].setdefault(INVERSE.get(link.relation, link.relation), link.end)
    names: dict[str, list[str]] = defaultdict(list)
    for name in links.names:
        names[call[name]].append(name)
    unnamed = {call[key]: (call[owner], word) for key, (owner, word) in links.unnamed.items() if call[key] == key}
    unclear |= _conflicting(base, genders) | {key for key, (owner, _) in unnamed.items() if owner not in names}
    near = _certain(base, unclear, parted=bool(_PARTED.search(text)))
    said = tuple(
        Kinship(one, relation, other, end) for one, some in near.items() for other, (relation, end) in some.items()
    )
    derived = tuple(
        kinship
        for kinship in _derived(near)
        if (kinship.person, kinship.other) not in base
        and not (
            _may_be(kinship.person, kinship.other, unnamed, base)
            or _may_be(kinship.other, kinship.person, unnamed, base)
        )
    )
    return Family(said, derived, {one: tuple(some) for one, some in names.items()}, genders, unnamed)


def _certain(base: _Relations, unclear: set[str], *, parted: bool) -> dict[str, dict[str, tuple[str, int]]]:
    """The links on which there is no doubt."""
    wed = Counter(one for (one, _), relations in base.items() if "spouse" in relations)
    near: dict[str, dict[str, tuple[str, int]]] = defaultdict(dict)
    for (one, other), relations in base.items():
        if unclear.isdisjoint((one, other)) and UNSURE not in relations:
            relation, end = next(iter(relations.items()))
            if relation != "spouse" or not (parted or wed[one] > 1 or wed[other] > 1):
                near[one][other] = (relation, end)
    return near


def _derived(near: dict[str, dict[str, tuple[str, int]]]) -> Iterator[Kinship]:
    """What two or three links make together, where they make one thing only."""
    found: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for one, other, relation, end in list(_of_one_house(near)):
        found[one, other][relation] = end
        if relation == "sibling":
            near[one].setdefault(other, (relation, end))
    twice = list(_composed(near, near))
    second: dict[str, dict[str, tuple[str, int]]] = defaultdict(dict)
    for one, other, relation, end in twice:
        second[one].setdefault(other, (relation, end))
    for one, other, relation, end in (*twice, *_composed(near, second), *_composed(second, near)):
        found[one, other].setdefault(relation, end)
    for (one, other), relations in found.items():
        if len(relations) == 1:
            relation, end = next(iter(relations.items()))
            yield Kinship(one, relation, other, end)


def _may_be(one: str, other: str, unnamed: Mapping[str, tuple[str, str]], base: _Relations) -> bool:
    """Whether one without a name may be the other: "Tesk's brother" and Orrin, who is a brother of Tesk."""
    if one not in unnamed:
        return False
    owner = unnamed[one][0]
    return other in unnamed or not base.get((owner, one), {}).keys().isdisjoint(base.get((owner, other), {}))


def _one_each(links: Links) -> tuple[dict[str, str], set[str]]:
    """One name for each person, and those whose name may be of several."""
    people = {person for link in links.links for person in (link.person, link.other)}
    people |= {person for pair in links.same for person in pair} | {one for one, _ in links.genders}
    people |= {owner for owner, _ in links.unnamed.values()}
    call = {person: person for person in (*people, *links.names, *links.unnamed)}
    unclear = set()
    words = {name: frozenset(name.split()) for name in links.names}
    for name in links.names:
        longer = [other for other in links.names if words[name] < words[other]]
        longest = max(longer, key=len, default=name)
        if all(words[other] <= words[longest] for other in longer):
            call[name] = longest
        else:
            unclear.add(name)
    for one, other in links.same:
        if call[one] != call[other] and call[one] in words and call[other] in words:
            unclear |= {one, other}  # "his mother is Eva", "his mother is Ada"
        else:
            _unite(call, one, other, links)
    parents: dict[tuple[str, str], list[str]] = defaultdict(list)
    genders = dict(pair for pair in links.genders if pair[1])
    for link in links.links:
        if link.relation == "parent" and link.other in genders:
            parents[call[link.person], genders[link.other]].append(link.other)
    for some in parents.values():
        if len({call[one] for one in some if call[one] in links.names}) <= 1:
            for one in some:
                _unite(call, some[0], one, links)
    return call, {call[one] for one in unclear}


def _unite(call: dict[str, str], one: str, other: str, links: Links) -> None:
    """Call two by one name, by that of whichever has one."""
    old, new = call[one], call[other]
    if old in links.names and new not in links.names:
        old, new = new, old
    for person, name in call.items():
        if name == old:
            call[person] = new


def _conflicting(base: _Relations, genders: Mapping[str, str]) -> set[str]:
    """Those who have two mothers, or are two things to one another."""
    parents: dict[str, list[str]] = defaultdict(list)
    wrong = set()
    for (one, other), relations in base.items():
        certain = set(relations) - {UNSURE}
        if one == other or len(certain) > 1:
            wrong |= {one, other}
        if "parent" in certain:
            parents[one].append(other)
    for child, some in parents.items():
        known = [genders[one] for one in some if one in genders]
        if len(some) > 2 or len(known) > len(set(known)):
            wrong |= {child, *some}
    return wrong


def _composed(first: _Near, then: _Near) -> Iterator[tuple[str, str, str, int]]:
    for one, some in first.items():
        for middle, (relation, end) in some.items():
            for other, (farther, at) in then.get(middle, {}).items():
                made = COMPOSED.get((relation, farther))
                if made and other != one:
                    yield one, other, made, max(end, at)


def _of_one_house(near: _Near) -> Iterator[tuple[str, str, str, int]]:
    """Children of the same two parents, and those of one of them and of two others."""
    parents = {
        one: {other: end for other, (relation, end) in some.items() if relation == "parent"}
        for one, some in near.items()
    }
    full = [one for one, some in parents.items() if len(some) == 2]
    for one, other in permutations(full, 2):
        shared = len(parents[one].keys() & parents[other].keys())
        if shared:
            end = max(*parents[one].values(), *parents[other].values())
            yield one, other, "sibling" if shared == 2 else "half-sibling", end
