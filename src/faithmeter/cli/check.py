"""`faithmeter check`: one answer."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import click

from faithmeter.cli import BELOW, PASSED, UNJUDGED, speaks_utf8
from faithmeter.cli.help import Command
from faithmeter.cli.numbers import FiniteRange
from faithmeter.cli.options import build_evaluator, citation_options, corpus_option, evaluator_options
from faithmeter.datamodels import Sample
from faithmeter.errors import DataError
from faithmeter.fix.cite import CitationStep
from faithmeter.results import Result
from faithmeter.runtime import sync

_FILE_NAME = re.compile(
    r"\S+\.(?:txt|md|markdown|rst|html?|json|jsonl|ndjson|csv|tsv|xml|ya?ml|pdf|docx?)", re.IGNORECASE
)


def text_of(value: str) -> str:
    """The text itself, a file's text for `@PATH`, standard input for `-`; a bare file name is a slip, not a text."""
    if not value.startswith("@") and _FILE_NAME.fullmatch(value):
        missing = "" if Path(value).exists() else " (there is no such file)"
        raise DataError(f"{value}: to read a file, write @{value}{missing}; to mean these words, give them through -")
    try:
        if value == "-":
            if sys.stdin is None:
                raise DataError("standard input: is closed; give the text itself, or @FILE")
            return sys.stdin.read()
        return Path(value[1:]).read_text("utf-8") if value.startswith("@") else value
    except OSError as error:
        raise DataError(f"{value[1:]}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{value}: not UTF-8 text") from None


def sample_of(answer: str, contexts: tuple[str, ...], question: str | None) -> Sample:
    """The sample that the arguments describe; it is said on standard error if it has no context."""
    if [answer, *contexts].count("-") > 1:
        raise click.UsageError("only one of the answer and the contexts can be standard input")
    sample = Sample.model_validate(
        {"answer": text_of(answer), "contexts": tuple(map(text_of, contexts)), "question": question}
    )
    if not sample.answer.strip():
        raise DataError("the answer is empty: give it as text, @FILE or - (standard input)")
    if not any(context.text.strip() for context in sample.contexts):
        click.echo(
            "faithmeter: there is no context to check against: give it with -c, else no claim is supported", err=True
        )
    return sample


@click.command("check", cls=Command)
@click.argument("answer")
@click.option("-c", "--context", "contexts", multiple=True, help="A context: text, @FILE or -. Repeatable.")
@click.option("-q", "--question", help="What was asked.")
@evaluator_options
@corpus_option
@click.option("--min-score", type=FiniteRange(0, 1), help="Exit 1 if the score is below.")
@citation_options
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    answer: str,
    contexts: tuple[str, ...],
    question: str | None,
    min_score: float | None,
    citations: bool,
    min_citation_precision: float | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Check one ANSWER (text, @FILE, or - for standard input) against its contexts.

    \b
    faithmeter check "Paris lies on the Seine." -c "Paris, on the Seine, is France's capital."
    faithmeter check @answer.txt -c @page1.txt -c @page2.txt --min-score 0.8
    echo "It opened in 1889." | faithmeter check - -q "When did it open?" -c @tower.txt --json
    """
    sample = sample_of(answer, contexts, question)
    checked = citations or min_citation_precision is not None
    evaluator = build_evaluator(**options, steps=(CitationStep(),) if checked else ())
    result = sync.run(evaluator.check(sample))
    for note in result.notes:
        click.echo(f"faithmeter: {note}", err=True)
    _show(result, as_json=as_json)
    if result.coverage < 1:
        sys.exit(UNJUDGED)
    below = min_score is not None and (result.score is None or result.score < min_score)
    marks = result.citations
    below |= min_citation_precision is not None and not (
        marks and marks.precision is not None and marks.precision >= min_citation_precision
    )
    sys.exit(BELOW if below else PASSED)


def _show(result: Result, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(result.model_dump(mode="json"), indent=2, ensure_ascii=not speaks_utf8()))
        return
    from faithmeter.cli.console import show

    show(result)
