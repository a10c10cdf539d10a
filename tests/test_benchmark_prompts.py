"""The measure of prompts: what a reply says is read as the judge reads it, and what it leaves out counts as wrong."""

from __future__ import annotations

import json
import lzma
import re
import sys
from pathlib import Path

import pytest
from support.llm_brain import Asked, think

from benchmarks import prompts
from benchmarks.prompt_claims import calls, load
from benchmarks.prompt_variant import NAMES, Variant
from faithmeter.judge.prompts import Instructions
from faithmeter.llm.protocol import Reply
from faithmeter.llm.settings import JudgeSettings

ROWS = [
    {"context": f"The tower has {n} floors. It is {n} m high.", "claim": claim, "label": label}
    for n in range(10, 30)
    for claim, label in (
        (f"The tower has {n} floors.", "supported"),
        (f"It is {n + 1} m high.", "contradicted"),
        ("It is blue.", "not_enough_info"),
    )
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with lzma.open(tmp_path / "begin_test.jsonl.xz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in ROWS)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["prompts", *map(str, arguments)])
    prompts.main()


def test_the_same_claims_are_drawn_each_time_half_of_them_supported(data: Path) -> None:
    found = load(data, ["begin"], 20)
    assert found == load(data, ["begin"], 20)
    asked = [claim for claim in found if claim.asked]
    assert (len(asked), sum(claim.supported for claim in asked)) == (20, 10)
    grouped = calls(found, 3)
    assert sorted(claim.id for call in grouped for claim in call if claim.asked) == sorted(c.id for c in asked)
    assert all(len({claim.context for claim in call}) == 1 and len(call) == 3 for call in grouped)


@pytest.mark.parametrize("per_call", [1, 3])
def test_replies_in_files_are_scored(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], per_call: int
) -> None:
    common = (data, "--sets", "begin", "--claims", 20, "--per-call", per_call)
    asked = ("--prompt", "full", "--prompt", "small", "--prompt", "ragas")
    run(monkeypatch, *common, *asked, "--requests", data)
    for name in ("full", "small", "ragas"):
        path = data / f"{name}-{per_call}.jsonl"
        replies = []
        for number, request in enumerate(map(json.loads, path.read_text().splitlines())):
            system, user = request["messages"][0]["content"], request["messages"][-1]["content"]
            count = len(json.loads(request["id"])[0])
            text = think(Asked(system, user, None, {}))
            if name == "ragas":
                text = json.dumps({"statements": [{"verdict": 1}] * count})
            elif number == 0:
                text = "I have no idea."
            replies.append({"id": request["id"], "text": text, "finish": "stop", "prompt_tokens": 100, "tokens": 10})
        path.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    run(monkeypatch, *common, *asked, "--replies", data)
    table, counts = capsys.readouterr().out.strip().split("\n\n")
    scores = {line.split()[0]: float(line.split()[1]) for line in table.splitlines()[1:]}
    silent = {line.split()[0]: int(line.split()[2]) for line in counts.splitlines()[1:4]}
    assert scores["ragas"] == 0.5, "a judge that says yes to everything"
    for name in ("full", "small"):
        assert 0 < silent[name] <= (1 if name == "small" else per_call), "the reply that cannot be read"
        assert 0.8 < scores[name] < 1.0, "it counts as wrong"
    assert silent["ragas"] == 0


def test_each_variant_asks_and_reads_in_its_own_form(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    common = (data, "--sets", "begin", "--claims", 4)
    run(monkeypatch, *common, "--prompt", "full", "--variants", "--requests", data / "q")
    assert len(NAMES) >= 7
    systems = set()
    claims = load(data, ["begin"], 4)
    for name in NAMES:
        lines = (data / "q" / f"{name}-1.jsonl").read_text().splitlines()
        request = json.loads(lines[0])
        system = request["messages"][0]["content"]
        systems.add(system)
        ids, numbers = json.loads(request["id"])
        variant = Variant(name)
        for example in re.findall(r"^Reply:\n(.*)$", system, re.MULTILINE):
            assert [list(row) for row in json.loads(example)["verdicts"]] == [variant.keys] * 5
        call = [claim for claim in claims if claim.id in ids]
        key = "supported" if "supported" in variant.keys else "label"
        for said, expected in (("no", False), ("not_enough_info", False), ("supported", True), ("maybe", None)):
            said = {"supported": "yes", "not_enough_info": "no"}.get(said, said) if key == "supported" else said
            row = {"claim": numbers[0], key: said}
            text = json.dumps({"verdicts": [row]})
            assert [v for _, v in variant.verdicts(call, numbers, Reply(text, "stop", 0, 0))] == [expected]
            text = json.dumps({"verdicts": [row, row]})
            assert [v for _, v in variant.verdicts(call, numbers, Reply(text, "stop", 0, 0))] == [None]
    assert len(systems) == len(NAMES)


def test_the_base_of_the_variants_is_the_full_prompt(data: Path) -> None:
    call = [load(data, ["begin"], 2)[0]]
    assert Variant("base").system == prompts.Ours("full").put(call)[0][0]["content"]


@pytest.mark.parametrize("per_call", [1, 3])
def test_small_is_sent_as_the_judge_sends_it(data: Path, monkeypatch: pytest.MonkeyPatch, per_call: int) -> None:
    common = (data, "--sets", "begin", "--claims", 4, "--per-call", per_call)
    run(monkeypatch, *common, "--prompt", "small", "--requests", data)
    small = Instructions("verify", JudgeSettings(prompt="small"))
    shown = [text for turn in small.turns for text in turn]
    requests = [json.loads(line) for line in (data / f"small-{per_call}.jsonl").read_text().splitlines()]
    assert [len(json.loads(request["id"])[0]) for request in requests] == [1] * 4
    for request in requests:
        sent = request["messages"]
        assert [message["role"] for message in sent] == ["system", *["user", "assistant"] * len(small.turns), "user"]
        assert [message["content"] for message in sent[:-1]] == [small.text, *shown]
