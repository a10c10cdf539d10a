"""The default extractor: each sentence of the answer that asserts something is a claim, by code, offline."""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithmeter.datamodels import Aside, Claim, Extraction, Sample
from faithmeter.errors import UsageError
from faithmeter.extract import asides
from faithmeter.extract.asides import Asides
from faithmeter.text import sentences
from faithmeter.text.citation_marks import unmarked

_MATHS = re.compile(r"(?:\$\$|\\\[)\s*\Z")
_GAP = 200  # characters before a block in which what opens it is looked for


class SentenceExtractor:
    """Takes the answer's sentences as its claims, verbatim."""

    cpu_bound = True
    cheap = True

    def __init__(self, *, language: str = "en") -> None:
        self.language = language

    @property
    def signature(self) -> str:
        return "sentences.5" + ("" if self.language == "en" else f",{self.language}")

    async def extract(self, sample: Sample) -> Extraction:
        """Every sentence becomes a claim or an aside."""
        parts = list(self._parts(sample))
        last = max((start for start, _, kind in parts if kind is None), default=-1)
        claims: list[Claim] = []
        rest: list[Aside] = []
        for start, end, kind in parts:
            text = sample.answer[start:end]
            fields = {"text": text, "start": start, "end": end}
            if kind is None or (kind == "heading" and start > last) or (kind == "code" and last < 0):
                # a citation mark is no part of what is claimed, and verifiers stumble over it
                claims.append(Claim.model_validate({**fields, "text": unmarked(text) or text}))
            else:
                rest.append(Aside.model_validate({**fields, "kind": kind}))
        return Extraction(claims=tuple(claims), asides=tuple(rest))

    def _parts(self, sample: Sample) -> Iterator[tuple[int, int, str | None]]:
        """Yield start, end and kind of each part of the answer; a claim has no kind."""
        answer = sample.answer
        known = Asides(sample.question)
        offset = asides.thinking(answer)
        if offset:
            yield len(answer) - len(answer.lstrip()), offset, "thinking"
        in_sources = replies = False
        for sentence in sentences(answer[offset:], language=self.language):
            start, end = offset + sentence.start, offset + sentence.end
            text = answer[start:end]
            if asides.is_sources_label(text) or asides.cites(text) or (in_sources and asides.is_source(text)):
                in_sources, replies = True, False
                yield start, end, "source"
                continue
            in_sources = False
            if sentence.kind == "code" and not _MATHS.search(answer, max(0, start - _GAP), start):
                for first, stop, is_code in asides.code(text):
                    yield start + first, start + stop, "code" if is_code else None
            elif sentence.kind == "heading":
                yield start, end, "heading" if known.heading(text) else None
            else:
                yield start, end, None if sentence.kind == "row" else known.formula(text, replies=replies)
            replies = text.rstrip("\"'”’*_) ")[-1:] in ("?", "？")


def load(name: str, argument: str) -> SentenceExtractor:
    """`sentences`, or `sentences:LANGUAGE` with an ISO 639-1 code."""
    if argument and not re.fullmatch(r"[a-z]{2,3}", argument):
        raise UsageError(f"unknown language {argument!r} in 'sentences:{argument}'; give a code such as 'de'")
    return SentenceExtractor(language=argument or "en")
