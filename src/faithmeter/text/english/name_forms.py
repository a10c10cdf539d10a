"""The forms that one name comes in: California, Californian and CA; November and Nov.; United States and America."""

from __future__ import annotations

import re

from faithmeter.text.english.word_tables import MONTHS, WEEKDAYS

_STATES = (
    "al Alabama|ak Alaska|az Arizona|ar Arkansas|ca California|co Colorado|ct Connecticut|de Delaware|fl Florida"
    "|ga Georgia|hi Hawaii|id Idaho|il Illinois|in Indiana|ia Iowa|ks Kansas|ky Kentucky|la Louisiana|me Maine"
    "|md Maryland|ma Massachusetts|mi Michigan|mn Minnesota|ms Mississippi|mo Missouri|mt Montana|ne Nebraska|nv Nevada"
    "|nh New Hampshire|nj New Jersey|nm New Mexico|ny New York|nc North Carolina|nd North Dakota|oh Ohio|ok Oklahoma"
    "|or Oregon|pa Pennsylvania|ri Rhode Island|sc South Carolina|sd South Dakota|tn Tennessee|tx Texas|ut Utah"
    "|vt Vermont|va Virginia|wa Washington|wv West Virginia|wi Wisconsin|wy Wyoming"
)
STATES = {short: name for short, _, name in (state.partition(" ") for state in _STATES.split("|"))}
"""The states of the USA by their abbreviations."""
_IN_STATE: dict[str, list[str]] = {}
for _short, _name in STATES.items():
    for _word in _name.lower().split():
        _IN_STATE.setdefault(_word, []).append(_short.upper())
_GROUPS = [
    group.split("|")
    for group in (
        "us|usa|u.s.|united|states|america|american|americans", "uk|u.k.|united|kingdom|britain|british|briton|britons",
        "eu|european|union|europe", "france|french", "spain|spanish", "china|chinese", "germany|german|germans",
        "italy|italian", "ireland|irish", "scotland|scottish", "england|english", "wales|welsh", "poland|polish",
        "turkey|turkish", "sweden|swedish", "denmark|danish", "greece|greek", "netherlands|dutch",
        "switzerland|swiss", "portugal|portuguese", "ukraine|ukrainian", "mexico|mexican", "canada|canadian",
        "norway|norwegian", "finland|finnish", "thailand|thai", "philippines|filipino", "argentina|argentine",
        "drive|dr", "avenue|ave", "road|rd", "street|st", "boulevard|blvd", "highway|hwy", "york|nyc",
        "dc|d.c.|columbia",
    )
]  # fmt: skip
_ALIKE: dict[str, set[str]] = {}
for _group in _GROUPS:
    for _word in _group:
        _ALIKE.setdefault(_word, set()).update(_group)
_PEOPLE = re.compile(r"(.{5,}?)(?:e?ians?|e?ans?|ns?|ese|ish)\Z")
_HALVES = frozenset(("am", "pm"))


def stands_in(name: str, text: str, lower: str) -> bool:
    """Whether a text, given as it is and in small letters, has a word of a name in any of its forms."""
    plain = _plain(name)
    return (
        plain in lower
        or plain in _HALVES
        or (plain.endswith("s") and (len(plain) > 4 or name[:-1].isupper()) and plain[:-1] in lower)
        or ("-" in plain and all(part.isdigit() or part in lower for part in plain.split("-")))
        or plain.replace("-", "") in lower.replace("-", "")
        or has_other_form(name, text, lower)
    )


def has_other_form(name: str, text: str, lower: str) -> bool:
    """Whether a text has another word for a name: an abbreviation, a country's people, a month's number."""
    plain = _plain(name)
    return _in_calendar(plain.removesuffix("s"), lower) or _in_geography(plain, text, lower)


def _plain(name: str) -> str:
    return name.lower().replace("’", "'").removesuffix("'s").rstrip("'")


def _in_calendar(plain: str, lower: str) -> bool:
    """Nov. for November, 2012-11-05 for a day of it, Mon for Monday."""
    month = MONTHS.get(plain)
    if month is None and plain not in WEEKDAYS:
        return False
    short = re.search(rf"\b{plain[:3]}\b", lower) is not None
    return short or (month is not None and re.search(rf"\b\d{{4}}-0?{month}\b", lower) is not None)


def _in_geography(plain: str, text: str, lower: str) -> bool:
    """CA for California and the other way round, Canadians for Canada, America for the United States."""
    if any(re.search(rf"\b{short}\b", text) for short in _IN_STATE.get(plain, ())):
        return True
    if plain in STATES and STATES[plain].lower() in lower:
        return True
    if any(re.search(rf"(?<!\w){re.escape(other)}(?!\w)", lower) for other in _ALIKE.get(plain, ())):
        return True
    people = _PEOPLE.fullmatch(plain)
    return people is not None and re.search(rf"\b{re.escape(people[1].capitalize())}", text) is not None
