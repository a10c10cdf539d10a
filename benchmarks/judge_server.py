"""The model endpoint of `judge.py`: the tests' server, which here also answers the prompts of ragas and DeepEval."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.llm_server import Asked, parts, serve, think, verdict


def answer(asked: Asked) -> str:
    """By the same rule for every system: supported is what stands in a context."""
    if parts(asked.user):
        return str(think(asked))
    form = asked.body.get("response_format") or {}
    name = form.get("json_schema", {}).get("name", "")
    if name or "deepeval" in asked.system:
        return _deepeval(name, asked.user)
    return _ragas(asked.user)


def _ragas(prompt: str) -> str:
    given = json.loads(prompt.rpartition("\ninput: ")[2].rpartition("\nOutput:")[0])
    if "prompt_value" in given:  # it asks to mend a reply that it could not read
        return json.dumps({"text": _ragas(given["prompt_value"])})
    if "answer" in given:
        return json.dumps({"statements": _sentences(given["answer"])})
    rows = [
        {"statement": text, "reason": "It says so or not.", "verdict": int(_supported(text, given["context"]))}
        for text in given["statements"]
    ]
    return json.dumps({"statements": rows})


def _deepeval(name: str, prompt: str) -> str:
    if name == "Truths":
        text = re.split(r"\bText:\s*", prompt)[-1]
        return json.dumps({"truths": _sentences(text.rpartition("JSON:")[0])})
    if name == "Claims":
        text = re.split(r"(?:AI Output|Text):\s*", prompt)[-1]
        return json.dumps({"claims": _sentences(text.rpartition("JSON:")[0])})
    if name == "Verdicts":
        context, _, claims = prompt.rpartition("Claims:")
        found = json.loads(json.dumps(_list(claims)))
        facts = re.split(r"Retrieval Contexts?:", context)[-1]
        return json.dumps(
            {"verdicts": [{"verdict": "yes" if _supported(c, facts) else "no", "reason": "So it is."} for c in found]}
        )
    return json.dumps({"reason": "The score follows from the claims."})


def _list(text: str) -> list[Any]:
    """The first Python or JSON list in a text."""
    import ast

    body = text[text.index("[") :]
    for end in (n for n, char in enumerate(body, 1) if char == "]"):
        try:
            return list(ast.literal_eval(body[:end]))
        except (SyntaxError, ValueError):
            continue
    return []


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+", text.strip()) if part.strip()]


def _supported(claim: str, context: str) -> bool:
    return bool(verdict(claim, {1: context})["label"] == "supported")


if __name__ == "__main__":
    serve(brain=answer)
