"""People of other systems find the calls they know; every example of those systems' documents runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel, ValidationError
from support.llm_server import Faults, LLMServer
from support.tiny_models import hhem_folder

from faithmeter import Label, UsageError
from faithmeter.compat import Faithfulness, FaithfulnesswithHHEM, rag_evals, ragaliq, ragas
from faithmeter.compat.clients import Unjudged
from faithmeter.llm.wrapped import given

EINSTEIN = (
    "Albert Einstein (born 14 March 1879) was a German-born theoretical physicist, widely held to be one of the "
    "greatest and most influential scientists of all time"
)
QUESTION = "Where and when was Einstein born?"
FOOTBALL = (
    "The First AFL–NFL World Championship Game was an American football game played on January 15, 1967, at the "
    "Los Angeles Memorial Coliseum in Los Angeles."
)
EXERCISE = [
    "Regular exercise improves cardiovascular health.",
    "Strength training increases muscle mass.",
]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with LLMServer() as running:
        yield running


# --- ragas ------------------------------------------------------------------------------------------


async def test_ragas_einstein_with_the_embedded_verifier() -> None:
    scorer = ragas.Faithfulness()
    high = ragas.SingleTurnSample(
        user_input=QUESTION,
        response="Einstein was born in Germany. Einstein was born on 14th March 1879.",
        retrieved_contexts=[EINSTEIN],
    )
    low = high.model_copy(update={"response": "Einstein was born in Germany. Einstein was born on 20th March 1879."})
    assert await scorer.single_turn_ascore(high) == 1.0
    assert await scorer.single_turn_ascore(low) == 0.5


async def test_ragas_super_bowl() -> None:
    """The context does not call the game a super bowl: whoever says it was on that day is believed more, at least."""
    sample = ragas.SingleTurnSample(
        user_input="When was the first super bowl?",
        response="The first superbowl was held on Jan 15, 1967",
        retrieved_contexts=[FOOTBALL],
    )
    other = sample.model_copy(update={"response": "The first superbowl was held on May 25, 1971"})
    (right,) = (await ragas.Faithfulness().result(sample)).verdicts
    (wrong,) = (await ragas.Faithfulness().result(other)).verdicts
    assert right.evidence[0].quote in FOOTBALL
    assert right.support is not None
    assert wrong.support is not None
    assert right.support > wrong.support
    assert wrong.label is not Label.SUPPORTED


async def test_ragas_asks_an_llm_twice(server: LLMServer) -> None:
    scorer = ragas.Faithfulness(llm=f"openai:stub@{server.url}")
    sample = {"user_input": "?", "response": f"{EXERCISE[0]} Cats sleep a lot.", "retrieved_contexts": EXERCISE}
    assert await scorer.single_turn_ascore(sample) == 0.5
    assert len(server.requests) == 2
    assert ragas.Faithfulness(llm=f"openai:stub@{server.url}").single_turn_score(sample) == 0.5


async def test_ragas_no_claims_is_nan() -> None:
    sample = ragas.SingleTurnSample(response="", retrieved_contexts=["c"], reference="ignored")
    assert math.isnan(await ragas.Faithfulness().single_turn_ascore(sample))


async def test_ragas_sentence_cache_asks_once_for_what_says_the_same(server: LLMServer) -> None:
    cache = ragas.SentenceEvaluatorSemanticCache(similarity_threshold=0.8)
    scorer = ragas.Faithfulness(llm=f"openai:stub@{server.url}", sentence_cache=cache)
    first = {"response": "Regular exercise improves cardiovascular health.", "retrieved_contexts": EXERCISE}
    again = {**first, "response": "Regular exercise improves the cardiovascular health."}
    assert await scorer.single_turn_ascore(first) == 1.0
    verdict = (await scorer.result(again)).verdicts[0]
    assert (verdict.label, verdict.origin.cache) == (Label.SUPPORTED, "semantic")
    assert verdict.origin.matched == first["response"]


async def test_ragas_global_cache_is_set_by_the_environment(
    server: LLMServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FAITHMETER_SEMANTIC_CACHE", "on")
    monkeypatch.setenv("FAITHMETER_CACHE", str(tmp_path / "verdicts.sqlite"))
    sample = {"response": EXERCISE[0], "retrieved_contexts": EXERCISE}
    for expected in (None, "exact"):
        result = await ragas.Faithfulness(llm=f"openai:stub@{server.url}").result(sample)
        assert result.verdicts[0].origin.cache == expected


async def test_ragas_with_hhem(tmp_path: Path) -> None:
    folder, _ = hhem_folder(tmp_path)
    scorer = FaithfulnesswithHHEM(device="cpu", batch_size=2, model=str(folder))
    result = await scorer.result({"response": " ".join(EXERCISE), "retrieved_contexts": EXERCISE})
    assert [verdict.origin.verifier for verdict in result.verdicts] == ["hhem", "hhem"]
    assert await scorer.single_turn_ascore({"response": EXERCISE[0], "retrieved_contexts": EXERCISE}) in (0.0, 1.0)


# --- rag_evals --------------------------------------------------------------------------------------


def test_rag_evals_exercise(server: LLMServer) -> None:
    result = rag_evals.Faithfulness.grade(
        question="What are the benefits of exercise?",
        answer=" ".join(EXERCISE),
        context=EXERCISE,
        client=f"openai:stub@{server.url}",
    )
    assert isinstance(result, rag_evals.FaithfulnessResult)
    assert result.score == 1.0
    assert [statement.supporting_chunk_ids for statement in result.statements] == [[0], [1]]
    assert len(server.requests) == 1  # one call does it all


async def test_rag_evals_unsupported_statements_have_no_chunks(server: LLMServer) -> None:
    result = await rag_evals.Faithfulness.agrade(
        question="?", answer=f"{EXERCISE[0]} Cats sleep a lot.", context=EXERCISE, client=f"openai:stub@{server.url}"
    )
    assert [(item.is_supported, item.supporting_chunk_ids) for item in result.statements] == [
        (True, [0]),
        (False, None),
    ]
    assert result.score == 0.5


def test_rag_evals_own_prompt_and_response_model(server: LLMServer) -> None:
    class Mine(BaseModel):
        statements: list[rag_evals.StatementEvaluation]

    own = rag_evals.ContextEvaluation(prompt="Judge as a pirate would.", response_model=Mine)
    graded = own.grade(question="?", answer=EXERCISE[0], context=EXERCISE, client=f"openai:stub@{server.url}")
    assert isinstance(graded, Mine)
    assert "Judge as a pirate would." in server.requests[0].system
    assert own.prompt != rag_evals.Faithfulness.prompt


def test_rag_evals_without_statements_scores_zero(server: LLMServer) -> None:
    result = rag_evals.Faithfulness.grade(question="?", answer="", context=["c"], client=f"openai:stub@{server.url}")
    assert (result.statements, result.score) == ([], 0.0)


def test_rag_evals_works_offline_with_a_verifier_of_ours() -> None:
    result = rag_evals.Faithfulness.grade(question="?", answer=EXERCISE[0], context=EXERCISE, client="lexical")
    assert (result.score, result.statements[0].supporting_chunk_ids) == (1.0, [0])


# --- RagaliQ ----------------------------------------------------------------------------------------


class Judge:
    """A judge of RagaliQ's kind, with its answers written down."""

    def __init__(self, **verdicts: str) -> None:
        self.verdicts = verdicts

    async def extract_claims(self, response: str) -> ragaliq.ClaimsResult:
        return ragaliq.ClaimsResult(claims=list(self.verdicts), tokens_used=10)

    async def verify_claim(self, claim: str, context: list[str]) -> ragaliq.ClaimVerdict:
        return ragaliq.ClaimVerdict(verdict=self.verdicts[claim], evidence="Paris is in France", tokens_used=5)


CASE = ragaliq.RAGTestCase(query="Where is Paris?", context=["Paris is in France."], response="Paris. France.")


@pytest.mark.parametrize(
    ("verdicts", "score"),
    [
        ({"a": "SUPPORTED", "b": "SUPPORTED"}, 1.0),
        ({"a": "SUPPORTED", "b": "CONTRADICTED"}, 0.5),
        ({"a": "NOT_ENOUGH_INFO", "b": "CONTRADICTED"}, 0.0),
        ({"a": "supported"}, 1.0),
        ({}, 1.0),
    ],
)
async def test_ragaliq_acceptance_table(verdicts: dict[str, str], score: float) -> None:
    result = await ragaliq.FaithfulnessEvaluator(threshold=0.7).evaluate(CASE, Judge(**verdicts))
    assert (result.score, result.passed) == (score, score >= 0.7)
    claims = result.raw_response["claims"]
    assert [claim["claim"] for claim in claims] == list(verdicts)
    assert all(claim["evidence"] == "Paris is in France" for claim in claims)
    assert result.tokens_used == 10 + 5 * len(verdicts)
    assert result.reasoning


@pytest.mark.parametrize("response", ["", "  \n"])
async def test_ragaliq_blank_answers_are_vacuously_faithful(response: str) -> None:
    case = CASE.model_copy(update={"response": response})
    result = await ragaliq.FaithfulnessEvaluator().evaluate(case, Judge(a="CONTRADICTED"))
    assert (result.score, result.raw_response["total_claims"]) == (1.0, 0)


async def test_ragaliq_empty_context_is_not_enough_info() -> None:
    case = CASE.model_copy(update={"context": []})
    result = await ragaliq.FaithfulnessEvaluator().evaluate(case, Judge(a="SUPPORTED"))
    assert [claim["verdict"] for claim in result.raw_response["claims"]] == ["NOT_ENOUGH_INFO"]


async def test_ragaliq_a_verdict_off_the_menu_is_an_error() -> None:
    with pytest.raises(ValidationError):
        ragaliq.ClaimVerdict(verdict="MAYBE")
    with pytest.raises(Unjudged, match="1 of 1 claims not judged"):
        await ragaliq.FaithfulnessEvaluator().evaluate(CASE, Judge(a="MAYBE"))


async def test_ragaliq_takes_our_verifiers_as_judges() -> None:
    case = SimpleNamespace(query="?", response="Paris is in France.", context=["Paris is in France."])
    assert (await ragaliq.FaithfulnessEvaluator().evaluate(case, "lexical")).passed


# --- who judges -------------------------------------------------------------------------------------


def test_clients_of_the_sdks_are_understood() -> None:
    client = OpenAI(api_key="k", base_url="http://127.0.0.1:9/v1")
    assert given("openai/gpt-5").spec == "openai:gpt-5"
    assert given("openai:gpt-5?votes=3").spec == "openai:gpt-5?votes=3"
    wrapped = SimpleNamespace(client=AsyncOpenAI(api_key="k"), kwargs={"model": "gpt-5"})
    assert given(wrapped).spec == "openai:gpt-5@https://api.openai.com/v1"
    assert given(SimpleNamespace(client=client, model="m")).spec == "openai:m@http://127.0.0.1:9/v1"
    for unknown in (client, object(), SimpleNamespace(model="m")):
        with pytest.raises(UsageError, match="pass a string such as 'openai:MODEL'"):
            given(unknown)


def test_an_sdk_client_judges(server: LLMServer) -> None:
    client = SimpleNamespace(client=OpenAI(api_key="k", base_url=server.url), model="stub")
    result = rag_evals.Faithfulness.grade(question="?", answer=EXERCISE[0], context=EXERCISE, client=client)
    assert result.score == 1.0


def test_what_could_not_be_judged_raises_and_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with LLMServer(faults=Faults(refused=1.0)) as refusing, pytest.raises(Unjudged, match="not judged: refused"):
        rag_evals.Faithfulness.grade(
            question="?", answer=EXERCISE[0], context=EXERCISE, client=f"openai:stub@{refusing.url}"
        )


async def test_one_name_serves_ragas_and_rag_evals() -> None:
    assert (
        await Faithfulness(llm="lexical").single_turn_ascore({"response": EXERCISE[0], "retrieved_contexts": EXERCISE})
        == 1
    )
    assert Faithfulness.grade(question="?", answer=EXERCISE[0], context=EXERCISE, client="lexical").score == 1.0
    graded = await Faithfulness.agrade(question="?", answer=EXERCISE[0], context=EXERCISE, client="lexical")
    assert graded.score == 1.0
    assert Faithfulness.prompt == rag_evals.Faithfulness.prompt


def test_compat_stays_thin() -> None:
    folder = Path(ragas.__file__).parent
    assert sum(len(path.read_text("utf-8").splitlines()) for path in folder.glob("*.py")) < 900
