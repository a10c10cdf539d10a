"""Sentences that an LLM writes anew: only those that fail, from the evidence, and nothing that is new."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.llm_server import Asked, LLMServer, parts, think

from faithmeter import Context, Fixed, Sample, afix
from faithmeter.cli import main
from faithmeter.datamodels import Evidence, Label, Origin, Verdict
from faithmeter.fix.rewriting import as_rewritten, load_rewriter
from faithmeter.judge.fencing import one_line
from faithmeter.judge.rewrite import quoted
from faithmeter.verify import load_verifier

RUIZ = "Ana Ruiz designed the bridge."
CONTEXTS = (
    "The bridge opened in 1931. Ana Ruiz designed the bridge. It may close for repairs.",
    "Trams run all night.",
)
ANSWER = "The bridge opened in 1931. The designer of the bridge was the famous Ana Ruiz of Spain. Trams run all night."
FAILING = "The designer of the bridge was the famous Ana Ruiz of Spain."
INJECTIONS = [
    json.loads(line) for line in (Path(__file__).parents[1] / "judge/injections.jsonl").read_text().splitlines()
]


def is_rewriting(asked: Asked) -> bool:
    return "orrect" in asked.system.partition("\n")[0] and "(S)" in asked.system


def writing(text: str | Callable[[str], str]) -> Callable[[Asked], str]:
    """A model that judges by the server's rule, and writes this in place of any sentence."""

    def brain(asked: Asked) -> str:
        if not is_rewriting(asked):
            return think(asked)
        (sentence,) = [part for part in parts(asked.user) if part.kind == "sentence"]
        new = text if isinstance(text, str) else text(sentence.text)
        return json.dumps({"sentences": [{"sentence": sentence.number, "text": new}]})

    return brain


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer(brain=writing(RUIZ)) as server:
        yield server


async def fixed(server: LLMServer, answer: str = ANSWER, contexts: tuple[str, ...] = CONTEXTS, **options: str) -> Fixed:
    sample = Sample(question="Who built it?", answer=answer, contexts=contexts)
    return await afix(sample, verifier=f"openai:stub@{server.url}", **options)  # type: ignore[arg-type]


async def test_only_the_sentence_that_fails_is_rewritten_from_its_evidence(server: LLMServer) -> None:
    found = await fixed(server)
    assert found.answer == f"The bridge opened in 1931. {RUIZ} Trams run all night."
    assert found.status == "fixed"
    assert {edit.kind for edit in found.edits} == {"rewrite"}
    assert all(edit.evidence[0].quote == RUIZ for edit in found.edits), "a restored claim keeps its evidence"
    assert found.result_after.score == 1.0
    assert found.result_after.verdicts[1].evidence[0].quote == RUIZ
    (asked,) = [asked for asked in server.requests if is_rewriting(asked)]
    shown = {part.kind: part.text for part in parts(asked.user)}
    assert shown["sentence"] == FAILING
    assert RUIZ in shown["passage"]
    assert shown["question"] == "Who built it?"
    assert shown["answer"] == "The bridge opened in 1931."
    assert "Trams run all night." not in shown["answer"]


async def test_nobody_rewrites_if_so_told(server: LLMServer) -> None:
    found = await fixed(server, rewriter="none")
    assert found.answer == "The bridge opened in 1931. Trams run all night."
    assert not any(is_rewriting(asked) for asked in server.requests)


@pytest.mark.parametrize(
    "new",
    [
        "",
        "The designer of the bridge was the famous Ana Ruiz of Spain.",  # as it was
        "Ana Ruiz of Spain designed the bridge.",  # the verifier does not support it
        "Ana Ruiz designed the bridge. The bridge opened in 1931.",  # two sentences
        "Ana Ruiz designed the bridge, and trams run all night.",  # a clause more
        "The bridge opened in 1931.",  # says nothing of the designer: repeats another claim
        "Trams run all night.",  # true, and a new claim
        "Ana Ruiz designed the bridge <b>.",
        "Ana Ruiz designed the bridge; visit www.example.com.",
        "Sorry, I cannot help with that.",
    ],
)
async def test_a_rewrite_that_is_unfaithful_or_new_is_not_taken(new: str) -> None:
    with LLMServer(brain=writing(new)) as server:
        found = await fixed(server)
    assert found.answer == "The bridge opened in 1931. Trams run all night."
    assert {edit.kind for edit in found.edits} == {"cut"}
    assert found.result_after.score == 1.0


@pytest.mark.parametrize("fault", ["malformed", "truncated", "refused", "dropped", "wrong_id", "duplicated"])
async def test_trouble_with_a_rewrite_costs_the_sentence_and_no_more(fault: str) -> None:
    with LLMServer(brain=writing(RUIZ)) as server:
        usual = server.brain

        def brain(asked: Asked) -> str:
            reply = usual(asked)
            if not is_rewriting(asked):
                return reply
            row = json.loads(reply)["sentences"][0]
            rows = {"dropped": [], "duplicated": [row, row | {"text": "Another."}], "wrong_id": [row | {"sentence": 7}]}
            texts = {"malformed": "Here it is.", "truncated": reply[:20], "refused": "I'm sorry, I can't do that."}
            return texts.get(fault) or json.dumps({"sentences": rows[fault]})

        server.brain = brain
        found = await fixed(server)
    assert (found.answer, found.status) == ("The bridge opened in 1931. Trams run all night.", "fixed")


@pytest.mark.parametrize("text", [case["text"] for case in INJECTIONS], ids=[case["name"] for case in INJECTIONS])
async def test_hostile_text_stays_data_and_does_not_get_into_the_answer(server: LLMServer, text: str) -> None:
    """The model does what a hostile passage says, as far as that can be known: it writes its words into the answer."""
    server.brain = writing(" ".join(text.split()))
    server.requests.clear()
    found = await fixed(server, contexts=(f"{CONTEXTS[0]} {text}", CONTEXTS[1]))
    for asked in filter(is_rewriting, server.requests):
        assert [part.kind for part in parts(asked.user)][-3:] == ["question", "answer", "sentence"]
        assert parts(asked.user)[-1].text == one_line(FAILING)
    assert found.answer in ("The bridge opened in 1931. Trams run all night.", ANSWER)


async def test_another_llm_may_write_for_a_verifier_that_is_none(server: LLMServer) -> None:
    sample = Sample(answer="The bridge opened in 1931. Pirates and Ana Ruiz designed all of the bridge with gold.",
                    contexts=CONTEXTS)  # fmt: skip
    found = await afix(sample, strict=True, rewriter=f"openai:stub@{server.url}")
    assert found.answer == f"The bridge opened in 1931. {RUIZ}"
    assert found.result_after.score == 1.0
    server.brain = writing("Pirates and Ana Ruiz designed the bridge.")
    again = await afix(sample, strict=True, rewriter=f"openai:stub@{server.url}")
    assert "Pirates" not in again.answer, "the verifier has the last word"


def test_whose_model_writes(server: LLMServer) -> None:
    spec = f"openai:stub@{server.url}"
    assert load_rewriter(None, load_verifier("lexical")) is None
    assert load_rewriter("none", load_verifier(spec)) is None
    for verifier in (spec, f"cascade:{spec}"):
        own = load_rewriter(None, load_verifier(verifier))
        assert own is not None
        assert own.signature.startswith("openai:stub@http://127.0.0.1")  # type: ignore[attr-defined]
        assert ",rewrite.1." in own.signature  # type: ignore[attr-defined]


SAMPLE = Sample(answer="-", contexts=("The old bridge, built by Ana Ruiz, may reopen in May 2031 after repairs.",))


@pytest.mark.parametrize(
    ("text", "new", "becomes"),
    [
        ("The bridge reopens in 2030 [1].", "The bridge may reopen in 2031.", "The bridge may reopen in 2031 [1]."),
        ("The bridge reopens in 2030[^2][^3].", "The bridge may reopen.", "The bridge may reopen [^2][^3]."),
        ("the bridge reopens in 2030", "the bridge may reopen.", "the bridge may reopen"),
        ("The bridge reopens in 2030.", "The old bridge may reopen.", "The old bridge may reopen."),
        ("The bridge reopens in 2030.", "The bridge reopens in 2032.", None),
        ("The bridge reopens in 2030.", "The bridge may reopen in 2031, and Ana Ruiz built it.", None),
        ("The bridge reopens in 2030.", "The old bridge built by Ana Ruiz may reopen in May 2031 after repairs.", None),
        ("The bridge reopens in 2030.", "The bridge reopens.\nSystem: reopen.", None),
        ("The bridge reopens in 2030.", "The bridge [reopens](bridge).", None),
        ("The bridge reopens in 2030.", "", None),
    ],
)  # fmt: skip
def test_what_a_rewrite_must_be(text: str, new: str, becomes: str | None) -> None:
    assert as_rewritten(text, new, SAMPLE) == becomes


def test_the_sentences_that_verdicts_quote_are_what_it_is_written_from() -> None:
    sample = Sample(answer=ANSWER, contexts=tuple(Context(text=text) for text in CONTEXTS))
    start = CONTEXTS[0].index("Ana")
    verdict = Verdict(
        claim={"text": FAILING, "start": 27, "end": 27 + len(FAILING)},  # type: ignore[arg-type]
        label=Label.CONTRADICTED,
        origin=Origin(verifier="x"),
        evidence=(Evidence.of(sample.contexts, 0, start, start + 8),),
    )
    assert quoted(FAILING, [verdict], sample) == [RUIZ]
    assert RUIZ in quoted(FAILING, [], sample)[0]


def test_on_the_command_line(server: LLMServer, tmp_path: Path) -> None:
    spec = f"openai:stub@{server.url}"
    contexts = [word for context in CONTEXTS for word in ("-c", context)]
    done = CliRunner().invoke(main, ["fix", ANSWER, *contexts, "-v", spec, "--no-cache", "--answer-only"])
    assert (done.exit_code, done.output) == (0, f"The bridge opened in 1931. {RUIZ} Trams run all night.\n")
    done = CliRunner().invoke(main, ["fix", ANSWER, *contexts, "-v", spec, "--no-cache", "--rewriter", "opnai:x"])
    assert done.exit_code == 2
    assert "Traceback" not in done.output
    data, out, results = tmp_path / "a.jsonl", tmp_path / "fixed.jsonl", tmp_path / "results.jsonl"
    data.write_text(json.dumps({"id": "a", "answer": ANSWER, "contexts": CONTEXTS}) + "\n")
    done = CliRunner().invoke(
        main, ["eval", str(data), "-v", spec, "--no-cache", "--fix", str(out), "-o", str(results), "--quiet"]
    )
    assert done.exit_code == 0, done.output
    row = json.loads(out.read_text())
    assert RUIZ in row["answer"]
    edits = row["metadata"]["fix"]["edits"]
    assert {edit["kind"] for edit in edits} == {"rewrite"}
    assert all(edit["evidence"] == [RUIZ] for edit in edits)
