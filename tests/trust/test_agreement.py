"""A judge against people: the figures are those of the statistics, and the lists are in the right order."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn import metrics
from support.opinions import Erring, answers, judged, labelled

from faithmeter.datamodels import Claim, Failure, Label, Origin, Sample, Verdict
from faithmeter.results import Result
from faithmeter.trust.agreement import difference, measure, people_kappa, unfaithful_parts
from faithmeter.trust.human_labels import HumanLabel


def test_figures_over_claims_are_scikit_learns() -> None:
    results = judged(answers(60))
    (found,) = measure(results, labelled(results), name="j")
    truth = ["true" in verdict.claim.text for result in results for verdict in result.verdicts]
    support = [verdict.support for result in results for verdict in result.verdicts]
    passed = [verdict.label is Label.SUPPORTED for result in results for verdict in result.verdicts]
    assert found.level == "claim"
    assert len(found.units) == 240
    values = {name: estimate.value for name, estimate in found.figures.items()}
    assert values["balanced_accuracy"] == pytest.approx(metrics.balanced_accuracy_score(truth, passed))
    assert values["auroc"] == pytest.approx(metrics.roc_auc_score(truth, support))
    assert values["kappa"] == pytest.approx(metrics.cohen_kappa_score(truth, passed))
    for estimate in found.figures.values():
        assert estimate.low is not None
        assert estimate.value is not None
        assert estimate.high is not None
        assert estimate.low <= estimate.value <= estimate.high
    json.dumps(found.as_dict())


def test_disagreements_come_worst_first() -> None:
    results = judged(answers(60))
    (found,) = measure(results, labelled(results))
    errors = [unit.error for unit in found.disagreements]
    assert errors == sorted(errors, reverse=True)
    assert len(errors) == sum(unit.good != unit.passed for unit in found.units) > 0


def test_answers_are_as_good_as_their_worst_claim() -> None:
    results = judged(answers(60))
    labels = [HumanLabel(sample=r.sample.id, label="not_supported" if "false" in r.sample.answer else "supported")
              for r in results]  # fmt: skip
    (found,) = measure(results, labels)
    assert found.level == "answer"
    for unit in found.units:
        assert unit.support == min(verdict.support or 0 for verdict in unit.result.verdicts)
        assert unit.passed == all(verdict.label is Label.SUPPORTED for verdict in unit.result.verdicts)


def verdict(text: str, start: int, label: Label, gaps: tuple[tuple[int, int], ...] = ()) -> Verdict:
    claim = Claim(text=text, start=start, end=start + len(text))
    return Verdict(claim=claim, label=label, support=0.5, gaps=gaps, origin=Origin(verifier="v"))


def test_marked_spans_give_answer_claim_and_span_figures() -> None:
    answer = "It is red. It is two metres tall."
    outcomes = (
        verdict("It is red.", 0, Label.SUPPORTED),
        verdict("It is two metres tall.", 11, Label.CONTRADICTED, gaps=((6, 9),)),
    )
    result = Result(sample=Sample(id="a", answer=answer, contexts=["x"]), outcomes=outcomes, signature="s")
    assert unfaithful_parts(result) == [(17, 20)]
    label = HumanLabel.model_validate({"sample": "a", "spans": [[17, 27]]})
    claims, whole = measure([result], [label])
    assert [(unit.people, unit.judge) for unit in claims.units] == [
        ("supported", "supported"),
        ("not_supported", "contradicted"),
    ]
    assert whole.units[0].passed is whole.units[0].good is False
    assert whole.figures["span_f1"].value == pytest.approx(2 * 3 / (2 * 3 + 7))


def test_what_cannot_be_set_against_people_is_counted() -> None:
    claim = Claim(text="It is.", start=0, end=6)
    failed = Result(
        sample=Sample(id="a", answer="It is.", contexts=["x"]),
        outcomes=(Failure(claim=claim, kind="timeout", message="late"),),
        signature="s",
    )
    good = Result(
        sample=Sample(id="b", answer="It is.", contexts=["x"]),
        outcomes=(verdict("It is.", 0, Label.SUPPORTED),),
        signature="s",
    )
    labels = [HumanLabel(sample=name, claim="It is.", label="supported") for name in ("a", "b", "gone")]
    labels.append(HumanLabel(sample="b", claim="It was.", label="unclear"))
    (found,) = measure([failed, good], labels)
    assert (len(found.units), found.unmatched, found.unjudged, found.split) == (1, 1, 1, 1)


def test_a_judge_without_probabilities_has_no_auroc() -> None:
    results = [
        result.model_copy(update={"outcomes": tuple(v.model_copy(update={"support": None}) for v in result.verdicts)})
        for result in judged(answers(20))
    ]
    (found,) = measure(results, labelled(results))
    assert "auroc" not in found.figures
    assert found.reliability == found.roc == []
    assert found.figures["balanced_accuracy"].value is not None


def test_two_judges_of_the_same_claims_are_compared_in_pairs() -> None:
    samples = answers(80)
    labels = labelled(judged(samples))
    (sharp,) = measure(judged(samples, Erring(spread=0.05)), labels)
    (dull,) = measure(judged(samples, Erring(spread=0.6)), labels)
    ahead = difference(dull, sharp, "balanced_accuracy")
    values = [item.figures["balanced_accuracy"].value for item in (dull, sharp)]
    assert ahead.value == pytest.approx((values[0] or 0) - (values[1] or 0))
    same = difference(sharp, sharp)
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_kappa_between_people_is_scikit_learns() -> None:
    results = judged(answers(30))
    ana, ben = labelled(results), labelled(results, by="ben")
    rng = np.random.default_rng(0)
    flipped = [
        label.model_copy(update={"label": "supported" if label.label != "supported" else "contradicted"})
        if rng.random() < 0.2
        else label
        for label in ben
    ]
    ((pair, (count, kappa)),) = people_kappa([*ana, *flipped]).items()
    words = [[label.label == "supported" for label in labels] for labels in (ana, flipped)]
    assert (pair, count) == (("ana", "ben"), 120)
    assert kappa.value == pytest.approx(metrics.cohen_kappa_score(*words))
