"""The smaller promises of compat: ragas's cache and its variables, HHEM's weights, RagaliQ's frozen models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from support.llm_server import LLMServer
from support.tiny_models import hhem_folder

from faithmeter import UsageError
from faithmeter.compat import (
    ClaimsResult,
    ClaimVerdict,
    FaithfulnessEvaluator,
    FaithfulnesswithHHEM,
    RAGTestCase,
    rag_evals,
    ragas,
)

EXERCISE = ["Regular exercise improves cardiovascular health.", "Strength training increases muscle mass."]
SAMPLE = {"response": EXERCISE[0], "retrieved_contexts": EXERCISE}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with LLMServer() as running:
        yield running


class Queries:
    """Embeddings that know single texts only, as some of LangChain's do."""

    def embed_query(self, text: str) -> list[float]:
        return [float(len(text)), 1.0]


@pytest.mark.parametrize("model", [Queries(), lambda texts: [[float(len(text)), 1.0] for text in texts]])
def test_a_cache_takes_single_queries_and_functions(model: Any) -> None:
    cache = ragas.SentenceEvaluatorSemanticCache(model, 0.99)
    cache.set(EXERCISE[0], "h", {"verdict": 1})
    assert cache.get("Regular exercise improves the cardiovascular health.", "h") == {"verdict": 1}
    assert cache.get("Regular exercise improves the cardiovascular health.", "another") is None
    assert (cache.embedding_model, cache.similarity_threshold) == (model, 0.99)


def test_a_failing_embedder_is_a_miss() -> None:
    def fails(texts: list[str]) -> list[list[float]]:
        raise RuntimeError("no model")

    cache = ragas.SentenceEvaluatorSemanticCache(fails, 0.5)
    cache.set(EXERCISE[0], "h", 1)
    assert cache.get("Regular exercise improves the cardiovascular health.", "h") is None
    assert cache.get(EXERCISE[0], "h") == 1  # the very same words need no embedder


@pytest.mark.parametrize(
    ("said", "second"), [("true", "exact"), ("1", "exact"), ("off", None), ("false", None), ("", None)]
)
async def test_the_variables_of_ragas_switch_the_cache(
    said: str, second: str | None, server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGAS_SENTENCE_EVAL_CACHE_ENABLED", said)
    monkeypatch.setenv("RAGAS_SENTENCE_EVAL_SIMILARITY_THRESHOLD", "0.9")
    found = [await ragas.Faithfulness(llm=f"openai:stub@{server.url}").result(SAMPLE) for _ in range(2)]
    assert found[1].verdicts[0].origin.cache == second


async def test_hhem_loads_its_weights_once_and_uses_the_cache(tmp_path: Path) -> None:
    folder, _ = hhem_folder(tmp_path)
    cache = ragas.SentenceEvaluatorSemanticCache()
    scorer = FaithfulnesswithHHEM(model=str(folder), sentence_cache=cache)
    first = await scorer.result(SAMPLE)
    loaded = scorer._verifier
    again = await scorer.result(SAMPLE)
    assert scorer._verifier is loaded
    assert [result.verdicts[0].origin.cache for result in (first, again)] == [None, "exact"]


def test_response_models_may_have_more_fields() -> None:
    class Statement(rag_evals.StatementEvaluation):
        reviewed: bool = False

    class Mine(BaseModel):
        statements: list[Statement]
        note: str = "mine"

    asked: dict[str, Any] = {"question": "?", "answer": EXERCISE[0], "context": EXERCISE, "client": "lexical"}
    graded = rag_evals.ContextEvaluation(response_model=Mine).grade(**asked)
    assert (graded.note, graded.statements[0].reviewed, graded.statements[0].is_supported) == ("mine", False, True)

    class Demanding(Mine):
        reviewer: str

    with pytest.raises(UsageError, match=r"Demanding .*reviewer.*default"):
        rag_evals.ContextEvaluation(response_model=Demanding).grade(**asked)


def test_ragaliqs_results_are_frozen() -> None:
    for model, field in ((ClaimsResult(claims=["a"]), "claims"), (ClaimVerdict(verdict="SUPPORTED"), "verdict")):
        with pytest.raises(ValidationError, match="frozen"):
            setattr(model, field, "other")


async def test_partial_support_counts_in_part_where_asked() -> None:
    class Judge:
        async def extract_claims(self, response: str) -> ClaimsResult:
            return ClaimsResult(claims=["a", "b"])

        async def verify_claim(self, claim: str, context: list[str]) -> ClaimVerdict:
            verdict = "SUPPORTED" if claim == "a" else "PARTIALLY_SUPPORTED"
            return ClaimVerdict.model_validate({"verdict": verdict})

    case = RAGTestCase(query="?", context=["c"], response="a. b.")
    plain = await FaithfulnessEvaluator().evaluate(case, Judge())
    weighted = await FaithfulnessEvaluator(scoring="weighted").evaluate(case, Judge())
    assert plain.score == 0.5
    assert plain.score < weighted.score < 1.0
    assert FaithfulnessEvaluator(threshold=0.5).is_passing(plain.score)
