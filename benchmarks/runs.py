"""Measures what a run promises: nothing lost when killed, little memory, little overhead, every core used.

    python benchmarks/runs.py kills --verifier lexical     20 kills of a run of 1,000 answers, resumed each time
    python benchmarks/runs.py kills --verifier llm         the same through an endpoint on loopback that counts calls
    python benchmarks/runs.py memory                       100,000 answers through `eval --verifier lexical`
    python benchmarks/runs.py rate --verifier local        verifier alone, evaluator alone, runs on 1 and 2 cores

Prints JSON. CPU seconds are given beside wall seconds: on a busy machine only the former can be compared.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.killing import by_id, eval_command, judgement, kill_and_resume, lines_of, make_rows, write_rows

from faithmeter.datamodels import Pair, Sample
from faithmeter.evaluator import Evaluator
from faithmeter.runs.worker import single_threaded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["kills", "memory", "rate"])
    parser.add_argument("--verifier", default="lexical")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    given = parser.parse_args()
    os.environ["FAITHMETER_CACHE"] = "off"
    with tempfile.TemporaryDirectory(prefix="faithmeter-runs-") as name:
        folder = Path(name)
        if given.what == "kills":
            found = kills(folder, verifier=given.verifier, rows=given.rows or 1000, kills=given.kills)
        elif given.what == "memory":
            found = memory(folder, verifier=given.verifier, rows=given.rows or 100_000)
        else:
            rows, repeats = given.rows or 1000, given.repeats
            found = rate(folder, verifier=given.verifier, rows=rows, workers=given.workers, repeats=repeats)
    print(json.dumps({"what": given.what, "of": given.verifier, "load": os.getloadavg()[0], **found}, indent=1))


# --- kills ------------------------------------------------------------------------------------------


def kills(folder: Path, *, verifier: str, rows: int, kills: int) -> dict[str, Any]:
    """Kill a run at random moments, resume it each time, and compare with one that was left alone."""
    made = make_rows(rows)
    data, output, reference = write_rows(folder / "in.jsonl", made), folder / "out.jsonl", folder / "reference.jsonl"
    with _endpoint(verifier) as (spec, calls):
        subprocess.run(eval_command(data, reference, "-v", spec), check=True)
        needed, before = calls(), calls()
        log = kill_and_resume(eval_command(data, output, "-v", spec), output, total=rows, kills=kills)
        paid = calls() - before
    expected, final = by_id(lines_of(reference)), lines_of(output)
    return {
        "rows": rows,
        "kills": len(log.finished),
        "finished_at_each_kill": log.finished,
        "results": len(final),
        "twice": len(final) - len(by_id(final)),
        "in_order": [item["sample"]["id"] for item in final] == [row["id"] for row in made],
        "changed_since_a_kill": log.changed,
        "unlike_an_undisturbed_run": sum(
            judgement(item) != judgement(expected[item["sample"]["id"]]) for item in final
        ),
        "calls_needed": needed,
        "calls_paid": paid,
        "seconds": round(log.seconds, 1),
    }


@contextmanager
def _endpoint(verifier: str) -> Iterator[tuple[str, Any]]:
    """The verifier's spec, and how many calls it has made so far."""
    if verifier != "llm":
        yield verifier, lambda: 0
        return
    from support.llm_server import Behaviour, LLMServer

    os.environ["OPENAI_API_KEY"] = "no-key"
    with LLMServer(behaviour=Behaviour(latency=0.05), record=False) as server:
        yield f"openai:stub@{server.url}", lambda: sum(server.counts.values())


# --- memory -----------------------------------------------------------------------------------------


def memory(folder: Path, *, verifier: str, rows: int) -> dict[str, Any]:
    """Stream many answers through, and look at what the processes hold together, twenty times a second."""
    data = folder / "in.jsonl"
    with data.open("w", encoding="utf-8") as file:
        for start in range(0, rows, 1000):
            for row in make_rows(min(1000, rows - start), seed=start):
                file.write(json.dumps({**row, "id": f"row-{start}-{row['id']}"}) + "\n")
    command = eval_command(data, folder / "out.jsonl", "-v", verifier, "--json")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peaks: dict[str, float] = {"together": 0.0, "run": 0.0, "largest_worker": 0.0}
    while process.poll() is None:
        own, workers = _resident(process.pid), [_resident(pid) for pid in _children(process.pid)]
        peaks["together"] = max(peaks["together"], own + sum(workers))
        peaks["run"] = max(peaks["run"], own)
        peaks["largest_worker"] = max([peaks["largest_worker"], *workers])
        time.sleep(0.05)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process.stdout
    numbers = json.loads(process.stdout.read())
    return {
        "rows": numbers["samples"],
        "megabytes_read": round(data.stat().st_size / 1e6),
        "peak_megabytes": {name: round(value / 1e6, 1) for name, value in peaks.items()},
        "seconds": round(time.perf_counter() - started, 1),
        "cpu_seconds": round(_cpu(after) - _cpu(before), 1),
    }


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _resident(pid: int) -> float:
    """Bytes in memory; 0 for a process that has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0.0


def _cpu(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime


# --- rate -------------------------------------------------------------------------------------------


def rate(folder: Path, *, verifier: str, rows: int, workers: Sequence[int], repeats: int) -> dict[str, Any]:
    """Answers a second: of the verifier alone, of extraction and verification, and of whole runs.

    What is measured takes turns: the load of a shared machine falls on all alike.
    """
    made = make_rows(rows)
    data = write_rows(folder / "in.jsonl", made)
    alone = asyncio.run(_prepared(verifier, made))
    tries: dict[str, list[Cost]] = {}
    for _ in range(repeats):
        for name, judging in alone.items():
            tries.setdefault(name, []).append(_timed(judging))
        for count in workers:
            few = write_rows(folder / "few.jsonl", made[: 2 * count])  # what it costs to start
            tries.setdefault(f"start {count}", []).append(_run(few, folder / "few-out.jsonl", verifier, count))
            tries.setdefault(f"run {count}", []).append(_run(data, folder / "out.jsonl", verifier, count))
    found = {name: _figures(_best(tries[name]), rows) for name in alone}
    runs = {}
    for count in workers:
        start, whole = _best(tries[f"start {count}"]), _best(tries[f"run {count}"])
        runs[count] = _figures(Cost(whole.wall - start.wall, whole.cpu - start.cpu), rows - 2 * count)
    return {"rows": rows, **found, "runs": runs}


class Cost(NamedTuple):
    """What something took, in seconds."""

    wall: float
    cpu: float


async def _prepared(verifier: str, made: Sequence[dict[str, Any]]) -> dict[str, Callable[[], Awaitable[None]]]:
    """Ways to judge all rows on one thread without a run: the verifier, with extraction, and the whole evaluator."""
    evaluator = single_threaded(Evaluator(verifier=verifier))
    samples = [Sample.model_validate(row) for row in made]
    await evaluator.check(samples[0])  # loads the model

    async def pairs(sample: Sample) -> list[Pair]:
        extraction = await evaluator.extractor.extract(sample)
        return [Pair(claim, sample) for claim in getattr(extraction, "claims", ())]

    extracted = [await pairs(sample) for sample in samples]

    async def verify() -> None:
        for claims in extracted:
            await evaluator.verifier.verify(claims)

    async def extract_and_verify() -> None:
        for sample in samples:
            await evaluator.verifier.verify(await pairs(sample))

    async def check() -> None:
        for sample in samples:
            await evaluator.check(sample)

    return {"verifier": verify, "verifier with extraction": extract_and_verify, "evaluator": check}


def _timed(judging: Callable[[], Awaitable[None]]) -> Cost:
    async def measured() -> Cost:
        wall, cpu = time.perf_counter(), time.process_time()
        await judging()
        return Cost(time.perf_counter() - wall, time.process_time() - cpu)

    return asyncio.run(measured())


def _figures(cost: Cost, rows: int) -> dict[str, float]:
    return {"answers_a_second": round(rows / cost.wall, 1), "cpu_ms_an_answer": round(1000 * cost.cpu / rows, 3)}


def _best(tries: Sequence[Cost]) -> Cost:
    """The least wall and CPU seconds: what disturbs a measurement only ever adds to it."""
    return Cost(min(cost.wall for cost in tries), min(cost.cpu for cost in tries))


def _run(data: Path, output: Path, verifier: str, workers: int) -> Cost:
    """What a run takes."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = eval_command(data, output, "-v", verifier, "--workers", str(workers), "--fresh")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return Cost(time.perf_counter() - started, _cpu(resource.getrusage(resource.RUSAGE_CHILDREN)) - _cpu(before))


if __name__ == "__main__":
    main()
