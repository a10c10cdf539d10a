"""The embedded verifier: a small entailment model that comes with the package. No key, no download, no GPU.

For each claim the passages that bear on it are picked from all contexts (`evidence.select`); the model reads the
claim (a bare "Yes, it is." as what the question asks), what its pronouns refer to, and the best of those passages.
When they do not support the claim clearly, it reads all of them, and then the next best, and the better of these
readings counts. A number that follows from the contexts by arithmetic, or that contradicts what follows, is settled by
code before the model is asked (`verify/derive`).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tokenizers import Tokenizer

from faithmeter.datamodels import Claim, Evidence, Failure, Label, Origin, Outcome, Pair, Sample, Verdict
from faithmeter.errors import UsageError
from faithmeter.evidence.passages import Index, Passage, as_text, best_evidence, refers, select
from faithmeter.text.english.short_answers import as_statement
from faithmeter.verify import derive
from faithmeter.verify._onnx import ort
from faithmeter.verify.local_features import Mismatches, Setting, mismatches, setting_of
from faithmeter.verify.local_marks import Gaps, MarkRule, Token, mark
from faithmeter.verify.notes import noted
from faithmeter.verify.placeholders import filled

WEIGHTS = Path(__file__).resolve().parents[1] / "weights" / "local"

# The layout the model was trained on: [CLS] claim [SEP] hint [SEP] evidence [SEP].
CLAIM, HINT, EVIDENCE = 0, 1, 2
CLAIM_AT_MOST, HINT_AT_MOST, ALL_AT_MOST = 200, 60, 512
MARGIN_AT_MOST = 8.0
BRIEF = 0.35
"""Share of the room that the first reading takes: what it supports clearly needs no longer one."""
PROVEN, REFUTED = 0.97, 0.03
"""Support of a claim whose number follows from the contexts, and of one whose number does not: the rest is for what a
reader would not have set side by side."""


class Calibration(NamedTuple):
    """Turns the model's logits into a probability and a label; fitted by `training` on held-out rows."""

    model: str
    """The first digits of the weights' SHA-256: part of the signature."""
    scale: float
    shift: float
    share: float
    """Weight of the share of the claim's words that stand in the evidence."""
    numbers: float
    """What each number that does not stand there takes away."""
    names: float
    """What each name that does not stand there takes away."""
    dates: float
    """What each date with another day takes away."""
    units: float
    """What each number with another unit takes away."""
    amounts: float
    """What each amount that is turned round takes away."""
    threshold: float
    """A claim with at least this support is supported."""
    contradiction: float
    """An unsupported claim is contradicted when that is this likely against not enough information."""
    records: float = 0.0
    """What evidence from records adds: claims about them are in other words than they."""
    question: float = 0.0
    """What a question or an antecedent adds."""
    length: float = 0.0
    """What each doubling of the claim's words, from sixteen on, adds."""
    subjects: float = 4.0
    """What a number that is said of something else takes away."""
    owners: float = 4.0
    """What a thing that is someone else's takes away."""
    sure: float = 2.0
    """A brief first reading with at least this support is enough; above 1: there is none."""
    lost: float = 0.0
    """With less support than this after all that there is room for, the next best passages are not read."""
    prose: MarkRule = MarkRule()
    """Which words are marked."""
    in_records: MarkRule = MarkRule(even=2.0)
    """Which words are marked of a claim about a record: never all, for a sentence about one tells of several fields."""

    def support(self, classes: Sequence[float], mismatched: Mismatches, setting: Setting) -> float:
        """The probability that the evidence supports the claim."""
        top = max(classes[1:])
        margin = classes[0] - top - math.log(sum(math.exp(value - top) for value in classes[1:]))
        margin = min(max(margin, -MARGIN_AT_MOST), MARGIN_AT_MOST)
        lacking = self.numbers * mismatched.numbers + self.names * mismatched.names
        wrong = self.dates * mismatched.dates + self.units * mismatched.units + self.amounts * mismatched.amounts
        wrong += self.subjects * mismatched.subjects + self.owners * mismatched.owners
        kind = self.records * setting.records + self.question * setting.question + self.length * setting.length
        return sigmoid(self.scale * margin + self.share * mismatched.share - lacking - wrong + kind + self.shift)


class Reading(NamedTuple):
    """What the model makes of a claim and some passages."""

    support: float
    contradiction: float
    """Share of the probability of "not supported" that is contradiction."""
    tokens: tuple[Token, ...]
    passages: tuple[Passage, ...]
    of_record: bool
    """Whether the evidence is mostly fields of records."""


class Model:
    """The weights in memory: one per process and folder, safe to use from many threads."""

    def __init__(self, folder: Path) -> None:
        options = ort.SessionOptions()
        # One sequence on one core, unpadded: faster in all than padded batches or split matrices.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = ort.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.first = self.tokenizer.token_to_id("[CLS]")
        self.close = self.tokenizer.token_to_id("[SEP]")

    def logits(self, claim: Sequence[int], refers: str, evidence: str) -> tuple[list[float], list[float]]:
        """Run the model: three class logits, and one per token of the claim."""
        head = [self.first, *claim, self.close]
        middle = [*self._ids(refers)[:HINT_AT_MOST], self.close]
        tail = [*self._ids(evidence)[: ALL_AT_MOST - len(head) - len(middle) - 1], self.close]
        segments = [CLAIM] * len(head) + [HINT] * len(middle) + [EVIDENCE] * len(tail)
        feed = {"ids": np.array([head + middle + tail], np.int64), "segments": np.array([segments], np.int64)}
        classes, tokens = self.session.run(None, feed)
        return classes[0].tolist(), tokens[0, 1 : len(head) - 1].tolist()

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)


_loading = threading.Lock()


@lru_cache(maxsize=4)
def _load(folder: Path) -> Model:
    return Model(folder)


def load_model(folder: Path = WEIGHTS) -> Model:
    """Load the weights once per process, when first needed."""
    with _loading:
        return _load(folder)


def read_calibration(folder: Path = WEIGHTS) -> Calibration:
    """Read how the weights in a folder are calibrated."""
    path = folder / "calibration.json"
    try:
        fitted = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"no weights in {folder}: {path.name} is missing") from None
    fitted.pop("marks", None)  # of weights made before there were rules
    rules = {name: MarkRule(**fitted[name]) for name in ("prose", "in_records") if name in fitted}
    return Calibration(**{**fitted, **rules})


class LocalVerifier:
    """Judges claims with the embedded model."""

    cpu_bound = True
    languages = ("en",)

    def __init__(self, *, folder: Path = WEIGHTS, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise UsageError(f"local needs at least one thread, found {threads}")
        self.folder = folder
        self.threads = threads or os.cpu_count() or 1
        self.calibration = read_calibration(folder)

    @property
    def signature(self) -> str:
        settings = hashlib.sha256(repr(self.calibration).encode()).hexdigest()[:6]
        return f"local.9,{self.calibration.model},{settings},derive.{derive.VERSION}"

    def reads(self, pair: Pair) -> Sequence[str]:
        """What the claim's pronouns refer to, and what a bare "yes" states."""
        claim, sample = pair.claim, pair.sample
        hint, statement = refers(claim, sample), as_statement(claim.text, sample.asked)
        return (hint, statement) if statement else (hint,)

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """Judge in worker threads, so that the event loop stays free; each pair on its own, in order."""
        return await asyncio.to_thread(self._verify, pairs)

    def _verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        model = load_model(self.folder)
        indexes: dict[int, _LazyIndex] = {}
        jobs = [(pair, indexes.setdefault(id(pair.sample), _LazyIndex(pair.sample))) for pair in pairs]
        if len(jobs) < 2 or self.threads == 1:
            return [self._outcome(model, *job) for job in jobs]
        with ThreadPoolExecutor(self.threads, thread_name_prefix="faithmeter-local") as pool:
            return list(pool.map(lambda job: self._outcome(model, *job), jobs))

    def _outcome(self, model: Model, pair: Pair, index: _LazyIndex) -> Outcome:
        try:
            return self._judge(model, pair, index.get())
        except Exception as error:  # the batch boundary: one bad pair must not take the others with it
            return Failure(claim=pair.claim, kind="error", message=f"{type(error).__name__}: {error}")

    def _judge(self, model: Model, pair: Pair, index: Index) -> Verdict:
        claim, sample = pair.claim, pair.sample
        origin = Origin(verifier="local")
        if not index.passages or not claim.text.strip():
            return Verdict(claim=claim, label=Label.NOT_ENOUGH_INFO, support=0.0, origin=origin)
        hint, statement = refers(claim, sample), as_statement(claim.text, sample.asked)
        proof = derive.derive(claim.text, index, sample.contexts, hint=hint)
        if proof and (rest := self._support(model, proof.rest, index, hint=hint)) >= self.calibration.threshold:
            return _proven(claim, proof, at_most=rest)
        best, read = self._read(model, statement or claim.text, index, hint=hint)
        supported = best.support >= self.calibration.threshold
        label = Label.SUPPORTED if supported else Label.NOT_ENOUGH_INFO
        if not supported and best.contradiction >= self.calibration.contradiction:
            label = Label.CONTRADICTED
        # What contradicts a claim, or comes nearest to it, may stand in any passage that was read.
        among = best.passages if supported else read
        shown = best_evidence(statement or claim.text, index, hint=hint, among=among)
        if label is Label.NOT_ENOUGH_INFO:
            shown = shown[:1]
        evidence = (Evidence.of(sample.contexts, p.context, p.start, p.end) for p in shown)
        gaps = () if supported else ((0, len(claim.text)),) if statement else self.marked(best)
        return Verdict(claim=claim, label=label, support=round(best.support, 4),
                       evidence=tuple(dict.fromkeys(evidence)), gaps=gaps, origin=origin)  # fmt: skip

    def _support(self, model: Model, clauses: Sequence[str], index: Index, *, hint: str) -> float:
        """What the least supported of some clauses has; 1 if there are none."""
        return min((self._read(model, clause, index, hint=hint)[0].support for clause in clauses), default=1.0)

    def _read(self, model: Model, claim: str, index: Index, *, hint: str) -> tuple[Reading, Sequence[Passage]]:
        """Read more while the claim is undecided: a few passages, then all there is room for, then the next best.

        Gives the best reading, with the words that the first full one marks, for it read what bears on the claim most;
        and all that was read.
        """
        first = select(claim, index, hint=hint)
        if self.calibration.sure <= 1:
            few = select(claim, index, hint=hint, share=BRIEF)
            if len(few) < len(first):
                brief = self._weigh(model, claim, few, hint=hint)
                if brief.support >= self.calibration.sure:
                    return brief, few
        best = self._weigh(model, claim, first, hint=hint)
        undecided = self.calibration.lost <= best.support < self.calibration.threshold
        if not undecided or len(first) == len(index.passages):
            return best, first
        more = select(claim, index, hint=hint, used=first)
        if more:
            other = self._weigh(model, claim, more, hint=hint)
            if other.support > best.support:
                best = other._replace(tokens=best.tokens, of_record=best.of_record)
        return best, [*first, *more]

    def _weigh(self, model: Model, claim: str, passages: Sequence[Passage], *, hint: str) -> Reading:
        """Judge a claim by some passages; a claim too long to read at once by its worst part."""
        text = " ".join(claim.split())
        evidence = filled(as_text(passages), text)
        mismatched, setting = mismatches(text, evidence, hint=hint), setting_of(text, evidence, hint=hint)
        read = noted(evidence, text, hint=hint)  # what stands there, letter by letter, is told without such notes
        encoding = model.tokenizer.encode(claim, add_special_tokens=False)
        readings = []
        for begin in range(0, max(1, len(encoding.ids)), CLAIM_AT_MOST):
            part = slice(begin, begin + CLAIM_AT_MOST)
            classes, values = model.logits(encoding.ids[part], hint, read)
            tokens = tuple(
                Token(*offsets, sigmoid(value)) for offsets, value in zip(encoding.offsets[part], values, strict=True)
            )
            support = self.calibration.support(classes, mismatched, setting)
            contradiction = sigmoid(classes[1] - classes[2])
            readings.append(Reading(support, contradiction, tokens, tuple(passages), setting.records > 0))
        worst = min(readings, key=lambda reading: reading.support)
        return worst._replace(tokens=tuple(token for reading in readings for token in reading.tokens))

    def marked(self, reading: Reading) -> Gaps:
        """The words of an unsupported claim that are marked."""
        rule = self.calibration.in_records if reading.of_record else self.calibration.prose
        return mark(reading.tokens, rule, support=reading.support, contradiction=reading.contradiction)


def _proven(claim: Claim, proof: derive.Derivation, *, at_most: float) -> Verdict:
    """What arithmetic settles needs no model."""
    label = Label.SUPPORTED if proof.holds else Label.CONTRADICTED
    support = round(min(PROVEN, at_most), 4) if proof.holds else REFUTED
    return Verdict(claim=claim, label=label, support=support, evidence=proof.inputs,
                   gaps=proof.gaps, reason=proof.reason, origin=Origin(verifier="local:derive"))  # fmt: skip


class _LazyIndex:
    """A sample's index, built by whichever thread needs it first."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        self._lock = threading.Lock()
        self._index: Index | None = None

    def get(self) -> Index:
        with self._lock:
            if self._index is None:
                self._index = Index([context.text for context in self._sample.contexts])
            return self._index


def sigmoid(value: float) -> float:
    """The logistic function, safe at both ends."""
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


def load(name: str, argument: str) -> LocalVerifier:
    """`local`, or `local:FOLDER` for weights of your own made by `training`."""
    return LocalVerifier(folder=Path(argument) if argument else WEIGHTS)
