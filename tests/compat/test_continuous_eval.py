"""The call that users of continuous-eval know, and its numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from faithmeter import UsageError
from faithmeter.compat import DeterministicFaithfulness
from faithmeter.compat.continuous_eval import nltk_tokens

# The example of continuous-eval's documentation.
CONTEXTS = ["William Shakespeare is the author of 'Romeo and Juliet'."]
ANSWER = "William Shakespeare wrote 'Romeo and Juliet'. He is born in Ireland"
DOCUMENTED = {
    "rouge_faithfulness": 0.5,
    "token_overlap_faithfulness": 0.5,
    "bleu_faithfulness": 0.37023896751607194,
    "rouge_p_by_sentence": [0.8333333333333334, 0.2],
    "token_overlap_p_by_sentence": [0.875, 0.2],
    "bleu_score_by_sentence": [0.6855956729300113, 0.05488226210213251],
}


def same(scores: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    pairs = [
        (one, other)
        for name in expected
        for one, other in (
            zip(scores[name], expected[name], strict=True)
            if isinstance(expected[name], list)
            else [(scores[name], expected[name])]
        )
    ]
    return scores.keys() == expected.keys() and all(math.isclose(one, other, abs_tol=1e-9) for one, other in pairs)


def test_the_documented_example_comes_out_exactly() -> None:
    assert DeterministicFaithfulness().calculate(answer=ANSWER, retrieved_contexts=CONTEXTS) == DOCUMENTED


def test_the_releases_count_tokens_differently() -> None:
    scores = DeterministicFaithfulness(tokens="0.3").compute(answer=ANSWER, retrieved_context=CONTEXTS)
    assert scores == DOCUMENTED | {"token_overlap_p_by_sentence": [0.8, 0.0]}
    with pytest.raises(UsageError, match=r"0\.2, 0\.3, found '1'"):
        DeterministicFaithfulness(tokens="1")  # type: ignore[arg-type]


def test_a_whole_row_can_be_passed() -> None:
    row = {"question": "Who?", "answer": ANSWER, "retrieved_contexts": CONTEXTS[0], "ground_truths": ["He."]}
    assert DeterministicFaithfulness().calculate(**row) == DOCUMENTED  # type: ignore[arg-type]


def test_thresholds_decide_the_shares() -> None:
    strict = DeterministicFaithfulness(rouge_precision_threshold=0.9, token_overlap_precision_threshold=0.2)
    scores = strict.calculate(ANSWER, CONTEXTS)
    assert (scores["rouge_faithfulness"], scores["token_overlap_faithfulness"]) == (0.0, 1.0)


def test_a_splitter_cuts_the_answer_and_the_contexts() -> None:
    seen = []

    def whole(text: str) -> list[str]:
        seen.append(text)
        return [text]

    scores = DeterministicFaithfulness(splitter=whole).calculate(ANSWER, CONTEXTS)
    assert len(scores["rouge_p_by_sentence"]) == 1
    assert {ANSWER, CONTEXTS[0]} <= set(seen)


@pytest.mark.parametrize("answer", ["", " \n"])
def test_an_answer_without_sentences_scores_what_the_user_says(answer: str) -> None:
    assert DeterministicFaithfulness().calculate(answer, CONTEXTS)["bleu_faithfulness"] == 1.0
    scores = DeterministicFaithfulness(empty=0.0).calculate(answer, CONTEXTS)
    assert [score for score in scores.values() if score != []] == [0.0, 0.0, 0.0]


def test_no_contexts_support_nothing() -> None:
    scores = DeterministicFaithfulness().calculate(ANSWER, [])
    assert [scores[f"{name}_faithfulness"] for name in ("rouge", "token_overlap", "bleu")] == [0, 0, 0]  # type: ignore[literal-required]


@pytest.fixture(scope="module")
def golden(shared_data: Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((shared_data / "golden" / "overlap.json").read_text("utf-8"))
    return cases


def test_given_its_sentences_every_golden_answer_comes_out(golden: list[dict[str, Any]]) -> None:
    for case in golden:

        def punkt(text: str, case: dict[str, Any] = case) -> list[str]:
            return case["sentences"] if text == case["answer"] else nltk_tokens.punkt_sentences(text)

        metric = DeterministicFaithfulness(splitter=punkt, tokens="0.3")
        assert same(metric.calculate(case["answer"], case["contexts"]), case["continuous_eval_0_3"])


def test_without_them_nearly_every_golden_answer_does(golden: list[dict[str, Any]]) -> None:
    metric = DeterministicFaithfulness(tokens="0.3")
    right = [
        same(metric.calculate(case["answer"], case["contexts"]), case["continuous_eval_0_3"])
        for case in golden
        if len(nltk_tokens.punkt_sentences(case["answer"])) == len(case["sentences"])
    ]
    assert sum(right) / len(golden) >= 0.95
