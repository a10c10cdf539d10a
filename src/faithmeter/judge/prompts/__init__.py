"""The instructions to the model, as files: read, checked, and fitted to the settings."""

from __future__ import annotations

import hashlib
import re
from importlib import resources
from pathlib import Path

from pydantic import Field, ValidationError

from faithmeter.datamodels import Model
from faithmeter.errors import DataError, UsageError, first_problem
from faithmeter.judge.prompts.examples import Example, Task, load_examples, read_examples, turns, worked
from faithmeter.llm.protocol import Turn
from faithmeter.llm.settings import JudgeSettings, Size

__all__ = ["Example", "Instructions", "Prompt", "Task", "load_examples", "load_prompt", "parse_prompt"]

_FRONT = re.compile(r"\A---[ \t]*\n(?P<head>.*?)^---[ \t]*\n(?P<body>.*)\Z", re.DOTALL | re.MULTILINE)
_CONDITION = re.compile(r"^\[(?P<word>\w+)\] +")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_CONDITIONS = frozenset({"strict", "lenient", "partial", "reasons", "language"})


class Prompt(Model):
    """Instructions for one task.

    A line that begins with `[strict]`, `[lenient]`, `[partial]`, `[reasons]` or `[language]` is for that
    setting only; `{language}` stands for the language that was asked for. With `plain: true` in the front matter,
    brackets and braces mean nothing.
    """

    name: str = Field(pattern=r"^[\w.-]+$")
    """Names the prompt in signatures."""
    version: str = Field(pattern=r"^[\w.-]+$")
    """Changes whenever the words do."""
    language: str = Field(pattern=r"^[a-z]{2,3}(-\w+)*$")
    """The language of the instructions, as an ISO 639 code."""
    plain: bool = False
    """Whether the instructions are sent as they are."""
    body: str = Field(min_length=1)
    """The instructions."""

    @property
    def signature(self) -> str:
        """Name, version and content: a prompt that was changed without a new version still differs."""
        return f"{self.name}.{self.version}.{_digest(self.body)}"

    def text(self, settings: JudgeSettings) -> str:
        """The instructions for these settings."""
        if self.plain:
            return self.body
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


def load_prompt(task: Task, path: Path | None = None, *, size: Size = "full") -> Prompt:
    """Read the prompt of a task: our own in one of its sizes, or a user's file."""
    if path is None:
        return parse_prompt(_own(f"{size}/{task}.md"), f"{size}/{task}.md")
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
    plain = head.get("plain") == "true"
    for line in () if plain else body.splitlines():
        condition = _CONDITION.match(line)
        if condition and condition["word"] not in _CONDITIONS:
            known = ", ".join(sorted(_CONDITIONS))
            raise DataError(f"{where}: unknown condition [{condition['word']}]; known: {known}")
    if unknown := set() if plain else set(_PLACEHOLDER.findall(body)) - {"language"}:
        raise DataError(f"{where}: unknown placeholder {{{sorted(unknown)[0]}}}; known: {{language}}")
    try:
        return Prompt.model_validate({**head, "body": body})
    except ValidationError as error:
        raise DataError(f"{where}: {first_problem(error)}") from None


class Instructions:
    """The system prompt of a task with its worked examples; the same for every call, so that providers can cache it.

    The full and the small size of our own prompt have examples of their own; a user's come after them. Those of the
    small one are turns of the chat.
    """

    def __init__(self, task: Task, settings: JudgeSettings) -> None:
        path: Path | None = getattr(settings, f"{task}_prompt")
        prompt = load_prompt(task, path, size=settings.prompt)
        theirs = load_examples(settings.examples)
        self.turns: tuple[Turn, ...] = ()
        if settings.prompt == "small":
            self.turns = turns([*_own_examples("small/examples.jsonl"), *theirs], settings)
            self.text = prompt.text(settings)
            shown = [text for turn in self.turns for text in turn]
        else:
            ours = _own_examples("full/examples.jsonl") if path is None and settings.prompt == "full" else ()
            shown = worked([*ours, *theirs], task, settings)
            self.text = "\n\n".join([prompt.text(settings), *shown])
        self.signature = prompt.signature + (f".ex{_digest(chr(10).join(shown))}" if shown else "")


def _own(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text("utf-8")


def _own_examples(name: str) -> tuple[Example, ...]:
    with resources.files(__name__).joinpath(name).open("rb") as file:
        return read_examples(file, name)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
