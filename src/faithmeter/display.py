"""How verdicts, results and reports show themselves: plain text, a terminal, a notebook.

Takes the data models but imports none of them, so that they can import it. rich is loaded when first used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text as RichText

    from faithmeter.datamodels import Outcome, Sample, Usage
    from faithmeter.results import Result, Tally
    from faithmeter.revision import Revision


class Look(NamedTuple):
    """How a label is shown; the mark and the word say it without the colour."""

    mark: str
    style: str  # for rich
    ink: str  # for HTML: at least 4.5:1 on white and on `paper`
    paper: str


# Worst first: where claims share a sentence, the sentence takes the look of the worst.
LOOKS = {
    "contradicted": Look("✗", "bold red", "#8f1d1d", "#fde2e2"),
    "not enough info": Look("?", "yellow", "#6b4e00", "#fdf1c7"),
    "not judged": Look("!", "magenta", "#6b2a82", "#f3e3f9"),
    "partially supported": Look("◐", "cyan", "#0b5068", "#d9f1f8"),
    "supported": Look("✓", "green", "#14532d", "#dcf5e3"),
}


# Terminals act on controls (colours, titles, the clipboard; tab and line feed stay), and show what stands between
# directional overrides in another order than it is in; the logs of build servers act on ##[error] and ##vso[…].
_ACTING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|##(?=\[|vso\[)")


def printable(text: str) -> str:
    """Text that a terminal only shows: what it would act on becomes visible."""
    return _ACTING.sub(lambda match: _picture(match.group()), text)


def _picture(character: str) -> str:
    if character == "##":
        return "#\u200b#"
    code = ord(character)
    if code > 0xFF:
        return f"\\u{code:04x}"
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"


def rounded(value: float | None) -> str:
    """A score or support for people: two digits, or a dash where there is none."""
    return "–" if value is None else f"{value:.2f}"


def _support(outcome: Outcome) -> float | None:
    return getattr(outcome, "support", None)


def detail_text(outcome: Outcome) -> str:
    """The evidence, and the reason or what went wrong, as plain lines."""
    quotes = [f"context {item.context + 1}: “{item.quote}”" for item in getattr(outcome, "evidence", ())]
    reason = why(outcome) or getattr(outcome, "message", None)
    return printable("\n".join([*quotes, *([reason] if reason else [])]))


def why(outcome: Outcome) -> str:
    """The reason of a verdict, after what kind of mistake it is; "" where there is none."""
    reason, kind = getattr(outcome, "reason", None) or "", getattr(outcome, "kind", None)
    passage = getattr(outcome, "in_corpus", None)
    if outcome.word == "not judged" or not reason:
        return ""
    in_corpus = f"; the corpus has it, in {passage.document}: “{passage.quote}”" if passage else ""
    return (f"{kind}: {reason}" if kind and kind != "other" else reason) + in_corpus


def claim_text(outcome: Outcome) -> str:
    return printable(outcome.claim.text) if outcome.claim else "(the whole answer)"


def segments(answer: str, outcomes: Sequence[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    """Cut the answer where claims begin and end: each piece with the outcomes that cover it."""
    placed = [outcome for outcome in outcomes if outcome.claim]
    cuts = {0, len(answer)}
    for outcome in placed:
        assert outcome.claim
        cuts |= {min(outcome.claim.start, len(answer)), min(outcome.claim.end, len(answer))}
    edges = sorted(cuts)
    for start, end in pairwise(edges):
        yield (
            answer[start:end],
            [item for item in placed if item.claim and item.claim.start <= start and end <= item.claim.end],
        )


def _worst(outcomes: Sequence[Outcome]) -> Outcome:
    order = list(LOOKS)
    return min(outcomes, key=lambda outcome: order.index(outcome.word))


def headline(result: Result) -> str:
    claims = len(result.outcomes)
    low_high = (
        f", between {rounded(result.bounds[0])} and {rounded(result.bounds[1])}"
        if result.failures and result.bounds
        else ""
    )
    return f"score {rounded(result.score)}{low_high} ({result.status}, {claims} claim{'s' * (claims != 1)})"


# --- plain text -------------------------------------------------------------------------------------


def as_text(result: Result) -> str:
    """A result as a few lines: the score, then a line for each claim."""
    name = "" if is_derived(result.sample) else f" {printable(result.sample.id)}"
    lines = [f"Result{name}: {headline(result)}"]
    for outcome in result.outcomes:
        lines.append(
            f"  {LOOKS[outcome.word].mark} {outcome.word:19} {rounded(_support(outcome)):>4}  {claim_text(outcome)}"
        )
    lines += [f"  · {aside.kind.replace('_', ' '):19}       {printable(aside.text)}" for aside in result.asides]
    lines += [f"  {line}" for line in citation_lines(result)]
    lines += [f"  ⚠ {printable(note)}" for note in result.notes]
    return "\n".join(lines)


def citation_lines(result: Result) -> list[str]:
    """What was found about an answer's citations: the two numbers, then what is wrong, a line each."""
    citations = result.citations
    if citations is None:
        return []
    lines = [f"citations: precision {rounded(citations.precision)}, recall {rounded(citations.recall)}"]
    said = {"wrong_passage": "names the wrong passage", "unsupported": "is supported by no passage"}
    for mark in citations.marks:
        if mark.found != "right":
            instead = f"; passage {mark.better + 1} supports it" if mark.better is not None else ""
            words = said.get(mark.found, "names no passage")
            lines.append(f"  {printable(mark.mark)}: {printable(mark.name)} {words}{instead}")
    for start, end in citations.uncited:
        lines.append(f"  no mark: {printable(' '.join(result.sample.answer[start:end].split()))}")
    return lines


def citation_totals(tally: Tally) -> list[str]:
    """The citations of a run in a line; none where none was looked at."""
    marks = tally.marks
    if not marks:
        return []
    named = {"wrong_passage": "of the wrong passage", "unsupported": "unsupported", "unknown": "unknown"}
    bad = ", ".join(f"{marks[word]:,} {said}" for word, said in named.items() if marks[word])
    numbers = f"precision {rounded(tally.marks.precision)}, recall {rounded(tally.marks.recall)}"
    cited = f"{marks['cited']:,} of {marks['claims']:,} claims are cited rightly"
    return [f"citations: {numbers}{f' ({bad})' if bad else ''}; {cited}"]


def _counted(counts: Mapping[Any, int]) -> str:
    """The most frequent first, and the same order whichever answer was judged first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in ordered)


def summary_lines(tally: Tally) -> list[str]:
    """A run's numbers, one line each."""
    interval = tally.interval
    between = f" (95 % interval {rounded(interval[0])} to {rounded(interval[1])})" if interval else ""
    lines = [f"mean score {rounded(tally.mean)}{between} over {len(tally.scores)} of {tally.count} samples"]
    if tally.pass_rate is not None:
        lines.append(f"pass rate {tally.pass_rate:.0%} at {rounded(tally.min_score)}")
    if tally.statuses:
        lines.append("samples: " + _counted(tally.statuses))
    if tally.labels:
        lines.append("claims: " + _counted(tally.labels))
    lines += why_lines(tally)
    lines += citation_totals(tally)
    if tally.coverage < 1:
        lines.append(f"coverage {tally.coverage:.1%}: the rest could not be judged")
    lines += [f"⚠ {noted(n, tally.count, note)}" for note, n in tally.notes.items()]
    spent = usage_words(tally.usage)
    return [*lines, spent] if spent else lines


def usage_words(usage: Usage) -> str:
    """What an LLM was asked and what came from the cache; nothing where neither was."""
    words = []
    if usage.calls:
        words += [f"{usage.calls:,} call{'s' * (usage.calls != 1)}"]
        words += [f"{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens"]
        words += [] if usage.cost is None else [f"${usage.cost:.4f}"]
        words += [f"{usage.retries} retries"] if usage.retries else []
    words += [f"{usage.cache_hits:,} verdicts from the cache"] if usage.cache_hits else []
    return ", ".join(words)


BLAME_WORDS = {
    "missing": "not in the contexts",
    "retrieval_missed": "not retrieved",
    "made_up": "made up",
    "misread": "misread",
    "mixed": "mixed up",
}


def why_lines(tally: Tally) -> list[str]:
    """What is wrong with the claims that are not supported, where it went wrong, and what use the contexts were."""
    lines = []
    if tally.kinds:
        lines.append("what is wrong: " + _counted(tally.kinds))
    if tally.blame:
        counted = [f"{tally.blame[name]} {words}" for name, words in BLAME_WORDS.items() if tally.blame[name]]  # type: ignore[index]
        lines.append("where: " + ", ".join(counted))
    used, unused = tally.contexts.share("used"), tally.contexts.share("unused")
    if used is not None:
        lines.append(f"contexts: {used:.0%} used by supported claims, {unused:.0%} of no use")
    return lines


def noted(count: int, total: int, note: str) -> str:
    """A note with how many answers carry it."""
    return printable(f"{count:,} of {total:,} answers: {note}")


def report_text(tally: Tally) -> str:
    """A report as a few lines."""
    return "\n".join(["Report: " + summary_lines(tally)[0], *(f"  {line}" for line in summary_lines(tally)[1:])])


# --- terminal ---------------------------------------------------------------------------------------


def _styled(outcome: Outcome, text: str) -> RichText:
    from rich.text import Text

    return Text(text, style=LOOKS[outcome.word].style)


def outcome_rich(outcome: Outcome) -> RenderableType:
    """One claim for a terminal: label, claim, and evidence below."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    look = LOOKS[outcome.word]
    head = Text.assemble((f"{look.mark} {outcome.word} ", look.style), (rounded(_support(outcome)), "dim"), " ")
    detail = detail_text(outcome)
    head.append_text(claim_rich(outcome, gap_style="underline"))
    return Group(head, *([Padding(Text(detail, style="dim"), (0, 0, 0, 4))] if detail else []))


def claim_rich(outcome: Outcome, *, gap_style: str) -> RichText:
    """A claim for a terminal, with the parts that are not supported in a style of their own."""
    from rich.text import Text

    if outcome.claim is None:
        return Text(claim_text(outcome))
    text, shown, last = outcome.claim.text, Text(), 0
    for start, end in sorted(getattr(outcome, "gaps", ())):
        start = max(start, last)
        if start < end:  # each part by itself: shown, it may be longer
            shown.append(printable(text[last:start])).append(printable(text[start:end]), style=gap_style)
            last = end
    return shown.append(printable(text[last:]))


def as_rich(result: Result) -> RenderableType:
    """A result for a terminal: the answer with its claims coloured, then each claim with its evidence."""
    from rich.console import Group
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    answer = Text()
    for piece, covering in segments(result.sample.answer, result.outcomes):
        shown = printable(piece)
        answer.append_text(_styled(_worst(covering), shown) if covering else Text(shown, style="dim"))
    claims = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(3):
        claims.add_column()
    for outcome in result.outcomes:
        look, detail = LOOKS[outcome.word], detail_text(outcome)
        said = Group(claim_rich(outcome, gap_style="underline"), *([Text(detail, style="dim")] if detail else []))
        claims.add_row(Text(f"{look.mark} {outcome.word}", style=look.style), rounded(_support(outcome)), said)
    for aside in result.asides:
        claims.add_row(
            *(Text(words, style="dim") for words in (f"· {aside.kind.replace('_', ' ')}", "", printable(aside.text)))
        )
    notes = [Text(line, style="bold" if index == 0 else "") for index, line in enumerate(citation_lines(result))]
    notes += [Text(f"⚠ {printable(note)}", style="bold yellow") for note in result.notes]
    name = "" if is_derived(result.sample) else f"{printable(result.sample.id)}: "
    return Panel(Group(answer, Text(), claims, *notes), title=Text(f"{name}{headline(result)}"), title_align="left")


def is_derived(sample: Sample) -> bool:
    """Whether the sample's id is only a hash of its content, which tells a person nothing."""
    return sample.id == sample.content_hash[:12]


def report_rich(tally: Tally, *, rows: int = 10) -> RenderableType:
    """A report for a terminal: the numbers, then the worst answers, each with its worst claim."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    lines = [Text(line, style="bold" if index == 0 else "") for index, line in enumerate(summary_lines(tally))]
    worst = [result for result in tally.worst(rows) if result.score is None or result.score < 1]
    if not worst:
        return Group(*lines)
    table = Table(title="Worst answers first", title_justify="left", expand=True)
    table.add_column("sample", no_wrap=True, max_width=24)
    table.add_column("score", justify="right")
    table.add_column("claims", justify="right")
    table.add_column("look at", ratio=1)
    for result in worst:
        outcome = (result.failures + result.unsupported or (None,))[0]
        look_at = outcome_rich(outcome) if outcome else Text(result.status)
        table.add_row(Text(printable(result.sample.id)), rounded(result.score), str(len(result.outcomes)), look_at)
    return Group(*lines, Text(), table)


def revision_rich(revision: Revision, before: str) -> RenderableType:
    """A fixed answer for a terminal: what was cut struck through, what was added underlined, and why."""
    from rich.console import Group
    from rich.text import Text

    styles = {"kept": "", "cut": "red strike", "added": "bold green underline"}
    marks = {"kept": ("", ""), "cut": ("[-", "-]"), "added": ("{+", "+}")}
    shown = Text()
    for change, text in revision.pieces(before):
        first, last = marks[change]
        shown.append(f"{first}{printable(text)}{last}", style=styles[change])
    why = [
        Text(f"  {edit.kind}: {_said_short(edit.old)} → {_said_short(edit.new)}: {printable(edit.reason)}", style="dim")
        for edit in revision.edits
    ]
    return Group(shown, Text(), Text(fix_headline(revision), style="bold"), *why)


def _said_short(text: str) -> str:
    text = printable(" ".join(text.split()))
    return f"“{text if len(text) <= 60 else text[:57] + '…'}”" if text else "nothing"


def fix_headline(revision: Revision) -> str:
    """What became of an answer, in a line."""
    said = {
        "faithful": "nothing to fix: no claim is unsupported",
        "fixed": "fixed: every claim that remains is supported",
        "doubtful": "claims in doubt were left as they are",
        "refused": "nothing in the answer is supported: a refusal stands instead",
        "unjudged": "the answer could not be judged in full, and is as it was",
    }
    edits = f"{len(revision.edits)} edit{'s' * (len(revision.edits) != 1)}"
    score = "" if revision.status == "refused" else f", score {rounded(revision.score)}"  # a refusal claims nothing
    return f"{said[revision.status]} ({edits}{score})"


# --- notebook ---------------------------------------------------------------------------------------


def _mark(outcomes: Sequence[Outcome], piece: str) -> str:
    look = LOOKS[_worst(outcomes).word]
    hover = "\n\n".join(f"{item.word}: {claim_text(item)}\n{detail_text(item)}".strip() for item in outcomes)
    style = f"background:{look.paper};color:{look.ink};border-radius:3px;padding:0 2px"
    return f'<mark style="{style}" title="{escape(hover)}">{escape(piece)}<sup>{look.mark}</sup></mark>'


def outcome_html(outcome: Outcome) -> str:
    """One claim for a notebook: label, support, claim, and evidence below."""
    look = LOOKS[outcome.word]
    detail = escape(detail_text(outcome)).replace("\n", "<br>")
    below = f'<div style="opacity:.75;margin-left:1.5em">{detail}</div>' if detail else ""
    badge = f'<b style="background:{look.paper};color:{look.ink};border-radius:3px;padding:0 4px">'
    claim = escape(claim_text(outcome))
    return f"<div>{badge}{look.mark} {outcome.word}</b> {rounded(_support(outcome))} {claim}{below}</div>"


def as_html(result: Result) -> str:
    """A result for a notebook: the answer with each claim coloured, its evidence on hover."""
    pieces = "".join(
        _mark(covering, piece) if covering else escape(piece)
        for piece, covering in segments(result.sample.answer, result.outcomes)
    )
    claims = "".join(outcome_html(outcome) for outcome in result.outcomes)
    notes = "".join(f"<p>⚠ {escape(note)}</p>" for note in result.notes)
    opened = " open" if result.unsupported else ""
    notes += "<br>".join(escape(line) for line in citation_lines(result))
    return (
        f'<div><p><b>{escape(headline(result))}</b></p>{notes}<p style="white-space:pre-wrap">{pieces}</p>'
        f"<details{opened}><summary>claims and evidence</summary>{claims}</details></div>"
    )
