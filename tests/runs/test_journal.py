"""What is on disk when: resumed, changed, torn, locked, killed between any two steps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faithmeter.datamodels import Claim, Failure, Label, Origin, Sample, Verdict
from faithmeter.errors import OutputError
from faithmeter.results import Result
from faithmeter.runs.journal import Journal


def sample(name: str, answer: str = "It is so.") -> Sample:
    return Sample.model_validate({"id": name, "answer": answer, "contexts": ["It is so."], "metadata": {"n": 1}})


def result(item: Sample, signature: str = "s", *, failed: bool = False) -> Result:
    claim = Claim(text=item.answer, start=0, end=len(item.answer))
    verdict = Verdict(claim=claim, label=Label.SUPPORTED, origin=Origin(verifier="test"))
    outcome = Failure(claim=claim, kind="timeout", message="late") if failed else verdict
    return Result(sample=item, outcomes=(outcome,), signature=signature)


def line(item: Sample, signature: str = "s", *, failed: bool = False) -> bytes:
    return result(item, signature, failed=failed).model_dump_json().encode()


def run(output: Path, names: str, *, signature: str = "s", judged: list[str] | None = None, **options: bool) -> int:
    """A run over samples with one-letter names; results are finished in reverse order."""
    with Journal(output, **options) as journal:
        todo = [item for item in map(sample, names) if journal.meet(item, signature) is None]
        for item in reversed(todo):
            journal.append([(item.id, line(item, signature))])
        if judged is not None:
            judged += [item.id for item in todo]
        return journal.finish()


def ids(path: Path) -> str:
    return "".join(Result.model_validate_json(text).sample.id for text in path.read_text("utf-8").splitlines())


def test_the_final_file_is_in_the_inputs_order_and_the_journal_is_gone(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    assert run(output, "abc") == 0
    assert ids(output) == "abc"
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


@settings(max_examples=60, deadline=None)
@given(st.permutations("abcd"), st.text("abcd", max_size=2), st.integers(0, 4))
def test_finished_in_any_order_and_killed_anywhere_it_ends_in_the_inputs(
    tmp_path_factory: pytest.TempPathFactory, finished: list[str], twice: str, killed: int
) -> None:
    """A journal in the input's order becomes the results as it is; any other is copied in order."""
    output = tmp_path_factory.mktemp("any") / "out.jsonl"
    written = [*twice, *finished]
    with Journal(output) as journal:
        for name in written[:killed]:
            journal.append([(name, line(sample(name)))])
    with Journal(output) as journal:
        for name in "abcd":
            journal.meet(sample(name), "s")
        journal.append([(name, line(sample(name))) for name in written[killed:]])
        number = journal.path.stat().st_ino
        assert journal.finish() == 0
    assert ids(output) == "abcd"
    assert [path.name for path in output.parent.iterdir()] == ["out.jsonl"]
    assert (output.stat().st_ino == number) == (written == list("abcd"))


def test_what_is_there_is_not_judged_again(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    run(output, "abc")
    judged: list[str] = []
    run(output, "cxab", judged=judged)
    assert judged == ["x"]
    assert ids(output) == "cxab"


def test_results_of_rows_that_are_not_met_are_kept_in_the_journal(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    run(output, "abcd")
    assert run(output, "b") == 3
    assert ids(output) == "b"
    assert sorted(ids(tmp_path / "out.jsonl.journal")) == ["a", "c", "d"]
    judged: list[str] = []
    assert run(output, "abcd", judged=judged) == 0
    assert judged == []
    assert ids(output) == "abcd"
    assert not (tmp_path / "out.jsonl.journal").exists()


def test_changed_content_signature_and_metadata(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    run(output, "abcd")
    with Journal(output) as journal:
        assert journal.results_at_start == 4
        assert journal.meet(sample("a", "It is otherwise."), "s") is None
        assert journal.meet(sample("b"), "other") is None
        other = sample("c").model_copy(update={"metadata": {"n": 2}})
        again = journal.meet(other, "s")
        assert again is not None
        assert again.sample.metadata == {"n": 2}
        assert journal.again == {"content": 1, "signature": 1}
        assert journal.reused == 1
        journal.append([("a", line(sample("a", "It is otherwise.")))])
        journal.append([("b", line(sample("b"), "other"))])
        assert journal.finish() == 1  # d
    results = [Result.model_validate_json(text) for text in output.read_text("utf-8").splitlines()]
    assert [item.sample.answer for item in results] == ["It is otherwise.", "It is so.", "It is so."]
    assert [item.signature for item in results] == ["s", "other", "s"]
    assert results[2].sample.metadata == {"n": 2}


def test_failed_results_are_judged_again_only_when_asked(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    with Journal(output) as journal:
        journal.meet(sample("a"), "s")
        journal.append([("a", line(sample("a"), failed=True))])
        journal.finish()
    with Journal(output) as journal:
        assert journal.meet(sample("a"), "s") is not None
    with Journal(output, retry_failed=True) as journal:
        assert journal.meet(sample("a"), "s") is None
        assert journal.again == {"failed": 1}


def test_fresh_starts_over(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    run(output, "abc")
    judged: list[str] = []
    run(output, "ab", judged=judged, fresh=True)
    assert judged == ["a", "b"]
    assert not (tmp_path / "out.jsonl.journal").exists()


@given(st.data())
@settings(max_examples=60)
def test_a_journal_cut_anywhere_is_recovered(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    output = tmp_path_factory.mktemp("cut") / "out.jsonl"
    journal_path = output.with_name("out.jsonl.journal")
    whole = b"".join(line(sample(name)) + b"\n" for name in "abcdef")
    cut = data.draw(st.integers(0, len(whole)))
    journal_path.write_bytes(whole[:cut])
    judged: list[str] = []
    run(output, "abcdef", judged=judged)
    assert "".join(judged) == "abcdef"[whole[:cut].count(b"\n") :]
    assert ids(output) == "abcdef"


def test_a_damaged_line_is_judged_again_and_counted(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    lines = [line(sample(name)) + b"\n" for name in "abc"]
    lines[1] = b"\0" * 40 + b"\n"
    output.with_name("out.jsonl.journal").write_bytes(b"".join(lines))
    with Journal(output) as journal:
        assert [journal.meet(sample(name), "s") is None for name in "abc"] == [False, True, False]
        assert journal.again == {"unreadable": 1}


# Every state of the two files that a kill during `finish` can leave: old results of ab, journal of bcd (b anew).
OLD, NEW = "ab", "bcd"


@pytest.mark.parametrize("killed", ["before", "left appended", "draft", "renamed", "journal draft"])
def test_killed_at_any_step_of_the_end(killed: str, tmp_path: Path) -> None:
    output, journal = tmp_path / "out.jsonl", tmp_path / "out.jsonl.journal"
    output.write_bytes(b"".join(line(sample(name)) + b"\n" for name in OLD))
    entries = [line(sample(name)) + b"\n" for name in NEW]
    if killed != "before":
        entries.append(line(sample("a")) + b"\n")  # what the run did not meet
    journal.write_bytes(b"".join(entries))
    if killed == "draft":
        (tmp_path / "out.jsonl.tmp").write_bytes(entries[0][:20])
    if killed in ("renamed", "journal draft"):
        output.write_bytes(b"".join(entries[:3]))
    if killed == "journal draft":
        (tmp_path / "out.jsonl.journal.tmp").write_bytes(entries[3][:20])
    judged: list[str] = []
    assert run(output, "abcd", judged=judged) == 0
    assert judged == []
    assert ids(output) == "abcd"
    assert not journal.exists()


def test_two_runs_cannot_write_the_same_output(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    with Journal(output), pytest.raises(OutputError, match=r"out\.jsonl: another run is writing it"):
        Journal(output).__enter__()
    run(output, "a")


def test_a_file_that_holds_no_results_is_not_overwritten(tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    output.write_text('{"answer": "x", "contexts": []}\n')
    for fresh in (False, True):
        with pytest.raises(OutputError, match="is there already and holds no results"):
            Journal(output, fresh=fresh).__enter__()
    assert output.read_text() == '{"answer": "x", "contexts": []}\n'
    assert [path.name for path in tmp_path.iterdir()] == ["answers.jsonl"]


@pytest.mark.parametrize("name", ["no/such/folder.jsonl", "."])
def test_an_unwritable_output_is_one_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"cannot be written: No such file|is a folder"):
        Journal(tmp_path / name).__enter__()


FULL = """
import resource, sys, signal
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_journal import line, sample
from faithmeter.errors import OutputError
from faithmeter.runs.journal import Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500))
with Journal(Path(sys.argv[1])) as journal:
    try:
        for name in "abcdefgh":
            journal.meet(sample(name), "s")
            journal.append([(name, line(sample(name)))])
    except OutputError as error:
        print(error)
"""


def test_a_disk_that_fills_leaves_whole_lines(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    command = [sys.executable, "-c", FULL, str(output), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "out.jsonl.journal: cannot be written: File too large" in done.stdout
    kept = ids(tmp_path / "out.jsonl.journal")
    assert kept
    assert "abcdefgh".startswith(kept)
    judged: list[str] = []
    run(output, "abcdefgh", judged=judged)
    assert kept + "".join(judged) == "abcdefgh"


@pytest.mark.skipif(sys.platform == "win32", reason="no such device there")
def test_a_device_is_no_output() -> None:
    with pytest.raises(OutputError, match="is a device"), Journal(Path("/dev/full")):
        pass
