"""The help in named groups, what the shell completes, and what --quiet means."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import click
import pytest
from click.testing import CliRunner

from faithmeter.cli import COMMANDS, main
from faithmeter.cli.help import GROUPS, OTHER, grouped

Cli = Callable[..., "CompletedProcess[str]"]
ROWS = [
    {"id": "tower", "answer": "The tower opened in 1889.", "contexts": ["The tower opened in 1889."]},
    {"id": "fruit", "answer": "Bananas are yellow.", "contexts": ["The tower opened in 1889."]},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.mark.parametrize(
    "name", ["check", "fix", "eval", "report", "compare", "agree", "calibrate", "selftest", "stability"]
)
def test_every_option_has_a_group_but_help(name: str) -> None:
    context = click.Context(main, info_name="faithmeter", help_option_names=["-h", "--help"])
    command = main.get_command(context, name)
    assert command
    groups = dict(grouped(command, click.Context(command, parent=context, info_name=name)))
    assert [option.opts[-1] for option in groups.pop(OTHER)] == ["--help"]
    assert groups
    help_text = CliRunner().invoke(main, [name, "--help"]).output
    titles = [title for title in GROUPS if f"\n{title}:" in help_text]
    assert titles == list(groups)


def completed(*words: str) -> list[str]:
    """What Tab offers after these words, the last of them unfinished."""
    code = "import sys; from faithmeter.cli import main; sys.argv = ['faithmeter']; main(prog_name='faithmeter')"
    environment = {
        **os.environ,
        "_FAITHMETER_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("faithmeter", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_the_shell_completes_commands_and_values() -> None:
    assert completed("st") == ["stability"]
    assert set(completed("")) >= set(COMMANDS)
    assert completed("eval", "-v", "lex") == ["lexical", "lexical:rouge", "lexical:tokens", "lexical:bleu"]
    assert "cascade:anthropic:" in completed("eval", "--verifier", "cascade")
    assert completed("eval", "-x", "sent") == ["sentences", "sentences:"]
    assert completed("check", "--scoring", "w") == ["weighted", "weighted:raw"]
    assert completed("eval", "--profile", "rag") == ["ragas", "rag_evals", "ragaliq"]
    assert completed("eval", "--prog") == ["--progress"]


def test_what_is_completed_can_be_loaded() -> None:
    from faithmeter.scoring import load_scoring
    from faithmeter.verify import load_verifier

    for spec in completed("eval", "-v", "l"):
        assert load_verifier(spec).signature
    for spec in completed("eval", "--scoring", ""):
        assert load_scoring(spec)


def test_quiet_means_one_thing(cli: Cli, data: Path) -> None:
    plain = ("-v", "lexical", "--no-cache", "--workers", "1")
    done = cli("eval", "data.jsonl", *plain, "-o", "r.jsonl", "--report", "r.html", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    again = cli("eval", "data.jsonl", *plain, "-o", "r.jsonl", "--quiet", "--json")
    assert (json.loads(again.stdout)["reused"], again.stderr) == (2, "")
    for command in (["report", "r.jsonl"], ["compare", "r.jsonl", "r.jsonl", "-o", "c.html"]):
        done = cli(*command, "--quiet")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    below = cli("eval", "data.jsonl", *plain, "--quiet", "--min-score", "0.9")
    assert (below.returncode, below.stdout) == (1, "")
    assert below.stderr == "faithmeter: mean score 0.50 is below 0.9\n"


def test_a_local_verifier_makes_no_noise_about_calls(cli: Cli, data: Path) -> None:
    for _ in range(2):
        done = cli("eval", "data.jsonl", "-v", "lexical", "--cache", "c.db", "--workers", "1")
        assert "call" not in done.stdout
        assert "token" not in done.stdout
    assert "2 verdicts from the cache" in done.stdout


def test_a_checked_answer_has_no_hash_in_its_panel(cli: Cli) -> None:
    done = cli("check", "Bananas are yellow.", "-c", ROWS[0]["contexts"][0], "-v", "lexical")
    assert "╭─ score 0.00 (ok, 1 claim) ─" in done.stdout
