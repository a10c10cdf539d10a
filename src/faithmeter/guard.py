"""What to do with an answer once its claims are judged: a policy over a result, never another model call."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field, StrictFloat

from faithmeter.datamodels import Failure, Label, Model, Outcome, Text
from faithmeter.results import Result
from faithmeter.revision import Revision

UNFAITHFUL = (Label.PARTIALLY_SUPPORTED, Label.CONTRADICTED, Label.NOT_ENOUGH_INFO)


class Policy(Model):
    """What an answer must not hold, and what happens to one that does."""

    model_config = ConfigDict(allow_inf_nan=False)

    action: Literal["flag", "block", "fix"] = "block"
    """For an answer with unfaithful claims: let it through marked, keep it back, or give the smallest faithful one."""
    labels: tuple[Label, ...] = Field(default=UNFAITHFUL, min_length=1)
    """Claims with these labels are unfaithful."""
    min_support: StrictFloat | None = Field(default=None, ge=0, le=1)
    """A claim with less support than this is unfaithful as well, whatever its label; None: no such limit."""
    min_score: StrictFloat | None = Field(default=None, ge=0, le=1)
    """Act only on an answer whose score is below this; None: on any unfaithful claim."""
    on_failure: Literal["closed", "open"] = "closed"
    """A claim that could not be judged is taken as unfaithful (closed), or let through and counted (open)."""

    def objects_to(self, outcome: Outcome) -> bool:
        """Whether a claim with this outcome should not reach the reader."""
        if isinstance(outcome, Failure):
            return self.on_failure == "closed"
        if outcome.label in self.labels:
            return True
        return self.min_support is not None and (outcome.support is None or outcome.support < self.min_support)


class Promised(Model):
    """The part of a promise that answers are held to, besides the policy."""

    at_most: float
    """The share of passed answers that may be unfaithful."""
    confidence: float
    """How sure that is."""
    threshold: float
    """An answer passes whose every claim has at least this support."""

    def objects_to(self, outcome: Outcome) -> bool:
        """Whether a claim has too little support; one that could not be judged is the policy's business.

        As a promise counts it: a verifier without probabilities gives 1 for a supported claim, 0 for any other.
        """
        if isinstance(outcome, Failure):
            return False
        support = outcome.support if outcome.support is not None else float(outcome.label is Label.SUPPORTED)
        return support < self.threshold


class PromiseApplied(Promised):
    """What a promise says about one answer, unchanged."""

    passes: bool
    """Whether this one does; not if a claim of it could not be judged."""
    drift: tuple[Text, ...] = ()
    """In what the answers of late look unlike the labelled ones; then the promise may not hold."""


class Objection(Model):
    """A claim that the policy, or the promise, objects to."""

    claim: Text
    """The claim's text; empty when the whole answer could not be judged."""
    start: int
    """Where the part of the answer that makes it begins."""
    end: int
    """Where it ends."""
    label: Label | Literal["not_judged"]
    """What was found about it."""
    support: float | None = None
    """How likely the contexts support it, where the verifier says."""
    reason: Text
    """Why, in words."""
    evidence: tuple[Text, ...] = ()
    """What contradicts it, or comes nearest, verbatim from the contexts."""


class Decision(Model):
    """What a policy says about a judged answer."""

    action: Literal["allow", "flag", "block", "fix"]
    """allow: nothing to object to. flag, block, fix: as the policy says."""
    objections: tuple[Objection, ...] = ()
    """The claims objected to, in the answer's order."""
    not_judged: int = 0
    """Claims that could not be judged; never counted as supported."""
    score: float | None
    """The result's score."""
    policy: Policy
    """The policy applied."""
    promise: PromiseApplied | None = None
    """The promise applied, if one is loaded and made for this verifier."""


class GuardedAnswer(Decision):
    """A decision with the answer to show."""

    answer: Text | None
    """As it came (allow, flag), the fixed one (fix), or none (block)."""
    result: Result
    """Every claim's outcome; of the answer as it came."""
    revision: Revision | None = None
    """For a fix: what was changed, and why."""


def decide(result: Result, policy: Policy, promised: Promised | None = None) -> Decision:
    """Hold a result against a policy, and a promise; an answer that does not pass it is not allowed by its score."""
    objections = []
    below = False
    for outcome in result.outcomes:
        if promised and promised.objects_to(outcome):
            below = True
            objections.append(_objection(outcome, result, promised))
        elif policy.objects_to(outcome):
            objections.append(_objection(outcome, result))
    action: Literal["allow", "flag", "block", "fix"] = policy.action if objections else "allow"
    if policy.min_score is not None and action != "allow" and not below:
        # With failures the score is of the judged claims only: what they could take away counts.
        bounds = result.bounds
        score = result.score if policy.on_failure == "open" else bounds and bounds[0]
        if score is not None and score >= policy.min_score:
            action = "allow"
    return Decision(
        action=action,
        objections=tuple(objections),
        not_judged=len(result.failures),
        score=result.score,
        policy=policy,
        promise=PromiseApplied(**dict(promised), passes=not below and not result.failures) if promised else None,
    )


def _objection(outcome: Outcome, result: Result, promised: Promised | None = None) -> Objection:
    claimed: dict[str, Any] = {"claim": "", "start": 0, "end": len(result.sample.answer)}
    if claim := outcome.claim:
        claimed = {"claim": claim.text, "start": claim.start, "end": claim.end}
    if isinstance(outcome, Failure):
        said: dict[str, Any] = {"label": "not_judged", "reason": f"could not be judged: {outcome.message}"}
    else:
        reason = outcome.reason or _WORDS[outcome.label]
        if promised and outcome.label is Label.SUPPORTED:
            reason = f"The contexts support it, but not surely enough: the promise takes {promised.threshold:g}."
        said = {
            "label": outcome.label,
            "support": outcome.support,
            "reason": reason,
            "evidence": tuple(item.quote for item in outcome.evidence),
        }
    return Objection.model_validate({**claimed, **said})


_WORDS = {
    Label.SUPPORTED: "The contexts support it, but not surely enough.",
    Label.PARTIALLY_SUPPORTED: "The contexts support only a part of it.",
    Label.CONTRADICTED: "The contexts contradict it.",
    Label.NOT_ENOUGH_INFO: "The contexts do not say so.",
}
