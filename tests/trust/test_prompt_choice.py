"""The choice of a prompt: on held-out claims, for a certain gain or a saving, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.llm_server import Asked, LLMServer, think

from faithmeter import evaluate
from faithmeter.cli import main
from faithmeter.trust.human_labels import HumanLabel
from faithmeter.trust.prompt_choice import candidates, labelled_claims, split
from faithmeter.verify.calibrated import read_profile

Brain = Callable[[Asked], str]


def rows(count: int = 60) -> tuple[list[dict[str, object]], list[dict[str, str]]]:
    """Answers of two sentences, the first right and the second not, and what people say of them."""
    samples, labels = [], []
    for n in range(count):
        right, wrong = f"The tower {n} has {n} floors.", f"The hall {n} opened in {n + 1901}."
        context = f"{right} The hall {n} opened in {n + 1900}. Nobody lives there."
        samples.append({"id": f"s{n}", "answer": f"{right} {wrong}", "contexts": [context]})
        labels.append({"sample": f"s{n}", "claim": right, "label": "supported"})
        labels.append({"sample": f"s{n}", "claim": wrong, "label": "not_supported"})
    return samples, labels


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    samples, labels = rows()
    report = evaluate(samples, verifier="lexical")
    for name, lines in (
        ("results", [result.model_dump_json() for result in report.results]),
        ("data", map(json.dumps, samples)),
        ("labels", map(json.dumps, labels)),
    ):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def gullible(asked: Asked) -> str:
    """A model that finds everything supported, and quotes the first passage for it."""
    reply = json.loads(think(asked))
    for row in reply["verdicts"]:
        row |= {"label": "supported", "passages": [1], "quote": asked.user.split("\n")[1]}
    return json.dumps(reply)


def helped_by_examples(asked: Asked) -> str:
    return think(asked) if "Example 2." in asked.system else gullible(asked)


def lost_without_ours(asked: Asked) -> str:
    return think(asked) if "Example 1." in asked.system else gullible(asked)


def run(folder: Path, brain: Brain, *arguments: str) -> tuple[Result, int]:
    with LLMServer(brain=brain) as server:
        spec = f"openai:stub?batch=20@{server.url}"
        common = ["calibrate", f"{folder}/results.jsonl", "--labels", f"{folder}/labels.jsonl", "--choose-prompt", spec]
        done = CliRunner(env={"OPENAI_API_KEY": "none"}).invoke(main, [*common, *arguments])
        asked = len(server.requests)
        if (folder / "profile.json").exists():
            again = ["eval", f"{folder}/data.jsonl", "-v", spec, "--profile", f"{folder}/profile.json", "--json"]
            ran = CliRunner(env={"OPENAI_API_KEY": "none"}).invoke(
                main, [*again, "--no-cache", "--limit", "4", "-o", f"{folder}/better.jsonl"]
            )
            assert ran.exit_code == 0, ran.output
    return done, asked


def numbers(done: Result) -> dict[str, object]:
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_ones_own_examples_are_chosen_where_they_help(prepared: Path) -> None:
    done, _ = run(prepared, helped_by_examples, "-o", f"{prepared}/profile.json", "--json")
    found = numbers(done)
    assert found["chosen"] == "full and your examples"
    figures = found["prompts"]
    assert figures["full"]["balanced_accuracy"]["value"] == 0.5  # type: ignore[index]
    assert figures["full and your examples"]["gain"] == {"value": 0.5, "low": 0.5, "high": 0.5}  # type: ignore[index]
    profile = read_profile(prepared / "profile.json")
    assert profile.judge == {"prompt": "full", "examples": "profile.examples.jsonl"}
    judged = [json.loads(line) for line in (prepared / "better.jsonl").read_text().splitlines()]
    assert {result["score"] for result in judged} == {0.5}, "eval uses the examples: without, all would be supported"
    assert all(f"+profile:{profile.hash}" in result["signature"] for result in judged)


def test_a_cheaper_prompt_is_chosen_where_it_loses_nothing(prepared: Path) -> None:
    done, _ = run(prepared, think, "-o", f"{prepared}/profile.json")
    assert done.exit_code == 0, done.output
    assert "brief takes" in done.stdout
    assert read_profile(prepared / "profile.json").judge == {"prompt": "brief"}


def test_without_a_certain_gain_nothing_is_written(prepared: Path) -> None:
    done, _ = run(prepared, lost_without_ours, "-o", f"{prepared}/profile.json")
    assert done.exit_code == 0, done.output
    assert "no prompt is certainly better than full" in done.stdout
    assert not (prepared / "profile.json").exists()
    assert not (prepared / "profile.examples.jsonl").exists()


def test_a_dry_run_asks_nothing_and_a_prompt_of_ones_own_is_tried(prepared: Path) -> None:
    mine = prepared / "mine.md"
    mine.write_text("---\nname: mine\nversion: 1\nlanguage: en\n---\nJudge.\n")
    done, asked = run(prepared, think, "--prompt-file", str(mine), "--dry-run", "--json")
    found = numbers(done)
    assert asked == 0
    assert list(found) == ["full", "brief", "small", "full and your examples", str(mine)]
    assert all(usage["calls"] and usage["prompt_tokens"] for usage in found.values())  # type: ignore[index]
    assert found["brief"]["prompt_tokens"] < found["full"]["prompt_tokens"]  # type: ignore[index]


def helped_by_turns(asked: Asked) -> str:
    return think(asked) if asked.turns else gullible(asked)


def test_small_is_chosen_where_it_helps(prepared: Path) -> None:
    done, _ = run(prepared, helped_by_turns, "-o", f"{prepared}/profile.json", "--json")
    assert numbers(done)["chosen"] == "small"
    assert read_profile(prepared / "profile.json").judge == {"prompt": "small"}
    judged = [json.loads(line) for line in (prepared / "better.jsonl").read_text().splitlines()]
    assert {result["score"] for result in judged} == {0.5}, "eval uses it: without, all would be supported"


@pytest.mark.parametrize("option", ["partial=true", "reasons=false", "mode=joint"])
def test_small_is_not_tried_with_what_it_cannot_do(option: str) -> None:
    assert list(candidates("openai:m@http://h/v1", None)) == ["full", "brief", "small"]
    assert list(candidates(f"openai:m?{option}@http://h/v1", None)) == ["full", "brief"]


def test_bad_requests_are_one_line(prepared: Path) -> None:
    few = (prepared / "labels.jsonl").read_text().splitlines()[:30]
    (prepared / "labels.jsonl").write_text("\n".join(few))
    done, asked = run(prepared, think)
    assert asked == 0
    assert done.exit_code == 2
    assert "are too few to choose a prompt; label at least 40" in done.output
    common = ["calibrate", f"{prepared}/results.jsonl", "--labels", f"{prepared}/labels.jsonl"]
    for arguments, says in (
        (["--choose-prompt", "local"], "needs an LLM judge"),
        (["--dry-run"], "go with --choose-prompt"),
    ):
        wrong = CliRunner().invoke(main, [*common, *arguments])
        assert wrong.exit_code == 2
        assert says in wrong.output


def test_no_context_is_on_both_sides() -> None:
    samples, labels = rows()
    twins = [{**sample, "id": f"t{n}"} for n, sample in enumerate(samples)]
    more = [{**label, "sample": label["sample"].replace("s", "t")} for label in labels]
    report = evaluate([*samples, *twins], verifier="lexical")
    claims = labelled_claims(report.results, [HumanLabel.model_validate(label) for label in [*labels, *more]])
    assert len(claims) == 240
    examples, held = split(claims, "x")
    assert 0 < len(examples) <= 5
    assert not {example.passages for example in examples} & {claim.contexts for claim in held}
    assert {example.label for example in examples} >= {"not_enough_info"}
