"""Public classifiers through transformers (extra `[hf]`): HHEM, MiniCheck, and any NLI cross-encoder.

Three small scorers know the models' formats; one verifier does the rest: windows over long contexts, the best
window's probability, evidence. Weights come from a folder or from the hub's cache; no remote code is run.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pydantic import Field, ValidationError

from faithmeter.datamodels import Evidence, Label, Model, Origin, Outcome, Pair, Verdict
from faithmeter.errors import MissingExtra, UsageError, first_problem
from faithmeter.evidence.passages import Index, Passage, terms
from faithmeter.runtime.specs import read_spec

if TYPE_CHECKING:
    import torch

HHEM = "vectara/hallucination_evaluation_model"
# The prompt that HHEM-2.1-Open was trained with, from its configuration.
HHEM_PROMPT = (
    "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {premise}\n\nHypothesis: {hypothesis}"
)
# MiniCheck-Flan-T5 answers with one token: id 3 for "not supported", 209 for "supported" (its model card's code).
MINICHECK_TOKENS = (3, 209)


class Options(Model):
    """What a spec can set: `hhem?device=cuda&batch_size=32`."""

    device: str = "cpu"
    """Where torch runs: `cpu`, `cuda`, `cuda:1`, `mps`."""
    batch_size: int = Field(default=10, ge=1)
    """Windows a forward pass; 10 is ragas's default for HHEM."""
    threshold: float = Field(default=0.5, ge=0, le=1)
    """The probability from which a claim counts as supported."""
    window: int | None = Field(default=None, ge=32)
    """The model's tokens for premise and claim together; None: as much as the model was made for."""


class Probability(NamedTuple):
    """What a classifier says about one window and a claim."""

    supported: float
    contradicted: float | None = None


class Scorer(Protocol):
    """A model's format: how a premise and a hypothesis become probabilities."""

    window: int

    def length(self, text: str) -> int:
        """The number of the model's tokens in a text."""
        ...

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[Probability]:
        """Judge (premise, hypothesis) pairs, one batch."""
        ...


class ClassifierVerifier:
    """Judges each claim on windows of the contexts; the window that supports it most decides.

    It stays in one process: torch uses every core by itself, and the weights are large.
    """

    def __init__(self, name: str, scorer: Scorer, *, fingerprint: str, options: Options | None = None) -> None:
        self.name = name
        self.scorer = scorer
        self.options = options or Options()
        self._fingerprint = fingerprint
        self._lock = threading.Lock()  # torch modules may be shared by threads, but batches then fight for the cores

    @property
    def signature(self) -> str:
        return f"{self.name}.1,{self._fingerprint},window={self._window},threshold={self.options.threshold:g}"

    @property
    def languages(self) -> Collection[str] | None:
        """What the model was trained on, where that is known; None: it is not, as with any NLI model."""
        languages: Collection[str] | None = getattr(self.scorer, "languages", None)
        return languages

    @property
    def _window(self) -> int:
        return self.options.window or self.scorer.window

    def reads(self, pair: Pair) -> Sequence[str]:
        """Nothing but the claim and the contexts."""
        return ()

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """Inference runs in a thread, so that the event loop stays free."""
        return await asyncio.to_thread(self._verify, pairs)

    def _verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        indexes = {id(pair.sample): Index([context.text for context in pair.sample.contexts]) for pair in pairs}
        jobs = [
            (index, window)
            for index, pair in enumerate(pairs)
            for window in self._windows(pair.claim.text, indexes[id(pair.sample)])
        ]
        scored: dict[int, list[tuple[Probability, list[Passage]]]] = {index: [] for index in range(len(pairs))}
        texts = [("\n".join(item.text for item in window), pairs[index].claim.text) for index, window in jobs]
        for (index, window), probability in zip(jobs, self._scores(texts), strict=True):
            scored[index].append((probability, window))
        return [self._verdict(pair, scored[index]) for index, pair in enumerate(pairs)]

    def _scores(self, texts: Sequence[tuple[str, str]]) -> list[Probability]:
        """Length-sorted batches pad little; the order is put back afterwards."""
        order = sorted(range(len(texts)), key=lambda job: len(texts[job][0]))
        scores: dict[int, Probability] = {}
        with self._lock:
            for start in range(0, len(order), self.options.batch_size):
                batch = order[start : start + self.options.batch_size]
                scores.update(zip(batch, self.scorer.score([texts[job] for job in batch]), strict=True))
        return [scores[job] for job in range(len(texts))]

    def _windows(self, claim: str, index: Index) -> Iterator[list[Passage]]:
        """Cut the contexts into runs of passages that fit beside the claim, each sharing its last with the next."""
        room = max(16, self._window - self.scorer.length(claim) - 40)  # 40: the prompt's own words
        window: list[Passage] = []
        lengths: list[int] = []
        for passage in index.passages:
            length = self.scorer.length(passage.text)
            if window and sum(lengths) + length > room:
                yield window
                keep = len(window) > 1 and lengths[-1] + length <= room
                window, lengths = (window[-1:], lengths[-1:]) if keep else ([], [])
            window.append(passage)
            lengths.append(length)
        if window:
            yield window

    def _verdict(self, pair: Pair, scored: Sequence[tuple[Probability, list[Passage]]]) -> Verdict:
        if not scored:
            return self._labelled(pair, Label.NOT_ENOUGH_INFO, 0.0, [])
        best, window = max(scored, key=lambda item: item[0].supported)
        label = Label.SUPPORTED if best.supported >= self.options.threshold else Label.NOT_ENOUGH_INFO
        if label is not Label.SUPPORTED:
            against, where = max(scored, key=lambda item: item[0].contradicted or 0.0)
            if (against.contradicted or 0.0) > 0.5:
                label, window = Label.CONTRADICTED, where
        return self._labelled(pair, label, best.supported, window)

    def _labelled(self, pair: Pair, label: Label, support: float, window: Sequence[Passage]) -> Verdict:
        evidence = _nearest(pair, window) if window else ()
        origin = Origin(verifier=self.name)
        return Verdict(claim=pair.claim, label=label, support=support, evidence=evidence, origin=origin)


def _nearest(pair: Pair, window: Sequence[Passage]) -> tuple[Evidence, ...]:
    """The sentences of the deciding window that share most words with the claim, two at most."""
    wanted = set(terms(pair.claim.text))
    shared = {item.number: len(wanted & set(terms(item.text))) for item in window}
    ranked = sorted(window, key=lambda item: -shared[item.number])
    best = [ranked[0], *(item for item in ranked[1:2] if shared[item.number])]
    contexts = pair.sample.contexts
    return tuple(Evidence.of(contexts, item.context, item.start, item.end) for item in sorted(best))


# --- the models' formats ----------------------------------------------------------------------------


class _Tokenized:
    _tokenizer: Any

    def length(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False))


class HhemScorer(_Tokenized):
    """HHEM-2.1-Open: a T5 encoder whose first token says "consistent"."""

    languages = ("en",)
    window = 512  # what it was trained on; T5's relative positions take longer inputs, less surely

    def __init__(self, path: str, *, device: str) -> None:
        from transformers import AutoConfig, AutoTokenizer, T5ForTokenClassification

        config = json.loads(Path(_file(path, "config.json")).read_text("utf-8"))
        foundation = config.get("foundation", "google/flan-t5-base")
        self._tokenizer = AutoTokenizer.from_pretrained(foundation)
        shape = AutoConfig.from_pretrained(foundation)
        shape.num_labels = 2
        model = T5ForTokenClassification(shape)
        weights = _state(path)
        model.load_state_dict({name.removeprefix("t5."): value for name, value in weights.items()})
        self._model, self._device = model.eval().to(device), device

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[Probability]:
        import torch

        texts = [HHEM_PROMPT.format(premise=premise, hypothesis=hypothesis) for premise, hypothesis in pairs]
        batch = self._tokenizer(texts, return_tensors="pt", padding=True).to(self._device)
        with torch.inference_mode():
            logits = self._model(**batch).logits[:, 0, :]
        return [Probability(value) for value in logits.softmax(-1)[:, 1].tolist()]


class MiniCheckScorer(_Tokenized):
    """MiniCheck-Flan-T5: a sequence-to-sequence model asked for one token."""

    languages = ("en",)
    window = 2048

    def __init__(self, path: str, *, device: str) -> None:
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(path)
        self._model = AutoModelForSeq2SeqLM.from_pretrained(path).eval().to(device)
        self._device = device

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[Probability]:
        import torch

        end = self._tokenizer.eos_token
        texts = [f"predict: {premise}{end}{hypothesis}" for premise, hypothesis in pairs]
        batch = self._tokenizer(texts, return_tensors="pt", padding=True).to(self._device)
        start = torch.zeros((len(pairs), 1), dtype=torch.long, device=self._device)
        with torch.inference_mode():
            logits = self._model(**batch, decoder_input_ids=start).logits[:, 0, list(MINICHECK_TOKENS)]
        return [Probability(value) for value in logits.softmax(-1)[:, 1].tolist()]


class NliScorer(_Tokenized):
    """Any two- or three-way sequence classifier; the labels' names come from its configuration."""

    def __init__(self, path: str, *, device: str) -> None:
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(path)
        self._model = AutoModelForSequenceClassification.from_pretrained(path).eval().to(device)
        self._device = device
        self._supported, self._contradicted = _label_columns(self._model.config.id2label, path)
        limits = (self._tokenizer.model_max_length, getattr(self._model.config, "max_position_embeddings", 512) - 2)
        self.window = max(32, min(limits))

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[Probability]:
        import torch

        premises, hypotheses = zip(*pairs, strict=True)
        # A single sentence longer than the model's room is cut on the premise's side, never the claim's.
        batch = self._tokenizer(
            list(premises),
            list(hypotheses),
            return_tensors="pt",
            padding=True,
            truncation="only_first",
            max_length=self.window,
        ).to(self._device)
        with torch.inference_mode():
            rows = self._model(**batch).logits.softmax(-1).tolist()
        against = self._contradicted
        return [Probability(row[self._supported], None if against is None else row[against]) for row in rows]


def _label_columns(names: dict[int, str], path: str) -> tuple[int, int | None]:
    """Which of a classifier's outputs mean supported, and contradicted if it is three-way."""
    lower = {name.lower().replace("-", "_"): column for column, name in names.items()}
    yes = ("entailment", "entailed", "supported", "consistent", "factual", "faithful")
    no = ("contradiction", "contradicted", "contradictory", "refuted", "refutes")
    supported = next((lower[name] for name in yes if name in lower), None)
    if supported is None and list(lower) == ["label_0", "label_1"]:
        supported = 1  # two nameless classes: transformers' and MiniCheck's habit is 1 for true
    if supported is None:
        known = ", ".join(names.values())
        raise UsageError(f"{path}: cannot tell which label means supported; its config names {known}")
    return supported, next((lower[name] for name in no if name in lower), None)


def _file(path: str, name: str) -> str:
    """A file of a model, from its folder or from the hub and its cache."""
    from transformers.utils import cached_file

    cached = cached_file(path, name)
    if cached is None:
        raise UsageError(f"{path}: has no {name}")
    return str(cached)


def _state(path: str) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    weights: dict[str, torch.Tensor] = load_file(_file(path, "model.safetensors"))
    return weights


def _scorer(kind: str, path: str, device: str) -> Scorer:
    from transformers import AutoConfig

    if kind == "hhem":
        return HhemScorer(path, device=device)
    # MiniCheck's RoBERTa and DeBERTa variants are plain two-class classifiers.
    if kind == "minicheck" and AutoConfig.from_pretrained(path).is_encoder_decoder:
        return MiniCheckScorer(path, device=device)
    return NliScorer(path, device=device)


def load(kind: str, argument: str) -> ClassifierVerifier:
    """`hhem`, `hhem:PATH?device=cuda&batch_size=32`, `minicheck:PATH_OR_HUB_ID` or `nli:PATH_OR_HUB_ID`."""
    _, path, given, _ = read_spec(f"{kind}:{argument}")
    path = path or (HHEM if kind == "hhem" else "")
    if not path:
        raise UsageError(f"{kind} needs a folder or a hub id: {kind}:PATH_OR_HUB_ID")
    try:
        options = Options.model_validate(dict(given))
    except ValidationError as error:
        raise UsageError(f"{kind}: {first_problem(error)}") from None
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError:
        raise MissingExtra(f"the verifier {kind!r}", "hf") from None
    try:
        scorer = _scorer(kind, path, options.device)
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        line = str(error).strip().splitlines()[0]
        raise UsageError(f"{kind}: cannot load the model {path!r}: {line}") from error
    return ClassifierVerifier(kind, scorer, fingerprint=_fingerprint(path), options=options)


def _fingerprint(path: str) -> str:
    """Tells two models apart: a hash of a local folder's configuration and weights' size, or the hub's commit."""
    import hashlib

    config = Path(_file(path, "config.json"))
    digest = hashlib.sha256(config.read_bytes())
    for file in sorted(config.parent.glob("*.safetensors")):
        digest.update(f"{file.name} {file.stat().st_size}".encode())
        with file.open("rb") as opened:
            digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()[:12]
