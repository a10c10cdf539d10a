"""The policies that turn labels into a score: arithmetic, never another model call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError, field_validator

from faithmeter.datamodels import Label, Model
from faithmeter.errors import UsageError, first_problem
from faithmeter.runtime.specs import did_you_mean

# RagaliQ's plan: contradicted -1, not enough info 0, supported 1; half for partial support.
WEIGHTS: Mapping[Label, float] = {
    Label.SUPPORTED: 1.0,
    Label.PARTIALLY_SUPPORTED: 0.5,
    Label.NOT_ENOUGH_INFO: 0.0,
    Label.CONTRADICTED: -1.0,
}


LARGEST = 1000.0  # of a weight or a fixed score: beyond, a mean says nothing, and in the end overflows
Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]


class Scoring(Model):
    """How verdicts become a score."""

    model_config = ConfigDict(allow_inf_nan=False)

    kind: Literal["plain", "strict", "weighted"] = "plain"
    """plain: supported / judged. strict: 0 unless every claim is supported. weighted: mean weight."""
    weights: dict[Label, Number] = Field(default_factory=lambda: dict(WEIGHTS))
    """What each label is worth under `weighted`; a label left out keeps its default."""
    clip: bool = True
    """Under `weighted`: keep the score within 0 to 1. False gives the raw mean."""
    no_claims: Number | None = 1.0
    """The score of an answer that claims nothing; None leaves it out of the mean."""
    refusal: Number | None = 1.0
    """The score of an answer that only declines to answer; None leaves it out of the mean."""

    @field_validator("weights")
    @classmethod
    def _complete(cls, weights: dict[Label, float]) -> dict[Label, float]:
        return {**WEIGHTS, **weights}

    def revised(self, **changes: Any) -> Scoring:
        """The same policy with these fields changed; a wrong value is a usage error."""
        try:
            return Scoring.model_validate(self.model_dump() | changes)
        except ValidationError as error:
            raise UsageError(f"scoring: {first_problem(error)}, found {error.errors()[0]['input']!r}") from None

    @property
    def signature(self) -> str:
        """The policy as a short string, e.g. `plain` or `weighted,raw`."""
        parts: list[str] = [self.kind]
        if self.kind == "weighted":
            parts += [f"{label}={self.weights[label]:g}" for label in Label if self.weights[label] != WEIGHTS[label]]
            parts += [] if self.clip else ["raw"]
        parts += [] if self.no_claims == 1.0 else [f"no_claims={_word(self.no_claims)}"]
        parts += [] if self.refusal == 1.0 else [f"refusal={_word(self.refusal)}"]
        return ",".join(parts)

    def score(self, labels: Sequence[Label]) -> float:
        """The score of an answer with these verdicts; at least one."""
        if self.kind == "strict":
            return float(labels.count(Label.SUPPORTED) == len(labels))
        if self.kind == "plain":
            return labels.count(Label.SUPPORTED) / len(labels)
        mean = sum(self.weights[label] for label in labels) / len(labels)
        return min(1.0, max(0.0, mean)) if self.clip else mean

    def bounds(self, labels: Sequence[Label], unknown: int) -> tuple[float, float]:
        """The scores if `unknown` further claims all had the worst label, or all were supported."""
        if labels and not unknown:
            return (score := self.score(labels)), score
        worst = min(Label, key=lambda label: self.weights[label])
        best = max(Label, key=lambda label: self.weights[label])
        if self.kind != "weighted":
            worst, best = Label.CONTRADICTED, Label.SUPPORTED
        return self.score([*labels, *[worst] * unknown]), self.score([*labels, *[best] * unknown])


# How other tools count the same verdicts. None of them knows refusals: to them, no claims are no claims.
PROFILES: Mapping[str, Scoring] = {
    # ragas gives NaN where nothing is claimed; here that is "no score", left out of the mean.
    "ragas": Scoring(no_claims=None, refusal=None),
    # deepeval asks for contradictions: what the contexts do not mention counts as faithful.
    "deepeval": Scoring(kind="weighted", weights=dict.fromkeys(Label, 1.0) | {Label.CONTRADICTED: 0.0}),
    "continuous-eval": Scoring(no_claims=0.0, refusal=0.0),
    "rag_evals": Scoring(no_claims=0.0, refusal=0.0),
    "ragaliq": Scoring(),
}
POLICIES: Mapping[str, Scoring] = {
    "plain": Scoring(),
    "strict": Scoring(kind="strict"),
    "weighted": Scoring(kind="weighted"),
    "weighted:raw": Scoring(kind="weighted", clip=False),
    **PROFILES,
}


def load_scoring(spec: str | Scoring) -> Scoring:
    """Build a policy from its name: `plain`, `strict`, `weighted`, `weighted:raw` (not clipped), or a tool's."""
    if isinstance(spec, Scoring):
        return spec
    if spec not in POLICIES:
        raise UsageError(f"unknown scoring {spec!r}{did_you_mean(spec, POLICIES)}; known: {', '.join(POLICIES)}")
    return POLICIES[spec]


def _word(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"
