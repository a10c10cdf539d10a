"""Results kept for tests that replay them: a file of JSON lines, sorted, to be committed beside the tests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

from pydantic import ValidationError

from faithmeter.data import jsonl
from faithmeter.data.files import replacing
from faithmeter.datamodels import Model, Sample, Usage
from faithmeter.errors import DataError, first_problem
from faithmeter.results import Result
from faithmeter.scoring import Scoring


class RecordedResult(Model):
    """A result, and the specs it was asked for with.

    The specs are the key, with the content: a replay knows what it wants by name, and need not load the verifier
    (nor have its key, or its weights) to know. The exact signature is in the result.
    """

    verifier: str
    extractor: str
    result: Result

    @staticmethod
    def key_of(verifier: str, extractor: str, sample: Sample) -> str:
        """What a result is found by: the specs, and the content of the sample."""
        return hashlib.sha256(json.dumps([verifier, extractor, sample.content_hash]).encode()).hexdigest()

    @property
    def key(self) -> str:
        return self.key_of(self.verifier, self.extractor, self.result.sample)


class Recording:
    """The results of a recorded run, by key."""

    def __init__(self, entries: Mapping[str, RecordedResult]) -> None:
        self.entries = entries

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a file that `--faithmeter-record` wrote."""
        entries: dict[str, RecordedResult] = {}
        try:
            with Path(path).open("rb") as file:
                lines = list(jsonl.lines(file, str(path)))
        except OSError as error:
            remedy = f"record it with --faithmeter-record={path}"
            raise DataError(f"{path}: cannot be read: {error.strerror}; {remedy}") from None
        for line_number, line in lines:
            try:
                entry = RecordedResult.model_validate_json(line)
            except ValidationError as error:
                problem = first_problem(error, whole="line")
                raise DataError(f"{path}:{line_number}: no recorded result: {problem}; record it again") from None
            entries[entry.key] = entry
        return cls(entries)

    def find(self, key: str, sample: Sample, scoring: Scoring) -> Result | None:
        """The recorded result for a sample, scored by today's policy; it cost nothing this time."""
        entry = self.entries.get(key)
        if entry is None:
            return None
        made, _, _ = entry.result.signature.rpartition("|score:")
        return entry.result.model_copy(
            update={
                "sample": sample,
                "scoring": scoring,
                "signature": f"{made}|score:{scoring.signature}",
                "usage": Usage(),
            }
        )


def write_recording(path: str | Path, entries: Iterable[RecordedResult]) -> None:
    """Add results to a recording: what it has of the same answers is replaced, the rest stays, the order is fixed."""
    kept = dict(Recording.read(path).entries) if Path(path).exists() else {}
    kept |= {entry.key: entry for entry in entries if not entry.result.failures}
    with replacing(path, "wb") as file:
        file.writelines(jsonl.encode(_steady(kept[key])) + b"\n" for key in sorted(kept))


def _steady(entry: RecordedResult) -> RecordedResult:
    """Without what differs from run to run, so that recording again changes only what changed."""
    usage = entry.result.usage.model_copy(update={"seconds": 0.0})
    return entry.model_copy(update={"result": entry.result.model_copy(update={"usage": usage})})
