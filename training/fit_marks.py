"""Fits which words of an unsupported claim are marked, on held-out rows alone; never on the dev sets.

    python -m training.fit_marks read --weights FOLDER     what the weights say: three minutes of CPU
    python -m training.fit_marks fit --weights FOLDER [--write]     the rules and how they fare: ten seconds

Fitted on: the fifth of RAGTruth's training answers whose sources are held out (106, with the spans that people marked),
small edits of supported claims whose contexts are held out, and made records of a seed of their own. Prose goes by the
first two, records by the third. So few answers choose the rules that each is fitted crosswise, too: chosen on half of
the sources, measured on the other half. Where that is no better than the rule there was, the rule stays.
`--write` puts the rules into the weights' `calibration.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import pickle
import random
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from faithmeter.datamodels import Claim, Context, Label, Pair, Sample, Verdict
from faithmeter.evidence.passages import Index
from faithmeter.extract.sentences import SentenceExtractor
from faithmeter.verify.local import WEIGHTS, LocalVerifier, Reading, load_model, read_calibration
from faithmeter.verify.local_marks import Gaps, MarkRule, mark
from faithmeter.why import explain
from faithmeter.why.compare import Sources
from training.corrupt import KINDS
from training.data import DATA, read
from training.records import make_records
from training.rows import held_out

SEED = 987_654_321
"""Made records of this seed are in no training row."""
EDITED = ("wice_claim_oracle", "attributionbench", "begin", "factscore")
STEPS = {
    "marks": (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9), "grow": (1.0, 0.8, 0.6, 0.4, 0.2),
    "faint": (0.3, 0.45, 0.6, 0.8, 0.95), "even": (0.85, 0.9, 0.93, 0.95, 0.97, 2.0),
    "all_support": (0.15, 0.25, 0.35, 0.5), "all_contradiction": (0.1, 0.2, 0.35, 0.5, 1.0),
}  # fmt: skip
"""What each part of a rule is tried at."""
EDITS_AT_LEAST = 0.8
"""F1 on edits below which no rule is taken: what marks whole sentences there marks too much."""
FALSE_FLAGS = 0.5
"""Share of the flagged claims about records that hold, as they are weighed: of the held-out answers' it is half, and of
made ones, which the network knows the wordings of, far less."""


class Item(NamedTuple):
    """A claim that the verifier does not support, or whose words people marked."""

    group: str
    """`answers`, `edits` or `records`."""
    source: str
    """What its context is known by, for halves that share none."""
    verdict: Verdict
    reading: Reading | None
    sample: int
    meant: tuple[tuple[int, int], ...]


class Recorder(LocalVerifier):
    """Keeps the reading by which words are marked."""

    last: Reading | None = None

    def marked(self, reading: Reading) -> Gaps:
        """Keep the reading, and mark nothing yet."""
        self.last = reading
        return ()


def answers() -> Iterable[tuple[Sample, list[Claim], list[tuple[int, int]]]]:
    """RAGTruth's training answers whose sources are held out, their claims, and what people marked."""
    for row in read(DATA / "train" / "ragtruth_answers_partial.jsonl.xz", None):
        if held_out(row["context"], 0.2):
            sample = Sample(question=row["question"], answer=row["answer"], contexts=(row["context"],))
            claims = list(asyncio.run(SentenceExtractor().extract(sample)).claims)
            yield sample, claims, [(label["start"], label["end"]) for label in row["labels"]]


def edits(count: int) -> Iterable[tuple[Sample, list[Claim], list[tuple[int, int]]]]:
    """Supported claims whose contexts are held out, with one edit each."""
    rng = random.Random(SEED)
    rows = [row for name in EDITED for row in read(DATA / "train" / f"{name}.jsonl.xz", None)]
    rows = [row for row in rows if row["label"] == "supported" and held_out(row["context"], 0.04)]
    rng.shuffle(rows)
    made = 0
    for row in rows:
        for kind in rng.sample(list(KINDS), 3):
            corrupted = KINDS[kind](row["claim"], row["context"], rng)
            if corrupted and corrupted.text != row["claim"] and made < count:
                made += 1
                yield (*_single(corrupted.text, row["context"]), list(corrupted.marks))


def records(count: int) -> Iterable[tuple[Sample, list[Claim], list[tuple[int, int]]]]:
    """Made records, and claims about them."""
    for made in make_records(SEED, count, each=4):
        yield (*_single(made.claim, made.context), list(made.marks))


def _single(text: str, context: str) -> tuple[Sample, list[Claim]]:
    return Sample(answer=text, contexts=(Context(text=context),)), [Claim(text=text, start=0, end=len(text))]


def read_all(folder: Path, out: Path, *, edited: int, recorded: int) -> None:
    """Judge everything once, and keep what the words go by."""
    verifier, model = Recorder(folder=folder, threads=1), load_model(folder)
    samples: list[Sample] = []
    items: list[Item] = []
    groups: dict[str, Iterable[Any]] = {"records": records(recorded), "answers": answers(), "edits": edits(edited)}
    out.parent.mkdir(parents=True, exist_ok=True)
    for group, some in groups.items():
        for sample, claims, meant in some:
            samples.append(sample)
            index = Index([context.text for context in sample.contexts])
            for claim in claims:
                verifier.last = None
                verdict = verifier._judge(model, Pair(claim, sample), index)
                inside = tuple(
                    (max(start, claim.start) - claim.start, min(end, claim.end) - claim.start)
                    for start, end in meant
                    if start < claim.end and claim.start < end
                )
                source = sample.contexts[0].text[:200]
                items.append(Item(group, source, verdict, verifier.last, len(samples) - 1, inside))
        out.write_bytes(pickle.dumps((samples, items)))  # what there is can be fitted on
        print(f"{group}: {sum(item.group == group for item in items)} claims", flush=True)


class Counts(NamedTuple):
    """Characters marked by us, by people, and by both."""

    ours: float = 0
    theirs: float = 0
    both: float = 0

    def plus(self, other: Counts, weight: float = 1.0) -> Counts:
        """Both together, the other weighed."""
        return Counts(*(mine + weight * more for mine, more in zip(self, other, strict=True)))

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.both / max(1, self.ours + self.theirs)

    def __str__(self) -> str:
        return f"P {self.both / max(1, self.ours):.3f} R {self.both / max(1, self.theirs):.3f} F1 {self.f1:.3f}"


class Fitter:
    """Tries rules; what was tried before is not worked out again."""

    def __init__(self, samples: Sequence[Sample], items: Sequence[Item]) -> None:
        self.items = items
        self.sources = lru_cache(maxsize=None)(lambda sample: Sources(samples[sample]))
        self.counted = lru_cache(maxsize=None)(self._counted)

    def _counted(self, number: int, gaps: Gaps) -> Counts:
        """Count the characters of one claim, as a user sees it."""
        item = self.items[number]
        theirs = {place for start, end in item.meant for place in range(start, end)}
        ours: set[int] = set()
        if item.verdict.label is not Label.SUPPORTED:
            shown = explain(item.verdict.model_copy(update={"gaps": gaps}), self.sources(item.sample)).gaps
            whole = ((0, len(item.verdict.claim.text)),)
            ours = {place for start, end in shown or whole for place in range(start, end)}
        return Counts(len(ours), len(theirs), len(ours & theirs))

    def score(self, numbers: Sequence[int], rule: MarkRule) -> Counts:
        """Count the characters of some claims by a rule."""
        total = Counts()
        flagged = [bool(self.items[n].meant) for n in numbers if self.items[n].verdict.label is not Label.SUPPORTED]
        hits, alarms = sum(flagged), len(flagged) - sum(flagged)
        weight = hits * FALSE_FLAGS / (1 - FALSE_FLAGS) / max(1, alarms)
        for number in numbers:
            verdict, reading = self.items[number].verdict, self.items[number].reading
            gaps = verdict.gaps
            if reading is not None:
                gaps = mark(reading.tokens, rule, support=reading.support, contradiction=reading.contradiction)
            of_record = self.items[number].group == "records" and not self.items[number].meant
            total = total.plus(self.counted(number, gaps), weight if of_record else 1.0)
        return total

    def of(self, group: str, *, of_record: bool | None = None, half: int | None = None) -> list[int]:
        """The claims of a group; of edits only those that were caught, as their figures are given."""
        return [
            number
            for number, item in enumerate(self.items)
            if item.group == group
            and (group != "edits" or item.verdict.label is not Label.SUPPORTED)
            and (of_record is None or item.reading is None or item.reading.of_record is of_record)
            and (half is None or held_out(item.source, 0.5) == bool(half))
        ]


def climb(worth: Callable[[MarkRule], float], rule: MarkRule, names: Sequence[str], *, rounds: int = 3) -> MarkRule:
    """Better one part of a rule after the other, until none gets better."""
    best = worth(rule)
    for _ in range(rounds):
        before = rule
        for name in names:
            for value in STEPS[name]:
                other = rule._replace(**{name: value})
                value_of = worth(other)
                if value_of > best + 1e-4:
                    rule, best = other, value_of
        if rule == before:
            break
    return rule


def fit(fitter: Fitter, start: dict[str, MarkRule]) -> dict[str, MarkRule]:
    """Fit both rules, and print how they fare on what they were chosen by, and crosswise."""

    def prose_worth(half: int | None) -> Callable[[MarkRule], float]:
        told, edited = fitter.of("answers", half=half), fitter.of("edits")

        def worth(rule: MarkRule) -> float:
            on_edits = fitter.score(edited, rule).f1
            return fitter.score(told, rule).f1 + 0.5 * on_edits - 10 * max(0.0, EDITS_AT_LEAST - on_edits)

        return worth

    def records_worth(half: int | None) -> Callable[[MarkRule], float]:
        told = fitter.of("records", of_record=True, half=half)
        return lambda rule: fitter.score(told, rule).f1

    found: dict[str, MarkRule] = {}
    for name, worth, group, parts in (
        ("prose", prose_worth, "answers", list(STEPS)),
        ("in_records", records_worth, "records", ["marks", "grow", "faint"]),
    ):
        of_record = True if name == "in_records" else None
        told = fitter.of(group, of_record=of_record)
        crosswise = Counts()
        for half in (0, 1):
            rule = climb(worth(half), start[name], parts)
            crosswise = crosswise.plus(fitter.score(fitter.of(group, of_record=of_record, half=1 - half), rule))
        before, rule = fitter.score(told, start[name]), climb(worth(None), start[name], parts)
        print(f"{name}: before {before}   fitted {fitter.score(told, rule)}   crosswise {crosswise}")
        found[name] = rule if crosswise.f1 > before.f1 else start[name]
        print(f"  {'taken' if found[name] == rule else 'not taken'}: {rule}")
        edited = [fitter.score(fitter.of("edits"), one) for one in (start[name], found[name])]
        print(f"  edits before {edited[0]}   now {edited[1]}")
    return found


def main() -> None:
    """Read, or fit what was read."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("step", choices=["read", "fit"])
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--out", type=Path, default=Path("out/training/marks.pickle"))
    parser.add_argument("--edits", type=int, default=400)
    parser.add_argument("--records", type=int, default=500)
    parser.add_argument("--write", action="store_true", help="put the rules into the weights' calibration.json")
    given = parser.parse_args()
    if given.step == "read":
        read_all(given.weights, given.out, edited=given.edits, recorded=given.records)
        return
    samples, items = pickle.loads(given.out.read_bytes())
    known = read_calibration(given.weights)
    rules = fit(Fitter(samples, items), {"prose": known.prose, "in_records": known.in_records})
    if given.write:
        path = given.weights / "calibration.json"
        fitted = json.loads(path.read_text()) | {name: rule._asdict() for name, rule in rules.items()}
        path.write_text(json.dumps(fitted, indent=1) + "\n")


if __name__ == "__main__":
    from training.fit_marks import main as run  # what is kept must be found again by this name, not as __main__'s

    run()
