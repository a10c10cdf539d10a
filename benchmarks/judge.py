"""The LLM judge beside ragas and DeepEval: right scores over a bad line, CPU, wall time, memory, prompt size.

    python benchmarks/judge.py [--ragas PYTHON] [--deepeval PYTHON] [--samples 300] [--only speed]

Every system judges the same made samples (5 sentences, 4 contexts of 133 words; `tests/support/samples.py`)
against the same endpoint (`judge_server.py`, a process of its own), in a process of its own. PYTHON is the
interpreter of an environment in which that system is installed; without it the system is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

from support.samples import known  # noqa: E402

LATENCY = 0.2  # seconds the endpoint takes to answer
FEW = 60  # samples for DeepEval, which takes seconds for each
CALLS = 2  # a sample, for us and for ragas
FAULTS = ["--malformed", "0.05", "--throttled", "0.05", "--error", "0.02", "--hang", "0.01"]
TARGETS = {"cpu 16": 0.45, "cpu 100": 0.2, "wall 16": 1.15, "wall 64": 2.0, "prompt": 1.3}


@contextlib.contextmanager
def endpoint(*options: str) -> Iterator[str]:
    """Run the endpoint; gives its address."""
    command = [sys.executable, str(HERE / "judge_server.py"), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def run(python: str, system: str, samples: Path, url: str, *, concurrency: int = 16) -> dict[str, Any]:
    """Run one system once; gives its figures."""
    command = [python, str(HERE / "judge_worker.py"), system, str(samples), url, "--concurrency", str(concurrency)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{system} failed:\n{done.stderr[-2000:]}")
    figures: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return figures


def write_samples(path: Path, count: int) -> Path:
    """Write made samples and the score each should get."""
    with path.open("w") as file:
        for n in range(count):
            made = known(n)
            expected = sum(label == "supported" for label in made.labels) / len(made.labels)
            contexts = [context.text for context in made.sample.contexts]
            row = made.sample.model_dump(include={"id", "question", "answer"}) | {"contexts": contexts}
            file.write(json.dumps(row | {"expected": expected}) + "\n")
    return path


def fewer(samples: Path, count: int) -> Path:
    """The first of the samples, for a system that takes its time."""
    path = samples.with_name(f"first-{count}.jsonl")
    path.write_text("".join(line + "\n" for line in samples.read_text().splitlines()[:count]))
    return path


def right_scores(systems: dict[str, str], samples: Path, count: int) -> None:
    """Shares of the samples that get their right score when the endpoint misbehaves."""
    for title, options in {
        "5 % malformed, 5 % 429, 2 % 500, 1 % hangs": FAULTS,
        "20 % of the verdict lists lose their last two entries": ["--dropped", "0.2"],
    }.items():
        print(f"\n{title}\n{'':12} right        wrong  no score  wall s")
        for system, python in systems.items():
            judged = min(count, FEW) if system == "deepeval" else count
            with endpoint("--latency", "0.02", *options) as url:
                got = run(python, system, fewer(samples, judged), url)
            wrong = judged - got["right"] - got["failed"]
            share = f"{got['right']} ({got['right'] / judged:.1%})"
            print(f"{system:12} {share:12} {wrong:5} {got['failed']:9} {got['wall']:7.1f}", flush=True)


def speed(systems: dict[str, str], samples: Path, count: int) -> None:
    """CPU and wall time a sample at several degrees of concurrency."""
    print(f"\nan endpoint that takes {LATENCY * 1000:.0f} ms, {count} samples")
    print(f"{'':12} at once  CPU ms a sample  of ragas's  wall s  of the ideal  memory MB")
    with endpoint("--latency", str(LATENCY)) as url:
        for concurrency in (16, 64, 100):
            of_ragas: float | None = None
            for system, python in sorted(systems.items(), key=lambda item: item[0] != "ragas"):
                if system == "deepeval" and concurrency > 16:
                    continue  # minutes, and nothing new
                judged = min(count, FEW) if system == "deepeval" else count
                got = run(python, system, fewer(samples, judged), url, concurrency=concurrency)
                cpu = got["cpu"] / judged * 1000
                ideal = judged * CALLS * LATENCY / concurrency
                of_ragas = cpu if system == "ragas" else of_ragas
                share = f"{cpu / of_ragas:10.2f}" if of_ragas else " " * 10
                print(
                    f"{system:12} {concurrency:7}  {cpu:15.1f}  {share}  {got['wall']:6.1f}  "
                    f"{got['wall'] / ideal:12.2f}  {got['memory']:9.0f}",
                    flush=True,
                )


def memory(systems: dict[str, str], folder: Path) -> None:
    """The peak of memory as the number of samples grows."""
    print("\npeak memory, MB, by the number of samples (no latency)")
    counts = (200, 1000, 3000)
    with endpoint() as url:
        for system in [name for name in ("faithmeter", "ragas") if name in systems]:
            found = [
                run(systems[system], system, write_samples(folder / f"{n}.jsonl", n), url)["memory"]
                for n in (counts if system == "faithmeter" else counts[:2])
            ]
            print(f"{system:12} " + "  ".join(f"{n}: {mb:.0f}" for n, mb in zip(counts, found, strict=False)))


def prompt_size(systems: dict[str, str], samples: Path) -> None:
    """Characters of the prompts of a sample, both calls together."""
    from judge_worker import SYSTEMS
    from support.llm_server import LLMServer

    print("\ncharacters of the prompts of a sample (and of the schemas beside them)")
    for system, python in systems.items():
        if system == "deepeval":
            continue
        from judge_server import answer

        with LLMServer(brain=answer) as server:
            rows = [json.loads(line) for line in samples.read_text().splitlines()[:20]]
            if python == sys.executable:
                SYSTEMS[system](rows, server.url, 4, 10)
            else:
                few = samples.with_name("few.jsonl")
                few.write_text("".join(json.dumps(row) + "\n" for row in rows))
                run(python, system, few, server.url)
            asked = server.requests[-2 * len(rows) :]
            prompts = sum(len(item.system) + len(item.user) for item in asked) / len(rows)
            schemas = sum(len(json.dumps(item.schema)) if item.schema else 0 for item in asked) / len(rows)
            print(f"{system:12} {prompts:6.0f}  (+ {schemas:.0f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ragas", metavar="PYTHON")
    parser.add_argument("--deepeval", metavar="PYTHON")
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--only", choices=["faults", "speed", "memory", "prompt"])
    given = parser.parse_args()
    named = {"faithmeter": sys.executable, "ragas": given.ragas, "deepeval": given.deepeval}
    systems = {system: python for system, python in named.items() if python}
    with tempfile.TemporaryDirectory() as folder:
        samples = write_samples(Path(folder) / "samples.jsonl", given.samples)
        if given.only in (None, "prompt"):
            prompt_size(systems, samples)
        if given.only in (None, "faults"):
            right_scores(systems, samples, given.samples)
        if given.only in (None, "speed"):
            speed(systems, samples, given.samples)
        if given.only in (None, "memory"):
            memory(systems, Path(folder))
    print(
        "\nto reach, of ragas's or of the ideal: " + ", ".join(f"{name} ≤ {value}" for name, value in TARGETS.items())
    )


if __name__ == "__main__":
    main()
