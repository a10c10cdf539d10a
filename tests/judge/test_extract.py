"""Claims by an LLM: every sentence is accounted for, in order, with its span."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from support.llm_server import Asked, LLMServer, parts, think

from faithmeter.datamodels import Extraction, Failure, Label, Sample
from faithmeter.evaluator import Evaluator
from faithmeter.extract import load_extractor
from faithmeter.judge.extract import LLMExtractor
from faithmeter.judge.joint import JointExtractor
from faithmeter.judge.verify import Judge
from faithmeter.runs.cost_estimate import estimate

ANSWER = "Hello! Rome is old; Rome is big. It has 9 hills. Anything else? Rome is in Italy."
SAMPLE = Sample(
    question="What is Rome like?", answer=ANSWER, contexts=["Rome is old. It has 7 hills.", "Rome is in Italy."]
)


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer() as server:
        yield server


def extractor(server: LLMServer, **options: object) -> LLMExtractor:
    return LLMExtractor(f"openai:stub@{server.url}", **options)


def spans(found: Extraction | Failure) -> list[tuple[str, str]]:
    assert isinstance(found, Extraction)
    return [(claim.text, ANSWER[claim.start : claim.end]) for claim in found.claims]


WHOLE = [
    ("Rome is old", "Rome is old; Rome is big."),
    ("Rome is big.", "Rome is old; Rome is big."),
    ("It has 9 hills.", "It has 9 hills."),
    ("Rome is in Italy.", "Rome is in Italy."),
]


async def test_claims_keep_the_span_of_their_sentence(server: LLMServer) -> None:
    found = await extractor(server).extract(SAMPLE)
    assert spans(found) == WHOLE
    assert isinstance(found, Extraction)
    assert [(aside.kind, aside.text) for aside in found.asides] == [
        ("greeting", "Hello!"),
        ("question", "Anything else?"),
    ]


async def test_the_question_and_the_asides_are_shown_for_reference(server: LLMServer) -> None:
    await extractor(server).extract(SAMPLE)
    kinds = {part.kind: part.text for part in parts(server.requests[0].user)}
    assert kinds["question"] == SAMPLE.question
    assert "Anything else?" in kinds["answer"]


@pytest.mark.parametrize("fault", ["dropped", "renumbered", "wrong_id", "malformed:0", "malformed:5", "truncated"])
async def test_what_is_left_out_is_asked_again(server: LLMServer, fault: str) -> None:
    server.script.extend([fault, ""])
    assert spans(await extractor(server).extract(SAMPLE)) == WHOLE
    assert len(server.requests) >= 2


async def test_a_sentence_left_out_every_time_is_judged_as_it_stands(server: LLMServer) -> None:
    def forgetful(asked: Asked) -> str:
        rows = json.loads(think(asked))["sentences"]
        return json.dumps({"sentences": [row for row in rows if "It has 9 hills." not in row["claims"]]})

    server.brain = forgetful
    assert spans(await extractor(server, asks=3).extract(SAMPLE)) == WHOLE
    assert len(server.requests) == 3


async def test_a_refusal_is_a_failure_and_is_not_repeated(server: LLMServer) -> None:
    server.script.append("refused")
    found = await extractor(server).extract(SAMPLE)
    assert isinstance(found, Failure)
    assert found.kind == "refused"
    assert len(server.requests) == 1


@pytest.mark.parametrize("answer", ["", "  ", "Hello!", "I don't know."])
async def test_an_answer_without_claims_asks_nothing(server: LLMServer, answer: str) -> None:
    found = await extractor(server).extract(Sample(answer=answer, contexts=["x"]))
    assert isinstance(found, Extraction)
    assert not found.claims
    assert not server.requests


async def test_long_answers_are_split_over_calls(server: LLMServer) -> None:
    answer = " ".join(f"Fact number {n} holds." for n in range(130))
    found = await extractor(server).extract(Sample(answer=answer, contexts=["x"]))
    assert isinstance(found, Extraction)
    assert [claim.text for claim in found.claims] == [f"Fact number {n} holds." for n in range(130)]
    assert len(server.requests) == 7
    later = {part.kind: part.text for part in parts(server.requests[-1].user)}
    assert "answer" in later, "a later call sees what came before its sentences"


async def test_a_runaway_list_is_not_taken(server: LLMServer) -> None:
    def runaway(asked: Asked) -> str:
        rows = [
            {"sentence": part.number, "claims": ["Rome is old.", "rome  is OLD", *(f"Claim {n}" for n in range(500))]}
            for part in parts(asked.user)
            if part.kind == "sentence"
        ]
        return json.dumps({"sentences": rows})

    server.brain = runaway
    sample = Sample(answer="Rome is old. Rome is very old.", contexts=["x"])
    found = await extractor(server, asks=2).extract(sample)
    assert isinstance(found, Extraction)
    assert [claim.text for claim in found.claims] == ["Rome is old.", "Rome is very old."]


MALFORMED = {
    "objects": [{"claim": "Rome is small."}],
    "null": None,
    "a null": [None],
    "nested lists": [["Rome is small."]],
    "numbers": [7],
    "blanks": ["", " "],
    "one blank": ["It is.", ""],
    "marks": ["..."],
    "a text": "Rome is small.",
    "an object": {"text": "Rome is small."},
}


def with_claims(claims: object, *, times: int) -> Callable[[Asked], str]:
    """A model that gives these claims for each sentence in its first replies, and answers well from then on."""
    left = times

    def brain(asked: Asked) -> str:
        nonlocal left
        numbers = [part.number for part in parts(asked.user) if part.kind == "sentence"]
        if not numbers or left == 0:
            return think(asked)
        left -= 1
        return json.dumps({"sentences": [{"sentence": number, "claims": claims} for number in numbers]})

    return brain


FALSE = Sample(answer="Rome is small.", contexts=["Rome is big."])


@pytest.mark.parametrize("mode", ["batched", "joint"])
@pytest.mark.parametrize("claims", [*MALFORMED.values(), []], ids=[*MALFORMED, "nothing"])
async def test_claims_that_cannot_be_read_are_asked_for_again(server: LLMServer, mode: str, claims: object) -> None:
    spec = f"openai:stub?mode={mode}@{server.url}"
    server.brain = with_claims(claims, times=1)
    result = await Evaluator(verifier=spec, extractor=spec).check(FALSE)
    assert [verdict.claim.text for verdict in result.verdicts] == ["Rome is small."]
    assert (result.status, result.score) == ("ok", 0.0)
    assert len(server.requests) == (2 if mode == "joint" else 3)


@pytest.mark.parametrize("mode", ["batched", "joint"])
@pytest.mark.parametrize("claims", [*MALFORMED.values(), []], ids=[*MALFORMED, "nothing"])
async def test_a_sentence_whose_claims_never_come_is_judged_as_it_stands(
    server: LLMServer, mode: str, claims: object
) -> None:
    spec = f"openai:stub?mode={mode}@{server.url}"
    server.brain = with_claims(claims, times=99)
    result = await Evaluator(verifier=spec, extractor=spec).check(FALSE)
    assert [verdict.claim.text for verdict in result.verdicts] == ["Rome is small."]
    assert (result.status, result.score, result.asides) == ("ok", 0.0, ())


async def test_an_empty_list_is_asked_about_once_more_only(server: LLMServer) -> None:
    server.brain = with_claims([], times=99)
    found = await extractor(server, asks=5).extract(FALSE)
    assert isinstance(found, Extraction)
    assert [claim.text for claim in found.claims] == ["Rome is small."]
    assert len(server.requests) == 2


async def test_a_sentence_that_comes_twice_once_malformed_is_asked_for_again(server: LLMServer) -> None:
    def twice(asked: Asked) -> str:
        if len(server.requests) > 1:
            return think(asked)
        number = next(part.number for part in parts(asked.user) if part.kind == "sentence")
        rows = [{"sentence": number, "claims": ["Rome is."]}, {"sentence": number, "claims": [None]}]
        return json.dumps({"sentences": rows})

    server.brain = twice
    found = await extractor(server).extract(FALSE)
    assert isinstance(found, Extraction)
    assert [claim.text for claim in found.claims] == ["Rome is small."]


async def test_a_long_list_in_one_sentence_loses_no_claim(server: LLMServer) -> None:
    names = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus"]
    sample = Sample(answer="Winners: " + ", ".join(names) + ".", contexts=["x"])
    server.brain = with_claims([f"{name} won." for name in names], times=99)
    found = await extractor(server).extract(sample)
    assert isinstance(found, Extraction)
    assert [claim.text for claim in found.claims] == [f"{name} won." for name in names]


async def test_a_claim_far_longer_than_its_sentence_is_not_taken(server: LLMServer) -> None:
    def endless(asked: Asked) -> str:
        numbers = [part.number for part in parts(asked.user) if part.kind == "sentence"]
        return json.dumps({"sentences": [{"sentence": n, "claims": ["x" * 5000]} for n in numbers]})

    server.brain = endless
    found = await extractor(server, asks=2).extract(Sample(answer="Rome is old.", contexts=["x"]))
    assert isinstance(found, Extraction)
    assert [claim.text for claim in found.claims] == ["Rome is old."]


RIGHT = [Label.SUPPORTED, Label.NOT_ENOUGH_INFO, Label.CONTRADICTED, Label.SUPPORTED]


@pytest.mark.parametrize(("mode", "calls"), [("batched", 2), ("per-claim", 5), ("joint", 1)])
async def test_the_modes_agree_and_make_their_number_of_calls(server: LLMServer, mode: str, calls: int) -> None:
    spec = f"openai:stub?mode={mode}@{server.url}"
    result = await Evaluator(verifier=spec, extractor=spec).check(SAMPLE)
    assert [verdict.label for verdict in result.verdicts] == RIGHT
    assert [verdict.claim.text for verdict in result.verdicts] == [text for text, _ in WHOLE]
    assert result.usage.calls == calls == len(server.requests)
    assert result.score == 0.5


@pytest.mark.parametrize("fault", ["dropped", "renumbered", "duplicated", "wrong_id", "malformed:5", "truncated"])
async def test_joint_mode_asks_again_too(server: LLMServer, fault: str) -> None:
    server.script.extend([fault, ""])
    spec = f"openai:stub?mode=joint@{server.url}"
    result = await Evaluator(verifier=spec, extractor=spec).check(SAMPLE)
    assert [verdict.label for verdict in result.verdicts] == RIGHT


async def test_joint_verdicts_that_fail_a_check_go_to_the_judge(server: LLMServer) -> None:
    def careless(asked: Asked) -> str:
        value = json.loads(think(asked))
        for row in value.get("sentences", []):
            for claim in row["claims"]:
                claim["quote"] = "Nobody wrote this sentence anywhere."
        return json.dumps(value)

    server.brain = careless
    found = await JointExtractor(f"openai:stub@{server.url}").extract(SAMPLE)
    assert isinstance(found, Extraction)
    assert [outcome.label for outcome in found.outcomes] == RIGHT  # type: ignore[union-attr]
    assert [outcome.claim for outcome in found.outcomes] == list(found.claims)
    assert len(server.requests) == 2


async def test_joint_mode_with_votes_extracts_first(server: LLMServer) -> None:
    spec = f"openai:stub?mode=joint&votes=3@{server.url}"
    result = await Evaluator(verifier=spec, extractor=spec).check(SAMPLE)
    assert [verdict.label for verdict in result.verdicts] == RIGHT
    assert [verdict.support for verdict in result.verdicts] == [1.0, 0.0, 0.0, 1.0]


def test_extractors_are_found_by_name() -> None:
    assert isinstance(load_extractor("openai:stub@http://127.0.0.1:9/v1"), LLMExtractor)
    assert isinstance(load_extractor("openai:stub?mode=joint@http://127.0.0.1:9/v1"), JointExtractor)
    signature = load_extractor("openai:stub@http://127.0.0.1:9/v1").signature
    assert signature.startswith("openai:stub@http://127.0.0.1:9/v1,sentences.")
    assert "extract.3." in signature


@pytest.mark.parametrize("mode", ["batched", "per-claim", "joint"])
async def test_a_dry_run_comes_near_the_real_one_and_calls_nothing(server: LLMServer, mode: str) -> None:
    options = {"mode": mode, "input_price": 1.0, "output_price": 2.0}
    judge = Judge(f"openai:stub@{server.url}", **options)
    taker = (JointExtractor if mode == "joint" else LLMExtractor)(f"openai:stub@{server.url}", **options)
    guess = await estimate(SAMPLE, extractor=taker, verifier=judge)
    assert not server.requests
    real = (await Evaluator(verifier=judge, extractor=taker).check(SAMPLE)).usage
    assert abs(guess.calls - real.calls) <= 2
    assert 0.5 < guess.prompt_tokens / real.prompt_tokens < 2
    assert guess.cost is not None
    assert guess.cost > 0
