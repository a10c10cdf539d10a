"""Groups spans by trace, and gives a row for each answer instead of its spans."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from faithmeter.data.text_formats import Record
from faithmeter.data.traces import otel, vendors
from faithmeter.data.traces.answers import Unusable, rows
from faithmeter.data.traces.shapes import System, system_of
from faithmeter.data.traces.span import Span
from faithmeter.errors import RowError

IN_TRACE = " in trace "  # in a message, after what is wrong

_READERS: Mapping[System, Callable[[Mapping[str, Any]], Iterator[Span]]] = {
    "otel": otel.spans,
    "langfuse": vendors.langfuse,
    "langsmith": vendors.langsmith,
    "mlflow": vendors.mlflow,
}


class _Trace:
    """The spans of a trace that have come so far, and where the first is from."""

    def __init__(self, record: Record) -> None:
        self.first = record
        self.spans: dict[str, Span] = {}


def gathered(records: Iterable[Record]) -> Iterator[Record]:
    """The rows; instead of spans, at the end, a row for each answer of their traces."""
    traces: dict[str, _Trace] = {}
    for record in records:
        row = _as_row(record.value)
        system = system_of(row)
        if system is None:
            yield record
            continue
        try:
            for span in _READERS[system](row):
                trace = traces.setdefault(span.trace, _Trace(record))
                trace.spans.setdefault(span.id, span)  # overlapping exports have a span twice
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            said = str(error) if isinstance(error, ValueError) else f"cannot be read ({type(error).__name__}: {error})"
            yield record._replace(value=RowError(record.where, f"a span of {system}: {said}"))
    for name, trace in traces.items():
        yield from _rows(name, trace)


def _rows(name: str, trace: _Trace) -> Iterator[Record]:
    try:
        for row in rows(list(trace.spans.values())):
            yield trace.first._replace(value=row)
    except Unusable as error:
        problem = f"{error.what}{IN_TRACE}{name}: {error.detail}"
        yield trace.first._replace(value=RowError(trace.first.where, problem, "leave such out with --bad-rows skip"))


def _as_row(value: Any) -> Any:
    """A span object of a vendor's as a dict; whatever else as it is."""
    if isinstance(value, dict):
        return value
    if isinstance(value, BaseModel):
        return dict(value) if hasattr(value, "run_type") or hasattr(value, "trace_id") else value
    if hasattr(value, "info") and hasattr(value, "data") and callable(getattr(value, "to_dict", None)):  # MLflow
        return value.to_dict()
    if hasattr(value, "get_span_context") and callable(getattr(value, "to_json", None)):  # OpenTelemetry's SDK
        return json.loads(value.to_json())
    return value


def reason(error: RowError) -> str | None:
    """What a trace that was left out lacks, in words to count by; None for a row that is no trace."""
    what, mark, _ = error.problem.partition(IN_TRACE)
    return what if mark else None
