"""A model's answer after the guard: what of it is let through, and an account of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from faithmeter.datamodels import Claim, Label, Model, Outcome
from faithmeter.guard import Objection, Policy, PromiseApplied, Promised, decide
from faithmeter.results import Result
from faithmeter.serve.settings import Handling

Done = Literal["clean", "released", "flagged", "replaced", "ended", "not_judged", "unchecked"]
_DONE: dict[str, Done] = {"release": "released", "flag": "flagged", "replace": "replaced", "end": "ended"}


class Account(Model):
    """What the guard did with an answer, and why; a member of the response."""

    outcome: Done
    """clean: every claim is supported. not_judged: some claims could not be judged and were let through (fail open).
    unchecked: there were no contexts, and the server's owner lets such answers pass."""
    claims: int
    supported: int
    unsupported: int
    not_judged: int
    score: float | None
    contexts: int
    """How many were found in the request."""
    on_unfaithful: str
    on_failure: str
    objections: tuple[Objection, ...] = ()
    late: tuple[str, ...] = ()
    """Claims that were judged only after their words were out, as they showed only in the whole answer."""
    promise: PromiseApplied | None = None
    """The promise applied, if one is loaded; it is made for answers that pass, as they came."""

    def headers(self) -> dict[str, str]:
        """The numbers as headers."""
        score = {} if self.score is None else {"score": f"{self.score:.4f}"}
        said = {
            "outcome": self.outcome,
            "claims": str(self.claims),
            "unsupported": str(self.unsupported),
            "not-judged": str(self.not_judged),
            "contexts": str(self.contexts),
            "policy": f"{self.on_unfaithful}, fail {self.on_failure}",
        }
        if self.promise:
            said["promise"] = promise_header(self.promise) + (", passes" if self.promise.passes else ", does not pass")
        return {f"x-faithmeter-{name}": value for name, value in (said | score).items()}


def promise_header(promise: Promised | PromiseApplied) -> str:
    """A promise in a header's words."""
    return f"at most {promise.at_most:g}, support {promise.threshold:g}"


def account_of(
    results: Sequence[Result],
    policy: Policy,
    handling: Handling,
    *,
    contexts: int,
    late: Sequence[Claim] = (),
    promise: PromiseApplied | None = None,
) -> Account:
    """The account of one or several answers to the same request."""
    verdicts = [verdict for result in results for verdict in result.verdicts]
    supported = sum(verdict.label is Label.SUPPORTED for verdict in verdicts)
    failures = sum(len(result.failures) for result in results)
    promised = Promised(**promise.model_dump(include=set(Promised.model_fields))) if promise else None
    objections = [objection for result in results for objection in decide(result, policy, promised).objections]
    scores = [result.score for result in results]
    done: Done = "clean"
    if objections:
        done = _DONE[handling.on_unfaithful]
    elif failures:
        done = "not_judged"
    return Account(
        outcome=done,
        claims=len(verdicts) + failures,
        supported=supported,
        unsupported=len(verdicts) - supported,
        not_judged=failures,
        score=min((score for score in scores if score is not None), default=None) if None not in scores else None,
        contexts=contexts,
        on_unfaithful=handling.on_unfaithful,
        on_failure=policy.on_failure,
        objections=tuple(objections),
        late=tuple(claim.text for claim in late),
        promise=promise,
    )


def unchecked(handling: Handling, policy: Policy) -> Account:
    """The account of an answer that was not checked."""
    numbers: dict[str, Any] = dict.fromkeys(("claims", "supported", "unsupported", "not_judged", "contexts"), 0)
    return Account(
        outcome="unchecked", score=None, on_unfaithful=handling.on_unfaithful, on_failure=policy.on_failure, **numbers
    )


class Handler:
    """Takes an answer's parts in order and says what is let through of each."""

    def __init__(self, policy: Policy, handling: Handling, promised: Promised | None = None) -> None:
        self._policy = policy
        self._promised = promised
        self._handling = handling
        self._just_replaced = False
        self.ended = False
        """Whether the answer ends here."""

    def pass_on(self, text: str, outcomes: Sequence[Outcome], *, lead: int = 0) -> str:
        """What becomes of a part; its first `lead` characters stand before its claims: blanks, a bullet."""
        if self.ended:
            return ""
        objects = any(self._objects_to(outcome) for outcome in outcomes)
        kind = self._handling.on_unfaithful
        if not objects or kind == "release":
            self._just_replaced = self._just_replaced and not text.strip()
            return text
        if kind == "flag":
            return text + self._handling.mark
        self.ended = kind == "end"
        if self._just_replaced:  # once for several in a row
            return ""
        self._just_replaced = True
        return text[:lead] + self._handling.replacement

    def _objects_to(self, outcome: Outcome) -> bool:
        below = self._promised is not None and self._promised.objects_to(outcome)
        return below or self._policy.objects_to(outcome)


def handle(result: Result, policy: Policy, handling: Handling, promised: Promised | None = None) -> tuple[str, bool]:
    """A whole answer as it may be shown, and whether it was ended early."""
    answer = result.sample.answer
    handler = Handler(policy, handling, promised)
    at, out = 0, []
    placed = sorted((outcome for outcome in result.outcomes if outcome.claim), key=_end)
    whole = [outcome for outcome in result.outcomes if not outcome.claim]
    if whole:  # nothing of it could be judged
        return handler.pass_on(answer, whole), handler.ended
    groups: dict[int, list[Outcome]] = {}
    for outcome in placed:
        groups.setdefault(_end(outcome), []).append(outcome)
    for end, outcomes in groups.items():
        if end <= at:  # inside what was decided before: an objection still holds for the rest
            continue
        first = min(outcome.claim.start for outcome in outcomes if outcome.claim)
        inside = [outcome for outcome in placed if outcome.claim and at < outcome.claim.end <= end]
        out.append(handler.pass_on(answer[at:end], inside, lead=max(0, first - at)))
        at = end
    out.append(handler.pass_on(answer[at:], ()))
    return "".join(out), handler.ended


def _end(outcome: Outcome) -> int:
    return outcome.claim.end if outcome.claim else 0
