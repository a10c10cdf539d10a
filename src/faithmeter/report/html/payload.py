"""A result as the page reads it: short keys, offsets as JavaScript counts, and nothing that can close a tag."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from faithmeter.datamodels import Failure, Label, Outcome, Verdict
from faithmeter.display import citation_lines, fix_headline, why
from faithmeter.report.escaping import one_line
from faithmeter.report.summary import to_look_at
from faithmeter.results import Result

# `<` so that nothing ends the script element or opens a comment in it; the two separators because
# JavaScript before 2019 took them for line ends; `&` and `>` so that no sniffer sees markup at all.
_ESCAPES = [("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")]
SHORT = 60  # characters of a value of the metadata that one may group answers by
LINE = 200  # characters of a claim or a reason in the table
_WIDE = re.compile("[\U00010000-\U0010ffff]")


def embedded(value: Any) -> str:
    """JSON that is safe inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character, escape in _ESCAPES:  # quicker than str.translate, which looks at every character in Python
        text = text.replace(character, escape)
    return text.encode("utf-8", "replace").decode()


def utf16(text: str) -> Callable[[int], int]:
    """From Python's offsets, in code points, to JavaScript's, in UTF-16 units."""
    if text.isascii():
        return lambda offset: offset
    wide = [match.start() for match in _WIDE.finditer(text)]
    return lambda offset: offset + bisect_left(wide, offset)


def counts(result: Result) -> list[int]:
    """Claims by label, in the labels' order, then those that could not be judged."""
    labels = [verdict.label for verdict in result.verdicts]
    return [*(labels.count(label) for label in Label), len(result.failures)]


def row(result: Result) -> dict[str, Any]:
    """What the table shows, sorts, searches and filters by."""
    fields: dict[str, Any] = {
        "id": result.sample.id,
        "score": result.score,
        "status": result.status,
        "counts": counts(result),
        "kinds": sorted({verdict.kind for verdict in result.verdicts if verdict.kind}),
        "blame": sorted({verdict.blame for verdict in result.verdicts if verdict.blame}),
        "question": result.sample.question or "",
        "answer": result.sample.answer,
    }
    if worst := to_look_at(result):
        fields["worst"] = [result.outcomes.index(worst[0]) + 1, _label(worst[0]), *preview(worst[0])]
    short = {key: _shown(value) for key, value in result.sample.metadata.items() if not isinstance(value, dict | list)}
    if short := {key: value for key, value in short.items() if len(value) <= SHORT}:
        fields["meta"] = short
    return fields


def preview(outcome: Outcome) -> tuple[str, str]:
    """A claim and why it is wrong, short enough for a row: the reason, else the passage that was found."""
    claim = outcome.claim.text if outcome.claim else "the whole answer"
    if isinstance(outcome, Failure):
        return one_line(claim, LINE), one_line(outcome.message, LINE)
    word = "the contexts say" if outcome.label is Label.CONTRADICTED else "nearest passage"
    reason = why(outcome) or (f"{word}: “{outcome.evidence[0].quote}”" if outcome.evidence else "")
    return one_line(claim, LINE), one_line(reason, LINE)


def _label(outcome: Outcome) -> str:
    return "not_judged" if isinstance(outcome, Failure) else outcome.label.value


def details(result: Result, signature: int) -> dict[str, Any]:
    """The rest of a sample, read when it is opened; `signature` is its index in the page's list."""
    in_utf16 = utf16(result.sample.answer)
    fields: dict[str, Any] = {
        "contexts": [{"id": context.id, "text": context.text} for context in result.sample.contexts],
        "outcomes": [_outcome(outcome, result, in_utf16) for outcome in result.outcomes],
        "asides": [{"kind": a.kind, "start": in_utf16(a.start), "end": in_utf16(a.end)} for a in result.asides],
        "signature": signature,
        "usage": result.usage.model_dump(exclude_defaults=True),
    }
    if result.sample.history:
        fields["history"] = [(turn.role, turn.text) for turn in result.sample.history]
    if result.notes:
        fields["notes"] = result.notes
    if result.citations:
        fields["citations"] = citation_lines(result)
    if result.revision:
        fields["revision"] = {
            "headline": fix_headline(result.revision),
            "pieces": result.revision.pieces(result.sample.answer),
        }
    if result.failures:
        fields["bounds"] = result.bounds
    if result.sample.metadata:
        fields["metadata"] = {key: _shown(value) for key, value in result.sample.metadata.items()}
    return fields


def _outcome(outcome: Outcome, result: Result, in_utf16: Callable[[int], int]) -> dict[str, Any]:
    claim = outcome.claim
    fields: dict[str, Any] = {"label": _label(outcome)}
    if claim:
        fields |= {"text": claim.text, "start": in_utf16(claim.start), "end": in_utf16(claim.end)}
    if isinstance(outcome, Failure):
        return fields | {"kind": outcome.kind, "reason": outcome.message}
    return fields | _verdict(outcome, result)


def _verdict(verdict: Verdict, result: Result) -> dict[str, Any]:
    fields: dict[str, Any] = {"origin": verdict.origin.model_dump(exclude_none=True)}
    if verdict.support is not None:
        fields["support"] = round(verdict.support, 4)
    words = {"reason": verdict.reason, "wrong": verdict.kind, "blame": verdict.blame}
    fields |= {name: word for name, word in words.items() if word}
    if verdict.in_corpus:
        fields["found"] = {"document": verdict.in_corpus.document, "quote": verdict.in_corpus.quote}
    if verdict.gaps:
        within = utf16(verdict.claim.text)
        fields["gaps"] = [(within(start), within(end)) for start, end in verdict.gaps]
        fields["conflicts"] = [(within(start), within(end)) for start, end in verdict.conflicts]
    if verdict.evidence:
        fields["evidence"] = [
            (item.context, inside(item.start), inside(item.end))
            for item in verdict.evidence
            for inside in (utf16(result.sample.contexts[item.context].text),)
        ]
    return fields


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def comparable(
    before: Result, after: Result, claims: Sequence[tuple[Outcome | None, Outcome | None]]
) -> dict[str, Any]:
    """A sample of two runs: both answers if they differ, the contexts, and its claims side by side."""
    return {
        "answers": [before.sample.answer, after.sample.answer],
        "claims": [[_side(one, before), _side(two, after)] for one, two in claims],
    }


def _side(outcome: Outcome | None, result: Result) -> dict[str, Any] | None:
    if outcome is None:
        return None
    fields = _outcome(outcome, result, lambda offset: offset)
    if isinstance(outcome, Verdict):
        fields["evidence"] = [(item.context, item.quote) for item in outcome.evidence]
    return fields
