"""The LLM judge: one outcome a claim, evidence that is there, and never another claim's verdict."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.llm_server import Asked, Behaviour, LLMServer, parts, think
from support.samples import known

from faithmeter.datamodels import Claim, Failure, Label, Outcome, Pair, Sample, Verdict
from faithmeter.evaluator import Evaluator
from faithmeter.judge.verify import Judge
from faithmeter.runtime.usage import metered
from faithmeter.verify import load_verifier

SAMPLE = Sample(
    question="What is known about the tower?",
    answer="…",
    contexts=["The tower is in Paris. It has 3 floors.", "The tower was built in 1889.\nIt is made of iron."],
)
CLAIMS = {
    "The tower is in Paris.": Label.SUPPORTED,
    "It has 7 floors.": Label.CONTRADICTED,
    "It is made of iron.": Label.SUPPORTED,
    "The tower is blue.": Label.NOT_ENOUGH_INFO,
}


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer() as server:
        yield server


def pairs(*texts: str, sample: Sample = SAMPLE) -> list[Pair]:
    return [Pair(Claim(text=text, start=0, end=1), sample) for text in texts or CLAIMS]


def judge(server: LLMServer, **options: object) -> Judge:
    return Judge(f"openai:stub@{server.url}", **options)


def labels(outcomes: list[Outcome]) -> list[object]:
    return [outcome.label if isinstance(outcome, Verdict) else outcome.kind for outcome in outcomes]


RIGHT = list(CLAIMS.values())


async def test_verdicts_come_with_a_reason_and_located_evidence(server: LLMServer) -> None:
    with metered() as meter:
        found = await judge(server).verify(pairs())
    assert labels(found) == RIGHT
    assert [outcome.claim for outcome in found] == [pair.claim for pair in pairs()]
    for verdict in found:
        assert isinstance(verdict, Verdict)
        assert verdict.reason
        assert verdict.origin.verifier == "openai:stub"
        assert bool(verdict.evidence) == (verdict.label is not Label.NOT_ENOUGH_INFO)
        assert all(item.holds_in(SAMPLE.contexts) for item in verdict.evidence)
    assert found[2].evidence[0].quote == "It is made of iron."  # type: ignore[union-attr]
    usage = meter.usage
    assert (usage.calls, usage.retries, usage.cost) == (1, 0, None)
    assert usage.prompt_tokens > 100
    assert usage.completion_tokens > 50


async def test_it_is_found_by_name(server: LLMServer) -> None:
    found = load_verifier(f"openai:stub?mode=per-claim@{server.url}")
    assert isinstance(found, Judge)
    assert found.settings.mode == "per-claim"
    assert found.signature.startswith(f"openai:stub@{server.url},verify.3.")
    assert found.signature.endswith(",mode=per-claim")


async def test_a_verdict_that_repeats_another_claim_is_asked_for_again(server: LLMServer) -> None:
    """The numbers are right, the words are the neighbour's: nobody knows which of the two was judged."""

    def mixed_up(asked: Asked) -> str:
        reply = json.loads(think(asked))
        texts = [part.text for part in parts(asked.user) if part.kind == "claim"]
        if len(server.requests) == 1:
            texts[1:3] = texts[2:0:-1]
        for row, text in zip(reply["verdicts"], texts, strict=True):
            row["text"] = text
        return json.dumps(reply)

    server.brain = mixed_up
    assert labels(await judge(server).verify(pairs())) == RIGHT
    again = [part.text for part in parts(server.requests[1].user) if part.kind == "claim"]
    assert again == list(CLAIMS)[1:3]


@pytest.mark.parametrize("echo", [None, "", "the tower is in PARIS", "The tower stands in Paris, France.", 7])
async def test_how_a_claim_is_repeated_matters_to_nobody(server: LLMServer, echo: object) -> None:
    def loose(asked: Asked) -> str:
        reply = json.loads(think(asked))
        reply["verdicts"][0]["text"] = echo
        return json.dumps(reply)

    server.brain = loose
    assert labels(await judge(server).verify(pairs())) == RIGHT
    assert len(server.requests) == 1


def test_an_estimate_counts_the_worked_example(server: LLMServer) -> None:
    claims = [pair.claim for pair in pairs()]
    full, brief = (judge(server, prompt=size).estimate(SAMPLE, claims) for size in ("full", "brief"))
    assert full.prompt_tokens - brief.prompt_tokens > 500
    assert full.completion_tokens > brief.completion_tokens, "claims are repeated"


async def test_every_call_begins_with_the_same_instructions(server: LLMServer) -> None:
    await judge(server, batch=2).verify([*pairs(), *pairs(sample=Sample(answer="…", contexts=["It is made of iron."]))])
    assert len(server.requests) == 4
    assert len({asked.system for asked in server.requests}) == 1


async def test_per_claim_asks_one_at_a_time(server: LLMServer) -> None:
    assert labels(await judge(server, mode="per-claim").verify(pairs())) == RIGHT
    assert len(server.requests) == 4
    assert all(sum(part.kind == "claim" for part in parts(asked.user)) == 1 for asked in server.requests)


async def test_claims_of_several_samples_are_judged_against_their_own_contexts(server: LLMServer) -> None:
    other = SAMPLE.model_copy(update={"contexts": SAMPLE.contexts[:1]})
    asked = [*pairs("It is made of iron."), *pairs("It is made of iron.", sample=other)]
    assert labels(await judge(server).verify(asked)) == [Label.SUPPORTED, Label.NOT_ENOUGH_INFO]


async def test_batches(server: LLMServer) -> None:
    many = pairs(*(f"Claim number {n}." for n in range(103)))
    found = await judge(server, batch=20).verify(many)
    assert labels(found) == [Label.NOT_ENOUGH_INFO] * 103
    assert len(server.requests) == 6


async def test_nothing_to_judge_asks_nothing(server: LLMServer) -> None:
    assert await judge(server).verify([]) == []
    bare = Sample(answer="x", contexts=[" "])
    assert labels(await judge(server).verify(pairs("x", sample=bare))) == [Label.NOT_ENOUGH_INFO]
    assert not server.requests


@pytest.mark.parametrize(
    ("fault", "asked_again"),
    [
        ("dropped", [2]),
        ("renumbered", [4]),
        ("duplicated", [1]),
        ("wrong_id", [1]),
        # one by one; the NOT_ENOUGH_INFO needs no citation, and a contradiction is asked for its quote
        ("wrong_passage", [1, 1, 1]),
        ("invented_quote", [1, 1, 1]),
        ("bad_label", [4]),
        *((f"malformed:{n}", [] if n == 2 else [4]) for n in range(10)),  # 2: only the last bracket is missing
    ],
)
async def test_what_is_wrong_is_asked_again_and_only_that(
    server: LLMServer, fault: str, asked_again: list[int]
) -> None:
    server.script.extend([fault, *[""] * len(asked_again)])
    assert labels(await judge(server).verify(pairs())) == RIGHT
    again = [sum(part.kind == "claim" for part in parts(asked.user)) for asked in server.requests[1:]]
    assert again == asked_again


def citing(**given: object) -> Callable[[Asked], str]:
    """A model that judges as the stub does, but cites like this for "The tower is in Paris."."""

    def brain(asked: Asked) -> str:
        texts = {part.number: part.text for part in parts(asked.user) if part.kind == "claim"}
        rows = json.loads(think(asked))["verdicts"]
        return json.dumps({"verdicts": [row | given if "Paris" in texts[row["claim"]] else row for row in rows]})

    return brain


@pytest.mark.parametrize(
    ("passages", "quote"),
    [
        ([], "."),
        ([], "e"),  # stands inside "tower"
        ([], "is in"),
        ([], "It is made of iron."),  # verbatim, and about something else
        ([], "3"),
        ([-1], ""),
        ([-5], ""),
        ([-1], "."),
        (-2, "The tower is somewhere."),
        ([0], ""),
    ],
)
async def test_a_citation_that_says_nothing_of_the_claim_fails_that_claim_only(
    server: LLMServer, passages: object, quote: str
) -> None:
    server.brain = citing(passages=passages, quote=quote)
    found = await judge(server).verify(pairs())
    assert labels(found) == ["bad_citation", *RIGHT[1:]]
    asked = [sum(part.kind == "claim" for part in parts(request.user)) for request in server.requests]
    assert asked == [4, 1], "asked again alone, once, and the good verdicts are kept"


@pytest.mark.parametrize("quote", [".", "e", "It is made of iron."])
async def test_a_quote_that_says_nothing_leaves_the_cited_passage_as_evidence(server: LLMServer, quote: str) -> None:
    server.brain = citing(passages=[1], quote=quote)
    (found,) = await judge(server).verify(pairs("The tower is in Paris."))
    assert isinstance(found, Verdict)
    assert [item.quote for item in found.evidence] == [SAMPLE.contexts[0].text]
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("claim", "context", "quote"),
    [
        ("It has three floors.", "Floors: 3", "3"),
        ("巴黎铁塔高330米。", "埃菲尔铁塔位于巴黎。", "位于巴黎"),
        ("Эйфелева башня в Париже", "Башня стоит в Париже.", "Башня стоит"),
        ("Sie liegt in Köln.", "Sie steht in Köln am Rhein.", "Köln am Rhein"),
    ],
)
async def test_a_quote_needs_one_word_of_the_claim_in_any_script(
    server: LLMServer, claim: str, context: str, quote: str
) -> None:
    def brain(asked: Asked) -> str:
        numbers = [part.number for part in parts(asked.user) if part.kind == "claim"]
        row = {"reason": "", "label": "supported", "passages": [1], "quote": quote}
        return json.dumps({"verdicts": [{"claim": number, **row} for number in numbers]})

    server.brain = brain
    sample = Sample(answer=claim, contexts=[context])
    (found,) = await judge(server).verify([Pair(Claim(text=claim, start=0, end=len(claim)), sample)])
    assert isinstance(found, Verdict)
    assert [item.quote for item in found.evidence] == [quote]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("fault", "kind"),
    [("malformed:0", "malformed"), ("bad_label", "malformed"), ("wrong_passage", "bad_citation")],
)
async def test_what_stays_wrong_is_a_failure_of_its_kind(server: LLMServer, fault: str, kind: str) -> None:
    server.script.extend([fault] * 20)
    found = await judge(server).verify(pairs("The tower is in Paris."))
    assert labels(found) == [kind]
    assert len(server.requests) == (2 if kind == "bad_citation" else 6), "a citation is asked for once more"


async def test_a_claim_left_out_every_time_is_missing(server: LLMServer) -> None:
    server.brain = lambda asked: '{"verdicts": []}'
    found = await judge(server, asks=3).verify(pairs("a", "b"))
    assert labels(found) == ["missing", "missing"]
    assert len(server.requests) == 3


async def test_an_invented_quote_is_dropped_and_the_passage_cited_whole(server: LLMServer) -> None:
    server.script.extend(["invented_quote", "invented_quote"])
    (found,) = await judge(server).verify(pairs("The tower is in Paris."))
    assert isinstance(found, Verdict)
    assert [item.quote for item in found.evidence] == [SAMPLE.contexts[0].text]
    assert len(server.requests) == 2


async def test_a_quote_under_the_wrong_number_is_found_where_it_stands(server: LLMServer) -> None:
    def mistaken(asked: Asked) -> str:
        rows = json.loads(think(asked))["verdicts"]
        return json.dumps({"verdicts": [{**row, "passages": [2]} for row in rows]})

    server.brain = mistaken
    (found,) = await judge(server).verify(pairs("The tower is in Paris."))
    assert isinstance(found, Verdict)
    assert [item.context for item in found.evidence] == [0]


async def test_a_truncated_reply_is_asked_for_in_parts(server: LLMServer) -> None:
    server.script.extend(["truncated"])
    assert labels(await judge(server).verify(pairs())) == RIGHT
    assert [sum(part.kind == "claim" for part in parts(asked.user)) for asked in server.requests] == [4, 2, 2]


async def test_a_single_truncated_claim_gets_more_room_and_then_fails(server: LLMServer) -> None:
    server.script.extend(["truncated"])
    assert labels(await judge(server, max_tokens=100).verify(pairs("The tower is in Paris."))) == [Label.SUPPORTED]
    rooms = [asked.body.get("max_completion_tokens") for asked in server.requests]
    assert rooms == [100, 200]
    server.script.extend(["truncated"] * 9)
    assert labels(await judge(server).verify(pairs("The tower is in Paris."))) == ["truncated"]


@pytest.mark.parametrize("fault", ["refused", "content_filter"])
async def test_a_refusal_is_recorded_and_never_asked_again(server: LLMServer, fault: str) -> None:
    server.script.extend([fault])
    found = await judge(server, votes=3).verify(pairs("The tower is in Paris."))
    assert len(server.requests) == 2, "both first votes are asked for at once"
    server.requests.clear()
    server.script.extend([fault])
    found = await judge(server).verify(pairs())
    assert labels(found) == ["refused"] * 4
    assert len(server.requests) == 1


async def test_a_prompt_that_does_not_fit_says_so(server: LLMServer) -> None:
    server.behaviour.window = 300
    (found,) = await judge(server).verify(pairs("The tower is in Paris."))
    assert isinstance(found, Failure)
    assert found.kind == "error"
    assert "window" in found.message


@pytest.mark.parametrize("dress", [lambda text: f"```json\n{text}\n```", lambda text: f"<think>{{so}}</think>\n{text}"])
async def test_fences_and_thoughts_come_off(dress: object) -> None:
    with LLMServer(behaviour=Behaviour(dress=dress)) as server:  # type: ignore[arg-type]
        assert labels(await judge(server).verify(pairs())) == RIGHT
        assert len(server.requests) == 1


def voting(*votes: str) -> object:
    """A model whose n-th reply gives every claim the n-th label."""
    cast = iter(votes)

    def brain(asked: Asked) -> str:
        label = next(cast)
        quote = {} if label == "not_enough_info" else {"passages": [1], "quote": "The tower is in Paris."}
        rows = [
            {"claim": part.number, "reason": "r", "label": label, "passages": [], "quote": "", **quote}
            for part in parts(asked.user)
            if part.kind == "claim"
        ]
        return json.dumps({"verdicts": rows})

    return brain


@pytest.mark.parametrize(
    ("votes", "given", "calls", "label", "support"),
    [
        (3, ["supported", "supported"], 2, Label.SUPPORTED, 1.0),
        (3, ["supported", "contradicted", "supported"], 3, Label.SUPPORTED, 2 / 3),
        (3, ["not_enough_info", "not_enough_info"], 2, Label.NOT_ENOUGH_INFO, 0.0),
        (3, ["supported", "contradicted", "not_enough_info"], 3, Label.CONTRADICTED, 1 / 3),
        (5, ["supported"] * 3, 3, Label.SUPPORTED, 1.0),
        (5, ["supported", "contradicted", "supported", "supported"], 4, Label.SUPPORTED, 3 / 4),
        (5, ["supported", "contradicted"] * 2 + ["contradicted"], 5, Label.CONTRADICTED, 2 / 5),
    ],
)
async def test_votes(votes: int, given: list[str], calls: int, label: Label, support: float) -> None:
    with LLMServer(brain=voting(*given)) as server:  # type: ignore[arg-type]
        (found,) = await judge(server, votes=votes, concurrency=1).verify(pairs("The tower is in Paris."))
        assert isinstance(found, Verdict)
        assert (found.label, found.support) == (label, pytest.approx(support))
        assert len(server.requests) == calls
        assert server.requests[0].body["temperature"] == 0.7


@pytest.mark.parametrize("probability", [0.6, 0.97])
async def test_log_probabilities_become_support(server: LLMServer, probability: float) -> None:
    server.behaviour.label_probability = probability
    found = await judge(server, logprobs=True).verify(pairs())
    assert labels(found) == RIGHT
    given = [outcome.support for outcome in found if isinstance(outcome, Verdict)]
    expected = [probability if label is Label.SUPPORTED else 1 - probability for label in RIGHT]
    assert given == pytest.approx(expected)


async def test_without_log_probabilities_there_is_no_support(server: LLMServer) -> None:
    assert {outcome.support for outcome in await judge(server).verify(pairs())} == {None}  # type: ignore[union-attr]


async def test_options_reach_the_prompt_and_the_schema(server: LLMServer) -> None:
    options = {"inference": "lenient", "partial": True, "reasons": False, "language": "Danish"}
    found = await judge(server, **options, model_settings={"top_p": 0.5}).verify(pairs())
    asked = server.requests[0]
    assert "plainly follows" in asked.system
    assert "Danish" in asked.system
    row = asked.schema["properties"]["verdicts"]["items"]  # type: ignore[index]
    assert "reason" not in row["properties"]
    assert "partially_supported" in row["properties"]["label"]["enum"]
    assert asked.body["top_p"] == 0.5
    assert {outcome.reason for outcome in found} == {None}  # type: ignore[union-attr]


async def test_prompts_begin_alike_so_that_providers_can_cache_them(server: LLMServer) -> None:
    evaluator = Evaluator(verifier=judge(server))
    for n in range(3):
        await evaluator.check(known(n).sample)
    assert len({asked.system for asked in server.requests}) == 1
    assert all(asked.body["messages"][0]["role"] == "system" for asked in server.requests)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 120) | st.text(max_size=8) | st.sampled_from(["supported", "claim"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["verdicts", "claim", "label", "passages", "quote", "reason", "x"]), inner, max_size=5
        )
    ),
    max_leaves=12,
)
rows = st.lists(
    st.fixed_dictionaries(
        {"place": st.integers(0, 3), "label": st.sampled_from([*Label, "IDK"]) | values},
        optional={"claim": values, "passages": values | st.just([1]), "quote": values | st.just("tower")},
    ),
    max_size=6,
)
replies = st.lists(values | rows | st.fixed_dictionaries({"verdicts": rows}), min_size=1, max_size=3)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(replies)
async def test_any_reply_gives_one_outcome_a_claim(server: LLMServer, replies: list[Any]) -> None:
    """Whatever JSON comes back: as many outcomes as claims, in order, and evidence only where it stands."""
    given_out = itertools.cycle(replies)

    def brain(asked: Asked) -> str:
        ids = [part.number for part in parts(asked.user) if part.kind == "claim"]
        reply = next(given_out)
        found = reply.get("verdicts") if isinstance(reply, dict) else reply
        for row in found if isinstance(found, list) else []:
            if isinstance(row, dict) and "place" in row and "claim" not in row:
                row.update(claim=ids[row["place"] % len(ids)])
        return json.dumps(reply)

    server.brain = brain
    asked = pairs()
    found = await judge(server, asks=2).verify(asked)
    assert [outcome.claim for outcome in found] == [pair.claim for pair in asked]
    for outcome in found:
        if isinstance(outcome, Verdict):
            assert all(item.holds_in(SAMPLE.contexts) for item in outcome.evidence)
            assert outcome.evidence or outcome.label in (Label.NOT_ENOUGH_INFO, Label.CONTRADICTED)
