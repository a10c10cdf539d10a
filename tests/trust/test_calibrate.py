"""Profiles: the fits against scikit-learn's, verdicts through a profile, and the true rate behind a judge's errors."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from support.opinions import Erring, answers, judged, labelled

from faithmeter import Evaluator
from faithmeter.cache import wrap
from faithmeter.datamodels import Label, Outcome, Pair
from faithmeter.errors import DataError, UsageError
from faithmeter.runtime import sync
from faithmeter.trust.agreement import measure
from faithmeter.trust.calibrate import fit_curve, fit_profile, isotonic, rogan_gladen, unfaithful_rate
from faithmeter.trust.human_labels import HumanLabel
from faithmeter.verify import load_verifier
from faithmeter.verify.calibrated import Calibrated, Curve, Profile, read_profile


def drawn(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    support = np.round(rng.random(n), 2)
    return rng.random(n) < support**2, support, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_isotonic_equals_scikit_learns(seed: int) -> None:
    good, support, weights = drawn(seed)
    x, y, size = isotonic(support, good, weights)
    theirs = IsotonicRegression().fit(support, good, sample_weight=weights)
    assert size.sum() == pytest.approx(weights.sum())
    assert (np.diff(y) > 0).all()
    assert (np.diff(x) > 0).all()
    # theirs is constant over a block: at every support it has the share of the block that holds it
    blocks = np.array([float(y[np.abs(y - value).argmin()]) for value in theirs.predict(support)])
    assert theirs.predict(support) == pytest.approx(blocks)
    assert set(np.round(theirs.predict(support), 9)) == set(np.round(y, 9))


def test_logistic_is_near_scikit_learns() -> None:
    good, support, weights = drawn(1, n=2000)
    curve = fit_curve(good, support, weights, kind="logistic")
    inside = np.clip(support, 1e-4, 1 - 1e-4)
    features = np.log(inside / (1 - inside))[:, None]
    theirs = LogisticRegression(C=np.inf).fit(features, good, sample_weight=weights)
    assert curve(support) == pytest.approx(theirs.predict_proba(features)[:, 1], abs=0.01)


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=2, max_size=50),
    st.sampled_from(["logistic", "isotonic"]),
)
def test_every_curve_rises_and_stays_a_probability(rows: list[tuple[bool, float]], kind: str) -> None:
    good = np.array([row[0] for row in rows])
    support = np.array([row[1] for row in rows])
    curve = fit_curve(good, support, np.ones(len(rows)), kind=kind)  # type: ignore[arg-type]
    values = curve(np.linspace(0, 1, 101))
    assert (np.diff(values) >= -1e-12).all()
    assert ((values >= 0) & (values <= 1)).all()
    assert Curve.model_validate_json(curve.model_dump_json()) == curve


def test_a_profile_makes_a_skewed_judge_better_on_new_answers() -> None:
    """Fitted on some answers, measured on others."""
    known, new = judged(answers(80, seed=1)), judged(answers(200, seed=2))
    (before,) = measure(known, labelled(known), name="known")
    profile = fit_profile(before)
    assert profile.verifier == "erring.1"
    calibrated = sync.run(_all(Evaluator(verifier=Calibrated(Erring(), profile)), new))
    (raw,), (better,) = measure(new, labelled(new)), measure(calibrated, labelled(new))
    assert (better.figures["balanced_accuracy"].value or 0) > (raw.figures["balanced_accuracy"].low or 0) + 0.05
    assert (better.figures["calibration_error"].value or 1) < 0.1 < (raw.figures["calibration_error"].value or 0)
    # what was promised by cross-validation is about what came
    promised = profile.measured["after"]["balanced_accuracy"]
    assert promised["low"] - 0.05 <= (better.figures["balanced_accuracy"].value or 0) <= promised["high"] + 0.05


async def _all(evaluator: Evaluator, results: list) -> list:  # type: ignore[type-arg]
    return [result async for result in evaluator.stream([result.sample for result in results])]


def test_the_profile_is_part_of_the_signature() -> None:
    results = judged(answers(40))
    (found,) = measure(results, labelled(results))
    balanced, other = fit_profile(found), fit_profile(found, aim="f1")
    signatures = {Calibrated(Erring(), profile).signature for profile in (balanced, other)}
    assert all(signature.startswith("erring.1+profile:") for signature in signatures)
    assert balanced.hash == Profile.model_validate_json(balanced.model_dump_json()).hash
    changed = balanced.model_copy(update={"threshold": 0.9})
    assert changed.hash != balanced.hash
    assert balanced.model_copy(update={"measured": {}}).hash == balanced.hash  # what is only read does not count


def test_labels_and_support_go_through_the_profile() -> None:
    (result, *_) = judged(answers(1))
    verdict = result.verdicts[0].model_copy(update={"support": 0.4, "label": Label.CONTRADICTED})
    profile = Profile(
        verifier="v", threshold=0.3, curve=Curve(kind="isotonic", knots=((0.0, 0.1), (1.0, 0.9))), labels=9
    )
    assert profile.apply(verdict).label is Label.SUPPORTED
    assert profile.apply(verdict).support == pytest.approx(0.42)
    strict = profile.model_copy(update={"threshold": 0.5})
    assert strict.apply(verdict).label is Label.CONTRADICTED
    assert strict.apply(verdict.model_copy(update={"label": Label.SUPPORTED})).label is Label.NOT_ENOUGH_INFO


def test_a_judge_without_support_gets_the_shares_people_found() -> None:
    results = [
        result.model_copy(update={"outcomes": tuple(v.model_copy(update={"support": None}) for v in result.verdicts)})
        for result in judged(answers(60))
    ]
    (found,) = measure(results, labelled(results))
    profile = fit_profile(found)
    passed = [unit for unit in found.units if unit.judge == Label.SUPPORTED]
    share = (sum(unit.good for unit in passed) + 1) / (len(passed) + 2)
    assert profile.shares[Label.SUPPORTED] == pytest.approx(share, abs=1e-4)
    assert profile.apply(passed[0].verdict).support == profile.shares[Label.SUPPORTED]  # type: ignore[arg-type]


def test_answer_labels_fit_a_threshold_and_no_curve() -> None:
    results = judged(answers(60, claims=2))
    labels = [HumanLabel(sample=r.sample.id, label="not_supported" if "false" in r.sample.answer else "supported")
              for r in results]  # fmt: skip
    (found,) = measure(results, labels)
    profile = fit_profile(found)
    assert profile.level == "answer"
    assert profile.curve is None
    assert profile.threshold is not None


@pytest.mark.parametrize(("sensitivity", "specificity", "rate"), [(0.8, 0.9, 0.3), (0.95, 0.6, 0.05), (0.7, 0.7, 0.5)])
def test_rogan_gladen_inverts_the_confusion(sensitivity: float, specificity: float, rate: float) -> None:
    apparent = rate * sensitivity + (1 - rate) * (1 - specificity)
    found = rogan_gladen(np.array(apparent), np.array(sensitivity), np.array(specificity))
    assert float(found) == pytest.approx(rate)


def test_a_judge_no_better_than_chance_tells_no_rate() -> None:
    assert np.isnan(rogan_gladen(np.array(0.3), np.array(0.5), np.array(0.5)))


def test_the_interval_of_the_true_rate_covers_it() -> None:
    """Labels on few answers with one rate, an estimate for many with another: it is inside in 95 of 100 worlds."""
    covered = 0
    for world in range(40):
        known = judged(answers(60, false=0.5, seed=2 * world), Erring(spread=0.2, seed=world))
        others = judged(answers(250, false=0.2, seed=2 * world + 1), Erring(spread=0.2, seed=world))
        (found,) = measure(known, labelled(known))
        units, rate = unfaithful_rate(found, others)
        truth = sum("false" in v.claim.text for result in others for v in result.verdicts) / units
        assert rate.low is not None
        assert rate.high is not None
        covered += rate.low <= truth <= rate.high
    assert covered >= 34  # 95 % of 40 is 38; fewer than 34 has a chance of 1 in 100


def test_misuse_is_told(tmp_path: Path) -> None:
    results = judged(answers(40))
    (found,) = measure(results, labelled(results), name="r.jsonl")
    profile = fit_profile(found)
    with pytest.raises(UsageError, match=r"fitted for 'erring\.1', not for 'lexical"):
        Calibrated(load_verifier("lexical"), profile)
    with pytest.raises(UsageError, match="profile:VERIFIER@FILE"):
        load_verifier("profile:lexical")
    calibrated = sync.run(_all(Evaluator(verifier=Calibrated(Erring(), profile)), results))
    (again,) = measure(calibrated, labelled(results))
    with pytest.raises(DataError, match="made with a profile"):
        fit_profile(again)
    with pytest.raises(DataError, match="judged by"):
        unfaithful_rate(found, calibrated)
    few = judged(answers(3))
    (small,) = measure(few, labelled(few))
    with pytest.raises(DataError, match="too few to calibrate"):
        fit_profile(small)
    path = tmp_path / "profile.json"
    with pytest.raises(DataError, match="cannot be read"):
        read_profile(path)
    path.write_text('{"verifier": 3}')
    with pytest.raises(DataError, match="no profile"):
        read_profile(path)


def test_a_calibrated_verifier_can_be_sent_to_another_process() -> None:
    results = judged(answers(40))
    (found,) = measure(results, labelled(results))
    verifier = Calibrated(
        load_verifier("lexical"), fit_profile(found).model_copy(update={"verifier": "lexical.1,rouge=0.5"})
    )
    assert pickle.loads(pickle.dumps(verifier)).signature == verifier.signature
    assert verifier.cpu_bound


class Counting(Erring):
    """Counts what it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.threads = 4

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        self.asked += len(pairs)
        return await super().verify(pairs)


def test_the_cache_keeps_what_the_inner_verifier_said(tmp_path: Path) -> None:
    """Another profile pays for nothing again, and a cached verdict goes through the profile of the day."""
    results = judged(answers(40))
    (found,) = measure(results, labelled(results))
    profile = fit_profile(found)
    verifier = Counting()
    for threshold, share in ((0.0, 1.0), (1.0, 0.0)):
        changed = profile.model_copy(update={"threshold": threshold})
        cached = wrap(Calibrated(verifier, changed), cache=tmp_path / "cache.db")
        assert changed.hash in cached.signature
        done = sync.run(_all(Evaluator(verifier=cached), results))
        assert {result.score for result in done} == {share}
        assert verifier.asked == 160


def test_threads_are_the_inner_verifiers() -> None:
    verifier = Counting()
    calibrated = Calibrated(verifier, Profile(verifier="erring.1", labels=0))
    calibrated.threads = 1
    assert (verifier.threads, calibrated.threads) == (1, 1)
