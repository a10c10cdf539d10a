"""`prompt=small`: examples as earlier turns of the chat, no quotes from the model, evidence found by code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.llm_server import Asked, LLMServer, parts, think

from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.cache.wrapper import Cached
from faithmeter.cli import main
from faithmeter.datamodels import Claim, Context, Label, Pair, Sample, Verdict
from faithmeter.errors import UsageError
from faithmeter.judge.extract import LLMExtractor
from faithmeter.judge.joint import JointExtractor
from faithmeter.judge.prompts import Instructions
from faithmeter.judge.verify import Judge, Verification
from faithmeter.llm.protocol import Reply
from faithmeter.llm.settings import JudgeSettings, ModelSpec
from faithmeter.runtime.usage import metered
from faithmeter.verify import load_verifier

SAMPLE = Sample(
    question="What is known about the tower?",
    answer="…",
    contexts=["The tower is in Paris. It has 3 floors.", "The tower was built in 1889.\nIt is made of iron."],
)
CLAIMS = {
    "The tower is in Paris.": (Label.SUPPORTED, ["The tower is in Paris."]),
    "It has 7 floors.": (Label.CONTRADICTED, ["It has 3 floors."]),
    "It is made of iron.": (Label.SUPPORTED, ["It is made of iron."]),
    "The tower is blue.": (Label.NOT_ENOUGH_INFO, []),
}
SMALL = JudgeSettings(prompt="small")
SPEC = ModelSpec(provider="openai", model="any")


def modest(asked: Asked) -> str:
    """A model that gives what is asked for: the claim, a reason and a label, and no quote."""
    texts = {part.number: part.text for part in parts(asked.user) if part.kind == "claim"}
    rows = json.loads(think(asked))["verdicts"]
    kept = [
        {"claim": row["claim"], "text": texts[row["claim"]], "reason": row["reason"], "label": row["label"]}
        for row in rows
    ]
    return json.dumps({"verdicts": kept})


def saying(label: str, **more: object) -> Callable[[Asked], str]:
    """A model that says this of every claim."""

    def brain(asked: Asked) -> str:
        rows = json.loads(modest(asked))["verdicts"]
        return json.dumps({"verdicts": [row | {"label": label} | more for row in rows]})

    return brain


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer(brain=modest) as server:
        yield server


def judge(server: LLMServer, **options: object) -> Judge:
    return Judge(f"openai:stub?prompt=small@{server.url}", **options)


def pairs(*texts: str, sample: Sample = SAMPLE) -> list[Pair]:
    return [Pair(Claim(text=text, start=0, end=1), sample) for text in texts or CLAIMS]


@pytest.mark.parametrize("mode", ["batched", "per-claim"])
async def test_the_model_gives_labels_and_code_finds_the_evidence(server: LLMServer, mode: str) -> None:
    found = await judge(server, mode=mode).verify(pairs())
    for verdict, (label, quotes) in zip(found, CLAIMS.values(), strict=True):
        assert isinstance(verdict, Verdict)
        assert (verdict.label, [item.quote for item in verdict.evidence]) == (label, quotes)
        assert all(item.holds_in(SAMPLE.contexts) for item in verdict.evidence)
        assert verdict.reason
    assert len(server.requests) == 4


async def test_a_claim_in_two_passages_has_both(server: LLMServer) -> None:
    server.brain = saying("supported")
    (found,) = await judge(server).verify(pairs("The tower in Paris was built in 1889 and has 3 floors."))
    assert isinstance(found, Verdict)
    assert [item.quote for item in found.evidence] == ["The tower was built in 1889.", "It has 3 floors."]


@pytest.mark.parametrize(
    ("claim", "contexts", "quote"),
    [
        ("巴黎铁塔高330米。", ["长城很长。", "埃菲尔铁塔位于巴黎。"], "埃菲尔铁塔位于巴黎。"),
        ("Башня стоит в Париже.", ["Река длинная.", "Эйфелева башня в Париже."], "Эйфелева башня в Париже."),
        ("It rests on iron.", ['{"name": "tower", "material": "iron"}'], '"material": "iron"'),
        ("Sie hat drei Etagen.", ["", "  ", "Es gibt drei Etagen.\n\nUnd einen Lift."], "Es gibt drei Etagen."),
    ],
)
async def test_evidence_is_verbatim_in_any_script_and_form(
    server: LLMServer, claim: str, contexts: list[str], quote: str
) -> None:
    server.brain = saying("supported")
    sample = Sample(answer=claim, contexts=contexts)
    (found,) = await judge(server).verify([Pair(Claim(text=claim, start=0, end=len(claim)), sample)])
    assert isinstance(found, Verdict)
    assert [item.quote for item in found.evidence] == [quote]
    assert all(item.holds_in(sample.contexts) for item in found.evidence)


@pytest.mark.parametrize("label", ["supported", "contradicted"])
async def test_where_no_passage_has_a_word_of_the_claim_nothing_is_shown(server: LLMServer, label: str) -> None:
    server.brain = saying(label)
    sample = Sample(question="Where is it?", answer="…", contexts=["The tower's lift is here.", "It is."])
    said = pairs("The zebra's gallop is that of a horse.", sample=sample)
    (found,) = await judge(server, inference="lenient").verify(said)
    assert isinstance(found, Verdict)
    assert (found.label, found.evidence) == (label, ())


UNSAID = "Visitors climbed the tower by stairs."
REASON = "Most of the claim's words are in none of the contexts."


@pytest.mark.parametrize(
    "claim",
    [
        "The towers are three floors.",
        "The tower visibly stands in Paris.",
        "It is.",
        "Iron buildings visit.",
    ],
)
async def test_supported_stays_where_half_of_the_words_are_there(server: LLMServer, claim: str) -> None:
    server.brain = saying("supported")
    contexts = ["The tower in Paris has 3 floor levels.", "It is an iron building.", "The visitors came."]
    (found,) = await judge(server).verify(pairs(claim, sample=Sample(answer="…", contexts=contexts)))
    assert isinstance(found, Verdict)
    assert found.label is Label.SUPPORTED
    assert found.reason != REASON


@pytest.mark.parametrize("options", [{}, {"votes": 3}, {"logprobs": True}], ids=str)
async def test_what_the_contexts_hardly_have_a_word_of_is_not_supported(
    server: LLMServer, options: dict[str, object]
) -> None:
    server.brain = saying("supported")
    (found,) = await judge(server, **options).verify(pairs(UNSAID))
    assert isinstance(found, Verdict)
    assert (found.label, found.evidence, found.reason) == (Label.NOT_ENOUGH_INFO, (), REASON)
    assert found.support == (0.0 if "votes" in options else None), "the model's own is for what it said"


async def test_another_label_is_not_held_to_words(server: LLMServer) -> None:
    server.brain = saying("contradicted")
    (found,) = await judge(server).verify(pairs(UNSAID))
    assert isinstance(found, Verdict)
    assert found.label is Label.CONTRADICTED


@pytest.mark.parametrize(
    "options", [{"inference": "lenient"}, {"prompt": "full"}, {"prompt": "brief"}], ids=lambda o: "-".join(o.values())
)
async def test_other_settings_leave_the_models_verdict(server: LLMServer, options: dict[str, object]) -> None:
    server.brain = saying("supported", passages=[1], quote="The tower is in Paris.")
    (found,) = await judge(server, **options).verify(pairs(UNSAID))
    assert isinstance(found, Verdict)
    assert found.label is Label.SUPPORTED
    assert [item.quote for item in found.evidence] == ["The tower is in Paris."]


@pytest.mark.parametrize(
    ("claim", "contexts"),
    [
        ("Die Besucher sind über die Treppe auf den Turm gestiegen.", ["The tower is in Paris."]),
        ("Visitors climbed the stairs.", ["Der Turm steht in Paris und ist aus Eisen.", "Er hat drei Etagen."]),
        ("Man stieg hinauf.", ["Der Turm ist hoch.", "Er steht in Paris und ist aus Eisen."]),
        ("Башни красивы.", ["Башня стоит."]),
        ("游客爬楼梯。", ["The tower is in Paris."]),
    ],
)
async def test_other_languages_are_not_held_to_words(server: LLMServer, claim: str, contexts: list[str]) -> None:
    server.brain = saying("supported")
    (found,) = await judge(server).verify(pairs(claim, sample=Sample(answer="…", contexts=contexts)))
    assert isinstance(found, Verdict)
    assert found.label is Label.SUPPORTED


def test_the_reason_is_shown(server: LLMServer) -> None:
    server.brain = saying("supported")
    spec = f"openai:stub?prompt=small@{server.url}"
    done = CliRunner().invoke(main, ["check", UNSAID, "--context", "The tower is in Paris.", "-v", spec, "--no-cache"])
    assert REASON in " ".join(done.output.replace("│", " ").split())


async def test_of_passages_that_say_the_same_the_one_that_is_meant_is_shown(server: LLMServer) -> None:
    server.brain = saying("supported")
    contexts = ["Beta is large. Beta was founded in 1920.", "Acme is small. Acme was founded in 1920."]
    sample = Sample(question="When did Acme begin?", answer="It was founded in 1920.", contexts=contexts)
    (found,) = await judge(server).verify([Pair(Claim(text=sample.answer, start=0, end=23), sample)])
    assert isinstance(found, Verdict)
    assert [item.quote for item in found.evidence] == ["Acme was founded in 1920."]


async def test_what_a_model_quotes_all_the_same_counts_for_nothing(server: LLMServer) -> None:
    server.brain = saying("supported", passages=[2], quote="It is made of iron.")
    (found,) = await judge(server).verify(pairs("The tower is in Paris."))
    assert isinstance(found, Verdict)
    assert [item.quote for item in found.evidence] == ["The tower is in Paris."]


async def test_examples_are_turns_the_same_in_every_call(server: LLMServer) -> None:
    other = Sample(question="Secret?", answer="…", contexts=["It is made of iron."])
    await judge(server, batch=3).verify([*pairs(), *pairs(sample=other)])
    instructions = Instructions("verify", SMALL)
    for asked in server.requests:
        assert asked.turns == list(instructions.turns)
        assert asked.system == instructions.text
        assert {part.kind for part in parts(asked.user)} == {"passage", "claim"}, "the question is not sent"


@pytest.mark.parametrize("batch", [1, 5, 20])
async def test_each_claim_has_a_call_of_its_own_whatever_the_batch(server: LLMServer, batch: int) -> None:
    server.brain = saying("supported")
    texts = [f"The tower has {number} floors." for number in range(12)]
    with metered() as meter:
        await judge(server, batch=batch).verify(pairs(*texts))
    assert [sum(part.kind == "claim" for part in parts(asked.user)) for asked in server.requests] == [1] * 12
    estimated = judge(server, batch=batch).estimate(SAMPLE, [pair.claim for pair in pairs(*texts)])
    assert estimated.calls == meter.usage.calls == 12
    assert estimated.prompt_tokens == pytest.approx(meter.usage.prompt_tokens, rel=0.2)


FILLER = "Nothing of interest happened in the valley that year, and the harvest was about as good as usual. "


@pytest.mark.parametrize("mode", ["batched", "per-claim"])
async def test_long_contexts_are_cut_to_what_is_near_the_claims(server: LLMServer, mode: str) -> None:
    facts = ["The tower is in Paris.", "It has 3 floors."]
    contexts = [FILLER * 60, f"{FILLER * 60}{facts[0]} {FILLER * 60}", facts[1]]
    sample = Sample(answer=" ".join(facts), contexts=contexts)
    found = await judge(server, mode=mode).verify(pairs(*facts, sample=sample))
    assert [verdict.label for verdict in found if isinstance(verdict, Verdict)] == [Label.SUPPORTED] * 2
    assert [[item.quote for item in verdict.evidence] for verdict in found] == [[fact] for fact in facts]  # type: ignore[union-attr]
    for asked in server.requests:
        texts = {part.number: part.text for part in parts(asked.user) if part.kind == "passage"}
        assert sum(map(len, texts.values())) < 5_000 < sum(map(len, contexts)) / 3
        assert texts[3] == facts[1], "what is short is shown whole, and keeps its number"
        (claim,) = [part.text for part in parts(asked.user) if part.kind == "claim"]
        if claim == facts[0]:
            assert facts[0] in texts[2]
            assert " … " in texts[2]


async def test_short_contexts_are_shown_as_they_are(server: LLMServer) -> None:
    await judge(server).verify(
        pairs(sample=SAMPLE.model_copy(update={"contexts": (*SAMPLE.contexts, Context(text=" "))}))
    )
    shown = [part.text for part in parts(server.requests[0].user) if part.kind == "passage"]
    assert shown == [context.text for context in SAMPLE.contexts]


@pytest.mark.parametrize("options", [{}, {"language": "Danish"}, {"inference": "lenient"}], ids=str)
def test_an_example_is_a_reply_that_the_judge_takes(options: dict[str, str]) -> None:
    settings = JudgeSettings(prompt="small", **options)  # type: ignore[arg-type]
    instructions = Instructions("verify", settings)
    labels: Counter[Label] = Counter()
    seen: list[int] = []
    for user, assistant in instructions.turns:
        items = parts(user)
        asked = [item for item in items if item.kind == "claim"]
        assert len(asked) == 1
        sample = Sample(answer="…", contexts=[Context(text=item.text) for item in items if item.kind == "passage"])
        question = Verification(sample, settings, instructions, SPEC)
        made = [Claim(text=item.text, start=0, end=1) for item in asked]
        request, _ = question.put(made)
        for schema in (request.schema, request.closed):
            row = list(schema["properties"]["verdicts"]["items"]["properties"])
            assert row == ["claim", "text", "reason", "label"]
            assert [list(given) for given in json.loads(assistant)["verdicts"]] == [row] * len(asked)
        assert '"' not in "".join(row["text"] + row["reason"] for row in json.loads(assistant)["verdicts"])
        key = {item.number: (place, made[place]) for place, item in enumerate(asked)}
        reading = question.read(Reply(assistant, "stop", 0, 0), key)  # type: ignore[arg-type]
        assert not reading.doubtful
        assert not reading.bad
        labels.update(finding.label for finding in reading.good.values())
        seen += [item.number for item in asked if item.number]
    assert min(labels[label] for label in Label if label is not Label.PARTIALLY_SUPPORTED) >= 1
    assert labels[Label.SUPPORTED] < labels.total() / 2, "most are not supported"
    assert len(set(seen)) == labels.total(), "no number comes twice"
    assert min(seen) >= 100, "the numbers of a request are smaller"
    assert ("Danish" in instructions.text) == ("language" in options)
    assert ("plainly follows" in instructions.text) == ("inference" in options)


async def test_ones_own_examples_are_turns_too(server: LLMServer, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(
        '{"passage": "Rent is due on the third.", "question": "When?", "claim": "It is due on the fifth.",'
        ' "label": "contradicted", "reason": "The third.", "quote": "due on the third"}\n'
        '{"passage": "Rent is due on the third.", "claim": "It is due early.", "label": "partially_supported"}\n'
        '{"sentence": "It is big and old.", "claims": ["It is big.", "It is old."]}\n'
    )
    mine = judge(server, examples=path)
    await mine.verify(pairs("The tower is in Paris."))
    user, assistant = server.requests[0].turns[-1]
    assert [part.kind for part in parts(user)] == ["passage", "claim"]
    assert list(json.loads(assistant)["verdicts"][0]) == ["claim", "text", "reason", "label"]
    assert len(server.requests[0].turns) == 7, "a label that is off the menu is no example, nor is a sentence"
    assert mine.signature != judge(server).signature


def test_the_signature_names_the_prompt_and_holds_all_turns(server: LLMServer) -> None:
    signature = judge(server).signature
    assert ",verify-small." in signature
    assert ".ex" in signature
    assert signature.endswith(",prompt=small")
    small = Instructions("verify", SMALL)
    assert small.signature != Instructions("verify", JudgeSettings()).signature
    assert load_verifier(f"openai:stub?prompt=small@{server.url}").signature == signature


async def test_verdicts_of_another_prompt_are_not_taken_from_the_cache(server: LLMServer, tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "cache.db")
    for size, asked in (("small", 4), ("small", 4), ("full", 5), ("brief", 6)):
        server.brain = modest if size == "small" else think
        await Cached(Judge(f"openai:stub?prompt={size}@{server.url}"), store).verify(pairs())
        assert len(server.requests) == asked


async def test_an_estimate_counts_the_turns(server: LLMServer) -> None:
    claims = [pair.claim for pair in pairs()]
    expected = judge(server).estimate(SAMPLE, claims)
    with metered() as meter:
        await judge(server).verify(pairs())
    assert expected.calls == meter.usage.calls == 4
    assert expected.prompt_tokens > 4 * 900
    assert expected.prompt_tokens == pytest.approx(meter.usage.prompt_tokens, rel=0.2)
    brief = judge(server, prompt="brief").estimate(SAMPLE, claims)
    assert expected.prompt_tokens > brief.prompt_tokens


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"mode": "joint"}, "mode=joint"),
        ({"partial": True}, "partial=true"),
        ({"reasons": False}, "reasons=false"),
        ({"verify_prompt": "mine.md"}, "verify_prompt"),
        ({"partial": True, "reasons": False}, "partial=true or reasons=false"),
    ],
    ids=str,
)
def test_what_it_cannot_do_is_refused(server: LLMServer, options: dict[str, object], says: str) -> None:
    message = f"prompt=small does not go with {says}"
    with pytest.raises(UsageError, match=message):
        judge(server, **options)
    with pytest.raises(UsageError, match=message):
        Judge(f"openai:stub@{server.url}", settings=SMALL, **options)
    named = [f"--judge-option={name}={str(value).lower()}" for name, value in options.items()]
    checked = ["check", "It is.", "--context", "It is.", "-v", f"openai:stub@{server.url}", "--no-cache"]
    done = CliRunner().invoke(main, [*checked, "--judge-option=prompt=small", *named])
    assert done.exit_code == 2
    assert message in done.output
    assert not server.requests


def test_joint_is_refused_by_the_extractor_too(server: LLMServer) -> None:
    with pytest.raises(UsageError, match="prompt=small does not go with mode=joint"):
        JointExtractor(f"openai:stub?prompt=small@{server.url}")


def test_claims_and_rewrites_are_those_of_the_full_prompt(server: LLMServer) -> None:
    spec = f"openai:stub?{{}}@{server.url}"
    small, full = (LLMExtractor(spec.format(f"prompt={size}")) for size in ("small", "full"))
    assert small.signature == full.signature
    rewriters = [Judge(spec.format(f"prompt={size}")).rewriter().signature for size in ("small", "full")]
    assert len(set(rewriters)) == 1


async def test_votes_and_log_probabilities_work(server: LLMServer) -> None:
    (found,) = await judge(server, votes=3).verify(pairs("The tower is in Paris."))
    assert isinstance(found, Verdict)
    assert found.support == 1.0
    assert [item.quote for item in found.evidence] == ["The tower is in Paris."]
    (found,) = await judge(server, logprobs=True).verify(pairs("The tower is in Paris."))
    assert isinstance(found, Verdict)
    assert found.support == pytest.approx(0.9)


async def test_an_endpoint_without_schemas_is_told_the_form_once(server: LLMServer) -> None:
    server.behaviour.rejects = ("json_schema", "json_object")
    found = await judge(server).verify(pairs())
    assert [verdict.label for verdict in found if isinstance(verdict, Verdict)] == [row[0] for row in CLAIMS.values()]
    assert server.requests[-1].system.count("in this form") == 1
    assert server.requests[-1].turns


def test_what_a_pronoun_refers_to_is_part_of_the_caches_key(server: LLMServer) -> None:
    claim = Claim(text="It has 3 floors.", start=20, end=36)
    tower, hall = (Sample(answer=f"{name} is in Paris. It has 3 floors.", contexts=["x"]) for name in ("Tower", "Hall"))
    small, full = judge(server), judge(server, prompt="full")
    assert small.reads(Pair(claim, tower)) != small.reads(Pair(claim, hall))
    assert full.reads(Pair(claim, tower)) == full.reads(Pair(claim, hall)) == ("",)
