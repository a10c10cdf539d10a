"""Reads rows from tables: Parquet files, Hugging Face data sets saved on disk, pandas, polars and Arrow frames."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from faithmeter.data.sources import Extent, Source
from faithmeter.errors import DataError, MissingExtra

_BATCH = 256  # rows that are in memory at once, of a Parquet file


def parquet_rows(file: IO[bytes], source: Source, extent: Extent) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file."""
    arrow, parquet = _arrow("reading Parquet files", "pyarrow", "pyarrow.parquet")
    try:
        table = parquet.ParquetFile(file)
        count, size, done = max(1, table.metadata.num_rows), source.size, 0
        with extent.reading(0, lambda: size * done / count):
            for batch in table.iter_batches(batch_size=_BATCH):
                done += batch.num_rows
                yield from _batch_rows(batch)
    except (arrow.ArrowException, OSError) as error:
        raise DataError(f"{source.name}: cannot be read as Parquet: {_first_line(error)}") from None


def saved_rows(source: Source, extent: Extent) -> Iterator[dict[str, Any]]:
    """The rows of a data set that `datasets` saved to a folder: Arrow streams, named in its state.json."""
    arrow, ipc = _arrow("reading Hugging Face data sets", "pyarrow", "pyarrow.ipc")
    folder = _saved_folder(Path(source.name))
    for name in _saved_files(folder):
        path = folder / name
        try:
            with arrow.memory_map(str(path)) as file, extent.reading(path.stat().st_size, file.tell):
                for batch in ipc.open_stream(file):
                    yield from _batch_rows(batch)
        except (arrow.ArrowException, OSError) as error:
            raise DataError(f"{path}: cannot be read as Arrow: {_first_line(error)}") from None


class Unreadable(NamedTuple):
    """Stands for the cells of a column that Python has no value for, such as nanoseconds; few are ever asked for."""

    reason: str


def _batch_rows(batch: Any) -> Iterator[dict[str, Any]]:
    """The rows of an Arrow batch; a column of an odd type spoils only itself."""
    columns: dict[str, list[Any]] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            columns[name] = column.to_pylist()
        except Exception as error:  # Arrow's own, or those of the types that it makes: overflow, no pandas
            reason = f"its type {column.type} cannot be read ({_first_line(error)})"
            columns[name] = [Unreadable(reason)] * batch.num_rows
    return (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))


def _saved_folder(folder: Path) -> Path:
    """The folder of the one data set; a DatasetDict has a folder for each split."""
    splits = folder / "dataset_dict.json"
    if splits.exists():
        names = _json(splits).get("splits", [])
        if len(names) == 1:
            return folder / str(names[0])
        raise DataError(f"{folder}: has the splits {', '.join(names)}; name one, e.g. {folder / str(names[0])}")
    return folder


def _saved_files(folder: Path) -> list[str]:
    state = folder / "state.json"
    if not state.exists():
        raise DataError(f"{folder}: is a folder; name a file in it, or several with a glob: '{folder}/*.jsonl'")
    return [str(item["filename"]) for item in _json(state).get("_data_files", [])]


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    return data if isinstance(data, dict) else {}


def frame_rows(data: Any) -> Iterator[dict[str, Any]] | None:
    """The rows of a pandas, polars or Arrow frame; None if it is none. None of the three is imported."""
    library = type(data).__module__.partition(".")[0]
    if library == "polars" and hasattr(data, "collect"):
        data = data.collect()
    if library == "polars" and hasattr(data, "iter_rows"):
        return (dict(row) for row in data.iter_rows(named=True))
    if library == "pyarrow" and hasattr(data, "to_batches"):
        return (row for batch in data.to_batches(max_chunksize=_BATCH) for row in _batch_rows(batch))
    if hasattr(data, "itertuples") and hasattr(data, "columns"):  # pandas, and those who look like it
        names = [str(name) for name in data.columns]
        return (dict(zip(names, map(_plain, row), strict=True)) for row in data.itertuples(index=False, name=None))
    return None


def _plain(value: Any) -> Any:
    """A cell without pandas' and numpy's ways: a list for an array, None for a missing value."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    missing = type(value).__name__ in {"NAType", "NaTType"} or (isinstance(value, float) and value != value)
    return None if missing else value


def _arrow(feature: str, *modules: str) -> list[Any]:
    from importlib import import_module

    try:
        return [import_module(module) for module in modules]
    except ImportError:
        raise MissingExtra(feature, "parquet") from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
