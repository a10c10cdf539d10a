"""The first tiers of a cascade: what can be settled by looking, without a model.

Each check gives a verdict only where it is sure; elsewhere its verdict has no `support`, which a cascade reads
as "ask the next". The probabilities are those measured by `benchmarks/cascade.py` on labelled answers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from faithmeter.datamodels import Context, Evidence, Label, Origin, Outcome, Pair, Verdict
from faithmeter.text import sentences
from faithmeter.text.english.claim_facts import Fact, Kind, differences, read

# Shorter claims ("It is.", "Yes, he did.") stand in many contexts without being what is claimed.
LEAST_WORDS = 4
QUOTED = 0.99
REWORDED = 0.98
# One fact changed, all else the same. Rare: on 130,000 labelled claims of the training files it was found 26 times,
# 21 of them rightly (two of the rest are slips of the annotators). A name does not settle a claim (London for
# England), but sends it on.
CHANGED: dict[Kind, float] = {"number": 0.1, "date": 0.1, "negation": 0.1, "name": 0.25}
# A fact of these kinds in the place of another makes a sentence say otherwise when all the rest of it is the same.
SWAPPABLE: frozenset[Kind] = frozenset({"number", "date", "name"})
# What makes a near-identical sentence say otherwise: a negation, a party, a unit, a hedge, a role. Another plain word
# may be a rewording.
TURNING: frozenset[Kind] = frozenset(
    {"number", "date", "unit", "name", "negation", "quantifier", "comparative", "modality", "role", "order"}
)
_NUMBERING = re.compile(r"\s*(?:\(?\d{1,2}[.)]?|[-*•])\s+(?=\S)")

Placed = tuple[int, int, int, str]
"""A sentence of a context: the context's index, where it starts and ends, and its text."""


class _QuickCheck:
    """A verifier that looks at each claim by itself."""

    cheap = True
    cpu_bound = True
    signature: str

    def reads(self, pair: Pair) -> Sequence[str]:
        return ()

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        return [self._judge(pair) for pair in pairs]

    def _judge(self, pair: Pair) -> Verdict:
        raise NotImplementedError


class QuoteVerifier(_QuickCheck):
    """Supports a claim that is, but for spacing and case where they mean nothing, a whole sentence of a context."""

    signature = "quote.1"

    def _judge(self, pair: Pair) -> Verdict:
        wanted = _folded(pair.claim.text)
        if len(wanted.split()) >= LEAST_WORDS:
            for placed in _sentences(pair.sample.contexts):
                if _folded(placed[3]) == wanted and not differences(pair.claim.text, placed[3]):  # 100 MB, 100 Mb
                    return _verdict(pair, Label.SUPPORTED, QUOTED, placed, by="quote", reason="A verbatim quote.")
        return _verdict(pair, Label.NOT_ENOUGH_INFO, None, None, by="quote")


class FactVerifier(_QuickCheck):
    """Settles a claim that restates a sentence of a context, or restates it with another number, name or "not"."""

    signature = "facts.1"

    def _judge(self, pair: Pair) -> Verdict:
        claim = pair.claim.text
        nearest = _nearest(claim, _sentences(pair.sample.contexts))
        if nearest is None:
            return _verdict(pair, Label.NOT_ENOUGH_INFO, None, None, by="facts")
        if not differences(claim, nearest[3]):
            return _verdict(pair, Label.SUPPORTED, REWORDED, nearest, by="facts", reason="The same in other words.")
        changed = _changed(claim, nearest[3])
        if changed and not _said(changed, pair.sample.contexts):
            reason = f"The context says the same with another {changed.kind}."
            return _verdict(pair, Label.CONTRADICTED, CHANGED[changed.kind], nearest, by="facts", reason=reason)
        return _verdict(pair, Label.NOT_ENOUGH_INFO, None, None, by="facts")


def turned(pair: Pair) -> frozenset[Kind]:
    """What keeps a claim from being the sentence it all but repeats; empty if there is no such sentence, or nothing."""
    claim = pair.claim.text
    nearest = _nearest(claim, _sentences(pair.sample.contexts), least_words=1, slack=1)
    if nearest is None:
        return frozenset()
    kinds = differences(claim, nearest[3]) & TURNING
    firsts = {fact.stem for text in (claim, nearest[3]) for fact in read(text).facts[:1]}
    # Whoever comes first is a party, though a capital does not tell a name there.
    return kinds | {"name"} if len(firsts) > 1 and differences(claim, nearest[3]) else kinds


def _nearest(claim: str, placed: Sequence[Placed], *, least_words: int = LEAST_WORDS, slack: int = 0) -> Placed | None:
    """The sentence with nearly the same words, at most two (and `slack`) others; None if no sentence is that close."""
    facts = Counter(fact.stem for fact in read(claim).facts)
    if facts.total() < least_words:
        return None
    best, least = None, max(2, facts.total() // 6) + 1 + slack
    for item in placed:
        others = Counter(fact.stem for fact in read(item[3]).facts)
        if abs(others.total() - facts.total()) < least:
            apart = max((facts - others).total(), (others - facts).total())
            if apart < least and 3 * (facts & others).total() >= min(facts.total(), others.total()):
                best, least = item, apart
            if not least and not differences(claim, item[3]):
                return item  # of several with the same words, one with the same order
    return best


def _changed(claim: str, sentence: str) -> Fact | None:
    """The one fact of a claim that stands in the place of another of its kind in a sentence that is else the same."""
    ours, theirs = read(claim).facts, read(sentence).facts
    negations = [fact for fact in ours if fact.form in ("not", "never")]
    if [fact.stem for fact in ours if fact.kind != "negation"] == [f.stem for f in theirs if f.kind != "negation"]:
        added = len(negations) - sum(fact.kind == "negation" for fact in theirs)
        return negations[0] if added == 1 else None  # a "not" that is left out may be a double negation resolved
    if len(ours) != len(theirs):
        return None
    swapped = [(fact, other) for fact, other in zip(ours, theirs, strict=True) if fact.stem != other.stem]
    if len(swapped) != 1 or any(fact.kind == "comparative" for fact in ours):
        return None  # "more than 65 million" is supported by "75 million"
    fact, other = swapped[0]
    if fact.kind != other.kind or fact.kind not in SWAPPABLE or (fact.kind == "date" and _may_agree(fact, other)):
        return None
    return fact


def _may_agree(date: Fact, other: Fact) -> bool:
    """Whether one date may be the other told less fully: a month of a year, or a day without its year."""
    short, long = sorted((date.form, other.form), key=len)
    return long.startswith((short, "@-")) or short.startswith("@-")


def _said(fact: Fact, contexts: Sequence[Context]) -> bool:
    """Whether the contexts have a number, date or name anywhere: then another sentence may support the claim."""
    if fact.kind == "negation":
        return False
    return any(fact.form == other.form for placed in _sentences(contexts) for other in read(placed[3]).facts)


def _verdict(
    pair: Pair, label: Label, support: float | None, placed: Placed | None, *, by: str, reason: str | None = None
) -> Verdict:
    evidence = () if placed is None else (Evidence.of(pair.sample.contexts, *placed[:3]),)
    return Verdict(
        claim=pair.claim, label=label, support=support, evidence=evidence, reason=reason, origin=Origin(verifier=by)
    )


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!;:").strip("\"'“”‘’*- ")


def _sentences(contexts: Sequence[Context]) -> Sequence[Placed]:
    return _placed(tuple(context.text for context in contexts))


@lru_cache(maxsize=64)
def _placed(texts: tuple[str, ...]) -> tuple[Placed, ...]:
    """The contexts' sentences; the claims of a sample, and its tiers, ask for the same ones in turn."""
    placed = []
    for index, text in enumerate(texts):
        for sentence in sentences(text):
            numbering = _NUMBERING.match(text, sentence.start, sentence.end)
            start = numbering.end() if numbering else sentence.start
            placed.append((index, start, sentence.end, text[start : sentence.end]))
    return tuple(placed)
