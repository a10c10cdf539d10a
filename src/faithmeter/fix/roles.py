"""What a value is in its place: the beginning or the end of a span of time, a part of a date, somebody's age."""

from __future__ import annotations

import re
from functools import lru_cache

from faithmeter.text.english import word_tables
from faithmeter.text.english.mentions import DATE_KINDS, Mention, mentions

_MONTH = "|".join(sorted((name.capitalize() for name in word_tables.MONTHS), key=len, reverse=True))
_PART = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|(?:{_MONTH})\.?)"
_DATE_BEFORE = re.compile(rf"(?<!\w)(?:{_PART},? (?:of )?){{1,2}}\Z")
_DATE_AFTER = re.compile(rf"(?:\.?,? (?:of )?(?:{_PART}|[12]\d{{3}})){{1,2}}(?!\w)")
_ISO = re.compile(r"[12]\d{3}-\d\d-\d\d")
_BEGINS = re.compile(r"\b(?:since|from|between|born|birth)(?: (?:on|in|the))?,? \Z", re.IGNORECASE)
_ENDS = re.compile(r"\b(?:until|till|died|death)(?: (?:on|in|the))? \Z", re.IGNORECASE)
_TIME = r"(?:\d|[ap]\.?m\.?|day|[a-z]{3}\.?)"
_GOES_ON = re.compile(r" ?(?:[-–—]|to|until|till|through) ?(?=\d|[A-Z]|present\b|noon\b|midnight\b)")
_CAME_BEFORE = re.compile(rf"{_TIME} ?(?:[-–—]|\b(?:to|until|till|through)) ?\Z", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween [\w ,.]{1,30}+\Z", re.IGNORECASE)
_AGE_BEFORE = re.compile(r"\b(?:age|aged|age of|ages) \Z", re.IGNORECASE)
_AGE_AFTER = re.compile(r"[ -]years?[ -]old\b", re.IGNORECASE)
_AFTER_A_NAME = re.compile(r"(?<![\w’'-])[A-Z][\w’'-]*+(?:\.?, |,? (?:who )?(?:is|was) | \()\Z")
_AGE_ENDS = re.compile(r",|\)|;| -|\.\s|\.\Z| and\b")
MOST_YEARS = 120


def date_span(text: str, mention: Mention) -> tuple[int, int]:
    """Where the date begins and ends that a year, a month or a day is a part of."""
    if mention.kind not in DATE_KINDS:
        return mention.start, mention.end
    for begin in (mention.start, mention.start - 5, mention.start - 8):
        if begin >= 0 and _ISO.match(text, begin):
            return begin, begin + len("2021-12-27")
    left = max(0, mention.start - 20)
    before = _DATE_BEFORE.search(text[left : mention.start])
    after = _DATE_AFTER.match(text, mention.end, mention.end + 20)
    return (left + before.start() if before else mention.start), (after.end() if after else mention.end)


def same_date(text: str, mine: Mention, passage: str, other: Mention) -> int:
    """How many other parts two dates have in common, less those in which they differ: of "May 4th" and "Oct. 4" one."""
    ours, theirs = _parts(text, mine), _parts(passage, other)
    shared = [kind for kind in ours if kind in theirs]
    return sum(1 if ours[kind] == theirs[kind] else -1 for kind in shared)


def _parts(text: str, mention: Mention) -> dict[str, str]:
    start, end = date_span(text, mention)
    found = _date_parts(text[start:end]) if (start, end) != (mention.start, mention.end) else ()
    return {kind: value for kind, value in found if kind != mention.kind}


@lru_cache(maxsize=4096)
def _date_parts(date: str) -> tuple[tuple[str, str], ...]:
    return tuple((item.kind, item.value) for item in mentions(date) if item.kind in DATE_KINDS)


def role(text: str, mention: Mention) -> str:
    """Whether a time begins a span or ends one: "from 1999 to 2007", "born in 1912", "until Friday"; "" if neither."""
    start, end = date_span(text, mention)
    before = text[max(0, start - 40) : start]
    if _ENDS.search(before) or _CAME_BEFORE.search(before[-16:]):
        return "end"
    if before.endswith(" and ") and _BETWEEN.search(before[:-5]):
        return "end"
    return "beginning" if _BEGINS.search(before) or _GOES_ON.match(text, end) else ""


def is_age(text: str, mention: Mention) -> bool:
    """Whether a number is somebody's age: "67-year-old", "Louis Jordan, 37,", "who was 8 and"."""
    if not mention.value.isdigit() or int(mention.value) > MOST_YEARS:
        return False
    if _AGE_AFTER.match(text, mention.end):
        return True
    before = text[max(0, mention.start - 40) : mention.start]
    if _AGE_BEFORE.search(before):
        return True
    named = _AFTER_A_NAME.search(before) or before.endswith((" who was ", " who is "))
    return bool(named) and _AGE_ENDS.match(text, mention.end) is not None
