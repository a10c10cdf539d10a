"""The guard of the semantic cache: which of two similar claims may share a verdict.

Similarity alone cannot tell "born on 14 March" from "born on 20 March". Only claims that say the same
thing share a verdict: numbers, dates, units, names, negation, quantifiers, comparatives, modality, who did
what to whom, and every other word must agree; spelling, articles, tense auxiliaries and order-preserving
rewording need not. See `docs/cache.md` for what is let through.
"""

from __future__ import annotations

from faithmeter.text.english.claim_facts import Kind, differences


def objections(asked: str, known: str) -> frozenset[Kind]:
    """The kinds of fact in which a claim differs from one whose verdict is known."""
    return differences(asked, known)


def admits(asked: str, known: str) -> bool:
    """Whether the verdict of a known claim may answer for another one."""
    return not objections(asked, known)
