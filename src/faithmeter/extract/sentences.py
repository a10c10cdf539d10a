"""The default extractor: each sentence of the answer that asserts something is a claim, by code, offline."""

from __future__ import annotations

import re

from faithmeter.datamodels import Aside, Claim, Extraction, Sample
from faithmeter.errors import UsageError
from faithmeter.text import Sentence, sentences

# What follows decides what is *not* judged, so each pattern must match the whole sentence, and a clause that
# goes on with "but", "however", … is a claim again: "I don't know, but Paris is in Italy" is judged.
_SOURCE = (
    r"(?:the |this |these |those |any |your |my |our )?"
    r"(?:(?:provided|given|supplied|retrieved|available|above|source|following) )*"
    r"(?:contexts?|passages?|documents?|texts?|information|sources?|articles?|materials?|data|excerpts?|snippets?"
    r"|search results|knowledge base)(?: provided| given| available| above)?"
)
_REST = r"\b(?:(?!\b(?:but|however|although|though|nevertheless|that said|instead|so)\b)[^;])*"
_FACTS = r"(?:information|mention|details?|data|context|evidence|answer)"


def _any_of(*alternatives: str) -> str:
    return "(?:" + "|".join(alternatives) + ")"


_REFUSAL = re.compile(
    r"(?:(?:i'm|i am|we're|we are) (?:sorry|afraid)\W+|(?:sorry|unfortunately|apologies|i apologi[sz]e)\W+|but )*"
    rf"(?:(?:based on|from|according to|given|in|within) (?:only )?{_SOURCE}(?: alone| only)?\W+)?"
    + _any_of(
        r"(?:i|we) (?:do not|don't|cannot|can't|can not|could not|couldn't|(?:am|are) (?:unable|not able) to) "
        r"(?:really |currently |confidently )?(?:know|answer|say|tell|determine|find|provide|help|have)" + _REST,
        r"(?:i'm|i am|we're|we are) (?:not sure|unable to (?:answer|determine|find|provide|say|tell))" + _REST,
        r"(?:it is )?(?:unable|not possible|impossible) to (?:answer|determine|say|tell)" + _REST,
        rf"{_SOURCE} (?:does not|doesn't|do not|don't|did not|didn't) (?:\w+ )?"
        r"(?:contain|mention|provide|specify|state|include|say|give|have|discuss|cover|address|answer|indicate)"
        + _REST,
        rf"there (?:is|was|are|isn't|is not) (?:no|any|not enough|enough|insufficient) (?:\w+ )?{_FACTS}" + _REST,
        r"(?:not enough|insufficient) (?:information|context|data)" + _REST,
        rf"no (?:\w+ )?{_FACTS} (?:is |was |are |were )?(?:found|available|provided|given)" + _REST,
    ),
    re.IGNORECASE,
)
_GREETING = re.compile(
    _any_of(
        r"(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening)|welcome)(?: there| all| everyone)?(?:, \w+)?",
        r"dear \w+",
        r"(?:sure|certainly|of course|absolutely|great question|good question|no problem|happy to help)(?: thing)?",
        r"(?:(?:sure|certainly|of course)\W+)?(?:i'd be|i would be|i'm|i am) (?:happy|glad) to (?:help|assist)"
        r"\b[\w ]{0,40}",
        r"(?:thanks|thank you|cheers)(?: (?:for|so much|very much|again)\b[\w ]{0,40})?",
        r"(?:i )?hope (?:this|that|it) (?:helps|answers)\b[\w ]{0,40}",
        r"(?:please )?(?:let me know|feel free to|don't hesitate to)\b[\w ,'/]{0,100}",
        r"you(?:'re| are) welcome",
        r"(?:best |kind )?regards|goodbye|bye|have a (?:great|nice|good) (?:day|one|weekend)",
    )
    + r"[\s!.,:;)🙂😊👋]*",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"(?:(?:sure|certainly|of course|okay|ok|yes)\W+)?"
    + _any_of(
        r"here(?:'s| is| are)|below (?:is|are)|the following (?:is|are)|in (?:summary|short|conclusion|brief)",
        rf"to (?:summari[sz]e|answer)|(?:based on|according to|from) (?:only )?{_SOURCE}",
    )
    + r"[^.!?]{0,100}:\s*",
    re.IGNORECASE,
)
# Greek uses ";" for a question, which elsewhere ends a clause: only after a Greek letter.
_QUESTION = re.compile(r".*(?:[?？؟՞⸮]|(?<=[Ͱ-Ͽἀ-῿])[;\u037e])[\s\"'”’»)\]*_]*", re.DOTALL)
_WORDLESS = re.compile(r"[\W_]*")


def _aside_kind(sentence: Sentence, text: str) -> str | None:
    """Why a sentence claims nothing, or None if it does claim something."""
    plain = text.replace("’", "'").strip("*_#> \t\n")
    if sentence.kind in ("heading", "code"):
        return sentence.kind
    if _WORDLESS.fullmatch(plain):
        return "no_claim"
    if _QUESTION.fullmatch(plain):
        return "question"
    if _REFUSAL.fullmatch(plain):
        return "refusal"
    if _GREETING.fullmatch(plain):
        return "greeting"
    if _LEAD_IN.fullmatch(plain):
        return "lead_in"
    return None


class SentenceExtractor:
    """Takes the answer's sentences as its claims, verbatim."""

    cpu_bound = True
    cheap = True

    def __init__(self, *, language: str = "en") -> None:
        self.language = language

    @property
    def signature(self) -> str:
        return "sentences.1" + ("" if self.language == "en" else f",{self.language}")

    async def extract(self, sample: Sample) -> Extraction:
        """Every sentence becomes a claim or an aside."""
        claims: list[Claim] = []
        asides: list[Aside] = []
        for sentence in sentences(sample.answer, language=self.language):
            text = sample.answer[sentence.start : sentence.end]
            place = {"text": text, "start": sentence.start, "end": sentence.end}
            kind = _aside_kind(sentence, text)
            if kind is None:
                claims.append(Claim.model_validate(place))
            else:
                asides.append(Aside.model_validate({**place, "kind": kind}))
        return Extraction(claims=tuple(claims), asides=tuple(asides))


def load(argument: str) -> SentenceExtractor:
    """`sentences`, or `sentences:LANGUAGE` with an ISO 639-1 code."""
    if argument and not re.fullmatch(r"[a-z]{2,3}", argument):
        raise UsageError(f"unknown language {argument!r} in 'sentences:{argument}'; give a code such as 'de'")
    return SentenceExtractor(language=argument or "en")
