"""The calls that users of other systems know, as wrappers of the one pipeline."""

from typing import Any

from faithmeter.compat import rag_evals, ragas
from faithmeter.compat.clients import Unjudged
from faithmeter.compat.continuous_eval import DeterministicFaithfulness
from faithmeter.compat.rag_evals import ContextEvaluation, FaithfulnessResult, StatementEvaluation
from faithmeter.compat.ragaliq import ClaimsResult, ClaimVerdict, EvaluationResult, FaithfulnessEvaluator, RAGTestCase
from faithmeter.compat.ragas import FaithfulnesswithHHEM, SentenceEvaluatorSemanticCache, SingleTurnSample

__all__ = [
    "ClaimVerdict",
    "ClaimsResult",
    "ContextEvaluation",
    "DeterministicFaithfulness",
    "EvaluationResult",
    "Faithfulness",
    "FaithfulnessEvaluator",
    "FaithfulnessResult",
    "FaithfulnesswithHHEM",
    "RAGTestCase",
    "SentenceEvaluatorSemanticCache",
    "SingleTurnSample",
    "StatementEvaluation",
    "Unjudged",
]


class Faithfulness(ragas.Faithfulness):
    """Two systems have this name: ragas makes an object of it, rag_evals calls `Faithfulness.grade`."""

    prompt = rag_evals.Faithfulness.prompt

    @staticmethod
    def grade(question: str, answer: str, context: list[str], client: Any) -> Any:
        """rag_evals's call."""
        return rag_evals.Faithfulness.grade(question=question, answer=answer, context=context, client=client)

    @staticmethod
    async def agrade(question: str, answer: str, context: list[str], client: Any) -> Any:
        """rag_evals's call, for async code."""
        return await rag_evals.Faithfulness.agrade(question=question, answer=answer, context=context, client=client)
