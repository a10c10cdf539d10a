"""`faithmeter check`, as a person types it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from faithmeter import Result

Cli = Callable[..., "CompletedProcess[str]"]
TOWER = "The Eiffel Tower is 330 metres tall. It opened in 1889."


def test_an_answer_is_shown_with_its_claims_and_evidence(cli: Cli) -> None:
    done = cli("check", "The Eiffel Tower is 330 metres tall. Bananas are yellow.", "-c", TOWER, "-v", "lexical")
    assert done.returncode == 0, done.stderr
    assert "score 0.50 (ok, 2 claims)" in done.stdout
    assert "✓ supported" in done.stdout
    assert "? not enough info" in done.stdout
    assert "“The Eiffel Tower is 330 metres tall" in done.stdout


def test_json_is_a_result(cli: Cli) -> None:
    done = cli("check", "It opened in 1889.", "-c", TOWER, "-q", "When?", "--json", "-v", "lexical:tokens=0.9")
    result = Result.model_validate_json(done.stdout)
    assert (result.score, result.sample.question) == (1.0, "When?")
    assert "lexical.1,tokens=0.9" in result.signature


def test_texts_come_from_files_and_standard_input(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "tower.txt").write_text(TOWER, "utf-8")
    done = cli("check", "-", "-c", "@tower.txt", "-v", "lexical", "--json", stdin="It opened in 1889.")
    assert Result.model_validate_json(done.stdout).score == 1.0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["It opened in 1889.", "--min-score", "0.9"], 0),
        (["Bananas are yellow.", "--min-score", "0.9"], 1),
        (["Bananas are yellow."], 0),
    ],
)
def test_the_exit_code_is_a_gate(cli: Cli, arguments: list[str], code: int) -> None:
    assert cli("check", *arguments, "-c", TOWER, "-v", "lexical").returncode == code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x.", "-v", "gpt"], "faithmeter: unknown verifier 'gpt'; known:"),
        (["x.", "-v", "lexical:wer"], "unknown metric 'wer' in 'lexical:wer'; known: rouge, tokens, bleu"),
        (["x.", "-v", "lexical:rouge=much"], "is not a number: 'much'"),
        (["x.", "-v", "lexical:rouge=7"], "must be between 0 and 1, found 7"),
        (["x.", "-x", "words"], "unknown extractor 'words'"),
        (["x.", "--scoring", "fair"], "unknown scoring 'fair'"),
        (["x.", "--scoring", "weighted", "--weight", "supportd=2"], "scoring: weights"),
        (["x.", "--weight", "supported"], "'supported' is not NAME=VALUE"),
        (["x.", "--no-claims", "maybe"], "'maybe' is neither a number nor 'none'"),
        (["@missing.txt"], "missing.txt: cannot be read: No such file or directory"),
        (["-", "-c", "-"], "only one of the answer and the contexts can be standard input"),
        (["x.", "--min-score", "7"], "7.0 is not in the range 0<=x<=1"),
        ([], "Missing argument 'ANSWER'"),
    ],
)
def test_a_wrong_call_gets_one_clear_line(cli: Cli, arguments: list[str], message: str) -> None:
    done = cli("check", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_help_has_examples_and_names_every_command(cli: Cli) -> None:
    top = cli("--help").stdout
    assert "faithmeter eval answers.jsonl" in top
    assert "check" in top
    for command in ("check", "eval"):
        shown = cli(command, "--help")
        assert shown.returncode == 0
        assert f"faithmeter {command} " in shown.stdout
    assert cli("--version").stdout.startswith("faithmeter, version ")
    assert cli("evaluate").returncode == 2


@pytest.mark.parametrize("contexts", [(), ("-c", " ")])
def test_a_check_without_contexts_says_so(cli: Cli, contexts: tuple[str, ...]) -> None:
    done = cli("check", "It opened in 1889.", *contexts, "-v", "lexical", "--json")
    assert done.stderr.count("there is no context to check against") == 1
    assert Result.model_validate_json(done.stdout).score == 0.0
    assert "no context" not in cli("check", "It opened in 1889.", "-c", TOWER, "-v", "lexical").stderr
