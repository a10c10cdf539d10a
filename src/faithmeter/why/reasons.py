"""A finding in words, both sides quoted. What does not stand there letter by letter is never quoted."""

from __future__ import annotations

from collections.abc import Sequence

from faithmeter.datamodels import Label
from faithmeter.why.compare import Comparison, Finding, read

LONGEST_QUOTE = 80
OPEN, CLOSE = "“", "”"


def reason(finding: Finding | None, seen: Comparison, label: Label, pieces: Sequence[str]) -> str:
    """Why a claim is not supported, in one sentence."""
    ours = _quoted(finding.ours.of(seen.claim), [seen.claim]) if finding else ""
    theirs = _quoted(finding.theirs, seen.sources.texts) if finding else ""
    made = _said(finding, ours, theirs, seen) if finding else ""
    return made or _plain(label, pieces)


def _said(finding: Finding, ours: str, theirs: str, seen: Comparison) -> str:
    kind = finding.kind
    unknown = bool(ours) and not seen.sources.has(ours[1:-1])
    if kind == "certainty" and theirs:
        return f"the contexts say {theirs}, not that it is so"
    if kind == "role" and theirs:
        return f"the contexts have it in other roles: {theirs}"
    if kind == "negation":
        return f"the contexts say the opposite: {theirs}" if theirs else ""
    if kind == "cause" and ours:
        return f"the contexts do not give this cause: {ours}"
    if kind == "attribution" and ours:
        return f"said of {theirs}, not of {ours}" if theirs else f"the contexts do not say who said so: {ours}"
    if theirs and ours and theirs.lower() != ours.lower():
        return f"the contexts say {theirs}, the claim {ours}"
    if unknown:
        return f"no passage {_verb(ours[1:-1], seen)} {ours}"
    if kind == "quantity" and ours:
        return f"the contexts do not say {ours} of this"
    return f"the contexts do not say this of {ours}" if ours and kind in ("number", "date", "name") else ""


def _verb(words: str, seen: Comparison) -> str:
    """Mentions, of what is nowhere; says, of what is made of words that stand there."""
    known = len(read(words)) - len(seen.sources.lacking(read(words), words))
    light = sum(not word.heavy for word in read(words))
    return "says" if known > light and len(read(words)) > 3 else "mentions"


def _plain(label: Label, pieces: Sequence[str]) -> str:
    """What can be said without a finding."""
    nearest = _quoted(pieces[0], pieces) if pieces else ""
    if label is Label.CONTRADICTED:
        return f"the contexts say otherwise: {nearest}" if nearest else "the contexts say otherwise"
    if label is Label.PARTIALLY_SUPPORTED:
        return f"the contexts say only a part of this: {nearest}" if nearest else "the contexts say only a part of this"
    return f"no passage says this; the nearest is {nearest}" if nearest else "no passage says this"


def _quoted(words: str, texts: Sequence[str]) -> str:
    """The words in quotation marks, cut between words where they are many; "" if they stand in none of the texts."""
    words = words.strip().split("\n")[0].strip()
    if len(words) > LONGEST_QUOTE:
        words = (
            words[: words.rfind(" ", 20, LONGEST_QUOTE)] if " " in words[20:LONGEST_QUOTE] else words[:LONGEST_QUOTE]
        )
    words = words.rstrip(" ,;:")
    return f"{OPEN}{words}{CLOSE}" if words and any(words in text for text in texts) else ""
