"""A verifier for these tests that uses every label: shared words with the nearest passage, and its numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from faithmeter.datamodels import Claim, Context, Evidence, Failure, Label, Origin, Outcome, Pair, Usage, Verdict
from faithmeter.runtime.usage import spend

_WORD = re.compile(r"[^\W\d_]{3,}|\d[\d.,]*\d|\d|[\u3040-\u9fff]")
_PASSAGE = re.compile(r"[^.。;]+(?:\.(?=\d)[^.。;]+)*[.。;]?")


class NumbersVerifier:
    """Judges by the share of a claim's words in the nearest passage; other numbers there are a contradiction."""

    def __init__(self, *, supported: float = 0.8) -> None:
        self.supported = supported

    @property
    def signature(self) -> str:
        return f"numbers.1,supported={self.supported:g}"

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        spend(Usage(calls=1, prompt_tokens=40 * len(pairs), completion_tokens=12 * len(pairs), cost=3e-5 * len(pairs)))
        return [self._judge(pair.claim, pair.sample.contexts) for pair in pairs]

    def _judge(self, claim: Claim, contexts: Sequence[Context]) -> Outcome:
        if "[unreadable" in claim.text:
            return Failure(claim=claim, kind="malformed", message="The reply was not JSON, twice.")
        words = {match.group().lower() for match in _WORD.finditer(claim.text)}
        support, evidence = max(
            ((_share(words, passage.quote), passage) for passage in _passages(contexts)), key=lambda found: found[0]
        )
        label, reason = self._label(claim, support, evidence.quote)
        known = evidence.quote.lower()
        missing = tuple(match.span() for match in _WORD.finditer(claim.text) if match.group().lower() not in known)
        return Verdict(
            claim=claim,
            label=label,
            support=support,
            evidence=(evidence,) if support >= 0.2 else (),
            gaps=() if label is Label.SUPPORTED else missing,
            reason=reason,
            origin=Origin(verifier="numbers", cache="exact" if len(claim.text) % 3 == 0 else None),
        )

    def _label(self, claim: Claim, support: float, passage: str) -> tuple[Label, str]:
        numbers = [figure for figure in re.findall(r"\d[\d.,]*\d|\d", claim.text) if figure not in passage]
        if numbers and support >= 0.5 and re.search(r"\d", passage):
            return Label.CONTRADICTED, f"The passage gives other numbers than {', '.join(numbers)}."
        if support >= self.supported:
            return Label.SUPPORTED, "The passage says so in nearly the same words."
        if support >= 0.5:
            return Label.PARTIALLY_SUPPORTED, "The passage says a part of this."
        return Label.NOT_ENOUGH_INFO, "No passage says this."


def _share(words: set[str], passage: str) -> float:
    found = {match.group().lower() for match in _WORD.finditer(passage)}
    return len(words & found) / len(words) if words else 0.0


def _passages(contexts: Sequence[Context]) -> list[Evidence]:
    spans = [
        (index, *match.span()) for index, context in enumerate(contexts) for match in _PASSAGE.finditer(context.text)
    ]
    quotes = [Evidence.of(contexts, index, start, end) for index, start, end in spans]
    return [
        Evidence.of(contexts, item.context, item.start + len(item.quote) - len(item.quote.lstrip()), item.end)
        for item in quotes
        if item.quote.strip()
    ]


def load() -> NumbersVerifier:
    """What `python:support.judging:load` builds."""
    return NumbersVerifier()


def load_strict() -> NumbersVerifier:
    """What `python:support.judging:load_strict` builds: needs every word."""
    return NumbersVerifier(supported=1.0)
