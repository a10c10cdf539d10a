"""Builds the training and evaluation rows; evidence is selected by the code that selects it at inference."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import lzma
import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from faithmeter.datamodels import Claim, Context, Sample
from faithmeter.evidence import Index, hint, joined, select, terms
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.text import sentences
from training.corrupt import corrupt, reword
from training.records import make_records
from training.rows import LABELS, Row

DATA = Path(os.environ.get("FAITHMETER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))

AT_MOST = {"snli": 40_000, "lingnli": 40_000}
WEIGHTS = {
    "snli": 0.5, "lingnli": 0.7, "cf_snli": 0.7, "nlismall_mpe": 0.3, "covidfact": 0.5, "climate_fever": 0.5,
    "attributionbench": 3.0, "begin": 3.0, "wice_claim_oracle": 2.0, "summedits": 2.0, "diasumfact": 2.0,
    "finegrained_rlhf": 1.0, "factscore": 1.5, "control": 1.0, "ragtruth": 4.0, "healthver": 0.7,
}  # fmt: skip
"""How often a source is drawn: more for what is close to the task and small."""

BURIED = {
    "vitaminc_real_test", "vitaminc_synthetic_test", "docnli_fever", "fever_symmetric", "fever_adversarial_test",
    "fool_me_twice", "begin", "nlismall_mnli", "lingnli", "nlismall_scitail", "healthver", "nlismall_rte",
}  # fmt: skip
"""Short contexts, some of which are put between others of their source, as a retriever would."""

DOCUMENTS = (
    "wice_claim_oracle", "factcg_cg2c_doc", "factcg_cg2c_musique", "summedits", "control", "docnli_mctest",
    "finegrained_rlhf", "attributionbench", "diasumfact", "factscore", "docnli_fever", "nlismall_rte",
)  # fmt: skip
"""Sources whose contexts are long enough to take sentences from."""


def read(path: Path, limit: int | None = None) -> list[dict[str, Any]]:
    """Read an xz-compressed JSON Lines file."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for _, line in zip(range(limit or 10**9), file, strict=False)]


def held_out(context: str, share: float) -> bool:
    """Whether a context is kept from training, for calibration: the same contexts every time."""
    return int(hashlib.sha256(context.encode()).hexdigest()[:8], 16) / 16**8 < share


class Indexes:
    """Reads each context once, as long as rows on one context come together."""

    def __init__(self) -> None:
        self._contexts: tuple[str, ...] = ()
        self._index = Index(())

    def __getitem__(self, contexts: tuple[str, ...]) -> Index:
        if contexts != self._contexts:
            self._contexts, self._index = contexts, Index(contexts)
        return self._index


class Builder:
    """Makes rows, with one source of randomness."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.indexes = Indexes()

    def row(self, claim: str, contexts: Sequence[str], label: str, *, refers: str = "", **known: Any) -> Row:
        """Select the evidence and make a row; `refers` is the hint."""
        claim = " ".join(claim.split())
        evidence = joined(select(claim, self.indexes[tuple(contexts)], hint=refers))
        return Row(claim, refers, evidence, LABELS.index(label), **{"marks": None, "source": "", **known})

    def claims(self, name: str, rows: list[dict[str, Any]]) -> Iterator[Row]:
        """Make rows of a claim file; every fourth goes without its question, as many claims do."""
        pool = [row["context"] for row in rows]
        for row in sorted(rows, key=lambda row: str(row["context"])):
            contexts = [row["context"]]
            if name in BURIED and self.rng.random() < 0.3:
                contexts += self.rng.choices(pool, k=self.rng.randint(1, 3))
                self.rng.shuffle(contexts)
            question = asked(row)
            refers = hint(row["claim"], question=question) if self.rng.random() < 0.75 else ""
            marks: list[tuple[int, int]] | None = [] if row["label"] == "supported" else None
            yield self.row(row["claim"], contexts, row["label"], refers=refers, marks=marks, source=name,
                           weight=WEIGHTS.get(name, 1.0))  # fmt: skip

    def answers(self, rows: list[dict[str, Any]], *, silver: bool, first_group: int) -> Iterator[Row]:
        """Make a row of each claim of each answer; silver answers are labelled as a whole."""
        for number, row in enumerate(sorted(rows, key=lambda row: str(row["context"]))):
            for claim in claims_of(row["answer"], row["context"]):
                label, marks = _silver(row) if silver else span_label(claim, row["labels"])
                refers = hint(claim.text, question=row.get("question"), before=row["answer"][: claim.start])
                source = "silver" if silver else "ragtruth"
                yield self.row(claim.text, [row["context"]], label, refers=refers, marks=marks, source=source,
                               group=first_group + number, weight=WEIGHTS.get(source, 1.0))  # fmt: skip

    def synthetic(self, documents: dict[str, list[str]], count: int) -> Iterator[Row]:
        """Corrupt and reword sentences and supported claims of documents, the longer and richer the oftener."""
        made = 0
        names = sorted(documents)
        richness = [1 + min(3, len(name) // 600) + min(40, len(documents[name])) for name in names]
        drawn = Counter(self.rng.choices(names, richness, k=count // 6))
        for document in itertools.cycle([name for name in names for _ in range(drawn[name])]):
            if made >= count:
                return
            bases = [base for base in documents[document] if 30 < len(base) < 320]
            inside = [s.of(document) for s in sentences(document)]
            inside = [text for text in inside if 40 < len(text) < 320 and text[-1:] in '.!?"”']
            for base in self.rng.sample(bases, min(4, len(bases))) + self.rng.sample(inside, min(5, len(inside))):
                for row in self._variants(" ".join(base.split()), document, copied=base in inside, pool=names):
                    yield row
                    made += 1

    def _variants(self, base: str, document: str, *, copied: bool, pool: list[str]) -> Iterator[Row]:
        rng = self.rng
        if rng.random() < 0.5:
            text = reword(base, rng) if rng.random() < 0.75 else base
            yield self.row(text, [document], "supported", marks=[], source="reworded")
        for _ in range(2):
            found = corrupt(reword(base, rng) if rng.random() < 0.3 else base, document, rng)
            if found and rng.random() < 0.6:
                kind, made = found
                yield self.row(made.text, [document], made.label, marks=made.marks, source=f"corrupt_{kind}")
        if copied and rng.random() < 0.2:
            rest = document.replace(base, " ")
            if rest != document and not _said_elsewhere(base, rest):
                yield self.row(base, [rest], "not_enough_info", source="left_out")
        if rng.random() < 0.08:
            yield self.row(base, [rng.choice(pool)], "not_enough_info", source="elsewhere")
        if rng.random() < 0.15:
            yield from self._joined(base, document, rng.choice(pool))

    def _joined(self, base: str, document: str, other: str) -> Iterator[Row]:
        """Go on with a sentence of the same document, which holds, or of another, which does not."""
        strange = self.rng.random() < 0.6
        source = other if strange else document
        found = [" ".join(s.of(source).split()) for s in sentences(source)]
        found = [text for text in found if (25 < len(text) < 140 and text not in document) or not strange]
        if not found or base[-1:] != ".":
            return
        extra = self.rng.choice(found).rstrip(".")
        joint = self.rng.choice([", and ", "; ", ". ", ", while "])
        text = base[:-1] + joint + extra + "."
        marks = [(len(base) - 1 + len(joint), len(text) - 1)] if strange else []
        label = "not_enough_info" if strange else "supported"
        yield self.row(text, [document], label, marks=marks, source="joined")

    def records(self, seed: int, count: int) -> Iterator[Row]:
        """Make rows about made records and tables."""
        for made in make_records(seed, count):
            yield self.row(made.claim, [made.context], made.label, marks=made.marks, source="records")


def asked(row: dict[str, Any]) -> str | None:
    """The question of a claim row, without the wrapping some sources put around it."""
    question = row.get("question")
    if not question or question == "n/a":
        return None
    return re.sub(r"^Question: ", "", question)


def claims_of(answer: str, context: str) -> tuple[Claim, ...]:
    """Take an answer's claims as the default extractor does."""
    return asyncio.run(SentenceExtractor().extract(Sample(answer=answer, contexts=(Context(text=context),)))).claims


def span_label(claim: Claim, spans: list[dict[str, Any]]) -> tuple[str, list[tuple[int, int]]]:
    """Label a claim by the human spans that touch it: conflict before baseless, else supported."""
    label, marks = "supported", []
    for span in spans:
        start, end = max(span["start"], claim.start), min(span["end"], claim.end)
        if end - start >= min(5, span["end"] - span["start"]):
            marks.append((start - claim.start, end - claim.start))
            conflict = "Conflict" in span["label_type"]
            label = "contradicted" if conflict or label == "contradicted" else "not_enough_info"
    return label, marks


def _silver(row: dict[str, Any]) -> tuple[str, list[tuple[int, int]] | None]:
    """A good answer has good claims; of a bad one it is not known which claim is bad."""
    return ("supported", []) if row["label"] == 1 else ("unlabelled", None)


def _said_elsewhere(base: str, rest: str) -> bool:
    """Whether the rest of a document might well bear a sentence out."""
    wanted = set(terms(base))
    shared = [len(wanted & set(terms(s.of(rest)))) / max(1, len(wanted)) for s in sentences(rest)]
    return len(wanted) < 4 or max(shared, default=0.0) > 0.5


def documents_of(sources: dict[str, list[dict[str, Any]]]) -> dict[str, list[str]]:
    """Map each longer context to the claims that it is known to support."""
    found: dict[str, list[str]] = {}
    for rows in sources.values():
        for row in rows:
            if len(row["context"]) > 200:
                good = found.setdefault(row["context"], [])
                if row["label"] == "supported":
                    good.append(row["claim"])
    return found


def build(*, seed: int, records: int, synthetic: int, limit: int | None = None) -> tuple[list[Row], list[Row]]:
    """Build the rows to train on and the rows kept for calibration; `limit` rows a file for a smoke test."""
    builder = Builder(seed)
    train: list[Row] = []
    held: list[Row] = []
    documents: dict[str, list[dict[str, Any]]] = {}
    for path in sorted((DATA / "train").glob("*.jsonl.xz")):
        name = path.name.split(".")[0]
        if "answers" in name:
            continue
        rows = read(path, limit)
        if len(rows) > AT_MOST.get(name, 10**9):
            rows = builder.rng.sample(rows, AT_MOST[name])
        kept = [row for row in rows if held_out(row["context"], 0.04)]
        train += builder.claims(name, [row for row in rows if not held_out(row["context"], 0.04)])
        held += builder.claims(name, kept)
        if name in DOCUMENTS:
            documents[name] = [row for row in rows if not held_out(row["context"], 0.04)]
    good: dict[str, list[str]] = documents_of(documents)
    group = 0
    for name, silver in (("ragtruth_answers_partial", False), ("faithjudge_silver_answers", True)):
        rows = read(DATA / "train" / f"{name}.jsonl.xz", limit)
        for kept_out, into in ((False, train), (True, held)):
            some = [row for row in rows if held_out(row["context"], 0.2) == kept_out]
            made = list(builder.answers(some, silver=silver, first_group=group))
            group += len(some)
            into += made
        for row in rows:
            if not held_out(row["context"], 0.2):
                claims = [c.text for c in claims_of(row["answer"], row["context"])] if row["label"] == 1 else []
                good.setdefault(row["context"], []).extend(claims)
    train += builder.records(seed, records)
    held += builder.records(seed + 1, records // 25)
    ordered = sorted(good)
    train += builder.synthetic({doc: good[doc] for doc in ordered if not held_out(doc, 0.06)}, synthetic)
    held += builder.synthetic({doc: good[doc] for doc in ordered if held_out(doc, 0.06)} or good, synthetic // 25)
    return train, held


def build_eval(limit: int | None = None) -> Iterator[Row]:
    """Build the rows of the dev sets, which nothing is trained on; answers in groups, claims without."""
    builder = Builder(0)
    for path in sorted((DATA / "eval").glob("*.jsonl.xz")):
        name = path.name.split(".")[0]
        for number, row in enumerate(read(path, limit)):
            if "answers" not in name:
                refers = hint(row["claim"], question=asked(row))
                yield builder.row(row["claim"], [row["context"]], row["label"], refers=refers, source=name)
                continue
            for claim in claims_of(row["answer"], row["context"]):
                label, marks = span_label(claim, row["labels"])
                refers = hint(claim.text, question=row.get("question"), before=row["answer"][: claim.start])
                yield builder.row(claim.text, [row["context"]], label, refers=refers, marks=marks,
                                  source=f"{name}:{row['task']}", group=number)  # fmt: skip


def spread(rows: Iterable[Row]) -> list[str]:
    """Count rows by source and label, for the log."""
    counts: dict[str, list[int]] = {}
    for row in rows:
        counts.setdefault(row.source, [0] * len(LABELS))[row.label] += 1
    return [f"{source:28} {' '.join(f'{n:7d}' for n in numbers)}" for source, numbers in sorted(counts.items())]
