"""The pipeline: bounded, overlapping, no head-of-line blocking; what dies, hangs or stops leaves the rest intact."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.killing import make_rows
from support.verifiers import Obedient

from faithmeter import Report, Sample, aevaluate, evaluate
from faithmeter.data.selection import Selection
from faithmeter.errors import RowError, StopRun, UsageError
from faithmeter.runs.engines import CHUNK_LIMIT
from faithmeter.runs.journal import Journal
from faithmeter.runs.read_ahead import AHEAD
from faithmeter.runs.runner import SMALL, Judges, Run

BUSY, PATIENT = "python:support.verifiers:busy", "python:support.verifiers:patient"


def row(number: int, answer: str = "It is so.") -> dict[str, Any]:
    return {"id": f"r{number}", "answer": answer, "contexts": ["c"]}


def samples(count: int, **answers: str) -> list[Sample]:
    return [Sample.model_validate(row(number, answers.get(f"r{number}", "It is so."))) for number in range(count)]


def told(report: Report) -> list[dict[str, Any]]:
    return [result.model_dump(exclude={"usage"}) for result in report]


def test_one_process_or_several_give_the_same_report() -> None:
    rows = make_rows(80)
    one, two = (evaluate(rows, verifier="lexical", workers=workers, min_score=0.5) for workers in (1, 2))
    assert told(one) == told(two)
    assert [result.sample.id for result in two] == [item["id"] for item in rows]
    assert (one.mean, one.pass_rate, one.worst(5)[0].sample.id) == (two.mean, two.pass_rate, two.worst(5)[0].sample.id)


def test_processes_are_used_for_many_samples_and_have_one_thread_each() -> None:
    many = evaluate(samples(3 * SMALL), verifier=BUSY, workers=2)
    pids = {result.verdicts[0].origin.verifier for result in many}
    assert len(pids) == 2
    assert all(pid.endswith(", 1 threads") for pid in pids)
    few = evaluate(samples(3), verifier=BUSY)
    assert len({result.verdicts[0].origin.verifier for result in few}) == 1


async def test_a_hanging_head_does_not_block_the_others(tmp_path: Path) -> None:
    run = Run(Judges.of(PATIENT, "sentences", "plain", workers=4))
    finished: list[str] = []
    async for judged in run.over(iter(samples(60, r0=f"Please wait for {tmp_path}/go now."))):
        finished += [job.sample.id for job in judged.jobs]
        if len(finished) == 59:
            (tmp_path / "go").touch()
    assert finished[-1] == "r0"
    assert sorted(finished) == sorted(f"r{number}" for number in range(60))


class Gathering(Obedient):
    """Judges nothing before seven are asked of it at once."""

    gathered = False

    async def _obey(self, text: str) -> None:
        async with asyncio.timeout(600):
            while not self.gathered:
                self.gathered = self.active == 7
                await asyncio.sleep(0.001)
        await super()._obey(text)


async def test_no_more_is_read_than_there_is_room_for() -> None:
    read = 0

    def rows() -> Iterator[Sample]:
        nonlocal read
        for item in samples(5000, **{f"r{number}": "wait 0.01" for number in range(5000)}):
            read += 1
            yield item

    verifier = Gathering(cpu_bound=False)
    run = Run(Judges.of(verifier, "sentences", "plain", workers=7))
    async for _ in run.over(rows()):
        assert read - run.judged <= 2 * AHEAD + 7 + 2
        if run.judged >= 50:
            break
    assert verifier.most == 7


async def test_a_slow_source_does_not_hold_up_what_is_in_flight() -> None:
    seen = threading.Event()

    def rows() -> Iterator[Sample]:
        yield samples(1)[0]
        assert seen.wait(600)  # blocks its thread, as standard input does
        yield samples(2)[1]

    found = Run(Judges.of(PATIENT, "sentences", "plain")).over(rows())
    ids = []
    async for batch in found:
        ids += [job.sample.id for job in batch.jobs]
        seen.set()
    assert ids == ["r0", "r1"]


async def test_async_sources_and_bad_rows() -> None:
    async def stream() -> AsyncIterator[dict[str, Any]]:
        for number in range(5):
            await asyncio.sleep(0)
            yield row(number)
        yield {"answer": "no contexts"}

    with pytest.raises(RowError, match="row 6: no column 'contexts'"):
        await aevaluate(stream(), verifier="lexical")


def test_a_process_that_dies_is_replaced_and_what_kills_it_is_a_failure(tmp_path: Path) -> None:
    deadly = {"r3": "You die always here.", "r50": f"You die once {tmp_path / 'died'} here."}
    report = evaluate(samples(100, **deadly), verifier=BUSY, workers=2)
    assert [result.sample.id for result in report] == [f"r{number}" for number in range(100)]
    assert [result.sample.id for result in report if result.failures] == ["r3"]
    assert report.results[3].failures[0].message == "the worker process died twice (exit code 9)"
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize("spec", [BUSY, PATIENT])
async def test_when_the_endpoint_is_down_the_run_ends_and_keeps_what_is_finished(spec: str, tmp_path: Path) -> None:
    with Journal(tmp_path / "out.jsonl") as journal:
        run = Run(Judges.of(spec, "sentences", "plain", workers=2), journal=journal)
        with pytest.raises(StopRun, match="the endpoint is down"):
            async for _ in run.over(iter(samples(400, r200="It is down."))):
                pass
    kept = (tmp_path / "out.jsonl.journal").read_bytes().count(b"\n")
    assert kept == run.judged
    assert 100 < kept < 400


async def test_stopping_finishes_what_is_in_flight_and_takes_no_more() -> None:
    run = Run(Judges.of(PATIENT, "sentences", "plain", workers=5))
    async for _ in run.over(iter(samples(1000, **{f"r{number}": "wait 0.01" for number in range(1000)}))):
        if run.judged == 20:
            run.stop("enough")
    assert 20 <= run.judged <= 20 + 2 * 5  # all five in flight, and what they finished at the same moment


async def test_fail_fast_and_max_failures() -> None:
    rows = make_rows(200)
    rows[60]["answer"] = "Nothing of that kind."
    data = [Sample.model_validate(item) for item in rows]
    judges = Judges.of("lexical", "sentences", "plain", workers=1)
    run = Run(judges, min_score=0.01, fail_fast=True)
    async for _ in run.over(iter(data)):
        pass
    assert run.stopped == "an answer scored 0.00, below 0.01"
    assert run.judged < 61 + CHUNK_LIMIT
    broken = Judges.of(Broken(), "sentences", "plain", workers=1)
    for options, most in (({"fail_fast": True}, 4), ({"max_failures": 10}, 14)):
        run = Run(broken, **options)  # type: ignore[arg-type]
        async for _ in run.over(iter(data)):
            pass
        assert run.judged <= most
        assert run.stopped
        assert "could not be judged in full" in run.stopped


class Broken:
    signature = "broken"

    async def verify(self, pairs: Any) -> Any:
        raise RuntimeError("no memory")


def test_errors_at_the_start_of_a_worker_reach_the_caller(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown verifier 'nobody'"):
        evaluate(samples(2), verifier="nobody")
    with pytest.raises(UsageError, match="at least one worker"):
        evaluate(samples(2), verifier="lexical", workers=0)


def test_selections() -> None:
    data = samples(100)
    assert [item.id for item in Selection(shard=(2, 4)).of(iter(data))] == [f"r{n}" for n in range(1, 100, 4)]
    drawn = [item.id for item in Selection(sample=10, seed=3).of(iter(data))]
    assert len(set(drawn)) == 10
    assert drawn == sorted(drawn, key=lambda name: int(name[1:]))
    assert set(drawn) < {item.id for item in Selection(sample=20, seed=3).of(iter(reversed(data)))}
    assert drawn != [item.id for item in Selection(sample=10, seed=4).of(iter(data))]
    assert [item.id for item in Selection(limit=2).of(iter(data))] == ["r0", "r1"]
    assert Selection(sample=10, limit=4).most == 4
    shards = [item.id for number in (1, 2, 3) for item in Selection(shard=(number, 3)).of(iter(data))]
    assert sorted(shards) == sorted(item.id for item in data)
