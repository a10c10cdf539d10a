"""Templates of claims that follow from a context by arithmetic, with twins that do not; see `benchmarks.derivations`."""

# ruff: noqa: E501 (a template reads best on one line)

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import NamedTuple


class Case(NamedTuple):
    """A claim that follows from a context, and twins that do not."""

    context: str
    claim: str
    twins: Sequence[tuple[str, str]]
    """What is wrong with it, and the twin."""


class Template(NamedTuple):
    """Makes cases of one kind."""

    name: str
    kind: str
    held: bool
    make: Callable[[random.Random], Case]


TEMPLATES: list[Template] = []
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
TOWNS = [
    "Oslo",
    "Lyon",
    "Porto",
    "Gdansk",
    "Leeds",
    "Turin",
    "Malmo",
    "Ghent",
    "Basel",
    "Cork",
    "Graz",
    "Split",
    "Tartu",
    "Varna",
]
PEOPLE = ["Anna", "Bruno", "Clara", "David", "Elena", "Felix", "Greta", "Hugo", "Irene", "Jonas", "Karin", "Leo"]
SURNAMES = [
    "Weber",
    "Rossi",
    "Novak",
    "Silva",
    "Larsen",
    "Dubois",
    "Kowalski",
    "Moreno",
    "Haas",
    "Lindqvist",
    "Okafor",
    "Tanaka",
]
PRODUCTS = ["Aero", "Brio", "Corvo", "Delta", "Ember", "Fjord", "Gala", "Halo", "Iris", "Juno"]
FIRMS = ["Northwind", "Halcyon", "Meridian", "Bluepeak", "Ostara", "Kestrel", "Lumen", "Verdant"]
FILLER = [
    "The report was published last week.",
    "Parking is available behind the building.",
    "Staff can be reached by e-mail.",
    "The figures were checked by an independent auditor.",
    "A new logo was introduced at the same time.",
]


def template(kind: str, *, held: bool = False) -> Callable[[Callable[[random.Random], Case]], None]:
    """Add a template to the list."""

    def add(make: Callable[[random.Random], Case]) -> None:
        TEMPLATES.append(Template(make.__name__, kind, held, make))

    return add


def prose(rng: random.Random, *sentences: str) -> str:
    """The sentences with nothing, one or two others around them."""
    filler = rng.sample(FILLER, 2)
    return " ".join([*filler[: rng.randint(0, 1)], *sentences, *filler[1 : rng.randint(1, 2)]])


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def records(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A JSON list of objects."""
    return json.dumps([dict(zip(head, row, strict=True)) for row in rows], indent=1)


def off(rng: random.Random, value: int) -> int:
    """A wrong value near the right one."""
    return value + rng.choice([-1, 1]) * max(1, round(value * rng.choice([0.1, 0.15, 0.25])))


# --- sums -----------------------------------------------------------------------------------------------------------


@template("sum")
def sum_two_plants(rng: random.Random) -> Case:
    a, b, c = rng.sample(TOWNS, 3)
    x, y, z = rng.sample(range(1200, 9000, 50), 3)
    context = prose(rng, f"The {a} plant produced {x:,} tonnes of steel, while the {b} plant produced {y:,} tonnes.",
                    f"The {c} plant produced {z:,} tonnes of steel.")  # fmt: skip
    how = rng.choice(["Together, the {a} plant and the {b} plant produced {v:,} tonnes of steel.",
                      "The {a} plant and the {b} plant produced a total of {v:,} tonnes of steel.",
                      "The {a} and {b} plants produced {v:,} tonnes of steel combined."])  # fmt: skip
    return Case(context, how.format(a=a, b=b, v=x + y), [
        ("value", how.format(a=a, b=b, v=off(rng, x + y))), ("row", how.format(a=a, b=c, v=x + y)),
        ("unit", how.format(a=a, b=b, v=x + y).replace("tonnes", "kilograms")),
        ("operation", how.format(a=a, b=b, v=abs(x - y)))])  # fmt: skip


@template("sum")
def sum_of_two_years(rng: random.Random) -> Case:
    firm, year = rng.choice(FIRMS), rng.randint(2005, 2022)
    x, y = rng.sample(range(110, 990, 5), 2)
    context = prose(rng, f"{firm} sold {x:,} licences in {year} and {y:,} licences in {year + 1}.")
    how = rng.choice(["{f} sold {v:,} licences in total in {a} and {b}.", "In {a} and {b} combined, {f} sold {v:,} licences.",
                      "Over {a} and {b} together, {f} sold {v:,} licences."])  # fmt: skip
    return Case(context, how.format(f=firm, v=x + y, a=year, b=year + 1), [
        ("value", how.format(f=firm, v=off(rng, x + y), a=year, b=year + 1)),
        ("operation", how.format(f=firm, v=abs(x - y), a=year, b=year + 1)),
        ("row", how.format(f=firm, v=x + y, a=year + 1, b=year + 2))])  # fmt: skip


@template("sum", held=True)
def sum_of_a_column(rng: random.Random) -> Case:
    towns = rng.sample(TOWNS, rng.randint(3, 5))
    rows = [(town, rng.randint(20, 400), rng.randint(3, 19)) for town in towns]
    make = rng.choice([table, records])
    context = make(["Store", "Orders", "Returns"], rows)
    orders, returns = (sum(row[i] for row in rows) for i in (1, 2))  # type: ignore[misc]
    how = rng.choice(["Across all stores there were {v:,} {w} in total.", "The stores had a total of {v:,} {w}.",
                      "In total, the stores recorded {v:,} {w}."])  # fmt: skip
    return Case(context, how.format(v=orders, w="orders"), [
        ("value", how.format(v=off(rng, orders), w="orders")), ("column", how.format(v=returns, w="orders")),
        ("operation", how.format(v=max(row[1] for row in rows), w="orders"))])  # fmt: skip


@template("sum")
def sum_of_two_rows(rng: random.Random) -> Case:
    towns = rng.sample(TOWNS, 4)
    rows = [(town, rng.randint(20, 400), rng.randint(500, 900)) for town in towns]
    make = rng.choice([table, records])
    context = make(["City", "Hotels", "Restaurants"], rows)
    i, j, k = rng.sample(range(4), 3)
    how = rng.choice(["{a} and {b} together have {v:,} hotels.", "{a} and {b} have {v:,} hotels in total.",
                      "{a} and {b} have a combined {v:,} hotels."])  # fmt: skip
    v = rows[i][1] + rows[j][1]
    twins = [("value", how.format(a=towns[i], b=towns[j], v=off(rng, v))),
             ("column", how.format(a=towns[i], b=towns[j], v=rows[i][2] + rows[j][2]))]  # fmt: skip
    if rows[k][1] != rows[j][1]:
        twins.append(("row", how.format(a=towns[i], b=towns[k], v=v)))
    return Case(context, how.format(a=towns[i], b=towns[j], v=v), twins)


@template("sum", held=True)
def sum_of_prices(rng: random.Random) -> Case:
    a, b, c = rng.sample(["ticket", "guidebook", "audio guide", "poster", "locker"], 3)
    x, y, z = rng.sample(range(3, 60), 3)
    context = prose(rng, f"A {a} costs €{x}.", f"A {b} costs €{y}.", f"A {c} costs €{z}.")
    how = rng.choice(["A {a} and a {b} together cost €{v}.", "A {a} and a {b} cost a total of €{v}.",
                      "A {a} plus a {b} comes to €{v} in total."])  # fmt: skip
    return Case(context, how.format(a=a, b=b, v=x + y), [
        ("value", how.format(a=a, b=b, v=x + y + rng.randint(1, 9))), ("row", how.format(a=a, b=c, v=x + y)),
        ("unit", how.format(a=a, b=b, v=x + y).replace("€", "$")),
        ("operation", how.format(a=a, b=b, v=abs(x - y)))])  # fmt: skip


# --- differences ----------------------------------------------------------------------------------------------------


@template("difference")
def difference_of_two(rng: random.Random) -> Case:
    a, b = rng.sample(TOWNS, 2)
    x, y = sorted(rng.sample(range(40, 400), 2), reverse=True)
    context = prose(rng, f"The tower in {a} is {x} metres tall.", f"The tower in {b} is {y} metres tall.")
    how = rng.choice(["The tower in {a} is {v} metres taller than the tower in {b}.",
                      "The tower in {b} is {v} metres shorter than the tower in {a}.",
                      "The tower in {a} is {v} m taller than the one in {b}."])  # fmt: skip
    right = how.format(a=a, b=b, v=x - y)
    return Case(context, right, [("value", how.format(a=a, b=b, v=x - y + rng.randint(1, 20))),
                                 ("operation", how.format(a=b, b=a, v=x - y)), ("operation", how.format(a=a, b=b, v=x + y)),
                                 ("unit", how.replace("metres", "feet").replace(" m ", " feet ").format(a=a, b=b, v=x - y))])  # fmt: skip


@template("difference")
def difference_of_rows(rng: random.Random) -> Case:
    a, b, c = rng.sample(PRODUCTS, 3)
    prices = dict(zip((a, b, c), rng.sample(range(200, 1900, 10), 3), strict=True))
    a, b = sorted((a, b), key=prices.__getitem__, reverse=True)
    rows = [(name, price, rng.randint(1, 5)) for name, price in prices.items()]
    context = rng.choice(
        [table(["Model", "Price (USD)", "Rating"], rows), records(["name", "price_usd", "rating"], rows)]
    )
    how = rng.choice(["The {a} costs ${v:,} more than the {b}.", "The {b} is ${v:,} cheaper than the {a}.",
                      "The price of the {a} is ${v:,} higher than that of the {b}."])  # fmt: skip
    v = prices[a] - prices[b]
    return Case(context, how.format(a=a, b=b, v=v), [
        ("value", how.format(a=a, b=b, v=v + 10)), ("operation", how.format(a=b, b=a, v=v)),
        ("row", how.format(a=a, b=c, v=v)), ("unit", how.format(a=a, b=b, v=v).replace("$", "€"))])  # fmt: skip


@template("difference", held=True)
def difference_over_time(rng: random.Random) -> Case:
    town, year = rng.choice(TOWNS), rng.randint(1990, 2015)
    x = rng.randint(20, 90) * 1000
    v = rng.randint(2, 19) * 500
    up = rng.random() < 0.5
    y = x + v if up else x - v
    context = prose(rng, f"The population of {town} was {x:,} in {year} and {y:,} in {year + 8}.")
    grew = rng.choice(["rose", "increased", "grew"] if up else ["fell", "declined", "decreased"])
    other = "fell" if up else "rose"
    how = "The population of {t} {g} by {v:,} between {a} and {b}."
    return Case(context, how.format(t=town, g=grew, v=v, a=year, b=year + 8), [
        ("value", how.format(t=town, g=grew, v=v + 500, a=year, b=year + 8)),
        ("operation", how.format(t=town, g=other, v=v, a=year, b=year + 8)),
        ("row", how.format(t=town, g=grew, v=v, a=year, b=year + 9))])  # fmt: skip


# --- averages -------------------------------------------------------------------------------------------------------


@template("average")
def average_of_a_column(rng: random.Random) -> Case:
    names = rng.sample(PEOPLE, rng.choice([3, 4]))
    while True:
        scores = [rng.randint(40, 99) for _ in names]
        if sum(scores) % len(scores) == 0 and len(set(scores)) > 1 and sum(scores) // len(scores) not in scores:
            break
    v = sum(scores) // len(scores)
    rows = [(name, score, rng.randint(18, 35)) for name, score in zip(names, scores, strict=True)]
    context = rng.choice([table, records])(["Student", "Score", "Age"], rows)
    how = rng.choice(["The average score of the students is {v}.", "On average, the students had a score of {v}.",
                      "The mean score was {v}."])  # fmt: skip
    return Case(context, how.format(v=v), [("value", how.format(v=v + rng.choice([-3, 2, 4]))),
                                           ("operation", how.format(v=sum(scores))), ("row", how.format(v=max(scores)))])  # fmt: skip


@template("average", held=True)
def average_of_two(rng: random.Random) -> Case:
    a, b = rng.sample(TOWNS, 2)
    x = rng.randint(20, 80) * 2
    y = x + rng.randint(1, 20) * 2
    context = prose(rng, f"The library in {a} lends {x} books a day and the library in {b} lends {y} books a day.")
    how = rng.choice(["The libraries in {a} and {b} lend an average of {v} books a day.",
                      "On average, the libraries in {a} and {b} lend {v} books a day."])  # fmt: skip
    v = (x + y) // 2
    return Case(context, how.format(a=a, b=b, v=v), [("value", how.format(a=a, b=b, v=v + 7)),
                                                     ("operation", how.format(a=a, b=b, v=x + y))])  # fmt: skip


# --- percentages and changes ----------------------------------------------------------------------------------------


@template("percentage")
def percent_change(rng: random.Random) -> Case:
    firm, year = rng.choice(FIRMS), rng.randint(2008, 2021)
    p = rng.choice([5, 10, 15, 20, 25, 30, 40, 50])
    x = rng.randint(2, 30) * 20
    up = rng.random() < 0.5
    y = x + x * p // 100 if up else x - x * p // 100
    exact = x * p % 100 == 0
    context = prose(
        rng, f"{firm} reported revenue of ${x} million in {year}.", f"In {year + 1}, its revenue was ${y} million."
    )
    grew = rng.choice(["rose", "grew", "increased"] if up else ["fell", "dropped", "decreased"])
    about = "" if exact else "about "
    how = "Revenue {g} by {o}{v} % from {a} to {b}."
    return Case(context, how.format(g=grew, o=about, v=p, a=year, b=year + 1), [
        ("value", how.format(g=grew, o=about, v=p + 4, a=year, b=year + 1)),
        ("operation", how.format(g="fell" if up else "rose", o=about, v=p, a=year, b=year + 1)),
        ("unit", how.format(g=grew, o=about, v=p, a=year, b=year + 1).replace(f"{p} %", f"${p} million")
         if abs(y - x) != p else how.format(g=grew, o="", v=p + 9, a=year, b=year + 1))])  # fmt: skip


@template("percentage")
def percent_from_to(rng: random.Random) -> Case:
    town = rng.choice(TOWNS)
    p = rng.choice([10, 20, 25, 50, 60, 75])
    x = rng.randint(2, 30) * 20
    y = x + x * p // 100
    context = prose(rng, f"The number of daily visitors to the museum in {town} rose from {x} to {y}.")
    how = rng.choice(["The number of daily visitors to the museum in {t} rose by {v}%.",
                      "Daily visitors to the museum in {t} increased by {v} percent.",
                      "The museum in {t} saw a {v}% increase in daily visitors."])  # fmt: skip
    return Case(context, how.format(t=town, v=p), [
        ("value", how.format(t=town, v=p + 7)),
        ("operation", how.format(t=town, v=p).replace("rose", "fell").replace("increase", "decrease")),
        ("value", how.format(t=town, v=round(100 * (y - x) / y)))])  # fmt: skip


@template("percentage", held=True)
def percent_share(rng: random.Random) -> Case:
    firm = rng.choice(FIRMS)
    p = rng.choice([10, 20, 25, 30, 40, 60, 75])
    whole = rng.randint(2, 20) * 20
    part = whole * p // 100
    context = prose(rng, f"Of the {whole} employees of {firm}, {part} work from home.")
    how = rng.choice(
        ["{v}% of the employees of {f} work from home.", "At {f}, {v} percent of employees work from home."]
    )
    return Case(context, how.format(f=firm, v=p), [("value", how.format(f=firm, v=p + 5)),
                                                   ("operation", how.format(f=firm, v=100 - p if p != 50 else 45))])  # fmt: skip


@template("ratio")
def share_as_fraction(rng: random.Random) -> Case:
    word, n, d = rng.choice(
        [("half", 1, 2), ("a third", 1, 3), ("a quarter", 1, 4), ("two thirds", 2, 3), ("a fifth", 1, 5)]
    )
    whole = rng.randint(3, 20) * 60
    part = whole * n // d
    town = rng.choice(TOWNS)
    context = prose(rng, f"In {town}, {part} of the {whole} shops were closed on Sundays.")
    how = "{w} of the shops in {t} were closed on Sundays."
    others = [w for w in ("half", "a third", "a quarter", "two thirds", "a fifth") if w != word]
    wrong = rng.choice(others)
    return Case(context, how.format(w=word, t=town).capitalize().replace(town.lower(), town).replace("sundays", "Sundays"),
                [("value", how.format(w=wrong, t=town).capitalize().replace(town.lower(), town).replace("sundays", "Sundays"))])  # fmt: skip


@template("ratio")
def ratio_over_time(rng: random.Random) -> Case:
    firm = rng.choice(FIRMS)
    verb, factor = rng.choice([("doubled", 2), ("tripled", 3), ("quadrupled", 4)])
    x, year = rng.randint(20, 300), rng.randint(2000, 2020)
    context = prose(rng, f"{firm} had {x} employees in {year}.", f"In {year + 4}, {firm} had {x * factor} employees.")
    how = "The number of employees of {f} {w} between {a} and {b}."
    wrong = rng.choice([w for w in ("doubled", "tripled", "quadrupled", "halved") if w != verb])
    return Case(context, how.format(f=firm, w=verb, a=year, b=year + 4), [
        ("value", how.format(f=firm, w=wrong, a=year, b=year + 4)),
        ("row", how.format(f=firm, w=verb, a=year, b=year + 5))])  # fmt: skip


@template("ratio", held=True)
def ratio_of_rows(rng: random.Random) -> Case:
    a, b, c = rng.sample(TOWNS, 3)
    word, factor = rng.choice([("twice", 2), ("three times", 3), ("four times", 4), ("half", 0.5)])
    y = rng.randint(10, 60) * 2
    x = int(y * factor)
    rows = [(a, x), (b, y), (c, y + rng.randint(1, 9) * 7)]
    rng.shuffle(rows)
    context = rng.choice([table, records])(["City", "Museums"], rows)
    how = "{a} has {w} as many museums as {b}."
    wrong = rng.choice([w for w in ("twice", "three times", "five times", "half") if w != word])
    return Case(context, how.format(a=a, w=word, b=b), [("value", how.format(a=a, w=wrong, b=b)),
                                                        ("row", how.format(a=a, w=word, b=c)),
                                                        ("operation", how.format(a=b, w=word, b=a))])  # fmt: skip


# --- counts ---------------------------------------------------------------------------------------------------------


@template("count")
def count_list(rng: random.Random) -> Case:
    firm = rng.choice(FIRMS)
    towns = rng.sample(TOWNS, rng.randint(3, 6))
    n = len(towns)
    context = prose(rng, f"{firm} has offices in {', '.join(towns[:-1])} and {towns[-1]}.")
    how = rng.choice(["{f} has offices in {v} cities.", "There are offices of {f} in {v} cities."])
    return Case(context, how.format(f=firm, v=WORDS[n]), [("value", how.format(f=firm, v=WORDS[n + 1])),
                                                          ("value", how.format(f=firm, v=WORDS[n - 1]))])  # fmt: skip


@template("count")
def count_rows(rng: random.Random) -> Case:
    towns = rng.sample(TOWNS, rng.randint(3, 7))
    rows = [(town, rng.randint(20, 400)) for town in towns]
    context = rng.choice([table, records])(["City", "Inhabitants"], rows)
    how = rng.choice(["The table lists {v} cities.", "{v} cities are listed."])
    n = len(towns)
    return Case(context, how.format(v=WORDS[n]).capitalize(), [("value", how.format(v=WORDS[n + 1]).capitalize()),
                                                               ("value", how.format(v=WORDS[n - 1]).capitalize())])  # fmt: skip


@template("count", held=True)
def count_json_list(rng: random.Random) -> Case:
    features = rng.sample(
        ["bluetooth", "touchscreen", "backlight", "fingerprint reader", "webcam", "stylus"], rng.randint(3, 5)
    )
    colours = rng.sample(["black", "silver", "blue", "green", "red", "white", "gold"], rng.randint(2, 6))
    name = rng.choice(PRODUCTS)
    context = json.dumps({"name": name, "features": features, "colours": colours})
    how = rng.choice(["The {n} comes in {v} colours.", "The {n} is available in {v} colours."])
    n = len(colours)
    twins = [("value", how.format(n=name, v=WORDS[n + 1]))]
    if len(features) != n:
        twins.append(("row", how.format(n=name, v=WORDS[len(features)])))
    return Case(context, how.format(n=name, v=WORDS[n]), twins)


# --- durations, ages, times -----------------------------------------------------------------------------------------


@template("duration")
def duration_of_hours(rng: random.Random) -> Case:
    thing = rng.choice(["workshop", "concert", "meeting", "tour", "seminar"])
    start = rng.randint(7 * 4, 15 * 4) * 15
    length = rng.choice([60, 90, 120, 150, 180, 240])
    end = start + length
    context = prose(
        rng, f"The {thing} {rng.choice(['runs', 'lasts', 'takes place'])} from {clock(start)} to {clock(end)}."
    )
    how = rng.choice(["The {t} lasts {v}.", "The {t} takes {v}.", "The duration of the {t} is {v}."])
    return Case(context, how.format(t=thing, v=hours(length)), [("value", how.format(t=thing, v=hours(length + 60))),
                                                                ("value", how.format(t=thing, v=hours(length + 30)))])  # fmt: skip


@template("duration")
def duration_in_years(rng: random.Random) -> Case:
    what = rng.choice(["war", "siege", "dynasty", "reign", "project"])
    name = rng.choice(SURNAMES)
    a = rng.randint(1300, 1990)
    n = rng.randint(3, 12)
    context = prose(rng, f"The {name} {what} lasted from {a} to {a + n}.")
    how = rng.choice(["The {m} {w} lasted {v} years.", "The {m} {w} went on for {v} years."])
    in_words = rng.random() < 0.5

    def say(count: int) -> str:
        return WORDS[count] if in_words and count <= 12 else str(count)

    return Case(context, how.format(m=name, w=what, v=say(n)), [("value", how.format(m=name, w=what, v=say(n + 2))),
                                                                ("unit", how.format(m=name, w=what, v=say(n)).replace("years", "months"))])  # fmt: skip


@template("duration", held=True)
def duration_in_days(rng: random.Random) -> Case:
    town = rng.choice(TOWNS)
    start = date(rng.randint(2000, 2024), rng.randint(1, 12), rng.randint(1, 28))
    n = rng.randint(4, 40)
    end = start + timedelta(n)
    context = prose(rng, f"Construction of the stage in {town} began on {day(start)} and was completed on {day(end)}.")
    how = "Construction of the stage in {t} took {v} days."
    return Case(context, how.format(t=town, v=n), [("value", how.format(t=town, v=n + 3)),
                                                   ("unit", how.format(t=town, v=n).replace("days", "weeks"))])  # fmt: skip


@template("age")
def age_at_death(rng: random.Random) -> Case:
    name = f"{rng.choice(PEOPLE)} {rng.choice(SURNAMES)}"
    born = date(rng.randint(1800, 1930), rng.randint(1, 12), rng.randint(1, 28))
    died = date(born.year + rng.randint(40, 90), rng.randint(1, 12), rng.randint(1, 28))
    n = died.year - born.year - ((died.month, died.day) < (born.month, born.day))
    context = rng.choice([prose(rng, f"{name} was born on {day(born)} and died on {day(died)}."),
                          prose(rng, f"{name} ({day(born)} – {day(died)}) was a painter.")])  # fmt: skip
    how = rng.choice(["{m} died at the age of {v}.", "{m} died aged {v}.", "{m} was {v} years old at death."])
    return Case(context, how.format(m=name, v=n), [("value", how.format(m=name, v=n + 2)), ("value", how.format(m=name, v=n - 3)),
                                                   ("operation", how.format(m=name, v=n + 1))])  # fmt: skip


@template("age", held=True)
def age_at_event(rng: random.Random) -> Case:
    name = f"{rng.choice(PEOPLE)} {rng.choice(SURNAMES)}"
    born = date(rng.randint(1900, 1980), rng.randint(1, 12), rng.randint(1, 28))
    event = date(born.year + rng.randint(20, 40), rng.randint(1, 12), rng.randint(1, 28))
    n = event.year - born.year - ((event.month, event.day) < (born.month, born.day))
    context = prose(
        rng,
        f"{name} was born on {day(born)} in {rng.choice(TOWNS)}.",
        f"On {day(event)}, {name} won the national title.",
    )
    how = rng.choice(
        ["{m} won the national title at the age of {v}.", "{m} was {v} years old when winning the national title."]
    )
    return Case(
        context,
        how.format(m=name, v=n),
        [("value", how.format(m=name, v=n + 3)), ("operation", how.format(m=name, v=n + 1))],
    )


@template("time")
def arrival(rng: random.Random) -> Case:
    town, vehicle = rng.choice(TOWNS), rng.choice(["train", "flight", "ferry", "bus"])
    start, length = rng.randint(0, 95) * 15, rng.choice([75, 90, 135, 210, 450, 480])
    context = prose(rng, f"The {vehicle} to {town} departs at {clock(start)} and takes {hours(length)}.")
    how = rng.choice(["The {k} to {t} arrives at {v}.", "The {k} reaches {t} at {v}."])
    return Case(context, how.format(k=vehicle, t=town, v=clock(start + length)), [
        ("value", how.format(k=vehicle, t=town, v=clock(start + length + 60))),
        ("operation", how.format(k=vehicle, t=town, v=clock(start - length)))])  # fmt: skip


@template("time", held=True)
def end_of_a_film(rng: random.Random) -> Case:
    start, length = rng.randint(14 * 4, 21 * 4) * 15, rng.choice([90, 105, 120, 135])
    name = rng.choice(PRODUCTS)
    context = prose(
        rng, f"The film {name} starts at {clock(start)}.", f"{name} has a running time of {length} minutes."
    )
    how = "The film {n} ends at {v}."
    return Case(context, how.format(n=name, v=clock(start + length)), [("value", how.format(n=name, v=clock(start + length + 30))),
                                                                      ("value", how.format(n=name, v=clock(start + 45)))])  # fmt: skip


@template("format")
def clock_format(rng: random.Random) -> Case:
    thing = rng.choice(["alarm", "earthquake", "fire", "call"])
    minutes = rng.randint(0, 24 * 60 - 1)
    context = prose(rng, f"The {thing} was recorded at {clock(minutes)}.")
    how = "The {t} was recorded at {v}."
    shifted = (minutes + 720) % 1440
    return Case(context, how.format(t=thing, v=twelve(rng, minutes)), [("value", how.format(t=thing, v=twelve(rng, minutes + 7))),
                                                                       ("unit", how.format(t=thing, v=twelve(rng, shifted)))])  # fmt: skip


@template("format", held=True)
def date_format(rng: random.Random) -> Case:
    when = date(rng.randint(1990, 2025), rng.randint(1, 12), rng.randint(1, 28))
    name = rng.choice(FIRMS)
    context = rng.choice([json.dumps({"company": name, "founded": when.isoformat(), "staff": rng.randint(5, 90)}),
                          prose(rng, f"{name} was founded on {when.isoformat()}.")])  # fmt: skip
    how = "{n} was founded on {v}."
    return Case(context, how.format(n=name, v=day(when)), [("value", how.format(n=name, v=day(when + timedelta(1)))),
                                                           ("value", how.format(n=name, v=day(when + timedelta(31))))])  # fmt: skip


@template("weekday")
def weekday(rng: random.Random) -> Case:
    when = date(rng.randint(1950, 2025), rng.randint(1, 12), rng.randint(1, 28))
    thing = rng.choice(["treaty", "contract", "agreement", "charter"])
    town = rng.choice(TOWNS)
    context = prose(rng, f"The {thing} of {town} was signed on {rng.choice([day, date.isoformat])(when)}.")
    how = "The {t} of {p} was signed on a {v}."
    right = WEEKDAYS[when.weekday()]
    return Case(
        context,
        how.format(t=thing, p=town, v=right),
        [("value", how.format(t=thing, p=town, v=WEEKDAYS[(when.weekday() + 3) % 7]))],
    )


# --- units ----------------------------------------------------------------------------------------------------------


@template("unit")
def unit_spelling(rng: random.Random) -> Case:
    a, b, factor = rng.choice([("m", "metres", 1), ("litres", "millilitres", 1000), ("kg", "grams", 1000), ("km", "metres", 1000),
                               ("hours", "minutes", 60), ("metres", "centimetres", 100), ("kilograms", "kg", 1), ("min", "minutes", 1)])  # fmt: skip
    thing, verb = {"m": ("wall", "measures"), "litres": ("tank", "holds"), "kg": ("parcel", "weighs"), "km": ("route", "covers"),
                   "hours": ("course", "takes"), "metres": ("shelf", "measures"), "kilograms": ("crate", "weighs"), "min": ("ride", "takes")}[a]  # fmt: skip
    x = rng.randint(2, 90)
    context = prose(rng, f"The {rng.choice(['large', 'old', 'new'])} {thing} {verb} {x} {a}.")
    how = f"The {thing} {verb} {{v:,}} {{u}}."
    return Case(context, how.format(v=x * factor, u=b), [("value", how.format(v=(x + 1) * factor, u=b)),
                                                         ("unit", how.format(v=x * factor, u="inches" if b != "minutes" else "days"))])  # fmt: skip


@template("unit")
def temperature(rng: random.Random) -> Case:
    c = rng.choice(range(-10, 100, 5))
    f = c * 9 // 5 + 32
    context = prose(rng, f"The liquid is stored at {c} °C.")
    how = "The liquid is stored at {v} °F."
    return Case(
        context,
        how.format(v=f),
        [("value", how.format(v=f + 9)), ("operation", how.format(v=c + 32)), ("unit", how.format(v=c))],
    )


@template("unit", held=True)
def currency_spelling(rng: random.Random) -> Case:
    a, b, wrong = rng.choice(
        [
            ("EUR {}", "€{}", "${}"),
            ("${}", "{} dollars", "£{}"),
            ("{} euros", "EUR {}", "USD {}"),
            ("GBP {}", "£{}", "€{}"),
        ]
    )
    x = rng.randint(3, 900)
    thing = rng.choice(["annual pass", "deposit", "membership", "permit"])
    context = prose(rng, f"The {thing} costs {a.format(x)}.")
    how = "The {t} costs {v}."
    return Case(
        context,
        how.format(t=thing, v=b.format(x)),
        [("value", how.format(t=thing, v=b.format(x + 5))), ("unit", how.format(t=thing, v=wrong.format(x)))],
    )


@template("unit")
def price_field(rng: random.Random) -> Case:
    names = rng.sample(PRODUCTS, 3)
    prices = rng.sample(range(1009, 3999, 10), 3)
    rows = list(zip(names, prices, [rng.randint(1, 9) / 4 for _ in names], strict=True))
    context = records(["name", "price_usd", "weight_kg"], rows)
    i, j = rng.sample(range(3), 2)
    how = rng.choice(["The {n} costs ${v:,}.", "The price of the {n} is ${v:,}.", "The {n} is priced at ${v:,}."])
    return Case(context, how.format(n=names[i], v=prices[i]), [("row", how.format(n=names[i], v=prices[j])), ("value", how.format(n=names[i], v=prices[i] + 100)),
                                                               ("unit", how.format(n=names[i], v=prices[i]).replace("$", "€"))])  # fmt: skip


@template("unit", held=True)
def millions_table(rng: random.Random) -> Case:
    regions = rng.sample(["Europe", "Asia", "Africa", "Oceania", "America"], 4)
    rows = [(region, rng.randint(20, 900), rng.randint(1, 19)) for region in regions]
    context = table(["Region", "Revenue (USD million)", "Profit (USD million)"], rows)
    i, j = rng.sample(range(4), 2)
    how = rng.choice(
        [
            "Revenue in {r} was ${v} million.",
            "{r} had revenue of ${v} million.",
            "The revenue of {r} was USD {v},000,000.",
        ]
    )
    v = rows[i][1]
    twins = [("column", how.format(r=regions[i], v=rows[i][2])), ("value", how.format(r=regions[i], v=v + 30))]
    if rows[j][1] != v:
        twins.append(("row", how.format(r=regions[i], v=rows[j][1])))
    return Case(context, how.format(r=regions[i], v=v), twins)


@template("lookup")
def table_cell(rng: random.Random) -> Case:
    names = rng.sample(TOWNS, 4)
    rows = [(name, rng.randint(20, 90), rng.randint(100, 900)) for name in names]
    context = table(["Station", "Trains per hour", "Platform length (m)"], rows)
    i, j = rng.sample(range(4), 2)
    how = rng.choice(["The platform length at {n} is {v} metres.", "{n} has a platform length of {v} m."])
    twins = [("value", how.format(n=names[i], v=rows[i][2] + 40)), ("column", how.format(n=names[i], v=rows[i][1])),
             ("unit", how.format(n=names[i], v=rows[i][2]).replace("metres", "feet").replace(" m.", " km."))]  # fmt: skip
    if rows[j][2] != rows[i][2]:
        twins.append(("row", how.format(n=names[i], v=rows[j][2])))
    return Case(context, how.format(n=names[i], v=rows[i][2]), twins)


# --- ranges and comparisons -----------------------------------------------------------------------------------------


@template("range")
def bounds(rng: random.Random) -> Case:
    town = rng.choice(TOWNS)
    x = rng.randint(110, 880)
    context = prose(rng, f"The hall in {town} has {x} seats.")
    low, high = x - rng.randint(5, 50), x + rng.randint(5, 50)
    how, right, wrong = rng.choice([("more than {}", low, high), ("fewer than {}", high, low), ("over {}", low, high),
                                    ("at least {}", low, high), ("under {}", high, low)])  # fmt: skip
    claim = "The hall in {t} has {v} seats."
    return Case(
        context, claim.format(t=town, v=how.format(right)), [("value", claim.format(t=town, v=how.format(wrong)))]
    )


@template("range", held=True)
def between(rng: random.Random) -> Case:
    town = rng.choice(TOWNS)
    x = rng.randint(110, 880)
    context = prose(rng, f"The bridge in {town} is {x} metres long.")
    a, b = x - rng.randint(5, 50), x + rng.randint(5, 50)
    claim = "The bridge in {t} is between {a} and {b} metres long."
    return Case(
        context,
        claim.format(t=town, a=a, b=b),
        [("value", claim.format(t=town, a=b, b=b + 40)), ("value", claim.format(t=town, a=a - 90, b=a))],
    )


@template("range")
def up_to(rng: random.Random) -> Case:
    a = rng.randint(2, 9)
    b = a + rng.randint(2, 9)
    thing = rng.choice(["Delivery", "Approval", "Repair"])
    context = prose(rng, f"{thing} takes between {a} and {b} working days.")
    how, right, wrong = rng.choice([("up to {}", b, b - 1), ("at least {}", a, a + 1)])
    claim = "{t} takes {v} working days."
    return Case(
        context, claim.format(t=thing, v=how.format(right)), [("value", claim.format(t=thing, v=how.format(wrong)))]
    )


@template("comparison")
def compare_rows(rng: random.Random) -> Case:
    names = rng.sample(PRODUCTS, 3)
    values = sorted(rng.sample(range(100, 900), 3))
    rows = list(zip(names, values, strict=True))
    low, high = names[0], names[2]
    rng.shuffle(rows)
    context = rng.choice([table(["Model", "Weight (g)"], rows), records(["model", "weight_g"], rows)])
    how = rng.choice(["The {a} is heavier than the {b}.", "The {a} weighs more than the {b}."])
    return Case(context, how.format(a=high, b=low), [("operation", how.format(a=low, b=high))])


@template("comparison", held=True)
def compare_prose(rng: random.Random) -> Case:
    a, b = rng.sample(TOWNS, 2)
    x, y = sorted(rng.sample(range(20, 900), 2), reverse=True)
    context = prose(rng, f"{a} received {x},000 tourists, whereas {b} received {y},000 tourists.")
    how = rng.choice(["{a} received more tourists than {b}.", "{b} received fewer tourists than {a}."])
    return Case(context, how.format(a=a, b=b), [("operation", how.format(a=b, b=a))])


def clock(minutes: int) -> str:
    """22:15."""
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def twelve(rng: random.Random, minutes: int) -> str:
    """10:15 p.m., in one of its spellings."""
    hour = minutes // 60 % 24
    mark = rng.choice(["a.m.", "am", "AM"]) if hour < 12 else rng.choice(["p.m.", "pm", "PM"])
    return f"{hour % 12 or 12}:{minutes % 60:02d} {mark}".removesuffix(".")


def hours(minutes: int) -> str:
    """1 hour 30 minutes, or 2 hours."""
    whole, rest = divmod(minutes, 60)
    first = f"{whole} hour{'s' * (whole != 1)}"
    return f"{first} {rest} minutes" if rest else first


def day(when: date) -> str:
    """5 May 2024."""
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}"


# --- written after the rules; their misses were looked at once, and the rules mended ----------------------------------------------


@template("sum", held=True)
def later_sum_of_bullets(rng: random.Random) -> Case:
    a, b, c = rng.sample(TOWNS, 3)
    x, y, z = rng.sample(range(110, 990), 3)
    context = f"Donations by branch:\n\n- {a}: €{x}\n- {b}: €{y}\n- {c}: €{z}"
    how = rng.choice(
        [
            "The {a} and {b} branches together raised €{v:,} in donations.",
            "Donations in {a} and {b} came to €{v:,} in total.",
        ]
    )
    return Case(context, how.format(a=a, b=b, v=x + y), [("value", how.format(a=a, b=b, v=off(rng, x + y))), ("row", how.format(a=a, b=c, v=x + y)),
                                                         ("unit", how.format(a=a, b=b, v=x + y).replace("€", "$"))])  # fmt: skip


@template("sum", held=True)
def later_sum_of_staff(rng: random.Random) -> Case:
    firm = rng.choice(FIRMS)
    x, y = rng.sample(range(12, 190), 2)
    context = prose(rng, f"{firm} employs {x} engineers in its main office and {y} engineers in its laboratory.")
    how = rng.choice(["{f} employs a total of {v} engineers.", "In total, {f} employs {v} engineers."])
    return Case(
        context,
        how.format(f=firm, v=x + y),
        [("value", how.format(f=firm, v=off(rng, x + y))), ("operation", how.format(f=firm, v=abs(x - y)))],
    )


@template("difference", held=True)
def later_difference_in_prose(rng: random.Random) -> Case:
    a, b, c = rng.sample(PEOPLE, 3)
    x, y, z = sorted(rng.sample(range(20, 80), 3), reverse=True)
    context = prose(rng, f"{a} is {x} years old, {b} is {y} and {c} is {z}.")
    how = rng.choice(["{a} is {v} years older than {b}.", "{b} is {v} years younger than {a}."])
    return Case(context, how.format(a=a, b=b, v=x - y), [("value", how.format(a=a, b=b, v=x - y + 2)), ("operation", how.format(a=b, b=a, v=x - y)),
                                                         ("row", how.format(a=a, b=c, v=x - y))])  # fmt: skip


@template("percentage", held=True)
def later_percent_table(rng: random.Random) -> Case:
    year, p = rng.randint(2005, 2020), rng.choice([10, 20, 25, 50])
    x = rng.randint(2, 30) * 40
    rows = [
        (year, x, rng.randint(3, 30)),
        (year + 1, x + x * p // 100, rng.randint(3, 30)),
        (year + 2, x * 3, rng.randint(3, 30)),
    ]
    context = rng.choice([table, records])(["Year", "Visitors", "Events"], rows)
    how = rng.choice(
        [
            "The number of visitors grew by {v}% between {a} and {b}.",
            "From {a} to {b}, the number of visitors increased by {v} %.",
        ]
    )
    return Case(context, how.format(v=p, a=year, b=year + 1), [("value", how.format(v=p + 6, a=year, b=year + 1)), ("row", how.format(v=p, a=year, b=year + 2)),
                                                               ("operation", how.format(v=p, a=year, b=year + 1).replace("grew", "fell").replace("increased", "decreased"))])  # fmt: skip


@template("ratio", held=True)
def later_half_in_prose(rng: random.Random) -> Case:
    a, b = rng.sample(TOWNS, 2)
    x = rng.randint(10, 80)
    context = prose(rng, f"The school in {a} has {2 * x} pupils.", f"The school in {b} has {x} pupils.")
    how = "The school in {a} has {w} as many pupils as the school in {b}."
    return Case(
        context,
        how.format(a=a, w="twice", b=b),
        [("value", how.format(a=a, w="three times", b=b)), ("operation", how.format(a=b, w="twice", b=a))],
    )


@template("duration", held=True)
def later_opening_hours(rng: random.Random) -> Case:
    start, n = rng.randint(7, 11), rng.randint(5, 10)
    place = rng.choice(["museum", "pool", "library", "market"])
    context = prose(rng, f"The {place} is open from {start} a.m. to {clock12(start + n)}.")
    how = "The {p} is open for {v} hours."
    return Case(
        context,
        how.format(p=place, v=n),
        [("value", how.format(p=place, v=n + 1)), ("value", how.format(p=place, v=n - 2))],
    )


@template("age", held=True)
def later_age_by_lifespan(rng: random.Random) -> Case:
    name = f"{rng.choice(PEOPLE)} {rng.choice(SURNAMES)}"
    born = date(rng.randint(1800, 1930), rng.randint(1, 12), rng.randint(1, 28))
    died = date(born.year + rng.randint(40, 90), rng.randint(1, 12), rng.randint(1, 28))
    n = died.year - born.year - ((died.month, died.day) < (born.month, born.day))
    context = prose(rng, f"{name} was born in {rng.choice(TOWNS)} on {MONTHS[born.month - 1]} {born.day}, {born.year}.",
                    f"{name.split()[1]} died on {MONTHS[died.month - 1]} {died.day}, {died.year}, after a short illness.")  # fmt: skip
    how = rng.choice(["{m} died at age {v}.", "{m} was {v} years old when he died."])
    return Case(
        context,
        how.format(m=name.split()[1], v=n),
        [("value", how.format(m=name.split()[1], v=n + 4)), ("operation", how.format(m=name.split()[1], v=n + 1))],
    )


@template("unit", held=True)
def later_fields(rng: random.Random) -> Case:
    name = rng.choice(PRODUCTS)
    grams, price = rng.randint(2, 30) * 100, rng.randint(100, 900)
    context = f"Product: {name}\nWeight: {grams} g\nPrice: EUR {price}\nWarranty: 24 months"
    kind = rng.choice(["weight", "price", "warranty"])
    how, right, wrong = {
        "weight": ("The {n} weighs {v}.", f"{grams / 1000:g} kg", f"{grams / 1000 + 1:g} kg"),
        "price": ("The {n} costs {v}.", f"€{price}", f"${price}"),
        "warranty": ("The warranty of the {n} is {v}.", "two years", "three years"),
    }[kind]
    return Case(context, how.format(n=name, v=right), [("unit", how.format(n=name, v=wrong))])


@template("unit", held=True)
def later_nested_record(rng: random.Random) -> Case:
    a, b = rng.sample(PRODUCTS, 2)
    x, y = rng.sample(range(11, 90), 2)
    items = [
        {"title": n, "specs": {"battery_hours": h, "weight_kg": h / 10}, "price": {"amount_eur": h * 10}}
        for n, h in ((a, x), (b, y))
    ]
    context = json.dumps({"products": items})
    how, right, wrong, value = rng.choice(
        [
            ("The {n} weighs {v} grams.", x * 100, y * 100, x * 100 + 300),
            ("The {n} has a price of €{v}.", x * 10, y * 10, x * 10 + 5),
        ]
    )
    return Case(
        context, how.format(n=a, v=right), [("row", how.format(n=a, v=wrong)), ("value", how.format(n=a, v=value))]
    )


@template("unit", held=True)
def later_caption(rng: random.Random) -> Case:
    a, b, c = rng.sample(FIRMS, 3)
    x, y, z = rng.sample(range(110, 990), 3)
    context = "Net income, in EUR million\n\n" + table(["Company", "2021", "2022"], [(a, x, y), (b, z, x), (c, y, z)])
    how = "The net income of {f} was €{v} million in {t}."
    return Case(
        context,
        how.format(f=a, v=y, t=2022),
        [
            ("column", how.format(f=a, v=x, t=2022)),
            ("row", how.format(f=b, v=y, t=2022)),
            ("unit", how.format(f=a, v=y, t=2022).replace("million", "billion")),
        ],
    )


@template("range", held=True)
def later_bound_in_a_table(rng: random.Random) -> Case:
    a, b, c = rng.sample(TOWNS, 3)
    x, y, z = rng.sample(range(200, 900), 3)
    context = rng.choice([table, records])(["Town", "Schools"], [(a, x), (b, y), (c, z)])
    how, right, wrong = rng.choice([("more than {}", x - 20, x + 20), ("fewer than {}", x + 20, x - 20)])
    claim = "{a} has {v} schools."
    return Case(context, claim.format(a=a, v=how.format(right)), [("value", claim.format(a=a, v=how.format(wrong)))])


@template("format", held=True)
def later_date_in_words(rng: random.Random) -> Case:
    when = date(rng.randint(1990, 2025), rng.randint(1, 12), rng.randint(1, 28))
    a, b = rng.sample(PRODUCTS, 2)
    other = when + timedelta(rng.randint(2, 25))
    context = records(["name", "release_date"], [(a, when.isoformat()), (b, other.isoformat())])
    how = rng.choice(["The release date of the {n} is {v}.", "The {n} was released on {v}."])
    return Case(
        context,
        how.format(n=a, v=day(when)),
        [("row", how.format(n=a, v=day(other))), ("value", how.format(n=a, v=day(when + timedelta(40))))],
    )


@template("comparison", held=True)
def later_cheaper(rng: random.Random) -> Case:
    a, b = rng.sample(PRODUCTS, 2)
    x, y = sorted(rng.sample(range(20, 900), 2))
    context = prose(rng, f"The {a} costs ${x}.", f"The {b} costs ${y} and comes with a case.")
    how = rng.choice(
        [
            "The {a} is cheaper than the {b}.",
            "The {b} is more expensive than the {a}.",
            "The {a} costs less than the {b}.",
        ]
    )
    return Case(context, how.format(a=a, b=b), [("operation", how.format(a=b, b=a))])


@template("average", held=True)
def later_average_table(rng: random.Random) -> Case:
    a, b, c = rng.sample(TOWNS, 3)
    x, y = rng.sample(range(20, 90, 2), 2)
    context = rng.choice([table, records])(["Site", "Output (MWh)", "Staff"], [(a, x, 4), (b, y, 6), (c, x + y, 9)])
    how = "The average output of {a} and {b} is {v} MWh."
    return Case(
        context,
        how.format(a=a, b=b, v=(x + y) // 2),
        [
            ("value", how.format(a=a, b=b, v=(x + y) // 2 + 3)),
            ("row", how.format(a=a, b=c, v=(x + y) // 2)),
            ("operation", how.format(a=a, b=b, v=x + y)),
        ],
    )


def clock12(hour: int) -> str:
    """5 p.m."""
    return f"{hour % 12 or 12} {'a.m' if hour < 12 else 'p.m'}"
