"""Bad input gets one clear line that names the file, line, value and remedy, exit code 2, and no traceback."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from faithmeter import Result

Cli = Callable[..., "CompletedProcess[str]"]
GOOD = json.dumps({"answer": "It opened in 1889.", "contexts": ["It opened in 1889."]})

FILES = [
    (
        "rows.jsonl",
        GOOD + '\n{"reply": "x", "contexts": []}\n',
        ["rows.jsonl:2", "no column 'answer' or 'response'", "found 'reply', 'contexts'", "--map answer=COLUMN"],
    ),
    ("rows.jsonl", GOOD + "\n{oops\n", ["rows.jsonl:2", "not JSON", "{oops", "one object"]),
    ("rows.jsonl", '{"answer": 3, "contexts": ["c"]}\n', ["rows.jsonl:1", "answer", "valid string", "int 3"]),
    ("rows.jsonl", '{"answer": "x", "contexts": 3}\n', ["rows.jsonl:1", "contexts", "int 3"]),
    ("rows.jsonl", '{"answer": "x", "contexts": [null]}\n', ["rows.jsonl:1", "contexts", "None"]),
    ("rows.jsonl", '{"answer": null, "contexts": []}\n', ["rows.jsonl:1", "'answer' is null"]),
    ("rows.jsonl", "[1, 2]\n", ["rows.jsonl:1", "expected an object", "[1, 2]"]),
    (
        "rows.jsonl",
        GOOD.replace("{", '{"id": "a", ', 1) + "\n" + GOOD.replace("{", '{"id": "a", ', 1),
        ["rows.jsonl:2", "the id 'a' is taken by rows.jsonl:1"],
    ),
    ("empty.jsonl", "", ["empty.jsonl has no rows", "'answer' and 'contexts'"]),
    ("blank.csv", "\n\n", ["blank.csv has no rows"]),
    ("empty.json", "[]", ["empty.json has no rows"]),
    ("broken.json", "[\n{]", ["broken.json:2", "not JSON"]),
    ("lines.json", GOOD + "\n" + GOOD, ["lines.json:2", "name the file .jsonl"]),
    ("three.json", "3", ["three.json", "expected a list of objects"]),
    ("binary.jsonl", b"\x00\x01\x02{}", ["binary.jsonl:1", "a binary file"]),
    ("picture.csv", b"\x89PNG\r\n\x1a\n\xff\xfe", ["picture.csv", "not UTF-8 text"]),
    ("latin.csv", "answer,contexts\ncafé,x".encode("latin-1"), ["latin.csv", "not UTF-8 text", "save it as UTF-8"]),
    ("cells.csv", "answer,contexts\nx\n", ["cells.csv:2", "1 cells, but the header has 2"]),
    ("quote.csv", 'answer,contexts\n"x"y,z\n', ["quote.csv:2", "not CSV"]),
    ("twice.csv", "answer,contexts,answer\nx,y,z\n", ["twice.csv:1", "'answer' is there twice", "rename"]),
    ("list.csv", "answer,contexts\nx,\"['a', b\"\n", ["list.csv:2", "looks like a list", "['a', b", "JSON list"]),
    ("numpy.csv", "answer,contexts\nx,\"['a' 'b']\"\n", ["numpy.csv:2", "looks like a list", "['a' 'b']"]),
    ("rows.xlsx", "x", ["rows.xlsx", "unknown kind of file '.xlsx'", ".jsonl"]),
]


def write(folder: Path, name: str, content: str | bytes) -> None:
    data = content if isinstance(content, bytes) else content.encode("utf-8")
    (folder / name).write_bytes(data)


def assert_one_clear_line(done: CompletedProcess[str], parts: list[str]) -> None:
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    for part in ["faithmeter: ", *parts]:
        assert part in done.stderr


@pytest.mark.parametrize(("name", "content", "parts"), FILES)
def test_a_bad_file_gets_one_clear_line(
    cli: Cli, tmp_path: Path, name: str, content: str | bytes, parts: list[str]
) -> None:
    write(tmp_path, name, content)
    assert_one_clear_line(cli("eval", name, "-v", "lexical"), parts)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["missing.jsonl"], ["missing.jsonl: no such file"]),
        (["."], [".: is a folder"]),
        (["good.jsonl", "-v", "gpt"], ["unknown verifier 'gpt'"]),
        (["good.jsonl", "--map", "reply=x"], ["unknown field 'reply'", "answer, contexts, question"]),
        (["good.jsonl", "-o", "no/such/folder/r.jsonl"], ["no/such/folder/r.jsonl", "cannot be written"]),
    ],
)
def test_a_wrong_call_gets_one_clear_line(cli: Cli, tmp_path: Path, arguments: list[str], parts: list[str]) -> None:
    write(tmp_path, "good.jsonl", GOOD)
    assert_one_clear_line(cli("eval", *arguments, *([] if "-v" in arguments else ["-v", "lexical"])), parts)


def test_an_unreadable_file_gets_one_clear_line(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, "locked.jsonl", GOOD)
    (tmp_path / "locked.jsonl").chmod(0)
    if os.geteuid() == 0:  # root reads everything: a link to itself is unreadable for root, too
        (tmp_path / "locked.jsonl").unlink()
        (tmp_path / "locked.jsonl").symlink_to(tmp_path / "locked.jsonl")
    assert_one_clear_line(cli("eval", "locked.jsonl", "-v", "lexical"), ["locked.jsonl: cannot be read"])


def test_results_that_are_written_stay(cli: Cli, tmp_path: Path) -> None:
    rows = [json.dumps({"id": str(n), "answer": f"Fact {n} holds.", "contexts": ["c"]}) for n in range(40)]
    write(tmp_path, "rows.jsonl", "\n".join([*rows, "{oops"]))
    done = cli("eval", "rows.jsonl", "-v", "lexical", "-o", "out.jsonl")
    assert_one_clear_line(done, ["rows.jsonl:41"])
    kept = [path for path in tmp_path.iterdir() if path.name.startswith("out.jsonl")]
    results = [line for path in kept for line in path.read_text("utf-8").splitlines() if '"sample"' in line]
    assert len(results) >= 24  # all but what was in flight


def test_bad_rows_can_be_skipped_and_are_counted(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, "rows.jsonl", f"{GOOD}\n{{oops\n[]\n{GOOD.replace('1889', '1900')}\n")
    done = cli("eval", "rows.jsonl", "-v", "lexical", "--bad-rows", "skip", "-o", "out.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["samples"] == 2
    assert json.loads(done.stdout)["skipped_rows"] == 2
    assert "rows.jsonl:2" in done.stderr
    assert "rows.jsonl:3" in done.stderr
    written = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert len([Result.model_validate_json(line) for line in written]) == 2
