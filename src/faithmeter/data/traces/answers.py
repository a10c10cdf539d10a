"""Finds in the steps of a trace the question, the answer, and what was retrieved for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from faithmeter.data import foreign
from faithmeter.data.chat import asked_in
from faithmeter.data.jsonl import shown
from faithmeter.data.traces.span import Span, answer_in, passages, question_in

ANSWERERS = ("agent", "chain", "llm")


class Unusable(ValueError):
    """Why a trace gives no sample: what is missing, as words to count by, and the details."""

    def __init__(self, what: str, detail: object) -> None:
        super().__init__(f"{what}: {detail}")
        self.what = what
        self.detail = str(detail)


def rows(spans: Sequence[Span]) -> Iterator[dict[str, Any]]:
    """A row for each answer of a trace: mostly one; an Unusable says why there is none."""
    steps = sorted((span for span in spans if span.kind != "evaluator"), key=lambda span: (span.start, span.end))
    if not steps:
        return  # nothing but scores, which somebody has pushed
    known = {span.id for span in steps}
    roots = [span for span in steps if span.parent not in known]
    below = {root.id: _below(root, steps) for root in roots}
    answering = [root for root in roots if root.kind in ANSWERERS]
    several = [root for root in answering if root.kind != "llm" and any(map(_retrieves, below[root.id]))]
    if len(several) > 1:
        for root in several:
            yield _row(root, below[root.id], f"{root.trace}:{root.id}")
        return
    if not answering:
        kinds = ", ".join(sorted({span.kind for span in steps}))
        raise Unusable("no answer", f"there are only steps of other kinds ({kinds})")
    with_words = [root for root in answering if root.output is not None] or answering
    yield _row(max(with_words, key=lambda span: (span.kind != "llm", span.end)), steps, with_words[0].trace)


def _row(root: Span, steps: Sequence[Span], name: str) -> dict[str, Any]:
    llms = sorted((span for span in steps if span.kind == "llm"), key=lambda span: span.end)
    last = llms[-1] if llms else None
    contexts, origins = _contexts(root, steps, last)
    about: dict[str, Any] = {"system": root.system, "trace_id": root.trace, "span_id": root.id}
    if root.extra.get("whole"):  # a Langfuse trace itself, which is no observation
        del about["span_id"]
    about |= {"end_time": root.end} if root.end else {}
    about |= {key: root.extra[key] for key in ("session_id", "start_time", "response_id") if key in root.extra}
    if last and "response_id" in last.extra:
        about.setdefault("response_id", last.extra["response_id"])
    about |= {"documents": origins} if any(origins) else {}
    row = {"id": name, "answer": _answer(root, last), "contexts": contexts, "metadata": {"trace": about}}
    question = question_in(root.input) or (question_in(last.messages or last.input) if last else None)
    return row | ({"question": question} if question else {})


def _answer(root: Span, last: Span | None) -> str:
    source = root
    if root.output is None and last is not None:  # the root recorded nothing: the last words of a model
        source = last
    value = source.output if source.output is not None else source.reply or None
    if value is None:
        raise Unusable("no answer", f"{root.kind} {root.name!r} recorded no output")
    try:
        words = answer_in(value)
    except ValueError as error:
        raise Unusable("no answer", error) from None
    if not isinstance(words, str):
        raise Unusable("no answer", f"the output of {source.kind} {source.name!r} is no text, found {shown(value)}")
    if not words.strip():
        raise Unusable("no answer", f"the output of {source.kind} {source.name!r} is empty")
    return words


def _contexts(root: Span, steps: Sequence[Span], last: Span | None) -> tuple[list[Any], list[list[Any] | None]]:
    """What the answer was made from, and where each is from: the span, and its index in that span's list."""
    try:
        retrieved = list(_retrieved(steps))
        if not retrieved and not any(span.kind in ("retriever", "reranker") for span in steps):
            return list(_handed_over(root, last)), []
    except Unusable:
        raise
    except ValueError as error:
        raise Unusable("an unreadable document", error) from None
    contexts: list[Any] = []
    origins: list[list[Any] | None] = []
    seen = set()
    for passage, span, index in retrieved:
        key = passage if isinstance(passage, str) else (passage["text"], passage.get("id"))
        if key not in seen:
            seen.add(key)
            contexts.append(passage)
            origins.append([span.id, index] if "numbered" in span.extra else None)
    return contexts, origins


def _retrieved(steps: Sequence[Span]) -> Iterator[tuple[Any, Span, int]]:
    """The passages of retrievers, less those that a reranker took out, and what tools gave back."""
    silent = next((span for span in steps if span.kind == "retriever" and span.documents is None), None)
    if silent:
        raise Unusable("no documents", f"retriever {silent.name!r} recorded none")
    out = {_text(item) for span in steps for item in span.reranked or ()}
    out -= {_text(item) for span in steps if span.kind == "reranker" for item in span.documents or ()}
    retrieving = [span for span in steps if _retrieves(span)]
    for span in steps:
        for index, passage in enumerate(passages(span.documents or [], span) if _retrieves(span) else ()):
            if _text(passage) not in out:
                yield passage, span, index
        if span.kind == "tool" and span.output is not None:
            inside = {step.id for step in _below(span, steps)}
            # What a model wrote inside a tool is no source; what was retrieved there has come as such.
            second_hand = any(step.id in inside and (step in retrieving or step.kind == "llm") for step in steps)
            if not second_hand and (words := _tool_words(span.output).strip()):
                yield words, span, 0


def _handed_over(root: Span, last: Span | None) -> Iterator[Any]:
    """Without steps that retrieve: what the last prompt hands over, or what the root says it has retrieved."""
    told: list[Any] = []
    if last and last.messages:
        told = asked_in(last.messages)["contexts"]
    for value in (root.output, root.input):
        if not told and isinstance(value, Mapping):
            named = foreign.first_of(value, *foreign.ALIASES["contexts"])
            told = foreign.contexts(named) if named is not None else []
    if not told:
        raise Unusable("no retrieval", "there is no retriever or tool, and no prompt hands passages over")
    yield from told


def _retrieves(span: Span) -> bool:
    return span.kind in ("retriever", "reranker") or (span.documents is not None and span.kind != "evaluator")


def _below(root: Span, steps: Sequence[Span]) -> list[Span]:
    """The steps under a step."""
    inside, below = {root.id}, list[Span]()
    waiting = list(steps)
    while newly := [span for span in waiting if span.parent in inside and span.id not in inside]:
        inside |= {span.id for span in newly}
        below += newly
        waiting = [span for span in waiting if span.id not in inside]
    return sorted(below, key=lambda span: (span.start, span.end))


def _text(item: Any) -> str:
    """The words of a document, to tell whether two are the same."""
    if isinstance(item, str):
        return item
    inner = item if isinstance(item, Mapping) else {}
    return str(next((inner[name] for name in ("text", "page_content", "content") if inner.get(name)), item))


def _tool_words(value: Any) -> str:
    words = answer_in(value) if isinstance(value, Mapping) else foreign.text(value)
    if isinstance(words, str):
        return words
    return json.dumps(value, ensure_ascii=False, default=str)
