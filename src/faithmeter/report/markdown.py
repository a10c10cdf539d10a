"""The report as Markdown: for a pull request, a wiki, or GitHub's step summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO

from faithmeter.datamodels import Outcome, Verdict
from faithmeter.display import LOOKS, citation_totals, noted, rounded, why, why_lines
from faithmeter.report.escaping import markdown
from faithmeter.report.html.plot import shares
from faithmeter.report.summary import Summary
from faithmeter.report.terminal import worst_claims
from faithmeter.results import Result, Status

WORST = 20


def write_markdown(file: IO[str], summary: Summary, results: Iterable[Result], *, title: str | None = None) -> None:
    """Write the numbers and the worst claims."""
    file.writelines(f"{line}\n" for line in lines(summary, title=title))


def lines(summary: Summary, *, title: str | None = None) -> Iterator[str]:
    """The report, line by line."""
    yield f"## {markdown(title or 'Faithfulness report')}"
    yield ""
    yield headline(summary)
    yield ""
    yield from _numbers(summary)
    yield ""
    yield "| label | claims | share |"
    yield "|---|---:|---:|"
    for name, count, share in shares(summary):
        word = name.replace("_", " ")
        yield f"| {LOOKS[word].mark} {word} | {count:,} | {share:.0%} |"
    worst = list(worst_claims(summary, WORST))
    if worst:
        yield ""
        yield f"### The {len(worst)} worst claims" if len(worst) > 1 else "### The worst claim"
        yield ""
        yield "| sample | label | claim | why | evidence |"
        yield "|---|---|---|---|---|"
        yield from (_row(result, outcome) for result, outcome in worst)


def headline(summary: Summary) -> str:
    """The mean, its interval, and whether it passes."""
    between = summary.interval
    interval = f" (95 % interval {rounded(between[0])} to {rounded(between[1])})" if between else ""
    gate = ""
    if summary.passed is not None:
        gate = f", {'✓ passes' if summary.passed else '✗ below'} the limit of {summary.min_score:g}"
    return f"**Mean faithfulness {rounded(summary.mean)}**{interval}{gate}."


def _numbers(summary: Summary) -> Iterator[str]:
    words: dict[Status, str] = {
        "ok": "judged",
        "partial": "partly judged",
        "no_claims": "no claims",
        "failed": "failed",
    }
    counted = ", ".join(f"{summary.statuses[name]:,} {word}" for name, word in words.items() if summary.statuses[name])
    yield f"- {summary.count:,} answers: {counted or 'none'}"
    if summary.pass_rate is not None:
        yield f"- pass rate {summary.pass_rate:.0%}"
    yield from (f"- {line}" for line in citation_totals(summary))
    if summary.coverage < 1:
        yield f"- coverage {summary.coverage:.1%}: the rest could not be judged"
    yield from (f"- {line}" for line in why_lines(summary))
    yield from (f"- ⚠ {markdown(noted(n, summary.count, note), 400)}" for note, n in summary.notes.items())
    usage = summary.usage
    if usage.calls:
        cost = "" if usage.cost is None else f", ${usage.cost:.4f}"
        yield f"- {usage.calls:,} calls, {usage.prompt_tokens + usage.completion_tokens:,} tokens{cost}"
    if summary.cached:
        saved = "" if summary.saved is None else f", about ${summary.saved:.4f} saved"
        yield f"- {summary.cached:,} of {summary.verdicts:,} verdicts from the cache{saved}"
    if summary.settled_early:
        yield f"- {markdown(summary.settled_early)}"


def _row(result: Result, outcome: Outcome) -> str:
    claim = markdown(outcome.claim.text) if outcome.claim else "(the whole answer)"
    label = f"{LOOKS[outcome.word].mark} {outcome.word}"
    if isinstance(outcome, Verdict):
        evidence = "; ".join(f"context {item.context + 1}: “{markdown(item.quote, 200)}”" for item in outcome.evidence)
    else:
        evidence = markdown(outcome.message)
    return f"| {markdown(result.sample.id, 80)} | {label} | {claim} | {markdown(why(outcome), 300)} | {evidence} |"
