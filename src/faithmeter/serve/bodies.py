"""What requests and responses hold."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, StrictBool
from pydantic_core import PydanticCustomError

from faithmeter.datamodels import Claim, Context, Model, Sample, Text
from faithmeter.fix import REFUSAL
from faithmeter.guard import Policy, Promised
from faithmeter.results import Result

EXAMPLE: dict[str, Any] = {
    "question": "How tall is the Eiffel Tower, and when did it open?",
    "answer": "The Eiffel Tower is 330 metres tall. It opened in 1899.",
    "contexts": ["The Eiffel Tower stands 330 metres tall.", "The tower opened to the public on 15 May 1889."],
}
SMALL_ID = Annotated[str, Field(max_length=200)]


def _whole(value: Any) -> Any:
    """A number as JSON has it: 5.0 is 5, but neither true nor "5" is."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool | str):
        raise PydanticCustomError("int_type", "Input should be a valid integer")
    return value


Offset = Annotated[int, Field(ge=0, lt=2**31), BeforeValidator(_whole)]


class ClaimBody(Model):
    """A claim of the answer."""

    text: Text
    """What is claimed."""
    start: Offset = 0
    """Where the part of the answer that makes it begins."""
    end: Offset = 0
    """Where it ends."""


class SampleBody(Model):
    """An answer with what it was generated from."""

    answer: Text
    """The text to be checked."""
    contexts: list[Text | Context]
    """The passages it was generated from: strings, or objects with `text` and `id`."""
    question: Text | None = None
    """What was asked."""
    id: SMALL_ID = ""
    """Your name for it, given back with the result."""

    def sample(self) -> Sample:
        """The sample to judge."""
        contexts = tuple(Context(text=item) if isinstance(item, str) else item for item in self.contexts)
        return Sample.model_validate(
            {"id": self.id, "question": self.question, "answer": self.answer, "contexts": contexts}
        )


class ClaimedSampleBody(SampleBody):
    """A sample whose claims may be given."""

    claims: list[ClaimBody] | None = None
    """Judge these instead of the answer's sentences."""

    @property
    def given_claims(self) -> list[Claim] | None:
        """The claims that came with the request."""
        if self.claims is None:
            return None
        return [Claim(text=claim.text, start=claim.start, end=claim.end) for claim in self.claims]


class CheckBody(ClaimedSampleBody):
    """A sample, and who should judge it."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    verifier: SMALL_ID | None = None
    """One of those that `GET /v1/verifiers` lists; the server's first if not given."""


class BatchBody(Model):
    """Several samples."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"samples": [EXAMPLE]}]})

    samples: list[ClaimedSampleBody] = Field(min_length=1)
    """The samples; the results come in their order."""
    verifier: SMALL_ID | None = None
    """Who should judge all of them."""


class BatchAnswer(Model):
    """The results of a batch."""

    results: tuple[Result, ...]
    """One for each sample, in order."""


class ChosenBody(SampleBody):
    """An answer, and who should judge it."""

    verifier: SMALL_ID | None = None
    """One of those that `GET /v1/verifiers` lists; the server's first if not given."""


class GuardBody(ChosenBody):
    """An answer, and what must not be in it."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE | {"policy": {"action": "flag"}}]})

    policy: Policy | None = None
    """What to do with it; the server's policy if not given."""


class FixBody(ChosenBody):
    """An answer to make faithful."""

    strict: StrictBool = False
    """Leave nothing that is not supported; otherwise what is in doubt stays."""
    refusal: Annotated[Text, Field(max_length=2000)] = REFUSAL
    """The answer where nothing remains."""


class VerifierInfo(Model):
    """A verifier that requests may choose."""

    name: str
    """Its name in requests."""
    signature: str
    """How it judges."""
    default: bool
    """Whether it judges when none is named."""
    languages: tuple[str, ...] | None = None
    """The only languages it knows; none: any."""


class ServerInfo(Model):
    """What a server can do."""

    version: str
    verifiers: tuple[VerifierInfo, ...]
    policy: Policy
    """What guarded answers are held to if a request brings no policy."""
    promise: Promised | None = None
    """What the default verifier's answers are held to as well."""
    proxy: bool
    """Whether it stands before a model's endpoint."""


class Health(Model):
    """Whether the server is there."""

    status: Literal["ok", "draining", "starting"]
    version: str
