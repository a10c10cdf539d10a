"""Asks for many items until each one has an answer or a reason why not: nothing is lost, nothing is invented."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from faithmeter.datamodels import FailureKind
from faithmeter.errors import StopRun
from faithmeter.judge.parsing import Unreadable, declines
from faithmeter.llm.client import Client
from faithmeter.llm.protocol import Fault, Reply, Request, TimedOut, TooLong

Item = TypeVar("Item")
Item_contra = TypeVar("Item_contra", contravariant=True)
Answer = TypeVar("Answer")

_SPLIT_AFTER = 2  # asks of a whole batch; what is still missing then is asked for in smaller ones
_SMALL = 4


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an item has no answer."""

    kind: FailureKind
    message: str


@dataclass(slots=True)
class ReplyCheck(Generic[Answer]):
    """What a reply says about the items that were asked for, by their index in the question."""

    good: dict[int, Answer] = field(default_factory=dict)
    """Answers that pass every check."""
    doubtful: dict[int, Answer] = field(default_factory=dict)
    """Answers to ask for once more, and then to take as they are."""
    bad: dict[int, Problem] = field(default_factory=dict)
    """Answers that fail a check; indexes in none of the three were left out."""


class Question(Protocol[Item_contra, Answer]):
    """A kind of question: how it is put and how its replies are read."""

    def put(self, items: Sequence[Item_contra]) -> tuple[Request, Any]:
        """The request for these items, and a key for reading the reply to it."""
        ...

    def read(self, reply: Reply, key: Any) -> ReplyCheck[Answer]:
        """What a reply says; raises `Unreadable` if it says nothing that can be read."""
        ...


async def ask_all(
    items: Sequence[Item],
    answers: dict[int, Answer | Problem],
    *,
    client: Client,
    question: Question[Item, Answer],
    batch: int,
    asks: int,
) -> None:
    """Fill in an answer or a problem for each index of `items`; what was answered stays there if the run stops."""
    starts = range(0, len(items), batch)
    await together(
        [
            _Round(client, question, items, answers).settle(list(range(start, min(start + batch, len(items)))), asks)
            for start in starts
        ]
    )


class _Round(Generic[Item, Answer]):
    """The asking about one batch."""

    def __init__(
        self,
        client: Client,
        question: Question[Item, Answer],
        items: Sequence[Item],
        answers: dict[int, Answer | Problem],
    ) -> None:
        self._client = client
        self._question = question
        self._items = items
        self._answers = answers
        self._doubted: set[int] = set()
        self._cited_badly: set[int] = set()

    async def settle(self, indexes: list[int], asks: int, room: int = 1) -> None:
        """Ask about the items at these indexes, again and again where needed, at most `asks` times."""
        problems: dict[int, Problem] = {}
        for ask in range(asks):
            if ask >= _SPLIT_AFTER and len(indexes) > _SMALL:
                return await self._ask_in_parts(indexes, asks - ask, room, size=_SMALL)
            reply = await self._reply(indexes, room)
            if isinstance(reply, Problem):
                return self._give_up(indexes, dict.fromkeys(indexes, reply))
            request_key, answer = reply
            if answer.finish == "refused" or declines(answer.text):
                refused = Problem("refused", "the model declined: " + " ".join(answer.text.split())[:200])
                return self._give_up(indexes, dict.fromkeys(indexes, refused))
            if answer.finish == "length":
                problems = dict.fromkeys(indexes, Problem("truncated", "the reply was cut off"))
                if len(indexes) > 1:
                    return await self._ask_in_parts(indexes, asks - ask, room, size=(len(indexes) + 1) // 2)
                if room > 1:
                    break
                room = 2
                continue
            problems = self._take(indexes, answer, request_key)
            indexes = list(problems)
            if not indexes:
                return None
            if any(problem.kind == "bad_citation" for problem in problems.values()) and len(indexes) > 1:
                return await self._one_by_one(problems, asks - ask - 1, room)
        return self._give_up(indexes, problems)

    async def _reply(self, indexes: list[int], room: int) -> tuple[Any, Reply] | Problem:
        request, key = self._question.put([self._items[index] for index in indexes])
        if room > 1:
            request = _with_room(request, room)
        try:
            return key, await self._client.ask(request)
        except TooLong as fault:
            return Problem("error", f"the contexts do not fit the model's window: {fault}")
        except TimedOut as fault:
            return Problem("timeout", str(fault))
        except Fault as fault:
            return Problem("endpoint", str(fault))

    def _take(self, indexes: list[int], reply: Reply, key: Any) -> dict[int, Problem]:
        """Keep what is good, and give what to ask again, each with its problem so far."""
        try:
            reading = self._question.read(reply, key)
        except Unreadable as error:
            return dict.fromkeys(indexes, Problem("malformed", f"{error}: {_start(reply.text)}"))
        open_: dict[int, Problem] = {}
        for position, index in enumerate(indexes):
            if position in reading.good:
                self._answers[index] = reading.good[position]
            elif position in reading.doubtful:
                self._answers[index] = reading.doubtful[position]
                if index not in self._doubted:
                    self._doubted.add(index)
                    open_[index] = Problem("bad_citation", "the quote is in none of the passages it cites")
            elif index in self._doubted and index in self._answers:
                continue  # it has an answer that is good but for its quote
            else:
                problem = reading.bad.get(position, Problem("missing", "the model left the claim out"))
                if problem.kind == "bad_citation" and index in self._cited_badly:
                    self._answers[index] = problem
                    continue
                if problem.kind == "bad_citation":
                    self._cited_badly.add(index)
                open_[index] = problem
        return open_

    async def _one_by_one(self, problems: Mapping[int, Problem], asks: int, room: int) -> None:
        """Ask for each bad citation on its own, where no other claim is in the way, and for the rest as before."""
        alone = [[index] for index, problem in problems.items() if problem.kind == "bad_citation"]
        rest = [index for index, problem in problems.items() if problem.kind != "bad_citation"]
        if not asks:
            return self._give_up(list(problems), problems)
        await together([self.settle(part, asks, room) for part in [*alone, rest] if part])

    async def _ask_in_parts(self, indexes: list[int], asks: int, room: int, *, size: int) -> None:
        parts = [indexes[start : start + size] for start in range(0, len(indexes), size)]
        await together([self.settle(part, asks, room) for part in parts])

    def _give_up(self, indexes: list[int], problems: Mapping[int, Problem]) -> None:
        for index in indexes:
            self._answers.setdefault(index, problems[index])


async def together(work: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Do all of it at once; the first that stops the run stops the rest."""
    if len(work) == 1:
        return await work[0]
    try:
        async with asyncio.TaskGroup() as group:
            for part in work:
                group.create_task(part)
    except BaseExceptionGroup as errors:
        stops = [error for error in errors.exceptions if isinstance(error, StopRun)]
        raise (stops or errors.exceptions)[0] from None


def _with_room(request: Request, room: int) -> Request:
    """The same request with more room for the reply."""
    tokens = request.settings.get("max_tokens") or max(4096, 4 * request.expected_tokens)
    return replace(request, settings={**request.settings, "max_tokens": tokens * room})


def _start(text: str) -> str:
    return repr(" ".join(text.split())[:120])
