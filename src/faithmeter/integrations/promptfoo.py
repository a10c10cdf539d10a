"""A Python assertion for promptfoo: `get_assert`, imported by a file beside promptfoo's configuration.

The contexts are in the test's variables (`contexts`, …), or in the provider's metadata. The assertion's `config` may
have `verifier`, `extractor`, `scoring` and `threshold`.
"""

from __future__ import annotations

from typing import Any

from faithmeter.errors import UsageError
from faithmeter.integrations.metric import Metric, sample_of

_OPTIONS = ("verifier", "extractor", "scoring", "threshold")


def get_assert(output: Any, context: dict[str, Any]) -> dict[str, Any]:
    """What promptfoo calls: `pass`, `score` and `reason`, and the same for each claim.

    What could not be judged raises: promptfoo shows that as a failed assertion with this message.
    """
    config = dict(context.get("config") or {})
    if unknown := sorted(config.keys() - set(_OPTIONS)):
        raise UsageError(f"config: unknown option {unknown[0]!r}; known: {', '.join(_OPTIONS)}")
    threshold = float(config.pop("threshold", 1.0))
    given = context.get("providerResponse") or {}
    scored = Metric(**config).score(sample_of(output, context.get("vars"), given.get("metadata")))
    parts = [
        {"pass": supported, "score": float(supported), "reason": f"{verdict.word}: {verdict.claim.text}"}
        for verdict in scored.result.verdicts
        for supported in [verdict.label == "supported"]
    ]
    passed = scored.score >= threshold
    return {"pass": passed, "score": scored.score, "reason": scored.reason, "componentResults": parts}
