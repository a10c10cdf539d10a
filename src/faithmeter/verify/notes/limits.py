"""How amounts of the claim and the evidence compare, written into the text that the network reads.

A small network cannot compare: "Orders over $50 ship free" says as much to it of an order of $45 as of one of $60.
Code compares, and writes "Orders over $50 (not $45) ship free"; what is said of such orders stays the network's to
judge. So too where the claim gives the limit: for "more than 300 guests" it writes "312 (more than 300) guests". Only
the text that it reads is changed, and only where both amounts clearly are of the same kind of thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from faithmeter.evidence.passages import stem, terms
from faithmeter.text.english import verbs
from faithmeter.text.english import word_tables as lexicon
from faithmeter.text.english.clause_words import first_finite, tokens
from faithmeter.verify.bound_numbers import LONGEST_CLAIM, LONGEST_EVIDENCE, NUMBER
from faithmeter.verify.derive.quantities import Quantity, read

_OR_MORE = r"(?:or|and) (?:more|over|above|older|up|upwards?|longer|larger|bigger|taller|heavier|greater)\b"
_OR_LESS = r"(?:or|and) (?:less|under|below|younger|fewer|shorter|smaller|lighter)\b"
_LIMIT = re.compile(
    r"\b(?:over|under|above|below|than|least|most|up to|within|exceed\w*|minimum|maximum|no later|between"
    rf"|as (?:many|much)|{_OR_MORE}|{_OR_LESS})|\d\+",
    re.IGNORECASE,
)
"""What evidence without limits has not: it is looked for before anything is read."""
_WITHIN = re.compile(
    r"\b(?:within|no later than|no (?:older|longer|bigger|larger|heavier|taller|further) than)"
    r"\s++(?:the\s++(?:first|next|last)\s++)?[$€£]?\s*+$",
    re.IGNORECASE,
)
_MORE_AFTER = re.compile(rf" ?(?:\+|{_OR_MORE})", re.IGNORECASE)
_LESS_AFTER = re.compile(rf" ?{_OR_LESS}", re.IGNORECASE)
_ONE = re.compile(
    r"(?<=\b(?:than|over|most|this) )an?(?= [a-z])|(?<=\bunder )an?(?= [a-z])|(?<=\bwithin )an?(?= [a-z])"
    r"|\ban(?= hour and )|\bone(?=[ -](?:year|month|week|day|hour|minute|kilo(?:gram|met(?:re|er))?|mile|met(?:re|er)"
    r"|lit(?:re|er))s?\b)",
    re.IGNORECASE,
)
"""What is a number before a unit, and not always one elsewhere."""
_OLD = re.compile(r"[\s-]?(?:years?[\s-]?(?:old|of age)|year-olds?)\b", re.IGNORECASE)
_OLD_AFTER = re.compile(r"[\s-]?(?:old|of age)\b", re.IGNORECASE)
_AGED = re.compile(r"\b(?:aged?|ages|age of) (?:\w{1,20} ){0,2}$", re.IGNORECASE)
_AGE_OF = re.compile(
    r"\b(?:(?P<below>under|below|younger than)|(?P<above>over|above|older than)|(?P<least>at least|from)"
    r"|(?P<most>up to))\s+(?:the )?age of\s*$",
    re.IGNORECASE,
)
_OR_OLDER = re.compile(r" ?(?:or|and) (?:older|younger)\b", re.IGNORECASE)
_PERSON_BEFORE = re.compile(
    r"\b(?:(?:grand)?child(?:ren)?|kids?|babies|infants?|toddlers?|minors?|boys?|girls?|teen(?:ager)?s?|youths?|adults?|seniors?|people"
    r"|pensioners?|persons?|anyone|anybody|everyone|those|guests?|visitors?|passengers?|patients?|players?|students?|pupils?"
    r"|men|women|man|woman|applicants?|members?|residents?|travell?ers?|drivers?|riders?|swimmers?|participants?)\s+"
    r"(?:(?:who|that) (?:is|are)\s+)?(?:of|under|over|below|above|up to|from|between|at least|younger than|older than)"
    r"\s*(?:the age of\s*)?(?:at least\s*)?$",
    re.IGNORECASE,
)
"""A number after this is an age."""
_WORD = re.compile(r"[^\W\d_][\w’'-]*|[^\s$€£¥₹]")
_JOINS = lexicon.words(
    "weighing costing measuring lasting totalling totaling worth with for in from that which who at a an the more less "
    "fewer greater higher lower no not to exceeding minimum maximum total value weight exactly just"
)
_JOINS_COUNTS = lexicon.words("of than over under above below up least most")
"""What joins a thing and its amount: parcels of up to 5 kg; these also a thing and how many there are of it: groups of
ten, but no cases in ten provinces."""
_NOUNS_AFTER = re.compile(r"(?:[\s-][^\W\d_]{3,}){1,2}")
_NO_NOUN = lexicon.FUNCTION | lexicon.STOP_WORDS | lexicon.MODALS | lexicon.words(
    "more less fewer over under above below older younger each per every total up times first last next least most aged"
)  # fmt: skip
_NOUNS = lexicon.words(
    "order orders stay stays claim claims loan loans purchase purchases visit visits walk walks rent fine fines delay "
    "delays load loads deal deals lease leases tour tours ride rides break breaks contract contracts grant grants "
    "transfer transfers charge charges bid bids file files page pages request requests account accounts balance "
    "balances share shares credit rating ratings building buildings booking bookings meeting meetings"
)
"""What else would pass for a verb."""
_SAYS_A_LIMIT = re.compile(
    r"\b(?:limit\w*|minimum|maximum|threshold|cap(?:ped)?|least|most|up to|than|over|under|above|below|from|until"
    r"|between|within|or more|or less|ceiling|deadline)\b",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"\b(?:if|when|whenever|who|whoever|whose|provided)\b[^,;.]*$"
    r"|\b(?:after|aged|worth|weighing|costing|measuring|lasting)\s+[$€£¥₹]?$"
    r"|\b(?:an?|any|every|each|no|his|her|their|my|your)\s+(?:[\w-]+\s+){1,2}(?:of|with)\s+[$€£¥₹]?$",
    re.IGNORECASE,
)
"""What stands before an amount that says which one is meant."""
_RULE = re.compile(
    r"\b(?:may|must|can|cannot|should|shall|will|need\w*|ha(?:s|ve) to|allow\w*|requir\w*|eligible|entitled|free|pays?"
    r"|qualif\w*|gets?|receives?|costs?|exempt|permitted|forbidden|appl(?:y|ies))\b",
    re.IGNORECASE,
)
"""What rules say: more than 300 people attended, but more than ten people must book."""
_YEAR = re.compile(r"(?:1[5-9]|20)\d\ds?")
"""The 1920s; the 2020 pandemic."""
_DIMENSIONS = lexicon.words("count length mass volume area speed power data celsius fahrenheit percent")
_MONTH = Fraction(3652425, 120000) * 86400
_NEAR = Fraction(1, 12)
"""Times that differ by less are not compared: months have 28 to 31 days."""
_STOPS = re.compile(r"[.!?;] |\n| … ")


class _Amount(NamedTuple):
    kind: str
    """A dimension, `age` or `count`: only amounts of one kind are compared."""
    low: Fraction | None
    high: Fraction | None
    """Its ends, both the same where it is no limit; None where it is open."""
    strict: bool
    """Whether its end is not part of it: "over 50"."""
    start: int
    end: int
    written: str
    heads: frozenset[str]
    """The nouns that it belongs to."""

    @property
    def is_limit(self) -> bool:
        return self.low != self.high

    def holds(self, value: Fraction) -> bool:
        if self.strict and value in (self.low, self.high):
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


def with_limits(evidence: str, claim: str) -> str:
    """The evidence, with how its amounts compare with those of a claim in brackets behind them."""
    if len(claim) > LONGEST_CLAIM or len(evidence) > LONGEST_EVIDENCE:
        return evidence
    if not (NUMBER.search(claim) or _ONE.search(claim)) or not (_LIMIT.search(evidence) or _LIMIT.search(claim)):
        return evidence
    notes: dict[int, str] = {}
    for our in _amounts(claim):
        same = [their for their in _amounts(evidence) if _comparable(our, their)]
        if same and not _is_known(our, same):
            notes.update((_beside if our.is_limit else _within)(our, same, claim, evidence))
    parts, last = [], 0
    for at, note in sorted(notes.items()):
        parts += [evidence[last:at], f" ({note})"]
        last = at
    return "".join((*parts, evidence[last:]))


def _within(our: _Amount, same: Sequence[_Amount], claim: str, evidence: str) -> Iterator[tuple[int, str]]:
    """What limits mean for an amount that says which one is meant ("an order of $60"), by where they end."""
    if _SAYS_A_LIMIT.search(claim, max(0, our.start - 24), our.end + 9):
        return
    assert our.low is not None
    words = tokens(claim)
    verb = first_finite(words, 0, len(words))
    first = verb is None or words[verb].start >= our.end
    if not (first or _WHICH.search(claim[: our.start])):
        return
    said = our.written.lower() if our.written.isalpha() else our.written
    for limit in same:
        if not limit.is_limit or not _is_meant(our, limit, claim, evidence, least=1 if our.kind == "age" else 2):
            continue
        if not limit.holds(our.low):
            yield limit.end, f"not {said}"
        elif our.kind != "percent" and (_RULE.search(claim) or _RULE.search(_clause(evidence, limit))):
            yield limit.end, f"including {said}"


def _beside(our: _Amount, same: Sequence[_Amount], claim: str, evidence: str) -> Iterator[tuple[int, str]]:
    """On which side of the claim's limit the one amount lies that it can be about."""
    least = 3 if our.kind == "time" else 2
    near = [one for one in same if not one.is_limit and _is_meant(our, one, claim, evidence, least=least)]
    if len({amount.low for amount in near}) != 1:
        return
    for amount in near:
        assert amount.low is not None
        if our.low is not None and our.high is not None:
            side = "between" if our.holds(amount.low) else "not between"
        else:
            end = our.low if our.low is not None else our.high
            side = "more than" if end is not None and amount.low > end else "less than"
        yield amount.end, f"{side} {our.written}"


def _is_meant(our: _Amount, their: _Amount, claim: str, evidence: str, *, least: int) -> bool:
    """Whether both are of one noun, or what stands around the other has so many of the claim's words."""
    return bool(our.heads & their.heads) or len(_terms(claim) & _terms(_clause(evidence, their))) >= least


def _terms(text: str) -> set[str]:
    return set(terms(text.replace("children", "child")))


def _comparable(one: _Amount, other: _Amount) -> bool:
    return one.kind == other.kind and (one.kind != "count" or bool(one.heads & other.heads))


def _is_known(our: _Amount, same: Sequence[_Amount]) -> bool:
    """Whether the claim has its amount from the evidence, or so near to it that months and days decide."""
    own, ends = ({end for one in some for end in (one.low, one.high) if end is not None} for some in ([our], same))
    near = our.kind == "time" and any(abs(one - end) <= abs(end) * _NEAR for one in own for end in ends)
    return near or not own.isdisjoint(ends)


@lru_cache(maxsize=1024)
def _amounts(text: str) -> tuple[_Amount, ...]:
    text = _ONE.sub(lambda match: "1".rjust(len(match[0])), text)
    return tuple(amount for quantity in read(text) if (amount := _amount(text, quantity)))


def _amount(text: str, quantity: Quantity) -> _Amount | None:
    before, end = text[max(0, quantity.start - 60) : quantity.start], quantity.end
    kind, unit = _kind(text, quantity, before)
    between = quantity.high is not None and before.lower().rstrip("$€£ ").endswith("between")
    if not kind or quantity.bound == "about" or not quantity.value or (quantity.high is not None and not between):
        return None  # 3 to 5 minutes are a value, and no limit
    if kind == "age" and (old := _OLD.match(text, end)):
        end = old.end()
    heads = _head(before, counted=kind == "count")
    if kind == "count" and (after := _NOUNS_AFTER.match(text, end)):
        heads += re.split(r"[\s-]", after[0])[1:]
    bound = quantity.bound
    if not bound and not between:
        aged = _AGE_OF.search(before)
        bound = str(aged.lastgroup) if aged else "most" if _WITHIN.search(before) else ""
        for word, pattern in (("least", _MORE_AFTER), ("most", _LESS_AFTER)):
            if mark := pattern.match(text, end):
                bound, end = word, mark.end()
    low, high = quantity.value * unit, (quantity.value if quantity.high is None else quantity.high) * unit
    written = text[quantity.start : quantity.end].strip() if kind != "age" else f"{float(low):g}"
    nouns = frozenset(stem(noun) for noun in map(str.lower, heads) if _is_noun(noun))
    return _Amount(
        kind, None if bound in ("below", "most") else low, None if bound in ("above", "least") else high,
        bound in ("above", "below"), quantity.start, end, written, nouns,
    )  # fmt: skip


def _head(before: str, *, counted: bool) -> list[str]:
    """The noun before an amount, past the words that join them."""
    joined = False
    for word in reversed(_WORD.findall(before)):
        if word.lower() in _JOINS_COUNTS:
            joined = True
        elif word.lower() not in _JOINS:
            return [word] if joined or not counted else []
    return []


def _kind(text: str, quantity: Quantity, before: str) -> tuple[str, Fraction]:
    """What a quantity can be compared with, and how many of its unit are one."""
    old = _OLD.match(text, quantity.end) or _OLD_AFTER.match(text, quantity.end)
    if quantity.dimension == "months":
        return ("age", Fraction(1, 12)) if old or _AGED.search(before) else ("time", _MONTH)
    if quantity.dimension in ("duration", "count") and _YEAR.fullmatch(quantity.written):
        return "", Fraction(1)
    if quantity.dimension == "duration":
        return ("", Fraction(1)) if old or _AGED.search(before) else ("time", Fraction(1))
    if quantity.dimension == "count" and (
        old or _AGED.search(before) or _PERSON_BEFORE.search(before) or _OR_OLDER.match(text, quantity.end)
    ):
        return "age", Fraction(1)
    known = quantity.dimension in _DIMENSIONS or quantity.dimension.startswith("money")
    return quantity.dimension if known else "", Fraction(1)


def _is_noun(word: str) -> bool:
    may_be_verb = word in verbs.BASES or word in verbs.THIRD or verbs.is_past(word) or word.endswith("ing")
    return word in _NOUNS or not (word in _NO_NOUN or may_be_verb)


def _clause(text: str, amount: _Amount) -> str:
    """What stands between two stops around an amount."""
    start = max((match.end() for match in _STOPS.finditer(text, 0, amount.start)), default=0)
    stop = _STOPS.search(text, amount.end)
    return text[start : stop.start() if stop else len(text)]
