"""Odd tables, pipes, terminals and disks: one line that says what is wrong, exit code 2, nothing lost."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from faithmeter.cli import main
from faithmeter.data.datasets import read_samples
from faithmeter.errors import DataError
from faithmeter.trust.human_labels import read_labels

SAMPLE = {"id": "a", "answer": "Paris lies on the Seine.", "contexts": ["Paris lies on the river Seine."]}
ROW = json.dumps(SAMPLE) + "\n"
EVAL = ["eval", "data.jsonl", "-v", "lexical", "--no-cache", "--workers", "1", "--quiet"]


def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    line = command.replace("faithmeter ", f"{sys.executable} -m faithmeter ", 1)
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def said(done: Result | subprocess.CompletedProcess[str]) -> str:
    """The one line on standard error of a run that was refused."""
    code = done.exit_code if isinstance(done, Result) else done.returncode
    assert code == 2, (code, done.stderr, done.stdout)
    (line,) = done.stderr.strip().splitlines()
    assert len(line) < 1000
    return line


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.jsonl").write_text(ROW)
    return tmp_path


@pytest.fixture
def results(folder: Path) -> Path:
    assert run(*EVAL, "-o", "results.jsonl").exit_code == 0
    return folder / "results.jsonl"


# --- tables -----------------------------------------------------------------------------------------


def test_an_odd_column_that_nobody_asks_for_is_no_matter(folder: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    far = pa.array([2**60], pa.timestamp("us"))  # a year that Python has no date for
    table = pa.table({**{name: [value] for name, value in SAMPLE.items()}, "when": far, "day": [date(1, 1, 1)]})
    parquet.write_table(table, folder / "data.parquet")
    (sample,) = read_samples("data.parquet")
    assert getattr(sample, "answer", None) == SAMPLE["answer"]
    (bad,) = read_samples("data.parquet", columns={"question": "when"})
    assert "data.parquet: row 1: column 'when': its type timestamp[us] cannot be read" in str(bad)


DIGITS, DEEP = "9" * 5000, "[" * 100_000
TABLES = {
    "list.json": ('[{"answer": "a", "contexts": [], "metadata": {"n": ' + DIGITS + "}}]", "digits"),
    "object.json": ('{"answer": "a", "contexts": [], "metadata": {"n": ' + DIGITS + "}}", "digits"),
    "deep.json": ('[{"answer": "a", "contexts": ' + DEEP + "]", "nested too deeply"),
    "wide.csv": (",".join(f"c{n}" for n in range(100_000)) + "\n" + "," * 99_999 + "\n", "and 99,980 more"),
    "wide.jsonl": (json.dumps({f"c{n}": 1 for n in range(100_000)}) + "\n", "and 99,980 more"),
    "utf16.csv": ("answer,contexts\na,b\n".encode("utf-16"), "UTF-16 text; save it as UTF-8: iconv"),
    "bare16.jsonl": (ROW.encode("utf-16-le"), "UTF-16 text; save it as UTF-8: iconv"),
}


@pytest.mark.parametrize("name", TABLES)
def test_an_odd_table_is_one_line(folder: Path, name: str) -> None:
    content, problem = TABLES[name]
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    line = said(run("eval", name, *EVAL[2:]))
    assert (name in line, problem in line) == (True, True), line


def test_odd_cells_are_text_or_one_line(folder: Path) -> None:
    (folder / "cells.csv").write_text(f'answer,contexts\na,"[{DIGITS}]"\nb,"{DEEP}"\n')
    digits, deep = read_samples("cells.csv")
    assert getattr(digits, "answer", None) == "a"
    assert str(deep).startswith("cells.csv:3: contexts: looks like a list and cannot be read")


def test_a_label_may_be_long(folder: Path) -> None:
    (folder / "labels.csv").write_text(f"sample,claim,label,note\na,b,1,{'x' * 300_000}\n")
    assert len(read_labels("labels.csv")[0].note) == 300_000
    (folder / "utf16.csv").write_bytes("sample,claim,label\na,b,1\n".encode("utf-16"))
    with pytest.raises(DataError, match="UTF-16 text"):
        read_labels("utf16.csv")


def test_a_line_that_unpacks_to_gigabytes_is_refused(folder: Path) -> None:
    with gzip.open(folder / "bomb.jsonl.gz", "wb", compresslevel=1) as file:
        for _ in range(200):
            file.write(b" " * 2**20)
    code = "import resource; resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))"
    code += "; from faithmeter.cli import main; main()"
    arguments = ["eval", "bomb.jsonl.gz", *EVAL[2:]]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert "bomb.jsonl.gz:1: a line of more than 64 MiB" in said(done)


def test_a_name_that_is_too_long(folder: Path) -> None:
    long = "n" * 300
    assert "File name too long" in said(run("eval", f"{long}.jsonl", *EVAL[2:]))
    assert "File name too long" in said(run(*EVAL, "-o", f"{long}.jsonl"))
    assert "File name too long" in said(run(*EVAL, "--report", f"{long}.html"))
    assert "File name too long" in said(run("report", long, "-o", "x.html"))


# --- pipes and streams ------------------------------------------------------------------------------


def test_report_and_compare_read_pipes(results: Path) -> None:
    done = shell("faithmeter report <(cat results.jsonl) --profiles -o out.html -o out.csv")
    assert (done.returncode, "mean score" in done.stdout) == (0, True), done.stderr
    assert (results.parent / "out.html").read_text().endswith("</html>\n")
    assert (results.parent / "out.csv").read_text().count(SAMPLE["id"]) >= 1
    assert run("report", "-", stdin=results.read_bytes()).exit_code == 0
    done = shell("faithmeter compare <(cat results.jsonl) <(cat results.jsonl) -o compare.html")
    assert (done.returncode, "1 samples compared" in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize("command", ["check Paris. -c Paris. -v lexical", " ".join(EVAL[:-1]) + " -o new.jsonl"])
def test_a_full_standard_output(folder: Path, command: str) -> None:
    done = shell(f"faithmeter {command} > /dev/full")
    assert said(done) == "faithmeter: standard output: cannot be written: No space left on device"
    assert "new.jsonl" not in command or (folder / "new.jsonl").read_text().count("\n") == 1


def test_a_closed_standard_output_or_input(folder: Path) -> None:
    done = shell(f"faithmeter {' '.join(EVAL)} -o new.jsonl >&-")
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "new.jsonl").read_text().count("\n") == 1
    assert "standard input: is closed" in said(shell(f"faithmeter eval - {' '.join(EVAL[2:])} <&-"))
    assert "standard input: is closed" in said(shell("faithmeter check - -c Paris. -v lexical <&-"))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_is_not_utf_8(encoding: str) -> None:
    done = shell(
        "faithmeter check 'Paris 😀 lies on the Seine – truly.' -c Paris -v lexical", PYTHONIOENCODING=encoding
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    command = "faithmeter check 'Paris 😀 lies on the Seine.' -c Paris -v lexical --json"
    done = shell(command, PYTHONIOENCODING=encoding)
    assert json.loads(done.stdout)["sample"]["answer"] == "Paris 😀 lies on the Seine."


def test_a_step_summary_that_cannot_be_written(folder: Path) -> None:
    done = shell(f"faithmeter {' '.join(EVAL)} -o r.jsonl", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY="/no/such/place")
    assert done.returncode == 0, done.stderr
    assert "faithmeter: no step summary: /no/such/place: cannot be written: No such file" in done.stderr


# --- text from data stays text ----------------------------------------------------------------------

HOSTILE = "::error::pwned\n##[error]pwned ##vso[task]x \x1b[31mred [bold]\u202eevil\u2066"


def commands(text: str) -> list[str]:
    """The lines that a build server acts on: GitHub's while commands are not stopped, and Azure's anywhere."""
    found, stopped = [], None
    for line in text.splitlines():
        line = line.strip()
        if stopped is None and line.startswith("::stop-commands::"):
            stopped = line.removeprefix("::stop-commands::")
        elif stopped and line == f"::{stopped}::":
            stopped = None
        elif (stopped is None and line.startswith("::")) or "##[" in line or "##vso[" in line:
            found.append(line)
    return found


def hostile_results(path: Path, label: str) -> None:
    claim = {"text": HOSTILE, "start": 0, "end": len(HOSTILE)}
    verdict = {"claim": claim, "label": label, "support": 0.5, "gaps": [[3, 90]], "origin": {"verifier": HOSTILE},
               "reason": HOSTILE}  # fmt: skip
    sample = {"id": HOSTILE, "answer": HOSTILE, "contexts": [HOSTILE]}
    path.write_text(json.dumps({"sample": sample, "outcomes": [verdict], "signature": f"{HOSTILE}|a:{label}"}) + "\n")


def test_what_is_printed_of_the_data_is_only_shown(folder: Path) -> None:
    hostile_results(folder / "one.jsonl", "supported")
    hostile_results(folder / "two.jsonl", "contradicted")
    people = [{"sample": HOSTILE, "claim": HOSTILE, "label": "supported", "by": f"[red]{by}\x1b[2J"} for by in "ab"]
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in people))
    environment = {"GITHUB_ACTIONS": "true", "COLUMNS": "60"}
    for command in (
        "check @answer.txt -c Paris -v lexical",
        "agree one.jsonl two.jsonl --labels labels.jsonl",
        "stability --runs one.jsonl --runs two.jsonl",
        "compare one.jsonl two.jsonl",
        "report two.jsonl -o two.html",
    ):
        (folder / "answer.txt").write_text(HOSTILE)
        done = shell(f"faithmeter {command}", **environment)
        assert done.returncode == 0, (command, done.stderr)
        assert commands(done.stdout) == [], command
        assert not set("\x1b\u202e\u2066") & set(done.stdout), command
        assert "\\u202e" in done.stdout, command
        if command.startswith("agree"):
            assert "[red]a␛[2J and [red]b␛[2J among themselves" in done.stdout


def test_pytest_prints_no_commands_of_the_data(folder: Path) -> None:
    (folder / "answer.txt").write_text("Rome. " + HOSTILE)
    lines = ["from pathlib import Path", "ANSWER = Path('answer.txt').read_text()", "def test_it(faithmeter):",
             "    faithmeter.assert_faithful(ANSWER, 'Paris.')"]  # fmt: skip
    (folder / "test_it.py").write_text("\n".join(lines) + "\n")
    (folder / "empty.jsonl").write_text("")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", folder,
               "--faithmeter-verifier=lexical", "--tb=native"]  # fmt: skip
    for option in ("-q", "--faithmeter-replay=empty.jsonl"):
        done = subprocess.run([*command, option], capture_output=True, text=True, check=False)
        assert "1 failed" in done.stdout
        assert commands(done.stdout) == []


def test_csv_cells_are_quoted_and_formulas_inert(folder: Path) -> None:
    hostile_results(folder / "r.jsonl", "supported")
    text = (folder / "r.jsonl").read_text()
    answer = json.dumps("x\r=HYPERLINK(1)")
    for cell in ("=1+1", " =1+1", "\uff1d1", "\ufeff@x", "-2", "\tx"):
        data = json.loads(text) | {"outcomes": []}
        data["sample"] |= {"id": cell, "answer": json.loads(answer), "contexts": []}
        (folder / "one.jsonl").write_text(json.dumps(data) + "\n")
        assert run("report", "one.jsonl", "--quiet", "-o", "one.csv").exit_code == 0
        row = (folder / "one.csv").read_bytes().decode().split("\n")[1]
        assert row.startswith(f'"\'{cell}"'), row
        assert '"x\r=HYPERLINK(1)"' in row


@pytest.mark.parametrize(("least", "code"), [("0", 0), ("1", 1)])
def test_a_reader_that_goes_away_leaves_the_exit_code_of_the_gate(tmp_path: Path, least: str, code: int) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text('{"answer": "It rained all day. Nobody came at all.", "contexts": ["It rained all day."]}\n')
    command = ["eval", str(data), "-v", "lexical", "--no-cache", "--workers", "1", "--min-score", least]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "faithmeter", *command], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr
