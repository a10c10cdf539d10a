"""Variants of the judge's full prompt, each with one thing changed: `prompt_variants/NAME.md`.

A file's head says which keys a verdict has and in which order, how many worked examples there are and how their
reasons begin; its body is what the prompt asks for after the labels, which are those of the full prompt.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.prompt_claims import Labelled
from faithmeter.judge.fencing import Item, fenced
from faithmeter.judge.parsing import read_object
from faithmeter.judge.prompts import load_prompt
from faithmeter.judge.verify import Verification
from faithmeter.llm.protocol import Reply
from faithmeter.llm.settings import JudgeSettings

FOLDER = Path(__file__).parent / "prompt_variants"
NAMES = sorted(path.stem for path in FOLDER.glob("*.md"))

_FORMS = {
    "claim": "NUMBER",
    "label": '"supported" | "contradicted" | "not_enough_info"',
    "supported": '"yes" | "no"',
    "kind": '"" | "contradicted" | "not_enough_info"',
    "passages": "[NUMBER, …]",
}


class Variant:
    """A variant by its name."""

    def __init__(self, name: str) -> None:
        _, head, body = (FOLDER / f"{name}.md").read_text("utf-8").split("---\n", 2)
        changed = dict(line.split(": ", 1) for line in head.splitlines())
        self.keys = changed["keys"].split(", ")
        self._plain = changed["reasons"] == "plain"
        full = load_prompt("verify").text(JudgeSettings())
        rows = [json.loads(line) for line in (FOLDER / "examples.jsonl").read_text("utf-8").splitlines()]
        passages = list(dict.fromkeys(json.dumps(row["passage"]) for row in rows))[: int(changed["examples"])]
        shown = [
            self._worked(n, [row for row in rows if json.dumps(row["passage"]) == passage])
            for n, passage in enumerate(passages, 1)
        ]
        form = ", ".join(f'"{key}": ' + _FORMS.get(key, '"…"') for key in self.keys)
        self.system = "\n\n".join(
            [
                full[: full.index("For each claim give its number")] + body.strip(),
                *shown,
                "Reply with one JSON object and nothing else, in this form:\n" + f'{{"verdicts": [{{{form}}}, …]}}',
            ]
        )

    def messages(self, question: Verification, call: Sequence[Any]) -> tuple[list[dict[str, str]], list[int]]:
        """The messages, with the data as the judge sends it, and the claims' numbers."""
        request, key = question.put(call)
        return [{"role": "system", "content": self.system}, {"role": "user", "content": request.user}], list(key)

    def verdicts(
        self, call: Sequence[Labelled], numbers: Sequence[int], reply: Reply
    ) -> Iterable[tuple[Labelled, bool | None]]:
        """Whether each claim is supported; None unless the reply says so in a word of the form, once."""
        rows = [row for row in read_object(reply.text, key="verdicts") if isinstance(row, dict)]
        for number, claim in zip(numbers, call, strict=True):
            own = [row for row in rows if row.get("claim") == number]
            said = own[0].get("supported" if "supported" in self.keys else "label") if len(own) == 1 else None
            known = {"yes": True, "no": False, "supported": True, "contradicted": False, "not_enough_info": False}
            yield claim, known.get(said) if isinstance(said, str) else None

    def _worked(self, number: int, rows: Sequence[dict[str, Any]]) -> str:
        given = rows[0]["passage"]
        passages = [given] if isinstance(given, str) else given
        items = [Item("P", n, text) for n, text in enumerate(passages, 1)] + [Item("Q", None, rows[0]["question"])]
        ids = [964, 494, 876, 530, 141][: len(rows)]
        items += [Item("C", n, row["claim"]) for n, row in zip(ids, rows, strict=True)]
        reply = json.dumps(
            {"verdicts": [self._row(n, row, passages) for n, row in zip(ids, rows, strict=True)]}, ensure_ascii=False
        )
        return f"Example {number}. Data:\n{fenced(items, code='0000')}\nReply:\n{reply}"

    def _row(self, number: int, row: dict[str, Any], passages: Sequence[str]) -> dict[str, Any]:
        supported = row["label"] == "supported"
        values = {
            "claim": number,
            "text": row["claim"],
            "reason": row["plain"] if self._plain else row["reason"],
            "missing": row["missing"],
            "label": row["label"],
            "supported": "yes" if supported else "no",
            "kind": "" if supported else row["label"],
            "passages": [n for n, text in enumerate(passages, 1) if row["quote"] and row["quote"] in text],
            "quote": row["quote"],
        }
        return {key: values[key] for key in self.keys}
