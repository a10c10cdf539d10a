"""The GitHub Action, the pre-commit hook and the plugin's document, run as far as they run without GitHub."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def environment(**more: str) -> dict[str, str]:
    """This process's, with the programs of the environment first, and without what GitHub or git set."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("GITHUB", "GIT_", "PYTEST"))}
    return {**plain, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "FAITHMETER_CACHE": "off", **more}


def run_step(name: str, folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action as the runner does: inputs by expression, `bash -eo pipefail`."""
    step = next(step for step in ACTION["runs"]["steps"] if step["name"] == name)
    given = {key: str(value.get("default", "")) for key, value in ACTION["inputs"].items()} | inputs
    values = {key: re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text) for key, text in step["env"].items()}
    settings = {key: given[found[1]] for key, found in values.items() if found}
    assert settings.keys() == step["env"].keys()
    summary = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder, env=environment(**settings, **summary), capture_output=True, text=True, timeout=600,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "examples" / "answers.jsonl", tmp_path / "answers of today.jsonl")
    return tmp_path


def test_the_action_evaluates_and_reports(folder: Path) -> None:
    inputs = {"data": "answers of today.jsonl", "verifier": "lexical"}
    passed = run_step("Evaluate", folder, **inputs, **{"min-score": "0.2"})
    assert passed.returncode == 0, passed.stderr
    assert (folder / "faithmeter-report.html").exists()
    assert "Faithfulness report" in (folder / "summary.md").read_text("utf-8")
    failed = run_step("Evaluate", folder, **inputs, **{"min-score": "0.99"})
    assert failed.returncode == 1
    assert "::error file=answers of today.jsonl,title=" in failed.stderr


def test_the_action_compares_with_a_baseline(folder: Path) -> None:
    for results, verifier in {
        "faithmeter-results.jsonl": "lexical:rouge=0.9",
        "main.jsonl": "lexical:rouge=0.1",
    }.items():
        done = run_step("Evaluate", folder, data="answers of today.jsonl", verifier=verifier, results=results)
        assert done.returncode == 0, done.stderr
    worse = run_step("Compare", folder, baseline="main.jsonl")
    assert worse.returncode == 1, worse.stdout + worse.stderr
    assert (folder / "faithmeter-compare.html").exists()
    assert "## Comparison of two runs\n\n**mean score" in (folder / "summary.md").read_text("utf-8")
    same = run_step("Compare", folder, baseline="faithmeter-results.jsonl")
    assert same.returncode == 0, same.stdout + same.stderr


@pytest.mark.parametrize("name", ["$(touch pwned).jsonl", "; touch pwned;.jsonl", "--help", "`touch pwned`"])
def test_an_input_is_no_command(folder: Path, name: str) -> None:
    done = run_step("Evaluate", folder, data=name, verifier="lexical")
    assert done.returncode == 2
    assert not (folder / "pwned").exists()


def test_the_action_names_only_inputs_it_has() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text("utf-8")))
    assert used == set(ACTION["inputs"])
    documented = (ROOT / "docs" / "ci.md").read_text("utf-8")
    assert all(f"| `{name}` |" in documented for name in ACTION["inputs"])


def test_the_yaml_of_the_document_is_yaml() -> None:
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]
    steps = blocks[0]["jobs"]["answers"]["steps"]
    mine = next(step for step in steps if "faithmeter/" in step.get("uses", ""))
    assert set(mine["with"]) <= set(ACTION["inputs"])


def pre_commit(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files", "--verbose"],
        cwd=folder, env=environment(HOME=str(folder), XDG_CACHE_HOME=str(folder / "cache")),
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip


def test_the_pre_commit_example_runs(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    example = next(block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if block.startswith("repos:"))
    (tmp_path / ".pre-commit-config.yaml").write_text(example, encoding="utf-8")
    (tmp_path / "answers").mkdir()
    good = tmp_path / "answers" / "good.jsonl"
    good.write_text('{"answer": "Grass is green.", "contexts": ["Grass is green."]}\n')
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True, env=environment())
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True, env=environment())
    passed = pre_commit(tmp_path)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "Passed" in passed.stdout
    good.write_text('{"answer": "Bananas are blue.", "contexts": ["Grass is green."]}\n')
    failed = pre_commit(tmp_path)
    assert failed.returncode == 1
    assert "mean score 0.00 is below 0.3" in failed.stdout


def test_the_hook_of_this_repository_is_one() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert {"id", "name", "entry", "language"} <= hook.keys()
    assert hook["entry"].startswith("faithmeter eval")


def test_the_tests_of_the_pytest_document_pass(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "pytest.md").read_text("utf-8")
    code = "\n\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    (tmp_path / "test_document.py").write_text(code, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("\n".join(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)))
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--faithmeter-verifier=lexical"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "answers checked" in done.stdout
