"""Things that are someone else's in the evidence than in the claim."""

from __future__ import annotations

import pytest

from faithmeter.verify.local_features import mismatches
from faithmeter.verify.owners import misowned

NIJO = "Nijō Castle was built in 1603 as the Kyoto residence of Tokugawa Ieyasu, the first shogun of the Edo period."
BERLIN = "Berlin is a city-state and the capital of Germany."
RENT = "Under the lease, repairs of the roof are the responsibility of the landlord."


@pytest.mark.parametrize(
    ("claim", "evidence", "owner", "of"),
    [
        ("Nijō Castle: the emperor's residence, built in 1603.", NIJO, "the emperor", "Tokugawa Ieyasu"),
        ("Nijō Castle was built as the residence of the emperor.", NIJO, "the emperor", "Tokugawa Ieyasu"),
        ("Nijō Castle was Oda Nobunaga's residence in Kyoto.", NIJO, "Oda Nobunaga", "Tokugawa Ieyasu"),
        ("Berlin is a city-state and the capital of Austria.", BERLIN, "Austria", "Germany"),
        ("Berlin is a city-state, and Austria's capital.", BERLIN, "Austria", "Germany"),
        ("Repairs of the roof are the tenant's responsibility.", RENT, "the tenant", "the landlord"),
        ("Noah is a younger sister of Macy Grey.", "Noah is the younger sister of Miley Cyrus, who was born in 1992.",
         "Macy Grey", "Miley Cyrus"),
        ("Charlotte is home to the headquarters of Citigroup.",
         "Charlotte is home to the headquarters of Bank of America.",
         "Citigroup", "Bank of America"),
    ],
)  # fmt: skip
def test_a_thing_of_someone_else(claim: str, evidence: str, owner: str, of: str) -> None:
    found = misowned(claim, evidence)
    assert found is not None
    assert (found.owner.of(claim), found.of) == (owner, of)
    assert found.of in evidence
    assert mismatches(claim, evidence).owners == 1


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Nijō Castle: the shogun's residence, built in 1603.", NIJO),
        ("Nijō Castle: Tokugawa's residence, built in 1603.", NIJO),
        ("Nijō Castle: the ruler's residence, built in 1603.", NIJO),  # who may be anyone
        ("Nijō Castle was not the emperor's residence in 1603.", NIJO),
        ("The castle: the emperor's residence.", NIJO),  # hardly the same sentence
        ("Nijō Castle: the emperor's residence, built in 1603.", NIJO + " The emperor stayed there."),
        ("Nijō Castle: the emperor's residence, built in 1603.", NIJO + " His residence burnt down."),
        ("Nijō Castle: the emperor's residence, built in 1603.", NIJO + " It became the residence of Iemitsu."),
        ("Nijō Castle: the emperor's residence, built in 1603.", NIJO.replace(", the first shogun", "")),
        ("Nijō Castle: the president's residence, built in 1603.", NIJO.replace("the first shogun", "the author")),
        ("Berlin is a city-state and the German capital.", BERLIN),
        ("Berlin is a city-state and the capital of the Germans.", BERLIN),
        ("Berlin is a city-state and the capital of Europe.", BERLIN),
        ("Iran is a founding member of the UN.", "Iran is a founding member of the United Nations."),
        ("Lott knew of Yogoslavia's proposal for a force.", "Lott knew of Yugoslavia's proposal for a force."),
        ("They are descendants of European sailors who came.", "They are descendants of Dutch sailors who came."),
        ("In May the rating of Clinton fell.", "In May the President's rating fell."),
        ("The castle was seen at Monday's opening in Kyoto.", "The castle in Kyoto: seen at the opening of Ieyasu."),
        ("Repairs of the roof are the buyer's responsibility.", RENT),  # a buyer may be the landlord
    ],
)  # fmt: skip
def test_nothing_is_said_in_doubt(claim: str, evidence: str) -> None:
    assert misowned(claim, evidence) is None
    assert mismatches(claim, evidence).owners == 0
