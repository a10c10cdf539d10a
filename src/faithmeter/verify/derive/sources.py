"""What the contexts say with numbers: each quantity with the words that it belongs to.

In prose, a sentence with several quantities of a kind is cut between them, and each keeps the words of its own part.
In a table or a record, a number belongs to its row and its column, and to nothing else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from faithmeter.evidence.passages import Index, Passage
from faithmeter.evidence.passages import terms as stems
from faithmeter.text.english import word_tables as lexicon
from faithmeter.verify.derive.quantities import Quantity, read, unit_of

# Words of one notion: a claim's "costs" is a column's "price". A word with several senses does not belong here.
_NOTIONS = {
    word: group.split()[0]
    for group in (
        "price cost costs priced prices pricing cheaper expensive", "weight weigh weighs weighed heavy heavier lighter",
        "height tall taller high", "length long longer", "width wide wider", "depth deep deeper",
        "age old older younger aged ages", "speed fast faster slower", "sell sold sale sales", "make made makes making",
        "grow grew grown", "win won winning wins", "buy bought", "build built", "lend lent", "hold held", "lead led",
        "found founded founding", "born birth", "die died death dies", "close closed closes", "city cities",
        "begin began begins begun start started starts", "end ended ends", "country countries",
        "company companies", "library libraries", "hire hired", "earn earned earns", "person people", "go goes went",
    )
    for word in group.split()
}  # fmt: skip
_WORD = re.compile(r"\d{4}(?!\d)|[^\W\d_]+(?:['’]s\b)?")
_DIGITS = re.compile(r"\d")
_COUNTS = re.compile(r"\b(?:" + "|".join([*lexicon.SMALL, *lexicon.TENS]) + r")\b", re.IGNORECASE)
_CUTS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r";|\b(?:while|whereas|but|versus|compared (?:with|to)|against)\b",
        r",\s*(?:and|or)\b", r"\b(?:and|or|plus)\b", r",", r"\bto\b|[-(]", r"\b(?:of|in|on|at|for|from|than)\b",
    )
]  # fmt: skip
_BARE = re.compile(r"\s*(?:[,.;)]|$|(?:and|or|in|while|whereas|but)\b)")
_LINE = re.compile(r"(?P<key>[^:.]{1,40}):\s+(?P<value>\S.*)", re.DOTALL)
_ROLE = re.compile(
    r"(?:\b(?:(?P<than>compared (?:with|to)|against|versus|vs\.?)|(?P<from>from)|(?P<to>to)|(?P<by>by)"
    r"|(?P<year>(?:19|20)\d\d:))\s++(?:about |around |nearly |just |over |some |the )?)[$€£¥₹]?\s*+$",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|its|he|she|his|her|they|their|the company|the firm)\b", re.IGNORECASE)
# What is planned, denied or supposed is no input to a proof.
_UNSURE = re.compile(
    r"\b(?:not|no|never|without|cannot|if|unless|would|could|might|may(?! \d)|should|expect\w*|plan(?:s|ned)?"
    r"|forecast\w*|target\w*|estimate[ds]?|project(?:s|ed)\b|aim\w*|hope\w*|allegedly|reportedly|claim(?:s|ed)?"
    r"|predict\w*|supposed\w*"
    r"|except|excluding|initially|originally)\b|n't\b|n’t\b"
)  # fmt: skip
_STOPS = (".", "!", "?", ":")
_TOTAL = frozenset(["total", "totals", "sum", "overall", "all", "average", "mean", "subtotal", "grand total"])
_NAMING = ("name", "title", "model", "product", "id", "label", "item", "city", "country", "region", "company", "store")
_SCALED = re.compile(r"\b(?:million|billion|thousand)s?\b", re.IGNORECASE)
_YEARLY = re.compile(r"year|found|built|since|established|born|died|opened|season|date", re.IGNORECASE)


class Fact(NamedTuple):
    """A quantity of the contexts, and what it is said of."""

    quantity: Quantity
    own: frozenset[str]
    """Terms of its own part of the sentence; of its row's name and its column."""
    cover: frozenset[str]
    """Terms that may be said of it without another quantity laying claim to them."""
    names: frozenset[str]
    """Names and years among its own."""
    passages: tuple[Passage, ...]
    """Where it stands, and where its row is named."""
    group: tuple[object, ...]
    """Facts that may be set side by side: a column of a table, or the same dimension in prose."""
    role: str = ""
    """Of a change: `from`, `to` or `by`; `than` of what it is set against, `year` of what was in a year before."""
    row: frozenset[str] = frozenset()
    """Terms of the name of its row; empty in prose."""
    structured: bool = False


@lru_cache(maxsize=8192)
def terms(text: str, *, without: frozenset[str] = frozenset()) -> frozenset[str]:
    """The words that tell what a text is about, without its quantities; years and single capitals stay."""
    subject_terms: set[str] = set()
    text = _without_quantities(text)
    for match in _WORD.finditer(text):
        word = match[0].removesuffix("'s").removesuffix("’s")
        if len(word) == 1 and word.isupper() and (word not in "AI" or text[: match.start()].rstrip()[-1:].isalpha()):
            subject_terms.add(word)  # "Plant A"
        elif word.lower() not in without:
            subject_terms.update(notions(word))
    return frozenset(subject_terms)


def _without_quantities(text: str) -> str:
    """A text with its quantities blanked out, but for years and dates, which tell facts apart."""
    out, at = [], 0
    for quantity in read(text):
        if quantity.dimension not in ("year", "date") and quantity.start >= at:
            out += [text[at : quantity.start], " " * (quantity.end - quantity.start)]
            at = quantity.end
    return "".join((*out, text[at:]))


def notions(word: str) -> list[str]:
    """A word's stem, or that of the notion it stands for."""
    lower = word.lower()
    return stems(_NOTIONS.get(lower, lower))


def names(text: str) -> frozenset[str]:
    """The names and years of a text; the first word of a sentence is not known to be one."""
    name_terms: set[str] = set()
    text = _without_quantities(text)
    for index, match in enumerate(_WORD.finditer(text)):
        word = match[0]
        first = not index or text[: match.start()].rstrip()[-1:] in _STOPS
        if word.isdecimal() or (not first and word[0].isupper() and word.lower() not in lexicon.MONTHS):
            name_terms.update(terms("x " + word) - {"x"})
    return frozenset(name_terms)


def facts(index: Index, wanted: Iterable[str]) -> list[Fact]:
    """The facts of all passages that hold one of the wanted terms."""
    near = {passage_number for term in wanted for passage_number in index.holders(term)}
    all_facts: list[Fact] = []
    tables: dict[tuple[object, ...], list[Passage]] = defaultdict(list)
    for passage in _with_lines(index.passages):
        if passage.fields and passage.record is not None:
            tables[passage.context, passage.record[0]].append(passage)
        elif passage.number in near and (_DIGITS.search(passage.text) or _COUNTS.search(passage.text)):
            all_facts += _prose(passage, index)
    for key, passages in tables.items():
        if near.intersection(passage.number for passage in passages) or _headed(passages, wanted):
            all_facts += _table(key, passages, index)
    return all_facts


def _with_lines(passages: Sequence[Passage]) -> Iterator[Passage]:
    """The passages, with runs of `key: value` lines as a record, or as a column if a line introduces them."""
    run: list[tuple[Passage, str, str]] = []
    above: Passage | None = None
    for passage in passages:
        line = _LINE.fullmatch(passage.text) if not passage.fields and len(passage.text) < 120 else None
        if run and (line is None or run[0][0].context != passage.context):
            yield from _as_record(run, above)
            run = []
        if line:
            run.append((passage, line["key"], line["value"]))
        else:
            above = passage
            yield passage
    yield from _as_record(run, above)


def _as_record(run: Sequence[tuple[Passage, str, str]], above: Passage | None) -> Iterator[Passage]:
    named = [key for _, key, _ in run if any(word in key.lower().split() for word in _NAMING)]
    head = above.text.rstrip(": ") if above and run and above.context == run[0][0].context else ""
    listed = above is not None and above.text.endswith(":") and not above.fields
    for passage, key, value in run:
        if len(named) == 1 and len(run) > 1:
            yield passage._replace(fields=((key, value),), record=(run[0][0].start, run[0][0].start))
        elif listed and head and not named and len(run) > 1 and _cell(value):
            yield passage._replace(fields=(("", key), (head, value)), record=(run[0][0].start, passage.start))
        else:
            yield passage


def _headed(passages: Sequence[Passage], wanted: Iterable[str]) -> bool:
    return not terms(" ".join(name for name, _ in passages[0].fields)).isdisjoint(wanted)


def _prose(passage: Passage, index: Index) -> Iterator[Fact]:
    text = passage.text
    if _UNSURE.search(text):
        return
    quantities = _with_units(text, read(text))
    everything = terms(text)
    before = index.passages[passage.number - 1] if passage.number else None
    linked = frozenset[str]()
    if before and before.context == passage.context and not before.fields and _PRONOUN.search(text):
        linked = names(before.text) | notional_first(before.text)
    for kind in dict.fromkeys(map(_kind, quantities)):
        same = [quantity for quantity in quantities if _kind(quantity) == kind]
        parts = _parts(text, same)
        owns = [terms(text[first:last]) for first, last in parts]
        called = [names("x " + text[first:last] if first else text[first:last]) for first, last in parts]
        for position, quantity in enumerate(same):
            own = owns[position] | _inherited(text, parts, same, position)
            others = frozenset().union(*(called[:position] + called[position + 1 :])) - own
            if position and not called[position] - _years(called[position]):  # "… was born on X and died on Y"
                others -= called[0] - _years(called[0])
            role = _ROLE.search(text, max(0, quantity.start - 40), quantity.start)
            yield Fact(quantity, own, own | (everything - others) | linked, called[position], (passage,),
                       ("prose", kind), str(role.lastgroup) if role else "")  # fmt: skip


def _with_units(text: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """Give a bare number the unit of the one before it: "Anna is 52 years old, Leo is 30"."""
    out: list[Quantity] = []
    for quantity in quantities:
        last = next((other for other in reversed(out) if other.dimension not in ("year", "date")), None)
        measured = last and last.dimension not in ("count", "percent", "clock", "score") and ":" not in last.dimension
        if last and measured and quantity.dimension == "count" and _BARE.match(text, quantity.end):
            quantity = quantity._replace(dimension=last.dimension, value=quantity.value * last.step, step=last.step)
        out.append(quantity)
    return out


def _kind(quantity: Quantity) -> str:
    return "day" if quantity.dimension in ("date", "year") else quantity.dimension


def notional_first(text: str) -> frozenset[str]:
    """The first word of a sentence, which may be the name that a pronoun refers to."""
    match = _WORD.search(text)
    return frozenset(notions(match[0])) if match else frozenset()


def _years(words: Iterable[str]) -> frozenset[str]:
    return frozenset(term for term in words if term.isdecimal())


def _parts(text: str, quantities: Sequence[Quantity]) -> list[tuple[int, int]]:
    """Cut a text into one part for each quantity, at the strongest break between two of them."""
    cuts = [0]
    for last, following in pairwise(quantities):
        between = text[last.end : following.start]
        for pattern in _CUTS:
            if breaks := list(pattern.finditer(between)):
                cuts.append(last.end + breaks[-1].start())
                break
        else:
            cuts.append(last.end)
    return list(zip(cuts, [*cuts[1:], len(text)], strict=True))


def _inherited(
    text: str, parts: Sequence[tuple[int, int]], quantities: Sequence[Quantity], index: int
) -> frozenset[str]:
    """What a part leaves out because a part beside it says it: "… sold 5 in 2019 and 7 in 2020"."""
    inherited: frozenset[str] = frozenset()
    (first, last), quantity = parts[index], quantities[index]
    if not terms(text[first : quantity.start]):
        for other in range(index - 1, -1, -1):
            if words := terms(text[parts[other][0] : quantities[other].start]):
                inherited |= words
                break
    if not terms(text[quantity.end : last]):
        for other in range(index + 1, len(parts)):
            if words := terms(text[quantities[other].end : parts[other][1]]):
                inherited |= words
                break
    return inherited


def _table(key: tuple[object, ...], passages: Sequence[Passage], index: Index) -> Iterator[Fact]:
    """The numbers of a table or of a list of records, each with its row and column."""
    rows: dict[int, list[tuple[Passage, str, str]]] = defaultdict(list)
    for passage in passages:
        assert passage.record is not None
        if len({name for name, _ in passage.fields}) == 1 < len(passage.fields):
            continue  # a list of values
        for name, cell in passage.fields:
            rows[passage.record[1]].append((passage, name, cell))
    caption = _caption(passages[0], index)
    scale = unit_of(f": {caption}") if _SCALED.search(caption) else ("", Fraction(1))
    for cells in rows.values():
        naming = _naming(cells)
        if naming is None:
            continue
        row = terms(naming[2]) | frozenset(re.findall(r"\d+", naming[2]))
        if naming[2].strip().lower().strip("*") in _TOTAL:
            continue
        beside = frozenset().union(*(terms(cell) for _, _, cell in cells if not _cell(cell)), terms(caption))
        for passage, name, cell in cells:
            quantity = _cell(cell)
            if quantity is None or (passage, name, cell) == naming:
                continue
            dimension, factor = unit_of(name)
            if quantity.dimension == "year" and not _YEARLY.search(name):
                quantity = quantity._replace(dimension="count", day=(0, 0, 0))
            if quantity.dimension == "count":
                if not dimension:
                    dimension, factor = scale[0], scale[1] * factor
                quantity = quantity._replace(dimension=dimension or "count", value=quantity.value * factor,
                                             step=quantity.step * factor)  # fmt: skip
            head = terms(name) | frozenset(re.findall(r"\b\d{4}\b", name))
            yield Fact(quantity, row | head, row | head | beside | terms(naming[1]), row,
                       tuple(dict.fromkeys((naming[0], passage))), (*key, name), "", row, True)  # fmt: skip


def _caption(first: Passage, index: Index) -> str:
    """The line above a table."""
    above = index.passages[first.number - 1] if first.number else None
    fits = above is not None and above.context == first.context and not above.fields
    return above.text if above and fits and len(above.text) < 160 and not above.text.endswith(".") else ""


def _naming(cells: Sequence[tuple[Passage, str, str]]) -> tuple[Passage, str, str] | None:
    """The cell that names a row: one called name or title, else the first that is no number."""
    for passage, name, cell in cells:
        if any(word in name.lower().split() for word in _NAMING) and re.search(r"[^\W\d_]|\d{4}", cell):
            return passage, name, cell
    yearly = (item for item in cells if "year" in item[1].lower() and re.fullmatch(r"\d{4}", item[2]))
    return next(yearly, None) or next((item for item in cells if not _cell(item[2])), None)


@lru_cache(maxsize=8192)
def _cell(cell: str) -> Quantity | None:
    """The quantity that a cell consists of."""
    text = cell.strip("* ")
    quantities = read(text)
    if len(quantities) != 1:
        return None
    rest = (text[: quantities[0].start] + text[quantities[0].end :]).strip(" ~≈()*.")
    return quantities[0]._replace(written=text) if not rest or rest.lower() in ("about", "approx") else None
