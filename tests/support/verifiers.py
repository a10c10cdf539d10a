"""Verifiers that behave in ways a run must bear; their specs are `python:support.verifiers:NAME`."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from faithmeter.datamodels import Label, Origin, Outcome, Pair, Verdict
from faithmeter.errors import EndpointDown
from faithmeter.verify.lexical import LexicalVerifier


class Obedient:
    """Does what a claim says: `wait 0.2`, `wait for FILE`, `die`, `die once FILE`, `die until FILE`, `down`.

    All else is supported.
    """

    signature = "obedient"

    def __init__(self, *, cpu_bound: bool) -> None:
        self.cpu_bound = cpu_bound
        self.most = self.active = 0
        self.threads = 8

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        self.active += 1
        self.most = max(self.most, self.active)
        try:
            for pair in pairs:
                await self._obey(pair.claim.text)
        finally:
            self.active -= 1
        origin = Origin(verifier=f"pid {os.getpid()}, {self.threads} threads")
        return [Verdict(claim=pair.claim, label=Label.SUPPORTED, origin=origin) for pair in pairs]

    async def _obey(self, text: str) -> None:
        _note_the_beginning(text)
        if wait := re.search(r"wait ([\d.]+\d)", text):
            await asyncio.sleep(float(wait[1]))
        if awaited := re.search(r"wait for (\S+)", text):
            await _until(Path(awaited[1]).exists)
        if "down" in text:
            raise EndpointDown("the endpoint is down")
        _die_if_told(text)


async def _until(holds: Callable[[], bool]) -> None:
    while True:
        if holds():
            return
        await asyncio.sleep(0.01)


def _note_the_beginning(text: str) -> None:
    """Add a line to the file that the environment names, if it does."""
    if path := os.environ.get("FAITHMETER_TEST_BEGUN"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text + "\n")


def _die_if_told(text: str) -> None:
    once = re.search(r"die once (\S+)", text)
    if once and not Path(once[1]).exists():
        Path(once[1]).touch()
        os._exit(9)
    if "die always" in text:
        os._exit(9)
    until = re.search(r"die until (\S+)", text)
    if until and not Path(until[1]).exists():
        os._exit(9)


def busy() -> Obedient:
    return Obedient(cpu_bound=True)


def patient() -> Obedient:
    return Obedient(cpu_bound=False)


class SlowLexical(LexicalVerifier):
    """The lexical verifier, taking its time."""

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        await asyncio.sleep(0.03)
        return await super().verify(pairs)


def slow_lexical() -> SlowLexical:
    return SlowLexical()


class HeldLexical(LexicalVerifier):
    """The lexical verifier, which waits once a journal has so many lines: a file says how many, and which."""

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        await _until(_no_more_is_held)
        return await super().verify(pairs)


def _no_more_is_held() -> bool:
    try:
        lines, _, journal = Path(os.environ.get("FAITHMETER_TEST_HOLD", "")).read_text("utf-8").partition(" ")
        return Path(journal).read_bytes().count(b"\n") < int(lines)
    except OSError:  # nobody holds it, or there is no journal yet
        return True


def held_lexical() -> HeldLexical:
    return HeldLexical()
