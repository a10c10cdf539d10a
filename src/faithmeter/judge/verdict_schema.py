"""What a model says about a claim, as a schema and as checks: off the menu is a problem, never a guess."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from faithmeter.datamodels import Claim, Context, Evidence, Failure, Label, Origin, Outcome, Verdict
from faithmeter.evidence.passages import content_words
from faithmeter.evidence.quotes import locate, whole_words
from faithmeter.judge.batching import Problem
from faithmeter.judge.fencing import Item, defused
from faithmeter.judge.parsing import as_number, as_text
from faithmeter.llm.protocol import Token
from faithmeter.llm.settings import JudgeSettings

_TOKENS_A_VERDICT = {True: 110, False: 60}  # with a reason, and without; measured on replies of several models
_TOKENS_WITHOUT_QUOTE = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict before it is attached to its claim."""

    label: Label
    evidence: tuple[Evidence, ...] = ()
    reason: str | None = None
    support: float | None = None


def menu(settings: JudgeSettings) -> tuple[Label, ...]:
    """The labels a model may choose from."""
    return tuple(label for label in Label if settings.partial or label is not Label.PARTIALLY_SUPPORTED)


def tokens_a_verdict(settings: JudgeSettings) -> int:
    """About how long a verdict is, beside the claim that it may repeat."""
    return _TOKENS_A_VERDICT[settings.reasons] if settings.quotes else _TOKENS_WITHOUT_QUOTE


def fields(settings: JudgeSettings, *, numbers: Sequence[int] = ()) -> dict[str, Any]:
    """The schema of a verdict's own fields; the reason comes first, so that the label follows from it.

    With the `numbers` of the passages it is closed: nothing in it can run away.
    """
    reason = {"reason": string(300 if numbers else None)} if settings.reasons else {}
    judged = {**reason, "label": {"type": "string", "enum": [label.value for label in menu(settings)]}}
    if not settings.quotes:
        return judged
    return {
        **judged,
        "passages": array({"type": "integer", **({"enum": list(numbers)} if numbers else {})}, most=len(numbers)),
        "quote": string(400 if numbers else None),
    }


def string(longest: int | None = None) -> dict[str, Any]:
    """The schema of a string."""
    return {"type": "string"} if longest is None else {"type": "string", "maxLength": longest}


def array(items: Mapping[str, Any], *, least: int = 0, most: int = 0) -> dict[str, Any]:
    """The schema of a list; 0: no limit."""
    limits = {**({"minItems": least} if least else {}), **({"maxItems": most} if most else {})}
    return {"type": "array", "items": dict(items), **limits}


def record(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(name: str, properties: Mapping[str, Any], *, count: int = 0) -> dict[str, Any]:
    """The schema of an object that holds one list of records, exactly `count` if that is given."""
    return record({name: array(record(properties), least=count, most=count)})


def one_of(numbers: Sequence[int]) -> dict[str, Any]:
    """The schema of a number among these."""
    return {"type": "integer", "enum": list(numbers)}


def passages(contexts: Sequence[Context]) -> list[Item]:
    """The contexts as numbered items, from 1; blank ones are left out, and the numbers stay."""
    return [Item("P", n, context.text) for n, context in enumerate(contexts, 1) if context.text.strip()]


def check(
    row: Mapping[str, Any], contexts: Sequence[Context], settings: JudgeSettings, *, claim: str
) -> tuple[Finding, bool] | Problem:
    """A finding, and whether its citation holds; or what is wrong with the verdict.

    `claim` is what the quote must be about: the claim, and the sentence of the answer that makes it. Where no quote
    is asked for, the finding has no evidence yet.
    """
    try:
        label: Label | None = Label(as_text(row.get("label")))
    except ValueError:
        label = None
    if label is None or label not in menu(settings):
        return Problem("malformed", f"the label {str(row.get('label'))[:40]!r} is not on the menu")
    reason = as_text(row.get("reason")) or None if settings.reasons else None
    if label is Label.NOT_ENOUGH_INFO or not settings.quotes:
        return Finding(label, reason=reason), True
    named = row.get("passages")
    numbers = [as_number(value) for value in (named if isinstance(named, list) else [named])]
    cited = [n - 1 for n in dict.fromkeys(numbers) if n and 1 <= n <= len(contexts) and contexts[n - 1].text.strip()]
    given = row.get("quote")
    quotes = [quote for quote in map(as_text, given if isinstance(given, list) else [given]) if quote]
    evidence = _evidence(quotes, cited, contexts, content_words(claim))
    if evidence:
        return Finding(label, evidence, reason), True
    if not cited and label is not Label.CONTRADICTED:
        return Problem("bad_citation", f"{label}, but it cites no passage that exists and quotes none on it")
    whole = tuple(Evidence.of(contexts, n, *_trimmed(contexts[n].text)) for n in cited)
    return Finding(label, whole, reason), False


def outcome(claim: Claim, finding: Finding | Problem, origin: str) -> Outcome:
    """The outcome of a claim."""
    if isinstance(finding, Problem):
        return Failure(claim=claim, kind=finding.kind, message=finding.message)
    return Verdict(
        claim=claim,
        label=finding.label,
        support=finding.support,
        evidence=finding.evidence,
        reason=finding.reason,
        origin=Origin(verifier=origin),
    )


def voted(findings: Sequence[Finding]) -> Finding:
    """The finding of the majority; the share of votes for support becomes the support.

    Without a majority the label with most votes wins, and among equals the one least in the answer's favour.
    """
    caution = [Label.CONTRADICTED, Label.NOT_ENOUGH_INFO, Label.PARTIALLY_SUPPORTED, Label.SUPPORTED]
    labels = [finding.label for finding in findings]
    winner = max(caution, key=lambda label: (labels.count(label), -caution.index(label)))
    share = labels.count(Label.SUPPORTED) / len(labels)
    return replace(next(finding for finding in findings if finding.label is winner), support=share)


def supports(tokens: Sequence[Token], text: str, labels: Sequence[Label]) -> list[float | None]:
    """For each label in a reply, in order: the probability that it is `supported`, from the tokens' own."""
    if not tokens or "".join(token.text for token in tokens) != text:
        return []
    starts, at = [], 0
    for token in tokens:
        starts.append(at)
        at += len(token.text)
    chances = []
    for match in re.finditer(r'(?<!\\)"label"\s*:\s*"', text):
        holders = [n for n, start in enumerate(starts) if start <= match.end() < start + len(tokens[n].text)]
        chances.append(_support(tokens[holders[0]], match.end() - starts[holders[0]], labels) if holders else None)
    return chances


def _support(token: Token, offset: int, labels: Sequence[Label]) -> float | None:
    """The share of `supported` among what might have stood at a label's start."""
    weight = dict.fromkeys(labels, 0.0)
    lead = token.text[:offset]
    for text, logprob in token.alternatives.items():
        word = text.removeprefix(lead).strip('" ').lower()
        fitting = [label for label in labels if word and (label.startswith(word) or word.startswith(label))]
        if len(fitting) == 1:
            weight[fitting[0]] += math.exp(logprob)
    total = sum(weight.values())
    return weight[Label.SUPPORTED] / total if total > 0 else None


def _evidence(
    quotes: Sequence[str], cited: Sequence[int], contexts: Sequence[Context], about: frozenset[str]
) -> tuple[Evidence, ...]:
    """The quotes that are found, each in a passage it cites or else, under a wrong number, in another."""
    located: dict[Evidence, None] = {}
    for quote in quotes:
        words = content_words(quote)
        if not words or (about and not words & about):
            continue  # "." or "the" stands in any passage, and says nothing of the claim
        for n in [*cited, *(n for n in range(len(contexts)) if n not in cited)]:
            # The model saw the defused text, which is as long as the original.
            span = locate(quote, contexts[n].text) or locate(quote, defused(contexts[n].text))
            if span is not None and content_words(whole_words(contexts[n].text, span)) & (about or words):
                located[Evidence.of(contexts, n, span.start, span.end)] = None
                break
    return tuple(located)


def _trimmed(text: str) -> tuple[int, int]:
    return len(text) - len(text.lstrip()), len(text.rstrip())
