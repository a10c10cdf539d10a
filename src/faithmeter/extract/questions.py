"""What the user's question leaves open: its words are no claim of the answer, unless they may be the answer itself."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]*")
_OPENING = r"\W*(?:(?:so|and|but|also|then|well|ok|okay|hi|hello|hey|thanks|please),? )*"
_AUXILIARY = re.compile(
    rf"{_OPENING}(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|am|"
    r"(?:is|are|was|were|do|does|did|has|have|had|ca|could|wo|would|should|must)n't)\b",
    re.IGNORECASE,
)
# "Can you explain …" asks for something; "Can you drink bleach" asks whether it is so.
_REQUEST = re.compile(
    rf"{_OPENING}(?:can|could|would|will) you (?:please |kindly |also |briefly |quickly )*"
    r"(?:summari[sz]e|explain|describe|outline|compare|elaborate|clarify|rephrase|paraphrase|translate|list|answer|"
    r"(?:tell|give|show|help|find|write|walk|teach|get) (?:me|us)|provide (?:me|us|an?|some|the|more))\b",
    re.IGNORECASE,
)
_OPEN_WORD = re.compile(r"\b(?:how|what|what's|which|who|who's|whom|whose|when|where|why)\b", re.IGNORECASE)
_EMBEDDED = re.compile(
    r"\b(?:whether|confirm|verify|(?:tell (?:me|us)|know|see|check|say|find out|wonder|wondering|ask|asking|sure|"
    r"clarify|explain|determine|state|decide) if)\b|"
    r"\b(?:right|correct|true|yes|no|not|it|they|he|she|you|we|i|there)\s*\?",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"\b(?:or|vs|versus)\b", re.IGNORECASE)
_PART = re.compile(
    r"\b(?:which|what)(?: of the (?:\w+ )?\w+s| (?:one|passage|step|section|part|method|option|phase|day|week|example|"
    r"question|document|source|context|chapter|appendix|answer|choice))\b",
    re.IGNORECASE,
)


def asks_whether(question: str) -> bool:
    """Say whether a part of the question may be answered by yes or no, so that "Absolutely!" would be an answer."""
    return any(map(_may_be_answered_by_yes, _SENTENCE.findall(question)))


def _may_be_answered_by_yes(sentence: str) -> bool:
    if _EMBEDDED.search(sentence) and not re.match(rf"{_OPENING}{_OPEN_WORD.pattern}", sentence, re.IGNORECASE):
        return True
    if _REQUEST.match(sentence):
        return False
    return _AUXILIARY.match(sentence) is not None or ("?" in sentence and not _OPEN_WORD.search(sentence))


def offers_choice(question: str) -> bool:
    """Say whether the question names what may be its answer: "Basic or Pro?"."""
    return _CHOICE.search(question) is not None


def asks_for_part(question: str) -> bool:
    """Say whether "Step 3" or "Option B" may be the answer."""
    return offers_choice(question) or _PART.search(question) is not None
