"""The words of faithmeter: what goes in, what is claimed, and what was found about each claim.

Everything here is frozen and round-trips through JSON. The numbers that follow from these facts
live one step up, in `results`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

import faithmeter.data.foreign as foreign
from faithmeter import display
from faithmeter.data.jsonl import problem_in

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


class Model(BaseModel):
    """A frozen value; unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class DerivingModel(Model):
    """A model with derived fields: written, and ignored when read. Apart, since dropping them takes its time."""

    @model_validator(mode="before")
    @classmethod
    def _drop_derived(cls, data: Any) -> Any:
        derived = cls.__pydantic_decorators__.computed_fields
        if isinstance(data, dict):
            return {key: value for key, value in data.items() if key not in derived}
        return data


def _repaired(value: Any) -> Any:
    """Replace lone surrogates, which no encoding can carry, one for one, so that offsets stay right."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


Text = Annotated[str, BeforeValidator(_repaired)]


class Label(StrEnum):
    """What the contexts say about a claim."""

    SUPPORTED = "supported"
    PARTIALLY_SUPPORTED = "partially_supported"
    CONTRADICTED = "contradicted"
    NOT_ENOUGH_INFO = "not_enough_info"

    @classmethod
    def _missing_(cls, value: object) -> Label | None:
        """Accept any case, and spaces or hyphens for the underscore; anything else is off the menu."""
        if isinstance(value, str):
            name = value.strip().lower().replace(" ", "_").replace("-", "_")
            return next((label for label in cls if label.value == name), None)
        return None


class Context(Model):
    """One retrieved passage."""

    text: Text
    """The passage as the generator saw it."""
    id: str | None = None
    """The user's name for it, shown in reports."""


class Turn(Model):
    """An earlier message of a conversation."""

    role: Literal["user", "assistant"]
    """Who said it."""
    text: Text
    """What was said."""


class Sample(Model):
    """An answer to be checked, with what it was generated from."""

    id: str = ""
    """Names the sample in reports; derived from the content when not given."""
    question: Text | None = None
    """What was asked; it gives pronouns their referents and is never evidence."""
    answer: Text
    """The text to be checked."""
    contexts: tuple[Context, ...]
    """The retrieved passages, in order; strings are accepted, and a lone string is one passage."""
    history: tuple[Turn, ...] = ()
    """Earlier turns of the conversation: they give pronouns and ellipses their meaning and are never evidence."""
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    """Whatever the user wants carried along."""

    @classmethod
    def of(cls, value: Any, /, **fields: Any) -> Self:
        """A sample of what a framework hands over: a chain's output, a response, a conversation, a row.

        `fields` (`question`, `answer`, `contexts`, `id`, `metadata`) add to what is found in it, or replace it:
        `Sample.of(engine.query(question), question=question)`.
        """
        return foreign.made(cls, value, fields)

    @field_validator("contexts", mode="before")
    @classmethod
    def _accept_documents(cls, value: Any) -> Any:
        if isinstance(value, Context):
            return (value,)
        if isinstance(value, tuple) and all(isinstance(item, Context) for item in value):
            return value
        passages = foreign.checked_contexts(value)
        return tuple(Context(text=item) if isinstance(item, str) else item for item in passages)

    @field_validator("answer", "question", mode="before")
    @classmethod
    def _accept_messages(cls, value: Any) -> Any:
        return value if isinstance(value, str) else foreign.text(value)

    @field_validator("metadata", mode="before")
    @classmethod
    def _can_be_written(cls, value: Any) -> Any:
        if value and (problem := problem_in(value)):
            raise PydanticCustomError("metadata", "{problem}", {"problem": problem})
        return value

    @model_validator(mode="after")
    def _derive_id(self) -> Self:
        if not self.id:
            object.__setattr__(self, "id", self.content_hash[:12])
        return self

    @property
    def asked(self) -> str | None:
        """The question, then what was said before it, the latest first: what pronouns and ellipses refer to."""
        said = [self.question, *(turn.text for turn in reversed(self.history[-2:]))]
        return " ".join(text for text in said if text) or None

    @property
    def content_hash(self) -> str:
        """SHA-256 over question, answer and contexts: equal content, equal hash."""
        parts = [self.question, self.answer, *((context.id, context.text) for context in self.contexts)]
        parts += [(turn.role, turn.text) for turn in self.history]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Claim(Model):
    """Something the answer asserts."""

    text: Text
    """The claim; as written in the answer, or made standalone by an LLM extractor."""
    start: int = Field(ge=0)
    """Where the part of the answer that makes the claim begins."""
    end: int = Field(ge=0)
    """Where it ends."""


class Aside(Model):
    """A part of the answer that claims nothing: marked, shown, not judged."""

    text: Text
    """The words."""
    start: int = Field(ge=0)
    """Where they begin in the answer."""
    end: int = Field(ge=0)
    """Where they end."""
    kind: Literal["greeting", "question", "refusal", "lead_in", "heading", "code", "source", "thinking", "no_claim"]
    """Why it is not a claim; `no_claim` is nothing but marks."""


class Evidence(Model):
    """A verbatim part of a context: `contexts[context].text[start:end] == quote`, checked by code."""

    context: int = Field(ge=0)
    """The context's index, from 0."""
    start: int = Field(ge=0)
    """Where the quote begins in that context."""
    end: int = Field(ge=0)
    """Where it ends."""
    quote: Text
    """The words themselves."""

    @classmethod
    def of(cls, contexts: Sequence[Context], index: int, start: int, end: int) -> Self:
        """Quote a part of a context."""
        return cls(context=index, start=start, end=end, quote=contexts[index].text[start:end])

    def holds_in(self, contexts: Sequence[Context]) -> bool:
        """Whether the quote stands where it says it stands."""
        return (
            self.start < self.end
            and self.context < len(contexts)
            and contexts[self.context].text[self.start : self.end] == self.quote
        )


class Origin(Model):
    """Who gave a verdict."""

    verifier: Text
    """The verifier's name, e.g. `lexical` or `openai:gpt-5`; in a cascade, the one that settled the claim."""
    tier: int | None = None
    """The step of a cascade that settled it, from 0."""
    cache: Literal["exact", "semantic"] | None = None
    """The kind of cache hit, if it came from a cache."""
    matched: Text | None = None
    """For a semantic hit: the claim whose verdict this was."""
    similarity: float | None = None
    """For a semantic hit: how similar the two claims are."""


Kind = Literal[
    "number",  # another amount, count or share
    "date",  # another day, month or year
    "unit",  # the same number of something else
    "name",  # another person, place or thing
    "role",  # the right names, but who did what to whom, or which is which, is reversed
    "negation",  # the opposite: "not", or a word for its opposite
    "quantity",  # some for all, more for less, at least for at most
    "certainty",  # as certain what was only possible, planned or reported
    "attribution",  # said by, or of, another
    "cause",  # because of something else, or a cause where none is given
    "time",  # before for after, or another order or tense
    "addition",  # something that nothing in the contexts speaks of
    "other",  # none of these, or more than code can tell
]
"""What is wrong with a claim that is not supported, as a word to count by."""

Blame = Literal[
    "missing",  # nowhere in the contexts: retrieval did not bring it, or it was made up
    "misread",  # the contexts say otherwise
    "mixed",  # parts of different passages put together wrongly
    "retrieval_missed",  # missing, but a passage of the corpus supports it
    "made_up",  # missing, and nothing in the corpus supports it either
]
"""Where a claim that is not supported went wrong; the last two replace `missing` where there is a corpus."""


class CorpusPassage(Model):
    """A verbatim part of a document of the corpus that retrieval could have brought."""

    document: Text
    """The document: its path in the folder, or its id."""
    start: int = Field(ge=0)
    """Where the quote begins in the document."""
    end: int = Field(ge=0)
    """Where it ends."""
    quote: Text
    """The words themselves."""


class Verdict(Model):
    """What was found about one claim."""

    claim: Claim
    """The claim."""
    label: Label
    """Supported, partially supported, contradicted, or not enough information."""
    support: float | None = Field(default=None, ge=0, le=1)
    """Calibrated probability that the contexts support the claim; None if the verifier has none."""
    evidence: tuple[Evidence, ...] = ()
    """What supports the claim; for a contradiction, what contradicts it; else the nearest passage, if any."""
    gaps: tuple[tuple[int, int], ...] = ()
    """Parts of `claim.text`, as (start, end), that the contexts do not support, where the verifier can tell."""
    conflicts: tuple[tuple[int, int], ...] = ()
    """Those of the `gaps` that the contexts say otherwise; the rest they do not mention, as far as code can tell."""
    reason: Text | None = None
    """Why, in a sentence: the verifier's own, or made by code from the claim and its evidence."""
    kind: Kind | None = None
    """What is wrong with a claim that is not supported; None for one that is."""
    blame: Blame | None = None
    """Where a claim that is not supported went wrong: in retrieval or in generation; None for one that is."""
    in_corpus: CorpusPassage | None = None
    """For `retrieval_missed`: the passage of the corpus that supports the claim."""
    origin: Origin
    """Who gave the verdict."""

    @property
    def word(self) -> str:
        """The label as people read it."""
        return self.label.replace("_", " ")

    def __repr__(self) -> str:
        return f"<Verdict {self.word} {display.rounded(self.support)}: {self.claim.text!r}>"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield display.outcome_rich(self)

    def _repr_html_(self) -> str:
        return display.outcome_html(self)


FailureKind = Literal[
    "extraction",  # the claims could not be taken from the answer
    "missing",  # the model left the claim out, twice
    "malformed",  # the model's reply could not be read
    "truncated",  # the reply was cut off, even with more room
    "refused",  # the model declined to judge
    "bad_citation",  # "supported" with no passage that exists
    "timeout",  # no reply in time
    "endpoint",  # the endpoint is down, or refuses the key
    "budget",  # the cost limit was reached
    "error",  # the verifier broke on this claim
]


class Failure(Model):
    """What could not be judged, and why."""

    claim: Claim | None = None
    """The claim; None when the answer could not be broken into claims at all."""
    kind: FailureKind
    """What went wrong, as a word to count by."""
    message: Text
    """What went wrong, in words."""

    @property
    def word(self) -> str:
        """What stands where a verdict has its label."""
        return "not judged"

    def __repr__(self) -> str:
        return f"<Failure {self.kind}: {self.message!r}, {self.claim.text if self.claim else 'the whole answer'!r}>"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield display.outcome_rich(self)

    def _repr_html_(self) -> str:
        return display.outcome_html(self)


Outcome = Verdict | Failure


class Pair(NamedTuple):
    """A claim and the sample whose contexts must support it: what a verifier judges."""

    claim: Claim
    sample: Sample


class Extraction(Model):
    """What an extractor found in an answer."""

    claims: tuple[Claim, ...] = ()
    """The claims, in the answer's order."""
    asides: tuple[Aside, ...] = ()
    """The rest that is worth showing."""
    outcomes: tuple[Outcome, ...] = ()
    """Outcomes the extractor already has: a judge that extracts and verifies in one call gives all of them."""


class Usage(Model):
    """What a result cost."""

    calls: int = 0
    """Requests to a model endpoint that were answered."""
    prompt_tokens: int = 0
    """Tokens sent."""
    completion_tokens: int = 0
    """Tokens received."""
    cost: float | None = None
    """US dollars; None if nothing was priced (no call, or an unknown model)."""
    retries: int = 0
    """Requests that had to be sent again."""
    cache_hits: int = 0
    """Verdicts that came from a cache."""
    seconds: float = 0.0
    """Wall time from sample to result."""

    def __add__(self, other: Usage) -> Usage:
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=sum(costs) if costs else None,
            retries=self.retries + other.retries,
            cache_hits=self.cache_hits + other.cache_hits,
            seconds=self.seconds + other.seconds,
        )
