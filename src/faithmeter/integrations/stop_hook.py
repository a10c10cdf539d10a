"""A coding agent's stop hook: `python -m faithmeter.integrations.stop_hook [VERIFIER]`, as Claude Code calls it.

Reads the hook's input from standard input, and the conversation from its transcript. If the last answer contradicts
what the tools gave since the user's last message, the agent is told what and goes on; otherwise it stops. It is
told once: a stop that follows from a hook is let through.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from faithmeter.datamodels import Label, Sample
from faithmeter.errors import FaithmeterError
from faithmeter.guard import Policy, decide
from faithmeter.integrations.metric import Metric
from faithmeter.runtime import sync

_POLICY = Policy(labels=(Label.CONTRADICTED,), on_failure="open")
_NOT_BLOCKING = 1  # shown to the user; the agent stops


def objections(hook: dict[str, Any], verifier: str = "local") -> list[str]:
    """Where the last answer contradicts its sources; empty if it has none."""
    lines = Path(hook["transcript_path"]).read_text("utf-8").splitlines()
    read = [json.loads(line).get("message") for line in lines if line.strip()]
    messages = [message for message in read if isinstance(message, dict) and "role" in message]
    start = max((index for index, message in enumerate(messages) if _asks(message)), default=0)
    turn = messages[start:]
    if last := hook.get("last_assistant_message"):  # the transcript may lag behind
        turn = [*turn, {"role": "assistant", "content": last}]
    sample = Sample.of(turn)
    if not sample.contexts:
        return []
    objected = decide(sync.run(Metric(verifier).evaluator.check(sample)), _POLICY).objections
    return [f"- {item.claim} — {item.reason} Source: “{' … '.join(item.evidence)}”" for item in objected]


def _asks(message: dict[str, Any]) -> bool:
    """Whether a message is the user's own, rather than a tool's result."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return message["role"] == "user" and not any(part.get("type") == "tool_result" for part in parts)


def main() -> None:
    """Let the agent stop, or say what to correct first."""
    try:
        hook = json.load(sys.stdin)
        reasons = [] if hook.get("stop_hook_active") else objections(hook, *sys.argv[1:2])
    except (FaithmeterError, OSError, ValueError, KeyError) as error:
        print(f"faithmeter: not checked: {error}", file=sys.stderr)
        sys.exit(_NOT_BLOCKING)
    if reasons:
        told = "Your answer contradicts what the tools gave. Correct it:\n" + "\n".join(reasons)
        print(json.dumps({"decision": "block", "reason": told}))


if __name__ == "__main__":
    main()
