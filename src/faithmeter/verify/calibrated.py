"""Profiles applied: a verifier whose verdicts go through what people's labels taught about it.

A profile holds a threshold and a monotone map from the support that the verifier gives to the share that people
found supported. It belongs to one verifier, named by its signature, and its own hash becomes part of the new one's.
`faithmeter.trust.calibrate` fits it.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError, field_validator

from faithmeter.datamodels import Label, Model, Outcome, Pair, Verdict
from faithmeter.errors import DataError, StopRun, UsageError, first_problem
from faithmeter.runtime.boundary import verified
from faithmeter.runtime.delegating import Delegating
from faithmeter.runtime.specs import with_options
from faithmeter.verify import Verifier, load_verifier

Kind = Literal["logistic", "isotonic"]
Array = npt.NDArray[np.float64]


class Curve(Model):
    """A monotone map from a verifier's support to a probability."""

    kind: Kind
    """logistic: a slope and a shift of the log-odds. isotonic: straight lines between knots."""
    slope: float = Field(default=1.0, ge=0)
    """Of the log-odds."""
    shift: float = 0.0
    """Of the log-odds."""
    knots: tuple[tuple[float, float], ...] = ()
    """(support, probability), both rising."""

    @field_validator("knots")
    @classmethod
    def _rising(cls, knots: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        if any(a > b for side in zip(*knots, strict=True) for a, b in pairwise(side)):
            raise ValueError("knots must rise")
        return knots

    def __call__(self, support: Array | float) -> Array:
        if self.kind == "logistic":
            return 1 / (1 + np.exp(-(self.slope * log_odds(support) + self.shift)))
        return np.asarray(np.interp(support, [knot[0] for knot in self.knots], [knot[1] for knot in self.knots]))


class Profile(Model):
    """What people's labels teach about a verifier."""

    verifier: str
    """The signature of the verifier it was fitted for."""
    threshold: float | None = Field(default=None, ge=0, le=1)
    """A claim with at least this support, as the verifier gives it, is supported; None: the verifier's own labels."""
    curve: Curve | None = None
    """Turns support into a probability; None: it is left as it is."""
    shares: dict[Label, float] = Field(default_factory=dict)
    """For a verifier that gives no support: the share really supported among the claims with each label."""
    judge: dict[str, str] = Field(default_factory=dict)
    """For an LLM judge: the options that choose its prompt; files are named from where the profile lies."""
    level: Literal["claim", "answer"] = "claim"
    """What people labelled."""
    labels: int = Field(ge=0)
    """How many labels it was fitted to."""
    aim: Literal["balanced", "f1"] = "balanced"
    """What the threshold is best for."""
    measured: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Figures before, and after by cross-validation; for people to read."""

    @property
    def hash(self) -> str:
        """Names what the profile does: equal hashes, equal verdicts."""
        acts = self.model_dump(mode="json", include={"verifier", "threshold", "curve", "shares"})
        return hashlib.sha256(json.dumps(acts, sort_keys=True).encode()).hexdigest()[:12]

    def apply(self, verdict: Verdict) -> Verdict:
        """The verdict with its calibrated support, and the label that the threshold gives."""
        given = verdict.support
        if given is None:
            return verdict.model_copy(update={"support": self.shares.get(verdict.label)})
        changes: dict[str, Any] = {}
        if self.curve is not None:
            changes["support"] = round(float(np.clip(self.curve(given), 0, 1)), 4)
        if self.threshold is not None:
            if given >= self.threshold:
                changes["label"] = Label.SUPPORTED
            elif verdict.label is Label.SUPPORTED:
                changes["label"] = Label.NOT_ENOUGH_INFO
        return verdict.model_copy(update=changes)


class Calibrated(Delegating[Verifier]):
    """A verifier whose verdicts go through a profile."""

    def __init__(self, verifier: Verifier, profile: Profile) -> None:
        if verifier.signature != profile.verifier:
            raise UsageError(
                f"the profile was fitted for {profile.verifier!r}, not for {verifier.signature!r}; "
                "choose that verifier, or calibrate this one"
            )
        super().__init__(verifier)
        self.profile = profile

    @property
    def signature(self) -> str:
        return f"{self.inner.signature}+profile:{self.profile.hash}"

    def around(self, wrapped: Callable[[Verifier], Verifier]) -> Calibrated:
        """The same with something around the inner verifier: a cache keeps its verdicts as they were given."""
        inner = getattr(self.inner, "around", None)
        again = copy.copy(self)  # not built again: a semantic cache has a signature of its own
        again.inner = inner(wrapped) if inner else wrapped(self.inner)
        return again

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """Judge with the inner verifier, then calibrate."""
        try:
            outcomes = await verified(self.inner.verify, pairs)
        except StopRun as stop:
            stop.outcomes = tuple(map(self._applied, stop.outcomes))
            raise
        return list(map(self._applied, outcomes))

    def _applied(self, outcome: Outcome) -> Outcome:
        return self.profile.apply(outcome) if isinstance(outcome, Verdict) else outcome


def read_profile(path: str | Path) -> Profile:
    """Read a profile that `faithmeter calibrate` wrote."""
    try:
        return Profile.model_validate_json(Path(path).read_bytes())
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except ValidationError as error:
        problem = first_problem(error, whole="file")
        raise DataError(f"{path}: no profile: {problem}; expected a file of `faithmeter calibrate`") from None


def load(name: str, argument: str) -> Calibrated:
    """`profile:SPEC@FILE`: the verifier that the spec names, calibrated by the profile in the file."""
    spec, at, path = argument.rpartition("@")
    if not (spec and at and path):
        raise UsageError(f"'profile:{argument}' is not profile:VERIFIER@FILE, e.g. profile:local@profile.json")
    profile = read_profile(path)
    files = {"examples", "verify_prompt"}
    chosen = [
        f"{name}={Path(path).parent / value if name in files else value}" for name, value in profile.judge.items()
    ]
    return Calibrated(load_verifier(with_options(spec, chosen)), profile)


def log_odds(support: Array | float) -> Array:
    inside = np.clip(support, 1e-4, 1 - 1e-4)
    return np.asarray(np.log(inside / (1 - inside)))
