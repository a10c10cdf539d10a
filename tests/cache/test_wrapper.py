"""The cache around a verifier: what is asked, what is answered from the store, and what a hit says."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithmeter.cache.codec import moved
from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.cache.store import Store
from faithmeter.cache.wrapper import Cached, CachedExtractor
from faithmeter.datamodels import (
    Aside,
    Claim,
    Evidence,
    Extraction,
    Failure,
    Label,
    Origin,
    Outcome,
    Pair,
    Sample,
    Usage,
    Verdict,
)
from faithmeter.errors import EndpointDown, StopRun
from faithmeter.runtime.usage import metered, spend

CONTEXT = "The tower is 330 metres tall. It was built in 1889."


class Substring:
    """Judges a claim supported if it stands in a context; counts what it was asked, and spends a call a batch."""

    def __init__(self, *, name: str = "substring", delay: float = 0.0) -> None:
        self.signature = name
        self.asked: list[str] = []
        self.delay = delay

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        self.asked += [pair.claim.text for pair in pairs]
        await asyncio.sleep(self.delay)
        spend(Usage(calls=1, prompt_tokens=100, completion_tokens=10, cost=0.5))
        return [self.judge(pair) for pair in pairs]

    def judge(self, pair: Pair) -> Outcome:
        words = " ".join(pair.claim.text.split()).rstrip(".")
        for index, context in enumerate(pair.sample.contexts):
            if (start := context.text.find(words)) >= 0:
                quote = Evidence.of(pair.sample.contexts, index, start, start + len(words))
                return self._verdict(pair, Label.SUPPORTED, (quote,))
        return self._verdict(pair, Label.NOT_ENOUGH_INFO, ())

    def _verdict(self, pair: Pair, label: Label, evidence: tuple[Evidence, ...]) -> Verdict:
        return Verdict(
            claim=pair.claim,
            label=label,
            support=0.9 if evidence else 0.1,
            evidence=evidence,
            gaps=() if evidence else ((0, 3),),
            reason="It stands there." if evidence else None,
            origin=Origin(verifier=self.signature),
        )


def sample(answer: str = "An answer.", *, question: str | None = None, contexts: Sequence[str] = (CONTEXT,)) -> Sample:
    return Sample.model_validate({"answer": answer, "question": question, "contexts": list(contexts)})


def pair(text: str, of: Sample | None = None, *, start: int = 0) -> Pair:
    return Pair(Claim(text=text, start=start, end=start + len(text)), of or sample())


def plain(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Outcomes without the mark of the cache."""
    return [
        outcome
        if isinstance(outcome, Failure)
        else outcome.model_copy(update={"origin": outcome.origin.model_copy(update={"cache": None})})
        for outcome in outcomes
    ]


CLAIMS = ["The tower is 330 metres tall.", "It was built in 1889.", "It is in Rome."]


async def test_the_second_time_nothing_is_asked_and_all_is_the_same(new_store: Callable[[], Store]) -> None:
    inner = Substring()
    pairs = [pair(text) for text in CLAIMS]
    first = await Cached(inner, new_store()).verify(pairs)
    again = await Cached(inner, new_store()).verify(pairs)
    assert inner.asked == CLAIMS
    assert first == await Substring().verify(pairs)
    assert plain(again) == first
    assert [outcome.origin.cache for outcome in again if isinstance(outcome, Verdict)] == ["exact"] * 3


async def test_only_the_new_claims_are_asked(store: Store) -> None:
    inner = Substring()
    cached = Cached(inner, store)
    await cached.verify([pair(CLAIMS[0])])
    outcomes = await cached.verify([pair(text) for text in CLAIMS])
    assert inner.asked == CLAIMS
    assert [outcome.claim and outcome.claim.text for outcome in outcomes] == CLAIMS


async def test_a_hit_carries_the_claim_at_hand(store: Store) -> None:
    cached = Cached(Substring(), store)
    await cached.verify([pair("Not there at all")])
    (hit,) = await cached.verify([pair(" Not  there at all", sample("Another answer."), start=40)])
    assert isinstance(hit, Verdict)
    assert (hit.claim.start, hit.claim.text) == (40, " Not  there at all")
    assert hit.gaps == ((1, 4),)
    assert [hit.claim.text[start:end] for start, end in hit.gaps] == ["Not"]


@pytest.mark.parametrize(
    "other",
    [
        pair(CLAIMS[0].upper()),
        pair(CLAIMS[0], sample(contexts=[CONTEXT + " "])),
        pair(CLAIMS[0], sample(contexts=[CONTEXT, "More."])),
        pair(CLAIMS[0], sample(contexts=["The tower is 330 metres tall.", "It was built in 1889."])),
        pair(CLAIMS[0], sample(question="How tall?")),
    ],
    ids=["case", "context", "one more context", "split contexts", "question"],
)
async def test_another_claim_context_or_question_is_a_miss(store: Store, other: Pair) -> None:
    inner = Substring()
    cached = Cached(inner, store)
    await cached.verify([pair(CLAIMS[0])])
    await cached.verify([other])
    assert len(inner.asked) == 2


async def test_the_order_of_contexts_counts(store: Store) -> None:
    inner = Substring()
    await Cached(inner, store).verify([pair("x", sample(contexts=["a", "b"])), pair("x", sample(contexts=["b", "a"]))])
    assert len(inner.asked) == 2


async def test_another_signature_is_a_miss(store: Store) -> None:
    other = Substring(name="substring v2")
    await Cached(Substring(), store).verify([pair(CLAIMS[0])])
    await Cached(other, store).verify([pair(CLAIMS[0])])
    assert other.asked == [CLAIMS[0]]


async def test_a_verifier_says_what_else_it_reads(store: Store) -> None:
    class BlindToQuestions(Substring):
        def reads(self, pair: Pair) -> Sequence[str]:
            return ()

    inner = BlindToQuestions()
    cached = Cached(inner, store)
    await cached.verify([pair(CLAIMS[0], sample(question="One?"))])
    await cached.verify([pair(CLAIMS[0], sample(question="Two?"))])
    assert len(inner.asked) == 1


async def test_duplicates_in_a_batch_are_judged_once(store: Store) -> None:
    inner = Substring()
    pairs = [pair(CLAIMS[0]), pair(CLAIMS[1]), pair(CLAIMS[0], start=50), pair(CLAIMS[0])]
    outcomes = await Cached(inner, store).verify([*pairs, pairs[0]])
    assert inner.asked == CLAIMS[:2]
    assert [outcome.claim for outcome in outcomes] == [*(item.claim for item in pairs), pairs[0].claim]
    caches = [outcome.origin.cache for outcome in outcomes if isinstance(outcome, Verdict)]
    assert caches == [None, None, "exact", "exact", "exact"]


async def test_claims_in_flight_are_asked_once(store: Store) -> None:
    inner = Substring(delay=0.05)
    cached = Cached(inner, store)
    batches = await asyncio.gather(*(cached.verify([pair(text) for text in CLAIMS]) for _ in range(20)))
    assert sorted(inner.asked) == sorted(CLAIMS)
    assert all(plain(batch) == plain(batches[0]) for batch in batches)


class Held(Substring):
    """Tells when it is asked, and answers when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.free = asyncio.Event(), asyncio.Event()

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        self.asked += [pair.claim.text for pair in pairs]
        self.entered.set()
        await self.free.wait()
        return [self.judge(pair) for pair in pairs]


async def test_who_waits_takes_over_when_the_one_who_asked_is_cancelled(store: Store) -> None:
    inner = Held()
    cached = Cached(inner, store)
    first = asyncio.create_task(cached.verify([pair(CLAIMS[0])]))
    await inner.entered.wait()
    second = asyncio.create_task(cached.verify([pair(CLAIMS[0])]))
    await asyncio.sleep(0.05)  # the second finds the claim in flight; if it is slow, it asks by itself: the same here
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    inner.free.set()
    (outcome,) = await second
    assert isinstance(outcome, Verdict)
    assert outcome.label is Label.SUPPORTED
    assert len(inner.asked) == 2


async def test_cancelling_one_who_waits_disturbs_nobody(store: Store) -> None:
    inner = Held()
    cached = Cached(inner, store)
    first = asyncio.create_task(cached.verify([pair(CLAIMS[0])]))
    await inner.entered.wait()
    second = asyncio.create_task(cached.verify([pair(CLAIMS[0])]))
    await asyncio.sleep(0.05)
    second.cancel()
    inner.free.set()
    assert len(await first) == 1
    with pytest.raises(asyncio.CancelledError):
        await second
    assert inner.asked == [CLAIMS[0]]


async def test_failures_are_given_and_not_kept(store: Store) -> None:
    class Moody(Substring):
        def judge(self, pair: Pair) -> Outcome:
            if len(self.asked) == 1:
                return Failure(claim=pair.claim, kind="timeout", message="too slow")
            return super().judge(pair)

    cached = Cached(Moody(), store)
    assert isinstance((await cached.verify([pair(CLAIMS[0])]))[0], Failure)
    assert isinstance((await cached.verify([pair(CLAIMS[0])]))[0], Verdict)


async def test_what_was_found_when_the_endpoint_died_is_kept(store: Store) -> None:
    class Dying(Substring):
        async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
            found: list[Outcome] = [self.judge(pairs[0])]
            found += [Failure(claim=item.claim, kind="endpoint", message="gone") for item in pairs[1:]]
            raise EndpointDown("gone", outcomes=found)

    pairs = [pair(text) for text in CLAIMS]
    await Cached(Substring(), store).verify(pairs[2:])
    with pytest.raises(StopRun) as stopped:
        await Cached(Dying(), store).verify(pairs)
    kinds = [type(outcome) for outcome in stopped.value.outcomes]
    assert kinds == [Verdict, Failure, Verdict]
    assert [outcome.claim for outcome in stopped.value.outcomes] == [item.claim for item in pairs]
    caches = [outcome.origin.cache for outcome in stopped.value.outcomes if isinstance(outcome, Verdict)]
    assert caches == [None, "exact"]
    after = Substring()
    await Cached(after, store).verify(pairs)
    assert after.asked == [CLAIMS[1]]


async def test_refresh_asks_again_and_keeps_the_new_verdict(store: Store) -> None:
    class Unsure(Substring):
        def judge(self, pair: Pair) -> Outcome:
            return self._verdict(pair, Label.CONTRADICTED, ())

    await Cached(Substring(), store).verify([pair(CLAIMS[0])])
    (fresh,) = await Cached(Unsure(), store, refresh=True).verify([pair(CLAIMS[0])])
    (kept,) = await Cached(Substring(), store).verify([pair(CLAIMS[0])])
    assert isinstance(fresh, Verdict)
    assert fresh.origin.cache is None
    assert plain([kept]) == [fresh]


async def test_usage_is_passed_on_and_hits_counted(store: Store) -> None:
    cached = Cached(Substring(), store)
    with metered() as cold:
        await cached.verify([pair(text) for text in CLAIMS])
    with metered() as warm:
        await cached.verify([pair(text) for text in CLAIMS])
    assert (cold.usage.calls, cold.usage.prompt_tokens, cold.usage.cost, cold.usage.cache_hits) == (1, 100, 0.5, 0)
    assert (warm.usage.calls, warm.usage.cost, warm.usage.cache_hits) == (0, None, 3)
    counted = store.counters()
    assert (counted["asked"], counted["exact"]) == (3, 3)
    assert counted["saved_calls"] == pytest.approx(1)
    assert counted["saved_prompt_tokens"] == pytest.approx(100)
    assert counted["saved_cost"] == pytest.approx(0.5)


async def test_a_verifier_that_breaks_its_promise_is_reported_not_believed(store: Store) -> None:
    class Short(Substring):
        async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
            return (await super().verify(pairs))[:-1]

    outcomes = await Cached(Short(), store).verify([pair(text) for text in CLAIMS])
    assert [type(outcome) for outcome in outcomes] == [Failure] * 3
    assert store.size().entries == {}


async def test_evidence_that_does_not_hold_is_a_miss(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "cache.sqlite")
    inner = Substring()
    await Cached(inner, store).verify([pair(CLAIMS[0])])
    connection = store._connections["write"]
    connection.execute("UPDATE entries SET value = CAST(replace(CAST(value AS TEXT), '330', '333') AS BLOB)")
    (outcome,) = await Cached(inner, store).verify([pair(CLAIMS[0])])
    assert isinstance(outcome, Verdict)
    assert outcome.origin.cache is None


@pytest.mark.parametrize("value", [b"", b"{}", b"[1]", b"\xff", b'{"claim":1}'])
async def test_a_garbled_entry_is_a_miss(tmp_path: Path, value: bytes) -> None:
    store = SQLiteStore(tmp_path / "cache.sqlite")
    inner = Substring()
    await Cached(inner, store).verify([pair(CLAIMS[0])])
    store._connections["write"].execute("UPDATE entries SET value = ? WHERE kind = 'verdict'", [value])
    (outcome,) = await Cached(inner, store).verify([pair(CLAIMS[0])])
    assert isinstance(outcome, Verdict)
    assert outcome.origin.cache is None


async def test_what_a_verifier_says_of_itself_holds_with_a_cache(tmp_path: Path) -> None:
    class Busy(Substring):
        cpu_bound = True
        threads = 4

    inner = Busy()
    cached = Cached(inner, SQLiteStore(tmp_path / "cache.sqlite"))
    cached.threads = 1
    assert (cached.cpu_bound, inner.threads, cached.signature) == (True, 1, "substring")
    assert not hasattr(Cached(Substring(), cached.store), "threads")


async def test_a_pickled_cache_goes_on(tmp_path: Path) -> None:
    cached = Cached(Substring(), SQLiteStore(tmp_path / "cache.sqlite"))
    await cached.verify([pair(CLAIMS[0])])
    again: Cached = pickle.loads(pickle.dumps(cached))
    (outcome,) = await again.verify([pair(CLAIMS[0])])
    assert isinstance(outcome, Verdict)
    assert outcome.origin.cache == "exact"


class Splitter:
    """An extractor that counts."""

    signature = "splitter"

    def __init__(self) -> None:
        self.calls = 0

    async def extract(self, sample: Sample) -> Extraction | Failure:
        self.calls += 1
        spend(Usage(calls=1))
        if sample.answer == "fail":
            return Failure(kind="extraction", message="no")
        claim = Claim(text=sample.answer, start=0, end=len(sample.answer))
        aside = Aside(text="Hi", start=0, end=2, kind="greeting")
        verdict = Verdict(claim=claim, label=Label.SUPPORTED, origin=Origin(verifier="joint"))
        return Extraction(claims=(claim,), asides=(aside,), outcomes=(verdict,))


async def test_extractions_are_kept_too(new_store: Callable[[], Store]) -> None:
    inner = Splitter()
    first = await CachedExtractor(inner, new_store()).extract(sample("One."))
    second = CachedExtractor(inner, new_store())
    with metered() as meter:
        again = await second.extract(sample("One."))
    await second.aclose()
    assert inner.calls == 1
    assert isinstance(first, Extraction)
    assert isinstance(again, Extraction)
    assert (again.claims, again.asides) == (first.claims, first.asides)
    assert [outcome.origin.cache for outcome in again.outcomes if isinstance(outcome, Verdict)] == ["exact"]
    assert (meter.usage.calls, meter.usage.cache_hits) == (0, 1)
    assert new_store().counters()["extraction"] == 1


async def test_another_answer_or_context_is_taken_apart_anew(store: Store) -> None:
    inner = Splitter()
    cached = CachedExtractor(inner, store)
    for item in (sample("One."), sample("One. "), sample("One.", contexts=["x"]), sample("fail"), sample("fail")):
        await cached.extract(item)
    assert inner.calls == 5


async def test_the_same_answer_in_flight_is_taken_apart_once(store: Store) -> None:
    inner = Splitter()
    cached = CachedExtractor(inner, store)
    await asyncio.gather(*(cached.extract(sample("One.")) for _ in range(5)))
    assert inner.calls == 1


@given(text=st.text(alphabet="ab \n", min_size=1, max_size=20), data=st.data())
def test_marks_move_with_the_letters(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    spaced = "  ".join(text.split())
    found = moved([(start, end)], text, spaced)
    letters = "".join(text[start:end].split())
    assert "".join("".join(spaced[a:b].split()) for a, b in found) == letters
