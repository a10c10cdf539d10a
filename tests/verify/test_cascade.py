"""The cascade: each tier settles what it is sure of, and only the rest goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from support.near_misses import NEAR_MISSES, REWORDINGS

from faithmeter.cache import wrap
from faithmeter.datamodels import Claim, Failure, Label, Origin, Outcome, Pair, Sample, Verdict
from faithmeter.errors import EndpointDown, StopRun, UsageError
from faithmeter.verify.cascade import Cascade, Corroborated, Tier, load
from faithmeter.verify.lexical import LexicalVerifier
from faithmeter.verify.quick_checks import FactVerifier, QuoteVerifier

CONTEXT = (
    "The Eiffel Tower was completed on 31 March 1889. It is not 400 metres tall, but 330 metres.\n"
    "1. Gustave Eiffel's company built the tower for the fair.\n"
    "More than 5 million people visit the tower every year."
)


class Counting:
    """A judge that finds nothing supported, and counts what it is asked."""

    def __init__(self, signature: str = "judge", *, support: float | None = 0.5, broken: bool = False) -> None:
        self.signature = signature
        self.support = support
        self.broken = broken
        self.asked: list[str] = []

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        self.asked += [pair.claim.text for pair in pairs]
        if self.broken:
            failures = [Failure(claim=pair.claim, kind="endpoint", message="gone") for pair in pairs]
            raise EndpointDown("gone", outcomes=failures)
        return [
            Verdict(
                claim=pair.claim,
                label=Label.SUPPORTED if (self.support or 0) > 0.5 else Label.NOT_ENOUGH_INFO,
                support=self.support,
                origin=Origin(verifier=self.signature),
            )
            for pair in pairs
        ]


def pairs(*texts: str) -> list[Pair]:
    sample = Sample.model_validate({"answer": " ".join(texts), "contexts": ["Nothing here.", CONTEXT]})
    return [Pair(Claim(text=text, start=0, end=len(text)), sample) for text in texts]


async def judged(verifier: QuoteVerifier | FactVerifier, text: str) -> Verdict:
    (outcome,) = await verifier.verify(pairs(text))
    assert isinstance(outcome, Verdict)
    assert all(item.holds_in(pairs(text)[0].sample.contexts) for item in outcome.evidence)
    return outcome


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("The Eiffel Tower was completed on 31 March 1889.", True),
        ("the eiffel tower  was completed on 31 march 1889", True),
        ("Gustave Eiffel's company built the tower for the fair.", True),
        ("The Eiffel Tower was completed.", False),  # a part of a sentence may say something else
        ("330 metres.", False),
        ("It is 400 metres tall.", False),
    ],
)
async def test_a_quote_is_a_whole_sentence(text: str, quoted: bool) -> None:
    verdict = await judged(QuoteVerifier(), text)
    assert (verdict.label is Label.SUPPORTED, verdict.support is not None) == (quoted, quoted)
    if quoted:
        assert verdict.evidence[0].context == 1
        assert verdict.evidence[0].quote.rstrip(".").lower().split() == text.rstrip(".").lower().split()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("The Eiffel Tower was completed on March 31st, 1889.", Label.SUPPORTED),
        ("Over five million people visit the tower every year.", Label.SUPPORTED),
        ("The Eiffel Tower was completed on 30 March 1889.", Label.CONTRADICTED),
        ("The Eiffel Tower was not completed on 31 March 1889.", Label.CONTRADICTED),
        ("The Eiffel Tower was completed in March 1889.", None),  # less, not otherwise
        ("More than 4 million people visit the tower every year.", None),  # supported by 5 million
        ("The Eiffel Tower was completed on time and in Paris.", None),
        ("Rome is pretty in the spring.", None),
    ],
)
async def test_facts_settle_a_restated_sentence(text: str, label: Label | None) -> None:
    verdict = await judged(FactVerifier(), text)
    assert (verdict.label if verdict.support is not None else None) == label
    assert bool(verdict.evidence) == (label is not None)


async def test_a_changed_name_is_contradicted_but_not_settled() -> None:
    verdict = await judged(FactVerifier(), "The Eiffel Palace was completed on 31 March 1889.")
    assert verdict.label is Label.CONTRADICTED
    assert not Tier(FactVerifier(), 0.9, 0.1).settles(verdict)


async def test_only_the_uncertain_reach_the_last_tier() -> None:
    judge = Counting()
    cascade = Cascade(
        [Tier(QuoteVerifier()), Tier(FactVerifier(), 0.9, 0.1), Tier(LexicalVerifier(), 1.01, 0.1), Tier(judge)]
    )
    texts = (
        "Bananas grow elsewhere.",
        "The Eiffel Tower was completed on 31 March 1889.",
        "The Eiffel Tower was completed on 30 March 1889.",
        "The tower was built for visitors of the fair.",
    )
    outcomes = await cascade.verify(pairs(*texts))
    assert [outcome.claim and outcome.claim.text for outcome in outcomes] == list(texts)
    assert judge.asked == [texts[3]]
    verdicts = [outcome for outcome in outcomes if isinstance(outcome, Verdict)]
    assert [(verdict.origin.tier, verdict.origin.verifier) for verdict in verdicts] == [
        (2, "lexical"),
        (0, "quote"),
        (1, "facts"),
        (3, "judge"),
    ]


@pytest.mark.parametrize(
    ("support", "label", "settled"),
    [
        (0.97, Label.SUPPORTED, True),
        (0.96, Label.SUPPORTED, False),
        (0.02, Label.NOT_ENOUGH_INFO, True),
        (0.03, Label.CONTRADICTED, False),
        (0.99, Label.NOT_ENOUGH_INFO, False),
        (0.01, Label.PARTIALLY_SUPPORTED, False),
        (None, Label.SUPPORTED, False),
    ],
)
def test_a_tier_settles_what_it_is_sure_of(support: float | None, label: Label, settled: bool) -> None:
    (pair,) = pairs("x")
    verdict = Verdict(claim=pair.claim, label=label, support=support, origin=Origin(verifier="v"))
    assert Tier(Counting(), 0.97, 0.02).settles(verdict) is settled


async def test_a_failure_falls_through_and_the_last_ones_stays() -> None:
    class Failing(Counting):
        async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
            return [Failure(claim=pair.claim, kind="error", message="broke") for pair in pairs]

    (settled,) = await Cascade([Tier(Failing()), Tier(Counting())]).verify(pairs("x"))
    assert isinstance(settled, Verdict)
    (failed,) = await Cascade([Tier(Counting()), Tier(Failing())]).verify(pairs("x"))
    assert isinstance(failed, Failure)


async def test_what_was_settled_before_the_endpoint_died_is_kept() -> None:
    cascade = Cascade([Tier(QuoteVerifier()), Tier(Counting(broken=True))])
    texts = ("Unknown to all of them.", "The Eiffel Tower was completed on 31 March 1889.")
    with pytest.raises(StopRun) as stopped:
        await cascade.verify(pairs(*texts))
    assert [type(outcome) for outcome in stopped.value.outcomes] == [Failure, Verdict]


async def test_other_thresholds_pay_for_no_judgement_twice(tmp_path: Path) -> None:
    local, judge = Counting("local", support=0.6), Counting("judge", support=0.9)
    texts = ("One thing is claimed.", "Another thing is claimed.")
    for sure in (0.9, 0.95):
        cascade = wrap(
            Cascade([Tier(QuoteVerifier()), Tier(local, sure, 0.1), Tier(judge)]), cache=tmp_path / "c.sqlite"
        )
        outcomes = await cascade.verify(pairs(*texts))
    assert local.asked == judge.asked == list(texts)
    assert [o.origin.cache for o in outcomes if isinstance(o, Verdict)] == ["exact", "exact"]
    assert [outcome.origin.tier for outcome in outcomes if isinstance(outcome, Verdict)] == [2, 2]


def test_the_signature_has_every_tier_and_its_thresholds() -> None:
    cascade = Cascade([Tier(QuoteVerifier(), 0.9, 0.1), Tier(Counting())])
    assert cascade.signature == "cascade.1 > quote.1[0.1,0.9] > judge"
    assert not cascade.cpu_bound
    assert not hasattr(cascade, "concurrency")


@pytest.mark.parametrize(("overlap", "sure"), [(0.69, False), (0.7, True), (None, False)])
async def test_a_supported_claim_needs_a_second(overlap: float | None, sure: bool) -> None:
    (outcome,) = await Corroborated(Counting(support=0.9), Counting(support=overlap)).verify(pairs("x"))
    assert isinstance(outcome, Verdict)
    assert (outcome.label, outcome.support) == (Label.SUPPORTED, 0.9 if sure else None)


async def test_a_second_is_asked_only_where_it_can_tell() -> None:
    second = Counting(support=0.0)
    (outcome,) = await Corroborated(Counting(support=0.1), second).verify(pairs("Not supported."))
    assert isinstance(outcome, Verdict)
    assert outcome.support == 0.1
    record = Sample.model_validate({"answer": "x", "contexts": [' {"name": "Tower", "height": 330}']})
    (outcome,) = await Corroborated(Counting(support=0.9), second).verify(
        [Pair(Claim(text="x", start=0, end=1), record)]
    )
    assert isinstance(outcome, Verdict)
    assert outcome.support == 0.9
    assert second.asked == []


async def test_the_cache_goes_around_the_first_of_two(tmp_path: Path) -> None:
    first = Counting(support=0.9)
    for at_least in (0.5, 0.6):
        cascade = Cascade([Tier(Corroborated(first, LexicalVerifier(), at_least=at_least)), Tier(Counting())])
        await wrap(cascade, cache=tmp_path / "c.sqlite").verify(pairs("One thing is claimed."))
    assert first.asked == ["One thing is claimed."]


@pytest.mark.parametrize(("argument", "sure"), [("lexical", (0.01, 0.72)), ("0.1,0.9:lexical:tokens", (0.1, 0.9))])
def test_the_spec_builds_four_tiers(argument: str, sure: tuple[float, float]) -> None:
    *_, middle, last = load("cascade", argument).tiers
    assert (middle.unsupported, middle.supported) == sure
    assert middle.verifier.signature.startswith("local.")
    assert last.verifier.signature.startswith("lexical.")


@pytest.mark.parametrize("argument", ["", "0.9,0.1:lexical", "a,b:lexical", "0.1,0.9:", "-1,0.5:lexical"])
def test_a_bad_spec_is_refused(argument: str) -> None:
    with pytest.raises(UsageError):
        load("cascade", argument)


def _near(*kinds: str) -> list[Pair]:
    """The claims of near misses, each with the other of its pair as the only context."""
    twos = [two for kind in kinds or NEAR_MISSES for a, b in NEAR_MISSES[kind] for two in ((a, b), (b, a))]
    return [Pair(Claim(text=a, start=0, end=len(a)), Sample(answer=a, contexts=[b])) for a, b in twos]


@pytest.mark.parametrize("verifier", [QuoteVerifier(), FactVerifier()])
async def test_a_check_by_code_supports_no_near_miss(verifier: QuoteVerifier | FactVerifier) -> None:
    outcomes = await verifier.verify(_near())
    assert [outcome.claim.text for outcome in outcomes if outcome.label is Label.SUPPORTED] == []  # type: ignore[union-attr]


async def test_no_quick_tier_settles_another_amount_unit_negation_party_hedge_or_role_as_supported() -> None:
    """Even where its model is as sure as can be, and the words all but agree."""
    asked = _near("amount", "unit", "negation", "party", "hedge", "role")
    outcomes = await Corroborated(Counting(support=1.0), Counting(support=1.0)).verify(asked)
    assert all(isinstance(outcome, Verdict) and outcome.label is Label.SUPPORTED for outcome in outcomes)
    settled = [outcome.claim.text for outcome in outcomes if Tier(Counting()).settles(outcome) and outcome.claim]
    assert settled == []


async def test_a_claim_that_is_reworded_is_still_settled() -> None:
    asked = [Pair(Claim(text=a, start=0, end=len(a)), Sample(answer=a, contexts=[b])) for a, b in REWORDINGS]
    outcomes = await Corroborated(Counting(support=1.0), Counting(support=1.0)).verify(asked)
    assert all(Tier(Counting()).settles(outcome) for outcome in outcomes)
