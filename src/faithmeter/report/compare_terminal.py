"""A comparison for a terminal: the difference, what differs, and the samples that moved most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from faithmeter.datamodels import Failure, Outcome
from faithmeter.display import BLAME_WORDS, LOOKS, printable, rounded, why
from faithmeter.report.comparison import SIGNIFICANT, ClaimChange, Comparison, Pairing
from faithmeter.report.escaping import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

CLAIMS = 4  # of one sample


def signed(value: float | None, digits: int = 3) -> str:
    """A difference with its sign, or a dash where there is none."""
    return "–" if value is None else f"{value:+.{digits}f}".replace("-", "−")


def summary_lines(comparison: Comparison) -> list[str]:
    """The comparison in a few lines."""
    worse, same, better = comparison.directions
    interval = comparison.interval
    between = ""
    if interval:
        between = f" (95 % interval {signed(interval[0])} to {signed(interval[1])}, p = {p_words(comparison.p_value)})"
    lines = [
        f"mean score {rounded(comparison.mean(0))} → {rounded(comparison.mean(1))}: "
        f"{signed(comparison.difference)}{between}",
        verdict(comparison),
        f"{len(comparison.differences)} samples compared: {worse} worse, {same} the same, {better} better",
    ]
    by = comparison.paired_by
    if by["question"] or by["position"]:
        ways = [f"{by[way]} by {way}" for way in ("id", "question", "position") if by[way]]
        lines.append(f"paired {', '.join(ways)}: give the rows an id to be sure")
    unscored = len(comparison.pairs) - len(comparison.differences)
    for title, counts in (("what is wrong", comparison.kinds), ("where", comparison.blame)):
        moved = [
            f"{BLAME_WORDS.get(name, name)} {before} → {after}"
            for name, before, after in comparison.moved(counts)
            if before != after
        ]
        lines += [f"{title}: {', '.join(moved)}"] if moved else []
    lines += [f"{unscored} in both runs, but without a score in one of them"] if unscored else []
    lines += [f"{len(comparison.missing)} only in {comparison.files[0].path}"] if comparison.missing else []
    lines += [f"{len(comparison.added)} only in {comparison.files[1].path}"] if comparison.added else []
    return lines


def p_words(p: float) -> str:
    """A p-value for people."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def verdict(comparison: Comparison) -> str:
    """What the numbers allow to say, in words."""
    interval = comparison.interval
    if interval is None:
        return "no sample has a score in both runs"
    if not any(comparison.directions[::2]):
        apart = len(comparison.missing) + len(comparison.added)
        return "no score changed" + (f" among the samples in both runs; {apart} are in one only" if apart else "")
    if comparison.p_value >= SIGNIFICANT or interval[0] <= 0 <= interval[1]:
        return "may well be chance"
    return "better, and hardly by chance" if interval[0] > 0 else "worse, and hardly by chance"


def comparison_report(comparison: Comparison, *, rows: int = 10) -> RenderableType:
    """Two runs for a terminal."""
    from rich.console import Group
    from rich.text import Text

    lines = [Text(line, style="bold" if index < 2 else "") for index, line in enumerate(summary_lines(comparison))]
    changes = [Text(printable(f"{name}: {before} → {after}")) for name, before, after in comparison.signature_changes()]
    head = [Text(), Text("What differs", style="bold")] if changes else []
    changed = comparison.changed()
    worse = [pair for pair in changed if (pair.difference or 0) < 0 or pair.lost][:rows]
    better = [pair for pair in reversed(changed) if (pair.difference or 0) > 0][:rows]
    return Group(
        *lines, *head, *changes, *_section("Got worse", comparison, worse), *_section("Got better", comparison, better)
    )


def _section(title: str, comparison: Comparison, pairs: list[Pairing]) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    if not pairs:
        return
    yield Text()
    yield Text(title, style="bold")
    for pair in pairs:
        before, after = pair.scores
        moved = f" {rounded(before)} → {rounded(after)} ({signed(pair.difference, 2)})"
        yield Text.assemble((one_line(pair.id, 60), "bold"), moved)
        claims = [claim for claim in comparison.load(pair).claims if claim.changed]
        for claim in claims[:CLAIMS]:
            yield from (Padding(line, (0, 0, 0, 2 + 4 * bool(index))) for index, line in enumerate(_claim(claim)))
        if len(claims) > CLAIMS:
            yield Padding(Text(f"and {len(claims) - CLAIMS} more claims", style="dim"), (0, 0, 0, 2))


def _claim(change: ClaimChange) -> Iterator[Text]:
    from rich.text import Text

    some = change.after or change.before
    assert some
    text = one_line(some.claim.text, 200) if some.claim else "(the whole answer)"
    yield Text.assemble(_word(change.before), " → ", _word(change.after), "  ", text)
    for when, outcome in (("before", change.before), ("after", change.after)):
        if outcome:
            yield Text(f"{when}: {_why(outcome)}", style="dim")


def _word(outcome: Outcome | None) -> tuple[str, str]:
    if outcome is None:
        return "not in this answer", "dim"
    look = LOOKS[outcome.word]
    return f"{look.mark} {outcome.word}", look.style


def _why(outcome: Outcome) -> str:
    if isinstance(outcome, Failure):
        return one_line(outcome.message)
    quotes = [f"context {item.context + 1}: “{one_line(item.quote, 160)}”" for item in outcome.evidence[:1]]
    reason = [one_line(reason, 200)] if (reason := why(outcome)) else []
    support = [] if outcome.support is None else [f"support {rounded(outcome.support)}"]
    return "; ".join([*support, *quotes, *reason]) or "no evidence"
