"""The "model" of `llm_server`: it reads a fenced prompt as a careful model would, and judges by a rule."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Asked:
    """A request, whatever the protocol."""

    system: str
    user: str
    schema: dict[str, Any] | None
    body: dict[str, Any]
    turns: list[tuple[str, str]] = field(default_factory=list)
    """What was asked and answered before."""

    @property
    def size(self) -> int:
        """Characters of the prompt."""
        return len(self.system) + len(self.user) + sum(len(text) for turn in self.turns for text in turn)


@dataclass(frozen=True)
class Part:
    """An item of a fenced prompt."""

    kind: str
    number: int | None
    text: str


KINDS = {"P": "passage", "Q": "question", "A": "answer", "S": "sentence", "C": "claim"}


def parts(user: str) -> list[Part]:
    """The items of a fenced prompt, as a careful model reads them: only the code of the first line counts."""
    first = re.match(r"§(\w+) ", user)
    if first is None:
        return []
    marker = re.compile(rf"^§{first[1]} (?P<kind>[PQASC])(?P<number>\d*)$", re.MULTILINE)
    found = list(marker.finditer(user))
    ends = [after.start() - 1 for after in found[1:]] + [len(user)]
    items = []
    for here, end in zip(found, ends, strict=True):
        text = user[here.end() + 1 : end]
        if here["kind"] in "SC":
            rows = [line.partition(" ") for line in text.split("\n")]
            items += [Part(KINDS[here["kind"]], int(number.strip("[]")), words) for number, _, words in rows]
        else:
            items.append(Part(KINDS[here["kind"]], int(here["number"]) if here["number"] else None, text))
    return items


def think(asked: Asked) -> str:
    """Answer a prompt of the judge: claims get verdicts, sentences are taken apart, or both at once."""
    found = parts(asked.user)
    passages = {part.number: part.text for part in found if part.kind == "passage"}
    claims = [part for part in found if part.kind == "claim"]
    sentences = [part for part in found if part.kind == "sentence"]
    if claims:
        rows = [{"claim": claim.number, **verdict(claim.text, passages)} for claim in claims]
        return json.dumps({"verdicts": rows})
    joint = bool(passages)
    return json.dumps(
        {
            "sentences": [
                {
                    "sentence": sentence.number,
                    "claims": [
                        {"text": text, **verdict(text, passages)} if joint else text for text in split(sentence.text)
                    ],
                }
                for sentence in sentences
            ]
        }
    )


def split(sentence: str) -> list[str]:
    """The claims of a sentence: it is cut at "; "; one that begins with "Perhaps" claims nothing."""
    return [] if sentence.startswith("Perhaps") else [part.strip() for part in sentence.split("; ")]


def verdict(claim: str, passages: dict[int | None, str]) -> dict[str, Any]:
    """The rule: supported if a passage has the claim's words; contradicted if only with another number in them."""
    wanted = _plain(claim)
    blank = re.sub(r"\d+", "#", wanted)
    near = None
    for number, text in passages.items():
        for sentence in re.split(r"(?<=[.!?])\s+", text):
            plain = _plain(sentence)
            if wanted and wanted in plain:
                return {"reason": "It says so.", "label": "supported", "passages": [number], "quote": sentence}
            if blank != wanted and blank in re.sub(r"\d+", "#", plain):
                near = {"reason": "Another number.", "label": "contradicted", "passages": [number], "quote": sentence}
    return near or {"reason": "Nothing is said of it.", "label": "not_enough_info", "passages": [], "quote": ""}


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
