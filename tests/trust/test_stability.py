"""Repeated runs: what flips, and where the score's error comes from."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.opinions import Erring, Wavering, answers, judged

from faithmeter.datamodels import Claim, Failure, Label
from faithmeter.trust.stability import measure_stability


def test_a_steady_judge_never_flips() -> None:
    samples = answers(20)
    found = measure_stability([judged(samples), judged(samples)])
    assert (found.flips, found.flaky, found.noise, found.not_always_found) == (0.0, (), 0.0, 0)
    assert found.claims == 80


def test_flips_are_the_chance_that_two_runs_differ() -> None:
    samples = answers(30)
    judge = Wavering()
    runs = [judged(samples, judge) for _ in range(6)]
    found = measure_stability(runs)
    labels = np.array([[v.label is Label.SUPPORTED for r in run for v in r.verdicts] for run in runs])
    pairs = [(labels[i] != labels[j]).mean() for i in range(6) for j in range(i)]
    assert found.flips == pytest.approx(np.mean(pairs))
    assert len(found.flaky) == (labels.min(0) != labels.max(0)).sum()
    uneven = [item.disagreement for item in found.flaky]
    assert uneven == sorted(uneven, reverse=True)


def test_the_errors_are_those_of_many_runs() -> None:
    """The judge's part is what the means of many runs on the same samples really spread by."""
    samples = answers(40)
    judge = Wavering()
    runs = [judged(samples, judge) for _ in range(60)]
    found = measure_stability(runs[:8])
    assert found.noise == pytest.approx(np.std([np.mean([r.score or 0 for r in run]) for run in runs]), rel=0.4)
    assert found.interval is not None
    half = (found.interval[1] - found.interval[0]) / 2
    assert half == pytest.approx(2.02 * math.hypot(found.sampling, found.noise), rel=0.01)


def test_the_interval_covers_the_mean_of_all_samples() -> None:
    """Other samples, other verdicts: one run's interval has to cover what both do."""
    everything = answers(600, seed=9)
    truth = np.mean([result.score or 0 for seed in range(3) for result in judged(everything, Erring(seed=seed))])
    covered = 0
    for world in range(40):
        judge = Wavering(seed=1000 * world)
        part = everything[world * 15 : world * 15 + 15]
        found = measure_stability([judged(part, judge) for _ in range(3)])
        assert found.interval is not None
        covered += found.interval[0] <= truth <= found.interval[1]
    assert covered >= 34


def test_what_is_not_in_every_run_is_counted_not_called_a_flip() -> None:
    (result,) = judged(answers(1, claims=2))
    first, second = result.verdicts
    claim = Claim(text="New.", start=0, end=4)
    other = result.model_copy(
        update={
            "outcomes": (
                Failure(claim=first.claim, kind="timeout", message="late"),
                second.model_copy(update={"claim": claim}),
            )
        }
    )
    found = measure_stability([[result], [other]])
    assert found.not_always_judged == 1
    assert found.not_always_found == 2
    assert found.flips == 0.0
    assert found.interval is None


def test_a_claim_that_an_answer_makes_twice_is_two_claims() -> None:
    (result,) = judged(answers(1, claims=2))
    first = result.verdicts[0]
    other = first.model_copy(update={"label": Label.CONTRADICTED})
    twice = result.model_copy(update={"outcomes": (first.model_copy(update={"label": Label.SUPPORTED}), other)})
    found = measure_stability([[twice], [twice]])
    assert (found.claims, found.flips, found.flaky, found.not_always_found) == (2, 0.0, (), 0)
