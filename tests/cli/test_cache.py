"""`faithmeter cache`: stats, prune, export and verify on a real store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from faithmeter.cache.semantic import Semantic
from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.cache.wrapper import Cached
from faithmeter.cli.cache import command
from faithmeter.datamodels import Claim, Label, Origin, Outcome, Pair, Sample, Usage, Verdict
from faithmeter.runtime.usage import spend


class Picky:
    """Supports claims that end with a full stop: two wordings of one claim get two labels."""

    signature = "picky.1"

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        spend(Usage(calls=1, prompt_tokens=30, completion_tokens=6, cost=0.25))
        return [
            Verdict(
                claim=pair.claim,
                label=Label.SUPPORTED if pair.claim.text.endswith(".") else Label.NOT_ENOUGH_INFO,
                origin=Origin(verifier="picky"),
            )
            for pair in pairs
        ]


def picky() -> Picky:
    return Picky()


CLAIMS = ["The tower is tall.", "It was built in 1889.", "It stands in Paris."]


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A cache with three verdicts, three exact hits and one semantic hit, which is wrong."""
    path = tmp_path / "cache.sqlite"
    store = SQLiteStore(path)
    sample = Sample.model_validate({"answer": "x", "contexts": ["The tower."]})
    cached = Cached(Picky(), store, semantic=Semantic())
    pairs = [Pair(Claim(text=text, start=0, end=1), sample) for text in CLAIMS]
    near = Pair(Claim(text="It was built in 1889", start=0, end=1), sample)
    for batch in (pairs, pairs, [near]):
        asyncio.run(cached.verify(batch))
    store.close()
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments))


def test_stats(filled: Path) -> None:
    found = json.loads(run("stats", "--cache", str(filled), "--json").stdout)
    assert found["hits"] == {"exact": 3, "semantic": 1, "shared": 0}
    assert found["entries"] == {"signature": 1, "verdict": 3}
    assert found["hit_rate"] == pytest.approx(4 / 7)
    assert found["saved_calls"] == pytest.approx(4 / 3)
    assert found["saved_prompt_tokens"] == pytest.approx(40)
    assert found["saved_cost"] == pytest.approx(1 / 3)
    text = run("stats", "--cache", str(filled)).stdout
    assert "3 exact, 1 semantic, 0 shared (57.1% of all)" in text
    assert "1 calls, 40 prompt tokens, 8 completion tokens, $0.33" in text


def test_export(filled: Path) -> None:
    rows = [json.loads(line) for line in run("export", "--cache", str(filled)).stdout.splitlines()]
    assert [row["claim"] for row in rows] == CLAIMS
    assert {row["signature"] for row in rows} == {"picky.1"}
    assert {row["label"] for row in rows} == {"supported"}


def test_verify_judges_semantic_hits_again(filled: Path) -> None:
    result = run("verify", "--cache", str(filled), "--verifier", f"python:{__name__}:picky", "--json")
    review = json.loads(result.stdout)["review"]
    assert result.exit_code == 1
    assert review["judged"] == 1
    assert review["disagreements"][0]["given"] == "supported"
    assert review["disagreements"][0]["judged"] == "not_enough_info"


def test_verify_leaves_out_what_another_verifier_said(filled: Path) -> None:
    result = run("verify", "--cache", str(filled), "--verifier", "lexical")
    assert result.exit_code == 0
    assert "the store is sound" in result.stdout
    assert "1 were given for another verifier" in result.stdout


def test_verify_says_what_is_damaged(filled: Path) -> None:
    whole = filled.read_bytes()
    filled.write_bytes(whole[:4096] + b"\xff" * 8192 + whole[4096 + 8192 :])
    result = run("verify", "--cache", str(filled))
    assert result.exit_code == 1
    assert "set aside" in result.stderr


def test_prune(filled: Path) -> None:
    assert "deleted 0 entries" in run("prune", "--cache", str(filled), "--older-than", "1d").stdout
    assert "deleted 4 entries" in run("prune", "--cache", str(filled), "--all").stdout
    assert json.loads(run("stats", "--cache", str(filled), "--json").stdout)["entries"] == {}


@pytest.mark.parametrize(
    "arguments", [[], ["--all", "--older-than", "1d"], ["--older-than", "yesterday"], ["--max-size", "big"]]
)
def test_prune_wants_to_be_told_what(filled: Path, arguments: list[str]) -> None:
    assert run("prune", "--cache", str(filled), *arguments).exit_code == 2


def test_sizes(filled: Path) -> None:
    assert run("prune", "--cache", str(filled), "--max-size", "1.5MB").exit_code == 0
