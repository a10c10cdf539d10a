"""Names that the made texts are filled with: people of many places, towns, bodies and things."""

from __future__ import annotations

import re
from pathlib import Path

_TEXT = (Path(__file__).parent / "names.txt").read_text(encoding="utf-8")
_STOCKS = {
    name: [entry.strip() for entry in entries.replace("\n", " ").split(";")]
    for name, entries in re.findall(r"(?m)^\[(\w+)\]\n([^\[]+)", _TEXT)
}

WOMEN, MEN, SURNAMES, JOBS = (_STOCKS[name] for name in ("WOMEN", "MEN", "SURNAMES", "JOBS"))
TOWNS, TOWN_HEADS, TOWN_TAILS, COUNTRIES = (
    _STOCKS[name] for name in ("TOWNS", "TOWN_HEADS", "TOWN_TAILS", "COUNTRIES")
)
FIRM_HEADS, FIRM_TAILS, FIRM_KINDS = (_STOCKS[name] for name in ("FIRM_HEADS", "FIRM_TAILS", "FIRM_KINDS"))
BRANDS, PRODUCT_NOUNS, PROGRAMS = (_STOCKS[name] for name in ("BRANDS", "PRODUCT_NOUNS", "PROGRAMS"))
DRUG_HEADS, DRUG_TAILS = _STOCKS["DRUG_HEADS"], _STOCKS["DRUG_TAILS"]
TEAMS, DEPARTMENTS = _STOCKS["TEAMS"], _STOCKS["DEPARTMENTS"]
