"""Sync calls over async ones: from anywhere, nested, with what they raise."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest

from faithmeter.runtime import sync


async def doubled(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


def test_a_coroutine_is_waited_for() -> None:
    assert sync.run(doubled(4)) == 8


async def test_it_works_inside_a_running_loop() -> None:
    assert sync.run(doubled(4)) == 8


def test_calls_at_one_depth_share_a_loop() -> None:
    async def loop() -> int:
        return id(asyncio.get_running_loop())

    assert sync.run(loop()) == sync.run(loop())


def test_a_sync_call_inside_a_sync_call_has_a_loop_of_its_own() -> None:
    async def outer() -> tuple[int, int]:
        async def inner() -> int:
            return id(asyncio.get_running_loop())

        return id(asyncio.get_running_loop()), sync.run(inner())

    first, second = sync.run(outer())
    assert first != second


def test_what_is_raised_arrives() -> None:
    async def broken() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        sync.run(broken())
    assert sync.run(doubled(1)) == 2


def test_an_exit_inside_does_not_end_the_loop() -> None:
    async def leaving() -> None:
        sys.exit(3)

    with pytest.raises(SystemExit) as caught:
        sync.run(leaving())
    assert caught.value.code == 3
    assert sync.run(doubled(1)) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # forking with threads is what is tested
def test_a_forked_child_has_loops_of_its_own() -> None:
    assert sync.run(doubled(1)) == 2
    child = os.fork()
    if child == 0:
        os._exit(sync.run(doubled(21)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
