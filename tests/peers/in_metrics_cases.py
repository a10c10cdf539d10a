"""Our metric inside ragas, DeepEval and LangChain's evaluators."""

from __future__ import annotations

import math
from typing import Any

from support.peer_samples import GOOD, HALF, QUESTION, TOWER, Broken

from faithmeter.compat import Unjudged


def case_ragas_metric() -> str:
    """ragas (ragas): our metric in its `evaluate(EvaluationDataset, metrics=[Faithfulness()])`, and `score(…)`"""
    from ragas import evaluate
    from ragas.dataset_schema import EvaluationDataset

    from faithmeter.integrations.ragas import Faithfulness

    rows = [{"user_input": QUESTION, "response": answer, "retrieved_contexts": [TOWER]} for answer in (GOOD, HALF)]
    dataset = EvaluationDataset.from_list(rows)
    found = evaluate(dataset, metrics=[Faithfulness(verifier="lexical")], show_progress=False)
    assert found["faithfulness"] == [1.0, 0.5]
    value = Faithfulness(verifier="lexical").score(**rows[1])
    assert value.value == 0.5
    assert "Quokkas" in value.reason
    broken = Faithfulness(verifier=Broken())
    assert all(map(math.isnan, evaluate(dataset, metrics=[broken], show_progress=False)["faithfulness"]))
    raised = False
    try:
        evaluate(dataset, metrics=[broken], show_progress=False, raise_exceptions=True)
    except Unjudged:
        raised = True
    assert raised
    return "[1.0, 0.5]; not judged: ragas's NaN, or an error with `raise_exceptions=True`"


def case_deepeval_metric() -> str:
    """DeepEval (deepeval): our metric in its `evaluate([LLMTestCase], [Faithfulness(threshold=0.9)])`"""
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.test_case import LLMTestCase

    from faithmeter.integrations.deepeval import Faithfulness

    cases = [LLMTestCase(input=QUESTION, actual_output=text, retrieval_context=[TOWER]) for text in (GOOD, HALF)]

    def run(metric: Any, *, run_async: bool) -> list[Any]:
        found = evaluate(
            cases,
            [metric],
            async_config=AsyncConfig(run_async=run_async),
            display_config=DisplayConfig(show_indicator=False, print_results=False),
            cache_config=CacheConfig(write_cache=False),
            error_config=ErrorConfig(ignore_errors=True),
        )
        return [result.metrics_data[0] for result in sorted(found.test_results, key=lambda result: result.index)]

    for run_async in (True, False):
        found = run(Faithfulness(0.9, model="lexical"), run_async=run_async)
        assert [(data.score, data.success) for data in found] == [(1.0, True), (0.5, False)]
        assert all("lexical" in data.evaluation_model for data in found)
        assert "Quokkas" in found[1].reason
        failed = run(Faithfulness(0.9, model=Broken()), run_async=run_async)
        assert [(data.score, data.success) for data in failed] == [(None, False)] * 2
        assert "out of order" in failed[0].error
    return "1.0 passes, 0.5 fails; not judged: an error, no score"


async def case_langchain_evaluator() -> str:
    """LangChain (langchain-classic): `Faithfulness().evaluate_strings(prediction=, input=, reference=)`, and async"""
    from faithmeter.integrations.langchain_classic import Faithfulness

    metric = Faithfulness(verifier="lexical")
    found = metric.evaluate_strings(prediction=HALF, input=QUESTION, reference=TOWER)
    assert (found["score"], found["value"]) == (0.5, "N")
    assert "Quokkas" in found["reasoning"]
    found = await metric.aevaluate_strings(prediction=GOOD, contexts=[TOWER])
    assert (found["score"], found["value"]) == (1.0, "Y")
    raised = False
    try:
        Faithfulness(verifier=Broken()).evaluate_strings(prediction=GOOD, reference=TOWER)
    except Unjudged:
        raised = True
    assert raised
    return "0.5, N, with the reasoning; not judged: an error"
