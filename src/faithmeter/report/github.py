"""The report for GitHub Actions: a step summary, and annotations for the worst answers."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from faithmeter.data.results_file import ResultsFile
from faithmeter.display import rounded, why
from faithmeter.report.escaping import markdown, one_line, workflow_message, workflow_property
from faithmeter.report.markdown import lines
from faithmeter.report.summary import OWN_PLACE, Summary, passes, summarise, to_look_at
from faithmeter.results import Result

ANNOTATIONS = 10  # GitHub shows no more of a kind from one step
SUMMARY_LIMIT = 1_000_000  # bytes; GitHub refuses a step summary above 1 MiB


def under_actions(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether this runs as a step of GitHub Actions."""
    return environ.get("GITHUB_ACTIONS") == "true"


def announce(
    summary: Summary, *, title: str | None = None, data: str | None = None, environ: Mapping[str, str] = os.environ
) -> list[str]:
    """Under GitHub Actions: add to the step summary, and give the annotations to be printed; elsewhere nothing.

    `data` is the file that the annotations are about.
    """
    if not under_actions(environ):
        return []
    _add_to_summary("\n".join(lines(summary, title=title)), environ)
    return list(annotation_lines(summary, data=data))


def announce_comparison(
    sentences: Sequence[str], *, title: str | None = None, environ: Mapping[str, str] = os.environ
) -> None:
    """Under GitHub Actions: add the lines of a comparison to the step summary."""
    if under_actions(environ):
        first, *rest = (markdown(line) for line in sentences)
        head = f"## {markdown(title or 'Comparison of two runs')}\n\n**{first}**\n"
        _add_to_summary("\n".join([head, *(f"- {line}" for line in rest)]), environ)


def _add_to_summary(text: str, environ: Mapping[str, str]) -> None:
    path = environ.get("GITHUB_STEP_SUMMARY")
    if path:
        short = text if len(text.encode("utf-8", "replace")) < SUMMARY_LIMIT else text[: SUMMARY_LIMIT // 4]
        try:
            with Path(path).open("a", encoding="utf-8", errors="replace") as file:
                file.write(short + "\n\n")
        except OSError as error:  # the results are there, and the step's outcome is theirs
            words = f"{path}: cannot be written: {error.strerror}; check $GITHUB_STEP_SUMMARY"
            print(f"faithmeter: no step summary: {words}", file=sys.stderr)


def announce_file(path: str | Path, *, min_score: float | None = None, data: str | None = None) -> None:
    """Announce a results file, with the annotations on standard error; nothing is read elsewhere than on GitHub."""
    if under_actions():
        for line in announce(summarise(ResultsFile(path), min_score=min_score), data=data):
            print(line, file=sys.stderr)


def annotation_lines(summary: Summary, *, data: str | None = None) -> Iterator[str]:
    """A workflow command for each of the worst answers: errors where there is a limit, else warnings."""
    kind = "warning" if summary.min_score is None else "error"
    shown = [result for result in summary.worst(summary.keep) if not passes(result, summary.min_score)]
    for result in shown[:ANNOTATIONS]:
        title = f"{one_line(result.sample.id, 80)}: faithfulness {rounded(result.score)}"
        file, _, line = str(result.sample.metadata.get(OWN_PLACE, "")).rpartition(":")
        location = f"file={workflow_property(file or data or '')}," if file or data else ""
        location += f"line={workflow_property(line)}," if file else ""
        yield f"::{kind} {location}title={workflow_property(title)}::{workflow_message(_words(result))}"


def _words(result: Result) -> str:
    claims = []
    for outcome in to_look_at(result)[:5]:
        claim = one_line(outcome.claim.text, 200) if outcome.claim else "the whole answer"
        reason = f" ({one_line(words, 200)})" if (words := why(outcome)) else ""
        claims.append(f"{outcome.word}: {claim}{reason}")
    return "\n".join(claims) or result.status


@contextmanager
def commands_off(environ: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Keeps GitHub from taking a line of the data for a workflow command while text is printed."""
    if not under_actions(environ):
        yield
        return
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", flush=True)
    try:
        yield
    finally:
        print(f"::{token}::", flush=True)
