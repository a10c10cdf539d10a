"""The way through: one outcome for each claim whatever the parts do, sync and async alike."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faithmeter
from faithmeter import (
    Claim,
    Evaluator,
    Evidence,
    Extraction,
    Failure,
    Label,
    Origin,
    Outcome,
    Pair,
    Report,
    Result,
    Sample,
    Usage,
    UsageError,
    Verdict,
    acheck,
    aevaluate,
    check,
    evaluate,
)
from faithmeter.runtime.usage import spend

CONTEXT = "The Eiffel Tower is 330 metres tall. It opened in 1889."


class Substring:
    """Supports what stands verbatim in a context; a small real verifier."""

    signature = "substring"

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        await asyncio.sleep(random.random() / 1000)  # outcomes must not depend on who finishes first
        return [self._judge(pair) for pair in pairs]

    def _judge(self, pair: Pair) -> Outcome:
        for index, context in enumerate(pair.sample.contexts):
            start = context.text.find(pair.claim.text)
            if start >= 0:
                evidence = Evidence.of(pair.sample.contexts, index, start, start + len(pair.claim.text))
                return self._verdict(pair.claim, Label.SUPPORTED, (evidence,))
        return self._verdict(pair.claim, Label.NOT_ENOUGH_INFO, ())

    def _verdict(self, claim: Claim, label: Label, evidence: tuple[Evidence, ...]) -> Verdict:
        return Verdict(claim=claim, label=label, evidence=evidence, origin=Origin(verifier="substring"))


class Broken(Substring):
    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        raise RuntimeError("out of memory")


class Forgetful(Substring):
    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        return (await super().verify(pairs))[:-1]


class Confused(Substring):
    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        return (await super().verify(pairs))[::-1]


class Lying(Substring):
    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        made_up = Evidence(context=0, start=0, end=9, quote="invented!")
        return [self._verdict(pair.claim, Label.SUPPORTED, (made_up,)) for pair in pairs]


class Misused(Substring):
    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        raise UsageError("no key")


ANSWER = "The Eiffel Tower is 330 metres tall. It opened in 1900."


@pytest.mark.parametrize(
    ("answer", "contexts", "score", "status"),
    [
        ("It opened in 1889.", [CONTEXT], 1.0, "ok"),
        (ANSWER, [CONTEXT], 0.5, "ok"),
        ("It is red. It is old.", [CONTEXT], 0.0, "ok"),
        ("", [CONTEXT], 1.0, "no_claims"),
        (" \n\t ", [CONTEXT], 1.0, "no_claims"),
        ("Hello!", [CONTEXT], 1.0, "no_claims"),
        ("I don't know from the given context.", [CONTEXT], 1.0, "no_claims"),
    ],
)
def test_the_acceptance_table(answer: str, contexts: list[str], score: float, status: str) -> None:
    result = check(answer, contexts, verifier=Substring())
    assert (result.score, result.status) == (score, status)


@pytest.mark.parametrize("contexts", [[], [""], ["  \n", "\t"]])
def test_without_contexts_there_is_not_enough_info(contexts: list[str]) -> None:
    result = check(ANSWER, contexts, verifier=Broken())  # and nobody needs to be asked
    assert [verdict.label for verdict in result.verdicts] == [Label.NOT_ENOUGH_INFO] * 2
    assert result.score == 0.0


@pytest.mark.parametrize(
    ("verifier", "message"),
    [
        (Broken(), "RuntimeError: out of memory"),
        (Forgetful(), "1 outcomes that do not match the 2 claims"),
        (Confused(), "outcomes that do not match the claims: here one of 'It opened in 1900.'"),
    ],
)
def test_every_claim_gets_an_outcome_from_a_broken_verifier(verifier: Substring, message: str) -> None:
    result = check(ANSWER, [CONTEXT], verifier=verifier)
    assert (result.status, result.score, result.coverage, result.bounds) == ("failed", None, 0.0, (0.0, 1.0))
    assert [failure.kind for failure in result.failures] == ["error", "error"]
    assert message in result.failures[0].message


def test_evidence_that_is_not_verbatim_is_not_evidence() -> None:
    result = check(ANSWER, [CONTEXT], verifier=Lying())
    assert [verdict.evidence for verdict in result.verdicts] == [(), ()]


def test_a_wrong_call_is_an_error_and_not_a_failure() -> None:
    with pytest.raises(UsageError, match="no key"):
        check(ANSWER, [CONTEXT], verifier=Misused())


def test_an_extractor_may_fail_or_bring_its_own_outcomes() -> None:
    class Failing:
        signature = "failing"

        async def extract(self, sample: Sample) -> Extraction:
            raise ValueError("no idea")

    class Joint:
        signature = "joint"

        async def extract(self, sample: Sample) -> Extraction:
            claim = Claim(text="It is tall.", start=0, end=5)
            verdict = Verdict(claim=claim, label=Label.CONTRADICTED, origin=Origin(verifier="joint"))
            return Extraction(claims=(claim,), outcomes=(verdict,))

    failed = check(ANSWER, [CONTEXT], verifier=Substring(), extractor=Failing())
    assert (failed.status, failed.failures[0].kind, failed.failures[0].claim) == ("failed", "extraction", None)
    joint = check(ANSWER, [CONTEXT], verifier=Broken(), extractor=Joint())
    assert [verdict.label for verdict in joint.verdicts] == [Label.CONTRADICTED]


async def test_sync_calls_work_inside_a_running_loop() -> None:
    result = check(ANSWER, [CONTEXT], verifier=Substring())
    assert result.score == (await acheck(ANSWER, [CONTEXT], verifier=Substring())).score == 0.5
    assert evaluate([{"answer": ANSWER, "contexts": [CONTEXT]}], verifier=Substring()).mean == 0.5


def test_sync_calls_share_one_loop() -> None:
    loops = []

    class Watching(Substring):
        async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
            loops.append(asyncio.get_running_loop())
            return await super().verify(pairs)

    for _ in range(3):
        check(ANSWER, [CONTEXT], verifier=Watching())
    assert len(set(map(id, loops))) == 1


def test_a_verifier_that_exits_ends_the_call_and_not_the_loop() -> None:
    class Quitting(Substring):
        async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
            raise SystemExit(3)

    with pytest.raises(SystemExit):
        check(ANSWER, [CONTEXT], verifier=Quitting())
    assert check(ANSWER, [CONTEXT], verifier=Substring()).score == 0.5


@given(st.lists(st.sampled_from(["It opened in 1889. ", "It is red. ", "Hello! ", ""]), max_size=5), st.integers(1, 7))
async def test_order_and_results_do_not_depend_on_concurrency(pieces: list[str], concurrency: int) -> None:
    samples = [Sample(answer="".join(pieces[: n + 1]), contexts=[CONTEXT], id=str(n)) for n in range(len(pieces))]
    evaluator = Evaluator(verifier=Substring())
    streamed = [result async for result in evaluator.stream(samples, concurrency=concurrency)]
    alone = [await evaluator.check(sample) for sample in samples]
    assert list(map(_facts, streamed)) == list(map(_facts, alone))


def _facts(result: Result) -> Result:
    return result.model_copy(update={"usage": Usage()})  # seconds differ


async def test_a_stream_takes_no_more_than_it_can_chew() -> None:
    taken = 0

    def endless():  # type: ignore[no-untyped-def]
        nonlocal taken
        while True:
            taken += 1
            yield Sample(answer=ANSWER, contexts=[CONTEXT])

    stream = Evaluator(verifier=Substring()).stream(endless(), concurrency=4)
    async for _ in stream:
        break
    await stream.aclose()
    assert taken <= 5


async def test_usage_is_counted_for_each_sample_by_itself() -> None:
    class Paid(Substring):
        async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
            async def one(pair: Pair) -> None:
                await asyncio.sleep(random.random() / 1000)
                spend(Usage(calls=1, prompt_tokens=len(pair.claim.text)))

            await asyncio.gather(*map(one, pairs))
            return await super().verify(pairs)

    rows = [{"answer": "It is red. " * n, "contexts": [CONTEXT]} for n in range(1, 6)]
    report = await aevaluate(rows, verifier=Paid())
    assert [result.usage.calls for result in report] == [1, 2, 3, 4, 5]
    assert report.usage.calls == 15


def test_evaluate_takes_samples_rows_and_files(tmp_path: pytest.TempPathFactory) -> None:
    rows = [
        {"response": "It opened in 1889.", "retrieved_contexts": [CONTEXT]},
        Sample(answer=ANSWER, contexts=[CONTEXT]),
    ]
    report = evaluate(rows, verifier=Substring(), min_score=0.8)
    assert isinstance(report, Report)
    assert (report.mean, report.pass_rate) == (0.75, 0.5)
    with pytest.raises(faithmeter.DataError, match="row 2: no column 'answer' or 'response'"):
        evaluate([rows[0], {"text": "?"}], verifier=Substring())
    with pytest.raises(faithmeter.DataError, match="there are no rows"):
        evaluate([], verifier=Substring())


def test_the_signature_says_how_results_were_made() -> None:
    evaluator = Evaluator(verifier=Substring(), scoring="strict")
    assert evaluator.signature == "extract:sentences.5|verify:substring|score:strict"
    assert asyncio.run(evaluator.check(Sample(answer="x.", contexts=["y"]))).signature == evaluator.signature


def my_verifier() -> Substring:
    return Substring()


def not_a_verifier() -> int:
    return 3


def test_a_verifier_of_ones_own_is_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "mine", sys.modules[__name__])
    assert check(ANSWER, [CONTEXT], verifier="python:mine:my_verifier").score == 0.5
    for spec, problem in {
        "python:mine:missing": "cannot load verifier",
        "python:no_such_module:x": "No module named",
        "python:": "cannot load verifier",
        "python:mine:not_a_verifier": "is no verifier: it needs `signature` and `verify`",
        "gpt": "unknown verifier 'gpt'; known:",
    }.items():
        with pytest.raises(UsageError, match=problem):
            check(ANSWER, [CONTEXT], verifier=spec)


def test_failures_know_their_claims() -> None:
    failure = check(ANSWER, [CONTEXT], verifier=Broken()).failures[1]
    assert isinstance(failure, Failure)
    assert failure.claim == Claim(text="It opened in 1900.", start=37, end=55)
    assert "error" in repr(failure)
