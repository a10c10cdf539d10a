"""Runs on Ray: parts of the data are handed to actors on a cluster, each writes its results, none is counted twice.

Ray delivers work at least once. A part is one idempotent unit (see `parts`), so that a worker or a node that dies
costs the parts it had in hand and nothing else, and the same command run again does only what is missing.
The data and the output folder must be on paths that every node sees.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import re
import socket
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from faithmeter import sync
from faithmeter.errors import DataError, FaithmeterError, MissingExtra, OutputError, RowError, StopRun, UsageError
from faithmeter.llm.settings import PROVIDERS, parse_spec, with_options
from faithmeter.results import Result, Tally
from faithmeter.runs.engines import Ticket, Workers
from faithmeter.runs.parts import (
    Format,
    Part,
    Reading,
    Survey,
    count_part,
    plan,
    read_part,
    read_results,
    survey,
    write_part,
)
from faithmeter.runs.runner import Judges, cores
from faithmeter.runs.selection import Selection
from faithmeter.runs.sources import find
from faithmeter.runs.worker import KEEP, Specs

MANIFEST = "manifest.json"
UNUSED = "unused"
PART_SIZE = 256
TRIES = 2  # of a part, before its samples are judged in a process of their own, which may die

# Set before Ray is imported: nothing is reported to anybody, and no warning is given about GPUs.
_ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
# Despite its name, what keeps Ray on the loopback interface on every system.
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


@dataclass(frozen=True, kw_only=True)
class RayRun:
    """What to judge on Ray, and where the results go."""

    engine: str
    """`ray`: start one here; `ray://HOST:PORT`, `HOST:PORT` or `auto`: join a cluster."""
    data: Sequence[str]
    folder: Path
    specs: Specs
    signature: str
    reading: Reading
    selection: Selection = field(default_factory=Selection)
    bad_rows: str = "error"
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
class Job:
    """What every worker has to know."""

    specs: Specs
    reading: Reading
    folder: Path
    kind: Format
    place: str
    """The driver's working folder, for relative paths."""
    path: list[str]
    """The driver's module path."""

    def enter(self) -> None:
        """Make a worker process look like the driver's."""
        with suppress(OSError):
            os.chdir(self.place)
        sys.path.extend(item for item in self.path if item not in sys.path)


class PartJudge:
    """An actor: one evaluator, and with it one model session or one rate-limited client."""

    def __init__(self, job: Job) -> None:
        job.enter()
        self.job = job
        self.judges = Judges(job.specs.build(), job.specs, None)
        self.judges = self.judges._replace(workers=1) if self.judges.cpu_bound else self.judges

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """Judge one part; what ends the run comes back as a value, since Ray would try an exception again."""
        part: Part = pickle.loads(batch["part"][0])
        try:
            if not (self.job.folder / part.file_name(self.job.kind)).exists():
                self._judge(part)
        except FaithmeterError as error:
            return {"number": [part.number], "error": [str(error)], "stops": [isinstance(error, StopRun)]}
        return {"number": [part.number], "error": [""], "stops": [False]}

    def _judge(self, part: Part) -> None:
        tries = len(list(self.job.folder.glob(f".try-{part.digest}-*")))
        mark = self.job.folder / f".try-{part.digest}-{uuid.uuid4().hex}"
        mark.touch()
        engine = self.judges.engine(small=True)
        if tries >= TRIES:
            engine = Workers(self.job.specs, count=1, signature=self.judges.evaluator.signature)
        lines: dict[int, bytes] = {}

        async def judge() -> None:
            async for judged in engine.judge(_tickets(read_part(part, self.job.reading)), stopping=lambda: False):
                lines.update(zip((ticket.number for ticket in judged.tickets), judged.batch.lines, strict=True))

        sync.run(judge())
        write_part(self.job.folder, part, [lines[number] for number in sorted(lines)], self.job.kind)
        for old in self.job.folder.glob(f".try-{part.digest}-*"):
            old.unlink(missing_ok=True)


async def _tickets(samples: Iterator[Any]) -> Any:
    for number, sample in enumerate(samples):
        yield Ticket(number, sample)


def run_on_ray(run: RayRun, *, tell: Callable[[RayReport], None] = lambda report: None) -> RayReport:
    """Judge a data set on Ray; `tell` is called as parts are finished."""
    with _locked(run.folder), _ray(run.engine) as ray:
        actors = run.workers or _actors(ray)
        job = Job(_shared(run.specs, actors), run.reading, run.folder.resolve(), run.kind, os.getcwd(), list(sys.path))
        surveys = _surveyed(ray, run, job)
        parts = plan(surveys, reading=run.reading, selection=run.selection, signature=run.signature)
        report = RayReport(Tally(min_score=run.min_score, keep=KEEP), _bad(surveys), len(parts))
        report.rows = sum(part.count for part in parts)
        report.files = [run.folder / part.file_name(run.kind) for part in parts]
        if report.bad and run.bad_rows == "error":
            raise report.bad[0]
        _take_back(run, parts)
        todo = [part for part in parts if not (run.folder / part.file_name(run.kind)).exists()]
        report.reused = report.done = len(parts) - len(todo)
        tell(report)
        for _ in _judged(ray, job, todo, min(actors, len(todo))):
            report.done += 1
            tell(report)
        _count(ray, job, parts, report)
        _write_manifest(run, parts, report)
        _clear_up(run, parts)
        return report


@contextmanager
def _ray(engine: str) -> Iterator[Any]:
    """Ray, connected; what is started here ends here."""
    own = engine == "ray" or re.match(r"(ray://)?(127\.|localhost\b)", engine)
    for name, value in (_ENVIRONMENT | (_LOOPBACK if own else {})).items():
        os.environ.setdefault(name, value)
    _probe(engine)
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtra("--engine ray", "ray") from None
    joined = ray.is_initialized()
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if joined:
            pass
        elif engine == "ray":
            ray.init(
                address="local",
                num_cpus=cores() + 1,  # Ray Data wants one for itself
                include_dashboard=False,
                _node_ip_address="127.0.0.1",
                object_store_memory=200 * 2**20,  # parts are places, not data
                **quiet,
            )
        else:
            ray.init(address=engine, **quiet)
    except Exception as error:  # Ray raises what its parts raise: sockets, processes, its own
        raise UsageError(f"Ray cannot be reached at {engine!r}: {_first_line(error)}") from None
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    try:
        yield ray
    except ray.exceptions.RayError as error:
        raise FaithmeterError(f"Ray failed: {_first_line(error)}") from None
    finally:
        if not joined:
            ray.shutdown()


def _probe(engine: str) -> None:
    """Ask whether anybody is there; Ray itself would ask for eight minutes."""
    address = re.fullmatch(r"(?:ray://)?(.+):(\d+)", engine)
    if not address:
        if engine not in ("ray", "auto"):
            raise UsageError(f"unknown engine {engine!r}; known: local, ray, ray://HOST:PORT, HOST:PORT, auto")
        return
    try:
        socket.create_connection((address[1].strip("[]"), int(address[2])), timeout=5).close()
    except (OSError, OverflowError) as error:
        problem = getattr(error, "strerror", None) or error
        raise UsageError(f"Ray cannot be reached at {engine!r}: {problem}") from None


def _actors(ray: Any) -> int:
    nodes = sum(bool(node["Alive"]) for node in ray.nodes())
    return max(1, int(ray.cluster_resources().get("CPU", 1)) - nodes)


def _shared(specs: Specs, actors: int) -> Specs:
    """The specs for one of several actors: an LLM's limits are for the whole cluster, so each gets its share."""
    return specs._replace(verifier=_share(specs.verifier, actors), extractor=_share(specs.extractor, actors))


def _share(spec: str, actors: int) -> str:
    if spec.partition(":")[0] not in PROVIDERS:
        return spec
    _, settings = parse_spec(spec)
    shares = [f"concurrency={max(1, settings.concurrency // actors)}"]
    for name in ("requests_per_minute", "tokens_per_minute"):
        limit = getattr(settings, name)
        shares += [f"{name}={limit / actors}"] if limit else []
    return with_options(spec, shares)


def _surveyed(ray: Any, run: RayRun, job: Job) -> list[Survey]:
    """Read every file once, on the cluster."""
    names = [source.name for source in find(list(run.data))]
    if "-" in names:
        raise UsageError("standard input cannot be read on Ray; write it to a file first")

    def task(name: str) -> Survey | FaithmeterError:
        job.enter()
        try:
            return survey(name, job.reading)
        except FaithmeterError as error:
            return DataError(str(error))  # a value: Ray would try an exception again

    remote = ray.remote(num_cpus=1)(task)
    surveys = ray.get([remote.remote(name) for name in names])
    for found in surveys:
        if isinstance(found, FaithmeterError):
            raise found
    if not any(found.keys for found in surveys):
        raise DataError(f"{', '.join(names)} has no rows; expected rows with 'answer' and 'contexts'")
    return list(surveys)


def _bad(surveys: Sequence[Survey]) -> list[RowError]:
    return [found.bad[row] for found in surveys for row in sorted(found.bad)]


def _judged(ray: Any, job: Job, todo: Sequence[Part], actors: int) -> Iterator[int]:
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


def _count(ray: Any, job: Job, parts: Sequence[Part], report: RayReport) -> None:
    """Add up what is on disk, so that no number depends on how often Ray did what."""
    limit = report.tally.min_score

    def task(group: list[Part]) -> Tally:
        tally = Tally(min_score=limit, keep=KEEP)
        for part in group:
            found = count_part(job.folder / part.file_name(job.kind), limit)
            if found.count != part.count:
                raise ValueError(f"{part.file_name(job.kind)} has {found.count} results, expected {part.count}")
            tally.merge(found)
        return tally

    remote = ray.remote(num_cpus=1)(task)
    groups = [list(parts[start : start + 64]) for start in range(0, len(parts), 64)]
    for tally in ray.get([remote.remote(group) for group in groups]):
        report.tally.merge(tally)


# --- the folder -------------------------------------------------------------------------------------


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """The output folder, for this run alone."""
    try:
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"{folder}: on Ray the output is a folder, and this is a file")
        folder.mkdir(parents=True, exist_ok=True)
        fd = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror}") from None
    try:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise OutputError(f"{folder}: another run is writing it") from None
    finally:
        os.close(fd)


def _take_back(run: RayRun, parts: Sequence[Part]) -> None:
    """Use what is there, also results of an earlier choice of rows, and those of a part that has moved."""
    there = {
        path.stem.rpartition("-")[2]: path
        for folder in (run.folder / UNUSED, run.folder)
        for path in folder.glob(f"part-*.{run.kind}")
    }
    for part in parts:
        path, name = there.get(part.digest), part.file_name(run.kind)
        if path and path != run.folder / name:
            path.rename(run.folder / name)


def _write_manifest(run: RayRun, parts: Sequence[Part], report: RayReport) -> None:
    manifest = {
        "signature": run.signature,
        "rows": report.rows,
        "bad_rows": len(report.bad),
        "numbers": report.tally.as_dict(),
        "parts": [{"file": part.file_name(run.kind), "rows": part.count, "data": part.name} for part in parts],
    }
    draft = run.folder / f".draft-{uuid.uuid4().hex}"
    try:
        draft.write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
        draft.replace(run.folder / MANIFEST)
    except OSError as error:
        raise OutputError(f"{run.folder}: cannot be written: {error.strerror}") from None


def _clear_up(run: RayRun, parts: Sequence[Part]) -> None:
    """Drop drafts of workers that died; put results that this run has no use for aside: they may have cost money."""
    named = {part.file_name(run.kind) for part in parts}
    for path in run.folder.iterdir():
        if path.name.startswith((".draft-", ".try-")):
            path.unlink(missing_ok=True)
        elif path.name.startswith("part-") and path.name not in named:
            (run.folder / UNUSED).mkdir(exist_ok=True)
            path.rename(run.folder / UNUSED / path.name)


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
