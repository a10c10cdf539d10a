"""The gate: how many at once, how fast, and slower after a 429."""

from __future__ import annotations

import asyncio
import time

import pytest

from faithmeter.llm.rate_limit import Gate, Pace


async def most_at_once(gate: Gate, requests: int) -> int:
    active = most = 0

    async def work() -> None:
        nonlocal active, most
        async with gate.slot(1):
            active += 1
            most = max(most, active)
            await asyncio.sleep(0.002)
            active -= 1
        gate.succeeded(1, 1)

    await asyncio.gather(*(work() for _ in range(requests)))
    return most


async def test_no_more_than_the_limit_at_once() -> None:
    assert await most_at_once(Gate(4), 30) == 4


async def test_fewer_after_a_429_and_slowly_more_again(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(16)
    gate.throttled(0)
    assert gate.limit == 11
    monkeypatch.setattr("faithmeter.llm.rate_limit._CALM", 3600.0)
    gate.throttled(0)
    assert gate.limit == 11, "those under way at the first 429 count once"
    for _ in range(200):
        gate.succeeded(1, 1)
    assert gate.limit == 16


async def test_the_limit_never_falls_below_one() -> None:
    gate = Gate(2)
    for _ in range(5):
        gate._slowed_at = 0.0
        gate.throttled(0)
    assert gate.limit == 1


async def test_everybody_waits_as_long_as_the_endpoint_asks() -> None:
    gate = Gate(8)
    start = time.monotonic()
    gate.throttled(0.1)
    await most_at_once(gate, 4)
    assert time.monotonic() - start >= 0.1


async def test_a_cancelled_wait_gives_its_place_on() -> None:
    gate = Gate(1)
    async with gate.slot(1):
        waiting = [asyncio.create_task(most_at_once(gate, 1)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
    assert await asyncio.wait_for(asyncio.gather(*waiting[1:]), 600) == [1, 1]
    assert gate._active == 0


@pytest.mark.parametrize(("per_minute", "units", "delays"), [
    (None, 1, [0, 0, 0]),
    (60, 1, [0, 1, 2, 3]),  # one a second, the first at once
    (600, 1, [0] * 10 + [0.1, 0.2]),  # a second's worth at once, then ten a second
    (6000, 500, [4, 9]),  # tokens: 100 a second, 100 at once
])  # fmt: skip
def test_the_pace(per_minute: float | None, units: float, delays: list[float]) -> None:
    pace = Pace(per_minute)
    assert [round(pace.delay(units, 100.0), 6) for _ in delays] == pytest.approx(delays)


def test_tokens_that_were_not_used_are_given_back() -> None:
    pace = Pace(60)
    pace.delay(10, 0.0)
    pace.give_back(9)
    assert pace.delay(1, 0.0) == pytest.approx(1)
