"""Samples whose right verdicts are known: for the rule by which `llm_server` judges."""

from __future__ import annotations

import random
from dataclasses import dataclass

from faithmeter.datamodels import Label, Sample

_PEOPLE = ["Ada", "Boris", "Chen", "Dalia", "Emeka", "Freya", "Goran", "Hana", "Ivo", "Jamila", "Kofi", "Lena"]
_DEEDS = ["built", "sold", "painted", "counted", "repaired", "planted", "moved", "found", "lost", "borrowed"]
_THINGS = ["lanterns", "bridges", "maps", "clocks", "barrels", "kites", "statues", "wagons", "violins", "ovens"]
_PLACES = ["Lisbon", "Oslo", "Quito", "Hanoi", "Accra", "Turin", "Perth", "Tunis", "Cork", "Riga"]


@dataclass(frozen=True)
class Known:
    """A sample and the labels of its sentences, in order."""

    sample: Sample
    labels: tuple[Label, ...]


def known(number: int, *, sentences: int = 5, contexts: int = 4, words: int = 133) -> Known:
    """A made sample: facts spread over contexts of so many words, and an answer that gets some of them wrong."""
    rng = random.Random(number)
    facts = [_fact(rng, n) for n in range(contexts * 6)]
    texts = []
    for n in range(contexts):
        text = facts[n * 6 : n * 6 + 6]
        while sum(len(part.split()) for part in text) < words:
            text.append(_filler(rng))
        texts.append(" ".join(" ".join(text).split()[:words]))
    answer, labels = [], []
    for n in range(sentences):
        fact = facts[(n * 7) % len(facts)]
        label = rng.choice([Label.SUPPORTED, Label.SUPPORTED, Label.CONTRADICTED, Label.NOT_ENOUGH_INFO])
        if label is Label.CONTRADICTED:
            fact = _other_number(fact)
        elif label is Label.NOT_ENOUGH_INFO:
            fact = f"Nobody in {rng.choice(_PLACES)} ever heard of sample {number} or of its {n} owls."
        answer.append(fact)
        labels.append(label)
    question = f"What did {rng.choice(_PEOPLE)} do in {rng.choice(_PLACES)}?"
    return Known(Sample(id=f"s{number}", question=question, answer=" ".join(answer), contexts=texts), tuple(labels))


def _fact(rng: random.Random, n: int) -> str:
    person, deed, thing, place = (rng.choice(words) for words in (_PEOPLE, _DEEDS, _THINGS, _PLACES))
    return f"{person} {deed} {100 * n + rng.randrange(100)} {thing} near {place}."


def _other_number(fact: str) -> str:
    words = fact.split()
    words[2] = str(int(words[2]) + 5000)
    return " ".join(words)


def _filler(rng: random.Random) -> str:
    words = [*_DEEDS, *_THINGS, "and", "then", "with", "several", "other"]
    return " ".join(rng.choice(words) for _ in range(9)).capitalize() + "."
