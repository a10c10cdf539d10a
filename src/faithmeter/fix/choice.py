"""Chooses among exchanges that the verifier supports: one that is clearly the best, or none.

A verifier supports many a value that stands somewhere in the contexts. What goes in must therefore also fit its place
clearly better than anything else that could go there: a value left out is a smaller loss than a wrong one put in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from faithmeter.datamodels import Failure, Label, Outcome, Verdict
from faithmeter.fix.proposal import Proposal

MARGIN = 0.6
"""By how much the best must be better than the next; chosen on mistakes made in training data: docs/decisions/0134."""
NAME_SHARE = 0.5
"""Of a name: the probability that it is the one among all that could go in, their worths taken as logits; chosen on
mistakes made in other data than is measured: docs/decisions/0140."""
WEIGHT, NAME_WEIGHT = 0.5, 0.8
"""Of the verifier's word beside the fit; for names see docs/decisions/0140."""
SURER = 1.0
"""By how much (in logits) the verifier must prefer an exchange to a claim that it supports as it is."""
SURE_FIT = 3.0
"""How well what goes in must fit its place then."""

NAME_FIT = 0.5
"""How well a name must fit its place in a claim that is merely in doubt; see docs/decisions/0134."""
SURER_NAMES = ((5.0, 0.4, 0.9), (NAME_FIT, 2.0, 1.0))
"""Of names from nowhere in a claim that is supported as it is: how well what goes in must fit, how much support (in
logits) it must gain, and how much support the claim may have at most: docs/decisions/0140."""


class Exchange(NamedTuple):
    """A proposal, and the verdict on the claim with it."""

    proposal: Proposal
    verdict: Verdict

    @property
    def worth(self) -> float:
        """How well it fits and is supported."""
        if self.proposal.everywhere:
            return self.proposal.score + self.proposal.unknown + NAME_WEIGHT * logit(self.verdict.support)
        return self.proposal.score + WEIGHT * logit(self.verdict.support)


def supported(proposals: Sequence[Proposal], outcomes: Sequence[Outcome]) -> list[Exchange]:
    """The proposals that the verifier supports."""
    return [
        Exchange(proposal, outcome)
        for proposal, outcome in zip(proposals, outcomes, strict=True)
        if not isinstance(outcome, Failure) and outcome.label is Label.SUPPORTED
    ]


def clearly_best(exchanges: Sequence[Exchange]) -> Exchange | None:
    """The best exchange; None if another would put something else into the same place and is nearly as good, or, for a
    name, if several others together are as good."""
    best = max(exchanges, key=lambda item: item.worth, default=None)
    if best is None:
        return None
    rivals = [item for item in exchanges if _rivals(best.proposal, item.proposal)]
    if best.proposal.everywhere:
        others = sum(math.exp(item.worth - best.worth) for item in rivals)
        return best if 1 / (1 + others) >= NAME_SHARE else None
    return None if any(best.worth - item.worth < MARGIN for item in rivals) else best


def as_long(best: Exchange, exchanges: Sequence[Exchange], text: str) -> Exchange:
    """The exchange, or the one for a form of the same name with as many words as go out, if the contexts have that
    form: for a first and a last name both, and for a last name that alone."""
    words = len(text[best.proposal.start : best.proposal.end].split())

    def misses(item: Exchange) -> int:
        return abs(len(item.proposal.new.split()) - words)

    forms = [
        item
        for item in exchanges
        if best.proposal.everywhere
        and item.proposal[:2] == best.proposal[:2]
        and misses(item) < misses(best)
        and item.proposal.alone
        and (_is_within(best.proposal.new, item.proposal.new) or _is_within(item.proposal.new, best.proposal.new))
        and logit(item.verdict.support) >= logit(best.verdict.support) - SURER
    ]
    return min(forms, key=lambda item: (misses(item), -item.worth), default=best)


def _is_within(name: str, longer: str) -> bool:
    """Whether a name is the beginning or the end of a longer one."""
    return longer.startswith(f"{name} ") or longer.endswith(f" {name}")


def surer(exchanges: Sequence[Exchange], verdict: Verdict) -> list[Exchange]:
    """Exchanges that put right what stands in no context, fit well, and are clearly better supported than the claim;
    the better a name fits, the less support must be gained."""
    before = logit(verdict.support)
    names = [(fit, more) for fit, more, most in SURER_NAMES if before <= logit(most)]
    return [
        item
        for item in exchanges
        if item.proposal.unknown
        and any(
            item.proposal.fit >= fit and logit(item.verdict.support) >= before + more
            for fit, more in ((SURE_FIT, SURER), *(names if item.proposal.everywhere else ()))
        )
    ]


def as_sure(exchanges: Sequence[Exchange], verdict: Verdict) -> list[Exchange]:
    """Those for a further value of a sentence in which one was wrong: they fit well, and the sentence is supported no
    less with them; names, which are told apart less well, must be `surer`."""
    least = logit(verdict.support)
    sure = surer(exchanges, verdict)
    return [
        item
        for item in exchanges
        if item in sure
        or (not item.proposal.everywhere and item.proposal.fit >= SURE_FIT and logit(item.verdict.support) >= least)
    ]


def in_doubt(proposals: Sequence[Proposal]) -> list[Proposal]:
    """What may go into a claim that is merely in doubt: hedges, and things for what no context has; what a context has
    may well be right."""
    return [item for item in proposals if item.kind == "hedge" or item.unknown]


def fits(best: Exchange) -> bool:
    """Whether what goes into a claim that is merely in doubt fits its place: a verifier supports many a name."""
    return not best.proposal.everywhere or best.proposal.fit >= NAME_FIT


def logit(support: float | None) -> float:
    """A support on a scale on which 0.5 to 0.9 is as far as 0.9 to 0.99; beyond 0.98 it tells no more."""
    share = min(max(support if support is not None else 0.5, 0.02), 0.98)
    return math.log(share / (1 - share))


def _rivals(one: Proposal, other: Proposal) -> bool:
    """Whether both put something into one place, and not two forms of one name."""
    if one.end <= other.start or other.end <= one.start:
        return False
    mine, theirs = one.new.lower(), other.new.lower()
    return not (mine == theirs or (one.everywhere and (mine in theirs or theirs in mine)))
