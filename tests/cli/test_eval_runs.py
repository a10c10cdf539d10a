"""`faithmeter eval` as a long run: killed, interrupted, resumed, chosen from, stopped early, out of disk."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.killing import by_id, eval_command, judgement, kill_and_resume, lines_of, make_rows, write_rows
from support.llm_server import Behaviour, LLMServer

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
KILLS = 5  # benchmarks/runs.py does 20, of 1,000 answers
PATIENT, HELD = "python:support.verifiers:patient", "python:support.verifiers:held_lexical"
TESTS = str(Path(__file__).parents[1])


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is judged is judged here."""
    monkeypatch.setenv("FAITHMETER_CACHE", "off")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    with LLMServer(behaviour=Behaviour(latency=0.02)) as server:
        yield server


def slow_rows(folder: Path, count: int, seconds: float) -> str:
    rows = [{"id": f"r{n}", "answer": f"Please wait {seconds:.2f} seconds.", "contexts": ["c"]} for n in range(count)]
    return write_rows(folder / "slow.jsonl", rows).name


def held_rows(folder: Path) -> None:
    """One answer that is judged at once, and others whose judge waits for the file `go`."""
    rows = [{"id": f"r{n}", "answer": f"Please wait for {folder}/go now." if n else "It is so.", "contexts": ["c"]}
            for n in range(20)]  # fmt: skip
    write_rows(folder / "slow.jsonl", rows)


def reference(data: Path, *options: str) -> dict[str, dict[str, Any]]:
    output = data.with_name("reference.jsonl")
    done = subprocess.run(eval_command(data, output, *options), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return by_id(lines_of(output))


def check_against(expected: dict[str, dict[str, Any]], output: Path, rows: list[dict[str, Any]]) -> None:
    final = lines_of(output)
    assert [result["sample"]["id"] for result in final] == [row["id"] for row in rows]  # all, none twice, in order
    assert [judgement(result) for result in final] == [judgement(expected[row["id"]]) for row in rows]
    assert sorted(path.name for path in output.parent.iterdir()) == ["in.jsonl", output.name, "reference.jsonl"]


def test_killed_and_resumed_nothing_is_lost_or_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([TESTS, os.environ.get("PYTHONPATH", "")]))
    rows = make_rows(300)
    data, output = write_rows(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl"
    expected = reference(data, "-v", HELD)
    log = kill_and_resume(eval_command(data, output, "-v", HELD), output, total=300, kills=KILLS)
    assert log.changed == 0
    check_against(expected, output, rows)


def test_killed_and_resumed_no_call_is_paid_twice(tmp_path: Path, server: LLMServer) -> None:
    rows = make_rows(200)
    data, output = write_rows(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl"
    options = ["-v", f"openai:stub@{server.url}", "--workers", "8"]
    expected = reference(data, *options)
    assert server.counts == {"ok": 200}
    server.counts.clear()
    log = kill_and_resume(eval_command(data, output, *options), output, total=180, kills=KILLS)
    assert log.changed == 0
    check_against(expected, output, rows)
    assert 200 <= sum(server.counts.values()) <= 200 + 8 * KILLS  # but for what was in flight


def test_the_same_command_goes_on_and_says_what_it_judges_again_and_why(cli: Cli, tmp_path: Path) -> None:
    rows = make_rows(6)
    write_rows(tmp_path / "in.jsonl", rows)
    command = ["eval", "in.jsonl", "-o", "out.jsonl", "-v", "lexical"]
    assert cli(*command).returncode == 0
    again = cli(*command, "--json")
    assert "going on: out.jsonl has 6 results" in again.stderr
    assert json.loads(again.stdout)["reused"] == 6
    rows[2]["answer"] = "It has changed."
    write_rows(tmp_path / "in.jsonl", rows)
    assert "5 reused, 1 judged, 1 row again: their content has changed" in cli(*command).stdout
    other = cli(*command[:-1], "lexical:tokens")
    assert "6 of them made in another way, which will not be used" in other.stderr
    assert "0 reused, 6 judged, 6 rows again: their results were made in another way" in other.stdout
    limited = cli(*command[:-1], "lexical:tokens", "--limit", "2")
    assert "4 results of rows that this run did not meet: kept in out.jsonl.journal" in limited.stdout
    fresh = cli(*command, "--fresh", "--json")
    assert json.loads(fresh.stdout)["reused"] == 0
    assert len(lines_of(tmp_path / "out.jsonl")) == 6


def interrupted(folder: Path, *options: str, presses: int, number: int = signal.SIGINT) -> tuple[int, str]:
    command = [sys.executable, "-m", "faithmeter", "eval", "slow.jsonl", "-v", PATIENT, "-o", "out.jsonl", *options]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": TESTS, "FAITHMETER_TEST_BEGUN": "begun.txt"},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    journal, begun = folder / "out.jsonl.journal", folder / "begun.txt"
    while not lines_of(journal) or begun.read_text("utf-8").count("\n") < 2:  # one is finished, another is in flight
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.01)
    assert process.stderr
    seen = ""
    for _ in range(presses):  # the next one once the last was heard
        os.killpg(process.pid, number)
        while "finishing what is in flight" not in seen and (line := process.stderr.readline()):
            seen += line
    if presses == 1:
        (folder / "go").touch()
    _, stderr = process.communicate(timeout=600)
    return process.returncode, seen + stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_ctrl_c_finishes_what_is_in_flight(tmp_path: Path, number: int) -> None:
    held_rows(tmp_path)
    code, stderr = interrupted(tmp_path, "--workers", "5", presses=1, number=number)
    kept = len(lines_of(tmp_path / "out.jsonl.journal"))
    assert code == 130
    assert 2 <= kept <= 1 + 5
    assert kept == len((tmp_path / "begun.txt").read_text("utf-8").splitlines())  # all that was begun is finished
    assert "finishing what is in flight; again stops at once" in stderr
    assert f"stopped: interrupted; {kept} results kept in out.jsonl.journal: the same command goes on from" in stderr
    assert "Traceback" not in stderr


def test_two_ctrl_c_stop_at_once(tmp_path: Path) -> None:
    held_rows(tmp_path)
    code, stderr = interrupted(tmp_path, presses=2)
    assert code == 130
    assert "stopped at once; 1 result kept in out.jsonl.journal" in stderr
    assert "Traceback" not in stderr


def test_when_the_endpoint_goes_down_what_is_finished_is_kept(cli: Cli, tmp_path: Path) -> None:
    rows = [{"id": f"r{n}", "answer": "It is down." if n == 40 else "It is so.", "contexts": ["c"]} for n in range(60)]
    write_rows(tmp_path / "in.jsonl", rows)
    done = cli("eval", "in.jsonl", "-v", PATIENT, "-o", "out.jsonl", PYTHONPATH=TESTS)
    kept = len(lines_of(tmp_path / "out.jsonl.journal"))
    assert done.returncode == 2
    assert done.stderr == (
        f"faithmeter: the endpoint is down; {kept} results kept in out.jsonl.journal: "
        "the same command goes on from there\n"
    )
    assert 20 <= kept < 60
    assert not (tmp_path / "out.jsonl").exists()


def test_a_full_disk_is_one_line_and_what_is_finished_is_kept(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "in.jsonl", make_rows(100))
    output = tmp_path / "out.jsonl"

    def little_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    done = subprocess.run(
        eval_command(data, output, "-v", "lexical", "--workers", "1"),
        capture_output=True,
        text=True,
        preexec_fn=little_room,
        check=False,
    )
    kept = len(lines_of(tmp_path / "out.jsonl.journal"))
    assert done.returncode == 2
    assert kept > 10
    assert len(done.stderr.splitlines()) == 1
    assert "out.jsonl.journal: cannot be written: File too large" in done.stderr
    assert subprocess.run(eval_command(data, output, "-v", "lexical"), capture_output=True, check=False).returncode == 0
    assert len(lines_of(output)) == 100


def test_an_input_that_is_not_there_stops_before_anything_is_judged(cli: Cli, tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", make_rows(40))
    done = cli("eval", "a.jsonl", "b.jsonl", "-v", "lexical", "-o", "out.jsonl")
    assert done.returncode == 2
    assert done.stderr == "faithmeter: b.jsonl: no such file\n"
    assert [path.name for path in tmp_path.glob("out*")] == []


def test_an_option_is_no_file(cli: Cli, tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", make_rows(2))
    done = cli("eval", "a.jsonl", "-v", "lexical", "--fix", "--html")
    assert done.returncode == 2
    assert "--fix needs a file, and was given the option --html" in done.stderr


def test_the_data_is_not_overwritten(cli: Cli, tmp_path: Path) -> None:
    write_rows(tmp_path / "in.jsonl", make_rows(2))
    for name in ("in.jsonl", "./in.jsonl"):
        done = cli("eval", "in.jsonl", "-v", "lexical", "-o", name, "--fresh")
        assert done.returncode == 2
        assert "is what is read" in done.stderr
    assert len(lines_of(tmp_path / "in.jsonl")) == 2


def test_bad_rows_are_listed_with_file_line_and_reason(cli: Cli, tmp_path: Path) -> None:
    good = json.dumps(make_rows(1)[0])
    (tmp_path / "in.jsonl").write_text(f'{{oops\n{good}\n{{"id": 1, "answer": 2, "contexts": []}}\n{good}\n', "utf-8")
    done = cli("eval", "in.jsonl", "-v", "lexical", "-o", "out.jsonl", "--bad-rows", "report")
    assert done.returncode == 0, done.stderr
    assert "3 bad rows left out, listed in out.jsonl.bad-rows.jsonl" in done.stdout
    listed = lines_of(tmp_path / "out.jsonl.bad-rows.jsonl")
    assert [(row["file"], row["line"]) for row in listed] == [("in.jsonl", 1), ("in.jsonl", 3), ("in.jsonl", 4)]
    assert "valid string, found int 2" in listed[1]["reason"]
    assert "the id 'row-0' is taken by in.jsonl:2" in listed[2]["reason"]
    assert "needs -o" in cli("eval", "in.jsonl", "-v", "lexical", "--bad-rows", "report").stderr


def test_choosing(cli: Cli, tmp_path: Path) -> None:
    write_rows(tmp_path / "in.jsonl", make_rows(40))

    def chosen(*options: str) -> list[str]:
        cli("eval", "in.jsonl", "-v", "lexical", "-o", "out.jsonl", "--fresh", *options)
        return [result["sample"]["id"] for result in lines_of(tmp_path / "out.jsonl")]

    assert chosen("--limit", "3") == ["row-0", "row-1", "row-2"]
    assert chosen("--shard", "2/20") == ["row-1", "row-21"]
    assert len(chosen("--sample", "5")) == 5
    assert chosen("--sample", "5", "--seed", "1") == chosen("--sample", "5", "--seed", "1")
    assert cli("eval", "in.jsonl", "--shard", "3/2").returncode == 2


def test_stopping_early(cli: Cli, tmp_path: Path) -> None:
    rows = make_rows(200)
    rows[5]["answer"] = "Nothing of that kind."
    write_rows(tmp_path / "in.jsonl", rows)
    done = cli("eval", "in.jsonl", "-v", "lexical", "-o", "out.jsonl", "--fail-fast", "--min-score", "0.01",
               "--workers", "1")  # fmt: skip
    assert done.returncode == 1
    assert "stopped: an answer scored 0.00, below 0.01" in done.stderr
    assert len(lines_of(tmp_path / "out.jsonl.journal")) < 20


def test_progress_for_logs(tmp_path: Path) -> None:
    """Not on a terminal, a long run tells how it gets on as JSON lines."""
    slow_rows(tmp_path, 26, 1.0)
    command = [sys.executable, "-m", "faithmeter", "eval", "slow.jsonl", "-v", PATIENT, "--workers", "2"]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": TESTS}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    numbers = next(each for each in lines if 0 < each["answers"] < 26)  # one line, or more where time flies
    assert numbers["of"] == 26
    assert 0 < numbers["rate"] <= 2
    assert numbers["eta_seconds"] > 0
    assert numbers["mean"] == 1.0
    assert {"cost", "cache_hits", "failures", "reused"} <= set(numbers)


def test_a_report_needs_no_results_file(cli: Cli, tmp_path: Path) -> None:
    write_rows(tmp_path / "in.jsonl", make_rows(3))
    done = cli("eval", "in.jsonl", "-v", "lexical", "--report", "report.html")
    assert done.returncode == 0, done.stderr
    assert "row-1" in (tmp_path / "report.html").read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "report.html"]
    assert "what kind of report" in cli("eval", "in.jsonl", "--report", "report.doc").stderr
