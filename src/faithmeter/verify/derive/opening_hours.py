"""Opening hours: what a claim says of them, held against a record, day by day.

Only where all of what it says of days and times is understood, and the contexts have one timetable alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from faithmeter.datamodels import Context, Evidence
from faithmeter.evidence.passages import Index, Passage, terms
from faithmeter.text.english.word_tables import WEEKDAYS
from faithmeter.verify.derive.schedules import CLOSED, DAY, GLUE, Hours, clock, read_hours, tells_hours

_TELLS = re.compile(r"\b(?:open(?:s|ing)?|clos(?:e|es|ed|ing)|hours|operat(?:es|ing))\b", re.IGNORECASE)
_OTHER = re.compile(
    r"\b(?:breakfast|brunch|lunch|dinner|supper|kitchen|happy hours?|deliver\w*|takeout|review\w*|customers?|guests?"
    r"|diners|patrons?|visit(?:ed|or|ors)|wait(?:ed|ing)?|arriv\w*|appointments?|bar|lounge|pool|patio|office|phone"
    r"|line|someone|one (?:of|person|who)|said|says|complain\w*|suggest\w*|mentions?|asked|would|wish\w*|like|holidays?"
    r"|if|unless|no|not|n['’]t|never|may|might|could|should|out of|closed to|about|around|approximately"
    r"|usually|typically|often|sometimes|likely|half days?|(?:four|five|six) days|as (?:early|late) as|or (?:earlier"
    r"|later))\b",
    re.IGNORECASE,
)
"""What may be open at other times than the place itself, or says how sure it is."""
_SOME = re.compile(r",? (?:on |in )?(?:the|its) (?:first|last|latter|former|other)\b", re.IGNORECASE)
"""What makes a time that of some days which are not named."""
_VAGUE = re.compile(
    r"\b(?:late|early|later|earlier|longer|longest|shorter|shortest|extend\w*|limited|reduced|different|special|full|half)\b",
    re.IGNORECASE,
)
"""Said of days without a time."""
_REMARK = re.compile(
    r"[\s,]{0,3}(?:\b(?:and|but|while) )?(?:\b(?:with|it has|has|offers|they have) )?\b(?:slightly |somewhat |much )?"
    r"(?P<way>extended|longer|later|shorter|limited|reduced)(?: (?:opening|operating|business))?"
    r" (?:hours|closing times?) (?:on|during|at|for|over) (?P<days>(?:the )?(?:weekends?|weekdays?"
    r"|[A-Z][a-z]{2,5}days?[A-Za-z, -]*days?|[A-Z][a-z]{2,5}days?))\W*$"
)
"""What compares the hours of some days with those of the others: "…, with longer hours on weekends"."""
_ONLY = re.compile(r"\bonly\b(?! (?:until|till|from)\b)", re.IGNORECASE)
_ONE_DAY = re.compile(r"\b(?:an?|one|last|this|next|that)\s+(?:\w+ )?$", re.IGNORECASE)
"""What stands before a day that is not every such day."""
_RANGE = re.compile(r"(?P<opens>[\w:. ]{1,12}?)\s?(?:-|–|—|to)\s?(?P<closes>[\w:. ]{1,12})")
_AFTERNOON = re.compile(r"(?<!\d)(?:1[3-9]|2[0-4]|0)(?:[:.]\d|\s?(?:-|–|to)|$)")
"""What tells that all hours of a timetable go to 24."""
_LEAST_DAYS = 3
"""With fewer days a record says nothing of those that it leaves out."""
_SHOWN = 3
_WORD = re.compile(r"[^\W_]+")
_SHORT = 9
_JOINT = re.compile(r"(?:\s(?:from|at|until|on|is|are)){0,4}[\s,(]{0,4}$")
_MORE = re.compile(r",|\band\b|\bwith\b|\b(?!an?\b|the\b)(?:[a-z]+-[a-z]+|an? \w+)\b", re.IGNORECASE)
"""What says more than who is open."""
_ALWAYS_OR_NEVER = (frozenset([0]), frozenset([0]))
"""From midnight to midnight."""


class Timed(NamedTuple):
    """What a timetable makes of a claim: the fields of a `Derivation`."""

    holds: bool
    formula: str
    inputs: tuple[Evidence, ...]
    gaps: tuple[tuple[int, int], ...] = ()
    rest: tuple[str, ...] = ()


class _Entry(NamedTuple):
    hours: Hours | None
    """None: it is written in a way that is not understood."""
    passage: Passage
    shown: str


class _Timetable(NamedTuple):
    entries: dict[int, _Entry]
    complete: bool
    """Whether a day that is left out is one without hours: so in records, not in running text."""
    subject: frozenset[str] | None = None
    """The words of the text it stands in; None for records."""


def opening_hours(claim: str, index: Index, contexts: Sequence[Context]) -> Timed | None:
    """Prove or refute what a claim says of opening hours; None where that is not certain."""
    if not _TELLS.search(claim):
        return None
    remark = _REMARK.search(claim)
    whole, claim = claim, claim[: remark.start()] if remark else claim
    said = read_hours(claim)
    plain = CLOSED.sub(lambda match: " " * len(match[0]), claim)  # "no hours" says no more than "closed"
    if not said or _OTHER.search(plain, 0, said[-1].end) or _SOME.match(claim, said[-1].end):
        return None
    if any(_ONE_DAY.search(claim[: one.start]) for one in said) or not all(_is_plain(one, claim) for one in said):
        return None
    table = _timetable(index)
    if not table or not _is_of(table, claim, said):
        return None
    sure, used = True, list[_Entry]()
    if remark:
        compared = _compared(remark, table)
        if not compared or compared[0] is False:
            return compared and _timed(False, compared[1], contexts, gaps=((remark.start(), len(whole)),))
        used = compared[1]
    for one in said:
        days = one.days & table.entries.keys() if one.others else one.days or table.entries.keys()
        answers = {day: _answer(one, day, table) for day in sorted(days)}
        known = [answer for answer in answers.values() if answer is not None]
        if one.most:
            if not known or 2 * sum(known) == len(known):
                return None
            known = [2 * sum(known) > len(known)]
            answers = dict.fromkeys(answers, known[0])
        if False in known and (one.days or not any(known)):
            day = next(day for day, answer in answers.items() if answer is False)
            missing = f"no hours for {WEEKDAYS[day].capitalize()}"
            entries = [table.entries[day]] if day in table.entries else list(table.entries.values())
            return _timed(False, entries, contexts, "" if day in table.entries else missing,
                          gaps=((one.start, one.end),))  # fmt: skip
        sure = sure and all(answers.values()) and bool(one.days or len(table.entries) == len(WEEKDAYS))
        used += [table.entries[day] for day in answers if day in table.entries]
        used += [] if used else table.entries.values()  # that a day is not among them shows that it is closed
    if not sure or not used or _ONLY.search(claim):
        return None
    return _timed(True, used, contexts, rest=_rest(claim, said[0].start, said[-1].end))


def _compared(remark: re.Match[str], table: _Timetable) -> tuple[bool, list[_Entry]] | None:
    """Whether the days that a remark names have longer hours than the others, or shorter; None where that is open."""
    said = read_hours(remark["days"])
    spans = {
        day: span for day, entry in table.entries.items() if (span := _span(entry, closing=remark["way"] == "later"))
    }
    if not said or not said[0].days <= spans.keys() or said[0].days == spans.keys():
        return None
    sign = -1 if remark["way"] in ("shorter", "limited", "reduced") else 1
    these = [sign * spans[day] for day in said[0].days]
    others = [sign * span for day, span in spans.items() if day not in said[0].days]
    entries = [table.entries[day] for day in sorted(said[0].days)] + [table.entries[min(spans.keys() - said[0].days)]]
    if min(these) > min(others) and sum(these) / len(these) > sum(others) / len(others):
        return True, entries
    return (False, entries) if max(these) <= min(others) else None


def _span(entry: _Entry, *, closing: bool) -> int:
    """For how many minutes it is open on a day, or until when; 0 if that cannot be known."""
    hours = entry.hours
    if hours is None or hours.closed or not hours.opens or not hours.closes or len(hours.opens | hours.closes) != 2:
        return 0
    opens, closes = min(hours.opens), min(hours.closes)
    span = (closes - opens) % DAY
    return opens + span if closing else span


def _is_of(table: _Timetable, claim: str, said: Sequence[Hours]) -> bool:
    """Whether a timetable in running text may be of what the claim is about: its words before the hours stand there."""
    before = [word for word in _WORD.findall(claim[: said[0].start]) if word.lower() not in GLUE]
    return table.subject is None or set(terms(" ".join(before))) <= table.subject


def _timed(
    holds: bool,
    entries: Sequence[_Entry],
    contexts: Sequence[Context],
    formula: str = "",
    *,
    gaps: tuple[tuple[int, int], ...] = (),
    rest: tuple[str, ...] = (),
) -> Timed:
    passages = list(dict.fromkeys(entry.passage for entry in entries))
    inputs = tuple(Evidence.of(contexts, passage.context, passage.start, passage.end) for passage in passages)
    return Timed(
        holds, formula or "; ".join(dict.fromkeys(entry.shown for entry in entries[:_SHOWN])), inputs, gaps, rest
    )


def _rest(claim: str, start: int, end: int) -> tuple[str, ...]:
    """What a claim says besides: "It has four stars and is open"; none where that is only who is open."""
    before, after = _JOINT.sub("", claim[:start]), claim[end:]
    if len(_WORD.findall(before)) <= _SHORT and not _MORE.search(before) and not _WORD.search(after):
        return ()
    return (f"{before} {after.lstrip(' ,).')}".strip(),)


def _is_plain(said: Hours, claim: str) -> bool:
    """Whether days go with a time, or with being open or closed and nothing more."""
    if said.opens is None and said.closes is None:
        return bool(said.days) and not _VAGUE.search(claim)
    return True


def _answer(said: Hours, day: int, table: _Timetable) -> bool | None:
    """Whether it is so on a day; None where that cannot be known."""
    entry = table.entries.get(day)
    if entry is None:
        complete = table.complete and len(table.entries) >= _LEAST_DAYS
        return None if not complete or (said.sweeping and not said.closed) else said.closed
    there = entry.hours
    if there is None:
        return None
    if there[1:3] == _ALWAYS_OR_NEVER:
        return True if said.closed else None
    if said.closed or there.closed:
        return said.closed and there.closed
    for ours, theirs in ((said.opens, there.opens), (said.closes, there.closes)):
        if ours is not None and theirs is None:
            return None
        if ours is not None and theirs is not None and not ours & theirs:
            return False
    return True


def _timetable(index: Index) -> _Timetable | None:
    """The one timetable of the contexts; None if there is none, or more than one."""
    tables: dict[tuple[object, ...], dict[int, _Entry]] = {}
    rows = [(passage, *entry) for passage in index.passages for entry in _entries(passage)]
    whole_day = any(_AFTERNOON.search(value) for *_, value in rows)
    for passage, key, day, value in rows:
        shown = f"{WEEKDAYS[day].capitalize()}: {value}"
        hours = _hours(value, whole_day=whole_day)
        tables.setdefault((passage.context, key), {})[day] = _Entry(hours, passage, shown)
    if tables:
        return _Timetable(next(iter(tables.values())), complete=True) if len(tables) == 1 else None
    return _written(index)


def _written(index: Index) -> _Timetable | None:
    """The timetable of running text: one sentence, or lines that follow each other."""
    found: list[tuple[Passage, list[Hours]]] = []
    for passage in index.passages:
        if tells_hours(passage.text):
            hours = read_hours(passage.text)
            if hours is None or _OTHER.search(passage.text) or not all(one.days for one in hours):
                return None  # what is not understood may be another timetable
            found.append((passage, hours))
    if not found:
        return None
    numbers = [passage.number for passage, _ in found]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))) or len({p.context for p, _ in found}) > 1:
        return None
    entries: dict[int, _Entry] = {}
    for passage, hours in found:
        for one in hours:
            for day in one.days:
                if day in entries:
                    return None
                entries[day] = _Entry(one, passage, passage.text[one.start : one.end].rstrip("."))
    subject = frozenset(terms(" ".join(passage.text for passage, _ in found)))
    before = index.passages[numbers[0] - 1].text if numbers[0] else ""
    return _Timetable(entries, complete=False, subject=subject | set(terms(before)))


def _entries(passage: Passage) -> Iterator[tuple[str, int, str]]:
    """The days of a passage's fields: `hours, Monday: 7:00-15:00`, or a row with a column for the day."""
    for key, value in passage.fields:
        group, _, day = key.rpartition(", ")
        if day.lower() in WEEKDAYS:
            yield group, WEEKDAYS.index(day.lower()), value
    if len(passage.fields) == 2 and (day := passage.fields[0][1].lower()) in WEEKDAYS:
        yield passage.fields[1][0], WEEKDAYS.index(day), passage.fields[1][1]


def _hours(value: str, *, whole_day: bool) -> Hours | None:
    if value.strip().lower() == "closed":
        return Hours(frozenset(), closed=True)
    match = _RANGE.fullmatch(value.strip())
    opens, closes = (clock(match[part], whole_day=whole_day) if match else None for part in ("opens", "closes"))
    if not opens or not closes:
        return None
    return Hours(frozenset(), opens, closes)
