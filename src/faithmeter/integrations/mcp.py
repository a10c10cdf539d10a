"""An MCP server with the tools `check` and `eval`: `faithmeter mcp`, over standard input and output."""

from __future__ import annotations

from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from faithmeter._version import __version__
from faithmeter.datamodels import Sample
from faithmeter.errors import FaithmeterError
from faithmeter.integrations.metric import Metric
from faithmeter.results import Result
from faithmeter.runs import aevaluate

_INSTRUCTIONS = (
    "Checks whether an answer is faithful to its sources, claim by claim. Before you state facts from documents, call "
    "`check` with your answer and the passages it rests on; correct what is contradicted or not supported."
)


def build(*, verifier: Any = "local", extractor: Any = "sentences", scoring: Any = "plain") -> MCPServer:
    """The server; `run()` serves."""
    server = MCPServer("faithmeter", version=__version__, instructions=_INSTRUCTIONS)
    metric = Metric(verifier, extractor, scoring)
    evaluator = metric.evaluator  # an unknown verifier is said now

    @server.tool(name="check")
    async def check(answer: str, contexts: list[str], question: str | None = None) -> dict[str, Any]:
        """Check one answer against the passages it was made from. Gives each claim's label, reason and quotes."""
        try:
            sample = Sample.of({"answer": answer, "contexts": contexts, "question": question})
            return _shown(await evaluator.check(sample))
        except FaithmeterError as error:
            raise ToolError(str(error)) from None

    @server.tool(name="eval")
    async def evaluate_file(path: str, min_score: float | None = None, worst: int = 5) -> dict[str, Any]:
        """Check every answer of a file (JSONL, JSON, CSV, Parquet). Gives the mean, counts and the worst answers."""
        try:
            report = await aevaluate(
                path,
                verifier=evaluator.verifier,
                extractor=evaluator.extractor,
                scoring=evaluator.scoring,
                min_score=min_score,
            )
        except FaithmeterError as error:
            raise ToolError(str(error)) from None
        return report.tally.as_dict() | {"worst": [_shown(result) for result in report.worst(worst)]}

    return server


def _shown(result: Result) -> dict[str, Any]:
    """A result in a few lines for a model to read; what could not be judged has no score."""
    claims = [
        {
            "claim": outcome.claim.text if outcome.claim else None,
            "label": outcome.word,
            "reason": getattr(outcome, "reason", None) or getattr(outcome, "message", None),
            "evidence": [item.quote for item in getattr(outcome, "evidence", ())],
        }
        for outcome in result.outcomes
    ]
    score = None if result.failures else result.score
    return {"id": result.sample.id, "status": result.status, "score": score, "claims": claims}


if __name__ == "__main__":
    build().run()
