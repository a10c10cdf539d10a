"""Worked examples in a prompt: data as the model gets it, and the reply in the very form that is asked for."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Literal

from pydantic import ValidationError

from faithmeter.data import jsonl
from faithmeter.datamodels import Label, Model
from faithmeter.errors import DataError, UsageError, first_problem
from faithmeter.judge.fencing import Item, fenced
from faithmeter.llm.protocol import Turn
from faithmeter.llm.settings import JudgeSettings

Task = Literal["extract", "verify", "joint", "rewrite"]

_CODE = "0000"  # marks of examples; those of a request begin with a letter


class Example(Model):
    """A line of an example: a claim with its verdict (`passage`, `claim`, `label`, …), or a sentence with its claims.

    A claim that names its `sentence` too is an example of both. Lines with the same passage and question make one
    worked example, in their order.
    """

    passage: str | tuple[str, ...] | None = None
    question: str | None = None
    sentence: str | None = None
    claim: str | None = None
    claims: tuple[str, ...] | None = None
    reason: str = ""
    label: Label | None = None
    quote: str = ""

    @property
    def passages(self) -> tuple[str, ...]:
        """The passages, however many."""
        return (self.passage,) if isinstance(self.passage, str) else self.passage or ()

    def serves(self, task: Task) -> bool:
        """Whether it is an example of the task."""
        judged = bool(self.passages) and self.claim is not None and self.label is not None and self.claims is None
        stated = self.sentence is not None and (self.claim is None) != (self.claims is None)
        if task == "joint":
            return judged or (stated and bool(self.passages) and self.claims == ())
        return judged if task == "verify" else stated

    def verdict(self, keys: Sequence[str]) -> dict[str, Any]:
        """The verdict as a reply has it."""
        cited = [number for number, text in enumerate(self.passages, 1) if self.quote and self.quote in text][:1]
        row = {"text": self.claim, "reason": self.reason, "label": self.label, "passages": cited, "quote": self.quote}
        return {key: row[key] for key in keys if key != "reason" or self.reason}


def load_examples(path: Path | None) -> tuple[Example, ...]:
    """Read examples from a JSON Lines file."""
    if path is None:
        return ()
    try:
        with path.open("rb") as file:
            return read_examples(file, str(path))
    except OSError as error:
        raise UsageError(f"cannot read the examples {path}: {error}") from None


def read_examples(file: IO[bytes], where: str) -> tuple[Example, ...]:
    """Read and check examples, one a line."""
    examples = []
    for number, line in jsonl.lines(file, where):
        try:
            example = Example.model_validate_json(line)
        except ValidationError as error:
            raise DataError(f"{where}, line {number}: {first_problem(error, whole='line')}") from None
        if not (example.serves("verify") or example.serves("extract")):
            raise DataError(f"{where}, line {number}: give passage, claim and label, or sentence and claims")
        if example.quote and not any(example.quote in passage for passage in example.passages):
            raise DataError(f"{where}, line {number}: the quote is not in the passage, word for word")
        examples.append(example)
    return tuple(examples)


def worked(examples: Sequence[Example], task: Task, settings: JudgeSettings) -> list[str]:
    """The examples of a task as they stand in its prompt."""
    from faithmeter.judge.verdict_schema import fields, menu  # needs what only the LLM extra brings

    keys = [*(["text"] if settings.echoes or task == "joint" else []), *fields(settings)]
    groups: dict[tuple[Any, ...], list[Example]] = {}
    for example in examples:
        if example.serves(task) and (task == "extract" or example.label is None or example.label in menu(settings)):
            groups.setdefault((example.passages if task != "extract" else (), example.question), []).append(example)
    shown = [_worked(passages, question, some, task, keys) for (passages, question), some in groups.items()]
    return [f"Example {number}. Data:\n{data}\nReply:\n{reply}" for number, (data, reply) in enumerate(shown, 1)]


def _worked(
    passages: Sequence[str], question: str | None, examples: Sequence[Example], task: Task, keys: Sequence[str]
) -> tuple[str, str]:
    items = [Item("P", number, text) for number, text in enumerate(passages, 1)]
    items += [Item("Q", None, question)] if question else []
    if task == "verify":
        return _judged(items, examples, _numbers(len(examples)), keys)
    sentences: dict[str, list[Any]] = {}
    for example in examples:
        claims = sentences.setdefault(example.sentence or example.claim or "", [])
        claims += _claims(example, task, keys)
    ids = _numbers(len(sentences))
    rows = [{"sentence": n, "claims": claims} for n, claims in zip(ids, sentences.values(), strict=True)]
    items += [Item("S", n, sentence) for n, sentence in zip(ids, sentences, strict=True)]
    return fenced(items, code=_CODE), json.dumps({"sentences": rows}, ensure_ascii=False)


def turns(examples: Sequence[Example], settings: JudgeSettings) -> tuple[Turn, ...]:
    """The examples of verdicts as turns of a chat, a claim each."""
    from faithmeter.judge.verdict_schema import fields, menu  # needs what only the LLM extra brings

    judged = [example for example in examples if example.serves("verify") and example.label in menu(settings)]
    shown = []
    for id_, example in zip(_numbers(len(judged)), judged, strict=True):
        items = [Item("P", number, text) for number, text in enumerate(example.passages, 1)]
        shown.append(Turn(*_judged(items, [example], [id_], ["text", *fields(settings)])))
    return tuple(shown)


def _judged(
    items: Sequence[Item], examples: Sequence[Example], ids: Sequence[int], keys: Sequence[str]
) -> tuple[str, str]:
    """The data with the claims under their numbers, and the reply."""
    rows = [{"claim": n, **example.verdict(keys)} for n, example in zip(ids, examples, strict=True)]
    claims = [Item("C", n, example.claim or "") for n, example in zip(ids, examples, strict=True)]
    return fenced([*items, *claims], code=_CODE), json.dumps({"verdicts": rows}, ensure_ascii=False)


def _claims(example: Example, task: Task, keys: Sequence[str]) -> Iterator[Any]:
    if example.claim is None:
        yield from example.claims or ()
    else:
        yield example.claim if task == "extract" else example.verdict(keys)


def _numbers(count: int) -> list[int]:
    """Numbers in no order, as a request has them, but the same in every call: what stays the same can be cached."""
    return random.Random(0).sample(range(100, 1000), count)
