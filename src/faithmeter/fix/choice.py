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

MARGIN, NAME_MARGIN = 0.6, 0.75
"""By how much the best must be better than the next; chosen on mistakes made in training data: docs/decisions/0134."""
WEIGHT = 0.5
"""Of the verifier's word beside the fit."""
SURER = 1.0
"""By how much (in logits) the verifier must prefer an exchange to a claim that it supports as it is."""
SURE_FIT = 3.0
"""How well what goes in must fit its place then."""

NAME_FIT = 0.5
"""How well a name must fit its place in a claim that is merely in doubt; see docs/decisions/0134."""


class Exchange(NamedTuple):
    """A proposal, and the verdict on the claim with it."""

    proposal: Proposal
    verdict: Verdict

    @property
    def worth(self) -> float:
        """How well it fits and is supported."""
        return self.proposal.score + WEIGHT * logit(self.verdict.support)


def supported(proposals: Sequence[Proposal], outcomes: Sequence[Outcome]) -> list[Exchange]:
    """The proposals that the verifier supports."""
    return [
        Exchange(proposal, outcome)
        for proposal, outcome in zip(proposals, outcomes, strict=True)
        if not isinstance(outcome, Failure) and outcome.label is Label.SUPPORTED
    ]


def clearly_best(exchanges: Sequence[Exchange]) -> Exchange | None:
    """The best exchange; None if another would put something else into the same place and is nearly as good."""
    best = max(exchanges, key=lambda item: item.worth, default=None)
    if best is None:
        return None
    margin = NAME_MARGIN if best.proposal.everywhere else MARGIN
    near = [item.proposal for item in exchanges if best.worth - item.worth < margin]
    return None if any(_rivals(best.proposal, other) for other in near) else best


def in_full(best: Exchange, exchanges: Sequence[Exchange], text: str) -> Exchange:
    """The exchange, or the one for a longer form of the same name, where a longer one goes out: for a first and a last
    name both, if the contexts have both."""
    words = len(text[best.proposal.start : best.proposal.end].split())
    longer = [
        item
        for item in exchanges
        if best.proposal.everywhere
        and item.proposal[:2] == best.proposal[:2]
        and len(best.proposal.new.split()) < len(item.proposal.new.split()) <= words
        and _is_within(best.proposal.new, item.proposal.new)
        and logit(item.verdict.support) >= logit(best.verdict.support) - SURER
    ]
    return max(longer, key=lambda item: (len(item.proposal.new.split()), item.worth), default=best)


def _is_within(name: str, longer: str) -> bool:
    """Whether a name is the beginning or the end of a longer one."""
    return longer.startswith(f"{name} ") or longer.endswith(f" {name}")


def surer(exchanges: Sequence[Exchange], verdict: Verdict) -> list[Exchange]:
    """Exchanges that put right what stands in no context, fit well, and are clearly better supported than the claim."""
    least = logit(verdict.support) + SURER
    return [
        item
        for item in exchanges
        if item.proposal.unknown and item.proposal.fit >= SURE_FIT and logit(item.verdict.support) >= least
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
    may well be right. A name must fit its place, since a verifier supports many a name."""
    return [
        item
        for item in proposals
        if item.kind == "hedge" or (item.unknown and (not item.everywhere or item.fit >= NAME_FIT))
    ]


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
