"""The words in which two texts differ."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

_PIECE = re.compile(r"\w+|\s+|[^\w\s]")


def differences(old: str, new: str) -> list[tuple[int, int, str]]:
    """The stretches of one text that another has otherwise, as (start, end, its words), in order."""
    ours, theirs = list(_PIECE.finditer(old)), list(_PIECE.finditer(new))
    matcher = SequenceMatcher(None, [item[0] for item in ours], [item[0] for item in theirs], autojunk=False)
    found: list[tuple[int, int, str]] = []
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind == "equal":
            continue
        begin = ours[start].start() if start < len(ours) else len(old)
        stop = ours[end - 1].end() if end > start else begin
        words = new[theirs[first].start() : theirs[last - 1].end()] if last > first else ""
        if found and not old[found[-1][1] : begin].strip():  # a lone space between two changes is no island
            before = found[-1]
            found[-1] = (before[0], stop, before[2] + old[before[1] : begin] + words)
        else:
            found.append((begin, stop, words))
    return found
