"""Corruptions change the meaning and stay grammatical, paraphrases do not change it, and the counting is right."""

from __future__ import annotations

import json
import lzma
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithmeter import Evaluator
from faithmeter.datamodels import Label, Origin, Outcome, Pair, Sample, Verdict
from faithmeter.text.english.claim_facts import differences
from faithmeter.trust.selftest.clauses import parse
from faithmeter.trust.selftest.corrupt import CORRUPTIONS
from faithmeter.trust.selftest.english import with_article
from faithmeter.trust.selftest.measure import KINDS, OTHER, selftest
from faithmeter.trust.selftest.paraphrase import PARAPHRASES
from faithmeter.trust.selftest.source_text import Source, names

CHANGES = {**CORRUPTIONS, **PARAPHRASES}


def change(kind: str, claim: str, context: str | None = None, *, seed: int = 0) -> str | None:
    source = Source(Sample(answer=claim, contexts=[claim if context is None else context]))
    return CHANGES[kind](claim, source, random.Random(seed))


def changed(kind: str, claim: str, context: str | None = None) -> str:
    found = change(kind, claim, context)
    assert found is not None
    return found


# What can come of a claim, as (kind, claim, a pattern that the new claim matches).
GOLDEN = [
    ("number", "The tower is 330 metres tall.", r"The tower is [1-9]30 metres tall\."),
    ("number", "It has 1,234 seats.", r"It has [1-9],234 seats\."),
    ("number", "It has two wings.", r"It has (four|five|six|seven|eight|nine|ten|eleven|twelve) wings\."),
    ("number", "They open at 7am.", r"They open at \d+am\."),
    ("number", "The last train leaves at 22:15.", r"The last train leaves at \d\d:15\."),
    ("number", "About 40% agreed.", r"About [1-9]0% agreed\."),
    ("date", "It opened on 15 May 1889.", r"It opened on \d+ \w+ \d{4}\."),
    ("date", "He was born in 1879.", r"He was born in 18\d\d\."),
    ("date", "It was popular in the 1970s.", r"It was popular in the (19[0-9]0|20[0-3]0)s\."),
    ("date", "It is closed on Mondays.", r"It is closed on \w+days\."),
    ("date", "The hearing is on November 7th.", r"The hearing is on (November \d+th|\w+ 7th)\."),
    ("unit", "The dose is 500 mg twice a day.", r"The dose is 500 g twice a day\."),
    ("unit", "It cost $3 million.", r"It cost (€3 million|\$3 billion)\."),
    ("unit", "Bake it for 20 minutes.", r"Bake it for 20 hours\."),
    ("name", "The book was written by Jane Austen.", r"The book was written by \w+ \w+\."),
    ("name", "He is an American chef.", r"He is a \w+ chef\."),
    ("name", "The firm moved to an office in Paris.", r"The firm moved to an office in \w+\."),
    ("negation", "The tower is 330 metres tall.", r"The tower is not 330 metres tall\."),
    ("negation", "It does not improve circulation.", r"It does improve circulation\."),
    ("negation", "It has a car park.", r"It does not have a car park\."),
    ("negation", "It has won two prizes.", r"It has not won two prizes\."),
    ("negation", "Laptops can be returned.", r"Laptops cannot be returned\."),
    ("negation", "They can't be returned.", r"They can be returned\."),
    ("negation", "The company launched a rocket.", r"The company did not launch a rocket\."),
    ("negation", "The firm sells bread.", r"The firm does not sell bread\."),
    ("quantifier", "All laptops are tested.", r"Hardly any laptops are tested\."),
    ("quantifier", "Most of the guests liked it.", r"Few of the guests liked it\."),
    ("quantifier", "It always rains.", r"It never rains\."),
    ("quantifier", "It holds more than 300 people.", r"It holds less than 300 people\."),
    ("roles", "Duke dominated Michigan State in 2015.", r"Michigan State dominated Duke in 2015\."),
    ("roles", "He was rescued by the crew of a ship.", r"The crew of a ship was rescued by him\."),
    ("addition", "The tower is 330 metres tall.", r"The tower is 330 metres tall, .+\."),
    ("reordering", "Rangasthalam was released in 2018.", r"In 2018, Rangasthalam was released\."),
    ("reordering", "In 2018, the film was released.", r"The film was released in 2018\."),
    ("reordering", "They sell cakes, salads, soups, and bread.", r"They sell cakes, soups, salads, and bread\."),
    ("synonyms", "He was born on June 22, 1991.", r"He was born on 22 June 1991\."),
    ("synonyms", "It has 3 wings.", r"It has three wings\."),
    ("synonyms", "It is not open.", r"It isn't open\."),
    ("voice", "The film was directed by Hari Shankar.", r"Hari Shankar directed the film\."),
    ("voice", "She has won several awards.", r"Several awards have been won by her\."),
    ("voice", "In 1902, the firm built a bridge.", r"In 1902, a bridge was built by the firm\."),
]


@pytest.mark.parametrize(("kind", "claim", "pattern"), GOLDEN)
def test_golden_changes(kind: str, claim: str, pattern: str) -> None:
    for seed in range(5):
        found = change(kind, claim, seed=seed)
        assert found is not None
        assert re.fullmatch(pattern, found), found
        assert found != claim


# What offers no part for a kind, and why.
NOTHING_TO_CHANGE = [
    ("number", "The tower is tall."),
    ("number", "The claim is in passage 2."),  # a citation
    ("number", "It is tall [12]."),  # another
    ("number", "It opened in 1889."),  # a date
    ("date", "It holds 1500 people."),  # a count
    ("date", "You may march there."),  # no months
    ("unit", "The tower is tall."),
    ("unit", "It is open seven days a week."),
    ("name", "Open the app and press the button."),
    ("name", "The App: it is new."),
    ("negation", "Is it open?"),
    ("negation", "It is not just large, but also old."),
    ("negation", "Some guests are pleased."),  # and others are not
    ("negation", "You may want to read the reviews."),
    ("negation", "Sure, I can help you with that."),
    ("negation", "Never has it rained."),
    ("quantifier", "The most popular dish is soup, not all day."),
    ("roles", "Ann met Ben."),  # the same either way round
    ("roles", "She won the Gold Medal."),  # no medal wins her
    ("roles", "The tower is tall."),
    ("addition", "Press the button twice"),  # an instruction
    ("voice", "Ann married Ben."),
    ("voice", "It lasted three hours."),
    ("voice", "He made his debut in 2013."),
    ("voice", "They praised the menu and left."),
    ("reordering", "He was born in 1920 and died in 1980."),
]


@pytest.mark.parametrize(("kind", "claim"), NOTHING_TO_CHANGE)
def test_a_kind_that_does_not_apply_changes_nothing(kind: str, claim: str) -> None:
    context = claim + " They said that Ann, Ben and the App were there."
    assert [change(kind, claim, context, seed=seed) for seed in range(5)] == [None] * 5


def test_what_the_contexts_could_bear_out_is_not_put_in() -> None:
    context = "It is open on Monday, Tuesday, Wednesday, Thursday, Friday and Saturday from 8 to 20."
    for seed in range(20):
        found = change("date", "It is open on Monday.", context, seed=seed)
        assert found is not None
        assert "Sunday" in found
    dose = "500 mg or 850 mg, 1 g at most, or 500 g"
    assert change("unit", "The dose is 500 mg.", dose) is None


def test_the_same_seed_gives_the_same_change() -> None:
    claim = "Albert Einstein moved to Princeton in 1933 with 12 boxes."
    for kind in CHANGES:
        assert change(kind, claim, seed=3) == change(kind, claim, seed=3)


@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from(sorted(CHANGES)))
def test_any_text_is_borne(claim: str, context: str, kind: str) -> None:
    found = change(kind, claim, context)
    assert found is None or found


@given(st.text(alphabet="aAbB .,19", max_size=60))
def test_names_lie_where_they_are_said_to(text: str) -> None:
    source = Source(Sample(answer=text, contexts=[text]))
    for start, end in names(text, source):
        assert text[start].isupper()
        assert text[start:end].strip() == text[start:end]


def claims_of(data: Path, name: str, limit: int) -> list[tuple[str, Sample]]:
    with lzma.open(data / "eval" / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    rows = random.Random(0).sample([row for row in rows if row["label"] == "supported"], limit)
    return [(row["claim"], Sample(answer=row["claim"], contexts=[row["context"]])) for row in rows]


def test_on_real_claims_corruptions_differ_and_paraphrases_keep_the_facts(shared_data: Path) -> None:
    """`facts`, which knows nothing of this module, must see a difference, or none of numbers, names and denials."""
    made: Counter[str] = Counter()
    for claim, sample in claims_of(shared_data, "factscore_dev", 600):
        source = Source(sample)
        for kind, make in CHANGES.items():
            found = make(claim, source, random.Random(claim))
            if found is None:
                continue
            made[kind] += 1
            apart = differences(claim, found)
            if kind in CORRUPTIONS:
                assert apart, (kind, claim, found)
            else:
                assert not apart & {"number", "date", "negation", "unit"}, (kind, claim, found)
    assert all(made[kind] >= 3 for kind in CHANGES), made


def test_parse_reads_who_did_what_to_whom() -> None:
    clause = parse("In 1990, the committee also praised Ann Lee for her work.")
    assert clause is not None
    assert (clause.agent, clause.past, clause.patient) == ("the committee", "praised", "Ann Lee")
    assert clause.said(passive=False) == "In 1990, the committee also praised Ann Lee for her work."
    assert clause.said(passive=True) == "In 1990, Ann Lee was also praised by the committee for her work."


# --- the counting -------------------------------------------------------------------------------------


class Remembering:
    """Supports what it was told of each sample, as (id, claim); of changed claims, those with what it is blind to."""

    signature = "remembering"

    def __init__(self, supported: Sequence[tuple[str, str]], *, blind_to: str = "") -> None:
        self.supported = set(supported)
        self.blind_to = blind_to
        self.asked: list[str] = []

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for pair in pairs:
            self.asked.append(f"{pair.sample.id} {pair.claim.text}")
            assert pair.sample.answer[pair.claim.start : pair.claim.end] == pair.claim.text
            blind = bool(self.blind_to) and self.blind_to in pair.claim.text
            known = blind or (pair.sample.id, pair.claim.text) in self.supported
            label = Label.SUPPORTED if known else Label.NOT_ENOUGH_INFO
            outcomes.append(Verdict(claim=pair.claim, label=label, support=1.0 * known, origin=Origin(verifier="r")))
        return outcomes


SAMPLES = [
    Sample(id=f"s{n}", answer=f"The tower is {n}0 metres tall. It was built in 18{n}0. Nobody knows why.",
           contexts=[f"The tower number {n} is {n}0 metres tall, and it was built in 18{n}0."])
    for n in range(2, 9)
]  # fmt: skip
TRUE = [(sample.id, f"{sentence}.") for sample in SAMPLES for sentence in sample.answer.split(". ")[:2]]


async def test_only_supported_claims_are_corrupted_and_misses_are_counted() -> None:
    verifier = Remembering(TRUE, blind_to="built in")
    tested = await selftest(SAMPLES, evaluator=Evaluator(verifier=verifier), kinds=["number", "date", "negation"])
    assert tested["number"].judged == 7
    assert tested["number"].share == 1.0
    assert tested["date"].judged == 7
    assert tested["date"].share == 0.0
    assert len(tested["date"].wrong) == 7
    assert tested["negation"].judged == 14  # "Nobody knows why." was not supported
    assert tested["number"].tried == 21
    assert tested["number"].applied == 7
    assert len(verifier.asked) == len(set(verifier.asked))  # each is judged once


async def test_what_stands_in_the_data_twice_counts_once() -> None:
    twice = [*SAMPLES, *(sample.model_copy(update={"id": sample.id + "b"}) for sample in SAMPLES)]
    tested = await selftest(twice, evaluator=Evaluator(verifier=Remembering([], blind_to="a")), kinds=["number"])
    assert tested["number"].applied == 7


async def test_a_harmless_change_that_is_flagged_is_a_mistake() -> None:
    tested = await selftest(SAMPLES, evaluator=Evaluator(verifier=Remembering(TRUE)), kinds=["reordering"])
    item = tested["reordering"]
    assert item.harmless
    assert item.judged == item.flagged == len(item.wrong) == 7


async def test_the_claim_of_another_sample_comes_from_another_sample() -> None:
    answers = ["The lighthouse of Hook was lit by 17 lamps.", "Every orchard in Kent needs bees.", "It is open."]
    samples = [Sample(id=str(n), answer=text, contexts=[text]) for n, text in enumerate(answers)]
    verifier = Remembering([(sample.id, sample.answer) for sample in samples])
    tested = await selftest(samples, evaluator=Evaluator(verifier=verifier), kinds=[OTHER])
    assert tested[OTHER].judged == tested[OTHER].flagged == 3
    forgiving = Remembering([(sample.id, sample.answer) for sample in samples], blind_to=" ")
    tested = await selftest(samples, evaluator=Evaluator(verifier=forgiving), kinds=[OTHER])
    assert len(tested[OTHER].wrong) == 3
    for case, _ in tested[OTHER].wrong:
        assert case.changed.claim.text in answers[:2]  # "It is open." may be true anywhere
        assert case.changed.claim.text != case.original.claim.text


async def test_the_order_of_the_samples_does_not_matter() -> None:
    def texts(tested: object) -> list[str]:
        assert isinstance(tested, dict)
        return sorted(case.changed.claim.text for case, _ in tested["date"].wrong)

    verifier = Remembering(TRUE, blind_to="built in")
    one = await selftest(SAMPLES, evaluator=Evaluator(verifier=verifier), kinds=["date"], per_kind=3)
    two = await selftest(SAMPLES[::-1], evaluator=Evaluator(verifier=verifier), kinds=["date"], per_kind=3)
    assert texts(one) == texts(two)
    assert one["date"].judged == 3


def test_every_kind_of_the_issue_is_there() -> None:
    wanted = {"number", "date", "unit", "name", "negation", "quantifier", "roles", "addition", OTHER}
    assert set(KINDS) == wanted | {"reordering", "synonyms", "voice"}


@pytest.mark.parametrize(
    ("text", "fitting"),
    [
        ("Vitamin A is good.", "Vitamin A is good."),
        ("Hepatitis A and vitamin A, A or E.", "Hepatitis A and vitamin A, A or E."),
        ("He ate a apple. A egg fell.", "He ate an apple. An egg fell."),
    ],
)
def test_a_letter_is_no_article(text: str, fitting: str) -> None:
    assert with_article(text) == fitting
