"""The embedded verifier, on the weights that ship."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from faithmeter.datamodels import Claim, Context, Failure, Label, Outcome, Pair, Sample, Verdict
from faithmeter.errors import UsageError
from faithmeter.evidence.passages import Index
from faithmeter.verify import Verifier, load_verifier
from faithmeter.verify.local import WEIGHTS, LocalVerifier, Reading, load, load_model, read_calibration
from faithmeter.verify.local_marks import MarkRule

EINSTEIN = "Albert Einstein (born 14 March 1879) was a German-born theoretical physicist"
FILLER = " ".join(f"Town number {n} has a market on Mondays and a small museum of local history." for n in range(150))
SLOW = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def pair(claim: str, *contexts: str, question: str | None = None, before: str = "") -> Pair:
    sample = Sample(question=question, answer=before + claim, contexts=contexts)
    return Pair(Claim(text=claim, start=len(before), end=len(before) + len(claim)), sample)


@pytest.fixture(scope="module")
def verifier() -> LocalVerifier:
    return LocalVerifier()


def judge(verifier: Verifier, *pairs: Pair) -> list[Verdict]:
    outcomes = asyncio.run(verifier.verify(pairs))
    assert all(isinstance(outcome, Verdict) for outcome in outcomes), outcomes
    return [outcome for outcome in outcomes if isinstance(outcome, Verdict)]


def test_the_date_of_the_seed_example(verifier: LocalVerifier) -> None:
    wrong, right = judge(
        verifier,
        pair("Einstein was born in Germany on 20th March 1879.", EINSTEIN),
        pair("Einstein was born in Germany on 14th March 1879.", EINSTEIN),
    )
    assert wrong.label is not Label.SUPPORTED
    assert right.label is Label.SUPPORTED


def test_the_wrong_words_are_marked(verifier: LocalVerifier) -> None:
    wrong, right = judge(
        verifier, pair("Einstein was born on 20 March 1879.", EINSTEIN), pair("Einstein was born in 1879.", EINSTEIN)
    )
    assert [wrong.claim.text[start:end] for start, end in wrong.gaps] == ["20"]
    assert right.gaps == ()


def test_rules_of_marks_come_with_the_weights(tmp_path: Path) -> None:
    known = json.loads((WEIGHTS / "calibration.json").read_text())
    (tmp_path / "calibration.json").write_text(json.dumps({**known, "in_records": {"marks": 0.8, "even": 2.0}}))
    found = read_calibration(tmp_path)
    assert found.in_records == MarkRule(marks=0.8, even=2.0)
    assert LocalVerifier(folder=tmp_path).signature != LocalVerifier().signature


def test_words_are_marked_by_the_reading_of_what_bears_on_the_claim_most(verifier: LocalVerifier) -> None:
    class Scripted:
        """Likes the second reading a little more, and marks every word in it."""

        tokenizer = load_model().tokenizer

        def logits(self, claim: list[int], refers: str, evidence: str) -> tuple[list[float], list[float]]:
            if "opened" in evidence:
                year = self.tokenizer.token_to_id("2003")
                return [-4.0, 4.0, 0.0], [4.0 if token == year else -4.0 for token in claim]
            return [-1.0, 2.0, -3.0], [4.0] * len(claim)

    parks = " ".join(f"The park of town {n} has a market and a museum of local history." for n in range(150))
    asked = pair("The park opened in 2003.", f"The park opened in 1998. {parks}")
    verdict = verifier._judge(Scripted(), asked, Index([context.text for context in asked.sample.contexts]))  # type: ignore[arg-type]
    assert [verdict.claim.text[start:end] for start, end in verdict.gaps] == ["2003"]


def test_a_bare_yes_is_read_as_what_the_question_asks(verifier: LocalVerifier) -> None:
    asked = {"question": "Is the park closed on Mondays?"}
    no, yes, more = (
        pair("No, it is not.", PARK, **asked),
        pair("Yes.", PARK, **asked),
        pair("Yes, for free.", PARK, **asked),
    )
    read: list[str] = []

    class Scripted:
        tokenizer = load_model().tokenizer

        def logits(self, claim: list[int], refers: str, evidence: str) -> tuple[list[float], list[float]]:
            read.append(self.tokenizer.decode(claim))
            return [-4.0, 4.0, 0.0], [0.0] * len(claim)

    for one in (no, yes, more):
        verdict = verifier._judge(Scripted(), one, Index([context.text for context in one.sample.contexts]))  # type: ignore[arg-type]
        assert verdict.claim == one.claim
        assert verdict.gaps == ((0, len(one.claim.text)),) or one is more
    assert dict.fromkeys(read) == dict.fromkeys(
        ["the park is not closed on mondays.", "the park is closed on mondays.", "yes, for free."]
    )


PARK = "The park opened in 1998. It covers 40 hectares and is closed on Mondays. Entry costs 5 euros."
GOLDEN = [
    ("The park opened in 1998.", Label.SUPPORTED),
    ("The park covers 40 hectares.", Label.SUPPORTED),
    ("On Mondays the park is closed.", Label.SUPPORTED),
    ("The park opened in 2003.", Label.CONTRADICTED),
    ("The park covers 400 hectares.", Label.CONTRADICTED),
    ("The park is not closed on Mondays.", Label.CONTRADICTED),
    ("Entry is free of charge.", Label.CONTRADICTED),
    ("The park was designed by a Danish architect.", Label.NOT_ENOUGH_INFO),
    ("The park has a famous rose garden.", Label.NOT_ENOUGH_INFO),
]


@pytest.mark.parametrize(("claim", "label"), GOLDEN)
def test_plain_cases(verifier: LocalVerifier, claim: str, label: Label) -> None:
    assert judge(verifier, pair(claim, PARK))[0].label is label


GAME = "Duke lost the opening game. On Saturday, Michigan State beat Duke 75-69 in front of a full house."
ROLES = [
    ("Michigan State beat Duke on Saturday.", Label.SUPPORTED),
    ("Duke was beaten by Michigan State.", Label.SUPPORTED),
    ("Duke beat Michigan State on Saturday.", Label.CONTRADICTED),
    ("Michigan State was beaten by Duke.", Label.CONTRADICTED),
    ("Michigan State lost to Duke on Saturday.", Label.CONTRADICTED),
]


@pytest.mark.parametrize(("claim", "label"), ROLES)
def test_who_did_it_to_whom(verifier: LocalVerifier, claim: str, label: Label) -> None:
    assert judge(verifier, pair(claim, GAME))[0].label is label


ROLLBACK = (
    "You can roll back to the previous revision with kubectl rollout undo deployment/NAME. A particular revision is "
    "named with --to-revision."
)
COMMANDS = [
    ("kubectl rollout undo deployment/web", True),
    ("kubectl rollout pause deployment/web", False),
    ("kubectl rollout undo statefulset/web", False),
    ("kubectl rollout undo deployment/web --force", False),
]


@pytest.mark.parametrize(("command", "supported"), COMMANDS)
def test_a_placeholder_stands_for_any_argument(verifier: LocalVerifier, command: str, supported: bool) -> None:
    (verdict,) = judge(verifier, pair(f"Run `{command}` to go back to the previous revision.", ROLLBACK))
    assert (verdict.label is Label.SUPPORTED) == supported
    assert all("web" not in quote.quote for quote in verdict.evidence)


def test_what_is_someone_elses_is_not_supported(verifier: LocalVerifier) -> None:
    castle = (
        "Nijō Castle was built in 1603 as the Kyoto residence of Tokugawa Ieyasu, the first shogun of the Edo period."
    )
    wrong, right = judge(
        verifier,
        pair("Nijō Castle: the emperor's residence, built in 1603.", castle),
        pair("Nijō Castle: the shogun's residence, built in 1603.", castle),
    )
    assert wrong.label is Label.CONTRADICTED
    assert right.label is Label.SUPPORTED


def test_a_record_is_read(verifier: LocalVerifier) -> None:
    record = {"name": "Casa Blue", "hours": {"Monday": "11:0-21:0"}, "attributes": {"WiFi": "free", "HasTV": False}}
    claims = ["Casa Blue offers free WiFi.", "Casa Blue has a TV.", "Casa Blue is open from 11 am to 9 pm on Mondays."]
    found = judge(verifier, *(pair(claim, json.dumps(record)) for claim in claims))
    assert [verdict.label is Label.SUPPORTED for verdict in found] == [True, False, True]


def test_evidence_stands_in_its_context(verifier: LocalVerifier) -> None:
    sample = pair("The park opened in 1998.", FILLER, f"{FILLER} {PARK}")
    (verdict,) = judge(verifier, sample)
    assert verdict.label is Label.SUPPORTED
    assert "The park opened in 1998." in [evidence.quote for evidence in verdict.evidence]
    assert all(evidence.holds_in(sample.sample.contexts) for evidence in verdict.evidence)


@pytest.mark.parametrize("contexts", [(), ("",), (" \n", "")])
def test_without_contexts_nothing_is_known(verifier: LocalVerifier, contexts: tuple[str, ...]) -> None:
    (verdict,) = judge(verifier, pair("The park opened in 1998.", *contexts))
    assert (verdict.label, verdict.support, verdict.evidence) == (Label.NOT_ENOUGH_INFO, 0.0, ())


def test_the_fact_is_found_at_any_depth(verifier: LocalVerifier) -> None:
    depths = [[PARK, *[FILLER] * 8], [*[FILLER] * 4, PARK, *[FILLER] * 4], [*[FILLER] * 8, PARK]]
    found = judge(verifier, *(pair("The park covers 40 hectares.", *contexts) for contexts in depths))
    assert {verdict.label for verdict in found} == {Label.SUPPORTED}


@pytest.mark.parametrize(("support", "readings"), [(0.9, 1), (0.6, 2), (0.3, 3), (0.1, 2)])
def test_more_is_read_only_while_undecided(monkeypatch: pytest.MonkeyPatch, support: float, readings: int) -> None:
    weigh, read = LocalVerifier._weigh, []

    def weighed(self: LocalVerifier, *given: Any, **hint: Any) -> Reading:
        read.append(given[2])
        return weigh(self, *given, **hint)._replace(support=support)

    monkeypatch.setattr(LocalVerifier, "_weigh", weighed)
    (verdict,) = judge(LocalVerifier(), pair("Town number 77 has a harbour.", FILLER))
    assert (verdict.support, len(read)) == (support, readings)
    assert len(set(map(tuple, read))) == readings


def test_a_claim_longer_than_the_model_reads_is_judged_by_its_worst_part(verifier: LocalVerifier) -> None:
    good = "The park opened in 1998. " * 60
    long_good, long_bad = judge(verifier, pair(good, PARK), pair(good + "The moon is made of cheese. " * 40, PARK))
    assert long_good.support is not None
    assert long_bad.support is not None
    assert long_bad.support < long_good.support


def test_batches_order_and_threads_change_nothing() -> None:
    pairs = [pair(claim, PARK, FILLER) for claim, _ in GOLDEN] + [pair("It has a market.", FILLER, question="Town 7?")]
    whole = asyncio.run(LocalVerifier(threads=4).verify(pairs))
    single = [asyncio.run(LocalVerifier(threads=1).verify([one]))[0] for one in pairs]
    backwards = asyncio.run(LocalVerifier(threads=2).verify(pairs[::-1]))[::-1]
    assert whole == single == backwards


short = st.text(max_size=120)


@SLOW
@given(st.lists(st.tuples(short, st.lists(short, max_size=3)), max_size=3))
def test_any_text_gets_one_verdict_with_true_evidence(
    verifier: LocalVerifier, cases: list[tuple[str, list[str]]]
) -> None:
    pairs = [pair(claim, *contexts) for claim, contexts in cases]
    outcomes = asyncio.run(verifier.verify(pairs))
    assert [outcome.claim for outcome in outcomes] == [one.claim for one in pairs]
    for outcome, one in zip(outcomes, pairs, strict=True):
        assert isinstance(outcome, Verdict)
        assert outcome.support is not None
        assert all(evidence.holds_in(one.sample.contexts) for evidence in outcome.evidence)
        assert all(0 <= start < end <= len(one.claim.text) for start, end in outcome.gaps)


def test_a_pair_that_breaks_fails_alone(verifier: LocalVerifier) -> None:
    broken = Sample.model_construct(answer="x", contexts=(Context.model_construct(text=None),), question=None)
    claim = Claim(text="The park opened in 1998.", start=0, end=24)
    good = pair("The park opened in 1998.", PARK)
    outcomes: list[Outcome] = asyncio.run(verifier.verify([good, Pair(claim, broken), good]))
    assert [type(outcome) for outcome in outcomes] == [Verdict, Failure, Verdict]
    assert outcomes[1].claim == claim


async def test_the_event_loop_stays_free(verifier: LocalVerifier) -> None:
    load_model()
    task = asyncio.create_task(verifier.verify([pair(f"Town {n} has a museum.", FILLER) for n in range(30)]))
    turns = 0
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    assert len(await task) == 30
    assert turns > 30  # a verifier that kept the loop to itself would leave it a turn or two


def test_the_signature_names_the_weights(verifier: LocalVerifier) -> None:
    digest = hashlib.sha256((WEIGHTS / "model.onnx").read_bytes()).hexdigest()
    assert verifier.calibration.model == digest[:12]
    assert digest[:12] in verifier.signature
    assert isinstance(load_verifier("local"), Verifier)


def test_the_model_is_loaded_once() -> None:
    assert load_model() is load_model()


def test_bad_arguments_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no weights in"):
        load("local", str(tmp_path))
    with pytest.raises(UsageError, match="at least one thread"):
        LocalVerifier(threads=0)
