"""Claims below the sentence, by code: each clause that says something by itself, so that one half is judged alone."""

from __future__ import annotations

from faithmeter.datamodels import Claim, Extraction, Sample
from faithmeter.errors import UsageError
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.text.english.clauses import clauses


class ClauseExtractor:
    """The claims of `sentences`, compound ones cut into clauses with their subjects carried over. English only."""

    cpu_bound = True
    cheap = True

    def __init__(self) -> None:
        self._sentences = SentenceExtractor()

    @property
    def signature(self) -> str:
        return f"clauses.1,{self._sentences.signature}"

    async def extract(self, sample: Sample) -> Extraction:
        """Every clause becomes a claim; a sentence that cannot surely be cut is one claim, verbatim."""
        extraction = await self._sentences.extract(sample)
        claims = tuple(part for claim in extraction.claims for part in _cut(claim))
        return extraction.model_copy(update={"claims": claims})


def _cut(claim: Claim) -> list[Claim]:
    parts = clauses(claim.text)
    if len(parts) < 2:
        return [claim]
    return [Claim(text=part.text, start=claim.start + part.start, end=claim.start + part.end) for part in parts]


def load(name: str, argument: str) -> ClauseExtractor:
    """`clauses`; it knows English only."""
    if argument not in ("", "en"):
        raise UsageError(f"{name!r} knows English only, found {argument!r}; use 'sentences:{argument}'")
    return ClauseExtractor()
