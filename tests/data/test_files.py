"""A file is written whole or not at all, through links, and never over what the user has."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from faithmeter.cli import main
from faithmeter.data.files import append_line, keep_apart, replacing
from faithmeter.errors import OutputError, UsageError

TRUE, FALSE = "Paris lies on the Seine.", "Rome lies on the Rhine."
CONTEXT = "Paris lies on the river Seine. Rome lies on the river Tiber."
ROWS = "".join(
    f'{{"id": "{number}", "answer": "{(TRUE, FALSE)[number % 2]}", "contexts": ["{CONTEXT}"]}}\n'
    for number in range(24)
)
LABELS = "".join(
    f'{{"sample": "{number}", "claim": "{(TRUE, FALSE)[number % 2]}", "label": "{number % 2 ^ 1}", "by": "ana"}}\n'
    for number in range(24)
)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def evaluate(*arguments: str | Path) -> Result:
    return run("eval", *arguments, "-v", "lexical", "--workers", "1", "--quiet", "--no-cache")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data, results, a second run and labels."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.jsonl").write_text(ROWS)
    (tmp_path / "labels.jsonl").write_text(LABELS)
    assert evaluate("data.jsonl", "-o", "results.jsonl").exit_code == 0
    (tmp_path / "other.jsonl").write_bytes((tmp_path / "results.jsonl").read_bytes())
    for name in ("data", "results", "labels"):  # under names that reports may have
        for ending in ("csv", "json", "html", "journal"):
            os.link(tmp_path / f"{name}.jsonl", tmp_path / f"{name}.{ending}")
    return tmp_path


OVER = {
    "eval -o": ["eval", "data.jsonl", "-o", "data.jsonl"],
    "eval --report": ["eval", "data.jsonl", "--report", "data.csv"],
    "eval --report over -o": ["eval", "data.jsonl", "-o", "new.json", "--report", "new.json"],
    "eval of what would be the journal": ["eval", "data.journal", "-o", "data"],
    "report": ["report", "results.jsonl", "-o", "results.json"],
    "report twice": ["report", "results.jsonl", "-o", "new.html", "-o", "./new.html"],
    "compare before": ["compare", "results.jsonl", "other.jsonl", "-o", "results.jsonl"],
    "compare after": ["compare", "results.jsonl", "other.jsonl", "-o", "other.jsonl"],
    "agree": ["agree", "results.jsonl", "--labels", "labels.jsonl", "--html", "results.html"],
    "agree labels": ["agree", "results.jsonl", "--labels", "labels.jsonl", "--html", "labels.html"],
    "calibrate": ["calibrate", "results.jsonl", "--labels", "labels.jsonl", "-o", "labels.jsonl"],
    "calibrate results": ["calibrate", "results.jsonl", "--labels", "labels.jsonl", "-o", "results.jsonl"],
    "label": ["label", "results.jsonl", "-o", "results.jsonl", "--terminal"],
    "label a table": ["label", "results.jsonl", "-o", "new.csv", "--terminal"],
}


@pytest.mark.parametrize("arguments", OVER.values(), ids=OVER)
def test_nothing_is_written_over_what_is_read(folder: Path, arguments: list[str]) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    if arguments[0] == "eval":
        arguments = [*arguments, "-v", "lexical", "--no-cache"]
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert "another name" in result.stderr or "ends in .jsonl" in result.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_standard_input_is_not_written_over(folder: Path) -> None:
    command = [sys.executable, "-m", "faithmeter", "eval", "-", "-v", "lexical", "--no-cache", "-o", "data.jsonl"]
    with (folder / "data.jsonl").open("rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    assert (done.returncode, (folder / "data.jsonl").read_text()) == (2, ROWS)
    with pytest.raises(UsageError, match="is what is read"):
        keep_apart({"-o": "data.csv"}, ["data.jsonl"])  # the same file by a hard link


@pytest.mark.parametrize("name", ["results.jsonl", "report.html"])
def test_a_link_stays_and_what_it_points_to_is_written(folder: Path, name: str) -> None:
    real = folder / "elsewhere" / "real"
    real.parent.mkdir()
    link = folder / f"link-{name}"
    link.symlink_to(real)
    if name == "report.html":
        assert run("report", "results.jsonl", "-o", link).exit_code == 0
    else:
        assert evaluate("data.jsonl", "-o", link).exit_code == 0
        assert evaluate("data.jsonl", "-o", link, "--fresh").exit_code == 0
    assert link.is_symlink()
    assert real.stat().st_size > 100
    assert [path.name for path in real.parent.iterdir()] == ["real"]


def test_a_device_is_written_not_replaced(folder: Path) -> None:
    (folder / "out.html").symlink_to("/dev/stdout")
    command = [sys.executable, "-m", "faithmeter", "report", "results.jsonl", "--quiet", "-o", "out.html"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "</html>" in done.stdout
    assert Path("/dev/stdout").is_symlink()
    (folder / "full.html").symlink_to("/dev/full")
    full = run("report", "results.jsonl", "-o", "full.html")
    assert (full.exit_code, "full.html: cannot be written: No space left" in full.stderr) == (2, True)


@pytest.mark.parametrize("ending", [".journal", ".tmp", ".bad-rows.jsonl"])
def test_a_file_of_the_users_with_a_name_of_ours_stays(folder: Path, ending: str) -> None:
    mine = folder / f"mine.jsonl{ending}"
    mine.write_text("Chapter one.\nIt was a dark and stormy night.")
    (folder / "bad.jsonl").write_text(ROWS + '{"id": "c"}\n')
    workers = "2" if ending == ".tmp" else "1"  # several finish in another order than that of the file, which is mended
    command = ["eval", "bad.jsonl", "-o", "mine.jsonl", "--bad-rows", "report", "-v", "lexical", "--no-cache"]
    done = run(*command, "--workers", workers)
    assert mine.read_text() == "Chapter one.\nIt was a dark and stormy night."
    assert done.exit_code == (0 if ending == ".tmp" else 2), done.stderr


def test_a_file_that_is_no_cache_is_refused(folder: Path) -> None:
    thesis = folder / "thesis.txt"
    thesis.write_text("Ten years of work.\n" * 300)
    for arguments in (["eval", "data.jsonl"], ["check", "Paris.", "-c", "Paris."]):
        result = run(*arguments, "-v", "lexical", "--cache", thesis)
        assert (result.exit_code, "thesis.txt: is no verdict cache" in result.stderr) == (2, True)
    (folder / "test_it.py").write_text("def test_it(faithmeter):\n    faithmeter.check('Paris.', 'Paris.')\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", folder]
    done = subprocess.run([*command, "--faithmeter-cache=thesis.txt"], capture_output=True, text=True, check=False)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "thesis.txt: is no verdict cache" in done.stderr
    assert thesis.read_text() == "Ten years of work.\n" * 300
    assert run("cache", "stats", "--cache", thesis).exit_code == 2
    assert not list(folder.glob("thesis.txt.*"))


def test_an_export_of_the_cache_does_not_go_over_the_cache(folder: Path) -> None:
    check = ["check", "Paris lies on the Seine.", "-c", "Paris lies on the Seine.", "-v", "lexical"]
    assert run(*check, "--cache", "c.sqlite").exit_code == 0
    assert run("cache", "export", "--cache", "c.sqlite", "-o", "c.sqlite").exit_code == 2
    assert run("cache", "export", "--cache", "c.sqlite", "-o", "verdicts.jsonl").exit_code == 0
    assert len((folder / "verdicts.jsonl").read_text().splitlines()) == 1


# --- a full disk ------------------------------------------------------------------------------------

LABEL = ["label", "results.jsonl", "-o", "mine.jsonl"]
WRITERS = {
    "report": ["report", "results.jsonl", "-o", "out.html"],
    "compare": ["compare", "results.jsonl", "other.jsonl", "-o", "out.html"],
    "agree": ["agree", "results.jsonl", "--labels", "labels.jsonl", "--html", "out.html"],
    "calibrate": ["calibrate", "results.jsonl", "--labels", "labels.jsonl", "-o", "out.html"],
}


@pytest.mark.parametrize("arguments", WRITERS.values(), ids=WRITERS)
def test_a_full_disk_leaves_the_old_file(folder: Path, arguments: list[str]) -> None:
    (folder / "out.html").write_text("the old one")
    command = [sys.executable, "-m", "faithmeter", *arguments]

    def no_room() -> None:  # for files, not for pipes: every write fails, as on a disk that is full
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=no_room)
    assert (done.returncode, (folder / "out.html").read_text()) == (2, "the old one"), done.stderr
    assert done.stderr.strip().splitlines()[-1] == "faithmeter: out.html: cannot be written: File too large"
    assert not list(folder.glob(".*"))


def test_a_label_that_does_not_fit_leaves_the_others(folder: Path) -> None:
    (folder / "mine.jsonl").write_text(LABELS)
    command = [sys.executable, "-m", "faithmeter", *LABEL]
    limit = len(LABELS) + 20

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(
        [*command, "--terminal", "--by", "ben"], input="1\n2\n", capture_output=True, text=True, check=False,
        preexec_fn=little_room,
    )  # fmt: skip
    assert (done.returncode, (folder / "mine.jsonl").read_text()) == (2, LABELS)
    assert "mine.jsonl: cannot be written: File too large" in done.stderr


def test_a_torn_label_is_left_out_and_the_next_one_is_whole(folder: Path) -> None:
    (folder / "mine.jsonl").write_text(LABELS + '{"sample": "b", "claim": "Rome li')
    assert run("agree", "results.jsonl", "--labels", "mine.jsonl").exit_code == 0
    done = CliRunner().invoke(main, [*LABEL, "--terminal", "--by", "ben"], input="1\n3\n")
    assert done.exit_code == 0, done.output
    text = (folder / "mine.jsonl").read_text()
    assert text.startswith(LABELS)
    assert (text.count("\n"), "Rome li{" in text) == (26, False)
    assert run("agree", "results.jsonl", "--labels", "mine.jsonl").exit_code == 0


def test_a_line_that_only_lacks_its_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": 2}')
    append_line(path, b'{"a": 3}')
    assert path.read_bytes() == b'{"a": 1}\n{"a": 2}\n{"a": 3}\n'
    with pytest.raises(OutputError, match="No space left"):
        append_line("/dev/full", b"{}")


def test_permissions_and_drafts(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250)
    path.write_text("old")
    path.chmod(0o640)
    with pytest.raises(TypeError), replacing(path) as file:
        file.writelines(["half", 2])
    assert path.read_text() == "old"
    with replacing(path) as file:
        file.write("new")
    assert (path.read_text(), path.stat().st_mode & 0o777, len(list(tmp_path.iterdir()))) == ("new", 0o640, 1)


@pytest.mark.parametrize("option", [["-v", "lexical", "--profile"], ["--cache"]])
def test_what_a_run_reads_besides_its_data_is_not_written_over(tmp_path: Path, option: list[str]) -> None:
    data, kept = tmp_path / "data.jsonl", tmp_path / "kept.csv"
    data.write_text('{"answer": "It rained.", "contexts": ["It rained."]}\n')
    kept.write_text("mine")
    result = CliRunner().invoke(main, ["eval", str(data), *option, str(kept), "--report", str(kept)])
    assert result.exit_code == 2, result.output
    assert kept.read_text() == "mine"
