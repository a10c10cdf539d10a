"""Builds the training and evaluation rows from the data, a part at a time."""

from __future__ import annotations

import hashlib
import json
import lzma
import multiprocessing
import os
import random
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from faithmeter.evidence.passages import antecedent
from faithmeter.text import sentences
from training.answered import FOLDER as ANSWERED
from training.answered import key_of, read_answers
from training.builder import Builder, asked, claims_of, span_label, told
from training.corrupt import names
from training.roles import acts, pieces, readings
from training.rows import LABELS, Row, held_out
from training.skills.compose import kinds as skill_kinds
from training.voice import parse

DATA = Path(os.environ.get("FAITHMETER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))

AT_MOST = {"snli": 40_000, "lingnli": 40_000}
DOCUMENTS = (
    "wice_claim_oracle", "factcg_cg2c_doc", "factcg_cg2c_musique", "summedits", "control", "docnli_mctest",
    "finegrained_rlhf", "attributionbench", "diasumfact", "factscore", "docnli_fever", "nlismall_rte",
)  # fmt: skip
"""Sources whose contexts are long enough to take sentences from."""


def read(path: Path, limit: int | None = None) -> list[dict[str, Any]]:
    """Read an xz-compressed JSON Lines file."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for _, line in zip(range(limit or 10**9), file, strict=False)]


def documents_of(rows: Iterable[dict[str, Any]]) -> dict[str, list[str]]:
    """Map each longer context to the claims that it is known to support."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if len(row["context"]) > 200:
            good = found.setdefault(row["context"], [])
            if row["label"] == "supported":
                good.append(row["claim"])
    return found


class Part(NamedTuple):
    """One of the independent parts of a build, with its own source of randomness."""

    kind: str
    what: str
    seed: int
    size: int
    limit: int | None
    folder: Path


SLICES = 8
"""Parts that the made rows are split into."""


def build(
    *, seed: int, records: int, synthetic: int, slips: int, limit: int | None = None
) -> tuple[list[Row], list[Row]]:
    """Build the rows to train on and the rows kept for calibration; `limit` rows a file for a smoke test."""
    files = [path.name.split(".")[0] for path in sorted((DATA / "train").glob("*.jsonl.xz"))]
    parts = [Part("synthetic", str(n), seed, synthetic // SLICES, limit, DATA) for n in range(SLICES)]
    parts += [Part("answers" if "answers" in name else "claims", name, seed, 0, limit, DATA) for name in files]
    parts.append(Part("answered", "", seed, 0, limit, DATA))
    parts += [Part("records", str(n), seed, records // SLICES, limit, DATA) for n in range(SLICES)]
    parts += [Part("slips", name, seed, slips, limit, DATA) for name in files]
    made = _each(parts, limit)
    return [row for train, _ in made for row in train], [row for _, held in made for row in held]


def _each(parts: list[Part], limit: int | None) -> list[tuple[list[Row], list[Row]]]:
    if limit is not None:
        return [build_part(part) for part in parts]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(build_part, parts))


def build_roles(*, seed: int, made: int, limit: int | None = None) -> list[Row]:
    """Build the rows on who did what to whom, which come last."""
    files = [path.name.split(".")[0] for path in sorted((DATA / "train").glob("*.jsonl.xz"))]
    parts = [Part("roles", name, seed, 0, limit, DATA) for name in files]
    parts += [Part("deeds", str(n), seed, made // SLICES, limit, DATA) for n in range(SLICES)]
    return [row for train, _ in _each(parts, limit) for row in train]


def build_skills(*, seed: int, made: int, written: int, limit: int | None = None) -> tuple[list[Row], list[Row]]:
    """Build the rows that take reasoning: to train on, and those in wordings that are kept from training."""
    parts = skill_parts(seed=seed, made=made, limit=limit) + written_parts(seed=seed, made=written, limit=limit)
    made_rows = _each(parts, limit)
    return [row for train, _ in made_rows for row in train], [row for _, held in made_rows for row in held]


def skill_parts(*, seed: int, made: int, limit: int | None = None) -> list[Part]:
    """The parts of the rows that take reasoning; each run of as many as there are kinds has some of all kinds."""
    kinds, size = skill_kinds(), made // len(skill_kinds()) // SLICES
    return [Part("skills", f"{kind} {n}", seed, size, limit, DATA) for n in range(SLICES) for kind in kinds]


def written_parts(*, seed: int, made: int, limit: int | None = None) -> list[Part]:
    """The parts of the rows of written cases."""
    return [Part("written", str(n), seed, made // SLICES, limit, DATA) for n in range(SLICES)]


def build_part(part: Part) -> tuple[list[Row], list[Row]]:
    """Build the rows of one part: to train on, and held out."""
    builder = Builder(int(hashlib.sha256(f"{part.seed} {part.kind} {part.what}".encode()).hexdigest()[:12], 16))
    found: list[list[Row]] = []
    for kept in (False, True):
        builder.twice = kept
        found.append(list({
            "claims": _claims_part, "answers": _answers_part, "records": _records_part, "synthetic": _synthetic_part,
            "slips": _slips_part, "roles": _roles_part, "deeds": _deeds_part, "skills": _skills_part,
            "written": _written_part, "answered": _answered_part,
        }[part.kind](builder, part, kept)))  # fmt: skip
    return found[0], found[1]


def _claims_part(builder: Builder, part: Part, kept: bool) -> Iterator[Row]:
    rows = read(part.folder / "train" / f"{part.what}.jsonl.xz", part.limit)
    if len(rows) > AT_MOST.get(part.what, 10**9):
        rows = random.Random(part.seed).sample(rows, AT_MOST[part.what])
    rows = [row for row in rows if held_out(row["context"], 0.04) == kept]
    yield from builder.claims(part.what, rows)
    yield from builder.merged(rows)
    if not kept:
        yield from builder.mined(part.what, rows)


def _answers_part(builder: Builder, part: Part, kept: bool) -> Iterator[Row]:
    rows = read(part.folder / "train" / f"{part.what}.jsonl.xz", part.limit)
    source = "silver" if "silver" in part.what else "ragtruth"
    some = [row for row in rows if answers_held(row["context"], part.folder) == kept]
    return builder.answers(some, source, first_group=10**6 * (1 + (source == "silver")))


def answers_held(context: str, folder: Path) -> bool:
    """Whether a context is kept from training with its answers: a fifth of those whose answers people marked.

    They are few, and what is calibrated on them matters most; of the others more is learnt from.
    """
    return held_out(context, 0.2 if context in _marked(folder) else 0.08)


@lru_cache(maxsize=1)
def _marked(folder: Path) -> frozenset[str]:
    paths = (folder / "train").glob("ragtruth_answers*.jsonl.xz")
    return frozenset(row["context"] for path in paths for row in read(path))


def _answered_part(builder: Builder, part: Part, kept: bool) -> Iterator[Row]:
    some = [row for row in _answered(part.folder) if answers_held(row["context"], part.folder) == kept]
    some = some[: part.limit]
    for number, source in enumerate(("answered", "answered_records", "answered_retrieved")):
        mine = [row for row in some if row["source"] == source]
        yield from builder.answers(mine, source, first_group=10**6 * (3 + number))


@lru_cache(maxsize=1)
def _answered(folder: Path) -> list[dict[str, Any]]:
    """The answers that were written about contexts of the data; which is read once for what is kept and what is not."""
    contexts: dict[str, dict[str, Any]] = {}
    for path in sorted((folder / "train").glob("*.jsonl.xz")):
        for row in read(path):
            contexts.setdefault(key_of(row["context"]), {**row, "question": asked(row)})
    return [row for path in sorted(ANSWERED.glob("*.txt")) for row in read_answers(path, contexts)]


def _records_part(builder: Builder, part: Part, kept: bool) -> Iterator[Row]:
    return builder.records(builder.rng.randrange(10**9), max(4, part.size // 25) if kept else part.size)


def _synthetic_part(builder: Builder, part: Part, kept: bool) -> Iterator[Row]:
    """Every SLICES-th document."""
    good: dict[str, list[str]] = {}
    for name in DOCUMENTS:
        path = part.folder / "train" / f"{name}.jsonl.xz"
        rows = read(path, part.limit) if path.exists() else []
        good |= documents_of([row for row in rows if not held_out(row["context"], 0.04)])
    for path in sorted((part.folder / "train").glob("*answers*.jsonl.xz")):
        for row in read(path, part.limit):
            if not answers_held(row["context"], part.folder):
                good.setdefault(row["context"], []).extend(_good_claims(row))
    some = [document for document in sorted(good) if held_out(document, 0.06) == kept]
    mine = some[int(part.what) :: SLICES] or sorted(good)
    return builder.synthetic(
        {document: good[document] for document in mine}, max(4, part.size // 25) if kept else part.size
    )


def _good_claims(row: dict[str, Any]) -> list[str]:
    return [claim.text for claim in claims_of(row["answer"], row["context"])] if row["label"] == 1 else []


def _supported(rows: list[dict[str, Any]], *, answers: bool) -> list[tuple[str, str, str]]:
    """The claims of a file that hold, each with its context and its hint."""
    if answers:
        return [(c.text, row["context"], refers) for row in rows if row["label"] == 1 for c, refers in told(row)]
    good = [row for row in rows if row["label"] == "supported"]
    return [(row["claim"], row["context"], antecedent(row["claim"], question=asked(row))) for row in good]


def _slips_part(builder: Builder, part: Part, kept: bool) -> Iterator[Row]:
    """Slips in the supported claims of a file, with the question where there is one, and in a sentence a context."""
    answers = "answers" in part.what
    rows = read(part.folder / "train" / f"{part.what}.jsonl.xz", part.limit)
    held = partial(answers_held, folder=part.folder) if answers else partial(held_out, share=0.04)
    rows = [row for row in rows if held(row["context"]) == kept]
    bases = _supported(rows, answers=answers)
    written = builder.rng.sample(bases, min(len(bases), part.size * (5 if answers else 1)))
    asked_of = {row["context"]: asked(row) for row in rows}
    for context in sorted(asked_of):
        found = [text for text in (s.of(context) for s in sentences(context)) if 25 < len(text) < 250]
        if found:
            one = next((text for text in found if parse(text)), builder.rng.choice(found))
            bases.append((one, context, antecedent(one, question=asked_of[context])))
    most = part.size * (6 if answers else 1) // (10 if kept else 1)
    some = builder.rng.sample(bases, min(len(bases), most))
    clauses = [base for base in bases if parse(" ".join(base[0].split()))]  # few, and all that roles are learnt from
    some += builder.rng.sample(clauses, min(len(clauses), most))
    yield from builder.slips(some)
    if not kept:
        yield from builder.bereft([base for base in written if len(base[1]) > 600])


ROLES_HELD = 0.2
"""Share of all contexts that no row on roles is made of, to measure them on."""


def _roles_part(builder: Builder, part: Part, kept: bool) -> Iterator[Row]:
    """Swaps in the supported claims of a file, and in sentences and clauses of its contexts."""
    if kept:
        return
    rows = read(part.folder / "train" / f"{part.what}.jsonl.xz", part.limit)
    rows = [row for row in rows if not held_out(row["context"], ROLES_HELD)]
    bases = _supported(rows, answers="answers" in part.what)
    written = [base for base in bases if len(base[0]) < 300 and _has_ends(" ".join(base[0].split()), base[1])]
    inside: list[tuple[str, str, str]] = []
    for context in sorted({row["context"] for row in rows}):
        found = [text for text in _clauses(context) if _has_ends(text, context)]
        inside += [(text, context, "") for text in builder.rng.sample(found, min(4, len(found)))]
    yield from builder.roles(written, inside)


def _has_ends(text: str, context: str) -> bool:
    return any(readings(text, context, random.Random(0)))


def _clauses(context: str) -> Iterator[str]:
    """The sentences of a context, and the clauses of longer ones in which either end could have done it."""
    for sentence in sentences(context):
        text = " ".join(sentence.of(context).split())
        if 20 < len(text) < 250:
            yield text
        for piece in pieces(text):
            clause = parse(piece)
            if clause and acts(clause.agent) and acts(clause.patient):
                yield piece


def _some_documents(builder: Builder, part: Part) -> list[str]:
    """A few hundred documents that made texts may borrow from."""
    some = _documents(part.folder, part.limit)
    return builder.rng.sample(some, min(len(some), 500))


@lru_cache(maxsize=1)
def _documents(folder: Path, limit: int | None) -> list[str]:
    contexts: set[str] = set()
    for name in DOCUMENTS:
        path = folder / "train" / f"{name}.jsonl.xz"
        contexts |= {row["context"] for row in (read(path, limit) if path.exists() else [])}
    return sorted(context for context in contexts if not held_out(context, ROLES_HELD))


def _deeds_part(builder: Builder, part: Part, kept: bool) -> Iterator[Row]:
    """Made deeds, with names of documents and some among their sentences."""
    if kept:
        return
    some = _some_documents(builder, part)
    strangers = sorted({m.group() for text in some for m in names(text[:2000]) if len(m.group().split()) < 3})
    around = [text for text in some if 200 < len(text) < 2500]
    yield from builder.deeds(part.size, names=strangers, around=around)


def _skills_part(builder: Builder, part: Part, kept: bool) -> Iterator[Row]:
    """Made texts of one kind that take reasoning, some among sentences of documents."""
    around = [text for text in _some_documents(builder, part) if len(text) > 200]
    yield from builder.skills(
        [part.what.split()[0]], max(1, part.size // (12 if kept else 1)), around=around, held=kept
    )


def _written_part(builder: Builder, part: Part, kept: bool) -> Iterator[Row]:
    around = [text for text in _some_documents(builder, part) if len(text) > 200]
    yield from builder.written(max(1, part.size // (12 if kept else 1)), around=around, held=kept)


def build_eval(limit: int | None = None) -> Iterator[Row]:
    """Build the rows of the dev sets, which nothing is trained on; answers in groups, claims without."""
    builder = Builder(0)
    builder.twice = True
    for path in sorted((DATA / "eval").glob("*.jsonl.xz")):
        name = path.name.split(".")[0]
        for number, row in enumerate(read(path, limit)):
            if "answers" not in name:
                refers = antecedent(row["claim"], question=asked(row))
                yield builder.row(row["claim"], [row["context"]], row["label"], refers=refers, source=name)
                continue
            for claim, refers in told(row):
                label, marks = span_label(claim, row["labels"])
                yield builder.row(claim.text, [row["context"]], label, refers=refers, marks=marks,
                                  source=f"{name}:{row['task']}", group=number)  # fmt: skip


def spread(rows: Iterable[Row]) -> list[str]:
    """Count rows by source and label, for the log."""
    counts: dict[str, list[int]] = {}
    for row in rows:
        counts.setdefault(row.source, [0] * len(LABELS))[row.label] += 1
    return [f"{source:28} {' '.join(f'{n:7d}' for n in numbers)}" for source, numbers in sorted(counts.items())]
