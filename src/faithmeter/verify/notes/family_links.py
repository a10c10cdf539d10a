"""Who is whose relative, as a text says it in closed forms: "Joao's brother Silvan", "Anna, daughter of B and C"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from faithmeter.text import sentences
from faithmeter.text.english import verbs
from faithmeter.text.english import word_tables as lexicon
from faithmeter.text.english.clause_words import Word, tokens
from faithmeter.text.english.kinship import DOUBTFUL_KIN, GENDER, KIN, MEN, MODIFIERS, WOMEN, Term
from faithmeter.text.english.mentions import OPENERS

UNSURE = "unsure"
"""A relation that is none, or not one for certain: nothing follows from it, and none is set beside it."""
_DOUBT = re.compile(
    r"\b(?:if|whether|rumou?r\w*|alleg\w*|suppos\w*|pretend\w*|claims?|claimed|believe[sd]?|perhaps|maybe|might"
    r"|may be|possibly|probably|related|relation|den(?:y|ies|ied)|as if|like an?|or|unlike|wants? to|would|fiction\w*"
    r"|future|plays? the|played by|starring|role)\b|\?",
    re.IGNORECASE,
)
"""Sentences that suppose, deny or make up: nothing is read of them."""
_IS = lexicon.words("is was are were became becomes")
_WEDS = lexicon.words("married marries wed")
_HAS = lexicon.words("has had have")
_PLACE = lexicon.words("in at from near into around across through")
_JOINS = lexicon.words("of de la le van von der den al bin di da du dos del")
_PRONOUNS = lexicon.words("he his him she her")
_NO_NAMES = (frozenset(lexicon.MONTHS) - {"jan"}) | lexicon.words(
    "monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow i both"
)
_ROLE = re.compile(r"(?:[a-z]{2,20}(?:er|or|ist|ian|man|woman|ess)|boy|girl|judge|king|queen|friend|priest|guest|duke)")
_NO_MORE = {("first", "spouse"), ("second", "cousin"), ("third", "cousin")}
_MOST_NAMES, _DEEPEST, _FARTHEST = 8, 6, 60
"""Names of a list, relatives of relatives, and words before a pronoun."""


class Link(NamedTuple):
    """That `other` is so related to `person`."""

    person: str
    relation: str
    other: str
    end: int
    """Where in the text the words that say so end."""


class Links(NamedTuple):
    """All that a text says of relatives."""

    links: tuple[Link, ...]
    same: tuple[tuple[str, str], ...]
    """Who is called by two names, or is whose relative."""
    genders: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    unnamed: dict[str, tuple[str, str]]
    """Whose relative those without a name are, and which."""


class _Phrase(NamedTuple):
    people: tuple[str, ...]
    end: int
    linked: bool = False
    """Whether it says whose relatives these are."""
    plural: bool = False


class _Kin(NamedTuple):
    term: Term
    word: str
    end: int
    owner: bool
    """Whether something of theirs is spoken of: "brother's"."""
    doubtful: bool


@lru_cache(maxsize=64)
def read_links(text: str) -> Links:
    """Read a text, sentence by sentence."""
    reader = _Reader(frozenset(word.text for word in tokens(text) if word.text.islower()))
    for span in sentences(text):
        reader.read(span.of(text), span.start)
    return Links(tuple(reader.links), tuple(reader.same), tuple(reader.genders), tuple(reader.names), reader.unnamed)


class _Reader:
    def __init__(self, common: frozenset[str]) -> None:
        self.links: list[Link] = []
        self.same: list[tuple[str, str]] = []
        self.genders: dict[tuple[str, str], None] = {}
        self._deep = self._start = 0
        self.names: dict[str, None] = {}
        self.unnamed: dict[str, tuple[str, str]] = {}
        self._common = common
        self._words: list[Word] = []
        self._here: list[tuple[int, str]] = []
        self._last: list[tuple[int, str]] = []
        self._phrases: dict[int, _Phrase | None] = {}

    def read(self, sentence: str, start: int) -> None:
        self._words, self._start, self._phrases = tokens(sentence), start, {}
        self._last, self._here = self._here, []
        before, at = (len(self.links), len(self.same)), 0
        while at < len(self._words):
            if not (phrase := self._phrase(at)):
                at += 1
                continue
            self._mention(at, phrase)
            while self._at(phrase.end) == "and" and (other := self._phrase(phrase.end + 1)):
                self._mention(phrase.end + 1, other)
                phrase = _Phrase(phrase.people + other.people, other.end)
            at = max(at + 1, self._said_of(phrase))
        if _DOUBT.search(sentence):
            del self.links[before[0] :], self.same[before[1] :]

    def _at(self, at: int) -> str:
        return self._words[at].lower if 0 <= at < len(self._words) else ""

    def _mention(self, at: int, phrase: _Phrase) -> None:
        if self._at(at - 1) not in _PLACE:
            self._here += [(at, person) for person in phrase.people]

    def _said_of(self, left: _Phrase) -> int:
        """Read what follows people: an apposition, a relative clause, a verb; gives where that ends."""
        at = left.end
        if self._at(at) == "," and self._at(at + 1) == "whose" and (kin := self._kin(at + 2)):
            return self._said_of(self._relatives(left.people, kin))
        if self._at(at) in (",", "(") and len(left.people) == 1:
            at = self._apposed(left, at)
        if self._at(at) in (",", ")"):
            at += 1 + (self._at(at + 1) == "who")
        word, then = self._at(at), self._at(at + 1)
        if word in _IS and then == "married" and self._at(at + 2) == "to":
            self._wed(left, at + 3)
        elif word in _WEDS or (word in _IS and then == "married"):
            self._wed(left, at + 1 + (word in _IS))
        elif word in _IS and then == "born" and self._at(at + 2) == "to":
            self._link(self._named(at + 3)[0], "child", left.people, at + 2)
        elif word in _HAS and (kin := self._kin(at + 1 + (self._at(at + 1) in ("a", "an", "one")))):
            self._relatives(left.people, kin)
        elif word in _IS:
            self._copula(left, at + 1 + (then in ("also", "now", "both")))
        return at

    def _copula(self, left: _Phrase, at: int) -> None:
        right = self._phrase(at)
        if right and len(left.people) == len(right.people) == 1 and (left.linked or right.linked):
            self._unite(left.people[0], right.people[0])
        elif right and left.linked and left.plural and (some := self._named(at)[0]):
            self._spread(left.people[0], some, at)
        elif not right and len(left.people) > 1 and (kin := self._kin(at)) and kin.term.plural and not kin.doubtful:
            self._mutual(left.people, kin, at)

    def _apposed(self, left: _Phrase, at: int) -> int:
        """`Inka, Milo's daughter,` but not the list `Inka, Milo's daughter and Eva`."""
        right = self._phrase(at + 1)
        if not right or not right.linked or right.plural or left.linked or len(right.people) != 1:
            return at
        after = self._at(right.end)
        if after not in (",", ".", ";", ")", "") or (after == "," and self._at(right.end + 1) == "and"):
            return at
        if right.people[0] in self.unnamed and self._at(at - 2) != ",":
            self._unite(left.people[0], right.people[0])
            return right.end
        return at

    def _unite(self, one: str, other: str) -> None:
        self.same.append((one, other))
        for gender in ("f", "m"):
            if (one, gender) in self.genders or (other, gender) in self.genders:
                self.genders.update({(one, gender): None, (other, gender): None})

    def _wed(self, left: _Phrase, at: int) -> None:
        right = self._phrase(at)
        if right and len(right.people) == len(left.people) == 1:
            self._link(left.people, "spouse", right.people, right.end - 1)
        elif not right and len(left.people) == 2 and self._at(at) in (".", ",", ";", "in", "on", ""):
            self._link(left.people[:1], "spouse", left.people[1:], at - 1)

    def _mutual(self, people: Sequence[str], kin: _Kin, at: int) -> None:
        for one, other in combinations(people, 2):
            self._link((one,), kin.term.relation, (other,), at)
        self.genders.update(dict.fromkeys((person, kin.term.gender) for person in people))

    def _spread(self, group: str, people: Sequence[str], at: int) -> None:
        """Give each of some people the links of a group: `her sons are A and B`."""
        self.links += [link._replace(other=one) for link in self.links if link.other == group for one in people]

    def _link(self, owners: Sequence[str], relation: str, people: Sequence[str], at: int) -> None:
        end = self._start + self._words[min(at, len(self._words) - 1)].end
        self.links += [Link(owner, relation, person, end) for owner in owners for person in people if owner != person]

    def _phrase(self, at: int) -> _Phrase | None:
        """The people that the words from here on name or describe, chains of relatives with all their links."""
        if at not in self._phrases:
            self._phrases[at] = None
            self._deep += 1
            self._phrases[at] = self._read_phrase(at) if self._deep < _DEEPEST else None
            self._deep -= 1
        return self._phrases[at]

    def _read_phrase(self, at: int) -> _Phrase | None:
        word = self._at(at)
        if word in ("his", "her", "their"):
            kin = self._kin(at + 1)
            return self._relatives(self._owners(word, at), kin) if kin else None
        first = at + (word in ("the", "a", "an"))
        if (kin := self._kin(first)) and not kin.owner:
            return self._of(kin) or self._together(kin, at)
        if word == "the" and self._at(at + 1).endswith("'s") and (kin := self._kin(at + 2)):
            return self._relatives((f"the {self._at(at + 1)[:-2]}",), kin)
        name, end = self._name(at)
        if not name:
            return None
        owner = self._at(end - 1).endswith("'s")
        if not owner:
            return _Phrase((name,), end)
        kin = self._kin(end)
        if not kin:
            return None
        with_other = kin.term.relation == "child" and self._at(at - 1) == "and" and self._before(at - 1)
        return self._relatives((*([with_other] if with_other else []), name), kin)

    def _before(self, at: int) -> str:
        """Who is named right before a word."""
        last, person = self._here[-1] if self._here else (-1, "")
        return person if person and self._name(last)[1] == at else ""

    def _of(self, kin: _Kin) -> _Phrase | None:
        """`the daughter of A and B`."""
        if self._at(kin.end) != "of":
            return None
        owners, end = self._named(kin.end + 1)
        if not owners and (inner := self._phrase(kin.end + 1)):
            owners, end = inner.people, inner.end
        title = self._at(end).isalpha() and self._name(end + 1)[0] and self._at(end) not in ("and", "with", "by", "in")
        if not owners or title or self._at(end - 1).endswith("'s"):
            return None  # the son of Motown singer Mary Wells
        if kin.term.relation != "child" and len(owners) > 1:
            owners, end = owners[:1], self._name(kin.end + 1)[1]
        return self._relatives(owners, kin._replace(end=end))

    def _together(self, kin: _Kin, at: int) -> _Phrase | None:
        """`the sisters A and B`."""
        people, end = self._named(kin.end + (self._at(kin.end) == ","))
        same_both_ways = kin.term.relation in ("sibling", "cousin", "half-sibling", "step-sibling")
        if not kin.term.plural or not same_both_ways or kin.doubtful or len(people) < 2:
            return None
        if self._at(at - 1).endswith("'s") or self._at(at - 1) in ("my", "our", "your", "whose"):
            return None
        self._mutual(people, kin, end - 1)
        return _Phrase(people, end)

    def _relatives(self, owners: Sequence[str], kin: _Kin) -> _Phrase:
        """Those who are so related to their owners, by their names if these follow."""
        while kin.owner:
            inner = self._kin(kin.end)
            owners = (self._someone(owners, kin),)
            if not inner:
                return _Phrase((), kin.end)
            kin = inner
        people, end = self._names_after(kin)
        if not people:
            return _Phrase((self._someone(owners, kin),), kin.end, linked=True, plural=kin.term.plural)
        relation = UNSURE if kin.doubtful else kin.term.relation
        self._link(owners, relation, people, end - 1)
        self.genders.update(dict.fromkeys((person, kin.term.gender) for person in people))
        if kin.term.plural and relation in ("child", "sibling") and len(people) > 1:
            self._mutual(people, kin._replace(term=Term("sibling", kin.term.gender)), end - 1)
        if relation == "parent" and len(people) == 2:
            self._link(people[:1], "spouse", people[1:], end - 1)
        return _Phrase(people, end, linked=True, plural=len(people) > 1)

    def _someone(self, owners: Sequence[str], kin: _Kin) -> str:
        """A relative without a name."""
        one = kin.term.relation == "parent" and kin.term.gender and not kin.doubtful
        key = f"{'+'.join(owners)}'s {kin.word}" + ("" if one and owners else f"#{self._start}.{kin.end}")
        if owners and not kin.term.plural:
            self.unnamed[key] = (owners[0], kin.word)
            self._link(owners, UNSURE if kin.doubtful else kin.term.relation, (key,), kin.end - 1)
            self.genders[key, kin.term.gender] = None
        return key

    def _names_after(self, kin: _Kin) -> tuple[tuple[str, ...], int]:
        """The names in apposition to a relative: `his brother Silvan`, `his only son, Milo,`, `her sons A and B`."""
        comma = self._at(kin.end) in (",", ":", "(")
        if kin.term.plural:
            return self._named(kin.end + comma)
        name, end = self._name(kin.end + comma)
        if not name or self._at(end - 1).endswith("'s"):
            return (), kin.end
        if comma and self._at(end) not in (",", ".", ";", ")", ":", "", "and"):
            return (), kin.end
        if comma and self._at(end) in (",", "and") and self._name(end + 1)[0]:
            return (), kin.end  # his mother, Anna and Bob
        return (name,), end

    def _named(self, at: int) -> tuple[tuple[str, ...], int]:
        """A list of names: `A`, `A and B`, `A, B and C`."""
        people: list[str] = []
        end = at
        while len(people) < _MOST_NAMES:
            name, after = self._name(end)
            if not name or self._at(after - 1).endswith("'s"):
                break
            people.append(name)
            last, end = after, after
            if self._at(end) not in (",", "and", ";"):
                break
            end += 1 + (self._at(end) in (",", ";") and self._at(end + 1) == "and")
        return tuple(people), last if people else at

    def _name(self, at: int) -> tuple[str, int]:
        """The name that begins here, and where it ends."""
        end = at
        while end < len(self._words) and end < at + 7:
            word = self._words[end]
            if word.lower == "." and self._at(end - 1) in ("mr", "mrs", "ms", "dr", "st"):
                pass
            elif end > at and word.lower in _JOINS and self._words[end + 1 : end + 2]:
                if not self._words[end + 1].text[0].isupper():
                    break
            elif not self._is_name(word, end, first=end == at):
                break
            end += 1
            if word.lower.endswith("'s"):
                break
        name = " ".join(word.text for word in self._words[at:end] if word.text != ".").removesuffix("'s")
        name = name.removesuffix("’s")
        if name:
            self.names[name] = None
            self.genders[name, GENDER.get(self._at(at), "")] = None
        return name, end

    def _is_name(self, word: Word, at: int, *, first: bool) -> bool:
        lower = word.lower.removesuffix("'s")
        if not word.text[0].isupper() or lower in OPENERS or lower in _NO_NAMES:
            return False
        if lower in KIN and first:
            return bool(self._words[at + 1 : at + 2]) and self._words[at + 1].text[0].isupper()
        return at > 0 or not (lower in self._common or verbs.is_past(lower))

    def _kin(self, at: int) -> _Kin | None:
        """The word for a relative that begins here, past what goes before it."""
        doubtful = False
        for end in range(at, min(at + 5, len(self._words))):
            word = self._words[end]
            lower = word.lower.removesuffix("'s")
            if lower == "twin" and re.fullmatch(r"[a-z]{3,}(?:'s)?", self._at(end + 1)):
                continue  # twin brother, twin girls
            if lower in KIN and word.text[0].islower():
                doubtful |= lower.startswith(("step", "half"))
                owner = word.lower.endswith("'s")
                before, relation = self._at(end - 1), KIN[lower].relation
                doubtful |= (before, relation) in _NO_MORE or lower == "twins"
                return _Kin(KIN[lower], lower, end + 1, owner, doubtful)
            if lower in DOUBTFUL_KIN:
                doubtful = True
            elif lower not in MODIFIERS:
                return None
        return None

    def _owners(self, pronoun: str, at: int) -> tuple[str, ...]:
        """Whom a pronoun stands for, if only one can be meant."""
        if len(self._here) > _MOST_NAMES or at > _FARTHEST:
            return ()
        people = list(dict.fromkeys(person for _, person in self._here if self._fits(person, pronoun)))
        if pronoun == "their":
            return tuple(people) if len(people) == 2 else ()
        if self._role_before(at) or (self._at(at - 1) == "and" and not self._here):
            return ()
        if self._here and self._speaks_of(pronoun, self._here[0][0]):
            return ()
        if not self._here and (at == 0 or self._speaks_of(pronoun, at)):
            last = dict.fromkeys(person for _, person in self._last if self._fits(person, pronoun))
            people = [person for start, person in self._last[:1] if start == 0 and list(last) == [person]]
        return tuple(people) if len(people) == 1 else ()

    def _fits(self, person: str, pronoun: str) -> bool:
        other = "f" if GENDER.get(pronoun) == "m" else "m"
        return pronoun == "their" or (person, other) not in self.genders

    def _speaks_of(self, pronoun: str, at: int) -> bool:
        """Whether a pronoun before already stands for the one that is meant."""
        alike = MEN if pronoun == "his" else WOMEN
        return any(self._at(n) in alike & _PRONOUNS for n in range(at))

    def _role_before(self, at: int) -> bool:
        """Whether someone without a name may be meant: "the judge met Silvan and his wife"."""
        return any(
            _ROLE.fullmatch(self._at(n))
            and self._at(n - 1) in ("the", "a", "an")
            and self._at(n - 2) not in (*_IS, ",", "as")
            and not self._name(n + 1)[0]
            for n in range(1, at)
        )
