"""Our metric inside the frameworks: what each asks for, what it shows, and what it makes of a failure."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from support.llm_server import Faults, LLMServer
from support.peer_samples import GOOD, HALF, QUESTION, TOWER, Broken

from faithmeter.compat import Unjudged

# --- pydantic-evals -----------------------------------------------------------------------------------


def case_pydantic_evals() -> str:
    """pydantic-evals (pydantic-evals): `Dataset(evaluators=[Faithfulness(threshold=0.9)])`, contexts in the output"""
    from pydantic_evals import Case, Dataset

    from faithmeter.integrations.pydantic_evals import Faithfulness

    def run(evaluator: Any, *outputs: Any, **case: Any) -> Any:
        cases = [Case(name=str(place), inputs=QUESTION, **case) for place in range(len(outputs))]
        given = iter(outputs)
        dataset = Dataset(name="d", cases=cases, evaluators=[evaluator])
        return dataset.evaluate_sync(lambda inputs: next(given), progress=False, max_concurrency=1)

    rows = [{"answer": answer, "contexts": [TOWER]} for answer in (GOOD, HALF)]
    report = run(Faithfulness(verifier="lexical", threshold=0.9), *rows)
    assert [case.scores["faithfulness"].value for case in report.cases] == [1.0, 0.5]
    assert [case.assertions["faithful"].value for case in report.cases] == [True, False]
    assert "Quokkas" in report.cases[1].scores["faithfulness"].reason
    assert "lexical" in report.cases[0].scores["faithfulness"].evaluator_version
    kept = run(Faithfulness(verifier="lexical"), GOOD, metadata={"contexts": [TOWER]})
    assert kept.cases[0].scores["faithfulness"].value == 1.0
    for evaluator, output in ((Faithfulness(verifier=Broken()), rows[0]), (Faithfulness(verifier="lexical"), GOOD)):
        (case,) = run(evaluator, output).cases
        assert not case.scores, case.scores
        assert len(case.evaluator_failures) == 1
    return "1.0 and 0.5, the assertion `faithful` true and false; not judged: an evaluator failure"


# --- Inspect ------------------------------------------------------------------------------------------


def _inspect(scorer: Any, solver: Any = None, **sample: Any) -> Any:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate

    outputs = [ModelOutput.from_content("mockllm/model", HALF)]
    outputs[0].usage = ModelUsage()  # else its tokens are counted by a table that must be downloaded
    task = Task(dataset=[Sample(input=QUESTION, **sample)], scorer=scorer, solver=solver or generate())
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = eval(task, model=model, log_dir="inspect", display="none")  # the log is read from there when asked for
    assert log.status == "success", log.error
    return log


def case_inspect() -> str:
    """Inspect (inspect-ai): `Task(scorer=faithfulness())` in `eval`, contexts in the sample's metadata"""
    from inspect_ai.scorer import Score

    from faithmeter.integrations.inspect_ai import faithfulness

    log = _inspect(faithfulness(verifier="lexical"), metadata={"contexts": [TOWER]})
    score: Score = log.samples[0].scores["faithfulness"]
    assert score.value == 0.5
    assert "Quokkas" in score.explanation
    assert [claim["label"] for claim in score.metadata["claims"]] == ["supported", "not_enough_info"]
    assert log.results.scores[0].metrics["mean"].value == 0.5
    with LLMServer(faults=Faults(refused=1.0)) as refusing:
        os.environ["OPENAI_API_KEY"] = "none"
        judge = faithfulness(verifier=f"openai:stub@{refusing.url}")
        failed = _inspect(judge, metadata={"contexts": [TOWER]}), _inspect(faithfulness(verifier="lexical"))
    for log, why in zip(failed, ("refused", "no contexts"), strict=True):
        score = log.samples[0].scores["faithfulness"]
        assert math.isnan(score.value)
        assert (score.reason, log.results.scores[0].scored_samples) == ("scoring_failed", 0)
        assert why in score.explanation, score.explanation
    return "0.5, mean 0.5; not judged: unscored, with the reason"


def case_inspect_tools() -> None:
    from inspect_ai.model import ChatMessageTool
    from inspect_ai.solver import Generate, TaskState, chain, generate, solver

    from faithmeter.integrations.inspect_ai import faithfulness

    @solver
    def searched() -> Any:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.messages.append(ChatMessageTool(content=TOWER, tool_call_id="1"))
            return state

        return solve

    log = _inspect(faithfulness(verifier="lexical"), chain(searched(), generate()))
    assert log.samples[0].scores["faithfulness"].value == 0.5


# --- LangChain and LangSmith --------------------------------------------------------------------------


def _asked(middleware: Any, answer: str, found: str = TOWER) -> Any:
    from langchain.agents import create_agent
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **options: Any) -> Any:
            return self

    @tool
    def search(query: str) -> str:
        """Search."""
        return found

    asks = AIMessage("", tool_calls=[{"name": "search", "args": {"query": "tower"}, "id": "1"}])
    agent = create_agent(Model(messages=iter([asks, AIMessage(answer)])), [search], middleware=[middleware])
    messages = agent.invoke({"messages": [("user", QUESTION)]})["messages"]
    assert [message.type for message in messages] == ["human", "ai", "tool", "ai"]
    return messages[-1]


def case_langchain_middleware() -> str:
    """LangChain (langchain): `create_agent(…, middleware=[FaithfulnessMiddleware()])`, an agent with a search tool"""
    from faithmeter.guard import Policy
    from faithmeter.integrations.langchain import INSTEAD, FaithfulnessMiddleware

    good = _asked(FaithfulnessMiddleware(verifier="lexical"), GOOD)
    assert (good.text, good.response_metadata["faithmeter"]["action"]) == (GOOD, "allow")
    blocked = _asked(FaithfulnessMiddleware(verifier="lexical"), HALF)
    assert blocked.text == INSTEAD
    assert blocked.response_metadata["faithmeter"]["score"] == 0.5
    flagged = _asked(FaithfulnessMiddleware(Policy(action="flag"), verifier="lexical"), HALF)
    assert (flagged.text, flagged.response_metadata["faithmeter"]["action"]) == (HALF, "flag")
    wrong = "The Eiffel Tower is 450 metres tall."
    fixed = _asked(FaithfulnessMiddleware(Policy(action="fix")), wrong)
    assert fixed.text == GOOD, fixed.text
    failed = _asked(FaithfulnessMiddleware(verifier=Broken()), GOOD)
    assert (failed.text, failed.response_metadata["faithmeter"]["score"]) == (INSTEAD, None)
    opened = _asked(FaithfulnessMiddleware(Policy(on_failure="open"), verifier=Broken()), GOOD)
    assert (opened.text, opened.response_metadata["faithmeter"]["not_judged"]) == (GOOD, 1)
    return "let through, blocked, flagged or fixed (450 became 330) as the policy says; not judged: blocked"


async def case_langchain_middleware_async() -> None:
    from langchain.agents import create_agent
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    from faithmeter.integrations.langchain import INSTEAD, FaithfulnessMiddleware

    model = GenericFakeChatModel(messages=iter([AIMessage(GOOD)]))
    agent = create_agent(model, [], middleware=[FaithfulnessMiddleware(verifier="lexical")])
    state = await agent.ainvoke({"messages": [("user", QUESTION)]})
    assert state["messages"][-1].text == INSTEAD  # nothing was looked up, so nothing supports it


def case_langsmith() -> str:
    """LangSmith (langsmith): `evaluate(app, data=…, evaluators=[faithfulness()])`, nothing uploaded"""
    import uuid

    from langsmith import Client, evaluate
    from langsmith.schemas import Example

    from faithmeter.integrations.langsmith import faithfulness

    client = Client(api_url="http://127.0.0.1:9", api_key="none", auto_batch_tracing=False)

    def run(evaluator: Any, answer: str) -> Any:
        example = Example(id=uuid.uuid4(), inputs={"question": QUESTION}, dataset_id=uuid.uuid4())
        application = lambda inputs: {"answer": answer, "context": [TOWER]}  # noqa: E731
        rows = evaluate(application, data=[example], evaluators=[evaluator], client=client, upload_results=False)
        ((found,),) = [row["evaluation_results"]["results"] for row in rows]
        return found

    found = run(faithfulness(verifier="lexical"), HALF)
    assert (found.key, found.score) == ("faithfulness", 0.5)
    assert "Quokkas" in found.comment
    failed = run(faithfulness(verifier=Broken()), GOOD)
    assert failed.score is None
    assert "out of order" in f"{failed.comment} {failed.extra}", failed
    return "`faithfulness` 0.5 with a comment; not judged: an evaluator error, no score"


# --- LlamaIndex, Haystack -----------------------------------------------------------------------------


async def case_llamaindex_evaluator() -> str:
    """LlamaIndex (llama-index-core): `Faithfulness()` in `evaluate_response` and `BatchEvalRunner`"""
    from llama_index.core import Response
    from llama_index.core.evaluation import BatchEvalRunner
    from llama_index.core.schema import NodeWithScore, TextNode

    from faithmeter.integrations.llama_index import Faithfulness

    response = Response(HALF, source_nodes=[NodeWithScore(node=TextNode(text=TOWER))])
    metric = Faithfulness(0.9, verifier="lexical")
    found = metric.evaluate_response(query=QUESTION, response=response)
    assert (found.score, found.passing, found.invalid_result) == (0.5, False, False)
    assert "Quokkas" in found.feedback
    runner = BatchEvalRunner({"faithful": metric}, workers=2)
    every = await runner.aevaluate_response_strs([QUESTION] * 2, [GOOD, HALF], [[TOWER]] * 2)
    assert [result.score for result in every["faithful"]] == [1.0, 0.5]
    for failed in (
        Faithfulness(verifier=Broken()).evaluate_response(query=QUESTION, response=response),
        await metric.aevaluate(QUESTION, GOOD, None),
    ):
        assert (failed.score, failed.passing, failed.invalid_result) == (None, None, True)
        assert failed.invalid_reason
    return "0.5, not passing; not judged: an invalid result, no score"


def case_haystack_component() -> str:
    """Haystack (haystack-ai): `FaithfulnessEvaluator()` in a pipeline after `AnswerBuilder`; saved and loaded"""
    from haystack import Document, GeneratedAnswer, Pipeline
    from haystack.components.builders import AnswerBuilder

    from faithmeter.integrations.haystack import FaithfulnessEvaluator

    pipeline = Pipeline()
    pipeline.add_component("answers", AnswerBuilder())
    pipeline.add_component("faithful", FaithfulnessEvaluator(verifier="lexical"))
    pipeline.connect("answers.answers", "faithful.answers")
    pipeline = Pipeline.loads(pipeline.dumps(), allowed_modules=["faithmeter.integrations.haystack"])
    asked = {"query": QUESTION, "replies": [HALF], "documents": [Document(content=TOWER)]}
    found = pipeline.run({"answers": asked})["faithful"]
    assert (found["score"], found["individual_scores"]) == (0.5, [0.5])
    assert found["results"][0]["statement_scores"] == [1, 0]
    rows = {"questions": [QUESTION] * 2, "contexts": [[TOWER]] * 2, "predicted_answers": [GOOD, HALF]}
    assert FaithfulnessEvaluator(verifier="lexical").run(**rows)["score"] == 0.75
    answers = [GeneratedAnswer(GOOD, QUESTION, [Document(content=TOWER)]), GeneratedAnswer(GOOD, "", [Document()])]
    mixed = FaithfulnessEvaluator(verifier="lexical").run(answers=answers)
    assert (mixed["score"], mixed["individual_scores"]) == (1.0, [1.0, None])
    assert [result["status"] for result in mixed["results"]] == ["evaluated", "error"]
    assert FaithfulnessEvaluator(verifier=Broken()).run(answers=answers[:1])["score"] is None
    return "0.5, statement scores [1, 0]; not judged: None, status `error`"


# --- MCP, promptfoo, a coding agent -------------------------------------------------------------------


async def case_mcp() -> str:
    """MCP (mcp): `faithmeter mcp` started by its client over stdio; the tools `check` and `eval`"""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    arguments = ["-m", "faithmeter", "mcp", "--verifier", "lexical"]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.jsonl"
        rows = [{"id": str(place), "answer": answer, "contexts": [TOWER]} for place, answer in enumerate((GOOD, HALF))]
        path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
        async with Client(stdio_client(server)) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(tools) == {"check", "eval"}
            assert set(tools["check"].input_schema["required"]) == {"answer", "contexts"}
            found = (await client.call_tool("check", {"answer": HALF, "contexts": [TOWER]})).structured_content
            assert (found["score"], found["status"]) == (0.5, "ok"), found
            assert [claim["label"] for claim in found["claims"]] == ["supported", "not enough info"]
            assert found["claims"][0]["evidence"]
            found = (
                await client.call_tool("eval", {"path": str(path), "min_score": 0.9, "worst": 1})
            ).structured_content
            assert (found["mean"], found["samples"], found["pass_rate"]) == (0.75, 2, 0.5)
            assert [result["id"] for result in found["worst"]] == ["1"]
            failed = await client.call_tool("eval", {"path": str(path) + "x"})
            assert failed.is_error
            assert "answers.jsonlx" in failed.content[0].text
    return "`check` 0.5 with labels and quotes; `eval` mean 0.75; a missing file is a tool error"


async def case_mcp_not_judged() -> None:
    from mcp import Client

    from faithmeter.integrations.mcp import build

    async with Client(build(verifier=Broken())) as client:
        found = (await client.call_tool("check", {"answer": GOOD, "contexts": [TOWER]})).structured_content
    assert (found["score"], found["status"]) == (None, "failed")
    assert "out of order" in found["claims"][0]["reason"]


def case_promptfoo() -> None:
    from faithmeter.integrations.promptfoo import get_assert

    variables = {"question": QUESTION, "contexts": [TOWER]}
    context = {"prompt": "p", "vars": variables, "test": {"vars": variables}, "config": {"verifier": "lexical"}}
    found = json.loads(json.dumps(get_assert(HALF, context)))  # promptfoo reads it as JSON
    assert (found["pass"], found["score"]) == (False, 0.5)
    assert [part["pass"] for part in found["componentResults"]] == [True, False]
    assert get_assert(HALF, context | {"config": {"verifier": "lexical", "threshold": 0.5}})["pass"] is True
    assert get_assert(GOOD, {"vars": {"context": TOWER}, "config": None})["pass"] is True
    for config in ({"verifier": Broken()}, {"verifer": "lexical"}):
        raised = False
        try:
            get_assert(GOOD, context | {"config": config})
        except Unjudged:
            raised = "verifier" in config
        except Exception as error:
            raised = "'verifer'" in str(error)
        assert raised


def case_stop_hook() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "transcript.jsonl"

        def stopped(answer: str, **hook: Any) -> subprocess.CompletedProcess[str]:
            result = [{"type": "tool_result", "tool_use_id": "1", "content": TOWER}]
            use = [{"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": "tower.txt"}}]
            messages = [("user", QUESTION), ("assistant", use), ("user", result)]
            messages += [("assistant", [{"type": "text", "text": answer}])]
            lines = [{"type": "summary", "summary": "s"}]
            lines += [{"type": role, "message": {"role": role, "content": content}} for role, content in messages]
            path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
            given = {"transcript_path": str(path), "hook_event_name": "Stop", "stop_hook_active": False} | hook
            command = [sys.executable, "-m", "faithmeter.integrations.stop_hook"]
            return subprocess.run(command, input=json.dumps(given), capture_output=True, text=True)

        wrong = "The Eiffel Tower is 450 metres tall."
        said = json.loads(stopped(wrong).stdout)
        assert said["decision"] == "block"
        assert "450" in said["reason"]
        assert "330 metres" in said["reason"]
        for quiet in (stopped(GOOD), stopped(wrong, stop_hook_active=True)):
            assert (quiet.stdout, quiet.returncode) == ("", 0), quiet.stderr
        assert json.loads(stopped(GOOD, last_assistant_message=wrong).stdout)["decision"] == "block"
        missing = stopped(GOOD, transcript_path=str(path) + "x")
        assert (missing.stdout, missing.returncode, len(missing.stderr.splitlines())) == ("", 1, 1)
