"""Whether a claim is wrong enough to be cut: a verifier errs, and a true sentence that goes is a loss as well."""

from __future__ import annotations

from faithmeter.datamodels import Label, Sample, Verdict

SURELY = 0.1
"""A claim with less support is cut; chosen on held-out training answers, see docs/decisions/0120."""


def is_surely_unsupported(verdict: Verdict, sample: Sample) -> bool:
    """Whether a claim is not merely in doubt."""
    if verdict.label is Label.SUPPORTED:
        return False
    return verdict.support is None or verdict.support < SURELY
