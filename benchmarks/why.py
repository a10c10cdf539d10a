"""Measures whether code names what is wrong with a claim, and whose fault it was.

    python -m benchmarks.why kinds              the kind, on the self-test's corruptions
    python -m benchmarks.why blame              missing, misread or mixed, on evidence removed, altered or mixed
    python -m benchmarks.why cpu                what ranking and reasons add to the verifier's CPU
    python -m benchmarks.why quotes --verifier lexical --limit 1300     whether every quote of a reason stands there
    python -m benchmarks.why kinds --train      the same on claims of the training files, on which the weights were set

Claims are the dev sets' that the verifier supports. For kinds they are corrupted (`trust/selftest`); what the verifier
still supports has no kind, and is left out. For blame the claim stays and its evidence is changed: the sentences that
speak of it are removed (missing), the deciding one is corrupted (misread), or a name or number of it changes places
with that of another sentence (mixed). Every quote in a reason is looked up, too. CPU: that of the reasons, for each
claim that has one, and (`cpu`) for each claim of answers as they come, with that of ranking the evidence, beside that
of the verifier. Intervals: Wilson.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import lzma
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks.selftest import samples as dev_samples
from benchmarks.verifiers import DATA, judge
from faithmeter import Evaluator, text
from faithmeter.datamodels import Failure, Label, Pair, Sample, Verdict
from faithmeter.evidence.passages import Index, best_evidence, select, terms
from faithmeter.intervals import wilson_interval
from faithmeter.runtime.boundary import extracted
from faithmeter.trust.selftest.corrupt import CORRUPTIONS
from faithmeter.trust.selftest.measure import OTHER, selftest
from faithmeter.trust.selftest.source_text import Source
from faithmeter.verify.derive.quantities import read as quantities
from faithmeter.why import explained
from faithmeter.why.compare import names, read

MEANT = {"quantifier": "quantity", "roles": "role", OTHER: "addition"}
TRAIN = (("wice_claim_oracle", 250), ("attributionbench", 250), ("begin", 250), ("factscore", 400))
ALIKE = 0.5
"""A sentence that has this share of a claim's terms speaks of it, and goes with its evidence."""


class Judged(NamedTuple):
    """A claim whose mistake is known, and what was said of it."""

    meant: str
    sample: Sample
    verdict: Verdict


def train_samples() -> list[Sample]:
    """Answers and supported claims that may be trained on."""

    def rows(name: str) -> list[dict[str, Any]]:
        with lzma.open(DATA / "train" / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    found = [
        Sample(question=row["question"], answer=row["answer"], contexts=(row["context"],))
        for row in rows("ragtruth_answers_partial")
    ]
    rng = random.Random(1)
    for name, count in TRAIN:
        good = [row for row in rows(name) if row["label"] == "supported"]
        found += [Sample(answer=r["claim"], contexts=(r["context"],)) for r in rng.sample(good, min(count, len(good)))]
    return found


def kinds(samples: Sequence[Sample], evaluator: Evaluator, *, per_kind: int, seed: int) -> Iterator[Judged]:
    """Corrupted claims that the verifier catches."""
    made = (*CORRUPTIONS, OTHER)
    tested = asyncio.run(selftest(samples, evaluator=evaluator, kinds=made, per_kind=per_kind, seed=seed))
    for kind, found in tested.items():
        yield from (Judged(MEANT.get(kind, kind), case.changed.sample, verdict) for case, verdict in found.caught)


# --- evidence removed, altered or mixed -------------------------------------------------------------


def blames(samples: Sequence[Sample], evaluator: Evaluator, *, per_kind: int, seed: int) -> Iterator[Judged]:
    """Supported claims whose evidence was changed, so that the verifier supports them no longer."""
    rng = random.Random(seed)
    pairs = [pair for sample in samples for pair in asyncio.run(_claims(sample, evaluator))]
    rng.shuffle(pairs)
    wanted: dict[str, Callable[[Pair, Verdict, random.Random], Sample | None]] = {
        "missing": _removed, "misread": _altered, "mixed": _mixed,
    }  # fmt: skip
    counts: Counter[str] = Counter()
    for begin in range(0, len(pairs), 64):
        if all(counts[meant] >= per_kind for meant in wanted):
            return
        some = pairs[begin : begin + 64]
        cases = []
        for pair, verdict in zip(some, asyncio.run(judge(evaluator.verifier, some)), strict=True):
            if verdict.label is Label.SUPPORTED and verdict.evidence:
                made = {meant: change(pair, verdict, rng) for meant, change in wanted.items()}
                cases += [(meant, Pair(pair.claim, sample)) for meant, sample in made.items() if sample]
        cases = [case for case in cases if counts[case[0]] < per_kind]
        for (meant, pair), verdict in zip(
            cases, asyncio.run(judge(evaluator.verifier, [pair for _, pair in cases])), strict=True
        ):
            if verdict.label is not Label.SUPPORTED and counts[meant] < per_kind:
                counts[meant] += 1
                yield Judged(meant, pair.sample, verdict)


async def _claims(sample: Sample, evaluator: Evaluator) -> list[Pair]:
    found = await extracted(evaluator.extractor.extract, sample)
    return [] if isinstance(found, Failure) else [Pair(claim, sample) for claim in found.claims]


def _removed(pair: Pair, verdict: Verdict, rng: random.Random) -> Sample | None:
    """Every sentence that speaks of the claim is gone."""
    own = set(terms(pair.claim.text))
    shown = {(item.context, item.start, item.end) for item in verdict.evidence}
    left = []
    for index, context in enumerate(pair.sample.contexts):
        kept = [
            sentence.of(context.text)
            for sentence in text.sentences(context.text)
            if not any(c == index and s < sentence.end and sentence.start < e for c, s, e in shown)
            and len(own & set(terms(sentence.of(context.text)))) < ALIKE * len(own)
        ]
        left.append(context.model_copy(update={"text": " ".join(kept)}))
    enough = sum(len(context.text) for context in left) >= 200
    return pair.sample.model_copy(update={"contexts": tuple(left)}) if enough else None


def _altered(pair: Pair, verdict: Verdict, rng: random.Random) -> Sample | None:
    """The deciding sentence says otherwise, in one fact of the claim."""
    first = verdict.evidence[0]
    for kind in rng.sample(["number", "date", "name", "unit", "negation", "quantifier"], 6):
        new = CORRUPTIONS[kind](first.quote, Source(pair.sample), rng)
        if new and new != first.quote and (_exchanged(first.quote, new) in pair.claim.text or kind == "negation"):
            return _with(pair.sample, first.context, {(first.start, first.end): new})
    return None


def _exchanged(old: str, new: str) -> str:
    """The words of a sentence that another has in a different form."""
    ours, theirs = old.split(), new.split()
    same = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    rest = next(
        (n for n, (a, b) in enumerate(zip(ours[::-1], theirs[::-1], strict=False)) if a != b),
        min(len(ours), len(theirs)),
    )
    return " ".join(ours[same : max(same + 1, len(ours) - rest)]).strip(".,;:")


def _mixed(pair: Pair, verdict: Verdict, rng: random.Random) -> Sample | None:
    """A name or number of the deciding sentence changes places with one of another sentence."""
    first = verdict.evidence[0]
    context = pair.sample.contexts[first.context].text
    claim = pair.claim.text
    for here in _items(first.quote):
        if claim.count(here) != 1 or context.count(here) != 1:
            continue
        for sentence in rng.sample(found := text.sentences(context), len(found)):
            if sentence.start < first.end and first.start < sentence.end:
                continue
            for there in _items(sentence.of(context)):
                if there not in claim and context.count(there) == 1 and _alike(here, there):
                    one, two = context.index(here), context.index(there)
                    return _with(
                        pair.sample,
                        first.context,
                        {(one, one + len(here)): there, (two, two + len(there)): here},
                    )
    return None


def _items(sentence: str) -> list[str]:
    figures = [q.written for q in quantities(sentence) if q.dimension not in ("date", "year") and len(q.written) > 1]
    return [*figures, *(span.of(sentence) for span in names(read(sentence), sentence))]


def _alike(one: str, two: str) -> bool:
    """Both names, or both quantities of a kind."""
    sides = [[q.dimension for q in quantities(item)][:1] for item in (one, two)]
    return sides[0] == sides[1] and len(one.split()) == len(two.split())


def _with(sample: Sample, index: int, changes: dict[tuple[int, int], str]) -> Sample:
    new = sample.contexts[index].text
    for (start, end), words in sorted(changes.items(), reverse=True):
        new = new[:start] + words + new[end:]
    contexts = list(sample.contexts)
    contexts[index] = contexts[index].model_copy(update={"text": new})
    return sample.model_copy(update={"contexts": tuple(contexts)})


# --- the table --------------------------------------------------------------------------------------


def _misquoted(judged: Judged, verdict: Verdict) -> bool:
    """Whether a reason quotes what stands in neither the claim nor the contexts."""
    texts = [judged.verdict.claim.text, *(context.text for context in judged.sample.contexts)]
    pieces = [piece.partition("”")[0] for piece in (verdict.reason or "").split("“")[1:]]
    return any(not any(piece in text for text in texts) for piece in pieces)


def report(found: Sequence[Judged], measured: str, *, missed: int) -> None:
    """Print how often it is right, by what was meant."""
    said: dict[str, Counter[str]] = {}
    examples: dict[str, list[str]] = {}
    seconds, misquoted = 0.0, 0
    for judged in found:
        begun = time.process_time()
        (verdict,) = explained([judged.verdict], judged.sample)
        seconds += time.process_time() - begun
        assert isinstance(verdict, Verdict)
        misquoted += _misquoted(judged, verdict)
        word = str(verdict.kind if measured == "kinds" else verdict.blame)
        said.setdefault(judged.meant, Counter())[word] += 1
        if word != judged.meant:
            shown = f"{word} ({verdict.label}) {verdict.reason}\n     {verdict.claim.text[:300]}"
            examples.setdefault(judged.meant, []).append(
                "\n     ".join([shown, *(f"… {item.quote[:300]}" for item in verdict.evidence)])
            )
    for meant, counts in said.items():
        print(f"{meant:10} {_share(counts[meant], counts.total())}  {dict(counts.most_common(5))}")
        for example in examples.get(meant, [])[:missed]:
            print(f"   - {example}")
    right, total = sum(counts[meant] for meant, counts in said.items()), sum(map(Counter.total, said.values()))
    even = sum(counts[meant] / counts.total() for meant, counts in said.items()) / len(said)
    print(f"{'all':10} {_share(right, total)}; mean over the kinds {even:.3f}")
    print(f"{misquoted} reasons quote what does not stand there; {1000 * seconds / total:.2f} ms CPU for a reason")


def cpu(samples: Sequence[Sample], evaluator: Evaluator) -> None:
    """Print what ranking and reasons add to a claim's CPU, over answers as they come."""
    pairs = [pair for sample in samples for pair in asyncio.run(_claims(sample, evaluator))]
    begun = time.process_time()
    verdicts = asyncio.run(judge(evaluator.verifier, pairs))
    judged = time.process_time() - begun
    by_sample: dict[int, list[Verdict]] = {}
    for pair, verdict in zip(pairs, verdicts, strict=True):
        by_sample.setdefault(id(pair.sample), []).append(verdict)
    explaining = ranking = 0.0
    for sample in samples:
        own = by_sample.get(id(sample), [])
        begun = time.process_time()
        explained(own, sample)
        explaining += time.process_time() - begun
        index = Index([context.text for context in sample.contexts])
        among = [select(verdict.claim.text, index) for verdict in own]
        begun = time.process_time()
        for verdict, passages in zip(own, among, strict=True):
            best_evidence(verdict.claim.text, index, among=passages)
        ranking += time.process_time() - begun
    each = 1000 / len(pairs)
    print(
        f"{len(pairs)} claims; CPU a claim: {judged * each:.2f} ms judged, {ranking * each:.2f} ms of it to rank the "
        f"evidence, {explaining * each:.2f} ms to explain; both add {(ranking + explaining) / (judged - ranking):.1%}"
    )


def quotes(samples: Sequence[Sample], evaluator: Evaluator) -> None:
    """Print how many reasons quote what does not stand there, over answers as they come."""
    reasons = misquoted = 0
    for sample in samples:
        pairs = asyncio.run(_claims(sample, evaluator))
        for verdict in explained(asyncio.run(judge(evaluator.verifier, pairs)), sample):
            if isinstance(verdict, Verdict) and verdict.label is not Label.SUPPORTED:
                reasons += 1
                misquoted += _misquoted(Judged("", sample, verdict), verdict)
    print(f"{misquoted} of {reasons:,} reasons quote what stands in neither the claim nor the contexts")


def _share(count: int, total: int) -> str:
    low, high = wilson_interval(count / total, total)
    return f"{count / total:6.1%} ({low:.0%} to {high:.0%}) of {total:4}"


def main() -> None:
    """Make the cases, judge them and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("measured", choices=["kinds", "blame", "cpu", "quotes"])
    parser.add_argument("--verifier", default="local")
    parser.add_argument("--per-kind", type=int, default=100)
    parser.add_argument("--limit", type=int, default=200, help="claims come from at most so many rows of each set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--train", action="store_true", help="claims of the training files instead")
    parser.add_argument("--missed", type=int, default=0, help="mistakes of each kind to print")
    given = parser.parse_args()
    samples = train_samples() if given.train else dev_samples(given.limit)
    evaluator = Evaluator(verifier=given.verifier)
    if given.measured == "cpu":
        cpu([sample for sample in samples if re.match("ragtruth", sample.id)] or samples, evaluator)
        return
    if given.measured == "quotes":
        quotes(samples, evaluator)
        return
    make = kinds if given.measured == "kinds" else blames
    found = list(make(samples, evaluator, per_kind=given.per_kind, seed=given.seed))
    report(found, given.measured, missed=given.missed)


if __name__ == "__main__":
    main()
