"""The batch boundary: whatever a plug-in gives back, each claim has one outcome, and one bad sample ends nothing."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from faithmeter import (
    Aside,
    Claim,
    Evaluator,
    Extraction,
    Failure,
    Label,
    Origin,
    Pair,
    Result,
    Sample,
    Verdict,
    acheck,
    check,
    evaluate,
)
from faithmeter.cache import wrap
from faithmeter.verify.calibrated import Calibrated, Profile
from faithmeter.verify.cascade import Cascade, Corroborated, Tier
from faithmeter.verify.lexical import LexicalVerifier

ANSWER = "The tower is red. The tower is old."
CONTEXT = "The tower is blue and new."


def contradicted(pair: Pair) -> Verdict:
    return Verdict(claim=pair.claim, label=Label.CONTRADICTED, support=0.0, origin=Origin(verifier="mine"))


def supported(pair: Pair) -> Verdict:
    return contradicted(pair).model_copy(update={"label": Label.SUPPORTED, "support": 1.0})


class Mine:
    """A user's verifier that gives back whatever it likes."""

    signature = "mine"

    def __init__(self, give: Callable[[Sequence[Pair]], Any]) -> None:
        self.give = give

    async def verify(self, pairs: Sequence[Pair]) -> Any:
        return self.give(pairs)


LISTS: dict[str, Callable[[Sequence[Pair]], Any]] = {
    "list": lambda pairs: [contradicted(pair) for pair in pairs],
    "tuple": lambda pairs: tuple(contradicted(pair) for pair in pairs),
    "generator": lambda pairs: (contradicted(pair) for pair in pairs),
    "map": lambda pairs: map(contradicted, pairs),
}
BROKEN: dict[str, Callable[[Sequence[Pair]], Any]] = {
    "None": lambda pairs: None,
    "a number": lambda pairs: 1.0,
    "a string": lambda pairs: "ok",
    "a dict": lambda pairs: {pair.claim.text: supported(pair) for pair in pairs},
    "Nones": lambda pairs: [None for _ in pairs],
    "dicts": lambda pairs: [supported(pair).model_dump() for pair in pairs],
    "labels": lambda pairs: [Label.SUPPORTED for _ in pairs],
    "too few": lambda pairs: [supported(pair) for pair in pairs][:-1],
    "none at all": lambda pairs: [],
    "too many": lambda pairs: [supported(pair) for pair in [*pairs, pairs[0]]],
    "no end": lambda pairs: itertools.repeat(supported(pairs[0])),
    "the other way round": lambda pairs: [supported(pair) for pair in reversed(pairs)],
    "a generator that breaks": lambda pairs: (supported(pair) if n == 0 else 1 / 0 for n, pair in enumerate(pairs)),
    "a label off the menu": lambda pairs: [supported(pair).model_copy(update={"label": "yes"}) for pair in pairs],
    "a label that is a string": lambda pairs: [
        supported(pair).model_copy(update={"label": "supported"}) for pair in pairs
    ],
    "support of 7": lambda pairs: [supported(pair).model_copy(update={"support": 7.0}) for pair in pairs],
    "support of NaN": lambda pairs: [supported(pair).model_copy(update={"support": float("nan")}) for pair in pairs],
    "a kind off the menu": lambda pairs: [contradicted(pair).model_copy(update={"kind": "odd"}) for pair in pairs],
    "blame off the menu": lambda pairs: [contradicted(pair).model_copy(update={"blame": "you"}) for pair in pairs],
    "evidence of strings": lambda pairs: [supported(pair).model_copy(update={"evidence": ("it",)}) for pair in pairs],
    "a verdict without fields": lambda pairs: [Verdict.model_construct() for _ in pairs],
    "an async generator": lambda pairs: _agen(pairs),
}


async def _agen(pairs: Sequence[Pair]) -> Any:
    for pair in pairs:
        yield supported(pair)


@pytest.mark.parametrize("give", LISTS.values(), ids=LISTS)
def test_any_iterable_of_outcomes_is_a_list_of_outcomes(give: Callable[[Sequence[Pair]], Any]) -> None:
    result = check(ANSWER, [CONTEXT], verifier=Mine(give))
    assert (result.score, result.status, len(result.verdicts)) == (0.0, "ok", 2)


@pytest.mark.parametrize("give", BROKEN.values(), ids=BROKEN)
def test_what_is_no_outcome_of_the_claim_is_a_failure_of_its_sample(give: Callable[[Sequence[Pair]], Any]) -> None:
    result = check(ANSWER, [CONTEXT], verifier=Mine(give))
    assert (result.score, result.status, result.coverage) == (None, "failed", 0.0)
    assert [failure.claim.text for failure in result.failures if failure.claim] == [
        "The tower is red.",
        "The tower is old.",
    ]
    assert {failure.kind for failure in result.failures} == {"error"}


@pytest.mark.parametrize("give", BROKEN.values(), ids=BROKEN)
def test_one_bad_sample_does_not_end_a_run(give: Callable[[Sequence[Pair]], Any]) -> None:
    def sometimes(pairs: Sequence[Pair]) -> Any:
        return give(pairs) if pairs[0].sample.id == "bad" else [contradicted(pair) for pair in pairs]

    rows = [{"id": name, "answer": ANSWER, "contexts": [CONTEXT]} for name in ("one", "bad", "two")]
    report = evaluate(rows, verifier=Mine(sometimes))
    assert [result.status for result in report] == ["ok", "failed", "ok"]
    assert [result.score for result in report] == [0.0, None, 0.0]


def test_one_odd_outcome_among_good_ones_fails_its_claim_only() -> None:
    result = check(ANSWER, [CONTEXT], verifier=Mine(lambda pairs: [None, contradicted(pairs[1])]))
    assert [type(outcome) for outcome in result.outcomes] == [Failure, Verdict]
    assert (result.status, result.coverage) == ("partial", 0.5)


def _around(folder: Path, inner: Mine) -> dict[str, Any]:
    return {
        "cache": wrap(inner, cache=folder / "cache.sqlite"),
        "cascade": Cascade([Tier(inner), Tier(inner)]),
        "seconded": Corroborated(inner, LexicalVerifier()),
        "profile": Calibrated(inner, Profile(verifier="mine", labels=0)),
    }


@pytest.mark.parametrize("wrapper", ["cache", "cascade", "seconded", "profile"])
@pytest.mark.parametrize("give", BROKEN.values(), ids=BROKEN)
def test_a_wrapper_believes_a_broken_verifier_no_more_than_the_evaluator_does(
    give: Callable[[Sequence[Pair]], Any], wrapper: str, tmp_path: Path
) -> None:
    result = check(ANSWER, [CONTEXT], verifier=_around(tmp_path, Mine(give))[wrapper])
    assert (result.score, result.status) == (None, "failed")


@pytest.mark.parametrize("wrapper", ["cache", "cascade", "seconded", "profile"])
@pytest.mark.parametrize("give", LISTS.values(), ids=LISTS)
def test_a_wrapper_takes_any_iterable(give: Callable[[Sequence[Pair]], Any], wrapper: str, tmp_path: Path) -> None:
    result = check(ANSWER, [CONTEXT], verifier=_around(tmp_path, Mine(give))[wrapper])
    assert (result.score, result.status) == (0.0, "ok")


def test_the_next_tier_judges_what_a_broken_one_did_not() -> None:
    for give in BROKEN.values():
        cascade = Cascade([Tier(Mine(give)), Tier(Mine(lambda pairs: map(contradicted, pairs)))])
        assert check(ANSWER, [CONTEXT], verifier=cascade).score == 0.0


class Taking:
    """A user's extractor that gives back whatever it likes."""

    signature = "taking"

    def __init__(self, give: Callable[[Sample], Any]) -> None:
        self.give = give

    async def extract(self, sample: Sample) -> Any:
        return self.give(sample)


RED = Claim(text="The tower is red.", start=0, end=17)
OLD = Claim(text="The tower is old.", start=18, end=35)
SAMPLE = Sample(answer=ANSWER, contexts=[CONTEXT])  # type: ignore[arg-type]
GOOD = tuple(supported(Pair(claim, SAMPLE)) for claim in (RED, OLD))


@pytest.mark.parametrize(
    "outcomes",
    [GOOD[:1], (*GOOD, GOOD[0]), GOOD[::-1], (GOOD[0], GOOD[0]), (None, None)],
    ids=["one for two", "three for two", "the other way round", "one twice", "Nones"],
)
def test_an_extractors_outcomes_must_be_those_of_its_claims(outcomes: tuple[Any, ...]) -> None:
    extraction = Extraction(claims=(RED, OLD)).model_copy(update={"outcomes": outcomes})
    result = check(ANSWER, [CONTEXT], verifier=Mine(LISTS["list"]), extractor=Taking(lambda sample: extraction))
    assert result.status != "ok"
    assert [outcome.claim for outcome in result.outcomes] == [RED, OLD]
    assert result.coverage <= 0.5


@pytest.mark.parametrize(
    "given",
    [
        None,
        [],
        [RED, OLD],
        {"claims": [RED, OLD]},
        "The tower is red.",
        Extraction(outcomes=GOOD),  # of which claims?
        Extraction().model_copy(update={"claims": ("The tower is red.",)}),
        Extraction().model_copy(update={"claims": None}),
        Extraction().model_copy(update={"claims": (None,)}),
        Extraction().model_copy(update={"claims": ("",)}),
        Extraction().model_copy(update={"asides": ({"text": "x"},)}),
    ],
)
def test_what_is_no_extraction_is_a_failure_of_its_sample(given: object) -> None:
    def sometimes(sample: Sample) -> Any:
        return given if sample.id == "bad" else Extraction(claims=(RED, OLD))

    rows = [{"id": name, "answer": ANSWER, "contexts": [CONTEXT]} for name in ("one", "bad", "two")]
    report = evaluate(rows, verifier=Mine(LISTS["list"]), extractor=Taking(sometimes))
    assert [result.score for result in report] == [0.0, None, 0.0]
    assert [failure.kind for failure in report.results[1].failures] == ["extraction"]


def test_asides_stay() -> None:
    aside = Aside(text="The tower is old.", start=18, end=35, kind="no_claim")
    extraction = Extraction(claims=(RED,), asides=(aside,), outcomes=GOOD[:1])
    result = check(ANSWER, [CONTEXT], verifier=Mine(LISTS["list"]), extractor=Taking(lambda sample: extraction))
    assert (result.score, result.asides) == (1.0, (aside,))


class Asking(Mine):
    """Judges each claim with another check, from inside the verifier; `deeper` does the same once more."""

    def __init__(self, how: str, *, deeper: int = 0) -> None:
        super().__init__(lambda pairs: ())
        self.how = how
        self.inner: Any = Asking(how, deeper=deeper - 1) if deeper else Mine(LISTS["map"])

    async def verify(self, pairs: Sequence[Pair]) -> Any:
        return [await self._judge(pair) for pair in pairs]

    async def _judge(self, pair: Pair) -> Verdict:
        contexts = [context.text for context in pair.sample.contexts]
        result: Result
        if self.how == "await":
            result = await acheck(pair.claim.text, contexts, verifier=self.inner)
        elif self.how == "thread":
            result = await asyncio.to_thread(check, pair.claim.text, contexts, verifier=self.inner)
        else:
            result = check(pair.claim.text, contexts, verifier=self.inner)
        return supported(pair) if result.score else contradicted(pair)


@pytest.mark.parametrize("deeper", [0, 1, 2])
@pytest.mark.parametrize("how", ["sync", "await", "thread"])
def test_a_verifier_may_call_check(how: str, deeper: int) -> None:
    assert _in_time(lambda: check(ANSWER, [CONTEXT], verifier=Asking(how, deeper=deeper)).score) == 0.0


def test_a_verifier_may_call_evaluate() -> None:
    def give(pairs: Sequence[Pair]) -> Any:
        rows = [{"answer": pair.claim.text, "contexts": [CONTEXT]} for pair in pairs]
        report = evaluate(rows, verifier=Mine(LISTS["list"]))
        return [contradicted(pair) for pair, _ in zip(pairs, report, strict=True)]

    assert _in_time(lambda: check(ANSWER, [CONTEXT], verifier=Mine(give)).score) == 0.0


def _in_time(work: Callable[[], Any]) -> Any:
    """Do it in a thread that does not keep the tests from ending if it waits for ever."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()
    thread.join(300)
    assert not thread.is_alive(), "it waits for itself"
    return found[0]


async def test_a_verifier_that_cancels_itself_is_a_failure_and_a_cancelled_run_is_not() -> None:
    def give_up(pairs: Sequence[Pair]) -> Any:
        raise asyncio.CancelledError

    result = await Evaluator(verifier=Mine(give_up)).check(SAMPLE)
    assert result.status == "failed"

    class Slow(Mine):
        async def verify(self, pairs: Sequence[Pair]) -> Any:
            await asyncio.sleep(3600)

    task = asyncio.create_task(Evaluator(verifier=Slow(LISTS["list"])).check(SAMPLE))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
