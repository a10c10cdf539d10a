"""A component for Haystack: in a pipeline after an `AnswerBuilder`, or as its `FaithfulnessEvaluator` is called."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from haystack import GeneratedAnswer, component

from faithmeter.datamodels import Sample
from faithmeter.errors import FaithmeterError
from faithmeter.integrations.metric import Metric


@component
class FaithfulnessEvaluator:
    """Scores answers; what could not be judged has the score None and the status `error`, and is in no mean.

    Takes `answers` (of an `AnswerBuilder`), or `questions`, `contexts` and `predicted_answers` as Haystack's own does.
    """

    def __init__(self, verifier: Any = "local", extractor: Any = "sentences", scoring: Any = "plain") -> None:
        self.verifier, self.extractor, self.scoring = verifier, extractor, scoring
        self._metric = Metric(verifier, extractor, scoring)

    @component.output_types(score=float | None, individual_scores=list[float | None], results=list[dict[str, Any]])
    def run(
        self,
        answers: list[GeneratedAnswer] | None = None,
        questions: list[str] | None = None,
        contexts: list[list[str]] | None = None,
        predicted_answers: list[str] | None = None,
    ) -> dict[str, Any]:
        """Judge each answer; `score` is the mean of those that have one."""
        rows: list[Any] = list(answers or ())
        if predicted_answers is not None:
            asked: list[Any] = questions or [None] * len(predicted_answers)
            for question, passages, answer in zip(asked, contexts or [], predicted_answers, strict=True):
                rows.append({"question": question, "contexts": passages, "answer": answer})
        results = [self._result(row) for row in rows]
        scores = [result["score"] for result in results]
        known = [score for score in scores if score is not None]
        return {"score": fmean(known) if known else None, "individual_scores": scores, "results": results}

    def _result(self, row: Any) -> dict[str, Any]:
        try:
            scored = self._metric.score(Sample.of(row))
        except FaithmeterError as error:
            return {"score": None, "status": "error", "reason": str(error), "statements": [], "statement_scores": []}
        verdicts = scored.result.verdicts
        return {
            "score": scored.score,
            "status": "evaluated",
            "reason": scored.reason,
            "statements": [verdict.claim.text for verdict in verdicts],
            "statement_scores": [int(verdict.label == "supported") for verdict in verdicts],
        }
