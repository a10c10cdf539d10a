"""Reading claims: what two claims may differ in and still say the same, and what keeps them apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.near_misses import NEAR_MISSES, REWORDINGS

from faithmeter.text.english.claim_facts import differences, read

SAME = [
    ("He was born on 14 March 1879.", "He was born on March 14th, 1879"),
    ("He was born on 14 March 1879.", "On March 14, 1879, he was born."),
    ("He was born on 1879-03-14.", "He was born on the 14th of March, 1879."),
    ("It was released in 2008 .", "In 2008 , it was released ."),
    ("The US has 50 states.", "the United States has fifty states"),
    ("U.S. troops left in May.", "US troops left in May"),
    ("It earned $1.5 million.", "It earned 1,500,000 dollars"),
    ("Two hundred and five people died.", "205 people died"),
    ("It has twenty-one rooms.", "It has 21 rooms."),
    ("the 21st century", "the twenty-first century"),
    ("It cost 5k euros.", "It cost 5,000 euros."),
    ("He doesn't smoke.", "He does not smoke."),
    ("He does n't smoke .", "He doesn’t smoke."),
    ("He can't swim.", "He cannot swim."),
    ("They won't go.", "They will not go."),
    ("It's tall.", "It is tall."),
    ("Over 5 people came.", "More than five people came."),
    ("Fewer than 10 % left.", "Less than ten per cent left."),
    ("It is about 5km long.", "It is approximately 5 kilometers long."),
    ("She has won the prize.", "She won the prize."),
    ("A man is jumping.", "A man jumps."),
    ("Errol Flynn was Australian-American.", "Errol Flynn was an Australian-American."),
    ('The film "Fury Road" was released in 2015.', "The movie Fury Road was released in 2015."),
    ("The programme began in 1999.", "The program started in 1999."),
    ("The drug also increases mortality.", "The drug increases mortality"),
    ("THE TOWER IS TALL", "The tower is tall."),
    ("The song was recorded by Queen.", "Queen recorded the song."),
    ("Music videos have been directed by Heath Ledger.", "Heath Ledger directed music videos."),
    ("Doses of it increase risk.", "Doses of it increases risk."),
    ("Café Müller opened.", "Cafe\u0301 Mu\u0308ller opened"),
    ("T.I . released it", "T.I. released it."),
    ("It ended 2–1.", "It ended two–one."),
]

APART = [
    ("He was born on 14 March 1879.", "He was born on 20 March 1879.", "date"),
    ("He was born on 14 March 1879.", "He was born on 14 May 1879.", "date"),
    ("It happened in 1999.", "It happened in 1998.", "number"),
    ("It has 3 floors.", "It has 4 floors.", "number"),
    ("It has three floors.", "It has thirteen floors.", "number"),
    ("It cost $5 million.", "It cost $5 billion.", "number"),
    ("She came first.", "She came second.", "number"),
    ("It is 5 km long.", "It is 5 miles long.", "unit"),
    ("It cost 5 dollars.", "It cost 5 euros.", "unit"),
    ("It is in Paris.", "It is in Rome.", "name"),
    ("The report was by NASA.", "The report was by ESA.", "name"),
    ("He smokes.", "He does not smoke.", "negation"),
    ("He always smokes.", "He never smokes.", "negation"),
    ("He is happy with it.", "He is happy without it.", "negation"),
    ("All members voted.", "Some members voted.", "quantifier"),
    ("Most members voted.", "Few members voted.", "quantifier"),
    ("She has more than 5 cats.", "She has less than 5 cats.", "comparative"),
    ("It ended before 1990.", "It ended after 1990.", "comparative"),
    ("Sales increased.", "Sales decreased.", "comparative"),
    ("It may rain.", "It will rain.", "modality"),
    ("He is the president.", "He was the president.", "role"),
    ("It was a hit.", "It was a flop.", "word"),
    ("John beat Mary.", "Mary beat John.", "order"),
    ("The song was recorded by Queen.", "The song recorded Queen.", "order"),
    ("Liverpool was defeated by Everton.", "Liverpool defeated Everton.", "order"),
    ("It was recorded by Queen in Rome.", "Queen in Rome recorded it.", "role"),
    ("It was released by 1999.", "It was released in 1999.", "role"),
    ("It was -5 degrees.", "It was 5 degrees.", "number"),
    ("The suit is too big.", "The suit is big.", "word"),
    ("His son works there.", "His sons work there.", "word"),
    ("He wrote his play.", "He wrote his plays.", "word"),
    ("She won the award.", "She won the awards.", "word"),
    ("लड़की गई", "लड़का गई", "word"),
    ("它不大", "它很大", "word"),
    ("Mark was a fan of Manny.", "Manny was a fan of Mark.", "order"),
    ("He was born in 1879 and died in 1955.", "He was born in 1955 and died in 1879.", "order"),
    ("It won 3-0.", "It won 0-3.", "order"),
    ("He has a brother.", "He has brothers.", "number"),
    ("It was twice named.", "It was named.", "quantifier"),
    ("She takes vitamin A.", "She takes a vitamin.", "name"),
    ("It grew by 5 %.", "It grew by 5.", "unit"),
    ("It works with C++.", "It works with C.", "name"),
    ("The WHO said so.", "The who said so.", "name"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_says_the_same(a: str, b: str) -> None:
    assert differences(a, b) == frozenset()
    assert differences(b, a) == frozenset()


@pytest.mark.parametrize(("a", "b", "kind"), APART)
def test_is_kept_apart(a: str, b: str, kind: str) -> None:
    assert kind in differences(a, b)
    assert kind in differences(b, a)


@pytest.mark.parametrize(("a", "b"), [pair for pairs in NEAR_MISSES.values() for pair in pairs])
def test_a_near_miss_is_not_the_same(a: str, b: str) -> None:
    assert differences(a, b)
    assert differences(b, a)


def test_most_rewordings_are_the_same() -> None:
    assert sum(map(len, NEAR_MISSES.values())) >= 60
    assert len(REWORDINGS) >= 40
    same = [pair for pair in REWORDINGS if not differences(*pair)]
    assert len(same) / len(REWORDINGS) > 0.9


@pytest.mark.parametrize(
    ("text", "kind", "forms"),
    [
        ("Between 1,200 and 3.50 or a million", "number", ["#1200", "#3.5", "#1000000"]),
        ("On 3 May 2001 and in June 2002 and on 2003-07-08", "date", ["@2001-05-03", "@2002-06", "@2003-07-08"]),
        ("It may march on", "date", []),
        ("Neither he nor she never said no", "negation", ["neither", "nor", "never", "no"]),
        ("Yesterday Marie Curie met Albert in NYC", "name", ["marie", "curie", "albert", "NYC"]),
    ],
)
def test_reads(text: str, kind: str, forms: list[str]) -> None:
    assert [fact.form for fact in read(text).facts if fact.kind == kind] == forms


VOCABULARY = "The tower man is not never 5 six 1999 May may in on of , . A a has won over 10 % US us"
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_spacing_and_a_full_stop_change_nothing(text: str) -> None:
    assert differences(text, f"  {text}  ") == frozenset()


@given(st.lists(WORDS, max_size=10), st.data())
def test_a_changed_number_is_never_overlooked(words: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(words)))
    a, b = data.draw(st.lists(st.integers(32, 900), min_size=2, max_size=2, unique=True))
    with_a, with_b = (" ".join([*words[:place], str(n), *words[place:]]) for n in (a, b))
    assert differences(with_a, with_b)


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert differences(text, text) == frozenset()
