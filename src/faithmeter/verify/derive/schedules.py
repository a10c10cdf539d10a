"""Reads when something is open: "from 7 a.m. to 3 p.m. Monday through Thursday, until 9 on Fridays, closed on Sundays".

What stands between days and times must be understood to the last word; otherwise nothing is read at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from faithmeter.text.english.word_tables import WEEKDAYS
from faithmeter.text.english.word_tables import words as words_of

DAY = 24 * 60
ALL = frozenset(range(7))
_DAY_NAMES = {name[:length]: n for n, name in enumerate(WEEKDAYS) for length in (3, len(name))}
_DAY_NAMES |= {"tues": 1, "thur": 3, "thurs": 3}
_NAMED = rf"(?:{'|'.join(sorted(_DAY_NAMES, key=len, reverse=True))})(?:s|['’]s)?\b\.?"
_TO = r"\s{0,2}(?:-|–|—|to|through|thru|until|till)\s{0,2}"
_GROUPS = {
    "weekday": frozenset(range(5)), "during the week": frozenset(range(5)), "weekend": frozenset((5, 6)),
    "daily": ALL, "every day": ALL, "each day": ALL, "seven days a week": ALL, "7 days a week": ALL,
    "all week": ALL, "everyday": ALL, "all days of the week": ALL, "throughout the week": ALL, "all days": ALL,
    "all weekend": frozenset((5, 6)), "both weekend days": frozenset((5, 6)),
}  # fmt: skip
_DAYS = re.compile(
    rf"\b(?:(?P<first>{_NAMED}){_TO}(?P<last>{_NAMED})|(?P<one>{_NAMED})"
    r"|(?P<most>most (?:of (?:its|the|these) )?(?:open )?(?:days|(?P<most_week>weekdays))(?: of the week)?\b)"
    r"|(?:every|each) (?P<every>weekday|weekend)\b|(?P<group>both weekend days|all weekend|weekdays?|weekends?|daily"
    r"|every ?day|each day|(?:seven|7) days a week|all (?:days of the )?week|all days|throughout the week"
    r"|during the week)\b(?: of the week)?"
    r"|(?P<rest>otherwise|(?:(?:all|the|its|every) ){0,2}(?:rest of the (?:week|days)"
    r"|(?:other|remaining) (?:open )?(?:days?|(?P<rest_week>weekdays))))\b(?: of the week| it is open)?)",
    re.IGNORECASE,
)
_AT = r"(?:(?:[01]?\d|2[0-4])(?:[:.][0-5]\d)?(?!\d|[.,]\d|%)(?:\s?[ap]\.?\s?m\b\.?)?|noon|midday|midnight)"
_TIMES = re.compile(
    rf"(?<![\w$€£.,/])(?:(?P<opens>{_AT})\s{{0,2}}(?:-|–|—|to|until|till|through)\s{{0,2}}(?P<closes>{_AT})"
    rf"|(?P<always>24 hours(?: a day| per day)?|24/7|around the clock)|(?P<alone>{_AT}))(?!\w)",
    re.IGNORECASE,
)
CLOSED = re.compile(
    r"\bclosed\b|\b(?:not|n['’]t) open\b|\b(?:lists |has )?no (?:regular |opening )?hours"
    rf"(?: are)?(?: listed| given)?(?: (?:for|on))?\b|\b(?:lists |has )?no(?= (?:regular )?{_NAMED} hours)",
    re.IGNORECASE,
)
_NO_TIME = re.compile(r"-|\s?stars?\b|\s(?!(?:on|and|or|from|to|until|till|every|each|daily|through|except|in)\b)[a-z]")
"""What after a bare number shows that it is no time of the day; before capitals so do all but days."""
_LATER = re.compile(r"\b(?P<much>half an|an?|one|two) hours? (?P<way>earlier|later)(?= (?:on|from) )", re.IGNORECASE)
_MUCH = {"half an": 30, "a": 60, "an": 60, "one": 60, "two": 120}
_WHEN = re.compile(r",? (?:when|for which)\b")
_CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d\d))?\s?(?:([ap])\.?\s?m\b)?|(noon|midday)|(midnight)", re.IGNORECASE)
_CLOSES = re.compile(
    r"\b(?:until|till|to|clos(?:es|ing|e|ed)(?: time)?(?: (?:is|at|of))?|ends?(?: at)?|shuts?(?: at)?)\s(?:at )?$",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"\b(?:opens?|opening|starts?|starting|begins?|beginning|from)(?: (?:at|is|time|of)){0,2}\s$", re.IGNORECASE
)
_TURNS = re.compile(r"open|clos|start|begin|end|until|from", re.IGNORECASE)
_VERB = re.compile(r"\b(opens|opening|starts|starting|begins|beginning|closes|closing|ends|ending)\b", re.IGNORECASE)
_TELLS = re.compile(rf"\b(?:open|clos|hours\b|operat)|^\W{{0,9}}{_NAMED}", re.MULTILINE | re.IGNORECASE)
_LIST = re.compile(r"\s{0,2}(?:,|and|&|,? and|or|as well as)\s{0,2}(?:on |also on |also |the )?", re.IGNORECASE)
_CLOSE_LIST = re.compile(r"\s{0,2}(?:,|and|&|,? and|or)\s{0,2}", re.IGNORECASE)
"""The same without what may begin another part: "from 7 on weekdays, and on Saturdays from 8"."""
_BUT = re.compile(
    r",?\s*\(?(?:except|excluding|but not|apart from|other than)(?: for)?(?: on)?\s*| but (?:on )?", re.IGNORECASE
)
_INCLUDING = re.compile(r"[^.;]{0,60}, including (?:on )?", re.IGNORECASE)
_OWN = re.compile(
    rf",? (?:(?:the|this) [a-z]+(?: in [A-Z][\w’'-]*)?"
    rf"|(?!{_NAMED})[A-Z][\w’'&-]*(?: (?:[A-Z&][\w’'-]*|of|in|the|and)){{0,6}})"
    r"(?= (?:is|opens|closes|stays|operates|starts)\b)"
)
"""What is open, after the first days: "On Sundays the shop opens at 8"."""
GLUE = words_of(
    "and but with it its is are open opens opening closed closes closing close hours on at from the extended extending "
    "extends slightly longer shorter later earlier while stays stay staying remains remaining remain runs run running "
    "then also being for during business operating operates operate only until till time to each day days "
    "which they them a p m ends end begins begin starts start however whereas bit little both of in service am "
    "pm afternoon morning evening night nights evenings mornings s all or except apart when last lasts go goes extend "
    "serves keeps going keeping doors door always regular listed does start starting beginning ending varying there"
)
"""What may stand between days and times."""
_ELSE = re.compile(r",\s*or\b|\bor,|\bor on\b|\b(?:except|apart from|other than)\b", re.IGNORECASE)
_MOST = 40
"""Days and times that are read of a text."""
_BACK = 80
"""Characters before a time in which the verb stands that says whether it opens or closes then."""
_NEAR = 5
"""Characters after a time in which that begins."""
_PAUSE = re.compile(r"[,;]|\b(?:and|but)\b")
_WORD = re.compile(r"[^\W_]+")


class Hours(NamedTuple):
    """When something is open on some days; None is what is not said."""

    days: frozenset[int]
    """From 0, Monday, to 6."""
    opens: frozenset[int] | None = None
    """In minutes; where "9" may be morning or evening, both."""
    closes: frozenset[int] | None = None
    closed: bool = False
    sweeping: bool = False
    """Whether the days are not named one by one: weekdays, other days."""
    most: bool = False
    """Whether it is said of most of these days only."""
    others: bool = False
    """Whether the days are those that are left, as far as it is open then."""
    start: int = 0
    """Where it is said."""
    end: int = 0


class _Item(NamedTuple):
    kind: Literal["days", "times", "closed"]
    start: int
    end: int
    days: frozenset[int] = frozenset()
    opens: frozenset[int] | None = None
    closes: frozenset[int] | None = None
    sweeping: bool = False
    most: bool = False
    within: frozenset[int] = ALL
    """Of other days: which there are."""


def clock(text: str, *, whole_day: bool = False) -> frozenset[int] | None:
    """A time of day in minutes after midnight; both halves of the day where it does not say which.

    With `whole_day` its hours go to 24.
    """
    match = _CLOCK.fullmatch(text.strip().rstrip("."))
    if match is None:
        return None
    if match[4] or match[5]:
        return frozenset([12 * 60 if match[4] else 0])
    hour, minute = int(match[1]), int(match[2] or 0)
    if match[3]:
        if not 1 <= hour <= 12:
            return None
        return frozenset([(hour % 12 + 12 * (match[3].lower() == "p")) * 60 + minute])
    if hour > 24 or minute > 59:
        return None
    either = 1 <= hour <= 12 and not whole_day and not text.strip().startswith("0")
    return frozenset((h % 24) * 60 + minute for h in ([hour % 12, hour % 12 + 12] if either else [hour]))


def tells_hours(text: str) -> bool:
    """Whether a text may say when something is open, in whatever words."""
    return _TELLS.search(text) is not None and any(
        item.kind == "days" or item.opens or item.closes for item in _items(text)
    )


def read_hours(text: str) -> list[Hours] | None:
    """What a text says of days and hours; None where any of it is not understood."""
    items = _items(text)
    if len(items) > _MOST:
        return None
    for joins in (True, False):
        for listed in (_LIST, _CLOSE_LIST):
            if found := _read(text, _merged(text, items, listed, joins=joins)):
                return found
    return None


def _read(text: str, items: list[_Item] | None) -> list[Hours] | None:
    if not items:
        return None
    lead = items[:1] if len(items) % 2 and _leads(text, items) else []
    items = items[len(lead) :]
    days = sum(item.kind == "days" for item in items)
    pairs = [[item] for item in items] if days in (0, len(items)) else _pairs(text, items)
    if not pairs or (not days and len(pairs) > 1):
        return None
    found = [_paired(pair) for pair in pairs]
    within = [next((item.within for item in pair if item.kind == "days"), ALL) for pair in pairs]
    for n, hours in enumerate(found):  # "daily until 10, and until 11 on Fridays"
        if days:
            rest = not hours.days
            own = (lead[0].days if lead else within[n]) if rest else hours.days
            if hours.sweeping and lead and lead[0].days & own:
                own &= lead[0].days
            others = [one.days for one in found if one is not hours and _alike(one, hours) and (rest or one.days < own)]
            if rest and not all(others):
                return None
            found[n] = hours._replace(days=own.difference(*others), others=rest)
    shut = [hours.days for hours in found if hours.closed]
    leading = [hours._replace(days=hours.days.difference(*shut)) for hours in map(_paired, [lead] if lead else [])]
    return [*leading, *found] if all(hours.days for hours in found) or not days else None


def _alike(one: Hours, other: Hours) -> bool:
    """Whether both say when it opens, or when it closes."""
    if one.closed or other.closed:
        return True
    return (one.opens is not None and other.opens is not None) or (one.closes is not None and other.closes is not None)


def _leads(text: str, items: Sequence[_Item]) -> bool:
    """Whether the first days stand for themselves: "every day, from 7 on weekdays and from 8 on Sundays"."""
    if len(items) < 3 or not items[0].kind == items[2].kind == "days" != items[1].kind:
        return len(items) == 3 and items[0].days == ALL and items[1].kind == "days"
    apart, together = text[items[0].end : items[1].start], text[items[1].end : items[2].start]
    return _PAUSE.search(apart) is not None and not _PAUSE.search(together)


def _pairs(text: str, items: Sequence[_Item]) -> list[list[_Item]]:
    """Each day, or days, with a time, whichever comes first, and times of the other days; none if they go otherwise."""
    pairs: list[list[_Item]] = []
    at = 0
    while at < len(items):
        pair = list(items[at : at + 2])
        if len(pair) == 2 and pair[0].kind == "times" and _ELSE.search(text, pair[0].end, pair[1].start):
            pairs.append(pair[:1])  # "at 11 a.m., or 10 a.m. on Saturdays"
            at += 1
            continue
        if {item.kind == "days" for item in pair} != {True, False}:
            return []
        following = items[at + 2] if at + 2 < len(items) else None
        if pair[1].kind == "closed" and following and following.kind == "days" and _near(text, pair[1], following):
            return []  # "Monday to Friday, closed on Sunday"
        if following and pair[0].kind == following.kind and _nearer(text, pair[0], pair[1], following):
            return []  # "Monday to Friday, at 7 on most of these days"
        pairs.append(pair)
        at += 2
    return pairs


def _nearer(text: str, one: _Item, two: _Item, three: _Item) -> bool:
    """Whether the second goes with the third, as there is a pause before and none after it."""
    return bool(_PAUSE.search(text, one.end, two.start)) and not _PAUSE.search(text, two.end, three.start)


def _near(text: str, one: _Item, other: _Item) -> bool:
    return text[one.end : other.start].strip(" :").lower() in ("", "on", "every", "each")


def _paired(pair: Sequence[_Item]) -> Hours:
    days = next((item.days for item in pair if item.kind == "days"), frozenset[int]())
    times = next((item for item in pair if item.kind != "days"), None)
    start, end, sweeping = pair[0].start, pair[-1].end, not days or any(item.sweeping for item in pair)
    most = any(item.most for item in pair)
    if times is None:
        return Hours(days, sweeping=sweeping, most=most, start=start, end=end)
    closed = times.kind == "closed"
    return Hours(days, times.opens, times.closes, closed, sweeping, most, start=start, end=end)


def _items(text: str) -> list[_Item]:
    """Days and times, in their order."""
    items = [*_day_items(text), *_closed_items(text)]
    taken = [(item.start, item.end) for item in items]
    for item in _time_items(text):
        if not any(start < item.end and item.start < end for start, end in taken):
            items.append(item)
    return sorted(items, key=lambda item: item.start)


def _day_items(text: str) -> Iterator[_Item]:
    for match in _DAYS.finditer(text):
        if (match["first"] or match["one"] or "A")[0].islower():
            continue  # "the sun sat low"
        if match["first"]:
            first, last = _number(match["first"]), _number(match["last"])
            days = frozenset((first + n) % 7 for n in range((last - first) % 7 + 1))
        elif match["one"]:
            days = frozenset([_number(match["one"])])
        elif match["rest"]:
            days = frozenset()
        elif match["most"]:
            days = _GROUPS["weekday"] if match["most_week"] else ALL
        else:
            name = (match["group"] or match["every"]).lower().replace("7", "seven")
            days = _GROUPS.get(name) or _GROUPS.get(name.rstrip("s")) or ALL
        sweeping = bool(match["rest"] or match["most"]) or days in (_GROUPS["weekday"], _GROUPS["weekend"])
        yield _Item("days", *match.span(), days, sweeping=sweeping and not match["first"], most=bool(match["most"]),
                    within=_GROUPS["weekday"] if match["rest_week"] else ALL)  # fmt: skip


def _closed_items(text: str) -> Iterator[_Item]:
    for match in CLOSED.finditer(text):
        yield _Item("closed", *match.span())


def _time_items(text: str) -> Iterator[_Item]:
    role, last, end = "", frozenset[int](), 0
    for match in sorted([*_TIMES.finditer(text), *_LATER.finditer(text)], key=re.Match.start):
        if match.re is _LATER:
            minutes = _MUCH[match["much"].lower()] * (1 if match["way"].lower() == "later" else -1)
            same = not _TURNS.search(text, end, match.start())
            yield _timed(match, role if same else "", frozenset((minute + minutes) % DAY for minute in last))
        elif match["always"]:
            yield _Item("times", *match.span(), opens=frozenset([0]), closes=frozenset([0]))
        elif match["opens"]:
            opens, closes = clock(match["opens"]), clock(match["closes"])
            if opens is None or closes is None:
                continue
            if len(opens) == 2 and len(closes) == 1 and "m" not in match["opens"].lower():
                opens = _before(opens, closes)
            yield _Item("times", *match.span(), opens=opens, closes=closes)
            role, last, end = "both", frozenset(), match.end()
        elif (at := clock(match["alone"])) and not (match["alone"].isdigit() and _is_no_time(text, match.end())):
            before = text[max(0, match.start() - _BACK) : match.start()]
            role = "closes" if _CLOSES.search(before) else "opens" if _OPENS.search(before) else role or _verb(before)
            last, end = at, match.end()
            yield _timed(match, role, at)


def _verb(before: str) -> str:
    """What the last verb says of a time that stands further on: "opens daily, at 7"."""
    verbs = _VERB.findall(before)
    return "" if not verbs else "closes" if verbs[-1].lower().startswith(("clos", "end")) else "opens"


def _timed(match: re.Match[str], role: str, at: frozenset[int]) -> _Item:
    """A time of opening or closing; where it is not said which, or when, an item without either."""
    known = role if at else ""
    opens, closes = (at if known == "opens" else None), (at if known == "closes" else None)
    if known not in ("opens", "closes"):
        opens = closes = frozenset()
    return _Item("times", *match.span(), opens=opens, closes=closes)


def _is_no_time(text: str, end: int) -> bool:
    after = text[end : end + 20]
    return _NO_TIME.match(after) is not None or (after[1:2].isupper() and not _DAYS.match(text, end + 1))


def _before(opens: frozenset[int], closes: frozenset[int]) -> frozenset[int]:
    """Of "9 to 11 p.m." both halves of the day stay; of "11 to 11 p.m." the one that is some time."""
    return opens - closes


def _number(name: str) -> int:
    plain = name.lower().rstrip(".").removesuffix("'s").removesuffix("’s")
    return _DAY_NAMES[plain if plain in _DAY_NAMES else plain.removesuffix("s")]


def _listed(one: _Item, other: _Item) -> bool:
    """Whether both may stand in one list: not "every day, and on Sunday until 9"."""
    return bool(one.days and other.days) and ALL not in (one.days, other.days) and not (one.most or other.most)


def _merged(text: str, items: list[_Item], listed: re.Pattern[str], *, joins: bool) -> list[_Item] | None:
    """Days of one list as one, and the opening with the closing time; None where other words stand between items.

    An opening time before a closing time is one item with it if `joins`.
    """
    found: list[_Item] = []
    for item in items:
        if item.kind == "times" and item.opens == frozenset() == item.closes:
            return None
        if found:
            between = text[found[-1].end : item.start]
            joined = _joined(text, found, item, listed)
            if joined and (joins or item.kind == "days"):
                found[-len(joined) :] = joined
                continue
            if item.kind == "days" and _INCLUDING.fullmatch(between):
                if not any(item.days <= one.days for one in found):
                    return None
                found[-1] = found[-1]._replace(end=item.end)
                continue
            if found[-1].kind == item.kind == "times" and between.strip() == "or":
                return None
            if len(found) == 1 and found[0].kind == "days":
                between = _OWN.sub("", between)
            if not _is_glue(between):
                return None
        found.append(item)
    return found


def _is_glue(text: str) -> bool:
    return all(word.lower() in GLUE for word in _WORD.findall(text))


def _joined(text: str, found: Sequence[_Item], item: _Item, listed: re.Pattern[str]) -> list[_Item]:
    """The last items with this one in them, if it goes on with them."""
    last = found[-1]
    between = text[last.end : item.start]
    if last.kind == item.kind == "days" and listed.fullmatch(between) and _listed(last, item):
        return [last._replace(end=item.end, days=last.days | item.days)]
    alone = _ELSE.search(text, item.end, item.end + _NEAR) is not None  # "until 10 p.m. or, on Fridays, 11 p.m."
    halves = last.kind == item.kind == "times" and last.closes is None and item.opens is None
    if halves and not alone and _is_glue(between):
        return [last._replace(end=item.end, closes=item.closes)]
    if item.kind == "days" and _BUT.fullmatch(between) and not _WHEN.match(text, item.end):
        days = found[-2] if last.kind == "times" and len(found) > 1 else last
        if item.days < days.days:
            less = days._replace(days=days.days - item.days)
            return [less._replace(end=item.end)] if days is last else [less, last._replace(end=item.end)]
    return []
