"""The report for GitLab's code quality widget: an issue for each claim that is not supported."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from faithmeter.data.results_file import ResultsFile
from faithmeter.datamodels import Failure, Label, Outcome
from faithmeter.display import why
from faithmeter.report.escaping import one_line
from faithmeter.report.summary import Summary, to_look_at
from faithmeter.results import Result

SEVERITIES = {Label.CONTRADICTED: "critical", Label.NOT_ENOUGH_INFO: "major", Label.PARTIALLY_SUPPORTED: "minor"}


def write_gitlab(file: IO[str], summary: Summary, results: Iterable[Result], *, title: str | None = None) -> None:
    """Write a JSON list of issues; their location is the line of the results file, where there is one."""
    path = results.path.as_posix() if isinstance(results, ResultsFile) else "results.jsonl"
    separator = "["
    for line, result in enumerate(results, start=1):
        for issue in _issues(result, {"path": path, "lines": {"begin": line}}):
            file.write(separator + "\n" + json.dumps(issue, ensure_ascii=False))
            separator = ","
    file.write("\n]\n" if separator == "," else "[]\n")


def _issues(result: Result, location: dict[str, Any]) -> Iterator[dict[str, Any]]:
    seen: dict[str, int] = {}
    for outcome in to_look_at(result):
        claim = outcome.claim.text if outcome.claim else ""
        seen[claim] = seen.get(claim, 0) + 1
        # the same claim of the same sample is the same issue in the next run, whatever line it is on
        key = json.dumps([result.sample.id, claim, outcome.word, seen[claim]])
        yield {
            "description": f"{result.sample.id}: {outcome.word}: {one_line(_about(outcome), 500)}",
            "check_name": f"faithmeter.{outcome.word.replace(' ', '_')}",
            "fingerprint": hashlib.sha256(key.encode("utf-8", "replace")).hexdigest(),
            "severity": "info" if isinstance(outcome, Failure) else SEVERITIES[outcome.label],
            "location": location,
        }


def _about(outcome: Outcome) -> str:
    claim = outcome.claim.text if outcome.claim else "the whole answer"
    words = outcome.message if isinstance(outcome, Failure) else why(outcome)
    return f"{claim} ({words})" if words else claim
