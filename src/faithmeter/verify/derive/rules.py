"""The rules of arithmetic: which facts a claim is about, what follows from them, and whether the claim says that.

A rule gives an answer only if the claim's words name the operation, each input is the only one that all words of the
claim fit, and every other quantity of the claim stands with the inputs. Everything else is left to other verifiers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import faithmeter.verify.derive.claims as claims
from faithmeter.verify.derive.claims import Said
from faithmeter.verify.derive.quantities import Quantity, in_unit, read
from faithmeter.verify.derive.sources import Fact, terms

APPROXIMATE = Fraction(5, 100)
"""How far "about" reaches."""
OFF = Fraction(1, 100)
"""A value that is off by less, but not right to the digits shown, is neither proven nor refuted."""
WIDELY_OFF = Fraction(15, 100)
"""The same with "about"."""


class Finding(NamedTuple):
    """What follows from some facts."""

    holds: bool
    formula: str
    facts: tuple[Fact, ...]


def fits(claimed: Quantity, value: Fraction) -> bool | None:
    """Whether a value is what a claim says, to the digits it shows; None if it is hard to say."""
    if claimed.high is not None:
        return claimed.value <= value <= claimed.high
    if claimed.bound in ("above", "below", "least", "most"):
        above = claimed.bound in ("above", "least")
        return None if value == claimed.value else (value > claimed.value) is above
    apart = abs(value - claimed.value)
    about = claimed.bound == "about"
    if apart <= claimed.step / 2 or (about and apart <= APPROXIMATE * abs(value)):
        return True
    return False if apart > max(claimed.step / 2, (WIDELY_OFF if about else OFF) * abs(value)) else None


def shown(fact: Fact) -> str:
    """A fact's quantity as it is quoted in a formula."""
    quantity = fact.quantity
    plain = not fact.structured or quantity.dimension == "count" or not quantity.written.replace(",", "").isdecimal()
    return quantity.written if plain else in_unit(quantity.value, quantity.dimension)


def like(claimed: Quantity, value: Fraction) -> str:
    """A value, written as the claim writes its own."""
    match = re.search(r"\d[\d,]*(?:\.\d+)?", claimed.written)
    if not match or claimed.high is not None or claimed.dimension in ("clock", "date"):
        return in_unit(value, claimed.dimension)
    said = Fraction(match[0].replace(",", ""))
    scaled = value * said / claimed.value if claimed.value else value
    digits = f"{float(scaled):,.2f}".rstrip("0").rstrip(".")
    return claimed.written[: match.start()] + digits + claimed.written[match.end() :]


def same(a: Fact, b: Fact) -> bool:
    return a.quantity.equals(b.quantity)


# A figure that a context gives as a total or an average is no input to another one.
_DERIVED = terms("total average mean combined together altogether sum overall")


def unstated(
    said: Said, finding: Finding | None, facts: Sequence[Fact], *, claimed: Sequence[Quantity] = ()
) -> Finding | None:
    """A finding, unless it refutes what a context says as it is; `claimed`: the quantities that it is about."""
    if finding is None or finding.holds:
        return finding
    for fact in facts:
        stated = any(fact.quantity.equals(quantity) for quantity in claimed or said.quantities)
        if stated and not fact.structured and len(said.about - fact.cover) * 2 <= len(said.about):
            return None
    return finding


def grouped(facts: Sequence[Fact]) -> Iterator[list[Fact]]:
    """Facts that may be set side by side, exact ones only, each once."""
    groups: dict[tuple[object, ...], list[Fact]] = defaultdict(list)
    for fact in facts:
        exact = not fact.quantity.bound and fact.quantity.high is None
        if exact and fact.quantity.dimension not in ("date", "year", "clock") and fact.own.isdisjoint(_DERIVED):
            groups[fact.group].append(fact)
    yield from groups.values()


def named(said: Said, facts: Sequence[Fact], about: frozenset[str] | None = None) -> list[Fact] | None:
    """The facts of one group that a claim names, each by a term that no other of the group has.

    None if it names fewer than two, or if a word of the claim is said of none of them.
    """
    wanted = said.about if about is None else about
    facts = _distinct(facts, wanted)
    hits = [(fact.row if fact.structured else fact.own) & wanted for fact in facts]
    pairs: list[tuple[Fact, frozenset[str]]] = []
    for index, fact in enumerate(facts):
        others = frozenset().union(*(f.row if f.structured else f.own for n, f in enumerate(facts) if n != index))
        if own := hits[index] - others:
            pairs.append((fact, own))
    strangers = {fact.names - wanted for fact, _ in pairs if not fact.structured and fact.names - wanted}
    if len(pairs) < 2 or len(strangers) > 1 or any(not one <= fact.cover for one in strangers for fact, _ in pairs):
        return None
    for fact, own in pairs:
        elsewhere = frozenset().union(*(hit for other, hit in pairs if other is not fact))
        if not wanted - elsewhere <= fact.cover or not own:
            return None
    return [fact for fact, _ in pairs]


def _distinct(facts: Sequence[Fact], wanted: frozenset[str]) -> list[Fact]:
    """Without facts that say the same of the same."""
    kept: dict[tuple[object, ...], Fact] = {}
    for fact in facts:
        key = (fact.quantity.value, fact.own & wanted, fact.names, fact.row)
        kept.setdefault(key if not fact.structured else (id(fact),), fact)
    return list(kept.values())


def whole(said: Said, facts: Sequence[Fact]) -> list[Fact] | None:
    """All facts of a column, or of one sentence, when the claim speaks of all and names none."""
    if len(facts) < 2 or not claims.WHOLE.search(said.text) or not said.about:
        return None
    if any(not said.about <= fact.cover - fact.row for fact in facts if fact.structured):
        return None
    if not facts[0].structured:
        inside = [fact for fact in facts if said.about <= fact.cover]
        if len({fact.passages for fact in inside}) != 1 or len(inside) < 2 or inside[0].role:
            return None
        return inside
    return list(facts)


def lookup(said: Said, facts: Sequence[Fact]) -> Fact | None:
    """The one fact that all words of a claim fit."""
    fitting = [fact for fact in facts if said.about <= fact.cover and _is_named(said, fact, facts)]
    if not fitting or not said.about:
        return None
    most = max(len(fact.own & said.about) for fact in fitting)
    best = [fact for fact in fitting if len(fact.own & said.about) == most]
    if not most or any(not same(fact, best[0]) for fact in best):
        return None
    # A sentence that names someone else, or another year, speaks of something else.
    strangers = best[0].names - said.about - said.names - terms(best[0].quantity.written)
    return best[0] if best[0].structured or not strangers else None


def _is_named(said: Said, fact: Fact, facts: Sequence[Fact]) -> bool:
    if not fact.structured:
        return True
    rows = {other.row for other in facts if other.group == fact.group and other.row != fact.row}
    if not rows:
        return not said.names or bool(fact.row & said.about) or not fact.row
    others = frozenset().union(*rows)
    return bool((fact.row & said.about) - others)


def alone(said: Said, target: Quantity, facts: Sequence[Fact], *, counted: int = 0) -> bool:
    """Whether every other quantity of a claim stands with the inputs, or counts them."""
    for quantity in said.quantities:
        if quantity is target or (counted and quantity.dimension == "count" and quantity.value == counted):
            continue
        held = [other for fact in facts for passage in fact.passages for other in read(passage.text)]
        if not any(quantity.equals(other) for other in held):
            return False
    return True


def one(findings: Sequence[Finding]) -> Finding | None:
    """The finding that all agree on."""
    if not findings or len({(finding.holds, finding.formula) for finding in findings}) > 1:
        return None
    return findings[0]


def finding_of(claimed: Quantity, value: Fraction, left: str, facts: Sequence[Fact]) -> Finding | None:
    holds = fits(claimed, value)
    return None if holds is None else Finding(holds, f"{left} = {like(claimed, value)}", tuple(facts))


def aggregate(said: Said, facts: Sequence[Fact]) -> Finding | None:
    """Totals and averages of what a claim names, or of a whole column; differences of two."""
    average, total = claims.AVERAGE.search(said.text), claims.SUM.search(said.text)
    apart = claims.DIFFERENCE.search(said.text)
    if sum(map(bool, (average, total, apart))) != 1:
        return None
    findings = []
    for group in grouped(facts):
        by_name = named(said, group)
        items = by_name or (None if apart else whole(said, group))
        if not items or (apart and len(items) != 2):
            continue
        for target in said.quantities:
            if target.dimension != items[0].quantity.dimension or (
                target.value == len(items) and len(said.quantities) > 1
            ):
                continue
            if not alone(said, target, (), counted=len(items)):
                continue
            if target.bound and not by_name and not items[0].structured:
                continue  # nearly any sum is "more than 80"
            values = [item.quantity.value for item in items]
            if apart:
                high, low = sorted(items, key=lambda item: -item.quantity.value)
                finding = finding_of(target, max(values) - min(values), f"{shown(high)} - {shown(low)}", items)
            elif average:
                inputs = " + ".join(map(shown, items))
                finding = finding_of(target, sum(values, Fraction()) / len(items), f"({inputs}) / {len(items)}", items)
            else:
                finding = finding_of(target, sum(values, Fraction()), " + ".join(map(shown, items)), items)
            if finding and (finding.holds or not _uncounted(said, target, items)):
                findings.append(finding)
    return unstated(said, one(findings), facts)


def _uncounted(said: Said, target: Quantity, items: Sequence[Fact]) -> bool:
    """Whether a sentence has more of what a claim counts, without a number: "four arrow keys, an OK key and …"."""
    noun = re.match(r"\s+([^\W\d_]{3,40})", said.text[target.end :])
    if not noun or target.dimension != "count":
        return False
    one_more = re.compile(
        rf"\b(?:an?|another|the)\s+(?:[\w-]+\s+){{0,2}}{re.escape(noun[1].removesuffix('s'))}\b", re.IGNORECASE
    )
    return any(one_more.search(passage.text) for item in items if not item.structured for passage in item.passages)


_SEVERAL = re.compile(r"\b(?:every|each|all|both|most|any|some|either)\b", re.IGNORECASE)
"""Who stands for several, of which a figure says nothing."""


def compared(said: Said, facts: Sequence[Fact]) -> Finding | None:
    """A is more than B, by how much, or by how many per cent."""
    said_so = claims.comparison(said.text)
    if said_so is None or len(said.quantities) > 1 or claims.tells_of_change(said.text.replace("higher", "")):
        return None
    if claims.factor(said.text) or _SEVERAL.search(said.text):
        return None
    findings = []
    for group in grouped(facts):
        pair = _oriented(named(said, group), said_so.left, said_so.right)
        if pair is None:
            continue
        first, second = pair
        apart = (first.quantity.value - second.quantity.value) * said_so.sign
        if not said.quantities:
            sign = ">" if first.quantity.value > second.quantity.value else "<" if apart else "="
            findings.append(Finding(apart > 0, f"{shown(first)} {sign} {shown(second)}", pair))
            continue
        target = said.quantities[0]
        if target.start > said_so.start or target.dimension not in ("percent", first.quantity.dimension):
            continue
        high, low = (first, second) if said_so.sign > 0 else (second, first)
        if target.dimension == "percent":
            if first.quantity.dimension == "percent" or not second.quantity.value:
                continue
            value = apart / second.quantity.value * 100
            left = f"({shown(high)} - {shown(low)}) / {shown(second)}"
        else:
            value, left = apart, f"{shown(high)} - {shown(low)}"
        if finding := finding_of(target, value, left, pair):
            findings.append(finding)
    return unstated(said, one(findings), facts)


def _oriented(items: Sequence[Fact] | None, left: frozenset[str], right: frozenset[str]) -> tuple[Fact, Fact] | None:
    """Two facts in the order in which a claim sets them against each other."""
    if items is None or len(items) != 2:
        return None
    a, b = items
    of_a, of_b = (a.row or a.own) - (b.row or b.own), (b.row or b.own) - (a.row or a.own)
    if of_a & left - right and of_b & right - left and not of_b & left and not of_a & right:
        return a, b
    if of_b & left - right and of_a & right - left and not of_a & left and not of_b & right:
        return b, a
    return None


def multiple(said: Said, facts: Sequence[Fact]) -> Finding | None:
    """Twice as many as, half as much as, three times the."""
    given = claims.factor(said.text)
    if given is None:
        return None
    factor, match = given
    rest = said.text[match.end() :]
    marker = re.search(r"\b(?:as|of|in|at)\b", rest.rpartition(".")[2]) if "as" in match[0].lower() else None
    split = rest.find(" as ") if marker else 0
    if split < 0 or any(not match.start() <= q.start < match.end() for q in said.quantities):
        return None
    left = claims.about(said.text[: match.start()])
    right = claims.about(rest[split:])
    findings = []
    for group in grouped(facts):
        pair = _oriented(named(said, group), left, right)
        if pair is None or not pair[1].quantity.value:
            continue
        ratio = pair[0].quantity.value / pair[1].quantity.value
        holds = abs(ratio - factor) <= (APPROXIMATE * factor if ROUGHLY.search(said.text) else factor / 200)
        if holds or abs(ratio - factor) > factor / 10:
            findings.append(Finding(holds, f"{shown(pair[0])} / {shown(pair[1])} = {float(ratio):.3g}", pair))
    return one(findings)


ROUGHLY = re.compile(r"\b(?:about|around|nearly|almost|roughly|approximately|more than|over)\b", re.IGNORECASE)


_OF = re.compile(r"^\s*(?:of|out of)\s+(?:the\s+|its\s+|their\s+|all\s+)?", re.IGNORECASE)

_OF_ALL = re.compile(r"\b(?:of|among|out of)\s+(?:the\s+|its\s+|all\s+)?(?:\w+\s+)?$", re.IGNORECASE)


def portion(said: Said, facts: Sequence[Fact]) -> Finding | None:
    """A quarter of, 25 % of: "60 of the 240 shops" or "of the 240 shops, 60"."""
    fraction = claims.share(said.text)
    target = next((q for q in said.quantities if q.dimension == "percent" and _OF.match(said.text[q.end :])), None)
    if (fraction is None) == (target is None) or len([q for q in said.quantities if q.dimension != "count"]) > 1:
        return None
    findings = []
    for group in grouped(facts):
        fitting = [fact for fact in group if not fact.structured and said.about <= terms(fact.passages[0].text)]
        if len(fitting) != 2 or fitting[0].passages != fitting[1].passages or group[0].quantity.dimension == "percent":
            continue
        text, (first, second) = fitting[0].passages[0].text, fitting
        link = text[first.quantity.end : second.quantity.start]
        if re.fullmatch(r"\s+(?:out )?of\s+(?:the\s+|its\s+|all\s+|a total of\s+)?(?:\w+\s+)?", link):
            part, all_of = first, second
        elif "," in link and _OF_ALL.search(text[: first.quantity.start]):
            part, all_of = second, first
        else:
            continue
        known = said.about | said.names | frozenset(terms(text.partition(" ")[0]))
        if not all_of.quantity.value or not fitting[0].names | fitting[1].names <= known:
            continue
        ratio = part.quantity.value / all_of.quantity.value
        left = f"{shown(part)} / {shown(all_of)}"
        if target:
            finding = finding_of(target, ratio * 100, left, (part, all_of))
            findings += [finding] if finding else []
        elif fraction is not None and not re.search(r"\b(?:more|less|over|under)\b", said.text):
            limit = APPROXIMATE if ROUGHLY.search(said.text) else Fraction(1, 200)
            if abs(ratio - fraction) <= limit or abs(ratio - fraction) > Fraction(5, 100):
                findings.append(Finding(abs(ratio - fraction) <= limit, f"{left} = {float(ratio):.3g}", (part, all_of)))
    return one(findings)
