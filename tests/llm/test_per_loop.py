"""What each loop has of its own is closed on it: by hand, with the loop, or when its owner is dropped."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable

import pytest
from support.llm_server import LLMServer

from faithmeter.datamodels import Claim, Pair, Sample, Verdict
from faithmeter.judge.verify import Judge
from faithmeter.llm.per_loop import PerLoop

PAIRS = [Pair(Claim(text="So it is.", start=0, end=9), Sample(answer="So it is.", contexts=["So it is."]))]


class Session:
    """Notes when it is closed, and when it is thrown away open."""

    def __init__(self, noted: list[str]) -> None:
        self.noted = noted
        self.loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()

    async def aclose(self) -> None:
        await asyncio.sleep(0)
        assert asyncio.get_running_loop() is self.loop
        self.loop = None
        self.noted.append("closed")

    def __del__(self) -> None:
        if self.loop:
            self.noted.append("thrown away open")


def sessions(noted: list[str]) -> PerLoop[Session]:
    return PerLoop(lambda: Session(noted), lambda session: session.aclose())


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(120):
        while True:
            if holds():
                return
            await asyncio.sleep(0.01)


async def test_one_that_is_dropped_in_a_cycle_is_closed_on_its_loop() -> None:
    noted: list[str] = []
    owner = sessions(noted)
    owner.cycle = owner  # type: ignore[attr-defined]
    assert await owner.get() is await owner.get()
    gone = weakref.ref(owner)
    del owner
    await asyncio.to_thread(gc.collect)  # from whatever thread
    assert gone() is None
    await until(lambda: noted)
    gc.collect()
    assert noted == ["closed"]


async def test_one_that_was_closed_is_left_alone_when_dropped() -> None:
    noted: list[str] = []
    owner = sessions(noted)
    await owner.get()
    await owner.aclose()
    assert noted == ["closed"]
    await owner.get()
    await owner.aclose()
    del owner
    gc.collect()
    await asyncio.sleep(0)
    assert noted == ["closed", "closed"]


def test_it_is_closed_with_its_loop_and_loops_that_ended_are_forgotten() -> None:
    noted: list[str] = []
    owner = sessions(noted)
    for count in range(1, 4):
        asyncio.run(_use(owner))
        assert noted == ["closed"] * count
    assert len(owner._kept) == 1


async def _use(owner: PerLoop[Session]) -> None:
    await owner.get()


async def test_a_judge_that_is_dropped_in_a_cycle_leaves_no_connection_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faithmeter.llm.client._KEPT", 0)  # of those shared with judges to come
    with LLMServer() as server:
        judge = Judge(f"openai:stub@{server.url}")
        assert isinstance((await judge.verify(PAIRS))[0], Verdict)
        judge.cycle = judge  # type: ignore[attr-defined]
        client = weakref.ref(judge.client)
        line = await judge.client._lines.get()
        session = weakref.ref(line.endpoint)
        del judge, line
        gc.collect()  # a warning of a session that was not closed would fail this test
        assert client() is None
        await until(lambda: session() is None)
