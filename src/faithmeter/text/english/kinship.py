"""Words for relatives, and which relative the relative of a relative is."""

from __future__ import annotations

from typing import NamedTuple

from faithmeter.text.english.word_tables import words


class Term(NamedTuple):
    """What a word for a relative says."""

    relation: str
    gender: str
    """`f`, `m`, or "" where it is not said."""
    plural: bool = False


_CALLED = {
    "parent": "mother father parent", "child": "daughter son child", "sibling": "sister brother sibling",
    "spouse": "wife husband spouse", "grandparent": "grandmother grandfather grandparent",
    "grandchild": "granddaughter grandson grandchild", "uncle": "aunt uncle", "nephew": "niece nephew",
    "cousin": "cousin cousin cousin", "parent-in-law": "mother-in-law father-in-law parent-in-law",
    "child-in-law": "daughter-in-law son-in-law child-in-law",
    "sibling-in-law": "sister-in-law brother-in-law sibling-in-law",
    "great-grandparent": "great-grandmother great-grandfather great-grandparent",
    "great-grandchild": "great-granddaughter great-grandson great-grandchild",
    "great-uncle": "great-aunt great-uncle", "great-nephew": "great-niece great-nephew",
    "half-sibling": "half-sister half-brother half-sibling", "step-sibling": "stepsister stepbrother stepsibling",
    "step-parent": "stepmother stepfather stepparent", "step-child": "stepdaughter stepson stepchild",
}  # fmt: skip
"""How a woman, a man and someone of whom that is not known are called."""
_ALSO = {
    "mum": "mother", "mom": "mother", "mam": "mother", "mama": "mother", "dad": "father", "widow": "wife",
    "widower": "husband", "twin": "sibling", "grandma": "grandmother", "grandpa": "grandfather",
    "grandaunt": "great-aunt", "granduncle": "great-uncle", "grandniece": "great-niece",
    "grandnephew": "great-nephew", "step-mother": "stepmother", "step-father": "stepfather",
    "step-son": "stepson", "step-daughter": "stepdaughter", "step-brother": "stepbrother",
    "step-sister": "stepsister",
}  # fmt: skip
KIN: dict[str, Term] = {
    word: Term(relation, gender if names.count(word) == 1 else "")
    for relation, called_ in _CALLED.items()
    for names in [called_.split()]
    for word, gender in zip(names, ("f", "m", ""), strict=False)
}
KIN |= {word: KIN[same] for word, same in _ALSO.items()}


def _plural(word: str) -> str:
    head, law, _ = word.partition("-in-law")
    head = f"{head[:-2]}ves" if head.endswith("wife") else f"{head}ren" if head.endswith("child") else f"{head}s"
    return head + law


ONE = {_plural(word): word for word in KIN}
"""What one of several is called."""
KIN |= {several: KIN[word]._replace(plural=True) for several, word in ONE.items()}

INVERSE = {
    one: other
    for pair in (
        ("parent", "child"), ("grandparent", "grandchild"), ("uncle", "nephew"), ("parent-in-law", "child-in-law"),
        ("great-grandparent", "great-grandchild"), ("great-uncle", "great-nephew"), ("step-parent", "step-child"),
    )
    for one, other in (pair, pair[::-1])
}  # fmt: skip
"""What someone is to their relative; all others are the same both ways."""

_COMPOSED = """
parent parent grandparent, parent grandparent great-grandparent, grandparent parent great-grandparent,
child child grandchild, child grandchild great-grandchild, grandchild child great-grandchild,
parent sibling uncle, grandparent sibling great-uncle, sibling parent parent, sibling grandparent grandparent,
sibling uncle uncle, sibling cousin cousin, sibling sibling sibling, sibling child nephew,
sibling grandchild great-nephew, sibling great-uncle great-uncle, nephew child great-nephew,
child sibling child, grandchild sibling grandchild, nephew sibling nephew, cousin sibling cousin,
uncle child cousin, parent nephew cousin, parent uncle great-uncle,
spouse parent parent-in-law, child spouse child-in-law, spouse sibling sibling-in-law, sibling spouse sibling-in-law
"""
COMPOSED = {(one, two): made for one, two, made in (entry.split() for entry in _COMPOSED.split(","))}
"""What the second relative of the first relative is to someone, where there is no doubt."""

MODIFIERS = words(
    "younger elder older eldest oldest youngest late only twin little big own new beloved infant baby two three four "
    "five six seven single married unmarried widowed maternal paternal dear old young dead deceased surviving first "
    "second third full elderly pregnant teenage other"
)
"""What may stand before a word for a relative."""
DOUBTFUL_KIN = words(
    "former adopted adoptive foster natural birth biological estranged divorced future alleged half step distant "
    "illegitimate ex-wife ex-husband godmother godfather godson goddaughter partner fiance fiancé fiancée fiancee "
    "foster-mother foster-father foster-son ex"
)
"""What makes it none by blood or marriage, or no more."""
MEN = words("he his him mr king sir lord prince duke count father baron emperor brother uncle")
WOMEN = words("she her mrs ms miss queen lady princess duchess countess mme baroness empress sister aunt")
GENDER = dict.fromkeys(MEN, "m") | dict.fromkeys(WOMEN, "f")
"""What tells whether a man or a woman is spoken of."""


def called(relation: str, gender: str | None) -> str:
    """The word for a relative; both words where one would say too much."""
    names = _CALLED[relation].split()
    if gender:
        return names["fm".index(gender)]
    return names[2] if len(names) > 2 else f"{names[0]} or {names[1].removeprefix('great-')}"
