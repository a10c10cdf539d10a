"""Answers that language models wrote about contexts of the data, in which the words that do not hold are marked.

A file of `answered/` holds no context, only its key (`key_of`); the lines of an answer, each a sentence:

    ### KEY
    = the first answer
    s A sentence that holds.
    c A sentence that [[the context contradicts]].
    n A sentence with more [[than the context says]].
    = the second answer

or `### RECORD` and, on a line, the made record that the answers are about, or `### RETRIEVED`, the question and the
made passages:

    ### RETRIEVED
    QUESTION: How long does the battery last?
    PASSAGE: The Alba 2 runs for nine hours on one charge.
    PASSAGE: The Alba 3 ...

`answered/silver.jsonl` says of answers of `faithjudge_silver_answers` that are known to be bad which words are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "answered"
KINDS = {"c": "Evident Conflict", "n": "Evident Baseless Info"}
"""The labels of a marked span, in RAGTruth's words."""
_MARKED = re.compile(r"\[\[(.+?)\]\]")


def key_of(text: str) -> str:
    """What stands for a context or an answer."""
    return sha256(text.encode()).hexdigest()[:12]


def read_answers(path: Path, contexts: Mapping[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Read a file of answers in the form of RAGTruth's; `contexts` has the row of each key that is at hand."""
    for block in re.split(r"(?m)^### ", path.read_text(encoding="utf-8"))[1:]:
        head, *lines = (line.strip() for line in block.strip().split("\n"))
        known: dict[str, Any]
        if head == "RECORD":
            known = {"source": "answered_records", "question": None,
                     "context": json.dumps(json.loads(lines.pop(0)), indent=1, ensure_ascii=False)}  # fmt: skip
        elif head == "RETRIEVED":
            question, passages = lines.pop(0).removeprefix("QUESTION: "), list[str]()
            while lines and lines[0].startswith("PASSAGE: "):
                passages.append(lines.pop(0).removeprefix("PASSAGE: "))
            known = {"source": "answered_retrieved", "question": question, "contexts": passages,
                     "context": "\n\n".join(passages)}  # fmt: skip
        elif head in contexts:
            known = {"source": "answered", **{name: contexts[head].get(name) for name in ("question", "context")}}
        else:
            continue
        answers: list[list[str]] = []
        for line in filter(None, lines):
            if line.startswith("="):
                answers.append([])
            else:
                answers[-1].append(line)
        for answer, labels in map(_joined, filter(None, answers)):
            yield known | {"answer": answer, "labels": labels, "label": int(not labels)}


def _joined(lines: list[str]) -> tuple[str, list[dict[str, Any]]]:
    """The sentences of an answer as running text, and where it is marked."""
    answer, labels = "", []
    for line in lines:
        kind, _, text = line.partition(" ")
        if kind not in ("s", *KINDS) or (kind == "s") == ("[[" in text):
            raise ValueError(f"{line!r}: a sentence begins with s, c or n, and c and n have marked words")
        answer += " " if answer else ""
        done = 0
        for match in _MARKED.finditer(text):
            answer += text[done : match.start()]
            labels.append({"start": len(answer), "end": len(answer) + len(match[1]), "label_type": KINDS[kind]})
            answer, done = answer + match[1], match.end()
        answer += text[done:]
    return answer, labels


@lru_cache(maxsize=1)
def silver_marks() -> dict[str, list[dict[str, Any]]]:
    """The marked spans of silver answers, by the answer's key."""
    lines = (FOLDER / "silver.jsonl").read_text(encoding="utf-8").splitlines()
    return {
        row["answer"]: [{"start": s, "end": e, "label_type": KINDS[kind]} for s, e, kind in row["spans"]]
        for row in map(json.loads, lines)
    }
