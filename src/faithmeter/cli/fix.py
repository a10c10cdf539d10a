"""`faithmeter fix`: the smallest edit that makes an answer faithful."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

import click

from faithmeter.cli import BELOW, PASSED, UNJUDGED, speaks_utf8
from faithmeter.cli.check import sample_of
from faithmeter.cli.help import Command
from faithmeter.cli.options import build_evaluator, evaluator_options
from faithmeter.data.files import replacing
from faithmeter.data.jsonl import encode
from faithmeter.fix import REFUSAL, Fixed, Fixer
from faithmeter.fix.rewriting import load_rewriter
from faithmeter.results import Result
from faithmeter.runtime import sync


def fix_options(function: Any) -> Any:
    """How answers are fixed."""
    function = click.option("--strict", is_flag=True, help="Leave nothing that is not supported; without it, claims in "
                            "doubt stay as they are.")(function)  # fmt: skip
    function = click.option("--rewriter", metavar="SPEC", help="The LLM that may rewrite a sentence before it is "
                            "cut, e.g. openai:MODEL. Default: the LLM that judges, if there is one; none: no LLM."
                            )(function)  # fmt: skip
    return click.option("--refusal-text", default=REFUSAL, show_default=True, metavar="TEXT",
                        help="The answer where nothing remains.")(function)  # fmt: skip


@click.command("fix", cls=Command)
@click.argument("answer")
@click.option("-c", "--context", "contexts", multiple=True, help="A context: text, @FILE or -. Repeatable.")
@click.option("-q", "--question", help="What was asked.")
@fix_options
@evaluator_options
@click.option("--citations", is_flag=True, help="Also put citation marks right.")
@click.option("--answer-only", is_flag=True, help="Print the fixed answer and nothing else.")
@click.option("--json", "as_json", is_flag=True, help="Print the fix as JSON: answer, edits, both results, status.")
def command(
    answer: str,
    contexts: tuple[str, ...],
    question: str | None,
    strict: bool,
    refusal_text: str,
    rewriter: str | None,
    citations: bool,
    answer_only: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Make one ANSWER (text, @FILE, or - for standard input) faithful to its contexts by the smallest edit.

    Wrong numbers, dates, units and names are exchanged for the quoted ones, dropped hedges put back, and clauses or
    sentences that are surely not supported cut. The rest stays word for word. The outcome is checked again.

    \b
    faithmeter fix "The tower is 350 m tall." -c "The Eiffel Tower is 330 m tall."
    faithmeter fix @answer.txt -c @page.txt --strict --answer-only

    Exit codes: 0 what remains is supported, 1 claims in doubt were left, 2 usage or bad input, 3 not judged in full.
    """
    sample = sample_of(answer, contexts, question)
    evaluator = build_evaluator(**options)
    writer = load_rewriter(rewriter, evaluator.verifier)
    fixer = Fixer(evaluator, refusal=refusal_text, strict=strict, citations=citations, rewriter=writer)
    fixed = sync.run(fixer.fix(sample))
    for note in fixed.result_before.notes:
        click.echo(f"faithmeter: {note}", err=True)
    _show(fixed, answer_only=answer_only, as_json=as_json)
    sys.exit({"unjudged": UNJUDGED, "doubtful": BELOW}.get(fixed.status, PASSED))


def write_fixed(path: str, results: Iterable[Result]) -> Counter[str]:
    """Write samples with their fixed answers, as `eval` reads them; gives how many have each status."""
    statuses: Counter[str] = Counter()
    with replacing(path, "wb") as file:
        for result in results:
            if result.revision is None:
                continue
            statuses[result.revision.status] += 1
            changed = {"answer": result.revision.answer, "metadata": {**result.sample.metadata, "fix": _note(result)}}
            file.write(encode(result.sample.model_copy(update=changed)) + b"\n")
    return statuses


def _note(result: Result) -> dict[str, Any]:
    """What the fix did, for the row's metadata."""
    assert result.revision
    return {
        "status": result.revision.status,
        "answer_before": result.sample.answer,
        "edits": [
            {"old": edit.old, "new": edit.new, "kind": edit.kind, "evidence": [item.quote for item in edit.evidence]}
            for edit in result.revision.edits
        ],
        "score_before": result.score,
        "score": result.revision.score,
    }


def _show(fixed: Fixed, *, answer_only: bool, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(fixed.model_dump(mode="json"), indent=2, ensure_ascii=not speaks_utf8()))
    elif answer_only:
        click.echo(fixed.answer)
    else:
        from faithmeter.cli.console import show

        show(fixed)
