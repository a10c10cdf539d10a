"""The instructions to the model, as files: read, checked, and fitted to the settings."""

from __future__ import annotations

import hashlib
import json
import re
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from faithmeter.data import jsonl
from faithmeter.datamodels import Label, Model
from faithmeter.errors import DataError, UsageError
from faithmeter.llm.settings import JudgeSettings

Task = Literal["extract", "verify", "joint"]

_FRONT = re.compile(r"\A---[ \t]*\n(?P<head>.*?)^---[ \t]*\n(?P<body>.*)\Z", re.DOTALL | re.MULTILINE)
_CONDITION = re.compile(r"^\[(?P<word>\w+)\] +")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_CONDITIONS = frozenset({"strict", "lenient", "partial", "reasons", "language"})


class Prompt(Model):
    """Instructions for one task.

    A line that begins with `[strict]`, `[lenient]`, `[partial]`, `[reasons]` or `[language]` is for that
    setting only; `{language}` stands for the language that was asked for.
    """

    name: str = Field(pattern=r"^[\w.-]+$")
    """Names the prompt in signatures."""
    version: str = Field(pattern=r"^[\w.-]+$")
    """Changes whenever the words do."""
    language: str = Field(pattern=r"^[a-z]{2,3}(-\w+)*$")
    """The language of the instructions, as an ISO 639 code."""
    body: str = Field(min_length=1)
    """The instructions."""

    @property
    def signature(self) -> str:
        """Name, version and content: a prompt that was changed without a new version still differs."""
        return f"{self.name}.{self.version}.{_digest(self.body)}"

    def text(self, settings: JudgeSettings) -> str:
        """The instructions for these settings."""
        holds = {
            settings.inference: True,
            "partial": settings.partial,
            "reasons": settings.reasons,
            "language": settings.language is not None,
        }
        lines = []
        for line in self.body.strip().splitlines():
            match = _CONDITION.match(line)
            if match is None or holds.get(match["word"], False):
                lines.append(line[match.end() if match else 0 :])
        return "\n".join(lines).replace("{language}", settings.language or "")


def load_prompt(task: Task, path: Path | None = None) -> Prompt:
    """Read the prompt of a task: our own, or a user's file."""
    if path is None:
        return parse_prompt(resources.files(__name__).joinpath(f"{task}.md").read_text("utf-8"), f"{task}.md")
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the prompt {path}: {error}") from None
    return parse_prompt(text, str(path))


def parse_prompt(text: str, where: str) -> Prompt:
    """Read and check a prompt: a front matter of name, version and language, then the instructions."""
    match = _FRONT.match(text.replace("\r\n", "\n"))
    if match is None:
        raise DataError(f"{where}: must begin with a front matter: ---, name: …, version: …, language: …, ---")
    head: dict[str, str] = {}
    for number, line in enumerate(match["head"].splitlines(), 2):
        key, colon, value = line.partition(":")
        if not line.strip():
            continue
        if not colon or key.strip() in head:
            raise DataError(f"{where}, line {number}: expected one 'key: value' each, found {line!r}")
        head[key.strip()] = value.strip().strip("\"'")
    body = match["body"].strip()
    for line in body.splitlines():
        condition = _CONDITION.match(line)
        if condition and condition["word"] not in _CONDITIONS:
            known = ", ".join(sorted(_CONDITIONS))
            raise DataError(f"{where}: unknown condition [{condition['word']}]; known: {known}")
    if unknown := set(_PLACEHOLDER.findall(body)) - {"language"}:
        raise DataError(f"{where}: unknown placeholder {{{sorted(unknown)[0]}}}; known: {{language}}")
    try:
        return Prompt.model_validate({**head, "body": body})
    except ValidationError as error:
        problem = error.errors()[0]
        raise DataError(f"{where}: {'.'.join(map(str, problem['loc']))}: {problem['msg']}") from None


class Example(Model):
    """A worked example: of a verdict (`passage`, `claim`, `label`, …) or of extraction (`sentence`, `claims`)."""

    passage: str | None = None
    claim: str | None = None
    label: Label | None = None
    reason: str = ""
    quote: str = ""
    question: str | None = None
    sentence: str | None = None
    claims: tuple[str, ...] | None = None

    @property
    def task(self) -> Task | None:
        """What it is an example of; None if it is neither."""
        if self.sentence is not None and self.claims is not None and self.claim is None:
            return "extract"
        if None not in (self.passage, self.claim, self.label) and self.sentence is None:
            return "verify"
        return None

    def text(self) -> str:
        """The example as it stands in the prompt."""
        if self.task == "extract":
            asked = f"question {json.dumps(self.question, ensure_ascii=False)}; " if self.question else ""
            sentence, claims = (json.dumps(part, ensure_ascii=False) for part in (self.sentence, self.claims))
            return f"Example: {asked}sentence {sentence} -> claims {claims}"
        passage, claim, quote = (
            json.dumps(part, ensure_ascii=False) for part in (self.passage, self.claim, self.quote)
        )
        return f"Example: passage {passage}; claim {claim} -> {self.label}, quote {quote}. {self.reason}".rstrip()


def load_examples(path: Path | None) -> tuple[Example, ...]:
    """Read few-shot examples from a JSON Lines file."""
    if path is None:
        return ()
    try:
        with path.open("rb") as file:
            lines = list(jsonl.lines(file, str(path)))
    except OSError as error:
        raise UsageError(f"cannot read the examples {path}: {error}") from None
    examples = []
    for number, line in lines:
        try:
            example = Example.model_validate_json(line)
        except ValidationError as error:
            problem = error.errors()[0]
            raise DataError(f"{path}, line {number}: {'.'.join(map(str, problem['loc']))}: {problem['msg']}") from None
        if example.task is None:
            raise DataError(f"{path}, line {number}: give passage, claim and label, or sentence and claims")
        if example.quote and example.quote not in (example.passage or ""):
            raise DataError(f"{path}, line {number}: the quote is not in the passage, word for word")
        examples.append(example)
    return tuple(examples)


class Instructions:
    """The system prompt of a task, ready to send; the same for every sample, so that providers can cache it."""

    def __init__(self, task: Task, settings: JudgeSettings) -> None:
        path: Path | None = getattr(settings, f"{task}_prompt")
        prompt = load_prompt(task, path)
        tasks = ("extract", "verify") if task == "joint" else (task,)
        examples = [example.text() for example in load_examples(settings.examples) if example.task in tasks]
        self.text = "\n".join([prompt.text(settings), *examples])
        self.signature = prompt.signature + (f".ex{_digest(chr(10).join(examples))}" if examples else "")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
