"""Measures `fix`: what it restores, what it touches of good answers, and what it takes out of bad ones.

`python -m benchmarks.fix restore` corrupts supported claims of the dev sets in one known way, as the self-test does,
and counts how many come back to the letter, and how many with a wrong value ("otherwise"; "other form" is a longer or
shorter form of the right name). `python -m benchmarks.fix answers` fixes RAGTruth's dev answers: the share of the good
ones that is touched at all, the share of the bad ones' marked spans that is gone, and claims that are newly
unsupported, of which there must be none. `python -m benchmarks.fix safe` fixes 1,000 short answers, half of them
corrupted, and counts what a fix must never do: a claim that is newly unsupported, a lower score, a word from nowhere.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import islice, zip_longest

from benchmarks.accuracy import ANSWERS, read
from benchmarks.selftest import samples
from faithmeter import Evaluator, Extraction, Label, Sample, Verdict
from faithmeter.cache import wrap
from faithmeter.datamodels import Pair
from faithmeter.evidence.passages import WORD, Index, content_words
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.fix import Fixer
from faithmeter.intervals import wilson_interval
from faithmeter.runtime.boundary import verified
from faithmeter.text import sentences
from faithmeter.text.english.mentions import mentions
from faithmeter.trust.selftest.measure import Case, Tested, _cases, _claims, _key, _makers
from faithmeter.verify import Verifier, load_verifier

KINDS = ("number", "date", "unit", "name")
RESTORED, TOUCHED = 0.80, 0.08
"""What must be reached, and what must not be passed."""


class Near:
    """The claims of one place of an answer only: the others are as they were."""

    signature = "near"

    def __init__(self, start: int) -> None:
        self.start = start

    async def extract(self, sample: Sample) -> Extraction:
        found = await SentenceExtractor().extract(sample)
        return Extraction(claims=tuple(claim for claim in found.claims if claim.start <= self.start < claim.end))


async def _pairs(evaluator: Evaluator) -> list[Pair]:
    """The claims of the dev sets, each once, as the self-test takes them."""
    pairs = [pair for sample in samples(None) for pair in await _claims(sample, evaluator)]
    return list({_key(pair): pair for pair in pairs}.values())


async def restore(verifier: Verifier, *, kinds: Sequence[str], per_kind: int, skip: int, show: int) -> bool:
    """Corrupt and fix; whether every kind reaches its mark."""
    evaluator = Evaluator(verifier=verifier)
    pairs = await _pairs(evaluator)
    makers = _makers(pairs)
    good = True
    for kind in kinds:
        counts: Counter[str] = Counter()
        cases = _cases(kind, makers[kind], pairs, seed=0, count=Tested(kind))
        shown = passed_over = 0
        for case in cases:
            if case.changed.sample.answer == case.original.sample.answer:
                continue  # a claim without its citation marks is not to the letter in its answer: nothing was corrupted
            (first,) = await verified(evaluator.verifier.verify, [case.original])
            if not isinstance(first, Verdict) or first.label is not Label.SUPPORTED:
                continue
            if passed_over < skip:
                passed_over += 1
                continue
            outcome, became = await _restored(case, evaluator)
            counts[outcome] += 1
            if outcome != "restored" and shown < show:
                shown += 1
                print(
                    f"  {outcome}: {case.changed.claim.text}\n      was {case.original.claim.text}\n      is  {became}"
                )
            if counts.total() >= per_kind:
                break
        share = counts["restored"] / max(1, counts.total())
        low, high = wilson_interval(share, counts.total()) or (0.0, 1.0)
        good &= share >= RESTORED
        rest = ", ".join(f"{number} {word}" for word, number in counts.most_common() if word != "restored")
        print(f"{kind:7} restored {share:.1%} ({low:.0%} to {high:.0%}) of {counts.total()}; {rest}", flush=True)
    return good


async def _restored(case: Case, evaluator: Evaluator) -> tuple[str, str]:
    sample, claim = case.changed.sample, case.changed.claim
    near = Evaluator(verifier=evaluator.verifier, extractor=Near(claim.start))
    fixed = await Fixer(near).fix(sample)
    if not fixed.edits:
        return ("missed" if not fixed.result_before.unsupported else "left"), ""
    end = claim.end + len(fixed.answer) - len(sample.answer)
    became = fixed.answer[claim.start : max(claim.start, end)]
    if became == case.original.claim.text:
        return "restored", became
    if not {edit.kind for edit in fixed.edits} <= {"swap", "hedge"}:
        return "cut", became
    was, now = (set(WORD.findall(text.lower())) for text in (case.original.claim.text, became))
    return ("other form" if case.kind == "name" and (was <= now or now <= was) else "otherwise"), became


async def safe(verifier: Verifier, *, count: int, strict: bool, show: int) -> bool:
    """Fix short answers; whether no fix made anything worse."""
    evaluator = Evaluator(verifier=verifier)
    pairs = await _pairs(evaluator)
    makers = _makers(pairs)
    streams = [_cases(kind, makers[kind], pairs, seed=1, count=Tested(kind)) for kind in KINDS]
    made = (
        _short(case.changed.sample, case.changed.claim.start) for cases in zip(*streams, strict=False) for case in cases
    )
    plain = (_short(pair.sample, pair.claim.start) for pair in random.Random(1).sample(pairs, len(pairs)))
    mixed = (sample for two in zip_longest(islice(made, count // 2), plain) for sample in two if sample)
    fixer = Fixer(evaluator, strict=strict)
    found: Counter[str] = Counter()
    for sample in islice(mixed, count):
        fixed = await fixer.fix(sample)
        found["answers"] += 1
        found["touched"] += bool(fixed.edits)
        found[fixed.status] += 1
        before = {verdict.claim.text for verdict in fixed.result_before.unsupported}
        found["newly unsupported"] += sum(v.claim.text not in before for v in fixed.result_after.unsupported)
        scores = fixed.result_before.score, fixed.result_after.score
        found["lower"] += scores[0] is not None and scores[1] is not None and scores[1] < scores[0]
        strange = _from_nowhere(fixed.answer, sample) if fixed.status != "refused" else frozenset()
        found["words from nowhere"] += bool(strange)
        if strange and found["words from nowhere"] <= show:
            print(f"  {sorted(strange)}: {[(edit.old, edit.new, edit.reason) for edit in fixed.edits]}", flush=True)
    print(f"{found['answers']} answers, {found['touched']} touched: newly unsupported claims "
          f"{found['newly unsupported']}, lower scores {found['lower']}, answers with words from nowhere "
          f"{found['words from nowhere']}")  # fmt: skip
    print(
        "  " + ", ".join(f"{found[word]} {word}" for word in ("faithful", "fixed", "doubtful", "refused", "unjudged"))
    )
    return not (found["newly unsupported"] or found["lower"] or found["words from nowhere"])


def _from_nowhere(answer: str, sample: Sample) -> frozenset[str]:
    """Words of a fixed answer that neither the answer nor a context has, nor are another form of what a context names:
    "February" for "Feb", "9 PM" for `21:00`."""
    texts = [context.text for context in sample.contexts]
    named = {(item.kind, item.value) for passage in Index(texts).passages for item in mentions(passage.text)}
    forms = [item.text for item in mentions(answer) if (item.kind, item.value) in named]
    return content_words(answer) - content_words(" ".join([sample.answer, *texts, *forms]))


def _short(sample: Sample, start: int) -> Sample:
    """An answer's sentence at a place, and the one after it."""
    spans = [span for span in sentences(sample.answer) if span.end > start][:2]
    return sample.model_copy(update={"answer": sample.answer[spans[0].start : spans[-1].end], "id": ""})


async def answers(verifier: Verifier, *, limit: int | None, strict: bool, show: int) -> bool:
    """Fix RAGTruth's dev answers; whether few good ones are touched and nothing is newly wrong."""
    fixer = Fixer(Evaluator(verifier=verifier), strict=strict)
    counts: Counter[str] = Counter()
    edits: Counter[str] = Counter()
    for number, row in enumerate(read(ANSWERS, limit), 1):
        sample = Sample(question=row["question"], answer=row["answer"], contexts=(row["context"],))
        fixed = await fixer.fix(sample)
        good = row["label"] == 1
        name = "good" if good else "bad"
        counts[name] += 1
        counts[f"{name} {row['task']}"] += 1
        counts[f"{name} touched"] += bool(fixed.edits)
        counts[f"{name} {row['task']} touched"] += bool(fixed.edits)
        for edit in fixed.edits:
            edits[f"{name} {edit.kind}"] += 1
            if good and show > 0:
                show -= 1
                print(f"  {row['task']} {edit.kind}: {edit.old!r} -> {edit.new!r}: {edit.reason}")
        before = {verdict.claim.text for verdict in fixed.result_before.unsupported}
        counts["newly unsupported"] += sum(v.claim.text not in before for v in fixed.result_after.unsupported)
        for label in row["labels"]:
            counts["spans"] += 1
            counts["spans gone"] += any(e.start <= label["start"] and label["end"] <= e.end for e in fixed.edits)
            hit = any(e.start < label["end"] and label["start"] < e.end for e in fixed.edits)
            counts["spans touched"] += hit
        if number % 20 == 0:
            print(f"  {number}: {dict(counts)}", flush=True)
    share = counts["good touched"] / max(1, counts["good"])
    low, high = wilson_interval(share, counts["good"]) or (0.0, 1.0)
    print(f"good answers touched {share:.1%} ({low:.1%} to {high:.1%}) of {counts['good']}")
    for task in ("QA", "Summary", "Data2txt"):
        print(f"  {task}: good {counts[f'good {task} touched']} of {counts[f'good {task}']}, "
              f"bad {counts[f'bad {task} touched']} of {counts[f'bad {task}']}")  # fmt: skip
    print(f"bad answers touched {counts['bad touched'] / max(1, counts['bad']):.1%} of {counts['bad']}")
    print(f"marked spans gone {counts['spans gone'] / max(1, counts['spans']):.1%}, touched "
          f"{counts['spans touched'] / max(1, counts['spans']):.1%} of {counts['spans']}")  # fmt: skip
    print(f"newly unsupported claims {counts['newly unsupported']}; edits: {dict(edits)}")
    return (strict or share <= TOUCHED) and not counts["newly unsupported"]


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["restore", "answers", "safe"])
    parser.add_argument("--verifier", default="local")
    parser.add_argument("--per-kind", type=int, default=100)
    parser.add_argument("--skip", type=int, default=0, help="cases of each kind to pass over")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--limit", type=int, help="answers to fix")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--cache", help="a file for verdicts, so that they need not be made twice")
    parser.add_argument("--show", type=int, default=0, help="cases to print; they quote the data sets")
    given = parser.parse_args()
    verifier = wrap(load_verifier(given.verifier), cache=given.cache or "none")
    if given.what == "restore":
        good = asyncio.run(
            restore(verifier, kinds=given.kinds, per_kind=given.per_kind, skip=given.skip, show=given.show)
        )
    elif given.what == "safe":
        good = asyncio.run(safe(verifier, count=given.limit or 1000, strict=given.strict, show=given.show))
    else:
        good = asyncio.run(answers(verifier, limit=given.limit, strict=given.strict, show=given.show))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
