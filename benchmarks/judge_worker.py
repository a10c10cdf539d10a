"""One system, one run: judges the samples of a file against an endpoint and prints its figures as JSON.

Run by `judge.py`, with each system's own Python. Nothing is imported at the top that only one of them has.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import resource
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

warnings.filterwarnings("ignore")
os.environ.update(RAGAS_DO_NOT_TRACK="true", DEEPEVAL_TELEMETRY_OPT_OUT="YES", OPENAI_API_KEY="none")


def faithmeter(rows: Iterable[dict[str, Any]], url: str, concurrency: int, timeout: float) -> list[float | None]:
    from faithmeter.datamodels import Sample
    from faithmeter.evaluator import Evaluator
    from faithmeter.judge.extract import LLMExtractor
    from faithmeter.judge.verify import Judge

    options: dict[str, Any] = {"concurrency": concurrency, "timeout": timeout}
    spec = f"openai:stub@{url}"
    evaluator = Evaluator(verifier=Judge(spec, **options), extractor=LLMExtractor(spec, **options))

    async def run() -> list[float | None]:
        samples = (
            Sample(id=row["id"], question=row["question"], answer=row["answer"], contexts=row["contexts"])
            for row in rows
        )
        scores = []
        async for result in evaluator.stream(samples, concurrency=concurrency):
            scores.append(result.score if result.status == "ok" else None)
        return scores

    return asyncio.run(run())


def ragas(rows: Iterable[dict[str, Any]], url: str, concurrency: int, timeout: float) -> list[float | None]:
    from langchain_openai import ChatOpenAI
    from ragas import EvaluationDataset, RunConfig, SingleTurnSample, evaluate
    from ragas.llms import LangchainLLMWrapper
    from ragas.metrics import Faithfulness

    llm = LangchainLLMWrapper(ChatOpenAI(model="stub", base_url=url, api_key="none", timeout=timeout))
    samples = [
        SingleTurnSample(user_input=row["question"], response=row["answer"], retrieved_contexts=row["contexts"])
        for row in rows
    ]
    result = evaluate(
        EvaluationDataset(samples=samples),
        metrics=[Faithfulness(llm=llm)],
        run_config=RunConfig(max_workers=concurrency, timeout=180),
        show_progress=False,
        raise_exceptions=False,
    )
    return [None if score != score else float(score) for score in result["faithfulness"]]


def deepeval(rows: Iterable[dict[str, Any]], url: str, concurrency: int, timeout: float) -> list[float | None]:
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import FaithfulnessMetric
    from deepeval.models import GPTModel
    from deepeval.test_case import LLMTestCase

    os.environ["DEEPEVAL_PER_ATTEMPT_TIMEOUT_SECONDS_OVERRIDE"] = str(6 * timeout)  # it is slow by itself
    model = GPTModel(model="gpt-4o-mini", base_url=url, api_key="none")
    rows = list(rows)
    cases = [
        LLMTestCase(
            input=row["question"], actual_output=row["answer"], retrieval_context=row["contexts"], name=row["id"]
        )
        for row in rows
    ]
    result = evaluate(
        cases,
        [FaithfulnessMetric(model=model)],
        async_config=AsyncConfig(run_async=True, max_concurrent=concurrency),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(ignore_errors=True),
        cache_config=CacheConfig(write_cache=False, use_cache=False),
    )
    found: dict[str, float | None] = {}
    for case in result.test_results:
        score = case.metrics_data[0].score if case.metrics_data else None
        found[case.name] = None if score is None else float(score)
    return [found.get(row["id"]) for row in rows]


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The samples one by one, so that a system that streams need not hold them all."""
    with path.open() as file:
        yield from map(json.loads, file)


SYSTEMS = {"faithmeter": faithmeter, "ragas": ragas, "deepeval": deepeval}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("system", choices=list(SYSTEMS))
    parser.add_argument("samples", type=Path)
    parser.add_argument("url")
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--timeout", type=float, default=5.0)
    given = parser.parse_args()
    run = SYSTEMS[given.system]
    few = list(itertools.islice(read(given.samples), 2))
    run(few, given.url, 2, given.timeout)  # imports and first connections are not what is measured
    cpu, wall = _cpu(), time.perf_counter()
    scores = run(read(given.samples), given.url, given.concurrency, given.timeout)
    figures = {
        "wall": time.perf_counter() - wall,
        "cpu": _cpu() - cpu,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "right": sum(
            score is not None and abs(score - row["expected"]) < 1e-6
            for score, row in zip(scores, read(given.samples), strict=True)
        ),
        "failed": sum(score is None for score in scores),
    }
    print(json.dumps(figures))


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
