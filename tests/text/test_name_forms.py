"""A name stands in a text in any of the forms that people write it in, and in no other's."""

from __future__ import annotations

import pytest

from faithmeter.text.english.name_forms import stands_in


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Maria's", "maria sold it"),
        ("Maria’s", "Maria sold it"),
        ("PM", "open until 21:00"),
        ("PDFs", "one PDF"),
        ("Wi-Fi", "free WiFi"),
        ("WiFi", "free Wi-Fi"),
        ("COVID-19", "Covid was spreading"),
        ("Anna-Lena", "Lena, called Anna"),
        ("November", "on Nov. 5"),
        ("November", "2012-11-05"),
        ("May", "2012-05-02"),
        ("Mondays", "Mon-Fri: 9-17"),
        ("California", "Goleta, CA"),
        ("CA", "Goleta, California"),
        ("Jersey", "Newark, NJ"),
        ("America", "in the United States"),
        ("British", "in the UK"),
        ("French", "from France"),
        ("France", "a French baker"),
        ("Avenue", "12 Oak Ave."),
        ("Canadians", "in Canada"),
        ("Argentinian", "from Argentina"),
    ],
)
def test_other_forms_of_a_name_stand_for_it(name: str, text: str) -> None:
    assert stands_in(name, text, text.lower())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Maria", "Anna sold it"),
        ("November", "2012-12-05"),
        ("November", "a novel of 2012"),
        ("Monday", "the months of summer"),
        ("California", "a ca. 3 km walk"),
        ("Oregon", "black or white"),
        ("Texas", "Newark, NJ"),
        ("French", "from Spain"),
        ("Avenue", "they have a house"),
        ("Canadians", "a can of beans"),
        ("Jones", "Jon sold it"),
    ],
)
def test_what_only_looks_alike_does_not(name: str, text: str) -> None:
    assert not stands_in(name, text, text.lower())
