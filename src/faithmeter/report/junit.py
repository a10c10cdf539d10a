"""The report as JUnit XML: a test case for each answer, for CI systems that show such files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO

from faithmeter.datamodels import Failure
from faithmeter.display import citation_lines, rounded, why
from faithmeter.report.escaping import xml, xml_attribute
from faithmeter.report.summary import OWN_PLACE, Summary, limit_of, passes, to_look_at
from faithmeter.results import Result


def write_junit(file: IO[str], summary: Summary, results: Iterable[Result], *, title: str | None = None) -> None:
    """Write a failure for each answer below the limit (1 if none was given), an error for each that failed."""
    errors = summary.statuses["failed"]
    failures = sum(result.score is not None and not passes(result, summary.min_score) for result in results)
    skipped = summary.count - len(summary.scores) - errors
    counts = f'tests="{summary.count}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    suite = f'name="{xml_attribute(title or "faithmeter")}" {counts} time="{summary.usage.seconds:.3f}"'
    file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite {suite}>\n')
    for result in results:
        file.writelines(_case(result, limit_of(result, summary.min_score)))
    file.write("</testsuite>\n</testsuites>\n")


def _case(result: Result, limit: float) -> Iterator[str]:
    name = xml_attribute(result.sample.id)
    file, _, line = str(result.sample.metadata.get(OWN_PLACE, "")).rpartition(":")
    location = f' file="{xml_attribute(file)}" line="{xml_attribute(line)}"' if file else ""
    yield f'<testcase classname="faithmeter" name="{name}"{location} time="{result.usage.seconds:.3f}">'
    if result.status == "failed":
        first = result.failures[0]
        yield f'<error type="{first.kind}" message="{xml_attribute(first.message)}">{xml(_words(result))}</error>'
    elif result.score is None:
        yield '<skipped message="the answer claims nothing, and the scoring leaves it out"/>'
    elif result.score < limit:
        message = f"score {rounded(result.score)} is below {limit:g}"
        yield f'<failure type="unfaithful" message="{message}">{xml(_words(result))}</failure>'
    yield "</testcase>\n"


def _words(result: Result) -> str:
    """What is wrong, claim by claim."""
    lines = []
    for outcome in to_look_at(result):
        claim = outcome.claim.text if outcome.claim else "(the whole answer)"
        lines.append(f"{outcome.word}: {claim}")
        if isinstance(outcome, Failure):
            lines.append(f"    {outcome.kind}: {outcome.message}")
        else:
            lines += [f"    context {item.context + 1}: “{item.quote}”" for item in outcome.evidence]
            lines += [f"    {reason}"] if (reason := why(outcome)) else []
    lines += citation_lines(result)
    return "\n".join(lines)
