"""Says when a made business is open, as people and models write it, right and wrong.

Wrong words stand between « and »; see `training.descriptions`.
"""

from __future__ import annotations

import random

from training.words import DAYS

NO, UNKNOWN = "contradicted", "not_enough_info"
ALL_DAY = "0:0-0:0"
Hours = dict[str, str]


def draw_hours(rng: random.Random) -> Hours | None:
    """Draw opening hours as business records have them; some never close, some close past midnight."""
    chance = rng.random()
    if chance < 0.08:
        return None
    if chance < 0.14:
        return dict.fromkeys(DAYS, ALL_DAY)
    opens = f"{rng.randint(6, 12)}:{rng.choice([0, 0, 0, 30])}"
    closes = rng.choice([14, 15, 17, 18, 19, 20, 21, 21, 22, 22, 23, 0])
    usual = f"{opens}-{closes}:{rng.choice([0, 0, 0, 30]) if closes else 0}"
    late = f"{opens}-{(closes + rng.randint(1, 2)) % 24}:0"
    short = f"{rng.randint(8, 13)}:0-{rng.randint(14, 17)}:0"
    shape = rng.choice(["same", "same", "late", "late", "sunday", "weekend"])
    hours = dict.fromkeys(DAYS, usual)
    if shape in ("late", "sunday"):
        hours |= {"Friday": late, "Saturday": late}
    if shape == "sunday":
        hours["Sunday"] = short
    if shape == "weekend":
        hours |= {"Saturday": late, "Sunday": late}
    closed = rng.choice([[], [], [], ["Sunday"], ["Monday"], ["Saturday", "Sunday"], ["Monday", "Tuesday"]])
    return {day: value for day, value in hours.items() if day not in closed}


def clock(time: str, style: int) -> str:
    """Write "17:30" as one of a few styles does."""
    hour, minute = map(int, time.split(":"))
    if style == 0:
        return f"{hour}:{minute:02d}"
    if style >= 3 and not minute and hour in (0, 12):
        return "noon" if hour else "midnight"
    half, short = "AM" if hour < 12 else "PM", hour % 12 or 12
    if style == 1:
        return f"{short}:{minute:02d} {half}"
    half = {2: half, 3: half.lower(), 4: half[0].lower() + ".m."}[style]
    return f"{short}{f':{minute:02d}' if minute else ''} {half}"


def times(value: str, style: int, joint: str) -> str:
    """Write "11:0-21:0" as words."""
    opens, closes = value.split("-")
    return f"from {clock(opens, style)} {joint} {clock(closes, style)}"


def shifted(value: str, rng: random.Random) -> str:
    """Move the opening or the closing time by an hour or more."""
    opens, closes = value.split("-")
    which = rng.choice((opens, closes))
    hour, minute = which.split(":")
    moved = f"{(int(hour) + rng.choice([-3, -2, -1, 1, 2, 3])) % 24}:{minute}"
    return f"{moved}-{closes}" if which == opens else f"{opens}-{moved}"


def group_days(hours: Hours) -> list[tuple[list[str], str]]:
    """Put days with equal hours together, in the week's order."""
    groups: dict[str, list[str]] = {}
    for day in DAYS:
        if day in hours:
            groups.setdefault(hours[day], []).append(day)
    return [(days, value) for value, days in groups.items()]


def name_days(days: list[str], rng: random.Random) -> str:
    """Name a set of days: "Monday through Thursday", "weekdays", "Friday and Saturday", …"""
    if len(days) == 7:
        return rng.choice(["daily", "every day", "seven days a week", "every day of the week", "Monday through Sunday"])
    first = DAYS.index(days[0])
    in_a_row = days == DAYS[first : first + len(days)]
    if in_a_row and len(days) > 2:
        if days == DAYS[:5] and rng.random() < 0.3:
            return rng.choice(["on weekdays", "during the week"])
        return rng.choice(["{} through {}", "{} to {}", "from {} to {}", "{}-{}"]).format(days[0], days[-1])
    if days == DAYS[5:] and rng.random() < 0.4:
        return "on weekends"
    plural = rng.choice(["s", ""])
    shown = [day + plural for day in days]
    return "on " + (f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0])


def open_when(hours: Hours | None, rng: random.Random, *, wrong: bool) -> tuple[str, str] | None:
    """Write what follows "open", and, when it is to be wrong, how."""
    style = rng.choice([0, 1, 2, 2, 3, 3, 4])
    joint = rng.choice(["to", "to", "until"])
    if not hours:
        made_up = f"{name_days(rng.choice([DAYS, DAYS[:5]]), rng)} {times('9:0-18:0', style, joint)}"
        return (f"«{made_up}»", UNKNOWN) if wrong else None
    if ALL_DAY in hours.values():
        if wrong:
            return f"daily «{times(shifted('9:0-22:0', rng), style, joint)}»", NO
        return rng.choice(
            ["24 hours a day", "24 hours", "24 hours a day, seven days a week", "24/7", "around the clock"]
        ), ""
    groups = group_days(hours)
    missing = [day for day in DAYS if day not in hours]
    kind = rng.choice(["times", "times", "times", "days", "closed", "always"]) if wrong else ""
    if kind == "always":
        return rng.choice(["«24 hours a day»", "«24 hours»", "«24/7»"]), NO
    if kind == "days" and (missing or len(groups) > 1):
        often = rng.choice(["daily", "every day", "seven days a week"])
        days, value = max(groups, key=lambda group: len(group[0]))
        return f"«{often}» {times(value, style, joint)}", NO
    slip = rng.randrange(len(groups))
    parts = []
    for number, (days, value) in enumerate(groups):
        written = times(value, style, joint)
        if wrong and kind != "closed" and number == slip:
            written = f"«{times(shifted(value, rng), style, joint)}»"
        elif number == 1 == len(groups) - 1 and value.split("-")[0] == groups[0][1].split("-")[0]:
            later = rng.choice(["until {}", "with hours extended to {}"]).format(clock(value.split("-")[1], style))
            written = later if rng.random() < 0.6 else written
        order = f"{name_days(days, rng)} {written}"
        if rng.random() < 0.3 and not order.startswith("Mon"):
            order = f"{written} {name_days(days, rng)}"
        parts.append(order)
    text = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}{rng.choice([',', ''])} and {parts[-1]}"
    closed = rng.choice([", and closed {}", ", but closed {}", " (closed {})", ", closed {}"])
    if kind == "closed":
        day = rng.choice(list(hours))
        return text + closed.replace("closed {}", "«closed {}»").format(f"on {day}s"), NO
    if missing and rng.random() < 0.5:
        text += closed.format(name_days(missing, rng) if len(missing) < 3 else f"on {missing[0]}s")
    return text, NO if wrong else ""
