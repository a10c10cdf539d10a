"""Recordings: found by specs and content, scored anew, the same file for the same results."""

from __future__ import annotations

from pathlib import Path

import pytest

from faithmeter import Claim, Failure, Label, Origin, Result, Sample, Usage, Verdict
from faithmeter.errors import DataError
from faithmeter.pytest_recording import RecordedResult, Recording, write_recording
from faithmeter.scoring import Scoring, load_scoring

SAMPLE = Sample(id="a", answer="It is. It was.", contexts=["It is."])
LABELS = (Label.SUPPORTED, Label.NOT_ENOUGH_INFO)


def result(sample: Sample = SAMPLE, *, seconds: float = 1.0) -> Result:
    outcomes = tuple(
        Verdict(claim=Claim(text="It is.", start=0, end=6), label=label, origin=Origin(verifier="v"))
        for label in LABELS
    )
    usage = Usage(calls=3, seconds=seconds)
    return Result(sample=sample, outcomes=outcomes, signature="extract:x|verify:v|score:plain", usage=usage)


def recorded(verifier: str = "v", *, seconds: float = 1.0, sample: Sample = SAMPLE) -> RecordedResult:
    return RecordedResult(verifier=verifier, extractor="x", result=result(sample, seconds=seconds))


def test_a_result_is_found_by_its_specs_and_its_content(tmp_path: Path) -> None:
    write_recording(tmp_path / "r.jsonl", [recorded()])
    recording = Recording.read(tmp_path / "r.jsonl")
    key = RecordedResult.key_of("v", "x", SAMPLE.model_copy(update={"id": "another name"}))
    found = recording.find(key, SAMPLE, Scoring())
    assert found is not None
    assert (found.score, found.usage) == (0.5, Usage()), "it cost nothing this time"
    assert recording.find(RecordedResult.key_of("w", "x", SAMPLE), SAMPLE, Scoring()) is None
    other = Sample(answer="It is not.", contexts=["It is."])
    assert recording.find(RecordedResult.key_of("v", "x", other), other, Scoring()) is None


def test_todays_policy_scores_it(tmp_path: Path) -> None:
    write_recording(tmp_path / "r.jsonl", [recorded()])
    strict = load_scoring("strict")
    found = Recording.read(tmp_path / "r.jsonl").find(recorded().key, SAMPLE, strict)
    assert found is not None
    assert (found.score, found.signature) == (0.0, "extract:x|verify:v|score:strict")


def test_recording_again_changes_only_what_changed(tmp_path: Path) -> None:
    path, other = tmp_path / "r.jsonl", Sample(answer="No.", contexts=["It is."])
    write_recording(path, [recorded(), recorded(sample=other)])
    before = path.read_bytes()
    write_recording(path, [recorded(sample=other, seconds=9.0), recorded(seconds=2.0)])
    assert path.read_bytes() == before
    write_recording(path, [recorded("w")])
    assert len(path.read_bytes().splitlines()) == 3


def test_what_could_not_be_judged_is_not_recorded(tmp_path: Path) -> None:
    failed = result().model_copy(update={"outcomes": (Failure(kind="timeout", message="late"),)})
    write_recording(tmp_path / "r.jsonl", [RecordedResult(verifier="v", extractor="x", result=failed)])
    assert Recording.read(tmp_path / "r.jsonl").entries == {}


@pytest.mark.parametrize(
    ("content", "problem"),
    [("{}\n", r"r\.jsonl:1: no recorded result: verifier: "), ("nonsense\n", ":1: no recorded result: line: ")],
)
def test_a_damaged_recording_names_its_line(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "r.jsonl").write_text(content)
    with pytest.raises(DataError, match=problem):
        Recording.read(tmp_path / "r.jsonl")


def test_a_recording_that_is_not_there_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="record it with --faithmeter-record="):
        Recording.read(tmp_path / "r.jsonl")
