"""Chooses an LLM judge's prompt on people's labels: every candidate judges the same claims, held out from the examples.

The labelled claims are split by their contexts. Of one part worked examples are made; the other part is judged with
each candidate. A prompt other than the default is chosen only if its gain is certain, or if it is cheaper and
certainly no worse than by `MARGIN`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from faithmeter.datamodels import Claim, Label, Pair, Sample, Usage, Verdict
from faithmeter.errors import DataError, UsageError
from faithmeter.judge.prompts.examples import Example
from faithmeter.judge.verify import Judge
from faithmeter.results import Result
from faithmeter.runtime.specs import with_options
from faithmeter.runtime.usage import metered
from faithmeter.trust import metrics as stats
from faithmeter.trust.human_labels import HumanLabel, Word, find_claim, settle
from faithmeter.trust.metrics import Bools, Estimate

FEWEST = 40  # held-out claims, and of each kind a quarter of it: below, no gain that a prompt can bring is certain
EXAMPLES = 5  # claims in the worked examples; at most two of them supported, as in our own
LONGEST = 2_500  # characters of the contexts of an example
MARGIN = 0.02  # balanced accuracy that a cheaper prompt may at most lose, at the lower end of the interval
DEFAULT = "full"

_LABELS: Mapping[Word, Label] = {"not_supported": Label.NOT_ENOUGH_INFO, **{label.value: label for label in Label}}
_REASONS = {
    Label.SUPPORTED: "All of it is stated.",
    Label.CONTRADICTED: "The passages say otherwise.",
    Label.NOT_ENOUGH_INFO: "Nothing in the passages states all of it.",
}


class LabelledClaim(NamedTuple):
    """A claim that people have labelled."""

    claim: Claim
    sample: Sample
    label: Word
    weight: float
    verdict: Verdict | None

    @property
    def contexts(self) -> tuple[str, ...]:
        """What it is judged by: claims with the same contexts are never on both sides of the split."""
        return tuple(context.text for context in self.sample.contexts)


@dataclass(frozen=True)
class Tried:
    """What a candidate brought on the held-out claims; a claim without a verdict counts as wrong."""

    name: str
    options: Mapping[str, str]
    signature: str
    passed: Bools
    accuracy: Estimate
    """Balanced accuracy."""
    gain: Estimate
    """Over the default prompt on the same claims, drawn in pairs; the interval holds for all candidates together."""
    failures: int
    usage: Usage

    @property
    def tokens(self) -> int:
        """Sent and received."""
        return self.usage.prompt_tokens + self.usage.completion_tokens


def labelled_claims(results: Iterable[Result], labels: Iterable[HumanLabel]) -> list[LabelledClaim]:
    """The claims of the results that people labelled; labels of whole answers are left out."""
    golds, _ = settle(labels)
    by_sample = defaultdict(list)
    for gold in golds:
        if gold.claim is not None or gold.offsets is not None:
            by_sample[gold.sample].append(gold)
    labelled: dict[tuple[str, str], LabelledClaim] = {}
    for result in results:
        claims = [outcome.claim for outcome in result.outcomes if outcome.claim]
        for gold in by_sample.get(result.sample.id, ()):
            if claim := find_claim(gold, claims):
                verdict = next((verdict for verdict in result.verdicts if verdict.claim == claim), None)
                one = LabelledClaim(claim, result.sample, gold.label, gold.weight, verdict)
                labelled.setdefault((result.sample.id, claim.text), one)
    return list(labelled.values())


def split(claims: Sequence[LabelledClaim], name: str) -> tuple[list[Example], list[LabelledClaim]]:
    """Worked examples from some contexts, and the claims on all the others."""
    groups: dict[tuple[str, ...], list[LabelledClaim]] = defaultdict(list)
    for claim in claims:
        groups[claim.contexts].append(claim)
    drawn = sorted(groups)
    np.random.default_rng(0).shuffle(drawn)
    examples: list[Example] = []
    used: set[tuple[str, ...]] = set()
    for contexts in map(tuple, drawn[: len(drawn) // 4]):
        if sum(map(len, contexts)) > LONGEST or len(examples) == EXAMPLES:
            continue
        supported = sum(example.label is Label.SUPPORTED for example in examples)
        for example in filter(None, map(_example, groups[contexts])):
            if len(examples) < EXAMPLES and (example.label is not Label.SUPPORTED or supported < 2):
                supported += example.label is Label.SUPPORTED
                examples.append(example)
                used.add(contexts)
    held = [claim for claim in claims if claim.contexts not in used]
    good = sum(claim.label == "supported" for claim in held)
    if len(held) < FEWEST or min(good, len(held) - good) < FEWEST // 4:
        few = f"{len(held)} labelled claims beside the examples, {len(held) - good} of them unsupported"
        remedy = f"label at least {FEWEST}, {FEWEST // 4} of each kind"
        raise DataError(f"{name}: {few}, are too few to choose a prompt; {remedy}")
    return examples, held


def candidates(spec: str, examples: Path | None, prompts: Iterable[str] = ()) -> dict[str, dict[str, str]]:
    """The prompts to try, each with the judge's options that choose it; the default comes first.

    `small` is left out where the judge's other options do not go with it.
    """
    options = {DEFAULT: {"prompt": "full"}, "brief": {"prompt": "brief"}}
    if _takes_small(spec):
        options["small"] = {"prompt": "small"}
    if examples:
        options["full and your examples"] = {"prompt": "full", "examples": str(examples)}
    return options | {path: {"verify_prompt": path} for path in prompts}


def estimates(
    spec: str, options: Mapping[str, Mapping[str, str]], held: Sequence[LabelledClaim]
) -> dict[str, tuple[str, Usage]]:
    """For each candidate its signature and about what trying it takes; asks nothing."""
    samples: dict[int, list[LabelledClaim]] = defaultdict(list)
    for claim in held:
        samples[id(claim.sample)].append(claim)
    estimated = {}
    for name, chosen in options.items():
        judge = _judge(spec, chosen)
        parts = [judge.estimate(some[0].sample, [one.claim for one in some]) for some in samples.values()]
        estimated[name] = judge.signature, sum(parts, Usage())
    return estimated


async def tried(spec: str, options: Mapping[str, Mapping[str, str]], held: Sequence[LabelledClaim]) -> list[Tried]:
    """Every candidate on every held-out claim."""
    good = np.array([claim.label == "supported" for claim in held], bool)
    weights = np.array([claim.weight for claim in held], float)
    units = [claim.contexts for claim in held]
    tries: list[Tried] = []
    for name, chosen in options.items():
        judge = _judge(spec, chosen)
        with metered() as meter:
            outcomes = await judge.verify([Pair(claim.claim, claim.sample) for claim in held])
        await judge.aclose()
        failed = np.array([not isinstance(outcome, Verdict) for outcome in outcomes], bool)
        said = np.array([isinstance(o, Verdict) and o.label is Label.SUPPORTED for o in outcomes], bool)
        passed = np.where(failed, ~good, said)
        first = tries[0].passed if tries else passed
        tries.append(
            Tried(
                name=name,
                options=dict(chosen),
                signature=judge.signature,
                passed=passed,
                accuracy=stats.bootstrap(
                    lambda w, p=passed: stats.balanced_accuracy(good, p, w),  # type: ignore[misc]
                    weights=weights,
                    units=units,
                ),
                gain=_gain(good, passed, first, weights, units, others=len(options) - 1),
                failures=int(failed.sum()),
                usage=meter.usage,
            )
        )
    return tries


def choose(candidates: Sequence[Tried]) -> tuple[Tried, str]:
    """The prompt to use, and why; the first candidate is the default, which needs no reason."""
    default, *others = candidates
    better = [one for one in others if one.gain.low is not None and one.gain.low > 0]
    if better:
        best = max(better, key=lambda one: one.gain.value or 0.0)
        return best, f"{best.name} is better than {default.name} by {best.gain}"
    cheaper = [
        one for one in others if one.gain.low is not None and one.gain.low >= -MARGIN and one.tokens < default.tokens
    ]
    if cheaper:
        best = min(cheaper, key=lambda one: one.tokens)
        saved = 1 - best.tokens / default.tokens
        return best, f"{best.name} takes {saved:.0%} fewer tokens and loses nothing that could be seen: {best.gain}"
    return default, f"no prompt is certainly better than {default.name} on these labels, or as good and cheaper"


def _takes_small(spec: str) -> bool:
    try:
        _judge(spec, {"prompt": "small"})
    except UsageError:
        return False
    return True


def _judge(spec: str, options: Mapping[str, str]) -> Judge:
    return Judge(with_options(spec, [f"{name}={value}" for name, value in options.items()]))


def _example(one: LabelledClaim) -> Example | None:
    """A worked example; None where no quote is known that would pass the judge's own checks."""
    label = _LABELS.get(one.label)
    if label is None or label not in _REASONS:
        return None
    quote = ""
    if label is not Label.NOT_ENOUGH_INFO:
        if one.verdict is None or one.verdict.label is not label or not one.verdict.evidence:
            return None
        quote = one.verdict.evidence[0].quote
    return Example(
        passage=one.contexts,
        question=one.sample.question,
        claim=one.claim.text,
        reason=_REASONS[label],
        label=label,
        quote=quote,
    )


def _gain(
    good: Bools, passed: Bools, default: Bools, weights: stats.Array, units: Sequence[tuple[str, ...]], *, others: int
) -> Estimate:
    """The gain with an interval that is wider the more candidates there are: the best of many looks good by chance."""

    def difference(drawn: stats.Array) -> stats.Array:
        return stats.balanced_accuracy(good, passed, drawn) - stats.balanced_accuracy(good, default, drawn)

    draws = stats.statistic_draws(difference, weights=weights, units=units)
    tail = 0.025 / max(1, others)
    low, high = np.nanquantile(draws, [tail, 1 - tail])
    return Estimate(float(difference(weights)), float(low), float(high))
