"""The report for a terminal: the numbers, how scores are spread, and the worst claims with their evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from faithmeter.datamodels import Failure, Outcome, Verdict
from faithmeter.display import LOOKS, claim_rich, rounded, summary_lines, why
from faithmeter.report.escaping import one_line
from faithmeter.report.summary import BINS, Summary, to_look_at
from faithmeter.results import Result

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

PER_SAMPLE = 3  # one bad answer should not crowd out the others


def worst_claims(summary: Summary, n: int) -> Iterator[tuple[Result, Outcome]]:
    """The claims to look at first: from the worst answers, what was not judged, then contradictions, then the rest."""
    shown = 0
    for result in summary.worst(summary.keep):
        for outcome in to_look_at(result)[:PER_SAMPLE]:
            if shown == n:
                return
            shown += 1
            yield result, outcome


def terminal_report(summary: Summary, *, rows: int = 10) -> RenderableType:
    """A run for a terminal."""
    from rich.console import Group
    from rich.text import Text

    lines = [Text(line, style="bold" if index == 0 else "") for index, line in enumerate(summary_lines(summary))]
    if summary.cached:
        saved = "" if summary.saved is None else f", about ${summary.saved:.4f} saved"
        lines.append(Text(f"{summary.cached} of {summary.verdicts} verdicts from the cache{saved}"))
    if summary.settled_early:
        lines.append(Text(summary.settled_early))
    claims = [line for result, outcome in worst_claims(summary, rows) for line in _claim(result, outcome)]
    head = [Text(), Text("Worst claims first", style="bold")] if claims else []
    return Group(*lines, Text(), _spread(summary), *head, *claims)


def _spread(summary: Summary) -> Text:
    """The histogram as one line of blocks."""
    from rich.text import Text

    blocks = " ▁▂▃▄▅▆▇█"
    most = max(summary.histogram) or 1
    text = Text("scores  0 ")
    for index, count in enumerate(summary.histogram):
        level = 0 if not count else max(1, round(count / most * (len(blocks) - 1)))
        text.append(
            blocks[level] * 2 + (" " if index == BINS - 2 else ""), style="green" if index == BINS - 1 else "dim"
        )
    return text.append(" 1")


def _claim(result: Result, outcome: Outcome) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    look = LOOKS[outcome.word]
    support = rounded(outcome.support) if isinstance(outcome, Verdict) else "    "
    head = Text.assemble(
        (f"{look.mark} {outcome.word:<19}", look.style),
        (f" {support}  ", "dim"),
        (one_line(result.sample.id, 60), "bold"),
    )
    yield head
    yield Padding(claim_rich(outcome, gap_style="bold underline"), (0, 0, 0, 4))
    if isinstance(outcome, Failure):
        yield Padding(Text(one_line(outcome.message), style="dim"), (0, 0, 0, 4))
        return
    for evidence in outcome.evidence:
        quote = Text(f"context {evidence.context + 1}: “{one_line(evidence.quote)}”", style="dim")
        yield Padding(quote, (0, 0, 0, 4))
    if reason := why(outcome):
        yield Padding(Text(one_line(reason), style="dim italic"), (0, 0, 0, 4))
