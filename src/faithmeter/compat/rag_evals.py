"""rag_evals's calls: `Faithfulness.grade(question=, answer=, context=, client=)` and its async twin."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from faithmeter.compat.clients import evaluator, judged
from faithmeter.datamodels import Label, Sample
from faithmeter.errors import UsageError, first_problem
from faithmeter.extract import Extractor
from faithmeter.judge.prompts import load_prompt
from faithmeter.llm.wrapped import given
from faithmeter.results import Result
from faithmeter.runtime import sync
from faithmeter.runtime.specs import is_llm
from faithmeter.scoring import PROFILES
from faithmeter.verify import Verifier


class StatementEvaluation(BaseModel):
    """One statement of the answer."""

    statement: str
    """The claim."""
    is_supported: bool
    """Whether the context supports it."""
    supporting_chunk_ids: list[int] | None = None
    """Which chunks do, from 0; None if it is not supported."""
    reason: str | None = None
    """Why, where the judge says."""


class FaithfulnessResult(BaseModel):
    """The statements of an answer, and their score."""

    statements: list[StatementEvaluation]
    """One for each claim."""

    @property
    def score(self) -> float:
        """Supported / all; 0.0 without statements, as rag_evals has it."""
        if not self.statements:
            return 0.0
        return sum(statement.is_supported for statement in self.statements) / len(self.statements)


class ContextEvaluation:
    """An evaluation of an answer against numbered chunks, in one LLM call, with your own prompt."""

    def __init__(
        self,
        prompt: str | None = None,
        response_model: type[BaseModel] = FaithfulnessResult,
        *,
        inference: str = "strict",
    ) -> None:
        self.prompt = prompt or load_prompt("joint").body
        self.response_model = response_model
        self.inference = inference
        self._own: Path | None = None
        if prompt is not None:
            folder = tempfile.mkdtemp(prefix="faithmeter-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._own = _prompt_file(prompt, Path(folder))

    def grade(self, question: str, answer: str, context: Sequence[str], client: Any) -> Any:
        """Judge an answer; `client` is a spec such as `openai:MODEL`, a verifier, or an SDK's client."""
        return sync.run(self.agrade(question=question, answer=answer, context=context, client=client))

    async def agrade(self, question: str, answer: str, context: Sequence[str], client: Any) -> Any:
        """Judge an answer, for async code."""
        sample = Sample.model_validate({"question": question, "answer": answer, "contexts": tuple(context)})
        pipeline = evaluator(client, extractor=self._joint(client), scoring=PROFILES["rag_evals"])
        return self._response(await judged(pipeline, sample))

    def _joint(self, client: Any) -> Extractor | None:
        """One call for claims and verdicts, where an LLM judges."""
        if isinstance(client, Verifier):
            return None
        spec, access = given(client)
        if not is_llm(spec):
            return None
        from faithmeter.judge.joint import JointExtractor  # needs the extra [llm]

        options: dict[str, Any] = {"inference": self.inference}
        if self._own:
            options["joint_prompt"] = self._own
        return JointExtractor(spec, access=access, **options)

    def _response(self, result: Result) -> BaseModel:
        statements = [
            {
                "statement": verdict.claim.text,
                "is_supported": verdict.label is Label.SUPPORTED,
                "supporting_chunk_ids": sorted({item.context for item in verdict.evidence})
                if verdict.label is Label.SUPPORTED
                else None,
                "reason": verdict.reason,
            }
            for verdict in result.verdicts
        ]
        try:
            return self.response_model.model_validate({"statements": statements})
        except ValidationError as error:
            name = self.response_model.__name__
            raise UsageError(
                f"{name} cannot take these statements: {first_problem(error)}; give fields of your own a default"
            ) from None


def _prompt_file(prompt: str, folder: Path) -> Path:
    """Your own prompts are files with a front matter: make one of the text."""
    digest = hashlib.sha256(prompt.encode()).hexdigest()[:12]
    path = folder / "prompt.md"
    path.write_text(f"---\nname: rag_evals-{digest}\nversion: 1\nlanguage: en\nplain: true\n---\n{prompt}\n", "utf-8")
    return path


Faithfulness = ContextEvaluation()
