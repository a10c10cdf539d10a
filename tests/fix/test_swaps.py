"""What is proposed in place of a name that no context has, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from faithmeter import Context, Sample, afix
from faithmeter.datamodels import Label, Origin, Outcome, Pair, Verdict
from faithmeter.evidence.passages import Index
from faithmeter.fix.choice import SURE_FIT
from faithmeter.fix.swaps import _says, proposals

FILLER = " ".join(f"The house in street {number} has a red door and a small garden." for number in range(12))
DINER = (
    '{"name": "Old Town Tavern", "city": "Dayton", "state": "OH", "address": "12 Lake St", "reviews": "An old bar."}'
)


def best(text: str, *contexts: str, beside: str = "") -> str:
    return proposals(text, [Context(text=context) for context in contexts], beside=beside)[0].of(text)


@pytest.mark.parametrize(
    ("text", "context", "right"),
    [
        ("ZMRO and MMS differ in that ZMRO sends text only.", "SMS and MMS differ: SMS sends text only.",
         "SMS and MMS differ in that SMS sends text only."),  # every mention
        ("Velden Garcia is a singer.", "Ylona Garcia Ylona Jade Garcia is a singer.", "Ylona Garcia is a singer."),
        ("Overall, Velden Town Tavern has a bar.", DINER, "Overall, Old Town Tavern has a bar."),
        ("The tavern is in Namibia, OH.", DINER, "The tavern is in Dayton, OH."),  # the city before the street
        ("The Maltese market is large.", "In Seoul the Korean market is large.", "The Korean market is large."),
        ("Sadly, Velden has closed.", '{"name": "Itsuki", "categories": "Restaurants", "text": "Best of restaurants."}',
         "Sadly, Itsuki has closed."),  # what has a small letter elsewhere is no name
        ("The bar is in Namibia.", '{"categories": "Bars, Arts", "Ambience": "bar", "city": "Santa Barbara"}',
         "The bar is in Santa Barbara."),
        ("Velden also pledged to help.", "Clinton pledged to help, and Obama left.", "Clinton also pledged to help."),
        ("It lies between Mars and Kestrel.", "Malala found it. Malala is known. It lies between Mars and Jupiter.",
         "It lies between Mars and Jupiter."),
        ("Velden's voice is calm.", "Hawking's voice is calm on Talkin Time.", "Hawking's voice is calm."),
    ],
)  # fmt: skip
def test_the_best_proposal_is_the_right_name(text: str, context: str, right: str) -> None:
    assert best(text, context) == right


RECORD = (
    '{"name": "Old Town Tavern", "hours": {"Monday": "11:0-21:0", "Friday": "11:0-0:0"}, "business_stars": 3.5, '
    '"reviews": [{"review_stars": 4.0, "review_date": "2021-12-27 21:03:32", "review_text": "Friendly staff."}]}'
)


@pytest.mark.parametrize(
    ("text", "context", "right"),
    [
        ("It is open on Monday from 11:00 AM to 7:00 PM.", RECORD, "It is open on Monday from 11:00 AM to 9:00 PM."),
        ("It has a rating of 8.5 stars.", RECORD, "It has a rating of 3.5 stars."),
        ("It has a rating of 7 stars.", '{"reviews": [{"review_stars": 3.0, "review_text": "Ok."}], "stars": 2.0}',
         "It has a rating of 2 stars."),
        ("A customer gave it 7 stars.", '{"stars": 2.0, "reviews": [{"review_stars": 3.0, "review_text": "Ok."}]}',
         "A customer gave it 3 stars."),
        ("A review of May 27, 2021 names the staff.", RECORD, "A review of December 27, 2021 names the staff."),
        ("The jury has 12 jurors and 32 alternates.", "The panel is made up of 12 jurors and 12 alternates. It sat for"
         " 70 days.", "The jury has 12 jurors and 12 alternates."),
        ("A 67-year-old man named Louis Jordan was found.", "Louis Jordan, 37, was found. His boat had 47 feet and "
         "a man named Al.", "A 37-year-old man named Louis Jordan was found."),  # an age for an age
        ("Eleven players, Al Ito and Bo Ide, were arrested.", "Al Ito, 32, and Bo Ide, 30, two players, were arrested.",
         "Two players, Al Ito and Bo Ide, were arrested."),
        ("She was president until 2010.", "She was president from 1999 to 2007.", "She was president until 2007."),
        ("She was president from 2010.", "She was president from 1999 to 2007.", "She was president from 1999."),
        ("He was born in 1903.", "Ed was born 6 July 1912 in Graz. His son came in December 1939. In 1939 he left.",
         "He was born in 1912."),
        ("The test is on May 4th.", "The last test was on Aug. 11. An alert comes on Wednesday, Oct. 4, at noon.",
         "The test is on October 4th."),
        ("He played in the 1930s.", "He played from 1958, and all through the 1960s.", "He played in the 1960s."),
        ("It is open from Tuesday to Saturday.", '{"hours": {"Tuesday": "9:0-17:0", "Thursday": "9:0-17:0", "Friday":'
         ' "9:0-17:0"}}', "It is open from Tuesday to Friday."),
        ("It has a rating of 5.5 stars.", '{"stars": 3.5, "reviews": [{"text": "I would give 5 stars, a rating."}]}',
         "It has a rating of 3.5 stars."),
        ("It is at 1723 Lake Street.", '{"address": "5723 Lake Street"}', "It is at 5723 Lake Street."),
        ("Of 25,000 people, over 90,000 died.", "Over 25,000 people fell ill. Over 10,000 died.",
         "Of 25,000 people, over 10,000 died."),
        ("Bake the bread for 25 hours.", "Bake the bread for 25 min.", "Bake the bread for 25 minutes."),
        ("Ten people, the police said, were hurt, among them 885 children of the north.",
         f"Ten people were hurt in the north, the police said. {FILLER} In all, 385 children were hurt.",
         "Ten people, the police said, were hurt, among them 385 children of the north."),
    ],
)  # fmt: skip
def test_the_best_proposal_is_the_right_number(text: str, context: str, right: str) -> None:
    assert best(text, context) == right


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("Heat the oven to 125°F.", "Bake for 30 minutes."),  # other units
        ("Bates is 13 years old.", "Two deputies called out."),  # by other words
        ("Guests rate it high, out of 5 stars.", "It has 2 stars from its guests."),  # a scale
        ("Heat it to 300°C.", "Heat it to 300 degrees."),  # of which scale is not said
    ],
)
def test_a_number_of_something_else_is_not_proposed(text: str, context: str) -> None:
    found = proposals(text, [Context(text=context)])
    assert not [item for item in found if any(letter.isdigit() for letter in text[item.start : item.end])]
    assert not [item for item in found if "°" in text[item.start : item.end]]


def test_a_name_that_stands_far_from_the_rest_is_found() -> None:
    context = f"Muranishi was born in 1950. {FILLER} Muranishi moved."
    assert best("Kestrel was known for a red door.", context) == "Muranishi was known for a red door."


def test_of_two_names_the_one_that_the_answer_uses_is_meant() -> None:
    context = "Dana sells bread. Katie sells bread."
    for name in ("Dana", "Katie"):
        assert best("Quillby sells bread.", context, beside=f"{name} is kind.") == f"{name} sells bread."


@pytest.mark.parametrize(
    ("text", "context", "right"),
    [
        ("Tolland rebels were accused of it.", "On Friday Houthi rebels left. Saudi jets came.",
         "Houthi rebels were accused of it."),  # before the same word
        ("Tristan Kestrel is far away.", "Tristan Cunha has a school. Ana Ruiz went there; the school is far away.",
         "Tristan Cunha is far away."),
        ("The Chief Officer of Slovenia said it was a success.",
         "In Canada it was a success. The Chief Officer said so.",
         "The Chief Officer of Canada said it was a success."),  # of two names in one, the second
        ("Old Town Tavern is in Dayton, KELTA.", DINER.replace("old", "WTF"), "Old Town Tavern is in Dayton, OH."),
        ("It is at 12 Lake St, Ostrava, OH, by the river.", DINER, "It is at 12 Lake St, Dayton, OH, by the river."),
    ],
)  # fmt: skip
def test_a_name_is_found_by_what_stands_beside_it(text: str, context: str, right: str) -> None:
    assert best(text, context) == right


def test_of_a_name_only_the_word_from_nowhere_is_exchanged() -> None:
    context = [Context(text="The Yemeni Health Ministry said 385 died; CNN's Nic Robertson left.")]
    text = "By Yemen's Quillby Ministry 385 died."
    assert "By Yemen's Health Ministry 385 died." in {item.of(text) for item in proposals(text, context) if item.alone}


def test_no_opening_word_is_put_in_for_a_name() -> None:
    context = [Context(text="These buttons work. The buttons work.")]
    assert not [item for item in proposals("KELTA buttons work.", context) if item.everywhere]


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("Close uTorrent if it runs.", "Select uTorrent if it runs. Uninstall uTorrent if it runs."),  # verbs
        ("He met Raúl Castro.", "He met Raul Castro. He met Ana Ruiz."),  # the same name
        ("He met Raul Castro.", "He met Raúl Castro. He met Ana Ruiz."),
        ("He met Cuba’s Raúl Castro.", "He met Raul Castro. In Cuba he met Ana Ruiz."),
    ],
)
def test_what_is_no_name_from_nowhere_is_not_taken_for_one(text: str, context: str) -> None:
    assert not [item for item in proposals(text, [Context(text=context)]) if item.unknown and item.everywhere]


def test_before_the_same_word_a_plain_word_is_not_surely_wrong() -> None:
    context = [Context(text="An Economy ticket is cheap. The Economy ticket is for members.")]
    (economy,) = [item for item in proposals("Premium ticket sales rose.", context) if item.new == "Economy"]
    assert economy.fit < SURE_FIT


def test_names_that_fit_badly_come_behind_a_number_that_fits() -> None:
    names = " ".join(f"{name} said so." for name in ("Ana Ruiz", "Tom Keane", "Eva Moretti", "Kim Oyelaran"))
    context = [Context(text=f"The fair had 40 visitors, a record. {FILLER} {names}")]
    found = proposals("In Ostrava, by all accounts of that year, the fair had 70 visitors.", context)
    bad = [item.everywhere and item.fit < 0 for item in found]
    assert any(bad)
    assert bad == sorted(bad)


def test_the_best_fit_of_a_name_counts() -> None:
    context = [
        Context(text=f"Marie argued with Anna often. {FILLER} The red door and the garden are small, Marie said.")
    ]
    text = "Velden argued with Anna often by the red door and the small garden."
    (marie,) = [item for item in proposals(text, context) if item.new == "Marie" and item.start == 0]
    assert marie.fit > 2


def test_a_part_of_a_name_is_known_not_to_stand_alone() -> None:
    context = [Context(text="Kate Winslet sang. Winslet sang again. Decca Records sang.")]
    alone = {item.new: item.alone for item in proposals("Marchetti sang.", context)}
    assert alone["Winslet"]
    assert not alone["Decca"]


def test_a_short_name_inside_a_word_of_the_claim_is_still_one() -> None:
    options = [item.new for item in proposals("It is located in Dayton, TRSI.", [Context(text='{"state": "CA"}')])]
    assert "CA" in options


class Doubting:
    """Doubts the claim as it is, and supports it in any other words."""

    signature = "doubting"

    def __init__(self, claim: str) -> None:
        self.claim = claim

    async def verify(self, pairs: Sequence[Pair]) -> list[Outcome]:
        return [
            Verdict(
                claim=pair.claim,
                label=Label.NOT_ENOUGH_INFO if pair.claim.text == self.claim else Label.SUPPORTED,
                support=0.4 if pair.claim.text == self.claim else 0.9,
                origin=Origin(verifier="doubting"),
            )
            for pair in pairs
        ]


@pytest.mark.parametrize(
    ("answer", "becomes"),
    [
        ("Brian Cox sang the song.", "Brian Cox sang the song."),  # the context has him: in doubt, he stays
        ("Quillby sang the song.", "Hawking sang the song."),  # no context has it: two opinions that it is wrong
    ],
)
async def test_in_doubt_only_what_no_context_has_is_exchanged(answer: str, becomes: str) -> None:
    context = "Hawking sang the song. Brian Cox listened."
    found = await afix(Sample(answer=answer, contexts=(context,)), verifier=Doubting(answer))
    assert found.answer == becomes


NIGHT = "The mayor, Ana Ruiz, closed the bridge because of the storm. The Centers for Disease Control praised her work."


@pytest.mark.parametrize(
    ("answer", "context"),
    [
        ("The mayor closed the bridge due to the storm.", NIGHT),  # plain words that say the same
        ("The CDC praised her work.", f"{NIGHT} FEMA praised her work too."),  # the short form of a name
        ("The US economy grew.", "The U.S. economy grew. The UK economy shrank."),
        ("Efficient bridges close in a storm.", NIGHT),  # a capital that is the sentence's
        ("**Main Points**: the bridge was closed in the storm.", NIGHT),  # a label
        ("Stir it for 2 minutes.", "Add 2 teaspoons of salt and stir it for a while."),  # other things are measured
    ],
)
async def test_in_doubt_what_only_looks_like_a_mistake_stays(answer: str, context: str) -> None:
    found = await afix(Sample(answer=answer, contexts=(context,)), verifier=Doubting(answer))
    assert found.answer == answer


async def test_in_doubt_a_name_that_fits_nothing_around_it_stays() -> None:
    answer, context = "The hotel offers seating, WiFi, takeout and music.", '{"city": "Dayton"}'
    found = await afix(Sample(answer=answer, contexts=(context,)), verifier=Doubting(answer))
    assert found.answer == answer


@pytest.mark.parametrize(
    ("text", "context", "right"),
    [
        ("Its boss, Quillby Meij, said so.", "Domino's Pizza CEO Don Meij said so.", "Its boss, Don Meij, said so."),
        ("The US Velden church is old.", "The U.S. Catholic church is old.", "The US Catholic church is old."),
        ("Velden claims that it was an accident.", "Among friends of Glanz, Bates has said that it was an accident.",
         "Bates claims that it was an accident."),  # who does something, not who stands beside it
        ("He named a bishop in Latvia at last.", "He named a new bishop in Chile, Juan Barros, at last.",
         "He named a bishop in Chile at last."),
        ("To run it on Norvane, click.", "Click on Windows-based tools.", "To run it on Windows, click."),
        ("It is forecast for Sunday.", '{"day": "Friday", "high": 4}', "It is forecast for Friday."),  # no other day
        ("It costs sixty euros.", "The selling price is twenty five euros.", "It costs twenty-five euros."),
        ("It left ten wounded.", "It left 2,191 wounded. It left two wounded.", "It left two wounded."),
        ("Tapper, who will start in May, stays.", "He will take over the program in June; Tapper stays.",
         "Tapper, who will start in June, stays."),  # the month before a verb in other words
    ],
)  # fmt: skip
def test_what_is_meant_is_found(text: str, context: str, right: str) -> None:
    assert best(text, context) == right


def test_what_few_passages_have_tells_more_of_what_stands_by_it() -> None:
    index = Index(["Boy was released in 2010.", "Eagle was released in 2007.", "Hunt was released in 2016."])
    assert _says("boy", index) > _says("releas", index) > _says("in", index)
