"""Kills the writers of `eval`, `label` and `cache` with SIGKILL at random moments: is anything lost or unreadable?

    python -m benchmarks.kills --kills 200

Each writer is a real process (a fork, so that 200 of them do not import everything 200 times), and is killed somewhere
in its work. After every kill, what was on disk before must still be there and be readable, and so must all that the
process had reported as kept. The next one goes on from what it finds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.cache.store import Entry
from faithmeter.cli import main as faithmeter
from faithmeter.extract import load_extractor
from faithmeter.report import read_results
from faithmeter.trust.human_labels import read_labels
from faithmeter.trust.label_session import Session, make_queue
from faithmeter.verify import load_verifier

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.killing import by_id, judgement, lines_of, make_rows, write_rows

Say = Callable[[str], None]
MOMENT = 0.05  # seconds of work, at most, before a kill


def finished(work: Callable[[Say], None]) -> None:
    """Have a process do the work to its end."""
    child = os.fork()
    if child == 0:
        try:
            work(lambda text: None)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def killed(work: Callable[[Say], None], rng: random.Random) -> list[str]:
    """Have a process do the work, kill it somewhere in it, and give what it had said by then."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            try:
                work(lambda text: void(os.write(said.fileno(), text.encode() + b"\n")))
            except SystemExit:
                os._exit(0)
            except BaseException:
                traceback.print_exc()
            os._exit(1)
        while not os.fstat(said.fileno()).st_size:
            if os.waitpid(child, os.WNOHANG) != (0, 0):
                raise SystemExit("the writer ended before it could be killed")
            time.sleep(0.001)
        time.sleep(rng.random() * MOMENT)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 0, "the writer failed"
        said.seek(0)
        return said.read().decode().split("\n")[1:-1]  # without "ready", and what was cut off


def void(_: object) -> None:
    """Takes a value that is of no use."""


def kill_eval(folder: Path, kills: int, rng: random.Random) -> dict[str, int]:
    """One run, killed and resumed: no result changes, and it ends as a run that was never killed."""
    count = 10 * kills
    data, output = write_rows(folder / "data.jsonl", make_rows(count)), folder / "results.jsonl"
    journal = folder / "results.jsonl.journal"

    def work(say: Say) -> None:
        size = journal.stat().st_size if journal.exists() else 0

        def watch() -> None:
            grown(journal, size)
            say("ready")

        threading.Thread(target=watch, daemon=True).start()
        run_eval(data, output)

    kept: dict[str, object] = {}
    torn = changed = 0
    for _ in range(kills):
        killed(work, rng)
        torn += journal.exists() and not journal.read_bytes().endswith(b"\n")
        found = by_id(lines_of(output) + lines_of(journal))
        changed += sum(found.get(name) != result for name, result in kept.items())
        kept = dict(found)
    finished(lambda say: run_eval(data, output))
    final = by_id(lines_of(output))
    changed += sum(final.get(name) != result for name, result in kept.items())
    whole = folder / "whole.jsonl"
    finished(lambda say: run_eval(data, whole))
    same = [judgement(result) for result in lines_of(whole)] == [judgement(result) for result in lines_of(output)]
    return {"kills": kills, "kept at the last": len(kept), "of": count, "torn": torn, "changed or lost": changed,
            "missing": count - len(final), "other than unkilled": int(not same)}  # fmt: skip


def run_eval(data: Path, output: Path) -> None:
    """The command, with nothing to see."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    faithmeter(["eval", str(data), "-o", str(output), *OPTIONS])


def grown(path: Path, size: int) -> None:
    """Wait until a file is larger than it was."""
    while not path.exists() or path.stat().st_size <= size:
        time.sleep(0.001)


OPTIONS = ["-v", "lexical", "--workers", "1", "--no-cache", "--quiet", "--worst", "0", "--json"]


def kill_labels(folder: Path, kills: int, rng: random.Random) -> dict[str, int]:
    """Two people label into one file, and are killed in turn."""
    data = write_rows(folder / "data.jsonl", make_rows(20))
    results, labels = folder / "results.jsonl", folder / "labels.jsonl"
    finished(lambda say: run_eval(data, results))
    queue = make_queue(read_results(results))

    def work(by: str) -> Callable[[Say], None]:
        def label(say: Say) -> None:
            session = Session(queue, labels, by=by, count=10**6)
            say("ready")
            while True:
                for place in range(len(session.items)):
                    session.label(place, "supported", note="n" * 300)
                    say("kept")

        return label

    before = lost = torn = 0
    for number in range(kills):
        expected = before + len(killed(work(("ana", "ben")[number % 2]), rng))
        torn += labels.exists() and not labels.read_bytes().endswith(b"\n")
        before = len(read_labels(labels)) if labels.exists() else 0  # raises if one cannot be read
        lost += max(0, expected - before)
    return {"kills": kills, "labels": before, "torn": torn, "lost": lost}


def kill_cache(folder: Path, kills: int, rng: random.Random) -> dict[str, int]:
    """A store is written from kill to kill; what was reported as kept is looked up after each, and all in the end."""
    path = folder / "cache.sqlite"

    def work(number: int) -> Callable[[Say], None]:
        def put(say: Say) -> None:
            store = SQLiteStore(path)
            say("ready")
            for entry in range(10**9):
                key = f"{number}-{entry}".encode()
                store.put([Entry(key=key, value=key * 20, kind="verdict")])
                say(key.decode())

        return put

    reported: list[bytes] = []
    lost = damaged = 0
    for number in range(kills):
        new = [line.encode() for line in killed(work(number), rng)]
        reported += new
        store = SQLiteStore(path)
        damaged += bool(store.check()) or bool(store.notes)
        lost += sum(value != key * 20 for key, value in zip(new, store.get(new), strict=True))
        store.close()
    store = SQLiteStore(path)
    lost += sum(value != key * 20 for key, value in zip(reported, store.get(reported), strict=True))
    store.close()
    return {"kills": kills, "entries": len(reported), "damaged": damaged, "lost": lost}


def main() -> None:
    parser = argparse.ArgumentParser(description="Kill writers at random moments.")
    parser.add_argument("--kills", type=int, default=200, help="in all, shared among the three")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    import_module("faithmeter.cli.eval")  # what every writer needs is loaded once, here
    load_verifier("lexical")
    load_extractor("sentences")
    rest = options.kills - 2 * (options.kills // 3)
    writers = ((kill_eval, rest), (kill_labels, options.kills // 3), (kill_cache, options.kills // 3))
    for kill, kills in writers:
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            found = kill(Path(folder), kills, random.Random(options.seed))
            seconds = round(time.monotonic() - started)
            print(json.dumps({"writer": kill.__name__.removeprefix("kill_"), **found, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
