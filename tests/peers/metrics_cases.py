"""The systems that compat has the calls of: their own objects go in, against a real local LLM endpoint."""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path
from typing import Any

from support.llm_server import LLMServer

from faithmeter import Label
from faithmeter.compat import rag_evals, ragaliq, ragas

EXERCISE = ["Regular exercise improves cardiovascular health.", "Strength training increases muscle mass."]
ROW = {"user_input": "?", "response": f"{EXERCISE[0]} Cats sleep a lot.", "retrieved_contexts": EXERCISE}
KEY = "sk-of-the-wrapped-client"


async def case_ragas_langchain_wrapper() -> str:
    """ragas (ragas): `Faithfulness(llm=LangchainLLMWrapper(ChatOpenAI(…)))`, its `SingleTurnSample`"""
    from langchain_openai import ChatOpenAI
    from ragas.dataset_schema import SingleTurnSample
    from ragas.llms import LangchainLLMWrapper

    with LLMServer() as server:
        llm = LangchainLLMWrapper(ChatOpenAI(base_url=server.url, model="stub", api_key=KEY))
        score = await ragas.Faithfulness(llm=llm).single_turn_ascore(SingleTurnSample(**ROW))
        assert {headers["authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
        assert {asked.body["model"] for asked in server.requests} == {"stub"}
    assert score == 0.5
    return f"{score}, asked at the wrapped client's address with its key"


async def case_ragas_llm_factory() -> str:
    """ragas (ragas): `Faithfulness(llm=llm_factory(…, client=AsyncOpenAI(…)))`, `ascore(user_input=, …)`, `.value`"""
    from openai import AsyncOpenAI
    from ragas.llms import llm_factory

    with LLMServer() as server:
        llm = llm_factory("stub", client=AsyncOpenAI(base_url=server.url, api_key=KEY))
        score = await ragas.Faithfulness(llm=llm).ascore(**ROW)
        assert {headers["authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    assert (score, score.value) == (0.5, 0.5)
    return f"{score.value}"


def case_ragas_dataset() -> str:
    """ragas (ragas): its `EvaluationDataset` to `batch` and to `evaluate`"""
    from ragas.dataset_schema import EvaluationDataset

    from faithmeter import evaluate

    dataset = EvaluationDataset.from_list([ROW, ROW | {"response": EXERCISE[1]}])
    assert ragas.Faithfulness(llm="lexical").batch(dataset) == [0.5, 1.0]
    assert evaluate(dataset, verifier="lexical").mean == 0.75
    return "[0.5, 1.0], mean 0.75"


async def case_ragas_cache_with_langchain_embeddings() -> str:
    """ragas (ragas): `SentenceEvaluatorSemanticCache(embedding_model=)` with LangChain's embeddings"""
    from langchain_core.embeddings import DeterministicFakeEmbedding

    cache = ragas.SentenceEvaluatorSemanticCache(DeterministicFakeEmbedding(size=8), 0.9)
    other = ragas.SentenceEvaluatorSemanticCache(DeterministicFakeEmbedding(size=8), 0.9)
    with LLMServer() as server:
        scorer = ragas.Faithfulness(llm=f"openai:stub@{server.url}", sentence_cache=cache)
        sample = {"response": EXERCISE[0], "retrieved_contexts": EXERCISE}
        first, again = [await scorer.result(sample) for _ in range(2)]
        apart = await ragas.Faithfulness(llm=f"openai:stub@{server.url}", sentence_cache=other).result(sample)
    caches = [result.verdicts[0].origin.cache for result in (first, again, apart)]
    assert caches == [None, "exact", None], caches
    cache.set("Cats sleep.", "h", 1)
    assert (cache.get("Cats sleep.", "h"), cache.get("Cats sleep.", "other")) == (1, None)
    return "the second call is a hit; another cache knows nothing"


def case_rag_evals_instructor() -> str:
    """rag_evals (instructor): `Faithfulness.grade(…, client=instructor.from_openai(OpenAI(…), model=…))`"""
    import instructor
    from openai import OpenAI

    with LLMServer() as server:
        client = instructor.from_openai(OpenAI(base_url=server.url, api_key=KEY), model="stub")
        own = rag_evals.ContextEvaluation(prompt='Judge {this} and [that], {"as": ["JSON"]}, {{twice}}.')
        graded = own.grade(question="?", answer=EXERCISE[0], context=EXERCISE, client=client)
        assert 'Judge {this} and [that], {"as": ["JSON"]}, {{twice}}.' in server.requests[0].system
    assert graded.score == 1.0
    return "1.0; a prompt with braces and brackets arrives as it is"


def _ragaliq() -> tuple[Any, Any]:
    """RagaliQ's own modules; its package as a whole can only be imported by Python 3.14."""
    root = Path(next(path for path in sys.path if (Path(path) / "ragaliq").is_dir())) / "ragaliq"
    for name in ("ragaliq", "ragaliq.core", "ragaliq.judges"):
        package = types.ModuleType(name)
        package.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package
    return importlib.import_module("ragaliq.core.test_case"), importlib.import_module("ragaliq.judges.base")


async def case_ragaliq_judge() -> str:
    """RagaliQ (ragaliq): its `RAGTestCase` and a judge that gives its `ClaimsResult` and `ClaimVerdict`"""
    cases, base = _ragaliq()

    class Judge:
        async def extract_claims(self, response: str) -> Any:
            return base.ClaimsResult(claims=["a", "b"], tokens_used=10)

        async def verify_claim(self, claim: str, context: list[str]) -> Any:
            return base.ClaimVerdict(verdict="SUPPORTED" if claim == "a" else "CONTRADICTED", evidence="in France")

    case = cases.RAGTestCase(id="1", name="n", query="Where?", context=["Paris is in France."], response="In France.")
    metric = ragaliq.FaithfulnessEvaluator()
    result = await metric.evaluate(case, Judge())
    assert (result.score, result.passed, result.tokens_used) == (0.5, False, 10)
    assert [claim["quote"] for claim in result.raw_response["claims"]] == ["in France", "in France"]
    assert repr(metric) == "FaithfulnessEvaluator(threshold=0.7)"
    return "0.5, with the quote that was found in the context"


def case_deepeval_assert_test() -> str:
    """DeepEval (deepeval): `FaithfulnessMetric(threshold=, model=, include_reason=)` in `assert_test`, `LLMTestCase`"""
    from deepeval import assert_test
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase

    from faithmeter.compat.deepeval import FaithfulnessMetric

    case = LLMTestCase(input="?", actual_output=EXERCISE[0], retrieval_context=EXERCISE)
    metric = FaithfulnessMetric(threshold=0.7, model="lexical", include_reason=True)
    assert isinstance(metric, BaseMetric)
    assert (metric.measure(case), metric.is_successful()) == (1.0, True)
    assert metric.reason
    assert_test(case, [metric], run_async=False)
    strict = FaithfulnessMetric(model="lexical", scoring="plain", threshold=0.9)
    wrong = LLMTestCase(input="?", actual_output="Cats sleep a lot.", retrieval_context=EXERCISE)
    assert (strict.measure(wrong), strict.is_successful()) == (0.0, False)
    failed = False
    try:
        assert_test(wrong, [strict], run_async=False)
    except AssertionError:
        failed = True
    assert failed
    assert strict.result.verdicts[0].label is Label.NOT_ENOUGH_INFO
    return "passes at 1.0, fails at 0.0"
