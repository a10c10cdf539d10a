"""Makes records of other kinds (products, people, films, matches, weather) and tables of them."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable, Iterator
from typing import Any

from training.businesses import Record
from training.records import NO, UNKNOWN, YES, Fact, Made, about, person_name
from training.words import (
    CITIES,
    COLOURS,
    COUNTRIES,
    DAYS,
    FIELDS,
    GENRES,
    JOBS,
    LAST_NAMES,
    MATERIALS,
    MONTHS,
    PRODUCTS,
    TEAMS,
)

Field = tuple[str, Callable[[random.Random], Any], list[str]]
"""A field's key, how its value is drawn, and the predicates that state it."""


def _date(rng: random.Random) -> str:
    return f"{rng.randint(1, 28)} {rng.choice(MONTHS)} {rng.randint(1930, 2023)}"


def _money(rng: random.Random) -> str:
    return f"${rng.randint(5, 900)}.{rng.choice(['00', '50', '99', '95'])}"


KINDS: dict[str, tuple[Callable[[random.Random], str], list[Field]]] = {
    "product": (
        lambda rng: f"{rng.choice(LAST_NAMES)} {rng.choice(PRODUCTS)} {rng.randint(100, 990)}",
        [
            ("price", _money, ["costs {}", "is priced at {}", "sells for {}"]),
            ("color", lambda rng: rng.choice(COLOURS), ["comes in {}", "is {}", "is available in {}"]),
            ("material", lambda rng: rng.choice(MATERIALS), ["is made of {}", "is made from {}"]),
            ("weight_kg", lambda rng: round(rng.uniform(0.2, 25), 1), ["weighs {} kg", "has a weight of {} kilograms"]),
            ("warranty_years", lambda rng: rng.randint(1, 10),
             ["comes with a {}-year warranty", "has a warranty of {} years"]),
            ("inStock", lambda rng: rng.random() < 0.5, ["is in stock", "is not in stock"]),
            ("waterproof", lambda rng: rng.random() < 0.5, ["is waterproof", "is not waterproof"]),
            ("rating", lambda rng: round(rng.uniform(1, 5), 1), ["has a rating of {}", "is rated {} out of 5"]),
            ("madeIn", lambda rng: rng.choice(COUNTRIES), ["is made in {}", "is manufactured in {}"]),
        ],
    ),
    "person": (
        person_name,
        [
            ("birth_date", _date, ["was born on {}"]),
            ("birth_place", lambda rng: rng.choice(CITIES)[0], ["was born in {}", "comes from {}"]),
            ("occupation", lambda rng: rng.choice(JOBS), ["worked as a {}", "is known as a {}", "is a {}"]),
            ("nationality", lambda rng: rng.choice(COUNTRIES), ["is from {}", "is a citizen of {}"]),
            ("alma_mater", lambda rng: f"University of {rng.choice(CITIES)[0]}",
             ["studied at the {}", "graduated from the {}"]),
            ("field", lambda rng: rng.choice(FIELDS), ["studied {}", "has a degree in {}"]),
            ("children", lambda rng: rng.randint(0, 6), ["has {} children"]),
            ("spouse", person_name, ["is married to {}", "married {}"]),
            ("retired", lambda rng: rng.random() < 0.5, ["is retired", "is not retired"]),
        ],
    ),
    "film": (
        lambda rng: f"The {rng.choice(['Last', 'Silent', 'Broken', 'Golden', 'Lost'])} "
        f"{rng.choice(['River', 'Crown', 'Letter', 'Train', 'Harbour'])}",
        [
            ("director", person_name, ["was directed by {}", "is a film by {}"]),
            ("year", lambda rng: rng.randint(1940, 2023), ["was released in {}", "came out in {}"]),
            ("genre", lambda rng: rng.choice(GENRES), ["is a {} film", "is a {}"]),
            ("runtime_minutes", lambda rng: rng.randint(75, 190), ["runs for {} minutes", "is {} minutes long"]),
            ("lead", person_name, ["stars {}", "features {} in the leading role"]),
            ("country", lambda rng: rng.choice(COUNTRIES), ["was made in {}", "was produced in {}"]),
            ("budget_million_usd", lambda rng: rng.randint(1, 200),
             ["had a budget of ${} million", "cost ${} million to make"]),
            ("award_winner", lambda rng: rng.random() < 0.5, ["won an award", "did not win an award"]),
        ],
    ),
    "match": (
        lambda rng: f"{rng.choice(CITIES)[0]} {rng.choice(TEAMS)}",
        [
            ("opponent", lambda rng: f"{rng.choice(COUNTRIES)} {rng.choice(TEAMS)}", ["played against {}", "faced {}"]),
            ("goals", lambda rng: rng.randint(0, 7), ["scored {} goals"]),
            ("attendance", lambda rng: f"{rng.randint(1, 90)},{rng.randint(100, 999)}",
             ["played in front of {} spectators", "drew a crowd of {}"]),
            ("date", _date, ["played on {}"]),
            ("coach", person_name, ["is coached by {}"]),
            ("home_game", lambda rng: rng.random() < 0.5, ["played at home", "did not play at home"]),
            ("top_scorer", person_name, ["had {} as top scorer"]),
        ],
    ),
    "city": (
        lambda rng: rng.choice(CITIES)[0],
        [
            ("high_c", lambda rng: rng.randint(-5, 42), ["has a high of {} °C", "reaches {} degrees Celsius"]),
            ("low_c", lambda rng: rng.randint(-25, 15), ["has a low of {} °C"]),
            ("humidity_percent", lambda rng: rng.randint(10, 99), ["has a humidity of {}%", "has {} percent humidity"]),
            ("wind_kmh", lambda rng: rng.randint(0, 120), ["has winds of {} km/h"]),
            ("day", lambda rng: rng.choice(DAYS), ["is forecast for {}"]),
            ("rain", lambda rng: rng.random() < 0.5, ["expects rain", "does not expect rain"]),
            ("population", lambda rng: f"{rng.randint(10, 900)},{rng.randint(100, 999)}",
             ["has a population of {}", "has {} inhabitants"]),
            ("mayor", person_name, ["is governed by mayor {}"]),
        ],
    ),
}  # fmt: skip


def _facts(values: Record, fields: list[Field], rng: random.Random, others: list[Record]) -> list[Fact]:
    """State each field rightly, wrongly (another value, or another row's), and each missing field."""
    facts = []
    for key, draw, predicates in fields:
        value = values.get(key)
        if isinstance(draw(rng), bool):
            yes, no = predicates
            facts.append(Fact(yes, UNKNOWN if value is None else YES if value else NO))
            facts.append(Fact(no, UNKNOWN if value is None else NO if value else YES))
            continue
        elsewhere = [row[key] for row in others if row.get(key) not in (None, value)]
        wrong = rng.choice(elsewhere) if elsewhere and rng.random() < 0.7 else draw(rng)
        if value is None:
            facts.append(Fact(rng.choice(predicates).format(wrong), UNKNOWN))
            continue
        facts.append(Fact(rng.choice(predicates).format(value), YES))
        if wrong != value:
            facts.append(Fact(rng.choice(predicates).format(f"«{wrong}»"), NO))
    return facts


def _drawn(fields: list[Field], rng: random.Random) -> Record:
    return {key: None if rng.random() < 0.1 else draw(rng) for key, draw, _ in fields}


def general_pairs(rng: random.Random, count: int) -> Iterator[Made]:
    """Make pairs about one record, or about one row of a table."""
    name, fields = KINDS[rng.choice(list(KINDS))]
    fields = rng.sample(fields, rng.randint(4, len(fields)))
    if rng.random() < 0.5:
        values = _drawn(fields, rng)
        title = name(rng)
        record = {"name": title, **values}
        if rng.random() < 0.3:
            record = {"name": title, "details": values}
        facts = _facts(values, fields, rng, [])
        yield from about(record, facts, subject=title, count=count, rng=rng)
        return
    rows = {name(rng): _drawn(fields, rng) for _ in range(rng.randint(2, 7))}
    written = _table(rows, [key for key, *_ in fields], rng)
    for _ in range(count):
        title = rng.choice(list(rows))
        facts = _facts(rows[title], fields, rng, [row for other, row in rows.items() if other != title])
        # A table has many rows: a claim about "it" would not say which.
        for made in about(rows[title], facts, subject=title, count=1, rng=rng, pronouns=False):
            yield made._replace(context=written)


def _table(rows: dict[str, Record], keys: list[str], rng: random.Random) -> str:
    """Write rows as a Markdown table, CSV, or one line of `key: value` each."""
    cells = [["name", *keys]]
    cells += [[title, *("" if row[key] is None else str(row[key]) for key in keys)] for title, row in rows.items()]
    style = rng.random()
    if style < 0.5:
        lines = ["| " + " | ".join(row) + " |" for row in cells]
        return "\n".join([lines[0], "|" + " --- |" * len(cells[0]), *lines[1:]])
    if style < 0.75:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(cells)
        return out.getvalue()
    return "\n\n".join(
        "\n".join(f"{key}: {value}" for key, value in zip(cells[0], row, strict=True) if value) for row in cells[1:]
    )
