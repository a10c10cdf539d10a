"""Measures whether a verdict shows the passage that decides: first, at all, and beside how many that do not matter.

    python -m benchmarks.decisive                   the embedded verifier
    python -m benchmarks.decisive local --limit 100

The passage is known for 100 claims marked by hand (benchmarks/decisive/hand.jsonl), and by construction: a sentence of
a dev set's page is reworded (supported), corrupted (contradicted) or added to (not enough info), and stands among its
neighbours on the page and passages of other pages. It counts as shown if a piece of evidence covers at least half of
its characters; evidence that does not is needless. Intervals: Wilson. Data: ../shared/data, or the folder that
FAITHMETER_DATA names.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.verifiers import judge, read
from faithmeter import text
from faithmeter.datamodels import Claim, Context, Evidence, Label, Pair, Sample, Verdict
from faithmeter.evidence.passages import terms
from faithmeter.intervals import wilson_interval
from faithmeter.trust.selftest.corrupt import CORRUPTIONS
from faithmeter.trust.selftest.measure import stands_alone
from faithmeter.trust.selftest.paraphrase import PARAPHRASES
from faithmeter.trust.selftest.source_text import Source
from faithmeter.verify import load_verifier

HAND = Path(__file__).parent / "decisive" / "hand.jsonl"
PAGES = "factscore_dev"
PER_KIND = 40
NEIGHBOURS = 6
"""Sentences on either side of the marked one, in its context."""
ALIKE = 0.5
"""Where another sentence has this share of the marked one's terms, it may decide as well, and the claim is left out."""
KINDS = {
    **dict.fromkeys(PARAPHRASES, Label.SUPPORTED),
    **dict.fromkeys(CORRUPTIONS, Label.CONTRADICTED),
    "addition": Label.NOT_ENOUGH_INFO,
}


@dataclass(frozen=True)
class Marked:
    """A claim, and the passage that decides on it; for `not_enough_info`, the one that comes nearest."""

    pair: Pair
    label: Label
    passage: Evidence
    origin: str
    """`hand` or `built`."""


@dataclass(frozen=True)
class Shown:
    """What a verdict shows of the marked passage."""

    first: bool
    at_all: bool
    needless: int


def hand() -> list[Marked]:
    """The claims whose passage is marked by hand."""
    with HAND.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [
        _marked(row["claim"], row["contexts"], row["passage"], Label(row["label"]), "hand", question=row["question"])
        for row in rows
    ]


def built(*, seed: int = 0, per_kind: int = PER_KIND) -> list[Marked]:
    """Claims made from a sentence that is known: so many of each kind as the pages give, the same for the same seed."""
    rng = random.Random(seed)
    pages = sorted({row["context"] for row in read(PAGES, None)})
    found: list[Marked] = []
    for kind, label in KINDS.items():
        rng.shuffle(pages)
        made = (marked for page in pages if (marked := _built(kind, label, page, pages, rng)))
        found += [marked for marked, _ in zip(made, range(per_kind), strict=False)]
    return found


def _built(kind: str, label: Label, page: str, pages: Sequence[str], rng: random.Random) -> Marked | None:
    """A claim of this kind from one sentence of a page, or None where it offers none."""
    sentences = _sentences(page)
    order = list(range(len(sentences)))
    rng.shuffle(order)
    for place in order:
        passage = sentences[place]
        if not 8 <= len(passage.split()) <= 40 or "\n" in passage or not stands_alone(passage):
            continue
        around = sentences[max(0, place - NEIGHBOURS) : place + NEIGHBOURS + 1]
        contexts = [*_elsewhere(page, pages, rng), " ".join(around)]
        rng.shuffle(contexts)
        if sum(context.count(passage) for context in contexts) != 1 or _has_rival(passage, around):
            continue
        sample = Sample(answer=passage, contexts=tuple(Context(text=context) for context in contexts))
        change = {**CORRUPTIONS, **PARAPHRASES}[kind](passage, Source(sample), rng)
        if change is not None and change != passage:
            return _marked(change, contexts, passage, label, "built")
    return None


@cache
def _sentences(page: str) -> list[str]:
    return [page[sentence.start : sentence.end] for sentence in text.sentences(page)]


def _elsewhere(page: str, pages: Sequence[str], rng: random.Random) -> Iterator[str]:
    """Two to four passages of other pages."""
    for other in rng.sample([other for other in pages if other != page], rng.randrange(2, 5)):
        found = _sentences(other)
        begin = rng.randrange(max(1, len(found) - NEIGHBOURS))
        yield " ".join(found[begin : begin + NEIGHBOURS])


def _has_rival(passage: str, around: Sequence[str]) -> bool:
    own = set(terms(passage))
    return any(len(own & set(terms(other))) > ALIKE * len(own) for other in around if other != passage)


def _marked(
    claim: str, contexts: Sequence[str], passage: str, label: Label, origin: str, *, question: str | None = None
) -> Marked:
    """The claim with its passage, which stands in one context, once."""
    places = [(index, context.find(passage)) for index, context in enumerate(contexts) if passage in context]
    if len(places) != 1 or contexts[places[0][0]].count(passage) != 1:
        raise SystemExit(
            f"marked passage of {claim!r}: stands {len(places)} times in the contexts, not once: {passage!r}"
        )
    index, start = places[0]
    sample = Sample(question=question, answer=claim, contexts=tuple(Context(text=context) for context in contexts))
    return Marked(
        pair=Pair(Claim(text=claim, start=0, end=len(claim)), sample),
        label=label,
        passage=Evidence.of(sample.contexts, index, start, start + len(passage)),
        origin=origin,
    )


def shown(passage: Evidence, evidence: Sequence[Evidence]) -> Shown:
    """Compare what is shown with what is marked."""
    hits = [_covers(piece, passage) for piece in evidence]
    return Shown(first=bool(hits) and hits[0], at_all=any(hits), needless=hits.count(False))


def _covers(piece: Evidence, passage: Evidence) -> bool:
    common = min(piece.end, passage.end) - max(piece.start, passage.start)
    return piece.context == passage.context and 2 * common >= passage.end - passage.start


def line(title: str, some: Sequence[tuple[Marked, Verdict]]) -> str:
    """One row of the table."""
    outcomes = [shown(marked.passage, verdict.evidence) for marked, verdict in some]
    first, at_all = (_share(flags) for flags in zip(*((o.first, o.at_all) for o in outcomes), strict=True))
    needless = sum(outcome.needless for outcome in outcomes) / len(outcomes)
    agreed = sum(marked.label is verdict.label for marked, verdict in some) / len(some)
    return f"{title:24} {len(some):6} {first:>20} {at_all:>20} {needless:10.2f} {agreed:12.0%}"


def _share(flags: Sequence[bool]) -> str:
    share = sum(flags) / len(flags)
    low, high = wilson_interval(share, len(flags))
    return f"{share:.0%} ({low:.0%} to {high:.0%})"


def main() -> None:
    """Judge the claims with every verifier that is named, and print what is shown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("verifiers", nargs="*", default=["local"], metavar="VERIFIER")
    parser.add_argument("--limit", type=int, help="at most so many claims, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the claims that are built")
    parser.add_argument(
        "--missed", action="store_true", help="print the claims marked by hand that do not show it first"
    )
    given = parser.parse_args()
    claims = [*hand(), *built(seed=given.seed)]
    if given.limit is not None and given.limit < len(claims):
        claims = random.Random(0).sample(claims, given.limit)
    for spec in given.verifiers:
        verifier = load_verifier(spec)
        judged = list(zip(claims, asyncio.run(judge(verifier, [marked.pair for marked in claims])), strict=True))
        print(f"{spec}: {verifier.signature}\n")
        print(f"{'':24} {'claims':>6} {'first':>20} {'shown at all':>20} {'needless':>10} {'label right':>12}")
        print(line("all", judged))
        for origin in ("hand", "built"):
            for label in (None, *sorted({marked.label for marked in claims})):
                some = [item for item in judged if item[0].origin == origin and label in (None, item[0].label)]
                if some:
                    print(line(f"{origin}, {label.replace('_', ' ') if label else 'all'}", some))
        if given.missed:
            _print_missed(judged)


def _print_missed(judged: Sequence[tuple[Marked, Verdict]]) -> None:
    for marked, verdict in judged:
        if marked.origin == "hand" and not shown(marked.passage, verdict.evidence).first:
            print(f"\n{marked.label} ({verdict.label}): {marked.pair.claim.text}\n  marked: {marked.passage.quote}")
            for piece in verdict.evidence:
                print(f"  shown:  {piece.quote}")


if __name__ == "__main__":
    main()
