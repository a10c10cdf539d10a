"""The words: frozen, strict, verbatim, and the same after a trip through JSON."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from faithmeter import (
    Claim,
    Context,
    CorpusPassage,
    Evidence,
    Failure,
    Label,
    Origin,
    Result,
    Sample,
    Usage,
    Verdict,
)
from faithmeter.datamodels import Blame, Kind

texts = st.text(max_size=40)
origins = st.builds(Origin, verifier=texts, cache=st.sampled_from([None, "exact", "semantic"]))


@st.composite
def results(draw: st.DrawFn) -> Result:
    contexts = tuple(draw(st.lists(st.text(min_size=1, max_size=30), max_size=3)))
    sample = Sample(answer=draw(texts), contexts=contexts, question=draw(st.none() | texts))
    outcomes = []
    for _ in range(draw(st.integers(0, 4))):
        claim = Claim(text=draw(texts), start=0, end=draw(st.integers(0, 9)))
        if draw(st.booleans()):
            outcomes.append(Failure(claim=claim, kind="timeout", message=draw(texts)))
            continue
        evidence = ()
        if contexts:
            index = draw(st.integers(0, len(contexts) - 1))
            evidence = (Evidence.of(sample.contexts, index, 0, draw(st.integers(1, len(contexts[index])))),)
        support = draw(st.none() | st.floats(0, 1))
        label = draw(st.sampled_from(list(Label)))
        why = {
            "kind": draw(st.sampled_from([None, *get_args(Kind)])),
            "blame": draw(st.sampled_from([None, *get_args(Blame)])),
            "in_corpus": draw(st.none() | st.builds(CorpusPassage, document=texts, quote=texts)),
        }
        outcomes.append(
            Verdict(claim=claim, label=label, support=support, evidence=evidence, origin=draw(origins), **why)
        )
    return Result(sample=sample, outcomes=tuple(outcomes), signature="test", usage=Usage(calls=draw(st.integers(0, 9))))


@given(results())
def test_a_result_survives_json_with_its_derived_numbers(result: Result) -> None:
    text = result.model_dump_json()
    assert Result.model_validate_json(text) == result
    assert Result.model_validate_json(text).model_dump_json() == text
    assert {"score", "status", "coverage", "bounds"} <= json.loads(text).keys()


@given(results())
def test_coverage_and_bounds_hold_the_score(result: Result) -> None:
    assert 0 <= result.coverage <= 1
    assert len(result.verdicts) + len(result.failures) == len(result.outcomes)
    if result.score is not None and result.bounds is not None:
        assert result.bounds[0] <= result.score <= result.bounds[1]


@given(results())
def test_every_result_can_show_itself(result: Result) -> None:
    assert "score" in repr(result)
    assert result._repr_html_().startswith("<div>")


def test_a_results_file_from_before_kinds_and_blame_is_read() -> None:
    verdict = Verdict(
        claim=Claim(text="It is red.", start=0, end=10), label=Label.CONTRADICTED, origin=Origin(verifier="mine")
    )
    result = Result(sample=Sample(answer="It is red.", contexts=("It is blue.",)), outcomes=(verdict,), signature="x")
    written = json.loads(result.model_dump_json())
    for name in ("conflicts", "kind", "blame", "in_corpus"):
        assert written["outcomes"][0].pop(name) in (None, [])
    assert Result.model_validate(written) == result


def test_a_kind_or_blame_off_the_menu_is_refused() -> None:
    claim, origin = Claim(text="It is red.", start=0, end=10), Origin(verifier="mine")
    for name in ("kind", "blame"):
        with pytest.raises(ValidationError, match=name):
            Verdict.model_validate({"claim": claim, "label": "contradicted", "origin": origin, name: "colour"})


def test_values_are_frozen_and_strict() -> None:
    sample = Sample(answer="a", contexts=["c"])
    with pytest.raises(ValidationError):
        sample.answer = "b"
    with pytest.raises(ValidationError, match="Extra inputs"):
        Sample(answer="a", contexts=["c"], respones="typo")
    with pytest.raises(ValidationError):
        Sample(answer="a", contexts=[3])
    with pytest.raises(ValidationError):
        Sample(answer=None, contexts=[])


def test_contexts_may_be_strings_or_objects_or_one_string() -> None:
    assert Sample(answer="a", contexts="one").contexts == (Context(text="one"),)
    assert Sample(answer="a", contexts=["one", {"id": "p2", "text": "two"}]).contexts == (
        Context(text="one"),
        Context(text="two", id="p2"),
    )


def test_an_id_is_derived_from_the_content() -> None:
    first, second = Sample(answer="a", contexts=["c"]), Sample(answer="a", contexts=["c"], metadata={"run": 2})
    assert first.id == second.id != Sample(answer="a", contexts=["c", ""]).id
    assert Sample(answer="a", contexts=["c"], id="mine").id == "mine"
    assert Sample(answer="a", contexts=["bc"]).id != Sample(answer="ab", contexts=["c"]).id


def test_lone_surrogates_are_replaced_one_for_one() -> None:
    sample = Sample(answer="a\ud800b", contexts=["x\udfffy"])
    assert (sample.answer, sample.contexts[0].text) == ("a\ufffdb", "x\ufffdy")
    assert Sample.model_validate_json(sample.model_dump_json()) == sample


@pytest.mark.parametrize("word", ["supported", "SUPPORTED", " Supported ", "Not Enough Info", "not-enough-info"])
def test_labels_are_read_in_any_case(word: str) -> None:
    assert Label(word) in Label


@pytest.mark.parametrize("word", ["yes", "idk", "", "support", None, 1])
def test_a_label_off_the_menu_is_an_error(word: object) -> None:
    with pytest.raises(ValueError, match="is not a valid Label"):
        Label(word)


def test_evidence_must_be_verbatim() -> None:
    sample = Sample(answer="The sky is blue.", contexts=["The sky is blue today."])
    claim = Claim(text="The sky is blue.", start=0, end=16)
    good = Evidence.of(sample.contexts, 0, 4, 15)
    assert good.quote == "sky is blue"
    for bad in (
        good.model_copy(update={"quote": "sky was red"}),
        good.model_copy(update={"context": 1}),
        good.model_copy(update={"start": 15, "end": 15, "quote": ""}),
    ):
        assert not bad.holds_in(sample.contexts)
        verdict = Verdict(claim=claim, label=Label.SUPPORTED, evidence=(bad,), origin=Origin(verifier="t"))
        with pytest.raises(ValidationError, match="evidence is not verbatim"):
            Result(sample=sample, outcomes=(verdict,), signature="t")


def test_usage_adds_up_and_does_not_invent_a_price() -> None:
    priced, unknown = Usage(calls=1, cost=0.25, seconds=1.0), Usage(calls=2, prompt_tokens=7)
    assert (priced + unknown) == Usage(calls=3, prompt_tokens=7, cost=0.25, seconds=1.0)
    assert (unknown + unknown).cost is None
