"""Rows that take reasoning, made by code."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict

import pytest

from training.skills.compose import Made, kinds, make
from training.skills.fill import Filler, render
from training.skills.scenario import anonymous, balanced, held_wordings, scenarios

AROUND = ("The harbour was built in stone. It has fourteen piers. Most of the boats are painted blue.",)


def _made(kind: str, count: int, *, seed: int = 5, held: bool = False) -> list[Made]:
    rng = random.Random(seed)
    return [one for _ in range(count) for one in make(rng, kind, around=AROUND, held=held)]


def test_the_same_seed_makes_the_same_rows() -> None:
    assert _made("ranking", 5) == _made("ranking", 5)
    assert _made("ranking", 5) != _made("ranking", 5, seed=6)


@pytest.mark.parametrize("kind", kinds())
def test_each_kind_has_claims_of_both_labels_and_no_slot_left_open(kind: str) -> None:
    rows = _made(kind, 60)
    labels = Counter(row.label == "supported" for row in rows if row.kind == kind)
    assert min(labels.values()) > 0.3 * sum(labels.values())
    for row in rows:
        assert not re.search(r"[{}|]|//|\ba [aeio]\w+ing\b|  |\.\.", row.claim), row.claim
        assert not re.search(r"\{[a-z]+\d|//", row.context), row.context
        assert row.claim[0].isupper() or not row.claim[0].isalpha()


def test_a_claim_alone_tells_nothing_about_its_label() -> None:
    """Each claim wording of a scenario is kept as often where it holds as where it does not."""
    for scenario in (one for some in scenarios().values() for one in some):
        kept: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for claim in scenario.claims:
            for label, keep in zip(claim.labels, claim.keep, strict=True):
                kept[anonymous(claim.text)][label == "+"] += keep
        for wording, (bad, good) in kept.items():
            assert bad == pytest.approx(good), (scenario.kind, scenario.name, wording)


def test_a_claim_that_can_only_fail_is_refused() -> None:
    with pytest.raises(ValueError, match="only one kind of label"):
        balanced([("+-", "{p1} won."), ("--", "{p1} lost.")], where="a.txt")
    assert balanced([("++", "{p1} won."), ("--", "{p2} won.")], where="a.txt")[0].keep == (1.0, 1.0)


@pytest.mark.parametrize("kind", kinds())
def test_some_wordings_are_kept_from_training(kind: str) -> None:
    held = held_wordings(kind)
    assert held
    for scenario in scenarios()[kind]:
        assert all(set(world) - held for world in scenario.worlds)
    assert not any(row.held for row in _made(kind, 40))
    assert any(row.held for row in _made(kind, 40, held=True))


def test_slots_of_one_type_are_filled_with_different_things_and_numbers_rise() -> None:
    for seed in range(200):
        slots = Filler(random.Random(seed)).slots(["{p1} {p2} {n1} {n2} {act1.b}"], {"act": ("sold/sell",)})
        text = render("{p1} {p2}", slots, random.Random(seed))
        assert len(set(text.split())) == 4
        assert slots["n1"] < slots["n2"]  # type: ignore[operator]
        assert render("{p1.he} (may|may) {act1.b} a orange.", slots, random.Random(0))[-21:].endswith(
            "may sell an orange."
        )
