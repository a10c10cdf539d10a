"""Every way in gives the same samples, and every wrong row says where it is and what is wrong with it."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithmeter.data.datasets import Extent, read_data, read_records, read_samples
from faithmeter.datamodels import Sample
from faithmeter.errors import DataError, RowError, UsageError

ROWS: list[dict[str, Any]] = [
    {"id": "a", "question": "How tall?", "answer": "330 m. Très haut!", "contexts": ["It is 330.", "In Paris, «là»."]},
    {"id": "b", "question": None, "answer": "Line one\nline two", "contexts": ["One, \"two\"; three"]},
    {"id": "7", "question": "Why?", "answer": "", "contexts": []},
]  # fmt: skip


def texts(rows: Iterator[Any]) -> list[tuple[str, str | None, str, tuple[str, ...]]]:
    found = []
    for row in rows:
        if isinstance(row, RowError):
            raise row
        found.append((row.id, row.question, row.answer, tuple(context.text for context in row.contexts)))
    return found


EXPECTED = [(row["id"], row["question"], row["answer"], tuple(row["contexts"])) for row in ROWS]


def as_jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def as_csv(rows: list[dict[str, Any]], delimiter: str = ",") -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows({**row, "contexts": json.dumps(row["contexts"])} for row in rows)
    return out.getvalue().encode()


def as_zstd(data: bytes) -> bytes:
    import zstandard

    half = len(data) // 2  # two frames, as parallel compressors write them
    return zstandard.compress(data[:half]) + zstandard.compress(data[half:])


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    import pyarrow
    from pyarrow import parquet

    out = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows), out)
    return out.getvalue()


FILES: dict[str, Callable[[], bytes]] = {
    "rows.jsonl": lambda: as_jsonl(ROWS),
    "rows.ndjson": lambda: b"\xef\xbb\xbf\n" + as_jsonl(ROWS).replace(b"\n", b"\r\n\r\n"),
    "rows": lambda: as_jsonl(ROWS),
    "rows.json": lambda: json.dumps(ROWS, indent=1).encode(),
    "line.json": lambda: json.dumps(ROWS).encode(),
    "named.json": lambda: json.dumps({"version": 1, "data": ROWS}).encode(),
    "rows.csv": lambda: as_csv(ROWS),
    "rows.tsv": lambda: as_csv(ROWS, "\t"),
    "rows.jsonl.gz": lambda: gzip.compress(as_jsonl(ROWS)),
    "rows.csv.xz": lambda: lzma.compress(as_csv(ROWS)),
    "rows.json.bz2": lambda: bz2.compress(json.dumps(ROWS).encode()),
    "rows.jsonl.zst": lambda: as_zstd(as_jsonl(ROWS)),
    "rows.parquet": lambda: as_parquet(ROWS),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_samples(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name]())
    extent = Extent()
    rows = read_samples(path, extent=extent)
    assert texts(rows) == EXPECTED
    assert extent.fraction == 1.0


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(as_jsonl(ROWS))
    with path.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert texts(read_samples("-")) == EXPECTED


def test_a_data_set_that_hugging_face_saved(tmp_path: Path) -> None:
    from datasets import Dataset, DatasetDict

    data = Dataset.from_list(ROWS)
    data.save_to_disk(str(tmp_path / "one"), num_shards=2)
    DatasetDict({"test": data}).save_to_disk(str(tmp_path / "dict"))
    DatasetDict({"test": data, "train": data}).save_to_disk(str(tmp_path / "two"))
    assert texts(read_samples(tmp_path / "one")) == EXPECTED
    assert texts(read_samples(tmp_path / "dict")) == EXPECTED
    assert texts(read_samples(tmp_path / "two" / "train")) == EXPECTED
    with pytest.raises(DataError, match=r"has the splits test, train; name one, e\.g\. .*two/test"):
        list(read_samples(tmp_path / "two"))
    assert texts(read_data(data)) == EXPECTED  # type: ignore[arg-type]


def test_frames() -> None:
    import pandas
    import polars
    import pyarrow

    frames = [
        pandas.DataFrame(ROWS),
        polars.DataFrame(ROWS),
        polars.LazyFrame(ROWS),
        pyarrow.Table.from_pylist(ROWS),
        pyarrow.Table.from_pylist(ROWS).to_pandas(),  # lists as numpy arrays
    ]
    for frame in frames:
        assert texts(read_data(frame)) == EXPECTED  # type: ignore[arg-type]


async def test_iterables_and_async_iterables() -> None:
    async def stream() -> AsyncIterator[dict[str, Any]]:
        for row in ROWS:
            yield row

    assert texts(read_data(ROWS)) == EXPECTED  # type: ignore[arg-type]
    assert texts(read_data(iter([Sample.model_validate(ROWS[0])]))) == EXPECTED[:1]  # type: ignore[arg-type]
    rows = read_data(stream())
    assert texts(iter([row async for row in rows])) == EXPECTED  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="cannot read samples from int 5"):
        read_data(5)


def test_globs_and_several_files_in_order(tmp_path: Path) -> None:
    for number, row in enumerate(ROWS):
        (tmp_path / f"part-{number}.jsonl").write_bytes(as_jsonl([row]))
    assert texts(read_samples(f"{tmp_path}/part-*.jsonl")) == EXPECTED
    assert texts(read_samples([tmp_path / "part-1.jsonl", tmp_path / "part-0.jsonl"])) == [EXPECTED[1], EXPECTED[0]]
    odd = tmp_path / "odd[1].jsonl"
    odd.write_bytes(as_jsonl(ROWS))
    assert texts(read_samples(odd)) == EXPECTED
    with pytest.raises(DataError, match="no such file"):
        list(read_samples(f"{tmp_path}/none-*.jsonl"))


def test_remote_paths_go_through_fsspec() -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe("/bucket/a.jsonl.gz", gzip.compress(as_jsonl(ROWS[:1])))
    memory.pipe("/bucket/b.parquet", as_parquet(ROWS[1:]))
    assert texts(read_samples("memory://bucket/*")) == EXPECTED
    with pytest.raises(DataError, match="no such file"):
        list(read_samples("memory://bucket/none.jsonl"))
    with pytest.raises(UsageError, match="nonsense"):
        list(read_samples("nonsense://bucket/none.jsonl"))


def test_contexts_in_a_cell_with_a_separator(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('answer,contexts\nA,one || two\nB,"[""x"", ""y""]"\nC,\n', "utf-8")
    assert [row[3] for row in texts(read_samples(path, separator="||"))] == [("one", "two"), ("x", "y"), ()]
    assert [row[3] for row in texts(read_samples(path))] == [("one || two",), ("x", "y"), ()]


def test_what_a_file_lacks_is_said_at_once_and_where_the_row_begins(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text('reply,passages,topic\n"one\ntwo",p,a\nthree,p,b\n', "utf-8")
    first = next(iter(read_samples(path)))
    assert isinstance(first, RowError)
    assert str(first).startswith(f"{path}:2: no column 'answer'")
    assert "--map answer=COLUMN --map contexts=COLUMN" in str(first)
    columns = {"answer": "reply", "contexts": "passages"}
    second = next(iter(read_samples(path, columns={**columns, "question": "asked"})))
    assert isinstance(second, RowError)
    assert "no column 'asked'" in str(second)
    assert "--map question=COLUMN" in str(second)


def test_columns_become_metadata(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("answer,contexts,topic\nA,p,tea\n", "utf-8")
    (sample,) = read_samples(path, columns={"metadata.subject": "topic"})
    assert isinstance(sample, Sample)
    assert sample.metadata == {"subject": "tea"}
    (error,) = read_samples(path, columns={"metadata.subject": "theme"})
    assert isinstance(error, RowError)
    assert "no column 'theme' (found 'answer', 'contexts', 'topic')" in str(error)


def test_other_systems_columns_and_a_map(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    for row in (
        {"user_input": "q", "response": "a", "retrieved_contexts": ["c"]},
        {"query": "q", "response": "a", "context": ["c"]},
        {"input": "q", "actual_output": "a", "retrieval_context": ["c"], "context": ["ideal"]},
    ):
        path.write_bytes(as_jsonl([row]))
        assert [found[1:] for found in texts(read_samples(path))] == [("q", "a", ("c",))]
    path.write_bytes(as_jsonl([{"reply": "a", "chunks": "c"}]))
    assert texts(read_samples(path, columns={"answer": "reply", "contexts": "chunks"}))[0][2:] == ("a", ("c",))
    with pytest.raises(UsageError, match="unknown field 'anser'"):
        list(read_samples(path, columns={"anser": "reply"}))


def test_duplicate_ids_name_both_lines(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_bytes(b"\n" + as_jsonl(ROWS))
    two.write_bytes(
        as_jsonl([{"id": "new", "answer": "x", "contexts": []}, {"id": "b", "answer": "x", "contexts": []}])
    )
    rows = list(read_samples([one, two]))
    assert [type(row).__name__ for row in rows] == ["Sample", "Sample", "Sample", "Sample", "RowError"]
    assert str(rows[4]) == f"{two}:2: the id 'b' is taken by {one}:3; ids must be unique"


def test_equal_rows_without_ids_are_told_apart() -> None:
    row = {"answer": "x", "contexts": ["y"]}
    ids = [found[0] for found in texts(read_data([row, {**row, "answer": "z"}, row, row]))]  # type: ignore[arg-type]
    assert ids[2:] == [f"{ids[0]}-2", f"{ids[0]}-3"]
    assert len(set(ids)) == 4


BAD = {
    "not json.jsonl": (b'{"answer": ', r"not json\.jsonl:1: not JSON \(.*each line must be one object"),
    "latin.jsonl": ('{"answer": "é", "contexts": []}'.encode("latin-1"), "not UTF-8 text"),
    "list.jsonl": (b"[1]", r"expected an object, found list \[1\]"),
    "null.jsonl": (b'{"answer": null, "contexts": []}', "'answer' is null"),
    "missing.jsonl": (
        b'{"answer": "x", "body": 1}',
        r"no column 'contexts' or .* \(found 'answer', 'body'\); name the",
    ),
    "type.jsonl": (b'{"answer": 5, "contexts": []}', "answer: input should be a valid string, found int 5"),
    "surrogate.jsonl": (b'{"id": "\\ud800", "answer": "x", "contexts": []}', "cannot be written as JSON"),
    "cells.csv": (b"answer,contexts\na,b,c\n", r"cells\.csv:2: 3 cells, but the header has 2"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_row_is_a_value_and_says_what_is_wrong(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(BAD[name][0])
    (row,) = read_samples(path)
    assert isinstance(row, RowError)
    with pytest.raises(RowError, match=BAD[name][1]):
        raise row


BROKEN = {
    "gone.jsonl": (None, "no such file"),
    "empty.jsonl": (b"", "has no rows"),
    "header.csv": (b"answer,contexts\n", "has no rows"),
    "rows.xlsx": (b"x", "unknown kind of file '.xlsx'"),
    "binary.jsonl": (b"\x00\x01", "a binary file"),
    "latin.csv": ("answer,contexts\né,x\n".encode("latin-1"), "not UTF-8 text"),
    "quote.csv": (b'answer,contexts\n"x,y\n', "not CSV"),
    "cut.json": (b'[{"answer": "x", "contexts": []},\n {"answer"', r"cut\.json:2: not JSON"),
    "tail.json": (b'[{"answer": "x", "contexts": []}] x', r"tail\.json:1: not JSON \(extra data"),
    "comma.json": (
        b'[{"answer": "x", "contexts": []}\n{}]',
        r"comma\.json:2: not JSON \(expected ',' or ']', found '{'",
    ),
    "lines.json": (b'{"answer": "x"}\n{"answer": "y"}', r"name the file \.jsonl"),
    "number.json": (b"5", "expected a list of objects, found int 5"),
    "deep.json": (b"[" * 100_000, "nested too deeply"),
    "cut.jsonl.gz": (gzip.compress(b'{"answer": "x", "contexts": []}\n' * 99)[:-9], "cannot be read"),
    "fake.jsonl.gz": (b"plain", "cannot be read: Not a gzipped file"),
    "fake.jsonl.xz": (b"plain", "cannot be read"),
    "fake.jsonl.zst": (b"plain", "cannot be read"),
    "fake.parquet": (b"plain", "cannot be read as Parquet"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_clear_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    data, message = BROKEN[name]
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(DataError, match=message) as caught:
        list(read_samples(path))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"is a folder; name a file in it, or several with a glob"):
        list(read_samples(tmp_path))


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(rows=st.lists(json_values, min_size=1), indent=st.sampled_from([None, 0, 2]), size=st.integers(1, 40))
def test_a_json_list_in_pieces_reads_as_the_whole(rows: list[Any], indent: int | None, size: int) -> None:
    from faithmeter.data.text_formats import _elements

    text = json.dumps(rows, indent=indent)
    pieces = iter([text[start : start + size] for start in range(0, len(text), size)])
    assert [record.value for record in _elements(pieces, "x")] == rows


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "rows.csv", "rows.parquet"])
def test_memory_does_not_grow_with_the_file(name: str, tmp_path: Path) -> None:
    write = {".jsonl": as_jsonl, ".csv": as_csv, ".parquet": as_parquet}.get(Path(name).suffix)
    rows = [{"id": str(n), "answer": "x" * 4000, "contexts": [f"{n} " + "y" * 4000]} for n in range(4_000)]
    path = tmp_path / name
    path.write_bytes(write(rows) if write else json.dumps(rows).encode())
    del rows
    next(read_samples(path))  # imports
    tracemalloc.start()
    count = sum(1 for _ in read_samples(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 4_000
    assert peak < 8_000_000  # the file has 32 MB


def lines_read(tmp_path: Path, line: bytes) -> Any:
    (tmp_path / "in.jsonl").write_bytes(line)
    (record,) = read_records(str(tmp_path / "in.jsonl"), separator=None, extent=Extent())
    return record.value


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(VALUES, st.booleans())
def test_a_line_is_read_as_pythons_own_json_reads_it(
    tmp_path_factory: pytest.TempPathFactory, value: Any, ascii_only: bool
) -> None:
    line = json.dumps({"row": value}, ensure_ascii=ascii_only).encode("utf-8", "replace")
    assert repr(lines_read(tmp_path_factory.mktemp("row"), line)) == repr(json.loads(line))


@pytest.mark.parametrize(
    "line",
    [
        r'{"a": "\ud800"}',
        '{"a": NaN, "b": -Infinity}',
        '{"a": 1, "a": 2}',
        f'{{"a": {"[" * 300}{"]" * 300}}}',
        '{"a": -0}',
    ],
)
def test_a_line_out_of_the_ordinary_is_read_as_pythons_own_json_reads_it(tmp_path: Path, line: str) -> None:
    assert repr(lines_read(tmp_path, line.encode())) == repr(json.loads(line))


@pytest.mark.parametrize(
    ("cell", "contexts"),
    [
        ("['a', 'b']", ["a", "b"]),
        ('[\'it is "so"\', "it\'s"]', ['it is "so"', "it's"]),
        ("['a',\n 'b']", ["a", "b"]),
        ('["a", "b"]', ["a", "b"]),
        ("[]", []),
        ("[1] The tower opened in 1889.", ["[1] The tower opened in 1889."]),
        ("[The tower] opened.", ["[The tower] opened."]),
    ],
)
def test_a_cell_that_holds_a_list_is_its_texts(cell: str, contexts: list[str], tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["answer", "contexts"], ["x", cell]])
    (sample,) = read_samples(path)
    assert isinstance(sample, Sample)
    assert [context.text for context in sample.contexts] == contexts


def test_what_pandas_writes_comes_back(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    contexts = ["It's 330 m tall.", 'They call it "the lady".', "Line one\nline two", "\\ and ünï"]
    pandas.DataFrame({"response": ["x"], "retrieved_contexts": [contexts]}).to_csv(tmp_path / "rows.csv", index=False)
    (sample,) = read_samples(tmp_path / "rows.csv")
    assert isinstance(sample, Sample)
    assert [context.text for context in sample.contexts] == contexts
