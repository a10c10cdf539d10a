"""Puts a hedge back that the contexts have and the claim dropped: "plans to", "may", "reportedly"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from faithmeter.datamodels import Context, Evidence
from faithmeter.evidence.passages import terms
from faithmeter.fix.proposal import Proposal
from faithmeter.text import sentences
from faithmeter.text.english import verbs

_PLANS = re.compile(
    r"\b(?P<hedge>(?:(?:is|are|was|were|has been|have been) )?(?:plan(?:s|ned|ning)?|hop(?:es?|ed|ing)|expected|"
    r"intend(?:s|ed)?|aim(?:s|ed|ing)?|(?<=[esd] )set|due|scheduled|want(?:s|ed)?|propos(?:es|ed)|likely|believed|"
    r"thought|alleged|tr(?:ies|ied)|attempt(?:s|ed)|consider(?:s|ed)) to) (?P<verb>[a-z]+)"
)
_MAY = re.compile(r"\b(?P<hedge>may|might|could) (?P<verb>[a-z]+)")
_ADVERB = re.compile(r"\b(?P<hedge>reportedly|allegedly|possibly|probably|supposedly|potentially) (?P<verb>[a-z]+)")
_HEDGED = re.compile(
    r"\b(?:may|might|could|would|should|plan(?:s|ned|ning)?|hop(?:e|es|ed|ing)|expect\w*|intend\w*|aim\w*|likely|alleg\w*|report\w*|"
    r"possibl\w*|probabl\w*|suppos\w*|potential\w*|perhaps|appear\w*|seem\w*|suggest\w*|believ\w*|thought|said|claim\w*|"
    r"propos\w*|want\w*|schedul\w*|set to|due to|if)\b",
    re.IGNORECASE,
)
SURELY = 0.85  # of the claim's words that stand in the hedged sentence
_IRREGULAR = {
    "buy": "bought", "build": "built", "make": "made", "take": "took", "give": "gave", "go": "went", "come": "came",
    "become": "became", "begin": "began", "hold": "held", "win": "won", "lose": "lost", "sell": "sold", "leave": "left",
    "pay": "paid", "run": "ran", "send": "sent", "spend": "spent", "write": "wrote", "rise": "rose", "fall": "fell",
    "grow": "grew", "bring": "brought", "find": "found", "lead": "led", "meet": "met", "steal": "stole", "see": "saw",
}  # fmt: skip
_AHEAD = r"(?:will |would |is going to |are going to |has |have |had )?"


def dropped(text: str, contexts: Sequence[Context]) -> list[Proposal]:
    """Hedges that a claim surely dropped, whatever a verifier says of it: verifiers overlook them.

    A sentence of a context says nearly all of the claim, with a hedge, and none says it without.
    """
    hedges = list(proposals(text, contexts, share=SURELY))
    if not hedges or _HEDGED.search(text):
        return []
    said = " ".join(context.text for context in contexts)
    for pattern in (_PLANS, _MAY, _ADVERB):
        said = pattern.sub("", said)
    return [item for item in hedges if not re.search(rf"(?<!\w){re.escape(text[item.start : item.end])}(?!\w)", said)]


def proposals(text: str, contexts: Sequence[Context], *, share: float = 0.5) -> Iterator[Proposal]:
    """Ways to hedge a verb of the claim as a sentence of a context hedges it that has this share of its words."""
    for index, context in enumerate(contexts):
        for sentence in sentences(context.text):
            said = sentence.of(context.text)
            held = set(terms(said))
            matches = [match for pattern in (_PLANS, _MAY, _ADVERB) for match in pattern.finditer(said)]
            for match in matches:
                for start, end in _flat(text, match["verb"], match["hedge"]):
                    wanted = set(terms(text[:start] + text[end:]))
                    if len(wanted & held) < share * len(wanted):
                        continue
                    evidence = Evidence.of(contexts, index, sentence.start, sentence.end)
                    new = f"{match['hedge']} {match['verb']}"
                    yield Proposal(start, end, new, "hedge", f"the context says {new!r}", evidence, 4.0)


def _flat(text: str, verb: str, hedge: str) -> Iterator[tuple[int, int]]:
    """Where a claim has the verb in some form without the hedge."""
    stem = verb[:-1] if verb.endswith("e") else verb
    forms = {verb, f"{verb}s", f"{verb}es", f"{stem}ed", f"{stem}{stem[-1:]}ed"}
    forms |= {f"{verb[:-1]}ies", f"{verb[:-1]}ied"} if verb.endswith("y") else set()
    forms |= {_IRREGULAR.get(verb, verb)}
    if hedge in text:
        return
    for match in re.finditer(rf"(?<![\w-]){_AHEAD}(?P<form>[a-z]+)(?![\w-])", text):
        if match["form"] in forms and match["form"] not in verbs.AUXILIARIES and len(verb) > 2:
            yield match.start(), match.end()
