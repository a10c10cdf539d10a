"""A middleware for LangChain's agents: `create_agent(model, tools, middleware=[FaithfulnessMiddleware()])`.

After the model's last message it checks it against what the tools gave. The message then carries what was found in
`response_metadata["faithmeter"]`; what the policy does not let through is replaced before anybody sees it.
"""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage

from faithmeter.datamodels import Sample
from faithmeter.errors import FaithmeterError
from faithmeter.fix import Fixer
from faithmeter.guard import Decision, Policy, decide
from faithmeter.integrations.metric import Metric
from faithmeter.runtime import sync

INSTEAD = "I cannot answer this from what I found."


class FaithfulnessMiddleware(AgentMiddleware[Any, Any]):
    """Flags, blocks or fixes unfaithful answers; `Policy(on_failure="open")` lets through what could not be judged."""

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        verifier: Any = "local",
        extractor: Any = "sentences",
        instead: str = INSTEAD,
    ) -> None:
        super().__init__()
        self.policy = policy or Policy()
        self.instead = instead
        self._metric = Metric(verifier, extractor)

    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Check the model's answer."""
        return sync.run(self.aafter_model(state, runtime))

    async def aafter_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Check the model's answer, for async code."""
        message = state["messages"][-1]
        if not isinstance(message, AIMessage) or message.tool_calls or not str(message.text).strip():
            return None  # no answer yet
        evaluator = self._metric.evaluator
        try:
            result = await evaluator.check(Sample.of(list(state["messages"])))
            decision: Decision = decide(result, self.policy)
            details = decision.model_dump(mode="json", exclude={"policy"})
            text = self.instead if decision.action == "block" else None
            if decision.action == "fix":
                text = (await Fixer(evaluator, refusal=self.instead, strict=True).fix(result)).answer
        except FaithmeterError as error:
            closed = self.policy.on_failure == "closed"
            details = {"action": "block" if closed else "allow", "error": str(error), "score": None}
            text = self.instead if closed else None
        noted: dict[str, Any] = {"response_metadata": {**message.response_metadata, "faithmeter": details}}
        return {"messages": [message.model_copy(update=noted if text is None else noted | {"content": text})]}
