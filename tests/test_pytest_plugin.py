"""The pytest plugin, in real runs of pytest in processes of their own, under xdist too."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.llm_server import LLMServer

TESTS = Path(__file__).parent
ANSWERS = TESTS / "report" / "answers.jsonl"
NUMBERS = "python:support.judging:load"

CONTEXT = "The Eiffel Tower stands 330 metres tall. It opened to the public on 15 May 1889."
FILE = f"""
import pytest
from faithmeter.pytest_plugin import assert_faithful, faithmeter_cases

CONTEXT = {CONTEXT!r}

def test_good():
    result = assert_faithful("It opened to the public on 15 May 1889.", [CONTEXT], question="When?")
    assert result.score == 1

def test_bad():
    assert_faithful("It stands 330 metres tall. It opened to the public on 15 May 1931.", CONTEXT)

def test_low_limit():
    assert_faithful("It stands 330 metres tall. It opened to the public on 15 May 1931.", CONTEXT, min_score=0.1)

@pytest.mark.faithful(min_score=0.2)
def test_marked(faithmeter):
    faithmeter.assert_faithful("It stands 330 metres tall. It opened to the public on 15 May 1931.", CONTEXT)

def test_looks_closer(faithmeter):
    result = faithmeter.check("Bananas are yellow.", [CONTEXT])
    assert result.verdicts[0].label == "not_enough_info"
"""

ALONE = (
    "-p",
    "no:langsmith_plugin",
    "-p",
    "no:asyncio",
    "-p",
    "no:anyio",
    "-p",
    "no:hypothesispytest",
)  # other plugins are not what is tested
Pytest = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Pytest:
    """Runs pytest on `files` (test_it.py if it is one text) in an empty folder, with a verifier that has prices."""

    def call(
        files: str | dict[str, str], *arguments: str, verifier: str | None = NUMBERS, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        for name, text in ({"test_it.py": files} if isinstance(files, str) else files).items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        chosen = [f"--faithmeter-verifier={verifier}"] if verifier else []
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *ALONE, "-W", "error", *chosen, *arguments]
        plain = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "GITHUB"))}
        settings = {"PYTHONPATH": str(TESTS), "FAITHMETER_CACHE": "off", "COLUMNS": "120", **environment}
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=plain | settings, timeout=600)

    return call


def test_a_failure_shows_the_claims_with_the_nearest_evidence(run: Pytest) -> None:
    done = run(FILE)
    assert "1 failed, 4 passed" in done.stdout
    said = [line.removeprefix("E").strip() for line in done.stdout.splitlines() if line.startswith("E ")]
    assert said == [
        "AssertionError: the answer is not faithful: score 0.50, the limit is 1; 1 of 2 claims not supported",
        "",
        "✗ contradicted (support 0.83): It opened to the public on 15 May 1931.",
        "not supported: “1931”",
        "context 1: “It opened to the public on 15 May 1889.”",
        "date: The passage gives other numbers than 1931.",
    ]
    assert "pytest_plugin.py" not in done.stdout, "the traceback ends in the test"
    assert "5 answers checked, mean score 0.50; claims: 4 supported, 3 contradicted, 1 not enough info" in done.stdout
    assert "5 calls, 416 tokens, $0.0002" in done.stdout


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_data_set_as_cases_under_xdist_too(run: Pytest, tmp_path: Path, workers: str) -> None:
    (tmp_path / "answers.jsonl").write_bytes(ANSWERS.read_bytes())
    file = """
from faithmeter.pytest_plugin import assert_faithful, faithmeter_cases

@faithmeter_cases("answers.jsonl")
def test_answer(sample):
    assert_faithful(sample)
"""
    names = ["report.html", "junit.xml", "claims.parquet"]
    reports = [f"--faithmeter-report={name}" for name in names]
    done = run(file, "-n", workers, "--faithmeter-min-score=0.8", "-m", "faithful", *reports)
    assert "17 answers checked, mean score 0.57" in done.stdout, done.stdout + done.stderr
    assert "14 calls, 2652 tokens, $0.0015" in done.stdout
    assert "test_it.py::test_answer[lighthouse-keeper]" in done.stdout
    assert "13 failed, 4 passed" in done.stdout  # torn-page may be below, as one claim could not be judged
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()[0]
    assert suite.get("tests") == "17"
    assert suite.get("failures") == "11"
    assert suite.get("errors") == "1"
    assert all(f"wrote {name}" in done.stdout for name in names)


def test_what_could_not_be_judged_does_not_pass(run: Pytest) -> None:
    file = """
from faithmeter.pytest_plugin import assert_faithful

FEE = "The annual fee is 40 euros."

def test_some():
    assert_faithful(f"{FEE} The rest is [unreadable].", FEE, min_score=0.6)

def test_some_but_enough():
    assert_faithful(f"{FEE} The rest is [unreadable].", FEE, min_score=0.5)

def test_all():
    assert_faithful("It is [unreadable].", FEE, min_score=0)

def test_nothing_claimed():
    assert_faithful("Hello there!", FEE)
"""
    done = run(file)
    assert "2 failed, 2 passed" in done.stdout
    words = "the answer may not be faithful: score 0.50 to 1.00, the limit is 0.6; 1 of 2 claims could not be judged"
    assert words in done.stdout
    assert "malformed: The reply was not JSON, twice." in done.stdout
    assert "the answer could not be judged" in done.stdout


SETTING = """
import pytest
from faithmeter.pytest_plugin import assert_faithful

def test_half():
    assert_faithful("Grass is green. Bananas are blue.", "Grass is green.")
"""


@pytest.mark.parametrize(
    ("ini", "arguments", "passed"),
    [
        ("", (), False),
        ("faithmeter_min_score = 0.5", (), True),
        ("faithmeter_min_score = 0.5", ("--faithmeter-min-score=0.6",), False),
        ("faithmeter_min_score = 0.5\nfaithmeter_scoring = strict", (), False),
        ("faithmeter_min_score = half", (), False),
    ],
)
def test_settings_come_from_the_ini_file_and_the_command_line(
    run: Pytest, ini: str, arguments: tuple[str, ...], passed: bool
) -> None:
    files = {"pytest.ini": f"[pytest]\nfaithmeter_verifier = {NUMBERS}\n{ini}\n", "test_it.py": SETTING}
    done = run(files, *arguments, verifier=None)
    assert ("1 passed" in done.stdout) is passed, done.stdout
    if "half" in ini:
        assert "faithmeter-min-score: expected a number, found 'half'" in done.stdout


def test_settings_in_pyproject(run: Pytest) -> None:
    settings = f'[tool.pytest.ini_options]\nfaithmeter_verifier = "{NUMBERS}"\nfaithmeter_min_score = "0.5"\n'
    done = run({"pyproject.toml": settings, "test_it.py": SETTING}, verifier=None)
    assert "1 passed" in done.stdout, done.stdout


def test_a_marker_with_an_unknown_setting(run: Pytest) -> None:
    file = SETTING.replace("def test_half", "@pytest.mark.faithful(minimum=1)\ndef test_half")
    assert "@pytest.mark.faithful takes min_score, verifier, extractor, scoring by name" in run(file).stdout


def test_an_unknown_verifier_is_told_in_a_line(run: Pytest) -> None:
    done = run(FILE, "-k", "good", verifier="oracle")
    assert "the answer could not be checked: unknown verifier 'oracle'; known: " in done.stdout
    assert "Traceback" not in done.stdout
    assert "pytest_plugin.py" not in done.stdout


def test_the_cost_limit(run: Pytest) -> None:
    tests = "\n".join(
        f"def test_{n}():\n    assert_faithful('Grass is green {n}.', 'Grass is green {n}.')" for n in range(6)
    )
    done = run("from faithmeter.pytest_plugin import assert_faithful\n" + tests, "--faithmeter-max-cost=0.00008")
    assert "3 failed, 3 passed" in done.stdout
    assert "the cost limit is reached: $0.0001 of $0.0001 were spent" in done.stdout


def test_the_cache(run: Pytest, tmp_path: Path) -> None:
    first = run(FILE, "--faithmeter-cache=verdicts.sqlite")
    assert "3 calls" in first.stdout, "what is asked twice is judged once"
    second = run(FILE, "--faithmeter-cache=verdicts.sqlite")
    assert "1 failed, 4 passed" in second.stdout
    assert "8 of 8 verdicts from the cache" in second.stdout
    assert "calls" not in second.stdout.rpartition("= faithmeter =")[2]


# --- record and replay ------------------------------------------------------------------------------

NEVER = """
class Never:
    signature = "never"
    async def verify(self, pairs):
        raise RuntimeError("a verifier was asked")

def load():
    return Never()
"""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_recorded_run_is_replayed_without_a_verifier(run: Pytest, tmp_path: Path, workers: str) -> None:
    spec = "python:judge:load"
    judge = {"judge.py": "from support.judging import load\n"}
    recorded = run(
        {**judge, "test_it.py": FILE}, "-n", workers, "--faithmeter-record=rec/verdicts.jsonl", verifier=spec
    )
    assert "wrote rec/verdicts.jsonl" in recorded.stdout, recorded.stdout + recorded.stderr
    (tmp_path / "judge.py").write_text(NEVER)
    replayed = run({}, "-n", workers, "--faithmeter-replay=rec/verdicts.jsonl", verifier=spec)
    assert "1 failed, 4 passed" in replayed.stdout, replayed.stdout
    assert "context 1: “It opened to the public on 15 May 1889.”" in replayed.stdout
    assert "replayed from rec/verdicts.jsonl: no verifier was asked" in replayed.stdout
    assert "calls" not in replayed.stdout.rpartition("= faithmeter =")[2]
    asked = run({}, verifier=spec)
    assert "a verifier was asked" in asked.stdout + asked.stderr


def test_a_missing_recording_is_a_clear_failure(run: Pytest, tmp_path: Path) -> None:
    run(FILE, "--faithmeter-record=verdicts.jsonl")
    changed = run(FILE.replace("Bananas are yellow.", "Bananas are green."), "--faithmeter-replay=verdicts.jsonl")
    assert "2 failed, 3 passed" in changed.stdout
    assert f"verdicts.jsonl has no result for this answer, by verifier {NUMBERS}" in changed.stdout
    assert "record it with --faithmeter-record=verdicts.jsonl" in changed.stdout
    other = run(FILE, "--faithmeter-replay=verdicts.jsonl", verifier="python:support.judging:load_strict")
    assert "5 failed" in other.stdout, "another verifier's verdicts are not taken"
    none = run(FILE, "--faithmeter-replay=none.jsonl")
    assert none.returncode == 4
    assert "none.jsonl: cannot be read" in none.stderr
    both = run(FILE, "--faithmeter-replay=a", "--faithmeter-record=b")
    assert "exclude each other" in both.stderr


def test_a_report_that_cannot_be_written_is_told(run: Pytest, tmp_path: Path) -> None:
    unknown = run(FILE, "--faithmeter-report=report.pdf")
    assert unknown.returncode == 4
    assert "report.pdf: what kind of report?" in unknown.stderr
    (tmp_path / "file").write_text("")
    done = run(FILE, "--faithmeter-report=file/report.html", "-k", "good")
    assert "ERROR: file/report.html: cannot be written" in done.stdout
    assert done.returncode == 1


def test_recording_again_changes_nothing_and_keeps_the_rest(run: Pytest, tmp_path: Path) -> None:
    place = tmp_path / "verdicts.jsonl"
    run(FILE, "--faithmeter-record=verdicts.jsonl")
    first = place.read_bytes()
    run(FILE, "--faithmeter-record=verdicts.jsonl", "-k", "good")
    assert place.read_bytes() == first
    entries = [json.loads(line) for line in first.splitlines()]
    assert len(entries) == 3, "three different answers"
    assert {entry["verifier"] for entry in entries} == {NUMBERS}


# --- runs that have nothing to do with it -----------------------------------------------------------


def test_it_does_nothing_and_costs_nothing_unless_used(run: Pytest) -> None:
    file = """
import sys

def test_nothing_is_loaded():
    loaded = {name for name in sys.modules if name.split(".")[0] in ("faithmeter", "pydantic", "numpy", "rich")}
    assert "faithmeter_pytest" in sys.modules
    assert loaded == set()
"""
    done = run(file, verifier=None)
    assert "1 passed" in done.stdout, done.stdout
    assert "faithmeter" not in done.stdout.replace("plugins:", "").split("collected")[1]


def test_the_options_and_the_marker_are_documented(run: Pytest) -> None:
    shown = run("", "--help", verifier=None).stdout + run("", "--markers", verifier=None).stdout
    for name in ("verifier", "extractor", "scoring", "min-score", "cache", "max-cost", "report", "record", "replay"):
        assert f"--faithmeter-{name}=" in shown
    assert "@pytest.mark.faithful(min_score=…" in shown


def test_a_bad_row_stops_the_collection(run: Pytest, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"answer": "a", "contexts": ["b"]}\n{"question": "c"}\n')
    file = (
        "from faithmeter.pytest_plugin import faithmeter_cases\n@faithmeter_cases('bad.jsonl')\ndef test_a(sample): ..."
    )
    done = run(file)
    assert "bad.jsonl:2: no column 'answer'" in done.stdout
    assert "1 error" in done.stdout


def test_assert_faithful_works_outside_pytest() -> None:
    code = (
        "from faithmeter.pytest_plugin import assert_faithful\n"
        "assert_faithful('Grass is green.', 'Grass is green.')\n"
        "try: assert_faithful('Bananas are blue.', 'Grass is green.')\n"
        "except AssertionError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert "the answer is not faithful" in done.stdout, done.stderr


# --- with a model endpoint --------------------------------------------------------------------------


def test_verdicts_of_a_model_are_replayed_when_key_and_endpoint_are_gone(run: Pytest, tmp_path: Path) -> None:
    with LLMServer() as server:
        spec = f"openai:stub@{server.url}"
        recorded = run(FILE, "--faithmeter-record=verdicts.jsonl", verifier=spec, OPENAI_API_KEY="sk-secret-key")
        asked = len(server.requests)
        assert asked, recorded.stdout + recorded.stderr
        assert f"{asked} calls, " in recorded.stdout
    assert "sk-secret-key" not in (tmp_path / "verdicts.jsonl").read_text("utf-8")
    tests = re.findall(r"\d+ failed, \d+ passed|\d+ passed", recorded.stdout)
    replayed = run(FILE, "--faithmeter-replay=verdicts.jsonl", verifier=spec, OPENAI_API_KEY="")
    assert re.findall(r"\d+ failed, \d+ passed|\d+ passed", replayed.stdout) == tests, replayed.stdout
    assert "no verifier was asked" in replayed.stdout


def test_the_cost_limit_stops_before_the_request(run: Pytest) -> None:
    with LLMServer() as server:
        spec = f"openai:stub?input_price=1&output_price=1@{server.url}"
        done = run(FILE, "--faithmeter-max-cost=0.0000001", verifier=spec, OPENAI_API_KEY="none")
        assert "the cost limit is reached" in done.stdout, done.stdout + done.stderr
        assert "5 failed" in done.stdout
        assert not server.requests
        unpriced = run(FILE, "--faithmeter-max-cost=1", verifier=f"openai:stub@{server.url}", OPENAI_API_KEY="none")
        assert "the answer could not be checked: the price of openai:stub is not known" in unpriced.stdout
