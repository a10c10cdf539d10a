"""Reads a simple sentence as who did what to whom, and says it again: in the other voice, or with the roles swapped.

It reads few sentences, those of one clause with a transitive verb and two short noun phrases, and reads them right:
what it is not sure of is None.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from faithmeter.text.english.word_tables import words
from faithmeter.trust.selftest import english as grammar

_LEAD = re.compile(r"^(?:(?:In|On|During|By|After|Since|Before|At) [^,]{2,40}|Additionally|However|Furthermore), ")
_ADVERBS = words(
    "also later then once eventually finally recently originally officially reportedly previously subsequently"
)
_PREPOSITIONS = words(
    "in on at for to by with from as after before during when because over under into against about between near "
    "through until since without while"
)
_DETERMINERS = words("the a an his her their its our my your this these those some several two three four")
_SUBJECTS = {"he": "him", "she": "her", "they": "them", "we": "us", "it": "it"}
_OBJECTS = {"him": "he", "her": "she", "them": "they", "us": "we", "it": "it"}
_BARRED = _PREPOSITIONS | words(
    "and or but nor who which that whom whose where not never no is are was were be been being am has have had do does "
    "did such will would can could may might must should shall to there both either only even than once"
)
# They take what looks like an object but is not one: no passive, no roles.
_INTRANSITIVE = words(
    "became remained stayed seemed appeared lasted died arrived happened occurred resembled measured weighed "
    "totalled wants turned retired resigned returned wanted cost had went came lived grew stood rose fell began "
    "started worked succeeded meant got felt ended joined left entered attended"
)
_TIMES = words("day days week weeks month months year years hour hours time times morning evening night minutes")
_BE = {("past", False): "was", ("past", True): "were", ("present", False): "is", ("present", True): "are"}

_LOOSE = words("in on at during since until before")
_LINKS = words("and or but who which that when while because where")
_ACTORS = words(
    "mother father parents brother sister son daughter wife husband man men woman women boy girl child children "
    "crew team company government police court judge president minister king queen army group staff doctor "
    "teacher student students customer customers reviewer reviewers officer officers player players coach club "
    "union party committee board agency family prince captain owner manager director friend friends victim "
    "suspect senator governor mayor community people residents photographer politician author council ministry"
)
_THINGS = words(
    "cup medal award awards prize prizes trophy championship championships open games series war veto act order "
    "title league season show film album book oscar emmy grammy festival day year road street avenue"
)
# What they are done to cannot do them.
_MAKING = words(
    "produced directed wrote released published composed painted recorded included contained received won earned "
    "served gained designed built launched created invented founded made discovered used needed required signed "
    "portrayed played voiced starred hosted presented represented"
)


class Clause(NamedTuple):
    """Who did what to whom."""

    lead: str
    """What comes before the subject, e.g. "In 1990, "."""
    agent: str
    patient: str
    adverb: str
    participle: str
    past: str
    third: str | None
    tense: Literal["past", "present", "perfect"]
    passive: bool
    tail: str
    """What comes after, from a preposition on, with a space before it."""
    more: str
    """What comes after a comma, with the comma."""
    stop: str

    def said(self, *, passive: bool) -> str:
        """The sentence in one voice or the other."""
        subject, other = (self.patient, self.agent) if passive else (self.agent, self.patient)
        many = is_plural(subject)
        if self.tense == "perfect":
            verb = f"{'have' if many else 'has'} {self.adverb}{'been ' if passive else ''}{self.participle}"
        elif passive:
            verb = f"{_BE[self.tense, many]} {self.adverb}{self.participle}"
        else:
            verb = self.adverb + (self.past if self.tense == "past" else self.third or "")
        by = " by" if passive else ""
        subject, other = _OBJECTS.get(subject.lower(), _lowered(subject)), _SUBJECTS.get(other.lower(), _lowered(other))
        text = f"{subject} {verb}{by} {other}{self.tail}{self.more}{self.stop}"
        return self.lead + text if self.lead else grammar.capitalised(text)

    @property
    def turnable(self) -> bool:
        """Whether it can be said in the other voice without a change of meaning.

        Not where what follows may belong to the object ("a debate about …"), or to the subject ("… and left").
        """
        tail = self.tail.split()
        clear = not tail or (tail[0] in _LOOSE and not any(word in _LINKS or word.endswith("ing") for word in tail))
        owned = not self.passive and self.patient.split()[0].lower() in ("his", "her", "their", "its")
        barred = self.more or owned or self.past in grammar.SYMMETRIC
        return clear and not barred and "it" not in (self.agent.lower(), self.patient.lower())

    @property
    def two_sided(self) -> bool:
        """Whether either could have done it to the other, and both did not: people, groups or names."""
        past = self.past.removeprefix("co-")
        even = past in grammar.SYMMETRIC or past in _MAKING
        return not even and _can_act(self.agent) and _can_act(self.patient)

    def swapped(self) -> Clause:
        """The same with the roles exchanged."""
        return self._replace(agent=self.patient, patient=self.agent)


def parse(sentence: str) -> Clause | None:
    """Read a sentence; None if it is not of the simple kind."""
    body, stop = grammar.ends(sentence)
    match = _LEAD.match(body)
    lead = match[0] if match else ""
    clause, comma, more = body[len(lead) :].partition(",")
    tokens = clause.split(" ")
    if not stop or re.search(r"[;:()\"“”?!]", clause) or len(tokens) > 25:
        return None
    for index in range(1, min(8, len(tokens) - 1)):
        subject = " ".join(tokens[:index])
        if not is_noun_phrase(subject):
            continue
        if parsed := _passive(tokens, index) or _active(tokens, index):
            return parsed._replace(lead=lead, more=comma + more, stop=stop)
    return None


def _active(tokens: list[str], index: int) -> Clause | None:
    subject, adverb, index = " ".join(tokens[:index]), *_adverb(tokens, index)
    tense: Literal["past", "present", "perfect"] = "past"
    if tokens[index] in ("has", "have") and index + 1 < len(tokens):
        tense, index = "perfect", index + 1
    word = tokens[index]
    forms = _forms(word, participle=tense == "perfect")
    if forms is None and tense == "past" and word in grammar.BY_THIRD and not is_plural(subject):
        verb = grammar.BY_THIRD[word]
        forms, tense = (verb.past, verb.participle, verb.third), "present"
    if forms is None or word in _INTRANSITIVE:
        return None
    rest = _object(tokens, index + 1)
    if rest is None:
        return None
    patient, tail = rest
    if tense == "present" and is_plural(patient):
        return None  # another form would be needed when the roles are swapped
    past, participle, third = forms
    return Clause("", subject, patient, adverb, participle, past, third, tense, False, tail, "", "")


def _passive(tokens: list[str], index: int) -> Clause | None:
    subject, be = " ".join(tokens[:index]), tokens[index]
    if be not in ("was", "were"):
        return None
    adverb, index = _adverb(tokens, index + 1)
    if index + 1 >= len(tokens) or tokens[index + 1] != "by":
        return None
    forms = _forms(tokens[index], participle=True)
    rest = _object(tokens, index + 2) if forms else None
    if forms is None or rest is None:
        return None
    agent, tail = rest
    past, participle, third = forms
    return Clause("", agent, subject, adverb, participle, past, third, "past", True, tail, "", "")


def _adverb(tokens: list[str], index: int) -> tuple[str, int]:
    if index < len(tokens) - 1 and tokens[index] in _ADVERBS:
        return tokens[index] + " ", index + 1
    return "", index


def _forms(word: str, *, participle: bool) -> tuple[str, str, str | None] | None:
    """(past, participle, third person) of a verb's past form or participle."""
    verb = (grammar.BY_PARTICIPLE if participle else grammar.BY_PAST).get(word)
    if verb:
        return verb.past, verb.participle, verb.third
    return (word, word, None) if word.islower() and word.endswith("ed") and len(word) > 5 else None


def _object(tokens: list[str], start: int) -> tuple[str, str] | None:
    """The noun phrase that begins at `start` and what follows it, from a preposition on."""
    for end in range(len(tokens), start, -1):
        follows = tokens[end : end + 1]
        phrase = " ".join(tokens[start:end])
        if (not follows or follows[0] in _PREPOSITIONS) and is_noun_phrase(phrase):
            return None if phrase.split()[-1].lower() in _TIMES else (phrase, "".join(f" {t}" for t in tokens[end:]))
    return None


def is_noun_phrase(text: str) -> bool:
    """Whether the words are a short noun phrase: a pronoun, a name, or a noun with its determiner."""
    tokens = text.split(" ")
    if len(tokens) == 1 and tokens[0].lower() in {*_SUBJECTS, *_OBJECTS}:
        return True
    if not text or len(tokens) > 6 or not (tokens[0].lower() in _DETERMINERS or tokens[0][:1].isupper()):
        return False
    if tokens[-1].lower() in _DETERMINERS or tokens[0].lower() in grammar.FUNCTION - _DETERMINERS:
        return False
    inner = [token for token in tokens[1:] if token != "of"]
    barred = any(token in _BARRED or token.endswith("ly") or token.isdigit() for token in inner)
    # "several awards" may end in what could be a verb; "the man left" may not
    verbs = any(token in grammar.BY_PAST for token in inner) or any(token in grammar.BY_THIRD for token in inner[:-1])
    return not barred and not verbs


def is_plural(phrase: str) -> bool:
    """Whether a noun phrase takes a plural verb."""
    head = phrase.split(" of ")[0].split()
    first, last = head[0].lower(), head[-1]
    if first in ("they", "them", "we", "us", "these", "those", "several", "two", "three", "four", "some"):
        return True
    if first in ("a", "an", "this") or (last[:1].isupper() and first != "the"):
        return False
    many = last.endswith("s") and not last.endswith(("ss", "us", "is"))
    return many or last in ("people", "children", "men", "women")


def _can_act(phrase: str) -> bool:
    head = phrase.split(" of ")[0].split()
    first, last = head[0].lower(), head[-1]
    if len(head) == 1 and first in {*_SUBJECTS, *_OBJECTS}:
        return first != "it"
    named = last[:1].isupper() and last.lower() not in _THINGS and (first == "the" or first not in _DETERMINERS)
    return named or last.lower() in _ACTORS


def _lowered(phrase: str) -> str:
    """Without the capital of a sentence's start; names keep theirs."""
    first, space, rest = phrase.partition(" ")
    return (first.lower() if first.lower() in _DETERMINERS else first) + space + rest
