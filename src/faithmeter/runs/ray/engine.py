"""Runs on Ray: parts of the data are handed to actors on a cluster, each writes its results, none is counted twice.

Ray delivers work at least once. A part is one idempotent unit (see `parts`), so that a worker or a node that dies
costs the parts it had in hand and nothing else, and the same command run again does only what is missing.
The data and the output folder must be on paths that every node sees. From outside a cluster, through Ray's client, the
run is driven by an actor on the head node: Ray Data does not work through the client.
"""

from __future__ import annotations

import os
import pickle
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from faithmeter.data.files import replacing
from faithmeter.data.intake import described
from faithmeter.data.selection import Selection
from faithmeter.data.sources import find
from faithmeter.errors import DataError, FaithmeterError, OutputError, RowError, StopRun, UsageError
from faithmeter.llm.settings import parse_spec
from faithmeter.results import Result, Tally
from faithmeter.runs.engines import Job, Workers
from faithmeter.runs.ray.folder import TRY, Folder
from faithmeter.runs.ray.link import CLIENT, linked
from faithmeter.runs.ray.parts import (
    Format,
    Part,
    ReadOptions,
    Survey,
    count_part,
    plan,
    read_part,
    read_results,
    survey_file,
    write_part,
)
from faithmeter.runs.runner import Judges
from faithmeter.runs.worker import KEEP, Specs, Trouble
from faithmeter.runtime import sync
from faithmeter.runtime.specs import judge_of, with_options

TRIES = 2  # of a part, before its samples are judged in a process of their own, which may die
BAD_ROWS = "bad-rows.jsonl"
POLL_SECONDS = 0.5  # between looks at a run that is driven from the head node
_HEAD = "node:__internal_head__"  # a resource that Ray gives to every head node

Tell = Callable[["RayReport"], None]


@dataclass(frozen=True, kw_only=True)
class RayRun:
    """What to judge on Ray, and where the results go."""

    engine: str
    """`ray`: start one here; `ray://HOST:PORT`, `HOST:PORT` or `auto`: join a cluster."""
    data: Sequence[str]
    folder: Path
    specs: Specs
    signature: str
    reading: ReadOptions
    selection: Selection = field(default_factory=Selection)
    bad_rows: str = "error"
    """error: stop, skip: leave them out, report: list them in the folder, too."""
    fresh: bool = False
    """Drop the results that are there."""
    retry_failed: bool = False
    """Judge again the answers that could not be judged in full."""
    kind: Format = "jsonl"
    workers: int | None = None
    """Actors; None: one for each CPU, less one a node, which Ray Data needs when a node dies."""
    min_score: float | None = None


@dataclass
class RayReport:
    """How a run on Ray ended, or how it is getting on."""

    tally: Tally
    bad: list[RowError]
    parts: int = 0
    done: int = 0
    """Parts whose results are there."""
    reused: int = 0
    """Of those, the parts that were there before."""
    rows: int = 0
    files: list[Path] = field(default_factory=list)
    """The parts' results, in the input's order."""

    def results(self) -> Iterator[Result]:
        """All results, in the input's order."""
        return chain.from_iterable(map(read_results, self.files))


@dataclass(frozen=True)
class WorkerSetup:
    """What every worker has to know."""

    specs: Specs
    reading: ReadOptions
    folder: Folder
    cwd: str
    """The driver's working folder, for relative paths."""
    path: list[str]
    """The driver's module path."""

    def enter(self) -> None:
        """Make a worker process look like the driver's."""
        _enter(self.cwd, self.path)


def _enter(cwd: str, path: Sequence[str]) -> None:
    with suppress(OSError):
        os.chdir(cwd)
    sys.path.extend(item for item in path if item not in sys.path)


class PartJudge:
    """An actor: one evaluator, and with it one model session or one rate-limited client."""

    def __init__(self, job: WorkerSetup) -> None:
        job.enter()
        self.job = job
        self.judges = Judges(job.specs.build(), job.specs, None)
        self.judges = self.judges._replace(workers=1) if self.judges.cpu_bound else self.judges

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """Judge one part; what ends the run comes back as a value, since Ray would try an exception again."""
        part: Part = pickle.loads(batch["part"][0])
        try:
            if not self.job.folder.file(part).exists():
                self._judge(part)
        except FaithmeterError as error:
            return {"number": [part.number], "error": [str(error)], "stops": [isinstance(error, StopRun)]}
        return {"number": [part.number], "error": [""], "stops": [False]}

    def _judge(self, part: Part) -> None:
        folder = self.job.folder
        marks = f"{TRY}{part.digest}-"
        tries = len(list(folder.path.glob(f"{marks}*")))
        (folder.path / f"{marks}{uuid.uuid4().hex}").touch()
        engine = self.judges.engine(small=True)
        if tries >= TRIES:
            engine = Workers(self.job.specs, count=1, signature=self.judges.evaluator.signature)
        kept, lines = folder.kept(part), dict[int, bytes]()

        async def jobs() -> AsyncIterator[Job]:
            for number, sample in enumerate(read_part(part, self.job.reading)):
                if sample.id in kept:
                    lines[number] = kept[sample.id]
                else:
                    yield Job(number, sample)

        async def judge() -> None:
            async for judged in engine.judge(jobs(), stopping=lambda: False):
                lines.update(zip((job.number for job in judged.jobs), judged.batch.lines, strict=True))

        sync.run(judge())
        write_part(folder.path, part, [lines[number] for number in sorted(lines)], folder.kind)
        for mark in folder.path.glob(f"{marks}*"):
            mark.unlink(missing_ok=True)


def run_on_ray(run: RayRun, *, tell: Tell = lambda report: None) -> RayReport:
    """Judge a data set on Ray; `tell` is called as parts are finished."""
    return _from_outside(run, tell) if run.engine.startswith(CLIENT) else _drive(run, tell)


def _drive(run: RayRun, tell: Tell) -> RayReport:
    folder = Folder(run.folder.resolve(), run.kind)
    with folder.locked(), linked(run.engine) as ray:
        actors = run.workers or _actors(ray)
        job = WorkerSetup(_shared(run.specs, actors), run.reading, folder, os.getcwd(), list(sys.path))
        surveys = _surveyed(ray, run, job)
        parts = plan(surveys, reading=run.reading, selection=run.selection, signature=run.signature)
        report = RayReport(Tally(min_score=run.min_score, keep=KEEP), _bad(surveys, run, folder), len(parts))
        report.rows = sum(part.count for part in parts)
        report.files = [run.folder / part.file_name(run.kind) for part in parts]
        if run.fresh:
            folder.forget()
        folder.take_back(parts)
        if run.retry_failed:
            _reopen_failed(ray, job, parts)
        todo = [part for part in parts if not folder.file(part).exists()]
        report.reused = report.done = len(parts) - len(todo)
        tell(report)
        for _ in _judged(ray, job, todo, min(actors, len(todo))):
            report.done += 1
            tell(report)
        _count(ray, job, parts, report)
        folder.write_manifest(_manifest(run, parts, report))
        folder.clear_up(parts)
        return report


# --- from outside -----------------------------------------------------------------------------------


class Driver:
    """An actor on the head node that drives a run for somebody outside the cluster."""

    def __init__(self, run: RayRun, cwd: str, path: Sequence[str]) -> None:
        _enter(cwd, path)
        self.run = run
        self.latest: RayReport | None = None

    def drive(self) -> RayReport | Trouble:
        """The whole run; what ends it comes back as a value."""
        try:
            return _drive(replace(self.run, engine="auto"), self._note)
        except FaithmeterError as error:
            return Trouble(str(error), isinstance(error, StopRun))

    def _note(self, report: RayReport) -> None:
        self.latest = replace(report, files=[])

    def progress(self) -> RayReport | None:
        """How the run is getting on; None before there is anything to tell."""
        return self.latest


def _from_outside(run: RayRun, tell: Tell) -> RayReport:
    """Have the run driven on the head node; it ends with this connection."""
    run = replace(run, folder=run.folder.absolute())
    with linked(run.engine) as ray:
        # no CPU: all are for the parts; two threads: one drives, one answers
        options = {"num_cpus": 0, "max_concurrency": 2, "resources": {_HEAD: 0.001}}
        driver = ray.remote(Driver).options(**options).remote(run, os.getcwd(), list(sys.path))
        outcome = driver.drive.remote()
        while not ray.wait([outcome], timeout=POLL_SECONDS)[0]:
            if report := ray.get(driver.progress.remote()):
                tell(report)
        reply: RayReport | Trouble = ray.get(outcome)
    if isinstance(reply, Trouble):
        raise StopRun(reply.message) if reply.stops else FaithmeterError(reply.message)
    return reply


# --- the steps --------------------------------------------------------------------------------------


def _actors(ray: Any) -> int:
    nodes = sum(bool(node["Alive"]) for node in ray.nodes())
    return max(1, int(ray.cluster_resources().get("CPU", 1)) - nodes)


def _shared(specs: Specs, actors: int) -> Specs:
    """The specs for one of several actors: an LLM's limits are for the whole cluster, so each gets its share."""
    return specs._replace(verifier=_share(specs.verifier, actors), extractor=_share(specs.extractor, actors))


def _share(spec: str, actors: int) -> str:
    if spec.startswith("profile:"):
        inner, at, file = spec.removeprefix("profile:").rpartition("@")
        return f"profile:{_share(inner, actors)}{at}{file}"
    judge = judge_of(spec)
    if not judge:
        return spec
    _, settings = parse_spec(judge)
    shares = [f"concurrency={max(1, settings.concurrency // actors)}"]
    for name in ("requests_per_minute", "tokens_per_minute"):
        limit = getattr(settings, name)
        shares += [f"{name}={limit / actors}"] if limit else []
    return with_options(spec, shares)


def _surveyed(ray: Any, run: RayRun, job: WorkerSetup) -> list[Survey]:
    """Read every file once, on the cluster."""
    names = [source.name for source in find(list(run.data))]
    if "-" in names:
        raise UsageError("standard input cannot be read on Ray; write it to a file first")

    def task(name: str) -> Survey | FaithmeterError:
        job.enter()
        try:
            return survey_file(name, job.reading)
        except FaithmeterError as error:
            return DataError(str(error))  # a value: Ray would try an exception again

    remote = ray.remote(num_cpus=1)(task)
    surveys = ray.get([remote.remote(name) for name in names])
    for survey in surveys:
        if isinstance(survey, FaithmeterError):
            raise survey
    if not any(survey.keys for survey in surveys):
        raise DataError(f"{', '.join(names)} has no rows; expected rows with 'answer' and 'contexts'")
    return list(surveys)


def _bad(surveys: Sequence[Survey], run: RayRun, folder: Folder) -> list[RowError]:
    """The bad rows, if they may be left out."""
    bad = [survey.bad[row] for survey in surveys for row in sorted(survey.bad)]
    if bad and run.bad_rows == "error":
        raise bad[0]
    if bad and run.bad_rows == "report":
        try:
            with replacing(folder.path / BAD_ROWS, "wb") as file:
                file.writelines(described(row) + b"\n" for row in bad)
        except OSError as error:
            raise OutputError(f"{folder.path}: cannot be written: {error.strerror}") from None
    return bad


def _reopen_failed(ray: Any, job: WorkerSetup, parts: Sequence[Part]) -> None:
    """Have the parts done again that hold answers not judged in full."""

    def task(group: list[Part]) -> list[Part]:
        tallies = [(part, count_part(job.folder.file(part), None)) for part in group]
        return [part for part, tally in tallies if tally.statuses["failed"] or tally.statuses["partial"]]

    for group in _in_groups(ray, task, [part for part in parts if job.folder.file(part).exists()]):
        for part in group:
            job.folder.reopen(part)


def _in_groups(ray: Any, task: Callable[[list[Part]], Any], parts: Sequence[Part]) -> Iterator[Any]:
    """What a task returns for the parts, 64 at a time."""
    remote = ray.remote(num_cpus=1)(task)
    yield from ray.get([remote.remote(list(parts[start : start + 64])) for start in range(0, len(parts), 64)])


def _judged(ray: Any, job: WorkerSetup, todo: Sequence[Part], actors: int) -> Iterator[int]:
    """The numbers of the parts, as they are finished."""
    if not todo:
        return
    items = [{"part": pickle.dumps(part)} for part in todo]
    data = ray.data.from_items(items, override_num_blocks=len(items))  # one block would mean one actor
    done = data.map_batches(
        PartJudge,
        fn_constructor_args=(job,),
        batch_size=1,
        compute=ray.data.ActorPoolStrategy(size=actors),
        num_cpus=1,
    )
    for row in done.iter_rows():
        if row["error"]:
            raise StopRun(row["error"]) if row["stops"] else FaithmeterError(row["error"])
        yield int(row["number"])


def _count(ray: Any, job: WorkerSetup, parts: Sequence[Part], report: RayReport) -> None:
    """Add up what is on disk, so that no number depends on how often Ray did what."""
    limit = report.tally.min_score

    def task(group: list[Part]) -> Tally:
        tally = Tally(min_score=limit, keep=KEEP)
        for part in group:
            tally_of_part = count_part(job.folder.file(part), limit)
            if tally_of_part.count != part.count:
                raise ValueError(f"{job.folder.file(part)} has {tally_of_part.count} results, expected {part.count}")
            tally.merge(tally_of_part)
        return tally

    for tally in _in_groups(ray, task, parts):
        report.tally.merge(tally)


def _manifest(run: RayRun, parts: Sequence[Part], report: RayReport) -> dict[str, Any]:
    return {
        "signature": run.signature,
        "rows": report.rows,
        "bad_rows": len(report.bad),
        "numbers": report.tally.as_dict(),
        "parts": [{"file": part.file_name(run.kind), "rows": part.count, "data": part.name} for part in parts],
    }
