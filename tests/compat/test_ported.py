"""What the peers' own tests of faithfulness assert, asked of our calls under their names.

Theirs were read, and written anew. The table of docs/guides/your-framework.md counts them; what differs on purpose
is a test as well (`differs`).
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from faithmeter import check
from faithmeter.compat import (
    ClaimsResult,
    ClaimVerdict,
    DeterministicFaithfulness,
    EvaluationResult,
    FaithfulnessEvaluator,
    RAGTestCase,
    ragas,
)
from faithmeter.compat.deepeval import FaithfulnessMetric
from faithmeter.compat.ragaliq import JudgeResponseError
from faithmeter.scoring import PROFILES

# --- RagaliQ: tests/unit/test_faithfulness_evaluator.py, 23 tests; tests/meta/golden/faithfulness_cases.yaml, 5 cases

CASE = RAGTestCase(
    id="1",
    name="capital",
    query="What is the capital of France?",
    context=["France lies in Western Europe.", "Its capital city is Paris."],
    response="Paris is the capital of France.",
)


class Judge:
    """Verdicts written down; counts what it is asked."""

    def __init__(self, *verdicts: str | Exception, tokens: int = 5, extracts: Exception | None = None) -> None:
        self.verdicts, self.tokens, self.extracts, self.asked = verdicts, tokens, extracts, 0

    async def extract_claims(self, response: str) -> ClaimsResult:
        if self.extracts:
            raise self.extracts
        return ClaimsResult(claims=[f"Claim {place}" for place in range(len(self.verdicts))], tokens_used=10)

    async def verify_claim(self, claim: str, context: list[str]) -> ClaimVerdict:
        self.asked += 1
        verdict = self.verdicts[int(claim.split()[1])]
        if isinstance(verdict, Exception):
            raise verdict
        return ClaimVerdict.model_validate({"verdict": verdict, "evidence": "as said", "tokens_used": self.tokens})


async def ragaliq(*verdicts: str, **options: Any) -> EvaluationResult:
    return await FaithfulnessEvaluator(**options).evaluate(CASE, Judge(*verdicts))


def test_ragaliq_name_description_thresholds_and_repr() -> None:  # 5 of theirs
    metric = FaithfulnessEvaluator()
    assert (metric.name, metric.threshold) == ("faithfulness", 0.7)
    assert len(metric.description) > 10
    assert FaithfulnessEvaluator(threshold=0.9).threshold == 0.9
    shown = repr(FaithfulnessEvaluator(threshold=0.8))
    assert "FaithfulnessEvaluator" in shown
    assert "0.8" in shown


S, C, N = "SUPPORTED", "CONTRADICTED", "NOT_ENOUGH_INFO"


@pytest.mark.parametrize(
    ("verdicts", "score"),
    [
        ((S, S), 1.0),
        ((S, N), 0.5),
        ((N, N), 0.0),
        ((C,), 0.0),
        ((N,), 0.0),
        ((S, S, C, N), 0.5),
        ((S,), 1.0),
        ((S,) * 5 + (N,) * 2, 5 / 7),
        ((S,) * 7 + (N,) * 3, 0.7),
    ],
    ids=lambda value: "".join(word[0] for word in value) if isinstance(value, tuple) else None,
)
async def test_ragaliq_scores(verdicts: tuple[str, ...], score: float) -> None:  # 10 of theirs
    result = await ragaliq(*verdicts)
    assert result.score == pytest.approx(score, abs=1e-9)
    assert result.passed is (score >= 0.7)
    assert result.tokens_used == 10 + 5 * len(verdicts)
    assert (await ragaliq(*verdicts, threshold=0.8)).passed is (score >= 0.8)


async def test_ragaliq_claims_and_counts_and_words() -> None:  # 5 of theirs
    result = await ragaliq(S, S, N)
    assert isinstance(result, EvaluationResult)
    assert result.evaluator_name == "faithfulness"
    first = result.raw_response["claims"][0]
    assert (first["claim"], first["verdict"], first["evidence"]) == ("Claim 0", S, "as said")
    assert (result.raw_response["total_claims"], result.raw_response["supported_claims"]) == (3, 2)
    assert "2" in result.reasoning
    assert "3" in result.reasoning


async def test_ragaliq_what_a_judge_cannot_read_is_its_error() -> None:  # 1 of theirs
    with pytest.raises(JudgeResponseError, match="no JSON in it"):
        await FaithfulnessEvaluator().evaluate(CASE, Judge(JudgeResponseError("no JSON in it")))


async def test_ragaliq_differs_an_api_error_is_the_same_error_with_its_message() -> None:  # 1 of theirs
    with pytest.raises(JudgeResponseError, match="rate limit"):
        await FaithfulnessEvaluator().evaluate(CASE, Judge(S, extracts=RuntimeError("rate limit")))


async def test_ragaliq_differs_no_claims_is_faithful_unless_told_otherwise() -> None:  # 1 of theirs
    judge = Judge()
    assert (await FaithfulnessEvaluator().evaluate(CASE, judge)).score == 1.0
    as_theirs = FaithfulnessEvaluator(scoring=PROFILES["ragaliq"].revised(no_claims=0.0))
    result = await as_theirs.evaluate(CASE, judge)
    assert (result.score, result.passed, result.tokens_used, judge.asked) == (0.0, False, 10, 0)


GOLDEN = [  # an answer, its contexts, how much is faithful: by their label, by sentences, by clauses
    ("The capital of France is Paris.", ["The capital city of France is Paris."], "all", "all", "all"),
    (
        "Paris is the capital of France and was founded by Julius Caesar in 50 BC.",
        ["Paris is the capital of France.", "Paris sits on the Seine river."],
        "some",
        "none",
        "some",
    ),
    (
        "Water boils at 350 degrees and is primarily composed of helium.",
        ["Water is a chemical compound with the formula H2O."],
        "none",
        "none",
        "none",
    ),
    (
        "Mercury is closest to the Sun, Venus is the hottest planet, and Earth is third from the Sun.",
        [
            "Mercury is the closest planet to the Sun.",
            "Venus is the hottest planet due to its dense atmosphere.",
            "Earth is the third planet from the Sun.",
        ],
        "all",
        "all",
        "all",
    ),
    (
        "The pancreas sits behind the stomach, aids digestion, and is the largest organ in the body.",
        ["The pancreas is an organ behind the stomach.", "It plays a role in digestion."],
        "some",
        "none",
        "none",
    ),
]


@pytest.mark.parametrize(("answer", "contexts", "theirs", "sentences", "clauses"), GOLDEN, ids=lambda value: None)
def test_ragaliq_golden_classes_by_the_embedded_verifier(
    answer: str, contexts: list[str], theirs: str, sentences: str, clauses: str
) -> None:
    """A sentence with one false part is one false claim where it is not cut: never more faithful than they say."""
    found = {}
    for extractor in ("sentences", "clauses"):
        score = check(answer, contexts, extractor=extractor).score
        found[extractor] = "all" if score == 1.0 else "some" if score else "none"
    assert found == {"sentences": sentences, "clauses": clauses}
    order = ("none", "some", "all")
    assert order.index(clauses) <= order.index(theirs)


# --- ragas: tests/e2e/metrics_migration/test_faithfulness_migration.py, 4 tests

EINSTEIN = "Albert Einstein (born 14 March 1879) was a German-born theoretical physicist."
ROWS = [
    ("Where was Einstein born?", "Einstein was born in Germany on 14th March 1879.", [EINSTEIN]),
    ("Where was Einstein born?", "Einstein was born in Germany on 20th March 1879.", [EINSTEIN]),
    (
        "What is photosynthesis?",
        "Photosynthesis is how plants make energy and produce oxygen.",
        ["In photosynthesis, plants convert sunlight into energy.", "Plants then produce oxygen as a byproduct."],
    ),
]


async def test_ragas_both_calls_give_the_same_number() -> None:
    for asked, answer, contexts in ROWS:
        row = {"user_input": asked, "response": answer, "retrieved_contexts": contexts}
        older = await ragas.Faithfulness().single_turn_ascore(ragas.SingleTurnSample.model_validate(row))
        newer = await ragas.Faithfulness().ascore(**row)
        assert older == newer.value
        assert 0.0 <= older <= 1.0


async def test_ragas_the_right_capital_scores_higher() -> None:
    contexts = ["Paris is the capital and largest city of France."]
    ask = {"user_input": "What is the capital of France?", "retrieved_contexts": contexts}
    right = await ragas.Faithfulness().ascore(**ask, response="The capital of France is Paris.")
    wrong = await ragas.Faithfulness().ascore(**ask, response="The capital of France is London.")
    assert (right.value, wrong.value) == (1.0, 0.0)


async def test_ragas_differs_what_is_empty_has_a_status_instead_of_an_error() -> None:
    score = ragas.Faithfulness().ascore
    empty = await score(user_input="What is AI?", response="", retrieved_contexts=["AI is short for a long word."])
    assert math.isnan(empty.value)
    assert empty.result.status == "no_claims"
    row = {"user_input": "", "response": "AI is smart.", "retrieved_contexts": []}
    assert (await score(**row)).value == 0.0  # nothing to go by: nothing is supported


def test_ragas_differs_a_model_may_be_named_by_a_string() -> None:
    assert ragas.Faithfulness(llm="lexical").llm == "lexical"
    assert ragas.Faithfulness(llm=None).llm is None


# --- continuous-eval: tests/generation_metrics_test.py, 2 tests of faithfulness; the other needs an LLM


def test_continuous_eval_one_word() -> None:
    metric = DeterministicFaithfulness(tokens="0.3")
    row = {
        "question": "What is the capital of France?",
        "answer": "Paris",
        "retrieved_context": ["Paris is the largest city in France.", "Lyon is a major city in France."],
        "ground_truth_answers": ["Paris"],
    }
    found = metric(**row)  # type: ignore[arg-type]
    assert (found["rouge_p_by_sentence"], found["token_overlap_p_by_sentence"]) == ([1.0], [1.0])
    assert (found["rouge_faithfulness"], found["token_overlap_faithfulness"]) == (1.0, 1.0)
    assert found["bleu_score_by_sentence"] == [pytest.approx(3.3720152341391845e-06, rel=1e-6)]
    assert set(metric.schema) == set(found)
    assert all(isinstance(value, metric.schema[name]) for name, value in found.items())


# --- DeepEval: tests/test_metrics/test_faithfulness_metric.py, 7 tests, 3 without images; `evaluate` is in tests/peers


@pytest.mark.parametrize("async_mode", [True, False])
def test_deepeval_a_refund_has_a_score_and_a_reason(async_mode: bool) -> None:
    refund = "All customers are eligible for a 30 day full refund at no extra cost."
    row = {"input": "What if these shoes don't fit?", "actual_output": refund, "retrieval_context": [refund]}
    metric = FaithfulnessMetric(async_mode=async_mode)
    assert metric.measure(row | {"context": ["the ideal"], "expected_output": "?"}) == 1.0
    assert metric.reason
    assert metric.is_successful()
