"""What we write we can read: results, labels, recordings and few-shot files go through one reader and one writer."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pydantic import ValidationError

from faithmeter.cli import main
from faithmeter.data import jsonl
from faithmeter.data.datasets import read_samples
from faithmeter.datamodels import Claim, Failure, Origin, Sample, Verdict
from faithmeter.errors import DataError, RowError, UsageError
from faithmeter.judge.prompts import load_examples
from faithmeter.pytest_recording import RecordedResult, Recording, write_recording
from faithmeter.report import read_results
from faithmeter.results import Result
from faithmeter.runs.journal import Journal
from faithmeter.scoring import Scoring
from faithmeter.trust.human_labels import read_labels
from faithmeter.trust.label_session import Session, make_queue

BREAKS = "one\u2028two\u2029three\u0085four"


def made(answer: str, **sample: Any) -> Result:
    verdict = Verdict(
        claim=Claim(text=answer, start=0, end=len(answer)), label="supported", support=0.5, origin=Origin(verifier="x")
    )
    return Result(sample=Sample(answer=answer, contexts=("c",), **sample), outcomes=(verdict,), signature="s")


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def test_line_separators_are_escapes_and_come_back() -> None:
    line = jsonl.encode(made(BREAKS))
    assert len(line.decode().splitlines()) == 1
    assert Result.model_validate_json(line).sample.answer == BREAKS
    assert json.loads(jsonl.encode({"a": BREAKS})) == {"a": BREAKS}


def test_labels_recordings_examples_and_results_take_them(tmp_path: Path) -> None:
    results, labels = tmp_path / "results.jsonl", tmp_path / "labels.jsonl"
    with Journal(results) as journal:
        journal.meet(made(BREAKS, id="a").sample, "s")
        journal.append([("a", jsonl.encode(made(BREAKS, id="a")))])
        journal.finish()
    (result,) = read_results(results)
    assert result.sample.answer == BREAKS
    Session(make_queue([result]), labels, by="an\u2028a", count=1).label(0, "supported")
    assert [(label.by, label.claim) for label in read_labels(labels)] == [("an\u2028a", BREAKS)]
    raw = json.dumps({"sample": "a", "claim": BREAKS, "label": "1"}, ensure_ascii=False)
    labels.write_text(raw + "\n", "utf-8")
    assert read_labels(labels)[0].claim == BREAKS
    write_recording(tmp_path / "r.jsonl", [RecordedResult(verifier="v", extractor="e", result=result)])
    assert len(Recording.read(tmp_path / "r.jsonl").entries) == 1
    example = json.dumps({"passage": BREAKS, "claim": BREAKS, "label": "supported"}, ensure_ascii=False)
    (tmp_path / "few.jsonl").write_text(example + "\n", "utf-8")
    assert load_examples(tmp_path / "few.jsonl")[0].claim == BREAKS


def test_half_a_surrogate_pair_in_a_failure_does_not_end_the_run(tmp_path: Path) -> None:
    claim = Claim(text="x", start=0, end=1)
    failure = Failure(claim=claim, kind="malformed", message="the reply was: \ud83d")
    result = Result(sample=Sample(answer="x", contexts=("c",)), outcomes=(failure,), signature="s")
    assert Result.model_validate_json(jsonl.encode(result)) == result
    assert Origin(verifier="a\udfff").verifier == "a\ufffd"


UNWRITABLE = {
    "nan": ('{"n": NaN}', "metadata: at n: nan is not a finite number; give null or text"),
    "infinity": ('{"n": [1, -Infinity]}', r"metadata: at n\[1\]: -inf is not a finite number"),
    "deep": (json.dumps(nested(220)), "metadata: more than 100 levels deep"),
    "surrogate": (r'{"a": "\ud800"}', "metadata: at a: half of a surrogate pair"),
    "digits": ('{"n": ' + "9" * 4400 + "}", "an integer of more than 4,300 digits"),
}


@pytest.mark.parametrize("name", UNWRITABLE)
def test_what_could_not_be_read_again_is_refused_at_the_edge(tmp_path: Path, name: str) -> None:
    metadata, problem = UNWRITABLE[name]
    good = '{"id": "g", "answer": "x", "contexts": [], "metadata": ' + json.dumps(nested(90)) + "}\n"
    (tmp_path / "d.jsonl").write_text(good + '{"answer": "x", "contexts": [], "metadata": ' + metadata + "}\n")
    fine, bad = read_samples(tmp_path / "d.jsonl")
    assert isinstance(fine, Sample)
    entry = RecordedResult(verifier="v", extractor="e", result=made("x", metadata=nested(99)))
    assert RecordedResult.model_validate_json(jsonl.encode(entry)) == entry
    assert isinstance(bad, RowError)
    with pytest.raises(RowError, match=r"d\.jsonl:2: " + problem):
        raise bad


def test_a_huge_integer_from_python_is_refused_too() -> None:
    with pytest.raises(ValidationError, match="integer of thousands of digits"):
        Sample(answer="x", contexts=("c",), metadata={"n": 10**5000})
    assert Sample(answer="x", contexts=("c",), metadata={"n": 2**128}).metadata == {"n": 2**128}


@pytest.mark.parametrize(
    "options",
    [["--scoring", "weighted", "--weight", "supported=nan"], ["--no-claims", "1e308"], ["--refusal", "-inf"],
     ["--scoring", "weighted", "--weight", "contradicted=-1e300"]],
)  # fmt: skip
def test_a_score_that_is_no_number_is_a_usage_error(options: list[str]) -> None:
    result = CliRunner().invoke(main, ["check", "Paris.", "-c", "Paris.", "-v", "lexical", "--no-cache", *options])
    assert result.exit_code == 2
    assert "faithmeter: scoring: " in result.stderr or "neither a number nor 'none'" in result.stderr
    with pytest.raises(UsageError):
        Scoring().revised(no_claims=float("nan"))


def test_a_line_has_an_end() -> None:
    class Endless(io.RawIOBase):
        read_so_far = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            self.read_so_far += len(buffer)
            buffer[:] = b"x" * len(buffer)
            return len(buffer)

    endless = Endless()
    with pytest.raises(DataError, match=r"big\.jsonl:1: a line of more than 64 MiB"):
        list(jsonl.lines(io.BufferedReader(endless), "big.jsonl"))
    assert endless.read_so_far < 2 * jsonl.LONGEST_LINE


def test_a_run_keeps_its_results_when_an_endpoint_sends_half_a_pair(tmp_path: Path) -> None:
    """The whole way: a verifier whose message has what no file can hold."""
    from faithmeter.evaluator import Evaluator

    class Broken:
        signature = "broken"

        async def verify(self, pairs: Any) -> list[Any]:
            return [Failure(claim=pair.claim, kind="endpoint", message='{"error": "\ud83d"}') for pair in pairs]

    result = asyncio.run(Evaluator(verifier=Broken()).check(Sample(answer="Paris lies here.", contexts=("c",))))
    assert Result.model_validate_json(jsonl.encode(result)).failures[0].message == '{"error": "\ufffd"}'
