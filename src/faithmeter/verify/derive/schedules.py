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
    "all week": ALL, "everyday": ALL, "all days of the week": ALL, "throughout the week": ALL,
}  # fmt: skip
_DAYS = re.compile(
    rf"\b(?:(?P<first>{_NAMED}){_TO}(?P<last>{_NAMED})|(?P<one>{_NAMED})"
    r"|(?:every|each) (?P<every>weekday|weekend)\b|(?P<group>weekdays?|weekends?|daily|every ?day|each day"
    r"|(?:seven|7) days a week|all (?:days of the )?week|throughout the week|during the week)\b(?: of the week)?"
    r"|(?P<rest>otherwise|(?:(?:all|the|its) ){0,2}(?:rest of the (?:week|days)|(?:other|remaining) (?:open )?days))\b"
    r"(?: of the week| it is open)?)",
    re.IGNORECASE,
)
_AT = r"(?:(?:[01]?\d|2[0-4])(?:[:.][0-5]\d)?(?!\d|[.,]\d|%)(?:\s?[ap]\.?\s?m\b\.?)?|noon|midnight)"
_TIMES = re.compile(
    rf"(?<![\w$€£.,/])(?:(?P<opens>{_AT})\s{{0,2}}(?:-|–|—|to|until|till|through)\s{{0,2}}(?P<closes>{_AT})"
    rf"|(?P<always>24 hours(?: a day| per day)?|24/7|around the clock)|(?P<alone>{_AT}))(?!\w)",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"\bclosed\b", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d\d))?\s?(?:([ap])\.?\s?m\b)?|(noon)|(midnight)", re.IGNORECASE)
_CLOSES = re.compile(
    r"\b(?:until|till|to|clos(?:es|ing|e|ed)(?: time)?(?: (?:is|at|of))?|ends?(?: at)?|shuts?(?: at)?)\s(?:at )?$",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"\b(?:opens?|opening|starts?|starting|begins?|beginning|from)(?: (?:at|is|time|of)){0,2}\s$", re.IGNORECASE
)
_TELLS = re.compile(rf"\b(?:open|clos|hours\b|operat)|^\W*{_NAMED}", re.MULTILINE | re.IGNORECASE)
_LIST = re.compile(r"\s*(?:,|and|&|,? and|or|as well as)\s*(?:on |also on |also |the )?\s*", re.IGNORECASE)
_CLOSE_LIST = re.compile(r"\s*(?:,|and|&|,? and|or)\s*", re.IGNORECASE)
"""The same without what may begin another part: "from 7 on weekdays, and on Saturdays from 8"."""
_BUT = re.compile(r",?\s*\(?(?:except|excluding|but not|apart from|other than)(?: for)?(?: on)?\s*", re.IGNORECASE)
GLUE = words_of(
    "and but with it its is are open opens opening closed closes closing close hours on at from the extended extending "
    "extends slightly longer shorter later earlier while stays stay staying remains remaining remain runs run running "
    "then also being for during business operating operates operate only until till time to each day days "
    "which they them a p m ends end begins begin starts start however whereas bit little both of in service am "
    "pm afternoon morning evening night nights evenings mornings s"
)
"""What may stand between days and times."""
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


def clock(text: str) -> frozenset[int] | None:
    """A time of day in minutes after midnight; both halves of the day where it does not say which."""
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
    either = 1 <= hour <= 12 and not text.strip().startswith("0")
    return frozenset((h % 24) * 60 + minute for h in ([hour % 12, hour % 12 + 12] if either else [hour]))


def tells_hours(text: str) -> bool:
    """Whether a text may say when something is open, in whatever words."""
    return _TELLS.search(text) is not None and any(
        item.kind == "days" or item.opens or item.closes for item in _items(text)
    )


def read_hours(text: str) -> list[Hours] | None:
    """What a text says of days and hours; None where any of it is not understood."""
    items = _items(text)
    return _read(text, _merged(text, items, _LIST)) or _read(text, _merged(text, items, _CLOSE_LIST))


def _read(text: str, items: list[_Item] | None) -> list[Hours] | None:
    if not items:
        return None
    lead = items[:1] if len(items) % 2 and _leads(text, items) else []
    items = items[len(lead) :]
    days = sum(item.kind == "days" for item in items)
    if days not in (0, len(items)) and days * 2 != len(items):
        return None  # a day that has no time, or a time that has no day, beside others that have one
    pairs = [[item] for item in items] if days in (0, len(items)) else _pairs(text, items)
    if not pairs or (not days and len(pairs) > 1):
        return None
    found = [_paired(pair) for pair in pairs]
    rest = [n for n, hours in enumerate(found) if days and not hours.days]
    if len(rest) > 1:
        return None
    for n in rest:
        found[n] = found[n]._replace(days=(lead[0].days if lead else ALL).difference(*(one.days for one in found)))
    for n, hours in enumerate(found):  # "daily until 10, and until 11 on Fridays"
        found[n] = hours._replace(days=hours.days.difference(*(one.days for one in found if one.days < hours.days)))
    return [*map(_paired, [lead] if lead else []), *found] if all(hours.days for hours in found) or not days else None


def _leads(text: str, items: Sequence[_Item]) -> bool:
    """Whether the first days stand for themselves: "every day, from 7 on weekdays and from 8 on Sundays"."""
    if len(items) < 3 or not items[0].kind == items[2].kind == "days" != items[1].kind:
        return len(items) == 3 and items[0].days == ALL and items[1].kind == "days"
    apart, together = text[items[0].end : items[1].start], text[items[1].end : items[2].start]
    return _PAUSE.search(apart) is not None and not _PAUSE.search(together)


def _pairs(text: str, items: Sequence[_Item]) -> list[list[_Item]]:
    """Each day, or days, with a time, whichever comes first; none if they do not go together so."""
    pairs: list[list[_Item]] = []
    at = 0
    while at < len(items):
        pair = list(items[at : at + 2])
        if {item.kind == "days" for item in pair} != {True, False}:
            return []
        following = items[at + 2] if at + 2 < len(items) else None
        if pair[1].kind == "closed" and following and following.kind == "days" and _near(text, pair[1], following):
            return []  # "Monday to Friday, closed on Sunday"
        pairs.append(pair)
        at += 2
    return pairs


def _near(text: str, one: _Item, other: _Item) -> bool:
    return text[one.end : other.start].strip(" :").lower() in ("", "on", "every", "each")


def _paired(pair: Sequence[_Item]) -> Hours:
    days = next((item.days for item in pair if item.kind == "days"), frozenset[int]())
    times = next((item for item in pair if item.kind != "days"), None)
    start, end, sweeping = pair[0].start, pair[-1].end, any(item.sweeping for item in pair)
    if times is None:
        return Hours(days, sweeping=sweeping, start=start, end=end)
    return Hours(days, times.opens, times.closes, times.kind == "closed", sweeping, start, end)


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
        else:
            name = (match["group"] or match["every"]).lower().replace("7", "seven")
            days = _GROUPS.get(name) or _GROUPS.get(name.rstrip("s")) or ALL
        sweeping = bool(match["rest"]) or days in (_GROUPS["weekday"], _GROUPS["weekend"])
        yield _Item("days", *match.span(), days, sweeping=sweeping and not match["first"])


def _closed_items(text: str) -> Iterator[_Item]:
    for match in _CLOSED.finditer(text):
        yield _Item("closed", *match.span())


def _time_items(text: str) -> Iterator[_Item]:
    role = ""
    for match in _TIMES.finditer(text):
        if match["always"]:
            yield _Item("times", *match.span(), opens=frozenset([0]), closes=frozenset([0]))
        elif match["opens"]:
            opens, closes = clock(match["opens"]), clock(match["closes"])
            if opens is None or closes is None:
                continue
            if len(opens) == 2 and len(closes) == 1 and "m" not in match["opens"].lower():
                opens = _before(opens, closes)
            yield _Item("times", *match.span(), opens=opens, closes=closes)
            role = "both"
        elif at := clock(match["alone"]):
            before = text[: match.start()]
            role = "closes" if _CLOSES.search(before) else "opens" if _OPENS.search(before) else role
            if role == "closes":
                yield _Item("times", *match.span(), closes=at)
            elif role == "opens":
                yield _Item("times", *match.span(), opens=at)
            else:
                yield _Item("times", *match.span(), opens=frozenset(), closes=frozenset())  # it is not said which


def _before(opens: frozenset[int], closes: frozenset[int]) -> frozenset[int]:
    """Of "9 to 11 p.m." both halves of the day stay; of "11 to 11 p.m." the one that is some time."""
    return opens - closes


def _number(name: str) -> int:
    plain = name.lower().rstrip(".").removesuffix("'s").removesuffix("’s")
    return _DAY_NAMES[plain if plain in _DAY_NAMES else plain.removesuffix("s")]


def _listed(one: _Item, other: _Item) -> bool:
    """Whether both may stand in one list: not "every day, and on Sunday until 9"."""
    return bool(one.days and other.days) and ALL not in (one.days, other.days)


def _merged(text: str, items: list[_Item], listed: re.Pattern[str]) -> list[_Item] | None:
    """Days of one list as one, and the opening with the closing time; None where other words stand between items."""
    found: list[_Item] = []
    for item in items:
        if item.kind == "times" and item.opens == frozenset() == item.closes:
            return None
        if found:
            last = found[-1]
            between = text[last.end : item.start]
            if last.kind == item.kind == "days" and listed.fullmatch(between) and _listed(last, item):
                found[-1] = last._replace(end=item.end, days=last.days | item.days)
                continue
            if last.kind == item.kind == "days" and _BUT.fullmatch(between) and item.days < last.days:
                found[-1] = last._replace(end=item.end, days=last.days - item.days)
                continue
            if last.kind == item.kind == "times" and last.closes is None and item.opens is None:
                found[-1] = last._replace(end=item.end, closes=item.closes)
                continue
            if any(word.lower() not in GLUE for word in _WORD.findall(between)):
                return None
        found.append(item)
    return found
