"""A corpus at hand: whether what the contexts lack stands in a passage that retrieval could have brought."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from faithmeter.data import jsonl
from faithmeter.datamodels import Context, CorpusPassage, Failure, Label, Outcome, Pair, Sample, Verdict
from faithmeter.errors import DataError, UsageError
from faithmeter.evidence.passages import refers, terms
from faithmeter.runtime.boundary import verified

TEXT_FILES = (".txt", ".md", ".markdown", ".rst")
ROW_FILES = (".jsonl", ".ndjson")
TEXT_COLUMNS = ("text", "content", "contents", "page_content", "passage", "body", "document", "chunk")
ID_COLUMNS = ("id", "_id", "doc_id", "document_id", "source", "path", "url", "title")
LOOKED_AT = 5
"""Passages that the verifier reads for a claim."""
_LONGEST = 1000
"""Characters of a passage, unless one sentence is longer."""
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")

Verify = Callable[[Sequence[Pair]], Awaitable[object]]


class Passage(NamedTuple):
    """A part of a document."""

    document: str
    start: int
    text: str


class Corpus:
    """Documents that retrieval could have brought, cut into passages and indexed by BM25."""

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        digest = hashlib.sha256()
        self.passages: list[Passage] = []
        for name, text in documents:
            digest.update(f"{len(name)}:{name}{len(text)}:{text}".encode("utf-8", "replace"))
            self.passages += (Passage(name, start, text[start:end]) for start, end in _cut(text))
        if not self.passages:
            raise UsageError("the corpus has no text: give it documents, else leave it out")
        self.signature = digest.hexdigest()[:8]

    @classmethod
    def load(cls, path: str | Path) -> Corpus:
        """Read a folder of text files, or of JSON lines with a text and an id each; or one such file."""
        root = Path(path)
        if root.is_dir():
            files = sorted(file for file in root.rglob("*") if file.suffix.lower() in (*TEXT_FILES, *ROW_FILES))
            if not files:
                raise UsageError(f"--corpus {path}: no {', '.join((*TEXT_FILES, *ROW_FILES))} file in it")
        elif root.is_file():
            files = [root]
        else:
            raise UsageError(f"--corpus {path}: no such file or folder")
        base = root if root.is_dir() else root.parent
        return cls(document for file in files for document in _documents(file, file.relative_to(base).as_posix()))

    @cached_property
    def _index(self) -> Any:
        import bm25s  # type: ignore[import-untyped]  # takes its time to load, and few runs have a corpus

        index = bm25s.BM25()
        index.index([terms(passage.text) or [""] for passage in self.passages], show_progress=False)
        return index

    def nearest(self, claim: str, hint: str = "") -> list[Passage]:
        """The passages that share most with a claim, and a little with what it refers to."""
        wanted = [term for term in (*terms(claim), *terms(claim), *terms(hint)) if term in self._index.vocab_dict]
        if not wanted:
            return []
        count = min(LOOKED_AT, len(self.passages))
        indices, scores = self._index.retrieve([wanted], k=count, show_progress=False)
        ranked = zip(indices[0].tolist(), scores[0].tolist(), strict=True)
        return [self.passages[index] for index, score in ranked if score > 0]


async def traced(outcomes: Sequence[Outcome], sample: Sample, corpus: Corpus, verify: Verify) -> list[Outcome]:
    """Split what is missing from the contexts: the corpus has it, and retrieval missed it; or it was made up.

    What the verifier cannot judge stays `missing`.
    """
    asked: dict[int, list[Passage]] = {}
    for index, outcome in enumerate(outcomes):
        if isinstance(outcome, Verdict) and outcome.blame == "missing":
            asked[index] = corpus.nearest(outcome.claim.text, refers(outcome.claim, sample))
    pairs = {index: _pair(outcomes[index], sample, passages) for index, passages in asked.items() if passages}
    answers = dict(zip(pairs, await verified(verify, list(pairs.values())) if pairs else [], strict=True))
    settled = list(outcomes)
    for index, passages in asked.items():
        settled[index] = _settled(settled[index], answers.get(index), passages)
    return settled


def _pair(outcome: Outcome, sample: Sample, passages: Sequence[Passage]) -> Pair:
    assert outcome.claim
    contexts = tuple(Context(id=passage.document, text=passage.text) for passage in passages)
    return Pair(outcome.claim, sample.model_copy(update={"contexts": contexts}))


def _settled(outcome: Outcome, answer: Outcome | None, passages: Sequence[Passage]) -> Outcome:
    if isinstance(answer, Failure):
        return outcome
    if answer is None or answer.label is not Label.SUPPORTED:
        return outcome.model_copy(update={"blame": "made_up"})
    passage, start, quote = passages[0], 0, passages[0].text
    if answer.evidence:
        first = answer.evidence[0]
        passage, start, quote = passages[first.context], first.start, first.quote
    offset = passage.start + start
    in_corpus = CorpusPassage(document=passage.document, start=offset, end=offset + len(quote), quote=quote)
    return outcome.model_copy(update={"blame": "retrieval_missed", "in_corpus": in_corpus})


def _documents(file: Path, name: str) -> Iterator[tuple[str, str]]:
    try:
        if file.suffix.lower() in ROW_FILES:
            with file.open("rb") as opened:
                for line_number, line in jsonl.lines(opened, str(file)):
                    yield _row(
                        jsonl.decode(line, f"{file}:{line_number}"), f"{file}:{line_number}", f"{name}:{line_number}"
                    )
        else:
            yield name, file.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{file}: not UTF-8 text; save it as UTF-8, or take it out of the corpus") from None
    except OSError as error:
        raise DataError(f"{file}: cannot be read: {error.strerror}") from None


def _row(row: object, where: str, name: str) -> tuple[str, str]:
    fields = row if isinstance(row, Mapping) else {}
    text = next((fields[column] for column in TEXT_COLUMNS if isinstance(fields.get(column), str)), None)
    if text is None:
        raise DataError(f"{where}: a document needs its text, in one of the fields {', '.join(TEXT_COLUMNS)}")
    return str(next((fields[column] for column in ID_COLUMNS if fields.get(column)), name)), text


def _cut(text: str) -> Iterator[tuple[int, int]]:
    """Where passages begin and end: paragraphs, short ones together, long ones cut between sentences."""
    start = end = -1
    for piece, stop in _pieces(text):
        if start >= 0 and stop - start > _LONGEST:
            yield start, end
            start = -1
        start, end = piece if start < 0 else start, stop
    if start >= 0:
        yield start, end


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    for paragraph in _PARAGRAPH.finditer(text):
        start = paragraph.start()
        if paragraph.end() - start > _LONGEST:
            for gap in _SENTENCE_END.finditer(text, start, paragraph.end()):
                if gap.start() > start:
                    yield start, gap.start()
                start = gap.end()
        if start < paragraph.end():
            yield start, start + len(text[start : paragraph.end()].rstrip())
