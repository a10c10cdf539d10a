"""Numbers that belong to a name ("type 2", "Apollo 11", "COVID-19"): they count nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from faithmeter.text import Span
from faithmeter.text.english.word_tables import MONTHS, words
from faithmeter.verify.derive.quantities import Quantity
from faithmeter.verify.derive.quantities import read as quantities
from faithmeter.why.compare import LIGHT, Comparison, Finding

_NUMBERED = re.compile(
    r"(?<![\w-])(?P<label>[^\W\d_]\w*+)(?P<joint>[ \u00a0-])(?P<number>\d{1,4}(?:\.\d++)*+[A-Za-z]?)"
    r"(?![\w%]|[.,:]\d|-\d)"
)
_LABELS = words(
    "type grade level stage phase class tier category article chapter clause paragraph rule amendment appendix annex "
    "volume episode season part act scene unit module lesson room suite gate platform terminal track lane pier floor "
    "bay zone sector district ward block building hall flight route highway interstate exit line bus channel formula "
    "version release model mark series generation schedule psalm verse group"
)
"""Words that a number after them tells apart, and does not count."""
_NO_NAMES = (
    LIGHT
    | frozenset(MONTHS)
    | words(
        "monday tuesday wednesday thursday friday saturday sunday passage passages context contexts document documents "
        "source sources page step figure table section usd eur gbp jpy inr rs us age aged"
    )
)
"""Words after which a number is a date, an amount, or a place in the contexts."""
_AT_MOST = 20
"""Names of a claim that are looked up."""
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_COUNTED = re.compile(r"[ \u00a0]([a-z]++(?<=s)|people|men|women|children|percent|per cent|million|billion|thousand)\b")
"""What is counted: "In Paris 20 people died"."""


def numbered_names(text: str, other: str) -> Iterator[Span]:
    """Where they stand. A word that opens the text is a name if the other side has it with a number too."""
    for match in _NUMBERED.finditer(text):
        label, lower = match["label"], match["label"].lower()
        if lower in _NO_NAMES or _YEAR.fullmatch(match["number"]):
            continue
        after = _COUNTED.match(text, match.end())
        named = lower in _LABELS and match["joint"] != "-"
        if label != lower and not named:
            counts = after is not None and after[1] not in LIGHT
            opens = match.start() == 0 and label[1:] == lower[1:]
            elsewhere = opens and re.search(rf"(?<!\w){re.escape(lower)}[ -]\d", other)
            named = bool(elsewhere) if opens else not counts
        if named:
            yield Span(*match.span())


def counted(text: str, other: str) -> list[Quantity]:
    """The quantities of a text but for those that belong to a name."""
    found = quantities(text)
    spans = list(numbered_names(text, other)) if found else []
    return [
        quantity
        for quantity in found
        if quantity.dimension != "count" or not any(s.start <= quantity.start < s.end for s in spans)
    ]


def missing_numbered_names(seen: Comparison) -> Iterator[Finding]:
    """Those of a claim that no context has, each with the passage's that has another number."""
    amounts = [quantity for quantity in quantities(seen.claim) if quantity.dimension != "count"]
    theirs = {_label(name): name for name in _names(seen.passage, seen.claim.lower())}
    for span in islice(numbered_names(seen.claim, seen.sources.lower), _AT_MOST):
        name = span.of(seen.claim)
        if any(span.start < quantity.end and quantity.start < span.end for quantity in amounts):
            continue  # "Gate 5 km"
        if not re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w|\.\d)", seen.sources.lower):
            yield Finding("name", 0.9, span, theirs.get(_label(name), ""))


def _names(text: str, other: str) -> Iterator[str]:
    return (span.of(text) for span in numbered_names(text, other))


def _label(name: str) -> str:
    return re.split("[ \u00a0-]", name.lower())[0]
