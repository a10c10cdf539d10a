"""Exchanges what a sentence names wrongly: one thing, or several where one alone does not make it supported."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import islice, product
from typing import NamedTuple

from faithmeter.datamodels import Label, Outcome, Verdict
from faithmeter.fix.choice import MARGIN, WEIGHT, as_long, as_sure, clearly_best, fits, logit, supported, surer
from faithmeter.fix.proposal import Proposal, together

TRIED = 8
"""Proposals that are judged for a sentence."""
AT_ONCE = 3
"""Things that are exchanged in one sentence at most."""

Judge = Callable[[Sequence[str]], Awaitable[list[Outcome]]]
"""Gives the verifier's word on other forms of a sentence."""


class Exchanged(NamedTuple):
    """A sentence with other values in it, and the verdict on it."""

    text: str
    proposals: tuple[Proposal, ...]
    verdict: Verdict


async def exchange(
    text: str,
    named: Sequence[Proposal],
    judge: Judge,
    *,
    unknown: Callable[[str], list[Proposal]],
    instead_of: Verdict | None = None,
    doubtful: bool = False,
) -> Exchanged | None:
    """The sentence with the values that clearly fit best, if the verifier supports it then.

    `unknown` gives the proposals for what a sentence has from nowhere; `instead_of` is the verdict on a sentence that
    is supported as it is: what goes in must be clearly better then. In a `doubtful` sentence a name must fit its place.
    """
    tried = list(islice(named, TRIED))
    good = supported(tried, await judge([item.of(text) for item in tried]))
    best = clearly_best(surer(good, instead_of) if instead_of else good)
    if best and doubtful and not fits(best):
        return None
    if best:
        best = as_long(best, good, text)
        return await _further(Exchanged(best.proposal.of(text), (best.proposal,), best.verdict), judge, unknown)
    return None if good or instead_of else await _several(text, named, judge)


async def _further(done: Exchanged, judge: Judge, unknown: Callable[[str], list[Proposal]]) -> Exchanged:
    """A sentence that had one wrong value may have another: one from nowhere, where another fits the place well."""
    while len(done.proposals) < AT_ONCE:
        put_in = {item.new for item in done.proposals}
        more = [item for item in unknown(done.text) if done.text[item.start : item.end] not in put_in]
        tried = list(islice(more, TRIED))
        good = supported(tried, await judge([item.of(done.text) for item in tried]))
        best = clearly_best(as_sure(good, done.verdict))
        if best is None:
            break
        done = Exchanged(best.proposal.of(done.text), (*done.proposals, best.proposal), best.verdict)
    return done


async def _several(text: str, named: Sequence[Proposal], judge: Judge) -> Exchanged | None:
    """Two or three values from nowhere, exchanged at once, where no one of them alone makes the sentence supported."""
    by_place: dict[tuple[int, int], list[Proposal]] = {}
    for item in named:
        apart = all(item.end <= start or end <= item.start for start, end in by_place if (start, end) != item[:2])
        if item.unknown and item.new and apart and (item[:2] in by_place or len(by_place) < AT_ONCE):
            by_place.setdefault((item.start, item.end), []).append(item)
    if len(by_place) < 2:
        return None
    ways = list(product(*(items[:2] for items in by_place.values())))
    forms = [together(text, way) for way in ways]
    outcomes = await judge(forms)
    good = [
        (sum(item.score for item in way) + WEIGHT * logit(outcome.support), Exchanged(form, way, outcome))
        for way, form, outcome in zip(ways, forms, outcomes, strict=True)
        if isinstance(outcome, Verdict) and outcome.label is Label.SUPPORTED
    ]
    good.sort(key=lambda pair: -pair[0])
    if not good or (len(good) > 1 and good[0][0] - good[1][0] < MARGIN):
        return None
    return good[0][1]
