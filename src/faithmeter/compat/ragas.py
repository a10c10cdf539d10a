"""ragas's calls: `Faithfulness(llm=…)`, `single_turn_ascore`, `ascore`, `batch`, its HHEM variant and its cache."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict

from faithmeter.cache import wrap
from faithmeter.cache.embedding import Embedder, FunctionEmbedder
from faithmeter.cache.semantic import Semantic
from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.compat.clients import evaluator, judged
from faithmeter.datamodels import Sample
from faithmeter.evaluator import Evaluator
from faithmeter.results import Result
from faithmeter.runtime import sync
from faithmeter.scoring import PROFILES
from faithmeter.text.english.claim_facts import differences
from faithmeter.verify import Verifier, load_verifier

_ON = {"1", "on", "true", "yes"}
_OFF = {"", "0", "off", "false", "no"}


class SingleTurnSample(BaseModel):
    """One question, its answer and what was retrieved; other fields of ragas's are kept and not used."""

    model_config = ConfigDict(extra="allow")

    user_input: str | None = None
    """What was asked."""
    response: str
    """The answer."""
    retrieved_contexts: list[str]
    """The retrieved passages."""


class Score(float):
    """A number, as ragas's older calls give it, with the `value` and `reason` of its newer ones, and our `result`."""

    result: Result

    @classmethod
    def of(cls, result: Result) -> Score:
        """NaN where nothing is claimed, as ragas has it."""
        score = cls(float("nan") if result.score is None else result.score)
        score.result = result
        return score

    @property
    def value(self) -> float:
        """The number."""
        return float(self)

    @property
    def reason(self) -> str:
        """What is behind it, a line a claim."""
        return "\n".join(f"{verdict.word}: {verdict.claim.text}" for verdict in self.result.verdicts)


class SentenceEvaluatorSemanticCache:
    """Reuses the verdict of a statement that says the same of the very same contexts.

    Unlike ragas's, a hit must also pass a guard: numbers, dates, names, negation and the like must agree.
    `embedding_model` is an object with `embed_documents` or `embed_query` (LangChain's, ragas's), a function of a list
    of texts, the name of a sentence-transformers model, or None for the embedded table. Each cache has its own store.
    """

    def __init__(self, embedding_model: Any = None, similarity_threshold: float = 0.85) -> None:
        self.embedding_model = embedding_model
        self.similarity_threshold = similarity_threshold
        self.semantic = Semantic(threshold=similarity_threshold, embedder=_embedder(embedding_model))
        self.store = SQLiteStore(":memory:")
        self.cache: list[dict[str, Any]] = []
        """What `set` put in, in ragas's form; verdicts of `Faithfulness` are in `store`."""

    def get(self, current_sentence: str, primary_context_or_hash: str, secondary_context_or_hash: Any = None) -> Any:
        """What was set for a sentence that says the same, of these contexts; None if there is none."""
        keys = (primary_context_or_hash, secondary_context_or_hash)
        for entry in self.cache:
            known = entry["full_key"][0]
            if entry["full_key"][1:] == keys and (known == current_sentence or self._same(current_sentence, known)):
                return entry["value"]
        return None

    def set(
        self,
        sentence_to_cache: str,
        primary_context_or_hash: str,
        llm_output_for_sentence: Any,
        secondary_context_or_hash: Any = None,
    ) -> None:
        """Keep what was found about a sentence."""
        key = (sentence_to_cache, primary_context_or_hash, secondary_context_or_hash)
        self.cache.append({"full_key": key, "value": llm_output_for_sentence})

    def _same(self, sentence: str, known: str) -> bool:
        if differences(sentence, known):
            return False
        try:
            rows = sync.run(self.semantic.embedder.embed([sentence, known]))
        except Exception:  # a failing embedder is a miss
            return False
        return float(rows[0] @ rows[1]) >= self.similarity_threshold


class Faithfulness:
    """Two steps: the LLM breaks the answer into statements, then judges each.

    `llm` is ragas's own wrapper (`LangchainLLMWrapper(…)`, `llm_factory(…)`), a LangChain model, an SDK's client, or a
    spec such as `openai:MODEL`; its address, deployment and key are used. None: the embedded verifier.
    """

    name = "faithfulness"

    def __init__(
        self,
        llm: Any = None,
        *,
        name: str | None = None,
        sentence_cache: SentenceEvaluatorSemanticCache | None = None,
    ) -> None:
        self.llm = llm
        self.name = name or type(self).name
        self.sentence_cache = sentence_cache

    async def single_turn_ascore(self, sample: Any, callbacks: Any = None, timeout: Any = None) -> Score:  # noqa: ASYNC109
        """The score of ragas's sample, ours or a dict; NaN where nothing is claimed, as ragas has it."""
        return Score.of(await asyncio.wait_for(self.result(sample), timeout))

    def single_turn_score(self, sample: Any, callbacks: Any = None) -> Score:
        """The score, for sync code."""
        return sync.run(self.single_turn_ascore(sample))

    async def ascore(self, user_input: Any = None, response: Any = None, retrieved_contexts: Any = None) -> Score:
        """The score; its `value` is the number, its `reason` says why."""
        if response is None and retrieved_contexts is None:  # the older call, with a row
            return await self.single_turn_ascore(user_input)
        row = {"user_input": user_input, "response": response, "retrieved_contexts": retrieved_contexts}
        return await self.single_turn_ascore(row)

    def score(self, user_input: Any = None, response: Any = None, retrieved_contexts: Any = None) -> Score:
        """The score, for sync code."""
        return sync.run(self.ascore(user_input, response, retrieved_contexts))

    async def abatch(self, samples: Iterable[Any]) -> list[Score]:
        """The scores of ragas's `EvaluationDataset`, or of any samples."""
        return list(await asyncio.gather(*(self.single_turn_ascore(sample) for sample in samples)))

    def batch(self, samples: Iterable[Any]) -> list[Score]:
        """The scores, for sync code."""
        return sync.run(self.abatch(samples))

    abatch_score, batch_score = abatch, batch

    async def result(self, sample: Any) -> Result:
        """All that is behind the score: statements, verdicts, evidence, reasons."""
        return await judged(self._pipeline(), Sample.of(sample))

    def _pipeline(self) -> Evaluator:
        return self._cached(evaluator("local" if self.llm is None else self.llm, scoring=PROFILES["ragas"]))

    def _cached(self, plain: Evaluator) -> Evaluator:
        cache = self.sentence_cache or sentence_eval_cache()
        if cache:
            verifier = wrap(plain.verifier, cache=cache.store, semantic=cache.semantic)
        elif os.environ.get("FAITHMETER_SEMANTIC_CACHE", "").lower() not in _OFF:  # the global one
            verifier = wrap(plain.verifier, cache=True)
        else:
            return plain
        return Evaluator(verifier=verifier, extractor=plain.extractor, scoring=plain.scoring)


class FaithfulnesswithHHEM(Faithfulness):
    """The second step by Vectara's HHEM, loaded once; the first by the LLM if one is given, else by sentences."""

    name = "faithfulness_with_hhem"

    def __init__(
        self,
        llm: Any = None,
        *,
        device: str = "cpu",
        batch_size: int = 10,
        model: str = "",
        sentence_cache: SentenceEvaluatorSemanticCache | None = None,
    ) -> None:
        super().__init__(llm, sentence_cache=sentence_cache)
        self.device, self.batch_size = device, batch_size
        self._hhem = f"hhem:{model}?device={device}&batch_size={batch_size}"

    @functools.cached_property
    def _verifier(self) -> Verifier:
        return load_verifier(self._hhem)

    def _pipeline(self) -> Evaluator:
        extractor = "sentences" if self.llm is None else evaluator(self.llm).extractor
        return self._cached(Evaluator(verifier=self._verifier, extractor=extractor, scoring=PROFILES["ragas"]))


def sentence_eval_cache() -> SentenceEvaluatorSemanticCache | None:
    """The cache that the `RAGAS_SENTENCE_EVAL_*` variables describe; None unless they switch it on."""
    said = {name: os.environ.get(f"RAGAS_SENTENCE_EVAL_{name}", "") for name in _VARIABLES}
    if said["CACHE_ENABLED"].lower() not in _ON:
        return None
    return _global_cache(*said.values())


_VARIABLES = ("CACHE_ENABLED", "EMBEDDING_PROVIDER", "EMBEDDING_MODEL_NAME", "SIMILARITY_THRESHOLD")


@functools.cache
def _global_cache(enabled: str, provider: str, model: str, threshold: str) -> SentenceEvaluatorSemanticCache:
    embedder: str | None = None
    if provider.lower() == "openai":
        embedder = f"openai:{model or 'text-embedding-ada-002'}"
    elif provider or model:
        embedder = model or "sentence-transformers/all-MiniLM-L6-v2"
    return SentenceEvaluatorSemanticCache(embedder, float(threshold or 0.8))


def _embedder(model: Any) -> str | Embedder:
    """One of our embedders from what users of ragas have."""
    if model is None:
        return "static"
    if isinstance(model, str):
        return model if model == "static" or ":" in model else f"sentence-transformers:{model}"
    for method in ("embed_documents", "embed_texts"):
        if callable(embed := getattr(model, method, None)):
            return FunctionEmbedder(embed, name=_model_name(model))
    if callable(one := getattr(model, "embed_query", None)):
        return FunctionEmbedder(lambda texts: [one(text) for text in texts], name=_model_name(model))
    return model if isinstance(model, Embedder) else FunctionEmbedder(model)


def _model_name(model: Any) -> str:
    """Tells embedders apart by class and model; two without a model's name are never the same."""
    kind = f"{type(model).__module__}.{type(model).__qualname__}"
    names = (getattr(model, name, None) for name in ("model", "model_name", "model_id", "deployment"))
    name = next((name for name in names if isinstance(name, str) and name), None)
    return f"{kind}:{name}" if name else f"{kind}@{id(model):x}"
