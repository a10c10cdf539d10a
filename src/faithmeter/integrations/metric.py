"""What the integrations share: a sample from what a framework holds, and one number with its reason, or an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from faithmeter.compat.clients import Unjudged, judged
from faithmeter.data.chat import conversation, is_conversation, is_message
from faithmeter.data.foreign import ALIASES, named_fields
from faithmeter.datamodels import Sample
from faithmeter.errors import DataError
from faithmeter.evaluator import Evaluator
from faithmeter.results import Result
from faithmeter.runtime import sync


class Scored(NamedTuple):
    """A number, and what is behind it."""

    score: float
    reason: str
    result: Result


class Metric:
    """Faithfulness as one number; what could not be judged raises `Unjudged`, and has none."""

    def __init__(self, verifier: Any = "local", extractor: Any = "sentences", scoring: Any = "plain") -> None:
        self.evaluator = Evaluator(verifier=verifier, extractor=extractor, scoring=scoring)

    async def ascore(self, sample: Sample) -> Scored:
        """Judge a sample."""
        result = await judged(self.evaluator, sample)
        if result.score is None:
            raise Unjudged("nothing is claimed, and this scoring gives no number for that")
        return Scored(result.score, reason(result), result)

    def score(self, sample: Sample) -> Scored:
        """Judge a sample, for sync code."""
        return sync.run(self.ascore(sample))


def sample_of(answer: Any, *sources: Any, question: str | None = None) -> Sample:
    """A sample whose contexts are with the answer, or in one of these places: rows, metadata, messages.

    `question` counts where no other is found.
    """
    try:
        bare = isinstance(answer, str) or is_message(answer)
        fields = {"answer": answer} if bare else named_fields(answer)
        for source in sources:
            fields = _named(source) | fields
    except ValueError as error:
        raise DataError(f"no sample: {error}") from None
    if "contexts" not in fields:
        raise DataError(f"no contexts beside the answer; they are looked for as {', '.join(ALIASES['contexts'])}")
    return Sample.of({"question": question} | fields)


def _named(source: Any) -> dict[str, Any]:
    """The contexts and the question in a place, under our names."""
    if is_conversation(source):
        said = conversation(source)
        return {name: said[name] for name in ("contexts", "question") if said[name]}
    row = source if isinstance(source, Mapping) else {}
    wanted = ((field, name) for field in ("question", "contexts") for name in reversed(ALIASES[field]))
    return {field: row[name] for field, name in wanted if row.get(name) is not None}


def reason(result: Result) -> str:
    """What is behind the score, in words: the claims to look at, or that there are none."""
    wrong = [f"{verdict.word}: {verdict.claim.text} {verdict.reason or ''}".strip() for verdict in result.unsupported]
    clean = f"all claims are supported ({len(result.verdicts)})" if result.verdicts else "nothing is claimed"
    return "\n".join(wrong) or clean
