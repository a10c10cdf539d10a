"""The batch boundary: what a verifier or an extractor gives back is checked before anything counts on it.

Whatever a plug-in does with one batch (it raises, gives back a generator, None, dicts, too little, too much, or the
verdict of another claim), the claims of that batch get a `Failure` that says so, and everything else goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import get_args

from faithmeter.datamodels import (
    Aside,
    Blame,
    Claim,
    Evidence,
    Extraction,
    Failure,
    Kind,
    Label,
    Origin,
    Outcome,
    Pair,
    Sample,
    Verdict,
)
from faithmeter.errors import FaithmeterError

_KINDS, _BLAMES = frozenset(get_args(Kind)), frozenset(get_args(Blame))

Verify = Callable[[Sequence[Pair]], Awaitable[object]]
Extract = Callable[[Sample], Awaitable[object]]


async def verified(verify: Verify, pairs: Sequence[Pair]) -> list[Outcome]:
    """One outcome for each pair, in order, whatever the verifier does; a wrong call or a stop is still raised."""
    claims = [pair.claim for pair in pairs]
    try:
        return checked(await verify(pairs), claims)
    except FaithmeterError:
        raise
    except Exception as error:  # one batch's error affects no other
        return _failed(claims, in_words(error))
    except asyncio.CancelledError:
        if _is_cancelled():
            raise
        return _failed(claims, "CancelledError: the verifier cancelled itself")


async def extracted(extract: Extract, sample: Sample) -> Extraction | Failure:
    """The sample's claims, whatever the extractor does; if it has outcomes, exactly one for each claim."""
    try:
        return _checked_extraction(await extract(sample))
    except FaithmeterError:
        raise
    except Exception as error:
        return Failure(kind="extraction", message=in_words(error))
    except asyncio.CancelledError:
        if _is_cancelled():
            raise
        return Failure(kind="extraction", message="CancelledError: the extractor cancelled itself")


def checked(returned: object, claims: Sequence[Claim], *, by: str = "verifier") -> list[Outcome]:
    """What a plug-in returned, as one outcome for each claim: a Failure where it is no outcome, or another claim's."""
    if isinstance(returned, str | bytes | dict) or not hasattr(returned, "__iter__"):
        return _failed(claims, f"the {by} gave {_kind(returned)} instead of a list of outcomes")
    outcomes = list(islice(returned, len(claims) + 1))  # a generator may have no end
    if len(outcomes) != len(claims):
        many = f"more than {len(claims)}" if len(outcomes) > len(claims) else str(len(outcomes))
        return _failed(claims, f"the {by} gave {many} outcomes that do not match the {len(claims)} claims")
    return [_checked_outcome(outcome, claim, by) for outcome, claim in zip(outcomes, claims, strict=True)]


def in_words(error: Exception) -> str:
    """An exception as a Failure's message."""
    return f"{type(error).__name__}: {error}"


def _checked_outcome(outcome: object, claim: Claim, by: str) -> Outcome:
    if not isinstance(outcome, Verdict | Failure):
        return _failure(claim, f"the {by} gave {_kind(outcome)} instead of a verdict")
    if outcome.claim != claim:
        other = outcome.claim.text if isinstance(outcome.claim, Claim) else str(outcome.claim)
        return _failure(claim, f"the {by} gave outcomes that do not match the claims: here one of {other[:80]!r}")
    if isinstance(outcome, Verdict) and not _is_sound(outcome):
        said = f"label {outcome.label!r}, support {outcome.support!r}, evidence {outcome.evidence!r}"
        return _failure(claim, f"the {by} gave a broken verdict: {said[:200]}")
    return outcome


def _is_sound(verdict: Verdict) -> bool:
    """Whether a verdict is what its type says: `model_copy` and `model_construct` check nothing.

    By hand, since validating again would take longer than all else that a run adds to a claim.
    """
    support: object = verdict.support
    return (
        isinstance(verdict.label, Label)
        and (support is None or (isinstance(support, int | float) and 0 <= support <= 1))
        and isinstance(verdict.origin, Origin)
        and isinstance(verdict.evidence, tuple)
        and all(isinstance(item, Evidence) for item in verdict.evidence)
        and (verdict.kind is None or verdict.kind in _KINDS)
        and (verdict.blame is None or verdict.blame in _BLAMES)
    )


def _checked_extraction(extraction: object) -> Extraction | Failure:
    if isinstance(extraction, Failure):
        return extraction
    if not isinstance(extraction, Extraction):
        return Failure(kind="extraction", message=f"the extractor gave {_kind(extraction)} instead of an Extraction")
    claims, asides = list(extraction.claims), list(extraction.asides)
    wrong = [f"{_kind(item)} instead of a claim" for item in claims if not isinstance(item, Claim)]
    wrong += [f"{_kind(item)} instead of an aside" for item in asides if not isinstance(item, Aside)]
    if wrong:
        return Failure(kind="extraction", message=f"the extractor gave {wrong[0]}")
    outcomes = list(extraction.outcomes)
    if outcomes and not claims:
        return Failure(kind="extraction", message=f"the extractor gave {len(outcomes)} outcomes and no claims")
    if outcomes:
        outcomes = checked(outcomes, claims, by="extractor")
    return Extraction(claims=tuple(claims), asides=tuple(asides), outcomes=tuple(outcomes))


def _is_cancelled() -> bool:
    """Whether the running task is to end, rather than something that the plug-in waited for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _failed(claims: Sequence[Claim], message: str) -> list[Outcome]:
    return [_failure(claim, message) for claim in claims]


def _failure(claim: Claim, message: str) -> Failure:
    return Failure(claim=claim, kind="error", message=message)


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
