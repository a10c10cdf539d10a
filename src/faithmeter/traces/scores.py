"""What is said about a traced answer: a score for the whole, and one for each claim; a failure has no number."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from faithmeter.datamodels import Failure, Label, Verdict
from faithmeter.results import Result
from faithmeter.runtime.specs import judge_of

NAME = "faithfulness"
CLAIM = "_claim"  # after the name, for the scores of single claims
_SPACE = uuid.UUID("6c1b1c1e-6f2b-5d0a-9a3e-0f6d7c2b8e41")  # ours, for ids that are the same each time
_TRACE_ID = re.compile(r"[0-9a-f]{32}|tr-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class TraceRef(NamedTuple):
    """The trace, and the step of it, whose answer was judged."""

    trace: str
    span: str | None = None
    end: int = 0
    """When the step ended, in nanoseconds since 1970; 0 if that is not known."""
    session: str | None = None
    """LangSmith's project."""
    start: str | None = None
    """LangSmith's start time, as it was given."""
    response: str | None = None
    """The id that the model's endpoint gave the reply."""
    documents: tuple[tuple[str, int] | None, ...] = ()
    """For each context: the span that retrieved it, and its number there."""


class Score(NamedTuple):
    """One score, label and explanation, or an error instead."""

    id: str
    """The same for the same answer, name, signature and claim: what is sent twice is there once."""
    trace_ref: TraceRef
    name: str
    label: str
    explanation: str
    signature: str
    identifier: str
    """The signature; of a claim, with its number."""
    kind: Literal["LLM", "CODE"]
    metadata: dict[str, Any]
    value: float | None = None
    error: str | None = None
    """The kind of failure; there is no value then."""


def trace_ref_of(result: Result) -> TraceRef | None:
    """Where a result belongs: in its sample's metadata, or its id; None if neither names a trace."""
    given = result.sample.metadata.get("trace")
    about: dict[str, Any] = given if isinstance(given, dict) else dict(result.sample.metadata)
    trace = about.get("trace_id")
    if not isinstance(trace, str) and _TRACE_ID.fullmatch(result.sample.id):
        trace = result.sample.id
    if not isinstance(trace, str) or not trace:
        return None
    documents = about.get("documents")
    retrieved = [tuple(item) if item else None for item in documents] if isinstance(documents, list) else []
    end = about.get("end_time")
    return TraceRef(
        trace,
        _text(about, "span_id"),
        end if isinstance(end, int) else 0,
        _text(about, "session_id"),
        _text(about, "start_time"),
        _text(about, "response_id"),
        tuple(retrieved),
    )


def scores(result: Result, trace_ref: TraceRef, *, name: str = NAME, claims: bool = True) -> Iterator[Score]:
    """The score of an answer, then those of its claims."""
    judges = {verdict.origin.verifier for verdict in result.verdicts} or set(re.split(r"[|,]", result.signature))
    kind: Literal["LLM", "CODE"] = "LLM" if any(map(judge_of, judges)) else "CODE"
    failure = result.failures[0] if result.status == "failed" else None
    about: dict[str, Any] = {"status": result.status, "coverage": result.coverage}
    about |= {"claims": len(result.outcomes), "signature": result.signature}

    def made(
        suffix: str, label: str, said: str, more: dict[str, Any], *, value: float | None, error: str | None
    ) -> Score:
        own = f"{name}{CLAIM}" if suffix else name
        key = "|".join((trace_ref.trace, trace_ref.span or "", own, result.signature, suffix))
        anchor = f"#claim-{suffix}" if suffix else ""
        metadata = {**more, "faithmeter.id": str(uuid.uuid5(_SPACE, key))}
        return Score(
            metadata["faithmeter.id"], trace_ref, own, label, said, result.signature, f"{result.signature}{anchor}",
            kind, metadata, value, error,
        )  # fmt: skip

    if failure:
        yield made("", "error", _failed(result), about, value=None, error=failure.kind)
    else:
        yield made("", _label(result), _explained(result), about, value=result.score, error=None)
    for claim_number, outcome in enumerate(result.outcomes if claims else (), start=1):
        if outcome.claim is None:
            continue
        claim = {"claim": outcome.claim.text, "start": outcome.claim.start, "end": outcome.claim.end}
        if isinstance(outcome, Failure):
            yield made(str(claim_number), "error", outcome.message, claim, value=None, error=outcome.kind)
        else:
            value = result.scoring.score([outcome.label])
            more = claim | _details(outcome)
            yield made(str(claim_number), outcome.label.value, _claim_explained(outcome), more, value=value, error=None)


def _label(result: Result) -> str:
    """`faithful` only if every claim was judged and is supported."""
    if result.status == "no_claims":
        return "refusal" if result.refused else "no claims"
    if result.unsupported:
        return "unfaithful"
    return "faithful" if result.status == "ok" else "partly judged"


def _explained(result: Result) -> str:
    """How many claims are supported, and which are not."""
    if not result.outcomes:
        return "The answer claims nothing that could be checked."
    supported = sum(verdict.label is Label.SUPPORTED for verdict in result.verdicts)
    lines = [f"{supported} of {len(result.outcomes)} claims supported."]
    if result.failures:
        lines.append(f"{len(result.failures)} could not be judged.")
    lines += [f"“{verdict.claim.text}” is {verdict.word}. {verdict.reason or ''}" for verdict in result.unsupported]
    return " ".join(line.strip() for line in (*lines, *result.notes))


def _failed(result: Result) -> str:
    first = result.failures[0]
    return f"Nothing could be judged ({len(result.failures)} of {len(result.outcomes)} failed). {first.message}"


def _claim_explained(verdict: Verdict) -> str:
    parts = [f"“{verdict.claim.text}” is {verdict.word}.", verdict.reason or ""]
    parts += [f"Evidence: “{item.quote}”" for item in verdict.evidence[:1]]
    return " ".join(filter(None, parts))


def _details(verdict: Verdict) -> dict[str, Any]:
    details = {"support": verdict.support, "kind": verdict.kind, "blame": verdict.blame}
    return {name: value for name, value in details.items() if value is not None}


def _text(about: dict[str, Any], name: str) -> str | None:
    value = about.get(name)
    return value if isinstance(value, str) and value else None
