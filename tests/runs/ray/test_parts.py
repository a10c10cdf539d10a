"""Parts, without Ray: whatever the cut, they hold the rows of a local run, each once, with the same ids."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from faithmeter.data.intake import Intake
from faithmeter.data.selection import Selection
from faithmeter.errors import RowError
from faithmeter.results import Result
from faithmeter.runs.ray.parts import (
    Part,
    ReadOptions,
    Survey,
    count_part,
    plan,
    read_part,
    read_results,
    survey_file,
    write_part,
)

ROWS: list[dict[str, Any]] = [
    {"answer": f"Answer {n % 7}.", "contexts": [f"Context {n % 3}."], **({"id": f"r{n}"} if n % 2 else {})}
    for n in range(53)
]


def cut(*names: Path, selection: Selection, size: int = 5, signature: str = "s") -> tuple[list[Survey], list[Part]]:
    reading = ReadOptions({}, None, size)
    surveys = [survey_file(str(name), reading) for name in names]
    return surveys, plan(surveys, reading=reading, selection=selection, signature=signature)


def read(parts: list[Part], size: int = 5) -> list[Any]:
    return [sample for part in parts for sample in read_part(part, ReadOptions({}, None, size))]


def write(folder: Path, name: str) -> list[Path]:
    text = "\n".join(json.dumps(row) for row in ROWS) + "\n"
    if name == "one.jsonl":
        (folder / name).write_text("\n" + text.replace("\n", "\r\n\n", 10), "utf-8")  # blank lines, both line ends
        return [folder / name]
    if name == "one.jsonl.gz":
        (folder / name).write_bytes(gzip.compress(text.encode()))
        return [folder / name]
    if name == "one.json":
        (folder / name).write_text(json.dumps(ROWS), "utf-8")
        return [folder / name]
    for number in range(3):
        rows = ROWS[number * 20 : number * 20 + 20]
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return [folder / f"{number}.jsonl" for number in range(3)]


SELECTIONS = [
    Selection(),
    Selection(limit=12),
    Selection(shard=(2, 3)),
    Selection(sample=9, seed=5),
    Selection(shard=(1, 2), sample=8, limit=6),
]


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("name", ["one.jsonl", "one.jsonl.gz", "one.json", "three"])
def test_parts_hold_what_a_local_run_takes(name: str, selection: Selection, tmp_path: Path) -> None:
    files = write(tmp_path, name)
    expected = list(Intake(data=[str(file) for file in files], selection=selection))
    _, parts = cut(*files, selection=selection)
    assert read(parts) == expected
    assert sum(part.count for part in parts) == len(expected)
    assert read(list(reversed(parts)))[-1] == expected[parts[0].count - 1]  # each on its own


def test_bad_rows_and_duplicate_ids_are_found_as_in_a_local_run(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    good = {"id": "a", "answer": "x", "contexts": []}
    one.write_text(json.dumps(good) + "\n{oops\n", "utf-8")
    two.write_text(json.dumps({**good, "id": "b"}) + "\n" + json.dumps(good) + "\n", "utf-8")
    told: list[RowError] = []
    intake = Intake(data=[str(one), str(two)], bad_rows="skip", tell=told.append)
    expected = list(intake)
    surveys, parts = cut(one, two, selection=Selection())
    assert read(parts) == expected
    assert [str(found.bad[row]) for found in surveys for row in sorted(found.bad)] == list(map(str, told))
    assert "the id 'a' is taken by" in str(told[1])


def test_a_parts_name_tells_its_content_and_the_signature(tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    rows = [{"id": str(number), "answer": "x", "contexts": []} for number in range(10)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    names = [part.digest for part in cut(file, selection=Selection())[1]]
    assert names == [part.digest for part in cut(file, selection=Selection())[1]]
    rows[7]["answer"] = "y"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    changed = [part.digest for part in cut(file, selection=Selection())[1]]
    assert [old == new for old, new in zip(names, changed, strict=True)] == [True, False]
    assert not set(changed) & {part.digest for part in cut(file, selection=Selection(), signature="t")[1]}


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_results_of_a_part_are_written_whole(kind: Any, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(ROWS[0]) + "\n" + json.dumps(ROWS[1]) + "\n", "utf-8")
    _, (part,) = cut(file, selection=Selection())
    results = [Result(sample=sample, outcomes=(), signature="s") for sample in read([part])]
    write_part(tmp_path, part, [result.model_dump_json().encode() for result in results], kind)
    path = tmp_path / part.file_name(kind)
    assert list(read_results(path)) == results
    assert count_part(path, None).count == 2
    assert sorted(item.name for item in tmp_path.iterdir()) == ["one.jsonl", path.name]
