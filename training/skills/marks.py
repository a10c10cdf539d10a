"""Which words of a claim are wrong: those by which it differs from its nearest supported twin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

AT_MOST_WORDS = 5
"""Words that may differ; a claim further away is no twin."""
_WORD = re.compile(r"\w+(?:[.,:'’/-]\w+)*|[$€£%]")


def wrong_words(claim: str, good: Sequence[str]) -> list[tuple[int, int]] | None:
    """The parts of an unsupported claim that its nearest supported twin has not; None when there is no twin."""
    words = list(_WORD.finditer(claim))
    mine = [word.group().lower() for word in words]
    nearest: list[tuple[int, int]] | None = None
    least = AT_MOST_WORDS + 1
    for text in good:
        matcher = SequenceMatcher(None, [word.lower() for word in _WORD.findall(text)], mine, autojunk=False)
        edits = [edit for edit in matcher.get_opcodes() if edit[0] != "equal"]
        count = sum(max(b - a, d - c) for _, a, b, c, d in edits)
        if not 0 < count < least or 2 * count > len(mine):
            continue
        least = count
        # Where the twin only has a word more ("not"), the wrong words are those it stands before.
        spans = [(c, d) if d > c else (min(c, len(mine) - 1), min(c, len(mine) - 1) + 1) for _, _, _, c, d in edits]
        nearest = [(words[first].start(), words[last - 1].end()) for first, last in spans]
    return nearest
